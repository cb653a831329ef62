//! The lecture mode: program, graph and one sentence, for the last row, moved by the keys that a presenter sends.

pub mod lessons;
pub mod quiz;
pub mod scenes;

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::graph::Stage;
use crate::shell::commands;
use crate::state::{App, Tab};
use crate::worker::Command;

/// Tells the style sheet how the lecture stands, and makes room for it.
pub fn reflect(app: App, stage: Stage) {
    let body = || document().body();
    Effect::new(move |_| {
        let lecture = app.lecture.get();
        if let Some(body) = body() {
            let _ = if lecture {
                body.set_attribute("data-lecture", "true")
            } else {
                body.remove_attribute("data-lecture")
            };
        }
        stage.fit();
        if lecture {
            if !app.beside.open.get_untracked() {
                app.show(Tab::Graph);
            }
            // Keys are the presenter's, not those of the button that was pressed last.
            release_focus();
        } else {
            app.blank.set(false);
        }
    });
    // The program gets the room that it needs.
    Effect::new(move |_| {
        let longest = app.text.with(|text| text.lines().map(code_length).max().unwrap_or(0));
        if let Some(body) = body() {
            let _ = HtmlElement::style(&body).set_property("--longest", &longest.to_string());
        }
    });
}

/// How long a line of a program is without its comment, which may be broken.
fn code_length(line: &str) -> usize {
    if line.starts_with(['"', '#']) {
        return 0;
    }
    line.split("//").next().map_or(0, |code| code.trim_end().chars().count())
}

fn release_focus() {
    if let Some(element) = document().active_element().and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.blur();
    }
}

/// Ends a blank screen by any key, which does nothing else; whether it was one.
pub fn lit_up(app: App, event: &KeyboardEvent) -> bool {
    let modifier = matches!(event.key().as_str(), "Shift" | "Control" | "Alt" | "Meta");
    if !app.blank.get_untracked() || modifier {
        return false;
    }
    app.blank.set(false);
    if event.key() != "F5" {
        event.prevent_default();
    }
    true
}

/// Moves the lecture or answers a question, if that is what the key does; whether it is.
pub fn took(app: App, event: &KeyboardEvent) -> bool {
    let key = event.key();
    let lecture = app.lecture.get_untracked();
    if untrack(|| app.quiz.active()) && (event.repeat() || app.quiz.took(app, &key)) {
        return true;
    }
    if !lecture && app.scenes.at.get_untracked().is_none() {
        return false;
    }
    match key.as_str() {
        "PageDown" | "PageUp" if event.repeat() => {}
        " " | "ArrowDown" | "ArrowUp" if lecture && event.repeat() => {}
        "PageDown" => on(app),
        "PageUp" => back(app),
        " " | "ArrowDown" if lecture => on(app),
        "ArrowUp" if lecture => back(app),
        "." | "b" if lecture => {
            release_focus();
            app.blank.set(true);
        }
        _ => return false,
    }
    true
}

/// On to the next scene, or by a step where there are none; by a step of both explorations that are side by side, or of the
/// closure that is shown.
fn on(app: App) {
    if untrack(|| app.quiz.active()) {
        app.quiz.go_on(app);
    } else if app.check.open.get_untracked() {
        app.check.step(true);
    } else if app.beside.open.get_untracked() {
        app.beside.command(None, Command::Forward, false);
    } else if !app.scenes.move_on(app, true) {
        app.command(Command::Forward);
    }
}

/// The same, back.
fn back(app: App) {
    if app.check.open.get_untracked() {
        app.check.step(false);
    } else if app.beside.open.get_untracked() {
        app.beside.command(None, Command::Back, false);
    } else if !app.scenes.move_on(app, false) {
        app.command(Command::Back);
    }
}

/// Takes the focus from a button that was clicked on: it would take the presenter's space.
pub fn release_button(event: &MouseEvent) {
    if event.detail() > 0 {
        release_focus();
    }
}

/// What is left of the buttons in a lecture, for those who have no keys.
#[component]
pub fn Bar() -> impl IntoView {
    let app = App::get();
    let place = move || {
        // Each of two says where it is.
        if app.beside.open.get() {
            return None;
        }
        if let Some((at, of)) = app.scenes.place() {
            return Some(format!("Scene {at} of {of}"));
        }
        app.view.with(|view| {
            view.as_ref()
                .map(|view| format!("{} of {}{}", view.position, view.frontier, if view.done { "" } else { "+" }))
        })
    };
    view! {
        <Show when=move || app.lecture.get() || app.scenes.at.get().is_some()>
            <div class="lecture-bar" id="lecture-bar" role="toolbar" aria-label="Lecture">
                <button
                    type="button"
                    id="lecture-back"
                    title=commands::hint("lecture-back")
                    aria-label="Back"
                    on:click=move |event| {
                        release_button(&event);
                        back(app);
                    }
                >
                    "‹"
                </button>
                <span id="lecture-place">{place}</span>
                <button
                    type="button"
                    id="lecture-on"
                    title=commands::hint("lecture-on")
                    aria-label="On"
                    on:click=move |event| {
                        release_button(&event);
                        on(app);
                    }
                >
                    "›"
                </button>
                <Show
                    when=move || app.lecture.get()
                    fallback=move || view! {
                        <button type="button" id="scenes-leave" on:click=move |_| app.scenes.leave(app)>"Leave the scenes"</button>
                    }
                >
                    <button
                        type="button"
                        id="lecture-blank"
                        title="Black screen (. or b); any key ends it"
                        on:click=move |event| {
                            release_button(&event);
                            app.blank.set(true);
                        }
                    >
                        "Blank"
                    </button>
                    <button type="button" id="lecture-leave" title="Leave the lecture mode (Esc or l)" on:click=move |_| app.lecture.set(false)>
                        "Leave"
                    </button>
                </Show>
            </div>
        </Show>
    }
}

/// The black screen.
#[component]
pub fn Blank() -> impl IntoView {
    let app = App::get();
    view! {
        <Show when=move || app.blank.get()>
            <div class="blank" id="blank" role="status" on:click=move |_| app.blank.set(false)>
                <p class="sr-only">"The screen is black. Any key brings the lecture back."</p>
            </div>
        </Show>
    }
}
