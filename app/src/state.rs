//! What the page knows: signals, and the commands that change them.
//!
//! [`App`] is a handful of signals, copied around and found in Leptos' context. Everything about programs, graphs and
//! explorations in it came from the engine, in the worker or (parsing alone) here.

use std::collections::BTreeSet;
use std::sync::Arc;

use gloo::timers::callback::{Interval, Timeout};
use gloo::worker::WorkerBridge;
use leptos::prelude::*;
use litmoscope::consistency::{begins_execution, parse_execution};
use litmoscope::explore::{Algorithm, Options, Parameters};
use litmoscope::graph::{EventKey, RelationName};
use litmoscope::model::Model;
use litmoscope::program::{Limits, Notation, Program};
use litmoscope::report::{EdgeKey, Format, Theme};
use litmoscope::session::script::Scene;
use litmoscope::session::{
    Aspect, MomentKind, OutcomesView, Pair, Question, Reach, Settings, View, ViewRequest, VisitId, link,
};
use litmoscope::syntax::{self, Diagnostic};
use serde::{Deserialize, Serialize};

use crate::beside::Beside;
use crate::browser::{self, Store};
use crate::consistency::Check;
use crate::editor;
use crate::lecture::quiz::Quiz;
use crate::lecture::scenes::Scenes;
use crate::preferences::Preferences;
use crate::reading::Reading;
use crate::recent::{self, Keeper};
use crate::running::Running;
use crate::share;
use crate::tree::look::TreeLook;
use crate::views;
use crate::worker::{self, Command, EngineWorker, Progress, Request, RequestId, Response};

/// What is in the editor when there is nothing else.
pub const FIRST_PROGRAM: &str = "\
// Store buffering: can both
// reads miss the writes?
x := 1 || y := 1
a := y || b := x

exists (P0:a = 0 /\\ P1:b = 0)
";

/// Texts up to this length are parsed at every key; longer ones when the typing pauses.
const SMALL_TEXT: usize = 16 * 1024;
/// How long a pause in typing is, in milliseconds.
const PAUSE: u32 = 300;
/// How long the worker may be silent during a command before the page says so, in milliseconds.
const SILENCE: f64 = 10_000.0;

/// What the mouse, the caret or the keyboard points at: the same thing in program and graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointed {
    /// An event of the graph.
    Event(EventKey),
    /// An edge of the graph.
    Edge(EdgeKey),
    /// A line of the program, from 1.
    Line(u32),
}

/// What the parser says of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Errors, or what was inferred.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the text is no program.
    pub broken: bool,
}

/// A message that the page has for the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The message.
    pub text: String,
    /// It tells of a failure.
    pub bad: bool,
    /// Restarting the engine may help.
    pub engine: bool,
}

/// How many executions a program has with and without co in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contrast {
    /// What was counted, algorithm and position aside.
    of: Option<Settings>,
    /// Plain executions.
    pub plain: Option<u64>,
    /// Executions with co.
    pub with_co: Option<u64>,
}

/// The panels that a small screen shows one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tab {
    /// Text, model and algorithm.
    Program,
    /// Graph and explanation.
    #[default]
    Graph,
    /// The exploration tree.
    Tree,
    /// Outcomes, faults and counts.
    Results,
    /// All models compared.
    Models,
    /// Why a model does not allow an outcome.
    Why,
    /// Two explorations side by side.
    Beside,
    /// Whether one execution is consistent.
    Consistency,
}

