//! What is asked about a recording, and what is known of it.
//!
//! The worker is given the text once, and keeps what was read and judged. One question is under way; the next is asked when the
//! answer is there, for what is wanted by then. In between, bars and a point that is dragged move by the style sheet and the
//! pointer alone: nothing waits for the worker. What is asked for goes half a timeline beyond what is seen.

use std::ops::Deref;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::document::{HISTORY, Kind, PROGRAM};
use litmoscope::explore::Algorithm;
use litmoscope::histories::report::{CodeChoice, HistoryRequest, HistoryView, OwnPoint, Part, Points, ToldOperations};
use litmoscope::report::Drawing;
use litmoscope::session::Settings;
use litmoscope::syntax::{Diagnostic, may_have_objects};
use serde_json::Value;
use web_sys::File;

use super::window::{self, Window};
use super::worker::{Answer, HistoryRole, ID, Request, Text};
use crate::app::App;
use crate::app::inquiry::walk::{Player, Walk};
use crate::app::inquiry::{self, Inquires};
use crate::app::lab::{LabId, Link};
use crate::browser;
use crate::worker::line::Said;
use crate::worker::port::Port;

/// How many rows are asked for, from a multiple of a quarter of that on.
pub const ROWS: u32 = 64;

/// What is asked about.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Source {
    /// Nothing.
    #[default]
    Nothing,
    /// The editor's text, a history.
    Text(Arc<str>),
    /// The editor's text, a program with an object, and how it is explored.
    Program(Arc<Settings>),
    /// A file that did not go through the editor.
    File {
        /// Its name.
        name: String,
        /// What was in the editor when it was opened.
        beside: Arc<str>,
    },
}

impl Source {
    /// What there is to ask about the editor's text.
    pub fn of_text(app: App) -> Self {
        let settings = Settings { position: 0, ..app.settings() };
        let kind = Kind::of(&settings.text);
        if kind.is(&HISTORY) {
            Self::Text(settings.text.into())
        } else if kind.is(&PROGRAM) && may_have_objects(&settings.text) {
            Self::Program(settings.into())
        } else {
            Self::Nothing
        }
    }
}

/// What is open beside the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// Why it is not linearizable.
    Reasons,
    /// What the monitor does.
    Steps,
    /// The graph of the execution.
    Graph,
}

/// A recording that is asked about, and what is known of it.
#[derive(Clone, Copy)]
pub struct Inquiry {
    player: Player,
    /// What is asked about.
    pub source: RwSignal<Source>,
    /// Counts the texts, so that the worker knows which one it was given.
    number: StoredValue<u32>,
    file: StoredValue<Option<File>, LocalStorage>,
    /// The text that the worker was given.
    told: StoredValue<Option<u32>>,
    /// What is to be shown. It is asked for when the answer before has come.
    pub look: RwSignal<HistoryRequest>,
    /// What was asked for last.
    asked: StoredValue<Option<HistoryRequest>>,
    busy: StoredValue<bool>,
    /// What is to be shown of the text that comes.
    due: StoredValue<Option<HistoryRequest>>,
    /// The moments in sight, once somebody has zoomed or moved.
    chosen: RwSignal<Option<Window>>,
    /// How wide the timeline is, in pixels.
    pub width: RwSignal<f64>,
    /// What is known.
    pub view: RwSignal<Option<Arc<HistoryView>>>,
    /// The graph of the execution that is shown.
    pub drawing: RwSignal<Option<Arc<Drawing>>>,
    /// Of which execution, by algorithm and step.
    drawn: StoredValue<Option<(Algorithm, u64)>>,
    /// What is open beside the timeline.
    pub sheet: RwSignal<Sheet>,
    /// Operations of the whole history that are pointed at.
    pub pointed: RwSignal<Vec<u32>>,
    /// Why nothing is known.
    pub trouble: RwSignal<Option<String>>,
    port: Port<HistoryRole>,
}

impl Deref for Inquiry {
    type Target = Player;

    fn deref(&self) -> &Player {
        &self.player
    }
}

