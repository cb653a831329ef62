//! The graph: what each vertex is at a step, painted over the drawing.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::fairness::view::{Look, Ring, Tint};
use litmoscope::report::{Drawing, FONT_SIZE, Node, NodeKind};

use super::inquiry::Inquiry;
use crate::app::App;
use crate::ui::scene::Scene;
use crate::ui::scene::around::Pointed;
use crate::ui::scene::camera::{Stage, size};

/// How far rings are apart.
const RING: f32 = 3.6;
/// After how long the next layer of an attractor is reached, in milliseconds.
const WAVE: u32 = 120;

/// A vertex, where it stands.
#[derive(Clone, PartialEq)]
struct Spot {
    at: usize,
    node: Node,
}

impl Spot {
    fn is_random(&self) -> bool {
        self.node.kind == NodeKind::Fence
    }

    /// Its outline, some way beyond it: a box, or a diamond where chance decides.
    fn outline(&self, beyond: f32) -> String {
        let (width, height) = (self.node.width, self.node.height);
        if self.is_random() {
            let (x, y) = (width / 2.0, height / 2.0);
            let (across, along) = (x + beyond * 1.5, y + beyond * 1.5);
            return format!("M{x} {:.1}L{:.1} {y}L{x} {:.1}L{:.1} {y}Z", y - along, x + across, y + along, x - across);
        }
        let (low, right, bottom, round) = (-beyond, width + beyond, height + beyond, 8.0 + beyond);
        format!(
            "M{:.1} {low}H{:.1}A{round} {round} 0 0 1 {right} {:.1}V{:.1}A{round} {round} 0 0 1 {:.1} {bottom}\
             H{:.1}A{round} {round} 0 0 1 {low} {:.1}V{:.1}A{round} {round} 0 0 1 {:.1} {low}Z",
            low + round,
            right - round,
            low + round,
            bottom - round,
            right - round,
            low + round,
            bottom - round,
            low + round,
            low + round,
        )
    }
}

fn class(look: &Look) -> String {
    let tint = match look.tint {
        Tint::Waiting => "waiting",
        Tint::Candidate => "candidate",
        Tint::Removed => "removed",
        Tint::Good => "good",
        Tint::Winning => "winning",
    };
    let mut class = format!("fair-spot {tint}");
    for (is, name) in [(look.bad, " bad"), (look.leaking, " leaking"), (look.layer.is_some(), " wave")] {
        if is {
            class += name;
        }
    }
    if look.part.is_some() {
        class += " part";
    }
    class
}

fn ring(spot: &Spot, (at, ring): (usize, &Ring)) -> impl IntoView + use<> {
    let class = format!(
        "fair-ring{}{}{}",
        if ring.forward { "" } else { " backward" },
        if ring.starts { " starts" } else { "" },
        if ring.dropped { " dropped" } else { "" }
    );
    view! { <path class=class data-colour=2 * ring.look d=spot.outline(RING * (at + 1) as f32)></path> }
}

fn badge(text: &'static str, x: f32, title: &'static str) -> impl IntoView {
    view! {
        <g class="fair-badge" data-badge=text transform=format!("translate({x} -7)")>
            <title>{title}</title>
            <circle r="7.5"></circle>
            <text y="4">{text}</text>
        </g>
    }
}

