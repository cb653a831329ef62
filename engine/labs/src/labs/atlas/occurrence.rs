//! Whether an outcome occurs: the question of a page, asked of one program under one model.

use crate::compare::{ALGORITHM, OutcomeQuestion};
use crate::explore::{Options, Results, Step};
use crate::graph::Execution;
use crate::model::Model;
use crate::program::{Code, Condition, Program, Proposition, Quantifier, Span};
use std::sync::Arc;

/// What a page asks of its program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether an execution ends so.
    Outcome {
        /// What holds of the final state.
        proposition: Proposition,
        /// The same as text.
        text: String,
    },
    /// Whether something goes wrong: the program has no condition.
    Error,
}

/// Whether it occurs.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Occurrence {
    /// In this execution.
    Yes(Box<Execution>),
    /// In none.
    No,
    /// None was found within the bounds.
    Unknown,
}

impl Question {
    /// That of a program. A condition that is to hold always asks for what contradicts it.
    pub fn of(program: &Program) -> Self {
        let Some(asked) = OutcomeQuestion::of_condition(program) else { return Self::Error };
        let Some(Condition { quantifier, proposition, .. }) = &program.condition else { return Self::Error };
        let proposition = match quantifier {
            Quantifier::Exists | Quantifier::NotExists => proposition.clone(),
            Quantifier::ForAll => Proposition::Not(Box::new(proposition.clone())),
        };
        Self::Outcome { proposition, text: asked.text(program) }
    }

    /// Whether a row is asked for that satisfies the program's own condition, or does not.
    pub fn asks_for(program: &Program, satisfies: Option<bool>) -> bool {
        let wanted = program.condition.as_ref().map(|condition| condition.quantifier != Quantifier::ForAll);
        wanted.is_some() && satisfies == wanted
    }

    /// Looks for it in a program, by at most so many steps.
    pub(super) fn occurs(&self, program: &Program, model: Model, options: Options, steps: u64) -> Occurrence {
        let program = match self {
            Self::Outcome { proposition, .. } => {
                let proposition = proposition.clone();
                let condition = Condition { quantifier: Quantifier::Exists, proposition, span: Span::default() };
                Program { observed: Some(Vec::new()), condition: Some(condition), ..program.clone() }
            }
            Self::Error => program.clone(),
        };
        let Ok(code) = Code::compile(&program) else { return Occurrence::Unknown };
        let code = Arc::new(code);
        let Ok(mut explorer) = ALGORITHM.explorer(Arc::clone(&code), model, options) else {
            return Occurrence::Unknown;
        };
        let mut results = Results::new(&program);
        loop {
            let step = explorer.advance();
            let counts = explorer.counts();
            if *self != Self::Error {
                results.observe(&program, &code, model, &*explorer, step);
            }
            match step {
                Step::Done if counts.bounded + counts.undecided + results.unlisted() > 0 => {
                    return Occurrence::Unknown;
                }
                Step::Done => return Occurrence::No,
                Step::Execution { kind, .. } => {
                    let found = match self {
                        Self::Outcome { .. } => results.outcomes().any(|(_, outcome)| outcome.satisfies == Some(true)),
                        Self::Error => kind.is_wrong(),
                    };
                    if found {
                        return Occurrence::Yes(Box::new(explorer.execution().clone()));
                    }
                }
                _ if counts.steps >= steps => return Occurrence::Unknown,
                _ => {}
            }
        }
    }
}
