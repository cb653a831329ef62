//! What the page shows of explorations that no session went through: of runs that many shared, and of those in files.

use super::{
    ConditionView, CutView, FaultView, OutcomeRow, OutcomesView, Reach, Session, Settings, View, ViewRequest, explain,
};
use crate::explore::{Algorithm, ConditionResult, Counts, Coverage, Findings, Moment, Place};
use crate::program::{Observable, Program, Proposition, Quantifier, Value};
use crate::report::{
    ErrorJson, Extent, OutcomeJson, ResultsJson, STUCK_FOR_GOOD, SavedRun, ValueJson, condition_sentence, cut_text,
    last_values_text, undecided_text,
};
use crate::syntax::Diagnostic;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// A moment worth showing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MomentKind {
    /// Where something wrong was found first.
    Violation,
    /// The first execution that an `exists` asks for.
    Witness,
    /// The first execution.
    First,
}

impl MomentKind {
    /// All of them, the one most worth seeing first.
    pub const ALL: [Self; 3] = [Self::Violation, Self::Witness, Self::First];

    pub(super) fn of(self, findings: &Findings) -> Option<&Moment> {
        match self {
            Self::Violation => findings.violation.as_ref(),
            Self::Witness => findings.witness.as_ref(),
            Self::First => findings.first.as_ref(),
        }
    }
}

/// What the page shows of an exploration that no session went through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundView {
    /// The moment shown, or the start, with all that was found.
    pub view: View,
    /// The moment shown.
    pub moment: Option<MomentKind>,
    /// Which moments there are.
    pub moments: Vec<MomentKind>,
    /// Positions up to here are those of a session; `None` if all are.
    pub settled: Option<u64>,
}

impl FoundView {
    /// What there is to see, of the moment asked for if there is one, else of the one most worth seeing.
    ///
    /// # Errors
    /// As [`Session::with_program`].
    pub fn new(
        settings: &Settings,
        program: &Program,
        findings: &Findings,
        reach: Reach,
        settled: Option<u64>,
        wanted: Option<MomentKind>,
        look: &ViewRequest,
    ) -> Result<Self, Vec<Diagnostic>> {
        let moments: Vec<_> = MomentKind::ALL.into_iter().filter(|kind| kind.of(findings).is_some()).collect();
        let moment = wanted.filter(|kind| moments.contains(kind)).or(moments.first().copied());
        let shown = moment.and_then(|kind| kind.of(findings)).cloned();
        let session = Session::frozen(settings.clone(), program.clone(), findings.clone(), shown, reach)?;
        let mut view = session.view(look);
        let rows = view.outcomes.rows.iter_mut().map(|row| &mut row.position);
        for position in rows.chain(view.faults.iter_mut().map(|fault| &mut fault.position)) {
            // Behind a gap, the session is elsewhere.
            *position = position.filter(|&position| settled.is_none_or(|settled| position <= settled));
        }
        Ok(Self { view, moment, moments, settled })
    }

    /// What there is to see of a run from a file, which says what was found. Where the first of each kind was found, it
    /// does not say.
    ///
    /// # Errors
    /// As [`Session::with_program`].
    pub fn of_file(saved: &SavedRun, wanted: Option<MomentKind>, look: &ViewRequest) -> Result<Self, Vec<Diagnostic>> {
        let (file, program) = (&saved.file, &saved.program);
        let report = &file.report;
        let mut findings = Findings::new(program);
        findings.counts = counts(report);
        findings.first.clone_from(&file.graphs.first);
        findings.violation.clone_from(&file.graphs.violation);
        findings.witness.clone_from(&file.graphs.witness);
        let reach = if report.interrupted.is_some() {
            Reach::Stopped
        } else if file.options.stop_at_first && findings.counts.is_any_wrong() {
            Reach::FirstFault
        } else {
            Reach::Whole
        };
        let mut found = Self::new(&file_settings(saved), program, &findings, reach, file.settled, wanted, look)?;
        let view = &mut found.view;
        view.outcomes = outcomes(program, report);
        view.faults = report.errors.iter().map(fault).collect();
        view.messages.iter_mut().for_each(|note| note.position = None);
        view.cuts = report
            .cuts
            .iter()
            .map(|cut| CutView {
                message: cut_text(
                    file.options.limits,
                    program.threads.len(),
                    cut.bound,
                    Place { line: cut.line, column: cut.column },
                ),
                line: cut.line,
                executions: cut.executions,
            })
            .collect();
        view.condition = condition(program, report, file.algorithm, reach == Reach::Whole && !report.bounded);
        view.verdict = report.verdict;
        view.verdict_text = explain::verdict_text(
            report.verdict,
            explain::asks(program),
            reach,
            !view.faults.is_empty(),
            findings.counts,
            &view.cuts,
            &left_open(program, report, file.algorithm),
            file.options,
        );
        Ok(found)
    }
}

