//! Whether one execution is consistent: what each model says of it, the closure step by step, the search state by state.

use std::ops::Deref;
use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::document::{EXECUTION, Kind, PROGRAM, Subject};
use litmoscope::graph::EventKey;
use litmoscope::labs::consistency::{
    BoardView, BufferView, CandidateView, CaseView, CellView, ClosureStepView, ConsistencyRequest, Deciding,
    ModelVerdict, MoveView, SourceView, StateEnd,
};
use litmoscope::model::Model;
use litmoscope::session::{GraphQuestion, Reply, Settings};

use super::worker::ID;
use crate::app::App;
use crate::app::inquiry::fields::choice;
use crate::app::inquiry::head::{Head, verdict};
use crate::app::inquiry::sheets::sheets;
use crate::app::inquiry::steps::{Caption, WayThrough, step_item};
use crate::app::inquiry::told::Drawn;
use crate::app::inquiry::walk::{Player, Walk};
use crate::app::inquiry::{Inquires, InquiryOf};
use crate::app::lab::LabId;
use crate::app::offers::Examples;
use crate::document::Whose;
use crate::ui::scene::around::Pointed;

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
struct Inquiry {
    of: InquiryOf<Deciding>,
    /// The graph that was shown, as an abstract execution, or why it is none, once that was asked.
    execution: RwSignal<Option<Result<String, String>>>,
    sheet: RwSignal<Sheet>,
    /// The read that may be given another source.
    read: RwSignal<Option<EventKey>>,
}

impl Deref for Inquiry {
    type Target = InquiryOf<Deciding>;

    fn deref(&self) -> &InquiryOf<Deciding> {
        &self.of
    }
}

impl Walk for Inquiry {
    fn player(self) -> Player {
        self.player
    }

    fn place(self) -> (u32, u32) {
        let all = self.view.with_untracked(|view| view.as_ref().map_or(0, |view| view.steps.len() as u32));
        (self.request.with_untracked(|request| request.step), all)
    }

    /// Shows the closure after so many steps.
    fn go_to(self, step: u32) {
        let step = step.min(self.place().1);
        self.request.update(|request| request.step = step);
    }
}

impl Inquires for Inquiry {
    const ID: LabId = ID;

    /// Begins with nothing known; what is asked about is found when the panel is there.
    fn begin(self) {
        self.forget();
        self.read.set(None);
        self.sheet.set(Sheet::Closure);
        self.request
            .update(|request| *request = ConsistencyRequest { apart: request.apart, ..ConsistencyRequest::default() });
        self.execution.set(None);
    }

    fn give_up(self) {
        self.stop();
    }

    /// The execution of a program's step.
    fn shows_of(self, subject: &Subject) -> bool {
        *subject == PROGRAM
    }
}

impl Inquiry {
    /// Nothing is asked about yet.
    fn new(app: App) -> Self {
        let of = InquiryOf::new(app, ConsistencyRequest::default(), |wrong| {
            let first = wrong.into_iter().next().map(|wrong| wrong.message);
            format!("This is not an execution yet: {}.", first.unwrap_or_default())
        });
        Self { of, execution: RwSignal::new(None), sheet: RwSignal::new(Sheet::Closure), read: RwSignal::new(None) }
    }

