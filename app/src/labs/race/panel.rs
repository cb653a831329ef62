//! The race: who takes part, the tables and plots, and the classes of executions.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::explore::{Algorithm, Options};
use litmoscope::labs::race::{RaceView, Rules};
use litmoscope::model::Model;
use litmoscope::session::Settings;
use litmoscope::syntax::{self, Series};
use litmoscope::words;

use super::classes::{Classes, Found};
use super::plots::plots;
use super::series::{Shelf, series_of};
use super::tables::{legend, tables};
use super::worker::{Answer, Races, Request, Subject};
use crate::app::App;
use crate::app::lab::LabId;
use crate::app::offers::BackToSteps;
use crate::ui::prose::prose;
use crate::worker::line::Said;
use crate::worker::port::Port;

/// How long a race has to stop when it is asked to, in milliseconds.
const STOP: u32 = 1500;
/// How long one algorithm may take at one size, in seconds: what is offered.
const LIMITS: [u32; 5] = [1, 3, 10, 30, 120];

/// Ends the race when it changes.
#[derive(Clone, Copy)]
pub struct Stop(pub RwSignal<u32>);

/// What is seen of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Face {
    Tables,
    Plots,
    Classes,
}

impl Face {
    const ALL: [Self; 3] = [Self::Tables, Self::Plots, Self::Classes];

    /// Its name in ids, its title, and what is there.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Tables => ("tables", "Tables", "What each algorithm did at each size"),
            Self::Plots => ("plots", "Plots", "The same as lines over sizes, logarithmic"),
            Self::Classes => ("classes", "Classes", "The executions of one program: which of them count as the same"),
        }
    }
}

/// What a race is of.
#[derive(Clone, PartialEq)]
struct Asked {
    text: String,
    /// The sizes of a series, from and to.
    sizes: Option<(u32, u32)>,
    rules: Rules,
}

/// A race, as the page knows it. It has a worker of its own.
#[derive(Clone, Copy)]
struct Racing {
    app: App,
    view: RwSignal<Option<Arc<RaceView>>>,
    trouble: RwSignal<Option<String>>,
    /// What is raced: what was asked for last.
    subject: RwSignal<Option<Asked>>,
    /// The reader has ended it.
    stopped: RwSignal<bool>,
    /// Who does not take part.
    out: RwSignal<Vec<Algorithm>>,
    sizes: RwSignal<Option<(u32, u32)>>,
    /// The number of the root thread that was chosen, from 1.
    root: RwSignal<u16>,
    /// The names of the threads that can be the root.
    threads: Memo<Vec<String>>,
    timeout: RwSignal<u32>,
    port: Port<Races>,
    face: RwSignal<Face>,
    /// The size of the program whose executions are classed.
    size: RwSignal<Option<u32>>,
    /// The same if none is chosen: the smallest that has more than one execution, as far as is known.
    offered: RwSignal<Option<u32>>,
    classes: Classes,
}

/// Those that could take part under some model.
fn all() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_for_all_sizes())
}

/// Those that can take part under a model.
fn entrants(model: Model, options: Options) -> impl Iterator<Item = Algorithm> {
    all().filter(move |&algorithm| options.validate_for(algorithm, model).is_ok())
}

/// Whether what an algorithm explores depends on a root thread.
fn has_root(algorithm: Algorithm) -> bool {
    algorithm.definition().parameters.iter().any(|parameter| parameter.name == "root")
}

/// What a race does now, of the engine's few words for where it is.
fn doing(place: &str) -> String {
    let (size, what) = place.rsplit_once(": ").map_or((String::new(), place), |(at, what)| (format!("{at}: "), what));
    if what == "classes" { format!("{size}counting classes …") } else { format!("{size}running {what} …") }
}

/// The program of a text, or that of a size of a series, has threads of these names; none if it is no program.
fn threads_of(text: &str, size: u32) -> Vec<String> {
    let parsed = if Series::begins(text) {
        Series::parse(text).ok().and_then(|series| Some(series.program(size).ok()?.1))
    } else {
        syntax::parse(text).ok()
    };
    let program = parsed.map(|parsed| parsed.program);
    program.map_or_else(Vec::new, |program| (0..program.threads.len()).map(|at| program.thread_name(at)).collect())
}

