//! A program that runs under what was proven, and beside it without a schedule.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::schedules::view::run::{
    LaneView, MAX_STEPS, NextView, Now, RunEnd, RunOpen, RunRequest, RunView, ValueView,
};

use super::lanes::lanes;
use super::worker::refusal;
use crate::app::App;
use crate::app::inquiry::walk::{Player, Walk};
use crate::app::inquiry::{InquiryOf, part};
use crate::ui::prose::prose;
use crate::ui::scene::Scene;
use crate::ui::scene::camera::{Stage, size_lit};

/// Two runs with the same seed: one keeps to what was proven, one to nothing.
#[derive(Clone, Copy)]
pub struct Runs {
    pub kept: InquiryOf<RunOpen>,
    free: InquiryOf<RunOpen>,
    by_hand: RwSignal<bool>,
}

impl Runs {
    /// Nothing runs yet.
    pub fn new(app: App) -> Self {
        let narrow = app.looks.narrow.get_untracked();
        let request = RunRequest { opt: 1, keeps_all: true, seed: 1, narrow, ..RunRequest::default() };
        let free = RunRequest { unconstrained: true, ..request.clone() };
        Self {
            kept: InquiryOf::new(app, request, refusal),
            free: InquiryOf::new(app, free, refusal),
            by_hand: RwSignal::new(false),
        }
    }

    /// Changes what both are asked.
    fn change(self, change: impl Fn(&mut RunRequest)) {
        self.kept.request.update(|request| change(request));
        self.free.request.update(|request| {
            change(request);
            request.unconstrained = true;
            request.choices.clear();
            request.uses.clear();
        });
    }

    /// What runs, without its program; nothing if it has made no step.
    pub fn kept(self) -> Option<RunRequest> {
        let request = self.kept.request.with_untracked(|request| RunRequest { text: String::new(), ..request.clone() });
        (request.steps > 0).then_some(request)
    }

    /// Runs a program as it was kept.
    pub fn show(self, text: &str, kept: &RunRequest) {
        let narrow = self.kept.request.with_untracked(|request| request.narrow);
        self.kept.request.set(RunRequest { text: text.to_owned(), narrow, unconstrained: false, ..kept.clone() });
        let now = self.kept.request.get_untracked();
        self.change(|request| request.clone_from(&now));
    }

    /// Begins anew, with the last result that there is, unless an earlier one is chosen.
    fn restart(self) {
        self.kept.playing.set(false);
        self.change(|request| {
            request.steps = 0;
            request.choices.clear();
            request.uses.clear();
        });
    }

    fn steps(self) -> u32 {
        self.kept.request.with_untracked(|request| request.steps)
    }

    /// The result that is wanted from here on.
    fn wanted(self) -> usize {
        self.kept.request.with(|request| request.uses.last().map_or(request.result, |(_, result)| *result))
    }

    /// Lets a result take over, as soon as it can.
    fn use_result(self, result: usize) {
        self.kept.request.update(|request| {
            if request.steps == 0 {
                request.result = result;
                request.uses.clear();
            } else {
                request.uses.push((request.steps, result));
            }
        });
    }

    /// Makes a step by hand.
    fn take(self, thread: u16, choice: u32) {
        let trail = self.kept.view.with_untracked(|view| view.as_ref().map(|view| view.trail.clone()));
        let Some(mut trail) = trail else { return };
        trail.push((thread, choice));
        self.kept.playing.set(false);
        let steps = trail.len() as u32;
        self.kept.request.update(|request| (request.choices, request.steps) = (trail, steps));
        self.free.request.update(|request| request.steps = steps);
    }
}

/// Steps are those of both runs.
impl Walk for Runs {
    const PERIOD: u32 = 600;

    fn player(self) -> Player {
        self.kept.player
    }

    fn place(self) -> (u32, u32) {
        let end = self.kept.view.with_untracked(|view| {
            let view = view.as_ref()?;
            (view.end.is_some() || view.refused.is_some()).then_some(view.steps)
        });
        (self.steps(), end.unwrap_or(MAX_STEPS))
    }

    fn go_to(self, step: u32) {
        let (_, all) = self.place();
        let step = step.min(all.max(self.steps()));
        self.change(|request| {
            request.steps = step;
            request.choices.truncate(step as usize);
            request.uses.retain(|(from, _)| *from <= step);
        });
    }

