//! Links: the whole session in the address' fragment.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::session::link;
use litmoscope::session::link::Linked;

use crate::browser;
use crate::state::{App, Notice, Tab};

/// The link to what is shown: to a step, or to two explorations side by side.
pub fn fragment(app: App) -> String {
    match app.beside.pair() {
        // Of two programs too long for one link, the left one is the page's.
        Some(pair) => link::encode_pair(&pair).unwrap_or_else(|_| link::encode(&pair.left)),
        None => step(app),
    }
}

/// The link to the step that is shown.
pub fn step(app: App) -> String {
    let mut settings = untrack(|| app.settings());
    if app.current.get_untracked() {
        let of_run = app.run.found.get_untracked().filter(|_| app.run.shown.get_untracked());
        let settled = of_run.is_some_and(|found| found.settled.is_none_or(|settled| found.view.position <= settled));
        let view = if settled { app.seen.get_untracked() } else { app.view.get_untracked() };
        settings.position = view.map_or(0, |view| view.position);
        // A run may explore in another way than one steps.
        if let Some(subject) = app.run.subject.get_untracked().filter(|_| settled) {
            settings.algorithm = subject.algorithm;
        }
    }
    link::encode(&settings)
}

/// Puts the session into the address and onto the clipboard.
pub fn share(app: App) {
    let both = app.beside.open.get_untracked();
    let fragment = fragment(app);
    let copied = match (both, fragment.starts_with("#3.")) {
        (false, _) => "Link copied: it leads to exactly this step. The address bar has it too.",
        (true, true) => "Link copied: it leads to exactly these two steps, side by side. The address bar has it too.",
        (true, false) => "Both programs together are too long for a link: the one copied leads to the left one.",
    };
    publish(app, &fragment, copied);
}

/// Puts a fragment into the address, and the whole address onto the clipboard, or else into a field.
pub fn publish(app: App, fragment: &str, copied: &'static str) {
    let address = browser::set_fragment(fragment);
    spawn_local(async move {
        if browser::copy(&address).await {
            app.link.set(None);
            app.tell(copied);
            app.shared.set(true);
        } else {
            app.link.set(Some(address));
            app.tell("The link is ready: copy it from the field.");
        }
    });
}

/// Opens the address' fragment; whether there was one. A link that can't be opened changes nothing.
pub fn open_fragment(app: App) -> bool {
    let fragment = browser::fragment();
    if fragment.len() < 2 {
        return false;
    }
    if let Some(tour) = fragment.strip_prefix("#tour=") {
        app.scenes.open_tour(app, tour);
        return true;
    }
    match link::open(&fragment) {
        Ok(Linked::Session(settings)) => {
            app.scenes.leave(app);
            app.load(&settings, false);
            if app.beside.open.get_untracked() {
                app.show(Tab::Graph);
            }
            true
        }
        Ok(Linked::Pair(pair)) => {
            app.scenes.leave(app);
            app.load(&pair.left, false);
            // In another page there is room for one.
            if !browser::embedded() {
                app.resume_beside(*pair);
            }
            true
        }
        Ok(Linked::Script(script)) => {
            app.scenes.start(app, script, 1);
            true
        }
        Err(error) => {
            app.complain(&sentence(&error.to_string()));
            false
        }
    }
}

fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), characters.as_str()))
}

/// What the page has to say, and the link where it could not be copied.
#[component]
pub fn Messages() -> impl IntoView {
    let app = App::get();
    let field = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if app.link.get().is_some()
            && let Some(field) = field.get()
        {
            // After the link is in it.
            request_animation_frame(move || {
                let _ = field.focus();
                field.select();
            });
        }
    });
    let class = move || match app.notice.get() {
        Some(Notice { bad: true, .. }) => "notice bad",
        Some(_) => "notice",
        None => "notice away",
    };
    view! {
        <div class="messages">
            <div class=class>
                <p id="notice" role="status" aria-live="polite">
                    {move || app.notice.get().map(|notice| notice.text)}
                </p>
                <Show when=move || app.shared.get() && app.notice.get().is_some_and(|notice| !notice.bad)>
                    <button type="button" id="share-more" on:click=move |_| app.sharing.set(true)>"QR code, embed…"</button>
                </Show>
                {move || {
                    app.notice.get().is_some_and(|notice| notice.bad).then(|| {
                        let engine = app.notice.get().is_some_and(|notice| notice.engine);
                        view! {
                            {engine.then(|| view! {
                                <button type="button" id="restart" on:click=move |_| app.restart()>"Restart engine"</button>
                            })}
                            <button type="button" class="close" aria-label="Put away" on:click=move |_| app.notice.set(None)>
                                "×"
                            </button>
                        }
                    })
                }}
            </div>
            <Show when=move || app.link.get().is_some()>
                <div class="link-field">
                    <label for="link">"Link"</label>
                    <input id="link" type="text" readonly node_ref=field prop:value=move || app.link.get().unwrap_or_default() />
                    <button type="button" id="link-more" on:click=move |_| app.sharing.set(true)>"QR code, embed…"</button>
                    <button type="button" class="close" aria-label="Put away" on:click=move |_| app.link.set(None)>"×"</button>
                </div>
            </Show>
        </div>
    }
}
