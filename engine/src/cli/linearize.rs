//! `litmoscope linearize`

use super::input::read_text;
use super::save::replace;
use super::{Failure, detail, on_interrupt, print};
use crate::Linearize;
use litmoscope::budget::Budget;
use litmoscope::labs::linearizability::{HistoryJson, HistoryReport, Printed, witness_text};
use litmoscope::linearizability::{
    Answer, History, Judgement, Minimal, Object, ReadOptions, Recording, judge, minimise, parse_history,
    parse_history_as,
};
use litmoscope::program::Limits;
use litmoscope::syntax::{self, Diagnostic};
use std::io::{self, Write};
use std::time::Instant;

/// How long a recording may be, in bytes: much longer than a program.
const MAX_TEXT: usize = u32::MAX as usize;

pub fn linearize(task: &Linearize) -> Result<u8, Failure> {
    let (path, text) = read_text(&task.file, MAX_TEXT)?;
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
    let show = |diagnostics: &[Diagnostic]| {
        let _ = io::stderr().write_all(syntax::render(&text, &path, diagnostics).as_bytes());
    };
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
    let mut budget = Budget::until(on_interrupt()?);
    if let Some(timeout) = task.timeout {
        budget = budget.and_before(Instant::now() + timeout);
    }
    let (mut status, mut witnesses) = (0, String::new());
    for (place, history) in histories.iter().enumerate() {
        let Some(object) = task.object.or(history.object) else {
            return Err(Failure(format!("{path} does not say what its object is: --object queue would, for example")));
        };
        let name = name(&path, history, place, histories.len());
        let judged = Judged::new(task, history, object, &mut budget);
        let report = judged.report(&name, history, object);
        if let (Some(Answer::Linearizable(linearization)), Some(_)) = (judged.answer(), &task.witness) {
            witnesses += &witness_text(history, object, linearization);
        }
        if task.json {
            let json = serde_json::to_string(&HistoryJson::from(&report));
            print(&format!("{}\n", json.map_err(|error| Failure(format!("cannot write JSON: {error}")))?))?;
        } else {
            print(&report.text(detail(task.explain)))?;
        }
        status = match (status, report.verdict()) {
            (1, _) | (_, "not_linearizable") => 1,
            (3, _) | (_, "unknown") => 3,
            _ => 0,
        };
    }
    if let Some(file) = &task.witness {
        replace(file, witnesses.as_bytes())?;
    }
    Ok(status)
}

/// What was found out about a history.
struct Judged {
    judgement: Option<Judgement>,
    minimal: Option<Minimal>,
    printed: Option<Printed>,
}

impl Judged {
    fn new(task: &Linearize, history: &History, object: Object, budget: &mut Budget) -> Self {
        let limit = task.search_limit.unwrap_or(Limits::default().search);
        let judgement = judge(history, object, task.monitor, limit, budget).ok();
        let is_not = judgement.as_ref().is_some_and(|judgement| matches!(judgement.answer, Answer::Not(_)));
        let minimal = (is_not && !task.no_minimise)
            .then(|| {
                let judge = |history: &History, budget: &mut Budget| {
                    Ok(judge(history, object, task.monitor, limit, budget)?.answer)
                };
                minimise(history, &judge, budget).ok().flatten()
            })
            .flatten();
        let printed = task.as_printed.then(|| Printed::of(history, object)).flatten();
        Self { judgement, minimal, printed }
    }

    fn answer(&self) -> Option<&Answer> {
        self.judgement.as_ref().map(|judgement| &judgement.answer)
    }

    fn report<'a>(&'a self, name: &'a str, history: &'a History, object: Object) -> HistoryReport<'a> {
        let Self { judgement, minimal, printed } = self;
        HistoryReport {
            name,
            history,
            object,
            judgement: judgement.as_ref(),
            minimal: minimal.as_ref(),
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
