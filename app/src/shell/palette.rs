//! The palette: a few letters find anything that the page can do, and any program, lesson, model or algorithm.

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::explore::Algorithm;
use litmoscope::graph::RelationName;
use litmoscope::model::Model;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::commands::{self, COMMANDS, Context, Group, PageCommand};
use super::fuzzy;
use super::handle::Shell;
use super::recent::{self, Offer};
use crate::app::App;
use crate::app::lab::LabId;
use crate::browser;
use crate::document::examples::{self, Example};
use crate::labs::gallery::panel as gallery;
use crate::labs::lessons::ready::{self, Lesson};

/// The name under which the commands used last are kept.
const KEPT: &str = "commands";
/// How many of them are kept.
const USED: usize = 6;
/// How many hits are shown.
const SHOWN: usize = 60;
/// What fits less than this part of the best, in per cent, was not meant.
const WEAK: i32 = 30;

/// What an entry does.
#[derive(Clone)]
enum Deed {
    Run(&'static PageCommand),
    Open(Arc<Example>),
    Learn(Arc<Lesson>),
    Resume(Arc<Offer>),
    Use(Model),
    Explore(Algorithm),
    Draw(RelationName),
}

/// Something that can be found.
#[derive(Clone)]
struct Entry {
    title: String,
    /// What kind of thing it is.
    kind: &'static str,
    about: String,
    deed: Deed,
}

impl Entry {
    fn of(command: &'static PageCommand) -> Self {
        let about = command.about.to_owned();
        Self { title: command.title.to_owned(), kind: command.group.title(), about, deed: Deed::Run(command) }
    }

    /// How well it fits what was typed; what is marked lies in the title.
    fn fit(&self, typed: &str) -> Option<fuzzy::Fit> {
        let length = self.title.chars().count();
        let named = |typed: &str| fuzzy::fit(typed, &format!("{} {}", self.title, self.kind));
        let mut fit = named(typed).or_else(|| {
            // A word that is not in its name may be one of those that say what it does.
            let about = self.about.to_lowercase();
            let begins = |word: &str| about.split(|c: char| !c.is_alphanumeric()).any(|other| other.starts_with(word));
            let lower = typed.to_lowercase();
            let (said, names): (Vec<_>, Vec<_>) =
                lower.split_whitespace().partition(|word| word.len() > 2 && named(word).is_none() && begins(word));
            let fit = named(&names.join(" ")).filter(|_| !said.is_empty())?;
            Some(fuzzy::Fit { score: fit.score / 2 + 40, ..fit })
        })?;
        fit.marks.retain(|mark| *mark < length);
        Some(fit)
    }

    /// Whether it is on, if it is something that is on or off.
    fn on(&self, app: App) -> Option<bool> {
        match &self.deed {
            Deed::Run(command) => command.on.map(|on| untrack(|| on(app))),
            Deed::Use(model) => Some(app.document.model.get_untracked() == *model),
            Deed::Explore(algorithm) => Some(app.document.algorithm.get_untracked() == *algorithm),
            Deed::Draw(relation) => Some(!app.looks.hidden.with_untracked(|hidden| hidden.contains(relation))),
            _ => None,
        }
    }

    fn run(self, shell: Shell) {
        let app = shell.app;
        match self.deed {
            Deed::Run(command) => {
                remember(command.id);
                command.run(shell);
            }
            Deed::Open(example) => spawn_local(async move {
                if let Err(error) = gallery::open(app, &example).await {
                    app.complain(&format!("The example can't be opened: {error}."));
                }
            }),
            Deed::Learn(lesson) => app.lab(LabId::Lessons).take(&format!("#tour={}", lesson.name)),
            Deed::Resume(offer) => offer.open(app),
            Deed::Use(model) => app.document.model.set(model),
            Deed::Explore(algorithm) => app.document.use_algorithm(algorithm),
            Deed::Draw(relation) => app.looks.toggle(relation),
        }
    }
}

/// The commands used last, the newest first.
fn used() -> Vec<&'static PageCommand> {
    let kept = browser::load(KEPT).unwrap_or_default();
    kept.split(' ').filter_map(commands::named).take(USED).collect()
}

fn remember(id: &'static str) {
    let others = used().into_iter().map(|command| command.id).filter(|other| *other != id);
    let ids: Vec<_> = std::iter::once(id).chain(others).take(USED).collect();
    browser::store(KEPT, &ids.join(" "));
}

