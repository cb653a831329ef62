//! How the tree is looked at: what the page knows of it beside the session's view.

use std::collections::HashMap;
use std::sync::Arc;

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use litmoscope::session::{Hit, Preview, SearchView, VisitId};

use crate::app::App;
use crate::app::lab::Tab;
use crate::browser;
use crate::worker::session::Command;

/// How many previews are kept.
const MAX_PREVIEWS: usize = 200;
/// How long a pause in typing is, in milliseconds.
const PAUSE: u32 = 200;

/// How the tree is looked at.
#[derive(Clone, Copy)]
pub struct TreeLook {
    /// It is drawn; else an outline.
    pub drawn: RwSignal<bool>,
    /// How large the panel of the drawn tree is. Here because it is observed for ever.
    pub room: RwSignal<(f64, f64)>,
    /// It has the middle of the page.
    pub wide: RwSignal<bool>,
    /// The node that the keyboard was moved to.
    pub chosen: RwSignal<Option<VisitId>>,
    /// The node that was searched for.
    pub found: RwSignal<Option<VisitId>>,
    /// What is asked for.
    pub question: RwSignal<String>,
    /// What was found, or why nothing can be.
    pub answer: RwSignal<Option<Result<SearchView, String>>>,
    /// Which hit was gone to.
    pub hit: RwSignal<Option<usize>>,
    /// The node whose graph is wanted.
    pub peek: RwSignal<Option<VisitId>>,
    /// Its graph, when it is there.
    pub preview: RwSignal<Option<Arc<Preview>>>,
    kept: StoredValue<HashMap<VisitId, Arc<Preview>>>,
    /// A step through the hits that waits for the first of them.
    waiting: StoredValue<Option<bool>>,
    /// What was asked did not come from the search's own field, which says what there is not.
    elsewhere: StoredValue<bool>,
    typing: StoredValue<Option<Timeout>, LocalStorage>,
    pause: StoredValue<Option<Timeout>, LocalStorage>,
}

impl TreeLook {
    /// As it was the last time.
    pub fn new(app: App) -> Self {
        Self {
            drawn: RwSignal::new(browser::load("tree").is_some_and(|how| how == "drawn")),
            room: RwSignal::new((0.0, 0.0)),
            wide: RwSignal::new(false),
            chosen: RwSignal::new(None),
            found: app.session.sought,
            question: RwSignal::new(String::new()),
            answer: RwSignal::new(None),
            hit: RwSignal::new(None),
            peek: RwSignal::new(None),
            preview: RwSignal::new(None),
            kept: StoredValue::default(),
            waiting: StoredValue::new(None),
            elsewhere: StoredValue::new(false),
            typing: StoredValue::new_local(None),
            pause: StoredValue::new_local(None),
        }
    }

    /// That of this page.
    pub fn get() -> Self {
        expect_context()
    }

    /// Another session is opened: visits have other names.
    pub fn forget(self) {
        self.chosen.set(None);
        self.found.set(None);
        self.answer.set(None);
        self.hit.set(None);
        self.kept.update_value(HashMap::clear);
        self.hide();
    }

    /// There may be more in the tree than before.
    pub fn grown(self, app: App) {
        self.kept.update_value(HashMap::clear);
        if self.question.with_untracked(|question| !question.trim().is_empty()) {
            self.ask_soon(app);
        }
    }

    // Previews

    /// Shows the graph of a node, after some milliseconds.
    pub fn peek_at(self, app: App, visit: VisitId, after: u32) {
        let show = move || {
            self.peek.set(Some(visit));
            match self.kept.with_value(|kept| kept.get(&visit).cloned()) {
                Some(preview) => self.preview.set(Some(preview)),
                None => {
                    app.session.preview(visit, move |preview| self.hear_preview(preview));
                }
            }
        };
        if after == 0 {
            self.pause.set_value(None);
            show();
        } else {
            self.pause.set_value(Some(Timeout::new(after, show)));
        }
    }

    /// Shows no graph, or none soon.
    pub fn hide(self) {
        self.pause.set_value(None);
        self.peek.set(None);
        self.preview.set(None);
    }