/// The page's state.
#[derive(Clone, Copy)]
pub struct App {
    /// The text in the editor.
    pub text: RwSignal<String>,
    /// What the parser says of it.
    pub checked: RwSignal<Checked>,
    /// The memory model.
    pub model: RwSignal<Model>,
    /// The notation whose programs are to be explored under a model that is not made for it: so the reader, a link or an
    /// example wants it.
    pub unfitting: RwSignal<Option<(Notation, Model)>>,
    /// The algorithm.
    pub algorithm: RwSignal<Algorithm>,
    /// How many executions the program has, plain and with co, as far as that was counted; of which program and options.
    pub contrast: RwSignal<Contrast>,
    /// The unroll bound.
    pub unroll: RwSignal<u32>,
    /// Whether the first error ends the exploration.
    pub stop_at_first: RwSignal<bool>,
    /// Whether data races are no errors.
    pub no_races: RwSignal<bool>,
    /// Whether weak compare-and-swaps may fail spuriously.
    pub spurious: RwSignal<bool>,
    /// Whether loops that only wait are unrolled.
    pub unroll_spins: RwSignal<bool>,
    /// The numbers that the algorithm alone takes.
    pub parameters: RwSignal<Parameters>,
    /// What the session shows.
    pub view: RwSignal<Option<Arc<View>>>,
    /// Everything explored at once.
    pub run: Running,
    /// The graph and what is said of it: of the step, or of a moment of the run.
    pub seen: Memo<Option<Arc<View>>>,
    /// What was found: by the run if there is one, else by the steps.
    pub results: Memo<Option<Arc<View>>>,
    /// The session shown is that of the text and settings chosen.
    pub current: RwSignal<bool>,
    /// How far a long command has come.
    pub progress: RwSignal<Option<Progress>>,
    /// What a long command has found, where that is newer than the view.
    pub found: RwSignal<Option<OutcomesView>>,
    /// The worker is there.
    pub ready: RwSignal<bool>,
    /// Something was changed and the session not yet opened anew.
    pub edited: RwSignal<bool>,
    /// The command in progress.
    pub working: RwSignal<Option<RequestId>>,
    looking: RwSignal<Option<RequestId>>,
    /// Relations that are not drawn.
    pub hidden: RwSignal<BTreeSet<RelationName>>,
    unfolded: RwSignal<Vec<VisitId>>,
    folded: RwSignal<Vec<VisitId>>,
    /// How the execution is shown.
    pub aspect: RwSignal<Aspect>,
    /// It has the room of all panels but the words.
    pub wide: RwSignal<bool>,
    /// The format of the text view.
    pub format: RwSignal<Format>,
    /// The dialog is open that copies and downloads.
    pub copying: RwSignal<bool>,
    /// What is asked of the graph.
    pub reading: Reading,
    /// What is pointed at.
    pub pointed: RwSignal<Option<Pointed>>,
    /// The theme that is seen.
    pub theme: RwSignal<Theme>,
    /// How the page looks and moves.
    pub preferences: RwSignal<Preferences>,
    /// The settings are open.
    pub preferring: RwSignal<bool>,
    /// Only graph, program and explanation, in larger type.
    pub lecture: RwSignal<bool>,
    /// The page is as narrow as a telephone's.
    pub narrow: RwSignal<bool>,
    /// The screen is black for a while, so that the room looks at the lecturer.
    pub blank: RwSignal<bool>,
    /// What a lecturer has arranged to be shown.
    pub scenes: Scenes,
    /// What is asked, if anything.
    pub quiz: Quiz,
    /// The panel shown on a small screen.
    pub tab: RwSignal<Tab>,
    /// How the tree is looked at.
    pub tree: TreeLook,
    /// Steps are made by themselves.
    pub playing: RwSignal<bool>,
    /// How many steps a second are made then.
    pub speed: RwSignal<f64>,
    /// What the page has to say.
    pub notice: RwSignal<Option<Notice>>,
    /// What the page has to say is about a link.
    pub shared: RwSignal<bool>,
    /// The ways to share are open.
    pub sharing: RwSignal<bool>,
    /// A link to be copied by hand.
    pub link: RwSignal<Option<String>>,
    /// The text that was replaced by an example or a link.
    pub kept: RwSignal<Option<String>>,
    /// The help is open.
    pub help: RwSignal<bool>,
    /// The gallery is open.
    pub gallery: RwSignal<bool>,
    /// A test is made from a cycle.
    pub cycle: RwSignal<bool>,
    /// The recent sessions are listed.
    pub recent: RwSignal<bool>,
    /// Keeps the session.
    pub keeper: Keeper,
    /// All models are compared, in place of the exploration of one.
    pub models: RwSignal<bool>,
    /// Why an outcome is not allowed, in place of the exploration.
    pub why: RwSignal<bool>,
    /// What to ask as soon as that is seen; what the condition asks for if it is empty.
    pub ask: RwSignal<Option<String>>,
    /// Two explorations side by side, in place of the one.
    pub beside: Beside,
    /// Whether one execution is consistent, in place of the exploration.
    pub check: Check,
    /// A text that came from the gallery or the page and need not be kept.
    sample: StoredValue<String>,
    /// The model that the text last asked for by itself.
    asked: StoredValue<Option<Model>>,
    /// What the worker was last asked to show.
    looked: StoredValue<Option<ViewRequest>>,
    /// What the last link asked for, for the options that the page has no switch for.
    linked: RwSignal<Option<Settings>>,
    /// What the session in the worker was last opened with.
    requested: StoredValue<Option<Settings>>,
    /// Where to go when a session of these settings is opened next.
    destination: StoredValue<Option<Settings>>,
    /// Where the session was opened at.
    opened_at: StoredValue<u64>,
    last_id: StoredValue<RequestId>,
    session_id: StoredValue<RequestId>,
    heard: StoredValue<f64>,
    bridge: StoredValue<Option<WorkerBridge<EngineWorker>>, LocalStorage>,
    pause: StoredValue<Option<Timeout>, LocalStorage>,
    player: StoredValue<Option<Interval>, LocalStorage>,
    forget_notice: StoredValue<Option<Timeout>, LocalStorage>,
}

