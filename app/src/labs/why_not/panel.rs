//! Why a model does not allow an outcome: what would end so, and what rules it out.

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use litmoscope::explore::Options;
use litmoscope::labs::why_not::{CaseView, CycleView, QuestionView, WhyNotVerdict, WhyNotView};
use litmoscope::model::Model;
use litmoscope::report::Drawing;
use litmoscope::session::{Aspect, Reach, Settings};
use serde_json::json;

use super::worker::{Answer, Request, WhyNot as WhyNotRole};
use crate::app::App;
use crate::app::lab::{LabId, Tab};
use crate::app::offers::BackToSteps;
use crate::browser;
use crate::ui::prose::{plain, prose};
use crate::ui::scene::Scene;
use crate::ui::scene::camera::{Stage, size};
use crate::ui::scene::legend::Relations;
use crate::worker::line::Said;
use crate::worker::port::Port;

/// How long a question has to stop when it is asked to, in milliseconds.
const STOP: u32 = 1500;
/// What is different then.
const CHANGES: &str = "The steps become those of GenMC, under this model";
/// How many outcomes that were found are offered.
const MAX_OFFERED: usize = 6;

/// What is to be asked as soon as the panel is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// What was asked last.
    Same,
    /// This outcome, or else what the condition asks for, of the program's model.
    New(String),
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The outcome.
    pub outcome: String,
    /// The model asked about.
    pub model: Model,
    /// The program.
    pub text: String,
    /// The model under which it was explored.
    pub of: Model,
}

/// What is to be asked, and what was asked last: it is kept with the program, and a link to it asks it again.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// The former, until the panel is seen.
    pub wish: RwSignal<Option<Wish>>,
    /// The latter.
    pub asked: RwSignal<Option<Question>>,
}

/// A question and its answer, as the page knows them. It has a worker of its own.
#[derive(Clone, Copy)]
struct Asked {
    /// What is known.
    view: RwSignal<Option<Arc<WhyNotView>>>,
    /// What was asked: the program, how it is explored, the outcome, the model.
    subject: RwSignal<Option<(String, Options, String, Model)>>,
    running: RwSignal<bool>,
    /// Whether what was asked is answered for good: asked again, it would be answered the same.
    answered: RwSignal<bool>,
    trouble: RwSignal<Option<String>>,
    /// The case and the cycle that are drawn.
    chosen: RwSignal<(usize, usize)>,
    drawing: RwSignal<Option<Arc<Drawing>>>,
    port: Port<WhyNotRole>,
}

impl Asked {
    fn new() -> Self {
        let port = Port::new();
        Self {
            view: RwSignal::new(None),
            subject: RwSignal::new(None),
            running: port.working,
            answered: RwSignal::new(false),
            trouble: RwSignal::new(None),
            chosen: RwSignal::new((0, 0)),
            drawing: RwSignal::new(None),
            port,
        }
    }

    fn ask(self, text: String, options: Options, question: String, model: Model) {
        let subject = Some((text.clone(), options, question.clone(), model));
        // Asking again would put the answer, with its buttons, anew under the pointer.
        if self.answered.get_untracked() && self.subject.with_untracked(|asked| *asked == subject) {
            return;
        }
        self.port.interrupt();
        self.port.open(move |said| self.hear(said));
        self.trouble.set(None);
        self.answered.set(false);
        // The graph of another answer must not stand beside the first words of this one.
        self.drawing.set(None);
        self.subject.set(subject);
        self.port.begin(&Request::Ask { text, question, model, options });
    }

    fn draw(self, case: usize, cycle: usize) {
        self.chosen.set((case, cycle));
        self.port.ask(&Request::Draw { case, cycle });
    }

    fn stop(self) {
        self.port.stop_within(STOP);
    }