/// A line of the list: an entry with what was meant of its title, and a heading above it if something begins there.
#[derive(Clone)]
struct Line {
    heading: Option<&'static str>,
    entry: Entry,
    marks: Vec<usize>,
}

/// What is likely, if nothing is typed: what was used last, then all groups.
fn likely(entries: &[Entry], used: &[&'static PageCommand]) -> Vec<Line> {
    let is = |entry: &Entry, id: &str| matches!(entry.deed, Deed::Run(command) if command.id == id);
    let find = |command: &&PageCommand| entries.iter().find(|entry| is(entry, command.id)).cloned();
    let mut lines = Vec::new();
    let mut begin = |heading: &'static str, entries: Vec<Entry>| {
        for (at, entry) in entries.into_iter().enumerate() {
            lines.push(Line { heading: (at == 0).then_some(heading), entry, marks: Vec::new() });
        }
    };
    begin("Used last", used.iter().filter_map(find).collect());
    for group in [
        Group::Labs,
        Group::Open,
        Group::Show,
        Group::Steps,
        Group::View,
        Group::Graph,
        Group::Program,
        Group::Settings,
    ] {
        let of = |entry: &&Entry| matches!(entry.deed, Deed::Run(command) if command.group == group);
        begin(group.title(), entries.iter().filter(of).cloned().collect());
    }
    lines
}

/// What was meant by what is typed, the best first.
fn meant(entries: &[Entry], typed: &str) -> Vec<Line> {
    let fits = entries.iter().filter_map(|entry| Some((entry.fit(typed)?, entry)));
    let mut fits: Vec<_> = fits.collect();
    fits.sort_by_key(|(fit, _)| -fit.score);
    let best = fits.first().map_or(0, |(fit, _)| fit.score);
    let strong = fits.into_iter().take_while(|(fit, _)| fit.score * 100 >= best * WEAK).take(SHOWN);
    strong.map(|(fit, entry)| Line { heading: None, entry: entry.clone(), marks: fit.marks }).collect()
}

/// All that can be found now, but what has to be fetched.
fn entries(shell: Shell) -> Vec<Entry> {
    let app = shell.app;
    let here = |command: &&PageCommand| matches!(command.context, Context::Page) && command.available(shell);
    let mut entries: Vec<_> = COMMANDS.iter().filter(here).map(Entry::of).collect();
    entries.extend(Model::ALL.into_iter().map(|model| Entry {
        title: format!("Model {}", model.title()),
        kind: "Model",
        about: model.description().replace('`', ""),
        deed: Deed::Use(model),
    }));
    let model = app.document.model.get_untracked();
    entries.extend(Algorithm::ALL.into_iter().filter(|algorithm| algorithm.knows(model)).map(|algorithm| Entry {
        title: format!("Algorithm {}", algorithm.title()),
        kind: "Algorithm",
        about: algorithm.description().to_owned(),
        deed: Deed::Explore(algorithm),
    }));
    entries.extend(RelationName::ALL.into_iter().map(|relation| Entry {
        title: format!("Relation {}", relation.name()),
        kind: "Graph",
        about: "Shows or hides its edges, where a graph has them.".to_owned(),
        deed: Deed::Draw(relation),
    }));
    entries.extend(recent::offers(shell.keeper).into_iter().map(|offer| Entry {
        title: offer.name.clone(),
        kind: "Recent",
        about: offer.about.clone(),
        deed: Deed::Resume(Arc::new(offer)),
    }));
    entries
}

fn of_gallery(example: Example) -> Entry {
    Entry {
        title: format!("{}: {}", example.name, example.title),
        kind: "Gallery",
        about: example.teaches.clone(),
        deed: Deed::Open(Arc::new(example)),
    }
}

fn of_lesson(lesson: Lesson) -> Entry {
    let about = lesson.about.clone();
    Entry { title: lesson.title.clone(), kind: "Lesson", about, deed: Deed::Learn(Arc::new(lesson)) }
}

