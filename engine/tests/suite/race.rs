//! `litmoscope race`: classes and counts of the programs in `public/benchmarks`, tables, plots, and what it refuses.

use crate::common::run;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/benchmarks")
}

fn file(name: &str) -> String {
    folder().join(format!("{name}.series")).display().to_string()
}

fn race(input: &str, file: &str, options: &[&str]) -> (i32, String, String) {
    run(&[&["race", file, "--quiet"], options].concat(), input)
}

/// What is found of a benchmark, by size.
fn found(name: &str, options: &[&str]) -> Vec<Value> {
    let (status, out, err) = race("", &file(name), &[&["--json"], options].concat());
    assert_eq!(status, 0, "{name}: {out}{err}");
    let json: Value = serde_json::from_str(&out).expect("JSON");
    json["sizes"].as_array().expect("sizes").clone()
}

/// Classes by equivalence, of each size, without those with observers.
fn classes(name: &str, sizes: &str, root: &str) -> Vec<Vec<u64>> {
    let all = found(name, &["--algorithms", "trust_co", "--sizes", sizes, "--root", root]);
    let of = |size: &Value| {
        let classes = size["classes"].as_array().expect("classes");
        let printed = classes.iter().filter(|row| row["equivalence"] != "observers");
        let counts = printed.map(|row| row["classes"].as_u64().expect("a number")).collect::<Vec<_>>();
        // Mazurkiewicz traces are executions with co.
        assert_eq!(size["laps"][0]["executions"], counts[0], "{name}");
        counts
    };
    all.iter().map(of).collect()
}

/// Classes by formula: Mazurkiewicz, data-centric, reads-from, value-centric, reads-value-from.
fn formula(name: &str, n: u64) -> [Option<u64>; 5] {
    let factorial = |n: u64| (1..=n).product::<u64>();
    let leaves = factorial(n - 1);
    match name {
        "monabsex" => [
            factorial(n).pow(2),
            leaves.pow(2) * n * (n + 1) / 2,
            (n + 1).pow(n as u32 - 1),
            if n == 1 { 1 } else { 2 * leaves.pow(2) },
            1,
        ]
        .map(Some),
        "reorder" => [None, None, Some(2 * n.pow(3) + n.pow(2) + 1), None, Some(4)],
        "singleton" => [Some(factorial(n)), None, Some(n), None, Some(2)],
        "float-read" => [factorial(n + 1), 2 * factorial(n), n + 1, (2 * n - 1) * leaves, n].map(Some),
        _ => [None; 5],
    }
}

/// The classes of print: Mazurkiewicz, data-centric, reads-from, value-centric, reads-value-from.
#[test]
fn benchmarks_have_the_classes_of_print() {
    let table: [(&str, &str, &[[u64; 5]]); 7] = [
        ("fig-3-1", "1", &[[4, 2, 2, 1, 1]]),
        ("fig-3-2a", "1..4", &[[2, 2, 2, 1, 1], [6, 6, 6, 1, 1], [20, 20, 20, 1, 1], [70, 70, 70, 1, 1]]),
        ("fig-3-2b", "1..3", &[[3, 3, 3, 1, 1], [9, 9, 9, 1, 1], [27, 27, 27, 1, 1]]),
        ("fig-3-6", "1", &[[9, 5, 5, 3, 2]]),
        ("fig-4-1", "1", &[[98, 28, 9, 7, 1]]),
        ("fig-4-4a", "1..2", &[[12, 6, 3, 3, 1], [420, 90, 19, 15, 1]]),
        ("fig-4-6", "1", &[[12, 5, 5, 5, 3]]),
    ];
    for (name, sizes, expected) in table {
        let all = classes(name, sizes, "1");
        assert_eq!(all.iter().map(|row| row[..5].to_vec()).collect::<Vec<_>>(), expected, "{name}");
    }
    assert_eq!(classes("fig-4-4b", "2", "1")[0][..5], [144, 36, 9, 9, 1]);
    let value_centric = ["1", "2", "3"].map(|root| classes("fig-4-1", "1", root)[0][3]);
    assert_eq!(value_centric, [7, 12, 10]);
    assert_eq!(classes("fig-3-1", "1", "2")[0][3], 2);
}

