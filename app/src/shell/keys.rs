//! The keys of the whole page.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::share;
use crate::app::App;
use crate::app::lab::{LabId, Tab};
use crate::browser;
use crate::labs::lessons::asking::Quiz;
use crate::labs::lessons::lecture;
use crate::labs::lessons::scenes::Scenes;
use crate::labs::stepping::graph::{point_at_edge, point_at_neighbour};
use crate::labs::stepping::reading::Reading;
use crate::labs::stepping::tree::look::TreeLook;
use crate::labs::stepping::views;
use crate::ui::scene::camera::Stage;
use crate::worker::session::Command;

/// Whether a key was meant for the element that it was pressed in.
fn belongs_elsewhere(event: &KeyboardEvent) -> bool {
    let Some(element) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) else { return false };
    match element.tag_name().as_str() {
        "INPUT" => match element.get_attribute("type").as_deref() {
            Some("checkbox") => event.key() == " ",
            Some("range") => matches!(event.key().as_str(), "Home" | "End") || event.key().starts_with("Arrow"),
            _ => true,
        },
        "TEXTAREA" | "SELECT" => true,
        // Enter and space press a button.
        "BUTTON" | "SUMMARY" | "A" => matches!(event.key().as_str(), " " | "Enter"),
        _ => element.closest("dialog").ok().flatten().is_some(),
    }
}

fn focus(id: &str) {
    if let Some(element) = document().get_element_by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// Whether keys are a dialog's. The page hears only later that one was closed.
fn dialog_is_open() -> bool {
    document().query_selector("dialog[open]").ok().flatten().is_some()
}

/// Listens to the keys of the whole page.
pub fn listen(app: App, stage: Stage) {
    let (tree, reading, quiz, scenes) = (TreeLook::get(), Reading::get(), Quiz::get(), Scenes::get());
    let _ = window_event_listener(leptos::ev::keydown, move |event| {
        if lecture::lit_up(app, &event) {
            return;
        }
        if event.default_prevented() || event.is_composing() || event.ctrl_key() || event.alt_key() || event.meta_key()
        {
            return;
        }
        // A presenter's keys move the lecture from wherever was clicked on last.
        let presented = app.looks.lecture.get_untracked() && matches!(event.key().as_str(), "PageDown" | "PageUp");
        if dialog_is_open() || (belongs_elsewhere(&event) && !presented) {
            return;
        }
        if lecture::took(app, quiz, scenes, &event) {
            event.prevent_default();
            return;
        }
        // A part of the page in another one has no other panels.
        const WHOLE_PAGE: [&str; 13] = ["a", "i", "l", "s", "S", "m", "w", "h", "b", "c", "o", ",", "?"];
        if browser::embedded() && WHOLE_PAGE.contains(&event.key().as_str()) {
            return;
        }
        let step = |command: Command| {
            app.open_lab().moves(command, event.repeat());
        };
        match event.key().as_str() {
            "ArrowRight" if event.shift_key() => step(Command::NextExecution),
            "ArrowLeft" if event.shift_key() => step(Command::PreviousExecution),
            "ArrowRight" | "n" | "j" => step(Command::Forward),
            "ArrowLeft" | "p" | "k" => step(Command::Back),
            "e" => step(Command::NextExecution),
            "E" => step(Command::PreviousExecution),
            "v" => step(Command::NextViolation),
            "Home" | "r" => step(Command::Reset),
            "End" => step(Command::Run),
            "a" if !app.covered() => app.open_there(LabId::Running),
            " " if app.open_lab().plays() => app.open_lab().play(),
            "Escape" => {
                app.open_lab().stop();
                if app.session.working.get_untracked() || app.session.playing.get_untracked() {
                    app.stop();
                } else if tree.wide.get_untracked() {
                    tree.wide.set(false);
                } else if app.looks.wide.get_untracked() {
                    app.looks.wide.set(false);
                } else if reading.is_pinned() {
                    reading.let_go();
                } else {
                    app.looks.lecture.set(false);
                    app.notices.notice.set(None);
                    app.notices.link.set(None);
                }
            }
            "g" => focus("go-to"),
            "f" => {
                app.show(Tab::Tree);
                focus("tree-search");
            }
            "i" => {
                app.tab.set(Tab::Program);
                focus("editor");
            }
            "u" => app.dialogs.lessons.set(true),
            "t" => app.dialogs.scenes.set(true),
            "T" => scenes.add(app),
            "q" => app.open_there(LabId::Quiz),
            "l" => app.looks.lecture.update(|lecture| *lecture = !*lecture),
            "s" => share::share(app),
            "S" => app.dialogs.sharing.set(true),
            "m" => app.toggle(LabId::Models),
            "w" => app.toggle(LabId::Why),
            "h" => app.toggle(LabId::Consistency),
            "b" => app.toggle(LabId::Beside),
            "c" => app.dialogs.cycle.set(true),
            "d" => views::turn(app, true),
            "D" => views::turn(app, false),
            "x" => app.looks.wide.update(|wide| *wide = !*wide),
            "y" => app.dialogs.copying.set(true),
            "ArrowDown" if views::step(true) => {}
            "ArrowUp" if views::step(false) => {}
            "o" => app.dialogs.recent.set(true),
            "," => app.dialogs.preferring.set(true),
            "?" => app.dialogs.help.set(true),
            "+" | "=" => stage.zoom(true),
            "-" => stage.zoom(false),
            "0" => stage.whole(),
            "]" => point_at_neighbour(app, true),
            "[" => point_at_neighbour(app, false),
            "}" => point_at_edge(app, true),
            "{" => point_at_edge(app, false),
            "Enter" if app.active.get_untracked() != LabId::Models => {
                if let Some(pointed) = app.around.pointed.get_untracked() {
                    reading.pin(pointed);
                }
            }
            _ => return,
        }
        event.prevent_default();
    });
}
