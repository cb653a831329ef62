//! A test that is run.

use super::{Logs, Ran, Row, Test};
use crate::budget::Budget;
use crate::compare::OutcomeQuestion;
use crate::document::Kind;
use crate::explore::{Algorithm, Explorer, Findings, Followed, Options, Pause, Verdict, Work};
use crate::model::{Model, Usual};
use crate::program::{Code, CompileError, Program};
use crate::report::{Difference, Logged, Report, Unfinished, fault_sentence, herd_text, outcome_of, read_log};
use crate::run::{Exploration, Interruption, Stepped};
use crate::session::{Settings, link, notes};
use crate::syntax::{self, Diagnostic, Parsed, Severity};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Of how many states that differ it is said why.
const EXPLAINED: usize = 3;
/// How many steps are made between two looks at what else there is to do, at most.
const STEPS: u64 = 1 << 12;

/// How tests are run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct How {
    /// The model; else the one that each program names, or else that of its notation.
    pub model: Option<Model>,
    /// The models of notations.
    #[serde(default)]
    pub usual: Usual,
    /// The algorithm; else the fastest one.
    pub algorithm: Option<Algorithm>,
    /// What it is told.
    pub options: Options,
    /// Warnings about texts are errors.
    pub strict: bool,
    /// Results are wanted as herd prints them. Executions are counted with co then, as herd counts them, unless an algorithm was chosen.
    pub herd: bool,
    /// Graphs may have as many events as a program may need, where a process has so much memory.
    pub roomy: bool,
}

/// Says why a model allows or forbids an outcome, as a text of several lines.
pub type Explain = fn(&str, &Program, &Arc<Code>, &OutcomeQuestion, Model, Options) -> String;

/// The budget for the next slice of work, or why there is none.
pub type Next<'a> = dyn FnMut() -> Result<Budget, Interruption> + 'a;

/// A test that can be run.
pub struct Trial {
    name: String,
    text: String,
    program: Arc<Program>,
    code: Arc<Code>,
    model: Model,
    algorithm: Algorithm,
    options: Options,
    how: How,
    notes: Vec<Diagnostic>,
}

fn said(about: &Diagnostic) -> String {
    format!("line {}, column {}: {}", about.span.line, about.span.column, about.message)
}

/// The name of a file without folders and ending.
fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name, |(stem, _)| stem)
}

impl Trial {
    /// The algorithm whose machine has to be there before a test can be run, if one is missing.
    pub fn needs(test: &Test, how: &How) -> Option<Algorithm> {
        match Self::attempt(test, how) {
            Err(missing) => Some(missing),
            Ok(Ok(trial)) if !trial.algorithm.is_there() => Some(trial.algorithm),
            Ok(_) => None,
        }
    }

    /// Reads a test.
    ///
    /// # Errors
    /// Why it can't be run, in a sentence.
    pub fn open(test: &Test, how: &How) -> Result<Self, String> {
        let missing = |algorithm: Algorithm| format!("{} is not there yet", algorithm.title());
        Self::attempt(test, how).unwrap_or_else(|algorithm| Err(missing(algorithm)))
    }

    /// Reads a test, or says which machine has to be there before the fastest algorithm is known.
    fn attempt(test: &Test, how: &How) -> Result<Result<Self, String>, Algorithm> {
        let text = match &test.text {
            Ok(text) => text,
            Err(why) => return Ok(Err(why.clone())),
        };
        let read = Self::read(&test.file, text, how).map_err(|wrong| wrong.first().map(said).unwrap_or_default());
        let mut trial = match read {
            Ok(trial) => trial,
            Err(why) => return Ok(Err(why)),
        };
        let Self { ref program, ref code, model, options, .. } = trial;
        trial.algorithm = match how.algorithm {
            Some(algorithm) => algorithm,
            None => Algorithm::fastest(program, code, model, options, Followed::Executions)?,
        };
        let fits = |algorithm| options.validate_for_program(algorithm, model, code);
        if let Err(why) = fits(trial.algorithm) {
            return Ok(Err(why.to_string()));
        }
        let with_co = trial.algorithm.with_or_without_co(true);
        if how.herd && how.algorithm.is_none() && fits(with_co).is_ok() {
            trial.algorithm = with_co;
        }
        trial.options = options.heeded_by(trial.algorithm);
        Ok(Ok(trial))
    }

