//! What the exploration found: verdict, condition, faults, counts, and the outcomes as a table and a chart.

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use litmoscope::explore::Verdict;
use litmoscope::session::{CutView, FaultView, OutcomeRow, OutcomesView, Reach, View};
use litmoscope::words::{self, grouped};

use super::tree::look::TreeLook;
use crate::app::App;
use crate::app::lab::LabId;
use crate::browser::observe_size;
use crate::ui::chart;
use crate::ui::icons::{self, Icon};
use crate::ui::prose::prose;
use crate::ui::scene::around::Pointed;

/// Charts with more bars say nothing.
const MAX_BARS: usize = 24;

/// The panel of results.
#[component]
pub fn Results() -> impl IntoView {
    let app = App::get();
    let with =
        move |f: fn(&View) -> String| app.results.with(|view| view.as_ref().map(|view| f(view)).unwrap_or_default());
    let any_run = move || app.whole.is_there();
    let outcomes = Memo::new(move |_| {
        let known = || app.results.with(|view| view.as_ref().map(|view| view.outcomes.clone()).unwrap_or_default());
        app.session.found.get().filter(|_| !any_run()).unwrap_or_else(known)
    });
    let messages = Memo::new(move |_| {
        app.results.with(|view| view.as_ref().map(|view| view.messages.clone()).unwrap_or_default())
    });
    let faults =
        Memo::new(move |_| app.results.with(|view| view.as_ref().map(|view| view.faults.clone()).unwrap_or_default()));
    let cuts =
        Memo::new(move |_| app.results.with(|view| view.as_ref().map(|view| view.cuts.clone()).unwrap_or_default()));
    let condition = Memo::new(move |_| app.results.with(|view| view.as_ref().and_then(|view| view.condition.clone())));
    // Who asks why goes through all candidates, of which there is no list where there are handlers.
    let has_handlers = app.document.handlers;
    let verdict_class = move || {
        let asks = |view: &View| view.condition.as_ref().is_some_and(|condition| condition.asks);
        app.results.with(|view| match view.as_ref().map(|view| (view.verdict, view.reach)) {
            // To a question, no answer is right or wrong.
            Some((Verdict::Ok, _)) if view.as_ref().is_some_and(|view| asks(view)) => "verdict answered",
            Some((Verdict::Ok, _)) => "verdict ok",
            Some((Verdict::Violated, _)) => "verdict violated",
            Some((Verdict::Bounded, Reach::Ongoing)) | None => "verdict open",
            Some((Verdict::Bounded, _)) => "verdict bounded",
        })
    };
    view! {
        <div class="results" class:faded=move || !app.session.current.get()>
            <p class=verdict_class id="verdict">{move || prose(&with(|view| view.verdict_text.clone()))}</p>
            {move || {
                condition.get().map(|condition| {
                    let class = match (condition.decided, condition.holds) {
                        (false, _) => "condition open",
                        (true, _) if condition.asks => "condition answered",
                        (true, true) => "condition holds",
                        (true, false) => "condition fails",
                    };
                    view! {
                        <p class=class id="condition">
                            <code>{condition.text}</code>
                            <span>{condition.sentence}</span>
                            <button
                                type="button"
                                id="ask-condition"
                                class:away=has_handlers
                                title="Why this outcome is allowed or not, under any model (w)"
                                on:click=move |_| app.ask_there(LabId("why"), "")
                            >
                                "Why?"
                            </button>
                            // The outcome that is asked for is there, or the one that is ruled out.
                            {ask_repair(app, move || condition.decided && condition.asks == condition.holds)}
                        </p>
                    }
                })
            }}
            {move || (!faults.with(Vec::is_empty)).then(|| list_faults(app, faults.get()))}
            <p class="ask-wrong" class:away=move || faults.with(Vec::is_empty) || condition.with(Option::is_some)>
                {ask_repair(app, || true)}
            </p>
            {move || (!messages.with(Vec::is_empty)).then(|| list_messages(app, messages.get()))}
            {move || (!cuts.with(Vec::is_empty)).then(|| list_cuts(app, cuts.get()))}
            {move || {
                let outcomes = outcomes.get();
                if outcomes.too_many {
                    let text = "There are more final states than this table has room for. A line that names what matters, such \
                                as locations [x; P0:a;], makes them fewer.";
                    view! { <p class="empty">{text}</p> }.into_any()
                } else if outcomes.rows.is_empty() {
                    view! { <p class="empty">"No outcome yet: step on to the first whole execution, or run to the end."</p> }
                        .into_any()
                } else {
                    table(app, &outcomes).into_any()
                }
            }}
            <Counts />
            <Chart outcomes />
            <p class="ask-other" class:away=has_handlers>
                <button
                    type="button"
                    id="ask-other"
                    title="Why an outcome of your choice is not among these (w)"
                    on:click=move |_| app.ask_there(LabId("why"), "")
                >
                    "Why not another outcome?"
                </button>
            </p>
        </div>
    }
}

