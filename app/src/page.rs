//! The page's root component.

use leptos::prelude::*;

use crate::worker::{self, Request, Response};

/// Everything that is on the page.
#[component]
pub fn Page() -> impl IntoView {
    let (answer, set_answer) = signal(String::new());
    let bridge = StoredValue::new_local(worker::spawn(move |response| match response {
        Response::Greeting(text) => set_answer.set(text),
    }));
    bridge.with_value(|bridge| bridge.send(Request::Greet("hello".to_owned())));

    view! {
        <h1>"Litmoscope"</h1>
        <p id="worker" aria-live="polite">{answer}</p>
    }
}
