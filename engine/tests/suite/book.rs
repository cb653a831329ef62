//! What the book says that commands print is what they print.
//!
//! Each text in the book can be read, each file that it names is there, each link leads somewhere, and its pages keep the
//! content security policy (`site/pages/`). In a browser all its pages are held to axe's rules and to their window's width
//! (`tests/tests/browser/books.rs`).

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files of the book that are written, by their names, and the README, which shows commands as well.
fn texts() -> Vec<(String, String)> {
    fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("the book's folder") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                collect(&path, into);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                into.push(path);
            }
        }
    }
    let mut files = vec![root().join("README.md")];
    collect(&root().join("book/src"), &mut files);
    files.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("it is text");
        (path.strip_prefix(root()).expect("it is in the repository").display().to_string(), text)
    };
    files.into_iter().map(read).collect()
}

/// The blocks of a text whose fence is followed by a word, with the number of the line behind the fence.
fn blocks<'a>(text: &'a str, word: &str) -> Vec<(usize, Vec<&'a str>)> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(kind) = line.trim_start().strip_prefix("```").filter(|_| !line.trim().is_empty()) {
            let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```").collect();
            if kind == word {
                found.push((number + 2, inside));
            }
        }
    }
    found
}

/// The commands of a transcript with what they are said to print.
fn commands(lines: &[&str]) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for line in lines {
        if let Some(command) = line.strip_prefix("$ ") {
            found.push((command.to_owned(), Vec::new()));
        } else if let Some((command, said)) = found.last_mut() {
            match line.strip_prefix("> ").or(line.strip_prefix(">").filter(|rest| rest.is_empty())) {
                Some(more) if said.is_empty() => {
                    let _ = write!(command, "\n{more}");
                }
                _ => said.push((*line).to_owned()),
            }
        }
    }
    found
}

/// Whether a line is the one that was written, in which `…` stands for anything.
fn same_line(written: &str, line: &str) -> bool {
    let mut pieces = written.split('…');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

/// Whether lines are those that were written, in which `...` stands for any.
fn same(written: &[&str], lines: &[&str]) -> bool {
    match written {
        [] => lines.is_empty(),
        ["...", rest @ ..] => (0..=lines.len()).any(|from| same(rest, &lines[from..])),
        [first, rest @ ..] => {
            lines.split_first().is_some_and(|(line, lines)| same_line(first, line) && same(rest, lines))
        }
    }
}

#[test]
fn transcripts_are_compared_as_they_say() {
    assert!(same(&["a", "...", "d"], &["a", "b", "c", "d"]) && same(&["a", "...", "b"], &["a", "b"]));
    assert!(!same(&["a", "..."], &["b"]) && !same(&["a"], &["a", "b"]) && !same(&["a", "b"], &["a"]));
    assert!(same_line("took … s, … MB", "took 0.1 s, 4 MB") && !same_line("took … s", "took 0.1 ms"));
    assert!(same_line("a…", "abc") && !same_line("ab…bc", "abc") && !same_line("abc", "abcd"));
    let transcript = ["$ cat <<E", "> x", ">", "> E", "x", "", "$ true"];
    let expected =
        [("cat <<E\nx\n\nE".to_owned(), vec!["x".to_owned(), String::new()]), ("true".to_owned(), Vec::new())];
    assert_eq!(commands(&transcript), expected);
}

#[test]
fn commands_print_what_the_book_says() {
    let program = Path::new(env!("CARGO_BIN_EXE_litmoscope"));
    let path = std::env::var("PATH").expect("there is a PATH");
    let path = format!("{}:{path}", program.parent().expect("it is in a folder").display());
    let (mut wrong, mut tried) = (String::new(), 0);
    for (name, text) in texts() {
        for (line, block) in blocks(&text, "console") {
            let commands = commands(&block);
            assert!(!commands.is_empty(), "{name}:{line}: a transcript without a command, which begins with `$ `");
            for (command, said) in commands {
                tried += 1;
                let run = Command::new("sh").args(["-c", &command]).current_dir(root()).env("PATH", &path).output();
                let run = run.expect("there is a shell");
                let printed =
                    [run.stdout, run.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
                let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
                let said: Vec<&str> = said.iter().map(|line| line.trim_end()).collect();
                // Between two commands a line may be free.
                let until = |lines: &[&str]| lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
                if !same(&said[..until(&said)], &lines[..until(&lines)]) {
                    let _ = writeln!(
                        wrong,
                        "{name}:{line}: $ {command}\nthe book:\n{}\nthe command:\n{printed}",
                        said.join("\n")
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(tried > 30, "only {tried} commands");
}

/// Files that the book and the other documents send their readers to.
#[test]
fn files_that_documents_name_are_there() {
    const ENDINGS: [&str; 10] = [".rs", ".md", ".json", ".toml", ".sh", ".js", ".mjs", ".css", ".lit", ".tsv"];
    let mut missing = String::new();
    let mut documents = texts();
    let name = "CONTRIBUTING.md";
    documents.push((name.to_owned(), fs::read_to_string(root().join(name)).expect("it is there")));
    for (name, text) in documents {
        // Whole paths alone: what has a folder of the repository in front.
        for code in text.split('`').skip(1).step_by(2) {
            let path = code.split([':', '#']).next().unwrap_or(code);
            let whole = ["app/", "book/", "engine/", "fuzz/", "public/", "scripts/", "site/", "styles/", "tests/"];
            let plain = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+".contains(&byte));
            if plain
                && whole.iter().any(|folder| path.starts_with(folder))
                && ENDINGS.iter().any(|ending| path.ends_with(ending))
                && !root().join(path).exists()
            {
                let _ = writeln!(missing, "{name}: {path}");
            }
        }
    }
    assert!(missing.is_empty(), "{missing}");
}
