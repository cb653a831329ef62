//! Whether one execution is consistent: what each model says of it, the closure step by step, the search state by state.

use std::sync::Arc;

use gloo::timers::callback::Interval;
use leptos::prelude::*;
use litmoscope::document::{EXECUTION, Kind};
use litmoscope::graph::EventKey;
use litmoscope::labs::consistency::{
    BoardView, BufferView, CandidateView, CaseView, ClosureStepView, ConsistencyRequest, ConsistencyView, MemoryView,
    ModelVerdict, MoveView, SourceView, StateEnd,
};
use litmoscope::model::Model;
use litmoscope::session::{GraphQuestion, Reply, Settings};

use super::worker::{Answer, ConsistencyRole};
use crate::app::App;
use crate::app::lab::LabId;
use crate::app::offers::{BackToSteps, Examples};
use crate::ui::prose::prose;
use crate::ui::scene::Scene;
use crate::ui::scene::around::Pointed;
use crate::ui::scene::camera::{Stage, size_lit};
use crate::ui::step_buttons::{Move, step_buttons};
use crate::worker::line::Said;
use crate::worker::port::Port;

/// How long a step of the closure is seen while it plays, in milliseconds.
const PERIOD: u32 = 900;
/// How long a question may take before another one ends it, in milliseconds.
const PATIENCE: f64 = 2000.0;

/// The executions that come with the page: their files, and what they are called.
const EXAMPLES: [(&str, &str); 8] = [
    ("executions/sb.exec", "SB: store buffering"),
    ("executions/mp.exec", "MP: message passing"),
    ("executions/annotated.exec", "Annotated partial order: its closure, by three rules"),
    ("executions/search-only.exec", "Search only: the closure does not refute it"),
    ("executions/good-writes.exec", "Good writes: reads with a choice"),
    ("executions/fence-map.exec", "Fence map (PSO)"),
    ("executions/read-modify-write.exec", "Read-modify-write"),
    ("executions/store-fence.exec", "Store-store fence (PSO)"),
];

/// What is open beside the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sheet {
    Closure,
    Search,
    Witness,
}

/// An execution that is asked about, and what is known of it.
#[derive(Clone, Copy)]
pub struct Inquiry {
    /// The graph that was shown, as an abstract execution, or why it is none, once that was asked.
    execution: RwSignal<Option<Result<String, String>>>,
    request: RwSignal<ConsistencyRequest>,
    view: RwSignal<Option<Arc<ConsistencyView>>>,
    sheet: RwSignal<Sheet>,
    /// The read that may be given another source.
    read: RwSignal<Option<EventKey>>,
    running: RwSignal<bool>,
    trouble: RwSignal<Option<String>>,
    playing: RwSignal<bool>,
    port: Port<ConsistencyRole>,
    player: StoredValue<Option<Interval>, LocalStorage>,
}

impl Inquiry {
    /// Nothing is asked about yet.
    pub fn new() -> Self {
        let port = Port::new();
        Self {
            execution: RwSignal::new(None),
            request: RwSignal::default(),
            view: RwSignal::new(None),
            sheet: RwSignal::new(Sheet::Closure),
            read: RwSignal::new(None),
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

    /// Begins with nothing known; what is asked about is found when the panel is there.
    pub fn begin(self) {
        self.forget();
        self.read.set(None);
        self.sheet.set(Sheet::Closure);
        self.request
            .update(|request| *request = ConsistencyRequest { apart: request.apart, ..ConsistencyRequest::default() });
        self.execution.set(None);
    }

    /// Ends what goes on, and lets go of the answer.
    fn forget(self) {
        self.playing.set(false);
        self.port.interrupt();
        self.port.forget();
        self.view.set(None);
        self.trouble.set(None);
    }

    fn ask(self, request: &ConsistencyRequest) {
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
                let first = diagnostics.into_iter().next().map(|diagnostic| diagnostic.message);
                self.trouble.set(Some(format!("This is not an execution yet: {}.", first.unwrap_or_default())));
            }
            Said::Died(message) => self.trouble.set(Some(format!("The question failed: {message}."))),
            Said::Lacks(_) | Said::Ready => {}
        }
    }