impl App {
    /// The state at the start: what is kept, or the defaults.
    pub fn new() -> Self {
        let hidden = match browser::load("hidden") {
            Some(names) => RelationName::ALL.into_iter().filter(|r| names.split(' ').any(|n| n == r.name())).collect(),
            None => hidden_at_first(),
        };
        let reading = Reading::new();
        let (view, run) = (RwSignal::new(None), Running::new(reading));
        let (kept, broken) = recent::last();
        let preferences = Preferences::load();
        let mut first = Settings { text: FIRST_PROGRAM.to_owned(), ..Settings::default() };
        first.options.limits.unroll = preferences.unroll;
        let settings = kept.as_ref().map_or(first, |(_, settings)| settings.clone());
        let Options { limits, stop_at_first, no_races, spurious, .. } = settings.options;
        let text = settings.text.clone();
        let app = Self {
            looked: StoredValue::new(None),
            asked: StoredValue::new(syntax::parse(&text).ok().and_then(|parsed| asked(&parsed.program))),
            sample: StoredValue::new(FIRST_PROGRAM.to_owned()),
            text: RwSignal::new(text),
            checked: RwSignal::default(),
            model: RwSignal::new(settings.model),
            unfitting: RwSignal::new(None),
            algorithm: RwSignal::new(settings.algorithm),
            contrast: RwSignal::default(),
            unroll: RwSignal::new(limits.unroll),
            stop_at_first: RwSignal::new(stop_at_first),
            no_races: RwSignal::new(no_races),
            spurious: RwSignal::new(spurious),
            unroll_spins: RwSignal::new(limits.unroll_spins),
            parameters: RwSignal::new(settings.options.parameters),
            view,
            run,
            seen: either(Signal::derive(move || run.view.get().filter(|_| run.shown.get())), view),
            results: either(run.view.into(), view),
            current: RwSignal::new(false),
            progress: RwSignal::new(None),
            found: RwSignal::new(None),
            ready: RwSignal::new(false),
            edited: RwSignal::new(true),
            working: RwSignal::new(None),
            looking: RwSignal::new(None),
            hidden: RwSignal::new(hidden),
            unfolded: RwSignal::default(),
            folded: RwSignal::default(),
            aspect: RwSignal::new(views::stored_aspect()),
            wide: RwSignal::new(false),
            format: RwSignal::new(
                browser::load("format").and_then(|name| Format::named(&name)).unwrap_or(Format::Tikz),
            ),
            copying: RwSignal::new(false),
            reading,
            pointed: RwSignal::new(None),
            theme: RwSignal::new(preferences.seen()),
            preferences: RwSignal::new(preferences),
            preferring: RwSignal::new(false),
            lecture: RwSignal::new(false),
            narrow: RwSignal::new(browser::narrow().is_some_and(|query| query.matches())),
            blank: RwSignal::new(false),
            scenes: Scenes::new(),
            quiz: Quiz::new(),
            tab: RwSignal::default(),
            tree: TreeLook::new(),
            playing: RwSignal::new(false),
            speed: RwSignal::new(2.0),
            notice: RwSignal::new(None),
            shared: RwSignal::new(false),
            sharing: RwSignal::new(false),
            link: RwSignal::new(None),
            kept: RwSignal::new(Store::Tab.get("kept")),
            help: RwSignal::new(false),
            gallery: RwSignal::new(false),
            cycle: RwSignal::new(false),
            recent: RwSignal::new(false),
            keeper: Keeper::new(),
            models: RwSignal::new(false),
            why: RwSignal::new(false),
            ask: RwSignal::new(None),
            beside: Beside::new(),
            check: Check::new(),
            linked: RwSignal::new(Some(settings.clone())),
            requested: StoredValue::new(None),
            destination: StoredValue::new(Some(settings)),
            opened_at: StoredValue::new(0),
            last_id: StoredValue::new(0),
            session_id: StoredValue::new(0),
            heard: StoredValue::new(0.0),
            bridge: StoredValue::new_local(None),
            pause: StoredValue::new_local(None),
            player: StoredValue::new_local(None),
            forget_notice: StoredValue::new_local(None),
        };
        // A link that is opened is looked at afresh.
        if let Some((saved, _)) = kept.filter(|_| recent::goes_on() || browser::fragment().len() < 2) {
            saved.look(app);
        }
        if broken {
            app.complain("What was kept of this tab's session can't be read. “Recent” may have the program.");
        }
        app
    }

    /// The state, anywhere in the page.
    pub fn get() -> Self {
        expect_context()
    }

