//! Keeps the session of this tab, and lists recent ones.
//!
//! The tab's own session is kept in the tab, so that a reload or a crash changes nothing, and as an entry of the list
//! that all tabs share, so that a closed tab loses nothing either.

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use leptos::html;
use leptos::prelude::*;
use litmoscope::document::{Kind, PROGRAM};
use litmoscope::graph::RelationName;
use litmoscope::session::{Settings, link};
use wasm_bindgen::JsCast;

use crate::app::definition::Definition;
use crate::app::lab::{LabId, Tab};
use crate::app::{App, Event};
use crate::browser::{self, Store, Unkept};
use crate::document::place;
use crate::document::recent::{ENTRY, Entry, SESSION, Saved, delete, entries, grew_from};
use crate::document::{FIRST_PROGRAM, Whose, headline};
use crate::labs;
use crate::ui::dialog::Dialog;
use crate::ui::prose::prose;

/// How many sessions are kept.
const KEPT: usize = 30;
/// How long a change may wait until it is kept, in milliseconds; longer for long texts, which take time.
const DELAY: usize = 200;

/// What is to be kept now.
fn saved(app: App) -> Saved {
    let settings = untrack(|| app.settings());
    let link = link::encode(&Settings { text: String::new(), position: app.place(), ..settings });
    let labs = app.kept_labs().into_iter().filter_map(|(name, _, lab)| Some((name.to_owned(), lab.keep()?))).collect();
    Saved {
        text: settings.text,
        link,
        time: browser::now(),
        fragment: browser::fragment(),
        hidden: app.looks.hidden.with_untracked(|hidden| hidden.iter().map(|r| r.name().to_owned()).collect()),
        tab: app.tab.get_untracked().name().to_owned(),
        models: app.active.get_untracked() == LabId("models"),
        lecture: app.looks.lecture.get_untracked(),
        labs,
    }
}

/// The panel of a name; the graph, if it is none, or one that is not shown again.
fn tab_named(name: &str) -> Tab {
    let panels = [Tab::Program, Tab::Graph, Tab::Tree, Tab::Results].into_iter();
    let stays = |lab: &&Definition| lab.panel.as_ref().is_some_and(|panel| panel.stays);
    let mut all = panels.chain(labs::all().filter(stays).map(|lab| Tab::Lab(lab.id)));
    all.find(|tab| tab.name() == name).unwrap_or_default()
}

/// Shows what was shown.
pub fn look(app: App, saved: &Saved) {
    let resume = |covers: bool| {
        for (name, id, lab) in app.kept_labs() {
            if let Some(kept) = saved.labs.get(name).filter(|_| app.panel(id).is_some() == covers) {
                lab.resume(kept);
            }
        }
    };
    resume(false);
    let hidden = RelationName::ALL.into_iter().filter(|r| saved.hidden.iter().any(|n| n == r.name())).collect();
    app.looks.hidden.set(hidden);
    if app.active.get_untracked() == LabId("beside") {
        app.active.set(LabId::STEPPING);
    }
    app.show(tab_named(&saved.tab));
    if saved.models {
        app.active.set(LabId("models"));
    } else if app.active.get_untracked() == LabId("models") {
        app.active.set(LabId::STEPPING);
    }
    app.looks.lecture.set(saved.lecture);
    resume(true);
}

/// Keeps the session of this tab.
#[derive(Clone, Copy)]
pub struct Keeper {
    /// The entry that is this session's.
    id: StoredValue<String>,
    /// The text that is in it.
    text: StoredValue<String>,
    /// What was kept last.
    last: StoredValue<Option<Saved>>,
    /// It was said that nothing is kept.
    told: StoredValue<bool>,
    due: StoredValue<Option<Timeout>, LocalStorage>,
}

impl Keeper {
    /// One that has kept nothing yet.
    pub fn new() -> Self {
        Self {
            id: StoredValue::new(new_id()),
            text: StoredValue::default(),
            last: StoredValue::new(None),
            told: StoredValue::new(false),
            due: StoredValue::new_local(None),
        }
    }

