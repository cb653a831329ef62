//! The panel: files are chosen or dropped, their tests are run, the table shows what came of them, and each can be opened.

use std::cmp::Ordering;
use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::explore::Options;
use litmoscope::labs::folder::{HEAD, How, Row, Status, cells, json, junit, summary};
use litmoscope::model::{Model, Usual};
use litmoscope::program::Notation;
use litmoscope::session::Settings;
use litmoscope::sort;
use litmoscope::words::{count, grouped};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::files::{self, Picked};
use super::intake::{ID, Intake};
use super::trial::{self, Trials};
use super::worker::{Answer, Request, Tests as TestsRole};
use crate::app::App;
use crate::app::lab::Tab;
use crate::app::offers::BackToSteps;
use crate::browser;
use crate::document::{Whose, place};
use crate::ui::prose::prose;
use crate::worker::line::Said;
use crate::worker::port::Port;

/// How many workers run tests at most.
const MOST: usize = 8;
/// How long a test may take, in seconds: what can be chosen; the second one is usual.
const LIMITS: [u32; 4] = [2, 10, 60, 600];
/// How many rows are shown at first, and more at a time.
const PAGE: usize = 200;
/// The step up to which the session goes to the decisive execution at once: further, that takes long.
const FAR: u64 = 200_000;

/// Which rows are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filter {
    All,
    Differing,
    Failing,
}

impl Filter {
    const ALL: [Self; 3] = [Self::All, Self::Differing, Self::Failing];

    /// Name, title, what that means.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::All => ("all", "All", "All tests"),
            Self::Differing => ("differing", "Differing", "Tests that are not as expected"),
            Self::Failing => ("failing", "Failing", "Tests that differ, are violated, or can't be read"),
        }
    }

    fn takes(self, row: Option<&Row>) -> bool {
        match self {
            Self::All => true,
            Self::Differing => row.is_some_and(|row| row.status() == Status::Differs),
            Self::Failing => row.is_some_and(|row| row.status().fails()),
        }
    }
}

/// The column that rows are sorted by, and whether the largest is first; none for the order of the files.
type Order = Option<(usize, bool)>;

fn compare(a: &Row, b: &Row, column: usize) -> Ordering {
    let number = |row: &Row| -> f64 {
        row.result.as_ref().map_or(-1.0, |ran| match column {
            4 => ran.states as f64,
            5 => ran.executions as f64,
            _ => ran.seconds,
        })
    };
    match column {
        // What has to be looked at comes first.
        2 => {
            let place = |row: &Row| {
                const FIRST: [Status; 8] = [
                    Status::Differs,
                    Status::Violated,
                    Status::Unreadable,
                    Status::Bounded,
                    Status::Agrees,
                    Status::Ok,
                    Status::Allowed,
                    Status::Forbidden,
                ];
                FIRST.iter().position(|status| *status == row.status())
            };
            place(a).cmp(&place(b))
        }
        4.. => number(a).total_cmp(&number(b)),
        _ => cells(a)[column].to_lowercase().cmp(&cells(b)[column].to_lowercase()),
    }
}

/// The places of the rows that are shown, in their order. What is not known yet comes last, where rows are sorted.
fn shown(rows: &[Option<Arc<Row>>], filter: Filter, order: Order) -> Vec<usize> {
    let mut places: Vec<usize> = (0..rows.len()).filter(|at| filter.takes(rows[*at].as_deref())).collect();
    if let Some((column, down)) = order {
        sort::by(&mut places, |a, b| match (&rows[*a], &rows[*b]) {
            (Some(one), Some(other)) => {
                let order = compare(one, other, column);
                if down { order.reverse() } else { order }.then(a.cmp(b))
            }
            (one, other) => other.is_some().cmp(&one.is_some()).then(a.cmp(b)),
        });
    }
    places
}

/// The sign and the word for what came of a test.
fn word(status: Status) -> String {
    let sign = match status {
        Status::Agrees | Status::Ok => "✓",
        Status::Differs | Status::Violated => "✗",
        Status::Allowed => "●",
        Status::Forbidden => "○",
        Status::Bounded => "…",
        Status::Unreadable => "!",
    };
    format!("{sign} {}", status.name())
}

