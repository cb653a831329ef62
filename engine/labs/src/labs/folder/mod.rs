//! Many tests at once: the files of a folder or an archive, what comes of each test, and how that differs from what was expected.
//!
//! [`Role`] says what a file is there for. A [`Collection`] takes files and archives ([`archive`]) and has the tests among them, each with
//! what stands beside it; [`Trial`] runs one; its [`Row`] is what the command line prints and the page shows.

pub mod archive;
mod row;
mod text;
mod trial;

pub use row::{Ran, Row, Status};
pub use text::{HEAD, cells, herd, json, junit, reason_lines, summary, table};
pub use trial::{Explain, How, Next, Setting, Trial, row};

use crate::report::{Logged, read_log};
use crate::syntax::MAX_SOURCE;
use archive::{ArchiveError, Bounds, Format};
use std::collections::BTreeMap;

/// How many bytes what a tool has printed may have, where it comes in a folder or an archive.
pub const MAX_LOG: usize = 1 << 24;

/// What a file is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is a test: `.lit` or `.litmus`.
    Test,
    /// It has what is expected of the test beside which it stands: `.expected`.
    Expected,
    /// It has what herd or litmus printed of many tests, which are found by their names: `.log`.
    Log,
}

impl Role {
    /// That of the file with this name; `None` if it is there for something else.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.rsplit('/').next().unwrap_or_default();
        // macOS puts such files beside others, with what it knows of them.
        if name.starts_with("._") {
            return None;
        }
        let (_, ending) = name.rsplit_once('.')?;
        let is = |known: &&str| ending.eq_ignore_ascii_case(known);
        match () {
            () if ["lit", "litmus"].iter().any(is) => Some(Self::Test),
            () if is(&"expected") => Some(Self::Expected),
            () if is(&"log") => Some(Self::Log),
            () => None,
        }
    }

    /// How many bytes such a file may have.
    pub const fn most(self) -> usize {
        match self {
            Self::Test => MAX_SOURCE,
            Self::Expected | Self::Log => MAX_LOG,
        }
    }
}

/// The names that the file with what is expected of a test may have; the first that is there counts.
pub fn expected_names(test: &str) -> [String; 2] {
    let start = test.rfind('/').map_or(0, |at| at + 1);
    let stem = test[start..].rfind('.').filter(|at| *at > 0).map_or(test, |at| &test[..start + at]);
    [format!("{test}.expected"), format!("{stem}.expected")]
}

/// A test, and what stands beside it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Test {
    /// What the file is called, with its folders.
    pub file: String,
    /// Its text, or why it can't be read.
    pub text: Result<String, String>,
    /// What is expected of it, if there is a file with that: its name; its text, or why that can't be read.
    pub expected: Option<(String, Result<String, String>)>,
}

/// What herd or litmus printed, by the names of the tests.
pub type Logs = BTreeMap<String, Logged>;

/// Adds what stands in a log.
pub fn add_log(logs: &mut Logs, text: &str) {
    logs.extend(read_log(text).into_iter().map(|one| (one.test.clone(), one)));
}

/// The text of a file, or why it is none.
fn decoded(content: Result<Vec<u8>, String>, most: usize) -> Result<String, String> {
    let bytes = content?;
    if bytes.len() > most {
        return Err(format!("it has more than {most} bytes"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|&&byte| byte == b'\n').count();
        format!("it is not UTF-8 text (line {line})")
    })
}

/// Files, of which those count that have a [`Role`].
#[derive(Clone, Debug, Default)]
pub struct Collection {
    files: BTreeMap<String, (Role, Result<String, String>)>,
    left_out: Vec<String>,
}

/// What a [`Collection`] has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The tests, in the order of their names.
    pub tests: Vec<Test>,
    /// What was printed of tests.
    pub logs: Logs,
    /// What was left out, and why: sentences.
    pub left_out: Vec<String>,
}

impl Collection {
    /// Takes a file, or says why it can't be read. Of files of one name, the last counts.
    pub fn add(&mut self, name: &str, content: Result<Vec<u8>, String>) {
        let Some(role) = Role::of(name) else { return };
        self.files.insert(name.to_owned(), (role, decoded(content, role.most())));
    }

