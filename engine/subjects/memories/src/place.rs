//! Where the lab is in a memory implementation: what links, scenes and sessions keep.

use super::view::MemoryRequest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What is told beside the drawings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemorySheet {
    /// The run by hand.
    #[default]
    Run,
    /// What is known of the run.
    Verdict,
    /// All runs, for several sizes.
    Table,
    /// A program on it.
    Program,
    /// The saturation.
    Saturation,
    /// Why it is hard, and the automata.
    Hard,
}

/// Where the lab is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemoryPlace {
    /// Parameters that are set.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, i64>,
    /// Registers hold nothing at first.
    #[serde(skip_serializing_if = "is_default")]
    pub nothing: bool,
    /// Automata begin as it is printed.
    #[serde(skip_serializing_if = "is_default")]
    pub printed: bool,
    /// The run.
    #[serde(skip_serializing_if = "is_default")]
    pub run: String,
    /// How many of its steps are shown; all of them if it does not say.
    #[serde(skip_serializing_if = "is_default")]
    pub at: Option<u32>,
    /// What is told.
    #[serde(skip_serializing_if = "is_default")]
    pub sheet: MemorySheet,
    /// The step of the saturation.
    #[serde(skip_serializing_if = "is_default")]
    pub step: Option<u32>,
    /// The program that is run on it.
    #[serde(skip_serializing_if = "is_default")]
    pub program: String,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl MemoryPlace {
    /// Where a request is, if this is told beside it, without a program; `all` is how many steps its run has, so far as that is known.
    pub fn of(request: &MemoryRequest, sheet: MemorySheet, all: Option<u32>) -> Self {
        let is_within = |at: &u32| !request.run.is_empty() && *at != u32::MAX && all.is_none_or(|all| *at < all);
        Self {
            set: request.settings.iter().cloned().collect(),
            nothing: request.holds_nothing,
            printed: request.as_printed,
            run: request.run.clone(),
            at: Some(request.at).filter(is_within),
            sheet,
            step: request.saturation,
            program: String::new(),
        }
    }

    /// Asks for what is there, but for what is no part of a place, and for the program.
    pub fn ask(self, request: &mut MemoryRequest) {
        let Self { set, nothing, printed, run, at, sheet, step, program: _ } = self;
        request.settings = set.into_iter().collect();
        (request.holds_nothing, request.as_printed) = (nothing, printed);
        (request.run, request.at, request.random) = (run, at.unwrap_or(u32::MAX), None);
        request.saturation = (sheet == MemorySheet::Saturation).then(|| step.unwrap_or(1));
    }

    /// As JSON; `None` for the beginning.
    pub fn keep(&self) -> Option<Value> {
        if is_default(self) { None } else { serde_json::to_value(self).ok() }
    }

    /// What was kept; `None` if that is no place.
    pub fn resume(kept: &Value) -> Option<Self> {
        Self::deserialize(kept).ok()
    }
}