    /// Gives up what takes long.
    pub fn stop(self) {
        self.playing.set(false);
        if self.running.get_untracked() {
            self.port.end();
            self.view.set(None);
            self.trouble.set(Some("Stopped before there was an answer.".to_owned()));
        }
    }

    /// The number of steps that the closure has.
    fn steps(self) -> u32 {
        self.view.with_untracked(|view| view.as_ref().map_or(0, |view| view.steps.len() as u32))
    }

    /// Shows the closure after so many steps.
    pub fn go_to(self, step: u32) {
        let step = step.min(self.steps());
        self.request.update(|request| request.step = step);
    }

    /// One step of the closure on, or back.
    pub fn step(self, forward: bool) {
        let step = self.request.with_untracked(|request| request.step);
        self.go_to(if forward { step + 1 } else { step.saturating_sub(1) });
    }

    /// Plays the closure's steps to the end, or stops.
    pub fn toggle_play(self) {
        let playing = !self.playing.get_untracked();
        if playing && self.request.with_untracked(|request| request.step) >= self.steps() {
            self.go_to(0);
        }
        self.playing.set(playing);
    }

    /// Lets a read take another source.
    fn rewire(self, read: EventKey, write: EventKey) {
        self.request.update(|request| {
            request.sources.retain(|(other, _)| *other != read);
            request.sources.push((read, write));
            (request.step, request.state, request.case) = (0, 0, 0);
        });
    }

    /// An event of the drawing was clicked: a read is chosen, then a write is its source.
    fn pick(self, key: EventKey) {
        let found = self.view.with_untracked(|view| {
            let view = view.as_ref()?;
            let event = view.events.iter().find(|(drawn, _)| *drawn == key)?.1;
            let chosen = self.read.get_untracked();
            let of_read = view.reads.iter().find(|read| Some(read.key) == chosen);
            let write = of_read.and_then(|read| read.writes.iter().find(|source| source.write == event));
            Some((event, chosen.zip(write.map(|source| source.write)), view.reads.iter().any(|read| read.key == event)))
        });
        match found {
            Some((_, Some((read, write)), _)) => self.rewire(read, write),
            Some((event, None, true)) => self.read.set(Some(event)),
            _ => {}
        }
    }
}

impl Default for Inquiry {
    fn default() -> Self {
        Self::new()
    }
}

/// Asks for the graph that is shown as a text, where that of the page is no execution itself.
fn ask_for_execution(app: App, inquiry: Inquiry, open: Signal<bool>, own: Memo<bool>) {
    let stamp = Memo::new(move |_| app.seen.with(|view| view.as_ref().map(|view| view.stamp.clone())));
    Effect::new(move |_| {
        let wanted = open.get() && !own.get() && inquiry.execution.with(Option::is_none);
        match stamp.get() {
            _ if !wanted => {}
            Some(stamp) => {
                // Without an answer, the exploration has moved on: it is asked again for what is seen then.
                let hear = Box::new(move |answer: Option<Box<Reply>>| {
                    if let Some(Reply::Execution(text)) = answer.as_deref() {
                        inquiry.execution.set(Some(text.clone()));
                    }
                });
                app.read(stamp, GraphQuestion::Execution, hear);
            }
            None => inquiry.execution.set(Some(Err("nothing is explored yet".to_owned()))),
        }
    });
}

/// Shows another execution from its beginning; one that is typed, when that pauses.
fn follow_subject(app: App, inquiry: Inquiry, open: Signal<bool>, own: Memo<bool>) {
    let subject = Memo::new(move |_| {
        let own = app.document.text.with(|text| Kind::of(text).is(&EXECUTION).then(|| text.clone()));
        own.map(Ok).or_else(|| inquiry.execution.get())
    });
    Effect::new(move |_| {
        if !open.get() {
            inquiry.forget();
            return;
        }
        if own.get() && app.session.edited.get() {
            return;
        }
        match subject.get() {
            Some(Ok(text)) => inquiry.request.update(|request| {
                if request.text != text {
                    let model = app.document.model.get_untracked();
                    let narrow = app.looks.narrow.get_untracked();
                    let (apart, search) = (request.apart, request.search.map(|_| 0));
                    *request =
                        ConsistencyRequest { text, model, narrow, apart, search, ..ConsistencyRequest::default() };
                    inquiry.read.set(None);
                }
            }),
            Some(Err(reason)) => {
                inquiry.forget();
                inquiry.trouble.set(Some(format!("This can't be asked: {reason}.")));
            }
            None => {}
        }
    });
}