/// What the panel knows.
#[derive(Clone, Copy)]
struct Testing {
    app: App,
    port: Port<TestsRole>,
    explaining: Port<Trials>,
    /// Files are being read.
    reading: RwSignal<bool>,
    /// How often something was chosen: what was chosen before is not read on.
    choice: StoredValue<u32>,
    /// Tests by the names of their files.
    files: RwSignal<Vec<String>>,
    rows: RwSignal<Vec<Option<Arc<Row>>>>,
    /// What was left out, and why.
    left_out: RwSignal<Vec<String>>,
    trouble: RwSignal<Option<String>>,
    /// For how long the run has gone on, in seconds, and how many workers it has.
    progress: RwSignal<(f64, usize)>,
    /// The run was stopped.
    stopped: RwSignal<bool>,
    /// The request for the run that is heard, and how it is run.
    run: StoredValue<u32>,
    how: RwSignal<How>,
    model: RwSignal<Option<Model>>,
    /// The models of tests that name none, by notation.
    usual: RwSignal<Usual>,
    limit: RwSignal<u32>,
    filter: RwSignal<Filter>,
    order: RwSignal<Order>,
    /// How many rows are shown.
    many: RwSignal<usize>,
    /// The test that is open.
    opened: RwSignal<Option<usize>>,
    /// Why it differs; none while that is not known.
    reasons: RwSignal<Option<Vec<String>>>,
}

impl Testing {
    fn new(app: App) -> Self {
        Self {
            app,
            port: Port::new(),
            explaining: Port::new(),
            reading: RwSignal::new(false),
            choice: StoredValue::new(0),
            files: RwSignal::new(Vec::new()),
            rows: RwSignal::new(Vec::new()),
            left_out: RwSignal::new(Vec::new()),
            trouble: RwSignal::new(None),
            progress: RwSignal::new((0.0, 0)),
            stopped: RwSignal::new(false),
            run: StoredValue::new(0),
            how: RwSignal::new(How::default()),
            model: RwSignal::new(None),
            usual: RwSignal::new(Usual::default()),
            limit: RwSignal::new(LIMITS[1]),
            filter: RwSignal::new(Filter::All),
            order: RwSignal::new(None),
            many: RwSignal::new(PAGE),
            opened: RwSignal::new(None),
            reasons: RwSignal::new(None),
        }
    }

    /// Takes other files in place of those that were there.
    fn take(self, files: impl Future<Output = Result<Vec<Picked>, String>> + 'static) {
        self.choice.update_value(|choice| *choice += 1);
        let choice = self.choice.get_value();
        let is_current = move || self.choice.get_value() == choice;
        self.port.end();
        self.explaining.end();
        self.files.set(Vec::new());
        self.rows.set(Vec::new());
        self.left_out.set(Vec::new());
        self.trouble.set(None);
        self.opened.set(None);
        self.many.set(PAGE);
        self.filter.set(Filter::All);
        self.reading.set(true);
        self.port.open(move |said| self.hear(said));
        self.port.begin(&Request::Clear);
        spawn_local(async move {
            let hand_on = move |request| {
                if is_current() {
                    self.port.ask(&request);
                }
            };
            let read = match files.await {
                Ok(files) => files::read(files, hand_on).await,
                Err(why) => Err(why),
            };
            if !is_current() {
                return;
            }
            self.reading.set(false);
            match read {
                Ok(()) => self.start(),
                Err(why) => {
                    self.port.end();
                    self.trouble.set(Some(why));
                }
            }
        });
    }