fn paint(spot: Spot, looks: Memo<Vec<Look>>, shares: Memo<Vec<String>>) -> impl IntoView {
    let at = spot.at;
    let look = Memo::new(move |_| looks.with(|looks| looks.get(at).cloned().unwrap_or_default()));
    let share = Memo::new(move |_| shares.with(|shares| shares.get(at).cloned().unwrap_or_default()));
    let Node { x, y, width, height, label, .. } = spot.node.clone();
    let delay = move || {
        let layer = look.with(|look| look.layer);
        format!("{}ms", u32::from(layer.unwrap_or(0).min(20)) * WAVE)
    };
    let vertex = label.clone();
    let cross = format!("M{:.1} -5L-3 {:.1}M-3 -5L{:.1} {:.1}", width + 3.0, height + 5.0, width + 3.0, height + 5.0);
    let (shape, rings_of) = (spot.outline(0.0), spot.clone());
    let inside = move || {
        look.with(|look| {
            let rings = look.rings.iter().enumerate().map(|own| ring(&rings_of, own)).collect_view();
            let badges = view! {
                {look.head.then(|| badge("H", 2.0, "a head: it lost an edge that led to it"))}
                {look.tail.then(|| badge("T", width - 2.0, "a tail: it lost an edge that led away"))}
            };
            let cross = look.bad.then(|| view! { <path class="fair-cross" d=cross.clone()></path> });
            view! { {rings} {badges} {cross} }
        })
    };
    view! {
        <g
            class=move || look.with(class)
            data-vertex=vertex
            data-colour=move || look.with(|look| look.part)
            data-layer=move || look.with(|look| look.layer.map(|layer| layer.to_string()))
            transform=format!("translate({x} {y})")
        >
            <g class="fair-lifted">
                <path class="shape" style:transition-delay=delay d=shape></path>
                <text class="label" x=width / 2.0 y=height / 2.0 + FONT_SIZE * 0.34>{label}</text>
                <text class="share" x=width / 2.0 y=height + 12.0>{share}</text>
            </g>
            {inside}
        </g>
    }
}

/// What each vertex is, over the drawing.
#[component]
fn Spots(drawing: Memo<Option<Arc<Drawing>>>, side: usize) -> impl IntoView {
    let inquiry = Inquiry::get();
    let looks = side_part(inquiry, side, |view| view.looks.clone());
    let shares = side_part(inquiry, side, |view| view.shares.clone());
    let spots = Memo::new(move |_| {
        drawing.with(|drawing| {
            let nodes = drawing.iter().flat_map(|drawing| drawing.nodes.iter().cloned());
            nodes.enumerate().map(|(at, node)| Spot { at, node }).collect::<Vec<_>>()
        })
    });
    let key = |spot: &Spot| (spot.at, spot.node.label.clone(), spot.node.x.to_bits(), spot.node.y.to_bits());
    view! { <For each=move || spots.get() key children=move |spot| paint(spot, looks, shares) /> }
}

/// A part of what is known of an algorithm.
pub fn side_part<T: Clone + Default + PartialEq + Send + Sync + 'static>(
    inquiry: Inquiry,
    side: usize,
    of: fn(&litmoscope::fairness::view::SideView) -> T,
) -> Memo<T> {
    let view = inquiry.view;
    Memo::new(move |_| {
        view.with(|view| view.as_ref().and_then(|view| view.sides.get(side)).map(of).unwrap_or_default())
    })
}

/// The graph of one of the algorithms.
#[component]
pub fn Graph(side: usize, ids: [&'static str; 2], name: &'static str) -> impl IntoView {
    let (app, inquiry) = (App::get(), Inquiry::get());
    let drawing =
        Memo::new(move |_| inquiry.view.with(|view| view.as_ref().and_then(|view| view.drawing.clone()).map(Arc::new)));
    let stage =
        Stage::mapped(app.around, move || drawing.with(|drawing| drawing.as_ref().map(|drawing| size(drawing))));
    let folds = inquiry.part(|view| view.folds.clone());
    let pick = Callback::new(move |pointed: Option<Pointed>| {
        let Some(Pointed::Event(key)) = pointed else { return };
        if let Some(component) = folds.with_untracked(|folds| folds.get(key.serial as usize).copied().flatten()) {
            inquiry.toggle_fold(component);
        }
    });
    let [id, graph_id] = ids;
    view! {
        <div class="side-graph fair-graph" class:away=move || drawing.with(Option::is_none)>
            <Scene
                stage
                drawing
                id
                graph_id
                name
                things=["state", "edge"]
                hide_po=false
                faded=false
                pick
                over=Box::new(move || view! { <Spots drawing side /> }.into_any())
            />
        </div>
    }
}
