//! What belongs to one lab alone: its words, its JSON, and what the page shows of it. No lab knows another one.

pub mod atlas;
pub mod beside;
pub mod comparison;
pub mod consistency;
pub mod folder;
pub mod race;
#[cfg(test)]
mod readable;
pub mod runs;
pub mod why_not;
