//! Questions to the room: is this outcome allowed? In a scene, or one after the other on the programs of the gallery.
//!
//! What was said is held against what the engine finds, by exploring under all models while one thinks. Nothing that
//! would give the answer away is in sight until then, and nothing that was said is kept.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::explore::Options;
use litmoscope::model::Model;
use litmoscope::session::{Answer, Answered, Asked, Settings, SideView};

use crate::browser;
use crate::comparison::Comparison;
use crate::gallery::Example;
use crate::graph::{Scene, Stage, size};
use crate::lecture::release_button;
use crate::state::{App, Tab, valid_unroll};

/// The question that is put, and what became of it.
#[derive(Clone, Copy)]
pub struct Quiz {
    /// The question; nothing else is on the page then.
    pub asked: RwSignal<Option<Arc<Asked>>>,
    options: RwSignal<Options>,
    /// Why there is none.
    trouble: RwSignal<Option<String>>,
    said: RwSignal<Option<Answer>>,
    revealed: RwSignal<bool>,
    comparison: Comparison,
    /// It is one of many, on the programs of the gallery.
    series: RwSignal<bool>,
    examples: RwSignal<Vec<Example>>,
    /// In the order of the gallery, or at random.
    random: RwSignal<bool>,
    /// The only model asked for, if it is one.
    model: RwSignal<Option<Model>>,
    /// How many questions came before.
    count: StoredValue<usize>,
    /// The question that is fetched now.
    fetching: StoredValue<u32>,
    right: RwSignal<u32>,
    answered: RwSignal<u32>,
    counted: StoredValue<bool>,
}

impl Quiz {
    /// Nothing asked yet.
    pub fn new() -> Self {
        Self {
            asked: RwSignal::new(None),
            options: RwSignal::default(),
            trouble: RwSignal::new(None),
            said: RwSignal::new(None),
            revealed: RwSignal::new(false),
            comparison: Comparison::new(),
            series: RwSignal::new(false),
            examples: RwSignal::default(),
            random: RwSignal::new(true),
            model: RwSignal::new(None),
            count: StoredValue::new(0),
            fetching: StoredValue::new(0),
            right: RwSignal::new(0),
            answered: RwSignal::new(0),
            counted: StoredValue::new(false),
        }
    }

    /// Whether the page shows a question and nothing else.
    pub fn active(self) -> bool {
        self.asked.with(Option::is_some) || self.series.get()
    }

    /// Puts a question, and starts to explore.
    pub fn ask(self, asked: Asked, options: Options) {
        self.said.set(None);
        self.revealed.set(false);
        self.counted.set_value(false);
        let options = Options { stop_at_first: false, ..options.without_reductions() };
        let subject = Some((asked.text.clone(), options));
        if self.comparison.subject.get_untracked() != subject {
            self.comparison.forget();
            self.comparison.start(&asked.text, options);
        }
        self.comparison.contrast.set(None);
        self.trouble.set(None);
        self.options.set(options);
        self.asked.set(Some(Arc::new(asked)));
    }

    /// Takes the question away.
    pub fn leave(self) {
        self.fetching.update_value(|id| *id += 1);
        self.asked.set(None);
        self.series.set(false);
        self.trouble.set(None);
        self.revealed.set(false);
    }

    /// What somebody says; the answer is shown at once.
    fn say(self, answer: Answer) {
        if !self.revealed.get_untracked() && self.asked.with_untracked(Option::is_some) {
            self.said.set(Some(answer));
            self.revealed.set(true);
        }
    }

    /// Reveals the answer, or goes on to what comes next.
    pub fn go_on(self, app: App) {
        if self.asked.with_untracked(Option::is_some) && !self.revealed.get_untracked() {
            self.revealed.set(true);
        } else if self.series.get_untracked() {
            self.next();
        } else {
            self.leave();
            app.scenes.move_on(app, true);
        }
    }