    /// Keeps all that changes from now on.
    pub fn follow(self, app: App) {
        // What is as it was kept, or as it is at first, need not be kept again: whoever clears the storage means it.
        if Store::Tab.get(SESSION).is_some() || entries().is_empty() {
            self.last.set_value(Some(saved(app)));
        }
        Effect::new(move |_| {
            let length = app.settings().text.len();
            app.session.view.track();
            app.session.current.track();
            app.looks.hidden.track();
            app.tab.track();
            app.active.track();
            app.looks.lecture.track();
            app.track_labs();
            if self.due.with_value(Option::is_none) {
                let delay = (DELAY + length / 500) as u32;
                self.due.set_value(Some(Timeout::new(delay, move || self.keep(app))));
            }
        });
        app.on(move |event| {
            if matches!(event, Event::Replacing) {
                self.turn_over(app);
            }
        });
        EventListener::new(&window(), "pagehide", move |_| self.keep(app)).forget();
        EventListener::new(&document(), "visibilitychange", move |_| self.keep(app)).forget();
    }

    /// Another program takes the place of this one, which stays in the list.
    fn turn_over(self, app: App) {
        self.keep(app);
        self.id.set_value(new_id());
        self.text.set_value(String::new());
    }

    fn keep(self, app: App) {
        self.due.set_value(None);
        if browser::embedded() {
            return;
        }
        let saved = saved(app);
        let same = |last: &Saved| Saved { time: saved.time, ..last.clone() } == saved;
        if self.last.with_value(|last| last.as_ref().is_some_and(same)) {
            return;
        }
        self.last.set_value(Some(saved.clone()));
        let Some(json) = saved.write() else { return };
        let in_tab = Store::Tab.put(SESSION, &json);
        let untouched = saved.text == FIRST_PROGRAM && app.place() == 0;
        let in_list = if untouched || saved.text.trim().is_empty() { Ok(()) } else { self.list(&saved.text, &json) };
        if let Err(why) = in_tab.and(in_list)
            && !self.told.get_value()
        {
            self.told.set_value(true);
            app.complain(match why {
                Unkept::Forbidden => {
                    "This browser does not let the page keep anything: what you write is lost when you close the \
                     tab. A link (Share) or a copy of the text keeps it."
                }
                Unkept::Full => {
                    "The browser's storage for this page is full: what you write may be lost when you close the tab. \
                     A link (Share) or a copy of the text keeps it."
                }
            });
        }
    }

    /// Writes the entry; of many, the oldest make room.
    fn list(self, text: &str, json: &str) -> Result<(), Unkept> {
        let changed = self.text.with_value(|old| old != text);
        if changed {
            if self.text.with_value(|old| !grew_from(old, text)) {
                self.id.set_value(new_id());
            }
            self.text.set_value(text.to_owned());
        }
        let own = self.id.get_value();
        if changed {
            let others = entries().into_iter().filter(|entry| entry.id != own);
            let (equal, others): (Vec<_>, Vec<_>) =
                others.partition(|entry| entry.saved.as_ref().is_some_and(|(saved, _)| saved.text == text));
            equal.iter().chain(others.iter().skip(KEPT - 1)).for_each(|entry| delete(&entry.id));
        }
        let name = format!("{ENTRY}{own}");
        let mut result = Store::Browser.put(&name, json);
        if result == Err(Unkept::Full) {
            for entry in entries().into_iter().rev().filter(|entry| entry.id != own) {
                delete(&entry.id);
                result = Store::Browser.put(&name, json);
                if result.is_ok() {
                    break;
                }
            }
        }
        result
    }
}

impl Default for Keeper {
    fn default() -> Self {
        Self::new()
    }
}

fn new_id() -> String {
    format!("{:x}-{:x}", browser::now() as u64, (js_sys::Math::random() * 2f64.powi(52)) as u64)
}

