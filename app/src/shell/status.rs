//! The line at the bottom, in which the page says what it has to say, so that this covers nothing.

use leptos::prelude::*;

use super::handle::Shell;
use super::share::Messages;
use crate::labs;

/// What the page has to say; else what is shown, and where everything can be found.
#[component]
pub fn Status() -> impl IntoView {
    let app = Shell::get().app;
    let quiet = move || app.notices.notice.with(Option::is_none) && app.notices.link.with(Option::is_none);
    let lab = move || {
        let opener = &labs::named(app.active.get()).opener;
        format!("{}: {}", opener.title, opener.about)
    };
    view! {
        <footer class="status" class:quiet=quiet>
            <Messages />
            <p class="status-lab">{lab}</p>
            <p class="status-keys"><kbd>"Ctrl K"</kbd>" finds everything that the page can do"</p>
        </footer>
    }
}
