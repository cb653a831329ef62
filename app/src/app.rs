//! What all labs have in common, and what they may ask of the page.
//!
//! [`App`] is a handful of signals, copied around and found in Leptos' context. Everything about programs, graphs and
//! explorations in it came from the engine, in a worker or (parsing alone) here. What only one lab knows is in that lab; the page
//! speaks to it through [`Lab`], and it hears of the page by [`App::on`].

pub mod command;
pub mod definition;
pub mod inquiry;
pub mod lab;
pub mod looks;
pub mod offers;
pub mod session;
pub mod waiting;

use std::rc::Rc;
use std::sync::Arc;

use gloo::timers::callback::{Interval, Timeout};
use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::document::{Kind, Subject};
use litmoscope::explore::Algorithm;
use litmoscope::graph::RelationName;
use litmoscope::report::{Format, Theme};
use litmoscope::session::link::LabPlace;
use litmoscope::session::script::Scene;
use litmoscope::session::{Aspect, GraphQuestion, Reach, Settings, View, ViewRequest, link};
use serde_json::{Map, Value};

use crate::browser;
use crate::document::{Checked, Document, Whose, place};
use crate::ui::scene::around::Around;
use crate::worker::line::Said;
use crate::worker::session::{Answer, Command, Request};
use lab::{Accepts, Lab, LabId, Link, Tab};
use looks::{Looks, Preferences};
use session::{Contrast, Session, Then, Whole};

/// Texts up to this length are parsed at every key; longer ones when the typing pauses.
const SMALL_TEXT: usize = 16 * 1024;
/// How long a pause in typing is, in milliseconds.
const PAUSE: u32 = 300;
/// How long the worker may be silent during a command before the page says so, in milliseconds.
const SILENCE: f64 = 10_000.0;

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

/// What the page has to say.
#[derive(Clone, Copy)]
pub struct Notices {
    /// The message.
    pub notice: RwSignal<Option<Notice>>,
    /// It is about a link.
    pub shared: RwSignal<bool>,
    /// A link to be copied by hand.
    pub link: RwSignal<Option<String>>,
    forget: StoredValue<Option<Timeout>, LocalStorage>,
}

/// Which dialogs of the page are open. Those of labs are theirs.
#[derive(Clone, Copy)]
pub struct Dialogs {
    /// What copies and downloads.
    pub copying: RwSignal<bool>,
    /// How the page looks and moves.
    pub preferring: RwSignal<bool>,
    /// The ways to share.
    pub sharing: RwSignal<bool>,
    /// The help.
    pub help: RwSignal<bool>,
    /// The recent sessions.
    pub recent: RwSignal<bool>,
}

/// What happens to the page, for those who follow it.
#[derive(Debug)]
pub enum Event<'a> {
    /// Another document takes the place of the one that is still there.
    Replacing,
    /// Something else is to be explored.
    Edited(&'a Settings),
    /// A session is opened.
    Opening,
    /// A lab is chosen, and takes the place of what was shown.
    Covering,
}

/// A lab that is there.
pub struct Registered {
    /// Its name.
    pub id: LabId,
    /// Which texts it is for.
    pub accepts: Accepts,
    /// The name under which it is kept with the session.
    pub kept: Option<&'static str>,
    /// It has a panel that takes the place of the steps.
    pub has_panel: bool,
    /// What it does.
    pub lab: Rc<dyn Lab>,
}

