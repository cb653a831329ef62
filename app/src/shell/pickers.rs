//! The pickers: memory model, algorithm and how to explore.

use leptos::prelude::*;
use litmoscope::explore::{Algorithm, MAX_UNROLL, Options, Parameter};
use litmoscope::model::Model;

use crate::app::App;
use crate::document::valid_unroll;
use crate::ui::prose::prose;

/// A longer name of an algorithm needs a row of its own in the usual column.
const SHORT: usize = 10;

/// The pickers and what was picked, in words.
#[component]
pub fn Pickers() -> impl IntoView {
    let app = App::get();
    let model_options = Model::ALL
        .into_iter()
        .map(|model| {
            view! {
                <option value=model.name() selected=move || app.document.model.get() == model>
                    {model.title()}
                </option>
            }
        })
        .collect_view();
    let algorithm_options = Algorithm::ALL
        .into_iter()
        .map(|algorithm| {
            view! {
                <option
                    value=algorithm.name()
                    selected=move || app.document.algorithm.get() == algorithm
                    disabled=move || {
                        !algorithm.knows(app.document.model.get())
                            || app.document.handlers.get() && !algorithm.traits().handlers
                    }
                >
                    {algorithm.title()}
                </option>
            }
        })
        .collect_view();
    let long = move || app.document.algorithm.get().title().len() > SHORT;
    let wrong = RwSignal::new(false);
    let axioms = move || {
        app.document
            .model
            .get()
            .axioms()
            .iter()
            .map(|axiom| view! { <dt>{axiom.name}</dt><dd>{axiom.meaning}</dd> })
            .collect_view()
    };
    view! {
        <div class="pickers">
            <label class="picker of-model">
                <span>"Model"</span>
                <select
                    id="model"
                    aria-describedby="model-description"
                    prop:value=move || app.document.model.get().name()
                    on:change:target=move |event| {
                        if let Ok(model) = event.target().value().parse() {
                            app.document.model.set(model);
                        }
                    }
                >
                    {model_options}
                </select>
            </label>
            <label class="picker of-algorithm" class:long=long>
                <span>"Algorithm"</span>
                <select
                    id="algorithm"
                    aria-describedby="algorithm-description"
                    prop:value=move || app.document.algorithm.get().name()
                    on:change:target=move |event| {
                        if let Ok(algorithm) = event.target().value().parse() {
                            app.document.use_algorithm(algorithm);
                        }
                    }
                >
                    {algorithm_options}
                </select>
            </label>
            <label class="picker small of-exploration">
                <span>"Unroll"</span>
                <input
                    id="unroll"
                    type="number"
                    min="1"
                    max=MAX_UNROLL
                    title="How many rounds of a loop are explored"
                    aria-invalid=move || wrong.get().to_string()
                    prop:value=move || app.document.options.get().limits.unroll.to_string()
                    on:input:target=move |event| {
                        let number = event.target().value().trim().parse().ok().filter(|&number| valid_unroll(number));
                        wrong.set(number.is_none());
                        if let Some(number) = number {
                            app.document.options.update(|options| options.limits.unroll = number);
                        }
                    }
                    on:blur:target=move |event| {
                        if wrong.get_untracked() {
                            event.target().set_value(&app.document.options.get_untracked().limits.unroll.to_string());
                            wrong.set(false);
                        }
                    }
                />
            </label>
        </div>
        <Numbers />
        <div class="switches of-exploration" role="group" aria-label="How to explore">
            <Switch
                id="stop-at-first"
                of=|options| &mut options.stop_at_first
                name="stop at first error"
                class="of-algorithm"
                title="End the exploration at the first error, data race or execution that is stuck for good"
            />
            <label class="switch of-algorithm" title="Explore each execution once for each of its coherence orders, which are then drawn solid">
                <input
                    id="track-co"
                    type="checkbox"
                    prop:checked=move || app.document.algorithm.get().tracks_co()
                    prop:disabled=move || !app.document.algorithm.get().traits().kin.differ()
                    on:change:target=move |event| {
                        let tracks = event.target().checked();
                        app.document.use_algorithm(app.document.algorithm.get_untracked().with_or_without_co(tracks));
                    }
                />
                <span>"track co"</span>
            </label>
            <Switch id="no-races" of=|options| &mut options.no_races name="ignore data races" title="Don't look for data races" />
            <Switch
                id="stuck-loops"
                of=|options| &mut options.stuck_loops
                name="find stuck loops"
                title="Report threads that wait in a loop for good as an error"
            />
            <Switch
                id="spurious"
                of=|options| &mut options.spurious
                name="spurious failures"
                title="Let a weak compare-and-swap fail even if it reads what it expects, as C11 allows"
            />
            <Switch
                id="unroll-spins"
                of=|options| &mut options.limits.unroll_spins
                name="unroll waiting"
                title="Explore loops that only wait round by round, instead of as one assume"
            />
            <Show when=move || app.leaves_out_waits()>
                <label class="switch of-algorithm" title="Also explore executions in which a thread waits at a write that another one has overtaken">
                    <input
                        id="all-blocked"
                        type="checkbox"
                        prop:checked=move || !app.document.options.get().leave_out_waits
                        on:change:target=move |event| {
                            let on = event.target().checked();
                            app.document.options.update(|options| options.leave_out_waits = !on);
                        }
                    />
                    <span>"count blocked executions"</span>
                </label>
            </Show>
        </div>
        <details class="about of-model of-exploration">
            <summary id="model-description">{move || prose(app.document.model.get().description())}</summary>
            <dl class="axioms">{axioms}</dl>
            <p id="algorithm-description" class="of-algorithm">
                <strong>{move || app.document.algorithm.get().title()}</strong>
                ": "
                {move || app.document.algorithm.get().description()}
            </p>
        </details>
        {move || app.document.because().map(|text| view! { <p class="because of-model" id="because">{text} "."</p> })}
    }
}