impl Racing {
    fn new(app: App) -> Self {
        let sizes = RwSignal::new(None::<(u32, u32)>);
        let [size, offered] = [None, None].map(RwSignal::<Option<u32>>::new);
        let face = RwSignal::new(Face::Tables);
        let threads = Memo::new(move |_| {
            let chosen = match face.get() {
                Face::Classes => size.get().or(offered.get()),
                // A thread that is there at all sizes.
                Face::Tables | Face::Plots => sizes.get().map(|(from, _)| from),
            };
            let size = chosen.or_else(|| series_of(app).map(|series| *series.sizes.start()));
            app.document.text.with(|text| threads_of(text, size.unwrap_or(1)))
        });
        Self {
            app,
            view: RwSignal::new(None),
            trouble: RwSignal::new(None),
            subject: RwSignal::new(None),
            stopped: RwSignal::new(false),
            out: RwSignal::new(Vec::new()),
            sizes,
            root: RwSignal::new(1),
            threads,
            timeout: RwSignal::new(LIMITS[1]),
            port: Port::new(),
            face,
            size,
            offered,
            classes: Classes::default(),
        }
    }

    /// The text, the model, and how programs are explored.
    fn asked(self) -> (String, Model, Options) {
        let Settings { text, model, options, .. } = self.app.settings();
        (text, model, Options { stop_at_first: false, ..options.without_reductions() })
    }

    /// The series that the text is, if it is one.
    fn series(self) -> Option<Series> {
        series_of(self.app)
    }

    /// The number of the root thread, from 1.
    fn root(self) -> u16 {
        let threads = u16::try_from(self.threads.with(Vec::len)).unwrap_or(u16::MAX);
        self.root.get().min(if threads == 0 { u16::MAX } else { threads })
    }

    /// Who takes part.
    fn takers(self) -> Vec<Algorithm> {
        let (_, model, options) = self.asked();
        self.out.with(|out| entrants(model, options).filter(|algorithm| !out.contains(algorithm)).collect())
    }

    /// What would be raced now.
    fn race(self) -> Asked {
        let (text, model, options) = self.asked();
        let sizes = self.series().is_some().then(|| self.chosen());
        let timeout = f64::from(self.timeout.get());
        let rules = Rules { algorithms: self.takers(), model, root: self.root(), classes: true, timeout, options };
        Asked { text, sizes, rules }
    }

    /// Whether what is known is of what would be raced now. Who takes part may have been chosen anew.
    fn is_current(self) -> bool {
        self.subject.with(|subject| {
            subject.as_ref().is_none_or(|Asked { text, sizes, rules }| {
                let now = self.race();
                let rules_now = Rules { algorithms: rules.algorithms.clone(), ..now.rules };
                (text, sizes, rules) == (&now.text, &now.sizes, &rules_now)
            })
        })
    }

    fn start(self) {
        let asked = untrack(|| self.race());
        self.stopped.set(false);
        if asked.rules.algorithms.is_empty() {
            self.trouble.set(Some("Choose at least one algorithm.".to_owned()));
            return;
        }
        self.port.interrupt();
        self.port.open(move |said| self.hear(said));
        self.trouble.set(None);
        self.subject.set(Some(asked.clone()));
        let Asked { text, sizes, rules } = asked;
        self.port.begin(&Request::Race { text, sizes, rules: Box::new(rules) });
    }

    fn stop(self) {
        if self.port.working.get_untracked() {
            self.stopped.set(true);
        }
        self.port.stop_within(STOP);
        self.classes.stop();
    }

    /// The size of the series whose executions are classed.
    fn classed_size(self) -> Option<u32> {
        let smallest = self.series().map(|series| *series.sizes.start())?;
        Some(self.size.get().or(self.offered.get()).unwrap_or(smallest))
    }

    /// Whose executions are classed.
    fn subject_of_classes(self) -> Subject {
        let (text, _, options) = self.asked();
        Subject { text, size: self.classed_size(), root: self.root(), options }
    }

    /// Where no size was chosen, and one has no two executions that could be compared, goes on to the next of the usual ones.
    fn offer_another_size(self, poor: u32) {
        let offered =
            untrack(|| (self.size.get().is_none() && self.classed_size() == Some(poor)).then(|| self.series()));
        if offered.flatten().is_some_and(|series| poor < *series.sizes.end()) {
            self.offered.set(Some(poor + 1));
        }
    }