/// Makes steps while it plays.
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

/// The panel.
#[component]
pub fn Consistency() -> impl IntoView {
    let (app, inquiry) = (App::get(), Inquiry::get());
    let open: Signal<bool> = app.is_open(LabId("consistency")).into();
    let own = Memo::new(move |_| app.document.text.with(|text| Kind::of(text).is(&EXECUTION)));
    ask_for_execution(app, inquiry, open, own);
    follow_subject(app, inquiry, open, own);
    let asked = Memo::new(move |_| inquiry.request.get());
    Effect::new(move |_| {
        let request = asked.get();
        if open.get() && !request.text.is_empty() {
            inquiry.ask(&request);
        }
    });
    play(inquiry);
    view! {
        <div class="why-not check" data-over=move || (!inquiry.running.get()).to_string()>
            <Head own asked />
            <Models />
            <div class="check-body" class:away=move || inquiry.view.with(Option::is_none)>
                <div class="check-drawing">
                    <Steps />
                    <Graph />
                    <WhatIf />
                </div>
                <Sheets />
            </div>
        </div>
    }
}

/// What is asked, how far that is, and what else could be.
#[component]
fn Head(own: Memo<bool>, asked: Memo<ConsistencyRequest>) -> impl IntoView {
    let (app, inquiry) = (App::get(), Inquiry::get());
    let status = move || match (inquiry.running.get(), inquiry.trouble.get()) {
        (true, _) => "asking".to_owned(),
        (false, Some(trouble)) => trouble,
        _ => inquiry.view.with(|view| view.as_ref().map(|view| view.name.clone()).unwrap_or_default()),
    };
    let stopped = move || {
        let nothing = inquiry.trouble.get().is_some() && inquiry.view.with(Option::is_none);
        !inquiry.running.get() && nothing && !asked.with(|request| request.text.is_empty())
    };
    let as_text = move |_| {
        let model = inquiry.request.with_untracked(|request| request.model);
        // As it is now, also where a read takes another source.
        if let Some(text) = inquiry.view.with_untracked(|view| view.as_ref().map(|view| view.text.clone())) {
            app.load(&Settings { text, model, ..untrack(|| app.settings()) }, false);
        }
    };
    view! {
        <div class="compare-head">
            <h2>"Is this execution consistent?"</h2>
            <p class="compare-status" id="check-status" role="status">{move || prose(&status())}</p>
            <Show when=move || inquiry.running.get()>
                <button type="button" id="check-stop" on:click=move |_| inquiry.stop()>"Stop"</button>
            </Show>
            <Show when=stopped>
                <button type="button" id="check-again" on:click=move |_| asked.with_untracked(|request| inquiry.ask(request))>"Ask again"</button>
            </Show>
            <Show when=move || !own.get()>
                <button type="button" id="check-text" title="Put this execution into the editor as a text. You can restore your own text" on:click=as_text>
                    "Edit as text"
                </button>
            </Show>
            <Examples id="check-example" label="Example executions" files=&EXAMPLES />
            <BackToSteps id="check-close" />
        </div>
    }
}

/// The execution, drawn.
#[component]
fn Graph() -> impl IntoView {
    let inquiry = Inquiry::get();
    let drawing =
        Memo::new(move |_| inquiry.view.with(|view| view.as_ref().map(|view| Arc::new(view.drawing.clone()))));
    let lights = Signal::derive(move || {
        inquiry.view.with(|view| view.as_ref().map(|view| view.lit.clone()).unwrap_or_default())
    });
    let stage = Stage::beside(1.6, move || {
        lights.with(|lit| drawing.with(|drawing| drawing.as_ref().map(|drawing| size_lit(drawing, lit))))
    });
    let pick = Callback::new(move |pointed| {
        if let Some(Pointed::Event(key)) = pointed {
            inquiry.pick(key);
        }
    });
    view! {
        <div class="side-graph">
            <Scene
                stage
                drawing
                id="check-stage"
                graph_id="check-graph"
                name="Abstract execution"
                hide_po=false
                faded=false
                lights
                pick
            />
        </div>
    }
}

