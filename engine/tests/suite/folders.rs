//! Folders of tests, and results as herd prints them.

use crate::common::run;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const SB: &str = "X86 SB\n{ }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                  exists (0:EAX=0 /\\ 1:EAX=0)\n";
/// What herd prints of it under TSO, but for the time and the hash.
const SB_BY_HERD: &str = "Test SB Allowed\nStates 4\n0:EAX=0; 1:EAX=0;\n0:EAX=0; 1:EAX=1;\n0:EAX=1; 1:EAX=0;\n0:EAX=1; 1:EAX=1;\nOk\n\
                          Witnesses\nPositive: 1 Negative: 3\nCondition exists (0:EAX=0 /\\ 1:EAX=0)\nObservation SB Sometimes 1 3\n";
const RACE: &str = "C race\n{}\nP0 (int* x) { *x = 1; }\nP1 (int* x) { int r0 = *x; }\nforall (1:r0=0 \\/ 1:r0=1)\n";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn path(folder: &Path) -> &str {
    folder.to_str().expect("UTF-8")
}

/// The objects of a run, and its exit status.
fn rows(folder: &Path, options: &[&str]) -> (i32, Vec<Value>) {
    let (status, out, err) = run(&[&["run", path(folder), "--json"], options].concat(), "");
    (status, out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}\n{err}"))).collect())
}

/// Without the line that says how long it took.
fn timeless(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("Time ")).map(|line| line.to_owned() + "\n").collect()
}

#[test]
fn results_as_herd_prints_them() {
    let (status, out, _) = run(&["explore", "-", "--herd", "--model", "tso"], SB);
    assert_eq!((status, timeless(&out).as_str()), (0, SB_BY_HERD));
    // What is forbidden and does not happen is positive; the observation counts the other way round.
    let forbidden = SB.replace("exists", "~exists");
    let (status, out, _) = run(&["explore", "-", "--herd", "--model", "sc"], &forbidden);
    assert_eq!(status, 0);
    let expected =
        "Ok\nWitnesses\nPositive: 3 Negative: 0\nCondition ~exists (0:EAX=0 /\\ 1:EAX=0)\nObservation SB Never 0 3\n";
    assert!(timeless(&out).starts_with("Test SB Forbidden\nStates 3\n") && timeless(&out).ends_with(expected), "{out}");
    let (status, out, _) = run(&["explore", "-", "--herd", "--model", "rc11"], RACE);
    assert_eq!(status, 1);
    assert!(out.contains("Flag data-race\nCondition forall "), "{out}");
    // Registers come first, locations in brackets; executions are counted with co.
    let text = "shared x\nx := 1 || x := 2 || x := 3; r := x\nexists (x = 1)\n";
    let (_, out, _) = run(&["explore", "-", "--herd"], text);
    assert!(out.contains("[x]=1;") && out.contains("Positive: 5 Negative: 7"), "{out}");
    assert_eq!(run(&["explore", "-", "--herd", "--json"], SB).0, 2);
}

#[test]
fn folders_are_compared_with_what_stands_beside_the_tests() {
    let wrong = SB_BY_HERD.replace("States 4\n0:EAX=0; 1:EAX=0;\n", "States 3\n").replace("Sometimes 1 3", "Never 0 3");
    let folder = folder(&[
        ("SB.litmus", SB),
        ("SB.litmus.expected", SB_BY_HERD),
        ("inner/wrong.litmus", &SB.replace("X86 SB", "X86 wrong")),
        ("inner/wrong.expected", &wrong.replace("SB", "wrong")),
        ("inner/plain.lit", "shared x\nx := 1 || a := x\n"),
        ("inner/notes.txt", "no test"),
        ("bad.litmus", "X86 bad\n{ }\n P0;\n FOO [x],$1;\n"),
        ("race.litmus", RACE),
    ]);
    let (status, rows) = rows(folder.path(), &["--explain", "--link", "http://localhost/", "--model", "tso"]);
    let results: Vec<(&str, &str)> = rows
        .iter()
        .map(|row| (row["test"].as_str().expect("a name"), row["result"].as_str().expect("a word")))
        .collect();
    let expected = [("SB", "agrees"), ("bad", "unreadable"), ("plain", "ok"), ("wrong", "differs"), ("race", "ok")];
    assert_eq!((status, &results[..]), (2, &expected[..]));
    // The model is the one that is asked for, or that of the text, or that of the notation.
    let race = folder.path().join("race.litmus");
    assert_eq!(self::rows(&race, &["--model", "rc11"]).1[0]["result"], "violated");
    assert_eq!((rows[0]["model"].as_str(), self::rows(&race, &[]).1[0]["model"].as_str()), (Some("tso"), Some("rc11")));
    let model = |options: &[&str]| self::rows(&race, options).1[0]["model"].clone();
    assert_eq!([model(&["--model", "c=ra"]), model(&["--model", "x86=pso", "--model", "lit=wra"])], ["ra", "rc11"]);
    assert_eq!(model(&["--model", "c=ra", "--model", "pso"]), "pso");
    for (wrong, said) in [("arm=sc", "the notations are lit, c and x86"), ("c=arm", "there is no memory model `arm`")] {
        let (status, _, err) = run(&["run", path(&race), "--model", wrong], "");
        assert!(status == 2 && err.contains(said), "{err}");
    }
    assert_eq!(rows[1]["remarks"][0], "line 4, column 2: `FOO` is not supported");
    assert_eq!(rows[3]["remarks"][0], "Sometimes here, Never expected");
    assert_eq!(rows[3]["remarks"][1], "0:eax=0; 1:eax=0: only here");
    let reason = rows[3]["reasons"][0].as_str().expect("one");
    assert!(reason.contains("TSO allows P0:EAX=0, P1:EAX=0"), "{reason}");
    assert!(rows[3]["link"].as_str().is_some_and(|link| link.starts_with("http://localhost/#")));
    assert!(rows[0]["link"].is_null());
    // Under SC the state is missing, and a cycle says why.
    let sc = self::rows(&folder.path().join("SB.litmus"), &["--model", "sc", "--explain"]).1.remove(0);
    assert_eq!(sc["remarks"][1], "0:eax=0; 1:eax=0: expected, and not here");
    assert!(sc["reasons"][0].as_str().expect("one").contains("SC"), "{sc}");
}