#[test]
fn benchmarks_grow_as_in_print() {
    for (name, sizes) in [("monabsex", 1..=5), ("reorder", 1..=3), ("singleton", 2..=5), ("float-read", 1..=6)] {
        let range = format!("{}..{}", sizes.start(), sizes.end());
        for (n, row) in sizes.zip(classes(name, &range, "1")) {
            for (classes, expected) in row.iter().zip(formula(name, n)) {
                assert!(expected.is_none_or(|expected| *classes == expected), "{name}({n}): {row:?}");
            }
        }
    }
    for (n, row) in (2u32..).zip(classes("readers-writers", "2..7", "1")) {
        assert_eq!(row[0], 1 << (n - 1), "readers-writers({n})");
    }
    for (traces, row) in [11, 28, 103, 311].into_iter().zip(classes("branching", "2..5", "1")) {
        assert_eq!(row[0], traces);
    }
    for (n, row) in (1u64..).zip(classes("shared-pointer", "1..10", "1")) {
        assert_eq!(row[0], 2 * n + 1, "shared-pointer({n})");
    }
    for (n, row) in (2u64..).zip(classes("last-zero", "2..6", "1")) {
        assert_eq!(row[0], n << (n - 2), "last-zero({n})");
    }
    for (n, row) in (2u64..).zip(classes("ring", "2..5", "1")) {
        assert_eq!(row[0], (1 << n) - 1, "ring({n})");
    }
    assert_eq!(classes("redundant-co", "1", "1")[0][..5], [3150, 225, 61, 55, 7]);
    let indexer = found("indexer", &["--algorithms", "trust_co", "--sizes", "11..12", "--no-classes"]);
    assert_eq!([0, 1].map(|size| indexer[size]["laps"][0]["executions"].as_u64()), [Some(1), Some(8)]);
}

/// The numbers of the book: what has no mark is explored, and what is marked as being by formula is.
#[test]
fn counts_of_the_book_are_found() {
    let chapter = include_str!("../../../book/src/questions/race.md");
    let (_, section) = chapter.split_once("\n#### Counts, printed and found\n").expect("the section is there");
    let section = section.split("\n### ").next().expect("it ends");
    let mut explored = 0;
    for line in section.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let Some((name, size)) = cells[0].strip_suffix(')').and_then(|cell| cell.split_once('(')) else { continue };
        let n: u64 = size.parse().expect("a size");
        let algorithms: &[Option<&str>] = match cells.len() {
            6 => &[Some("trust_co"), None, Some("genmc"), Some("vc_dpor"), Some("rvf_smc")],
            5 => &[Some("trust_co")],
            _ => panic!("{line}"),
        };
        let cells = if cells.len() == 5 { &cells[4..] } else { &cells[1..] };
        let ours: Vec<String> =
            cells.iter().map(|cell| cell.rsplit(" / ").next().unwrap_or_default().replace(',', "")).collect();
        let mut wanted = Vec::new();
        for ((ours, algorithm), formula) in ours.iter().zip(algorithms).zip(formula(name, n)) {
            match (ours.parse::<u64>(), ours.strip_suffix('‡')) {
                (Ok(number), _) => wanted.push((number, *algorithm)),
                (_, Some(number)) => assert_eq!(number.parse().ok(), formula, "{line}"),
                _ => assert!(ours == "–" || ours.ends_with('†'), "{line}"),
            }
        }
        let algorithms: Vec<&str> = wanted.iter().filter_map(|(_, algorithm)| *algorithm).collect();
        let mut options = vec!["--sizes", size, "--unroll", "32", "--timeout", "60", "--algorithms"];
        let list = algorithms.join(",");
        options.push(&list);
        let data_centric = algorithms.len() < wanted.len();
        if !data_centric {
            options.push("--no-classes");
        }
        let found = &found(name, &options)[0];
        let executions = |algorithm: &str| {
            let lap = found["laps"].as_array()?.iter().find(|lap| lap["algorithm"] == algorithm)?;
            lap["executions"].as_u64()
        };
        for (number, algorithm) in wanted {
            let data_centric = || {
                let rows = found["classes"].as_array()?;
                rows.iter().find(|row| row["equivalence"] == "data_centric")?["classes"].as_u64()
            };
            let found = algorithm.map_or_else(data_centric, executions);
            assert_eq!(found, Some(number), "{line}: {algorithm:?}");
            explored += 1;
        }
    }
    assert!(explored > 80, "{explored} numbers");
    let refused = found("singleton", &["--algorithms", "trust,vc_dpor,dc_dpor", "--sizes", "2", "--no-classes"]);
    for lap in &refused[0]["laps"].as_array().expect("laps")[1..] {
        assert_eq!(lap["progress"]["state"], "refused", "{lap}");
    }
    let (_, text, _) = race("", &file("monabsex"), &["--print", "5"]);
    let (_, out, _) = run(&["explore", "-", "--json", "--algorithm", "vc-dpor", "--set", "relaxed=1"], &text);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["executions"]["complete"], 1072);
}