    fn hear(self, said: Said<Answer>) {
        match said {
            Said::Answer(_, Answer::Raced { view, over }) => {
                self.view.set(Some(Arc::new(*view)));
                if over {
                    self.port.done();
                }
            }
            Said::Answer(_, Answer::Refused(diagnostics)) => {
                let first = diagnostics.into_iter().next();
                let said = first.map_or_else(String::new, |first| {
                    let help = first.help.map_or_else(String::new, |help| format!(" ({help})"));
                    format!("{}{help}", first.message)
                });
                self.view.set(None);
                self.port.done();
                self.trouble.set(Some(format!("This can't be raced: {said}.")));
            }
            Said::Died(message) => self.trouble.set(Some(format!("The race failed: {message}."))),
            Said::Answer(..) | Said::Lacks(_) | Said::Ready => {}
        }
    }

    fn status(self) -> String {
        if self.face.get() == Face::Classes {
            return self.classes.status();
        }
        if self.trouble.with(Option::is_some) {
            return String::new();
        }
        let working = self.port.working.get();
        self.view.with(|view| match view {
            Some(view) if working => view.doing.as_deref().map(doing).unwrap_or_default(),
            None if working => "starting …".to_owned(),
            Some(view) if view.complete => "everything was explored".to_owned(),
            _ if self.stopped.get() => "stopped: some numbers are missing".to_owned(),
            Some(_) => "bounded: some numbers are missing".to_owned(),
            None => String::new(),
        })
    }

    fn choice_of_takers(self) -> impl IntoView {
        let (_, model, options) = self.asked();
        let button = |algorithm: Algorithm| {
            let takes_part = move || self.out.with(|out| !out.contains(&algorithm));
            let toggle = move |_| {
                self.out.update(|out| match out.iter().position(|other| *other == algorithm) {
                    Some(place) => drop(out.remove(place)),
                    None => out.push(algorithm),
                });
            };
            view! {
                <button
                    type="button"
                    id=format!("race-{}", algorithm.name())
                    title=algorithm.description()
                    aria-pressed=move || takes_part().to_string()
                    on:click=toggle
                >
                    {algorithm.title()}
                </button>
            }
        };
        let absent: Vec<&str> =
            all().filter(|algorithm| options.validate_for(*algorithm, model).is_err()).map(Algorithm::title).collect();
        let absent = (!absent.is_empty()).then(|| {
            let count = absent.len() as u64;
            let take = words::by_number(count, "takes", "take");
            let said = format!("{} {take} no part under {}", words::count(count, "algorithm"), model.title());
            view! { <span class="race-absent" title=absent.join(", ")>{said}</span> }
        });
        view! {
            {entrants(model, options).map(button).collect_view()}
            <span class="race-all">
                <button type="button" id="race-all" title="All take part" on:click=move |_| self.out.set(Vec::new())>"All"</button>
                <button type="button" id="race-none" title="None takes part" on:click=move |_| self.out.set(all().collect())>
                    "None"
                </button>
            </span>
            {absent}
        }
    }

    /// A number of the settings.
    fn number(
        self,
        id: &'static str,
        name: &'static str,
        least: u32,
        value: impl Fn() -> u32 + Copy + Send + 'static,
        set: impl Fn(u32) + Copy + 'static,
    ) -> impl IntoView {
        let change = move |event: leptos::ev::Targeted<leptos::ev::Event, web_sys::HtmlInputElement>| match event
            .target()
            .value()
            .trim()
            .parse()
        {
            Ok(number) if number >= least => set(number),
            _ => event.target().set_value(&value().to_string()),
        };
        view! {
            <span class="race-setting">
                <label for=id>{name}</label>
                <input id=id type="number" min=least.to_string() inputmode="numeric" prop:value=move || value().to_string() on:change:target=change />
            </span>
        }
    }

    /// The sizes that are raced: those chosen, or else the series' own.
    fn chosen(self) -> (u32, u32) {
        let own = self.series().map_or((1, 1), |series| (*series.sizes.start(), *series.sizes.end()));
        self.sizes.get().unwrap_or(own)
    }