/// Another recent session, to be gone on with.
pub struct Offer {
    /// Its program, in a line.
    pub name: String,
    /// Model, algorithm, step and time.
    pub about: String,
    saved: Saved,
    settings: Settings,
}

impl Offer {
    /// Opens it in place of the program that is there.
    pub fn open(&self, app: App) {
        app.load(&self.settings, Whose::Readers);
        look(app, &self.saved);
    }
}

/// The recent sessions but the one that is open.
pub fn offers(keeper: Keeper) -> Vec<Offer> {
    let own = keeper.id.get_value();
    let others = entries().into_iter().filter(|entry| entry.id != own);
    others
        .filter_map(|entry| entry.saved)
        .map(|(saved, settings)| Offer {
            name: headline(&settings.text),
            about: describe(&settings, &ago(browser::now() - saved.time)),
            saved,
            settings,
        })
        .collect()
}

/// How a session is explored and where it stands, or else what it is about; and when that was.
fn describe(settings: &Settings, when: &str) -> String {
    let kind = Kind::of(&settings.text);
    if !kind.is(&PROGRAM) {
        return format!("{}, {when}", kind.subject().title);
    }
    let where_to = match settings.position {
        0 => "at the start".to_owned(),
        position => format!("step {position}"),
    };
    format!("{}, {}, {where_to}, {when}", settings.model.title(), settings.algorithm.title())
}

/// How long ago something was.
fn ago(milliseconds: f64) -> String {
    let minutes = (milliseconds / 60_000.0).max(0.0) as u64;
    match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..1440 => format!("{} h ago", minutes / 60),
        1440..2880 => "yesterday".to_owned(),
        _ => format!("{} days ago", minutes / 1440),
    }
}

/// The dialog with the recent sessions.
#[component]
pub fn Recent() -> impl IntoView {
    let (app, keeper) = (App::get(), expect_context::<Keeper>());
    let dialog = NodeRef::<html::Dialog>::new();
    let shown = RwSignal::new(Vec::<Entry>::new());
    Effect::new(move |_| {
        if app.dialogs.recent.get() {
            keeper.keep(app);
            shown.set(entries());
        }
    });
    let clear = move |_| {
        let own = keeper.id.get_value();
        entries().iter().filter(|entry| entry.id != own).for_each(|entry| delete(&entry.id));
        shown.set(entries());
        focus_dialog(dialog);
    };
    let row = move |id: String, saved: Saved, settings: Settings| {
        let own = keeper.id.with_value(|own| *own == id);
        let name = headline(&settings.text);
        let when = if own { "open now".to_owned() } else { ago(browser::now() - saved.time) };
        let about = describe(&settings, &when);
        let label = format!("Delete {name}");
        let first_lines = settings.text.lines().take(12).collect::<Vec<_>>().join("\n");
        let open = move |_| {
            if !own {
                app.load(&settings, Whose::Readers);
                look(app, &saved);
                place::leave();
            }
            app.dialogs.recent.set(false);
        };
        let remove = move |_| {
            delete(&id);
            shown.set(entries());
            focus_dialog(dialog);
        };
        view! {
            <li class="recent-row">
                <button type="button" class="recent-open" title=first_lines aria-current=own.then_some("true") on:click=open>
                    <strong>{name}</strong>
                    <span>{about}</span>
                </button>
                {(!own).then(|| view! {
                    <button type="button" class="close" aria-label=label on:click=remove>"×"</button>
                })}
            </li>
        }
    };
    let rows = move || {
        let readable = shown.get().into_iter().filter_map(|entry| entry.saved.map(|saved| (entry.id, saved)));
        readable.map(|(id, (saved, settings))| row(id, saved, settings)).collect_view()
    };
    let broken = move || shown.with(|shown| shown.iter().filter(|entry| entry.saved.is_none()).count());
    let tools = view! {
        <button type="button" id="recent-clear" aria-disabled=move || (shown.with(Vec::len) < 2).to_string() on:click=clear>
            "Clear all"
        </button>
    }
    .into_any();
    view! {
        <Dialog id="recent" class="recent" title="Recent" open=app.dialogs.recent node_ref=dialog tools>
            <p class="recent-about">
                {format!("The last {KEPT} programs of this browser, with where you were. They stay here and are sent nowhere.")}
            </p>
            {move || {
                (broken() > 0).then(|| {
                    let text = format!("Left out, because they can't be read: {}. “Clear all” deletes them too.", broken());
                    view! { <p class="trouble" id="recent-broken">{prose(&text)}</p> }
                })
            }}
            <ul class="recent-list" id="recent-list">{rows}</ul>
            {move || shown.with(Vec::is_empty).then(|| view! { <p class="empty">"Nothing yet."</p> })}
        </Dialog>
    }
}

