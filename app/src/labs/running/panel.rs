//! Runs: everything explored by many workers at once, beside the steps; and runs that were saved elsewhere.

use std::sync::Arc;

use gloo::timers::callback::Timeout;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::session::script::Script;
use litmoscope::session::{FoundView, GraphQuestion, MomentKind, Settings, ViewRequest};
use litmoscope::words::{self, about, grouped};

use super::sharing::{Answer, Request, RunProgress, Runs};
use crate::app::App;
use crate::app::lab::{LabId, Tab};
use crate::app::session::{Then, Whole};
use crate::browser::{self, Dropped};
use crate::document::Whose;
use crate::ui::icons::{self, Icon};
use crate::ui::prose::prose;
use crate::worker::line::Said;
use crate::worker::port::Port;

/// How many workers explore at most.
const MOST: usize = 8;

/// A run as the page knows it, beside what everybody may know of it.
#[derive(Clone, Copy)]
pub struct Running {
    app: App,
    whole: Whole,
    /// It goes on.
    going: RwSignal<bool>,
    /// How far it has come.
    progress: RwSignal<Option<RunProgress>>,
    /// What it found, perhaps so far.
    found: RwSignal<Option<Arc<FoundView>>>,
    /// Why there is none.
    trouble: RwSignal<Option<String>>,
    /// It is that of a file.
    saved: RwSignal<bool>,
    port: Port<Runs>,
}

impl Running {
    /// No run.
    pub fn new(app: App) -> Self {
        let port = Port::new();
        Self {
            app,
            whole: app.whole,
            going: port.working,
            progress: RwSignal::new(None),
            found: RwSignal::new(None),
            trouble: RwSignal::new(None),
            saved: RwSignal::new(false),
            port,
        }
    }

    /// That of this page.
    fn get() -> Self {
        expect_context()
    }

    /// Explores everything; ends the run before.
    fn start(self, settings: Settings, look: ViewRequest) {
        self.forget();
        self.port.open(move |said| self.hear(said));
        self.whole.subject.set(Some(settings.clone()));
        self.port.begin(&Request::Run { settings, walkers: browser::cores().clamp(1, MOST), look });
    }

    /// What to explore: the program, by an algorithm that can, if the one chosen can't.
    fn what(self) -> Option<Settings> {
        let app = self.app;
        let parts = app.document.algorithm.get_untracked().traits().in_parts;
        let algorithm = parts.filter(|_| untrack(|| app.steppable()))?;
        Some(Settings { algorithm, ..untrack(|| app.settings()) })
    }

    /// Somebody is about to explore everything.
    fn prepare(self) {
        if let Some(settings) = self.what() {
            self.port.prepare(&Request::Come(Box::new(settings)), move |said| self.hear(said));
        }
    }

    /// Explores everything, beside the steps.
    pub fn start_here(self) {
        if let Some(settings) = self.what() {
            self.start(settings, untrack(|| self.app.look()));
        }
    }

    /// Ends the run; what it found stays.
    fn stop(self) {
        if self.going.get_untracked() {
            self.port.stop();
        }
    }

    /// Ends the run and forgets what it found.
    pub fn forget(self) {
        self.port.clear();
        self.port.forget();
        self.whole.subject.set(None);
        self.whole.counts.set(None);
        self.whole.view.set(None);
        self.whole.shown.set(false);
        self.whole.settled.set(false);
        self.progress.set(None);
        self.found.set(None);
        self.saved.set(false);
        self.trouble.set(None);
    }

    /// Forgets it if it is not of these settings. What it counts does not depend on how one steps.
    pub fn keep_for(self, settings: &Settings) {
        let counts_this = |subject: &Settings| {
            subject.algorithm.traits().in_parts == settings.algorithm.traits().in_parts
                && Settings { algorithm: settings.algorithm, ..subject.clone() } == *settings
        };
        if !self.whole.subject.with_untracked(|subject| subject.as_ref().is_some_and(counts_this)) {
            self.forget();
        }
    }

    /// Opens a run that was saved elsewhere.
    fn open(self, content: String, look: ViewRequest) {
        self.forget();
        self.port.open(move |said| self.hear(said));
        self.port.ask(&Request::Open { content, look });
    }

    /// Shows a run that was opened, and its program.
    fn show_opened(self, settings: &Settings) {
        self.whole.subject.set(Some(settings.clone()));
        self.app.load(settings, Whose::Readers);
        let moment = self.found.with_untracked(|found| found.as_ref().is_some_and(|found| found.moment.is_some()));
        self.whole.shown.set(moment);
    }

    /// Shows a moment in place of the step.
    fn show(self, moment: MomentKind) {
        self.app.session.playing.set(false);
        self.whole.shown.set(true);
        self.look(Some(moment), untrack(|| self.app.look()));
        self.app.show(Tab::Graph);
    }

    /// Shows a moment, or the same, in another way.
    pub fn look(self, moment: Option<MomentKind>, look: ViewRequest) {
        self.port.ask(&Request::Show { moment, look });
    }

    /// Asks something of a moment that is shown.
    pub fn ask(self, stamp: String, question: GraphQuestion, then: Then) {
        self.port.ask_then(&Request::Read { stamp, question }, move |answer| {
            if let Answer::Replied(reply) = answer {
                then(reply);
            }
            false
        });
    }

    fn hear_of(self, found: FoundView) {
        self.whole.view.set(Some(Arc::new(found.view.clone())));
        self.whole.settled.set(found.settled.is_none_or(|settled| found.view.position <= settled));
        self.found.set(Some(Arc::new(found)));
    }