/// The way to what would forbid what was found, if something is to be forbidden.
fn ask_repair(app: App, is_there: impl Fn() -> bool + Send + Sync + 'static) -> impl IntoView {
    view! {
        <button
            type="button"
            class="ask-repair"
            class:away=move || app.document.handlers.get() || !is_there()
            title="All minimal repairs: fences, modes and exchanges that rule it out (Shift+W)"
            on:click=move |_| app.ask_there(LabId("repair"), "{}")
        >
            "What would forbid this?"
        </button>
    }
}

#[component]
fn Counts() -> impl IntoView {
    let (app, look) = (App::get(), TreeLook::get());
    // While a command runs, its news are newer than the view.
    let counts = move || {
        let counted = if app.whole.is_there() {
            app.whole.counts.get()
        } else {
            app.session.progress.with(|progress| progress.as_ref().map(|progress| progress.counts))
        };
        counted.or_else(|| app.results.with(|view| view.as_ref().map(|view| view.counts))).unwrap_or_default()
    };
    // With what to look for in the tree to find those that are counted.
    let entry = |name: &'static str, title: &'static str, kind: &'static str, value: Signal<u64>| {
        let seek = move |forward: bool| look.seek(app, kind, forward);
        let keys = move |event: KeyboardEvent| {
            let key = event.key();
            if key == "n" || key == "p" {
                event.prevent_default();
                seek(key == "n");
            }
        };
        view! {
            <div class="count" class:zero=move || value.get() == 0 title=title>
                <dt>{name}</dt>
                <dd id=format!("count-{name}")>
                    <button
                        type="button"
                        title="Go to the first of them, then to the next (n; back: p)"
                        aria-label=move || format!("{} {name}: go to the next", grouped(value.get()))
                        prop:disabled=move || value.get() == 0
                        on:click=move |_| seek(true)
                        on:keydown=keys
                    >
                        {move || grouped(value.get())}
                    </button>
                </dd>
            </div>
        }
    };
    let bounded = move || counts().bounded;
    let undecided = move || counts().undecided;
    let runs = move || counts().runs;
    // A race is seen before its execution is whole.
    let faults = move || {
        let seen = |view: &View| view.faults.iter().map(|fault| fault.count).sum::<u64>();
        app.results.with(|view| view.as_ref().map_or(0, |view| seen(view)))
    };
    view! {
        <dl class="counts" id="counts">
            {entry("complete", "whole executions in which every thread ran to its end", "complete", Signal::derive(move || counts().complete))}
            {entry("blocked", "whole executions with a thread that is stuck or was cut", "blocked", Signal::derive(move || counts().blocked))}
            {entry("erroneous", "whole executions with an error or a data race", "error", Signal::derive(move || counts().erroneous))}
            <div class="count" class:away=move || faults() == 0 title="errors, data races and executions that are stuck for good, found so far">
                <dt>"errors found"</dt>
                <dd id="count-faults">{move || grouped(faults())}</dd>
            </div>
            {entry("dropped", "inconsistent graphs", "dropped", Signal::derive(move || counts().dropped))}
            <div
                class="count"
                class:away=move || bounded() == 0
                title="executions in which a thread was cut at a bound: the result is only bounded"
            >
                <dt>"bounded"</dt>
                <dd id="count-bounded">{move || grouped(bounded())}</dd>
            </div>
            <div
                class="count"
                class:away=move || undecided() == 0
                title="graphs that were left out because their consistency was not decided: the result is only bounded"
            >
                <dt>"undecided"</dt>
                <dd id="count-undecided">{move || grouped(undecided())}</dd>
            </div>
            <div
                class="count"
                class:away=move || runs() == 0
                title="random runs, which may miss executions: the result is only bounded"
            >
                <dt>"runs"</dt>
                <dd id="count-runs">{move || grouped(runs())}</dd>
            </div>
            <div class="count" class:away=move || runs() == 0 title="random runs that led to a known execution">
                <dt>"repeated"</dt>
                <dd id="count-repeated">{move || grouped(counts().repeated)}</dd>
            </div>
            {entry("duplicates", "executions found twice: there must be none", "duplicate", Signal::derive(move || counts().duplicates))}
        </dl>
        <PlainAndCo />
        {move || {
            // A run has no single order of steps.
            let finished = app.session.view.get().filter(|view| view.done && !app.whole.is_there());
            finished.map(|view| view! {
                <p class="fingerprint" title="It is the same wherever this program is explored in this way">
                    "hash of all steps " <code id="fingerprint">{view.fingerprint.clone()}</code>
                </p>
            })
        }}
    }
}

