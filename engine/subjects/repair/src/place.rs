//! What is looked at of a program's repairs: what links, scenes and sessions keep.

use crate::sites::Choice;
use crate::view::RepairRequest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is open beside the drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepairSheet {
    /// What was found.
    #[default]
    Found,
    /// The program, with what is changed.
    Program,
    /// The reader's own try.
    Own,
}

/// What is asked of a program, and what is looked at of the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RepairPlace {
    /// What is not needed is asked; else what would forbid it.
    #[serde(skip_serializing_if = "is_default")]
    pub weaken: bool,
    /// No outcome may be new.
    #[serde(skip_serializing_if = "is_default")]
    pub same_outcomes: bool,
    /// The outcome; empty for what the program's text says.
    #[serde(skip_serializing_if = "is_default")]
    pub outcome: String,
    /// Which of these are left alone: fences, modes, exchanges.
    #[serde(skip_serializing_if = "is_default")]
    pub lacks: (bool, bool, bool),
    /// Lines that are left alone.
    #[serde(skip_serializing_if = "is_default")]
    pub keep: Vec<u32>,
    /// The name of a table of costs; empty for the usual one.
    #[serde(skip_serializing_if = "is_default")]
    pub costs: String,
    /// Which of those that are listed is looked at, from 1; 0 for none.
    #[serde(skip_serializing_if = "is_default")]
    pub chosen: u32,
    /// Which execution is drawn, from 0.
    #[serde(skip_serializing_if = "is_default")]
    pub execution: u32,
    /// It is drawn as it is before the changes.
    #[serde(skip_serializing_if = "is_default")]
    pub before: bool,
    /// What the reader tries: by site, its level.
    #[serde(skip_serializing_if = "is_default")]
    pub own: Option<Choice>,
    /// What is told.
    #[serde(skip_serializing_if = "is_default")]
    pub sheet: RepairSheet,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl RepairPlace {
    /// Where a request is, if this is told beside it.
    pub fn of(request: &RepairRequest, sheet: RepairSheet) -> Self {
        let lacks = (request.no_fences, request.no_modes, request.no_exchanges);
        let RepairRequest { weaken, same_outcomes, outcome, keep, costs, chosen, execution, before, own, .. } =
            request.clone();
        Self { weaken, same_outcomes, outcome, lacks, keep, costs, chosen, execution, before, own, sheet }
    }

    /// The same of another text: what is asked stays, but for what is about the text.
    #[must_use]
    pub fn elsewhere(self) -> Self {
        let Self { weaken, same_outcomes, lacks, costs, sheet, .. } = self;
        Self { weaken, same_outcomes, lacks, costs, sheet, ..Self::default() }
    }

    /// Asks for what is there, of the text and the model that the request has.
    pub fn ask(self, request: &mut RepairRequest) {
        let Self { weaken, same_outcomes, outcome, lacks, keep, costs, chosen, execution, before, own, sheet: _ } =
            self;
        (request.weaken, request.same_outcomes, request.outcome) = (weaken, same_outcomes, outcome);
        (request.no_fences, request.no_modes, request.no_exchanges) = lacks;
        (request.keep, request.costs) = (keep, costs);
        (request.chosen, request.execution, request.before) = (chosen, execution, before);
        (request.own, request.grown) = (own, 0);
    }

    /// What was kept; `None` if it is no place.
    pub fn resume(kept: &Value) -> Option<Self> {
        Self::deserialize(kept).ok()
    }

    /// What is to be kept; `None` if there is nothing to keep.
    pub fn keep(&self) -> Option<Value> {
        if is_default(self) { None } else { serde_json::to_value(self).ok() }
    }
}
