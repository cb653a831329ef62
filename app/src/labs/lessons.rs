//! Lectures: scenes, one after the other, questions to the room, and the ready-made lessons.

pub mod asking;
pub mod lecture;
pub mod quiz;
pub mod ready;
pub mod scenes;

use std::rc::Rc;

use leptos::prelude::*;
use litmoscope::session::link::{self, Linked};
use serde_json::Value;

use crate::app::lab::Lab;
use crate::app::{App, Event};
use asking::Quiz;
use scenes::{Place, Scenes};

struct Lessons {
    app: App,
    scenes: Scenes,
}

impl Lab for Lessons {
    fn open(&self) -> bool {
        self.app.dialogs.lessons.set(true);
        true
    }

    fn leave(&self) {
        self.scenes.leave(self.app);
    }

    /// A link to scenes, the name of a lesson, or a file of scenes.
    fn take(&self, what: &str) {
        if let Some(tour) = what.strip_prefix("#tour=") {
            self.scenes.open_tour(self.app, tour);
        } else if !what.starts_with('#') {
            self.scenes.open_file(self.app, what);
        } else if let Ok(Linked::Script(script)) = link::open(what) {
            self.scenes.start(self.app, script, 1);
        }
    }

    fn keep(&self) -> Option<Value> {
        serde_json::to_value(self.scenes.kept_place()?).ok()
    }

    fn resume(&self, kept: &Value) {
        if let Ok(place) = serde_json::from_value::<Place>(kept.clone()) {
            self.scenes.resume(self.app, &place);
        }
    }

    fn track(&self) {
        self.scenes.at.track();
        self.app.scene.track();
        self.scenes.quiz().track();
    }
}

struct Questions {
    app: App,
    scenes: Scenes,
    quiz: Quiz,
}

impl Lab for Questions {
    fn open(&self) -> bool {
        self.scenes.leave(self.app);
        self.quiz.start();
        true
    }
}

/// Begins.
pub fn begin(app: App) -> Rc<dyn Lab> {
    let quiz = Quiz::new();
    let scenes = Scenes::new(app, quiz);
    provide_context(quiz);
    provide_context(scenes);
    scenes::follow(app, scenes);
    app.on(move |event| {
        if matches!(event, Event::Covering) {
            quiz.leave();
        }
    });
    Rc::new(Lessons { app, scenes })
}

/// Begins the questions of the gallery, after the lessons.
pub fn begin_quiz(app: App) -> Rc<dyn Lab> {
    let scenes = Scenes::get();
    Rc::new(Questions { app, scenes, quiz: scenes.quiz() })
}