    fn hear(self, said: Said<Answer>) {
        match said {
            Said::Answer(_, Answer::Answered { view, over }) => {
                let drawn = matches!(view.verdict, WhyNotVerdict::Allowed) || !view.cases.is_empty();
                let known = !matches!(view.verdict, WhyNotVerdict::Unknown);
                self.view.set(Some(Arc::new(*view)));
                if over {
                    self.port.done();
                    self.answered.set(known);
                    if drawn {
                        self.draw(0, 0);
                    }
                }
            }
            Said::Answer(id, Answer::Drawn(drawing)) if self.port.is_last(id) => {
                self.drawing.set(drawing.map(|drawing| Arc::new(*drawing)));
            }
            Said::Answer(_, Answer::Refused(diagnostics)) => {
                let first = diagnostics.into_iter().next().map_or_else(String::new, |diagnostic| diagnostic.message);
                self.view.set(None);
                self.drawing.set(None);
                self.port.done();
                self.trouble.set(Some(format!("This can't be asked: {first}.")));
            }
            Said::Died(message) => self.trouble.set(Some(format!("The question failed: {message}."))),
            Said::Answer(..) | Said::Lacks(_) | Said::Ready => {}
        }
    }
}

/// What is to be asked, and what is asked.
#[derive(Clone, Copy)]
struct Asking {
    app: App,
    wanted: Wanted,
    asked: Asked,
    question: RwSignal<String>,
    model: RwSignal<Model>,
    input: NodeRef<html::Input>,
    checked: Memo<QuestionView>,
}

impl Asking {
    fn new(app: App, open: Memo<bool>, wanted: Wanted) -> Self {
        let asked = Asked::new();
        let question = RwSignal::new(String::new());
        let model = RwSignal::new(app.document.model.get_untracked());
        let checked = Memo::new(move |_| {
            if open.get() {
                QuestionView::new(&app.document.text.get(), &question.get())
            } else {
                QuestionView::default()
            }
        });
        Self { app, wanted, asked, question, model, input: NodeRef::new(), checked }
    }

    /// The program, and how it is explored.
    fn subject(self) -> (String, Options) {
        let Settings { text, options, .. } = self.app.settings();
        (text, Options { stop_at_first: false, ..options })
    }

    fn ask(self) {
        let Self { app, asked, question, model, .. } = self;
        let (text, options) = untrack(|| self.subject());
        let (outcome, model) = (question.get_untracked(), model.get_untracked());
        if !outcome.trim().is_empty() {
            let of = app.document.model.get_untracked();
            self.wanted.asked.set(Some(Question { outcome: outcome.clone(), model, text: text.clone(), of }));
            asked.ask(text, options, outcome, model);
        }
    }

    /// Asks what somebody asked for elsewhere on the page.
    fn take(self, open: Memo<bool>) {
        let Self { app, question, model, input, .. } = self;
        let wish = self.wanted.wish;
        if !open.get() || wish.with(Option::is_none) {
            return;
        }
        match untrack(|| (wish.get(), self.wanted.asked.get())) {
            (Some(Wish::Same), Some(asked)) => {
                model.set(asked.model);
                question.set(asked.outcome);
            }
            (Some(Wish::New(outcome)), _) if !outcome.is_empty() => {
                model.set(app.document.model.get_untracked());
                question.set(outcome);
            }
            _ => {
                model.set(app.document.model.get_untracked());
                if let Some(condition) = untrack(|| condition_of(&app.document.text.get())) {
                    question.set(condition);
                }
            }
        }
        wish.set(None);
        self.ask();
        // A telephone would show its keys, over the answer.
        if !browser::has_screen_keys() {
            request_animation_frame(move || {
                if let Some(input) = input.get_untracked() {
                    let _ = input.focus();
                }
            });
        }
    }

