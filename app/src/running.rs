//! Runs: everything explored by many workers at once, beside the steps; and runs that were saved elsewhere.

use std::sync::Arc;

use gloo::timers::callback::Timeout;
use gloo::worker::WorkerBridge;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::session::script::Script;
use litmoscope::session::{FoundView, MomentKind, Question, Settings, View, ViewRequest};
use litmoscope::words::{self, about, grouped};
use web_sys::DragEvent;

use crate::browser;
use crate::icons::{self, Icon};
use crate::reading::Reading;
use crate::state::{App, Tab};
use crate::worker::{self, EngineWorker, Request, RequestId, Response, RunProgress};

/// How many workers explore at most.
const MOST: usize = 8;

/// A run as the page knows it.
#[derive(Clone, Copy)]
pub struct Running {
    /// What it explores, at the start.
    pub subject: RwSignal<Option<Settings>>,
    /// It goes on.
    pub going: RwSignal<bool>,
    /// How far it has come.
    pub progress: RwSignal<Option<RunProgress>>,
    /// What it found, perhaps so far.
    pub found: RwSignal<Option<Arc<FoundView>>>,
    /// The same as a view.
    pub view: RwSignal<Option<Arc<View>>>,
    /// One of its moments is shown in place of the step.
    pub shown: RwSignal<bool>,
    /// Why there is none.
    pub trouble: RwSignal<Option<String>>,
    /// What a file has that was opened just now.
    pub opened: RwSignal<Option<Settings>>,
    /// It is that of a file.
    pub saved: RwSignal<bool>,
    reading: Reading,
    last_id: StoredValue<RequestId>,
    id: StoredValue<RequestId>,
    bridge: StoredValue<Option<WorkerBridge<EngineWorker>>, LocalStorage>,
}

impl Running {
    /// No run. Answers go to what reads the graphs.
    pub fn new(reading: Reading) -> Self {
        Self {
            reading,
            subject: RwSignal::new(None),
            going: RwSignal::new(false),
            progress: RwSignal::new(None),
            found: RwSignal::new(None),
            view: RwSignal::new(None),
            shown: RwSignal::new(false),
            trouble: RwSignal::new(None),
            opened: RwSignal::new(None),
            saved: RwSignal::new(false),
            last_id: StoredValue::new(0),
            id: StoredValue::new(0),
            bridge: StoredValue::new_local(None),
        }
    }

    /// Explores everything; ends the run before.
    pub fn start(self, settings: Settings, look: ViewRequest) {
        self.forget();
        self.bridge.set_value(Some(worker::spawn(move |response| self.hear(response))));
        self.subject.set(Some(settings.clone()));
        self.going.set(true);
        self.send(Request::Run { id: self.id.get_value(), settings, walkers: browser::cores().clamp(1, MOST), look });
    }

    /// Ends the run; what it found stays.
    pub fn stop(self) {
        if self.going.get_untracked() {
            self.send(Request::Stop);
        }
    }

    /// Ends the run and forgets what it found.
    pub fn forget(self) {
        self.bridge.set_value(None);
        self.last_id.update_value(|id| *id += 1);
        self.id.set_value(self.last_id.get_value());
        self.subject.set(None);
        self.going.set(false);
        self.progress.set(None);
        self.found.set(None);
        self.view.set(None);
        self.shown.set(false);
        self.saved.set(false);
        self.trouble.set(None);
    }

    /// Opens a run that was saved elsewhere.
    pub fn open(self, content: String, look: ViewRequest) {
        self.forget();
        self.bridge.set_value(Some(worker::spawn(move |response| self.hear(response))));
        self.send(Request::OpenRun { id: self.id.get_value(), content, look });
    }

    /// Shows a moment in place of the step.
    pub fn show(self, moment: MomentKind, look: ViewRequest) {
        self.shown.set(true);
        self.look(Some(moment), look);
    }

    /// Shows a moment, or the same, in another way.
    pub fn look(self, moment: Option<MomentKind>, look: ViewRequest) {
        self.send(Request::Show { id: self.id.get_value(), moment, look });
    }

    /// Asks something of a moment that is shown.
    pub fn ask(self, id: RequestId, stamp: String, question: Question) {
        self.send(Request::Read { id, stamp, question });
    }

    fn send(self, request: Request) {
        self.bridge.with_value(|bridge| {
            if let Some(bridge) = bridge {
                bridge.send(request);
            }
        });
    }

    fn hear_of(self, found: FoundView) {
        self.view.set(Some(Arc::new(found.view.clone())));
        self.found.set(Some(Arc::new(found)));
    }

