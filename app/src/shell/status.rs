//! The line at the bottom, in which the page says what it has to say, so that this covers nothing.

use leptos::prelude::*;

use super::Shell;
use super::commands;
use super::labs::active_lab;
use crate::share::Messages;

/// What the page has to say; else what is shown, and where everything can be found.
#[component]
pub fn Status() -> impl IntoView {
    let app = Shell::get().app;
    let quiet = move || app.notice.with(Option::is_none) && app.link.with(Option::is_none);
    let lab = move || {
        let command = commands::named(active_lab(app).command());
        command.map(|command| format!("{}: {}", command.title, command.about))
    };
    view! {
        <footer class="status" class:quiet=quiet>
            <Messages />
            <p class="status-lab">{lab}</p>
            <p class="status-keys"><kbd>"Ctrl K"</kbd>" finds everything that the page can do"</p>
        </footer>
    }
}
