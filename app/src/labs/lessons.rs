//! Lectures: scenes, one after the other, questions to the room, and the ready-made lessons.

pub mod asking;
pub mod lecture;
pub mod quiz;
pub mod ready;
pub mod scenes;

use std::rc::Rc;

use leptos::prelude::*;
use litmoscope::document::PROGRAM;
use litmoscope::session::link::{self, Linked};
use serde_json::Value;

use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Place, Room, later};
use crate::app::lab::{Lab, LabId};
use crate::app::{App, Event};
use asking::Quiz;
use scenes::Scenes;

struct Lessons {
    app: App,
    scenes: Scenes,
}

impl Lab for Lessons {
    fn open(&self) -> bool {
        self.scenes.ready.set(true);
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
        if let Ok(place) = serde_json::from_value::<scenes::Place>(kept.clone()) {
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

/// What they say of themselves.
pub static LABS: &[Definition] = &[
    Definition {
        id: LabId("lessons"),
        opener: Opener {
            id: "open-lessons",
            title: "Lessons",
            about: "Short lessons. Each shows a few scenes of a real exploration or recording.",
            group: Group::Show,
            behind: "lecture",
            keys: &[key("u")],
            whole: false,
            can: |_| true,
        },
        accepts: &[&PROGRAM],
        example: "",
        kept: Some("scene"),
        begin,
        panel: None,
        rooms: &[
            Room {
                name: "Lessons",
                what: "the lessons",
                place: Place::Above,
                when: |_| Scenes::get().ready.into(),
                load: later!(lessons: Draw = || view! { <ready::LessonsDialog /> }.into_any()),
            },
            Room {
                name: "Scenes",
                what: "the scenes",
                place: Place::Above,
                when: |_| Scenes::get().open.into(),
                load: later!(lessons: Draw = || view! { <scenes::ScenesDialog /> }.into_any()),
            },
            Room {
                name: "Note",
                what: "the scene's note",
                place: Place::Panels,
                when: |app| {
                    let note = lecture::note(app);
                    Signal::derive(move || note.with(Option::is_some))
                },
                load: later!(lessons: Draw = || view! { <lecture::Note /> }.into_any()),
            },
        ],
        workers: &[],
    },
    Definition {
        id: LabId("quiz"),
        opener: Opener {
            id: "open-quiz",
            title: "Quiz",
            about: "Is this outcome allowed? One question after the other.",
            group: Group::Show,
            behind: "open-lessons",
            keys: &[key("q")],
            whole: false,
            can: |_| true,
        },
        accepts: &[],
        example: "",
        kept: None,
        begin: begin_quiz,
        panel: None,
        rooms: &[Room {
            name: "Question",
            what: "the quiz",
            place: Place::Panels,
            when: |_| {
                let quiz = Quiz::get();
                Signal::derive(move || quiz.active())
            },
            load: later!(lessons: Draw = || view! { <quiz::Question /> }.into_any()),
        }],
        workers: &[],
    },
];

/// Begins.
fn begin(app: App) -> Rc<dyn Lab> {
    let quiz = Quiz::new();
    let scenes = Scenes::new(app, quiz);
    provide_context(quiz);
    provide_context(scenes);
    scenes::follow(app, scenes);
    app.on(move |event| match event {
        Event::Covering => quiz.leave(),
        Event::Edited(settings) => scenes.hear(app, settings),
        Event::Replacing | Event::Opening => {}
    });
    Rc::new(Lessons { app, scenes })
}

/// Begins the questions of the gallery, after the lessons.
fn begin_quiz(app: App) -> Rc<dyn Lab> {
    let scenes = Scenes::get();
    Rc::new(Questions { app, scenes, quiz: scenes.quiz() })
}
