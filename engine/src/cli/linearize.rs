//! `litmoscope linearize`

use super::input::{Input, read_text};
use super::objects::{objects, worse};
use super::save::replace;
use super::{Failure, budget, complain, detail, print, print_json, tell};
use crate::Linearize;
use litmoscope::budget::{Budget, Paused};
use litmoscope::document::{HISTORY, Kind, PROGRAM};
use litmoscope::histories::report::{
    HistoryDrawing, HistoryJson, HistoryReport, MAX_DRAWN, Printed, history_svg, witness_text,
};
use litmoscope::histories::{
    Answer, History, Judgement, Minimal, Monitor, Object, ReadOptions, Recording, begins_history, judge, minimise,
    parse_history, parse_history_as,
};
use litmoscope::program::Limits;
use litmoscope::syntax::{self, Diagnostic};

/// How long a recording may be, in bytes: much longer than a program.
const MAX_TEXT: usize = u32::MAX as usize;

pub fn linearize(task: &Linearize) -> Result<u8, Failure> {
    let (path, text) = read_text(&task.file, MAX_TEXT)?;
    if is_program(task, &text) {
        return objects(task, &Input::of(&task.file, path, text));
    }
    if let Some(option) = for_programs(task) {
        return Err(Failure(format!(
            "{option} is for programs with an object, and {path} is a recording: leave it out; --monitor says what \
             judges a recording"
        )));
    }
    let options = ReadOptions {
        map: task.map.clone(),
        object: task.object,
        fail_is_empty: task.fail_is_empty,
        ..ReadOptions::default()
    };
    let parsed = match task.format {
        Some(format) => parse_history_as(format, &text, &options),
        None => parse_history(&text, &options),
    };
    let show = |diagnostics: &[Diagnostic]| tell(&syntax::render(&text, &path, diagnostics));
    let (Recording { histories }, notes) = match parsed {
        Ok(read) => read,
        Err(wrong) => {
            show(&wrong);
            return Ok(2);
        }
    };
    show(&notes);
    // The largest part of what there is to hold.
    drop(text);
    let mut budget = budget(task.timeout)?;
    let (mut status, mut witnesses, mut drawn) = (0, String::new(), Vec::new());
    for (place, history) in histories.iter().enumerate() {
        let Some(object) = task.object.or(history.object) else {
            return Err(Failure(format!(
                "{path} does not say what its object is: say it, for example with --object \
                                        queue"
            )));
        };
        let name = name(&path, history, place, histories.len());
        let judged = Judged::new(task, history, object, &mut budget);
        let report = judged.report(&name, history, object);
        if let (Some(Answer::Linearizable(linearization)), Some(_)) = (judged.answer(), &task.witness) {
            witnesses += &witness_text(history, object, linearization);
        }
        if task.json {
            print_json(&HistoryJson::new(&report, detail(task.explain)))?;
        } else {
            print(&report.text(detail(task.explain)))?;
        }
        let own = match report.verdict() {
            "not_linearizable" => 1,
            "unknown" => 3,
            _ => 0,
        };
        status = worse(status, own);
        if task.svg.is_some() {
            drawn.push((history, object, name, judged));
        }
    }
    if let Some(file) = &task.svg {
        replace(file, draw(&drawn)?.as_bytes())?;
    }
    if let Some(file) = &task.witness {
        replace(file, witnesses.as_bytes())?;
    }
    Ok(status)
}

/// Histories as SVG, each with its linearization, or with the few operations that contradict each other, which are drawn alone where the
/// whole is too long.
fn draw(judged: &[(&History, Object, String, Judged)]) -> Result<String, Failure> {
    let mut wrong = Vec::new();
    for (.., judged) in judged {
        let mut operations = judged.minimal.as_ref().map_or_else(Vec::new, |minimal| minimal.operations.clone());
        operations.sort_unstable();
        wrong.push(operations);
    }
    let mut drawings = Vec::new();
    for ((history, object, name, judged), wrong) in judged.iter().zip(&wrong) {
        let linearization = match judged.answer() {
            Some(Answer::Linearizable(linearization)) => Some(linearization),
            _ => None,
        };
        let whole = HistoryDrawing { title: name, history, object: *object, linearization, wrong, has_times: true };
        let few = judged.minimal.as_ref().map(|minimal| HistoryDrawing {
            title: "These operations contradict each other",
            history: &minimal.history,
            linearization: None,
            wrong: &[],
            has_times: false,
            ..whole
        });
        let is_small = |drawing: &HistoryDrawing<'_>| drawing.history.operations.len() <= MAX_DRAWN;
        let before = drawings.len();
        drawings.extend([Some(whole), few].into_iter().flatten().filter(is_small));
        if drawings.len() == before {
            complain(&format!("{name} is not drawn: it has more than {MAX_DRAWN} operations"));
        }
    }
    if drawings.is_empty() {
        return Err(Failure(format!(
            "there is nothing to draw: histories of at most {MAX_DRAWN} operations are drawn"
        )));
    }
    Ok(history_svg(&drawings))
}