    /// Runs all tests.
    fn start(self) {
        let Options { limits, no_races, stuck_loops, spurious, leave_out_waits, .. } =
            self.app.document.options.get_untracked();
        let options = Options { limits, no_races, stuck_loops, spurious, leave_out_waits, ..Options::default() };
        let (model, usual) = (self.model.get_untracked(), self.usual.get_untracked());
        let how = How { model, usual, options, ..How::default() };
        self.stopped.set(false);
        self.trouble.set(None);
        self.opened.set(None);
        self.progress.set((0.0, 0));
        self.rows.update(|rows| rows.iter_mut().for_each(|row| *row = None));
        self.how.set(how.clone());
        let seconds = f64::from(self.limit.get_untracked());
        self.port.work();
        let run = self.port.ask(&Request::Run { how, seconds, walkers: browser::cores().clamp(1, MOST) });
        self.run.set_value(run);
    }

    fn stop(self) {
        if self.reading.get_untracked() {
            self.choice.update_value(|choice| *choice += 1);
            self.reading.set(false);
            self.port.end();
        } else if self.port.working.get_untracked() {
            self.stopped.set(true);
            self.port.stop();
        }
    }

    fn hear(self, said: Said<Answer>) {
        match said {
            Said::Answer(_, Answer::Listed { files, left_out }) => {
                if files.is_empty() {
                    let nothing = "There is no test among these: a test is a file that ends in .lit or .litmus.";
                    self.trouble.set(Some(nothing.to_owned()));
                }
                self.rows.set(vec![None; files.len()]);
                self.files.set(files);
                self.left_out.set(left_out);
            }
            Said::Answer(id, Answer::Ran { rows, seconds, walkers, over }) if id == self.run.get_value() => {
                self.progress.set((seconds, walkers));
                if !rows.is_empty() {
                    self.rows.update(|known| {
                        for (at, row) in rows {
                            if let Some(known) = known.get_mut(at as usize) {
                                *known = Some(Arc::new(row));
                            }
                        }
                    });
                }
                if over {
                    self.port.done();
                }
            }
            Said::Died(message) => {
                self.reading.set(false);
                self.trouble.set(Some(format!("The run failed: {message}. Choose the files again to continue.")));
            }
            Said::Answer(..) | Said::Lacks(_) | Said::Ready => {}
        }
    }

    fn row(self, at: usize) -> Option<Arc<Row>> {
        self.rows.with(|rows| rows.get(at).cloned().flatten())
    }

    /// Opens a test in the editor, and says how it differs.
    fn open(self, at: usize) {
        let Some(row) = untrack(|| self.row(at)) else { return };
        self.reasons.set(None);
        self.opened.set(Some(at));
        focus("tests-back");
        let how = self.how.get_untracked();
        self.port.ask_then(&Request::Read(at as u32), move |answer| {
            if let Answer::Read(Some(test)) = answer
                && self.opened.get_untracked() == Some(at)
            {
                let (ran, text) = (row.result.as_ref().ok(), test.text.clone());
                if let Ok(text) = text {
                    let position = ran.map_or(0, |ran| ran.position);
                    let settings = Settings {
                        text,
                        model: ran.map_or_else(|| self.app.document.model.get_untracked(), |ran| ran.model),
                        algorithm: self.app.document.algorithm.get_untracked(),
                        options: how.options,
                        position: 0,
                    };
                    let settings = match ran.filter(|_| (1..FAR).contains(&position)) {
                        Some(ran) => Settings { algorithm: ran.algorithm, position, ..settings },
                        None => settings,
                    };
                    self.app.load(&settings, Whose::Sample);
                    place::leave();
                    focus("tests-back");
                }
                let difference = ran.and_then(|ran| ran.difference.clone()).filter(|differs| !differs.is_empty());
                if let Some(difference) = difference {
                    self.explaining.interrupt();
                    self.explaining.open(move |said| {
                        if let Said::Died(message) = said {
                            self.reasons
                                .set(Some(vec![format!("The reason is unknown: the engine failed ({message}).")]));
                        }
                    });
                    self.explaining.work();
                    let request = trial::Request::Explain { test: *test, how: how.clone(), difference };
                    self.explaining.ask_then(&request, move |answer| {
                        self.explaining.done();
                        if let trial::Answer::Explained(reasons) = answer
                            && self.opened.get_untracked() == Some(at)
                        {
                            self.reasons.set(Some(reasons));
                        }
                        false
                    });
                }
            }
            false
        });
    }

