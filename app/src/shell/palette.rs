//! The palette: a few letters find anything that the page can do, and any program, lesson, model or algorithm.
//!
//! The names of the commands used last are kept.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::rc::Rc;

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::explore::Algorithm;
use litmoscope::graph::RelationName;
use litmoscope::model::Model;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

use super::commands::{self, Context, PageCommand};
use super::fuzzy;
use super::handle::Shell;
use super::recent::{self, Offer};
use crate::app::App;
use crate::app::command::Group;
use crate::app::lab::LabId;
use crate::browser;
use crate::document::examples::{self, Example};
use crate::labs;
use crate::labs::gallery::panel as gallery;
use crate::labs::lessons::ready::{self, Lesson};
use crate::ui::element::{add, set};
use crate::ui::prose::plain;

/// The name under which the commands used last are kept.
const KEPT: &str = "commands";
/// How many of them are kept.
const USED: usize = 6;
/// How many hits are shown.
const SHOWN: usize = 60;
/// What fits less than this part of the best, in per cent, was not meant.
const WEAK: i64 = 30;

/// What an entry does.
#[derive(Clone)]
enum Deed {
    Run(&'static PageCommand),
    Open(Rc<Example>),
    Learn(Rc<Lesson>),
    Resume(Rc<Offer>),
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
            let other = if let Deed::Run(command) = self.deed { command.other_words() } else { "" };
            let about = format!("{} {other}", self.about).to_lowercase();
            let begins = |word: &str| about.split(|c: char| !c.is_alphanumeric()).any(|other| other.starts_with(word));
            let lower = typed.to_lowercase();
            let (said, names): (Vec<_>, Vec<_>) =
                lower.split_whitespace().partition(|word| word.len() > 2 && named(word).is_none() && begins(word));
            let fit = named(&names.join(" ")).filter(|_| !said.is_empty())?;
            // Those that people have for it come first.
            let is_other = |word: &&str| other.split(' ').any(|other| other == *word);
            let bonus = if said.iter().all(is_other) { 60 } else { 40 };
            Some(fuzzy::Fit { score: fit.score / 2 + bonus, ..fit })
        })?;
        fit.marks.retain(|mark| *mark < length);
        Some(fit)
    }

    /// Whether it is on, if it is something that is on or off.
    fn on(&self, app: App) -> Option<bool> {
        match &self.deed {
            Deed::Run(command) => untrack(|| command.on(app)),
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
            Deed::Learn(lesson) => app.lab(LabId("lessons")).take(&format!("#tour={}", lesson.name)),
            Deed::Resume(offer) => offer.open(app),
            Deed::Use(model) => {
                app.document.model.set(model);
                tell_beside(app, "model", model.title());
            }
            Deed::Explore(algorithm) => {
                app.document.use_algorithm(algorithm);
                tell_beside(app, "algorithm", algorithm.title());
            }
            Deed::Draw(relation) => app.looks.toggle(relation),
        }
    }
}

