//! Taking a moment elsewhere: the link with its QR code, and a part of the page in another one (`?embed`).

use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::session::{Settings, link};
use litmoscope::words::grouped;

use crate::app::App;
use crate::browser;
use crate::document::headline;
use crate::ui::dialog::Dialog;
use crate::ui::qr;

/// What of the page stands in another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The graph alone.
    Graph,
    /// The graph with the buttons.
    Buttons,
    /// The graph with the step in words and the buttons.
    Stepper,
}

impl Part {
    /// The part that the address asks for.
    pub fn asked() -> Option<Self> {
        let asked = browser::embedding()?;
        Some([Self::Graph, Self::Buttons].into_iter().find(|part| part.name() == asked).unwrap_or(Self::Stepper))
    }

    /// Its name in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Buttons => "buttons",
            Self::Stepper => "stepper",
        }
    }
}

/// The way from a part to the whole page.
#[component]
pub fn Whole() -> impl IntoView {
    let app = App::get();
    let address = Memo::new(move |_| {
        app.session.view.track();
        app.session.current.track();
        let settings = Settings { position: app.place(), ..app.settings() };
        format!("{}{}", browser::address(), link::encode(&settings))
    });
    view! {
        <p class="whole">
            <a id="whole" href=address target="_blank" rel="noopener">"Open in Litmoscope"</a>
        </p>
    }
}

/// A text between the quotes of an attribute.
fn quoted(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

/// What to paste into a page. Without a sandbox's leave to be of its own origin, the part can't start its engine; it never
/// touches what is stored there.
fn snippet(page: &str, part: Part, fragment: &str, title: &str) -> String {
    let address = format!("{page}?embed={}{fragment}", part.name());
    let height = if part == Part::Stepper { 560 } else { 420 };
    format!(
        "<iframe src=\"{}\" title=\"{}\" width=\"100%\" height=\"{height}\" loading=\"lazy\" frameborder=\"0\" \
         sandbox=\"allow-scripts allow-same-origin allow-popups\"></iframe>",
        quoted(&address),
        quoted(title)
    )
}

/// The dialog: link, QR code, snippet.
#[component]
pub fn Sharing() -> impl IntoView {
    let app = App::get();
    // The link without what the reader likes.
    let fragment = RwSignal::new(String::new());
    let liked = RwSignal::new(false);
    let part = RwSignal::new(Part::Stepper);
    let large = RwSignal::new(false);
    let said = RwSignal::new("");
    Effect::new(move |_| {
        if app.dialogs.sharing.get() {
            fragment.set(app.link().fragment);
            said.set("");
        } else {
            large.set(false);
        }
    });
    let extras = move || if liked.get() { app.looks.preferences.get().extras() } else { String::new() };
    let address = Memo::new(move |_| format!("{}{}{}", browser::address(), fragment.get(), extras()));
    let as_drawn = RwSignal::new(false);
    let drawn = move || if as_drawn.get() { app.looks.drawn() } else { String::new() };
    let embedded = Memo::new(move |_| {
        let title = format!("Litmoscope: {}", app.document.text.with(|text| headline(text)));
        snippet(&browser::address(), part.get(), &format!("{}{}{}", fragment.get(), extras(), drawn()), &title)
    });
    let copy = move |text: String| {
        spawn_local(async move {
            let done = browser::copy(&text).await;
            said.set(if done { "Copied." } else { "It can't be copied here: select it and copy it by hand." });
        });
    };
    let code = Memo::new(move |_| qr::code(&address.get()));
    let picture = move || match code.get() {
        Some(qr::Code { size, path }) => {
            // Black on white in every theme: that is what readers look for.
            view! {
                <svg id="qr" class="qr" viewBox=format!("0 0 {size} {size}") role="img" aria-label="QR code of the link" shape-rendering="crispEdges">
                    <rect width=size height=size fill="#ffffff"></rect>
                    <path d=path fill="#000000"></path>
                </svg>
            }
            .into_any()
        }
        None => {
            let text = format!(
                "The link has {} characters: too many for a QR code that a camera could read. Copy it instead.",
                grouped(address.with(String::len) as u64)
            );
            view! { <p id="qr-none" class="trouble">{text}</p> }.into_any()
        }
    };
    let tools = view! {
        <button
            type="button"
            id="qr-large"
            aria-pressed=move || large.get().to_string()
            aria-disabled=move || code.with(Option::is_none).to_string()
            on:click=move |_| large.set(!large.get_untracked() && code.with_untracked(Option::is_some))
        >
            "Large QR code"
        </button>
    }
    .into_any();
    view! {
        <Dialog id="sharing" class=Signal::derive(move || if large.get() { "sharing large" } else { "sharing" }) title="Share this step" open=app.dialogs.sharing tools>
            <div class="sharing-columns">
                <div class="sharing-texts">
                    <label class="switch">
                        <input id="with-settings" type="checkbox" prop:checked=liked on:change:target=move |event| liked.set(event.target().checked()) />
                        <span>"with my settings (theme, colours, size, animation)"</span>
                    </label>
                    <label for="sharing-link">"Link"</label>
                    <div class="sharing-line">
                        <input id="sharing-link" type="text" readonly prop:value=address on:focus:target=move |event| event.target().select() />
                        <button type="button" id="copy-link" on:click=move |_| copy(address.get_untracked())>"Copy"</button>
                    </div>
                    <fieldset class="choices">
                        <legend>"In a page of yours"</legend>
                        {[(Part::Stepper, "graph, words and buttons"), (Part::Buttons, "graph and buttons"), (Part::Graph, "graph only")]
                            .map(|(choice, words)| view! {
                                <label class="choice">
                                    <input
                                        type="radio"
                                        name="embedded-part"
                                        value=choice.name()
                                        prop:checked=move || part.get() == choice
                                        on:change=move |_| part.set(choice)
                                    />
                                    <span>{words}</span>
                                </label>
                            })
                            .collect_view()}
                        <label class="switch">
                            <input id="as-drawn" type="checkbox" prop:checked=as_drawn on:change:target=move |event| as_drawn.set(event.target().checked()) />
                            <span>"with the view and the relations that are drawn now"</span>
                        </label>
                    </fieldset>
                    <textarea id="snippet" readonly aria-label="Text to paste into a page" spellcheck="false" prop:value=embedded></textarea>
                    <div class="sharing-line">
                        <button type="button" id="copy-snippet" on:click=move |_| copy(embedded.get_untracked())>"Copy"</button>
                        <p id="sharing-said" role="status">{said}</p>
                    </div>
                </div>
                <div class="sharing-code">{picture}</div>
            </div>
        </Dialog>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_is_one_element_whatever_the_program_is_called() {
        let text = snippet("https://a.org/l/", Part::Graph, "#1.x&theme=dark", "\"></iframe><script>'&");
        assert!(text.contains("src=\"https://a.org/l/?embed=graph#1.x&amp;theme=dark\""), "{text}");
        assert!(text.contains("title=\"&quot;&gt;&lt;/iframe&gt;&lt;script&gt;'&amp;\""), "{text}");
        assert_eq!((text.matches('<').count(), text.matches('>').count()), (2, 2), "{text}");
    }
}