    /// Starts the worker, follows edits, and opens what there is to open.
    pub fn start(self) {
        self.start_worker();
        self.keeper.follow(self);
        if let Some(query) = browser::narrow() {
            let changed = query.clone();
            gloo::events::EventListener::new(&query, "change", move |_| self.narrow.set(changed.matches())).forget();
        }
        // Anything that makes a session ends the one before; the next is opened when the typing pauses.
        Effect::new(move |_| {
            let settings = self.settings();
            if self.requested.with_value(|requested| requested.as_ref() != Some(&settings)) {
                self.edit(&settings);
            }
        });
        Effect::new(move |_| {
            let look = self.look();
            // What is chosen while a session opens is asked for when it is there.
            let asked = self.looked.with_value(|looked| looked.as_ref() == Some(&look));
            if self.current.get() && !asked {
                self.looked.set_value(Some(look.clone()));
                let id = self.next_id();
                self.looking.set(Some(id));
                self.send(Request::Look { id, look });
            }
        });
        Effect::new(move |_| {
            if let Some(settings) = self.run.opened.get() {
                self.run.opened.set(None);
                self.show_opened(&settings);
            }
        });
        Effect::new(move |_| {
            let look = self.look();
            if self.run.shown.get_untracked() {
                self.run.look(None, look);
            }
        });
        Effect::new(move |_| {
            let names: Vec<_> = self.hidden.get().into_iter().map(RelationName::name).collect();
            // What a scene hides is not what the reader has chosen.
            if self.scenes.at.get_untracked().is_none() {
                browser::store("hidden", &names.join(" "));
            }
        });
        Effect::new(move |_| {
            let period = (1000.0 / self.speed.get()) as u32;
            let player = self.playing.get().then(|| Interval::new(period.max(20), move || self.play_step()));
            self.player.set_value(player);
        });
        Effect::new(move |_| {
            // Up to the first error is no total.
            let finished = self.results.get().filter(|view| view.reach == Reach::Whole);
            let of = untrack(|| Settings { algorithm: Algorithm::default(), ..self.settings() });
            if self.contrast.with_untracked(|contrast| contrast.of.as_ref() != Some(&of)) {
                self.contrast.set(Contrast { of: Some(of), ..Contrast::default() });
            }
            let Some(view) = finished.filter(|_| self.current.get()) else { return };
            self.contrast.update(|contrast| {
                let algorithm = self.algorithm.get_untracked();
                if algorithm.traits().counts_plain {
                    contrast.plain = Some(view.counts.plain);
                }
                if algorithm.tracks_co() {
                    contrast.with_co = Some(view.counts.executions());
                }
            });
        });
        Interval::new(1000, move || {
            let silent = browser::now() - self.heard.get_value() > SILENCE;
            if silent && self.working.get_untracked().is_some() && self.notice.with_untracked(Option::is_none) {
                self.complain_of_engine(
                    "The engine has not answered for a while. It may still do so; restarting it ends the wait.",
                );
            }
        })
        .forget();
    }

    /// What was chosen, at the session's start.
    pub fn settings(self) -> Settings {
        let limits = Limits { unroll: self.unroll.get(), unroll_spins: self.unroll_spins.get(), ..Limits::default() };
        let options = Options {
            limits,
            stop_at_first: self.stop_at_first.get(),
            no_races: self.no_races.get(),
            spurious: self.spurious.get(),
            parameters: self.parameters.get(),
            ..Options::default()
        };
        let mut settings = Settings {
            text: self.text.get(),
            model: self.model.get(),
            algorithm: self.algorithm.get(),
            options,
            position: 0,
        };
        let same = |linked: &Settings| {
            linked.text == settings.text && linked.model == settings.model && linked.algorithm == settings.algorithm
        };
        if let Some(linked) = self.linked.get().filter(same) {
            let Options { symmetry, preemptions, contexts, .. } = linked.options;
            settings.options = Options { symmetry, preemptions, contexts, ..settings.options };
        }
        settings
    }

    /// How many steps have been made, or are to be made when the session is opened.
    pub fn place(self) -> u64 {
        if self.current.get_untracked() {
            return self.view.with_untracked(|view| view.as_ref().map_or(0, |view| view.position));
        }
        let settings = untrack(|| self.settings());
        let destination = self.destination.get_value();
        let destination = destination.filter(|to| Settings { position: 0, ..to.clone() } == settings);
        let opening = self.requested.with_value(|requested| requested.as_ref() == Some(&settings));
        destination.map_or(if opening { self.opened_at.get_value() } else { 0 }, |to| to.position)
    }

