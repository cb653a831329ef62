//! What an exploration found, as herd prints it; and what herd and litmus have printed of a test, to compare it with.
//!
//! ```text
//! Test SB Allowed
//! States 3
//! 0:EAX=0; 1:EAX=1;
//! ...
//! No
//! Witnesses
//! Positive: 0 Negative: 3
//! Condition exists (0:EAX=0 /\ 1:EAX=0)
//! Observation SB Never 0 3
//! Time SB 0.00
//! ```
//!
//! Executions are counted as the algorithm counts them; those of herd are with co. The hash that herd prints of a test is left out: it is one
//! of herd's own form of the text.

use super::Report;
use crate::explore::Fault;
use crate::program::{Observable, Program, Quantifier};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// In which of its executions the proposition of a test's condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Observation {
    /// In all.
    Always,
    /// In some, and not in others.
    Sometimes,
    /// In none.
    Never,
}

impl Observation {
    /// Its name, as herd writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Always => "Always",
            Self::Sometimes => "Sometimes",
            Self::Never => "Never",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Always, Self::Sometimes, Self::Never].into_iter().find(|one| one.name() == name)
    }

    /// That of so many executions in which it holds, and in which it does not.
    fn of(holds: u64, fails: u64) -> Self {
        match (holds, fails) {
            (0, _) => Self::Never,
            (_, 0) => Self::Always,
            _ => Self::Sometimes,
        }
    }
}

impl Report<'_> {
    /// In how many executions the proposition holds, and in how many it does not. Without a condition it is `true`.
    fn witnesses(&self) -> (u64, u64) {
        match self.condition() {
            Some(result) => (result.witnesses, result.counterexamples),
            None => (self.counts.complete, 0),
        }
    }

    /// In which executions the proposition of the condition holds, as far as was explored.
    pub fn observation(&self) -> Observation {
        let (holds, fails) = self.witnesses();
        Observation::of(holds, fails)
    }

    /// The final states as herd names what they consist of: `0:EAX=0`, `[x]=1`; registers first.
    fn herd_states(&self) -> Vec<Vec<(String, String)>> {
        let program = self.program;
        let mut places: Vec<(usize, &Observable)> = self.results.observables().iter().enumerate().collect();
        places.sort_by_key(|(_, observable)| {
            (matches!(observable, Observable::Location { .. }), herd_name(program, **observable))
        });
        let states = self.outcomes().into_iter().map(|(state, _)| {
            let one = |(place, observable): &(usize, &Observable)| {
                let value = program.observable_text(**observable, state[*place]);
                (herd_name(program, **observable), value.trim_start_matches('&').to_owned())
            };
            places.iter().map(one).collect()
        });
        states.collect()
    }
}

/// The name of something observed, as herd has it.
fn herd_name(program: &Program, observable: Observable) -> String {
    let name = program.observable_name(observable);
    match observable {
        Observable::Register { .. } => name.strip_prefix('P').unwrap_or(&name).to_owned(),
        Observable::Location { .. } => format!("[{name}]"),
    }
}

/// What an exploration found, as herd prints it.
pub fn herd_text(report: &Report) -> String {
    let Report { program, source, .. } = *report;
    let name = if report.name.is_empty() { "test" } else { report.name };
    let condition = program.condition.as_ref();
    let quantifier = condition.map_or(Quantifier::ForAll, |condition| condition.quantifier);
    let kind = match quantifier {
        Quantifier::Exists => "Allowed",
        Quantifier::NotExists => "Forbidden",
        Quantifier::ForAll => "Required",
    };
    let mut out = format!("Test {name} {kind}\n");
    let states = report.herd_states();
    let _ = writeln!(out, "States {}", states.len());
    for state in states {
        let all: Vec<String> = state.into_iter().map(|(name, value)| format!("{name}={value};")).collect();
        let _ = writeln!(out, "{}", all.join(" "));
    }
    let holds = report.condition().is_none_or(|result| result.holds);
    out += if holds { "Ok\n" } else { "No\n" };
    let (positive, negative) = report.witnesses();
    // Of what is forbidden, those are positive that do not show it; the observation counts them the other way round.
    let (first, second) = if quantifier == Quantifier::NotExists { (negative, positive) } else { (positive, negative) };
    let _ = writeln!(out, "Witnesses\nPositive: {first} Negative: {second}");
    if report.results.faults().any(|(fault, _)| matches!(fault, Fault::DataRace(..))) {
        out += "Flag data-race\n";
    }
    let text = condition.map_or_else(|| "forall (true)".to_owned(), |condition| condition.span.on_one_line(source));
    let _ = writeln!(out, "Condition {text}");
    let observation = report.observation().name();
    let _ = writeln!(out, "Observation {name} {observation} {positive} {negative}\nTime {name} {:.2}", report.seconds);
    out
}

