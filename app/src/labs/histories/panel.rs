//! Whether each operation of a history can take effect at once: the verdict, the timeline, points, steps and reasons.

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
use crate::app::inquiry::Inquires;
use crate::app::inquiry::fields::choice;
use crate::app::inquiry::head::{Head, verdict};
use crate::app::inquiry::sheets::tabs;
use crate::app::inquiry::walk::Walk;
use crate::app::offers::{Desk, Examples};
use crate::document::examples::HISTORIES;

/// Follows the editor's text. A file that is shown stays until another text is there.
fn follow_text(app: App, inquiry: Inquiry, open: Memo<bool>, own: Memo<Source>) {
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
pub fn Histories() -> impl IntoView {
    let app = App::get();
    let inquiry = Inquiry::new(app);
    let open = inquiry.arrive(Some((&HISTORY_READER, history_reader())));
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
        <div
            class="why-not inquiry history"
            data-over=move || (!inquiry.running.get()).to_string()
            on:dragover=move |event| files::over(&event)
            on:drop=move |event| files::drop(app, inquiry, &event)
        >
            <Head
                ids=["history-status", "history-stop", "history-again", "history-close"]
                question="Can each operation take effect at a single moment?"
                status=Signal::derive(status)
                running=inquiry.running
                stop=move |()| inquiry.give_up()
                stopped=Signal::derive(stopped)
                again=move |()| inquiry.again()
            >
                <OpenFile />
                <Examples id="history-example" label="Example histories" indexes=&[HISTORIES] />
            </Head>
            <Shown />
            <Verdict empty />
            <Executions />
            <div class="inquiry-body" class:away=empty>
                <div class="history-main">
                    <div class="inquiry-tools" class:away=bare><ZoomButtons /><PointButtons /><Legend /></div>
                    <div class="history-timed" class:away=bare><MainTimeline /></div>
                    <NoTimeline bare />
                    <SequenceList />
                </div>
                <Sheets />
            </div>
        </div>
    }
}

/// What is known, of which history, as which object, and by whom.
#[component]
fn Verdict(empty: Memo<bool>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let known = Memo::new(move |_| inquiry.view.with(|view| view.as_ref().map(|view| view.verdict)));
    let sentence = inquiry.part(|view| view.sentence.clone());
    let size = inquiry.part(|view| view.size.clone());
    let histories = inquiry.part(|view| (view.histories.clone(), view.choice));
    let objects = inquiry.part(|view| (view.objects.clone(), view.object));
    let monitor = Memo::new(move |_| inquiry.look.with(|look: &HistoryRequest| look.monitor));
    let is_program = inquiry.part(|view| view.code.is_some());
    let badge = move || {
        let (holds, words) = match known.get() {
            Some(HistoryVerdict::Linearizable) => (Some(true), "linearizable"),
            Some(HistoryVerdict::Not) => (Some(false), "not linearizable"),
            _ => (None, "unknown"),
        };
        let (class, sign) = verdict(holds);
        view! {
            <span class=class id="history-verdict"><span aria-hidden="true">{sign}</span>" "<span>{words}</span></span>
        }
    };
    let history = move || {
        let (names, now) = histories.get();
        (names.len() > 1).then(|| {
            let choose =
                move |at| inquiry.choose(|look: &mut HistoryRequest| (look.choice, look.object) = (at as u32, None));
            let choices = choice("history-choice", names, Some(now as usize), "", choose);
            view! { <label class="inquiry-field">"History " {choices}</label> }
        })
    };
    let object = move || {
        let (all, now) = objects.get();
        let kinds: Vec<_> = all.iter().map(|(object, _)| *object).collect();
        let place = kinds.iter().position(|object| now == Some(*object));
        let names = all.into_iter().map(|(_, name)| name);
        let choose = move |at: usize| {
            if let Some(object) = kinds.get(at).copied() {
                inquiry.choose(|look| look.object = Some(object));
            }
        };
        view! { <label class="inquiry-field">"Object " {choice("history-object", names, place, "choose", choose)}</label> }
    };
    let monitors = move || {
        let now = Monitor::ALL.iter().position(|one| *one == monitor.get());
        let names = Monitor::ALL.iter().map(|monitor| monitor.name().to_owned());
        choice("history-monitor", names, now, "", move |at| {
            if let Some(monitor) = Monitor::ALL.get(at).copied() {
                inquiry.choose(|look| look.monitor = monitor);
            }
        })
    };
    view! {
        <div class="history-verdict-row" class:away=empty>
            {badge}
            <p class="history-sentence" id="history-sentence" aria-live="polite">
                <strong>{sentence}</strong>" "<span class="history-size">{size}</span>
            </p>
            <Desk lab=ID>
                <div class="inquiry-options" class:away=empty>
                    {history}
                    {move || (!is_program.get()).then_some(object)}
                    <Objects />
                    <label class="inquiry-field">
                        "Monitor "
                        {monitors}
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
    let is_program = inquiry.part(|view| view.code.is_some());
    let shown = move || {
        let graph = is_program.get().then(|| (Sheet::Graph, "history-graph-tab", "Graph".into()));
        let others = [
            (Sheet::Reasons, "history-why-tab", "Why".into()),
            (Sheet::Steps, "history-steps-tab", "Step by step".into()),
        ];
        tabs(graph.into_iter().chain(others), sheet.into(), Signal::derive(|| None), move |of| sheet.set(of))
    };
    // Who makes steps looks at them.
    Effect::new(move |_| {
        if inquiry.look.with(|look| look.step > 0) {
            sheet.set(Sheet::Steps);
        }
    });
    view! {
        <div class="inquiry-side">
            {shown}
            <div class="history-graph" class:away=move || sheet.get() != Sheet::Graph><GraphSheet /></div>
            <div
                class="inquiry-sheet"
                class:away=move || sheet.get() == Sheet::Graph
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
