//! What commands explore: the program, the model, the algorithm.

use super::Failure;
use super::input::{Input, Messages};
use crate::What;
use litmoscope::budget::{Budget, Paused};
use litmoscope::document::PROGRAM;
use litmoscope::explore::{
    Algorithm, Findings, Followed, InvalidOption, Options, Parameters, UnknownAlgorithm, Walk, Work,
};
use litmoscope::model::Model;
use litmoscope::program::{Code, CompileError, Program};
use litmoscope::report::{Report, Unfinished};
use litmoscope::run::Exploration;
use litmoscope::session;
use litmoscope::syntax::{Diagnostic, Parsed, with_mailboxes};
use std::str::FromStr;
use std::sync::Arc;

/// The algorithm that the user wants.
#[derive(Clone, Copy)]
pub enum Choice {
    /// The fastest one.
    Auto,
    This(Algorithm),
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name.eq_ignore_ascii_case("auto") {
            return Ok(Self::Auto);
        }
        name.parse().map(Self::This).map_err(|error: UnknownAlgorithm| {
            format!(
                "{error}; or auto, to let Litmoscope \
                                                                                choose"
            )
        })
    }
}

/// Why a program can't be explored.
enum Unread {
    /// Something is wrong with the text.
    Wrong(Input, Vec<Diagnostic>),
    Failed(Failure),
}

impl From<Failure> for Unread {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// A program and what to explore it with.
pub struct Subject {
    pub input: Input,
    pub program: Arc<Program>,
    pub code: Arc<Code>,
    pub model: Model,
    pub algorithm: Algorithm,
    pub options: Options,
}

impl Subject {
    /// Reads the program; `None` if it can't be explored, which has been said then.
    pub fn read(what: &What, options: Options, followed: Followed, wanted: Messages) -> Result<Option<Self>, Failure> {
        match Self::attempt(what, options, followed) {
            Ok((subject, notes)) => {
                subject.input.show_wanted(&notes, wanted);
                Ok(Some(subject))
            }
            Err(Unread::Wrong(input, wrong)) => {
                input.refuse(&PROGRAM, &wrong);
                Ok(None)
            }
            Err(Unread::Failed(failure)) => Err(failure),
        }
    }

    /// The same with what is to be said.
    fn attempt(what: &What, options: Options, followed: Followed) -> Result<(Self, Vec<Diagnostic>), Unread> {
        let mut input = Input::read(&what.file)?;
        if let Some(mailbox) = what.mailbox {
            if let Err(wrong) = input.parsed() {
                return Err(Unread::Wrong(input, wrong));
            }
            input.text = with_mailboxes(&input.text, mailbox).ok_or_else(|| {
                Failure("--mailbox is for programs with handlers, and this one has none: leave it out".to_owned())
            })?;
        }
        let read = input.parsed().and_then(|Parsed { program, mut notes }| {
            let (model, note) = Input::model(what.model, &program).map_err(|wrong| vec![wrong])?;
            notes.extend(note);
            let wrong = |error: CompileError| vec![Diagnostic::error(error.to_string(), error.span())];
            Ok((Code::compile(&program).map_err(wrong)?, program, model, notes))
        });
        let (code, program, model, mut notes) = match read {
            Ok((code, program, model, notes)) => (model.prepare(Arc::new(code)), program, model, notes),
            Err(wrong) => return Err(Unread::Wrong(input, wrong)),
        };
        // With no more room than it may need, files and links of it are what they always were.
        let options = Options { limits: options.limits.with_room_for(&code), ..options };
        notes.extend(session::notes(&program, &code, model, options.limits));
        let mut subject =
            Self { input, program: Arc::new(program), code, model, algorithm: Algorithm::default(), options };
        match what.algorithm {
            Choice::This(algorithm) => subject.algorithm = algorithm,
            Choice::Auto => {
                let Self { program, code, .. } = &subject;
                // All machines are there.
                subject.algorithm = Algorithm::fastest(program, code, model, options, followed).unwrap_or_default();
            }
        }
        let refuse = |error: InvalidOption| Failure(error.to_string());
        let parameters = what.parameters.iter().map(|(name, number)| (name.as_str(), *number));
        subject.options.parameters = Parameters::named(subject.algorithm, parameters).map_err(refuse)?;
        subject.options.validate_for_program(subject.algorithm, model, &subject.code).map_err(refuse)?;
        subject.options = subject.options.heeded_by(subject.algorithm);
        Ok((subject, notes))
    }

    /// Counts executions with co, unless somebody wants an algorithm or there is none that does.
    pub fn count_with_co(&mut self, choice: Choice) {
        let with_co = self.algorithm.with_or_without_co(true);
        let fits = self.options.validate_for_program(with_co, self.model, &self.code).is_ok();
        if matches!(choice, Choice::Auto) && fits {
            self.algorithm = with_co;
        }
    }

    /// What to call the program.
    pub fn name(&self) -> &str {
        self.input.name(&self.program)
    }

    /// What there is to say of what was found in so many seconds.
    pub fn report<'a>(&'a self, findings: &'a Findings, seconds: f64, unfinished: Option<Unfinished>) -> Report<'a> {
        Report {
            name: self.name(),
            program: &self.program,
            source: &self.input.text,
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

    /// Whether an algorithm can explore it in parts.
    fn can_be_cut(&self, algorithm: Algorithm) -> bool {
        let (code, program) = (Arc::clone(&self.code), Arc::clone(&self.program));
        algorithm.walk(code, program, self.model, self.options, &Work::default()).is_some()
    }

    /// Whether it can be explored in parts.
    pub fn is_divisible(&self) -> bool {
        self.can_be_cut(self.algorithm)
    }
}

/// The executions of a subject, as another algorithm explores them.
pub struct Counterpart<'a> {
    pub subject: &'a Subject,
    pub algorithm: Algorithm,
}

impl Exploration for Counterpart<'_> {
    fn nothing(&self) -> Findings {
        self.subject.nothing()
    }

    fn walk_within(&self, work: &Work, budget: &mut Budget) -> Result<Option<Box<dyn Walk + '_>>, Paused> {
        let Subject { program, code, model, options, .. } = self.subject;
        let (code, program) = (Arc::clone(code), Arc::clone(program));
        self.algorithm.walk_within(code, program, *model, options.without_reductions(), work, budget)
    }
}

/// Of the algorithms that can be cut into parts.
impl Exploration for Subject {
    fn nothing(&self) -> Findings {
        Findings::within(&self.program, self.options.limits)
    }

    fn walk_within(&self, work: &Work, budget: &mut Budget) -> Result<Option<Box<dyn Walk + '_>>, Paused> {
        let (code, program) = (Arc::clone(&self.code), Arc::clone(&self.program));
        let walk = self.algorithm.walk_within(code, program, self.model, self.options, work, budget)?;
        Ok(walk.map(|walk| walk as Box<dyn Walk>))
    }
}
