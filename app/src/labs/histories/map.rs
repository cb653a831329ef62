//! The whole history in small, below the timeline: how much goes on, where something contradicts itself, what is in sight.
//!
//! For the mouse and fingers alone: keys and buttons move the timeline as well, so it is hidden from screen readers.

use std::fmt::Write;
use std::sync::Arc;

use leptos::ev::PointerEvent;
use leptos::prelude::*;
use leptos::svg;
use litmoscope::histories::report::Timeline;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::inquiry::Inquiry;
use super::window;

/// The size of the map's own coordinates.
const SIZE: (f64, f64) = (1000.0, 24.0);

/// How much goes on, as a path from left to right.
fn outline(load: &[u8]) -> String {
    let mut path = format!("M0 {}", SIZE.1);
    let step = SIZE.0 / load.len().max(1) as f64;
    for (at, load) in load.iter().enumerate() {
        let height = SIZE.1 * (1.0 - f64::from(*load) / 255.0 * 0.9);
        let _ = write!(path, "L{:.1} {height:.1}H{:.1}", at as f64 * step, (at + 1) as f64 * step);
    }
    let _ = write!(path, "V{}Z", SIZE.1);
    path
}

/// The place of a moment on the map.
fn place(at: f64, moments: u32) -> f64 {
    let (from, to) = window::whole(moments);
    ((at - from) / (to - from) * SIZE.0).clamp(0.0, SIZE.0)
}

/// The map, where not all is in sight.
#[component]
pub fn Map(timeline: Memo<Option<Arc<Timeline>>>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let map = NodeRef::<svg::Svg>::new();
    let held = StoredValue::new(false);
    let moments = Memo::new(move |_| timeline.with(|timeline| timeline.as_ref().map_or(1, |all| all.moments)));
    let is_part = Memo::new(move |_| {
        let ((from, to), (start, end)) = (inquiry.window(), window::whole(moments.get()));
        from > start + 0.01 || to < end - 0.01
    });
    let look = move |event: &PointerEvent| {
        let Some(map) = map.get_untracked() else { return };
        let area = map.unchecked_ref::<Element>().get_bounding_client_rect();
        let share = ((f64::from(event.client_x()) - area.left()) / area.width().max(1.0)).clamp(0.0, 1.0);
        let (start, end) = window::whole(moments.get_untracked());
        let middle = start + share * (end - start);
        inquiry.move_to(|(from, to), moments| window::moved((from, to), middle - f64::midpoint(from, to), moments));
    };
    let down = move |event: PointerEvent| {
        if event.button() == 0 {
            if let Some(map) = map.get_untracked() {
                let _ = map.unchecked_ref::<Element>().set_pointer_capture(event.pointer_id());
            }
            held.set_value(true);
            look(&event);
        }
    };
    let load = Memo::new(move |_| {
        timeline.with(|timeline| timeline.as_ref().map(|all| outline(&all.map.load)).unwrap_or_default())
    });
    let wrong = move || {
        let moments = moments.get();
        let all = timeline.with(|timeline| timeline.as_ref().map(|all| all.map.wrong.clone()).unwrap_or_default());
        let one = |(from, to): (f64, f64)| {
            let (from, to) = (place(from, moments), place(to, moments));
            view! { <rect class="history-map-wrong" x=from y="0" width=(to - from).max(4.0) height=SIZE.1></rect> }
        };
        all.into_iter().map(one).collect_view()
    };
    let frame = Memo::new(move |_| {
        let ((from, to), moments) = (inquiry.window(), moments.get());
        let (from, to) = (place(from, moments), place(to, moments));
        (from, (to - from).max(6.0))
    });
    view! {
        <svg
            class="history-map"
            id="history-map"
            class:idle=move || !is_part.get()
            aria-hidden="true"
            node_ref=map
            viewBox=format!("0 0 {} {}", SIZE.0, SIZE.1)
            preserveAspectRatio="none"
            on:pointerdown=down
            on:pointermove=move |event: PointerEvent| if held.get_value() { look(&event) }
            on:pointerup=move |_| held.set_value(false)
            on:pointercancel=move |_| held.set_value(false)
        >
            <path class="history-map-load" d=load></path>
            {wrong}
            <rect class="history-map-window" x=move || frame.get().0 y="0" width=move || frame.get().1 height=SIZE.1></rect>
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_has_all_moments() {
        assert_eq!((place(-1.0, 9), place(9.0, 9), place(4.0, 9)), (0.0, SIZE.0, SIZE.0 / 2.0));
        assert_eq!(place(100.0, 9), SIZE.0);
        assert!(outline(&[0, 255]).starts_with("M0 24L0.0 24.0H500.0L500.0 2.4H1000.0V24Z"));
    }
}
