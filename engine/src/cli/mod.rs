//! What the commands do. Each returns the exit status.
//!
//! Commands drive walks and results directly, without a session, so there is no tree. `explore` keeps a copy of the first graph
//! that is wrong, or else of the first that decides the condition, to draw at the end. A link needs no session either: it is the
//! settings and a number of steps. Reports that the page could show as well (the table, JSON, sentences on errors and
//! conditions) are in [`litmoscope::report`]; here are files, terminals and exit statuses.

mod atlas;
mod compare;
mod estimate;
mod explore;
pub mod fairness;
pub mod generate;
mod input;
mod linearize;
mod memory;
mod objects;
pub mod parts;
mod plot;
mod progress;
pub mod protocol;
mod race;
pub mod repair;
pub mod run;
mod save;
pub mod schedule;
mod separate;
mod subject;
mod trace;
mod verify;
mod why_not;

pub use atlas::atlas;
pub use compare::compare;
pub use estimate::estimate;
pub use explore::explore;
pub use input::refuse_warnings;
pub use linearize::linearize;
pub use memory::{Frugal, is_exhausted};
pub use race::race;
pub use separate::separate;
pub use subject::Choice;
pub use verify::verify;
pub use why_not::why_not;

use crate::Check;
use input::{Input, Messages};
use litmoscope::budget::{Budget, LOOK, Stop};
use litmoscope::explore::Algorithm;
use litmoscope::histories::executions::Sight;
use litmoscope::histories::{Format, Monitor, Object};
use litmoscope::model::{Model, UnknownModel, Usual};
use litmoscope::program::{Code, Notation};
use litmoscope::report::Detail;
use litmoscope::run::Interruption;
use litmoscope::syntax::Diagnostic;
use litmoscope::traces::Mailbox;
use litmoscope::words;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bad input or usage, or an output that can't be written: one sentence for the user.
pub struct Failure(pub String);

/// Prints to standard error, or nowhere if that is closed.
pub fn complain(message: &str) {
    tell(&format!("litmoscope: {}\n", message.trim_end()));
}

/// Says so if the system had fewer threads than were wanted.
fn complain_of_threads(started: usize, wanted: usize) {
    if started < wanted {
        let started = words::count(started.max(1) as u64, "thread");
        complain(&format!("the system has no more threads: {started} of {wanted} can be used"));
    }
}

/// Prints a text to standard error, or nowhere if that is closed.
fn tell(text: &str) {
    let _ = io::stderr().write_all(words::harmless(text).as_bytes());
}

/// Whether standard output was closed when the program began.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Rust opens /dev/null in the place of a closed standard output, before `main`. Then the two can't be told apart.
#[cfg(unix)]
#[ctor::ctor(unsafe)]
fn look_at_standard_output() {
    let closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
    IS_CLOSED.store(closed, Ordering::Relaxed);
}

fn refuse_closed() -> Result<(), Failure> {
    if IS_CLOSED.load(Ordering::Relaxed) {
        return Err(Failure("cannot write to standard output: it is closed".to_owned()));
    }
    Ok(())
}

/// Prints to standard output. A reader that has gone, such as `head`, is no failure. Who interrupts meanwhile does not wait for the rest.
fn print(text: &str) -> Result<(), Failure> {
    /// How many bytes are printed between two looks.
    const PIECE: usize = 1 << 16;
    refuse_closed()?;
    let text = words::harmless(text);
    let was_told = memory::is_told();
    let mut out = io::stdout().lock();
    for piece in text.as_bytes().chunks(PIECE) {
        if !was_told && memory::is_told() {
            return Err(Failure("interrupted: what is printed is not all".to_owned()));
        }
        match out.write_all(piece).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                return Err(Failure(format!("cannot write to standard output: {error}")));
            }
            Err(_) => return Ok(()),
            Ok(()) => {}
        }
    }
    Ok(())
}

