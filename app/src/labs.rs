//! The labs: what can be done with a text. Each is a folder with all that is its own: what it knows, its panel, its worker's
//! half, its style sheet. No lab knows another one; what they have in common is [`crate::app`].

pub mod beside;
pub mod comparison;
pub mod consistency;
pub mod gallery;
pub mod generator;
pub mod lessons;
pub mod running;
pub mod stepping;
pub mod why_not;