/// n writers and a reader: where the order of writes counts only if somebody reads them, n * 2^(n - 1) + 1 classes, each of which
/// the algorithm of that name finds once.
#[test]
fn observers_find_each_class_once() {
    let table =
        [("float-read", "1..5"), ("monabsex", "1..4"), ("fig-4-1", "1"), ("fig-4-6", "1..2"), ("singleton", "2..4")];
    for (name, sizes) in table {
        for (n, size) in (1u64..).zip(found(name, &["--algorithms", "observers", "--sizes", sizes])) {
            let row =
                size["classes"].as_array().and_then(|rows| rows.iter().find(|row| row["equivalence"] == "observers"));
            let classes = row.and_then(|row| row["classes"].as_u64());
            assert_eq!(size["laps"][0]["executions"].as_u64(), classes, "{name}: {size}");
            if name == "float-read" {
                assert_eq!(classes, Some(n * (1 << (n - 1)) + 1), "{n}");
            }
        }
    }
}

/// Traces of the programs of Metzler's thesis, by sections; of systems and race checks, those that do not depend on how a section
/// is cut.
#[test]
fn sections_have_the_traces_of_print() {
    let table: [(&str, &str, &[u64]); 9] = [
        ("readers-writers", "2..8", &[2, 4, 8, 16, 32, 64, 128]),
        ("branching", "2..5", &[11, 28, 103, 311]),
        ("last-zero", "2..6", &[2, 6, 16, 40, 96]),
        ("shared-pointer", "1..6", &[3, 5, 7, 9, 11, 13]),
        ("indexer", "11..12", &[1, 8]),
        ("ring", "2..5", &[3, 7, 15, 31]),
        ("ring-extended", "2..4", &[19, 151, 1039]),
        ("hiding", "1", &[5]),
        ("asleep", "1..4", &[4, 6, 10, 18]),
    ];
    for (name, sizes, expected) in table {
        let algorithms = ["eager_por", "epor_sh", "source_dpor", "trust_co"];
        let found = found(name, &["--algorithms", &algorithms.join(","), "--sizes", sizes, "--no-classes"]);
        for (lap, algorithm) in algorithms.iter().enumerate() {
            let traces: Vec<_> =
                found.iter().map(|size| size["laps"][lap]["executions"].as_u64().unwrap_or_default()).collect();
            assert_eq!(traces, expected, "{name}: {algorithm}");
        }
    }
    let sections = |name: &str, size: u64, options: &[&str]| {
        let (_, text, _) = race("", &file(name), &["--print", &size.to_string()]);
        let (status, out, err) =
            run(&[&["explore", "-", "--json", "--algorithm", "eager-por"], options].concat(), &text);
        assert_eq!(status, 0, "{name}: {err}");
        let json: Value = serde_json::from_str(&out).expect("JSON");
        ["sections", "systems", "unsatisfiable", "race_checks"]
            .map(|of| json["sections"][of].as_u64().unwrap_or_default())
    };
    for n in 2..=8 {
        assert_eq!(sections("readers-writers", n, &[]), [1, 1 << (n - 1), 0, n * (n - 1) / 2], "readers-writers({n})");
    }
    for n in 2..=5 {
        assert_eq!(sections("branching", n, &[])[2], 1, "branching({n})");
        assert_eq!(sections("ring", n, &[])[..3], [1, 1 << n, 1], "ring({n})");
    }
    // 12 pairs, and 16, for which the usual limit is too low.
    assert_eq!(sections("ring-extended", 3, &[])[..3], [1, 4096, 4096 - 151]);
    assert_eq!(sections("ring-extended", 4, &["--set", "pairs=16"])[..3], [1, 65_536, 65_536 - 1039]);
    let (_, text, _) = race("", &file("readers-writers"), &["--print", "3"]);
    let (_, out, _) = run(&["explore", "-", "--algorithm", "epor-sh"], &text);
    assert!(out.contains("1 section; trace constraint systems: 4, unsatisfiable: 0; race checks: 3\n"), "{out}");
}

