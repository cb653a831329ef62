//! Runs as files: what `litmoscope explore --save` writes and the page opens.
//!
//! A run is one JSON object:
//!
//! | key | what it is |
//! | --- | --- |
//! | `litmoscope` | the version of this format, [`RUN_VERSION`] |
//! | `text`, `notation` | the program and how to read it |
//! | `model`, `algorithm`, `options` | what it was explored with, as the engine writes them |
//! | `report` | counts, outcomes, verdict: the object that `--json` prints ([`ResultsJson`]) |
//! | `graphs` | the moments worth showing ([`RunGraphs`]), each `null` or a [`Moment`]: its `position`, `step`, `graph` and `co` |
//! | `settled` | up to which position nothing is missing, so that a session gets to the same graph; `null`: everywhere |
//!
//! A version, once published, is read for ever; keys may be added.

use super::ResultsJson;
use crate::explore::{Algorithm, Moment, Options};
use crate::model::Model;
use crate::program::{Code, Limits, Notation, Program};
use crate::run::{GraphError, validate_moment};
use crate::syntax;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The version that is written.
pub const RUN_VERSION: u32 = 1;
/// The longest file that is read, in bytes.
const MAX_RUN: usize = 64 * 1024 * 1024;

/// A run, as it is in a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunFile {
    /// The version of the format.
    pub litmoscope: u32,
    /// The program's text.
    pub text: String,
    /// How to read it.
    pub notation: Notation,
    /// The memory model.
    pub model: Model,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// How it was explored.
    pub options: Options,
    /// Counts, outcomes and the verdict.
    pub report: ResultsJson,
    /// What is worth showing.
    pub graphs: RunGraphs,
    /// Up to this position, nothing is missing that the exploration would go through first: a session with the same
    /// settings is at the same graph there. `None`: everywhere.
    pub settled: Option<u64>,
}

/// The moments of a run that are worth showing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RunGraphs {
    /// The first whole execution that is not blocked, or the first of all.
    pub first: Option<Moment>,
    /// The first that is wrong.
    pub violation: Option<Moment>,
    /// The first that an `exists` asks for.
    pub witness: Option<Moment>,
}

/// A run that was read, its program understood and its graphs found to be the program's.
#[derive(Clone, Debug)]
pub struct SavedRun {
    /// What the file says.
    pub file: RunFile,
    /// The program.
    pub program: Program,
    /// Its code.
    pub code: Arc<Code>,
}

/// Why a run can't be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunFileError {
    /// Longer than any run.
    #[error("this file is too large to be a saved run: it has {0} bytes, more than {MAX_RUN}")]
    TooLarge(usize),
    /// Not JSON, or not a run.
    #[error("this is not a run that `litmoscope explore --save` wrote: {0}")]
    NoRun(String),
    /// Made by a version to come.
    #[error("this run has version {0}, and at most version {RUN_VERSION} is read here; use a newer Litmoscope")]
    UnknownVersion(u32),
    /// Its text is no program, or none that can be explored.
    #[error("the program in this run can't be read: {0}")]
    Program(String),
    /// Its options are out of range.
    #[error("the options in this run can't be read: {0}")]
    Options(String),
    /// Its graphs are not those of its program.
    #[error("this run is damaged: it has {0}")]
    Graph(#[from] GraphError),
}

impl RunFile {
    /// The file's content.
    pub fn encode(&self) -> String {
        let mut text = serde_json::to_string(self).expect("plain data serialises");
        text.push('\n');
        text
    }

    /// The algorithm that a file names, if it names one: who decodes the file needs its machine ([`Algorithm::is_there`]).
    pub fn algorithm_of(content: &str) -> Option<Algorithm> {
        #[derive(Deserialize)]
        struct Named {
            algorithm: Algorithm,
        }
        let named: Option<Named> = (content.len() <= MAX_RUN).then(|| serde_json::from_str(content).ok()).flatten();
        named.map(|named| named.algorithm)
    }

    /// Reads a file's content. Time and memory are bounded whatever it is, and what is read can be drawn: its graphs are
    /// those of its program. Nothing says that they are what an exploration finds, or that its numbers are.
    ///
    /// # Errors
    /// [`RunFileError`] for anything that [`Self::encode`] did not make.
    pub fn decode(content: &str) -> Result<SavedRun, RunFileError> {
        #[derive(Deserialize)]
        struct Version {
            litmoscope: u32,
        }
        if content.len() > MAX_RUN {
            return Err(RunFileError::TooLarge(content.len()));
        }
        let no_run = |error: serde_json::Error| RunFileError::NoRun(error.to_string());
        // The version first: a later one may have other keys.
        let Version { litmoscope } = serde_json::from_str(content).map_err(no_run)?;
        if litmoscope != RUN_VERSION {
            return Err(RunFileError::UnknownVersion(litmoscope));
        }
        let file: Self = serde_json::from_str(content).map_err(no_run)?;
        file.options
            .validate_for(file.algorithm, file.model)
            .map_err(|error| RunFileError::Options(error.to_string()))?;
        let (limits, most) = (file.options.limits, Limits::default());
        if limits.local_steps > most.local_steps || limits.events > Limits::MAX_EVENTS {
            return Err(RunFileError::Options("it allows longer threads than can be explored".to_owned()));
        }
        let program = syntax::parse_as(file.notation, &file.text)
            .map_err(|errors| RunFileError::Program(errors.first().map_or_else(String::new, |e| e.message.clone())))?
            .program;
        let code = Code::compile(&program).map_err(|error| RunFileError::Program(error.to_string()))?;
        let code = file.model.prepare(Arc::new(code));
        for moment in [&file.graphs.first, &file.graphs.violation, &file.graphs.witness].into_iter().flatten() {
            validate_moment(&code, file.options.limits, moment)?;
        }
        Ok(SavedRun { file, program, code })
    }
}
