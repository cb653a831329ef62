//! Sentences of the engine, in which code stands between backticks.

use leptos::prelude::*;

/// The text alone, where nothing can be set apart, as in titles.
pub fn plain(text: &str) -> String {
    text.replace('`', "")
}

/// A text with its code as such.
pub fn prose(text: &str) -> impl IntoView + use<> {
    let parts: Vec<String> = text.split('`').map(str::to_owned).collect();
    // A lone backtick is one.
    if parts.len().is_multiple_of(2) {
        return view! { <span>{text.to_owned()}</span> }.into_any();
    }
    let part = |(at, part): (usize, String)| {
        if at % 2 == 1 { view! { <code>{part}</code> }.into_any() } else { part.into_any() }
    };
    parts.into_iter().enumerate().map(part).collect_view().into_any()
}