    /// Asks another program the same; whether the answer is to what is to be asked now.
    fn follow(self, open: Memo<bool>) -> Memo<bool> {
        let Self { app, asked, question, model, .. } = self;
        let subject = Memo::new(move |_| self.subject());
        Effect::new(move |_| {
            let ready = open.get() && !app.session.edited.get() && app.document.checked.with(|checked| !checked.broken);
            let (text, options) = subject.get();
            let old = asked.subject.with_untracked(|asked| {
                let (of, ..) = asked.as_ref().filter(|(of, with, ..)| *of != text || *with != options)?;
                Some(of.clone())
            });
            if let (true, Some(old)) = (ready, old) {
                // Who asked for what the condition says asks for that.
                if condition_of(&old) == Some(question.get_untracked())
                    && let Some(now) = condition_of(&text)
                {
                    question.set(now);
                }
                self.ask();
            }
        });
        Memo::new(move |_| {
            let (text, options) = subject.get();
            asked.subject.with(|asked| {
                asked.as_ref().is_none_or(|(of, with, outcome, under)| {
                    *of == text && *with == options && *outcome == question.get() && *under == model.get()
                })
            })
        })
    }

    fn models(self) -> impl IntoView {
        let Self { model, .. } = self;
        Model::ALL
            .into_iter()
            .map(|this| {
                view! {
                    <button
                        type="button"
                        id=format!("why-{}", this.name())
                        title=plain(this.description())
                        aria-pressed=move || (model.get() == this).to_string()
                        on:click=move |_| {
                            model.set(this);
                            self.ask();
                        }
                    >
                        {this.title()}
                    </button>
                }
            })
            .collect_view()
    }

    /// Outcomes to ask for.
    fn offers(self) -> impl IntoView {
        let Self { app, question, checked, .. } = self;
        let condition = checked.with(|checked| checked.condition.clone());
        let (found, whole) = app.results.with(|view| {
            let Some(view) = view else { return (Vec::new(), false) };
            let rows = view.outcomes.rows.iter().take(MAX_OFFERED).map(|row| {
                let values = view.outcomes.columns.iter().zip(&row.values);
                values.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
            });
            let others = rows.filter(|outcome| !outcome.is_empty() && condition.as_ref() != Some(outcome));
            (others.collect(), view.reach == Reach::Whole)
        });
        let offer = |outcome: String| {
            let (shown, own) = (outcome.clone(), outcome.clone());
            let is_asked = move || question.with(|question| *question == own).to_string();
            view! {
                <li>
                    <button type="button" class="offer" aria-pressed=is_asked on:click=move |_| {
                        question.set(outcome.clone());
                        self.ask();
                    }>{shown}</button>
                </li>
            }
        };
        let named = |name: &'static str, outcomes: Vec<String>| {
            let name = (!outcomes.is_empty()).then(|| view! { <li class="why-from">{name}</li> });
            view! { {name} {outcomes.into_iter().map(offer).collect_view()} }
        };
        view! {
            {named("The condition:", condition.into_iter().collect())}
            {named(if whole { "Found:" } else { "Found so far:" }, found)}
        }
    }

    fn status(self) -> String {
        let Self { asked, checked, .. } = self;
        if let Some(trouble) = asked.trouble.get() {
            trouble
        } else if asked.running.get() {
            asked.view.with(|view| view.as_ref().map_or_else(|| "asking".to_owned(), |view| view.doing.clone()))
        } else {
            checked.with(|checked| checked.trouble.clone()).unwrap_or_default()
        }
    }

    /// The field for the outcome, and the button beside it.
    fn line(self) -> impl IntoView {
        let Self { asked, question, input, checked, .. } = self;
        let completions = move || {
            let all = checked.with(|checked| checked.completions(&question.get()));
            all.into_iter().map(|text| view! { <option value=text></option> }).collect_view()
        };
        view! {
            <div class="why-ask">
                <label class="why-outcome" for="why-question">"Outcome"</label>
                <input
                    id="why-question"
                    type="text"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder=move || {
                        let names = checked.with(|checked| checked.completions(""));
                        names.iter().take(2).map(|name| format!("{name}0")).collect::<Vec<_>>().join(", ")
                    }
                    list="why-names"
                    aria-invalid=move || checked.with(|checked| checked.trouble.is_some() && !question.get().is_empty()).to_string()
                    node_ref=input
                    prop:value=question
                    on:input:target=move |event| question.set(event.target().value())
                    on:keydown=move |event: KeyboardEvent| {
                        if event.key() == "Enter" {
                            self.ask();
                        }
                    }
                />
                <datalist id="why-names">{completions}</datalist>
                {move || {
                    if asked.running.get() {
                        view! { <button type="button" id="why-stop" on:click=move |_| asked.stop()>"Stop"</button> }.into_any()
                    } else {
                        view! { <button type="button" id="why-go" class="primary" on:click=move |_| self.ask()>"Ask"</button> }
                            .into_any()
                    }
                }}
            </div>
        }
    }
}