impl Inquiry {
    /// Nothing is asked about yet.
    pub fn new(app: App) -> Self {
        let port = Port::new();
        Self {
            player: Player::new(app, port.working),
            source: RwSignal::default(),
            number: StoredValue::new(0),
            file: StoredValue::new_local(None),
            told: StoredValue::new(None),
            look: RwSignal::new(HistoryRequest { rows: (0, ROWS), width: 800, ..HistoryRequest::default() }),
            asked: StoredValue::new(None),
            busy: StoredValue::new(false),
            due: StoredValue::new(None),
            chosen: RwSignal::new(None),
            width: RwSignal::new(0.0),
            view: RwSignal::new(None),
            drawing: RwSignal::new(None),
            drawn: StoredValue::new(None),
            sheet: RwSignal::new(Sheet::Reasons),
            pointed: RwSignal::new(Vec::new()),
            trouble: RwSignal::new(None),
            port,
        }
    }

    /// That of this page.
    pub fn get() -> Self {
        expect_context()
    }

    // Asking

    /// Asks about something else, from its beginning.
    pub fn take(self, source: Source, file: Option<File>) {
        self.halt();
        self.number.update_value(|number| *number += 1);
        self.file.set_value(file);
        self.view.set(None);
        self.drawing.set(None);
        self.drawn.set_value(None);
        self.trouble.set(None);
        self.pointed.set(Vec::new());
        self.playing.set(false);
        self.sheet.set(if matches!(source, Source::Program(_)) { Sheet::Graph } else { Sheet::Reasons });
        let due = self.due.get_value().unwrap_or_default();
        self.due.set_value(None);
        self.source.set(source);
        self.show(due);
    }

    /// Shows what was kept.
    fn show(self, kept: HistoryRequest) {
        self.chosen.set(kept.window);
        let window = kept.window.map(window::around);
        let rows = (0, ROWS);
        self.look.update(|look| *look = HistoryRequest { window, rows, width: look.width, ..kept });
        self.fit();
    }

    /// Asks for what is to be shown, unless that is known or something is under way.
    pub fn pump(self) {
        let number = self.number.get_value();
        let is_told = self.told.get_value() == Some(number);
        let look = self.look.get_untracked();
        let is_known = is_told && self.asked.with_value(|asked| asked.as_ref() == Some(&look));
        if self.busy.get_value() || is_known {
            return;
        }
        let file = self.file.get_value();
        let text = match self.source.get_untracked() {
            Source::Nothing => return,
            Source::Text(text) => Some(Text::Recording(text.to_string())),
            Source::Program(settings) => Some(Text::Program(Box::new((*settings).clone()))),
            Source::File { .. } => None,
        };
        self.busy.set_value(true);
        self.running.set(true);
        self.asked.set_value(Some(look.clone()));
        let send = move |text: Option<Text>| {
            self.told.set_value(Some(number));
            self.port.open(move |said| self.hear(said));
            self.port.begin(&Request::Show { source: number, text, look: Box::new(look.clone()) });
        };
        match file {
            _ if is_told => send(None),
            None => send(text),
            Some(file) => spawn_local(async move {
                let text = browser::read(&file).await;
                // Something else may be wanted by now.
                if self.number.get_value() != number || !self.busy.get_value() {
                    return;
                }
                match text {
                    Some(text) => send(Some(Text::Recording(text))),
                    None => {
                        self.halt();
                        self.trouble.set(Some("The file can't be read.".to_owned()));
                    }
                }
            }),
        }
    }

    fn hear(self, said: Said<Answer>) {
        match said {
            Said::Answer(_, Answer::Shown(view)) => {
                self.busy.set_value(false);
                if !view.has_more {
                    self.port.done();
                }
                self.trouble.set(None);
                let shown = view.code.as_ref().and_then(|code| code.shown.as_ref());
                self.draw(shown.map(|shown| (shown.by.0, shown.position)));
                self.view.set(Some(Arc::new(*view)));
                self.pump();
            }
            Said::Answer(_, Answer::Refused(diagnostics)) => {
                self.busy.set_value(false);
                self.port.done();
                self.view.set(None);
                let is_program = self.source.with_untracked(|source| matches!(source, Source::Program(_)));
                self.trouble.set(Some(refusal(&diagnostics, is_program)));
            }
            Said::Died(message) => {
                self.halt();
                self.trouble.set(Some(format!("The question failed: {message}.")));
            }
            // Who asks for a drawing hears it.
            Said::Answer(_, Answer::Drawn(_)) | Said::Lacks(_) | Said::Ready => {}
        }
    }

    /// Has the graph of an execution drawn, by the algorithm and the step that lead to it.
    fn draw(self, execution: Option<(Algorithm, u64)>) {
        if self.drawn.with_value(|drawn| *drawn == execution) {
            return;
        }
        match execution {
            Some(_) => {
                self.port.ask_then(&Request::Draw, move |answer| {
                    if let Answer::Drawn(drawing) = answer {
                        self.drawing.set(drawing.map(|drawing| Arc::new(*drawing)));
                    }
                    false
                });
            }
            None => self.drawing.set(None),
        }
        self.drawn.set_value(execution);
    }