    fn read(file: &str, text: &str, how: &How) -> Result<Self, Vec<Diagnostic>> {
        let ending = file.rsplit('/').next().and_then(|name| Some(name.rsplit_once('.')?.1));
        let kind = ending.and_then(Kind::of_ending).unwrap_or_else(|| Kind::of(text));
        let Parsed { program, mut notes } = match kind.definition().notation {
            Some(notation) => syntax::parse_as(notation, text)?,
            None => syntax::parse(text)?,
        };
        let is_warning = |note: &&Diagnostic| how.strict && note.severity == Severity::Warning;
        let as_error = |note: &Diagnostic| Diagnostic { severity: Severity::Error, ..note.clone() };
        let wrong: Vec<Diagnostic> = notes.iter().filter(is_warning).map(as_error).collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let model = match how.model {
            Some(model) => model,
            None => how.usual.model(&program).map_err(|wrong| vec![wrong])?.0,
        };
        let refuse = |error: CompileError| vec![Diagnostic::error(error.to_string(), error.span())];
        let code = Arc::new(Code::compile(&program).map_err(refuse)?);
        let mut options = how.options;
        if how.roomy {
            options.limits = options.limits.with_room_for(&code);
        }
        notes.extend(self::notes(&program, &code, model, options.limits));
        let name = if program.name.is_empty() { stem(file).to_owned() } else { program.name.clone() };
        let (text, program) = (text.to_owned(), Arc::new(program));
        let (algorithm, how) = (Algorithm::default(), how.clone());
        Ok(Self { name, text, program, code, model, algorithm, options, how, notes })
    }

    /// What the test is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Explores it, slice by slice.
    fn explore(&self, next: &mut Next) -> (Findings, Option<Interruption>) {
        let Self { program, code, model, algorithm, options, .. } = self;
        let stepped;
        let walk = algorithm.whole_walk(Arc::clone(code), Arc::clone(program), *model, *options);
        let mut walk = match walk {
            Some(walk) => walk,
            None => {
                let explorer = algorithm.lazy_explorer(Arc::clone(code), *model, *options);
                let nobody = |_: &dyn Explorer, _| {};
                stepped = Stepped::new(program, code, *model, options.limits, explorer, nobody);
                match stepped.walk(&Work::default()) {
                    Some(walk) => walk,
                    None => return (Findings::within(program, options.limits), None),
                }
            }
        };
        let interruption = loop {
            match next() {
                Err(interruption) => break Some(interruption),
                Ok(mut budget) => {
                    if walk.run_within(STEPS, u64::MAX, &mut budget) != Pause::Steps {
                        break None;
                    }
                }
            }
        };
        let mut findings = Findings::within(program, options.limits);
        findings.append(walk.take_findings());
        (findings, interruption)
    }

    fn report<'a>(&'a self, findings: &'a Findings, seconds: f64, unfinished: Option<Unfinished>) -> Report<'a> {
        Report {
            name: &self.name,
            program: &self.program,
            source: &self.text,
            model: self.model,
            algorithm: self.algorithm,
            options: self.options,
            counts: findings.counts,
            results: &findings.results,
            seconds,
            unfinished,
            questions: None,
        }
    }

    /// Why states are allowed that were not expected, and why those are not that were: texts of several lines.
    pub fn reasons(&self, difference: &Difference, explain: Explain) -> Vec<String> {
        let Self { program, code, model, .. } = self;
        let nothing = Findings::new(program);
        let report = self.report(&nothing, 0.0, None);
        let of_states = difference.states.iter().take(EXPLAINED).filter_map(|stray| {
            let outcome = outcome_of(&report, &stray.state)?;
            OutcomeQuestion::parse(program, &outcome).ok()
        });
        let mut questions: Vec<OutcomeQuestion> = of_states.collect();
        if questions.is_empty() {
            questions.extend(OutcomeQuestion::of_condition(program));
        }
        let answer =
            |question: &OutcomeQuestion| explain(&self.name, program, code, question, *model, self.how.options);
        questions.iter().map(answer).collect()
    }

    /// Runs it. `clock` tells seconds from any moment on.
    fn run(&self, expected: Option<&Logged>, setting: &Setting, clock: &dyn Fn() -> f64, next: &mut Next) -> Ran {
        let start = clock();
        let (findings, interruption) = self.explore(next);
        let unfinished = interruption.map(|reason| Unfinished { reason, estimate: None });
        let report = self.report(&findings, clock() - start, unfinished);
        let verdict = report.verdict();
        let is_whole = verdict != Verdict::Bounded && report.unfinished.is_none();
        let difference = expected.filter(|_| is_whole).map(|logged| Difference::new(&report, logged));
        let differs = difference.as_ref().filter(|difference| !difference.is_empty());
        let reasons =
            setting.explain.zip(differs).map_or_else(Vec::new, |(explain, differs)| self.reasons(differs, explain));
        let shown = findings.violation.as_ref().or(findings.witness.as_ref()).or(findings.first.as_ref());
        let position = shown.map_or(0, |moment| moment.position);
        let base = setting.link.filter(|_| differs.is_some() || verdict == Verdict::Violated);
        let link = base.map(|base| {
            let Self { model, algorithm, options, .. } = *self;
            let settings = Settings { text: self.text.clone(), model, algorithm, options, position };
            format!("{}{}", base.split('#').next().unwrap_or_default(), link::encode(&settings))
        });
        Ran {
            model: self.model,
            algorithm: self.algorithm,
            verdict,
            answer: report.answer(),
            observation: report.program.condition.as_ref().map(|_| report.observation()),
            states: report.outcomes().len(),
            executions: findings.counts.executions(),
            seconds: report.seconds,
            herd: if self.how.herd { herd_text(&report) } else { String::new() },
            faults: findings.results.faults().map(|(fault, _)| fault_sentence(&self.program, fault)).collect(),
            warnings: self.notes.iter().filter(|note| note.severity == Severity::Warning).map(said).collect(),
            difference,
            reasons,
            position,
            link,
        }
    }
}

