//! Two explorations of one program side by side: by two models or two algorithms, stepping together or each by itself.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::explore::{Algorithm, Options, Parameters};
use litmoscope::labs::beside::{BesideView, Contender};
use litmoscope::model::Model;
use litmoscope::program::Mailbox;
use litmoscope::session::{OutcomesView, Pair, Settings, View, ViewRequest};
use litmoscope::syntax::with_mailboxes;
use litmoscope::words::grouped;

use crate::app::App;
use crate::app::lab::LabId;
use crate::document::headline;
use crate::ui::icons::{self, Icon};
use crate::ui::prose::prose;
use crate::ui::scene::Scene;
use crate::ui::scene::camera::{Stage, size};
use crate::worker::line::Said;
use crate::worker::port::Port;
use crate::worker::session::{Answer, Command, Progress, Request, Stepping};

/// One of the two explorations. It has a worker of its own.
#[derive(Clone, Copy)]
struct Side {
    settings: RwSignal<Option<Settings>>,
    view: RwSignal<Option<Arc<View>>>,
    progress: RwSignal<Option<Progress>>,
    /// What a long command has found, where that is newer than the view.
    found: RwSignal<Option<OutcomesView>>,
    trouble: RwSignal<Option<String>>,
    look: StoredValue<ViewRequest>,
    working: RwSignal<bool>,
    port: Port<Stepping>,
}

impl Side {
    fn new() -> Self {
        let port = Port::new();
        Self {
            settings: RwSignal::new(None),
            view: RwSignal::new(None),
            progress: RwSignal::new(None),
            found: RwSignal::new(None),
            trouble: RwSignal::new(None),
            look: StoredValue::new(ViewRequest::default()),
            working: port.working,
            port,
        }
    }

    fn open(self, settings: Settings) {
        self.port.open(move |said| self.hear(said));
        self.trouble.set(None);
        self.view.set(None);
        self.found.set(None);
        self.progress.set(None);
        self.settings.set(Some(settings.clone()));
        self.port.begin(&Request::Open { settings, look: self.look.get_value() });
    }

    fn command(self, command: Command) {
        if self.trouble.with_untracked(Option::is_none) && self.view.with_untracked(Option::is_some) {
            self.progress.set(None);
            self.port.work();
            self.port.ask(&Request::Do(command));
        }
    }

    fn stop(self) {
        if self.working.get_untracked() {
            self.port.stop();
        }
    }

    /// What it explores, and where it is or goes to.
    fn place(self) -> Option<Settings> {
        let mut settings = self.settings.get_untracked()?;
        if let Some(view) = self.view.get_untracked() {
            settings.position = view.position;
        }
        Some(settings)
    }

    fn leave(self) {
        self.port.end();
        self.progress.set(None);
        self.view.set(None);
        self.settings.set(None);
    }

    fn hear(self, said: Said<Answer>) {
        let finish = |id| {
            if self.port.is_last(id) {
                self.port.done();
                self.progress.set(None);
            }
        };
        match said {
            Said::Answer(id, Answer::Shown(view)) => {
                self.found.set(None);
                self.view.set(Some(Arc::new(*view)));
                finish(id);
            }
            Said::Answer(id, Answer::Refused(diagnostics)) => {
                let first = diagnostics.into_iter().next().map_or_else(String::new, |diagnostic| diagnostic.message);
                self.trouble.set(Some(first));
                finish(id);
            }
            Said::Answer(id, Answer::Progress(mut progress)) if self.port.is_last(id) => {
                if let Some(found) = progress.outcomes.take() {
                    self.found.set(Some(found));
                }
                self.progress.set(Some(progress));
            }
            Said::Died(message) => self.trouble.set(Some(format!("the engine failed: {message}"))),
            Said::Answer(..) | Said::Lacks(_) | Said::Ready => {}
        }
    }
}

/// Both of them, and how they go together.
#[derive(Clone, Copy)]
pub struct Beside {
    /// They are seen.
    open: Memo<bool>,
    /// A step of one is a step of both.
    linked: RwSignal<bool>,
    /// The one that keys move where they are not linked.
    active: RwSignal<usize>,
    /// The other programs that the right one can explore, and which of them it does.
    others: RwSignal<Vec<(String, Settings)>>,
    other: RwSignal<Option<usize>>,
    sides: StoredValue<[Side; 2]>,
}

impl Beside {
    /// Nothing explored yet.
    pub fn new(open: Memo<bool>) -> Self {
        Self {
            open,
            linked: RwSignal::new(true),
            active: RwSignal::new(0),
            others: RwSignal::default(),
            other: RwSignal::new(None),
            sides: StoredValue::new([Side::new(), Side::new()]),
        }
    }

