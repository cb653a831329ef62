//! What is kept of sessions: the tab's own, and the list that all tabs share.
//!
//! Each session writes to an entry of its own: however many tabs are open, none overwrites what is another's. Entries of
//! equal programs are one.
//!
//! The tab's session is in the tab's storage, so a reload goes on there, and is an entry of its own in the browser's
//! (`litmoscope.recent.ID`). An entry follows a text while it is edited; a text that takes the place of another one begins a new
//! entry. Of more than 30, the oldest go. Everything but the text is stored as a link, since links are read for ever. An
//! address' link is opened once: after a reload the session goes on, whatever the link says. With `?embed`, nothing is stored or
//! read.
//!
//! Beside the session are kept where a script of scenes stands (the script itself in the tab, too, since another tab may open
//! another one) and two explorations side by side, as the link that leads to them, of version 3. Pages from before that version
//! say that they are too old for such a link. So is what each lab keeps (`app/lab.rs`).

use litmoscope::session::link;
use litmoscope::session::{LinkError, Settings};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::headline;
use crate::browser::{self, Store};

/// What the names of entries begin with.
pub const ENTRY: &str = "recent.";
/// The name of the tab's session.
pub const SESSION: &str = "session";

/// A session as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// The program.
    pub text: String,
    /// Everything else that a link holds, as one, since links are read for ever.
    pub link: String,
    /// When this was kept, in milliseconds.
    pub time: f64,
    /// The address' fragment then.
    #[serde(default)]
    pub fragment: String,
    /// Names of relations that are not drawn.
    #[serde(default)]
    pub hidden: Vec<String>,
    /// The panel of a small screen.
    #[serde(default)]
    pub tab: String,
    /// Whether all models are compared.
    #[serde(default)]
    pub models: bool,
    /// Whether this is a lecture.
    #[serde(default)]
    pub lecture: bool,
    /// What labs keep, by the names under which they do: `scene`, where a script stands; `beside`, two explorations side by
    /// side. Written beside the others.
    #[serde(skip)]
    pub labs: Map<String, Value>,
}

impl Saved {
    /// The session, at its position.
    ///
    /// # Errors
    /// If it is damaged, or of a page to come.
    pub fn settings(&self) -> Result<Settings, LinkError> {
        Ok(Settings { text: self.text.clone(), ..link::decode(&self.link)? })
    }

    /// What was kept as this text.
    pub fn read(json: &str) -> Option<Self> {
        // Not flattened by serde, which would be ten times as much code.
        let all: Value = serde_json::from_str(json).ok()?;
        let mut saved = Self::deserialize(&all).ok()?;
        saved.labs = all.as_object()?.clone();
        for own in OWN {
            saved.labs.remove(own);
        }
        Some(saved)
    }

    /// What is kept, as a text.
    pub fn write(&self) -> Option<String> {
        let mut all = serde_json::to_value(self).ok()?;
        all.as_object_mut()?.extend(self.labs.clone());
        Some(all.to_string())
    }
}

/// The names of what is kept of every session.
const OWN: [&str; 8] = ["text", "link", "time", "fragment", "hidden", "tab", "models", "lecture"];

/// An entry of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name.
    pub id: String,
    /// `None` if it can't be read.
    pub saved: Option<(Saved, Settings)>,
}

/// All entries, the newest first, broken ones last.
pub fn entries() -> Vec<Entry> {
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

/// Deletes one.
pub fn delete(id: &str) {
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
pub fn grew_from(old: &str, new: &str) -> bool {
    let start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let room = old.len().min(new.len()) - start;
    let end = old.bytes().rev().zip(new.bytes().rev()).take(room).take_while(|(a, b)| a == b).count();
    2 * (start + end) >= old.trim().len()
}

/// The programs of recent sessions but this one, by their headlines.
pub fn others(here: &str) -> Vec<(String, Settings)> {
    let settings = entries().into_iter().filter_map(|entry| entry.saved).map(|(_, settings)| settings);
    let others = settings.filter(|settings| settings.text != here);
    others.map(|settings| (headline(&settings.text), settings)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use litmoscope::model::Model;
    use std::collections::BTreeSet;

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
        let settings = Settings { text: "x := 1".to_owned(), model: Model::TSO, position: 7, ..Settings::default() };
        let link = link::encode(&Settings { text: String::new(), ..settings.clone() });
        let json = format!(r#"{{"text":"x := 1","link":"{link}","time":1.5,"to come":[]}}"#);
        let saved = Saved::read(&json).expect("it is whole");
        assert_eq!(saved.settings(), Ok(settings));
        assert_eq!(saved.labs.keys().collect::<Vec<_>>(), ["to come"]);
        assert!(Saved::read(&saved.write().expect("plain data")).is_some_and(|again| again == saved));
    }

    #[test]
    fn what_is_a_labs_own_is_nothing_else() {
        let all = serde_json::to_value(Saved::default()).expect("plain data");
        let names: BTreeSet<&str> = all.as_object().expect("it has names").keys().map(String::as_str).collect();
        assert_eq!(names, BTreeSet::from(OWN));
    }

    #[test]
    fn what_is_broken_is_refused() {
        for json in ["", "{}", "[1]", "\u{0}", r#"{"text":1,"link":"","time":0}"#] {
            assert_eq!(Saved::read(json), None, "{json}");
        }
        let saved = Saved::read(r##"{"text":"x","link":"#1.?","time":0}"##).expect("its form is right");
        assert!(saved.settings().is_err());
    }
}
