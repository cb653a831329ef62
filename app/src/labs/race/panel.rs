//! The race: who takes part, the tables and plots, and the classes of executions.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::document::{Kind, SERIES};
use litmoscope::explore::{Algorithm, Options};
use litmoscope::labs::race::{RaceView, Rules, Table};
use litmoscope::model::Model;
use litmoscope::session::Settings;
use litmoscope::syntax::Series;

use super::classes::{Classes, Found};
use super::plots::plots;
use super::worker::{Answer, Races, Request, Subject};
use crate::app::App;
use crate::app::lab::{LabId, Tab};
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

/// A race, as the page knows it. It has a worker of its own.
#[derive(Clone, Copy)]
struct Racing {
    app: App,
    view: RwSignal<Option<Arc<RaceView>>>,
    trouble: RwSignal<Option<String>>,
    /// What is raced: what was asked for last.
    subject: RwSignal<Option<(String, Model)>>,
    /// Who does not take part.
    out: RwSignal<Vec<Algorithm>>,
    sizes: RwSignal<Option<(u32, u32)>>,
    root: RwSignal<u16>,
    timeout: RwSignal<u32>,
    port: Port<Races>,
    face: RwSignal<Face>,
    /// The size of the program whose executions are classed.
    size: RwSignal<Option<u32>>,
    classes: Classes,
}

/// Those that can take part under a model.
fn entrants(model: Model, options: Options) -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL
        .into_iter()
        .filter(move |&algorithm| algorithm.is_for_all_sizes() && options.validate_for(algorithm, model).is_ok())
}

impl Racing {
    fn new(app: App) -> Self {
        Self {
            app,
            view: RwSignal::new(None),
            trouble: RwSignal::new(None),
            subject: RwSignal::new(None),
            out: RwSignal::new(Vec::new()),
            sizes: RwSignal::new(None),
            root: RwSignal::new(1),
            timeout: RwSignal::new(LIMITS[1]),
            port: Port::new(),
            face: RwSignal::new(Face::Tables),
            size: RwSignal::new(None),
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
        self.app.document.text.with(|text| Kind::of(text).is(&SERIES).then(|| Series::parse(text).ok()).flatten())
    }

    fn start(self) {
        let (text, model, options) = untrack(|| self.asked());
        let is_series = Kind::of(&text).is(&SERIES);
        let absent = self.out.get_untracked();
        let algorithms: Vec<Algorithm> =
            entrants(model, options).filter(|algorithm| !absent.contains(algorithm)).collect();
        if algorithms.is_empty() {
            self.trouble.set(Some("Choose an algorithm at least.".to_owned()));
            return;
        }
        let rules = Rules {
            algorithms,
            model,
            root: self.root.get_untracked(),
            classes: true,
            timeout: f64::from(self.timeout.get_untracked()),
            options,
        };
        self.port.interrupt();
        self.port.open(move |said| self.hear(said));
        self.trouble.set(None);
        self.subject.set(Some((text.clone(), model)));
        let sizes = self.sizes.get_untracked().filter(|_| is_series);
        self.port.begin(&Request::Race { text, sizes, rules: Box::new(rules) });
    }

    fn stop(self) {
        self.port.stop_within(STOP);
        self.classes.stop();
    }

    /// Whose executions are classed.
    fn subject_of_classes(self) -> Subject {
        let (text, _, options) = self.asked();
        let smallest = self.series().map(|series| *series.sizes.start());
        let size = smallest.map(|smallest| self.size.get().unwrap_or(smallest));
        Subject { text, size, root: self.root.get(), options }
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
        if let Some(trouble) = self.trouble.get() {
            return trouble;
        }
        let working = self.port.working.get();
        self.view.with(|view| match view {
            Some(view) if working => view.doing.clone().unwrap_or_default(),
            None if working => "starting".to_owned(),
            Some(view) if view.complete => "everything was explored".to_owned(),
            Some(_) => "bounded: some numbers are missing".to_owned(),
            None => String::new(),
        })
    }

    fn takers(self) -> impl IntoView {
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
        entrants(model, options).map(button).collect_view()
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
            <label for=id>{name}</label>
            <input id=id type="number" min=least.to_string() inputmode="numeric" prop:value=move || value().to_string() on:change:target=change />
        }
    }