    /// Goes back to the table, to the row that was left.
    fn back(self) {
        if let Some(at) = self.opened.get_untracked() {
            self.explaining.interrupt();
            self.opened.set(None);
            focus(&format!("tests-row-{at}"));
        }
    }

    /// All rows that are known, in the order of the files.
    fn known(self) -> Vec<Arc<Row>> {
        self.rows.with_untracked(|rows| rows.iter().flatten().cloned().collect())
    }

    fn as_json(self) -> String {
        let rows = self.known();
        json(&rows.iter().map(|row| &**row).collect::<Vec<_>>())
    }

    fn as_junit(self) -> String {
        let rows = self.known();
        junit(&rows.iter().map(|row| &**row).collect::<Vec<_>>(), self.progress.get_untracked().0)
    }

    fn status(self) -> String {
        let (seconds, walkers) = self.progress.get();
        if self.reading.get() {
            return "reading files …".to_owned();
        }
        let working = self.port.working.get();
        self.rows.with(|rows| {
            let known: Vec<&Row> = rows.iter().flatten().map(|row| &**row).collect();
            if working {
                let of = count(rows.len() as u64, "test");
                if rows.is_empty() {
                    return "starting …".to_owned();
                }
                let workers = count(walkers as u64, "worker");
                return format!("{} of {of}, {workers}", grouped(known.len() as u64));
            }
            if rows.is_empty() {
                return String::new();
            }
            let left = rows.len() - known.len();
            summary(&known, left, seconds).replace('\n', "; ")
        })
    }

    fn head(self) -> impl IntoView {
        let sorted = move |column: usize| match self.order.get() {
            Some((by, down)) if by == column => {
                if down {
                    "descending"
                } else {
                    "ascending"
                }
            }
            _ => "none",
        };
        let choose = move |column: usize| {
            self.order.update(|order| {
                *order = match *order {
                    Some((by, false)) if by == column => Some((column, true)),
                    Some((by, true)) if by == column => None,
                    _ => Some((column, false)),
                };
            });
        };
        let column = move |at: usize| {
            let mark = move || match sorted(at) {
                "ascending" => " ▲",
                "descending" => " ▼",
                _ => "",
            };
            view! {
                <th scope="col" class=class_of(at) aria-sort=move || sorted(at)>
                    <button type="button" class="tests-sort" title="Sort by this. Click again for the reverse order, and once more for the order of the files" on:click=move |_| choose(at)>
                        {HEAD[at]}
                        <span aria-hidden="true">{mark}</span>
                    </button>
                </th>
            }
        };
        view! { <thead><tr>{(0..HEAD.len()).map(column).collect_view()}</tr></thead> }
    }

    fn line(self, at: usize) -> impl IntoView {
        let row = untrack(|| self.row(at));
        let file = self.files.with_untracked(|files| files.get(at).cloned().unwrap_or_default());
        let Some(row) = row else {
            return view! {
                <tr class="tests-line waiting">
                    <th scope="row"><span class="tests-file">{file}</span></th>
                    <td colspan="6">"…"</td>
                </tr>
            }
            .into_any();
        };
        let status = row.status();
        let (cells, remarks) = (cells(&row), row.remarks());
        let more = match remarks.len() {
            0 | 1 => String::new(),
            many => format!(" (and {} more)", many - 1),
        };
        let remark =
            remarks.first().map(|first| view! { <span class="tests-remark">{prose(&format!("{first}{more}"))}</span> });
        let rest = (1..HEAD.len()).map(|column| {
            let text = if column == 2 { word(status) } else { cells[column].clone() };
            view! { <td class=class_of(column)>{text}</td> }
        });
        view! {
            <tr class=format!("tests-line {}", status.name()) on:click=move |_| self.open(at)>
                <th scope="row">
                    <button type="button" class="tests-open" id=format!("tests-row-{at}") title="Open it in the editor">
                        {cells[0].clone()}
                    </button>
                    <span class="tests-file">{file}</span>
                    {remark}
                </th>
                {rest.collect_view()}
            </tr>
        }
        .into_any()
    }

