//! The panel: a memory implementation as states and arrows, the graph of a run beside it, and what is known.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::document::{PROTOCOL, PROTOCOL_READER, protocol_reader};
use litmoscope::memories::{GraphRelation, MemorySheet};
use litmoscope::report::EdgeKind;

use super::hard::Hard;
use super::inquiry::Inquiry;
use super::program::Program;
use super::run::{Run, Verdict};
use super::saturation::Saturation;
use super::table::Table;
use super::worker::ID;
use crate::app::App;
use crate::app::inquiry::Inquires;
use crate::app::inquiry::head::Head;
use crate::app::inquiry::legend::{Entry, Legend};
use crate::app::inquiry::sheets::sheets;
use crate::app::inquiry::steps::{Caption, WayThrough};
use crate::app::inquiry::told::Drawn;
use crate::app::inquiry::walk::Walk;
use crate::app::offers::{Desk, Examples};
use crate::document::examples::PROTOCOLS;
use crate::ui::prose::prose;
use crate::ui::scene::Scene;
use crate::ui::scene::around::Pointed;
use crate::ui::scene::camera::{Stage, size};

/// The panel.
#[component]
pub fn Memories() -> impl IntoView {
    let app = App::get();
    let inquiry = Inquiry::new(app);
    let open = inquiry.arrive(Some((&PROTOCOL_READER, protocol_reader())));
    let own = app.has_text_of(&PROTOCOL);
    inquiry.follow_text(open, own, move |text| inquiry.look_at(text));
    inquiry.follow_request(open);
    inquiry.settle();
    // The table is filled in when it is seen, and there is something to fill it in of.
    let is_awaited =
        Memo::new(move |_| inquiry.sheet.get() == MemorySheet::Table && inquiry.view.with(Option::is_some));
    Effect::new(move |_| {
        if is_awaited.get() {
            inquiry.fill_first();
        }
    });
    inquiry.follow_program();
    inquiry.follow_play();
    let empty = Signal::derive(move || !own.get() || inquiry.view.with(Option::is_none));
    let status = move || {
        if own.get() {
            return inquiry.status(|view| {
                let parts = [&view.name[..], &view.size].into_iter().filter(|part| !part.is_empty());
                parts.collect::<Vec<_>>().join(", ")
            });
        }
        "The text is not a memory implementation. Such a text begins with “protocol”, “machine” or “automata”. Choose \
         an example."
            .to_owned()
    };
    view! {
        <div class="why-not inquiry memory" data-over=move || (!inquiry.running.get()).to_string()>
            <Head
                ids=["memory-status", "memory-stop", "memory-again", "memory-close"]
                question="Is each run of this memory causally consistent?"
                status=Signal::derive(status)
                running=inquiry.running
                stop=move |()| inquiry.give_up()
                stopped=Signal::derive(move || inquiry.is_stopped())
                again=move |()| inquiry.ask()
            >
                <Examples id="memory-example" label="Example memories" indexes=&[PROTOCOLS] />
            </Head>
            <Options empty />
            <div class="inquiry-body" class:alone=empty>
                <div class="inquiry-drawing" class:away=empty>
                    <Steps />
                    <Machine />
                    <Graph />
                </div>
                <Sheets empty />
            </div>
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
            <label class="inquiry-field" for=own>
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
            <div class="inquiry-options" class:away=empty>
                <For each=move || names.get() key=String::clone children=input />
                <label class="inquiry-field" for="memory-initial">
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
        <div class="inquiry-options" class:away=empty>
            <span id="memory-now" aria-live="polite">{verdict}</span>
        </div>
        {move || trouble.get().map(|trouble| view! { <p class="inquiry-trouble" id="memory-trouble" role="alert">{prose(&trouble)}</p> })}
        {move || notes.get().into_iter().map(|note| view! { <p class="inquiry-note memory-of-text">{prose(&note)}</p> }).collect_view()}
    }
}