/// How many executions there are without co and with it, side by side; what was not counted yet can be.
#[component]
fn PlainAndCo() -> impl IntoView {
    let app = App::get();
    let shown = move || {
        let whole = app.session.current.get()
            && app.results.with(|view| view.as_ref().is_some_and(|view| view.reach == Reach::Whole));
        whole && app.document.algorithm.get().traits().kin.differ()
    };
    let side = move |with_co: bool, id: &'static str, name: &'static str, title: &'static str| {
        let number = move || {
            let counted = app.session.contrast.with(|contrast| if with_co { contrast.with_co } else { contrast.plain });
            counted.map_or_else(|| "count them".to_owned(), grouped)
        };
        view! {
            <button
                type="button"
                id=id
                title=title
                aria-pressed=move || (app.document.algorithm.get().tracks_co() == with_co).to_string()
                on:click=move |_| app.count(with_co)
            >
                <span>{name}</span>
                <strong>{number}</strong>
            </button>
        }
    };
    view! {
        <Show when=shown>
            <div class="contrast" id="contrast" role="group" aria-label="Executions with and without co">
                {side(false, "contrast-plain", "without co", "Executions that differ in po or rf: explore these to the end")}
                {side(true, "contrast-co", "with co", "Executions that differ in po, rf or co: explore these to the end")}
            </div>
        </Show>
    }
}

/// Why there is no way to a place.
const NOWHERE: &str = "Its step is unknown, because not everything before it was explored here";

fn go_to(app: App, position: Option<u64>) {
    if let Some(position) = position {
        app.go_to_found(position);
    }
}

fn list_faults(app: App, faults: Vec<FaultView>) -> impl IntoView {
    let item = move |fault: FaultView| {
        let times = (fault.count > 1).then(|| format!("{} times", grouped(fault.count)));
        view! {
            <li>
                <button
                    type="button"
                    aria-disabled=fault.position.is_none().then_some("true")
                    on:click=move |_| go_to(app, fault.position)
                    title=if fault.position.is_some() { "Go to where it was found first" } else { NOWHERE }
                >
                    <span>{fault.message}</span>
                    <span class="times">{times}</span>
                </button>
            </li>
        }
    };
    view! { <ul class="faults" id="faults" aria-label="Errors found">{faults.into_iter().map(item).collect_view()}</ul> }
}

/// What is worth knowing of messages, each with the way to where it was seen first, if that can be said.
fn list_messages(app: App, notes: Vec<FaultView>) -> impl IntoView {
    let item = move |note: FaultView| {
        match note.position {
        Some(_) => view! {
            <li>
                <button type="button" on:click=move |_| go_to(app, note.position) title="Go to where it was found first">
                    <span>{note.message}</span>
                    <span class="times">{words::count(note.count, "execution")}</span>
                </button>
            </li>
        }
        .into_any(),
        None => view! { <li class="note">{note.message}</li> }.into_any(),
    }
    };
    view! {
        <ul class="faults messages" id="messages" aria-label="Races between messages, and messages that do not run">
            {notes.into_iter().map(item).collect_view()}
        </ul>
    }
}

/// What bounds cut, each with the way to its line.
fn list_cuts(app: App, cuts: Vec<CutView>) -> impl IntoView {
    let item = move |cut: CutView| {
        let times = (cut.executions > 1).then(|| words::count(cut.executions, "execution"));
        view! {
            <li>
                <button type="button" on:click=move |_| app.around.pointed.set(Some(Pointed::Line(cut.line))) title="Mark its line">
                    <span>{cut.message}</span>
                    <span class="times">{times}</span>
                </button>
            </li>
        }
    };
    view! { <ul class="faults cuts" id="cuts" aria-label="What was cut">{cuts.into_iter().map(item).collect_view()}</ul> }
}

