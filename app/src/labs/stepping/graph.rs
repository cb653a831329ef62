//! The execution graph of the step, or of a moment of the run: with legend, key, map and words.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::graph::RelationName;
use litmoscope::report::{DrawnEdge, Mark, OutlineEvent, OutlineThread, outline, style};
use litmoscope::session::View;

use super::reading::{Reading, lighting};
use crate::app::App;
use crate::ui::scene::Scene;
use crate::ui::scene::around::{Pointed, mark_badge, mark_class};
use crate::ui::scene::camera::Stage;
use crate::ui::scene::legend::Sample;

/// A program with more events in a thread has tall graphs, which get more of the page.
const TALL: usize = 8;

/// The graph with its toolbar, legend and key.
#[component]
pub fn Graph(stage: Stage) -> impl IntoView {
    let (app, reading) = (App::get(), Reading::get());
    let drawing = Memo::new(move |_| app.seen.with(|view| view.as_ref().map(|view| Arc::new(view.drawing.clone()))));
    let hide_po = Signal::derive(move || app.looks.hidden.with(|hidden| hidden.contains(&RelationName::Po)));
    let faded = Signal::derive(move || !app.session.current.get());
    let tall = Memo::new(move |_| drawing.with(|drawing| drawing.as_ref().is_some_and(|drawing| drawing.rows > TALL)));
    Effect::new(move |_| {
        let Some(body) = document().body() else { return };
        let _ = if tall.get() { body.set_attribute("data-tall", "true") } else { body.remove_attribute("data-tall") };
    });
    let pick = Callback::new(move |what| match what {
        Some(what) => reading.pin(what),
        None => reading.let_go(),
    });
    view! {
        <svg class="patterns" width="0" height="0" aria-hidden="true">
            <defs>
                <pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect class="hatch-ground" width="7" height="7"></rect>
                    <rect class="hatch-line" width="2" height="7"></rect>
                </pattern>
            </defs>
        </svg>
        <Scene
            stage
            drawing
            id="stage"
            graph_id="graph"
            name="Execution graph"
            hide_po
            faded
            reading=lighting(app, reading, drawing)
            pick
        >
            <Violation />
        </Scene>
        <div class="keys">
            <Legend />
            <Key />
            <div class="zoom" role="group" aria-label="Zoom">
                <button type="button" id="zoom-in" title=app.hint("zoom-in") aria-label="Zoom in" on:click=move |_| stage.zoom_in()>
                    "+"
                </button>
                <button type="button" id="zoom-out" title=app.hint("zoom-out") aria-label="Zoom out" on:click=move |_| stage.zoom_out()>
                    "−"
                </button>
                <button type="button" id="zoom-fit" title=app.hint("zoom-fit") on:click=move |_| stage.whole()>
                    "Fit"
                </button>
            </div>
        </div>
        <AsText />
    }
}

/// The axiom that the graph violates, over the graph.
#[component]
fn Violation() -> impl IntoView {
    let app = App::get();
    let axiom = Memo::new(move |_| app.seen.with(|view| Some(view.as_ref()?.violation.as_ref()?.axiom.clone())));
    move || {
        axiom.get().map(|axiom| view! { <p id="violation" class="violation">"violates " <strong>{axiom}</strong></p> })
    }
}

/// A switch for each relation, with a sample of its line.
#[component]
fn Legend() -> impl IntoView {
    let app = App::get();
    let relations = Memo::new(move |_| {
        app.seen.with(|view| {
            let mut relations = view.as_ref().map(|view| view.relations.clone()).unwrap_or_default();
            // A cycle is drawn whatever is hidden, also where nothing else of the relation is known.
            for edge in view.iter().flat_map(|view| &view.drawing.edges).filter(|edge| edge.in_cycle) {
                relations.extend(edge.kind.relation().filter(|relation| !relations.contains(relation)));
            }
            for always in [RelationName::Rf, RelationName::Po] {
                if !relations.contains(&always) {
                    relations.insert(0, always);
                }
            }
            relations
        })
    });
    let entry = move |relation: RelationName| {
        // co is solid where it was chosen.
        let dash = move || {
            app.seen
                .with(|view| view.as_ref().map_or(style(relation).dash, |view| view.drawing.dash(relation)).to_owned())
        };
        let shown = move || app.looks.hidden.with(|hidden| !hidden.contains(&relation));
        let in_cycle = move || {
            let edges = |view: &Arc<View>| view.drawing.edges.iter().any(|e| e.in_cycle && e.kind == relation);
            app.seen.with(|view| view.as_ref().is_some_and(edges))
        };
        view! {
            <button
                type="button"
                class="relation"
                class:drawn=in_cycle
                data-relation=relation.name()
                aria-pressed=move || shown().to_string()
                title=relation.meaning()
                on:click=move |_| app.looks.toggle(relation)
            >
                <Sample relation dash=Signal::derive(dash) />
                {relation.name()}
            </button>
        }
    };
    view! {
        <div class="legend" id="legend" role="group" aria-label="Relations shown">
            <For each=move || relations.get() key=|relation| *relation children=entry />
        </div>
    }
}

