//! What threads wait for each other with: that of [`litmoscope_explore::run`].

pub(super) use litmoscope_explore::run::sync::{Mutex, atomic, mpsc, scope, spawn_up_to};
