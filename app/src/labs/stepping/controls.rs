//! The buttons and keys that move through the exploration.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use litmoscope::words::{self, grouped};
use wasm_bindgen::JsCast;
use web_sys::Element;

use crate::app::App;
use crate::ui::icons::{self, Icon};
use crate::worker::session::Command;

/// The row of buttons over the graph.
#[component]
pub fn Controls() -> impl IntoView {
    let app = App::get();
    let position = Memo::new(move |_| app.session.view.with(|view| view.as_ref().map_or(0, |view| view.position)));
    let frontier = Memo::new(move |_| app.session.view.with(|view| view.as_ref().map_or(0, |view| view.frontier)));
    let done = Memo::new(move |_| app.session.view.with(|view| view.as_ref().is_some_and(|view| view.done)));
    let at_start = move || position.get() == 0;
    let at_end = move || done.get() && position.get() == frontier.get();
    let off = move || !app.steppable();

    let button = move |id: &'static str, icon: &'static str, command: Command, off: Signal<bool>| {
        view! {
            <button
                type="button"
                id=id
                class="step"
                aria-label=app.title(id)
                title=app.hint(id)
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
        let frontier = app
            .session
            .progress
            .with(|progress| progress.as_ref().map_or(frontier.get(), |progress| progress.frontier));
        match done.get() {
            true => format!("of {}", grouped(frontier)),
            // How many there are is not known yet.
            false if position.get() >= frontier => String::new(),
            false => format!("of {} so far", grouped(frontier)),
        }
    };
    let speed = move || format!("{} steps per second", app.session.speed.get());

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
                    aria-label=move || if app.session.playing.get() { "Pause" } else { "Play" }
                    aria-pressed=move || app.session.playing.get().to_string()
                    aria-disabled=move || forward_off.get().to_string()
                    title=app.hint("play")
                    on:click=move |_| app.toggle_play()
                >
                    <Icon shape=Signal::derive(move || if app.session.playing.get() { icons::PAUSE } else { icons::PLAY }) />
                </button>
                <label class="speed" title=speed>
                    <span class="sr-only">"Speed in steps per second"</span>
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
                            app.session.speed.set(2f64.powf(power));
                        }
                    />
                </label>
                <button
                    type="button"
                    id="stop"
                    class="step stop"
                    aria-label="Stop"
                    title=app.hint("stop")
                    aria-disabled=move || (!app.session.working.get() && !app.session.playing.get()).to_string()
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
                    title=app.hint("go-to")
                    style=("--digits", move || position.get().to_string().len().to_string())
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
        app.session.progress.get().map(|progress| {
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