    /// Ends what goes on; the next question is asked of another worker.
    fn halt(self) {
        if self.running.get_untracked() || self.busy.get_value() {
            self.port.end();
            self.told.set_value(None);
            self.drawn.set_value(None);
            self.busy.set_value(false);
            self.running.set(false);
        }
        self.port.forget();
    }

    /// Asks again what was given up.
    pub fn again(self) {
        self.trouble.set(None);
        self.asked.set_value(None);
        self.told.set_value(None);
        self.pump();
    }

    /// Asks something else of the same recording: what is under way is of no use any more.
    pub fn choose(self, change: impl FnOnce(&mut HistoryRequest)) {
        self.halt();
        self.trouble.set(None);
        self.chosen.set(None);
        self.pointed.set(Vec::new());
        self.look.update(|look| {
            change(look);
            (look.window, look.step, look.steps_of, look.turn) = (None, 0, 0, 0);
            (look.part, look.points) = (Part::Whole, Points::Hidden);
        });
        self.fit();
    }

    /// Shows another execution of the program.
    pub fn choose_execution(self, shown: CodeChoice) {
        self.chosen.set(None);
        self.pointed.set(Vec::new());
        self.look.update(|look| {
            (look.window, look.step, look.steps_of, look.turn) = (None, 0, 0, 0);
            (look.part, look.points, look.code.shown) = (Part::Whole, Points::Hidden, shown);
        });
        self.fit();
    }

    /// Shows all operations, or those that contradict each other.
    pub fn show_part(self, part: Part) {
        self.chosen.set(None);
        self.look.update(|look| {
            (look.part, look.window, look.step, look.turn, look.points) = (part, None, 0, 0, Points::Hidden);
        });
        self.fit();
    }

    // What is in sight

    /// The moments in sight.
    pub fn window(self) -> Window {
        let opened = self.view.with(|view| view.as_ref().map(|view| view.timeline.window));
        self.chosen.get().or(opened).unwrap_or((-1.0, 1.0))
    }

    fn moments(self) -> u32 {
        self.view.with_untracked(|view| view.as_ref().map_or(1, |view| view.timeline.moments))
    }

    /// Shows other moments: what is drawn follows at once, and what is missing comes.
    pub fn move_to(self, change: impl FnOnce(Window, u32) -> Window) {
        let moments = self.moments();
        let before = untrack(|| self.window());
        let now = window::kept(change(before, moments), moments);
        if now == before {
            return;
        }
        self.chosen.set(Some(now));
        let drawn = self.look.with_untracked(|look| look.window);
        let opened = || self.view.with_untracked(|view| view.as_ref().map(|view| view.timeline.window));
        if drawn.or_else(opened).is_none_or(|drawn| !window::serves(drawn, now, moments)) {
            self.look.update(|look| look.window = Some(window::around(now)));
            self.fit();
        }
    }

    /// Says how wide what is asked for is.
    pub fn fit(self) {
        let width = self.width.get_untracked();
        if width > 0.0 {
            let twice = self.look.with_untracked(|look| look.window.is_some());
            let width = if twice { 2.0 * width } else { width } as u32;
            if self.look.with_untracked(|look| look.width != width) {
                self.look.update(|look| look.width = width);
            }
        }
    }

    /// Brings operations of the whole history in sight.
    pub fn bring(self, told: &ToldOperations) {
        if let Some(stretch) = told.stretch {
            if self.look.with_untracked(|look| look.part) != Part::Whole {
                self.show_part(Part::Whole);
                self.chosen.set(Some(stretch));
                self.look.update(|look| look.window = Some(window::around(stretch)));
                self.fit();
                return;
            }
            self.move_to(|window, moments| window::showing(window, stretch, moments));
        }
    }

    // Points

    /// Shows where operations take effect, or not.
    pub fn put(self, points: Points) {
        self.look.update(|look| (look.points, look.turn) = (points, 0));
    }

    /// Moves the point of an operation. The others stay where they are.
    pub fn put_one(self, operation: u32, at: f64) {
        let Some(mut all) = untrack(|| self.places()) else { return };
        if let Some(point) = all.get_mut(operation as usize) {
            point.at = at;
            self.look.update(|look| (look.points, look.turn) = (Points::Own(all), 0));
        }
    }