    fn table(self, shown: Memo<Vec<usize>>) -> impl IntoView {
        // A line is made anew when something is known of its test, and by nothing else: the focus stays.
        let lines = move || {
            let places = shown.get();
            self.rows.with(|rows| {
                let known = |at: usize| rows.get(at).is_some_and(Option::is_some);
                places.into_iter().take(self.many.get()).map(|at| (at, known(at))).collect::<Vec<_>>()
            })
        };
        let more = move || {
            let left = shown.with(Vec::len).saturating_sub(self.many.get());
            (left > 0).then(|| {
                let more = left.min(PAGE) as u64;
                view! {
                    <button type="button" id="tests-more" on:click=move |_| self.many.update(|many| *many += PAGE)>
                        {format!("Show {} more of {}", grouped(more), grouped(left as u64))}
                    </button>
                }
            })
        };
        let nothing = move || {
            let none = shown.with(Vec::is_empty) && !self.rows.with(Vec::is_empty);
            none.then(|| view! { <p class="tests-hint" id="tests-none">"No test matches this."</p> })
        };
        view! {
            <div class="tests-table" role="group" aria-label="What came of the tests" on:keydown=move |event| walk(&event)>
                <table id="tests-table" class:away=move || shown.with(Vec::is_empty)>
                    {self.head()}
                    <tbody>
                        <For each=lines key=|line| *line children=move |(at, _)| self.line(at) />
                    </tbody>
                </table>
                {nothing}
                {more}
            </div>
        }
    }

    fn filters(self) -> impl IntoView {
        let button = |filter: Filter| {
            let (name, title, about) = filter.words();
            let many = Memo::new(move |_| {
                self.rows.with(|rows| rows.iter().filter(|row| filter.takes(row.as_deref())).count())
            });
            let choose = move |_| {
                self.filter.set(filter);
                self.many.set(PAGE);
            };
            view! {
                <button
                    type="button"
                    id=format!("tests-{name}")
                    title=about
                    aria-pressed=move || (self.filter.get() == filter).to_string()
                    on:click=choose
                >
                    {title} " " <span class="tests-count">{move || grouped(many.get() as u64)}</span>
                </button>
            }
        };
        view! { <div class="tests-filters" role="group" aria-label="Which tests are shown">{Filter::ALL.map(button).collect_view()}</div> }
    }

    fn settings(self) -> impl IntoView {
        let model = |model: Model| {
            view! { <option value=model.name() selected=move || self.model.get() == Some(model)>{model.title()}</option> }
        };
        let limit = |seconds: u32| {
            view! { <option value=seconds.to_string() selected=move || self.limit.get() == seconds>{format!("{seconds} s")}</option> }
        };
        let again = move || !self.reading.get() && !self.port.working.get() && !self.files.with(Vec::is_empty);
        let going = move || self.reading.get() || self.port.working.get();
        view! {
            <label class="tests-setting">
                "Model "
                <select
                    id="tests-model"
                    title="The memory model: the one that each test names (or that of its notation, if it names none), or \
                           one for all tests"
                    on:change:target=move |event| self.model.set(event.target().value().parse().ok())
                >
                    <option value="" selected=move || self.model.get().is_none()>"as each test says"</option>
                    {Model::ALL.into_iter().map(model).collect_view()}
                </select>
            </label>
            <Show when=move || self.model.get().is_none()>
                {Usual::NAMES.map(|(name, notations)| self.notation_setting(name, notations)).collect_view()}
            </Show>
            <label class="tests-setting">
                "Limit for each "
                <select
                    id="tests-limit"
                    title="How long one test may take. A test that is not explored completely is bounded, and never \
                           counts as verified"
                    on:change:target=move |event| self.limit.set(event.target().value().parse().unwrap_or(LIMITS[1]))
                >
                    {LIMITS.map(limit).collect_view()}
                </select>
            </label>
            <Show when=again>
                <button type="button" id="tests-again" on:click=move |_| self.start()>"Run again"</button>
            </Show>
            <Show when=going>
                <button type="button" id="tests-stop" on:click=move |_| self.stop()>"Stop"</button>
            </Show>
        }
    }

