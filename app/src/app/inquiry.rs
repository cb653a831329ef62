//! What labs have in common that ask of a text: it is opened, answered by drawings and sentences, and gone through step by step.
//!
//! A lab of this kind is what it shows and its words. Its state is an [`InquiryOf`] what the engine has for its texts, with whatever else it
//! lets readers choose; it says where its steps are ([`walk::Walk`]) and what is kept of it ([`Inquires`]). Its panel is put together from
//! a [`head`], the way through the [`steps`], drawings with their [`legend`], and [`sheets`] beside them. How all that looks is in the style
//! sheet of this folder.
//!
//! A panel makes such a state when it is loaded, and until then the lab waits (`waiting.rs`): nothing of this is in the first file of the
//! page.

pub mod fields;
pub mod head;
pub mod legend;
pub mod sheets;
pub mod steps;
pub mod told;
pub mod walk;

use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::document::{Kind, Late, Reader, Subject};
use litmoscope::report::EdgeKey;
use litmoscope::session::Settings;
use litmoscope::session::link::{self, LabPlace};
use litmoscope::syntax::Diagnostic;
use serde_json::Value;

use super::App;
use super::lab::{Lab, LabId, Link};
use crate::document::Whose;
use crate::worker::inspecting::{Answer, Inspected};
use crate::worker::line::Said;
use crate::worker::port::Port;
use crate::worker::session::Command;
use walk::{Player, Walk};

/// How long a question may take before another one ends it, in milliseconds.
const PATIENCE: f64 = 2000.0;

/// A text that is asked about, and what is known of it.
pub struct InquiryOf<I: Inspected> {
    /// Plays the steps.
    pub player: Player,
    /// What is to be shown.
    pub request: RwSignal<I::Request>,
    /// What is known.
    pub view: RwSignal<Option<Arc<I::View>>>,
    /// Edges of a list that are pointed at.
    pub pointed: RwSignal<Vec<EdgeKey>>,
    /// Why nothing is known.
    pub trouble: RwSignal<Option<String>>,
    port: Port<I>,
    refusal: fn(Vec<Diagnostic>) -> String,
}

impl<I: Inspected> Clone for InquiryOf<I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: Inspected> Copy for InquiryOf<I> {}

impl<I: Inspected> Deref for InquiryOf<I> {
    type Target = Player;

    fn deref(&self) -> &Player {
        &self.player
    }
}

impl<I: Inspected> InquiryOf<I> {
    /// Nothing is asked about yet. `refusal` says what is wrong with a text.
    pub fn new(app: App, request: I::Request, refusal: fn(Vec<Diagnostic>) -> String) -> Self {
        let port = Port::new();
        Self {
            player: Player::new(app, port.working),
            request: RwSignal::new(request),
            view: RwSignal::new(None),
            pointed: RwSignal::new(Vec::new()),
            trouble: RwSignal::new(None),
            port,
            refusal,
        }
    }

    /// Ends what goes on, and lets go of the answer.
    pub fn forget(self) {
        self.playing.set(false);
        self.port.interrupt();
        self.port.forget();
        self.view.set(None);
        self.trouble.set(None);
        self.pointed.set(Vec::new());
    }

    /// Asks for what is to be shown.
    pub fn ask(self) {
        // It may be in the middle of a long search.
        if self.port.silence() > PATIENCE {
            self.port.interrupt();
        }
        self.port.open(move |said| self.hear(said));
        self.request.with_untracked(|request| self.port.begin(request));
    }

    fn hear(self, said: Said<Answer<I::View>>) {
        match said {
            Said::Answer(_, Answer::Shown(view)) => {
                self.port.done();
                self.trouble.set(None);
                self.view.set(Some(Arc::new(*view)));
            }
            Said::Answer(_, Answer::Refused(diagnostics)) => {
                self.port.done();
                self.view.set(None);
                self.trouble.set(Some((self.refusal)(diagnostics)));
            }
            Said::Died(message) => self.trouble.set(Some(format!("The question failed: {message}."))),
            Said::Lacks(_) | Said::Ready => {}
        }
    }

    /// Gives up what takes long.
    pub fn stop(self) {
        self.playing.set(false);
        if self.running.get_untracked() {
            self.port.end();
            self.view.set(None);
            self.trouble.set(Some("Stopped before there was an answer.".to_owned()));
        }
    }

    /// Lets what goes on end where it is: what is known stays.
    pub fn halt(self) {
        self.playing.set(false);
        self.port.stop();
    }

    /// Asks whenever something else is to be shown, while the lab is open.
    pub fn follow_request(self, open: Memo<bool>) {
        let asked = Memo::new(move |_| self.request.get());
        Effect::new(move |_| {
            // To track a memo that nobody reads does not make it follow what it is made of.
            let is_of_nothing = asked.with(|request| I::text(request).is_empty());
            if open.get() && !is_of_nothing {
                self.ask();
            }
        });
    }

    /// Takes another text that the page has; one that is typed, when that pauses. Nothing, when there is no text for the lab any more or
    /// the lab is left: what was known is let go of by then.
    pub fn follow_text(self, open: Memo<bool>, own: Memo<bool>, take: impl Fn(Option<String>) + 'static) {
        let app = self.app;
        Effect::new(move |_| {
            if !open.get() || !own.get() {
                self.forget();
                take(None);
                return;
            }
            if app.session.edited.get() {
                return;
            }
            let text = app.document.text.get();
            if self.request.with_untracked(|request| I::text(request) != text) {
                self.pointed.set(Vec::new());
                take(Some(text));
            }
        });
    }

