//! Whether handlers can take their messages in some order: the trace drawn, what follows from it step by step, and why.

use std::rc::Rc;
use std::sync::Arc;

use gloo::timers::callback::Interval;
use leptos::prelude::*;
use litmoscope::document::{Kind, TRACE, TRACE_READER, trace_reader};
use litmoscope::report::{EdgeKey, EdgeKind, HEAD_PATH};
use litmoscope::session::Settings;
use litmoscope::session::link::{self, LabPlace};
use litmoscope::traces::{
    MailboxVerdict, Relation, RelationView, RunRow, StepKind, ToldEdges, TraceRequest, TraceStepView, TraceView,
    formula_text,
};

use serde::Deserialize;
use serde_json::{Value, json};

use super::worker::{Answer, ID, TraceRole};
use crate::app::App;
use crate::app::lab::{Lab, Link};
use crate::app::offers::{BackToSteps, Examples};
use crate::document::examples::TRACES;
use crate::ui::prose::prose;
use crate::ui::scene::Scene;
use crate::ui::scene::camera::{Stage, size_lit};
use crate::ui::step_buttons::{Move, step_buttons};
use crate::worker::line::Said;
use crate::worker::port::Port;
use crate::worker::session::Command;

/// How long a step is seen while they play, in milliseconds.
const PERIOD: u32 = 900;
/// How long a question may take before another one ends it, in milliseconds.
const PATIENCE: f64 = 2000.0;
/// The name of the drawing.
const GRAPH: &str = "trace-graph";

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
    app: App,
    /// The kind of mailbox and the step to be shown of the text that comes.
    due: StoredValue<Option<(u32, u32)>>,
    request: RwSignal<TraceRequest>,
    view: RwSignal<Option<Arc<TraceView>>>,
    sheet: RwSignal<Sheet>,
    /// Edges of a list that are pointed at.
    pointed: RwSignal<Vec<EdgeKey>>,
    running: RwSignal<bool>,
    trouble: RwSignal<Option<String>>,
    playing: RwSignal<bool>,
    port: Port<TraceRole>,
    player: StoredValue<Option<Interval>, LocalStorage>,
}

impl Inquiry {
    /// Nothing is asked about yet.
    fn new(app: App) -> Self {
        let port = Port::new();
        let request = TraceRequest { hidden: vec![Relation::Do], ..TraceRequest::default() };
        Self {
            app,
            due: StoredValue::new(None),
            request: RwSignal::new(request),
            view: RwSignal::new(None),
            sheet: RwSignal::new(Sheet::Steps),
            pointed: RwSignal::new(Vec::new()),
            running: port.working,
            trouble: RwSignal::new(None),
            playing: RwSignal::new(false),
            port,
            player: StoredValue::new_local(None),
        }
    }

    /// That of this page.
    fn get() -> Self {
        expect_context()
    }

    /// Ends what goes on, and lets go of the answer.
    fn forget(self) {
        self.playing.set(false);
        self.port.interrupt();
        self.port.forget();
        self.view.set(None);
        self.trouble.set(None);
        self.pointed.set(Vec::new());
    }

    fn ask(self, request: &TraceRequest) {
        // It may be in the middle of a long search.
        if self.port.silence() > PATIENCE {
            self.port.interrupt();
        }
        self.port.open(move |said| self.hear(said));
        self.port.begin(request);
    }

    fn hear(self, said: Said<Answer>) {
        match said {
            Said::Answer(_, Answer::Shown(view)) => {
                self.port.done();
                self.trouble.set(None);
                self.view.set(Some(Arc::new(*view)));
            }
            Said::Answer(_, Answer::Refused(diagnostics)) => {
                self.port.done();
                self.view.set(None);
                let first = diagnostics.into_iter().next();
                let first = first.map(|wrong| format!("line {}, {}", wrong.span.line, wrong.message));
                self.trouble.set(Some(format!("This is not a trace yet: {}.", first.unwrap_or_default())));
            }
            Said::Died(message) => self.trouble.set(Some(format!("The question failed: {message}."))),
            Said::Lacks(_) | Said::Ready => {}
        }
    }

    /// Gives up what takes long.
    fn stop(self) {
        self.playing.set(false);
        if self.running.get_untracked() {
            self.port.end();
            self.view.set(None);
            self.trouble.set(Some("Stopped before there was an answer.".to_owned()));
        }
    }

    /// How many steps there are.
    fn steps(self) -> u32 {
        self.view.with_untracked(|view| view.as_ref().map_or(0, |view| view.all_steps))
    }