/// What herd or litmus has printed of one test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logged {
    /// The test's name.
    pub test: String,
    /// The final states, each by what it consists of, ascending, without brackets and in small letters. `None` if there are none in the text.
    pub states: Option<BTreeSet<Vec<(String, String)>>>,
    /// What it says of the condition.
    pub observation: Option<Observation>,
}

/// All tests in what herd or litmus has printed; whatever else stands there is left out.
pub fn read_log(text: &str) -> Vec<Logged> {
    let mut all: Vec<Logged> = Vec::new();
    // How many states are still to come.
    let mut due = 0_usize;
    for line in text.lines().map(str::trim) {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        if first == "Test" && line.split_whitespace().count() >= 2 {
            due = 0;
            all.push(Logged { test: words.next().unwrap_or_default().to_owned(), ..Logged::default() });
            continue;
        }
        let Some(logged) = all.last_mut() else { continue };
        let number = || line.split(|c: char| !c.is_ascii_digit()).find_map(|digits| digits.parse().ok());
        if first == "States" || line.starts_with("Histogram (") {
            due = number().unwrap_or(0);
            logged.states = Some(BTreeSet::new());
        } else if first == "Observation" {
            logged.observation = words.nth(1).and_then(Observation::named);
        } else if due > 0 {
            due -= 1;
            // In front of the state, litmus says how often it was seen.
            let state = line.split_once('>').map_or(line, |(_, state)| state);
            let read = read_state(state);
            logged.states.get_or_insert_default().insert(read);
        }
    }
    all
}

fn read_state(text: &str) -> Vec<(String, String)> {
    let parts = text.split(';').filter_map(|part| part.split_once('='));
    canonical(parts.map(|(name, value)| (name.to_owned(), value.to_owned())))
}

/// A state in the form in which states are compared.
fn canonical(state: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let name = |name: &str| name.trim().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let value = |value: &str| value.trim().trim_start_matches('&').to_owned();
    let mut all: Vec<(String, String)> = state.map(|(of, is)| (name(&of), value(&is))).collect();
    all.sort();
    all
}

/// A final state that one side has and the other has not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrayState {
    /// By name: `0:eax`, `1`.
    pub state: Vec<(String, String)>,
    /// Whether the exploration has it, and not the log.
    pub is_ours: bool,
}

impl StrayState {
    /// It in a line.
    pub fn text(&self) -> String {
        self.state.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }
}

/// A state of a log as an outcome that can be asked about: `P0:EAX=0, [x]=1`. `None` if it names what nobody observes.
pub fn outcome_of(report: &Report, state: &[(String, String)]) -> Option<String> {
    let program = report.program;
    let named = |name: &String| {
        let canonical_name =
            |of: Observable| canonical(std::iter::once((herd_name(program, of), String::new()))).remove(0).0;
        report.results.observables().iter().find(|observable| canonical_name(**observable) == *name)
    };
    let one = |(name, value): &(String, String)| {
        named(name).map(|observable| format!("{}={value}", program.observable_name(*observable)))
    };
    state.iter().map(one).collect::<Option<Vec<_>>>().map(|all| all.join(", "))
}

/// How an exploration differs from what was logged of the test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// What the exploration and the log observe, if these are not the same.
    pub observations: Option<(Observation, Observation)>,
    /// States that only one of both has. Where both do not consist of the same things there are none.
    pub states: Vec<StrayState>,
}

