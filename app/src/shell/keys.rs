//! The keys of the whole page.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::commands::{self, Context};
use super::handle::Shell;
use super::{bar, columns};
use crate::labs::lessons::lecture;

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

/// Whether keys are a dialog's. The page hears only later that one was closed.
fn dialog_is_open() -> bool {
    document().query_selector("dialog[open]").ok().flatten().is_some()
}

/// Listens to the keys of the whole page.
pub fn listen(shell: Shell) {
    let Shell { app, quiz, scenes, .. } = shell;
    let _ = window_event_listener_untyped("pointerdown", move |_| shell.by_keyboard.set_value(false));
    let _ = window_event_listener(leptos::ev::keydown, move |event| {
        if lecture::lit_up(app, &event) {
            return;
        }
        if event.default_prevented() || event.is_composing() || event.alt_key() {
            return;
        }
        if event.key() == "Tab" {
            shell.by_keyboard.set_value(true);
        }
        if event.ctrl_key() || event.meta_key() {
            if !dialog_is_open() && commands::press(shell, Context::Everywhere, &event) {
                event.prevent_default();
            }
            return;
        }
        // The browser closes a menu, and nothing else is to end.
        if event.key() == "Escape" && bar::menu_is_open() {
            return;
        }
        if bar::took(&event, shell.by_keyboard.get_value()) || columns::took(shell.columns, &event) {
            event.prevent_default();
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
        if commands::press(shell, Context::Page, &event) {
            event.prevent_default();
        }
    });
}