/// Each file says what it is, can be read at all its sizes, and is raced at the smallest.
#[test]
fn every_benchmark_is_raced() {
    let mut names: Vec<_> = std::fs::read_dir(folder()).expect("the folder is there").flatten().collect();
    names.sort_by_key(std::fs::DirEntry::path);
    assert!(names.len() > 15);
    for entry in names {
        let path = entry.path();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(text.starts_with("//") && text.contains(&format!("\nseries {name}\n")), "{name}");
        let (status, out, err) = run(&["check", &path.display().to_string()], "");
        assert_eq!(status, 0, "{out}{err}");
        let sizes = text.lines().find_map(|line| line.strip_prefix("sizes ")).expect("sizes");
        let smallest = sizes.split("..").next().expect("a size");
        let algorithms = "genmc,genmc_co,trust,trust_co,rf_smc";
        let sizes = found(&name, &["--sizes", smallest, "--timeout", "60", "--algorithms", algorithms]);
        let laps = sizes[0]["laps"].as_array().expect("laps");
        assert!(laps.len() >= 5, "{name}");
        let plain = |algorithm: &str| {
            laps.iter().find(|lap| lap["algorithm"] == algorithm).map(|lap| lap["executions"].clone())
        };
        assert_eq!(plain("trust"), plain("genmc"), "{name}");
        assert_eq!(plain("trust"), plain("rf_smc"), "{name}");
        assert_eq!(plain("trust_co"), plain("genmc_co"), "{name}");
    }
}

