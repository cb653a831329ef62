//! The role of a worker that runs tests, one after the other, and says why one differs.

use litmoscope::budget::{Budget, PATIENCE};
use litmoscope::labs::folder::{How, Logs, Row, Setting, Test, Trial, row};
use litmoscope::labs::why_not::brief_answer;
use litmoscope::report::Difference;
use litmoscope::run::Interruption;
use serde::{Deserialize, Serialize};

use crate::worker::host::{Half, Need, Out};
use crate::worker::seconds;
use crate::worker::wire::{RequestId, Role};

/// Runs tests.
#[derive(Debug)]
pub enum Trials {}

impl Role for Trials {
    const NAME: &'static str = "test";
    type Request = Request;
    type Answer = Answer;
}

/// What it is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Tells what was printed of tests, once.
    Know(Logs),
    /// Runs a test.
    Run {
        /// The test.
        test: Test,
        /// How.
        how: How,
        /// For how long at most, in seconds.
        seconds: f64,
    },
    /// Says why a test differs.
    Explain {
        /// The test.
        test: Test,
        /// How it was run.
        how: How,
        /// How it differs.
        difference: Difference,
    },
}

/// What it answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// What came of a test.
    Ran(Box<Row>),
    /// Why it differs: texts of several lines.
    Explained(Vec<String>),
}

/// The half that runs.
#[derive(Default)]
pub struct Worker {
    logs: Logs,
}

impl Half for Worker {
    type Role = Trials;
    /// It tells itself nothing: who wants it to stop ends it.
    type Message = ();

    fn needs(&self, request: &Request) -> Option<Need> {
        let (Request::Run { test, how, .. } | Request::Explain { test, how, .. }) = request else { return None };
        let text = test.text.as_ref().ok()?;
        Need::of_text(text).or_else(|| Trial::needs(test, how).map(Need::Machine))
    }

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: Request) {
        match request {
            Request::Know(logs) => self.logs = logs,
            Request::Run { test, how, seconds: most } => {
                let end = seconds() + most;
                let mut next = || if seconds() < end { Ok(Budget::of(PATIENCE)) } else { Err(Interruption::Timeout) };
                let setting = Setting { logs: Some(&self.logs), ..Setting::default() };
                out.say(id, Answer::Ran(Box::new(row(&test, &how, &setting, &seconds, &mut next))));
            }
            Request::Explain { test, how, difference } => {
                let reasons = Trial::open(&test, &how).map(|trial| trial.reasons(&difference, brief_answer));
                out.say(id, Answer::Explained(reasons.unwrap_or_else(|why| vec![why])));
            }
        }
    }

    fn go_on(&mut self, _out: &Out<Self>, (): ()) {}

    fn stop(&mut self, _out: &Out<Self>) {}
}
