//! What is explored, how, and where in it somebody is.

use super::{Algorithm, Options};
use crate::model::Model;
use serde::{Deserialize, Serialize};

/// Everything that makes a session: what a link holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// The program text; its notation is told by its content.
    pub text: String,
    /// The memory model.
    pub model: Model,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// How to explore.
    pub options: Options,
    /// How many steps have been made.
    pub position: u64,
}