/// What the marks now in sight mean.
#[component]
fn Key() -> impl IntoView {
    let app = App::get();
    let marks = Memo::new(move |_| {
        app.seen.with(|view| {
            let Some(view) = view else { return (Vec::new(), false) };
            let mut marks: Vec<_> = view.drawing.nodes.iter().flat_map(|node| node.marks.iter().copied()).collect();
            marks.sort_unstable();
            marks.dedup();
            marks.retain(|mark| *mark != Mark::Selected);
            (marks, view.drawing.nodes.iter().any(|node| node.ghost))
        })
    });
    move || {
        let (marks, ghosts) = marks.get();
        let entry = |class: &'static str, badge: Option<&'static str>, words: &'static str| {
            view! { <li><span class=format!("swatch {class}") aria-hidden="true">{badge}</span>{words}</li> }
        };
        let entries =
            marks.into_iter().map(|mark| entry(mark_class(mark), mark_badge(mark), mark.words())).collect_view();
        let ghosts = ghosts.then(|| entry("ghost", None, "cut from the graph"));
        view! { <ul class="marks" id="marks" tabindex="0" aria-label="Marks">{entries}{ghosts}</ul> }
    }
}

/// The graph in words, for those who can't see it: thread by thread, event by event.
#[component]
fn AsText() -> impl IntoView {
    let app = App::get();
    let threads =
        Memo::new(move |_| app.seen.with(|view| view.as_ref().map(|view| outline(&view.drawing)).unwrap_or_default()));
    let event = |event: OutlineEvent| {
        let details = event.details.into_iter().map(|text| view! { <li>{text}</li> }).collect_view();
        let details = (!details.is_empty()).then(|| view! { <ul>{details}</ul> });
        view! { <li>{event.title}{details}</li> }
    };
    let thread = move |thread: OutlineThread| {
        view! { <li>{thread.title}<ol>{thread.events.into_iter().map(event).collect_view()}</ol></li> }
    };
    view! {
        <div class="sr-only" id="graph-text">
            <h2>"Events and edges of the graph"</h2>
            <ul>{move || threads.get().into_iter().map(thread).collect_view()}</ul>
        </div>
    }
}

/// Points at the next or previous event of the drawing.
pub fn point_at_neighbour(app: App, forward: bool) {
    let next = app.seen.with_untracked(|view| {
        let nodes = &view.as_ref()?.drawing.nodes;
        let at = nodes.iter().position(|node| app.around.pointed.get_untracked() == Some(Pointed::Event(node.key)));
        let at = match (at, forward) {
            (None, true) => 0,
            (None, false) => nodes.len().checked_sub(1)?,
            (Some(at), true) => (at + 1) % nodes.len(),
            (Some(at), false) => (at + nodes.len() - 1) % nodes.len(),
        };
        let node = nodes.get(at)?;
        Some((node.key, node.title.clone()))
    });
    if let Some((key, title)) = next {
        app.around.pointed.set(Some(Pointed::Event(key)));
        app.name_pointed(&title);
    }
}

/// Points at the next or previous edge of the drawing.
pub fn point_at_edge(app: App, forward: bool) {
    let next = app.seen.with_untracked(|view| {
        let drawing = &view.as_ref()?.drawing;
        let hide_po = app.looks.hidden.with_untracked(|hidden| hidden.contains(&RelationName::Po));
        let shown = |edge: &&DrawnEdge| edge.kind != RelationName::Po || !hide_po || edge.in_cycle;
        let edges: Vec<&DrawnEdge> = drawing.edges.iter().filter(|edge| !edge.ghost).filter(shown).collect();
        let pointed = app.around.pointed.get_untracked();
        let at = edges.iter().position(|edge| pointed == Some(Pointed::Edge(edge.key())));
        let at = match (at, forward) {
            (None, true) => 0,
            (None, false) => edges.len().checked_sub(1)?,
            (Some(at), true) => (at + 1) % edges.len(),
            (Some(at), false) => (at + edges.len() - 1) % edges.len(),
        };
        let edge = edges.get(at)?;
        Some((edge.key(), edge.title.clone()))
    });
    if let Some((key, title)) = next {
        app.around.pointed.set(Some(Pointed::Edge(key)));
        app.name_pointed(&title);
    }
}