    /// Whether nothing is asked.
    pub fn is_of_nothing(self) -> bool {
        self.request.with_untracked(|request| I::text(request).is_empty())
    }

    /// Whether it is the page's text that is asked about.
    pub fn is_of_page(self) -> bool {
        self.app.document.text.with_untracked(|text| self.request.with_untracked(|request| I::text(request) == text))
    }

    /// How far what is asked is, or what there is to say of what is known.
    pub fn status(self, name: fn(&I::View) -> String) -> String {
        match (self.running.get(), self.trouble.get()) {
            (true, _) => "asking".to_owned(),
            (false, Some(trouble)) => trouble,
            _ => self.view.with(|view| view.as_ref().map(|view| name(view)).unwrap_or_default()),
        }
    }

    /// Whether it can be asked again.
    pub fn is_stopped(self) -> bool {
        let nothing = self.trouble.get().is_some() && self.view.with(Option::is_none);
        !self.running.get() && nothing && self.request.with(|request| !I::text(request).is_empty())
    }

    /// A part of what is known, which changes when that does.
    pub fn part<T: Clone + Default + PartialEq + Send + Sync + 'static>(self, of: fn(&I::View) -> T) -> Memo<T> {
        part(self.view, of)
    }
}

/// A part of what is known, which changes when that does.
pub fn part<V: Send + Sync + 'static, T: Clone + Default + PartialEq + Send + Sync + 'static>(
    view: RwSignal<Option<Arc<V>>>,
    of: fn(&V) -> T,
) -> Memo<T> {
    Memo::new(move |_| view.with(|view| view.as_ref().map(|view| of(view)).unwrap_or_default()))
}

/// What is wrong with a text that is not what it should be, in a sentence.
pub fn not_yet(what: &str, diagnostics: Vec<Diagnostic>) -> String {
    let first = diagnostics.into_iter().next();
    let first = first.map(|wrong| format!("line {}, {}", wrong.span.line, wrong.message));
    format!("This is not {what} yet: {}.", first.unwrap_or_default())
}

impl App {
    /// Whether the text is of this kind.
    pub fn has_text_of(self, kind: &'static Subject) -> Memo<bool> {
        Memo::new(move |_| self.document.text.with(|text| Kind::of(text).is(kind)))
    }

    /// Takes a text in the place of the page's.
    pub fn take_text(self, text: String) {
        self.load(&Settings { text, ..untrack(|| self.settings()) }, Whose::Sample);
    }
}

/// A lab that asks of texts, and is gone through step by step. To the rest of the page it is a [`Lab`].
pub trait Inquires: Walk {
    /// Its name.
    const ID: LabId;
    /// What is said when a link to what it shows was copied.
    const LINKED: &'static str = "";

    /// Its panel is there, and has what reads its texts, without which the editor took each for a good one, without colours; whether it
    /// is open.
    fn arrive(self, reader: Option<(&'static Late, Reader)>) -> Memo<bool> {
        let app = self.player().app;
        provide_context(self);
        if let Some((late, reader)) = reader.filter(|(late, _)| !late.is_there()) {
            app.document.take_reader(|| late.give(reader));
        }
        app.take_place(Self::ID, Rc::new(self));
        app.is_open(Self::ID)
    }

    /// Its panel is about to be shown.
    fn begin(self) {}

    /// Ends what goes on.
    fn give_up(self);

    /// The link to what it shows, if that is another one than the link to the step.
    fn link_there(self) -> Option<Link> {
        Some(Link { fragment: self.fragment(self.kept()?)?, said: Self::LINKED })
    }

    /// The address of what is kept; nothing if it would be too long.
    fn fragment(self, place: Value) -> Option<String> {
        let settings = untrack(|| self.player().app.settings());
        link::encode_lab(&LabPlace { settings, lab: Self::ID.0.to_owned(), place }).ok()
    }

    /// What is kept of it.
    fn kept(self) -> Option<Value> {
        None
    }

    /// Shows what was kept; of an empty object, the text's beginning.
    fn show_kept(self, _kept: &Value) {}

    /// Runs an effect again when what is kept may have changed.
    fn track_kept(self) {}

    /// Whether it shows something of texts about that, though it is not for them.
    fn shows_of(self, _subject: &Subject) -> bool {
        false
    }
}

impl<T: Inquires> Lab for T {
    fn enter(&self) {
        self.player().app.session.playing.set(false);
        self.begin();
    }

    /// What is to be shown, as it would be kept.
    fn take(&self, place: &str) {
        if let Ok(place) = serde_json::from_str(place) {
            self.show_kept(&place);
        }
    }

    fn moves(&self, command: Command, _repeated: bool) -> bool {
        match command {
            Command::Forward => self.step(),
            Command::Back => self.step_back(),
            Command::Reset => self.go_to(0),
            Command::Run => self.go_to(u32::MAX),
            _ => return false,
        }
        true
    }

    fn plays(&self) -> bool {
        true
    }

    fn shows(&self, subject: &Subject) -> bool {
        self.shows_of(subject)
    }

    fn play(&self) {
        self.toggle_play();
    }

    fn stop(&self) {
        self.give_up();
    }

    fn link(&self) -> Option<Link> {
        self.link_there()
    }

    fn keep(&self) -> Option<Value> {
        self.kept()
    }

    fn resume(&self, kept: &Value) {
        self.show_kept(kept);
    }

    fn track(&self) {
        self.track_kept();
    }
}
