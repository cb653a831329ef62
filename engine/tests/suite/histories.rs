//! The histories of the gallery: what their descriptions say is true, and the page shows all of each.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use litmoscope::document::{HISTORY, Kind};
use litmoscope::histories::report::HistoryVerdict::{Linearizable, Not};
use litmoscope::histories::report::{HistoryJudging, HistoryRequest, HistoryVerdict, Part, Points};
use litmoscope::histories::{Format, ReadOptions, begins_history, detect, parse_history, print_history};
use serde_json::Value;

fn public() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../public")
}

/// By file: the verdict of each of its histories.
const VERDICTS: [(&str, &[HistoryVerdict]); 12] = [
    ("points.history", &[Linearizable]),
    ("two-values.history", &[Not]),
    ("s1.history", &[Linearizable]),
    ("s2.history", &[Not]),
    ("s10.history", &[Linearizable]),
    ("q8.history", &[Not]),
    ("counters.history", &[Not]),
    ("membership.history", &[Not]),
    ("pending.history", &[Linearizable]),
    ("stretched.history", &[Not, Linearizable]),
    ("register.edn", &[Not]),
    ("priorities.history", &[Not]),
];

fn opened(file: &str) -> HistoryJudging {
    let text =
        fs::read_to_string(public().join("histories").join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert!(Kind::of(&text).is(&HISTORY), "{file}");
    HistoryJudging::open(&text).unwrap_or_else(|wrong| panic!("{file}: {wrong:#?}"))
}

/// All of a history, and what is found when nothing more is looked for.
fn whole(request: &HistoryRequest) -> HistoryRequest {
    HistoryRequest { width: 900, rows: (0, 64), ..request.clone() }
}

#[test]
fn histories_of_the_gallery_are_what_their_descriptions_say() {
    for (file, verdicts) in VERDICTS {
        let mut judging = opened(file);
        for (choice, verdict) in verdicts.iter().enumerate() {
            let asked = whole(&HistoryRequest { choice: choice as u32, ..HistoryRequest::default() });
            let mut view = judging.view(&asked);
            assert_eq!(view.verdict, *verdict, "{file}, {choice}");
            assert_eq!(view.histories.len(), verdicts.len(), "{file}");
            if view.has_more {
                judging.go_on();
                view = judging.view(&asked);
            }
            assert!(!view.has_more && view.contradiction.is_some() == (*verdict == Not), "{file}, {choice}");
            assert_eq!(view.timeline.window, (-1.0, f64::from(view.timeline.moments)), "{file} is all in sight");
            // Each step has words.
            let steps = view.steps.as_ref().map_or(0, |steps| steps.all);
            for step in 0..=steps {
                let view = judging.view(&HistoryRequest { step, ..asked.clone() });
                let steps = view.steps.filter(|steps| steps.step == step && (step == 0 || !steps.caption.is_empty()));
                assert!(steps.is_some() || view.no_steps.is_some(), "{file}, step {step}");
            }
        }
    }
}

#[test]
fn the_index_has_all_histories() {
    let index = fs::read_to_string(public().join("histories.json")).expect("the index");
    let listed: Vec<Value> = serde_json::from_str(&index).expect("JSON");
    let listed: BTreeSet<String> = listed.iter().filter_map(|entry| Some(entry["file"].as_str()?.to_owned())).collect();
    assert_eq!(listed, VERDICTS.map(|(file, _)| format!("histories/{file}")).into());
    assert_eq!(fs::read_dir(public().join("histories")).expect("the histories").count(), VERDICTS.len());
}

/// What the description of `points` tells to do.
#[test]
fn a_point_that_is_dragged_makes_the_order_right() {
    let mut judging = opened("points.history");
    let asked = whole(&HistoryRequest { points: Points::Middle, ..HistoryRequest::default() });
    let view = judging.view(&asked);
    let order = view.sequence.expect("there are points");
    let wrong = order.turns.iter().find(|turn| turn.why.is_some()).expect("one is wrong");
    assert!(!order.is_legal && wrong.text.contains("1"), "{wrong:?}");
    let places = view.timeline.places;
    let first = view.timeline.bars.iter().find(|bar| bar.call == 0).expect("the first");
    let mut own: Vec<_> =
        (0..).zip(places).map(|(operation, at)| litmoscope::histories::report::OwnPoint { operation, at }).collect();
    own[first.operation as usize].at = 0.5;
    let view = judging.view(&HistoryRequest { points: Points::Own(own), ..asked });
    assert!(view.sequence.is_some_and(|order| order.is_legal));
}

/// S2 needs all of its values; the queue's contradictions need two.
#[test]
fn contradictions_are_as_small_as_their_descriptions_say() {
    for (file, operations) in [("s2.history", 7), ("q8.history", 3), ("two-values.history", 3)] {
        let mut judging = opened(file);
        let asked = whole(&HistoryRequest { part: Part::Contradiction, ..HistoryRequest::default() });
        assert!(judging.view(&asked).has_more, "{file}");
        judging.go_on();
        let view = judging.view(&asked);
        assert_eq!((view.part, view.timeline.bars.len()), (Part::Contradiction, operations), "{file}");
    }
    let mut judging = opened("counters.history");
    assert!(judging.view(&whole(&HistoryRequest::default())).as_printed.is_some());
}

/// The page knows where told operations are, and all points, also those out of sight.
#[test]
fn what_is_out_of_sight_is_told_with_its_place() {
    let mut judging = opened("q8.history");
    let asked =
        HistoryRequest { window: Some((0.0, 4.0)), points: Points::Middle, ..whole(&HistoryRequest::default()) };
    let view = judging.view(&asked);
    let (from, to) = view.reasons[0].stretch.expect("it is about operations");
    assert!(from >= 3.0 && to > from && to < 28.0, "{from} {to}");
    assert_eq!(view.timeline.places.len(), 14);
    assert!(view.timeline.points.len() < 14);
    let turns = view.sequence.expect("there are points").turns;
    assert!(turns.windows(2).all(|two| two[0].at <= two[1].at));
    assert!(turns.iter().any(|turn| turn.at > 20.0 && turn.row == 1));
}

/// All files below a folder.
fn files(folder: &std::path::Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, all) } else { all.push(path) }
    }
}

/// The glance that the page has before anything that reads histories is there finds the same as who reads them.
#[test]
fn a_glance_tells_histories_from_all_other_texts() {
    let mut all = Vec::new();
    files(&public(), &mut all);
    files(&public().join("../fuzz/corpus"), &mut all);
    let mut found = 0;
    for path in all {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let is_one = begins_history(&text);
        let is_known = detect(&text).is_some();
        // A broken history may be one at a glance.
        let is_meant = is_one && path.to_string_lossy().contains("/histor");
        assert!(is_one == is_known || is_meant, "{}", path.display());
        found += usize::from(is_one);
    }
    assert!(found >= VERDICTS.len(), "{found}");
    // In each format, as it is written, and cut anywhere.
    let text = fs::read_to_string(public().join("histories/s1.history")).expect("it is there");
    let (recording, _) = parse_history(&text, &ReadOptions::default()).expect("it is one");
    for format in Format::ALL {
        let Ok(text) = print_history(&recording, format) else { continue };
        assert!(begins_history(&text), "{}", format.name());
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let text = &text[..end];
            assert!(begins_history(text) || detect(text).is_none(), "{}: {text}", format.name());
        }
    }
}
