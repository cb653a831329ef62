//! What is kept of sessions, and the list of recent ones.
//!
//! The tab's own session is kept in the tab, so that a reload or a crash changes nothing, and as an entry of the list
//! that all tabs share, so that a closed tab loses nothing either. Each session writes to an entry of its own: however
//! many tabs are open, none overwrites what is another's. Entries of equal programs are one.

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use leptos::html;
use leptos::prelude::*;
use litmoscope::graph::RelationName;
use litmoscope::session::link::{self, Linked};
use litmoscope::session::{LinkError, Pair, Settings};
use litmoscope::syntax;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsCast;

use crate::browser::{self, Store, Unkept};
use crate::dialog::Dialog;
use crate::lecture::scenes::Place;
use crate::state::{App, FIRST_PROGRAM, Tab};

/// How many sessions are kept.
const KEPT: usize = 30;
/// What the names of entries begin with.
const ENTRY: &str = "recent.";
/// The name of the tab's session.
const SESSION: &str = "session";
/// How long a change may wait until it is kept, in milliseconds; longer for long texts, which take time.
const DELAY: usize = 200;

/// A session as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// The program.
    text: String,
    /// Everything else that a link holds, as one, since links are read for ever.
    link: String,
    /// When this was kept, in milliseconds.
    time: f64,
    /// The address' fragment then.
    #[serde(default)]
    fragment: String,
    /// Names of relations that are not drawn.
    #[serde(default)]
    hidden: Vec<String>,
    /// The panel of a small screen.
    #[serde(default)]
    tab: Tab,
    /// Whether all models are compared.
    #[serde(default)]
    models: bool,
    /// Whether this is a lecture.
    #[serde(default)]
    lecture: bool,
    /// Whether its model is wanted, though it is not made for the program's notation.
    #[serde(default)]
    unfitting: bool,
    /// Where its script stands, if there is one.
    #[serde(default)]
    scene: Option<Place>,
    /// Two explorations side by side, as a link in which this entry's text is left out.
    #[serde(default)]
    beside: Option<String>,
}

impl Saved {
    fn of(app: App) -> Self {
        let settings = untrack(|| app.settings());
        let link = link::encode(&Settings { text: String::new(), position: app.place(), ..settings });
        Self {
            text: settings.text,
            link,
            time: browser::now(),
            fragment: browser::fragment(),
            hidden: app.hidden.with_untracked(|hidden| hidden.iter().map(|r| r.name().to_owned()).collect()),
            tab: app.tab.get_untracked(),
            models: app.models.get_untracked(),
            lecture: app.lecture.get_untracked(),
            unfitting: app.unfitting.with_untracked(|wanted| wanted.is_some_and(|(_, model)| model == settings.model)),
            scene: app.scenes.kept_place(app),
            beside: app.beside.pair().and_then(|mut pair| {
                if pair.right.text == pair.left.text {
                    pair.right.text = String::new();
                }
                pair.left.text = String::new();
                link::encode_pair(&pair).ok()
            }),
        }
    }

    /// The session, at its position.
    ///
    /// # Errors
    /// If it is damaged, or of a page to come.
    pub fn settings(&self) -> Result<Settings, LinkError> {
        Ok(Settings { text: self.text.clone(), ..link::decode(&self.link)? })
    }

    /// The explorations that stood side by side, if any did.
    fn pair(&self) -> Option<Pair> {
        let Ok(Linked::Pair(mut pair)) = link::open(self.beside.as_ref()?) else { return None };
        pair.left.text.clone_from(&self.text);
        if pair.right.text.is_empty() {
            pair.right.text.clone_from(&self.text);
        }
        Some(*pair)
    }

    /// Shows what was shown.
    pub fn look(&self, app: App) {
        if let Some(place) = &self.scene {
            app.scenes.resume(app, place);
        }
        let notation = syntax::detect(&self.text);
        app.unfitting.set(self.unfitting.then(|| (notation, app.model.get_untracked())));
        app.hidden.set(RelationName::ALL.into_iter().filter(|r| self.hidden.iter().any(|n| n == r.name())).collect());
        app.beside.open.set(false);
        // What was asked is not kept.
        app.show(if matches!(self.tab, Tab::Why | Tab::Beside | Tab::Consistency) { Tab::Graph } else { self.tab });
        app.models.set(self.models);
        app.lecture.set(self.lecture);
        if let Some(pair) = self.pair() {
            app.resume_beside(pair);
        }
    }

    fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }
}

