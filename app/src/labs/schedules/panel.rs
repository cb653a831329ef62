//! The panel: the tree of schedules, the results as they come, and what is told of both.

use std::sync::Arc;

use leptos::prelude::*;

use super::finite::Finite;
use super::inquiry::{Inquiry, Sheet, Verifying, part};
use super::run::Run;
use super::timeline::Timeline;
use super::told::{Node, Refinement, Steps};
use super::worker::ID;
use crate::app::App;
use crate::app::inquiry::Inquires;
use crate::app::inquiry::head::{Head, verdict};
use crate::app::inquiry::sheets::sheets;
use crate::app::inquiry::steps::{Caption, WayThrough};
use crate::app::inquiry::walk::Walk;
use crate::app::offers::{Desk, Examples};
use crate::document::examples::SCHEDULES;
use crate::ui::prose::prose;
use crate::ui::scene::Scene;
use crate::ui::scene::around::Pointed;
use crate::ui::scene::camera::{Stage, size_lit};
use litmoscope::document::PROGRAM;

/// What a region of the tree is called, and its class.
const REGIONS: [(&str, &str); 5] = [
    ("read", "proven right"),
    ("write", "not yet known"),
    ("bound", "not looked at"),
    ("stuck", "abandoned"),
    ("error", "goes wrong"),
];

/// The panel.
#[component]
pub fn Schedules() -> impl IntoView {
    let app = App::get();
    let inquiry = Inquiry::new(app);
    let open = inquiry.arrive(None);
    let own = app.has_text_of(&PROGRAM);
    inquiry.follow_text(open, own, move |text| inquiry.take(text));
    inquiry.follow_request(open);
    Verifying(inquiry).follow_play();
    let empty = Signal::derive(move || !own.get() || inquiry.view.with(Option::is_none));
    view! {
        <div class="why-not inquiry schedule" data-over=move || (!inquiry.verifying.get()).to_string()>
            <Head
                ids=["schedule-status", "schedule-stop", "schedule-again", "schedule-close"]
                question="Under which schedules is it right?"
                status=Signal::derive(move || inquiry.status())
                running=Signal::derive(move || inquiry.verifying.get())
                stop=move |()| inquiry.give_up()
                stopped=Signal::derive(move || inquiry.is_stopped())
                again=move |()| inquiry.ask()
            >
                <Examples id="schedule-example" label="Example programs" indexes=&[SCHEDULES] />
            </Head>
            <Options />
            <Verdict />
            <div class="inquiry-body" class:alone=empty>
                <div class="inquiry-drawing" class:away=empty>
                    <Way />
                    <Tree />
                    <Timeline />
                </div>
                <Sheets empty />
            </div>
        </div>
    }
}

/// How it is verified.
#[component]
fn Options() -> impl IntoView {
    view! {
        <Desk lab=ID>
            <div class="inquiry-options">
                <label class="inquiry-field" for="schedule-choice">
                    "who runs next"
                    <select
                        id="schedule-choice"
                        on:change:target=move |event| {
                            let takes_turns = event.target().value() == "turns";
                            Inquiry::get().choose(|request| request.round_robin = takes_turns);
                        }
                    >
                        <option value="least-recent" selected=move || !Inquiry::get().request.with(|request| request.round_robin)>
                            "who ran least recently"
                        </option>
                        <option value="turns" selected=move || Inquiry::get().request.with(|request| request.round_robin)>
                            "in turns, as printed"
                        </option>
                    </select>
                </label>
                <label class="inquiry-field" for="schedule-whole">
                    <input
                        type="checkbox"
                        id="schedule-whole"
                        prop:checked=move || Inquiry::get().request.with(|request| request.whole)
                        on:change:target=move |event| {
                            let whole = event.target().checked();
                            Inquiry::get().choose(|request| request.whole = whole);
                        }
                    />
                    " without partial-order reduction"
                </label>
            </div>
        </Desk>
    }
}

/// The verdict, at the end.
#[component]
fn Verdict() -> impl IntoView {
    let known = part(|view| view.verdict.clone());
    view! {
        <p class="inquiry-sentence" id="schedule-verdict" aria-live="polite" class:away=move || known.with(Option::is_none)>
            {move || known.get().map(|known| {
                let (class, sign) = verdict(known.holds);
                view! { <strong class=class><span aria-hidden="true">{sign}</span>" "{prose(&known.text)}</strong> }
            })}
        </p>
    }
}