    /// What is to be seen of graph and tree.
    pub fn look(self) -> ViewRequest {
        let aspect = self.aspect.get();
        let formats = match (self.copying.get(), aspect) {
            (true, _) => Format::ALL.to_vec(),
            (false, Aspect::Text) => vec![self.format.get()],
            _ => Vec::new(),
        };
        ViewRequest {
            hidden: self.hidden.get().into_iter().collect(),
            unfolded: self.unfolded.get(),
            folded: self.folded.get(),
            found: self.tree.found.get(),
            narrow: self.narrow.get() || self.lecture.get(),
            aspect,
            // Elsewhere it would be looked again for nothing.
            theme: if formats.is_empty() { Theme::default() } else { self.theme.get() },
            formats,
        }
    }

    /// Whether the session shown may soon be another.
    pub fn busy(self) -> bool {
        self.edited.get() || self.working.get().is_some() || self.looking.get().is_some()
    }

    /// Whether the session shown can be moved through.
    pub fn steppable(self) -> bool {
        self.current.get() && !self.edited.get()
    }

    // Editing and opening

    fn edit(self, settings: &Settings) {
        self.edited.set(true);
        // A scene of these very settings is being opened.
        let opens = |scene: &Arc<Scene>| Settings { position: 0, ..scene.settings.clone() } == *settings;
        if !self.scenes.shown.with_untracked(|shown| shown.as_ref().is_some_and(opens)) {
            self.scenes.shown.set(None);
        }
        self.current.set(false);
        self.playing.set(false);
        // What a run counts does not depend on how one steps.
        let counts_this = |subject: &Settings| {
            subject.algorithm.traits().in_parts == settings.algorithm.traits().in_parts
                && Settings { algorithm: settings.algorithm, ..subject.clone() } == *settings
        };
        if !self.run.subject.with_untracked(|subject| subject.as_ref().is_some_and(counts_this)) {
            self.run.forget();
        }
        self.requested.set_value(None);
        if self.working.get_untracked().is_some() {
            self.send(Request::Stop);
        }
        if settings.text.len() <= SMALL_TEXT {
            self.check(&settings.text);
        }
        self.pause.set_value(Some(Timeout::new(PAUSE, move || self.open())));
    }

    fn check(self, text: &str) {
        // An execution is asked about, not explored.
        let parsed = if begins_execution(text) {
            Err(parse_execution(text).err().unwrap_or_default())
        } else {
            syntax::parse(text)
        };
        let checked = match parsed {
            Ok(parsed) => {
                // A line that names a model picks it once; the picker has the last word.
                let model = asked(&parsed.program);
                if model != self.asked.get_value() {
                    self.asked.set_value(model);
                    if let Some(model) = model {
                        self.model.set(model);
                    }
                }
                Checked { diagnostics: parsed.notes, broken: false }
            }
            // That nothing is there yet is no error.
            Err(_) if text.trim().is_empty() => Checked { diagnostics: Vec::new(), broken: true },
            Err(diagnostics) => Checked { diagnostics, broken: true },
        };
        if self.checked.with_untracked(|old| *old != checked) {
            self.checked.set(checked);
        }
    }

    /// Opens a session for what was chosen; with a broken text, the one before stays in sight.
    pub fn open(self) {
        let settings = untrack(|| self.settings());
        self.pause.set_value(None);
        self.check(&settings.text);
        let destination = self.destination.get_value();
        self.destination.set_value(None);
        let position = destination.filter(|to| Settings { position: 0, ..to.clone() } == settings);
        let position = position.map_or(0, |to| to.position);
        self.opened_at.set_value(position);
        self.requested.set_value(Some(settings.clone()));
        let is_asked = begins_execution(&settings.text);
        if is_asked && !self.covered() {
            if self.tab.get_untracked() == Tab::Program { self.check.open.set(true) } else { self.show(Tab::Graph) }
        } else if !is_asked && self.check.open.get_untracked() {
            self.check.open.set(false);
            self.tab.update(|tab| *tab = if *tab == Tab::Consistency { Tab::Graph } else { *tab });
        }
        if self.checked.with_untracked(|checked| checked.broken) {
            self.edited.set(false);
            return;
        }
        self.unfolded.set(Vec::new());
        self.folded.set(Vec::new());
        self.tree.forget();
        let id = self.next_id();
        self.session_id.set_value(id);
        self.working.set(Some(id));
        self.progress.set(None);
        self.heard.set_value(browser::now());
        let look = untrack(|| self.look());
        self.looked.set_value(Some(look.clone()));
        self.send(Request::Open { id, settings: Settings { position, ..settings }, look });
        self.edited.set(false);
    }

    /// Explores to the end with co in the executions or without it.
    pub fn count(self, with_co: bool) {
        let algorithm = self.algorithm.get_untracked().with_or_without_co(with_co);
        if self.algorithm.get_untracked() == algorithm {
            self.command(Command::Run);
            return;
        }
        let settings = untrack(|| self.settings());
        self.destination.set_value(Some(Settings { algorithm, position: u64::MAX, ..settings }));
        self.use_algorithm(algorithm);
    }

