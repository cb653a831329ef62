//! `litmoscope atlas`, run as a user would.

use crate::common::run;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const ATLAS: &str = r#"{
  "families": [{ "id": "two", "title": "Two threads", "about": "Short ones." }],
  "papers": [{ "key": "k", "kind": "article", "authors": ["Ann"], "title": "T", "venue": "V", "year": 2000 }],
  "tests": [
    { "name": "SB", "family": "two", "cycle": "PodWR Fre PodWR Fre", "asks": "Missed?", "matters": "Much.",
      "papers": ["k"] },
    { "name": "2+2W", "family": "two", "cycle": "PodWW Coe PodWW Coe", "asks": "Last?", "matters": "Less." },
    { "name": "Mine", "family": "two", "program": "mine.lit", "asks": "Wrong?" }
  ]
}"#;
const GALLERY: &str =
    r#"[{ "file": "mine.lit", "name": "Mine", "title": "My own", "model": "tso", "unroll": 8, "teaches": "It is." }]"#;
const MINE: &str = "shared x\nx := 1 || a := x; assert a = 0\n";

fn source(folder: &Path, atlas: &str) {
    for (name, content) in [("atlas.json", atlas), ("gallery.json", GALLERY), ("mine.lit", MINE)] {
        fs::write(folder.join(name), content).expect("a file is written");
    }
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let file = |entry: fs::DirEntry| {
        let content = fs::read_to_string(entry.path()).expect("text");
        (entry.file_name().into_string().expect("a name"), content)
    };
    entries.map(|entry| file(entry.expect("an entry"))).collect()
}

#[test]
fn an_atlas_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    source(folder.path(), ATLAS);
    let from = folder.path().to_str().expect("UTF-8");
    let (first, second) = (folder.path().join("site/atlas"), folder.path().join("again"));
    for (target, more) in [(&first, &[][..]), (&second, &["--threads", "1"])] {
        let arguments =
            ["atlas", target.to_str().expect("UTF-8"), "--from", from, "--address", "https://example.org/a"];
        let (status, out, err) = run(&[&arguments[..], more].concat(), "");
        assert_eq!((status, err.as_str()), (0, ""), "{out}");
        assert!(out.starts_with("3 pages of the atlas, 6 files in "), "{out}");
    }
    let written = files(&first);
    let names: Vec<&str> = written.keys().map(String::as_str).collect();
    assert_eq!(names, ["2+2w.html", "atlas.bib", "index.html", "mine.html", "sb.html", "style.css"]);
    assert_eq!(written, files(&second), "the same whatever the number of threads");
    let sb = &written["sb.html"];
    for part in
        ["<h1>SB</h1>", "Missed?", "allowed, by 1 execution", "sequential-consistency", "fence sc", "<cite>T</cite>"]
    {
        assert!(sb.contains(part), "{part}");
    }
    assert!(sb.contains("url = {https://example.org/a/sb.html}"));
    assert!(written["mine.html"].contains("goes wrong, in 1 execution"));
    for name in ["sb.html", "2+2w.html", "mine.html"] {
        assert!(written["index.html"].contains(&format!("href=\"{name}\"")), "{name}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let atlas = |from: &str| run(&["atlas", &path("out"), "--from", from], "");
    let (status, out, err) = atlas(&path("nowhere"));
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("atlas.json") && err.contains("--from public"), "{err}");
    let from = folder.path().to_str().expect("UTF-8");
    source(folder.path(), &ATLAS.replace("PodWW Coe PodWW Coe", "PodWW Coe PodRR Fre"));
    let (status, _, err) = atlas(from);
    assert!(status == 2 && err.contains("`2+2W`: `PodRR` starts with a read"), "{err}");
    source(folder.path(), &ATLAS.replace("\"family\": \"two\"", "\"family\": \"four\""));
    assert_eq!(atlas(from).0, 2);
    source(folder.path(), "{");
    let (status, _, err) = atlas(from);
    assert!(status == 2 && err.contains("the atlas can't be read"), "{err}");
    source(folder.path(), ATLAS);
    fs::write(folder.path().join("mine.lit"), "x := (").expect("a file is written");
    let (status, _, err) = atlas(from);
    assert!(status == 2 && err.contains("`Mine`: error"), "{err}");
    assert!(!folder.path().join("out").exists(), "nothing is written before all is known");
    source(folder.path(), ATLAS);
    fs::write(folder.path().join("out"), "a file").expect("a file is written");
    let (status, _, err) = atlas(from);
    assert!(status == 2 && err.contains("cannot make the folder"), "{err}");
}
