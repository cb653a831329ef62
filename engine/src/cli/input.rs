//! Reading files: programs, and whatever else there is a kind for.

use super::{Failure, tell};
use litmoscope::document::{self, Kind, PROGRAM, Subject, Summary};
use litmoscope::model::{Model, Usual};
use litmoscope::program::{Code, Program, Span};
use litmoscope::syntax::{self, Diagnostic, MAX_SOURCE, Parsed, Severity};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Which messages on a program to print.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Messages {
    /// Errors only.
    Errors,
    /// All, notes in a line each.
    ShortNotes,
    /// All, with the place in the text.
    All,
}

/// What messages call a file, and what is in it, or in standard input for `-`: at most so many bytes.
pub fn read_bytes(path: &Path, most: usize) -> Result<(String, Vec<u8>), Failure> {
    let standard_input = path.as_os_str() == "-";
    let name = if standard_input { "standard input".to_owned() } else { path.display().to_string() };
    let refuse = |why: String| Failure(format!("cannot read {name}: {why}"));
    // One byte more than is allowed: a device that never ends must not fill the memory.
    let limit = most as u64 + 1;
    let mut bytes = Vec::new();
    let read = if standard_input {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    read.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => refuse("there is no such file".to_owned()),
        io::ErrorKind::IsADirectory => refuse("it is a directory".to_owned()),
        _ => refuse(error.to_string()),
    })?;
    if bytes.len() > most {
        return Err(refuse(format!("it has more than {most} bytes")));
    }
    Ok((name, bytes))
}

/// The same of a text.
pub fn read_text(path: &Path, most: usize) -> Result<(String, String), Failure> {
    let (name, bytes) = read_bytes(path, most)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|&&byte| byte == b'\n').count();
        Failure(format!("cannot read {name}: it is not UTF-8 text (line {line})"))
    })?;
    Ok((name, text))
}

/// A text and where it comes from.
pub struct Input {
    /// What messages call the file.
    path: String,
    /// The file's name without its ending; empty for standard input.
    stem: String,
    /// The kind of text that it is, by the file's ending or else by its first line.
    kind: Kind,
    pub text: String,
}

/// Whether warnings are errors: said once, for all that is read.
static STRICT: OnceLock<()> = OnceLock::new();

/// Takes warnings about programs' texts for errors from now on.
pub fn refuse_warnings() {
    let _ = STRICT.set(());
}

/// Whether that is so.
pub fn is_strict() -> bool {
    STRICT.get().is_some()
}

/// What was read, unless warnings are errors and there are some.
fn strictly<T>(read: T, notes: fn(&T) -> &[Diagnostic]) -> Result<T, Vec<Diagnostic>> {
    let is_warning = |note: &&Diagnostic| note.severity == Severity::Warning && is_strict();
    let as_error = |note: &Diagnostic| Diagnostic { severity: Severity::Error, ..note.clone() };
    let wrong: Vec<Diagnostic> = notes(&read).iter().filter(is_warning).map(as_error).collect();
    if wrong.is_empty() { Ok(read) } else { Err(wrong) }
}

