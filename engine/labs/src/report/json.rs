//! What an exploration found, as JSON.
//!
//! What it says only grows: keys may be added, and none changes its meaning.

use super::location_name;
use super::results::{Report, fault_text};
use crate::explore::{Answer, Cut, Fate, Fault, MessageRace, Outcome, Place, RacingAccess, Sighting, Verdict, Wait};
use crate::model::{Questions, Stage};
use crate::program::{Bound, ErrorKind, Integer, Observable, Program, Quantifier, Value};
use crate::run::{Estimate, Interruption};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The object that `litmoscope explore --json` prints. Keys are printed in the order of the fields; new ones may be
/// added, none is taken away or changes its meaning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultsJson {
    /// The program's name; of a program without one, its file's without the ending.
    pub program: String,
    /// The memory model: `sc`, ...
    pub model: Cow<'static, str>,
    /// The algorithm: `genmc`, ...
    pub algorithm: Cow<'static, str>,
    /// `ok`, `violated` or `bounded`.
    pub verdict: Verdict,
    /// Whether a bound cut some execution or left it out, or a question was left undecided, so that what lies beyond is not
    /// known.
    pub bounded: bool,
    /// What ended the exploration before everything was explored: `timeout`, `max_executions`,
    /// `perhaps_more`, `runs` (the random runs that were asked for are over) or `signal`; else `null`.
    pub interrupted: Option<Interruption>,
    /// How many executions there are in all, where it was interrupted and that can be said; else `null`.
    pub estimate: Option<EstimateJson>,
    /// Whole executions by kind.
    pub executions: ExecutionsJson,
    /// What the exploration went through.
    pub explored: ExploredJson,
    /// The final condition; `null` without one.
    pub condition: Option<ConditionJson>,
    /// The final states, sorted by their values.
    pub outcomes: Vec<OutcomeJson>,
    /// Whether there are more final states than are listed; none is then.
    #[serde(default)]
    pub too_many_outcomes: bool,
    /// Errors and data races, in the order they were found.
    pub errors: Vec<ErrorJson>,
    /// What bounds cut, in the order of the text.
    pub cuts: Vec<CutJson>,
    /// Whether data races were looked for: under RC11, which alone has any, unless they were not asked for.
    pub races_checked: bool,
    /// Whether threads that are stuck for good in loops were looked for.
    #[serde(default)]
    pub stuck_loops_checked: bool,
    /// How long the exploration took.
    pub seconds: f64,
    /// With symmetry reduction, lists of the numbers of threads that do the same and were explored up to exchanging them;
    /// else left out. Counts are then of what was explored, and each final state stands for those with the registers of
    /// such threads exchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetry: Option<Vec<Vec<u16>>>,
    /// With a bound on preemptions or context switches, what it left out; else left out itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switches: Option<SwitchesJson>,
    /// What was left undecided; left out if nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided: Option<UndecidedJson>,
    /// What random runs came to; left out by algorithms that make none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<SampleJson>,
    /// What sections came to; left out by algorithms that know none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<SectionsJson>,
    /// The numbers that the algorithm alone takes, by name, with those that nobody chose; left out if it takes none.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub parameters: IndexMap<Cow<'static, str>, Option<u32>>,
    /// The algorithm follows what threads read, and final states have locations in them whose last values nobody reads: there
    /// may be final states that are not listed. Left out if not so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last_values_open: bool,
    /// How many questions of consistency each stage decided, by the stage's name; left out if nobody asked.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub questions: IndexMap<Stage, u64>,
    /// Of a program with handlers, what became of each message; else left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<MessageJson>,
    /// Accesses by messages that nothing orders; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub message_races: Vec<MessageRaceJson>,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageJson {
    /// The handler.
    pub handler: String,
    /// The message.
    pub message: String,
    /// In how many executions it was run.
    pub run: u64,
    /// In how many executions it waits for ever.
    pub left: u64,
}

/// Two accesses by messages that nothing orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRaceJson {
    /// What is accessed.
    pub location: String,
    /// The access that comes first in the text.
    pub first: RacingAccessJson,
    /// The other.
    pub second: RacingAccessJson,
    /// In how many executions.
    pub executions: u64,
}

