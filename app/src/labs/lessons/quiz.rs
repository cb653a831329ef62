//! Questions to the room: is this outcome allowed? In a scene, or one after the other on the programs of the gallery.
//!
//! What was said is held against what the engine finds, by exploring under all models while one thinks. Nothing that
//! would give the answer away is in sight until then, and nothing that was said is kept.
//!
//! Until a question is answered, the page puts nothing but it on the screen, and its keys reach nothing else.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::labs::comparison::{Answered, QuizAnswer, SideView};
use litmoscope::model::Model;
use litmoscope::session::Settings;

use super::asking::Quiz;
use super::scenes::{Scenes, Way};
use crate::app::App;
use crate::app::lab::Tab;
use crate::browser::release_button;
use crate::document::Whose;
use crate::ui::prose::prose;
use crate::ui::scene::Scene;
use crate::ui::scene::camera::{Stage, size};

/// Reveals the answer, or goes on to what comes next.
pub fn go_on(app: App, quiz: Quiz, scenes: Scenes) {
    if !quiz.go_on() {
        scenes.move_on(app, Way::Forward);
    }
}

/// Takes a key; whatever could give the answer away does nothing meanwhile.
pub fn took(app: App, quiz: Quiz, scenes: Scenes, key: &str) -> bool {
    let series = quiz.series.get_untracked();
    match key {
        "1" => quiz.say(QuizAnswer::Allowed),
        "2" => quiz.say(QuizAnswer::Forbidden),
        "Enter" | " " | "PageDown" | "ArrowDown" | "ArrowRight" | "n" | "j" => go_on(app, quiz, scenes),
        "PageUp" | "ArrowUp" | "ArrowLeft" | "p" | "k" if !series => {
            scenes.move_on(app, Way::Back);
        }
        // A question of a scene stays with it.
        "Escape" if !series && app.looks.lecture.get_untracked() => app.looks.lecture.set(false),
        "Escape" => {
            if !series {
                scenes.leave(app);
            }
            quiz.leave();
            app.notices.notice.set(None);
        }
        "." | "b" if app.looks.lecture.get_untracked() => return false,
        "?" | "l" | "F5" | "Tab" => return false,
        _ => return key.chars().count() == 1 || matches!(key, "Home" | "End") || key.starts_with("Arrow"),
    }
    true
}

/// The question, and what it is about.
#[component]
pub fn Question() -> impl IntoView {
    let quiz = Quiz::get();
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
            && let Some(said) = quiz.said.get_untracked().filter(|_| answered.answer != QuizAnswer::Unknown)
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
                {move || quiz.trouble.get().map(|trouble| view! { <p class="trouble" role="alert">{prose(&trouble)}</p> })}
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
    let quiz = Quiz::get();
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
    let (app, quiz, scenes) = (App::get(), Quiz::get(), Scenes::get());
    let choice = move |id: &'static str, key: &'static str, answer: QuizAnswer| {
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
        app.scene.set(None);
        app.load(&settings, Whose::Sample);
        app.show(Tab::Graph);
    };
    let side =
        move || quiz.comparison.contrast.get_untracked().and_then(|contrast| contrast.allowed.clone()).map(Arc::new);
    view! {
        <div class="question-buttons">
            {choice("say-allowed", "1", QuizAnswer::Allowed)}
            {choice("say-forbidden", "2", QuizAnswer::Forbidden)}
            <button type="button" id="question-on" class="primary" title="Space or Enter" on:click=move |event| {
                release_button(&event);
                go_on(app, quiz, scenes);
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
        let scene = app.scene.get().filter(|scene| scene.question.is_some() && !scene.note.is_empty())?;
        Some(view! { <p class="question-note" id="question-note">{scene.note.clone()}</p> })
    }
}

/// What is true, held against what was said, and why.
#[component]
fn Answers(revealed: Memo<Option<Answered>>, side: Memo<Option<Arc<SideView>>>) -> impl IntoView {
    let quiz = Quiz::get();
    let trouble = quiz.comparison.trouble;
    let text = move || {
        if !quiz.revealed.get() {
            return None;
        }
        Some(match (revealed.get(), trouble.get()) {
            (Some(answered), _) => {
                let because = side.with(|side| match side.as_deref() {
                    Some(SideView { sentence, why: Some(why), .. }) => format!("{sentence} {why}"),
                    Some(side) if side.violation.is_some() => side.sentence.clone(),
                    _ => answered.sentence.clone(),
                });
                let class = match quiz.said.get() {
                    Some(_) if answered.answer == QuizAnswer::Unknown => "answer",
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
            (None, Some(trouble)) => view! { <p class="trouble">{prose(&trouble)}</p> }.into_any(),
            (None, None) => view! { <p class="empty">"Exploring everything. One moment, please."</p> }.into_any(),
        })
    };
    view! { <div role="status">{text}</div> }
}

/// The witness, or the cycle that forbids it.
#[component]
fn Shown(side: Memo<Option<Arc<SideView>>>) -> impl IntoView {
    let drawing = Memo::new(move |_| side.with(|side| side.as_ref()?.drawing.clone().map(Arc::new)));
    let stage = Stage::beside(1.9, move || drawing.with(|drawing| drawing.as_ref().map(|drawing| size(drawing))));
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