    fn hear(self, response: Response) {
        let this = |id: RequestId| id == self.id.get_value();
        match response {
            Response::Running { id, progress } if this(id) => self.progress.set(Some(progress)),
            Response::Found { id, found } if this(id) => self.hear_of(*found),
            Response::RunOver { id, progress, found } if this(id) => {
                self.progress.set(Some(progress));
                if let Some(found) = found {
                    self.hear_of(*found);
                }
                self.going.set(false);
            }
            Response::Opened { id, opened, found, seconds } if this(id) => match (opened, found) {
                (Ok(settings), Some(found)) => {
                    let counts = found.view.counts;
                    self.progress.set(Some(RunProgress { counts, seconds, rate: 0.0, estimate: None, walkers: 0 }));
                    self.hear_of(*found);
                    self.saved.set(true);
                    self.opened.set(Some(*settings));
                }
                (opened, _) => {
                    let why = opened.err().unwrap_or_else(|| "it can't be explored here".to_owned());
                    self.trouble.set(Some(format!("Nothing was opened: {why}.")));
                }
            },
            Response::Refused { id, diagnostics } if this(id) => {
                let first = diagnostics.into_iter().next().map_or_else(String::new, |diagnostic| diagnostic.message);
                self.going.set(false);
                self.trouble.set(Some(format!("This can't be explored: {first}.")));
            }
            Response::Replied { id, answer } => self.reading.hear(id, answer),
            Response::Died(message) => {
                // Not at once: the bridge is in use while it calls back.
                Timeout::new(0, move || {
                    self.bridge.set_value(None);
                    self.going.set(false);
                    self.trouble.set(Some(format!(
                        "The run failed: {message}. What is shown was found before; the steps still work."
                    )));
                })
                .forget();
            }
            _ => {}
        }
    }
}

/// A time in words: "12 s", "3 min", "2 h".
fn duration(seconds: f64) -> String {
    let whole = |n: f64| grouped(n.round().clamp(1.0, 1e15) as u64);
    match seconds {
        s if s < 1.0 => "1 s".to_owned(),
        s if s < 100.0 => format!("{} s", whole(s)),
        s if s < 6000.0 => format!("{} min", whole(s / 60.0)),
        s if s < 172_800.0 => format!("{} h", whole(s / 3600.0)),
        s => format!("{} days", whole(s / 86_400.0)),
    }
}

/// The sentence on how far a run has come.
fn progress_text(progress: &RunProgress, going: bool) -> String {
    let mut text = words::count(progress.counts.executions(), "execution");
    if !going {
        return format!("{text} in {}", duration(progress.seconds));
    }
    if let Some((total, error)) = progress.estimate {
        text += &format!(" of about {}", about(total));
        if error >= 0.01 * total {
            text += &format!(" ± {}", about(error));
        }
    }
    text += &format!(", {} a second", grouped(progress.rate as u64));
    if let Some(left) = progress.left() {
        text += &format!(", about {} left", duration(left));
    }
    text
}

fn moment_name(kind: MomentKind) -> &'static str {
    match kind {
        MomentKind::Violation => "First violation",
        MomentKind::Witness => "Witness",
        MomentKind::First => "First execution",
    }
}

/// Starts a run, says how far it has come, and leads to what it found.
#[component]
pub fn Run() -> impl IntoView {
    let app = App::get();
    let run = app.run;
    let offered = move || app.algorithm.get().traits().in_parts.is_some();
    let any = Memo::new(move |_| run.subject.with(Option::is_some));
    let text = move || {
        let going = run.going.get();
        run.progress.with(|progress| match progress {
            Some(progress) => progress_text(progress, going),
            None if going => "starting".to_owned(),
            None => String::new(),
        })
    };
    let part = move || {
        let done = run.progress.with(|progress| {
            let progress = progress.as_ref()?;
            let (total, _) = progress.estimate?;
            Some((progress.counts.executions() as f64 / total.max(1.0)).clamp(0.0, 1.0))
        });
        format!("{:.1}%", 100.0 * done.unwrap_or(0.0))
    };
    let workers = move || {
        run.going.get().then(|| {
            let walkers = run.progress.with(|progress| progress.as_ref().map_or(1, |progress| progress.walkers.max(1)));
            words::count(walkers as u64, "worker")
        })
    };
    let moments = move || {
        let found = run.found.get()?;
        let buttons: Vec<_> = found
            .moments
            .iter()
            .map(|&kind| {
                let found = found.clone();
                let shown = move || run.shown.get() && found.moment == Some(kind);
                let id = match kind {
                    MomentKind::Violation => "run-violation",
                    MomentKind::Witness => "run-witness",
                    MomentKind::First => "run-first",
                };
                view! {
                    <button
                        type="button"
                        id=id
                        aria-pressed=move || shown().to_string()
                        on:click=move |_| {
                            app.show_moment(kind);
                            app.show(Tab::Graph);
                        }
                    >
                        {moment_name(kind)}
                    </button>
                }
            })
            .collect();
        (!buttons.is_empty()).then(|| {
            view! { <div class="run-moments" role="group" aria-label="Show on the graph">{buttons}</div> }
        })
    };
    let file = NodeRef::<html::Input>::new();
    let picked = move |_| {
        let Some(input) = file.get_untracked() else { return };
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            open_file(app, file);
        }
        // The same file can be picked again.
        input.set_value("");
    };
    view! {
        <section class="run-panel" id="run-panel" aria-label="Whole exploration" data-going=move || run.going.get().to_string()>
            <input
                id="run-file"
                class="away"
                type="file"
                accept=".json,application/json"
                aria-hidden="true"
                tabindex="-1"
                node_ref=file
                on:change=picked
            />
            <Show when=move || !any.get()>
                <div class="run-start">
                    <Show when=offered>
                        <button
                            type="button"
                            id="run-all"
                            title="Explore everything with TruSt, on all cores, while you step (a)"
                            aria-disabled=move || (!app.steppable()).to_string()
                            on:click=move |_| app.run_all()
                        >
                            "Explore everything"
                        </button>
                    </Show>
                    <button
                        type="button"
                        id="open-run"
                        title="Open a run that `litmoscope explore --save` wrote; or drop its file anywhere"
                        on:click=move |_| if let Some(input) = file.get_untracked() { input.click() }
                    >
                        "Open a run"
                    </button>
                </div>
            </Show>
            <Show when=move || any.get()>
                <div class="run-head">
                    <p id="run-status" role="status">{text}</p>
                    <Show
                        when=move || run.going.get()
                        fallback=move || view! {
                            <button type="button" id="run-close" class="close" title="Back to what the steps found" aria-label="Put the run away" on:click=move |_| run.forget()>
                                "×"
                            </button>
                        }
                    >
                        <button type="button" id="run-stop" class="step stop" title="Stop the run" aria-label="Stop the run" on:click=move |_| run.stop()>
                            <Icon shape=icons::STOP />
                        </button>
                    </Show>
                </div>
                <Show when=move || run.going.get()>
                    <div class="run-bar" aria-hidden="true"><span style:width=part></span></div>
                    <p class="run-workers">{workers}</p>
                </Show>
                {moments}
            </Show>
            {move || run.trouble.get().map(|trouble| view! { <p class="trouble" id="run-trouble" role="alert">{trouble}</p> })}
        </section>
    }
}

