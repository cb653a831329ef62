//! The line at the bottom, in which the page says what it has to say, so that this covers nothing.

use leptos::prelude::*;

use super::commands;
use super::handle::Shell;
use super::registry;
use super::share::Messages;

/// What the page has to say; else what is shown, and where everything can be found.
#[component]
pub fn Status() -> impl IntoView {
    let app = Shell::get().app;
    let quiet = move || app.notices.notice.with(Option::is_none) && app.notices.link.with(Option::is_none);
    let lab = move || {
        let command = commands::named(registry::lab(app.active.get()).command);
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