    /// Another algorithm, with its usual parameters.
    pub fn use_algorithm(self, algorithm: Algorithm) {
        if self.algorithm.get_untracked() != algorithm {
            self.parameters.set(Parameters::USUAL);
            self.algorithm.set(algorithm);
        }
    }

    /// Replaces everything by what a link or an example says. The text that was there can be restored if the user wrote
    /// it.
    pub fn load(self, settings: &Settings, is_sample: bool) {
        self.keep_text(&settings.text);
        self.keeper.turn_over(self);
        self.notice.set(None);
        if is_sample {
            self.sample.set_value(settings.text.clone());
        }
        self.asked.set_value(syntax::parse(&settings.text).ok().and_then(|parsed| asked(&parsed.program)));
        self.requested.set_value(None);
        self.destination.set_value(Some(settings.clone()));
        self.linked.set(Some(settings.clone()));
        self.text.set(settings.text.clone());
        self.model.set(settings.model);
        self.unfitting.set(Some((syntax::notation(&settings.text), settings.model)));
        self.algorithm.set(settings.algorithm);
        self.parameters.set(settings.options.parameters);
        self.unroll.set(settings.options.limits.unroll);
        self.stop_at_first.set(settings.options.stop_at_first);
        self.no_races.set(settings.options.no_races);
        self.spurious.set(settings.options.spurious);
        self.unroll_spins.set(settings.options.limits.unroll_spins);
        self.edit(&untrack(|| self.settings()));
        self.open();
    }

    /// An empty program, to be written; the one that is there can be restored.
    pub fn begin(self) {
        let settings = untrack(|| self.settings());
        self.load(&Settings { text: String::new(), ..settings }, true);
        self.unfitting.set(None);
        self.show(Tab::Program);
        editor::enter();
    }

    /// Keeps the text, and how it is explored, if it is the reader's own and another one comes.
    fn keep_text(self, next: &str) {
        let text = self.text.get_untracked();
        let worthless = text.trim().is_empty() || text == next || self.sample.with_value(|sample| *sample == text);
        if !worthless {
            let kept = share::step(self);
            let _ = Store::Tab.put("kept", &kept);
            self.kept.set(Some(kept));
        }
    }

    /// Puts away the offer to bring a text back.
    pub fn drop_kept(self) {
        self.kept.set(None);
        Store::Tab.remove("kept");
    }

    /// Brings back the text that an example or a link replaced.
    pub fn restore(self) {
        let Some(settings) = self.kept.get_untracked().and_then(|kept| link::decode(&kept).ok()) else { return };
        self.drop_kept();
        self.load(&settings, false);
    }

    // Speaking to the worker

    /// A name for a request.
    pub fn next_id(self) -> RequestId {
        self.last_id.update_value(|id| *id += 1);
        self.last_id.get_value()
    }

    /// Asks the worker for something.
    pub fn send(self, request: Request) {
        self.bridge.with_value(|bridge| {
            if let Some(bridge) = bridge {
                bridge.send(request);
            }
        });
    }

    fn start_worker(self) {
        self.ready.set(false);
        self.heard.set_value(browser::now());
        self.bridge.set_value(Some(worker::spawn(move |response| self.hear(response))));
    }

    /// Ends the worker and starts another one.
    pub fn restart(self) {
        self.notice.set(None);
        self.working.set(None);
        self.looking.set(None);
        self.start_worker();
        self.open();
    }

    fn hear(self, response: Response) {
        self.heard.set_value(browser::now());
        let of_session = |id: RequestId| id >= self.session_id.get_value();
        let finish = |id: RequestId| {
            if self.working.get_untracked() == Some(id) {
                self.working.set(None);
                self.progress.set(None);
                self.found.set(None);
            }
            if self.looking.get_untracked() == Some(id) {
                self.looking.set(None);
            }
        };
        match response {
            Response::Ready => self.ready.set(true),
            Response::Shown { id, view } => {
                if of_session(id) {
                    if view.done && view.position == view.frontier {
                        self.playing.set(false);
                    }
                    self.found.set(None);
                    self.view.set(Some(Arc::new(*view)));
                    if self.requested.with_value(Option::is_some) {
                        self.current.set(true);
                    }
                }
                finish(id);
            }
            Response::Refused { id, diagnostics } => {
                if of_session(id) {
                    self.checked.set(Checked { diagnostics, broken: true });
                    self.current.set(false);
                }
                finish(id);
            }
            Response::Progress { id, mut progress } if self.working.get_untracked() == Some(id) => {
                if let Some(found) = progress.outcomes.take() {
                    self.found.set(Some(found));
                }
                self.progress.set(Some(progress));
            }
            Response::Died(message) => {
                let opening = self.working.get_untracked() == Some(self.session_id.get_value());
                let place = Settings { position: self.place(), ..untrack(|| self.settings()) };
                self.playing.set(false);
                self.progress.set(None);
                self.current.set(false);
                // Not at once: the bridge is in use while it calls back.
                Timeout::new(0, move || {
                    self.working.set(None);
                    self.looking.set(None);
                    self.start_worker();
                    // What killed it at the start would do so again.
                    if !opening {
                        self.destination.set_value(Some(place.clone()));
                        self.open();
                    }
                    let again = if opening {
                        "Change the program or the settings to try again."
                    } else {
                        "It goes to the step where you were."
                    };
                    self.complain_of_engine(&format!(
                        "The engine failed and was restarted: {message}. Your text is safe. {again}"
                    ));
                })
                .forget();
            }
            Response::Searched { id, found } => self.tree.hear_answer(self, id, found),
            Response::Previewed { id, preview } => self.tree.hear_preview(id, preview.map(|preview| *preview)),
            Response::Replied { id, answer } => self.reading.hear(id, answer),
            // Comparisons and runs have workers of their own.
            _ => {}
        }
    }

