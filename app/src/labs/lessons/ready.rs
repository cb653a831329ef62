//! The ready-made lessons: scripts of scenes that come with the page.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::Deserialize;

use super::scenes::Scenes;
use crate::app::App;
use crate::browser;
use crate::ui::dialog::Dialog;

/// An entry of the index of the site's own scripts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Lesson {
    /// The file's name without its ending.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// What it is about.
    #[serde(default)]
    pub about: String,
}

/// All of them, if they can be had.
pub async fn lessons() -> Option<Vec<Lesson>> {
    let index = browser::fetch("public/tours/index.json").await;
    serde_json::from_str(&index.ok()?).ok()
}

/// All lessons, to be opened by a click.
#[component]
pub fn LessonsDialog() -> impl IntoView {
    let app = App::get();
    let scenes = Scenes::get();
    let lessons = RwSignal::new(Vec::<Lesson>::new());
    let trouble = RwSignal::new("");
    Effect::new(move |_| {
        if scenes.ready.get() && lessons.with_untracked(Vec::is_empty) {
            spawn_local(async move {
                match self::lessons().await {
                    Some(list) => {
                        lessons.set(list);
                        trouble.set("");
                    }
                    None => trouble.set("The lessons can't be loaded. Is the page's server still there?"),
                }
            });
        }
    });
    let card = move |(number, lesson): (usize, Lesson)| {
        let name = lesson.name.clone();
        view! {
            <li>
                <button type="button" class="card" data-tour=lesson.name on:click=move |_| {
                    scenes.ready.set(false);
                    scenes.open_tour(app, &name);
                }>
                    <span class="card-head">
                        <strong>{lesson.title}</strong>
                        <span class="lesson-number">{number + 1}</span>
                    </span>
                    <span class="card-text">{lesson.about}</span>
                </button>
            </li>
        }
    };
    let tools = view! {
        <button type="button" id="own-scenes" title="Steps arranged for a lecture (t)" on:click=move |_| {
            scenes.ready.set(false);
            scenes.open.set(true);
        }>
            "Scenes of your own"
        </button>
    }
    .into_any();
    view! {
        <Dialog id="lessons" class="scenes" title="Lessons" open=scenes.ready tools>
            <p class="lessons-about">
                "Each lesson shows a few scenes of a real exploration or recording. "
                {browser::by_device(
                    "Page down goes to the next scene, Page up goes back.",
                    "The arrows lead from scene to scene.",
                )}
                " You can also step by yourself at any time."
            </p>
            <p class="trouble" role="alert">{trouble}</p>
            <ol class="cards tours">
                {move || lessons.get().into_iter().enumerate().map(card).collect_view()}
            </ol>
        </Dialog>
    }
}
