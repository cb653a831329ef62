//! What fingers, mouse, wheel and keys do to a drawing.

use std::collections::HashMap;

use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::camera::Stage;

/// How far Shift and an arrow key move the drawing, in pixels.
const PAN: f64 = 60.0;
/// How far a pointer may move between down and up to be a click, in pixels.
const CLICK: f64 = 4.0;

/// A place in the window, in pixels.
type Point = (f64, f64);

fn point(event: &PointerEvent) -> Point {
    (f64::from(event.client_x()), f64::from(event.client_y()))
}

/// Fingers and mouse buttons on a drawing.
#[derive(Clone, Copy)]
pub struct Gestures {
    stage: Stage,
    panel: NodeRef<html::Div>,
    svg: NodeRef<leptos::svg::Svg>,
    /// The drawing is held.
    pub grabbed: RwSignal<bool>,
    /// Where each pointer is that is down.
    pointers: StoredValue<HashMap<i32, Point>>,
    /// Where the pointer went down that has hardly moved since: a click, if it goes up there.
    still: StoredValue<Option<Point>>,
}

impl Gestures {
    /// Nothing touches the drawing yet.
    pub fn new(stage: Stage, panel: NodeRef<html::Div>, svg: NodeRef<leptos::svg::Svg>) -> Self {
        let (pointers, still) = (StoredValue::new(HashMap::new()), StoredValue::new(None));
        Self { stage, panel, svg, grabbed: RwSignal::new(false), pointers, still }
    }

    fn put(self, event: &PointerEvent) {
        self.pointers.update_value(|pointers| {
            pointers.insert(event.pointer_id(), point(event));
        });
    }

    /// A pointer goes down.
    pub fn down(self, event: &PointerEvent) {
        // A third finger would have nothing to say that two have not.
        if event.button() != 0 || self.pointers.with_value(HashMap::len) >= 2 {
            return;
        }
        let alone = self.pointers.with_value(HashMap::is_empty);
        self.still.set_value(alone.then(|| point(event)));
        if let Some(svg) = self.svg.get_untracked() {
            let _ = svg.unchecked_ref::<Element>().set_pointer_capture(event.pointer_id());
        }
        self.put(event);
        self.grabbed.set(true);
    }

    /// A pointer moves: the drawing follows one, and two pull it apart or together.
    pub fn moved(self, event: &PointerEvent) {
        let at = point(event);
        let all = self.pointers.get_value();
        let Some(&before) = all.get(&event.pointer_id()) else { return };
        if self.still.get_value().is_some_and(|from| (at.0 - from.0).hypot(at.1 - from.1) > CLICK) {
            self.still.set_value(None);
        }
        match all.iter().find(|(id, _)| **id != event.pointer_id()) {
            None => self.stage.pan(at.0 - before.0, at.1 - before.1),
            Some((_, &other)) => self.pinch(before, at, other),
        }
        self.put(event);
    }

    /// One of two fingers moves: the point between them stays between them.
    fn pinch(self, before: Point, at: Point, other: Point) {
        let distance = |p: Point| (p.0 - other.0).hypot(p.1 - other.1).max(1.0);
        let middle = ((at.0 + other.0) / 2.0, (at.1 + other.1) / 2.0);
        self.stage.pan((at.0 - before.0) / 2.0, (at.1 - before.1) / 2.0);
        self.zoom_at(distance(at) / distance(before), middle);
    }

    /// Zooms around a place in the window.
    fn zoom_at(self, factor: f64, (x, y): Point) {
        if let Some(panel) = self.panel.get_untracked() {
            let corner = panel.get_bounding_client_rect();
            self.stage.zoom_at(factor, x - corner.left(), y - corner.top());
        }
    }

    /// A pointer goes up, or is taken away; whether that was a click.
    pub fn up(self, event: &PointerEvent) -> bool {
        self.pointers.update_value(|pointers| {
            pointers.remove(&event.pointer_id());
        });
        self.grabbed.set(self.pointers.with_value(|pointers| !pointers.is_empty()));
        let clicked = event.type_() == "pointerup" && self.still.get_value().is_some();
        if clicked {
            self.still.set_value(None);
        }
        clicked
    }

    /// The wheel turns: that moves the drawing, or zooms with Ctrl. Whoever scrolls through a page goes past what is embedded
    /// there.
    pub fn wheel(self, event: &WheelEvent, embedded: bool) {
        let zooms = event.ctrl_key() || event.meta_key();
        if embedded && !zooms {
            return;
        }
        event.prevent_default();
        let lines = if event.delta_mode() == 0 { 1.0 } else { 24.0 };
        let (dx, dy) = (event.delta_x() * lines, event.delta_y() * lines);
        if zooms {
            self.zoom_at((-dy * 0.0035).exp(), (f64::from(event.client_x()), f64::from(event.client_y())));
        } else {
            self.stage.pan(-dx, -dy);
        }
    }
}

/// A key is pressed on the drawing.
pub fn key(stage: Stage, event: &KeyboardEvent) {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return;
    }
    match event.key().as_str() {
        // Without Shift they make steps, whatever was clicked on last.
        "ArrowLeft" if event.shift_key() => stage.pan(PAN, 0.0),
        "ArrowRight" if event.shift_key() => stage.pan(-PAN, 0.0),
        "ArrowUp" if event.shift_key() => stage.pan(0.0, PAN),
        "ArrowDown" if event.shift_key() => stage.pan(0.0, -PAN),
        "+" | "=" => stage.zoom_in(),
        "-" => stage.zoom_out(),
        "0" => stage.whole(),
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}
