//! `litmoscope generate`, run as a user would.

use crate::common::run;
use std::fs;
use std::process::Command;

/// Exit status, standard output and standard error.
fn generate(arguments: &[&str]) -> (i32, String, String) {
    run(&[&["generate"], arguments].concat(), "")
}

const SB: &str = "name SB\n# PodWR Fre PodWR Fre\nshared x, y\n\nx := 1\nr0 := y\n||\ny := 1\nr0 := x\n\n\
                  locations [P0:r0; P1:r0; x; y]\nexists (P0:r0 = 0 /\\ P1:r0 = 0)\n";

#[test]
fn one_test() {
    for arguments in [&["PodWR Fre PodWR Fre"][..], &["PodWR", "Fre", "PodWR", "Fre"], &["\"PodWR Fre\"", "PodWR Fre"]]
    {
        assert_eq!(generate(arguments), (0, SB.to_owned(), String::new()), "{arguments:?}");
    }
    let (_, out, _) = generate(&["PodWR Fre PodWR Fre", "--name", "my test", "--default", "sc"]);
    assert!(out.starts_with("name \"my test\"\n") && out.contains("x :=sc 1\nr0 :=sc y"), "{out}");
    for (dialect, first) in [("c11", "C SB"), ("x86", "X86 SB"), ("x86_64", "X86_64 SB")] {
        let (status, out, err) = generate(&["--dialect", dialect, "PodWR Fre PodWR Fre"]);
        assert_eq!((status, out.lines().next(), err.as_str()), (0, Some(first), ""));
    }
}

/// What is made can be explored, with the outcome that it asks for under TSO.
#[test]
fn made_and_explored() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("UTF-8");
    let (status, out, err) = generate(&["--dialect", "x86", "MFencedWR Fre PodWR Fre", "--output", path]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""));
    for (model, expected) in [("sc", "forbidden: "), ("tso", "allowed: ")] {
        let output = Command::new(env!("CARGO_BIN_EXE_litmoscope"))
            .args(["explore", "--model", model])
            .arg(folder.path().join("SB+mfence+po.litmus"))
            .output();
        let said = String::from_utf8(output.expect("the command runs").stdout).expect("UTF-8");
        assert!(said.lines().any(|line| line.starts_with(expected)), "{said}");
    }
}

#[test]
fn wrong_cycles() {
    let (status, out, err) = generate(&["PodWW Coe PodRR Fre"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("error: `PodRR` starts with a read, but `Coe` before it ends with a write"), "{err}");
    assert!(err.contains("cycle:1:11") && err.contains("^^^^^") && err.contains("help: "), "{err}");
    let (status, _, err) = generate(&["--dialect", "c11", "PodWR Fre MFencedWR Fre"]);
    assert!(status == 2 && err.contains("C11 has no mfence") && err.contains("write FenceSc"), "{err}");
    for arguments in [
        &[][..],
        &["Rfe", "--family"],
        &["--count"],
        &["--dialect", "arm", "Rfe"],
        &["--default", "acq", "PodWR Fre PodWR Fre"],
        &["--default", "rlx", "--dialect", "x86", "PodWR Fre PodWR Fre"],
        &["--name", "two\nlines", "PodWR Fre PodWR Fre"],
        &["--family", "--threads", "4..2"],
        &["--family", "--length", "x"],
        &["--family", "--length", "4..99"],
        &["--family", "--edges", "Pod** Rfx"],
        &["--family", "--edges", "Pos** Rfe"],
    ] {
        let (status, out, err) = generate(arguments);
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}");
        assert!(!err.is_empty(), "{arguments:?}");
    }
}

#[test]
fn families() {
    let (status, out, err) = generate(&["--family"]);
    let names: Vec<&str> = out.lines().filter_map(|line| line.strip_prefix("name ")).collect();
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(
        names.join(" "),
        "MP LB S SB R 2+2W RWC WRR+2W WRC WWC WRW+WR WRW+2W W+RWC ISA2 Z6.3 IRIW IRRWIW 3.LB Z6.2 Z6.0 Z6.1 IRWIW 3.SB \
         Z6.4 Z6.5 3.2W"
    );
    let count = |arguments: &[&str]| generate(&[&["--family", "--count"], arguments].concat());
    assert_eq!(count(&[]).1, "26 tests\n");
    assert_eq!(count(&["--threads", "2"]).1, "6 tests\n");
    assert_eq!(count(&["--edges", "PodWR MFencedWR Fre", "--dialect", "x86"]).1, "7 tests\n");
    assert_eq!(count(&["--edges", "PodWR Fre", "--modes", "rlx,sc", "--length", "4"]).1, "10 tests\n");
    let (status, out, err) = count(&["--limit", "5"]);
    assert_eq!((status, out.as_str()), (3, "more than 5 tests\n"));
    assert!(err.contains("raise --limit"), "{err}");
    let (status, out, err) = count(&["--edges", "PodWW Rfe"]);
    assert!(status == 0 && out == "0 tests\n" && err.contains("form no cycle"), "{out}{err}");
}

#[test]
fn files() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new");
    let path = path.to_str().expect("UTF-8");
    let family = ["--family", "--threads", "2", "--output", path];
    assert_eq!(generate(&family), (0, format!("6 tests in {path}\n"), String::new()));
    let file = folder.path().join("new/SB.lit");
    assert_eq!(fs::read_to_string(&file).expect("a file"), SB);
    // The same again is no harm; something else is not lost.
    assert_eq!(generate(&family).0, 0);
    fs::write(&file, "mine").expect("written");
    let (status, _, err) = generate(&family);
    assert!(status == 2 && err.contains("SB.lit exists") && err.contains("--force"), "{err}");
    assert_eq!(fs::read_to_string(&file).expect("a file"), "mine");
    assert_eq!(generate(&[&family[..], &["--force"]].concat()).0, 0);
    assert_eq!(fs::read_to_string(&file).expect("a file"), SB);
}

#[test]
fn vocabulary() {
    for (dialect, has, has_not) in
        [("c11", "FenceScdWR", "MFencedWR"), ("x86", "MFencedWR", "DpAddrdR"), ("litmoscope", "Cas", "Wse")]
    {
        let (status, out, _) = generate(&["--vocabulary", "--dialect", dialect]);
        let words: Vec<&str> = out.lines().filter_map(|line| line.split(' ').next()).collect();
        assert!(status == 0 && words.contains(&has) && !words.contains(&has_not), "{out}");
    }
}