/// What is told beside the drawing, one of three sheets.
#[component]
fn Sheets() -> impl IntoView {
    let inquiry = Inquiry::get();
    let tab = move |sheet: Sheet, id: &'static str, name: &'static str| {
        view! {
            <button type="button" id=id aria-pressed=move || (inquiry.sheet.get() == sheet).to_string() on:click=move |_| {
                inquiry.sheet.set(sheet);
                inquiry.request.update(|request| request.search = (sheet == Sheet::Search).then_some(0));
            }>
                {name}
            </button>
        }
    };
    view! {
        <div class="check-side">
            <div class="check-tabs" role="group" aria-label="What is told">
                {tab(Sheet::Closure, "check-closure", "Closure")}
                {tab(Sheet::Search, "check-search", "Search")}
                {tab(Sheet::Witness, "check-witness", "Witness")}
            </div>
            <div class="check-sheet" tabindex="0" role="group" aria-label="What is known">
                {move || match inquiry.sheet.get() {
                    Sheet::Closure => view! { <ClosureSheet /> }.into_any(),
                    Sheet::Search => view! { <SearchSheet /> }.into_any(),
                    Sheet::Witness => view! { <WitnessSheet /> }.into_any(),
                }}
            </div>
        </div>
    }
}

/// What each model says, and why the one that is chosen does.
#[component]
fn Models() -> impl IntoView {
    let (app, inquiry) = (App::get(), Inquiry::get());
    let ask = move |model: Model| {
        inquiry.request.update(|request| {
            if request.model != model {
                let search = request.search.map(|_| 0);
                *request = ConsistencyRequest { model, step: 0, case: 0, state: 0, search, ..request.clone() };
            }
        });
    };
    // Where there is nothing to explore, the page has one model.
    Effect::new(move |_| {
        let model = app.document.model.get();
        if app.document.text.with_untracked(|text| Kind::of(text).is(&EXECUTION)) {
            ask(model);
        }
    });
    let verdicts = Memo::new(move |_| inquiry.view.with(|view| view.as_ref().map(|view| view.verdicts.clone())));
    let chosen = move |model: Model| inquiry.request.with(|request| request.model == model).to_string();
    let models = move || {
        let verdict = |(model, verdict): (Model, ModelVerdict)| {
            let (class, sign, words) = match verdict {
                ModelVerdict::Consistent => ("verdict consistent", "✓", "consistent"),
                ModelVerdict::Inconsistent => ("verdict inconsistent", "✗", "inconsistent"),
                ModelVerdict::Meaningless => ("verdict none", "–", "is not defined for it"),
                ModelVerdict::Bounded => ("verdict bounded", "?", "bounded: unknown"),
            };
            let choose = move |_| {
                ask(model);
                if app.document.text.with_untracked(|text| Kind::of(text).is(&EXECUTION)) {
                    app.document.model.set(model);
                }
            };
            view! {
                <button
                    type="button"
                    id=format!("check-{}", model.name())
                    class=class
                    title=format!("{}: {words}", model.title())
                    aria-pressed=move || chosen(model)
                    on:click=choose
                >
                    {model.title()}" "<span aria-hidden="true">{sign}</span><span class="sr-only">{words}</span>
                </button>
            }
        };
        verdicts.get().unwrap_or_default().into_iter().map(verdict).collect_view()
    };
    let sentence = Memo::new(move |_| {
        inquiry.view.with(|view| {
            let view = view.as_ref()?;
            let case = inquiry.request.with(|request| request.case as usize);
            let CaseView { sources, reason } = view.cases.get(case).cloned().unwrap_or_default();
            let reason = if sources.is_empty() { reason } else { format!("If {sources}: {reason}") };
            Some((view.sentence.clone(), reason, view.cases.len(), view.left_out.clone()))
        })
    });
    let cases = move |many: usize, left_out: Option<String>| {
        (many > 1).then(|| {
            let options = (0..many).map(|at| {
                let chosen = inquiry.request.with_untracked(|request| request.case as usize == at);
                view! { <option value=at.to_string() prop:selected=chosen>{format!("{} of {many}", at + 1)}</option> }
            });
            let choose = move |value: String| {
                let case = value.parse().unwrap_or(0);
                inquiry.request.update(|request| (request.case, request.step, request.state) = (case, 0, 0));
            };
            view! {
                <label class="check-cases">
                    "Choice of sources "
                    <select id="check-case" on:change:target=move |event| choose(event.target().value())>{options.collect_view()}</select>
                    {left_out}
                </label>
            }
        })
    };
    view! {
        <div class="why-models" role="group" aria-label="What each model says">{models}</div>
        {move || {
            sentence.get().map(|(sentence, reason, many, left_out)| {
                view! {
                    <p class="check-sentence" id="check-sentence" aria-live="polite">
                        <strong>{sentence}</strong>
                        " "
                        {reason}
                    </p>
                    {cases(many, left_out)}
                }
            })
        }}
    }
}