/// An access that races.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RacingAccessJson {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The thread or handler.
    pub thread: String,
    /// The message; `null` for a plain thread.
    pub message: Option<String>,
}

/// Random runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleJson {
    /// How many were made.
    pub runs: u64,
    /// How many of them led to an execution that was found before.
    pub repeated: u64,
}

/// Sections of a program, whose traces are planned before they are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionsJson {
    /// How many there were.
    pub sections: u64,
    /// How many trace constraint systems were solved.
    pub systems: u64,
    /// How many of them have no solution.
    pub unsatisfiable: u64,
    /// How many pairs of events were looked at for being in a race.
    pub race_checks: u64,
}

/// A bound on how often threads are switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SwitchesJson {
    /// How many preemptions there may be, or `null`.
    pub preemptions: Option<u32>,
    /// How many context switches there may be, or `null`.
    pub contexts: Option<u32>,
    /// How many graphs were left because of it: executions, and graphs that lead to several.
    pub left: u64,
}

/// Whole executions by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionsJson {
    /// Every thread ran to its end, without error.
    pub complete: u64,
    /// Some thread is stuck at a failed assumption, waits in a loop or was cut at a bound, and there is no error.
    pub blocked: u64,
    /// There is an error or a data race.
    pub erroneous: u64,
    /// Of the blocked ones, those that are stuck for good: every thread that is not done waits for a mutex or channel, or in a loop that
    /// reads the last writes. Files from before loops were looked at have deadlocks.
    #[serde(alias = "deadlocks")]
    pub stuck_for_good: u64,
    /// How many plain executions there are among all of these: those that differ in co alone are one. `null` if that is
    /// not known.
    pub plain: Option<u64>,
}

/// A number of executions that is not known exactly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimateJson {
    /// The number.
    pub executions: f64,
    /// Its standard error.
    pub error: f64,
    /// By which factor single random descents differ.
    pub spread: f64,
    /// How many descents there were.
    pub probes: u64,
}

impl From<Estimate> for EstimateJson {
    fn from(estimate: Estimate) -> Self {
        let Estimate { executions, error, spread, probes } = estimate;
        Self { executions, error, spread, probes }
    }
}

/// What an exploration went through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExploredJson {
    /// Steps of the algorithm.
    pub steps: u64,
    /// Options taken.
    pub revisits: u64,
    /// Inconsistent graphs.
    pub dropped: u64,
    /// Graphs that were left because a thread waits in vain in them; left out if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// Executions found twice: 0, or the algorithm is wrong.
    pub duplicates: u64,
}

/// What was left since the search for an answer reached its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndecidedJson {
    /// Graphs whose consistency was not decided, and revisits of which it was not decided whether they are to be made:
    /// there may be more executions.
    pub graphs: u64,
    /// Executions of which not all final states were found.
    pub final_states: u64,
    /// How many units of work the search for one answer could take.
    pub limit: u64,
}

/// The final condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConditionJson {
    /// `exists`, `not_exists` or `forall`.
    pub kind: Cow<'static, str>,
    /// The condition as it is written, on one line.
    pub text: String,
    /// Whether it holds, as far as was explored.
    pub holds: bool,
    /// The answer to `exists`: `allowed` or `forbidden`; `null` where it is open, and for other kinds.
    #[serde(default)]
    pub answer: Option<Answer>,
    /// How many executions can end in a state that satisfies the proposition, whatever the kind.
    pub witnesses: u64,
}

/// A final state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeJson {
    /// The values by name: registers by thread (`P0:a`), then shared names (`x`, `q[1]`).
    pub state: IndexMap<String, ValueJson>,
    /// How many executions can end in it.
    pub count: u64,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ValueJson {
    /// A number.
    Number(Value),
    /// A number beyond 63 bits, of a type without a sign.
    Large(u64),
    /// An address: `"&x"`, `"&q[1]"`.
    Address(String),
}

impl ValueJson {
    pub(crate) fn new(program: &Program, observable: Observable, value: Value) -> Self {
        match program.address(value) {
            Some(_) => Self::Address(program.value_text(value)),
            None if value < 0 && program.integer(observable) == Integer::UInt64 => Self::Large(value as u64),
            None => Self::Number(value),
        }
    }
}