    // Moving

    /// Explores everything, beside the steps; by an algorithm that can, if the one chosen can't.
    pub fn run_all(self) {
        let Some(algorithm) = self.algorithm.get_untracked().traits().in_parts.filter(|_| untrack(|| self.steppable()))
        else {
            return;
        };
        let settings = Settings { algorithm, ..untrack(|| self.settings()) };
        self.run.start(settings, untrack(|| self.look()));
    }

    /// Shows a run that was opened, and its program.
    fn show_opened(self, settings: &Settings) {
        self.run.subject.set(Some(settings.clone()));
        self.load(settings, false);
        self.run.shown.set(self.run.found.with_untracked(|found| found.as_ref().is_some_and(|f| f.moment.is_some())));
    }

    /// Shows a moment of the run in place of the step.
    pub fn show_moment(self, moment: MomentKind) {
        self.playing.set(false);
        self.run.show(moment, untrack(|| self.look()));
    }

    /// Sends a command.
    pub fn command(self, command: Command) {
        if !untrack(|| self.steppable()) {
            return;
        }
        self.run.shown.set(false);
        self.scenes.shown.set(None);
        let id = self.next_id();
        self.working.set(Some(id));
        self.progress.set(None);
        self.heard.set_value(browser::now());
        self.send(Request::Do { id, command });
    }

    /// Ends whatever runs by itself.
    pub fn stop(self) {
        self.playing.set(false);
        if self.working.get_untracked().is_some() {
            self.send(Request::Stop);
        }
    }

    /// Starts or ends playing.
    pub fn toggle_play(self) {
        let at_end = self.view.with_untracked(|view| view.as_ref().is_some_and(|v| v.done && v.position == v.frontier));
        self.playing.set(!self.playing.get_untracked() && !at_end && untrack(|| self.steppable()));
    }

    fn play_step(self) {
        // A step that takes long is waited for.
        if self.working.get_untracked().is_none() {
            self.command(Command::Forward);
        }
    }

    // Looking

    /// Asks something of the graph that is shown.
    pub fn ask(self, id: RequestId, stamp: String, question: Question) {
        if self.run.shown.get_untracked() {
            self.run.ask(id, stamp, question);
        } else {
            self.send(Request::Read { id, stamp, question });
        }
    }

    /// Shows a panel, where there is room for one only. The comparison of models, the question why, whether an
    /// execution is consistent, and two explorations side by side take the room of the other panels but the program, on large
    /// screens too.
    pub fn show(self, tab: Tab) {
        // A text that is an execution has no steps.
        let tab = if tab == Tab::Graph && self.text.with_untracked(|text| begins_execution(text)) {
            Tab::Consistency
        } else {
            tab
        };
        // These take the place of a question, by their buttons; keys wait for its answer.
        if matches!(tab, Tab::Models | Tab::Why | Tab::Beside | Tab::Consistency) {
            self.quiz.leave();
        }
        if tab != Tab::Program {
            self.models.set(tab == Tab::Models);
            self.why.set(tab == Tab::Why);
            self.beside.open.set(tab == Tab::Beside);
            if tab == Tab::Consistency && !self.check.open.get_untracked() {
                self.playing.set(false);
                Check::begin(self);
            }
            self.check.open.set(tab == Tab::Consistency);
        }
        self.tab.set(tab);
    }

    /// Whether something is shown in place of the exploration.
    pub fn covered(self) -> bool {
        let others = [self.why, self.beside.open, self.check.open];
        self.models.get_untracked() || others.iter().any(RwSignal::get_untracked)
    }

