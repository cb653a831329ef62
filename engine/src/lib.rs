//! Stateless model checking under weak memory models.
#![warn(missing_docs)]