/// A state as one line: `a=0 b=1`.
fn state(columns: &[String], row: &OutcomeRow) -> String {
    columns.iter().zip(&row.values).map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

fn table(app: App, outcomes: &OutcomesView) -> impl IntoView + use<> {
    let judged = outcomes.rows.iter().any(|row| row.satisfies.is_some());
    let columns = outcomes.columns.clone();
    let row = |row: &OutcomeRow| {
        let position = row.position;
        let name = format!("Go to the first execution that ends with {}", state(&columns, row));
        let satisfies = judged.then(|| match row.satisfies {
            Some(true) => {
                view! { <td class="satisfies yes">"✓"<span class="sr-only">" satisfies the condition"</span></td> }
            }
            _ => view! { <td class="satisfies">""<span class="sr-only">"does not satisfy the condition"</span></td> },
        });
        view! {
            <tr class="outcome" class:satisfying=row.satisfies == Some(true) on:click=move |_| go_to(app, position)>
                <td class="go">
                    <button
                        type="button"
                        aria-label=name
                        title=if position.is_some() { "Go to the first execution with this outcome" } else { NOWHERE }
                        aria-disabled=position.is_none().then_some("true")
                        on:click=move |event| {
                            event.stop_propagation();
                            go_to(app, position);
                        }
                    >
                        <Icon shape=icons::GO />
                    </button>
                </td>
                <td class="number">{grouped(row.count)}</td>
                {satisfies}
                {row.values.iter().map(|value| view! { <td class="value">{value.clone()}</td> }).collect_view()}
            </tr>
        }
    };
    let rows = outcomes.rows.iter().map(row).collect_view();
    let left_out = (outcomes.left_out > 0)
        .then(|| view! { <p class="empty">{format!("and {} more", grouped(outcomes.left_out))}</p> });
    view! {
        <div class="table">
            <table class="outcomes" id="outcomes">
                <caption class="sr-only">"Final states and how many executions end in each"</caption>
                <thead>
                    <tr>
                        <th scope="col"><span class="sr-only">"go there"</span></th>
                        <th scope="col" class="number" title="executions with this outcome">"count"</th>
                        {judged.then(|| view! { <th scope="col" title="satisfies the condition">"✓"</th> })}
                        {outcomes.columns.iter().map(|name| view! { <th scope="col">{name.clone()}</th> }).collect_view()}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {left_out}
    }
}

/// The counts of the outcomes as bars; nothing where there is nothing to compare.
#[component]
fn Chart(outcomes: Memo<OutcomesView>) -> impl IntoView {
    let app = App::get();
    let canvas = NodeRef::<html::Canvas>::new();
    let frame = NodeRef::<html::Div>::new();
    let size = RwSignal::new((0.0, 0.0));
    observe_size(frame, size);
    let shown = Memo::new(move |_| outcomes.with(|outcomes| (2..=MAX_BARS).contains(&outcomes.rows.len())));
    let bars = Memo::new(move |_| {
        outcomes.with(|outcomes| {
            let bar = |row: &OutcomeRow| chart::Bar {
                name: state(&outcomes.columns, row),
                short: row.values.join(" "),
                count: row.count,
                marked: row.satisfies == Some(true),
            };
            Arc::new(outcomes.rows.iter().map(bar).collect::<Vec<_>>())
        })
    });
    Effect::new(move |_| {
        let (theme, bars, shown) = (app.looks.theme.get(), bars.get(), shown.get());
        size.track();
        let Some(canvas) = canvas.get() else { return };
        if shown {
            // After the canvas got its size.
            request_animation_frame(move || chart::draw(&canvas, &bars, theme));
        }
    });
    let label = move || {
        let bars: Vec<_> = bars.get().iter().map(|bar| format!("{}: {}", bar.name, bar.count)).collect();
        format!("Bar chart of the outcomes. {}", bars.join("; "))
    };
    view! {
        <div class="chart" node_ref=frame class:away=move || !shown.get()>
            <canvas id="chart" role="img" aria-label=label node_ref=canvas></canvas>
        </div>
    }
}
