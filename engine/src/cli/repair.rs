//! `litmoscope repair`, `litmoscope relax`

use super::input::{Input, Messages};
use super::progress::{Progress, Wanted as Wanting};
use super::{Failure, budget, print, print_json, tell};
use crate::{Relax, Repair, RepairHow};
use litmoscope::budget::Budget;
use litmoscope::compare::OutcomeQuestion;
use litmoscope::document::no_handlers;
use litmoscope::explore::Counts;
use litmoscope::model::Model;
use litmoscope::program::Program;
use litmoscope::repair::{
    Aim, Bounds, Costs, Goal, Kept, RepairJson, RepairReport, Search, Start, Subject, TABLES, Wanted, repair_text,
};
use litmoscope::words::{count, grouped};
use std::collections::BTreeSet;
use std::thread;

/// How large a table of costs may be, in bytes.
const MOST_BYTES: usize = 1 << 20;

/// What is not to be changed: `5`, `5..7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines(u32, u32);

/// Reads lines.
///
/// # Errors
/// What is wrong with them.
pub fn lines(text: &str) -> Result<Lines, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|line| *line > 0);
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(Lines(first, last)),
        (Some(first), Some(last)) => Err(format!("the lines end before they begin: write {last}..{first}")),
        _ => Err("lines are numbers from 1 on: 5, or 5..7".to_owned()),
    }
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Means {
    /// Fences.
    Fences,
    /// Modes of accesses.
    Modes,
    /// Exchanges instead of writes.
    Exchanges,
}

fn kept(how: &RepairHow) -> Kept {
    let lacks = |means: Means| !how.only.is_empty() && !how.only.contains(&means);
    Kept {
        lines: how.keep.iter().map(|Lines(first, last)| (*first, *last)).collect(),
        fences: lacks(Means::Fences),
        modes: lacks(Means::Modes),
        exchanges: lacks(Means::Exchanges),
    }
}

fn costs(how: &RepairHow) -> Result<Costs, Failure> {
    let Some(given) = &how.costs else { return Ok(Costs::default()) };
    if let Some(costs) = given.to_str().and_then(Costs::named) {
        return Ok(costs);
    }
    let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
    let (path, text) = super::input::read_text(given, MOST_BYTES)
        .map_err(|Failure(why)| Failure(format!("{why}; the tables that come with it are {}", names.join(", "))))?;
    Costs::from_json(&text).map_err(|wrong| match wrong.line {
        0 => Failure(format!("{path}: {wrong}")),
        line => Failure(format!("{path}:{line}:{}: {wrong}", wrong.column)),
    })
}

/// A program that was read, with what it is asked under.
struct Asked {
    input: Input,
    program: Program,
    model: Model,
}

fn asked(how: &RepairHow, what: &str) -> Result<Option<Asked>, Failure> {
    let input = Input::read(&how.file)?;
    let Some(parsed) = input.parse(Messages::Errors) else { return Ok(None) };
    let program = parsed.program;
    let model = match Input::model(how.model, &program) {
        Ok((model, note)) => {
            input.show_wanted(note.as_slice(), Messages::ShortNotes);
            model
        }
        Err(diagnostic) => {
            input.show(&[diagnostic]);
            return Ok(None);
        }
    };
    if let Some(refused) = no_handlers(&program, what) {
        input.show(&[refused]);
        return Ok(None);
    }
    if program.is_beyond_events() {
        let why = "inputs, `assuming`, `random`, `atomic` and declared ranges are explored by algorithms with co alone";
        return Err(Failure(format!("{what} does without them: {why}")));
    }
    if input.compile(&program).is_none() {
        return Ok(None);
    }
    Ok(Some(Asked { input, program, model }))
}