    /// Shows what is known after so many steps.
    fn go_to(self, step: u32) {
        let step = step.min(self.steps());
        self.pointed.set(Vec::new());
        self.request.update(|request| request.step = step);
    }

    /// A step on, or back.
    fn step(self, forward: bool) {
        let step = self.request.with_untracked(|request| request.step);
        self.go_to(if forward { step + 1 } else { step.saturating_sub(1) });
    }

    /// Plays the steps to the end, or stops.
    fn toggle_play(self) {
        let playing = !self.playing.get_untracked();
        if playing && self.request.with_untracked(|request| request.step) >= self.steps() {
            self.go_to(0);
        }
        self.playing.set(playing);
    }

    /// A part of what is shown, which changes when that does.
    fn part<T: Clone + Default + PartialEq + Send + Sync + 'static>(self, of: fn(&TraceView) -> T) -> Memo<T> {
        Memo::new(move |_| self.view.with(|view| view.as_ref().map(|view| of(view)).unwrap_or_default()))
    }
}

impl Lab for Inquiry {
    fn enter(&self) {
        self.app.session.playing.set(false);
    }

    fn plays(&self) -> bool {
        true
    }

    /// Through what is derived and guessed.
    fn moves(&self, command: Command, _repeated: bool) -> bool {
        match command {
            Command::Forward => self.step(true),
            Command::Back => self.step(false),
            Command::Reset => self.go_to(0),
            Command::Run => self.go_to(u32::MAX),
            _ => return false,
        }
        true
    }

    fn play(&self) {
        self.toggle_play();
    }

    fn stop(&self) {
        Self::stop(*self);
    }

    fn link(&self) -> Option<Link> {
        let place = LabPlace { settings: untrack(|| self.app.settings()), lab: ID.0.to_owned(), place: self.keep()? };
        let fragment = link::encode_lab(&place).ok()?;
        Some(Link { fragment, said: "Link copied: it leads to exactly this step. The address bar has it too." })
    }

    /// The kind of mailbox and the step.
    fn keep(&self) -> Option<Value> {
        let shown = |request: &TraceRequest| (!request.text.is_empty()).then_some((request.choice, request.step));
        let shown = self.request.with_untracked(shown).or_else(|| self.due.get_value())?;
        (shown != (0, 0)).then(|| json!([shown.0, shown.1]))
    }

    fn resume(&self, kept: &Value) {
        let is_beginning = kept.as_object().is_some_and(serde_json::Map::is_empty);
        let place = if is_beginning { Ok((0, 0)) } else { <(u32, u32)>::deserialize(kept) };
        let Ok((choice, step)) = place else { return };
        let text = self.app.document.text.get_untracked();
        if self.request.with_untracked(|request| request.text == text) {
            self.request.update(|request| (request.choice, request.step) = (choice, step));
        } else {
            self.due.set_value(Some((choice, step)));
        }
    }

    fn track(&self) {
        self.request.track();
    }
}

/// Shows another trace from its beginning; one that is typed, when that pauses.
fn follow_text(app: App, inquiry: Inquiry, open: Signal<bool>, own: Memo<bool>) {
    Effect::new(move |_| {
        if !open.get() || !own.get() {
            inquiry.forget();
            inquiry.request.update(|request| request.text.clear());
            return;
        }
        if app.session.edited.get() {
            return;
        }
        let text = app.document.text.get();
        let narrow = app.looks.narrow.get_untracked();
        if inquiry.request.with_untracked(|request| request.text != text) {
            inquiry.pointed.set(Vec::new());
            let (choice, step) = inquiry.due.get_value().unwrap_or_default();
            inquiry.due.set_value(None);
            inquiry.request.update(|request| {
                *request = TraceRequest { text, narrow, choice, step, hidden: std::mem::take(&mut request.hidden) };
            });
        }
    });
}

/// Makes steps while they play.
fn play(inquiry: Inquiry) {
    Effect::new(move |_| {
        let player = inquiry.playing.get().then(|| {
            Interval::new(PERIOD, move || {
                // What is not seen yet is waited for.
                if inquiry.running.get_untracked() {
                    return;
                }
                inquiry.step(true);
                if inquiry.request.with_untracked(|request| request.step) >= inquiry.steps() {
                    inquiry.playing.set(false);
                }
            })
        });
        inquiry.player.set_value(player);
    });
}

