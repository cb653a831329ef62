//! What is shown is what the verifier did.

use super::Region;
use super::tree::Tree;
use super::verify::{VerifyRequest, VerifyView, Watched};
use crate::impact::{Options, Verifier};
use crate::report::Reporter;
use litmoscope_core::budget::Budget;
use litmoscope_core::inspection::Inspection;
use litmoscope_core::program::Code;
use litmoscope_core::program::system::System;
use litmoscope_core::syntax::parse;
use litmoscope_core::testing::looping::{Shape, looping};
use litmoscope_core::testing::seeds;
use litmoscope_draw::{Drawing, Theme};
use std::sync::Arc;

const BUFFER: &str = "shared m, count
while 1 {
  lock m
  if count < 2 { fai(count) } else { error }
  unlock m
}
||
while 1 {
  lock m
  if count > 0 { fetch_sub(count, 1) } else { error }
  unlock m
}";

fn watched(text: &str) -> (Watched, VerifyRequest) {
    let request = VerifyRequest { text: text.to_owned(), run: 8, ..VerifyRequest::default() };
    let mut watched = Watched::open(&request).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}"));
    while watched.advance(&|| 1.0) {}
    (watched, request)
}

fn check_drawing(drawing: &Drawing) {
    for (at, node) in drawing.nodes.iter().enumerate() {
        assert!(node.x >= 0.0 && node.x + node.width <= drawing.width, "{node:?}");
        assert!(node.y >= 0.0 && node.y + node.height <= drawing.height, "{node:?}");
        for other in &drawing.nodes[..at] {
            let apart = node.x + node.width <= other.x
                || other.x + other.width <= node.x
                || node.y + node.height <= other.y
                || other.y + other.height <= node.y;
            assert!(apart, "{node:?}\n{other:?}");
        }
    }
    for edge in &drawing.edges {
        for end in [edge.from, edge.to] {
            assert!(drawing.nodes.iter().any(|node| node.key == end), "{edge:?}");
        }
    }
}

/// At each place of a short verification, forth and back.
fn all_places(watched: &mut Watched, request: &VerifyRequest) -> Vec<VerifyView> {
    let all = watched.view(request).all_steps;
    let mut view = |step| watched.view(&VerifyRequest { step: Some(step), ..request.clone() });
    let forth: Vec<VerifyView> = (0..=all).map(&mut view).collect();
    let mut back: Vec<VerifyView> = (0..=all).rev().map(view).collect();
    back.reverse();
    assert_eq!(forth, back);
    forth
}

#[test]
fn a_buffer_is_watched() {
    let (mut watched, request) = watched(BUFFER);
    let views = all_places(&mut watched, &request);
    for view in &views {
        check_drawing(view.tree.as_ref().expect("it is drawn"));
        assert!(!view.caption.is_empty() || view.step == 0, "{}", view.step);
    }
    let last = views.last().expect("there is one");
    let verdict = last.verdict.as_ref().expect("it is over");
    assert_eq!((verdict.name.as_str(), verdict.holds), ("partially safe", Some(false)));
    // The first result, then the consumer that must not begin.
    let titles: Vec<&str> = last.stops.iter().map(|stop| stop.title.as_str()).take(2).collect();
    assert_eq!(titles, ["P0, P1", "error"]);
    assert_eq!(last.stops.iter().filter(|stop| stop.result.is_some()).count(), last.results);
    // Of 3 runs of 8 steps 1 goes wrong, of 7 runs of 16 steps 3 do; the first result admits one of each.
    let counts = |view: &VerifyView| {
        let share = &view.shares[0];
        (share.all.clone(), share.wrong.clone(), share.admitted.clone(), share.undecided.clone())
    };
    let of = |all: &str, wrong: &str, admitted: &str, rest: &str| {
        (all.to_owned(), wrong.to_owned(), admitted.to_owned(), rest.to_owned())
    };
    assert_eq!(counts(last), of("3", "1", "1", "1"));
    let long = watched.view(&VerifyRequest { run: 16, ..request.clone() });
    assert_eq!(counts(&long), of("7", "3", "1", "3"));
    assert_eq!(last.states, "Concretely, the program has 19 states.");
    // At the first stop, 11 nodes are proven right.
    let stop = &views[last.stops[0].step as usize];
    assert_eq!(stop.stop, Some(0));
    let drawing = stop.tree.as_ref().expect("it is drawn");
    // Two of them no run reaches: the ways into the errors.
    let count = |what: &str| drawing.nodes.iter().filter(|node| node.title.contains(what)).count();
    assert_eq!((count("proven right"), count("no run gets here")), (9, 2));
    let root = stop.node.as_ref().expect("the root is looked at");
    assert_eq!((root.name.as_str(), root.region), ("n0", Region::Proven));
    assert_eq!(root.label, "m = 0 and count >= 0 and count < 2");
    // The run that goes wrong, with values.
    let stop = &views[last.stops[1].step as usize];
    let wrong = stop.wrong.as_ref().expect("the node is about it");
    assert_eq!(wrong.steps.len(), 2);
    assert_eq!((wrong.steps[0].event.as_str(), wrong.steps[0].line), ("lock m", 9));
}