    /// That of this page.
    fn get() -> Self {
        expect_context()
    }

    fn sides(self) -> [Side; 2] {
        self.sides.get_value()
    }

    /// Explores on the left what is given, and on the right the same with co, or without it, or with the other kind of mailbox
    /// if it has handlers; `others` can take its place.
    pub fn start(self, settings: Settings, look: ViewRequest, others: Vec<(String, Settings)>) {
        let algorithm = match settings.algorithm {
            algorithm if algorithm.traits().kin.differ() => algorithm.with_or_without_co(!algorithm.tracks_co()),
            _ => Algorithm::default(),
        };
        let right = Settings { algorithm, ..settings.clone() };
        // Of a program with handlers, the other kind of mailbox tells more.
        let has_queue = with_mailboxes(&settings.text, Mailbox::Multiset).is_some_and(|text| text != settings.text);
        let other = if has_queue { Mailbox::Multiset } else { Mailbox::Queue };
        let Some(text) = with_mailboxes(&settings.text, other) else {
            return self.resume(Pair { left: settings, right, together: true }, look, others);
        };
        let right = Settings { text, position: 0, ..settings.clone() };
        self.resume(Pair { left: settings, right, together: true }, look, others);
        let name = if has_queue { "the same with multisets" } else { "the same with queues" };
        self.others.update(|others| {
            if let Some((first, _)) = others.first_mut() {
                name.clone_into(first);
            }
        });
    }

    /// Explores what a link or a storage has.
    pub fn resume(self, pair: Pair, look: ViewRequest, mut others: Vec<(String, Settings)>) {
        let Pair { left, right, together } = pair;
        let own = right.text == left.text && right.options == left.options;
        if !own {
            others.retain(|(_, other)| other.text != right.text);
            others.insert(0, (headline(&right.text), right.clone()));
        }
        self.others.set(others);
        self.other.set((!own).then_some(0));
        self.linked.set(together);
        for (side, settings) in self.sides().into_iter().zip([left, right]) {
            side.look.set_value(look.clone());
            side.open(settings);
        }
    }

    /// Both explorations as they are, if they are seen.
    pub fn pair(self) -> Option<Pair> {
        let [left, right] = self.sides().map(Side::place);
        let together = self.linked.get_untracked();
        Some(Pair { left: left?, right: right?, together }).filter(|_| self.open.get_untracked())
    }

    /// Runs an effect again when [`Self::pair`] may have changed.
    pub fn track(self) {
        self.open.track();
        self.linked.track();
        for side in self.sides() {
            side.settings.track();
            side.view.track();
        }
    }

    /// Moves one of them, or those that move together.
    pub fn command(self, side: Option<usize>, command: Command, repeated: bool) {
        let sides = self.sides();
        let together = self.linked.get_untracked();
        let moved: Vec<Side> = match side {
            _ if together => sides.to_vec(),
            Some(side) => vec![sides[side]],
            None => vec![sides[self.active.get_untracked()]],
        };
        // A key held down makes the next step when the last one is there.
        if repeated && moved.iter().any(|side| side.working.get_untracked()) {
            return;
        }
        moved.into_iter().for_each(|side| side.command(command));
    }

    /// Ends what goes on.
    pub fn stop(self) {
        self.sides().into_iter().for_each(Side::stop);
    }
}