    /// Takes a key; whatever could give the answer away does nothing meanwhile.
    pub fn took(self, app: App, key: &str) -> bool {
        match key {
            "1" => self.say(Answer::Allowed),
            "2" => self.say(Answer::Forbidden),
            "Enter" | " " | "PageDown" | "ArrowDown" | "ArrowRight" | "n" | "j" => self.go_on(app),
            "PageUp" | "ArrowUp" | "ArrowLeft" | "p" | "k" if !self.series.get_untracked() => {
                app.scenes.move_on(app, false);
            }
            // A question of a scene stays with it.
            "Escape" if !self.series.get_untracked() && app.lecture.get_untracked() => app.lecture.set(false),
            "Escape" => {
                if !self.series.get_untracked() {
                    app.scenes.leave(app);
                }
                self.leave();
                app.notice.set(None);
            }
            "." | "b" if app.lecture.get_untracked() => return false,
            "?" | "l" | "F5" | "Tab" => return false,
            _ => return key.chars().count() == 1 || matches!(key, "Home" | "End") || key.starts_with("Arrow"),
        }
        true
    }

    /// Starts asking about the programs of the gallery.
    pub fn start(self, app: App) {
        app.scenes.leave(app);
        self.series.set(true);
        self.right.set(0);
        self.answered.set(0);
        self.count.set_value(0);
        if self.examples.with_untracked(Vec::is_empty) {
            spawn_local(async move {
                let index = browser::fetch("public/gallery.json").await;
                match index
                    .and_then(|text| serde_json::from_str(&text).map_err(|error| format!("gallery.json: {error}")))
                {
                    Ok(list) => {
                        self.examples.set(list);
                        self.next();
                    }
                    Err(why) => self.trouble.set(Some(format!("There is nothing to ask: {why}."))),
                }
            });
        } else {
            self.next();
        }
    }

    /// Puts the next question of the gallery.
    fn next(self) {
        self.fetching.update_value(|id| *id += 1);
        let id = self.fetching.get_value();
        spawn_local(async move {
            let examples = self.examples.get_untracked();
            // Not every program has a condition.
            for _ in 0..4 * examples.len() {
                let count = self.count.get_value();
                self.count.set_value(count + 1);
                let models: Vec<_> =
                    self.model.get_untracked().map_or_else(|| Model::ALL.to_vec(), |model| vec![model]);
                let pairs = examples.len() * models.len();
                let pair = if self.random.get_untracked() { browser::random(pairs) } else { count % pairs.max(1) };
                let (Some(example), Some(model)) = (examples.get(pair / models.len()), models.get(pair % models.len()))
                else {
                    break;
                };
                let Ok(text) = browser::fetch(&format!("public/{}", example.file)).await else { continue };
                if self.fetching.get_value() != id {
                    return;
                }
                let mut options = Options::default();
                if let Some(unroll) = example.unroll.filter(|&unroll| valid_unroll(unroll)) {
                    options.limits.unroll = unroll;
                }
                if let Ok(asked) = Asked::new(&text, None, *model) {
                    self.ask(asked, options);
                    return;
                }
            }
            self.trouble.set(Some("There is nothing to ask: the gallery can't be read.".to_owned()));
        });
    }

    /// The answer, as soon as everything is explored.
    fn answer(self) -> Option<Answered> {
        let asked = self.asked.get()?;
        let of = self.comparison.subject.get().is_some_and(|(text, _)| text == asked.text);
        self.comparison.view.get().filter(|_| of).and_then(|view| asked.answer(&view))
    }
}

impl Default for Quiz {
    fn default() -> Self {
        Self::new()
    }
}