/// A loop or a thread that a bound cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutJson {
    /// `unroll` for a loop's rounds, `local_steps` for instructions without an event, `events` for a thread's events.
    pub bound: Bound,
    /// How many of them there may be.
    pub limit: u32,
    /// The line, from 1: of a loop its own, else that of the instruction that would have come next.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// How many executions were cut there.
    pub executions: u64,
}

/// An error or a data race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorJson {
    /// `assertion_violated`, `division_by_zero`, `signed_overflow`, `shift_out_of_range`, `out_of_bounds`, `not_an_address`, `not_memory` (an access to a mutex or
    /// channel through its address), `not_held` (an unlock by a thread that does not hold the mutex), `uninitialised_read`,
    /// `stuck_for_good` or `data_race`.
    pub kind: Cow<'static, str>,
    /// What is wrong; without the place, unless threads are stuck for good.
    pub message: String,
    /// The line, from 1; of a race, that of the access that comes first in the text.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The other access of a race; left out for anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<Place>,
    /// How often it was found.
    pub count: u64,
}

impl From<&Report<'_>> for ResultsJson {
    fn from(report: &Report) -> Self {
        let counts = report.counts;
        Self {
            program: report.name.to_owned(),
            model: report.model.name().into(),
            algorithm: report.algorithm.name().into(),
            verdict: report.verdict(),
            bounded: !counts.is_unbounded()
                || report.results.unlisted() > 0
                || report.algorithm.leaves_condition_open(report.program),
            interrupted: report.unfinished.map(|unfinished| unfinished.reason),
            estimate: report.unfinished.and_then(|unfinished| unfinished.estimate).map(EstimateJson::from),
            executions: ExecutionsJson {
                complete: counts.complete,
                blocked: counts.blocked,
                erroneous: counts.erroneous,
                stuck_for_good: counts.stuck_for_good,
                plain: report.plain(),
            },
            explored: ExploredJson {
                steps: counts.steps,
                revisits: counts.revisits,
                dropped: counts.dropped,
                left_out: counts.left_out,
                duplicates: counts.duplicates,
            },
            condition: condition(report),
            too_many_outcomes: report.results.has_too_many_outcomes(),
            outcomes: outcomes(report),
            errors: errors(report),
            cuts: cuts(report),
            races_checked: report.checks_races(),
            stuck_loops_checked: report.checks_stuck_loops(),
            seconds: report.seconds,
            symmetry: report.symmetry(),
            switches: report.options.bounds_switches().then_some(SwitchesJson {
                preemptions: report.options.preemptions,
                contexts: report.options.contexts,
                left: counts.beyond,
            }),
            undecided: (counts.undecided + report.results.unlisted() > 0).then_some(UndecidedJson {
                graphs: counts.undecided,
                final_states: report.results.unlisted(),
                limit: report.options.limits.search,
            }),
            sections: (counts.sections > 0).then_some(SectionsJson {
                sections: counts.sections,
                systems: counts.systems,
                unsatisfiable: counts.unsatisfiable,
                race_checks: counts.race_checks,
            }),
            sample: (counts.runs > 0).then_some(SampleJson { runs: counts.runs, repeated: counts.repeated }),
            parameters: {
                let parameters = report.options.parameters.of(report.algorithm);
                parameters.map(|(parameter, number)| (parameter.name.into(), number)).collect()
            },
            last_values_open: report.algorithm.leaves_last_values_open(report.program),
            questions: report.questions.iter().flat_map(questions_by_stage).collect(),
            messages: messages(report),
            message_races: message_races(report),
        }
    }
}

/// The name of a message.
fn message_name(program: &Program, handler: u16, message: u16) -> Option<String> {
    Some(program.threads.get(usize::from(handler))?.messages().get(usize::from(message))?.name.clone())
}

fn messages(report: &Report) -> Vec<MessageJson> {
    let message = |(handler, message, fate): (u16, u16, Fate)| MessageJson {
        handler: report.program.thread_name(handler.into()),
        message: message_name(report.program, handler, message).unwrap_or_default(),
        run: fate.run,
        left: fate.left,
    };
    report.results.messages().fates(report.program).into_iter().map(message).collect()
}

