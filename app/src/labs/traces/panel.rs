//! Whether handlers can take their messages in some order: the trace drawn, what follows from it step by step, and why.

use std::ops::Deref;
use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::document::{TRACE, TRACE_READER, trace_reader};
use litmoscope::traces::{
    MailboxVerdict, Relation, RelationView, RunRow, StepKind, ToldEdges, TraceDeciding, TraceRequest, TraceStepView,
    formula_text,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::worker::ID;
use crate::app::App;
use crate::app::inquiry::fields::Make;
use crate::app::inquiry::head::{Head, verdict};
use crate::app::inquiry::legend::{Entry, Legend};
use crate::app::inquiry::sheets::sheets;
use crate::app::inquiry::steps::{Caption, WayThrough, step_item};
use crate::app::inquiry::told::{Drawn, told};
use crate::app::inquiry::walk::{Player, Walk};
use crate::app::inquiry::{Inquires, InquiryOf, not_yet};
use crate::app::lab::LabId;
use crate::app::offers::Examples;
use crate::document::examples::TRACES;
use crate::ui::prose::prose;

/// What is open beside the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sheet {
    Steps,
    Found,
    Orders,
    Formula,
}

/// A trace that is asked about, and what is known of it.
#[derive(Clone, Copy)]
struct Inquiry {
    of: InquiryOf<TraceDeciding>,
    /// The kind of mailbox and the step to be shown of the text that comes.
    due: StoredValue<Option<(u32, u32)>>,
    sheet: RwSignal<Sheet>,
}

impl Deref for Inquiry {
    type Target = InquiryOf<TraceDeciding>;

    fn deref(&self) -> &InquiryOf<TraceDeciding> {
        &self.of
    }
}

impl Inquiry {
    /// Nothing is asked about yet.
    fn new(app: App) -> Self {
        let request = TraceRequest { hidden: vec![Relation::Do], ..TraceRequest::default() };
        let of = InquiryOf::new(app, request, |wrong| not_yet("a trace", wrong));
        Self { of, due: StoredValue::new(None), sheet: RwSignal::new(Sheet::Steps) }
    }

    /// That of this page.
    fn get() -> Self {
        expect_context()
    }

    /// Shows another trace from its beginning, or from where it is to be.
    fn take(self, text: Option<String>) {
        let Some(text) = text else { return self.request.update(|request| request.text.clear()) };
        let narrow = self.app.looks.narrow.get_untracked();
        let (choice, step) = self.due.get_value().unwrap_or_default();
        self.due.set_value(None);
        self.request.update(|request| {
            *request = TraceRequest { text, narrow, choice, step, hidden: std::mem::take(&mut request.hidden) };
        });
    }
}

impl Walk for Inquiry {
    fn player(self) -> Player {
        self.player
    }

    fn place(self) -> (u32, u32) {
        let all = self.view.with_untracked(|view| view.as_ref().map_or(0, |view| view.all_steps));
        (self.request.with_untracked(|request| request.step), all)
    }

    fn go_to(self, step: u32) {
        let step = step.min(self.place().1);
        self.pointed.set(Vec::new());
        self.request.update(|request| request.step = step);
    }
}

impl Inquires for Inquiry {
    const ID: LabId = ID;
    const LINKED: &'static str = "Link copied: it leads to exactly this step. The address bar has it too.";

    fn give_up(self) {
        self.stop();
    }

    /// The kind of mailbox and the step.
    fn kept(self) -> Option<Value> {
        let shown = self.request.with_untracked(|request| (request.choice, request.step));
        let shown = if self.is_of_nothing() { self.due.get_value()? } else { shown };
        (shown != (0, 0)).then(|| json!([shown.0, shown.1]))
    }

    fn show_kept(self, kept: &Value) {
        let is_beginning = kept.as_object().is_some_and(serde_json::Map::is_empty);
        let place = if is_beginning { Ok((0, 0)) } else { <(u32, u32)>::deserialize(kept) };
        let Ok((choice, step)) = place else { return };
        if self.is_of_page() {
            self.request.update(|request| (request.choice, request.step) = (choice, step));
        } else {
            self.due.set_value(Some((choice, step)));
        }
    }

    fn track_kept(self) {
        self.request.track();
    }
}