    /// The model of tests in a notation.
    fn notation_setting(self, name: &'static str, notations: &'static [Notation]) -> impl IntoView {
        let title = match notations {
            [Notation::C11] => "C",
            [Notation::Litmoscope] => "Ours",
            _ => "x86",
        };
        let now = move || self.usual.with(|usual| usual.of(notations[0]));
        let option = move |model: Model| {
            view! { <option value=model.name() selected=move || now() == model>{model.title()}</option> }
        };
        view! {
            <label class="tests-setting">
                {title} " "
                <select
                    id=format!("tests-model-{name}")
                    title=format!("The model of tests that name none: {title}")
                    on:change:target=move |event| {
                        if let Ok(model) = event.target().value().parse::<Model>() {
                            self.usual.update(|usual| notations.iter().for_each(|&notation| usual.choose(notation, model)));
                        }
                    }
                >
                    {Model::ALL.into_iter().map(option).collect_view()}
                </select>
            </label>
        }
    }

    fn exports(self) -> impl IntoView {
        let copy = move |_| {
            let text = self.as_json();
            spawn_local(async move {
                if browser::copy(&text).await {
                    self.app.tell("The table was copied as JSON: one object on each line.");
                } else {
                    self.app.complain("The browser does not let this page copy anything. Download the table instead.");
                }
            });
        };
        let some = move || self.rows.with(|rows| rows.iter().any(Option::is_some));
        view! {
            <Show when=some>
                <div class="tests-exports" role="group" aria-label="The table for others">
                    <button type="button" id="tests-copy" title="One JSON object for each test, each on its own line, as litmoscope run --json prints them" on:click=copy>
                        "Copy JSON"
                    </button>
                    <button type="button" id="tests-json" title="One JSON object for each test, each on its own line, as litmoscope run --json prints them" on:click=move |_| browser::download("tests.jsonl", &self.as_json())>
                        "Download JSON"
                    </button>
                    <button type="button" id="tests-junit" title="The XML that build servers read, as litmoscope run --junit writes it" on:click=move |_| browser::download_as("application/xml", "tests.xml", &self.as_junit())>
                        "Download JUnit"
                    </button>
                </div>
            </Show>
        }
    }

    /// The test that is open.
    fn detail(self, at: usize) -> impl IntoView {
        let row = untrack(|| self.row(at))?;
        let status = row.status();
        let numbers = row.result.as_ref().ok().map(|ran| {
            let observation = ran.observation.map_or(String::new(), |observed| format!(", {}", observed.name()));
            let (states, executions) = (count(ran.states as u64, "state"), count(ran.executions, "execution"));
            let model = ran.model.title();
            format!(
                "under {model}{observation}: {states}, {executions}, {:.3} s by {}",
                ran.seconds,
                ran.algorithm.title()
            )
        });
        let remarks = row.remarks().into_iter().map(|remark| view! { <li>{prose(&remark)}</li> }).collect_view();
        let differs = status == Status::Differs;
        let reasons = move || {
            differs.then(|| match self.reasons.get() {
                None => view! { <p class="tests-hint" role="status">"Looking for the reason …"</p> }.into_any(),
                Some(reasons) => {
                    let reasons = reasons.into_iter().map(|reason| view! { <pre tabindex="0">{reason}</pre> });
                    view! { <h4>"Why"</h4> <div id="tests-reasons">{reasons.collect_view()}</div> }.into_any()
                }
            })
        };
        let text = row.result.is_ok();
        let said = match status {
            Status::Bounded => Some(
                "Not everything was explored. Nothing wrong was found so far, but this is not a proof. A longer \
                 limit may help.",
            ),
            _ => None,
        };
        Some(view! {
            <section
                class="tests-detail"
                id="tests-detail"
                aria-label="The test that is open"
                on:keydown=move |event| if event.key() == "Escape" {
                    event.prevent_default();
                    self.back();
                }
            >
                <div class="tests-detail-buttons">
                    <button type="button" id="tests-back" class="primary" on:click=move |_| self.back()>"Back to the table"</button>
                    <Show when=move || text>
                        <button type="button" id="tests-step" title="The steps that explore it" on:click=move |_| self.app.show(Tab::Graph)>
                            "Step through it"
                        </button>
                    </Show>
                    <button type="button" id="tests-text" class="tests-narrow" on:click=move |_| self.app.show(Tab::Program)>"Show its text"</button>
                </div>
                <h3>{row.test.clone()}</h3>
                <p class="tests-file">{row.file.clone()}</p>
                <p><b class=format!("tests-word {}", status.name())>{word(status)}</b> " " {numbers}</p>
                {said.map(|said| view! { <p>{said}</p> })}
                <ul id="tests-remarks">{remarks}</ul>
                {reasons}
            </section>
        })
    }
}