    /// The root thread, where anything depends on it.
    fn root_setting(self) -> impl IntoView {
        let matters = Memo::new(move |_| {
            let (_, model, _) = self.asked();
            self.face.get() == Face::Classes || model.rules().takes_turns() || self.takers().into_iter().any(has_root)
        });
        let set = move |root: String| {
            if let Ok(root) = root.parse() {
                self.root.set(root);
            }
        };
        move || {
            let threads = self.threads.get();
            let option = |(at, name): (usize, String)| {
                let chosen = move || usize::from(self.root()) == at + 1;
                view! { <option value=(at + 1).to_string() selected=chosen>{name}</option> }
            };
            (matters.get() && !threads.is_empty()).then(|| {
                view! {
                    <span class="race-setting">
                        <label for="race-root">"Root thread"</label>
                        <select
                            id="race-root"
                            title="The thread that some equivalences, and their algorithms, treat differently"
                            on:change:target=move |event| set(event.target().value())
                        >
                            {threads.into_iter().enumerate().map(option).collect_view()}
                        </select>
                    </span>
                }
            })
        }
    }

    /// Buttons that stop what goes on, or begin it.
    fn stop_or(self, working: RwSignal<bool>, id: &'static str, title: &'static str, begin: fn(Self)) -> impl IntoView {
        move || {
            if working.get() {
                view! { <button type="button" id="race-stop" on:click=move |_| self.stop()>"Stop"</button> }.into_any()
            } else {
                view! { <button type="button" id=id class="primary" on:click=move |_| begin(self)>{title}</button> }
                    .into_any()
            }
        }
    }

    /// The series that come with the page.
    fn shelf(self) -> impl IntoView {
        view! { <Shelf trouble=self.trouble /> }
    }

    fn settings_of_classes(self) -> impl IntoView {
        let size = move || {
            self.series().map(|_| {
                let value = move || self.classed_size().unwrap_or(1);
                self.number("classes-size", "Size", 0, value, move |size| self.size.set(Some(size)))
            })
        };
        let find = |this: Self| this.classes.start(untrack(|| this.subject_of_classes()));
        let other = move || {
            let model = self.app.document.model.get();
            let said =
                || format!("Classes are defined under SC; the model chosen ({}) isn't used here.", model.title());
            (!model.rules().takes_turns()).then(|| view! { <p class="race-hint" id="classes-model">{said()}</p> })
        };
        view! {
            <div class="race-settings">
                {self.shelf()} {size} {self.root_setting()} {self.stop_or(self.classes.port.working, "classes-go", "Find executions", find)}
            </div>
            {other}
        }
    }

    fn settings(self) -> impl IntoView {
        let sizes = move || {
            self.series().is_some().then(|| {
                let to = move |to| self.sizes.set(Some((untrack(|| self.chosen()).0.min(to), to)));
                let from = move |from| self.sizes.set(Some((from, untrack(|| self.chosen()).1.max(from))));
                view! {
                    {self.number("race-from", "Sizes from", 0, move || self.chosen().0, from)}
                    {self.number("race-to", "to", 0, move || self.chosen().1, to)}
                }
            })
        };
        let limit = |seconds: u32| {
            view! { <option value=seconds.to_string() selected=move || self.timeout.get() == seconds>{format!("{seconds} s")}</option> }
        };
        view! {
            <div class="race-settings">
                {self.shelf()} {sizes} {self.root_setting()}
                <span class="race-setting">
                    <label for="race-limit">"Limit for each"</label>
                    <select
                        id="race-limit"
                        title="How long one algorithm may take at one size"
                        on:change:target=move |event| self.timeout.set(event.target().value().parse().unwrap_or(LIMITS[1]))
                    >
                        {LIMITS.map(limit).collect_view()}
                    </select>
                </span>
                {self.stop_or(self.port.working, "race-go", "Race", Self::start)}
            </div>
        }
    }
}

