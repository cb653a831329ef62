//! The lecture mode: program, graph and one sentence, for the last row, moved by the keys that a presenter sends.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use web_sys::HtmlElement;

use super::asking::Quiz;
use super::quiz;
use super::scenes::{Scenes, Way};
use crate::app::App;
use crate::app::lab::{LabId, Tab};
use crate::browser::{release_button, release_focus};
use crate::ui::scene::camera::Stage;
use crate::worker::session::Command;

/// Tells the style sheet how the lecture stands, and makes room for it.
pub fn reflect(app: App, stage: Stage) {
    let scenes = Scenes::get();
    let body = || document().body();
    Effect::new(move |_| {
        let lecture = app.looks.lecture.get();
        if let Some(body) = body() {
            let _ = if lecture {
                body.set_attribute("data-lecture", "true")
            } else {
                body.remove_attribute("data-lecture")
            };
        }
        stage.fit();
        if lecture {
            if !app.open_lab().lectures() && !scenes.are_there(app) {
                app.show(Tab::Graph);
            }
            // Keys are the presenter's, not those of the button that was pressed last.
            release_focus();
        } else {
            app.looks.blank.set(false);
        }
    });
    // The program gets the room that it needs.
    Effect::new(move |_| {
        let longest = app.document.text.with(|text| text.lines().map(code_length).max().unwrap_or(0));
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

/// Ends a blank screen by any key, which does nothing else; whether it was one.
pub fn lit_up(app: App, event: &KeyboardEvent) -> bool {
    let modifier = matches!(event.key().as_str(), "Shift" | "Control" | "Alt" | "Meta");
    if !app.looks.blank.get_untracked() || modifier {
        return false;
    }
    app.looks.blank.set(false);
    if event.key() != "F5" {
        event.prevent_default();
    }
    true
}

/// Moves the lecture or answers a question, if that is what the key does; whether it is.
pub fn took(app: App, quiz: Quiz, scenes: Scenes, event: &KeyboardEvent) -> bool {
    let key = event.key();
    let lecture = app.looks.lecture.get_untracked();
    if untrack(|| quiz.active()) && (event.repeat() || quiz::took(app, quiz, scenes, &key)) {
        return true;
    }
    if !lecture && scenes.at.get_untracked().is_none() {
        return false;
    }
    match key.as_str() {
        "PageDown" | "PageUp" if event.repeat() => {}
        " " | "ArrowDown" | "ArrowUp" if lecture && event.repeat() => {}
        "PageDown" => on(app, quiz, scenes),
        "PageUp" => move_on(app, scenes, Way::Back),
        " " | "ArrowDown" if lecture => on(app, quiz, scenes),
        "ArrowUp" if lecture => move_on(app, scenes, Way::Back),
        "." | "b" if lecture => {
            release_focus();
            app.looks.blank.set(true);
        }
        _ => return false,
    }
    true
}

/// On to the next scene, or by a step where there are none; by a step of what is shown in their place.
fn on(app: App, quiz: Quiz, scenes: Scenes) {
    if untrack(|| quiz.active()) {
        quiz::go_on(app, quiz, scenes);
    } else {
        move_on(app, scenes, Way::Forward);
    }
}

fn move_on(app: App, scenes: Scenes, way: Way) {
    let command = if way == Way::Forward { Command::Forward } else { Command::Back };
    // A lab moves by itself, unless a scene has led there.
    let elsewhere = app.covered() && !scenes.are_there(app) && app.open_lab().moves(command, false);
    if !elsewhere && !scenes.move_on(app, way) {
        app.command(command);
    }
}

/// What is left of the buttons in a lecture, for those who have no keys.
#[component]
pub fn Bar() -> impl IntoView {
    let (app, quiz, scenes) = (App::get(), Quiz::get(), Scenes::get());
    let place = move || {
        // Each of two says where it is.
        if app.lab(app.active.get()).lectures() {
            return None;
        }
        if let Some((at, of)) = scenes.place() {
            return Some(format!("Scene {at} of {of}"));
        }
        app.session.view.with(|view| {
            view.as_ref()
                .map(|view| format!("{} of {}{}", view.position, view.frontier, if view.done { "" } else { "+" }))
        })
    };
    view! {
        <Show when=move || app.looks.lecture.get() || scenes.at.get().is_some()>
            <div class="lecture-bar" id="lecture-bar" role="toolbar" aria-label="Lecture">
                <button
                    type="button"
                    id="lecture-back"
                    title=app.hint("lecture-back")
                    aria-label="Back"
                    on:click=move |event| {
                        release_button(&event);
                        move_on(app, scenes, Way::Back);
                    }
                >
                    "‹"
                </button>
                <span id="lecture-place">{place}</span>
                <button
                    type="button"
                    id="lecture-on"
                    title=app.hint("lecture-on")
                    aria-label="On"
                    on:click=move |event| {
                        release_button(&event);
                        on(app, quiz, scenes);
                    }
                >
                    "›"
                </button>
                <Show
                    when=move || app.looks.lecture.get()
                    fallback=move || view! {
                        <button type="button" id="scenes-leave" on:click=move |_| scenes.leave(app)>"Leave the scenes"</button>
                    }
                >
                    <button
                        type="button"
                        id="lecture-blank"
                        title="Black screen (. or b); any key ends it"
                        on:click=move |event| {
                            release_button(&event);
                            app.looks.blank.set(true);
                        }
                    >
                        "Blank"
                    </button>
                    <button type="button" id="lecture-leave" title="Leave the lecture mode (Esc or l)" on:click=move |_| app.looks.lecture.set(false)>
                        "Leave"
                    </button>
                </Show>
            </div>
        </Show>
    }
}

/// The note of a scene that is shown in a lab, where it can't take the place of the step's explanation.
pub fn note(app: App) -> Memo<Option<String>> {
    let quiz = Quiz::get();
    Memo::new(move |_| {
        let note = app.scene.with(|scene| scene.as_ref().map(|scene| scene.note.clone()))?;
        let is_in_lab = app.active.get() != LabId::STEPPING && !quiz.active();
        Some(note).filter(|note| is_in_lab && !note.trim().is_empty())
    })
}

/// The same, below the lab.
#[component]
pub fn Note() -> impl IntoView {
    let note = note(App::get());
    view! { <p class="scene-words" id="scene-words" class:away=move || note.get().is_none() aria-live="polite">{note}</p> }
}

/// The black screen.
#[component]
pub fn Blank() -> impl IntoView {
    let app = App::get();
    view! {
        <Show when=move || app.looks.blank.get()>
            <div class="blank" id="blank" role="status" on:click=move |_| app.looks.blank.set(false)>
                <p class="sr-only">"The screen is black. Any key brings the lecture back."</p>
            </div>
        </Show>
    }
}