/// Says what was chosen for the steps, in a lab that does not show it, since it chooses its own.
fn tell_beside(app: App, what: &'static str, title: &str) {
    let lab = labs::named(app.active.get_untracked());
    if lab.panel.as_ref().is_some_and(|panel| panel.chooses.contains(what)) {
        app.tell(&format!("The steps have the {what} {title} now. “{}” chooses its own.", lab.opener.title));
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
    let fits: Vec<_> = entries.iter().map(|entry| entry.fit(typed)).collect();
    let score = |at: usize| fits[at].as_ref().map_or(i32::MIN, |fit| fit.score);
    let best = (0..fits.len()).map(score).max().unwrap_or(0);
    // The best first, and of those that fit as well the first. Numbers: one sort of them serves the whole page.
    let mut order: Vec<usize> = (0..fits.len())
        .filter(|&at| fits[at].is_some() && i64::from(score(at)) * 100 >= i64::from(best) * WEAK)
        .collect();
    order.sort_by_key(|&at| Reverse(score(at)));
    let line = |&at: &usize| {
        let marks = fits[at].as_ref().map_or_else(Vec::new, |fit| fit.marks.clone());
        Line { heading: None, entry: entries[at].clone(), marks }
    };
    order.iter().take(SHOWN).map(line).collect()
}

/// All that can be found now, but what has to be fetched.
fn entries(shell: Shell) -> Vec<Entry> {
    let app = shell.app;
    let here = |command: &&PageCommand| matches!(command.context, Context::Page) && command.available(shell);
    let mut entries: Vec<_> = commands::all().iter().filter(here).map(Entry::of).collect();
    entries.extend(Model::ALL.into_iter().map(|model| Entry {
        title: format!("Model {}", model.title()),
        kind: "Model",
        about: plain(model.description()),
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
        deed: Deed::Resume(Rc::new(offer)),
    }));
    entries
}

fn of_gallery(example: Example) -> Entry {
    Entry {
        title: format!("{}: {}", example.name, example.title),
        kind: "Gallery",
        about: example.teaches.clone(),
        deed: Deed::Open(Rc::new(example)),
    }
}

fn of_lesson(lesson: Lesson) -> Entry {
    let about = lesson.about.clone();
    Entry { title: lesson.title.clone(), kind: "Lesson", about, deed: Deed::Learn(Rc::new(lesson)) }
}

/// What is in the palette while it is open.
#[derive(Default)]
struct Content {
    entries: Vec<Entry>,
    /// Of the gallery, and lessons: fetched once.
    fetched: Vec<Entry>,
    lines: Vec<Line>,
    chosen: usize,
}

fn element(id: &str) -> Option<Element> {
    document().get_element_by_id(id)
}

fn input() -> Option<HtmlInputElement> {
    element("palette-input")?.dyn_into().ok()
}

/// Adds a title, with what was meant of it brought out.
fn add_title(row: &Element, title: &str, marks: &[usize]) {
    let Some(place) = add(row, "span", "palette-title", "") else { return };
    let letters: Vec<char> = title.chars().collect();
    let mut start = 0;
    while start < letters.len() {
        let is_meant = |at: usize| marks.contains(&at);
        let length = (start..letters.len()).take_while(|&at| is_meant(at) == is_meant(start)).count();
        let part: String = letters[start..start + length].iter().collect();
        add(&place, if is_meant(start) { "mark" } else { "span" }, "", &part);
        start += length;
    }
}

/// Adds a line of the list. By hand, as are all of them: they are many, short-lived, and never change.
fn add_line(list: &Element, at: usize, line: &Line, app: App) {
    let Line { heading, entry, marks } = line;
    if let Some(heading) = heading.and_then(|heading| add(list, "div", "palette-heading", heading)) {
        set(&heading, "aria-hidden", "true");
    }
    let Some(row) = add(list, "div", "palette-row", "") else { return };
    for (name, value) in [("role", "option"), ("id", &format!("palette-{at}")), ("aria-selected", "false")] {
        set(&row, name, value);
    }
    add_title(&row, &entry.title, marks);
    add(&row, "span", "palette-about", &entry.about);
    if entry.on(app) == Some(true) {
        add(&row, "span", "palette-on", "on");
    }
    add(&row, "span", "palette-kind", entry.kind);
    if let Deed::Run(PageCommand { keys: [key, ..], .. }) = entry.deed
        && let Some(key) = add(&row, "kbd", "", &key.to_string())
    {
        set(&key, "aria-hidden", "true");
    }
}

impl Content {
    /// Finds what is typed, and shows it.
    fn find(&mut self, app: App) {
        let typed = input().map(|input| input.value()).unwrap_or_default();
        let blank = typed.trim().is_empty();
        self.lines = if blank {
            likely(&self.entries, &used())
        } else {
            let all: Vec<_> = self.entries.iter().chain(&self.fetched).cloned().collect();
            meant(&all, &typed)
        };
        let Some(list) = element("palette-list") else { return };
        list.set_text_content(None);
        for (at, line) in self.lines.iter().enumerate() {
            add_line(&list, at, line, app);
        }
        let said = match self.lines.len() {
            0 => "Nothing has this name.".to_owned(),
            _ if blank => String::new(),
            count => format!("{count} found"),
        };
        if let Some(status) = element("palette-status") {
            status.set_text_content(Some(&said));
            status.set_class_name(if self.lines.is_empty() { "empty palette-none" } else { "sr-only" });
        }
        self.choose(0);
        list.set_scroll_top(0);
    }

    /// Another line is the one that Enter means.
    fn choose(&mut self, at: usize) {
        if let Some(before) = element(&format!("palette-{}", self.chosen)) {
            set(&before, "aria-selected", "false");
        }
        self.chosen = at;
        let (row, input) = (element(&format!("palette-{at}")), input());
        if let (Some(row), Some(input)) = (&row, &input) {
            set(row, "aria-selected", "true");
            set(input, "aria-activedescendant", &row.id());
            let options = web_sys::ScrollIntoViewOptions::new();
            options.set_block(web_sys::ScrollLogicalPosition::Nearest);
            row.scroll_into_view_with_scroll_into_view_options(&options);
        } else if let Some(input) = &input {
            let _ = input.remove_attribute("aria-activedescendant");
        }
    }
}

/// The number of the line in which something happened.
fn line_of(event: &web_sys::Event) -> Option<usize> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    target.closest(".palette-row").ok()??.id().strip_prefix("palette-")?.parse().ok()
}