/// The way through the run or the saturation, and what a step does.
#[component]
fn Steps() -> impl IntoView {
    let inquiry = Inquiry::get();
    let caption = inquiry.part(|view| view.caption.clone());
    let place = Memo::new(move |_| {
        let saturating = inquiry.sheet.get() == MemorySheet::Saturation;
        inquiry.view.with(|view| view.as_ref().map_or((0, 0), |view| Inquiry::shown_place(view, saturating)))
    });
    view! {
        <WayThrough
            walk=inquiry
            ids=["memory-first", "memory-back", "memory-forward", "memory-last", "memory-play", "memory-place"]
            place
        />
        <Caption id="memory-caption" label="What this step does">{move || prose(&caption.get())}</Caption>
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
        if inquiry.sheet.get_untracked() == MemorySheet::Saturation {
            return;
        }
        match pointed {
            Some(Pointed::Event(state)) => inquiry.follow(state),
            // Only arrows from the present state can be followed.
            Some(Pointed::Edge(edge)) if matches!(edge.kind, EdgeKind::Own(1)) => {
                inquiry.follow(edge.to);
                if inquiry.through.get_untracked().is_some() {
                    inquiry.sheet.set(MemorySheet::Run);
                }
            }
            _ => inquiry.through.set(None),
        }
    });
    view! {
        <p class="inquiry-note memory-around" class:away=move || around.with(Option::is_none)>{around}</p>
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

/// The graph of the run, with what its edges mean.
#[component]
fn Graph() -> impl IntoView {
    let inquiry = Inquiry::get();
    let drawing =
        Memo::new(move |_| inquiry.view.with(|view| view.as_ref().and_then(|view| view.graph.clone()).map(Arc::new)));
    let entry = |relation: GraphRelation| Entry {
        relation,
        name: relation.name(),
        kind: relation.kind(),
        meaning: relation.meaning().to_owned(),
    };
    view! {
        <Drawn
            drawing
            ids=["memory-graph-stage", "memory-graph"]
            name="Execution graph of the run"
            lights=inquiry.pointed
            none=inquiry.part(|view| view.too_large.clone())
        />
        <Legend
            id="memory-legend"
            entries=Signal::stored(GraphRelation::ALL.map(entry).to_vec())
            drawing
            kinds=inquiry.part(|view| view.kinds.clone())
            hidden=Signal::derive(move || inquiry.request.with(|request| request.hidden.clone()))
            hide=move |hidden| inquiry.request.update(|request| request.hidden = hidden)
        />
    }
}

/// What is told beside the drawings, one of several sheets.
#[component]
fn Sheets(empty: Signal<bool>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let tabs = [
        (MemorySheet::Run, "memory-run", "Run".into()),
        (MemorySheet::Verdict, "memory-cycle-tab", "Verdict".into()),
        (MemorySheet::Table, "memory-all", "All runs".into()),
        (MemorySheet::Program, "memory-program", "Program".into()),
        (MemorySheet::Saturation, "memory-saturation", "Saturation".into()),
        (MemorySheet::Hard, "memory-hard", "Why is it hard?".into()),
    ];
    // Without a memory there is only what makes one.
    let only = Signal::derive(move || empty.get().then_some(MemorySheet::Hard));
    sheets(
        tabs,
        inquiry.sheet.into(),
        only,
        move |sheet| inquiry.open_sheet(sheet),
        |sheet| match sheet {
            MemorySheet::Run => view! { <Run /> }.into_any(),
            MemorySheet::Verdict => view! { <Verdict /> }.into_any(),
            MemorySheet::Table => view! { <Table /> }.into_any(),
            MemorySheet::Program => view! { <Program /> }.into_any(),
            MemorySheet::Saturation => view! { <Saturation /> }.into_any(),
            MemorySheet::Hard => view! { <Hard /> }.into_any(),
        },
    )
}