    /// That of this page.
    fn get() -> Self {
        expect_context()
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

/// Asks for the graph that is shown as a text, where that of the page is no execution itself.
fn ask_for_execution(app: App, inquiry: Inquiry, open: Memo<bool>, own: Memo<bool>) {
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
fn follow_subject(app: App, inquiry: Inquiry, open: Memo<bool>, own: Memo<bool>) {
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

/// The panel.
#[component]
pub fn Consistency() -> impl IntoView {
    let app = App::get();
    let inquiry = Inquiry::new(app);
    let open = inquiry.arrive(None);
    let own = app.has_text_of(&EXECUTION);
    ask_for_execution(app, inquiry, open, own);
    follow_subject(app, inquiry, open, own);
    inquiry.follow_request(open);
    inquiry.follow_play();
    let as_text = move |_| {
        let model = inquiry.request.with_untracked(|request| request.model);
        // As it is now, also where a read takes another source.
        if let Some(text) = inquiry.view.with_untracked(|view| view.as_ref().map(|view| view.text.clone())) {
            app.load(&Settings { text, model, ..untrack(|| app.settings()) }, Whose::Readers);
        }
    };
    view! {
        <div class="why-not inquiry check" data-over=move || (!inquiry.running.get()).to_string()>
            <Head
                ids=["check-status", "check-stop", "check-again", "check-close"]
                question="Is this execution consistent?"
                status=Signal::derive(move || inquiry.status(|view| view.name.clone()))
                running=inquiry.running
                stop=move |()| inquiry.stop()
                stopped=Signal::derive(move || inquiry.is_stopped())
                again=move |()| inquiry.ask()
            >
                <Show when=move || !own.get()>
                    <button type="button" id="check-text" title="Put this execution into the editor as a text. You can restore your own text" on:click=as_text>
                        "Edit as text"
                    </button>
                </Show>
                <Examples id="check-example" label="Example executions" files=&EXAMPLES />
            </Head>
            <Models />
            <div class="inquiry-body" class:away=move || inquiry.view.with(Option::is_none)>
                <div class="inquiry-drawing">
                    <Steps />
                    <Graph />
                    <WhatIf />
                </div>
                <Sheets />
            </div>
        </div>
    }
}

/// The execution, drawn.
#[component]
fn Graph() -> impl IntoView {
    let inquiry = Inquiry::get();
    let drawing =
        Memo::new(move |_| inquiry.view.with(|view| view.as_ref().map(|view| Arc::new(view.drawing.clone()))));
    let pick = move |pointed| {
        if let Some(Pointed::Event(key)) = pointed {
            inquiry.pick(key);
        }
    };
    let lights = inquiry.part(|view| view.lit.clone());
    view! { <Drawn drawing ids=["check-stage", "check-graph"] name="Abstract execution" lights pick /> }
}

/// What is told beside the drawing, one of three sheets.
#[component]
fn Sheets() -> impl IntoView {
    let inquiry = Inquiry::get();
    let open = move |sheet| {
        inquiry.sheet.set(sheet);
        inquiry.request.update(|request| request.search = (sheet == Sheet::Search).then_some(0));
    };
    let tabs = [
        (Sheet::Closure, "check-closure", "Closure".into()),
        (Sheet::Search, "check-search", "Search".into()),
        (Sheet::Witness, "check-witness", "Witness".into()),
    ];
    sheets(tabs, inquiry.sheet.into(), Signal::derive(|| None), open, |sheet| match sheet {
        Sheet::Closure => view! { <ClosureSheet /> }.into_any(),
        Sheet::Search => view! { <SearchSheet /> }.into_any(),
        Sheet::Witness => view! { <WitnessSheet /> }.into_any(),
    })
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
        let one = |(model, said): (Model, ModelVerdict)| {
            let ((class, sign), words) = match said {
                ModelVerdict::Consistent => (verdict(Some(true)), "consistent"),
                ModelVerdict::Inconsistent => (verdict(Some(false)), "inconsistent"),
                ModelVerdict::Meaningless => (("verdict none", "–"), "is not defined for it"),
                ModelVerdict::Bounded => (verdict(None), "bounded: unknown"),
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
        verdicts.get().unwrap_or_default().into_iter().map(one).collect_view()
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
            let now = inquiry.request.with_untracked(|request| request.case as usize);
            let names = (0..many).map(|at| format!("{} of {many}", at + 1));
            let choose = move |case| {
                inquiry.request.update(|request| (request.case, request.step, request.state) = (case as u32, 0, 0));
            };
            view! {
                <label class="check-cases">
                    "Choice of sources "
                    {choice("check-case", names, Some(now), "", choose)}
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
                    <p class="inquiry-sentence" id="check-sentence" aria-live="polite">
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
    let place = inquiry.part(|view| (view.step, view.steps.len() as u32));
    let caption = inquiry.part(|view| view.caption.clone());
    let buffers = inquiry.part(|view| view.buffers);
    let ids = ["check-first", "check-back", "check-forward", "check-last", "check-play", "check-place"];
    let titles =
        ["Before the closure (Home)", "A step back (←)", "The next step of the closure (→)", "The whole closure (End)"];
    view! {
        <WayThrough walk=inquiry ids titles label="Closure" place away=Signal::derive(move || place.get().1 == 0 && !buffers.get())>
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
        </WayThrough>
        <Caption id="check-caption">{caption}</Caption>
    }
}

/// A read, and the write that it is to take instead.
#[component]
fn WhatIf() -> impl IntoView {
    let inquiry = Inquiry::get();
    let reads = inquiry.part(|view| view.reads.clone());
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
        <div class="inquiry-tools check-if" class:away=move || reads.with(Vec::is_empty)>
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
    let steps = inquiry.part(|view| view.steps.clone());
    let now = Signal::derive(move || inquiry.request.with(|request| request.step));
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
            let said = view! { <strong>{rule}</strong><span class="check-said">{text}</span> };
            step_item(inquiry, now, at as u32 + 1, "", 0, said)
        };
        view! { <ol id="check-rules">{steps.into_iter().enumerate().map(step).collect_view()}</ol> }.into_any()
    }
}

#[component]
fn WitnessSheet() -> impl IntoView {
    let inquiry = Inquiry::get();
    let witness = inquiry.part(|view| view.witness.clone());
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
    let all = inquiry
        .part(|view| Some((view.searches.clone(), view.states.clone(), view.more_states.clone(), view.board.clone())));
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
                    <button type="button" class="inquiry-row" aria-current=(state == shown).then_some("true") on:click=move |_| go(state)>
                        <b>{state + 1}</b>" "{row.text}" "{end}" "{seen}
                    </button>
                </li>
            }
        });
        view! {
            <table class="inquiry-table check-efforts" id="check-efforts">
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
    let memory = board.memory.into_iter().map(|CellView { location, value, holder }| {
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
            <table class="inquiry-table check-memory">
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