/// The panel.
#[component]
pub fn SideBySide() -> impl IntoView {
    let (app, beside) = (App::get(), Beside::get());
    let [left, right] = beside.sides();
    Effect::new(move |_| {
        if !beside.open.get() {
            left.leave();
            right.leave();
        }
    });
    // Another program is explored from its start.
    let subject = Memo::new(move |_| {
        let Settings { text, options, .. } = app.settings();
        (text, options)
    });
    Effect::new(move |_| {
        let ready =
            beside.open.get() && !app.session.edited.get() && app.document.checked.with(|checked| !checked.broken);
        let (text, options) = subject.get();
        let own = if beside.other.get_untracked().is_some() { 1 } else { 2 };
        for side in [left, right].into_iter().take(own).filter(|_| ready) {
            let Some(old) = side.settings.get_untracked() else { continue };
            let heeded = |options: Options| options.heeded_by(old.algorithm);
            if old.text != text || heeded(old.options) != heeded(options) {
                side.open(Settings { text: text.clone(), options: heeded(options), position: 0, ..old });
            }
        }
    });
    let seen = Memo::new(move |_| {
        let state = |side: Side| {
            let view = side.view.get()?;
            let progress = side.progress.get();
            let counts = progress.as_ref().map_or(view.counts, |progress| progress.counts);
            let outcomes = side.found.get().unwrap_or_else(|| view.outcomes.clone());
            Some((side.settings.get()?, counts, view.done && progress.is_none(), outcomes))
        };
        let (left, right) = (state(left)?, state(right)?);
        Some(BesideView::new([
            Contender { settings: &left.0, counts: left.1, done: left.2, outcomes: &left.3 },
            Contender { settings: &right.0, counts: right.1, done: right.2, outcomes: &right.3 },
        ]))
    });
    let busy = Memo::new(move |_| left.working.get() || right.working.get());
    view! {
        <div class="beside-body" data-busy=move || busy.get().to_string()>
            <div class="compare-head">
                <h2>"Side by side"</h2>
                <div class="beside-steps" role="toolbar" aria-label="Steps">{move || buttons(beside, None)}</div>
                <label class="beside-link">
                    <input
                        type="checkbox"
                        id="beside-linked"
                        prop:checked=beside.linked
                        on:change:target=move |event| beside.linked.set(event.target().checked())
                    />
                    "together"
                </label>
                <button
                    type="button"
                    id="beside-stop"
                    aria-disabled=move || (!busy.get()).to_string()
                    title="Stop (Esc)"
                    on:click=move |_| beside.stop()
                >
                    "Stop"
                </button>
                <button type="button" id="beside-close" title="Close this (b)" on:click=move |_| app.toggle(LabId("beside"))>
                    "Continue with the left"
                </button>
            </div>
            {move || seen.get().map(|seen| race(&seen))}
            <div class="sides">
                <OneSide side=left at=0 />
                <OneSide side=right at=1 />
            </div>
        </div>
    }
}

/// Buttons that move one of them, or both.
fn buttons(beside: Beside, side: Option<usize>) -> impl IntoView {
    let place = match side {
        None => "both",
        Some(0) => "left",
        Some(_) => "right",
    };
    let button = |name: &'static str, label: &'static str, icon: &'static str, command: Command| {
        view! {
            <button
                type="button"
                class="step"
                id=format!("{place}-{name}")
                title=label
                aria-label=format!("{label}, {place}")
                on:click=move |_| beside.command(side, command, false)
            >
                <Icon shape=icon />
            </button>
        }
    };
    view! {
        {button("reset", "To the start", icons::START, Command::Reset)}
        {button("back", "Step back", icons::BACK, Command::Back)}
        {button("forward", "Step forward", icons::FORWARD, Command::Forward)}
        {button("next-execution", "Next execution", icons::NEXT, Command::NextExecution)}
        {button("run", "Run to the end", icons::END, Command::Run)}
    }
}

/// What both counted, as bars, and what tells them apart.
fn race(seen: &BesideView) -> impl IntoView + use<> {
    let bar = |class: &'static str, name: &str, count: u64, percent: u8| {
        view! {
            <span class=class>
                <span class="race-bar" style:width=format!("{percent}%") aria-hidden="true"></span>
                <span class="sr-only">{name.to_owned()}" "</span>
                <span class="race-count">{grouped(count)}</span>
            </span>
        }
    };
    let rows = seen.bars.iter().map(|counted| {
        view! {
            <li class="race-row" data-counts=counted.counts.map(|count| count.to_string()).join(" ")>
                <span class="race-name">{counted.name.clone()}</span>
                <span class="race-bars">
                    {bar("race-left", &seen.names[0], counted.counts[0], counted.percent[0])}
                    {bar("race-right", &seen.names[1], counted.counts[1], counted.percent[1])}
                </span>
            </li>
        }
    });
    view! {
        <div class="race">
            <ul class="race-rows" id="race">{rows.collect_view()}</ul>
            <div class="race-words" id="race-words" role="status">
                {seen.sentences.iter().map(|sentence| view! { <p>{sentence.clone()}</p> }).collect_view()}
            </div>
        </div>
    }
}

