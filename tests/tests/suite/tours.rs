//! The site's own scripts: each can be shown as it is written, and what their notes claim is what the engine says.
//!
//! The claims are in `tests/tours.json`, one for each scene.
//!
//! Claims are steps, axioms, counts and answers; those of scenes in a lab are of the same place of that lab.

use std::path::{Path, PathBuf};

use litmoscope::compare::ComparisonBounds;
use litmoscope::document::{HISTORY, Kind, PROTOCOL};
use litmoscope::histories::report::{
    CodeJudging, HistoryJudging, HistoryRequest, HistoryVerdict, HistoryView, ToldOperations,
};
use litmoscope::inspection::Inspection;
use litmoscope::labs::comparison::{Asked, Comparing, QuizAnswer};
use litmoscope::memories::{MemoryOpen, MemoryPlace, MemoryRequest, MemoryTable, TableNews, TableRequest};
use litmoscope::repair::RepairPlace;
use litmoscope::repair::view::{RepairOpen, RepairRequest};
use litmoscope::session::script::{Scene, Script};
use litmoscope::session::{Session, Settings, ViewRequest};
use serde::{Deserialize, Serialize};
use serde_json::Value;
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
    /// The file in `public/` that the text is.
    file: Option<String>,
    /// What the lab says of what it shows.
    shown: Option<InLab>,
    /// What the lab of memories says.
    memory: Option<OfMemory>,
    /// What the lab of repairs says.
    repair: Option<OfRepairs>,
}

/// What the lab of repairs shows.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfRepairs {
    /// How many repairs there are.
    found: usize,
    /// Whether what the reader is shown as a try is one.
    #[serde(default)]
    own: Option<bool>,
    /// Sentences, or parts of them.
    says: Vec<String>,
}

/// What the lab of memory implementations shows.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct OfMemory {
    /// The weakest model that the run violates; none if it violates none.
    violated: Option<String>,
    /// Sentences, or parts of them.
    says: Vec<String>,
    /// Rows of the table with what each of their cells says.
    rows: Vec<(String, String)>,
}

/// What the lab of histories shows.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct InLab {
    /// `linearizable`, `not` or `unknown`.
    verdict: String,
    /// Whether the object allows the order of the points that are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<bool>,
    /// How many operations contradict each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    contradicting: Option<usize>,
    /// Values without any one of which it would be linearizable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    needed: Vec<String>,
    /// How many steps the monitor makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u32>,
    /// Sentences, or parts of them.
    says: Vec<String>,
}

fn public(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../public").join(file)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn tours_can_be_held() {
    let folder = public("tours");
    let index: Value = serde_json::from_str(&read(&folder.join("index.json"))).expect("the index is JSON");
    let index = index.as_array().expect("the index is a list");
    let claims = include_str!("../../tours.json");
    let claims: BTreeMap<String, Vec<Claim>> = serde_json::from_str(claims).expect("claims are JSON");
    assert_eq!(claims.len(), index.len(), "each tour has claims");
    let files = std::fs::read_dir(&folder).expect("there is a folder").count();
    assert_eq!(files, index.len() + 1, "each file is in the index");
    for entry in index {
        let name = entry["name"].as_str().expect("tours have names");
        let script = Script::read(&read(&folder.join(format!("{name}.json"))));
        let script = script.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((entry["title"].as_str(), entry["about"].as_str()), (Some(&*script.title), Some(&*script.about)));
        assert!(!script.scenes.is_empty(), "{name} has scenes");
        let claims = claims.get(name).unwrap_or_else(|| panic!("{name} has no claims"));
        assert_eq!(claims.len(), script.scenes.len(), "each scene of {name} has a claim");
        for (at, (scene, claim)) in script.scenes.iter().zip(claims).enumerate() {
            let place = format!("{name}, scene {}", at + 1);
            if let Some(file) = &claim.file {
                assert_eq!(scene.settings.text.trim_end(), read(&public(file)).trim_end(), "{place}");
            }
            let is_history = Kind::of(&scene.settings.text).is(&HISTORY);
            let is_memory = Kind::of(&scene.settings.text).is(&PROTOCOL);
            if !is_history && !is_memory {
                stepped(scene, claim, &place);
            }
            match &scene.lab {
                Some(_) if is_memory => memory(scene, claim, &place),
                Some(lab) if lab.name == "repair" => repairs(scene, claim, &place),
                Some(_) if is_history => {
                    in_lab(claim, history(scene, &place), &place);
                    for value in claim.shown.iter().flat_map(|shown| &shown.needed) {
                        let left = Scene { settings: without(&scene.settings, value), ..scene.clone() };
                        assert_eq!(history(&left, &place).0.verdict, "linearizable", "{place}, without {value}");
                    }
                }
                Some(_) => in_lab(claim, executions(scene, &place), &place),
                None => assert!(claim.shown.is_none() && !is_history, "{place}"),
            }
        }
    }
}