/// The way through the closure, and what its step says.
#[component]
fn Steps() -> impl IntoView {
    let inquiry = Inquiry::get();
    let place = Memo::new(move |_| {
        inquiry.view.with(|view| view.as_ref().map_or((0, 0), |view| (view.step, view.steps.len() as u32)))
    });
    let caption = Memo::new(move |_| {
        inquiry.view.with(|view| view.as_ref().map(|view| view.caption.clone()).unwrap_or_default())
    });
    let buffers = Memo::new(move |_| inquiry.view.with(|view| view.as_ref().is_some_and(|view| view.buffers)));
    let go = move |to| match to {
        Move::First => inquiry.go_to(0),
        Move::Back => inquiry.step(false),
        Move::On => inquiry.step(true),
        Move::Last => inquiry.go_to(u32::MAX),
        Move::Play => inquiry.toggle_play(),
    };
    let ids = ["check-first", "check-back", "check-forward", "check-last", "check-play", "check-place"];
    let titles =
        ["Before the closure (Home)", "A step back (←)", "The next step of the closure (→)", "The whole closure (End)"];
    view! {
        <div class="check-steps" class:away=move || place.get().1 == 0 && !buffers.get() role="group" aria-label="Closure">
            {step_buttons(ids, titles, place, go)}
            <Show when=move || buffers.get()>
                <label class="check-apart" title="A write enters its thread's buffer, and reaches memory later">
                    <input
                        type="checkbox"
                        id="check-apart"
                        prop:checked=move || inquiry.request.with(|request| request.apart)
                        on:change:target=move |event| {
                            let apart = event.target().checked();
                            inquiry.request.update(|request| request.apart = apart);
                        }
                    />
                    "flushes apart"
                </label>
            </Show>
        </div>
        <p class="check-caption" id="check-caption" aria-live="polite">{caption}</p>
    }
}

