//! The buttons and keys that move through the exploration.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use litmoscope::words::{self, grouped};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::icons::{self, Icon};
use crate::lecture;
use crate::shell::commands::{self, Context};
use crate::shell::{Shell, bar, columns};
use crate::state::App;
use crate::worker::Command;

/// The row of buttons over the graph.
#[component]
pub fn Controls() -> impl IntoView {
    let app = App::get();
    let position = Memo::new(move |_| app.view.with(|view| view.as_ref().map_or(0, |view| view.position)));
    let frontier = Memo::new(move |_| app.view.with(|view| view.as_ref().map_or(0, |view| view.frontier)));
    let done = Memo::new(move |_| app.view.with(|view| view.as_ref().is_some_and(|view| view.done)));
    let at_start = move || position.get() == 0;
    let at_end = move || done.get() && position.get() == frontier.get();
    let off = move || !app.steppable();

    let button = move |id: &'static str, icon: &'static str, command: Command, off: Signal<bool>| {
        view! {
            <button
                type="button"
                id=id
                class="step"
                aria-label=commands::title(id)
                title=commands::hint(id)
                // Not `disabled`: that would take the focus from whoever steps with the keyboard to the end.
                aria-disabled=move || off.get().to_string()
                on:click=move |_| if !off.get_untracked() { app.command(command) }
            >
                <Icon shape=icon />
            </button>
        }
    };
    let back_off = Signal::derive(move || off() || at_start());
    let forward_off = Signal::derive(move || off() || at_end());

    let go = NodeRef::<html::Input>::new();
    let jump = move || {
        let Some(input) = go.get_untracked() else { return };
        if let Ok(position) = input.value().trim().parse() {
            app.command(Command::GoTo(position));
        }
        // Shows where that led to, also if it led nowhere else.
        input.set_value(&position.get_untracked().to_string());
    };
    // Not while the reader writes into it.
    Effect::new(move |_| {
        let position = position.get().to_string();
        if let Some(input) = go.get()
            && document().active_element().as_ref() != Some(input.unchecked_ref::<Element>())
        {
            input.set_value(&position);
        }
    });
    let total = move || {
        let frontier =
            app.progress.with(|progress| progress.as_ref().map_or(frontier.get(), |progress| progress.frontier));
        format!("of {}{}", grouped(frontier), if done.get() { "" } else { "+" })
    };
    let speed = move || format!("{} steps a second", app.speed.get());

    view! {
        <div class="controls" id="controls" role="toolbar" aria-label="Steps">
            <div class="group">
                {button("reset", icons::START, Command::Reset, back_off)}
                {button("previous-execution", icons::PREVIOUS, Command::PreviousExecution, back_off)}
                {button("back", icons::BACK, Command::Back, back_off)}
                {button("forward", icons::FORWARD, Command::Forward, forward_off)}
                {button("next-execution", icons::NEXT, Command::NextExecution, forward_off)}
                {button("run", icons::END, Command::Run, forward_off)}
                {button("next-violation", icons::VIOLATION, Command::NextViolation, forward_off)}
            </div>
            <div class="group">
                <button
                    type="button"
                    id="play"
                    class="step"
                    aria-label=move || if app.playing.get() { "Pause" } else { "Play" }
                    aria-pressed=move || app.playing.get().to_string()
                    aria-disabled=move || forward_off.get().to_string()
                    title=commands::hint("play")
                    on:click=move |_| app.toggle_play()
                >
                    <Icon shape=Signal::derive(move || if app.playing.get() { icons::PAUSE } else { icons::PLAY }) />
                </button>
                <label class="speed" title=speed>
                    <span class="sr-only">"Speed in steps a second"</span>
                    <input
                        id="speed"
                        type="range"
                        min="-1"
                        max="5"
                        step="1"
                        value="1"
                        aria-valuetext=speed
                        on:input:target=move |event| {
                            let power: f64 = event.target().value().parse().unwrap_or(1.0);
                            app.speed.set(2f64.powf(power));
                        }
                    />
                </label>
                <button
                    type="button"
                    id="stop"
                    class="step stop"
                    aria-label="Stop"
                    title=commands::hint("stop")
                    aria-disabled=move || (app.working.get().is_none() && !app.playing.get()).to_string()
                    on:click=move |_| app.stop()
                >
                    <Icon shape=icons::STOP />
                </button>
            </div>
            <div class="group where">
                <label for="go-to">"step"</label>
                <input
                    id="go-to"
                    type="text"
                    inputmode="numeric"
                    autocomplete="off"
                    title=commands::hint("go-to")
                    node_ref=go
                    on:keydown=move |event: KeyboardEvent| match event.key().as_str() {
                        "Enter" => jump(),
                        "Escape" => {
                            if let Some(input) = go.get_untracked() {
                                input.set_value(&position.get_untracked().to_string());
                                let _ = input.blur();
                            }
                            event.stop_propagation();
                        }
                        _ => {}
                    }
                    on:blur=move |_| {
                        if let Some(input) = go.get_untracked() {
                            input.set_value(&position.get_untracked().to_string());
                        }
                    }
                />
                <span id="total">{total}</span>
                <span class="sr-only" id="position">{position}</span>
            </div>
            <Progress />
        </div>
    }
}

/// How far a long command has come.
#[component]
fn Progress() -> impl IntoView {
    let app = App::get();
    // Nothing flashes for a command that is over at once.
    move || {
        app.progress.get().map(|progress| {
            let text = format!(
                "{}, {}, {} a second",
                words::count(progress.frontier, "step"),
                words::count(progress.counts.executions(), "execution"),
                words::count(progress.rate as u64, "step")
            );
            view! {
                <div class="progress" id="progress" role="status">
                    <span class="bar" aria-hidden="true"></span>
                    <span>{text}</span>
                </div>
            }
        })
    }
}

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
    let app = shell.app;
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
        let presented = app.lecture.get_untracked() && matches!(event.key().as_str(), "PageDown" | "PageUp");
        if dialog_is_open() || (belongs_elsewhere(&event) && !presented) {
            return;
        }
        if lecture::took(app, &event) {
            event.prevent_default();
            return;
        }
        if commands::press(shell, Context::Page, &event) {
            event.prevent_default();
        }
    });
}
