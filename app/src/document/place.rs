//! The text area, for those who lead to a place in it.

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use litmoscope::program::Span;
use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;

/// The place of a byte in the text area, which counts in UTF-16.
fn utf16(text: &str, at: u32) -> u32 {
    let at = text.floor_char_boundary((at as usize).min(text.len()));
    text[..at].encode_utf16().count() as u32
}

/// How high a line is, in pixels.
pub fn line_height(area: &HtmlTextAreaElement) -> f64 {
    web_sys::window()
        .and_then(|window| window.get_computed_style(area).ok()?)
        .and_then(|style| style.get_property_value("line-height").ok()?.trim_end_matches("px").parse().ok())
        .unwrap_or(21.0)
}

/// The width of a character of the program, in lines: somewhat more than it is in most fonts.
const CHARACTER: f64 = 0.41;

/// Marks a place of its text, and brings it in sight.
pub fn mark(area: &HtmlTextAreaElement, text: &str, span: Span) {
    let (start, end) = (utf16(text, span.start), utf16(text, span.end.max(span.start)));
    let _ = area.focus();
    let _ = area.set_selection_range(start, end);
    area.set_scroll_top((f64::from(span.line.saturating_sub(3)) * line_height(area)) as i32);
    // Only as far as is needed: the start of a line says most.
    let end = f64::from(span.column + (end - start).min(20) + 2) * line_height(area) * CHARACTER;
    area.set_scroll_left((end - f64::from(area.client_width())).max(0.0) as i32);
}

/// Goes to a place of the text, from another panel.
pub fn go_to(text: String, span: Span) {
    later(move |area| mark(&area, &text, span));
}

/// Gives the text area the focus: at once where it is in sight, since the next key is for it; and again when menus and dialogs
/// that are about to close have given the focus back.
pub fn enter() {
    if let Some(area) = area().filter(|area| area.offset_parent().is_some()) {
        let _ = area.focus();
    }
    later(|area| drop(area.focus()));
}

/// Takes the focus from the text area, when a dialog has given it back: who chose another text in it reads on, and the next
/// key is for the steps.
pub fn leave() {
    later(|area| drop(area.blur()));
}

fn area() -> Option<HtmlTextAreaElement> {
    document().get_element_by_id("editor")?.dyn_into().ok()
}

/// Does something with the text area. Where there is room for one panel only, and behind a dialog, it can be reached when
/// what was shown has changed.
pub fn later(what: impl FnOnce(HtmlTextAreaElement) + 'static) {
    Timeout::new(0, move || {
        if let Some(area) = area() {
            what(area);
        }
    })
    .forget();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_as_the_text_area_does() {
        assert_eq!(utf16("a😀b", 5), 3);
        assert_eq!(utf16("ab", 9), 2);
    }
}