/// An entry of the list.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    id: String,
    /// `None` if it can't be read.
    saved: Option<(Saved, Settings)>,
}

/// All entries, the newest first, broken ones last.
fn entries() -> Vec<Entry> {
    let mut entries: Vec<_> = Store::Browser
        .names(ENTRY)
        .into_iter()
        .filter_map(|name| {
            let saved = Store::Browser.get(&name).as_deref().and_then(Saved::read);
            let saved = saved.and_then(|saved| saved.settings().ok().map(|settings| (saved, settings)));
            Some(Entry { id: name.strip_prefix(ENTRY)?.to_owned(), saved })
        })
        .collect();
    let time = |entry: &Entry| entry.saved.as_ref().map_or(f64::NEG_INFINITY, |(saved, _)| saved.time);
    entries.sort_by(|a, b| time(b).total_cmp(&time(a)));
    entries
}

fn delete(id: &str) {
    Store::Browser.remove(&format!("{ENTRY}{id}"));
}

/// What to go on with: the tab's session; in a new tab, the newest of the list. With it, whether something was there
/// that can't be read.
pub fn last() -> (Option<(Saved, Settings)>, bool) {
    let own = Store::Tab.get(SESSION);
    let read = own.as_deref().and_then(Saved::read);
    let read = read.and_then(|saved| saved.settings().ok().map(|settings| (saved, settings)));
    let broken = own.is_some() && read.is_none();
    let found = read.or_else(|| entries().into_iter().find_map(|entry| entry.saved));
    (found.filter(|(saved, _)| !saved.text.trim().is_empty()), broken)
}

/// Whether the address' link was opened already in this tab, and what came of it is kept.
pub fn goes_on() -> bool {
    let kept = Store::Tab.get(SESSION).as_deref().and_then(Saved::read);
    browser::reloaded() && kept.is_some_and(|saved| saved.fragment == browser::fragment())
}

