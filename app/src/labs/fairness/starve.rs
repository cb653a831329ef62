//! Who can starve in a program: a question, what each promise says to it, and a run that goes round and round.

use leptos::prelude::*;
use litmoscope::fairness::view::starve::{ReadyQuestion, RunStep, StarveView, UnderPromise};
use litmoscope::fairness::view::{Promise, StoreBuffers};

use super::inquiry::{Inquiry, Rounds};
use crate::app::inquiry::head::verdict;
use crate::app::inquiry::walk::Walk;
use crate::ui::prose::prose;
use crate::ui::step_buttons::Move;

fn part<T: Clone + Default + PartialEq + Send + Sync + 'static>(of: fn(&StarveView) -> T) -> Memo<T> {
    let view = Inquiry::get().view;
    Memo::new(move |_| {
        view.with(|view| view.as_ref().and_then(|view| view.starve.as_ref()).map(of).unwrap_or_default())
    })
}

/// The sheet.
#[component]
pub fn StarveSheet() -> impl IntoView {
    let inquiry = Inquiry::get();
    let is_program = inquiry.part(|view| view.is_program);
    move || {
        if is_program.get() {
            view! { <Memory /> <Asking /> <Table /> <Run /> }.into_any()
        } else {
            view! { <p class="empty">"This text is a graph: its pairs are above, each with a box to leave it out. Questions are asked of programs."</p> }
                .into_any()
        }
    }
}

/// Where writes go first, and whether they are sure to come to memory.
#[component]
fn Memory() -> impl IntoView {
    let inquiry = Inquiry::get();
    let buffers = Memo::new(move |_| inquiry.request.with(|request| request.buffers));
    let promise = Memo::new(move |_| inquiry.request.with(|request| request.buffer_promise));
    let kind = move |kind: StoreBuffers| {
        view! { <option value=kind.name() selected=move || buffers.get() == kind>{kind.words()}</option> }
    };
    let promised = move |own: Option<Promise>| {
        let (value, words) = own.map_or(("", "as to threads"), |own| (own.name(), own.name()));
        view! { <option value=value selected=move || promise.get() == own>{words}</option> }
    };
    let choose = move |name: String| {
        let Some(chosen) = StoreBuffers::ALL.into_iter().find(|kind| kind.name() == name) else { return };
        inquiry.choose(|request| request.buffers = chosen);
    };
    let choose_promise = move |name: String| {
        let chosen = Promise::ALL.into_iter().find(|promise| promise.name() == name);
        inquiry.choose(|request| request.buffer_promise = chosen);
    };
    view! {
        <div class="fair-tools">
            <label>
                "Threads write "
                <select id="fairness-buffers" on:change:target=move |event| choose(event.target().value())>
                    {StoreBuffers::ALL.map(kind).collect_view()}
                </select>
            </label>
            <label class:away=move || buffers.get() == StoreBuffers::None>
                "Buffers are promised "
                <select id="fairness-buffer-promise" on:change:target=move |event| choose_promise(event.target().value())>
                    {std::iter::once(None).chain(Promise::ALL.map(Some)).map(promised).collect_view()}
                </select>
            </label>
        </div>
    }
}

/// The question, as it is written, and those that are ready.
#[component]
fn Asking() -> impl IntoView {
    let inquiry = Inquiry::get();
    let ready = part(|view| view.ready.clone());
    let wrong = part(|view| view.wrong.clone());
    let asked = Memo::new(move |_| inquiry.request.with(|request| request.question.clone()));
    let line = RwSignal::new(String::new());
    Effect::new(move |_| line.set(asked.get()));
    let go = move || inquiry.ask_question(line.get_untracked());
    let one = move |ReadyQuestion { title, text }: ReadyQuestion| {
        let own = text.clone();
        let now = move || asked.with(|asked| *asked == own).to_string();
        view! {
            <button type="button" class="fair-ready" aria-pressed=now on:click=move |_| inquiry.ask_question(text.clone())>{title}</button>
        }
    };
    let caret = move || {
        wrong.get().map(|(message, column)| {
            let question = asked.get();
            let before: String = question.chars().take(column.saturating_sub(1) as usize).map(|_| ' ').collect();
            view! {
                <pre class="fair-caret">{question}"\n"{before}"^"</pre>
                <p class="inquiry-trouble" id="fairness-wrong" role="alert">{prose(&message)}"."</p>
            }
        })
    };
    view! {
        <div class="fair-tools" id="fairness-ready" role="group" aria-label="Ready questions">
            {move || ready.get().into_iter().map(one).collect_view()}
        </div>
        <label for="fairness-question">"Or ask, as "<code>"x = 1 again and again"</code></label>
        <div class="inquiry-make">
            <input
                type="text"
                id="fairness-question"
                autocomplete="off"
                spellcheck="false"
                aria-invalid=move || wrong.with(Option::is_some).to_string()
                prop:value=line
                on:input:target=move |event| line.set(event.target().value())
                on:keydown=move |event| {
                    if event.key() == "Enter" {
                        go();
                    }
                }
            />
            <button type="button" id="fairness-ask" class="primary" on:click=move |_| go()>"Ask"</button>
        </div>
        {caret}
    }
}

