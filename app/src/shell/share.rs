//! Links: the whole session in the address' fragment.

use leptos::html;
use leptos::prelude::*;
use litmoscope::session::link;
use litmoscope::session::link::Linked;
use litmoscope::words;

use crate::app::lab::{LabId, Link, Tab};
use crate::app::{App, Notice};
use crate::browser;
use crate::document::Whose;
use crate::ui::prose::prose;

/// Puts the session into the address and onto the clipboard.
pub fn share(app: App) {
    let Link { fragment, said } = app.link();
    app.publish(&fragment, said);
}

/// Opens the address' fragment; whether there was one. A link that can't be opened changes nothing.
pub fn open_fragment(app: App) -> bool {
    let fragment = browser::fragment();
    if fragment.len() < 2 {
        return false;
    }
    let lessons = app.lab(LabId("lessons"));
    if fragment.starts_with("#tour=") {
        lessons.take(&fragment);
        return true;
    }
    match link::open(&fragment) {
        Ok(Linked::Session(settings)) => {
            lessons.leave();
            app.load(&settings, Whose::Readers);
            if app.active.get_untracked() == LabId("beside") {
                app.show(Tab::Graph);
            }
            true
        }
        Ok(Linked::Pair(pair)) => {
            lessons.leave();
            // In another page there is room for one.
            if browser::embedded() {
                app.load(&pair.left, Whose::Readers);
            } else {
                app.lab(LabId("beside")).take(&fragment);
            }
            true
        }
        Ok(Linked::Lab(shown)) => {
            lessons.leave();
            app.load(&shown.settings, Whose::Readers);
            // One of a page to come is not known: then there is the session alone.
            if let Some((id, lab)) = app.lab_named(&shown.lab) {
                lab.resume(&shown.place);
                if let Some(panel) = app.panel(id) {
                    app.show(panel);
                }
            }
            true
        }
        Ok(Linked::Script(_)) => {
            lessons.take(&fragment);
            true
        }
        Err(error) => {
            app.complain(&format!("{}.", words::capitalised(&error.to_string())));
            false
        }
    }
}

/// What the page has to say, and the link where it could not be copied.
#[component]
pub fn Messages() -> impl IntoView {
    let app = App::get();
    let field = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if app.notices.link.get().is_some()
            && let Some(field) = field.get()
        {
            // After the link is in it.
            request_animation_frame(move || {
                let _ = field.focus();
                field.select();
            });
        }
    });
    let class = move || match app.notices.notice.get() {
        Some(Notice { bad: true, .. }) => "notice bad",
        Some(_) => "notice",
        None => "notice away",
    };
    view! {
        <div class="messages">
            <div class=class>
                <p id="notice" role="status" aria-live="polite">
                    {move || app.notices.notice.get().map(|notice| prose(&notice.text))}
                </p>
                <Show when=move || app.notices.shared.get() && app.notices.notice.get().is_some_and(|notice| !notice.bad)>
                    <button type="button" id="share-more" on:click=move |_| app.dialogs.sharing.set(true)>"QR code, embed…"</button>
                </Show>
                {move || {
                    app.notices.notice.get().is_some_and(|notice| notice.bad).then(|| {
                        let engine = app.notices.notice.get().is_some_and(|notice| notice.engine);
                        view! {
                            {engine.then(|| view! {
                                <button type="button" id="restart" on:click=move |_| app.restart()>"Restart engine"</button>
                            })}
                            <button type="button" class="close" aria-label="Dismiss" on:click=move |_| app.notices.notice.set(None)>
                                "×"
                            </button>
                        }
                    })
                }}
            </div>
            <Show when=move || app.notices.link.get().is_some()>
                <div class="link-field">
                    <label for="link">"Link"</label>
                    <input id="link" type="text" readonly node_ref=field prop:value=move || app.notices.link.get().unwrap_or_default() />
                    <button type="button" id="link-more" on:click=move |_| app.dialogs.sharing.set(true)>"QR code, embed…"</button>
                    <button type="button" class="close" aria-label="Dismiss" on:click=move |_| app.notices.link.set(None)>"×"</button>
                </div>
            </Show>
        </div>
    }
}
