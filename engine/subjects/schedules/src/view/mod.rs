//! What the page shows of schedules at a place: words, numbers and drawings. All of it is made here; who shows it adds nothing.
//!
//! - [`verify`]: a verifier at work, step by step, with its results as they come. `tree` is its tree, drawn; `words` says what a step does.

#[cfg(test)]
mod tests;
mod tree;
pub mod verify;
mod words;

pub use tree::Region;