/// What a program's condition asks for.
fn condition_of(text: &str) -> Option<String> {
    QuestionView::new(text, "").condition
}

/// The panel: a question, the answer, and the graph of what it speaks of.
#[component]
pub fn WhyNot() -> impl IntoView {
    let app = App::get();
    let open = app.is_open(LabId("why"));
    let wanted = expect_context::<Wanted>();
    let asking = Asking::new(app, open, wanted);
    let asked = asking.asked;
    Effect::new(move |_| asking.take(open));
    let current = asking.follow(open);
    let _ = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "Escape" && open.get_untracked() {
            asked.stop();
        }
    });
    let has_cases =
        Memo::new(move |_| asked.view.with(|view| view.as_ref().is_some_and(|view| !view.cases.is_empty())));
    let drawing = asked.drawing;
    let stage = Stage::beside(1.9, move || drawing.with(|drawing| drawing.as_ref().map(|drawing| size(drawing))));
    // Another graph is seen whole, wherever the one before was moved to.
    Effect::new(move |_| {
        drawing.track();
        stage.fit();
    });
    let over = Memo::new(move |_| !asked.running.get());
    view! {
        <div class="why-not" data-over=move || over.get().to_string() class:faded=move || !current.get()>
            <div class="compare-head">
                <h2>"Why, or why not?"</h2>
                <p class="compare-status" id="why-status" role="status">{move || prose(&asking.status())}</p>
                <BackToSteps id="why-close" />
            </div>
            {asking.line()}
            <div class="why-models" role="group" aria-label="Model">{asking.models()}</div>
            <ul class="why-offers" id="why-offers" aria-label="Outcomes to ask for">{move || asking.offers()}</ul>
            {move || asked.view.get().map(|view| verdict(asking, &view))}
            <div class="why-answer" class:alone=move || !has_cases.get() class:away=move || asked.view.with(Option::is_none)>
                {move || asked.view.get().filter(|view| !view.cases.is_empty()).map(|view| cases(asked, &view))}
                <div class="side-graph" class:away=move || asked.drawing.with(Option::is_none)>
                    <Scene
                        stage
                        drawing=asked.drawing
                        id="why-stage"
                        graph_id="why-graph"
                        name="Execution with the outcome"
                        hide_po=false
                        faded=false
                    />
                    <Relations drawings=Signal::derive(move || drawing.get().into_iter().collect::<Vec<_>>()) />
                </div>
            </div>
        </div>
    }
}