/// Takes a trace in the place of the page's text.
fn take(app: App, text: String) {
    app.load(&Settings { text, ..untrack(|| app.settings()) }, true);
}

/// The panel.
#[component]
pub fn Traces() -> impl IntoView {
    let app = App::get();
    let inquiry = Inquiry::new(app);
    provide_context(inquiry);
    // Until now the editor took each trace for a good one, without colours.
    if !TRACE_READER.is_there() {
        app.document.take_reader(|| TRACE_READER.give(trace_reader()));
    }
    app.take_place(ID, Rc::new(inquiry));
    let open: Signal<bool> = app.is_open(ID).into();
    let own = Memo::new(move |_| app.document.text.with(|text| Kind::of(text).is(&TRACE)));
    follow_text(app, inquiry, open, own);
    let asked = Memo::new(move |_| inquiry.request.get());
    Effect::new(move |_| {
        let request = asked.get();
        if open.get() && !request.text.is_empty() {
            inquiry.ask(&request);
        }
    });
    play(inquiry);
    let empty = move || !own.get() || inquiry.view.with(Option::is_none);
    view! {
        <div class="why-not trace" data-over=move || (!inquiry.running.get()).to_string()>
            <Head own asked />
            <Verdicts />
            <div class="trace-body" class:alone=empty>
                <div class="trace-drawing" class:away=empty>
                    <Steps />
                    <Graph />
                    <Legend />
                </div>
                <Sheets empty=Signal::derive(empty) />
            </div>
        </div>
    }
}