    fn is_settled(self) -> bool {
        !self.kept.running.get_untracked() && !self.free.running.get_untracked()
    }
}

/// A program that runs under what was proven so far.
#[component]
pub fn Run(
    /// The runs.
    runs: Runs,
    /// The program.
    #[prop(into)]
    text: Signal<String>,
    /// How many results are known so far.
    #[prop(into)]
    results: Signal<usize>,
    /// It is verified with threads that take turns.
    #[prop(optional, into)]
    round_robin: Signal<bool>,
    /// It is verified without partial-order reduction.
    #[prop(optional, into)]
    whole: Signal<bool>,
) -> impl IntoView {
    let open = Memo::new(|_| true);
    Effect::new(move |_| {
        let (text, round_robin, whole) = (text.get(), round_robin.get(), whole.get());
        let is_same = runs.kept.request.with_untracked(|request| {
            (&request.text, request.round_robin, request.whole) == (&text, round_robin, whole)
        });
        if is_same {
            return;
        }
        runs.kept.forget();
        runs.free.forget();
        runs.restart();
        runs.change(|request| {
            request.text.clone_from(&text);
            (request.round_robin, request.whole) = (round_robin, whole);
            request.result = results.get_untracked().saturating_sub(1);
        });
    });
    // A larger result arrives.
    Effect::new(move |before: Option<usize>| {
        let now = results.get();
        if now > before.unwrap_or(now) && now > untrack(|| runs.wanted()) + 1 {
            runs.use_result(now - 1);
        }
        now
    });
    runs.kept.follow_request(open);
    runs.free.follow_request(open);
    runs.follow_play();
    view! {
        <div class="schedule-run">
            <Controls runs results />
            <p class="inquiry-trouble" id="schedule-run-trouble" role="status">
                {move || runs.kept.trouble.get().map(|trouble| prose(&trouble))}
            </p>
            <div class="schedule-both">
                <Half
                    of=runs.kept
                    ids=["schedule-run-kept", "schedule-run-said"]
                    title="Under the schedule"
                    about="Whoever has to wait, waits: an arrow leads to the event that comes first."
                />
                <Half
                    of=runs.free
                    ids=["schedule-run-free", "schedule-run-free-said"]
                    title="Without a schedule"
                    about="The same program and seed, and whoever can go on may."
                />
            </div>
            <Next runs />
            <Section runs />
            <Values runs />
        </div>
    }
}

