//! The drawn tree: the engine's drawing in a panel that scrolls.

mod paint;

use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::html;
use leptos::prelude::*;
use litmoscope::session::{Toward, TreeDrawing, TreeView, VisitId};

use super::look::TreeLook;
use crate::app::App;
use crate::browser::observe_size;
use crate::worker::session::Command;
use paint::{Key, Painter, REST};

/// How far one can zoom.
const SCALES: (f64, f64) = (0.08, 3.0);
/// How large the tree is shown at first at most and at least, however large the panel.
const COMFORT: (f64, f64) = (0.6, 1.5);
/// Free space below it for the buttons that zoom.
const BUTTONS: f64 = 40.0;
/// How far a click on a zoom button goes.
const ZOOM: f64 = 1.25;
/// How far the mouse moves before it drags.
const DRAG: i32 = 4;

/// How large the tree is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Zoom {
    /// All of it if it can be read then.
    Comfort,
    /// All of it.
    Fit,
    /// As the reader wants it.
    At(f64),
}

/// Where the mouse took hold: its place, and how far the panel was scrolled.
type Grip = ((i32, i32), (i32, i32));

/// The panel, and what is seen in it.
#[derive(Clone, Copy)]
struct Canvas {
    panel: NodeRef<html::Div>,
    drawing: Memo<TreeDrawing>,
    zoom: RwSignal<Zoom>,
    scale: Memo<f64>,
}

impl Canvas {
    fn new(tree: Memo<TreeView>, room: RwSignal<(f64, f64)>) -> Self {
        let panel = NodeRef::<html::Div>::new();
        observe_size(panel, room);
        let drawing = Memo::new(move |_| {
            let (width, height) = room.get();
            tree.with(|tree| TreeDrawing::new(tree, (width as f32, height as f32)))
        });
        let zoom = RwSignal::new(Zoom::Comfort);
        let scale = Memo::new(move |_| {
            let (width, height) = room.get();
            let fit = drawing.with(|drawing| {
                let fit = |room: f64, size: f32| (room - 2.0).max(1.0) / f64::from(size).max(1.0);
                fit(width, drawing.width).min(fit(height - BUTTONS, drawing.height))
            });
            match zoom.get() {
                Zoom::Comfort => fit.clamp(COMFORT.0, COMFORT.1),
                Zoom::Fit => fit.clamp(SCALES.0, COMFORT.1),
                Zoom::At(scale) => scale,
            }
        });
        Self { panel, drawing, zoom, scale }
    }

    /// Zooms, so that what is in the middle stays there.
    fn zoom_by(self, factor: f64, at: Option<(f64, f64)>) {
        let Some(panel) = self.panel.get_untracked() else { return };
        let (x, y) = at.unwrap_or((f64::from(panel.client_width()) / 2.0, f64::from(panel.client_height()) / 2.0));
        let before = self.scale.get_untracked();
        let after = (before * factor).clamp(SCALES.0, SCALES.1);
        let (left, top) = (f64::from(panel.scroll_left()) + x, f64::from(panel.scroll_top()) + y);
        self.zoom.set(Zoom::At(after));
        request_animation_frame(move || {
            panel.set_scroll_left((left * after / before - x) as i32);
            panel.set_scroll_top((top * after / before - y) as i32);
        });
    }

    /// Zooms where a wheel is turned.
    fn turn(self, event: &WheelEvent) {
        if !event.ctrl_key() && !event.meta_key() {
            return;
        }
        event.prevent_default();
        let Some(panel) = self.panel.get_untracked() else { return };
        let corner = panel.get_bounding_client_rect();
        let at = (f64::from(event.client_x()) - corner.left(), f64::from(event.client_y()) - corner.top());
        let lines = if event.delta_mode() == 0 { 1.0 } else { 24.0 };
        self.zoom_by((-event.delta_y() * lines * 0.0035).exp(), Some(at));
    }

    /// Brings the node that the keyboard is at into sight.
    fn bring_into_sight(self, active: Memo<Option<VisitId>>) {
        let (Some(panel), Some(visit)) = (self.panel.get(), active.get()) else { return };
        let spot = self.drawing.with(|drawing| drawing.find(visit).map(|node| drawing.nodes[node].shape));
        let (Some(spot), scale) = (spot, self.scale.get()) else { return };
        request_animation_frame(move || {
            let bring = |at: f64, from: i32, length: i32| {
                let (low, high) = (f64::from(from) + 24.0, f64::from(from + length) - 36.0);
                (at < low || at > high).then_some((at - f64::from(length) / 2.0) as i32)
            };
            if let Some(left) = bring(f64::from(spot.x) * scale, panel.scroll_left(), panel.client_width()) {
                panel.set_scroll_left(left);
            }
            if let Some(top) = bring(f64::from(spot.y) * scale, panel.scroll_top(), panel.client_height()) {
                panel.set_scroll_top(top);
            }
        });
    }
}

/// What drags the tree: a mouse. Fingers scroll as everywhere.
#[derive(Clone, Copy)]
struct Mouse {
    grip: StoredValue<Option<Grip>>,
    dragged: StoredValue<bool>,
}

impl Mouse {
    fn down(self, event: &PointerEvent, panel: NodeRef<html::Div>) {
        self.dragged.set_value(false);
        if event.pointer_type() == "mouse"
            && event.button() == 0
            && let Some(panel) = panel.get_untracked()
        {
            let scrolled = (panel.scroll_left(), panel.scroll_top());
            self.grip.set_value(Some(((event.client_x(), event.client_y()), scrolled)));
        }
    }

