//! What belongs to one lab alone: its words, its JSON, and what the page shows of it. No lab knows another one.

pub mod atlas;
pub mod beside;
pub mod comparison;
pub mod consistency;
pub mod event_driven;
pub mod folder;
pub mod linearizability;
pub mod protocol;
pub mod race;
#[cfg(test)]
mod readable;
pub mod runs;
pub mod why_not;

/// A drawing that is no wider and no higher has letters of 9 pixels or more in a panel of 600 by 500: its smallest, those of titles,
/// have 13.
const READABLE: [f32; 2] = [600.0 * 13.0 / 9.0, 500.0 * 13.0 / 9.0];