/// A read, and the write that it is to take instead.
#[component]
fn WhatIf() -> impl IntoView {
    let inquiry = Inquiry::get();
    let reads =
        Memo::new(move |_| inquiry.view.with(|view| view.as_ref().map(|view| view.reads.clone()).unwrap_or_default()));
    let chosen = Memo::new(move |_| {
        let wanted = inquiry.read.get();
        reads.with(|reads| reads.iter().find(|read| Some(read.key) == wanted).or(reads.first()).cloned())
    });
    let changed = Memo::new(move |_| reads.with(|reads| reads.iter().any(|read| read.changed)));
    let all = move || {
        let now = chosen.with(|read| read.as_ref().map(|read| read.key));
        let reads = reads.get().into_iter().enumerate();
        reads
            .map(|(at, read)| {
                view! { <option value=at.to_string() prop:selected=Some(read.key) == now>{read.title}</option> }
            })
            .collect_view()
    };
    let writes = move || {
        chosen.get().map(|read| {
            let key = read.key;
            read.writes
                .into_iter()
                .map(|source| {
                    let SourceView { write, title, taken } = source;
                    view! {
                        <button type="button" class="offer" aria-pressed=taken.to_string() on:click=move |_| inquiry.rewire(key, write)>
                            {title}
                        </button>
                    }
                })
                .collect_view()
        })
    };
    view! {
        <div class="check-if" class:away=move || reads.with(Vec::is_empty)>
            <label for="check-read">"What if"</label>
            <select
                id="check-read"
                on:change:target=move |event| {
                    let at = event.target().value().parse().unwrap_or(0usize);
                    inquiry.read.set(reads.with_untracked(|reads| reads.get(at).map(|read| read.key)));
                }
            >
                {all}
            </select>
            <span>"reads from"</span>
            <span class="check-writes" id="check-writes" role="group" aria-label="Writes">{writes}</span>
            <Show when=move || changed.get()>
                <button type="button" id="check-given" on:click=move |_| inquiry.request.update(|request| {
                    request.sources.clear();
                    (request.step, request.state, request.case) = (0, 0, 0);
                })>"As given"</button>
            </Show>
        </div>
    }
}

#[component]
fn ClosureSheet() -> impl IntoView {
    let inquiry = Inquiry::get();
    let steps =
        Memo::new(move |_| inquiry.view.with(|view| view.as_ref().map(|view| view.steps.clone()).unwrap_or_default()));
    let machine = Memo::new(move |_| inquiry.request.with(|request| request.model.rules().has_machine()));
    move || {
        if !machine.get() {
            return view! { <p class="empty">"This model's axioms are checked on the graph itself, in polynomial time. Only SC, TSO and PSO have a closure."</p> }
                .into_any();
        }
        let steps = steps.get();
        if steps.is_empty() {
            return view! { <p class="empty">"No rule adds an edge."</p> }.into_any();
        }
        let step = |(at, ClosureStepView { rule, text }): (usize, ClosureStepView)| {
            let number = at as u32 + 1;
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
                <li>
                    <button type="button" class=move || format!("check-rule {}", state()) on:click=move |_| inquiry.go_to(number)>
                        <strong>{number}". "{rule}</strong>
                        <span>{text}</span>
                    </button>
                </li>
            }
        };
        view! { <ol id="check-rules">{steps.into_iter().enumerate().map(step).collect_view()}</ol> }.into_any()
    }
}

#[component]
fn WitnessSheet() -> impl IntoView {
    let inquiry = Inquiry::get();
    let witness = Memo::new(move |_| {
        inquiry.view.with(|view| view.as_ref().map(|view| view.witness.clone()).unwrap_or_default())
    });
    move || {
        let witness = witness.get();
        if witness.is_empty() {
            return view! { <p class="empty">"There is no known order of the events that explains the execution."</p> }
                .into_any();
        }
        view! { <ol class="check-witness" id="check-order">{witness.into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}</ol> }
            .into_any()
    }
}