/// The question, and what it is about.
#[component]
pub fn Question() -> impl IntoView {
    let app = App::get();
    let quiz = app.quiz;
    Effect::new(move |_| {
        let active = quiz.active();
        if let Some(body) = document().body() {
            let _ = if active {
                body.set_attribute("data-question", "true")
            } else {
                body.remove_attribute("data-question")
            };
        }
    });
    let answered = Memo::new(move |_| quiz.answer());
    let revealed = Memo::new(move |_| answered.get().filter(|_| quiz.revealed.get()));
    Effect::new(move |_| {
        let (Some(answered), Some(asked)) = (revealed.get(), quiz.asked.get_untracked()) else { return };
        if let Some(row) = answered.row {
            quiz.comparison.ask(row, Some(asked.model), Some(asked.model));
        }
        if quiz.series.get_untracked()
            && !quiz.counted.get_value()
            && let Some(said) = quiz.said.get_untracked().filter(|_| answered.answer != Answer::Unknown)
        {
            quiz.counted.set_value(true);
            quiz.answered.update(|count| *count += 1);
            quiz.right.update(|count| *count += u32::from(said == answered.answer));
        }
    });
    let side = Memo::new(move |_| {
        let row = revealed.get()?.row?;
        quiz.comparison.contrast.with(|contrast| {
            let contrast = contrast.as_ref().filter(|contrast| contrast.row == row)?;
            contrast.allowed.clone().or_else(|| contrast.forbidden.clone()).map(Arc::new)
        })
    });
    view! {
        <Show when=move || quiz.active()>
            <section class="panel question" id="question" aria-label="Question">
                <Series />
                {move || quiz.trouble.get().map(|trouble| view! { <p class="trouble" role="alert">{trouble}</p> })}
                {move || quiz.asked.get().map(|asked| {
                    let longest = asked.listing.lines().map(|line| line.chars().count()).max().unwrap_or(0);
                    view! {
                        <div class="question-body">
                            <div class="question-words">
                                <pre
                                    id="question-program"
                                    class="question-program"
                                    tabindex="0"
                                    role="group"
                                    aria-label="Program"
                                    style=("--longest", longest.to_string())
                                >
                                    {asked.listing.clone()}
                                </pre>
                                <Note />
                                <p class="question-outcome"><code id="question-outcome">{asked.outcome.clone()}</code></p>
                                <p class="question-sentence" id="question-sentence">{asked.sentence()}</p>
                                <Buttons />
                                <Answers revealed side />
                            </div>
                            <Shown side />
                        </div>
                    }
                })}
            </section>
        </Show>
    }
}

/// What is chosen in a quiz, and how it goes.
#[component]
fn Series() -> impl IntoView {
    let app = App::get();
    let quiz = app.quiz;
    let tally = move || match quiz.answered.get() {
        0 => String::new(),
        answered => format!("{} of {answered} right", quiz.right.get()),
    };
    view! {
        <Show when=move || quiz.series.get()>
            <div class="question-head">
                <h2>"Quiz"</h2>
                <label>
                    <span class="sr-only">"Order"</span>
                    <select id="quiz-order" on:change:target=move |event| {
                        quiz.random.set(event.target().value() == "random");
                        quiz.next();
                    }>
                        <option value="random" selected=move || quiz.random.get()>"at random"</option>
                        <option value="gallery" selected=move || !quiz.random.get()>"in order"</option>
                    </select>
                </label>
                <label>
                    <span class="sr-only">"Model"</span>
                    <select id="quiz-model" on:change:target=move |event| {
                        quiz.model.set(event.target().value().parse().ok());
                        quiz.next();
                    }>
                        <option value="any" selected=move || quiz.model.get().is_none()>"any model"</option>
                        {Model::ALL
                            .into_iter()
                            .map(|model| view! {
                                <option value=model.name() selected=move || quiz.model.get() == Some(model)>{model.title()}</option>
                            })
                            .collect_view()}
                    </select>
                </label>
                <span id="quiz-tally" role="status">{tally}</span>
                <button type="button" id="quiz-close" class="close" aria-label="Close the quiz" title="Esc" on:click=move |_| quiz.leave()>"×"</button>
            </div>
        </Show>
    }
}