fn message_races(report: &Report) -> Vec<MessageRaceJson> {
    let access = |access: RacingAccess| RacingAccessJson {
        line: access.place.line,
        column: access.place.column,
        thread: report.program.thread_name(access.thread.into()),
        message: access.message.and_then(|message| message_name(report.program, access.thread, message)),
    };
    let race = |(race, sighting): (MessageRace, Sighting)| MessageRaceJson {
        location: location_name(report.program, race.location),
        first: access(race.first),
        second: access(race.second),
        executions: sighting.count,
    };
    report.results.messages().races().into_iter().map(race).collect()
}

fn condition(report: &Report) -> Option<ConditionJson> {
    let (condition, result) = report.program.condition.as_ref().zip(report.condition())?;
    Some(ConditionJson {
        kind: match condition.quantifier {
            Quantifier::Exists => "exists".into(),
            Quantifier::NotExists => "not_exists".into(),
            Quantifier::ForAll => "forall".into(),
        },
        text: condition.span.on_one_line(report.source),
        holds: result.holds,
        answer: report.answer(),
        witnesses: result.witnesses,
    })
}

fn outcomes(report: &Report) -> Vec<OutcomeJson> {
    let columns = report.columns();
    let outcome = |(state, outcome): (&[Value], &Outcome)| {
        let value = |(observable, value): (&Observable, &Value)| ValueJson::new(report.program, *observable, *value);
        let values = report.results.observables().iter().zip(state).map(value);
        OutcomeJson { state: columns.iter().cloned().zip(values).collect(), count: outcome.count }
    };
    report.outcomes().into_iter().map(outcome).collect()
}

fn errors(report: &Report) -> Vec<ErrorJson> {
    let faults = report.results.faults().map(|(fault, sighting)| {
        let (kind, place, second) = match *fault {
            Fault::Error(kind, place) => (error_kind(kind), place, None),
            Fault::DataRace(first, second) => ("data_race", first, Some(second)),
            Fault::UninitialisedRead(_, place) => ("uninitialised_read", place, None),
            Fault::StuckForGood(ref waits) => (STUCK_FOR_GOOD, fault_place(waits), None),
        };
        let message = fault_text(report.program, fault);
        ErrorJson { kind: kind.into(), message, line: place.line, column: place.column, second, count: sighting.count }
    });
    faults.collect()
}

fn cuts(report: &Report) -> Vec<CutJson> {
    let limits = report.options.limits;
    let cut = |Cut { bound, place, executions }: Cut| {
        let limit = match bound {
            Bound::Unroll | Bound::Posts => limits.unroll,
            Bound::LocalSteps => limits.local_steps,
            Bound::Events => limits.events_of_a_thread(report.program.threads.len()),
        };
        CutJson { bound, limit, line: place.line, column: place.column, executions }
    };
    report.results.cuts().into_iter().map(cut).collect()
}

/// The kind of an execution that is stuck for good.
pub(crate) const STUCK_FOR_GOOD: &str = "stuck_for_good";

/// The place of an execution that is stuck for good: where its first thread waits.
fn fault_place(waits: &[Wait]) -> Place {
    waits.first().map_or(Place { line: 0, column: 0 }, |wait| wait.place)
}

fn error_kind(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::AssertionViolated => "assertion_violated",
        ErrorKind::DivisionByZero => "division_by_zero",
        ErrorKind::SignedOverflow => "signed_overflow",
        ErrorKind::ShiftOutOfRange => "shift_out_of_range",
        ErrorKind::OutOfBounds { .. } => "out_of_bounds",
        ErrorKind::NotAnAddress { .. } => "not_an_address",
        ErrorKind::NotHeld { .. } => "not_held",
        ErrorKind::NotMemory { .. } => "not_memory",
    }
}

fn questions_by_stage(questions: &Questions) -> impl Iterator<Item = (Stage, u64)> {
    Stage::ALL.into_iter().map(|stage| (stage, questions.of(stage)))
}