    /// The sizes that are raced: those chosen, or else the series' own.
    fn chosen(self) -> (u32, u32) {
        let own = self.series().map_or((1, 1), |series| (*series.sizes.start(), *series.sizes.end()));
        self.sizes.get().unwrap_or(own)
    }

    fn root_setting(self) -> impl IntoView {
        self.number(
            "race-root",
            "Root thread",
            1,
            move || self.root.get().into(),
            move |root| self.root.set(u16::try_from(root).unwrap_or(u16::MAX)),
        )
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

    fn settings_of_classes(self) -> impl IntoView {
        let size = move || {
            self.series().map(|series| {
                let smallest = *series.sizes.start();
                let value = move || self.size.get().unwrap_or(smallest);
                self.number("classes-size", "Size", 0, value, move |size| self.size.set(Some(size)))
            })
        };
        let find = |this: Self| this.classes.start(untrack(|| this.subject_of_classes()));
        view! {
            <div class="race-settings">
                {size} {self.root_setting()} {self.stop_or(self.classes.port.working, "classes-go", "Find executions", find)}
            </div>
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
                {sizes} {self.root_setting()}
                <label for="race-limit">"Limit for each"</label>
                <select
                    id="race-limit"
                    title="How long one algorithm may take at one size"
                    on:change:target=move |event| self.timeout.set(event.target().value().parse().unwrap_or(LIMITS[1]))
                >
                    {LIMITS.map(limit).collect_view()}
                </select>
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
    });
    let subject = Memo::new(move |_| racing.subject_of_classes());
    // Executions are looked for when they are to be seen, and when another size or root is chosen; an edited program waits.
    let wanted = Memo::new(move |_| {
        let seen = open.get() && racing.face.get() == Face::Classes;
        seen.then(|| (name.get(), racing.size.get(), racing.root.get()))
    });
    Effect::new(move |_| {
        let stale = racing.classes.subject.with_untracked(|known| known.as_ref() != Some(&subject.get_untracked()));
        let broken = app.document.checked.with_untracked(|checked| checked.broken);
        if wanted.get().is_some() && stale && !broken {
            racing.classes.start(subject.get_untracked());
        }
    });
    let current = Memo::new(move |_| {
        let (text, model, _) = racing.asked();
        racing.subject.with(|subject| subject.as_ref().is_none_or(|subject| *subject == (text, model)))
    });
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
    let raced = Memo::new(move |_| racing.face.get() != Face::Classes);
    let race = move || {
        view! {
            <div class="race-takers" role="group" aria-label="Who takes part">{move || racing.takers()}</div>
            {racing.settings()}
            <div class="race-found" class:faded=move || !current.get() tabindex="0" role="group" aria-label="What was found">
                {found}
                {move || racing.view.with(Option::is_none).then(|| view! {
                    <p class="race-hint">
                        "All that take part explore the same programs. Of a series (a program whose first line is `series NAME`, with `$n` \
                         for its size), one size after the other."
                    </p>
                })}
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
                <button type="button" id="race-close" on:click=move |_| app.show(Tab::Graph)>"Back to the steps"</button>
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
            view! { <p class="race-hint">"Lines over sizes take two sizes at least, raced to their end: a series has them."</p> }.into_any()
        }
        Face::Plots => plots(&view.charts).into_any(),
        Face::Tables | Face::Classes => {
            view! { <div class="race-tables">{view.tables.iter().map(table).collect_view()}</div> }.into_any()
        }
    };
    let notes = view.notes.iter().map(|note| view! { <li>{note.clone()}</li> }).collect_view();
    view! {
        {head}
        {numbers}
        <ul class="race-notes">{notes}</ul>
    }
}

fn table(table: &Table) -> impl IntoView + use<> {
    let header = table.header.iter().map(|cell| view! { <th scope="col">{cell.clone()}</th> }).collect_view();
    let row = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(at, cell)| {
            let cell = cell.clone();
            if at == 0 {
                view! { <th scope="row">{cell}</th> }.into_any()
            } else {
                view! { <td>{cell}</td> }.into_any()
            }
        });
        view! { <tr>{cells.collect_view()}</tr> }
    };
    let rows = table.rows.iter().map(row).collect_view();
    view! {
        <table class="race-table">
            <thead><tr>{header}</tr></thead>
            <tbody>{rows}</tbody>
        </table>
    }
}