/// One exploration: its pickers, where it is, what the step is, and its graph.
#[component]
fn OneSide(side: Side, at: usize) -> impl IntoView {
    let beside = Beside::get();
    let place = if at == 0 { "left" } else { "right" };
    let drawing = Memo::new(move |_| side.view.with(|view| view.as_ref().map(|view| Arc::new(view.drawing.clone()))));
    let stage = Stage::beside(1.5, move || drawing.with(|drawing| drawing.as_ref().map(|drawing| size(drawing))));
    let change = move |change: &dyn Fn(&mut Settings)| {
        if let Some(mut settings) = side.settings.get_untracked() {
            settings.position = 0;
            change(&mut settings);
            side.open(settings);
        }
    };
    // The same program as on the left, or one that was open before.
    let choose = move |choice: Option<usize>| {
        beside.other.set(choice);
        let [left, _] = beside.sides();
        let chosen = match choice {
            Some(at) => beside.others.with_untracked(|others| others.get(at).map(|(_, settings)| settings.clone())),
            None => left.settings.get_untracked(),
        };
        if let Some(settings) = chosen {
            change(&|now: &mut Settings| *now = Settings { position: 0, ..settings.clone() });
        }
    };
    let programs = move || {
        beside.others.with(|others| {
            let option = |(at, (name, _)): (usize, &(String, Settings))| {
                view! { <option value=at.to_string() selected=move || beside.other.get() == Some(at)>{name.clone()}</option> }
            };
            others.iter().enumerate().map(option).collect_view()
        })
    };
    let model = move || side.settings.with(|settings| settings.as_ref().map(|settings| settings.model));
    let algorithm = move || side.settings.with(|settings| settings.as_ref().map(|settings| settings.algorithm));
    let models = Model::ALL.into_iter().map(|this| {
        view! { <option value=this.name() selected=move || model() == Some(this)>{this.title()}</option> }
    });
    let algorithms = Algorithm::ALL.into_iter().map(|this| {
        view! { <option value=this.name() selected=move || algorithm() == Some(this)>{this.title()}</option> }
    });
    let with =
        move |f: fn(&View) -> String| side.view.with(|view| view.as_ref().map(|view| f(view)).unwrap_or_default());
    let whereabouts = move || {
        let frontier = side.progress.with(|progress| progress.as_ref().map(|progress| progress.frontier));
        side.view.with(|view| {
            let Some(view) = view else { return String::new() };
            let frontier = frontier.unwrap_or(view.frontier);
            let more = if view.done { "" } else { "+" };
            format!("step {} of {}{more}", grouped(view.position), grouped(frontier))
        })
    };
    let (stage_id, graph_id, name) = if at == 0 {
        ("left-stage", "left-graph", "Execution graph on the left")
    } else {
        ("right-stage", "right-graph", "Execution graph on the right")
    };
    view! {
        <section
            class="pair-side beside-side"
            class:active=move || !beside.linked.get() && beside.active.get() == at
            id=format!("side-{place}")
            aria-label=if at == 0 { "Left exploration" } else { "Right exploration" }
            on:pointerdown=move |_| beside.active.set(at)
            on:focusin=move |_| beside.active.set(at)
        >
            <div class="side-head">
                <select
                    id=format!("{place}-model")
                    aria-label=format!("Model, {place}")
                    prop:value=move || model().map(Model::name)
                    on:change:target=move |event| {
                        if let Ok(model) = event.target().value().parse() {
                            change(&|settings: &mut Settings| settings.model = model);
                        }
                    }
                >
                    {models.collect_view()}
                </select>
                <select
                    id=format!("{place}-algorithm")
                    aria-label=format!("Algorithm, {place}")
                    prop:value=move || algorithm().map(Algorithm::name)
                    on:change:target=move |event| {
                        if let Ok(algorithm) = event.target().value().parse() {
                            change(&|settings: &mut Settings| {
                                settings.algorithm = algorithm;
                                settings.options.parameters = Parameters::USUAL;
                            });
                        }
                    }
                >
                    {algorithms.collect_view()}
                </select>
                {(at == 1).then(|| view! {
                    <select
                        id="right-program"
                        aria-label="Program, right"
                        title="The program on the left, or a recent one"
                        on:change:target=move |event| choose(event.target().value().parse().ok())
                    >
                        <option value="" selected=move || beside.other.get().is_none()>"the same program"</option>
                        {programs}
                    </select>
                })}
                <span class="beside-where" id=format!("{place}-position")>{whereabouts}</span>
                <span class="beside-own" class:away=move || beside.linked.get()>{buttons(beside, Some(at))}</span>
            </div>
            <p class="side-text beside-text" id=format!("{place}-text")>
                {move || match side.trouble.get() {
                    Some(trouble) => view! { <span class="trouble">{prose(&trouble)}</span> }.into_any(),
                    None => view! {
                        <strong>{with(|view| view.step_name.clone())}</strong>" "<span>{with(|view| view.explanation.clone())}</span>
                    }
                    .into_any(),
                }}
            </p>
            <div class="side-graph">
                <Scene stage drawing id=stage_id graph_id name hide_po=false faded=false />
            </div>
        </section>
    }
}