#[test]
fn tables_and_plots_show_what_was_found() {
    let svg = tempfile::tempdir().expect("a folder");
    let path = svg.path().join("plots.svg");
    let options = ["--algorithms", "trust,trust_co", "--sizes", "1..4", "--svg", &path.display().to_string()];
    let (status, out, err) = race("", &file("monabsex"), &options);
    assert_eq!(status, 0, "{err}");
    assert!(out.starts_with("monabsex under SC\nroot thread: P0\n"), "{out}");
    let row = |name: &str| {
        out.lines().find(|line| line.starts_with(name)).map(|line| line.split_whitespace().skip(1).collect::<Vec<_>>())
    };
    assert_eq!(row("Mazurkiewicz"), Some(vec!["1", "4", "36", "576"]), "{out}");
    assert_eq!(row("reads-from"), Some(vec!["1", "3", "16", "125"]), "{out}");
    assert!(out.contains("classes by size, logarithmic") && out.contains("  A Mazurkiewicz"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
    let svg = std::fs::read_to_string(&path).expect("a file");
    assert!(svg.starts_with("<svg") && svg.contains("Mazurkiewicz") && svg.contains("</svg>"));
    let (status, out, _) = race("x := 1 || a := x", "-", &["--algorithms", "trust"]);
    assert_eq!(status, 0);
    assert!(out.contains("the program under SC") && out.contains("algorithm") && !out.contains("by size"), "{out}");
    let (_, out, _) = race("", &file("monabsex"), &["--print", "2"]);
    assert!(out.contains("x := 1; a1 := x  ||  x := 1; a2 := x"), "{out}");
}

/// A cell that takes too long ends, larger sizes are left out, and the rest is there.
#[test]
fn a_cell_ends_at_its_limit() {
    let long = "series long\nsizes 1..9\n$each i in 1..(3 * n) joined \" || \" { fai(x); fai(x) }";
    let options = ["--algorithms", "trust", "--sizes", "1..4", "--timeout", "0.3", "--no-classes", "--json"];
    let (status, out, err) = race(long, "-", &options);
    assert_eq!(status, 3, "{out}{err}");
    let json: Value = serde_json::from_str(&out).expect("JSON");
    let states: Vec<_> = (0..4).map(|size| json["sizes"][size]["laps"][0]["progress"]["state"].clone()).collect();
    assert_eq!((&states[0], &states[3]), (&Value::from("done"), &Value::from("skipped")), "{states:?}");
    assert!(states.contains(&Value::from("timeout")), "{states:?}");
}

/// Of DC-DPOR, traces beside plain executions; of EPOR, what its author counts. Those that can't be cut into parts are raced by
/// their walks, which make the steps that their explorers make.
#[test]
fn some_algorithms_are_counted_in_quantities_of_their_own() {
    let laps = |name: &str, algorithms: &str| {
        let laps = found(name, &["--algorithms", algorithms, "--sizes", "1", "--no-classes"])[0]["laps"].clone();
        laps.as_array().expect("laps").clone()
    };
    let lap = &laps("fig-4-1", "dc_dpor")[0];
    assert_eq!([&lap["executions"], &lap["repeated"]], [9, 19]);
    for lap in laps("fig-4-1", "source_dpor,optimal_dpor,eager_por") {
        assert_eq!([&lap["executions"], &lap["repeated"], &lap["cut"]], [98, 0, 0]);
        let is_eager = lap["algorithm"] == "eager_por";
        for quantity in ["sections", "systems", "race_checks"] {
            assert_eq!(lap[quantity].as_u64() > Some(0), is_eager, "{quantity}");
        }
    }
    let titles_of_epor = ["sections ", "trace constraint systems ", "unsatisfiable ", "race checks "];
    for (name, algorithm, titles) in
        [("fig-4-1", "dc_dpor", &["traces "][..]), ("branching", "eager_por", &titles_of_epor)]
    {
        let options = ["--algorithms", algorithm, "--sizes", if name == "branching" { "2..3" } else { "1" }];
        let (status, out, _) = race("", &file(name), &options);
        assert_eq!(status, 0);
        for title in titles {
            assert!(out.lines().any(|line| line.starts_with(title)), "{title} is not in\n{out}");
        }
    }
}

#[test]
fn a_series_warns_of_what_its_programs_do() {
    let series = "series sb\nsizes 1..3\n$each i in 1..n joined \" || \" { x$i := 1; a := x$(i % n + 1) }";
    let (status, out, err) = run(&["check", "-"], series);
    assert_eq!(status, 0, "{out}{err}");
    assert!(err.contains("of size 3, this looks unintended: `a` is shared"), "{out}{err}");
    let entries = std::fs::read_dir(folder()).expect("a folder");
    for path in entries.map(|entry| entry.expect("a file").path()) {
        let (_, out, err) = run(&["check", &path.display().to_string()], "");
        assert!(!err.contains("unintended"), "{}: {out}{err}", path.display());
    }
}

#[test]
fn what_can_not_be_raced_is_said() {
    let rows = "series rows\n$each i in 1..n joined \" || \" { x := 1; a$i := x }";
    for (text, options, status, said) in [
        ("x := 1", &["--sizes", "1..3"][..], 2, "a program has no sizes"),
        (rows, &["--sizes", "3..1"], 2, "`3..1` is not a range of sizes"),
        (rows, &["--sizes", "1..100"], 2, "a race has at most 64 sizes"),
        (rows, &["--algorithms", "trust,none"], 2, "unknown algorithm `none`"),
        (rows, &["--algorithms", "sample"], 2, "makes random runs"),
        ("series broken\nx := := $n", &[], 2, "of size 1, this is not a program"),
        ("series broken\nx := $(1 / (n - 1))", &[], 2, "a division by zero"),
        ("T1: w x 1", &[], 2, "this is an abstract execution, not a program"),
        ("x := 1", &["--print", "3"], 2, "not a series of programs"),
        (rows, &["--algorithms", ""], 2, "no algorithm is named"),
        (rows, &["--timeout", "-1"], 2, "a number of seconds above 0"),
        ("x := 1 || a := x", &["--algorithms", "rf_smc", "--model", "ra"], 2, "RF-SMC explores under"),
        ("x := 1 || a := x", &["--algorithms", "trust", "--root", "3"], 2, "there is no thread 3 to be the root"),
        ("send(c, 1) || a := receive(c)", &["--algorithms", "vc_dpor"], 2, "VC-DPOR can't explore this program"),
        ("send(c, 1) || a := receive(c)", &["--algorithms", "trust,vc_dpor"], 0, "VC-DPOR can't explore this program"),
        ("while x = 0 { x := 0 }", &["--algorithms", "trust"], 3, "bounded: executions were cut"),
    ] {
        let (found, out, err) = race(text, "-", options);
        assert!(
            found == status && (out.contains(said) || err.contains(said)),
            "{text}, {options:?}: {found}\n{out}{err}"
        );
    }
}