/// What is known under each promise.
#[component]
fn Table() -> impl IntoView {
    let inquiry = Inquiry::get();
    let table = part(|view| view.table.clone());
    let answer = part(|view| view.answer.clone());
    let now = Memo::new(move |_| inquiry.request.with(|request| request.promise));
    let row = move |UnderPromise { promise, can }: UnderPromise| {
        // What is feared is that it can be.
        let (class, sign) = verdict(can.map(|can| !can));
        let words = match can {
            Some(true) => "can be",
            Some(false) => "no fair run does that",
            None => "unknown",
        };
        let is_now = move || now.get() == promise;
        let choose = move |_| inquiry.choose(|request| request.promise = promise);
        view! {
            <tr aria-current=move || is_now().then_some("true")>
                <th scope="row">
                    <label title=promise.sentence()>
                        <input type="radio" name="fairness-under" id=format!("fairness-under-{}", promise.name()) prop:checked=is_now on:change=choose />
                        " "{promise.name()}
                    </label>
                </th>
                <td class=class><span aria-hidden="true">{sign}</span>" "<span>{words}</span></td>
            </tr>
        }
    };
    let sentence = move || now.get().sentence();
    view! {
        <table class="inquiry-table fair-promises" id="fairness-table" class:away=move || table.with(Vec::is_empty)>
            <thead><tr><th scope="col">"Fairness"</th><th scope="col">"Is there such a run?"</th></tr></thead>
            <tbody>{move || table.get().into_iter().map(row).collect_view()}</tbody>
        </table>
        <p class="inquiry-note" class:away=move || table.with(Vec::is_empty)>{sentence}</p>
        <p id="fairness-starves" aria-live="polite" class:away=move || answer.with(String::is_empty)><strong>{answer}</strong></p>
    }
}

/// The way through the run, which has no end.
#[component]
fn Way(place: Memo<(u32, u32)>) -> impl IntoView {
    let rounds = Rounds(Inquiry::get());
    let button = move |id: &'static str, title: &'static str, sign: &'static str, to: Move| {
        view! {
            <button type="button" id=id title=title aria-label=title on:click=move |_| rounds.go(to)>
                <span aria-hidden="true">{sign}</span>
            </button>
        }
    };
    view! {
        <div class="inquiry-steps" role="group" aria-label="Steps of the run">
            {button("fairness-run-first", "Before the first step (Home)", "|←", Move::First)}
            {button("fairness-run-back", "A step back (←)", "←", Move::Back)}
            {button("fairness-run-forward", "The next step, round and round (→)", "→", Move::On)}
            {button("fairness-run-play", "Play round and round, or stop (Space)", "▶", Move::Play)}
            <span class="step-place" id="fairness-run-place">{move || format!("step {} of {}", place.get().0, place.get().1)}</span>
        </div>
    }
}

/// The run, thread by thread.
#[component]
fn Run() -> impl IntoView {
    let inquiry = Inquiry::get();
    let threads = part(|view| view.threads.clone());
    let steps = part(|view| view.steps.clone());
    let stem = part(|view| view.stem);
    let at = part(|view| view.at);
    let state = part(|view| view.state.clone());
    let place = Memo::new(move |_| (at.get(), steps.with(|steps| steps.len() as u32)));
    let row = move |step: RunStep, count: usize, first: bool| {
        let RunStep { number, thread, text, line, changes, could, in_cycle } = step;
        let cells = (0..count).map(|own| {
            if own == thread as usize {
                let changes = (!changes.is_empty()).then(|| view! { <small>{changes.clone()}</small> });
                view! { <td class="fair-move"><code>{text.clone()}</code>{(line > 0).then(|| view! { <small>"line "{line}</small> })}{changes}</td> }
                    .into_any()
            } else if could.get(own) == Some(&true) {
                view! { <td class="fair-could" title="It could move here.">"·"</td> }.into_any()
            } else {
                view! { <td class="fair-blocked" title="It can't move here.">"–"</td> }.into_any()
            }
        });
        let cells = cells.collect_view();
        let is_now = move || at.get() == number;
        let class = match (in_cycle, first) {
            (true, true) => "cycle begins",
            (true, false) => "cycle",
            (false, _) => "stem",
        };
        view! {
            <tr class=class aria-current=move || is_now().then_some("step")>
                <th scope="row">
                    <button type="button" class="fair-row" title="Go to this step" on:click=move |_| Rounds(inquiry).go_to(number)>{number}</button>
                </th>
                {cells}
            </tr>
        }
    };
    let rows = move || {
        let (count, stem) = (threads.with(Vec::len), stem.get());
        steps
            .get()
            .into_iter()
            .map(|step| {
                let first = step.number == stem + 1;
                row(step, count, first)
            })
            .collect_view()
    };
    let goes = move || {
        let (all, stem) = (place.get().1, stem.get());
        let round = litmoscope::words::count(u64::from(all.saturating_sub(stem)), "step");
        let sign = if at.get() >= all { " Now it goes round." } else { "" };
        format!("↻ The steps from {} on go round for ever: {round}.{sign}", stem + 1)
    };
    view! {
        <div class:away=move || steps.with(Vec::is_empty)>
            <Way place />
            <p class="inquiry-note" id="fairness-round">{goes}</p>
            <table class="fair-run" id="fairness-run">
                <thead>
                    <tr>
                        <th scope="col">"Step"</th>
                        {move || threads.get().into_iter().map(|name| view! { <th scope="col">{name}</th> }).collect_view()}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
            <p class="inquiry-note">"· could move, – could not"</p>
            <ul class="fair-state" id="fairness-state">{move || state.get().into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}</ul>
        </div>
        <p class="inquiry-note" class:away=move || !steps.with(Vec::is_empty)>
            {Promise::Strong.sentence()}" Choose a question to see whether somebody waits for ever all the same."
        </p>
    }
}