impl Input {
    /// Reads a file, or standard input for `-`.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let (name, text) = read_text(path, MAX_SOURCE)?;
        Ok(Self::of(path, name, text))
    }

    /// A text that was read from a file, or from standard input for `-`, and what messages call that.
    pub fn of(path: &Path, name: String, text: String) -> Self {
        let standard_input = path.as_os_str() == "-";
        let ending = path.extension().filter(|_| !standard_input);
        let kind = ending.and_then(|ending| Kind::of_ending(&ending.to_string_lossy()));
        let kind = kind.unwrap_or_else(|| Kind::of(&text));
        let stem = path.file_stem().filter(|_| !standard_input);
        let stem = stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        Self { path: name, stem, kind, text }
    }

    /// The program, or what is wrong with it.
    pub fn parsed(&self) -> Result<Parsed, Vec<Diagnostic>> {
        let parsed = match self.kind.definition().notation {
            Some(notation) => syntax::parse_as(notation, &self.text),
            None => syntax::parse(&self.text),
        };
        parsed.and_then(|parsed| strictly(parsed, |parsed| &parsed.notes))
    }

    /// The program, or `None` if the text is none. Prints what is wrong and as much of the rest as is wanted.
    pub fn parse(&self, wanted: Messages) -> Option<Parsed> {
        match self.parsed() {
            Ok(parsed) => {
                self.show_wanted(&parsed.notes, wanted);
                Some(parsed)
            }
            Err(wrong) => {
                self.refuse(&PROGRAM, &wrong);
                None
            }
        }
    }

    /// What the text is, of whatever kind, or `None` if it can't be read. Prints what is wrong and as much of the rest as is
    /// wanted.
    pub fn summary(&self, wanted: Messages) -> Option<Summary> {
        match self.kind.read(&self.text).and_then(|summary| strictly(summary, |summary| &summary.notes)) {
            Ok(summary) => {
                self.show_wanted(&summary.notes, wanted);
                Some(summary)
            }
            Err(wrong) => {
                self.refuse(self.kind.subject(), &wrong);
                None
            }
        }
    }

    /// Prints what is wrong with a text that should have been about something; where it is about something else, that alone.
    pub fn refuse(&self, wanted: &Subject, wrong: &[Diagnostic]) {
        match document::mismatch(&self.text, wanted) {
            Some(mismatch) => self.show(&[mismatch]),
            None => self.show(wrong),
        }
    }

    /// The kind of text that it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Prints those messages that are wanted.
    pub fn show_wanted(&self, messages: &[Diagnostic], wanted: Messages) {
        let (short, long): (Vec<_>, Vec<_>) = messages
            .iter()
            .filter(|message| wanted != Messages::Errors || message.severity == Severity::Error)
            .cloned()
            .partition(|message| wanted == Messages::ShortNotes && message.severity == Severity::Note);
        for Diagnostic { message, span, .. } in short {
            tell(&format!("{}:{}:{}: note: {message}\n", self.path, span.line, span.column));
        }
        self.show(&long);
    }

    /// The model to explore a program under: the chosen one, or else the one that it names, or else that of its notation, which
    /// a note says.
    ///
    /// # Errors
    /// A message at its place if there is no model of the name.
    pub fn model(chosen: Option<Model>, program: &Program) -> Result<(Model, Option<Diagnostic>), Diagnostic> {
        if let Some(model) = chosen {
            return Ok((model, None));
        }
        let (model, because) = Usual::default().model(program)?;
        let note = |text| {
            Diagnostic::note(format!("the model is {text}"), Span { line: 1, column: 1, ..Span::default() })
                .with_help("`--model` chooses another one")
        };
        Ok((model, because.text(model, program.notation).map(note)))
    }

    /// The program's code, or `None`, having said so, if it can't be explored.
    pub fn compile(&self, program: &Program) -> Option<Arc<Code>> {
        match Code::compile(program) {
            Ok(code) => Some(Arc::new(code)),
            Err(error) => {
                self.show(&[Diagnostic::error(error.to_string(), error.span())]);
                None
            }
        }
    }

    /// What to call what the text names so, or does not name.
    pub fn title<'a>(&'a self, name: Option<&'a str>) -> &'a str {
        name.unwrap_or(if self.stem.is_empty() { "the trace" } else { &self.stem })
    }

    /// What to call the program.
    pub fn name<'a>(&'a self, program: &'a Program) -> &'a str {
        if program.name.is_empty() { &self.stem } else { &program.name }
    }

    /// What messages call the file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Prints messages on the text to standard error, or nowhere if that is closed.
    pub fn show(&self, diagnostics: &[Diagnostic]) {
        tell(&syntax::render(&self.text, &self.path, diagnostics));
    }
}