fn carry_out(how: &RepairHow, asked: &Asked, aim: Aim, goal: Goal, budget: &mut Budget) -> Result<u8, Failure> {
    let subject = Subject::new(asked.program.clone(), asked.model, aim, kept(how));
    let threads = how.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), |n| n as usize);
    let usual = Bounds::default();
    let bounds = Bounds { steps: how.steps.unwrap_or(usual.steps), ahead: Bounds::AHEAD, threads, ..usual };
    if subject.sites.len() > bounds.sites {
        let (sites, most) = (subject.sites.len(), bounds.sites);
        return Err(Failure(format!(
            "the program has {sites} places where something could change, more than {most}: leave some out with --keep or --only"
        )));
    }
    let Some(mut search) = Search::new(subject, goal, how.how.options(), costs(how)?, bounds) else { return Ok(2) };
    let mut stopped = false;
    let wanted = if how.json { Wanting::Nowhere } else { Wanting::OnTerminals };
    let mut progress = Progress::new(wanted, Counts::default());
    loop {
        if progress.is_due() {
            let (found, explored) = (search.found().len() as u64, search.effort().explored);
            progress.say(&format!("{} so far; {} explored", grouped(found), count(explored, "program")));
        }
        match search.advance(budget) {
            Ok(true) => {}
            Ok(false) => break,
            Err(_) => {
                stopped = true;
                break;
            }
        }
    }
    progress.finish();
    let mut needed = Vec::new();
    if aim == Aim::Weaken && !stopped && search.start() == Some(Start::Bad) && search.stays().is_none() {
        match search.needed(budget) {
            Ok(found) => needed = found,
            Err(_) => stopped = true,
        }
    }
    let name = asked.input.name(&asked.program);
    let report = RepairReport { name, source: &asked.input.text, search: &search, stopped, needed: &needed };
    if how.json {
        print_json(&RepairJson::from(&report))?;
    } else {
        print(&repair_text(&report, how.most, how.explain))?;
        if stopped {
            tell("note: it was stopped: what is printed is what was known by then\n");
        }
    }
    Ok(match search.start() {
        None | Some(Start::Unknown) => 3,
        _ if report.is_open() || report.is_bounded() => 3,
        Some(Start::Good { .. }) => 0,
        Some(Start::Bad) => u8::from(search.found().is_empty()),
    })
}

pub fn repair(task: &Repair) -> Result<u8, Failure> {
    let Some(asked) = asked(&task.how, "`repair`")? else { return Ok(2) };
    let goal = match &task.forbid {
        Some(text) => {
            let question = OutcomeQuestion::parse(&asked.program, text).map_err(|error| {
                let place = text.get(..error.at).map_or(0, |before| before.chars().count()) + 1;
                Failure(format!("the outcome, character {place}: {error}"))
            })?;
            Goal::without(&question)
        }
        None => Goal::of(&asked.program),
    };
    let races = goal.errors;
    carry_out(&task.how, &asked, Aim::Strengthen { races }, goal, &mut budget(task.how.timeout)?)
}

pub fn relax(task: &Relax) -> Result<u8, Failure> {
    let Some(asked) = asked(&task.how, "`relax`")? else { return Ok(2) };
    let mut budget = budget(task.how.timeout)?;
    let goal = if task.same_outcomes {
        let all = Goal { errors: true, states: Some(BTreeSet::new()), ..Goal::default() };
        let steps = task.how.steps.unwrap_or(Bounds::default().steps);
        let wanted = Wanted { bad: usize::MAX, states: true, steps };
        let explored = all.explore(&asked.program, asked.model, task.how.how.options(), wanted, &mut budget);
        let explored = explored.unwrap_or_default();
        if explored.stopped || explored.executions == 0 {
            tell("note: exploring the program itself was stopped, so its outcomes are not known\n");
            return Ok(3);
        }
        Goal { errors: true, states: Some(explored.states), ..Goal::default() }
    } else {
        Goal::correct(&asked.program)
    };
    carry_out(&task.how, &asked, Aim::Weaken, goal, &mut budget)
}
