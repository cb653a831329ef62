//! The site's own scripts: each can be shown as it is written, and each question in it has an answer.

use std::path::Path;

use litmoscope::compare::Bounds;
use litmoscope::session::script::Script;
use litmoscope::session::{Answer, Asked, Comparing, Session, ViewRequest};

#[test]
fn tours_can_be_held() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/tours");
    let read =
        |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let index: serde_json::Value = serde_json::from_str(&read("index.json")).expect("the index is JSON");
    let index = index.as_array().expect("the index is a list");
    let files = std::fs::read_dir(&folder).expect("there is a folder").count();
    assert_eq!(files, index.len() + 1, "each file is in the index");
    for entry in index {
        let name = entry["name"].as_str().expect("tours have names");
        let script = Script::read(&read(&format!("{name}.json"))).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((entry["title"].as_str(), entry["about"].as_str()), (Some(&*script.title), Some(&*script.about)));
        assert!(!script.scenes.is_empty(), "{name} has scenes");
        for (at, scene) in script.scenes.iter().enumerate() {
            let place = format!("{name}, scene {}", at + 1);
            let mut session = Session::open(scene.settings.clone()).unwrap_or_else(|why| panic!("{place}: {why:?}"));
            session.go_to(scene.settings.position, u64::MAX);
            assert_eq!(scene.arrival(&session.view(&ViewRequest::default())), None, "{place}");
            let Some(question) = &scene.question else { continue };
            let asked = Asked::new(&scene.settings.text, question.outcome.as_deref(), scene.settings.model);
            let asked = asked.unwrap_or_else(|why| panic!("{place}: {why}"));
            let mut comparing = Comparing::open(asked.text.clone(), scene.settings.options, Bounds::default())
                .unwrap_or_else(|why| panic!("{place}: {why:?}"));
            while comparing.advance() {}
            let answered = asked.answer(&comparing.view()).expect("it was compared");
            assert_ne!(answered.answer, Answer::Unknown, "{place}");
        }
    }
}
