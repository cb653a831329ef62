//! What is shown, against counts and answers that are known.

use super::growth::{Family, Growth, GrowthRequest};
use super::*;
use litmoscope_core::inspection::Inspection;

/// A text of the page.
fn example(name: &str) -> String {
    let file = format!("{}/../../../public/fairness/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn view(request: &FairnessRequest) -> FairnessView {
    FairnessOpen::open(request).unwrap_or_else(|wrong| panic!("{wrong:#?}")).view(request)
}

fn asked(text: &str) -> FairnessRequest {
    FairnessRequest { text: text.to_owned(), step: u32::MAX, ..FairnessRequest::default() }
}

const NEVER: Setup = Setup { basic: false, limit: Limit::Never, diagrams: false };
const BASIC: Setup = Setup { basic: true, limit: Limit::Root, diagrams: false };

#[test]
fn blocks_take_as_many_steps_as_published() {
    for diagrams in [false, true] {
        let first = Setup { diagrams, ..BASIC };
        let second = Some(Setup { diagrams, ..NEVER });
        let shown = view(&FairnessRequest { first, second, ..asked(&example("blocks-3.fairness")) });
        let steps: Vec<u64> = shown.sides.iter().map(|side| side.counters[0].all).collect();
        assert_eq!(steps, [57, 53]);
        assert_eq!(shown.sides[1].counters[3].all, 3, "lock-step searches");
        assert_eq!(shown.sides[0].aside.len(), 3);
        assert_eq!(shown.wins, Some(true));
    }
}

#[test]
fn the_cascade_takes_as_many_steps_as_published() {
    let shown = view(&FairnessRequest { first: BASIC, second: Some(NEVER), ..asked(&example("cascade-5.fairness")) });
    let steps: Vec<u64> = shown.sides.iter().map(|side| side.counters[0].all).collect();
    assert_eq!(steps, [40, 25]);
    assert_eq!(shown.wins, Some(false));
}

#[test]
fn the_second_of_two_starves_only_if_fairness_is_weak() {
    let text = example("lock.fairness");
    let open = view(&asked(&text));
    assert_eq!(open.wins, Some(false), "{}", open.sentence);
    // Without the promises of strong fairness, those of weak fairness are left.
    let strong = open.pairs.iter().zip(0..).filter(|(pair, _)| pair.text.starts_with("can"));
    let off: Vec<u32> = strong.map(|(_, at)| at).collect();
    assert_eq!(off.len(), 2);
    let weak = view(&FairnessRequest { off, ..asked(&text) });
    assert_eq!(weak.wins, Some(true), "{}", weak.sentence);
    let spin = view(&asked(&example("spin.fairness")));
    assert_eq!(spin.wins, Some(true), "{}", spin.sentence);
    assert_eq!((spin.drawing.map(|drawing| (drawing.nodes.len(), drawing.edges.len()))), Some((7, 14)));
    assert_eq!((open.drawing.map(|drawing| (drawing.nodes.len(), drawing.edges.len()))), Some((5, 8)));
}

#[test]
fn graphs_of_the_reference_say_what_it_says() {
    let of = |name: &str| {
        let shown = view(&asked(&example(name)));
        (shown.sides[0].aside.clone(), shown.by_chance)
    };
    assert_eq!(of("v1.fairness"), (vec!["{5}".to_owned()], false));
    assert_eq!(of("v2.fairness"), (vec!["{5}".to_owned()], true));
    assert_eq!(of("v3.fairness"), (vec!["{1, 2, 3}".to_owned()], true));
    assert_eq!(of("v4.fairness"), (vec!["{0, 1, 2}".to_owned()], true));
    assert_eq!(of("v5.fairness"), (vec![], true));
    assert_eq!(of("v6.fairness"), (vec!["{2}".to_owned()], true));
}

#[test]
fn every_step_of_every_example_is_shown() {
    let folder = format!("{}/../../../public/fairness", env!("CARGO_MANIFEST_DIR"));
    for file in std::fs::read_dir(folder).expect("examples") {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let of_graph = crate::files::is_graph(&text);
        for (first, pace) in [(BASIC, Pace::Step), (NEVER, Pace::Count), (Setup::default(), Pace::Second)] {
            let mut request = FairnessRequest { first, second: Some(NEVER), pace, ..asked(&text) };
            request.order = of_graph;
            let mut open = FairnessOpen::open(&request).unwrap_or_else(|wrong| panic!("{path:?} {wrong:#?}"));
            let all = open.view(&request).all_steps;
            assert!(all > 0, "{path:?}");
            for step in (0..=all).step_by(if all > 40 { 1 + all as usize / 25 } else { 1 }) {
                (request.step, request.other) = (step, step);
                let view = open.view(&request);
                assert_eq!((view.step, view.all_steps), (step, all), "{path:?}");
                let boxes = view.drawing.as_ref().expect("a drawing").nodes.len();
                for side in &view.sides {
                    assert_eq!(side.looks.len(), boxes);
                    assert!(!side.caption.is_empty() && (side.line as usize) < side.code.len());
                    assert!(
                        side.counters.iter().all(|own| own.length <= own.end && own.end <= 1.0),
                        "{:?}",
                        side.counters
                    );
                }
            }
        }
    }
}

const TEST_AND_SET: &str = "shared l
while 1 {
  while xchg(l, 1) = 1 { }
  l := 0
}
||
while 1 {
  while xchg(l, 1) = 1 { }
  l := 0
}";

const MUTEX: &str = "shared m
while 1 {
  lock m
  unlock m
}
||
while 1 {
  lock m
  unlock m
}";

fn starve(text: &str, question: &str, promise: Promise) -> starve::StarveView {
    let request = FairnessRequest { question: question.to_owned(), promise, ..asked(text) };
    view(&request).starve.expect("a program")
}

#[test]
fn who_waits_for_ever_is_said_for_each_promise() {
    let can = |text: &str, question: &str| {
        let view = starve(text, question, Promise::Strong);
        view.table.iter().map(|row| row.can.expect("it is decided")).collect::<Vec<_>>()
    };
    assert_eq!(can(MUTEX, "P0 at 3 for ever"), [true, true, false]);
    assert_eq!(can(TEST_AND_SET, "P0 at 3 for ever"), [true, true, true]);
    let ready = starve(TEST_AND_SET, "", Promise::Strong).ready;
    let texts: Vec<&str> = ready.iter().map(|ready| ready.text.as_str()).collect();
    assert_eq!(texts, ["P0 at 3 for ever", "P1 at 8 for ever"]);
    assert_eq!(ready[0].title, "P0 waits for ever in line 3");
    let ready = starve(MUTEX, "", Promise::Strong).ready;
    assert_eq!(ready.len(), 2);
    // A run that goes round, in which the first thread moves and never gets anywhere.
    let found = starve(TEST_AND_SET, "P0 at 3 for ever", Promise::Strong);
    assert!(found.answer.starts_with("There is such a run, though"), "{}", found.answer);
    assert!(found.steps.iter().any(|step| step.in_cycle && step.thread == 0), "{:?}", found.steps);
    assert_eq!(found.steps.iter().filter(|step| !step.in_cycle).count(), found.stem as usize);
    assert_eq!(found.state.len(), 3);
    let ruled_out = starve(MUTEX, "P0 at 3 for ever", Promise::Strong);
    assert_eq!(ruled_out.can, Some(false));
    assert!(ruled_out.answer.contains("strong fairness rules it out"), "{}", ruled_out.answer);
    assert!(ruled_out.answer.ends_with("In it, P0 can move again and again, and does not."), "{}", ruled_out.answer);
    let wrong = starve(MUTEX, "P0 at", Promise::Strong).wrong;
    assert_eq!(wrong, Some(("the number of a line is missing here".to_owned(), 6)));
}

#[test]
fn steps_grow_as_published() {
    let run = |family| {
        let mut growth = Growth::new(&GrowthRequest { family, seed: 1 });
        while !growth.is_over() {
            growth.go_on();
        }
        growth.view()
    };
    let cascade = run(Family::Cascade);
    assert_eq!(cascade.table[1], ["5", "40", "25", "25", "25"]);
    assert_eq!(cascade.table.last().expect("rows")[..3], ["80", "9,640", "400"]);
    let blocks = run(Family::Blocks);
    assert_eq!(blocks.table[1], ["8", "57", "63", "53", "63"]);
    assert_eq!(run(Family::Path).table[1][..2], ["5", "14"]);
    for family in [Family::Random, Family::Chance] {
        let view = run(family);
        assert_eq!((view.lines[0].points.len(), view.guides.len()), (80, 2));
        assert_eq!(view.done, [80, 80]);
    }
    assert_eq!(run(Family::Cycle).lines.len(), 2);
    let cubes = run(Family::Hypercube);
    assert_eq!(cubes.table.last().expect("rows"), &["134,217,728", "83"]);
    let dining = run(Family::Philosophers);
    let vertices: Vec<&str> = dining.table[1..].iter().map(|row| &row[0][..]).collect();
    assert_eq!(vertices, ["1,310", "14,096", "150,438"]);
    assert!(dining.table.iter().flatten().all(|cell| cell != "?"), "{:?}", dining.table);
}

#[test]
fn invariants_are_shown_on_demand() {
    for (name, numbers) in [("blocks-3.fairness", ["6.1", "6.2"]), ("v6.fairness", ["6.1", "6.5"])] {
        let text = example(name);
        let at = |step, invariants| view(&FairnessRequest { step, invariants, ..asked(&text) });
        assert_eq!(at(1, false).sides[0].invariants, None);
        let mut seen = 0;
        for step in 0..=at(0, true).all_steps {
            let lines = at(step, true).sides[0].invariants.clone().expect("it is small");
            assert!(lines.iter().all(|line| line.holds && !line.text.is_empty()), "{name}, step {step}: {lines:?}");
            seen += usize::from(numbers.iter().all(|number| lines.iter().any(|line| line.number == *number)));
        }
        assert!(seen > 3, "{name}: {seen}");
    }
    let large: String = (0..400).map(|at| format!("{at} -> {}\n", (at + 1) % 400)).collect();
    let request = FairnessRequest { invariants: true, step: 2, ..asked(&format!("fairness\n{large}")) };
    assert_eq!(view(&request).sides[0].invariants, None);
}

#[test]
fn a_play_stays_in_its_component() {
    let text = example("v6.fairness");
    let request = FairnessRequest { play: Some(PlayRequest { seed: 3, moves: 500 }), ..asked(&text) };
    let play = view(&request).play.expect("a play");
    assert_eq!((play.made, play.visits.iter().map(|(_, often)| often).sum::<u64>()), (500, 501));
    assert!(play.sentence.contains("in a good end component"), "{}", play.sentence);
    assert_eq!(play.visits[0].0, "2");
}

#[test]
fn large_graphs_are_folded_and_unfolded() {
    let edges: String =
        (0..400).map(|at| format!("a{at} -> a{}\nb{at} -> b{}\n", (at + 1) % 400, (at + 1) % 200)).collect();
    let text = format!("fairness large\na0 -> b0\n{edges}");
    let folded = view(&asked(&text));
    let drawing = folded.drawing.expect("a drawing");
    assert!(drawing.nodes.len() <= 203 && folded.folded.is_some(), "{}", drawing.nodes.len());
    let fold = folded.folds.iter().flatten().next_back().copied().expect("a component");
    let unfolded = view(&FairnessRequest { unfolded: vec![fold], ..asked(&text) });
    assert!(unfolded.drawing.expect("a drawing").nodes.len() > drawing.nodes.len());
}