    /// Where all points are, by operation: also one that was moved and of which there is no answer yet.
    pub fn places(self) -> Option<Vec<OwnPoint>> {
        if let Points::Own(own) = self.look.with(|look| look.points.clone()) {
            return Some(own);
        }
        let places = self.view.with(|view| view.as_ref().map(|view| view.timeline.places.clone()))?;
        let places = places.into_iter().enumerate();
        Some(places.map(|(operation, at)| OwnPoint { operation: operation as u32, at }).collect())
    }

    /// A part of what is known, which changes when that does.
    pub fn part<T: Clone + Default + PartialEq + Send + Sync + 'static>(self, of: fn(&HistoryView) -> T) -> Memo<T> {
        inquiry::part(self.view, of)
    }
}

/// What is wrong with a text, where, and what to do.
fn refusal(diagnostics: &[Diagnostic], is_program: bool) -> String {
    let Some(first) = diagnostics.first() else { return "This is not a history.".to_owned() };
    let Diagnostic { span, message, help, .. } = first;
    let help = help.as_ref().map(|help| format!(" {}.", help.trim_end_matches('.'))).unwrap_or_default();
    let more = match diagnostics.len() {
        1 => String::new(),
        2 => " There is another mistake.".to_owned(),
        all => format!(" There are {} more mistakes.", all - 1),
    };
    if is_program {
        return format!("Nothing can be judged: {message}.{help}{more}");
    }
    format!("This is not a history yet: line {}, column {}: {message}.{help}{more}", span.line, span.column)
}

impl Walk for Inquiry {
    const PERIOD: u32 = 1200;

    fn player(self) -> Player {
        self.player
    }

    /// Of what the monitor does.
    fn place(self) -> (u32, u32) {
        let all = |view: &HistoryView| view.steps.as_ref().map_or(0, |steps| steps.all);
        let all = self.view.with_untracked(|view| view.as_ref().map_or(0, |view| all(view)));
        (self.look.with_untracked(|look| look.step), all)
    }

    fn go_to(self, step: u32) {
        let step = step.min(self.place().1);
        self.look.update(|look| look.step = step);
    }

    fn is_settled(self) -> bool {
        !self.busy.get_value()
    }
}

impl Inquires for Inquiry {
    const ID: LabId = ID;

    fn give_up(self) {
        self.playing.set(false);
        if self.running.get_untracked() {
            self.halt();
            let known = self.view.with_untracked(Option::is_some);
            let what = if known { "Stopped: the search has ended." } else { "Stopped before there was an answer." };
            self.trouble.set(Some(what.to_owned()));
        }
    }

    fn link_there(self) -> Option<Link> {
        let step = untrack(|| self.app.step_link());
        if matches!(self.source.get_untracked(), Source::File { .. }) {
            let said = "The recording is in a file, which is too large for a link. So this link leads to the \
                        editor's text.";
            return Some(Link { fragment: step, said });
        }
        Some(match self.fragment(self.kept()?) {
            Some(fragment) => Link {
                fragment,
                said: match self.source.get_untracked() {
                    Source::Program(_) => {
                        "Link copied: it leads to this execution and its history. The address bar has it too."
                    }
                    _ => "Link copied: it leads to this history as it is shown. The address bar has it too.",
                },
            },
            None => Link {
                fragment: step,
                said: "Link copied: it leads to this history. There was no room for what is shown of it.",
            },
        })
    }

    /// What is shown of the editor's text.
    fn kept(self) -> Option<Value> {
        let look = match self.source.get_untracked() {
            Source::Text(_) | Source::Program(_) => {
                HistoryRequest { window: self.chosen.get_untracked(), ..self.look.get_untracked() }
            }
            Source::Nothing => self.due.get_value()?,
            Source::File { .. } => return None,
        };
        let kept = look.keep();
        kept.as_object().is_some_and(|kept| !kept.is_empty()).then_some(kept)
    }

    fn show_kept(self, kept: &Value) {
        let Some(look) = HistoryRequest::resume(kept) else { return };
        // The same program under another model is something else.
        let own = untrack(|| Source::of_text(self.app));
        let is_here = own != Source::Nothing && self.source.with_untracked(|source| *source == own);
        if is_here {
            self.show(look);
        } else {
            self.due.set_value(Some(look));
        }
    }

    fn track_kept(self) {
        self.look.track();
        self.chosen.track();
        self.source.track();
    }
}