/// What a run left open, in clauses.
fn left_open(program: &Program, report: &ResultsJson, algorithm: Algorithm) -> Vec<String> {
    let undecided = report.undecided.map(|left| undecided_text(left.graphs, left.final_states));
    let open = algorithm.leaves_condition_open(program).then(|| last_values_text(algorithm));
    undecided.into_iter().flatten().chain(open).collect()
}

/// What a session of a file's run is opened with.
pub fn file_settings(saved: &SavedRun) -> Settings {
    let file = &saved.file;
    Settings {
        text: file.text.clone(),
        model: file.model,
        algorithm: file.algorithm,
        options: file.options,
        position: 0,
    }
}

fn counts(report: &ResultsJson) -> Counts {
    // Whatever a file says can be added up.
    let count = |n: u64| n.min(u64::MAX / 8);
    let (executions, explored) = (report.executions, report.explored);
    Counts {
        complete: count(executions.complete),
        blocked: count(executions.blocked),
        stuck_for_good: count(executions.stuck_for_good),
        erroneous: count(executions.erroneous),
        bounded: report.cuts.iter().map(|cut| count(cut.executions)).max().unwrap_or(0),
        steps: count(explored.steps),
        revisits: count(explored.revisits),
        dropped: count(explored.dropped),
        duplicates: count(explored.duplicates),
        plain: count(executions.plain.unwrap_or(0)),
        beyond: report.switches.map_or(0, |switches| count(switches.left)),
        undecided: report.undecided.map_or(0, |undecided| count(undecided.graphs)),
        left_out: count(explored.left_out),
        runs: report.sample.map_or(0, |sample| count(sample.runs)),
        repeated: report.sample.map_or(0, |sample| count(sample.repeated)),
        sections: report.sections.map_or(0, |sections| count(sections.sections)),
        systems: report.sections.map_or(0, |sections| count(sections.systems)),
        unsatisfiable: report.sections.map_or(0, |sections| count(sections.unsatisfiable)),
        race_checks: report.sections.map_or(0, |sections| count(sections.race_checks)),
    }
}

/// How many final states are listed.
const MAX_OUTCOMES: usize = 500;

fn outcomes(program: &Program, report: &ResultsJson) -> OutcomesView {
    let found = &report.outcomes;
    let observables = program.observables();
    let columns: Vec<String> = observables.iter().map(|&observable| program.observable_name(observable)).collect();
    let text = |value: Option<&ValueJson>| match value {
        Some(ValueJson::Number(number)) => number.to_string(),
        Some(ValueJson::Large(number)) => number.to_string(),
        Some(ValueJson::Address(address)) => address.clone(),
        None => "?".to_owned(),
    };
    let row = |outcome: &OutcomeJson| OutcomeRow {
        values: columns.iter().map(|name| text(outcome.state.get(name))).collect(),
        count: outcome.count,
        satisfies: program
            .condition
            .as_ref()
            .and_then(|condition| satisfies(&condition.proposition, &observables, &columns, &outcome.state)),
        position: None,
    };
    let mut rows: Vec<_> = found.iter().take(MAX_OUTCOMES).map(row).collect();
    if rows.iter().any(|row| row.satisfies.is_none()) {
        rows.iter_mut().for_each(|row| row.satisfies = None);
    }
    let left_out = found.len().saturating_sub(MAX_OUTCOMES) as u64;
    OutcomesView { columns, left_out, too_many: report.too_many_outcomes, rows }
}

/// Whether a state satisfies a proposition; `None` if it has addresses, of which a file has the names only.
fn satisfies(
    proposition: &Proposition,
    observables: &[Observable],
    columns: &[String],
    state: &IndexMap<String, ValueJson>,
) -> Option<bool> {
    let number = |name: &String| match state.get(name) {
        Some(ValueJson::Number(number)) => Some(*number),
        Some(ValueJson::Large(number)) => Some(*number as Value),
        _ => None,
    };
    let values: Vec<Value> = columns.iter().map(number).collect::<Option<_>>()?;
    Some(proposition.holds(&|wanted| observables.binary_search(&wanted).map_or(0, |index| values[index])))
}

fn fault(error: &ErrorJson) -> FaultView {
    let place = |line: u32, column: u32| format!("line {line}, column {column}");
    let (message, here) = (&error.message, place(error.line, error.column));
    let message = match (&*error.kind, error.second) {
        (STUCK_FOR_GOOD | "deadlock", _) => message.clone(),
        (_, Some(second)) => format!("{message} between {here} and {}", place(second.line, second.column)),
        _ => format!("{message} at {here}"),
    };
    FaultView { message, count: error.count, position: None }
}

