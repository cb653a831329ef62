//! The panel: a memory implementation as states and arrows, the graph of a run beside it, and what is known.

use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::document::{Kind, PROTOCOL, PROTOCOL_READER, protocol_reader};
use litmoscope::memories::{GraphRelation, ProtocolRequest, ProtocolSheet};
use litmoscope::report::{EdgeKind, HEAD_PATH};

use super::hard::Hard;
use super::inquiry::Inquiry;
use super::program::Program;
use super::run::{Run, Verdict};
use super::saturation::Saturation;
use super::table::Table;
use super::worker::ID;
use crate::app::App;
use crate::app::offers::{BackToSteps, Desk, Examples};
use crate::document::examples::PROTOCOLS;
use crate::ui::prose::prose;
use crate::ui::scene::Scene;
use crate::ui::scene::around::Pointed;
use crate::ui::scene::camera::{Stage, size, size_lit};
use crate::ui::step_buttons::{Move, step_buttons};

/// How long a step is seen while they play, in milliseconds.
const PERIOD: u32 = 900;

/// Shows another text from its beginning; one that is typed, when that pauses.
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
        if inquiry.request.with_untracked(|request| request.text != text) {
            inquiry.open_text(text);
        }
    });
}

/// The panel.
#[component]
pub fn Memories() -> impl IntoView {
    let app = App::get();
    let inquiry = Inquiry::new(app);
    provide_context(inquiry);
    // Until now the editor took each such text for a good one, without colours.
    if !PROTOCOL_READER.is_there() {
        app.document.take_reader(|| PROTOCOL_READER.give(protocol_reader()));
    }
    app.take_place(ID, Rc::new(inquiry));
    let open: Signal<bool> = app.is_open(ID).into();
    let own = Memo::new(move |_| app.document.text.with(|text| Kind::of(text).is(&PROTOCOL)));
    follow_text(app, inquiry, open, own);
    let asked = Memo::new(move |_| inquiry.request.get());
    Effect::new(move |_| {
        let request = asked.get();
        if open.get() && !request.text.is_empty() {
            inquiry.ask(&request);
        }
    });
    // The table is filled in when it is seen, and there is something to fill it in of.
    let is_awaited =
        Memo::new(move |_| inquiry.sheet.get() == ProtocolSheet::Table && inquiry.view.with(Option::is_some));
    Effect::new(move |_| {
        if is_awaited.get() {
            inquiry.fill_first();
        }
    });
    inquiry.follow_program();
    inquiry.play(PERIOD);
    let empty = move || !own.get() || inquiry.view.with(Option::is_none);
    view! {
        <div class="why-not memory" data-over=move || (!inquiry.running.get()).to_string()>
            <Head own asked />
            <Options empty=Signal::derive(empty) />
            <div class="memory-body" class:alone=empty>
                <div class="memory-drawings" class:away=empty>
                    <Steps />
                    <Machine />
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
fn Head(own: Memo<bool>, asked: Memo<ProtocolRequest>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let status = move || match (inquiry.running.get(), inquiry.trouble.get()) {
        _ if !own.get() => {
            "The text is not a memory implementation. Such a text begins with “protocol”, “machine” or “automata”. \
             Choose an example."
                .to_owned()
        }
        (true, _) => "asking".to_owned(),
        (false, Some(trouble)) => trouble,
        _ => inquiry.view.with(|view| {
            view.as_ref()
                .map(|view| {
                    [&view.name[..], &view.size]
                        .into_iter()
                        .filter(|part| !part.is_empty())
                        .collect::<Vec<_>>()
                        .join(", ")
                })
                .unwrap_or_default()
        }),
    };
    let stopped = move || {
        let nothing = inquiry.trouble.get().is_some() && inquiry.view.with(Option::is_none);
        !inquiry.running.get() && nothing && !asked.with(|request| request.text.is_empty())
    };
    view! {
        <div class="compare-head">
            <h2>"Is each run of this memory causally consistent?"</h2>
            <p class="compare-status" id="memory-status" role="status">{move || prose(&status())}</p>
            <Show when=move || inquiry.running.get()>
                <button type="button" id="memory-stop" on:click=move |_| inquiry.stop()>"Stop"</button>
            </Show>
            <Show when=stopped>
                <button type="button" id="memory-again" on:click=move |_| asked.with_untracked(|request| inquiry.ask(request))>"Ask again"</button>
            </Show>
            <Examples id="memory-example" label="Example memories" indexes=&[PROTOCOLS] />
            <BackToSteps id="memory-close" />
        </div>
    }
}

/// The parameters of a protocol, what registers hold at first, and what is known of the run.
#[component]
fn Options(empty: Signal<bool>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let parameters = inquiry.part(|view| view.parameters.clone());
    let violated = inquiry.part(|view| view.violated.clone());
    let trouble = inquiry.part(|view| view.trouble.clone());
    let notes = inquiry.part(|view| view.notes.clone());
    let nothing = move || inquiry.request.with(|request| request.holds_nothing);
    let names = Memo::new(move |_| parameters.with(|all| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()));
    let input = move |name: String| {
        let id = format!("memory-set-{name}");
        let own = id.clone();
        let (of, set) = (name.clone(), name.clone());
        let value = move || {
            let value = parameters.with(|all| all.iter().find(|(other, _)| *other == of).map(|(_, value)| *value));
            value.map(|value| value.to_string()).unwrap_or_default()
        };
        view! {
            <label class="memory-parameter" for=own>
                {name}
                <input
                    type="number"
                    id=id
                    min="0"
                    prop:value=value
                    on:change:target=move |event| {
                        if let Ok(value) = event.target().value().parse() {
                            inquiry.set(&set, value);
                        }
                    }
                />
            </label>
        }
    };
    let verdict = move || match violated.get() {
        Some(model) => view! { <span class="memory-now violated">"✗ violates "{model}</span> }.into_any(),
        None => view! { <span class="memory-now holds">"✓ this run: WRA, RA, SRA"</span> }.into_any(),
    };
    view! {
        <Desk lab=ID>
            <div class="memory-options" class:away=empty>
                <For each=move || names.get() key=String::clone children=input />
                <label class="memory-parameter" for="memory-initial">
                    "registers initially hold"
                    <select
                        id="memory-initial"
                        on:change:target=move |event| {
                            let nothing = event.target().value() == "nothing";
                            inquiry.request.update(|request| request.holds_nothing = nothing);
                            inquiry.renew_table();
                        }
                    >
                        <option value="written" selected=move || !nothing()>"the initial write"</option>
                        <option value="nothing" selected=nothing>"nothing"</option>
                    </select>
                </label>
            </div>
        </Desk>
        <div class="memory-options" class:away=empty>
            <span id="memory-now" aria-live="polite">{verdict}</span>
        </div>
        {move || trouble.get().map(|trouble| view! { <p class="memory-trouble" id="memory-trouble" role="alert">{prose(&trouble)}</p> })}
        {move || notes.get().into_iter().map(|note| view! { <p class="memory-note memory-of-text">{prose(&note)}</p> }).collect_view()}
    }
}

/// The way through the run or the saturation, and what a step does.
#[component]
fn Steps() -> impl IntoView {
    let inquiry = Inquiry::get();
    let caption = inquiry.part(|view| view.caption.clone());
    let place = Memo::new(move |_| {
        let saturating = inquiry.sheet.get() == ProtocolSheet::Saturation;
        inquiry.view.with(|view| {
            let Some(view) = view else { return (0, 0) };
            match view.saturation.as_ref().filter(|_| saturating) {
                Some(saturation) => (saturation.step, saturation.all_steps),
                None => (view.at, view.all_steps),
            }
        })
    });
    let go = move |to| match to {
        Move::First => inquiry.go_to(0),
        Move::Back => inquiry.step(false),
        Move::On => inquiry.step(true),
        Move::Last => inquiry.go_to(u32::MAX),
        Move::Play => inquiry.toggle_play(),
    };
    let ids = ["memory-first", "memory-back", "memory-forward", "memory-last", "memory-play", "memory-place"];
    let titles = ["Before the first step (Home)", "A step back (←)", "The next step (→)", "After the last step (End)"];
    view! {
        <div class="memory-way-buttons" role="group" aria-label="Steps">
            {step_buttons(ids, titles, place, go)}
        </div>
        <div class="memory-caption" id="memory-caption" tabindex="0" role="group" aria-label="What this step does" aria-live="polite">
            {move || prose(&caption.get())}
        </div>
    }
}

/// The machine, drawn.
#[component]
fn Machine() -> impl IntoView {
    let (app, inquiry) = (App::get(), Inquiry::get());
    let drawing =
        Memo::new(move |_| inquiry.view.with(|view| view.as_ref().and_then(|view| view.machine.clone()).map(Arc::new)));
    let around = inquiry.part(|view| view.around.clone());
    // It may be much wider than its panel.
    let stage =
        Stage::mapped(app.around, move || drawing.with(|drawing| drawing.as_ref().map(|drawing| size(drawing))));
    let pick = Callback::new(move |pointed: Option<Pointed>| {
        if inquiry.sheet.get_untracked() == ProtocolSheet::Saturation {
            return;
        }
        match pointed {
            Some(Pointed::Event(state)) => inquiry.follow(state),
            // Only arrows from the present state can be followed.
            Some(Pointed::Edge(edge)) if matches!(edge.kind, EdgeKind::Own(1)) => {
                inquiry.follow(edge.to);
                if inquiry.through.get_untracked().is_some() {
                    inquiry.sheet.set(ProtocolSheet::Run);
                }
            }
            _ => inquiry.through.set(None),
        }
    });
    view! {
        <p class="memory-note memory-around" class:away=move || around.with(Option::is_none)>{around}</p>
        <div class="side-graph memory-machine" class:away=move || drawing.with(Option::is_none)>
            <Scene
                stage
                drawing
                id="memory-machine-stage"
                graph_id="memory-machine"
                name="Machine"
                things=["state", "arrow"]
                hide_po=false
                faded=false
                pick
            />
        </div>
    }
}

/// The graph of the run.
#[component]
fn Graph() -> impl IntoView {
    let inquiry = Inquiry::get();
    let drawing =
        Memo::new(move |_| inquiry.view.with(|view| view.as_ref().and_then(|view| view.graph.clone()).map(Arc::new)));
    let too_large = inquiry.part(|view| view.too_large.clone());
    let lights = Signal::derive(move || inquiry.pointed.get());
    let stage = Stage::beside(1.6, move || {
        lights.with(|lit| drawing.with(|drawing| drawing.as_ref().map(|drawing| size_lit(drawing, lit))))
    });
    view! {
        <p class="empty" class:away=move || too_large.with(Option::is_none)>{too_large}</p>
        <div class="side-graph memory-graph" class:away=move || drawing.with(Option::is_none)>
            <Scene
                stage
                drawing
                id="memory-graph-stage"
                graph_id="memory-graph"
                name="Execution graph of the run"
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
    let kinds = inquiry.part(|view| view.kinds.clone());
    let entry = move |relation: GraphRelation| {
        let own = move |kind: u8| kinds.with(|kinds| kinds.get(usize::from(kind)).cloned());
        let colour = move || match relation.kind() {
            EdgeKind::Relation(relation) => app.around.colour(relation).to_owned(),
            EdgeKind::Own(kind) => own(kind).map(|own| own.color(app.around.look.get()).to_owned()).unwrap_or_default(),
        };
        let dash = move || match relation.kind() {
            EdgeKind::Relation(relation) => inquiry.view.with(|view| {
                let drawing = view.as_ref().and_then(|view| view.graph.as_ref());
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
                title=relation.meaning()
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
        <div class="memory-legend" id="memory-legend" role="group" aria-label="Relations shown">
            {GraphRelation::ALL.map(entry)}
        </div>
    }
}

/// What is told beside the drawings, one of several sheets.
#[component]
fn Sheets(empty: Signal<bool>) -> impl IntoView {
    let inquiry = Inquiry::get();
    // Without a memory there is only what makes one.
    let sheet = Memo::new(move |_| if empty.get() { ProtocolSheet::Hard } else { inquiry.sheet.get() });
    let tab = move |own: ProtocolSheet, id: &'static str, name: &'static str| {
        view! {
            <button
                type="button"
                id=id
                class:away=move || empty.get() && own != ProtocolSheet::Hard
                aria-pressed=move || (sheet.get() == own).to_string()
                on:click=move |_| inquiry.open_sheet(own)
            >
                {name}
            </button>
        }
    };
    view! {
        <div class="memory-side">
            <div class="memory-tabs" role="group" aria-label="What is told">
                {tab(ProtocolSheet::Run, "memory-run", "Run")}
                {tab(ProtocolSheet::Verdict, "memory-cycle-tab", "Verdict")}
                {tab(ProtocolSheet::Table, "memory-all", "All runs")}
                {tab(ProtocolSheet::Program, "memory-program", "Program")}
                {tab(ProtocolSheet::Saturation, "memory-saturation", "Saturation")}
                {tab(ProtocolSheet::Hard, "memory-hard", "Why is it hard?")}
            </div>
            <div class="memory-sheet" tabindex="0" role="group" aria-label="What is known">
                {move || match sheet.get() {
                    ProtocolSheet::Run => view! { <Run /> }.into_any(),
                    ProtocolSheet::Verdict => view! { <Verdict /> }.into_any(),
                    ProtocolSheet::Table => view! { <Table /> }.into_any(),
                    ProtocolSheet::Program => view! { <Program /> }.into_any(),
                    ProtocolSheet::Saturation => view! { <Saturation /> }.into_any(),
                    ProtocolSheet::Hard => view! { <Hard /> }.into_any(),
                }}
            </div>
        </div>
    }
}
