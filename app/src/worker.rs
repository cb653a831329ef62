//! Web workers, in which the engine runs so that the page never freezes, and how the page and they speak.
//!
//! A worker has one [`wire::Role`] for its life: what it is asked and what it answers. The worker's side of a role is a
//! [`host::Half`]; the page's side speaks to it through a [`port::Port`], a worker to another one through a [`line::Line`]. Two roles
//! are here, since several labs ask for them: [`session`] and [`comparing`]; and one for each text that is opened and looked at
//! ([`inspecting`]). Each other one is in its lab.
//!
//! Whatever may take long runs in slices of a few milliseconds, with the worker's message queue in between, so that a stop and
//! everything else gets through while an exploration runs.

pub mod comparing;
pub mod comparison;
pub mod host;
pub mod inspecting;
pub mod lack;
pub mod line;
pub mod port;
pub mod session;
pub mod slices;
pub mod wire;

use wasm_bindgen::JsCast;
use web_sys::Performance;

/// How long a slice takes, in milliseconds.
pub const SLICE: f64 = 25.0;
/// Longer tables of outcomes wait for the end: to paint them again and again would take the page's time.
pub const MAX_EARLY_OUTCOMES: usize = 100;

/// Seconds from some moment on. A date has no more than milliseconds, in which small programs are explored.
pub fn seconds() -> f64 {
    thread_local! {
        static CLOCK: Option<Performance> =
            js_sys::Reflect::get(&js_sys::global(), &"performance".into()).ok().and_then(|clock| clock.dyn_into().ok());
    }
    CLOCK.with(|clock| clock.as_ref().map_or_else(js_sys::Date::now, Performance::now)) / 1000.0
}