/// What goes on, and how.
#[component]
fn Controls(runs: Runs, results: Signal<usize>) -> impl IntoView {
    let request = runs.kept.request;
    let opt = move |number: u8, name: &'static str| {
        view! { <option value=number.to_string() selected=move || request.with(|request| request.opt == number)>{name}</option> }
    };
    let playing = runs.kept.playing;
    let begins = move || {
        let now = request.with(|request| request.result);
        let option = move |result: usize| {
            view! { <option value=result.to_string() selected=result == now>{format!("result {}", result + 1)}</option> }
        };
        (0..results.get().max(now + 1)).map(option).collect_view()
    };
    let is_last = move || runs.wanted() + 1 >= results.get();
    view! {
        <div class="inquiry-steps" role="group" aria-label="The run">
            <button type="button" id="schedule-run-restart" title="To the beginning" on:click=move |_| runs.restart()>"Restart"</button>
            <button type="button" id="schedule-run-back" title="A step back" on:click=move |_| runs.step_back()>"Back"</button>
            <button type="button" id="schedule-run-step" title="A step of each run" on:click=move |_| runs.step()>"Step"</button>
            <button
                type="button"
                id="schedule-run-play"
                class="primary"
                aria-pressed=move || playing.get().to_string()
                on:click=move |_| runs.toggle_play()
            >
                {move || if playing.get() { "Pause" } else { "Play" }}
            </button>
            <button
                type="button"
                id="schedule-run-order"
                title="The same program from its beginning, in another order by chance"
                on:click=move |_| {
                    runs.restart();
                    runs.change(|request| request.seed += 1);
                }
            >
                "Another order"
            </button>
            <span class="step-place">{move || request.with(|request| format!("step {}", request.steps))}</span>
        </div>
        <div class="inquiry-options">
            <label class="inquiry-field" for="schedule-run-opt">
                "the schedule is kept to"
                <select
                    id="schedule-run-opt"
                    on:change:target=move |event| {
                        let opt = event.target().value().parse().unwrap_or(1);
                        runs.restart();
                        runs.change(|request| request.opt = opt);
                    }
                >
                    {opt(0, "strictly (Opt 0)")}
                    {opt(1, "as a partial order (Opt 1)")}
                    {opt(2, "with repeated sections (Opt 2)")}
                </select>
            </label>
            <label class="inquiry-field" for="schedule-run-leave">
                <input
                    type="checkbox"
                    id="schedule-run-leave"
                    prop:checked=move || request.with(|request| !request.keeps_all)
                    on:change:target=move |event| {
                        let keeps_all = !event.target().checked();
                        runs.restart();
                        runs.change(|request| request.keeps_all = keeps_all);
                    }
                />
                " leave out locks that the order implies"
            </label>
            <label class="inquiry-field" for="schedule-run-hand">
                <input
                    type="checkbox"
                    id="schedule-run-hand"
                    prop:checked=runs.by_hand
                    on:change:target=move |event| {
                        runs.kept.playing.set(false);
                        runs.by_hand.set(event.target().checked());
                    }
                />
                " by hand"
            </label>
            <label class="inquiry-field" for="schedule-run-result">
                "begin with"
                <select
                    id="schedule-run-result"
                    on:change:target=move |event| {
                        let result = event.target().value().parse().unwrap_or(0);
                        runs.restart();
                        runs.change(|request| request.result = result);
                    }
                >
                    {begins}
                </select>
            </label>
            <button
                type="button"
                id="schedule-run-larger"
                title="It takes the place of the one in use at the end of a section"
                aria-disabled=move || is_last().to_string()
                on:click=move |_| {
                    if !untrack(is_last) {
                        runs.use_result(untrack(|| runs.wanted()) + 1);
                    }
                }
            >
                "Let the next result take over"
            </button>
        </div>
    }
}

