//! The site's own scripts: each can be shown as it is written, and what their notes claim is what the engine says.
//!
//! The claims are in `tests/tours.json`, one for each scene.

use std::path::Path;

use litmoscope::compare::ComparisonBounds;
use litmoscope::labs::comparison::{Asked, Comparing, QuizAnswer};
use litmoscope::session::script::Script;
use litmoscope::session::{Session, ViewRequest};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What the note of a scene says.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Claim {
    /// What the step is called.
    step: Option<String>,
    /// Which axiom the graph violates.
    axiom: Option<String>,
    /// What the question's answer is.
    answer: Option<String>,
    /// What the whole exploration counts.
    complete: Option<u64>,
    blocked: Option<u64>,
    dropped: Option<u64>,
    duplicates: Option<u64>,
}

#[test]
fn tours_can_be_held() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/tours");
    let read =
        |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let index: serde_json::Value = serde_json::from_str(&read("index.json")).expect("the index is JSON");
    let index = index.as_array().expect("the index is a list");
    let claims = include_str!("../../tours.json");
    let claims: BTreeMap<String, Vec<Claim>> = serde_json::from_str(claims).expect("claims are JSON");
    assert_eq!(claims.len(), index.len(), "each tour has claims");
    let files = std::fs::read_dir(&folder).expect("there is a folder").count();
    assert_eq!(files, index.len() + 1, "each file is in the index");
    for entry in index {
        let name = entry["name"].as_str().expect("tours have names");
        let script = Script::read(&read(&format!("{name}.json"))).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((entry["title"].as_str(), entry["about"].as_str()), (Some(&*script.title), Some(&*script.about)));
        assert!(!script.scenes.is_empty(), "{name} has scenes");
        let claims = claims.get(name).unwrap_or_else(|| panic!("{name} has no claims"));
        assert_eq!(claims.len(), script.scenes.len(), "each scene of {name} has a claim");
        for (at, scene) in script.scenes.iter().enumerate() {
            let place = format!("{name}, scene {}", at + 1);
            let mut session = Session::open(scene.settings.clone()).unwrap_or_else(|why| panic!("{place}: {why:?}"));
            session.go_to(scene.settings.position, u64::MAX);
            let view = session.view(&ViewRequest::default());
            assert_eq!(scene.arrival(&view), None, "{place}");
            let claim = &claims[at];
            let axiom = view.violation.map(|violation| violation.axiom);
            session.run(u64::MAX);
            let counts = session.counts();
            for (claimed, counted) in [
                (claim.complete, counts.complete),
                (claim.blocked, counts.blocked),
                (claim.dropped, counts.dropped),
                (claim.duplicates, counts.duplicates),
            ] {
                assert_eq!(claimed.unwrap_or(counted), counted, "{place}");
            }
            let Some(question) = &scene.question else {
                assert_eq!((claim.step.as_ref(), &claim.axiom), (Some(&view.step_name), &axiom), "{place}");
                continue;
            };
            let asked = Asked::new(&scene.settings.text, question.outcome.as_deref(), scene.settings.model);
            let asked = asked.unwrap_or_else(|why| panic!("{place}: {why}"));
            let mut comparing =
                Comparing::open(asked.text.clone(), scene.settings.options, ComparisonBounds::default())
                    .unwrap_or_else(|why| panic!("{place}: {why:?}"));
            while comparing.advance() {}
            let answered = asked.answer(&comparing.view()).expect("it was compared");
            let answer = match answered.answer {
                QuizAnswer::Allowed => "allowed",
                QuizAnswer::Forbidden => "forbidden",
                QuizAnswer::Unknown => "unknown",
            };
            assert_eq!(claim.answer.as_deref(), Some(answer), "{place}");
        }
    }
}