/// Whether a text was made from another one by editing, rather than put in its place.
fn grew_from(old: &str, new: &str) -> bool {
    let start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let room = old.len().min(new.len()) - start;
    let end = old.bytes().rev().zip(new.bytes().rev()).take(room).take_while(|(a, b)| a == b).count();
    2 * (start + end) >= old.trim().len()
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
            self.last.set_value(Some(Saved::of(app)));
        }
        Effect::new(move |_| {
            let length = app.settings().text.len();
            app.view.track();
            app.current.track();
            app.hidden.track();
            app.tab.track();
            app.models.track();
            app.lecture.track();
            app.unfitting.track();
            app.scenes.at.track();
            app.scenes.shown.track();
            app.quiz.asked.track();
            app.beside.track();
            if self.due.with_value(Option::is_none) {
                let delay = (DELAY + length / 500) as u32;
                self.due.set_value(Some(Timeout::new(delay, move || self.keep(app))));
            }
        });
        EventListener::new(&window(), "pagehide", move |_| self.keep(app)).forget();
        EventListener::new(&document(), "visibilitychange", move |_| self.keep(app)).forget();
    }

    /// Another program takes the place of this one, which stays in the list.
    pub fn turn_over(self, app: App) {
        self.keep(app);
        self.id.set_value(new_id());
        self.text.set_value(String::new());
    }

    fn keep(self, app: App) {
        self.due.set_value(None);
        if browser::embedded() {
            return;
        }
        let saved = Saved::of(app);
        let same = |last: &Saved| Saved { time: saved.time, ..last.clone() } == saved;
        if self.last.with_value(|last| last.as_ref().is_some_and(same)) {
            return;
        }
        self.last.set_value(Some(saved.clone()));
        let Ok(json) = serde_json::to_string(&saved) else { return };
        let in_tab = Store::Tab.put(SESSION, &json);
        let untouched = saved.text == FIRST_PROGRAM && app.place() == 0;
        let in_list = if untouched || saved.text.trim().is_empty() { Ok(()) } else { self.list(&saved.text, &json) };
        if let Err(why) = in_tab.and(in_list)
            && !self.told.get_value()
        {
            self.told.set_value(true);
            app.complain(match why {
                Unkept::Forbidden => {
                    "This browser lets the page keep nothing: what you write is lost when the tab is closed. \
                     A link (Share) or a copy of the text keeps it."
                }
                Unkept::Full => {
                    "The browser's storage for this page is full: what you write may be lost when the tab is closed. \
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

/// A program in a line: the first that says something.
pub fn headline(text: &str) -> String {
    let mut lines = text.lines().map(|line| line.trim().trim_start_matches("//").trim());
    lines.find(|line| !line.is_empty()).unwrap_or("empty").to_owned()
}

/// The programs of other recent sessions, by their headlines.
pub fn others(app: App) -> Vec<(String, Settings)> {
    let here = app.text.get_untracked();
    let settings = entries().into_iter().filter_map(|entry| entry.saved).map(|(_, settings)| settings);
    let others = settings.filter(|settings| settings.text != here);
    others.map(|settings| (headline(&settings.text), settings)).collect()
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
        app.load(&self.settings, false);
        self.saved.look(app);
    }
}

/// The recent sessions but the one that is open.
pub fn offers(app: App) -> Vec<Offer> {
    let own = app.keeper.id.get_value();
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

/// How a session is explored, where it stands, and when that was.
fn describe(settings: &Settings, when: &str) -> String {
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
    let app = App::get();
    let dialog = NodeRef::<html::Dialog>::new();
    let shown = RwSignal::new(Vec::<Entry>::new());
    Effect::new(move |_| {
        if app.recent.get() {
            app.keeper.keep(app);
            shown.set(entries());
        }
    });
    let clear = move |_| {
        let own = app.keeper.id.get_value();
        entries().iter().filter(|entry| entry.id != own).for_each(|entry| delete(&entry.id));
        shown.set(entries());
        focus_dialog(dialog);
    };
    let row = move |id: String, saved: Saved, settings: Settings| {
        let own = app.keeper.id.with_value(|own| *own == id);
        let name = headline(&settings.text);
        let when = if own { "open now".to_owned() } else { ago(browser::now() - saved.time) };
        let about = describe(&settings, &when);
        let label = format!("Delete {name}");
        let first_lines = settings.text.lines().take(12).collect::<Vec<_>>().join("\n");
        let open = move |_| {
            if !own {
                app.load(&settings, false);
                saved.look(app);
            }
            app.recent.set(false);
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
        <Dialog id="recent" class="recent" title="Recent" open=app.recent node_ref=dialog tools>
            <p class="recent-about">
                {format!("The last {KEPT} programs of this browser, with where you were. They stay here and are sent nowhere.")}
            </p>
            {move || {
                (broken() > 0).then(|| {
                    let text = format!("Left out, since they can't be read: {}. “Clear all” deletes them too.", broken());
                    view! { <p class="trouble" id="recent-broken">{text}</p> }
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
        let _ = add(&words, "p", "Your program and where you were are kept. Load the page again to go on there.");
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
        && let Ok(json) = serde_json::to_string(&Saved { text: editor.value(), ..saved })
    {
        let _ = Store::Tab.put(SESSION, &json);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use litmoscope::model::Model;

    #[test]
    fn a_text_grows_or_is_replaced() {
        assert!(grew_from("", "x := 1"));
        assert!(grew_from("x := 1", "x := 1 || a := x"));
        assert!(grew_from("x := 1 || a := x", "x := 2 || a := x"));
        assert!(grew_from("aaaa", "aa"));
        assert!(!grew_from("x := 1 || a := x", "y := 7"));
        assert!(!grew_from("ü := 1 || a := ü", ""));
    }

    #[test]
    fn what_is_kept_is_read_back() {
        let settings = Settings { text: "x := 1".to_owned(), model: Model::Tso, position: 7, ..Settings::default() };
        let link = link::encode(&Settings { text: String::new(), ..settings.clone() });
        let json = format!(r#"{{"text":"x := 1","link":"{link}","time":1.5,"to come":[]}}"#);
        let saved = Saved::read(&json).expect("it is whole");
        assert_eq!(saved.settings(), Ok(settings));
        assert!(Saved::read(&serde_json::to_string(&saved).expect("plain data")).is_some_and(|again| again == saved));
    }

    #[test]
    fn what_is_broken_is_refused() {
        for json in ["", "{}", "[1]", "\u{0}", r#"{"text":1,"link":"","time":0}"#] {
            assert_eq!(Saved::read(json), None, "{json}");
        }
        let saved = Saved::read(r##"{"text":"x","link":"#1.?","time":0}"##).expect("its form is right");
        assert!(saved.settings().is_err());
    }

    #[test]
    fn a_program_has_a_headline() {
        assert_eq!(headline("\n//\n// Store buffering \nx := 1"), "Store buffering");
        assert_eq!(headline("C SB\n{}"), "C SB");
        assert_eq!(headline("  \n"), "empty");
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
