//! What threads wait for each other with: that of [`litmoscope_explore::run`].

pub(crate) use litmoscope_explore::run::sync::{Mutex, scope, spawn_up_to};