    fn moved(self, event: &PointerEvent, panel: NodeRef<html::Div>, look: TreeLook) {
        let (Some(((x, y), (left, top))), Some(panel)) = (self.grip.get_value(), panel.get_untracked()) else { return };
        if event.buttons() & 1 == 0 {
            self.grip.set_value(None);
            return;
        }
        let (dx, dy) = (event.client_x() - x, event.client_y() - y);
        if self.dragged.get_value() || dx.abs().max(dy.abs()) > DRAG {
            self.dragged.set_value(true);
            look.hide();
            panel.set_scroll_left(left - dx);
            panel.set_scroll_top(top - dy);
        }
    }
}

/// What a key does in the tree.
fn press(app: App, look: TreeLook, canvas: Canvas, active: Memo<Option<VisitId>>, event: &KeyboardEvent) {
    // Many keyboards have + above =.
    let shifted = event.shift_key() && event.key() != "+";
    if event.ctrl_key() || event.alt_key() || event.meta_key() || shifted {
        return;
    }
    let drawing = canvas.drawing.get_untracked();
    let Some(at) = active.get_untracked().and_then(|visit| drawing.find(visit)) else { return };
    let row = &drawing.nodes[at].row;
    let go = |node: Option<usize>| {
        if let Some(node) = node {
            let visit = drawing.nodes[node].row.visit;
            look.chosen.set(Some(visit));
            look.peek_at(app, visit, REST.0);
        }
    };
    let toward = match (event.key().as_str(), drawing.downwards) {
        ("ArrowUp", true) | ("ArrowLeft", false) => Some(Toward::Parent),
        ("ArrowDown", true) | ("ArrowRight", false) => Some(Toward::Child),
        ("ArrowLeft", true) | ("ArrowUp", false) => Some(Toward::Before),
        ("ArrowRight", true) | ("ArrowDown", false) => Some(Toward::After),
        _ => None,
    };
    match (event.key().as_str(), toward) {
        (_, Some(Toward::Child)) if row.children > 0 && !row.unfolded => app.session.set_folded(row.visit, false),
        (_, Some(toward)) => go(drawing.neighbour(at, toward)),
        ("Home", _) => go(Some(0)),
        ("Enter", _) => {
            look.hide();
            if row.reachable {
                app.command(Command::GoToVisit(row.visit));
            }
        }
        (" ", _) if row.children > 0 => app.session.set_folded(row.visit, row.unfolded),
        (" ", _) => {}
        ("+" | "=", _) => canvas.zoom_by(ZOOM, None),
        ("-", _) => canvas.zoom_by(1.0 / ZOOM, None),
        ("0", _) => canvas.zoom.set(Zoom::Fit),
        ("Escape", _) if look.peek.with_untracked(Option::is_some) => look.hide(),
        ("Escape", _) if look.wide.get_untracked() => look.wide.set(false),
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}

/// The tree.
#[component]
pub fn Drawn(tree: Memo<TreeView>, active: Memo<Option<VisitId>>) -> impl IntoView {
    let app = App::get();
    let look = TreeLook::get();
    let canvas = Canvas::new(tree, look.room);
    let Canvas { panel, drawing, zoom, scale } = canvas;
    Effect::new(move |_| canvas.bring_into_sight(active));
    let mouse = Mouse { grip: StoredValue::new(None), dragged: StoredValue::new(false) };
    let painter = Painter { app, look, active, dragged: mouse.dragged };
    let paint = move || drawing.with(|drawing| painter.all(drawing));
    let view_box = move || drawing.with(|drawing| format!("0 0 {} {}", drawing.width, drawing.height));
    let length =
        move |size: fn(&TreeDrawing) -> f32| move || format!("{:.1}", f64::from(drawing.with(size)) * scale.get());
    let notes = move || {
        drawing.with(|drawing| {
            drawing.notes.iter().map(|note| view! { <p class="tree-note">{note.clone()}</p> }).collect_view()
        })
    };
    view! {
        <div class="tree-stage">
            <div
                class="tree drawn"
                id="tree"
                role="tree"
                tabindex="0"
                aria-label="Exploration tree, drawn"
                aria-activedescendant=move || active.get().map(|visit| format!("node-{visit}"))
                node_ref=panel
                on:keydown=move |event| press(app, look, canvas, active, &event)
                on:wheel=move |event| canvas.turn(&event)
                on:pointerdown=move |event| mouse.down(&event, panel)
                on:pointermove=move |event| mouse.moved(&event, panel, look)
                on:pointerup=move |_| mouse.grip.set_value(None)
                on:contextmenu=move |event| if look.peek.with_untracked(Option::is_some) { event.prevent_default() }
                on:blur=move |_| look.hide()
            >
                <svg
                    class="tree-svg"
                    id="tree-svg"
                    data-downwards=move || drawing.with(|drawing| drawing.downwards).to_string()
                    class:downwards=move || drawing.with(|drawing| drawing.downwards)
                    viewBox=view_box
                    width=length(|drawing| drawing.width)
                    height=length(|drawing| drawing.height)
                    role="presentation"
                >
                    {paint}
                </svg>
            </div>
            <div class="tree-zoom" role="group" aria-label="Zoom of the tree">
                <button type="button" id="tree-zoom-in" title="Zoom in (+)" aria-label="Zoom in" on:click=move |_| canvas.zoom_by(ZOOM, None)>
                    "+"
                </button>
                <button type="button" id="tree-zoom-out" title="Zoom out (-)" aria-label="Zoom out" on:click=move |_| canvas.zoom_by(1.0 / ZOOM, None)>
                    "−"
                </button>
                <button type="button" id="tree-zoom-fit" title="Show the whole tree (0)" on:click=move |_| zoom.set(Zoom::Fit)>
                    "Fit"
                </button>
            </div>
        </div>
        {notes}
        <Key drawing />
    }
}