    /// Takes the files of an archive.
    ///
    /// # Errors
    /// [`ArchiveError`]; nothing of it is taken then.
    pub fn add_archive(&mut self, name: &str, format: Format, bytes: &[u8]) -> Result<(), ArchiveError> {
        for file in archive::unpack(format, bytes, Bounds::default())? {
            let label = format!("{name}/{}", file.name);
            if let (false, Err(why)) = (file.is_file, &file.content) {
                self.left_out.push(format!("{label} was left out: {why}"));
            } else if Format::of(&file.name).is_some() {
                self.left_out.push(format!("{label} was left out: archives in archives are not opened"));
            } else {
                self.add(&label, file.content);
            }
        }
        Ok(())
    }

    /// The tests, each with what stands beside it.
    pub fn contents(mut self) -> Contents {
        let names: Vec<String> = self.of(Role::Test);
        let mut tests = Vec::with_capacity(names.len());
        for file in names {
            let Some((_, text)) = self.files.remove(&file) else { continue };
            let beside = expected_names(&file).into_iter().find(|name| self.files.contains_key(name));
            let expected = beside.and_then(|name| {
                let (_, text) = self.files.get(&name)?;
                Some((name, text.clone()))
            });
            tests.push(Test { file, text, expected });
        }
        let mut logs = Logs::new();
        for name in self.of(Role::Log) {
            match self.files.remove(&name) {
                Some((_, Ok(text))) => add_log(&mut logs, &text),
                Some((_, Err(why))) => self.left_out.push(format!("{name} was left out: {why}")),
                None => {}
            }
        }
        Contents { tests, logs, left_out: self.left_out }
    }

    fn of(&self, wanted: Role) -> Vec<String> {
        self.files.iter().filter(|(_, (role, _))| *role == wanted).map(|(name, _)| name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_files_are_for() {
        let roles = [
            ("a/SB.litmus", Some(Role::Test)),
            ("SB.LIT", Some(Role::Test)),
            ("SB.litmus.expected", Some(Role::Expected)),
            ("x86.log", Some(Role::Log)),
            ("a/._SB.litmus", None),
            ("litmus", None),
            ("a.litmus/readme", None),
            ("readme.txt", None),
        ];
        for (name, role) in roles {
            assert_eq!(Role::of(name), role, "{name}");
        }
        assert_eq!(expected_names("a.b/SB.litmus"), ["a.b/SB.litmus.expected", "a.b/SB.expected"]);
        assert_eq!(expected_names("a.b/.lit"), ["a.b/.lit.expected", "a.b/.lit.expected"]);
    }

    #[test]
    fn what_stands_beside_a_test_is_found() {
        let mut collection = Collection::default();
        let of = |text: &str| Ok(text.as_bytes().to_vec());
        collection.add("b/SB.litmus", of("test"));
        collection.add("b/SB.expected", of("beside"));
        collection.add("SB.expected", of("elsewhere"));
        collection.add("a.lit", Ok(vec![b'x', b'\n', 0xff]));
        collection.add("notes.txt", of("nothing"));
        collection.add("all.log", of("Test MP Allowed\nStates 0\nObservation MP Never 0 3\n"));
        collection.add("bad.log", Err("it can't be read".to_owned()));
        let Contents { tests, logs, left_out } = collection.contents();
        let not_text =
            Test { file: "a.lit".to_owned(), text: Err("it is not UTF-8 text (line 2)".to_owned()), expected: None };
        let beside = Some(("b/SB.expected".to_owned(), Ok("beside".to_owned())));
        let sb = Test { file: "b/SB.litmus".to_owned(), text: Ok("test".to_owned()), expected: beside };
        assert_eq!(tests, [not_text, sb]);
        assert_eq!(logs.keys().collect::<Vec<_>>(), ["MP"]);
        assert_eq!(left_out, ["bad.log was left out: it can't be read"]);
    }
}