/// Whether a text is a program rather than a recording: by its file's ending, or because its first line is none of a recording's and it can
/// be read as a program, or declares an object.
fn is_program(task: &Linearize, text: &str) -> bool {
    let ending = task.file.extension().map(|ending| ending.to_string_lossy().into_owned());
    let kind = ending.as_deref().and_then(Kind::of_ending).filter(|_| task.file.as_os_str() != "-");
    if task.format.is_some() && kind.is_none_or(|kind| kind.subject() != &PROGRAM) {
        return false;
    }
    match kind {
        Some(kind) if kind.subject() == &PROGRAM => true,
        Some(kind) if kind.subject() == &HISTORY => false,
        _ if begins_history(text) => false,
        _ => text.lines().any(|line| line.starts_with("object ")) || syntax::parse(text).is_ok(),
    }
}

/// The options that only programs have, if one is given.
fn for_programs(task: &Linearize) -> Option<&'static str> {
    [
        (task.clients.is_some(), "--clients"),
        (task.order.is_some(), "--order"),
        (task.model.is_some(), "--model"),
        (task.unroll.is_some(), "--unroll"),
        (task.unroll_spins, "--unroll-spins"),
        (task.threads.is_some(), "--threads"),
    ]
    .into_iter()
    .find_map(|(given, option)| given.then_some(option))
}

/// What is found out about a history, and, unless that is not wanted, the few operations that contradict each other if some do, or that the
/// search for them was stopped.
pub fn judge_and_minimise(
    task: &Linearize,
    history: &History,
    object: Object,
    budget: &mut Budget,
) -> (Option<Judgement>, Result<Option<Minimal>, Paused>) {
    let limit = task.search_limit.unwrap_or(Limits::default().search);
    let monitor = task.monitor.unwrap_or(Monitor::Auto);
    let judgement = judge(history, object, monitor, limit, budget).ok();
    let is_not = judgement.as_ref().is_some_and(|judgement| matches!(judgement.answer, Answer::Not(_)));
    if !is_not || task.no_minimise {
        return (judgement, Ok(None));
    }
    let again = |history: &History, budget: &mut Budget| Ok(judge(history, object, monitor, limit, budget)?.answer);
    (judgement, minimise(history, &again, budget))
}

/// What was found out about a history.
struct Judged {
    judgement: Option<Judgement>,
    minimal: Option<Minimal>,
    is_minimal_stopped: bool,
    printed: Option<Printed>,
}

impl Judged {
    fn new(task: &Linearize, history: &History, object: Object, budget: &mut Budget) -> Self {
        let (judgement, minimal) = judge_and_minimise(task, history, object, budget);
        let is_minimal_stopped = minimal.is_err();
        let minimal = minimal.ok().flatten();
        let printed = task.as_printed.then(|| Printed::of(history, object)).flatten();
        Self { judgement, minimal, is_minimal_stopped, printed }
    }

    fn answer(&self) -> Option<&Answer> {
        self.judgement.as_ref().map(|judgement| &judgement.answer)
    }

    fn report<'a>(&'a self, name: &'a str, history: &'a History, object: Object) -> HistoryReport<'a> {
        let Self { judgement, minimal, is_minimal_stopped, printed } = self;
        HistoryReport {
            name,
            history,
            object,
            judgement: judgement.as_ref(),
            minimal: minimal.as_ref(),
            is_minimal_stopped: *is_minimal_stopped,
            printed: *printed,
        }
    }
}

/// What to call a history: its object, or else its file.
fn name(path: &str, history: &History, place: usize, all: usize) -> String {
    match (&history.name[..], all) {
        ("", 1) => path.to_owned(),
        ("", _) => format!("{path}, history {}", place + 1),
        (name, _) => name.to_owned(),
    }
}