type Follower = Rc<dyn Fn(&Event<'_>)>;

/// What the page calls what it can do, by the names of its commands.
#[derive(Clone, Copy)]
pub struct Titles {
    /// The title.
    pub title: fn(&str) -> &'static str,
    /// The title with its keys.
    pub hint: fn(&str) -> String,
}

/// The page's state.
#[derive(Clone, Copy)]
pub struct App {
    /// The text and how it is to be explored.
    pub document: Document,
    /// The session that is stepped through.
    pub session: Session,
    /// What was found by a run that explored everything, if there is one.
    pub whole: Whole,
    /// The graph and what is said of it: of the step, or of a moment of the run.
    pub seen: Memo<Option<Arc<View>>>,
    /// What was found: by the run if there is one, else by the steps.
    pub results: Memo<Option<Arc<View>>>,
    /// How the page looks.
    pub looks: Looks,
    /// What is pointed at, and what else all drawings have in common.
    pub around: Around,
    /// The scene that is shown, as long as nobody has stepped on from it.
    pub scene: RwSignal<Option<Arc<Scene>>>,
    /// The lab that is open.
    pub active: RwSignal<LabId>,
    /// The panel shown on a small screen.
    pub tab: RwSignal<Tab>,
    /// Which dialogs are open.
    pub dialogs: Dialogs,
    /// What the page has to say.
    pub notices: Notices,
    titles: Titles,
    labs: StoredValue<Vec<Registered>, LocalStorage>,
    /// How many labs have come with their panels.
    labs_came: RwSignal<u32>,
    followers: StoredValue<Vec<Follower>, LocalStorage>,
}

impl App {
    /// A page on which these settings are explored.
    pub fn new(settings: &Settings, preferences: Preferences, titles: Titles) -> Self {
        let (session, whole) = (Session::new(settings), Whole::new());
        let looks = Looks::new(preferences);
        let scene = RwSignal::new(None::<Arc<Scene>>);
        let around = Around {
            look: Signal::derive(move || looks.look()),
            scale: Signal::derive(move || looks.preferences.get().size.scale()),
            afar: looks.lecture.into(),
            current: session.current.into(),
            thick: Signal::derive(move || {
                scene.with(|scene| scene.as_ref().map(|scene| scene.highlight.clone()).unwrap_or_default())
            }),
            embedded: browser::embedded(),
            pointed: RwSignal::new(None),
            pinned: RwSignal::new(None),
            step: RwSignal::new(None),
            pressed: StoredValue::new(None),
        };
        let closed = || RwSignal::new(false);
        Self {
            document: Document::new(settings),
            session,
            whole,
            seen: either(Signal::derive(move || whole.view.get().filter(|_| whole.shown.get())), session.view),
            results: either(whole.view.into(), session.view),
            looks,
            around,
            scene,
            active: RwSignal::new(LabId::STEPPING),
            tab: RwSignal::default(),
            dialogs: Dialogs {
                copying: closed(),
                preferring: closed(),
                sharing: closed(),
                help: closed(),
                recent: closed(),
            },
            notices: Notices {
                notice: RwSignal::new(None),
                shared: RwSignal::new(false),
                link: RwSignal::new(None),
                forget: StoredValue::new_local(None),
            },
            titles,
            labs: StoredValue::new_local(Vec::new()),
            labs_came: RwSignal::new(0),
            followers: StoredValue::new_local(Vec::new()),
        }
    }

    /// The state, anywhere in the page.
    pub fn get() -> Self {
        expect_context()
    }

    /// Starts the worker, and follows edits.
    pub fn start(self) {
        let Session { current, playing, .. } = self.session;
        self.start_worker();
        if let Some(query) = browser::narrow() {
            let changed = query.clone();
            let narrow = self.looks.narrow;
            gloo::events::EventListener::new(&query, "change", move |_| narrow.set(changed.matches())).forget();
        }
        // Anything that makes a session ends the one before; the next is opened when the typing pauses.
        Effect::new(move |_| {
            let settings = self.settings();
            if self.session.requested.with_value(|requested| requested.as_ref() != Some(&settings)) {
                self.edit(&settings);
            }
        });
        Effect::new(move |_| {
            let look = self.look();
            // What is chosen while a session opens is asked for when it is there.
            let asked = self.session.looked.with_value(|looked| looked.as_ref() == Some(&look));
            if current.get() && !asked {
                self.session.looked.set_value(Some(look.clone()));
                let id = self.session.port.ask(&Request::Look(look));
                self.session.looking.set(Some(id));
            }
        });
        Effect::new(move |_| {
            let names: Vec<_> = self.looks.hidden.get().into_iter().map(RelationName::name).collect();
            if !self.looks.arranged.get_untracked() {
                browser::store("hidden", &names.join(" "));
            }
        });
        Effect::new(move |_| {
            let period = (1000.0 / self.session.speed.get()) as u32;
            let player = playing.get().then(|| Interval::new(period.max(20), move || self.play_step()));
            self.session.player.set_value(player);
        });
        Effect::new(move |_| self.count_contrast());
        Interval::new(1000, move || {
            let silent = self.session.port.silence() > SILENCE;
            if silent && self.session.working.get_untracked() && self.notices.notice.with_untracked(Option::is_none) {
                self.complain_of_engine("The engine has not answered for a while. You can wait for it, or restart it.");
            }
        })
        .forget();
    }

    /// Keeps how many executions there are, plain or with co, once all were counted.
    fn count_contrast(self) {
        let contrast = self.session.contrast;
        // Up to the first error is no total.
        let finished = self.results.get().filter(|view| view.reach == Reach::Whole);
        let of = untrack(|| Settings { algorithm: Algorithm::default(), ..self.settings() });
        if contrast.with_untracked(|contrast| contrast.of.as_ref() != Some(&of)) {
            contrast.set(Contrast { of: Some(of), ..Contrast::default() });
        }
        let Some(view) = finished.filter(|_| self.session.current.get()) else { return };
        contrast.update(|contrast| {
            let algorithm = self.document.algorithm.get_untracked();
            if algorithm.traits().counts_plain {
                contrast.plain = Some(view.counts.plain);
            }
            if algorithm.tracks_co() {
                contrast.with_co = Some(view.counts.executions());
            }
        });
    }

    /// What was chosen, at the session's start.
    pub fn settings(self) -> Settings {
        self.document.settings()
    }

    /// Whether the algorithm can leave out executions in which threads of this program wait in vain.
    pub fn leaves_out_waits(self) -> bool {
        let of_program = self.session.view.with(|view| view.as_ref().is_some_and(|view| view.leaves_out_waits));
        of_program && self.document.algorithm.get().traits().leaves_out_waits
    }

    /// How many steps have been made, or are to be made when the session is opened.
    pub fn place(self) -> u64 {
        let Session { current, view, .. } = self.session;
        if current.get_untracked() {
            return view.with_untracked(|view| view.as_ref().map_or(0, |view| view.position));
        }
        let settings = untrack(|| self.settings());
        let destination = self.session.destination.get_value();
        let destination = destination.filter(|to| Settings { position: 0, ..to.clone() } == settings);
        let opening = self.session.requested.with_value(|requested| requested.as_ref() == Some(&settings));
        destination.map_or(if opening { self.session.opened_at.get_value() } else { 0 }, |to| to.position)
    }

    /// What is to be seen of graph and tree.
    pub fn look(self) -> ViewRequest {
        let Looks { aspect, format, hidden, narrow, lecture, theme, .. } = self.looks;
        let aspect = aspect.get();
        let formats = match (self.dialogs.copying.get(), aspect) {
            (true, _) => Format::ALL.to_vec(),
            (false, Aspect::Text) => vec![format.get()],
            _ => Vec::new(),
        };
        ViewRequest {
            hidden: hidden.get().into_iter().collect(),
            unfolded: self.session.unfolded.get(),
            folded: self.session.folded.get(),
            found: self.session.sought.get(),
            narrow: narrow.get() || lecture.get(),
            aspect,
            // Elsewhere it would be looked again for nothing.
            theme: if formats.is_empty() { Theme::default() } else { theme.get() },
            formats,
        }
    }

    /// Whether the session shown can be moved through.
    pub fn steppable(self) -> bool {
        self.session.steppable()
    }

    /// The link to the step that is shown.
    pub fn step_link(self) -> String {
        link::encode(&self.step_settings())
    }

    /// What leads to that step.
    fn step_settings(self) -> Settings {
        let mut settings = untrack(|| self.settings());
        if self.session.current.get_untracked() {
            let settled = self.whole.shown.get_untracked() && self.whole.settled.get_untracked();
            let view = if settled { self.seen.get_untracked() } else { self.session.view.get_untracked() };
            settings.position = view.map_or(0, |view| view.position);
            // A run may explore in another way than one steps.
            if let Some(subject) = self.whole.subject.get_untracked().filter(|_| settled) {
                settings.algorithm = subject.algorithm;
            }
        }
        settings
    }

    // Following

    /// Hears what happens.
    pub fn on(self, follow: impl Fn(&Event<'_>) + 'static) {
        self.followers.update_value(|followers| followers.push(Rc::new(follow)));
    }

    fn happens(self, event: &Event<'_>) {
        self.followers.get_value().iter().for_each(|follow| follow(event));
    }

    // Editing and opening

    fn edit(self, settings: &Settings) {
        let Session { edited, current, playing, working, requested, port, pause, .. } = self.session;
        edited.set(true);
        // A scene of these very settings is being opened.
        let opens = |scene: &Arc<Scene>| Settings { position: 0, ..scene.settings.clone() } == *settings;
        if !self.scene.with_untracked(|shown| shown.as_ref().is_some_and(opens)) {
            self.scene.set(None);
        }
        current.set(false);
        playing.set(false);
        self.happens(&Event::Edited(settings));
        requested.set_value(None);
        if working.get_untracked() {
            port.stop();
        }
        if settings.text.len() <= SMALL_TEXT {
            self.document.check(&settings.text);
        }
        pause.set_value(Some(Timeout::new(PAUSE, move || self.open())));
    }

    /// Opens a session for what was chosen; with a broken text, the one before stays in sight.
    pub fn open(self) {
        let session = self.session;
        let settings = untrack(|| self.settings());
        session.pause.set_value(None);
        self.document.check(&settings.text);
        if self.document.awaits_dialects.get_untracked() {
            // It is opened when they have come.
            return;
        }
        let destination = session.destination.get_value();
        session.destination.set_value(None);
        let position = destination.filter(|to| Settings { position: 0, ..to.clone() } == settings);
        let position = position.map_or(0, |to| to.position);
        session.opened_at.set_value(position);
        session.requested.set_value(Some(settings.clone()));
        self.fit(Kind::of(&settings.text));
        if self.document.checked.with_untracked(|checked| checked.broken) {
            session.edited.set(false);
            return;
        }
        session.unfolded.set(Vec::new());
        session.folded.set(Vec::new());
        self.happens(&Event::Opening);
        let look = untrack(|| self.look());
        session.looked.set_value(Some(look.clone()));
        session.looking.set(None);
        session.opening.set_value(true);
        session.begin(session.port.begin(&Request::Open { settings: Settings { position, ..settings }, look }));
        session.edited.set(false);
    }

    /// Lets go of a lab that is not for texts of this kind, for one that is.
    fn fit(self, kind: Kind) {
        let active = self.active.get_untracked();
        let wanted = self.lab_for(kind);
        if active == LabId::STEPPING && wanted != active {
            // The text stays in sight where there is room for one panel.
            if self.tab.get_untracked() == Tab::Program { self.active.set(wanted) } else { self.show(Tab::Graph) }
        } else if self.is_for_another(active, kind.subject()) {
            self.active.set(wanted);
            self.tab.update(|tab| *tab = if tab.lab() == Some(active) { Tab::Graph } else { *tab });
        }
    }

    /// The lab that shows a text of this kind at first.
    pub fn lab_for(self, kind: Kind) -> LabId {
        self.labs.with_value(|labs| {
            let found = labs.iter().find(|registered| registered.accepts.contains(&kind.subject()));
            found.map_or(LabId::STEPPING, |registered| registered.id)
        })
    }

    /// Whether a lab is for texts, but not for those about that.
    fn is_for_another(self, id: LabId, subject: &Subject) -> bool {
        self.registered(id, |registered| registered.accepts)
            .is_some_and(|own| !own.is_empty() && own.iter().all(|own| *own != subject))
    }

    /// Whether a lab makes something of texts about that.
    pub fn fits(self, id: LabId, subject: &Subject) -> bool {
        !self.is_for_another(id, subject) || self.lab(id).shows(subject)
    }

    /// Whether the lab that is open makes nothing of the text.
    pub fn unfit(self) -> Memo<bool> {
        Memo::new(move |_| {
            self.labs_came.track();
            !self.fits(self.active.get(), self.document.kind().subject())
        })
    }

    /// Opens an example, a file of the site, in the place of the text that is there.
    ///
    /// # Errors
    /// Why it can't be had, in words.
    pub async fn open_example(self, file: &str) -> Result<(), String> {
        let settings = self.document.example(file).await?;
        self.load(&settings, Whose::Sample);
        Ok(())
    }

    /// Explores to the end with co in the executions or without it.
    pub fn count(self, with_co: bool) {
        let algorithm = self.document.algorithm.get_untracked().with_or_without_co(with_co);
        if self.document.algorithm.get_untracked() == algorithm {
            self.command(Command::Run);
            return;
        }
        // What this algorithm heeds is known when it was chosen.
        self.document.use_algorithm(algorithm);
        let settings = untrack(|| self.settings());
        self.session.destination.set_value(Some(Settings { position: u64::MAX, ..settings }));
    }

    /// Replaces everything by what a link or an example says. The text that was there can be restored if the user wrote
    /// it.
    pub fn load(self, settings: &Settings, whose: Whose) {
        if self.document.is_worth_keeping(&settings.text) {
            self.document.keep(self.step_link());
        }
        self.happens(&Event::Replacing);
        self.notices.notice.set(None);
        self.session.requested.set_value(None);
        self.session.destination.set_value(Some(settings.clone()));
        self.document.set(settings, whose);
        self.edit(&untrack(|| self.settings()));
        self.open();
    }

    /// Goes to a step of the same program, perhaps explored in another way, which is said then.
    pub fn explore(self, settings: &Settings) {
        let how = |settings: &Settings| format!("{} under {}", settings.algorithm.title(), settings.model.title());
        let [before, now] = [&untrack(|| self.settings()), settings].map(how);
        self.load(settings, Whose::Readers);
        if before != now {
            self.tell(&format!("This is step {} of {now}. The steps were those of {before}.", settings.position));
        }
    }

    /// Goes to a step of the run, or else of the session.
    pub fn go_to_found(self, position: u64) {
        // The steps of a run may be those of another algorithm.
        let algorithm = self.document.algorithm.get_untracked();
        match self.whole.subject.get_untracked().filter(|subject| subject.algorithm != algorithm) {
            Some(subject) => self.explore(&Settings { position, ..subject }),
            None => self.command(Command::GoTo(position)),
        }
    }

    /// An empty program, to be written; the one that is there can be restored.
    pub fn begin(self) {
        let settings = untrack(|| self.settings());
        self.load(&Settings { text: String::new(), ..settings }, Whose::Sample);
        self.show(Tab::Program);
        place::enter();
    }

    /// Brings back the text that an example or a link replaced.
    pub fn restore(self) {
        if let Some(settings) = untrack(|| self.document.kept()) {
            self.document.drop_kept();
            self.load(&settings, Whose::Readers);
        }
    }

    // Speaking to the worker

    fn start_worker(self) {
        self.session.ready.set(false);
        self.session.port.open(move |said| self.hear(said));
    }

    /// Ends the worker and starts another one.
    pub fn restart(self) {
        self.notices.notice.set(None);
        self.session.port.end();
        self.session.looking.set(None);
        self.start_worker();
        self.open();
    }

    fn hear(self, said: Said<Answer>) {
        let Session { ready, view, found, progress, current, looking, playing, .. } = self.session;
        let finish = |id: u32| {
            if self.session.is_at(id) {
                self.session.port.done();
                self.session.opening.set_value(false);
                progress.set(None);
                found.set(None);
            }
            if looking.get_untracked() == Some(id) {
                looking.set(None);
            }
        };
        match said {
            Said::Ready => ready.set(true),
            Said::Answer(id, Answer::Shown(shown)) => {
                if shown.done && shown.position == shown.frontier {
                    playing.set(false);
                }
                found.set(None);
                self.session.requested.with_value(|asked| {
                    if let Some(settings) = asked {
                        self.document.learn(&settings.text, &shown.notes);
                    }
                });
                view.set(Some(Arc::new(*shown)));
                if self.session.requested.with_value(Option::is_some) {
                    current.set(true);
                }
                finish(id);
            }
            Said::Answer(id, Answer::Refused(diagnostics)) => {
                self.document.checked.set(Checked { diagnostics, broken: true, refused: true });
                current.set(false);
                finish(id);
            }
            Said::Answer(id, Answer::Progress(mut now)) if self.session.is_at(id) => {
                if let Some(outcomes) = now.outcomes.take() {
                    found.set(Some(outcomes));
                }
                progress.set(Some(now));
            }
            Said::Died(message) => self.bury(&message),
            // The others have somebody who asked.
            Said::Answer(..) | Said::Lacks(_) => {}
        }
    }

    /// The worker has died: another one goes to where it was.
    fn bury(self, message: &str) {
        let opening = self.session.opening.get_value();
        let place = Settings { position: self.place(), ..untrack(|| self.settings()) };
        self.session.playing.set(false);
        self.session.progress.set(None);
        self.session.current.set(false);
        self.session.looking.set(None);
        self.start_worker();
        // What killed it at the start would do so again.
        if !opening {
            self.session.destination.set_value(Some(place));
            self.open();
        }
        let again = if opening {
            "Change the program or the settings to try again."
        } else {
            "The page goes back to the step where you were."
        };
        self.complain_of_engine(&format!("The engine failed and was restarted: {message}. Your text is safe. {again}"));
    }

    // Moving

    /// Sends a command.
    pub fn command(self, command: Command) {
        if !untrack(|| self.steppable()) {
            return;
        }
        self.whole.shown.set(false);
        self.scene.set(None);
        self.session.opening.set_value(false);
        self.session.begin(self.session.port.ask(&Request::Do(command)));
    }

    /// Ends whatever steps by itself.
    pub fn stop(self) {
        self.session.playing.set(false);
        if self.session.working.get_untracked() {
            self.session.port.stop();
        }
    }

    /// Starts or ends playing.
    pub fn toggle_play(self) {
        let Session { view, playing, .. } = self.session;
        let at_end = view.with_untracked(|view| view.as_ref().is_some_and(|v| v.done && v.position == v.frontier));
        playing.set(!playing.get_untracked() && !at_end && untrack(|| self.steppable()));
    }

    fn play_step(self) {
        // A step that takes long is waited for.
        if !self.session.working.get_untracked() {
            self.command(Command::Forward);
        }
    }

    // Looking

    /// Asks something of the graph that is shown.
    pub fn read(self, stamp: String, question: GraphQuestion, then: Then) {
        match self.whole.ask.get_value().filter(|_| self.whole.shown.get_untracked()) {
            Some(ask) => ask(stamp, question, then),
            None => self.session.read(stamp, question, then),
        }
    }

    /// Goes to a place in the program.
    pub fn go_to_text(self, span: litmoscope::program::Span) {
        self.show(Tab::Program);
        place::go_to(self.document.text.get_untracked(), span);
    }

    /// Says what is pointed at, where no card does.
    pub fn name_pointed(self, title: &str) {
        if self.looks.lecture.get_untracked() {
            self.tell(title);
        }
    }

    // Labs

    /// A lab is there from now on.
    pub fn register(self, registered: Registered) {
        self.labs.update_value(|labs| labs.push(registered));
    }

    fn registered<T>(self, id: LabId, what: impl FnOnce(&Registered) -> T) -> Option<T> {
        self.labs.with_value(|labs| labs.iter().find(|registered| registered.id == id).map(what))
    }

    /// The lab of this name.
    pub fn lab(self, id: LabId) -> Rc<dyn Lab> {
        struct Nothing;
        impl Lab for Nothing {}
        self.registered(id, |registered| registered.lab.clone()).unwrap_or_else(|| Rc::new(Nothing))
    }

    /// Its panel, if it takes the place of the exploration or is that.
    pub fn panel(self, id: LabId) -> Option<Tab> {
        if id == LabId::STEPPING {
            return Some(Tab::Graph);
        }
        self.registered(id, |registered| registered.has_panel)?.then_some(Tab::Lab(id))
    }

    /// The lab that is open.
    pub fn open_lab(self) -> Rc<dyn Lab> {
        self.lab(self.active.get_untracked())
    }

    /// All labs that are kept with the session, with the names under which they are.
    pub fn kept_labs(self) -> Vec<(&'static str, LabId, Rc<dyn Lab>)> {
        let kept = |lab: &Registered| Some((lab.kept?, lab.id, lab.lab.clone()));
        self.labs.with_value(|labs| labs.iter().filter_map(kept).collect())
    }

    /// Whether a lab is open, for effects.
    pub fn is_open(self, id: LabId) -> Memo<bool> {
        Memo::new(move |_| self.active.get() == id)
    }

    /// Whether a lab is shown in place of the steps.
    pub fn covered(self) -> bool {
        self.active.get_untracked() != LabId::STEPPING
    }

    /// Shows a panel, where there is room for one only. Labs that have one take the room of the other panels but the program,
    /// on large screens too.
    pub fn show(self, tab: Tab) {
        // A text that is an execution has no steps.
        let fitting = self.lab_for(untrack(|| self.document.kind()));
        let tab = if tab == Tab::Graph { self.panel(fitting).unwrap_or(tab) } else { tab };
        if let Some(lab) = tab.lab() {
            // Labs take the place of a question, by their buttons; keys wait for its answer.
            if lab != LabId::STEPPING {
                self.happens(&Event::Covering);
            }
            if lab != self.active.get_untracked() {
                self.lab(lab).enter();
            }
            self.active.set(lab);
        }
        self.tab.set(tab);
    }

    /// Shows the steps, also of a text that has none: it is said there, then.
    fn show_steps(self) {
        self.active.set(LabId::STEPPING);
        self.tab.set(Tab::Graph);
    }

    /// Opens a lab. If it makes nothing of the text, that is said in its place.
    pub fn open_there(self, id: LabId) {
        let fits = self.fits(id, untrack(|| self.document.kind()).subject());
        if !(fits && self.lab(id).open())
            && let Some(tab) = self.panel(id)
        {
            self.show(tab);
        }
    }

    /// Opens a lab, or goes back to the steps.
    pub fn toggle(self, id: LabId) {
        let open = self.active.get_untracked();
        if id == LabId::STEPPING {
            self.happens(&Event::Covering);
        }
        if id == LabId::STEPPING || id == open {
            self.lab(open).leave();
            self.show_steps();
        } else {
            self.open_there(id);
        }
    }

    /// Hands something to a lab, and opens it.
    pub fn ask_there(self, id: LabId, what: &str) {
        self.lab(id).take(what);
        if let Some(tab) = self.panel(id) {
            self.show(tab);
        }
    }

    /// The link to what is shown: to a step, or to what the open lab shows.
    pub fn link(self) -> Link {
        const STEP: &str = "Link copied: it leads to exactly this step. The address bar has it too.";
        let own = || {
            let id = self.active.get_untracked();
            let is_placed = self.registered(id, |lab| lab.has_panel && !lab.accepts.is_empty())?;
            self.lab_link(id, Value::Object(Map::new())).filter(|_| is_placed && id != LabId::STEPPING)
        };
        let lab = self.open_lab().link().or_else(own);
        lab.unwrap_or_else(|| Link { fragment: self.step_link(), said: STEP })
    }

    /// A link to a lab, which shows there what it makes of a place; `None` if no link can hold it.
    pub fn lab_link(self, id: LabId, place: Value) -> Option<Link> {
        let place = LabPlace { settings: self.step_settings(), lab: id.0.to_owned(), place };
        let fragment = link::encode_lab(&place).ok()?;
        Some(Link {
            fragment,
            said: "Link copied: it leads to this lab, with this program. The address bar has it too.",
        })
    }

    /// The lab that a link names: one that is kept with sessions by the name under which it is, others by their own.
    pub fn lab_named(self, name: &str) -> Option<(LabId, Rc<dyn Lab>)> {
        let all = |is: &dyn Fn(&Registered) -> bool| {
            self.labs.with_value(|labs| labs.iter().find(|lab| is(lab)).map(|lab| (lab.id, lab.lab.clone())))
        };
        all(&|lab| lab.kept == Some(name)).or_else(|| all(&|lab| lab.has_panel && lab.id.0 == name))
    }

    /// Puts a fragment into the address, and the whole address onto the clipboard, or else into a field.
    pub fn publish(self, fragment: &str, copied: &'static str) {
        let address = browser::set_fragment(fragment);
        spawn_local(async move {
            if browser::copy(&address).await {
                self.notices.link.set(None);
                self.tell(copied);
                self.notices.shared.set(true);
            } else {
                self.notices.link.set(Some(address));
                self.tell("The link is ready: copy it from the field.");
            }
        });
    }

    // Saying

    /// The title of a command.
    pub fn title(self, command: &str) -> &'static str {
        (self.titles.title)(command)
    }

    /// The title of a command with its keys, for whoever rests the mouse on a button.
    pub fn hint(self, command: &str) -> String {
        (self.titles.hint)(command)
    }

    /// Says something for a while.
    pub fn tell(self, text: &str) {
        let Notices { notice, shared, forget, .. } = self.notices;
        shared.set(false);
        notice.set(Some(Notice { text: text.to_owned(), bad: false, engine: false }));
        forget.set_value(Some(Timeout::new(6000, move || notice.set(None))));
    }

    /// Says that something failed, until the reader puts it away.
    pub fn complain(self, text: &str) {
        self.notices.forget.set_value(None);
        self.notices.notice.set(Some(Notice { text: text.to_owned(), bad: true, engine: false }));
    }

    fn complain_of_engine(self, text: &str) {
        self.notices.forget.set_value(None);
        self.notices.notice.set(Some(Notice { text: text.to_owned(), bad: true, engine: true }));
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