    /// Asks why an outcome is not allowed; without one, what the condition asks for.
    pub fn ask_why(self, outcome: Option<String>) {
        self.ask.set(Some(outcome.unwrap_or_default()));
        self.show(Tab::Why);
    }

    /// Asks why an outcome is not allowed, or goes back to the exploration.
    pub fn toggle_why(self) {
        if self.why.get_untracked() { self.show(Tab::Graph) } else { self.ask_why(None) }
    }

    /// Asks whether the execution shown is consistent, or goes back to the exploration.
    pub fn toggle_check(self) {
        self.show(if self.check.open.get_untracked() { Tab::Graph } else { Tab::Consistency });
    }

    /// Explores twice, side by side, or goes on with the left exploration alone.
    pub fn toggle_beside(self) {
        if self.beside.open.get_untracked() {
            if let Some(pair) = self.beside.pair() {
                self.load(&pair.left, false);
            }
            self.show(Tab::Graph);
        } else if untrack(|| self.steppable()) {
            self.stop();
            let position = self.view.with_untracked(|view| view.as_ref().map_or(0, |view| view.position));
            let settings = Settings { position, ..untrack(|| self.settings()) };
            let look = ViewRequest { narrow: true, ..untrack(|| self.look()) };
            self.beside.start(settings, look, recent::others(self));
            self.show(Tab::Beside);
        }
    }

    /// Shows two explorations that a link or the storage has, as they were left. The one on the left is loaded already.
    pub fn resume_beside(self, pair: Pair) {
        self.beside.resume(pair, untrack(|| self.look()), recent::others(self));
        self.show(Tab::Beside);
    }

    /// Compares models, or goes back to the exploration of one.
    pub fn toggle_models(self) {
        self.show(if self.models.get_untracked() { Tab::Graph } else { Tab::Models });
    }

    /// Shows or hides a relation.
    pub fn toggle_relation(self, relation: RelationName) {
        self.hidden.update(|hidden| {
            if !hidden.remove(&relation) {
                hidden.insert(relation);
            }
        });
    }

    /// Folds or unfolds a node of the tree.
    pub fn fold(self, visit: VisitId, fold: bool) {
        let change = |list: &mut Vec<VisitId>, member: bool| {
            list.retain(|&other| other != visit);
            if member {
                list.push(visit);
            }
        };
        // Folding what leads to it is the end of a find.
        if fold {
            self.tree.found.set(None);
        }
        self.unfolded.update(|list| change(list, !fold));
        self.folded.update(|list| change(list, fold));
    }

    /// Says something for a while.
    pub fn tell(self, text: &str) {
        self.shared.set(false);
        self.notice.set(Some(Notice { text: text.to_owned(), bad: false, engine: false }));
        self.forget_notice.set_value(Some(Timeout::new(6000, move || self.notice.set(None))));
    }

    /// Says what is pointed at, where no card does.
    pub fn name_pointed(self, title: &str) {
        if self.lecture.get_untracked() {
            self.tell(title);
        }
    }

    /// Says that something failed, until the reader puts it away.
    pub fn complain(self, text: &str) {
        self.forget_notice.set_value(None);
        self.notice.set(Some(Notice { text: text.to_owned(), bad: true, engine: false }));
    }

    fn complain_of_engine(self, text: &str) {
        self.forget_notice.set_value(None);
        self.notice.set(Some(Notice { text: text.to_owned(), bad: true, engine: true }));
    }
}

impl Default for App {
    fn default() -> Self {
        Self::new()
    }
}

/// The first of two views that is there. They are told apart by what they are, not by what they show.
fn either(first: Signal<Option<Arc<View>>>, second: RwSignal<Option<Arc<View>>>) -> Memo<Option<Arc<View>>> {
    let changed = |old: Option<&Option<Arc<View>>>, new: Option<&Option<Arc<View>>>| match (old, new) {
        (Some(Some(old)), Some(Some(new))) => !Arc::ptr_eq(old, new),
        (Some(None), Some(None)) | (None, None) => false,
        _ => true,
    };
    Memo::new_with_compare(move |_| first.get().or_else(|| second.get()), changed)
}

/// The model that a program's text asks for.
fn asked(program: &Program) -> Option<Model> {
    program.model.as_ref().and_then(|(name, _)| name.parse().ok())
}

/// The bounds that the engine takes.
pub fn valid_unroll(unroll: u32) -> bool {
    let mut options = Options::default();
    options.limits.unroll = unroll;
    options.validate().is_ok()
}

/// Derived relations with many edges are a choice, not the start.
fn hidden_at_first() -> BTreeSet<RelationName> {
    use RelationName::{Eco, Fr, Hb, Ppo, Psc, Sw};
    [Fr, Sw, Hb, Eco, Psc, Ppo].into()
}