/// A title, with what was meant of it brought out.
fn marked(title: &str, marks: &[usize]) -> AnyView {
    let mut parts: Vec<(bool, String)> = Vec::new();
    for (at, letter) in title.chars().enumerate() {
        let meant = marks.binary_search(&at).is_ok();
        match parts.last_mut() {
            Some((before, part)) if *before == meant => part.push(letter),
            _ => parts.push((meant, letter.to_string())),
        }
    }
    let part =
        |(meant, part): (bool, String)| if meant { view! { <mark>{part}</mark> }.into_any() } else { part.into_any() };
    parts.into_iter().map(part).collect_view().into_any()
}

/// The palette.
#[component]
pub fn Palette() -> impl IntoView {
    let shell = Shell::get();
    let app = shell.app;
    let dialog = NodeRef::<html::Dialog>::new();
    let input = NodeRef::<html::Input>::new();
    let typed = RwSignal::new(String::new());
    let all = RwSignal::new(Vec::<Entry>::new());
    let fetched = RwSignal::new(Vec::<Entry>::new());
    let chosen = RwSignal::new(0_usize);
    let last = RwSignal::new(Vec::<&'static PageCommand>::new());
    let fetch = move || {
        spawn_local(async move {
            let examples = examples::examples().await.unwrap_or_default();
            let lessons = ready::lessons().await.unwrap_or_default();
            fetched.set(examples.into_iter().map(of_gallery).chain(lessons.into_iter().map(of_lesson)).collect());
        });
    };
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if !shell.palette.get() {
            dialog.close();
        } else if !dialog.open() {
            typed.set(String::new());
            chosen.set(0);
            last.set(used());
            all.set(entries(shell));
            if fetched.with_untracked(Vec::is_empty) {
                fetch();
            }
            let _ = dialog.show_modal();
            if let Some(input) = input.get_untracked() {
                input.set_value("");
                let _ = input.focus();
            }
        }
    });
    let lines = Memo::new_with_compare(
        move |_| {
            let typed = typed.get();
            if !shell.palette.get() {
                return Arc::new(Vec::new());
            }
            Arc::new(all.with(|all| {
                if typed.trim().is_empty() {
                    likely(all, &last.get())
                } else {
                    fetched.with(|fetched| meant(&[&all[..], fetched].concat(), &typed))
                }
            }))
        },
        |_, _| true,
    );
    let count = move || lines.with(|lines| lines.len());
    // The focus is back where it was before anything happens there.
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
        shell.palette.set(false);
    };
    let run = move |at: usize| {
        let entry = lines.with_untracked(|lines| lines.get(at).map(|line| line.entry.clone()));
        if let Some(entry) = entry {
            close();
            entry.run(shell);
        }
    };
    let choose = move |at: usize| {
        chosen.set(at);
        request_animation_frame(move || {
            let row = document().get_element_by_id(&format!("palette-{at}"));
            if let Some(row) = row {
                let options = web_sys::ScrollIntoViewOptions::new();
                options.set_block(web_sys::ScrollLogicalPosition::Nearest);
                row.scroll_into_view_with_scroll_into_view_options(&options);
            }
        });
    };
    let keys = move |event: KeyboardEvent| {
        // Nothing of it is for the page behind.
        event.stop_propagation();
        if event.is_composing() {
            return;
        }
        let (at, count) = (chosen.get_untracked(), untrack(count));
        let by_control = event.ctrl_key() || event.meta_key();
        match event.key().as_str() {
            "k" | "K" if by_control => close(),
            "ArrowDown" if count > 0 => choose((at + 1) % count),
            "ArrowUp" if count > 0 => choose((at + count - 1) % count),
            "PageDown" if count > 0 => choose((at + 8).min(count - 1)),
            "PageUp" => choose(at.saturating_sub(8)),
            "Enter" => run(at),
            _ => return,
        }
        event.prevent_default();
    };
    let row = move |(at, line): (usize, Line)| {
        let Line { heading, entry, marks } = line;
        let keys = match &entry.deed {
            Deed::Run(command) => command.keys.first().map(ToString::to_string),
            _ => None,
        };
        let is_chosen = move || chosen.get() == at;
        view! {
            {heading.map(|heading| view! { <div class="palette-heading" aria-hidden="true">{heading}</div> })}
            <div
                class="palette-row"
                role="option"
                id=format!("palette-{at}")
                aria-selected=move || is_chosen().to_string()
                on:pointermove=move |_| if !untrack(is_chosen) { chosen.set(at) }
                on:click=move |_| run(at)
            >
                <span class="palette-title">{marked(&entry.title, &marks)}</span>
                <span class="palette-about">{entry.about.clone()}</span>
                {(entry.on(app) == Some(true)).then(|| view! { <span class="palette-on">"on"</span> })}
                <span class="palette-kind">{entry.kind}</span>
                {keys.map(|keys| view! { <kbd aria-hidden="true">{keys}</kbd> })}
            </div>
        }
    };
    view! {
        <dialog
            id="palette"
            class="palette"
            aria-label="Find a command"
            node_ref=dialog
            on:close=move |_| shell.palette.set(false)
            on:keydown=keys
            on:click=move |event| {
                // Beside it.
                let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
                if target.is_some_and(|target| target.id() == "palette") {
                    close();
                }
            }
        >
            <div class="palette-body">
                <div class="palette-head">
                    <input
                        id="palette-input"
                        type="text"
                        role="combobox"
                        aria-label="Find a command, a program, a lesson, a model"
                        aria-expanded="true"
                        aria-controls="palette-list"
                        aria-autocomplete="list"
                        aria-activedescendant=move || (count() > 0).then(|| format!("palette-{}", chosen.get()))
                        autocomplete="off"
                        autocapitalize="off"
                        spellcheck="false"
                        enterkeyhint="go"
                        placeholder="Command, program, lesson, model, algorithm …"
                        node_ref=input
                        on:input:target=move |event| {
                            typed.set(event.target().value());
                            choose(0);
                        }
                    />
                    <button type="button" class="close" aria-label="Close" on:click=move |_| close()>"×"</button>
                </div>
                <div
                    id="palette-list"
                    class="palette-list"
                    role="listbox"
                    aria-label="What was found"
                    // The focus stays in the field.
                    on:mousedown=move |event| event.prevent_default()
                >
                    {move || lines.get().iter().cloned().enumerate().map(row).collect_view()}
                </div>
                <Show when=move || count() == 0>
                    <p class="empty palette-none">"Nothing that the page can do is called so."</p>
                </Show>
                <p class="sr-only" role="status">
                    {move || if typed.with(String::is_empty) { String::new() } else { format!("{} found", count()) }}
                </p>
                <p class="palette-foot" aria-hidden="true">
                    <span><kbd>"↑"</kbd><kbd>"↓"</kbd>" choose"</span>
                    <span><kbd>"Enter"</kbd>" does it"</span>
                    <span><kbd>"Esc"</kbd>" closes"</span>
                </p>
            </div>
        </dialog>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands() -> Vec<Entry> {
        let mut entries: Vec<_> = COMMANDS.iter().map(Entry::of).collect();
        entries.extend(Model::ALL.map(|model| Entry {
            title: format!("Model {}", model.title()),
            kind: "Model",
            about: model.description().to_owned(),
            deed: Deed::Use(model),
        }));
        entries
    }

    #[test]
    fn what_is_typed_finds_what_is_meant() {
        for (typed, meant_title) in [
            ("model rc11", "Model RC11"),
            ("comp", "Compare models"),
            ("lect", "Lecture mode"),
            ("next ex", "Next execution"),
            ("gallery", "Gallery"),
            ("theme contrast", "Theme: high contrast"),
            // Words that only the sentence has.
            ("tikz", "Copy as"),
            ("presenters", "On"),
        ] {
            let found = meant(&commands(), typed);
            assert_eq!(found.first().map(|line| line.entry.title.as_str()), Some(meant_title), "{typed}");
            let title = &found[0].entry.title;
            assert!(found[0].marks.iter().all(|mark| *mark < title.chars().count()));
        }
        assert!(meant(&commands(), "qqqzzzq").is_empty());
    }

    #[test]
    fn what_was_used_last_stands_first() {
        let used: Vec<_> = ["share", "models"].into_iter().filter_map(commands::named).collect();
        let entries = commands();
        let lines = likely(&entries, &used);
        let first: Vec<_> = lines.iter().take(3).map(|line| (line.heading, line.entry.title.as_str())).collect();
        assert_eq!(first, [(Some("Used last"), "Share"), (None, "Compare models"), (Some("Labs"), "Stepping")]);
        assert_eq!(lines.len(), COMMANDS.len() + 2);
        assert_eq!(likely(&entries, &[])[0].heading, Some("Labs"));
    }
}