    fn hear_progress(self, progress: RunProgress) {
        self.whole.counts.set(Some(progress.counts));
        self.progress.set(Some(progress));
    }

    fn hear(self, said: Said<Answer>) {
        match said {
            Said::Answer(_, Answer::Running(progress)) => self.hear_progress(progress),
            Said::Answer(_, Answer::Found(found)) => self.hear_of(*found),
            Said::Answer(_, Answer::Over { progress, found }) => {
                self.hear_progress(progress);
                if let Some(found) = found {
                    self.hear_of(*found);
                }
                self.port.done();
            }
            Said::Answer(_, Answer::Opened { opened, found, seconds }) => match (opened, found) {
                (Ok(settings), Some(found)) => {
                    let counts = found.view.counts;
                    self.hear_progress(RunProgress { counts, seconds, rate: 0.0, estimate: None, walkers: 0 });
                    self.hear_of(*found);
                    self.saved.set(true);
                    // Not at once: the run may be another one's then, and its worker must not end while it calls back.
                    Timeout::new(0, move || self.show_opened(&settings)).forget();
                }
                (opened, _) => {
                    let why = opened.err().unwrap_or_else(|| "it can't be explored here".to_owned());
                    self.trouble.set(Some(format!("Nothing was opened: {why}.")));
                }
            },
            Said::Answer(_, Answer::Refused(diagnostics)) => {
                let first = diagnostics.into_iter().next().map_or_else(String::new, |diagnostic| diagnostic.message);
                self.port.done();
                self.trouble.set(Some(format!("This can't be explored: {first}.")));
            }
            Said::Died(message) => self.trouble.set(Some(format!(
                "The run failed: {message}. What you see was found before that. The steps still \
                                   work."
            ))),
            Said::Answer(..) | Said::Lacks(_) | Said::Ready => {}
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
    let (app, run) = (App::get(), Running::get());
    let offered = move || app.document.algorithm.get().traits().in_parts.is_some();
    let any = Memo::new(move |_| run.whole.is_there());
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
                let shown = move || run.whole.shown.get() && found.moment == Some(kind);
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
                        on:click=move |_| run.show(kind)
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
            open_file(run, file);
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
                            on:pointerenter=move |_| run.prepare()
                            on:focus=move |_| run.prepare()
                            on:click=move |_| run.start_here()
                        >
                            "Explore everything"
                        </button>
                    </Show>
                    <button
                        type="button"
                        id="open-run"
                        title="Open a run that litmoscope explore --save wrote; or drop its file anywhere"
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
                            <button type="button" id="run-close" class="close" title="Back to what the steps found" aria-label="Close the run" on:click=move |_| run.forget()>
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
            {move || run.trouble.get().map(|trouble| view! { <p class="trouble" id="run-trouble" role="alert">{prose(&trouble)}</p> })}
        </section>
    }
}

/// Files beyond this size are not even read.
const MAX_FILE: f64 = 64.0 * 1024.0 * 1024.0;

/// Opens a file with a run.
fn open_file(run: Running, file: web_sys::File) {
    let app = run.app;
    app.show(Tab::Results);
    let fail = move |why: &str| {
        run.forget();
        run.trouble.set(Some(format!("Nothing was opened: the file {why}.")));
    };
    if file.size() > MAX_FILE {
        fail("is too large to be a saved run");
        return;
    }
    spawn_local(async move {
        match browser::read(&file).await {
            Some(content) if Script::is_meant(&content) => app.lab(LabId("lessons")).take(&content),
            Some(content) => run.open(content, untrack(|| app.look())),
            None => fail("can't be read"),
        }
    });
}

/// Takes a file that is dropped onto the page. Several are another lab's.
pub fn listen(run: Running) {
    let _ = window_event_listener(leptos::ev::dragover, move |event| {
        if browser::drags_files(&event) {
            event.prevent_default();
        }
    });
    let _ = window_event_listener(leptos::ev::drop, move |event| {
        if !browser::drags_files(&event) {
            return;
        }
        event.prevent_default();
        if let Some(file) = Dropped::of(&event).alone() {
            open_file(run, file.clone());
        }
    });
}

/// Says that the graph is not that of the step.
#[component]
pub fn Elsewhere() -> impl IntoView {
    let run = Running::get();
    let app = run.app;
    // The step whose graph is drawn, if that is known, and the one where the steps stand.
    let drawn = move || {
        let found = run.found.get().filter(|_| run.whole.shown.get())?;
        let name = moment_name(found.moment?).to_lowercase();
        let step = found.view.position;
        let step = found.settled.is_none_or(|settled| step <= settled).then_some(step);
        let here = app.session.view.with(|view| view.as_ref().map_or(0, |view| view.position));
        let article = if name.starts_with("first") { "the" } else { "a" };
        let of = if run.saved.get() { "the run that was opened" } else { "the run" };
        let at = step.map_or_else(String::new, |step| format!(", at its step {}", grouped(step)));
        let text = format!("Drawn is {article} {name} of {of}{at}. You are at step {}.", grouped(here));
        Some((text, step))
    };
    view! {
        {move || drawn().map(|(text, step)| view! {
            <p class="elsewhere" id="elsewhere">
                <span>{text}</span>
                {step.map(|step| view! {
                    <button type="button" id="elsewhere-go" on:click=move |_| app.go_to_found(step)>"Go there"</button>
                })}
                <button type="button" id="elsewhere-back" on:click=move |_| run.whole.shown.set(false)>"Back to the steps"</button>
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