/// What is asked, how far that is, and what else could be.
#[component]
fn Head(own: Memo<bool>, asked: Memo<TraceRequest>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let status = move || match (inquiry.running.get(), inquiry.trouble.get()) {
        _ if !own.get() => {
            "The text is not an event-driven trace. A trace begins with the line “trace”. Choose an example, or \
             enter a formula."
                .to_owned()
        }
        (true, _) => "asking".to_owned(),
        (false, Some(trouble)) => trouble,
        _ => inquiry.view.with(|view| view.as_ref().map(|view| view.name.clone()).unwrap_or_default()),
    };
    let stopped = move || {
        let nothing = inquiry.trouble.get().is_some() && inquiry.view.with(Option::is_none);
        !inquiry.running.get() && nothing && !asked.with(|request| request.text.is_empty())
    };
    view! {
        <div class="compare-head">
            <h2>"Can these messages be taken in some order?"</h2>
            <p class="compare-status" id="trace-status" role="status">{move || prose(&status())}</p>
            <Show when=move || inquiry.running.get()>
                <button type="button" id="trace-stop" on:click=move |_| inquiry.stop()>"Stop"</button>
            </Show>
            <Show when=stopped>
                <button type="button" id="trace-again" on:click=move |_| asked.with_untracked(|request| inquiry.ask(request))>"Ask again"</button>
            </Show>
            <Examples id="trace-example" label="Example traces" indexes=&[TRACES] />
            <BackToSteps id="trace-close" />
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
        let (class, sign, words) = match is_consistent {
            Some(true) => ("verdict consistent", "✓", "consistent"),
            Some(false) => ("verdict inconsistent", "✗", "inconsistent"),
            None => ("verdict bounded", "?", "unknown"),
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
        <p class="trace-sentence" id="trace-sentence" aria-live="polite" class:away=move || sentence.with(String::is_empty)>
            <strong>{sentence}</strong>
        </p>
    }
}

/// The way through what is derived and guessed, and what a step says.
#[component]
fn Steps() -> impl IntoView {
    let inquiry = Inquiry::get();
    let place = inquiry.part(|view| (view.step, view.all_steps));
    let caption = inquiry.part(|view| view.caption.clone());
    let go = move |to| match to {
        Move::First => inquiry.go_to(0),
        Move::Back => inquiry.step(false),
        Move::On => inquiry.step(true),
        Move::Last => inquiry.go_to(u32::MAX),
        Move::Play => inquiry.toggle_play(),
    };
    let ids = ["trace-first", "trace-back", "trace-forward", "trace-last", "trace-play", "trace-place"];
    let titles = ["Before the first step (Home)", "A step back (←)", "The next step (→)", "After the last step (End)"];
    view! {
        <div class="trace-steps" role="group" aria-label="Steps">
            {step_buttons(ids, titles, place, go)}
        </div>
        <div class="trace-caption" id="trace-caption" tabindex="0" role="group" aria-label="What this step says" aria-live="polite">
            {caption}
        </div>
    }
}

/// The trace, drawn.
#[component]
fn Graph() -> impl IntoView {
    let inquiry = Inquiry::get();
    let drawing =
        Memo::new(move |_| inquiry.view.with(|view| view.as_ref().and_then(|view| view.drawing.clone()).map(Arc::new)));
    let too_large = inquiry.part(|view| view.too_large.clone());
    let lit = inquiry.part(|view| view.lit.clone());
    let lights = Signal::derive(move || {
        let pointed = inquiry.pointed.get();
        if pointed.is_empty() { lit.get() } else { pointed }
    });
    let stage = Stage::beside(1.6, move || {
        lights.with(|lit| drawing.with(|drawing| drawing.as_ref().map(|drawing| size_lit(drawing, lit))))
    });
    view! {
        <p class="empty" class:away=move || too_large.with(Option::is_none)>{too_large}</p>
        <div class="side-graph" class:away=move || drawing.with(Option::is_none)>
            <Scene
                stage
                drawing
                id="trace-stage"
                graph_id=GRAPH
                name="Event-driven trace"
                hide_po=false
                faded=false
                lights
            />
        </div>
    }
}

/// What the edges mean, and which of them are drawn.
#[component]
fn Legend() -> impl IntoView {
    let (app, inquiry) = (App::get(), Inquiry::get());
    let relations = inquiry.part(|view| view.relations.clone());
    let kinds = inquiry.part(|view| view.kinds.clone());
    let entry = move |RelationView { relation, kind, meaning }: RelationView| {
        let own = move |kind: u8| kinds.with(|kinds| kinds.get(usize::from(kind)).cloned());
        let colour = move || match kind {
            EdgeKind::Relation(relation) => app.around.colour(relation).to_owned(),
            EdgeKind::Own(kind) => own(kind).map(|own| own.color(app.around.look.get()).to_owned()).unwrap_or_default(),
        };
        let dash = move || match kind {
            // rf and co are given, and solid.
            EdgeKind::Relation(relation) => inquiry.view.with(|view| {
                let drawing = view.as_ref().and_then(|view| view.drawing.as_ref());
                drawing.map(|drawing| drawing.dash(relation).to_owned()).unwrap_or_default()
            }),
            EdgeKind::Own(kind) => own(kind).map(|own| own.dash.to_string()).unwrap_or_default(),
        };
        let shown = move || inquiry.request.with(|request| !request.hidden.contains(&relation));
        let toggle = move |_| {
            inquiry.request.update(|request| {
                if request.hidden.contains(&relation) {
                    request.hidden.retain(|hidden| *hidden != relation);
                } else {
                    request.hidden.push(relation);
                }
            });
        };
        view! {
            <button
                type="button"
                class="relation"
                data-relation=relation.name()
                aria-pressed=move || shown().to_string()
                title=meaning
                on:click=toggle
            >
                <svg width="34" height="12" aria-hidden="true">
                    <path class="sample" d="M1 6H27" stroke=colour stroke-dasharray=dash></path>
                    <path d=HEAD_PATH transform="translate(33 6)" fill=colour></path>
                </svg>
                {relation.name()}
            </button>
        }
    };
    view! {
        <div class="trace-legend" id="trace-legend" role="group" aria-label="Relations shown">
            {move || relations.get().into_iter().map(entry).collect_view()}
        </div>
    }
}

/// What is told beside the drawing, one of several sheets.
#[component]
fn Sheets(empty: Signal<bool>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let has_run = inquiry.part(|view| !view.run.is_empty());
    // Without a trace there is only what makes one.
    let sheet = Memo::new(move |_| if empty.get() { Sheet::Formula } else { inquiry.sheet.get() });
    let tab = move |own: Sheet, id: &'static str, name: Signal<&'static str>| {
        view! {
            <button
                type="button"
                id=id
                class:away=move || empty.get() && own != Sheet::Formula
                aria-pressed=move || (sheet.get() == own).to_string()
                on:click=move |_| {
                    inquiry.pointed.set(Vec::new());
                    inquiry.sheet.set(own);
                }
            >
                {name}
            </button>
        }
    };
    let found = Signal::derive(move || if has_run.get() { "Run" } else { "Contradiction" });
    view! {
        <div class="trace-side">
            <div class="trace-tabs" role="group" aria-label="What is told">
                {tab(Sheet::Steps, "trace-saturation", Signal::derive(|| "Saturation"))}
                {tab(Sheet::Found, "trace-found", found)}
                {tab(Sheet::Orders, "trace-orders", Signal::derive(|| "Reasons"))}
                {tab(Sheet::Formula, "trace-hard", Signal::derive(|| "Why is it hard?"))}
            </div>
            <div class="trace-sheet" tabindex="0" role="group" aria-label="What is known">
                {move || match sheet.get() {
                    Sheet::Steps => view! { <StepList /> }.into_any(),
                    Sheet::Found if has_run.get() => view! { <Run /> }.into_any(),
                    Sheet::Found => view! { <Cycle /> }.into_any(),
                    Sheet::Orders => view! { <Orders /> }.into_any(),
                    Sheet::Formula => view! { <Hard /> }.into_any(),
                }}
            </div>
        </div>
    }
}

/// All steps, those within a guess further in.
#[component]
fn StepList() -> impl IntoView {
    let inquiry = Inquiry::get();
    let steps = inquiry.part(|view| view.steps.clone());
    let left_out = inquiry.part(|view| view.left_out.clone());
    let item = move |TraceStepView { number, kind, depth, text }: TraceStepView| {
        let sort = match kind {
            StepKind::Derived => "derived",
            StepKind::Guess => "guess",
            StepKind::Open => "open",
            StepKind::CycleEdge => "cycle-edge",
            StepKind::Contradiction => "contradiction",
            StepKind::InOrder => "in-order",
        };
        let state = move || {
            let now = inquiry.request.with(|request| request.step);
            if now == number {
                "now"
            } else if now > number {
                "done"
            } else {
                ""
            }
        };
        view! {
            <li style:padding-left=format!("{}px", depth.min(16) * 12)>
                <button
                    type="button"
                    class=move || format!("trace-step {sort} {}", state())
                    aria-current=move || (state() == "now").then_some("step")
                    on:click=move |_| inquiry.go_to(number)
                >
                    <b>{number}"."</b>" "{text}
                </button>
            </li>
        }
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
fn told(inquiry: Inquiry, all: Vec<ToldEdges>, id: &'static str) -> impl IntoView {
    let item = move |ToldEdges { text, edges }: ToldEdges| {
        let (on, focus, mine) = (edges.clone(), edges.clone(), edges);
        let off = move || {
            if inquiry.pointed.with_untracked(|pointed| *pointed == mine) {
                inquiry.pointed.set(Vec::new());
            }
        };
        let blur = off.clone();
        view! {
            <li>
                <button
                    type="button"
                    class="trace-told"
                    on:pointerenter=move |_| inquiry.pointed.set(on.clone())
                    on:pointerleave=move |_| off()
                    on:focus=move |_| inquiry.pointed.set(focus.clone())
                    on:blur=move |_| blur()
                >
                    {text}
                </button>
            </li>
        }
    };
    view! { <ol id=id class="trace-tellings">{all.into_iter().map(item).collect_view()}</ol> }
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
            <p class="trace-note">"Each edge says which event comes before which. Together, they would put every \
                                   event before itself."</p>
            {told(inquiry, cycle, "trace-cycle")}
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
            {told(inquiry, orders, "trace-reasons")}
        }
        .into_any()
    }
}

/// Why the question is hard, with a formula to try it on.
#[component]
fn Hard() -> impl IntoView {
    let app = App::get();
    let formula = RwSignal::new("(1 2) (-1 -2)".to_owned());
    let trouble = RwSignal::new(None::<String>);
    let make = move || match formula.with_untracked(|formula| formula_text(formula)) {
        Ok(text) => {
            trouble.set(None);
            take(app, text);
        }
        Err(error) => trouble.set(Some(error.message)),
    };
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
            <label for="trace-formula">"Formula: clauses of two or three literals in parentheses, such as (1 2) (-1 -2)"</label>
            <div class="trace-make">
                <input
                    type="text"
                    id="trace-formula"
                    autocomplete="off"
                    spellcheck="false"
                    aria-invalid=move || trouble.with(Option::is_some).to_string()
                    prop:value=formula
                    on:input:target=move |event| formula.set(event.target().value())
                    on:keydown=move |event| {
                        if event.key() == "Enter" {
                            make();
                        }
                    }
                />
                <button type="button" id="trace-make" class="primary" on:click=move |_| make()>"Make its trace"</button>
            </div>
            <p class="trace-trouble" id="trace-trouble" role="alert">{move || trouble.get().map(|trouble| prose(&trouble))}</p>
        </div>
    }
}