/// The searches with their numbers of states, the states of one of them, and one of these laid open.
#[component]
fn SearchSheet() -> impl IntoView {
    let inquiry = Inquiry::get();
    let all = Memo::new(move |_| {
        inquiry.view.with(|view| {
            view.as_ref()
                .map(|view| (view.searches.clone(), view.states.clone(), view.more_states.clone(), view.board.clone()))
        })
    });
    let go = move |state: u32| inquiry.request.update(|request| request.state = state);
    move || {
        let (searches, states, more, board) = all.get().unwrap_or_default();
        if searches.is_empty() {
            let text = if inquiry.running.get() {
                "searching"
            } else {
                "There is no search here: the model has no machine, the closure decides, or some reads still have \
                 several sources to choose from."
            };
            return view! { <p class="empty">{text}</p> }.into_any();
        }
        let now = inquiry.request.with(|request| request.search.unwrap_or(0) as usize);
        let efforts = searches.into_iter().enumerate().map(|(at, search)| {
            let (states, repeats) = search.counts.map_or((String::new(), String::new()), |counts| {
                (counts.states.to_string(), counts.repeats.to_string())
            });
            let choose = move |_| inquiry.request.update(|request| (request.search, request.state) = (Some(at as u32), 0));
            view! {
                <tr>
                    <th scope="row">
                        <button type="button" class="offer" aria-pressed=(at == now).to_string() on:click=choose>{search.name}</button>
                    </th>
                    <td>{states}</td>
                    <td>{repeats}</td>
                    <td class="finds">{search.verdict}</td>
                </tr>
            }
        });
        let shown = board.as_ref().map_or(0, |board| board.state);
        let rows = states.into_iter().map(|row| {
            let (state, depth) = (row.state, row.depth);
            let seen =
                (row.repeats > 0).then(|| view! { <em class="seen">{format!("{} seen before", row.repeats)}</em> });
            let end = row.end.map(|end| {
                let class = match end {
                    StateEnd::Witness => "end witness",
                    StateEnd::DeadEnd => "end dead-end",
                    StateEnd::NotLookedAt => "end not-looked-at",
                };
                view! { <em class=class>{end.words()}</em> }
            });
            view! {
                <li style:padding-left=format!("{}px", depth.min(24) * 9)>
                    <button type="button" aria-current=(state == shown).then_some("true") on:click=move |_| go(state)>
                        <b>{state + 1}</b>" "{row.text}" "{end}" "{seen}
                    </button>
                </li>
            }
        });
        view! {
            <table class="check-efforts" id="check-efforts">
                <thead>
                    <tr><th scope="col">"search"</th><th scope="col">"states"</th><th scope="col">"seen again"</th><th scope="col">"finds"</th></tr>
                </thead>
                <tbody>{efforts.collect_view()}</tbody>
            </table>
            {board.map(|board| paint_board(inquiry, board))}
            <ol class="check-states" id="check-states" aria-label="States">{rows.collect_view()}</ol>
            {more.map(|more| view! { <p class="why-note">{more}</p> })}
        }
        .into_any()
    }
}

fn paint_board(inquiry: Inquiry, board: BoardView) -> impl IntoView {
    let go = move |state: u32| inquiry.request.update(|request| request.state = state);
    let memory = board.memory.into_iter().map(|MemoryView { location, value, holder }| {
        let held = holder.map(|read| view! { <em>"held by "{read}</em> });
        view! { <tr><th scope="row">{location}</th><td>{value}" "{held}</td></tr> }
    });
    let buffers = board.buffers.into_iter().map(|BufferView { thread, writes }| {
        let writes = if writes.is_empty() { "empty".to_owned() } else { writes.join(", ") };
        view! { <tr><th scope="row">{thread}"'s buffer"</th><td>{writes}</td></tr> }
    });
    let candidates = board.candidates.into_iter().map(|CandidateView { text, obstacle }| {
        let can = obstacle.is_none();
        let why = obstacle.map_or_else(|| "can be performed".to_owned(), |why| format!("not now: {why}"));
        view! { <li class=if can { "can" } else { "can-not" }><strong>{text}</strong>" "{why}</li> }
    });
    let moves = board.moves.into_iter().map(|MoveView { text, state, seen }| {
        let words = format!("to state {}{}", state + 1, if seen { ", seen before" } else { "" });
        view! { <li><button type="button" class="offer" class:seen=seen on:click=move |_| go(state)>{text}" "<em>{words}</em></button></li> }
    });
    let performed = if board.performed.is_empty() { "nothing yet".to_owned() } else { board.performed.join("; ") };
    view! {
        <div class="check-board" id="check-board">
            <h3>{format!("State {}", board.state + 1)}</h3>
            <p><strong>"Performed: "</strong>{performed}</p>
            <table class="check-memory">
                <caption class="sr-only">"Memory and buffers"</caption>
                <tbody>{memory.collect_view()}{buffers.collect_view()}</tbody>
            </table>
            <h4>"What could come next"</h4>
            <ul class="check-candidates" id="check-candidates">{candidates.collect_view()}</ul>
            <h4>"Moves of the search"</h4>
            <ul class="check-moves" id="check-moves">{moves.collect_view()}</ul>
            <p class="why-note">{board.note}</p>
        </div>
    }
}
