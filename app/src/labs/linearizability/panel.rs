//! Whether each operation of a history can take effect at once: the verdict, the timeline, points, steps and reasons.

use std::rc::Rc;

use leptos::html;
use leptos::prelude::*;
use litmoscope::document::{HISTORY_READER, history_reader};
use litmoscope::histories::Monitor;
use litmoscope::histories::report::{HistoryRequest, HistoryVerdict};

use super::code::{Executions, Facts, GraphSheet, NoTimeline, Objects};
use super::contradiction::ReasonSheet;
use super::files::{self, OpenFile, Shown};
use super::inquiry::{Inquiry, Sheet, Source};
use super::points::{PointButtons, SequenceList};
use super::steps::StepSheet;
use super::timeline::{MainTimeline, ZoomButtons};
use super::worker::ID;
use crate::app::App;
use crate::app::offers::{BackToSteps, Desk, Examples};
use crate::document::examples::HISTORIES;
use crate::ui::prose::prose;

/// Follows the editor's text. A file that is shown stays until another text is there.
fn follow_text(app: App, inquiry: Inquiry, open: Signal<bool>, own: Memo<Source>) {
    Effect::new(move |_| {
        let (open, own) = (open.get(), own.get());
        if app.session.edited.get() {
            return;
        }
        let now = inquiry.source.get_untracked();
        let is_shown = match &now {
            Source::File { beside, .. } => app.document.text.with(|text| **beside == **text),
            shown => *shown == own,
        };
        if open && !is_shown {
            inquiry.take(own, None);
        }
    });
}

/// The panel.
#[component]
pub fn Linearizability() -> impl IntoView {
    let app = App::get();
    let inquiry = Inquiry::new(app);
    provide_context(inquiry);
    // Until now the editor took each history for a good one, without colours.
    if !HISTORY_READER.is_there() {
        app.document.take_reader(|| HISTORY_READER.give(history_reader()));
    }
    app.take_place(ID, Rc::new(inquiry));
    let open: Signal<bool> = app.is_open(ID).into();
    let own = Memo::new(move |_| Source::of_text(app));
    follow_text(app, inquiry, open, own);
    Effect::new(move |_| {
        inquiry.look.track();
        inquiry.source.track();
        if open.get() {
            inquiry.pump();
        }
    });
    inquiry.follow_play();
    let empty = Memo::new(move |_| inquiry.view.with(Option::is_none));
    // An execution need not have a history.
    let bare = Memo::new(move |_| {
        inquiry.view.with(|view| view.as_ref().is_some_and(|view| view.code.is_some() && view.timeline.rows.is_empty()))
    });
    view! {
        <div
            class="why-not history"
            data-over=move || (!inquiry.running.get()).to_string()
            on:dragover=move |event| files::over(&event)
            on:drop=move |event| files::drop(app, inquiry, &event)
        >
            <Head own />
            <Shown />
            <Verdict empty />
            <Executions />
            <div class="history-body" class:away=empty>
                <div class="history-main">
                    <div class="history-tools" class:away=bare><ZoomButtons /><PointButtons /><Legend /></div>
                    <div class="history-timed" class:away=bare><MainTimeline /></div>
                    <NoTimeline bare />
                    <SequenceList />
                </div>
                <Sheets />
            </div>
        </div>
    }
}

/// What is asked, how far that is, and what else could be.
#[component]
fn Head(own: Memo<Source>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let nothing = move || inquiry.source.with(|source| *source == Source::Nothing);
    let status = move || match (inquiry.running.get(), inquiry.trouble.get()) {
        _ if nothing() && own.with(|own| *own == Source::Nothing) => {
            "The text is neither a history nor a program with an object. A history lists operations with their \
             times, such as `T1: push 1 [0,2]`. Choose an example, or open a recording."
                .to_owned()
        }
        (true, _) => inquiry.view.with(|view| if view.is_some() { "looking further" } else { "judging" }).to_owned(),
        (false, trouble) => trouble.unwrap_or_default(),
    };
    let stopped = move || inquiry.trouble.with(Option::is_some) && !inquiry.running.get() && !nothing();
    view! {
        <div class="compare-head">
            <h2>"Can each operation take effect at a single moment?"</h2>
            <p class="compare-status" id="history-status" role="status">{move || prose(&status())}</p>
            <Show when=move || inquiry.running.get()>
                <button type="button" id="history-stop" on:click=move |_| crate::app::lab::Lab::stop(&inquiry)>"Stop"</button>
            </Show>
            <Show when=stopped>
                <button type="button" id="history-again" on:click=move |_| inquiry.again()>"Ask again"</button>
            </Show>
            <OpenFile />
            <Examples id="history-example" label="Example histories" indexes=&[HISTORIES] />
            <BackToSteps id="history-close" />
        </div>
    }
}