/// Columns of numbers, and those that small screens leave out.
fn class_of(column: usize) -> &'static str {
    match column {
        1 | 3 => "tests-minor",
        4 | 5 => "tests-number tests-minor",
        6 => "tests-number",
        _ => "",
    }
}

/// Gives an element the focus when it is there.
fn focus(id: &str) {
    let id = id.to_owned();
    request_animation_frame(move || {
        if let Some(element) =
            document().get_element_by_id(&id).and_then(|element| element.dyn_into::<HtmlElement>().ok())
        {
            let _ = element.focus();
        }
    });
}

/// The arrow keys go from row to row.
fn walk(event: &KeyboardEvent) {
    let Some(now) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
    if !now.class_list().contains("tests-open") {
        return;
    }
    let Ok(all) = document().query_selector_all("#tests-table .tests-open") else { return };
    let many = all.length();
    let Some(at) = (0..many).find(|at| all.item(*at).is_some_and(|one| one.is_same_node(Some(&now)))) else { return };
    let next = match event.key().as_str() {
        "ArrowDown" => at + 1,
        "ArrowUp" => at.saturating_sub(1),
        "Home" => 0,
        "End" => many - 1,
        _ => return,
    };
    event.prevent_default();
    if let Some(next) = all.item(next.min(many - 1)).and_then(|next| next.dyn_into::<HtmlElement>().ok()) {
        let _ = next.focus();
    }
}