#[component]
fn Buttons() -> impl IntoView {
    let app = App::get();
    let quiz = app.quiz;
    let choice = move |id: &'static str, key: &'static str, answer: Answer| {
        view! {
            <button
                type="button"
                id=id
                title=format!("Key {key}")
                aria-pressed=move || (quiz.said.get() == Some(answer)).to_string()
                aria-disabled=move || quiz.revealed.get().to_string()
                on:click=move |event| {
                    release_button(&event);
                    quiz.say(answer);
                }
            >
                <kbd>{key}</kbd> " " {answer.title()}
            </button>
        }
    };
    // The execution that was shown, in the session; where there is none, its start.
    let open = move |side: Option<Arc<SideView>>| {
        let Some(asked) = quiz.asked.get_untracked() else { return };
        let position = side.and_then(|side| side.position).unwrap_or(0);
        let settings = Settings {
            text: asked.text.clone(),
            model: asked.model,
            algorithm: litmoscope::compare::ALGORITHM,
            options: quiz.options.get_untracked(),
            position,
        };
        quiz.leave();
        app.scenes.shown.set(None);
        app.load(&settings, true);
        app.show(Tab::Graph);
    };
    let side =
        move || quiz.comparison.contrast.get_untracked().and_then(|contrast| contrast.allowed.clone()).map(Arc::new);
    view! {
        <div class="question-buttons">
            {choice("say-allowed", "1", Answer::Allowed)}
            {choice("say-forbidden", "2", Answer::Forbidden)}
            <button type="button" id="question-on" class="primary" title="Space or Enter" on:click=move |event| {
                release_button(&event);
                quiz.go_on(app);
            }>
                {move || if quiz.revealed.get() { "Next" } else { "Reveal" }}
            </button>
            <Show when=move || quiz.revealed.get()>
                <button type="button" id="question-open" title="Step through the program" on:click=move |_| open(side())>
                    "Step through it"
                </button>
            </Show>
        </div>
    }
}

/// What the lecturer says with the question.
#[component]
fn Note() -> impl IntoView {
    let app = App::get();
    move || {
        let scene = app.scenes.shown.get().filter(|scene| scene.question.is_some() && !scene.note.is_empty())?;
        Some(view! { <p class="question-note" id="question-note">{scene.note.clone()}</p> })
    }
}

/// What is true, held against what was said, and why.
#[component]
fn Answers(revealed: Memo<Option<Answered>>, side: Memo<Option<Arc<SideView>>>) -> impl IntoView {
    let app = App::get();
    let quiz = app.quiz;
    let trouble = quiz.comparison.trouble;
    let text = move || {
        if !quiz.revealed.get() {
            return None;
        }
        Some(match (revealed.get(), trouble.get()) {
            (Some(answered), _) => {
                let because = side.with(|side| match side.as_ref() {
                    Some(side) if side.violation.is_some() => side.sentence.clone(),
                    _ => answered.sentence.clone(),
                });
                let class = match quiz.said.get() {
                    Some(_) if answered.answer == Answer::Unknown => "answer",
                    Some(said) if said == answered.answer => "answer right",
                    Some(_) => "answer wrong",
                    None => "answer",
                };
                let cycle =
                    side.with(|side| side.as_ref()?.violation.as_ref().map(|violation| violation.cycle.clone()));
                view! {
                    <div class=class>
                        <p id="answer"><strong>{answered.answer.verdict(quiz.said.get())}</strong></p>
                        <p id="answer-because">{because}</p>
                        {cycle.map(|cycle| view! { <p class="answer-cycle" id="answer-cycle"><code>{cycle}</code></p> })}
                    </div>
                }
                .into_any()
            }
            (None, Some(trouble)) => view! { <p class="trouble">{trouble}</p> }.into_any(),
            (None, None) => view! { <p class="empty">"Everything is being explored: a moment."</p> }.into_any(),
        })
    };
    view! { <div role="status">{text}</div> }
}

/// The witness, or the cycle that forbids it.
#[component]
fn Shown(side: Memo<Option<Arc<SideView>>>) -> impl IntoView {
    let app = App::get();
    let drawing = Memo::new(move |_| side.with(|side| side.as_ref()?.drawing.clone().map(Arc::new)));
    let stage = Stage::of(app, 1.9, move || drawing.with(|drawing| drawing.as_ref().map(|drawing| size(drawing))));
    Effect::new(move |_| {
        drawing.track();
        stage.fit();
    });
    let none = Memo::new(move |_| drawing.with(Option::is_none));
    view! {
        <div class="question-graph" class:unseen=move || none.get()>
            <Scene
                stage
                drawing
                id="question-stage"
                graph_id="question-graph"
                name="Execution that shows the answer"
                hide_po=false
                faded=false
            />
        </div>
    }
}