/// What is known, of which history, as which object, and by whom.
#[component]
fn Verdict(empty: Memo<bool>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let verdict = Memo::new(move |_| inquiry.view.with(|view| view.as_ref().map(|view| view.verdict)));
    let sentence = inquiry.part(|view| view.sentence.clone());
    let size = inquiry.part(|view| view.size.clone());
    let histories = inquiry.part(|view| (view.histories.clone(), view.choice));
    let objects = inquiry.part(|view| (view.objects.clone(), view.object));
    let monitor = Memo::new(move |_| inquiry.look.with(|look: &HistoryRequest| look.monitor));
    let is_program = inquiry.part(|view| view.code.is_some());
    let badge = move || {
        let (class, sign, words) = match verdict.get() {
            Some(HistoryVerdict::Linearizable) => ("verdict consistent", "✓", "linearizable"),
            Some(HistoryVerdict::Not) => ("verdict inconsistent", "✗", "not linearizable"),
            _ => ("verdict bounded", "?", "unknown"),
        };
        view! {
            <span class=class id="history-verdict"><span aria-hidden="true">{sign}</span>" "<span>{words}</span></span>
        }
    };
    let history = move || {
        let (names, now) = histories.get();
        (names.len() > 1).then(|| {
            let option = |(at, name): (usize, String)| {
                view! { <option value=at.to_string() selected=at as u32 == now>{name}</option> }
            };
            view! {
                <label class="history-field">
                    "History "
                    <select
                        id="history-choice"
                        on:change:target=move |event| {
                            if let Ok(choice) = event.target().value().parse() {
                                inquiry.choose(|look| (look.choice, look.object) = (choice, None));
                            }
                        }
                    >
                        {names.into_iter().enumerate().map(option).collect_view()}
                    </select>
                </label>
            }
        })
    };
    let object = move || {
        let (all, now) = objects.get();
        let unknown = now.is_none().then(|| view! { <option value="" selected=true>"choose"</option> });
        let kinds: Vec<_> = all.iter().map(|(object, _)| *object).collect();
        let option = |(at, (object, name)): (usize, (_, String))| {
            view! { <option value=at.to_string() selected=now == Some(object)>{name}</option> }
        };
        view! {
            <label class="history-field">
                "Object "
                <select
                    id="history-object"
                    on:change:target=move |event| {
                        let at = event.target().value().parse::<usize>().ok();
                        if let Some(object) = at.and_then(|at| kinds.get(at).copied()) {
                            inquiry.choose(|look| look.object = Some(object));
                        }
                    }
                >
                    {unknown}
                    {all.into_iter().enumerate().map(option).collect_view()}
                </select>
            </label>
        }
    };
    let monitors = move || {
        let now = monitor.get();
        let option = move |monitor: Monitor| {
            view! { <option value=monitor.name() selected=now == monitor>{monitor.name()}</option> }
        };
        Monitor::ALL.into_iter().map(option).collect_view()
    };
    view! {
        <div class="history-verdict-row" class:away=empty>
            {badge}
            <p class="history-sentence" id="history-sentence" aria-live="polite">
                <strong>{sentence}</strong>" "<span class="history-size">{size}</span>
            </p>
            <Desk lab=ID>
                <div class="history-fields" class:away=empty>
                    {history}
                    {move || (!is_program.get()).then_some(object)}
                    <Objects />
                    <label class="history-field">
                        "Monitor "
                        <select
                            id="history-monitor"
                            on:change:target=move |event| {
                                let name = event.target().value();
                                if let Some(monitor) = Monitor::ALL.into_iter().find(|monitor| monitor.name() == name) {
                                    inquiry.choose(|look| look.monitor = monitor);
                                }
                            }
                        >
                            {monitors}
                        </select>
                    </label>
                </div>
            </Desk>
        </div>
    }
}

/// What the step's marks mean.
#[component]
fn Legend() -> impl IntoView {
    let inquiry = Inquiry::get();
    let pending = inquiry.part(|view| view.timeline.bars.iter().any(|bar| bar.ret.is_none()));
    let crowds = inquiry.part(|view| !view.timeline.crowds.is_empty());
    view! {
        <p class="history-legend">
            {move || pending.get().then(|| view! { <span><i class="history-key open"></i>"never returns"</span> })}
            {move || crowds.get().then(|| view! { <span><i class="history-key crowd"></i>"many: zoom in"</span> })}
        </p>
    }
}

/// Why, and how.
#[component]
fn Sheets() -> impl IntoView {
    let inquiry = Inquiry::get();
    let sheet = inquiry.sheet;
    let tab = move |of: Sheet, id: &'static str, name: &'static str| {
        view! {
            <button type="button" id=id aria-pressed=move || (sheet.get() == of).to_string() on:click=move |_| sheet.set(of)>
                {name}
            </button>
        }
    };
    let is_program = inquiry.part(|view| view.code.is_some());
    let list = NodeRef::<html::Div>::new();
    // Who makes steps looks at them.
    Effect::new(move |_| {
        if inquiry.look.with(|look| look.step > 0) {
            sheet.set(Sheet::Steps);
        }
    });
    view! {
        <div class="history-side">
            <div class="history-tabs" role="group" aria-label="What is told">
                {move || is_program.get().then(|| tab(Sheet::Graph, "history-graph-tab", "Graph"))}
                {tab(Sheet::Reasons, "history-why-tab", "Why")}
                {tab(Sheet::Steps, "history-steps-tab", "Step by step")}
            </div>
            <div class="history-graph" class:away=move || sheet.get() != Sheet::Graph><GraphSheet /></div>
            <div
                class="history-told-sheet"
                class:away=move || sheet.get() == Sheet::Graph
                node_ref=list
                tabindex="0"
                role="group"
                aria-label="What is known"
            >
                <div class:away=move || sheet.get() != Sheet::Reasons><ReasonSheet /><Facts /></div>
                <div class:away=move || sheet.get() != Sheet::Steps><StepSheet /></div>
            </div>
        </div>
    }
}