/// What is claimed of a memory implementation, against what is shown of it.
fn memory(scene: &Scene, claim: &Claim, place: &str) {
    let lab = scene.lab.as_ref().expect("a scene in a lab");
    assert_eq!(lab.name, "memories", "{place}");
    let kept = lab.place.clone().unwrap_or_else(|| serde_json::json!({}));
    let at = MemoryPlace::resume(&kept).unwrap_or_else(|| panic!("{place}: {kept} is no place"));
    // What the lab has no word for is left out.
    assert_eq!(at.keep(), Some(kept), "{place}");
    let mut request = MemoryRequest { text: scene.settings.text.clone(), ..MemoryRequest::default() };
    at.ask(&mut request);
    let mut open = MemoryOpen::open(&request).unwrap_or_else(|wrong| panic!("{place}: {wrong:?}"));
    let view = open.view(&request);
    assert_eq!(view.trouble, None, "{place}");
    let claimed = claim.memory.as_ref().unwrap_or_else(|| panic!("{place} has no claim"));
    assert_eq!(claimed.violated, view.violated, "{place}");
    let said: Vec<String> = [vec![view.size], view.verdict]
        .concat()
        .into_iter()
        .chain(view.cycle.into_iter().map(|told| told.text))
        .chain(view.automata.into_iter().map(|automaton| automaton.token))
        .collect();
    for wanted in &claimed.says {
        assert!(said.iter().any(|said| said.contains(wanted)), "{place}: nothing says {wanted}\n{said:#?}");
    }
    if claimed.rows.is_empty() {
        return;
    }
    let MemoryRequest { text, settings, holds_nothing, as_printed, .. } = request;
    let asked = TableRequest { text, settings, holds_nothing, as_printed, limit: 100_000 };
    let mut table = MemoryTable::new(&asked).unwrap_or_else(|wrong| panic!("{place}: {wrong:?}"));
    let titles: Vec<String> = table.rows().iter().map(|row| row.title.clone()).collect();
    let mut verdicts = Vec::new();
    while verdicts.len() < 3 * claimed.rows.len() {
        match table.go_on().unwrap_or_else(|| panic!("{place}: not all rows are there: {titles:?}")) {
            TableNews::Cell(row, _, cell) => verdicts.push((titles[row as usize].clone(), cell.verdict)),
            TableNews::Size(..) | TableNews::Refused(..) => {}
        }
    }
    let claimed: Vec<_> = claimed.rows.iter().flat_map(|row| [row.clone(), row.clone(), row.clone()]).collect();
    assert_eq!(verdicts, claimed, "{place}");
}

/// What is claimed of a program's repairs, against what is shown of them.
fn repairs(scene: &Scene, claim: &Claim, place: &str) {
    let kept = scene.lab.as_ref().and_then(|lab| lab.place.clone()).unwrap_or_else(|| serde_json::json!({}));
    let at = RepairPlace::resume(&kept).unwrap_or_else(|| panic!("{place}: {kept} is no place"));
    // What the lab has no word for is left out.
    assert_eq!(at.keep(), Some(kept), "{place}");
    let (text, model) = (scene.settings.text.clone(), scene.settings.model.name().to_owned());
    let mut request = RepairRequest { text, model, ..RepairRequest::default() };
    at.ask(&mut request);
    let mut open = RepairOpen::open(&request).unwrap_or_else(|wrong| panic!("{place}: {wrong:?}"));
    let mut view = open.view(&request);
    while view.running {
        request.grown = view.done;
        view = open.view(&request);
    }
    let claimed = claim.repair.as_ref().unwrap_or_else(|| panic!("{place} has no claim"));
    let own = view.own.as_ref();
    assert_eq!((claimed.found, claimed.own), (view.rows.len(), own.and_then(|own| own.good)), "{place}");
    let changes = view.rows.into_iter().map(|row| row.changes.join("; "));
    let said: Vec<String> = changes.chain([view.sentence, view.caption]).collect();
    for wanted in &claimed.says {
        assert!(said.iter().any(|said| said.contains(wanted)), "{place}: nothing says {wanted}\n{said:#?}");
    }
}

/// What is claimed of a scene's step, of its question, and of all executions.
fn stepped(scene: &Scene, claim: &Claim, place: &str) {
    let mut session = Session::open(scene.settings.clone()).unwrap_or_else(|why| panic!("{place}: {why:?}"));
    session.go_to(scene.settings.position, u64::MAX);
    let view = session.view(&ViewRequest::default());
    assert_eq!(scene.arrival(&view), None, "{place}");
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
        // Where a lab is shown, the step is out of sight.
        if scene.lab.is_none() || claim.step.is_some() {
            assert_eq!((claim.step.as_ref(), &claim.axiom), (Some(&view.step_name), &axiom), "{place}");
        }
        return;
    };
    let asked = Asked::new(&scene.settings.text, question.outcome.as_deref(), scene.settings.model);
    let asked = asked.unwrap_or_else(|why| panic!("{place}: {why}"));
    let mut comparing = Comparing::open(asked.text.clone(), scene.settings.options, ComparisonBounds::default())
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