/// The way through the steps, and what a step does.
#[component]
fn Way() -> impl IntoView {
    let inquiry = Inquiry::get();
    let caption = part(|view| view.caption.clone());
    view! {
        <WayThrough
            walk=Verifying(inquiry)
            ids=["schedule-first", "schedule-back", "schedule-forward", "schedule-last", "schedule-play", "schedule-place"]
            label="Steps of the verifier"
            place=part(|view| (view.step, view.all_steps))
        />
        <Caption id="schedule-caption" label="What this step does">{move || prose(&caption.get())}</Caption>
    }
}

/// The tree of schedules.
#[component]
fn Tree() -> impl IntoView {
    let inquiry = Inquiry::get();
    let drawing =
        Memo::new(move |_| inquiry.view.with(|view| view.as_ref().and_then(|view| view.tree.clone()).map(Arc::new)));
    let note = part(|view| view.note.clone());
    let lights = inquiry.pointed;
    let stage = Stage::beside(1.2, move || {
        lights.with(|lit| drawing.with(|drawing| drawing.as_ref().map(|drawing| size_lit(drawing, lit))))
    });
    let pick = Callback::new(move |pointed: Option<Pointed>| match pointed {
        Some(Pointed::Event(node)) => inquiry.look_at(Some(node)),
        _ => inquiry.look_at(None),
    });
    let region = |(class, name): (&str, &str)| {
        view! {
            <li>
                <svg class="graph schedule-key" viewBox="0 0 26 16" width="26" height="16" aria-hidden="true">
                    <g class=format!("node {class}")>
                        <rect class="box" x="2" y="2" width="22" height="12" rx=if class == "read" { "6" } else { "2" }></rect>
                    </g>
                </svg>
                " "{name.to_owned()}
            </li>
        }
    };
    view! {
        // Patterns are found by name from everywhere on the page.
        <svg class="schedule-patterns" width="0" height="0" aria-hidden="true">
            <defs>
                <pattern id="schedule-hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect class="ground" width="7" height="7"></rect>
                    <line class="hatch" x1="0" y1="0" x2="0" y2="7"></line>
                </pattern>
            </defs>
        </svg>
        <p class="inquiry-note" id="schedule-note" class:away=move || note.with(Option::is_none)>{note}</p>
        <div class="side-graph schedule-tree">
            <Scene
                stage
                drawing
                id="schedule-stage"
                graph_id="schedule-tree"
                name="Tree of schedules"
                things=["node", "edge"]
                hide_po=false
                faded=false
                lights
                pick
            />
        </div>
        <ul class="schedule-legend" aria-label="What nodes are">
            {REGIONS.map(region)}
            <li><span class="schedule-dash" aria-hidden="true"></span>" covered by"</li>
        </ul>
    }
}

/// What is told beside the tree.
#[component]
fn Sheets(empty: Signal<bool>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let tabs = [
        (Sheet::Steps, "schedule-steps-tab", "Steps".into()),
        (Sheet::Node, "schedule-node-tab", "Node".into()),
        (Sheet::Refinement, "schedule-refinement-tab", "Refinement".into()),
        (Sheet::Run, "schedule-run-tab", "Run it".into()),
        (Sheet::Finite, "schedule-finite-tab", "Interleavings".into()),
    ];
    let text = Memo::new(move |_| inquiry.request.with(|request| request.text.clone()));
    let round_robin = Memo::new(move |_| inquiry.request.with(|request| request.round_robin));
    let whole = Memo::new(move |_| inquiry.request.with(|request| request.whole));
    let results = part(|view| view.results);
    let open = move |sheet| {
        inquiry.pointed.set(Vec::new());
        inquiry.player().playing.set(false);
        inquiry.sheet.set(sheet);
    };
    view! {
        <div class="schedule-sheets" class:away=empty>
            {sheets(tabs, inquiry.sheet.into(), Signal::stored(None), open, move |sheet| match sheet {
                Sheet::Steps => view! { <Steps /> }.into_any(),
                Sheet::Node => view! { <Node /> }.into_any(),
                Sheet::Refinement => view! { <Refinement /> }.into_any(),
                Sheet::Run => view! { <Run runs=inquiry.runs text results round_robin whole /> }.into_any(),
                Sheet::Finite => view! { <Finite finite=inquiry.finite text /> }.into_any(),
            })}
        </div>
    }
}