impl Difference {
    /// Of an exploration that has found everything.
    pub fn new(report: &Report, logged: &Logged) -> Self {
        let own = report.observation();
        let observations = logged.observation.filter(|other| *other != own).map(|other| (own, other));
        let ours: BTreeSet<Vec<(String, String)>> =
            report.herd_states().into_iter().map(|state| canonical(state.into_iter())).collect();
        let names = |states: &BTreeSet<Vec<(String, String)>>| -> Option<Vec<String>> {
            states.first().map(|state| state.iter().map(|(name, _)| name.clone()).collect())
        };
        let theirs = logged.states.as_ref().filter(|theirs| names(theirs) == names(&ours));
        let stray = |is_ours: bool| move |state: &Vec<(String, String)>| StrayState { state: state.clone(), is_ours };
        let states = theirs.map_or_else(Vec::new, |theirs| {
            let missing = theirs.difference(&ours).map(stray(false));
            ours.difference(theirs).map(stray(true)).chain(missing).collect()
        });
        Self { observations, states }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.observations.is_none() && self.states.is_empty()
    }

    /// It in sentences.
    pub fn sentences(&self) -> Vec<String> {
        let observed = self.observations.map(|(own, other)| format!("{} here, {} expected", own.name(), other.name()));
        let state = |stray: &StrayState| {
            let whose = if stray.is_ours { "only here" } else { "expected, and not here" };
            format!("{}: {whose}", stray.text())
        };
        observed.into_iter().chain(self.states.iter().map(state)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(all: &[(&str, &str)]) -> Vec<(String, String)> {
        all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn logs_of_herd_and_litmus_are_read() {
        let herd = "Test SB Allowed\nStates 2\n0:EAX=0; 1:EAX=1; [x]=1;\n1:EAX=0; 0:EAX=1; x=1;\nOk\nWitnesses\n\
                    Positive: 1 Negative: 1\nFlag data-race\nCondition exists (0:EAX=0)\nObservation SB Sometimes 1 1\n\
                    Time SB 0.00\nHash=12\n\nTest T Required\nStates 0\nOk\nObservation T Never 0 0\n";
        let all = read_log(herd);
        let names: Vec<&str> = all.iter().map(|one| one.test.as_str()).collect();
        assert_eq!(names, ["SB", "T"]);
        let states = all[0].states.clone().expect("two");
        let expected = [
            state(&[("0:eax", "0"), ("1:eax", "1"), ("x", "1")]),
            state(&[("0:eax", "1"), ("1:eax", "0"), ("x", "1")]),
        ];
        assert_eq!(states.into_iter().collect::<Vec<_>>(), expected);
        assert_eq!(all[0].observation, Some(Observation::Sometimes));
        assert_eq!(
            (all[1].states.as_ref().map(BTreeSet::len), all[1].observation),
            (Some(0), Some(Observation::Never))
        );

        let litmus = "%%%%\nX86 SB\n{x=0;}\n P0 ;\nexists (0:EAX=0)\nTest SB Allowed\nHistogram (2 states)\n\
                      289   *>0:EAX=0; 1:EAX=0;\n499805:>0:EAX=1; 1:EAX=0;\nOk\n\nWitnesses\nPositive: 289, Negative: 499805\n\
                      Condition exists (0:EAX=0 /\\ 1:EAX=0) is validated\nHash=7\nObservation SB Sometimes 289 499805\n";
        let one = read_log(litmus).remove(0);
        assert_eq!(one.states.map(|states| states.len()), Some(2));
        assert_eq!(one.observation, Some(Observation::Sometimes));
        // Nothing of the kind, and what ends early.
        assert!(read_log("Observation SB Never 0 1\n").is_empty());
        assert_eq!(
            read_log("Test SB Allowed\nStates 4\n0:EAX=0;").remove(0).states.map(|states| states.len()),
            Some(1)
        );
        assert_eq!(read_log("Test SB Allowed\nStates 99999999999999999999\n").remove(0).observation, None);
    }
}