/// What is claimed of a lab, against what it shows and all that it says.
fn in_lab(claim: &Claim, (shown, words): (InLab, String), place: &str) {
    let claimed = claim.shown.as_ref().unwrap_or_else(|| panic!("{place} has no claim: {shown:#?}\n{words}"));
    for said in &claimed.says {
        assert!(words.contains(said), "{place}: nothing says {said}\n{words}");
    }
    let claimed = InLab {
        verdict: claimed.verdict.clone(),
        legal: claimed.legal.or(shown.legal),
        contradicting: claimed.contradicting.or(shown.contradicting),
        steps: claimed.steps.or(shown.steps),
        ..InLab::default()
    };
    assert_eq!(claimed, shown, "{place}\n{words}");
}

/// What a scene asks the lab of histories for.
fn request(scene: &Scene, place: &str) -> HistoryRequest {
    let lab = scene.lab.as_ref().expect("a scene in a lab");
    assert_eq!(lab.name, "histories", "{place}");
    let Some(kept) = &lab.place else { return HistoryRequest::default() };
    let request = HistoryRequest::resume(kept).unwrap_or_else(|| panic!("{place}: {kept} is no place"));
    // What the lab has no word for is left out.
    assert_eq!(request.keep(), *kept, "{place}");
    request
}

/// What the lab shows of a recording, and all its words.
fn history(scene: &Scene, place: &str) -> (InLab, String) {
    let request = HistoryRequest { width: 1000, rows: (0, 64), ..request(scene, place) };
    let mut judging = HistoryJudging::open(&scene.settings.text).unwrap_or_else(|why| panic!("{place}: {why:?}"));
    judging.view(&request);
    judging.go_on();
    let view = judging.view(&request);
    assert_eq!((view.choice, view.part), (request.choice, request.part), "{place}");
    if let Some(steps) = &view.steps {
        assert_eq!((steps.step, steps.choice), (request.step, request.steps_of), "{place}");
    }
    (in_view(&view), words(&view))
}

fn in_view(view: &HistoryView) -> InLab {
    let verdict = match view.verdict {
        HistoryVerdict::Linearizable => "linearizable",
        HistoryVerdict::Not => "not",
        HistoryVerdict::Unknown | HistoryVerdict::NoObject => "unknown",
    };
    InLab {
        verdict: verdict.to_owned(),
        legal: view.sequence.as_ref().map(|sequence| sequence.is_legal),
        contradicting: view.contradiction.as_ref().map(|contradiction| contradiction.operations.len()),
        steps: view.steps.as_ref().map(|steps| steps.all),
        ..InLab::default()
    }
}

/// The same history without the operations of a value.
fn without(settings: &Settings, value: &str) -> Settings {
    let is_left = |operation: &&str| operation.split(' ').nth(1) != Some(value);
    let line = |line: &str| match line.split_once(": ") {
        Some((thread, operations)) if !line.starts_with('#') => {
            let left: Vec<&str> = operations.split("; ").filter(is_left).collect();
            format!("{thread}: {}", left.join("; "))
        }
        _ => line.to_owned(),
    };
    let text = settings.text.lines().map(line).collect::<Vec<_>>().join("\n");
    assert!(text.len() < settings.text.len(), "there is no {value}");
    Settings { text, ..settings.clone() }
}

fn words(view: &HistoryView) -> String {
    let told = |told: &[ToldOperations]| told.iter().map(|told| told.text.clone()).collect::<Vec<_>>();
    let mut words = vec![view.sentence.clone(), view.size.clone()];
    words.extend(told(&view.reasons));
    words.extend(view.as_printed.clone());
    if let Some(contradiction) = &view.contradiction {
        words.push(contradiction.sentence.clone());
        words.extend(told(&contradiction.facts));
    }
    if let Some(sequence) = &view.sequence {
        words.push(sequence.sentence.clone());
        words.extend(sequence.turns.iter().flat_map(|turn| [Some(turn.text.clone()), turn.why.clone()]).flatten());
    }
    if let Some(steps) = &view.steps {
        words.extend([steps.title.clone(), steps.caption.clone()]);
        words.extend(steps.notes.clone());
        words.extend(steps.listed.iter().map(|line| line.text.clone()));
    }
    if let Some(shown) = view.code.as_ref().and_then(|code| code.shown.as_ref()) {
        words.extend([shown.title.clone(), shown.sentence.clone()]);
        words.extend(shown.operations.clone());
    }
    words.join("\n")
}

/// What the lab shows of a program's executions, and all its words.
fn executions(scene: &Scene, place: &str) -> (InLab, String) {
    let request = HistoryRequest { width: 1000, rows: (0, 64), ..request(scene, place) };
    let judging = CodeJudging::open(&scene.settings, &request.code);
    let mut judging = judging.unwrap_or_else(|why| panic!("{place}: {why:?}"));
    let mut view = judging.view(&request);
    while view.has_more {
        judging.go_on();
        view = judging.view(&request);
    }
    let code = view.code.as_ref().expect("a program's executions");
    assert_eq!((code.structure, code.order), (request.code.structure, request.code.order), "{place}");
    assert_eq!(code.choice, Some(request.code.shown), "{place}");
    (in_view(&view), words(&view))
}