/// The numbers that the algorithm alone takes.
#[component]
fn Numbers() -> impl IntoView {
    let app = App::get();
    let number = move |(place, parameter): (usize, &'static Parameter)| {
        let wrong = RwSignal::new(false);
        let read = move |text: &str| match text.trim() {
            "" => Some(None),
            text => text.parse().ok().filter(|number| (parameter.least..=parameter.most).contains(number)).map(Some),
        };
        let shown = move || {
            let chosen = app.document.options.with(|options| options.parameters.chosen(place));
            chosen.or(parameter.usual).map_or_else(String::new, |number| number.to_string())
        };
        view! {
            <label class="picker">
                <span>{parameter.title}</span>
                <input
                    id=format!("parameter-{}", parameter.name)
                    type="number"
                    min=parameter.least.to_string()
                    max=parameter.most.to_string()
                    placeholder="none"
                    title=parameter.meaning
                    aria-invalid=move || wrong.get().to_string()
                    prop:value=shown
                    on:change:target=move |event| {
                        let number = read(&event.target().value());
                        wrong.set(number.is_none());
                        if let Some(number) = number {
                            app.document.options.update(|options| options.parameters.choose(place, number));
                        }
                    }
                    on:blur:target=move |event| {
                        if wrong.get_untracked() {
                            event.target().set_value(&untrack(shown));
                            wrong.set(false);
                        }
                    }
                />
            </label>
        }
    };
    let algorithm = Memo::new(move |_| app.document.algorithm.get());
    move || {
        let parameters = algorithm.get().definition().parameters;
        (!parameters.is_empty()).then(|| {
            let numbers = parameters.iter().enumerate().map(number).collect_view();
            view! { <div class="pickers numbers of-algorithm" role="group" aria-label="Parameters of the algorithm">{numbers}</div> }
        })
    }
}

/// A choice that is on or off.
#[component]
fn Switch(
    id: &'static str,
    of: fn(&mut Options) -> &mut bool,
    name: &'static str,
    title: &'static str,
    #[prop(default = "")] class: &'static str,
) -> impl IntoView {
    let options = App::get().document.options;
    let on = move || *of(&mut options.get());
    view! {
        <label class=format!("switch {class}") title=title>
            <input id=id type="checkbox" prop:checked=on on:change:target=move |event| {
                let on = event.target().checked();
                options.update(|options| *of(options) = on);
            } />
            <span>{name}</span>
        </label>
    }
}