#[test]
fn what_is_left_out_of_a_text_is_said() {
    let folder = folder(&[("SB.litmus", &(SB.to_owned() + "with tso: exists;\n"))]);
    let (status, rows) = rows(folder.path(), &["--model", "tso"]);
    let said = "line 7, column 1: the results that are expected `with` some models are left out: Litmoscope computes \
                the results";
    assert_eq!((status, rows[0]["result"].as_str(), rows[0]["remarks"][0].as_str()), (0, Some("allowed"), Some(said)));
    assert_eq!(self::rows(folder.path(), &["--model", "tso", "--strict"]).1[0]["result"], "unreadable");
}

#[test]
fn logs_are_found_by_the_names_of_tests() {
    let log = "Test SB Allowed\nHistogram (3 states)\n7  :>0:EAX=0; 1:EAX=1;\n7  :>0:EAX=1; 1:EAX=0;\n7  :>0:EAX=1; 1:EAX=1;\nNo\n\n\
               Witnesses\nPositive: 0, Negative: 21\nObservation SB Never 0 21\n";
    let folder = folder(&[("a/SB.litmus", SB), ("all.log", log)]);
    let (tests, log) = (folder.path().join("a"), folder.path().join("all.log"));
    assert_eq!(rows(&tests, &["--log", path(&log), "--model", "sc"]).1[0]["result"], "agrees");
    assert_eq!(rows(&tests, &["--log", path(&log), "--model", "tso"]).1[0]["result"], "differs");
    assert_eq!(rows(&tests, &["--threads", "1", "--model", "tso"]).1[0]["result"], "allowed");
}

#[test]
fn tables_herd_and_junit_tell_the_same() {
    let folder = folder(&[
        ("SB.litmus", SB),
        ("two/SB<2>.litmus", &SB.replace("X86 SB", "X86 SB<2>").replace("exists", "~exists")),
    ]);
    let junit = folder.path().join("report.xml");
    let (status, out, _) = run(&["run", path(folder.path()), "--junit", path(&junit), "--model", "tso"], "");
    assert_eq!(status, 1);
    assert!(
        out.starts_with("test") && out.lines().any(|line| line.starts_with("SB ") && line.contains("allowed")),
        "{out}"
    );
    assert!(
        out.lines()
            .last()
            .is_some_and(|line| line.starts_with("2 tests in ") && line.ends_with("1 allowed, 1 violated")),
        "{out}"
    );
    let xml = fs::read_to_string(&junit).expect("it was written");
    assert!(xml.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{xml}");
    assert!(xml.contains("name=\"SB&lt;2&gt;\"") && !xml.contains("SB<2>"), "{xml}");
    let (_, out, _) = run(&["run", path(folder.path()), "--herd", "--model", "tso"], "");
    assert!(timeless(&out).starts_with(SB_BY_HERD) && out.contains("Test SB<2> Forbidden"), "{out}");
}

#[test]
fn what_is_no_folder_of_tests_is_said() {
    let folder = folder(&[("notes.txt", "no test"), ("SB.litmus", SB), ("SB.expected", "nothing")]);
    let (status, _, err) = run(&["run", path(&folder.path().join("none"))], "");
    assert!(status == 2, "{err}");
    let (status, rows) = rows(folder.path(), &[]);
    assert_eq!((status, rows[0]["result"].as_str()), (2, Some("unreadable")));
    assert!(rows[0]["remarks"][0].as_str().is_some_and(|why| why.contains("this is not what herd or litmus prints")));
    let empty = tempfile::tempdir().expect("a folder");
    let (status, _, err) = run(&["run", path(empty.path())], "");
    assert!(status == 2 && err.contains("there are no tests"), "{err}");
    // Time that is up is bounded, and never a verdict.
    let long = "shared x\n".to_owned() + &["fai(x)"; 12].join(" || ") + "\n";
    let slow = self::folder(&[("slow.lit", &long)]);
    let (status, rows) = self::rows(slow.path(), &["--timeout", "0.2"]);
    assert_eq!((status, rows[0]["result"].as_str()), (3, Some("bounded")));
}

/// The same files as archives of each format, by their names.
fn archives(files: &[(&str, &str)]) -> [(&'static str, Vec<u8>); 4] {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut tar = tar::Builder::new(Vec::new());
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a file");
        zip.write_all(text.as_bytes()).expect("its content");
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, text.as_bytes()).expect("a file");
    }
    let (zip, tar) = (zip.finish().expect("an archive").into_inner(), tar.into_inner().expect("an archive"));
    let mut gz = GzEncoder::new(Vec::new(), Compression::default());
    gz.write_all(&tar).expect("it can be packed");
    let gz = gz.finish().expect("it can be packed");
    [("all.zip", zip), ("all.tar", tar), ("all.tar.gz", gz.clone()), ("all.tgz", gz)]
}

