//! Recordings from files, which may be far larger than what the editor takes.
//!
//! A file too large for the editor goes to the worker as it is, and is read from the disk again when a worker that was ended is
//! followed by another one.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::document::{HISTORY, Kind};
use litmoscope::session::Settings;
use litmoscope::syntax::MAX_SOURCE;
use web_sys::{DragEvent, File};

use super::inquiry::{Inquiry, Source};
use crate::app::App;
use crate::browser::{self, Dropped};
use crate::document::Whose;

/// Files beyond this size are not even read: a million operations take less.
const MAX_FILE: f64 = 256.0 * 1024.0 * 1024.0;

/// Opens a file: in the editor, if that takes it.
pub fn open(app: App, inquiry: Inquiry, file: File) {
    let name = file.name();
    if file.size() > MAX_FILE {
        app.complain(&format!(
            "“{name}” was not opened: it is larger than 256 MB. Open a part of the recording, or use the command line."
        ));
        return;
    }
    let beside = app.document.text.get_untracked().into();
    let large = move |file: File| inquiry.take(Source::File { name, beside }, Some(file));
    if file.size() > MAX_SOURCE as f64 {
        large(file);
        return;
    }
    spawn_local(async move {
        match browser::read(&file).await {
            Some(text) if Kind::of(&text).is(&HISTORY) => {
                app.load(&Settings { text, ..untrack(|| app.settings()) }, Whose::Readers)
            }
            // What is wrong with it is said by who reads it.
            _ => large(file),
        }
    });
}

/// A file is held above the panel, which takes it.
pub fn over(event: &DragEvent) {
    if browser::drags_files(event) {
        event.prevent_default();
    }
}

/// A file is dropped on the panel. The page would take it for a saved run.
pub fn drop(app: App, inquiry: Inquiry, event: &DragEvent) {
    if let Some(file) = Dropped::of(event).alone() {
        event.prevent_default();
        event.stop_propagation();
        open(app, inquiry, file.clone());
    }
}

/// The button that opens a file.
#[component]
pub fn OpenFile() -> impl IntoView {
    let (app, inquiry) = (App::get(), Inquiry::get());
    let input = NodeRef::<html::Input>::new();
    let picked = move |_| {
        let Some(input) = input.get_untracked() else { return };
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            open(app, inquiry, file);
        }
        // The same file can be picked again.
        input.set_value("");
    };
    view! {
        <input
            id="history-file"
            class="away"
            type="file"
            accept=".history,.edn,.csv,.json,.jsonl,.txt,.log"
            aria-hidden="true"
            tabindex="-1"
            node_ref=input
            on:change=picked
        />
        <button
            type="button"
            id="history-open"
            title="A recording of up to a million operations; or drop its file here"
            on:click=move |_| if let Some(input) = input.get_untracked() { input.click() }
        >
            "Open a recording…"
        </button>
    }
}

/// Which file is shown, and the way back.
#[component]
pub fn Shown() -> impl IntoView {
    let (app, inquiry) = (App::get(), Inquiry::get());
    let name = Memo::new(move |_| match inquiry.source.get() {
        Source::File { name, .. } => Some(name),
        _ => None,
    });
    let back = move |_| {
        inquiry.take(untrack(|| Source::of_text(app)), None);
    };
    view! {
        <Show when=move || name.with(Option::is_some)>
            <p class="history-shown" id="history-shown">
                "This shows the file " <b>{name}</b> ", not the editor's text. "
                <button type="button" id="history-back-to-text" on:click=back>"Back to the text"</button>
            </p>
        </Show>
    }
}
