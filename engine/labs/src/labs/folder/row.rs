//! What came of a test.

use crate::explore::{Algorithm, Answer, Verdict};
use crate::model::Model;
use crate::report::{Difference, Observation};
use serde::{Deserialize, Serialize};

/// What came of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What its file is called, with its folders.
    pub file: String,
    /// What the test is called.
    pub test: String,
    /// What was found; or why there is nothing, in a sentence.
    pub result: Result<Ran, String>,
}

/// What was found in a test that could be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// Under which model.
    pub model: Model,
    /// By which algorithm.
    pub algorithm: Algorithm,
    /// What can be said of the program.
    pub verdict: Verdict,
    /// The answer to `exists`.
    pub answer: Option<Answer>,
    /// In which executions its condition holds; `None` if it has none.
    pub observation: Option<Observation>,
    /// Final states.
    pub states: usize,
    /// Executions.
    pub executions: u64,
    /// How long it took.
    pub seconds: f64,
    /// As herd prints it, if that is wanted.
    pub herd: String,
    /// Errors of the program, in sentences.
    pub faults: Vec<String>,
    /// What of the text is read as something else, or left out.
    pub warnings: Vec<String>,
    /// How it differs from what was expected; `None` if nothing was, or if not everything was explored.
    pub difference: Option<Difference>,
    /// Why, in texts of several lines, if somebody wants to know.
    pub reasons: Vec<String>,
    /// The step at which the decisive execution is: the first that is wrong, or else a witness, or else the first.
    pub position: u64,
    /// A link to that, if somebody wants one.
    pub link: Option<String>,
}

/// What came of a test, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// It is as expected.
    Agrees,
    /// It is not.
    Differs,
    /// Nothing was expected, and nothing is wrong.
    Ok,
    /// Nothing was expected, nothing is wrong, and what `exists` asks about occurs.
    Allowed,
    /// The same, and it does not.
    Forbidden,
    /// Something is wrong: an error, a race, an execution that is stuck for good, or a condition that does not hold.
    Violated,
    /// Nothing wrong was found, but not everything was explored. It is never taken for verified.
    Bounded,
    /// It can't be read.
    Unreadable,
}

impl Status {
    /// All of them, in the order of summaries.
    pub const ALL: [Self; 8] = [
        Self::Agrees,
        Self::Differs,
        Self::Ok,
        Self::Allowed,
        Self::Forbidden,
        Self::Violated,
        Self::Bounded,
        Self::Unreadable,
    ];

    /// The word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::Ok => "ok",
            Self::Allowed => Answer::Allowed.name(),
            Self::Forbidden => Answer::Forbidden.name(),
            Self::Violated => "violated",
            Self::Bounded => "bounded",
            Self::Unreadable => "unreadable",
        }
    }

    /// Whether somebody has to look at it: it differs, is wrong, or can't be read.
    pub const fn fails(self) -> bool {
        matches!(self, Self::Differs | Self::Violated | Self::Unreadable)
    }
}

impl Row {
    /// In a word.
    pub fn status(&self) -> Status {
        match &self.result {
            Err(_) => Status::Unreadable,
            Ok(ran) => match (&ran.difference, ran.verdict) {
                _ if !ran.faults.is_empty() && ran.difference.is_none() => Status::Violated,
                (_, Verdict::Bounded) => Status::Bounded,
                (Some(difference), _) if difference.is_empty() => Status::Agrees,
                (Some(_), _) => Status::Differs,
                (None, Verdict::Ok) => match ran.answer {
                    None => Status::Ok,
                    Some(Answer::Allowed) => Status::Allowed,
                    Some(Answer::Forbidden) => Status::Forbidden,
                },
                (None, _) => Status::Violated,
            },
        }
    }

    /// What there is to say beside its numbers.
    pub fn remarks(&self) -> Vec<String> {
        match &self.result {
            Err(message) => vec![message.clone()],
            Ok(ran) => {
                let differences = ran.difference.iter().flat_map(Difference::sentences);
                ran.faults.iter().cloned().chain(differences).chain(ran.warnings.iter().cloned()).collect()
            }
        }
    }

    /// How long it took, in seconds.
    pub fn seconds(&self) -> f64 {
        self.result.as_ref().map_or(0.0, |ran| ran.seconds)
    }

    /// Why it differs, as far as somebody wanted to know.
    pub fn reasons(&self) -> &[String] {
        self.result.as_ref().map_or(&[], |ran| &ran.reasons)
    }
}