/// The panel.
#[component]
pub fn Traces() -> impl IntoView {
    let app = App::get();
    let inquiry = Inquiry::new(app);
    let open = inquiry.arrive(Some((&TRACE_READER, trace_reader())));
    let own = app.has_text_of(&TRACE);
    inquiry.follow_text(open, own, move |text| inquiry.take(text));
    inquiry.follow_request(open);
    inquiry.follow_play();
    let empty = Signal::derive(move || !own.get() || inquiry.view.with(Option::is_none));
    let status = move || {
        if own.get() {
            return inquiry.status(|view| view.name.clone());
        }
        "The text is not an event-driven trace. A trace begins with the line “trace”. Choose an example, or enter a \
         formula."
            .to_owned()
    };
    view! {
        <div class="why-not inquiry trace" data-over=move || (!inquiry.running.get()).to_string()>
            <Head
                ids=["trace-status", "trace-stop", "trace-again", "trace-close"]
                question="Can these messages be taken in some order?"
                status=Signal::derive(status)
                running=inquiry.running
                stop=move |()| inquiry.stop()
                stopped=Signal::derive(move || inquiry.is_stopped())
                again=move |()| inquiry.ask()
            >
                <Examples id="trace-example" label="Example traces" indexes=&[TRACES] />
            </Head>
            <Verdicts />
            <div class="inquiry-body" class:alone=empty>
                <Drawing empty />
                <Sheets empty />
            </div>
        </div>
    }
}

/// What is known with which mailboxes, and what that means.
#[component]
fn Verdicts() -> impl IntoView {
    let inquiry = Inquiry::get();
    let verdicts = inquiry.part(|view| view.verdicts.clone());
    let sentence = inquiry.part(|view| view.sentence.clone());
    let choose = move |choice: u32| {
        inquiry.pointed.set(Vec::new());
        inquiry.request.update(|request| (request.choice, request.step) = (choice, 0));
    };
    let one = move |(at, MailboxVerdict { title, is_consistent }): (u32, MailboxVerdict)| {
        let (class, sign) = verdict(is_consistent);
        let words = match is_consistent {
            Some(true) => "consistent",
            Some(false) => "inconsistent",
            None => "unknown",
        };
        let now = move || inquiry.request.with(|request| request.choice == at).to_string();
        let id = format!("trace-with-{}", title.replace(' ', "-"));
        view! {
            <button type="button" id=id class=class aria-pressed=now on:click=move |_| choose(at)>
                {title}" "<span aria-hidden="true">{sign}</span>" "<span>{words}</span>
            </button>
        }
    };
    view! {
        <div class="why-models" role="group" aria-label="Mailboxes" class:away=move || verdicts.with(Vec::is_empty)>
            {move || verdicts.get().into_iter().enumerate().map(|(at, verdict)| one((at as u32, verdict))).collect_view()}
        </div>
        <p class="inquiry-sentence" id="trace-sentence" aria-live="polite" class:away=move || sentence.with(String::is_empty)>
            <strong>{sentence}</strong>
        </p>
    }
}

/// The trace, drawn, with the way through what is derived and guessed.
#[component]
fn Drawing(empty: Signal<bool>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let drawing =
        Memo::new(move |_| inquiry.view.with(|view| view.as_ref().and_then(|view| view.drawing.clone()).map(Arc::new)));
    let caption = inquiry.part(|view| view.caption.clone());
    let lit = inquiry.part(|view| view.lit.clone());
    let lights = move || Some(inquiry.pointed.get()).filter(|pointed| !pointed.is_empty()).unwrap_or_else(|| lit.get());
    let entries = inquiry.part(|view| {
        let entry = |RelationView { relation, kind, meaning }: RelationView| Entry {
            relation,
            name: relation.name(),
            kind,
            meaning,
        };
        view.relations.iter().cloned().map(entry).collect::<Vec<_>>()
    });
    view! {
        <div class="inquiry-drawing" class:away=empty>
            <WayThrough
                walk=inquiry
                ids=["trace-first", "trace-back", "trace-forward", "trace-last", "trace-play", "trace-place"]
                place=inquiry.part(|view| (view.step, view.all_steps))
            />
            <Caption id="trace-caption">{caption}</Caption>
            <Drawn
                drawing
                ids=["trace-stage", "trace-graph"]
                name="Event-driven trace"
                lights=Signal::derive(lights)
                none=inquiry.part(|view| view.too_large.clone())
            />
            <Legend
                id="trace-legend"
                entries
                drawing
                kinds=inquiry.part(|view| view.kinds.clone())
                hidden=Signal::derive(move || inquiry.request.with(|request| request.hidden.clone()))
                hide=move |hidden| inquiry.request.update(|request| request.hidden = hidden)
            />
        </div>
    }
}

/// What is told beside the drawing, one of several sheets.
#[component]
fn Sheets(empty: Signal<bool>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let has_run = inquiry.part(|view| !view.run.is_empty());
    let tabs = [
        (Sheet::Steps, "trace-saturation", "Saturation".into()),
        (Sheet::Found, "trace-found", Signal::derive(move || if has_run.get() { "Run" } else { "Contradiction" })),
        (Sheet::Orders, "trace-orders", "Reasons".into()),
        (Sheet::Formula, "trace-hard", "Why is it hard?".into()),
    ];
    // Without a trace there is only what makes one.
    let only = Signal::derive(move || empty.get().then_some(Sheet::Formula));
    let open = move |sheet| {
        inquiry.pointed.set(Vec::new());
        inquiry.sheet.set(sheet);
    };
    sheets(tabs, inquiry.sheet.into(), only, open, move |sheet| match sheet {
        Sheet::Steps => view! { <StepList /> }.into_any(),
        Sheet::Found if has_run.get() => view! { <Run /> }.into_any(),
        Sheet::Found => view! { <Cycle /> }.into_any(),
        Sheet::Orders => view! { <Orders /> }.into_any(),
        Sheet::Formula => view! { <Hard /> }.into_any(),
    })
}

