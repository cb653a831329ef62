//! What the fuzzer found worth keeping, and the gallery, put through every fuzz target.

use litmoscope::document::Kind;
use litmoscope::histories::{Format, ReadOptions, parse_history_as};
use litmoscope_tests::fuzzing::{TARGETS, execution, history};
use proptest::prelude::*;
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
fn every_kind_of_text_is_fuzzed() {
    for kind in Kind::ALL {
        let name = kind.definition().name;
        assert!(TARGETS.iter().any(|(target, _)| *target == name), "{name} has no fuzz target");
    }
    let bins = include_str!("../../../fuzz/Cargo.toml");
    for &(name, _) in TARGETS {
        assert!(bins.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name} is no program of fuzz/");
    }
}

#[test]
fn kept_inputs_do_no_harm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let gallery = files(&root.join("public"));
    assert!(gallery.len() > 40, "the gallery is there");
    let kinds = Kind::ALL.map(|kind| kind.definition().name);
    for &(name, run) in TARGETS {
        let corpus = files(&root.join("fuzz/corpus").join(name));
        assert!(!corpus.is_empty(), "{name} has a corpus");
        // A text of another kind is one more text.
        let reads_texts = kinds.contains(&name);
        let others = kinds.iter().filter(|other| reads_texts && **other != name);
        let others: Vec<PathBuf> = others.flat_map(|other| files(&root.join("fuzz/corpus").join(other))).collect();
        for file in corpus.iter().chain(&others).chain(&gallery) {
            let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            // A panic's message does not say where the bytes come from.
            let done = std::panic::catch_unwind(|| run(&bytes));
            assert!(done.is_ok(), "{name} fails on {}", file.display());
        }
    }
}

#[test]
fn every_format_of_histories_is_fuzzed() {
    let corpus = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/history"));
    for format in Format::ALL {
        let is_read = |file: &PathBuf| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let text = std::fs::read_to_string(file).unwrap_or_default();
            name.starts_with(format.name()) && parse_history_as(format, &text, &ReadOptions::default()).is_ok()
        };
        assert!(corpus.iter().any(is_read), "no history in the corpus is {}", format.name());
    }
}

fn cases() -> u32 {
    std::env::var("LITMOSCOPE_PROGRAMS").ok().and_then(|number| number.parse().ok()).unwrap_or(1_000)
}

/// Histories in all formats with other words, lines and numbers here and there.
#[test]
fn what_was_a_history_does_no_harm() {
    const WORDS: [&str; 32] = [
        "[0,?]",
        "[3,3]",
        "; push 2 [1,9]",
        "; pop empty [2,4]",
        "T1: ",
        "T2 call pop\n",
        "T2 return 1\n",
        "history s queue\n",
        "history s\n",
        "init 1\n",
        "empty",
        "nil",
        "true",
        "false",
        "-",
        "->",
        "|",
        "\"",
        "\\",
        "(",
        "}",
        "[1 2]",
        ":info",
        ":fail",
        ":ok",
        "null",
        "\n",
        "\r\n",
        "9223372036854775807",
        "-9223372036854775808",
        "\u{feff}",
        "é\u{1f600}",
    ];
    let corpus = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/history"));
    let texts: Vec<String> = corpus
        .iter()
        .map(|file| String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned())
        .collect();
    let change =
        (0..4_u8, any::<prop::sample::Index>(), any::<prop::sample::Index>(), prop::sample::select(&WORDS[..]));
    let text = (prop::sample::select(texts), prop::collection::vec(change, 1..6));
    let text = text.prop_map(|(mut text, changes)| {
        for (kind, from, to, word) in changes {
            let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
            match kind {
                // A line stands elsewhere as well, or instead.
                0 | 1 if !lines.is_empty() => {
                    let at = from.index(lines.len());
                    let line = if kind == 0 { lines[at] } else { lines.remove(at) };
                    lines.insert(to.index(lines.len() + 1), line);
                    text = lines.concat();
                }
                // Torn.
                2 if to.index(4) == 0 => text.truncate(text.floor_char_boundary(from.index(text.len() + 1))),
                _ => text.insert_str(text.floor_char_boundary(from.index(text.len() + 1)), word),
            }
        }
        text
    });
    let config = ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(text in text)| history(text.as_bytes()));
}

/// Executions and what is nearly one, from the words of the notation: the fuzzer without a fuzzer.
#[test]
fn executions_in_any_words_do_no_harm() {
    const EVENTS: [&str; 18] = [
        "w x 1",
        "w x 2",
        "w y 1",
        "w.rel y 2",
        "r x ?",
        "r x 1",
        "r x <- init",
        "r y ? <- A | B",
        "r x ? <- A.1 | init",
        "r y 1 <- C.2",
        "u x ? 3",
        "u y 0 1 <- init",
        "buffered u x ? 1",
        "fence",
        "fence rel",
        "{ r x ?; w y 1 }",
        "buffered { r y ?; w x 2 }",
        "{ w x 1; w y 2 }",
    ];
    const WORDS: [&str; 23] = [
        "init x = 1",
        "init y = 0",
        "init",
        "root A",
        "root",
        "order A.1 < B.1 < C.1",
        "order",
        "execution E",
        "A:",
        "init:",
        "{",
        "}",
        "buffered",
        "<-",
        "|",
        "\n",
        ".",
        "-1",
        "99999999999999999999",
        "_",
        "// c",
        "\u{feff}",
        "é\u{1f600}",
    ];
    let event = || prop::sample::select(&EVENTS[..]);
    let thread = || prop::collection::vec(event(), 0..5).prop_map(|events| events.join("; "));
    let text =
        (thread(), thread(), thread(), prop::collection::vec((any::<prop::sample::Index>(), 0..WORDS.len()), 0..3));
    let text = text.prop_map(|(a, b, c, odd)| {
        let mut text = format!("A: {a}\nB: {b}\nC: {c}\n");
        for (at, word) in odd {
            let mut at = at.index(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            text.insert_str(at, WORDS[word]);
        }
        text
    });
    let config = ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(text in text)| execution(text.as_bytes()));
}
