//! The series that come with the page, and how to open one.

use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::document::{Kind, SERIES};
use litmoscope::session::Settings;
use litmoscope::syntax::Series;

use crate::app::App;
use crate::browser;
use crate::document::Whose;

/// Their names, which their files in `public/benchmarks` have, too.
const NAMES: [&str; 24] = [
    "asleep",
    "branching",
    "fig-3-1",
    "fig-3-2a",
    "fig-3-2b",
    "fig-3-5",
    "fig-3-6",
    "fig-4-1",
    "fig-4-4a",
    "fig-4-4b",
    "fig-4-6",
    "float-read",
    "hiding",
    "indexer",
    "last-zero",
    "monabsex",
    "readers-writers",
    "redundant-co",
    "reorder",
    "ring",
    "ring-extended",
    "shared-pointer",
    "singleton",
    "store-buffering",
];

/// The series that the text is, if it is one.
pub fn series_of(app: App) -> Option<Series> {
    app.document.text.with(|text| Kind::of(text).is(&SERIES).then(|| Series::parse(text).ok()).flatten())
}

/// Opens a series in place of the text that is there, which can be restored.
///
/// # Errors
/// Why it can't be had, in words.
async fn open(app: App, name: &str) -> Result<(), String> {
    let text = browser::fetch(&format!("public/benchmarks/{name}.series")).await?;
    let settings = untrack(|| app.settings());
    app.load(&Settings { text, position: 0, ..settings }, Whose::Sample);
    Ok(())
}

/// The list of them. It names the one that is there.
#[component]
pub fn Shelf(
    /// Why one can't be had.
    trouble: RwSignal<Option<String>>,
) -> impl IntoView {
    let app = App::get();
    let shown = Memo::new(move |_| {
        let name = series_of(app).map(|series| series.name);
        NAMES.into_iter().find(|known| name.as_deref() == Some(*known)).unwrap_or("")
    });
    let option = |name: &'static str| {
        let title = if name.is_empty() { "open one …" } else { name };
        view! { <option value=name selected=move || shown.get() == name>{title}</option> }
    };
    let choose = move |event: leptos::ev::Targeted<leptos::ev::Event, web_sys::HtmlSelectElement>| {
        let select = event.target();
        let name = select.value();
        if name.is_empty() {
            select.set_value(shown.get_untracked());
            return;
        }
        spawn_local(async move {
            let opened = open(app, &name).await;
            if opened.is_err() {
                select.set_value(shown.get_untracked());
            }
            trouble.set(opened.err().map(|error| format!("{error}.")));
        });
    };
    view! {
        <span class="race-setting">
            <label for="race-series">"Series"</label>
            <select
                id="race-series"
                title="Programs of several sizes that come with the page. You can restore your text afterwards."
                prop:value=move || shown.get()
                on:change:target=choose
            >
                {std::iter::once("").chain(NAMES).map(option).collect_view()}
            </select>
        </span>
    }
}

#[cfg(test)]
mod tests {
    use litmoscope::syntax::Series;

    use super::*;

    #[test]
    fn the_list_names_all_that_are_there() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../public/benchmarks");
        let files = std::fs::read_dir(folder).expect("the site has them");
        let mut there: Vec<String> = files
            .map(|file| file.expect("a file").file_name().into_string().expect("a name"))
            .filter_map(|name| Some(name.strip_suffix(".series")?.to_owned()))
            .collect();
        there.sort_unstable();
        assert_eq!(there, NAMES);
        for name in NAMES {
            let text = std::fs::read_to_string(format!("{folder}/{name}.series")).expect("a text");
            assert_eq!(Series::parse(&text).expect("a series").name, name);
        }
    }
}