/// Files beyond this size are not even read.
const MAX_FILE: f64 = 64.0 * 1024.0 * 1024.0;

/// Opens a file with a run.
fn open_file(app: App, file: web_sys::File) {
    app.show(Tab::Results);
    let fail = move |why: &str| {
        app.run.forget();
        app.run.trouble.set(Some(format!("Nothing was opened: the file {why}.")));
    };
    if file.size() > MAX_FILE {
        fail("is too large to be a saved run");
        return;
    }
    spawn_local(async move {
        match browser::read(&file).await {
            Some(content) if Script::is_meant(&content) => app.scenes.open_file(app, &content),
            Some(content) => app.run.open(content, untrack(|| app.look())),
            None => fail("can't be read"),
        }
    });
}

/// Takes files that are dropped onto the page.
pub fn listen(app: App) {
    let has_files =
        |event: &DragEvent| event.data_transfer().is_some_and(|data| data.types().includes(&"Files".into(), 0));
    let _ = window_event_listener(leptos::ev::dragover, move |event| {
        if has_files(&event) {
            event.prevent_default();
        }
    });
    let _ = window_event_listener(leptos::ev::drop, move |event| {
        if !has_files(&event) {
            return;
        }
        event.prevent_default();
        if let Some(file) = event.data_transfer().and_then(|data| data.files()).and_then(|files| files.get(0)) {
            open_file(app, file);
        }
    });
}

/// Says that the graph is not that of the step.
#[component]
pub fn Elsewhere() -> impl IntoView {
    let app = App::get();
    let run = app.run;
    let text = move || {
        let found = run.found.get().filter(|_| run.shown.get())?;
        let name = moment_name(found.moment?).to_lowercase();
        let whole = found.settled.is_none_or(|settled| found.view.position <= settled);
        let at = if whole { format!(", at step {}", grouped(found.view.position)) } else { String::new() };
        let article = if name.starts_with("first") { "The" } else { "A" };
        let of = if run.saved.get() { "the run that was opened" } else { "the run" };
        Some(format!("{article} {name} of {of}{at}."))
    };
    view! {
        {move || text().map(|text| view! {
            <p class="elsewhere" id="elsewhere">
                <span>{text}</span>
                <button type="button" id="elsewhere-back" on:click=move |_| run.shown.set(false)>"Back to the steps"</button>
            </p>
        })}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use litmoscope::explore::Counts;

    #[test]
    fn progress_is_a_sentence() {
        let counts = Counts { complete: 1200, ..Counts::default() };
        let mut progress = RunProgress { counts, seconds: 2.0, rate: 600.0, estimate: None, walkers: 2 };
        assert_eq!(progress_text(&progress, true), "1,200 executions, 600 a second");
        progress.estimate = Some((3600.0, 400.0));
        let text = "1,200 executions of about 3,600 ± 400, 600 a second, about 4 s left";
        assert_eq!(progress_text(&progress, true), text);
        assert_eq!(progress_text(&progress, false), "1,200 executions in 2 s");
    }
}