#[test]
fn a_refinement_is_shown_from_its_end() {
    let (mut watched, request) = watched(BUFFER);
    let views = all_places(&mut watched, &request);
    let refined: Vec<_> = views.iter().filter_map(|view| view.refinement.as_ref()).collect();
    assert!(refined.iter().any(|refined| refined.path.iter().any(|node| node.change.is_some())));
    for refined in refined {
        // The root comes last; nothing leads there.
        assert!(refined.path.iter().rev().skip(1).all(|node| !node.step.is_empty()), "{refined:?}");
    }
}

#[test]
fn why_a_covering_is_not_taken_is_said() {
    // Each thread may run alone for ever, and must not.
    let (mut watched, request) = watched("shared x, y\nwhile 1 { x := 1 }\n||\nwhile 1 { y := 1 }");
    let views = all_places(&mut watched, &request);
    let told: Vec<_> = views
        .iter()
        .filter_map(|view| view.node.as_ref())
        .flat_map(|node| node.coverings.iter())
        .filter(|told| told.text.contains("never runs"))
        .collect();
    assert!(told.iter().any(|told| !told.edges.is_empty()), "{told:?}");
}

/// The tree that follows steps is the verifier's.
#[test]
fn steps_say_all_of_the_tree() {
    for seed in seeds(300) {
        let text = looping(seed, Shape { threads: 2, statements: 3, ..Shape::default() });
        let program = parse(&text).expect("it is right").program;
        let code = Code::compile(&program).expect("code");
        let Ok(system) = System::of(&program, &code) else { continue };
        let system = Arc::new(system);
        let reporter = Reporter { system: &system, text: &text };
        let options = Options { nodes: 200, question: 1 << 22, ..Options::default() };
        let mut verifier = Verifier::symbolic(system.clone(), options);
        let mut tree = Tree::new(reporter);
        while let Some(step) = verifier.advance(&mut Budget::unlimited()).expect("it is not paused") {
            tree.follow(reporter, &step);
        }
        assert_eq!(tree.nodes.len(), verifier.size(), "seed {seed}\n{text}");
        for (node, place) in (0..).zip(&tree.nodes) {
            let (points, label, coverings) = verifier.node(node);
            assert_eq!((&place.points[..], place.label), (points, label), "seed {seed}, node {node}\n{text}");
            assert_eq!([place.fair, place.plain], coverings, "seed {seed}, node {node}\n{text}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_text_is_said() {
    let open = |text: &str| Watched::open(&VerifyRequest { text: text.to_owned(), ..VerifyRequest::default() });
    assert!(open("shared x\nx := ").is_err());
    let request = VerifyRequest {
        text: "shared x = input 0..1\nassuming x = 2\nwhile 1 { x := 1 }".to_owned(),
        ..VerifyRequest::default()
    };
    let mut nothing = Watched::open(&request).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    while nothing.advance(&|| 0.0) {}
    assert!(nothing.view(&request).status.starts_with("Nothing can begin"));
}

/// Whatever a request says.
#[test]
fn any_place_can_be_asked_for() {
    let (mut watched, request) = watched(BUFFER);
    for step in [Some(u32::MAX), Some(7), None] {
        for serial in [0, 5, u32::MAX] {
            for run in [0, 1, u32::MAX] {
                let node = litmoscope_core::graph::EventKey { thread: litmoscope_core::graph::ThreadId(3), serial };
                let view = watched.view(&VerifyRequest { step, node: Some(node), run, ..request.clone() });
                assert!(view.step <= view.all_steps);
            }
        }
    }
}

/// How light a colour is, from 0 to 1, as WCAG 2 has it.
fn luminance(colour: &str) -> f64 {
    let part = |at: usize| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("a colour")) / 255.0;
        if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

#[test]
fn edges_stand_out_from_their_ground() {
    for (theme, ground, least) in
        [(Theme::Light, "#ffffff", 4.5), (Theme::Dark, "#151a21", 4.5), (Theme::Contrast, "#ffffff", 7.0)]
    {
        for kind in super::tree::kinds() {
            let [dark, light] = [kind.color(theme.into()), ground].map(luminance);
            let (dark, light) = (dark.min(light), dark.max(light));
            assert!((light + 0.05) / (dark + 0.05) >= least, "{} on {ground}", kind.name);
        }
    }
}