/// The answer in a sentence, the way to its witness, and what has to be known to read it.
fn verdict(asking: Asking, view: &Arc<WhyNotView>) -> impl IntoView + use<> {
    let Asking { app, asked, .. } = asking;
    let class = match view.verdict {
        WhyNotVerdict::Allowed => "why-verdict allowed",
        WhyNotVerdict::Forbidden | WhyNotVerdict::Impossible => "why-verdict forbidden",
        WhyNotVerdict::Unknown => "why-verdict unknown",
    };
    let shown = view.clone();
    let open = move |aspect: Aspect| {
        let subject = asked.subject.get_untracked();
        if let (Some((text, options, ..)), Some(position)) = (subject, shown.position) {
            let model = shown.model;
            app.explore(&Settings { text, model, algorithm: litmoscope::compare::ALGORITHM, options, position });
            asking.wanted.asked.update(|asked| asked.iter_mut().for_each(|asked| asked.of = model));
            app.looks.aspect.set(aspect);
            app.looks.row.set(0);
            app.show(Tab::Graph);
        }
    };
    let in_time = open.clone();
    let open = view.position.map(|position| {
        view! {
            <button type="button" id="why-open" class="primary" title=CHANGES on:click=move |_| open(Aspect::Graph)>
                {format!("Explore with GenMC, from step {position}")}
            </button>
            <button
                type="button"
                id="why-time"
                title=format!("The same execution, one event after the other. {CHANGES}")
                on:click=move |_| in_time(Aspect::Time)
            >
                "See it happen"
            </button>
        }
    });
    // Repairs are those under the page's model.
    let repair = move || {
        let subject = asked.subject.get_untracked();
        if let Some((_, _, outcome, model)) = subject {
            app.document.model.set(model);
            asking.wanted.asked.update(|asked| asked.iter_mut().for_each(|asked| asked.of = model));
            app.ask_there(LabId("repair"), &json!({ "outcome": outcome }).to_string());
        }
    };
    let repair = matches!(view.verdict, WhyNotVerdict::Allowed).then(|| {
        view! {
            <button type="button" id="why-repair" title="All minimal repairs, under this model" on:click=move |_| repair()>
                "What would forbid this?"
            </button>
        }
    });
    let liberty = view.sc_cycle.as_ref().map(|cycle| {
        let words = cycle.cycle.split(' ').map(|word| view! { <span>{word.to_owned()}</span>" " }).collect_view();
        let reasons = view.reasons.iter().map(|reason| view! { <li>{reason.clone()}</li> }).collect_view();
        view! {
            <div class="why-liberty" id="why-liberty">
                <p>
                    <strong>{format!("SC forbids it, by {}: ", cycle.axiom)}</strong>
                    <code>{words}</code>
                </p>
                <ul>{reasons}</ul>
            </div>
        }
    });
    let notes = view.notes.iter().map(|note| view! { <p class="why-note">{prose(note)}</p> }).collect_view();
    view! {
        <p class=class id="why-verdict" aria-live="polite">
            <span>{view.sentence.clone()}</span>
            {open}
            {repair}
        </p>
        {liberty}
        {notes}
    }
}

/// What would end so, each with what rules it out.
fn cases(asked: Asked, view: &WhyNotView) -> impl IntoView + use<> {
    let cases = view.cases.iter().enumerate().map(|(at, case)| paint_case(asked, at, case)).collect_view();
    let left_out = view.left_out.clone().map(|text| view! { <p class="why-note">{prose(&text)}</p> });
    view! {
        <div class="why-cases" tabindex="0" role="group" aria-label="Executions with the outcome">
            <ol id="why-cases">{cases}</ol>
            {left_out}
        </div>
    }
}

fn paint_case(asked: Asked, at: usize, case: &CaseView) -> impl IntoView + use<> {
    let cycle = |(number, cycle): (usize, &CycleView)| {
        let orders = cycle.orders.clone().map(|orders| view! { <span class="why-orders">{orders}</span> });
        // Lines end between words, not in arrows.
        let words = cycle.cycle.split(' ').map(|word| view! { <span>{word.to_owned()}</span>" " }).collect_view();
        view! {
            <button
                type="button"
                class="why-cycle"
                aria-pressed=move || (asked.chosen.get() == (at, number)).to_string()
                title="Draw it"
                on:click=move |_| asked.draw(at, number)
            >
                {orders}
                <strong>{cycle.axiom.clone()}</strong>
                <code>{words}</code>
                <span class="why-words">{cycle.words.clone()}</span>
            </button>
        }
    };
    view! {
        <li class="why-case">
            <p class="why-sources"><code>{case.text.clone()}</code></p>
            <p>{case.ruling.clone()}</p>
            {case.cycles.iter().enumerate().map(cycle).collect_view()}
            {case.left_out.clone().map(|text| view! { <p class="why-note">{prose(&text)}</p> })}
        </li>
    }
}