#[test]
fn archives_are_folders() {
    let wrong = SB_BY_HERD.replace("Sometimes 1 3", "Never 0 3");
    let logged = SB_BY_HERD.replace("SB", "logged");
    let files = [
        ("a/SB.litmus", SB),
        ("a/SB.litmus.expected", SB_BY_HERD),
        ("b/wrong.litmus", &SB.replace("X86 SB", "X86 wrong")),
        ("b/wrong.expected", &wrong.replace("SB", "wrong")),
        ("c/logged.litmus", &SB.replace("X86 SB", "X86 logged")),
        ("c/all.log", &logged),
        ("notes.txt", "no test"),
        ("inner.zip", "not opened"),
    ];
    let folder = self::folder(&files);
    let seen = |rows: &[Value]| -> Vec<(String, String, Value)> {
        let text = |row: &Value, name: &str| row[name].as_str().expect("a text").to_owned();
        rows.iter().map(|row| (text(row, "test"), text(row, "result"), row["remarks"].clone())).collect()
    };
    let (status, of_folder) = rows(folder.path(), &["--model", "tso"]);
    let results: Vec<&str> = of_folder.iter().map(|row| row["result"].as_str().expect("a word")).collect();
    assert_eq!((status, &results[..]), (1, &["agrees", "differs", "agrees"][..]));
    for (name, bytes) in archives(&files) {
        let place = tempfile::tempdir().expect("a folder");
        let archive = place.path().join(name);
        fs::write(&archive, bytes).expect("a file");
        let (status, rows) = rows(&archive, &["--model", "tso"]);
        assert_eq!((status, seen(&rows)), (1, seen(&of_folder)), "{name}");
        let file = rows[0]["file"].as_str().expect("a name");
        assert!(file.ends_with(&format!("{name}/a/SB.litmus")), "{file}");
        let (_, _, err) = run(&["run", path(&archive)], "");
        assert!(err.contains("inner.zip was left out: archives in archives are not opened"), "{err}");
        // Nothing was written beside it.
        assert_eq!(fs::read_dir(place.path()).expect("it is there").count(), 1);
    }
}

#[test]
fn what_is_wrong_with_an_archive_is_said() {
    let text = "// ".to_owned() + &"x".repeat(4000) + "\nx := 1\n";
    for (name, bytes) in archives(&[("SB.litmus", SB), ("b.lit", &text)]) {
        let place = tempfile::tempdir().expect("a folder");
        let archive = place.path().join(name);
        for bytes in [&bytes[..bytes.len() / 2], b"nothing", b""] {
            fs::write(&archive, bytes).expect("a file");
            let (status, out, err) = run(&["run", path(&archive)], "");
            assert_eq!((status, out.as_str()), (2, ""), "{name}: {err}");
            assert!(err.contains(&format!("cannot open {}: it is ", path(&archive))), "{err}");
        }
    }
    // A test of which the archive says too much is unreadable, as a file would be.
    let long = "// ".to_owned() + &"x".repeat(1 << 19);
    let [(name, zip), ..] = archives(&[("long.lit", &long), ("SB.litmus", SB)]);
    let place = tempfile::tempdir().expect("a folder");
    let archive = place.path().join(name);
    fs::write(&archive, zip).expect("a file");
    let (status, rows) = rows(&archive, &["--model", "tso"]);
    assert_eq!(
        (status, rows[0]["result"].as_str(), rows[1]["result"].as_str()),
        (2, Some("allowed"), Some("unreadable"))
    );
    assert_eq!(rows[1]["remarks"][0], "it has more than 262144 bytes");
}
