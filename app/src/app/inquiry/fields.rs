//! Fields of such labs: a line that a text is made of, and a choice of several names.

use leptos::prelude::*;

use crate::app::App;
use crate::ui::prose::prose;

/// A line that a text is made of, which takes the place of the page's.
#[component]
pub fn Make(
    /// The names of the line, of its button, and of what says why no text can be made of it.
    ids: [&'static str; 3],
    /// What is to be written.
    label: &'static str,
    /// What is written first.
    first: &'static str,
    /// What the button does.
    title: &'static str,
    /// Makes it, or says why it can't.
    make: fn(&str) -> Result<String, String>,
) -> impl IntoView {
    let app = App::get();
    let line = RwSignal::new(first.to_owned());
    let trouble = RwSignal::new(None::<String>);
    let go = move || match line.with_untracked(|line| make(line)) {
        Ok(text) => {
            trouble.set(None);
            app.take_text(text);
        }
        Err(error) => trouble.set(Some(error)),
    };
    let [id, button, says] = ids;
    view! {
        <label for=id>{label}</label>
        <div class="inquiry-make">
            <input
                type="text"
                id=id
                autocomplete="off"
                spellcheck="false"
                aria-invalid=move || trouble.with(Option::is_some).to_string()
                prop:value=line
                on:input:target=move |event| line.set(event.target().value())
                on:keydown=move |event| {
                    if event.key() == "Enter" {
                        go();
                    }
                }
            />
            <button type="button" id=button class="primary" on:click=move |_| go()>{title}</button>
        </div>
        <p class="inquiry-trouble" id=says role="alert">{move || trouble.get().map(|trouble| prose(&trouble))}</p>
    }
}

/// One of several names, chosen by its place. Without one that is chosen, something else stands there.
pub fn choice(
    id: &'static str,
    names: impl IntoIterator<Item = String>,
    now: Option<usize>,
    otherwise: &'static str,
    choose: impl Fn(usize) + 'static,
) -> impl IntoView {
    let none = now.is_none().then(|| view! { <option value="" selected=true>{otherwise}</option> });
    let option = |(at, name): (usize, String)| {
        view! { <option value=at.to_string() selected=now == Some(at)>{name}</option> }
    };
    view! {
        <select
            id=id
            on:change:target=move |event| {
                if let Ok(at) = event.target().value().parse() {
                    choose(at);
                }
            }
        >
            {none}
            {names.into_iter().enumerate().map(option).collect_view()}
        </select>
    }
}