/// One of the two runs.
#[component]
fn Half(of: InquiryOf<RunOpen>, ids: [&'static str; 2], title: &'static str, about: &'static str) -> impl IntoView {
    let view = of.view;
    let end = part(view, |view| view.end.clone());
    let said = part(view, |view| view.said.clone());
    let told = part(view, |view| {
        let swaps = view.swaps.iter().map(|swap| format!("Step {}: {}", swap.step, swap.words));
        let pending = view.pending.iter().cloned();
        let refused = view.refused.iter().map(|refused| refused.reason.clone());
        view.notes.iter().cloned().chain(swaps).chain(pending).chain(refused).collect::<Vec<_>>()
    });
    let waiting = part(view, |view| {
        let waits = |lane: &&LaneView| !matches!(lane.now.is, Now::Ready | Now::Ended);
        view.lanes.iter().filter(waits).map(|lane| lane.now.words.clone()).collect::<Vec<_>>()
    });
    let rounds = part(view, |view| {
        view.lanes.iter().map(|lane| (lane.name.clone(), lane.rounds)).collect::<Vec<(String, u64)>>()
    });
    let [id, said_id] = ids;
    let bars = move || {
        let rounds = rounds.get();
        let most = rounds.iter().map(|(_, rounds)| *rounds).max().unwrap_or(0).max(1);
        let bar = |(name, number): (String, u64)| {
            let share = number as f64 * 100.0 / most as f64;
            view! {
                <tr>
                    <th scope="row">{name}</th>
                    <td class="schedule-bar"><span style:width=format!("{share:.1}%")></span></td>
                    <td class="schedule-number">{number}</td>
                </tr>
            }
        };
        rounds.into_iter().map(bar).collect_view()
    };
    let lines = |all: Vec<String>| all.into_iter().map(|line| view! { <li>{prose(&line)}</li> }).collect_view();
    let wrong = move || end.with(|end| end.as_ref().is_some_and(|end| end.is.is_wrong()));
    let sign = move || {
        end.with(|end| {
            end.as_ref().map(|end| match end.is {
                RunEnd::Error | RunEnd::Stuck => "✗ ",
                RunEnd::Deadlock => "∥ ",
                RunEnd::Ended => "✓ ",
                RunEnd::Limit => "… ",
            })
        })
    };
    view! {
        <section class="schedule-half" class:wrong=wrong id=id>
            <h3>{title}</h3>
            <p class="inquiry-note">{about}</p>
            {move || view.with(|shown: &Option<Arc<RunView>>| shown.as_ref().map(|shown| lanes(shown, title)))}
            <p class="schedule-run-said" id=said_id aria-live="polite"><span aria-hidden="true">{sign}</span>{move || prose(&said.get())}</p>
            <ul>{move || lines(told.get())}</ul>
            <ul class="schedule-waiting">{move || lines(waiting.get())}</ul>
            <table class="schedule-rounds">
                <caption>"Useful rounds"</caption>
                <tbody>{bars}</tbody>
            </table>
        </section>
    }
}

/// What may come next, to be chosen by hand.
#[component]
fn Next(runs: Runs) -> impl IntoView {
    let next = part(runs.kept.view, |view| {
        let name = |next: &NextView| view.lanes.get(usize::from(next.thread)).map(|lane| lane.name.clone());
        view.next.iter().map(|next| (name(next).unwrap_or_default(), next.clone())).collect::<Vec<_>>()
    });
    let item = move |(name, next): (String, NextView)| {
        let NextView { thread, choice, text, line, inputs, admitted, reason } = next;
        let given = (!inputs.is_empty()).then(|| format!(", given {}", inputs.join(", ")));
        let reason = reason.map(|reason| view! { <p class="schedule-reason">{prose(&reason)}</p> });
        view! {
            <li>
                <button
                    type="button"
                    class="inquiry-told schedule-may"
                    aria-disabled=(!admitted).to_string()
                    on:click=move |_| {
                        if admitted {
                            runs.take(thread, choice);
                        }
                    }
                >
                    <b>{name}</b>" "<code>{text}</code>{given}" "<small>"line "{line}</small>
                </button>
                {reason}
            </li>
        }
    };
    view! {
        <section class:away=move || !runs.by_hand.get()>
            <h3>"You are the scheduler"</h3>
            <p class="inquiry-note">"Choose who goes on. What the schedule does not admit is grey, with the reason."</p>
            <ul id="schedule-run-next">{move || next.get().into_iter().map(item).collect_view()}</ul>
        </section>
    }
}

/// The section under way.
#[component]
fn Section(runs: Runs) -> impl IntoView {
    let section = part(runs.kept.view, |view| view.section.clone());
    let words = Memo::new(move |_| section.with(|section| section.as_ref().map(|section| section.words.clone())));
    let drawing = Memo::new(move |_| section.with(|section| section.as_ref()?.drawing.clone().map(Arc::new)));
    let stage =
        Stage::beside(1.2, move || drawing.with(|drawing| drawing.as_ref().map(|drawing| size_lit(drawing, &[]))));
    view! {
        <section class:away=move || words.with(Option::is_none)>
            <h3>"The section under way"</h3>
            <p id="schedule-section">{move || words.get().map(|words| prose(&words))}</p>
            <div class="side-graph schedule-section" class:away=move || drawing.with(Option::is_none)>
                <Scene
                    stage
                    drawing
                    id="schedule-section-stage"
                    graph_id="schedule-section-graph"
                    name="Section of the schedule"
                    hide_po=false
                    faded=false
                />
            </div>
        </section>
    }
}

/// The values of variables in the run that keeps to the schedule.
#[component]
fn Values(runs: Runs) -> impl IntoView {
    let values = part(runs.kept.view, |view| view.values.clone());
    let row = |ValueView { name, value, changed }: ValueView| {
        let sign = changed.then_some(" *");
        view! { <tr class:changed=changed><th scope="row">{name}</th><td>{value}{sign}</td></tr> }
    };
    view! {
        <section>
            <h3>"Values under the schedule"</h3>
            <table class="inquiry-table" id="schedule-run-values">
                <tbody>{move || values.get().into_iter().map(row).collect_view()}</tbody>
            </table>
            <p class="inquiry-note">"A star: the last step changed it."</p>
        </section>
    }
}