/// Prints an object as JSON, on a line of its own. What could drive a terminal is written as JSON escapes it.
fn print_json(object: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(object).map_err(|error| Failure(format!("cannot write JSON: {error}")))?;
    let mut line = String::with_capacity(text.len() + 1);
    for sign in text.chars() {
        if words::is_harmful(sign) {
            let _ = write!(line, "\\u{:04x}", u32::from(sign));
        } else {
            line.push(sign);
        }
    }
    print(&(line + "\n"))
}

/// What `--explain` asks for.
fn detail(explain: bool) -> Detail {
    if explain { Detail::Full } else { Detail::Brief }
}

/// A duration in seconds, with a fraction or without.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    // What a clock can't reach is no bound.
    duration
        .filter(|&duration| std::time::Instant::now().checked_add(duration).is_some())
        .ok_or_else(|| "it has to be a number of seconds above 0, such as 90 or 0.5".to_owned())
}

/// A model for all tests, or `x86=tso` for those in a notation.
pub fn model(text: &str) -> Result<(&'static [Notation], Model), String> {
    let (notations, name) = match text.split_once('=') {
        None => (&[][..], text),
        Some((notation, name)) => {
            let known = Usual::NAMES.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(notation.trim()));
            let names = words::list(Usual::NAMES.iter().map(|(name, _)| *name));
            (known.ok_or_else(|| format!("there is no notation `{notation}`; the notations are {names}"))?.1, name)
        }
    };
    let model = name.parse().map_err(|error: UnknownModel| error.to_string())?;
    Ok((notations, model))
}

/// A number of bytes: `8M`.
pub fn bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 10),
        Some((at, 'M')) => (&text[..at], 20),
        Some((at, 'G')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| "it has to be a number of bytes, such as 500000, 64M or 1G".to_owned())
}

/// A parameter's name and number.
pub fn parameter(text: &str) -> Result<(String, u32), String> {
    let parameter = text.split_once('=').and_then(|(name, number)| Some((name.to_owned(), number.parse().ok()?)));
    parameter.ok_or_else(|| format!("it has to be a name and a number from 0 to {}, such as runs=10000", u32::MAX))
}

/// A kind of mailbox.
pub fn mailbox(text: &str) -> Result<Mailbox, String> {
    let found = Mailbox::ALL.into_iter().find(|mailbox| mailbox.keyword() == text);
    found.ok_or_else(|| "it has to be queue or multiset".to_owned())
}

/// A kind of object.
pub fn object(text: &str) -> Result<Object, String> {
    named(text, &Object::ALL, Object::name)
}

/// A monitor.
pub fn monitor(text: &str) -> Result<Monitor, String> {
    named(text, &Monitor::ALL, Monitor::name)
}

/// What counts as an order.
pub fn sight(text: &str) -> Result<Sight, String> {
    named(text, &Sight::ALL, Sight::name)
}

/// How large clients may be: `3x4`.
pub fn clients(text: &str) -> Result<(usize, usize), String> {
    const MOST: usize = 64;
    let size = text.split_once('x').and_then(|(threads, calls)| Some((threads.parse().ok()?, calls.parse().ok()?)));
    let size = size.filter(|&(threads, calls): &(usize, usize)| threads.min(calls) > 0 && threads.max(calls) <= MOST);
    size.ok_or_else(|| {
        format!("it has to be the most threads and the most operations in total, up to {MOST}, such as 3x4")
    })
}

/// A format of histories.
pub fn format(text: &str) -> Result<Format, String> {
    named(text, &Format::ALL, Format::name)
}

fn named<T: Copy>(text: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T, String> {
    all.iter().copied().find(|&one| name(one) == text).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&one| name(one)).collect();
        format!("it has to be one of {}", words::list(names))
    })
}

/// What a name of an operation means: `deq=remove`.
pub fn renaming(text: &str) -> Result<(String, String), String> {
    let names = text.split_once('=').filter(|(from, to)| !from.is_empty() && !to.is_empty());
    let names = names.map(|(from, to)| (from.to_owned(), to.to_owned()));
    names.ok_or_else(|| "it has to be two names, such as deq=remove".to_owned())
}