/// The palette.
#[component]
pub fn Palette() -> impl IntoView {
    let shell = Shell::get();
    let app = shell.app;
    let dialog = NodeRef::<html::Dialog>::new();
    let content = StoredValue::new_local(Rc::new(RefCell::new(Content::default())));
    let with = move |change: fn(&mut Content, App)| change(&mut content.get_value().borrow_mut(), app);
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if !shell.palette.get() {
            dialog.close();
        } else if !dialog.open() {
            let content = content.get_value();
            content.borrow_mut().entries = entries(shell);
            let _ = dialog.show_modal();
            if let Some(input) = input() {
                input.set_value("");
                let _ = input.focus();
            }
            with(Content::find);
            if content.borrow().fetched.is_empty() {
                spawn_local(async move {
                    let examples = examples::examples(&examples::ALL).await.unwrap_or_default();
                    let lessons = ready::lessons().await.unwrap_or_default();
                    let fetched = examples.into_iter().map(of_gallery).chain(lessons.into_iter().map(of_lesson));
                    content.borrow_mut().fetched = fetched.collect();
                    // Whoever has chosen a line already goes on from there.
                    if input().is_some_and(|input| !input.value().is_empty()) {
                        with(Content::find);
                    }
                });
            }
        }
    });
    // The focus is back where it was before anything happens there.
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
        shell.palette.set(false);
    };
    let run = move |at: usize| {
        let entry = content.get_value().borrow().lines.get(at).map(|line| line.entry.clone());
        if let Some(entry) = entry {
            close();
            entry.run(shell);
        }
    };
    let keys = move |event: KeyboardEvent| {
        // Nothing of it is for the page behind.
        event.stop_propagation();
        if event.is_composing() {
            return;
        }
        let content = content.get_value();
        let (at, count) = (content.borrow().chosen, content.borrow().lines.len());
        let by_control = event.ctrl_key() || event.meta_key();
        let key = event.key();
        let to = match key.as_str() {
            "k" | "K" if by_control => {
                close();
                None
            }
            // The button in the corner has the focus.
            "Enter" if document().active_element().is_some_and(|element| element.tag_name() == "BUTTON") => return,
            "Enter" => {
                run(at);
                None
            }
            "ArrowDown" => (at + 1).checked_rem(count),
            "ArrowUp" => (at + count.saturating_sub(1)).checked_rem(count),
            "PageDown" => Some((at + 8).min(count.saturating_sub(1))),
            "PageUp" => Some(at.saturating_sub(8)),
            _ => return,
        };
        if let Some(to) = to {
            content.borrow_mut().choose(to);
        }
        event.prevent_default();
    };
    view! {
        <dialog
            id="palette"
            class="finder"
            aria-label="Find a command"
            node_ref=dialog
            on:close=move |_| shell.palette.set(false)
            on:keydown=keys
            on:input=move |_| with(Content::find)
            on:pointermove=move |event| {
                // What is scrolled under a mouse that rests is not meant.
                if (event.movement_x(), event.movement_y()) != (0, 0)
                    && let Some(at) = line_of(&event)
                {
                    let content = content.get_value();
                    if content.borrow().chosen != at {
                        content.borrow_mut().choose(at);
                    }
                }
            }
            on:click=move |event| {
                let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
                match line_of(&event) {
                    Some(at) => run(at),
                    // Beside it, or on the button that closes it.
                    None if target.is_some_and(|target| matches!(target.id().as_str(), "palette" | "palette-close")) => close(),
                    None => {}
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
                        autocomplete="off"
                        autocapitalize="off"
                        spellcheck="false"
                        enterkeyhint="go"
                        placeholder="Command, program, lesson, model, algorithm …"
                    />
                    <button type="button" class="close" id="palette-close" aria-label="Close">"×"</button>
                </div>
                <div id="palette-list" class="palette-list" role="listbox" aria-label="What was found"></div>
                <p class="sr-only" id="palette-status" role="status"></p>
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

    fn all() -> Vec<Entry> {
        let mut entries: Vec<_> = commands::all().iter().map(Entry::of).collect();
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
        let mut wrong = Vec::new();
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
            // Words that people have for it.
            ("undo", "Undo"),
            ("redo", "Redo"),
            ("export", "Copy as"),
            ("download", "Copy as"),
            ("save", "Copy as"),
            ("print", "Copy as"),
            ("image", "Copy as"),
            ("pdf", "Copy as"),
            ("share", "Share"),
            ("link", "Share"),
            ("send", "Share"),
            ("qr", "QR code, embed"),
            ("iframe", "QR code, embed"),
            ("import", "Open a run"),
            ("upload", "Open a run"),
            ("examples", "Gallery"),
            ("samples", "Gallery"),
            ("history", "Recent"),
            ("dark", "Switch between light and dark"),
            ("font", "Settings"),
            ("options", "Settings"),
            ("shortcuts", "Help"),
            ("docs", "Book"),
            ("slides", "Scenes"),
            ("present", "Lecture mode"),
            ("bug", "Next violation"),
            ("counterexample", "Next violation"),
            ("finish", "Run to the end"),
            ("restart", "To the start"),
            ("animate", "Play or pause"),
            ("jump", "Go to a step"),
            ("benchmark", "Race"),
            ("explain", "Why not?"),
            ("zip", "Tests"),
            ("folder", "Tests"),
            ("clear", "New"),
        ] {
            let found = meant(&all(), typed);
            let first = found.first().map(|line| line.entry.title.clone());
            if first.as_deref() != Some(meant_title) {
                wrong.push((typed, first));
                continue;
            }
            let title = &found[0].entry.title;
            assert!(found[0].marks.iter().all(|mark| *mark < title.chars().count()));
        }
        assert_eq!(wrong, []);
        assert!(meant(&all(), "qqqzzzq").is_empty());
        // Letters scattered over titles and descriptions mean nothing.
        let gallery = concat!(env!("CARGO_MANIFEST_DIR"), "/../public/gallery.json");
        let gallery = std::fs::read_to_string(gallery).expect("the site has it");
        let gallery: Vec<Example> = serde_json::from_str(&gallery).expect("it is an index");
        let with_gallery: Vec<_> = all().into_iter().chain(gallery.into_iter().map(of_gallery)).collect();
        let found = meant(&with_gallery, "no such thing");
        assert!(found.is_empty(), "{:?}", found.iter().map(|line| &line.entry.title).collect::<Vec<_>>());
        assert!(meant(&with_gallery, "seqlock")[0].entry.title.starts_with("Seqlock"));
    }

    #[test]
    fn what_was_used_last_stands_first() {
        let used: Vec<_> = ["share", "models"].into_iter().filter_map(commands::named).collect();
        let entries = all();
        let lines = likely(&entries, &used);
        let first: Vec<_> = lines.iter().take(3).map(|line| (line.heading, line.entry.title.as_str())).collect();
        assert_eq!(first, [(Some("Used last"), "Share"), (None, "Compare models"), (Some("Labs"), "Stepping")]);
        assert_eq!(lines.len(), commands::all().len() + 2);
        assert_eq!(likely(&entries, &[])[0].heading, Some("Labs"));
    }
}
