//! What the fuzzer found worth keeping, and the gallery, put through every fuzz target.

use litmoscope_tests::fuzzing::TARGETS;
use std::path::{Path, PathBuf};

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let (folders, mut files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    files.extend(folders.iter().flat_map(|folder| self::files(folder)));
    files.sort_unstable();
    files
}

#[test]
fn kept_inputs_do_no_harm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let gallery = files(&root.join("public"));
    assert!(gallery.len() > 40, "the gallery is there");
    for (name, run) in TARGETS {
        let corpus = files(&root.join("fuzz/corpus").join(name));
        assert!(!corpus.is_empty(), "{name} has a corpus");
        for file in corpus.iter().chain(&gallery) {
            let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            // A panic's message does not say where the bytes come from.
            let done = std::panic::catch_unwind(|| run(&bytes));
            assert!(done.is_ok(), "{name} fails on {}", file.display());
        }
    }
}