/// All steps, those within a guess further in.
#[component]
fn StepList() -> impl IntoView {
    let inquiry = Inquiry::get();
    let steps = inquiry.part(|view| view.steps.clone());
    let left_out = inquiry.part(|view| view.left_out.clone());
    let now = Signal::derive(move || inquiry.request.with(|request| request.step));
    let item = move |TraceStepView { number, kind, depth, text }: TraceStepView| {
        let sort = match kind {
            StepKind::Derived => "derived",
            StepKind::Guess => "guess",
            StepKind::Open => "open",
            StepKind::CycleEdge => "cycle-edge",
            StepKind::Contradiction => "contradiction",
            StepKind::InOrder => "in-order",
        };
        step_item(inquiry, now, number, sort, depth.min(16), text)
    };
    move || {
        let steps = steps.get();
        if steps.is_empty() {
            return view! { <p class="empty">"Nothing was derived."</p> }.into_any();
        }
        view! {
            <ol id="trace-list" aria-label="Steps">{steps.into_iter().map(item).collect_view()}</ol>
            {left_out.get().map(|more| view! { <p class="why-note">{more}</p> })}
        }
        .into_any()
    }
}

/// Sentences on edges, which to point at brings out in the drawing.
fn on_edges(id: &'static str, all: Vec<ToldEdges>) -> impl IntoView {
    told(id, Inquiry::get().pointed, all.into_iter().map(|told| (told.text, told.edges)), |_| ())
}

/// The cycle edge by edge.
#[component]
fn Cycle() -> impl IntoView {
    let inquiry = Inquiry::get();
    let cycle = inquiry.part(|view| view.cycle.clone());
    move || {
        let cycle = cycle.get();
        if cycle.is_empty() {
            return view! { <p class="empty">"There is no cycle. The last step says what is wrong, or the answer is unknown."</p> }
                .into_any();
        }
        view! {
            <p class="inquiry-note">"Each edge says which event comes before which. Together, they would put every \
                                   event before itself."</p>
            {on_edges("trace-cycle", cycle)}
        }
        .into_any()
    }
}

/// The order of messages, and all events one after the other.
#[component]
fn Run() -> impl IntoView {
    let inquiry = Inquiry::get();
    let eo = inquiry.part(|view| view.eo.clone());
    let run = inquiry.part(|view| view.run.clone());
    let row = |RunRow { handler, text, is_get }: RunRow| {
        view! { <li class:takes=is_get><b>{handler}</b>" "{text}</li> }
    };
    view! {
        <ul class="trace-eo" id="trace-eo">
            {move || eo.get().into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}
        </ul>
        <ol class="trace-run" id="trace-run">{move || run.get().into_iter().map(row).collect_view()}</ol>
    }
}

/// Why messages are in order.
#[component]
fn Orders() -> impl IntoView {
    let inquiry = Inquiry::get();
    let orders = inquiry.part(|view| view.orders.clone());
    let some = inquiry.part(|view| view.some_orders.clone());
    move || {
        let orders = orders.get();
        if orders.is_empty() {
            return view! {
                <p class="empty">"No two messages of a handler are in order: the trace is inconsistent, or no \
                                  handler takes two messages."</p>
            }
            .into_any();
        }
        view! {
            {some.get().map(|some| view! { <p class="why-note">{some}</p> })}
            {on_edges("trace-reasons", orders)}
        }
        .into_any()
    }
}

/// Why the question is hard, with a formula to try it on.
#[component]
fn Hard() -> impl IntoView {
    let words = [
        "If one message posts all others of a queue, nothing has to be guessed. In general, the question is \
         NP-complete: a formula becomes a trace that is consistent if and only if the formula is satisfiable.",
        "A variable is a pair of messages that race. Its value says which of them comes first. The trace leaves this \
         open.",
        "Handlers with queues pass the two messages on, once for each clause. Queues keep their order, so a variable \
         has the same value in all clauses.",
        "A clause is a chain of messages. For each literal, a path through memory and the mailbox `hW` leads from \
         one message to the next. The path is closed only if the literal is false. If all literals are false, the \
         clause is a cycle.",
    ];
    view! {
        <div class="trace-hard">
            {words.map(|text| view! { <p>{prose(text)}</p> })}
            <Make
                ids=["trace-formula", "trace-make", "trace-trouble"]
                label="Formula: clauses of two or three literals in parentheses, such as (1 2) (-1 -2)"
                first="(1 2) (-1 -2)"
                title="Make its trace"
                make=|formula| formula_text(formula).map_err(|error| error.message)
            />
        </div>
    }
}