/// What all tests have in common.
#[derive(Clone, Copy, Default)]
pub struct Setting<'a> {
    /// What was printed of tests.
    pub logs: Option<&'a Logs>,
    /// Says why, where something differs; nobody does if that is not wanted.
    pub explain: Option<Explain>,
    /// Links of what differs are for the page at this address.
    pub link: Option<&'a str>,
}

/// What is expected of a test: what stands in the file beside it, or else in a log.
fn expected(test: &Test, name: &str, logs: Option<&Logs>) -> Result<Option<Logged>, String> {
    let Some((file, text)) = &test.expected else { return Ok(logs.and_then(|logs| logs.get(name)).cloned()) };
    let all = read_log(text.as_ref().map_err(|why| format!("{file}: {why}"))?);
    let own = all.iter().find(|one| one.test == name).or(all.first()).cloned();
    own.map(Some).ok_or_else(|| format!("{file}: this is not what herd or litmus prints about a test"))
}

/// Runs a test, slice by slice: `next` has the budget of each, or says why there is none. `clock` tells seconds from any moment on.
pub fn row(test: &Test, how: &How, setting: &Setting, clock: &dyn Fn() -> f64, next: &mut Next) -> Row {
    let ran = Trial::open(test, how).and_then(|trial| {
        let expected = expected(test, &trial.name, setting.logs)?;
        let ran = trial.run(expected.as_ref(), setting, clock, next);
        Ok((trial.name, ran))
    });
    let file = test.file.clone();
    match ran {
        Ok((test, ran)) => Row { file, test, result: Ok(ran) },
        Err(why) => Row { test: stem(&file).to_owned(), file, result: Err(why) },
    }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;
    use crate::labs::folder::{Collection, cells, json, junit, summary, table};
    use crate::program::Notation;

    const SB: &str = "X86 SB\n{ }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                      exists (0:EAX=0 /\\ 1:EAX=0)\n";
    const NEVER: &str = "Test SB Allowed\nStates 3\n0:EAX=0; 1:EAX=1;\n0:EAX=1; 1:EAX=0;\n0:EAX=1; 1:EAX=1;\nNo\n\
                         Observation SB Never 0 3\n";

    fn of(model: &str) -> How {
        How { model: Some(model.parse().expect("a model")), ..How::default() }
    }

    fn test(text: &str, expected: Option<&str>) -> Test {
        let expected = expected.map(|text| ("a.expected".to_owned(), Ok(text.to_owned())));
        Test { file: "in/a.litmus".to_owned(), text: Ok(text.to_owned()), expected }
    }

    fn rows(test: &Test, how: &How, setting: &Setting) -> Row {
        row(test, how, setting, &|| 0.0, &mut || Ok(Budget::unlimited()))
    }

    /// Executions that are left out because a thread waits in vain are counted, and change nothing else.
    #[test]
    fn what_waits_in_vain_changes_no_answer() {
        let mut fewer = 0;
        for text in [
            include_str!("../../../../../public/mcs.lit"),
            include_str!("../../../../../public/peterson.lit"),
            include_str!("../../../../../public/seqlock-loop.lit"),
            include_str!("../../../../../public/spinlock.lit"),
            include_str!("../../../../../public/ticketlock.lit"),
            "x := 1; x := 2 || repeat { a := x } until a = 2\n|| b := x; assume b > 0; assert b = 2",
        ] {
            for model in ["sc", "tso", "wra", "rc11"] {
                let of = |leave_out_waits| {
                    let how = of(model);
                    let options = Options { leave_out_waits, ..how.options };
                    rows(&test(text, None), &How { options, ..how }, &Setting::default()).result.expect("a test")
                };
                let (some, all) = (of(true), of(false));
                fewer += all.executions - some.executions;
                let executions = some.executions;
                assert_eq!(Ran { executions, position: some.position, ..all }, some, "{model}\n{text}");
            }
        }
        assert!(fewer > 0);
    }

    #[test]
    fn a_row_says_what_was_expected_and_found() {
        let setting = Setting { explain: Some(|_, _, _, _, _, _| "because".to_owned()), ..Setting::default() };
        let agrees = rows(&test(SB, Some(NEVER)), &of("sc"), &setting);
        assert_eq!((agrees.test.as_str(), agrees.status(), agrees.remarks().len()), ("SB", Status::Agrees, 0));
        let differs = rows(&test(SB, Some(NEVER)), &of("tso"), &setting);
        assert_eq!(differs.status(), Status::Differs);
        assert_eq!(differs.remarks(), ["Sometimes here, Never expected", "0:eax=0; 1:eax=0: only here"]);
        assert_eq!(differs.reasons(), ["because"]);
        let ok = rows(&test(SB, None), &of("tso"), &setting);
        assert_eq!(cells(&ok)[..6], ["SB", "tso", "allowed", "Sometimes", "4", "4"]);
        let not = rows(&test(SB, None), &of("sc"), &setting);
        assert_eq!(cells(&not)[..6], ["SB", "sc", "forbidden", "Never", "3", "3"]);
        assert!(!not.status().fails() && !ok.status().fails());
        let bad = rows(&test("X86 bad\n{ }\n P0;\n FOO;\n", None), &of("tso"), &setting);
        assert_eq!((bad.test.as_str(), bad.status()), ("a", Status::Unreadable));
        let nothing = rows(&test(SB, Some("what?")), &of("tso"), &setting);
        assert_eq!(nothing.remarks(), ["a.expected: this is not what herd or litmus prints about a test"]);
        let all = [&agrees, &differs, &ok, &bad];
        assert_eq!(
            summary(&all, 2, 1.5),
            "4 tests in 1.500 s: 1 agrees, 1 differs, 1 allowed, 1 unreadable\ninterrupted: 2 tests left"
        );
        assert!(table(&all, 0, 1.5).contains("\n    Sometimes here, Never expected\n"));
        assert!(junit(&all, 1.5).contains("tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"0\""));
        assert_eq!(json(&all).lines().count(), 4);
        // As workers send it.
        let sent = serde_json::to_string(&differs).expect("plain data");
        assert_eq!(serde_json::from_str::<Row>(&sent).expect("the same"), differs);
    }

    #[test]
    fn a_test_that_names_no_model_has_that_of_its_notation() {
        let model = |text: &str, how: &How| cells(&rows(&test(text, None), how, &Setting::default()))[1].clone();
        let c = "C c\n{}\nP0 (atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)";
        let mut how = How::default();
        assert_eq!([SB, c].map(|text| model(text, &how)), ["tso", "rc11"]);
        how.usual.choose(Notation::C11, Model::RC20);
        assert_eq!([SB, c].map(|text| model(text, &how)), ["tso", "rc20"]);
        assert_eq!([SB, c].map(|text| model(text, &of("pso"))), ["pso", "pso"]);
    }

    #[test]
    fn logs_count_where_nothing_stands_beside_a_test() {
        let mut collection = Collection::default();
        collection.add("all.log", Ok(NEVER.as_bytes().to_vec()));
        let logs = collection.contents().logs;
        let setting = Setting { logs: Some(&logs), ..Setting::default() };
        assert_eq!(rows(&test(SB, None), &of("tso"), &setting).status(), Status::Differs);
        let beside = NEVER.replace("Never 0 3", "Sometimes 1 3").replace("States 3", "States 0");
        assert_ne!(rows(&test(SB, Some(&beside)), &of("sc"), &setting).status(), Status::Agrees);
    }

    #[test]
    fn a_test_that_is_not_explored_to_its_end_is_bounded() {
        let long = "shared x\n".to_owned() + &["fai(x)"; 9].join(" || ") + "\nexists (x = 9)\n";
        let mut slices = 0;
        let mut next = || {
            slices += 1;
            if slices > 3 { Err(Interruption::Timeout) } else { Ok(Budget::unlimited()) }
        };
        let mut test = test(&long, Some("Test a Allowed\nObservation a Never 0 1\n"));
        test.file = "a.lit".to_owned();
        let row = row(&test, &of("sc"), &Setting::default(), &|| 0.0, &mut next);
        assert_eq!((row.status(), row.test.as_str()), (Status::Bounded, "a"), "{row:?}");
        let ran = row.result.expect("it was run");
        assert!(ran.executions > 0 && ran.difference.is_none());
    }

    #[test]
    fn every_algorithm_runs_a_test() {
        for algorithm in Algorithm::all_that_see_all() {
            let how = How { algorithm: Some(algorithm), ..of("sc") };
            let row = rows(&test(SB, Some(NEVER)), &how, &Setting::default());
            let is_known = algorithm.knows(of("sc").model.expect("one"));
            assert!(!is_known || row.status() == Status::Agrees, "{algorithm:?}: {row:?}");
        }
        assert_eq!(Trial::needs(&test(SB, None), &of("tso")), None);
    }
}
