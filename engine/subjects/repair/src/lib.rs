//! What would forbid an outcome, and what is not needed.
//!
//! A *repair* of a program strengthens some of its sites, so that something does not happen any more: an access gets a stronger mode, a fence goes
//! between two accesses, a plain write becomes an exchange. It is minimal if nothing of it can be left out or made weaker. A *weakening* makes sites
//! weaker, so that still nothing bad happens. It is maximal if nothing more can be made weaker. Both are one search ([`Search`]): a maximal
//! weakening is a minimal repair of the program with everything as weak as can be.
//!
//! ```
//! use litmoscope_core::budget::Budget;
//! use litmoscope_core::{model::Model, syntax};
//! use litmoscope_repair::{Aim, Bounds, Costs, Goal, Kept, Search, Subject};
//!
//! let program = syntax::parse("x := 1; a := y || y := 1; b := x\nexists (a = 0 /\\ b = 0)").expect("it is right").program;
//! let goal = Goal::of(&program);
//! let subject = Subject::new(program, Model::TSO, Aim::Strengthen { races: false }, Kept::default());
//! let mut search = Search::new(subject, goal, Default::default(), Costs::default(), Bounds::default()).expect("it compiles");
//! while search.advance(&mut Budget::unlimited()).expect("nobody stops it") {}
//! // A fence in each thread, an exchange in each, or one of either.
//! assert_eq!(search.found().len(), 4);
//! assert!(search.is_whole());
//! ```
//!
//! # What is where
//!
//! Each module knows only those above it in this list.
//!
//! - [`sites`](Site): where a program can be changed, and how;
//! - [`costs`](Costs): what changes cost;
//! - [`goal`](Goal): what is not to happen, and whether it does;
//! - `replay`: an execution in a program that was changed;
//! - `hitting`: choices that have all that is needed, by a SAT solver;
//! - [`search`](Search): all minimal choices;
//! - [`reasons`](RuledOut): what rules executions out in a repaired program;
//! - [`report`](RepairReport): what was found in words, and as JSON;
//! - [`view`]: what the page shows of it;
//! - [`place`](RepairPlace): what links, scenes and sessions keep of it.
#![warn(missing_docs, unreachable_pub)]

mod costs;
mod goal;
mod hitting;
mod place;
mod reasons;
mod replay;
mod report;
mod search;
mod sites;
pub mod view;

#[cfg(test)]
mod tests;

pub use costs::{Costs, CostsError, MOST_COST, TABLES, Table};
pub use goal::{Bad, Explored, Goal, Wanted, Why};
pub use place::{RepairPlace, RepairSheet};
pub use reasons::{Needed, RuledOut};
pub use report::{ChangeLine, RepairJson, RepairReport, repair_text};
pub use search::{Bounds, Effort, Judgement, Minimal, Search, Start};
pub use sites::{Aim, Choice, Kept, Owner, Setting, Site, SiteKind, Subject};