/// What had the focus is gone.
fn focus_dialog(dialog: NodeRef<html::Dialog>) {
    if let Some(dialog) = dialog.get_untracked() {
        dialog.set_tab_index(-1);
        let _ = dialog.focus();
    }
}

/// Says that the page failed, and saves what the editor has. Nothing of the page's own may be used any more: called
/// where a panic is reported, in the midst of whatever went wrong.
pub fn page_failed(message: &str) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    let Some(body) = document.body() else { return };
    let add = |parent: &web_sys::Element, name: &str, text: &str| -> Option<web_sys::Element> {
        let element = document.create_element(name).ok()?;
        element.set_text_content(Some(text));
        parent.append_child(&element).ok()?;
        Some(element)
    };
    if document.get_element_by_id("page-failed").is_none()
        && let Some(cover) = add(&body, "div", "")
        && let Some(words) = add(&cover, "div", "")
    {
        let _ = cover.set_attribute("id", "page-failed");
        let _ = cover.set_attribute("role", "alertdialog");
        let _ = cover.set_attribute("aria-label", "The page failed");
        let _ = add(&words, "h2", "The page failed");
        let _ = add(&words, "p", "Your program and where you were are kept. Load the page again to continue there.");
        // Without a script of ours, which can't be relied on now.
        if let Some(again) = add(&words, "a", "Load the page again") {
            let _ = again.set_attribute("href", "?");
            let _ = again.unchecked_ref::<web_sys::HtmlElement>().focus();
        }
        let _ = add(&words, "pre", message);
    }
    let editor = document.get_element_by_id("editor").and_then(|e| e.dyn_into::<web_sys::HtmlTextAreaElement>().ok());
    let saved = Store::Tab.get(SESSION).as_deref().and_then(Saved::read);
    if let (Some(editor), Some(saved)) = (editor, saved)
        && let Some(json) = (Saved { text: editor.value(), ..saved }).write()
    {
        let _ = Store::Tab.put(SESSION, &json);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_are_kept_by_name() {
        let models = Tab::Lab(LabId("models"));
        let why = Tab::Lab(LabId("why"));
        for (tab, name) in [(Tab::Graph, "graph"), (Tab::Program, "program"), (models, "models"), (why, "why")] {
            assert_eq!((tab.name(), tab_named(name)), (name, tab));
        }
        // What was raced there is not kept.
        assert_eq!(tab_named("race"), Tab::Graph);
        assert_eq!(tab_named("of a page to come"), Tab::Graph);
    }

    #[test]
    fn what_is_not_explored_is_at_no_step() {
        let of = |text: &str| describe(&Settings { text: text.to_owned(), ..Settings::default() }, "just now");
        assert_eq!(of("x := 1"), "SC, GenMC, at the start, just now");
        assert_eq!(of("history h stack\nT1: push 1 [0,1]"), "a history of a concurrent object, just now");
    }

    #[test]
    fn times_are_said_in_words() {
        assert_eq!(ago(-5.0), "just now");
        assert_eq!(ago(59.0 * 60_000.0), "59 min ago");
        assert_eq!(ago(61.0 * 60_000.0), "1 h ago");
        assert_eq!(ago(30.0 * 3_600_000.0), "yesterday");
        assert_eq!(ago(50.0 * 3_600_000.0), "2 days ago");
    }
}