    /// No graph is shown soon; the one that is shown stays.
    pub fn stay(self) {
        self.pause.set_value(None);
    }

    /// A graph has come.
    fn hear_preview(self, preview: Option<Preview>) {
        let Some(preview) = preview.map(Arc::new) else { return };
        self.kept.update_value(|kept| {
            if kept.len() >= MAX_PREVIEWS {
                kept.clear();
            }
            kept.insert(preview.visit, preview.clone());
        });
        if self.peek.get_untracked() == Some(preview.visit) {
            self.preview.set(Some(preview));
        }
    }

    // The search

    /// Asks when the typing pauses.
    pub fn ask_soon(self, app: App) {
        self.typing.set_value(Some(Timeout::new(PAUSE, move || self.ask(app))));
    }

    fn ask(self, app: App) {
        self.typing.set_value(None);
        app.session.end_search();
        let question = self.question.get_untracked();
        if question.trim().is_empty() {
            self.answer.set(None);
            self.found.set(None);
            self.hit.set(None);
        } else {
            app.session.search(question, move |answer| self.hear_answer(app, answer));
        }
    }

    /// What was typed is another question.
    pub fn retyped(self, app: App, question: String) {
        self.question.set(question);
        self.elsewhere.set_value(false);
        self.waiting.set_value(None);
        self.hit.set(None);
        self.answer.set(None);
        self.ask_soon(app);
    }

    /// An answer has come; whether more will.
    fn hear_answer(self, app: App, answer: Result<SearchView, String>) -> bool {
        let more = answer.as_ref().is_ok_and(|view| !view.over);
        // The tree has grown: the hit gone to may have another number.
        if let (Ok(view), Some(found)) = (&answer, self.found.get_untracked())
            && self.hit.get_untracked().is_some()
        {
            self.hit.set(view.hits.iter().position(|hit| hit.visit == found));
        }
        let over = answer.as_ref().map_or(true, |view| view.over || !view.hits.is_empty());
        self.answer.set(Some(answer));
        if over && let Some(forward) = self.waiting.get_value() {
            self.waiting.set_value(None);
            let none = self.answer.with_untracked(|answer| !matches!(answer, Some(Ok(view)) if !view.hits.is_empty()));
            if none && self.elsewhere.get_value() {
                app.tell("There is none in the steps so far. The key End runs to the end.");
            }
            self.go_on(app, forward);
        }
        more
    }

    /// Goes to the first visit that came to this, or from there to the next.
    pub fn seek(self, app: App, kind: &str, forward: bool) {
        if self.question.with_untracked(|question| question != kind) {
            self.retyped(app, kind.to_owned());
        }
        self.elsewhere.set_value(true);
        app.show(Tab::Tree);
        self.go_on(app, forward);
    }

    /// Goes to the next hit, or to the one before; behind the last comes the first.
    pub fn go_on(self, app: App, forward: bool) {
        if self.typing.with_value(Option::is_some) || self.answer.with_untracked(Option::is_none) {
            if self.question.with_untracked(|question| !question.trim().is_empty()) {
                self.waiting.set_value(Some(forward));
                self.ask(app);
            }
            return;
        }
        let next = self.answer.with_untracked(|answer| {
            let Some(Ok(view)) = answer else { return None };
            let last = view.hits.len().checked_sub(1)?;
            let next = match (self.hit.get_untracked(), forward) {
                (None, true) => 0,
                (None, false) => last,
                (Some(hit), true) => {
                    if hit >= last {
                        0
                    } else {
                        hit + 1
                    }
                }
                (Some(hit), false) => hit.checked_sub(1).unwrap_or(last),
            };
            Some((next, view.hits[next]))
        });
        let Some((index, Hit { visit, at })) = next else { return };
        self.hit.set(Some(index));
        self.found.set(Some(visit));
        app.command(Command::GoToVisit(at));
        // An option that was not taken has no graph to go to.
        if visit == at {
            self.hide();
        } else {
            self.peek_at(app, visit, 0);
        }
    }
}