fn condition(program: &Program, report: &ResultsJson, algorithm: Algorithm, complete: bool) -> Option<ConditionView> {
    let (known, said) = (program.condition.as_ref()?, report.condition.as_ref()?);
    let (holds, witnesses) = (said.holds, said.witnesses);
    let decided = complete || holds == (known.quantifier == Quantifier::Exists);
    let sentence = if known.quantifier == Quantifier::ForAll && !holds {
        // How many, a file does not say.
        "does not hold: some execution can end in another state".to_owned()
    } else {
        let coverage = if complete { Coverage::Whole } else { Coverage::Part };
        let extent = Extent::new(program, algorithm, counts(report), coverage);
        condition_sentence(known.quantifier, ConditionResult { holds, decided, witnesses, counterexamples: 0 }, extent)
    };
    Some(ConditionView { text: said.text.clone(), asks: explain::asks(program), holds, decided, sentence })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::Step;
    use crate::report::{RUN_VERSION, Report, RunFile, RunGraphs};
    use crate::syntax;

    const TEXT: &str = "x := 1; a := y || y := 1; b := x\nexists (P0:a = 0 /\\ P1:b = 0)";

    /// A session at its end, and a file with the same.
    fn saved(settings: &Settings) -> (View, RunFile) {
        let mut session = Session::open(settings.clone()).expect("it is a program");
        session.run(u64::MAX);
        let view = session.view(&ViewRequest::default());
        let report = Report {
            name: "",
            program: session.program(),
            source: session.source(),
            model: settings.model,
            algorithm: settings.algorithm,
            options: settings.options,
            counts: session.counts(),
            results: session.results(),
            seconds: 0.0,
            unfinished: None,
            questions: None,
        };
        let report = ResultsJson::from(&report);
        session.reset();
        session.next_execution(u64::MAX);
        let first = Moment {
            position: session.position(),
            step: session.step().expect("there is one"),
            graph: session.explorer().execution().clone(),
            co: session.explorer().coherence().cloned(),
        };
        let file = RunFile {
            litmoscope: RUN_VERSION,
            text: settings.text.clone(),
            notation: syntax::notation(&settings.text),
            model: settings.model,
            algorithm: settings.algorithm,
            options: settings.options,
            report,
            graphs: RunGraphs { first: Some(first), ..RunGraphs::default() },
            settled: None,
        };
        (view, file)
    }

    #[test]
    fn a_run_from_a_file_looks_as_its_session_does() {
        let racy = "shared x, y\nx :=na 1; y := 1 || assert x = 1; repeat { fai(y) } until y = 99\nforall (y = 1)";
        for (text, model) in [(TEXT, "sc"), (TEXT, "tso"), (racy, "rc11")] {
            let model = model.parse().expect("it is a model");
            let settings = Settings { text: text.to_owned(), model, ..Settings::default() };
            let (view, file) = saved(&settings);
            let saved = RunFile::decode(&file.encode()).expect("it was written so");
            let found = FoundView::of_file(&saved, None, &ViewRequest::default()).expect("it can be shown");
            let shown = found.view;
            assert_eq!(found.moments, [MomentKind::First]);
            assert_eq!((shown.verdict, shown.reach, &shown.cuts), (view.verdict, view.reach, &view.cuts));
            let without_places = |mut view: View| {
                view.outcomes.rows.iter_mut().for_each(|row| row.position = None);
                view.faults.iter_mut().for_each(|fault| fault.position = None);
                (view.outcomes, view.faults, view.condition.map(|c| (c.text, c.holds, c.decided)))
            };
            assert_eq!(without_places(shown), without_places(view), "{text} {model:?}");
        }
    }

    #[test]
    fn steps_that_never_were_are_shown_all_the_same() {
        let settings = Settings { text: TEXT.to_owned(), ..Settings::default() };
        let (_, file) = saved(&settings);
        let names = ["add_event", "choose_source", "take_revisit", "not_maximal", "race", "error", "place_write"];
        let more = ["take_placement", "push_backward", "drop", "done", "take_block", "block", "uninitialised_read"];
        let key = |thread: u32, serial: u32| format!(r#"{{"thread":{thread},"serial":{serial}}}"#);
        for name in names.into_iter().chain(more) {
            for key in [key(0, 1), key(0, 0), key(9, 9), key(65_535, 0), key(65_535, 99), key(1, u32::MAX)] {
                let json = format!(
                    r#"{{"step":"{name}","event":{key},"read":{key},"write":{key},"after":{key},"first":{key},
                    "second":{key},"direction":"backward","reason":{{"is_read":{key}}}}}"#
                );
                let step: Step = serde_json::from_str(&json).expect("it is a step");
                let mut file = file.clone();
                let first = file.graphs.first.as_mut().expect("there is one");
                (first.step, first.position) = (step, u64::MAX);
                let saved = RunFile::decode(&file.encode()).expect("steps are not looked at");
                assert!(FoundView::of_file(&saved, None, &ViewRequest::default()).is_ok(), "{json}");
            }
        }
    }
}