/// The panel: who takes part, what was found.
#[component]
pub fn Race() -> impl IntoView {
    let app = App::get();
    let open = app.is_open(LabId("race"));
    let racing = Racing::new(app);
    let Stop(stops) = expect_context();
    Effect::new(move |before: Option<u32>| {
        let now = stops.get();
        if before.is_some_and(|before| before != now) {
            racing.stop();
        }
        now
    });
    let _ = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "Escape" && open.get_untracked() {
            racing.stop();
        }
    });
    // Sizes are those of one series.
    let name = Memo::new(move |_| racing.series().map(|series| series.name));
    Effect::new(move |_| {
        name.track();
        racing.sizes.set(None);
        racing.size.set(None);
        racing.offered.set(None);
    });
    let poor = Memo::new(move |_| racing.classes.size_without_pairs());
    Effect::new(move |_| {
        if let Some(poor) = poor.get() {
            racing.offer_another_size(poor);
        }
    });
    let subject = Memo::new(move |_| racing.subject_of_classes());
    // Executions are looked for when they are to be seen, and when another size or root is chosen; an edited program waits.
    let wanted = Memo::new(move |_| {
        let seen = open.get() && racing.face.get() == Face::Classes;
        seen.then(|| (name.get(), racing.size.get(), racing.offered.get(), racing.root()))
    });
    Effect::new(move |_| {
        let stale = racing.classes.subject.with_untracked(|known| known.as_ref() != Some(&subject.get_untracked()));
        // A series is no program either, but has some.
        let broken =
            app.document.checked.with_untracked(|checked| checked.broken) && untrack(|| racing.series().is_none());
        if wanted.get().is_some() && stale && !broken {
            racing.classes.start(subject.get_untracked());
        }
    });
    let current = Memo::new(move |_| racing.is_current());
    let classed = Memo::new(move |_| racing.classes.subject.with(|known| known.as_ref() == Some(&subject.get())));
    let found = move || racing.view.get().map(|view| found(&view, racing.face.get()));
    let faces = Face::ALL.map(|face| {
        let (name, title, about) = face.words();
        view! {
            <button
                type="button"
                id=format!("race-{name}")
                title=about
                aria-pressed=move || (racing.face.get() == face).to_string()
                on:click=move |_| racing.face.set(face)
            >
                {title}
            </button>
        }
    });
    let over = move || match racing.face.get() {
        Face::Classes => !racing.classes.port.working.get(),
        Face::Tables | Face::Plots => !racing.port.working.get(),
    };
    let explained = Memo::new(move |_| racing.face.get() == Face::Tables && racing.view.with(Option::is_some));
    let raced = Memo::new(move |_| racing.face.get() != Face::Classes);
    let race = move || {
        view! {
            <div class="race-takers" role="group" aria-label="Who takes part">{move || racing.choice_of_takers()}</div>
            {racing.settings()}
            <div class="race-found" class:faded=move || !current.get() tabindex="0" role="group" aria-label="What was found">
                <p class="trouble race-trouble" id="race-trouble" role="alert">{move || racing.trouble.get().map(|trouble| prose(&trouble))}</p>
                {found}
                {move || {
                    let unknown = racing.view.with(Option::is_none);
                    unknown.then(|| view! {
                        <p class="race-hint">
                            {prose(
                                "All chosen algorithms explore the same programs. A series is a program whose first line \
                                 is `series NAME`, with `$n` for its size. The algorithms explore one size after the \
                                 other.",
                            )}
                        </p>
                    })
                }}
                {move || explained.get().then(legend)}
            </div>
        }
    };
    let classes = move || {
        view! {
            {racing.settings_of_classes()}
            <Found classes=racing.classes faded=Signal::derive(move || !classed.get()) />
        }
    };
    view! {
        <div class="racing" data-over=move || over().to_string()>
            <div class="compare-head">
                <h2>"Race"</h2>
                <div class="race-faces" role="group" aria-label="What is seen">{faces.into_iter().collect_view()}</div>
                <p class="compare-status" id="race-status" role="status">{move || racing.status()}</p>
                <BackToSteps id="race-close" />
            </div>
            {move || if raced.get() { race().into_any() } else { classes().into_any() }}
        </div>
    }
}

/// The tables or plots, and what is missing in them.
fn found(view: &Arc<RaceView>, face: Face) -> impl IntoView + use<> {
    let head = view.head.iter().map(|line| view! { <p class="race-head">{line.clone()}</p> }).collect_view();
    let numbers = match face {
        Face::Plots if view.charts.is_empty() => {
            view! { <p class="race-hint">"Lines over sizes need at least two sizes that were raced to the end. A series has several sizes."</p> }.into_any()
        }
        Face::Plots => plots(&view.charts).into_any(),
        Face::Tables | Face::Classes => {
            tables(&view.tables).into_any()
        }
    };
    let notes = view.notes.iter().map(|note| view! { <li>{prose(note)}</li> }).collect_view();
    view! {
        {head}
        {numbers}
        <ul class="race-notes">{notes}</ul>
    }
}