/// The panel.
#[component]
pub fn Tests() -> impl IntoView {
    let app = App::get();
    let intake: Intake = expect_context();
    let testing = Testing::new(app);
    let open = app.is_open(ID);
    Effect::new(move |_| {
        if let Some(dropped) = intake.dropped() {
            testing.take(files::dropped(dropped));
        }
    });
    Effect::new(move |before: Option<u32>| {
        let now = intake.stops.get();
        if before.is_some_and(|before| before != now) {
            testing.stop();
        }
        now
    });
    let _ = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "Escape" && !event.default_prevented() && open.get_untracked() {
            testing.stop();
        }
    });
    let shown = Memo::new(move |_| testing.rows.with(|rows| shown(rows, testing.filter.get(), testing.order.get())));
    let picker = |id: &'static str, folder: bool| {
        let input = NodeRef::<html::Input>::new();
        let picked = move |_| {
            let Some(input) = input.get_untracked() else { return };
            let files = input.files().map(|list| files::picked(&list)).unwrap_or_default();
            // The same files can be picked again.
            input.set_value("");
            if !files.is_empty() {
                testing.take(async move { Ok(files) });
            }
        };
        Effect::new(move |_| {
            if let Some(input) = input.get().filter(|_| folder) {
                let _ = input.set_attribute("webkitdirectory", "");
            }
        });
        let accept = (!folder).then_some(".lit,.litmus,.expected,.log,.zip,.tar,.gz,.tgz");
        let hidden = view! {
            <input id=id class="away" type="file" multiple=true accept=accept aria-hidden="true" tabindex="-1" node_ref=input on:change=picked />
        };
        (hidden, move || {
            if let Some(input) = input.get_untracked() {
                input.click();
            }
        })
    };
    let (files_input, pick_files) = picker("tests-files", false);
    let (folder_input, pick_folder) = picker("tests-folder", true);
    let part = move || testing.rows.with(|rows| (rows.iter().flatten().count(), rows.len().max(1)));
    let untouched = move || {
        let nothing = testing.rows.with(Vec::is_empty) && !testing.reading.get() && !testing.port.working.get();
        nothing.then(|| {
            view! {
                <div class="tests-hint" id="tests-hint">
                    <p>
                        "Drop a folder, an archive (.zip, .tar, .tar.gz, .tgz) or several files anywhere on this page, or choose them above. \
                         Files that end in .lit or .litmus are tests. They stay on this machine."
                    </p>
                    <p>
                        "What herd or litmus printed about a test SB.litmus is in SB.litmus.expected or SB.expected \
                         beside it. Files that end in .log have this for many tests, which are matched by their \
                         names. The table says what agrees and what differs."
                    </p>
                </div>
            }
        })
    };
    let left_out = move || {
        testing.left_out.with(|all| {
            (!all.is_empty()).then(|| {
                let few = all.iter().take(5).map(|one| view! { <li>{one.clone()}</li> }).collect_view();
                let more = all.len().saturating_sub(5);
                let more = (more > 0).then(|| view! { <li>{format!("and {} more", grouped(more as u64))}</li> });
                view! { <ul class="tests-left-out" id="tests-left-out" aria-label="What was left out">{few} {more}</ul> }
            })
        })
    };
    let going = move || testing.port.working.get() || testing.reading.get();
    let table_is_hidden = move || testing.opened.get().is_some();
    view! {
        <div class="testing" data-over=move || (!going()).to_string()>
            <div class="compare-head">
                <h2>"Tests"</h2>
                <p class="compare-status" id="tests-status" role="status">{move || testing.status()}</p>
                <BackToSteps id="tests-close" />
            </div>
            {files_input} {folder_input}
            <div class="tests-body" class:away=table_is_hidden>
                <div class="tests-settings">
                    <button type="button" id="tests-choose" title="Tests, what is expected of them, and archives" on:click=move |_| pick_files()>
                        "Choose files…"
                    </button>
                    <button type="button" id="tests-choose-folder" title="All that is in a folder" on:click=move |_| pick_folder()>
                        "Choose a folder…"
                    </button>
                    {testing.settings()}
                </div>
                <Show when=going>
                    <progress
                        class="tests-progress"
                        aria-label="Tests that are done"
                        max=move || part().1.to_string()
                        prop:value=move || part().0 as f64
                    ></progress>
                </Show>
                <p class="trouble tests-trouble" id="tests-trouble" role="alert">{move || testing.trouble.get().map(|trouble| prose(&trouble))}</p>
                {left_out}
                {untouched}
                <Show when=move || !testing.rows.with(Vec::is_empty)>
                    <div class="tests-tools">{testing.filters()} {testing.exports()}</div>
                    {testing.table(shown)}
                </Show>
            </div>
            {move || testing.opened.get().map(|at| testing.detail(at))}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(test: &str, result: Result<(), String>) -> Option<Arc<Row>> {
        let result = result.map(|()| unreachable!("only what can't be read is made here"));
        Some(Arc::new(Row { file: format!("{test}.litmus"), test: test.to_owned(), result }))
    }

    #[test]
    fn rows_are_filtered_and_sorted() {
        let bad = || Err("bad".to_owned());
        let rows = [row("b", bad()), None, row("A", bad()), row("c", bad())];
        assert_eq!(shown(&rows, Filter::All, None), [0, 1, 2, 3]);
        assert_eq!(shown(&rows, Filter::Failing, None), [0, 2, 3]);
        assert_eq!(shown(&rows, Filter::Differing, None), [0_usize; 0]);
        // What is not known yet comes last, whichever way round.
        assert_eq!(shown(&rows, Filter::All, Some((0, false))), [2, 0, 3, 1]);
        assert_eq!(shown(&rows, Filter::All, Some((0, true))), [3, 0, 2, 1]);
        assert_eq!(shown(&rows, Filter::All, Some((2, false))), [0, 2, 3, 1]);
    }
}