/// What is told when somebody interrupts, or when there is no more memory; who interrupts a second time ends all at once.
fn on_interrupt() -> Result<Stop, Failure> {
    let stop = Stop::default();
    let told = stop.clone();
    let handler = move || {
        // Whoever asks twice does not want to wait for the results.
        if told.is_told() {
            std::process::exit(130);
        }
        told.tell();
    };
    ctrlc::set_handler(handler).map_err(|error| Failure(format!("cannot listen for signals: {error}")))?;
    memory::prepare(&stop);
    Ok(stop)
}

/// What ends when somebody interrupts, and when this time is up.
fn budget(timeout: Option<Duration>) -> Result<Budget, Failure> {
    let budget = Budget::until(on_interrupt()?);
    // What a clock can't reach is no bound.
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    Ok(match deadline {
        Some(deadline) => budget.and_before(deadline),
        None => budget,
    })
}

/// Why what was told to end has to.
fn interruption() -> Interruption {
    if is_exhausted() { Interruption::Memory } else { Interruption::Signal }
}

/// Whether it is time to end: asked between parts of the work.
fn is_over(budget: &mut Budget) -> bool {
    budget.count(LOOK).is_err()
}

/// Prints help, the version, or what is wrong with the usage; the exit status.
pub fn usage(told: &clap::Error) -> u8 {
    if !told.use_stderr()
        && let Err(Failure(message)) = refuse_closed()
    {
        complain(&message);
        return 2;
    }
    match told.print().and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("cannot write to standard output: {error}"));
            2
        }
        _ => u8::try_from(told.exit_code()).unwrap_or(2),
    }
}

pub fn check(task: &Check) -> Result<u8, Failure> {
    let input = Input::read(&task.file)?;
    let wanted = if task.quiet { Messages::Errors } else { Messages::All };
    let Some(summary) = input.summary(wanted) else { return Ok(2) };
    if let Some(program) = &summary.program {
        if let Err(diagnostic) = Input::model(None, program) {
            input.show(&[diagnostic]);
            return Ok(2);
        }
        if let Err(error) = Code::compile(program)
            && !task.quiet
        {
            let help = "the program can be read, but not explored";
            input.show(&[Diagnostic::warning(error.to_string(), error.span()).with_help(help)]);
        }
    }
    print(&format!("{}: {}, {}\n", input.path(), input.kind().definition().title, summary.size))?;
    Ok(0)
}

pub fn models() -> Result<u8, Failure> {
    let mut out = String::new();
    for model in Model::ALL {
        entry(&mut out, model.name(), model.description());
    }
    print(&out)?;
    Ok(0)
}

pub fn algorithms() -> Result<u8, Failure> {
    let mut out = String::new();
    for algorithm in Algorithm::ALL {
        entry(&mut out, algorithm.name(), algorithm.description());
        for parameter in algorithm.definition().parameters {
            let usual = parameter.usual.map_or(String::new(), |usual| format!(" Usually {usual}."));
            entry(&mut out, &format!("  {}=N", parameter.name), &format!("{}{usual}", parameter.meaning));
        }
    }
    print(&out)?;
    Ok(0)
}

/// Prints what lets a shell complete the command line.
pub fn completions(command: &mut clap::Command, shell: clap_complete::Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, command, "litmoscope", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

/// Writes manual pages of the command line, `litmoscope.1` and one for each command, to a folder.
pub fn manual(command: clap::Command, folder: &Path) -> Result<u8, Failure> {
    let refuse = |error: io::Error| Failure(format!("cannot write manual pages to {}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(refuse)?;
    clap_mangen::generate_to(command, folder).map_err(refuse)?;
    Ok(0)
}

/// A name and, beside it, what it stands for, in lines of at most 80 characters.
fn entry(out: &mut String, name: &str, description: &str) {
    const INDENT: usize = 13;
    let _ = write!(out, "{name:INDENT$}");
    let mut column = INDENT;
    for word in description.split_whitespace() {
        let width = word.chars().count();
        if column > INDENT && column + 1 + width > 80 {
            let _ = write!(out, "\n{:INDENT$}", "");
            column = INDENT;
        } else if column > INDENT {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
}
