//! Icons as shapes: the characters for them are missing in many fonts.

use leptos::prelude::*;

/// To the start.
pub const START: &str = "M3 3h2v10H3zM13 3v10L6 8z";
/// Back by an execution.
pub const PREVIOUS: &str = "M8 3v10L1.5 8zM14.5 3v10L8 8z";
/// Back by a step.
pub const BACK: &str = "M11 3v10L4 8z";
/// On by a step.
pub const FORWARD: &str = "M5 3v10l7-5z";
/// On by an execution.
pub const NEXT: &str = "M1.5 3v10L8 8zM8 3v10l6.5-5z";
/// To the end.
pub const END: &str = "M11 3h2v10h-2zM3 3v10l7-5z";
/// Something wrong.
pub const VIOLATION: &str = "M8 1.5 15.3 14H.7zM7.2 6v4h1.6V6zM7.2 11v1.6h1.6V11z";
/// By itself.
pub const PLAY: &str = "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zM6.4 4.6v6.8L11.6 8z";
/// No longer by itself.
pub const PAUSE: &str = "M4 3h3v10H4zM9 3h3v10H9z";
/// Stop.
pub const STOP: &str = "M3.5 3.5h9v9h-9z";
/// Settings: sliders.
pub const SETTINGS: &str = "M1 2.6h8V1.2h3v1.4h3v1.5h-3v1.4H9V4.1H1zM1 7.3h2.5V5.9h3v1.4H15v1.5H6.5v1.4h-3V8.8H1z\
                            M1 12h6.5v-1.4h3V12H15v1.5h-4.5v1.4h-3v-1.4H1z";
/// Find: a lens.
pub const FIND: &str = "M6.5 1a5.5 5.5 0 1 0 3.3 9.9l3.9 3.9 1.1-1.1-3.9-3.9A5.5 5.5 0 0 0 6.5 1zM6.5 2.6a3.9 3.9 0 1 1 0 7.8 \
                        3.9 3.9 0 0 1 0-7.8z";
/// Go there.
pub const GO: &str = "M5 3h8v8h-2V6.4L4.4 13 3 11.6 9.6 5H5z";

/// To fill the room there is.
pub const LARGE: &str = "M2 2h5v1.8H5.1L7.4 6 6 7.4 3.8 5.1V7H2zM14 14H9v-1.8h1.9L8.6 10 10 8.6l2.2 2.3V9H14z";

/// A shape that changes, in the colour of the text around it.
#[component]
pub fn Icon(#[prop(into)] shape: Signal<&'static str>) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path fill="currentColor" fill-rule="evenodd" d=move || shape.get()></path>
        </svg>
    }
}
