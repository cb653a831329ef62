//! What the page shows of recordings, on known ones.

use super::view::*;
use super::*;
use crate::{Monitor, Object};

const S1: &str = "history S1 stack
T1: push a [0,2]; pop a [6,11]
T2: push b [1,5]; pop b [8,13]
T3: push c [3,7]; pop c [10,14]
T4: push d [4,9]; pop d [12,15]
";
const S2: &str = "history S2 stack
T1: push a [0,2]; pop a [6,11]
T2: push b [1,5]; pop b [8,12]
T3: push c [3,7]; pop c [10,14]
T4: push d [4,9]; pop d [13,15]
";
/// By values: when each was inserted and removed.
const S10: [[i64; 4]; 9] = [
    [0, 6, 31, 35],
    [1, 4, 32, 33],
    [2, 5, 9, 12],
    [3, 7, 8, 11],
    [14, 15, 18, 22],
    [13, 17, 19, 20],
    [23, 24, 27, 30],
    [21, 25, 28, 29],
    [10, 16, 26, 34],
];
const Q8: [[i64; 4]; 7] = [
    [6, 12, 21, 23],
    [3, 5, 10, 13],
    [1, 2, 7, 9],
    [4, 8, 22, 25],
    [15, 17, 24, 27],
    [11, 14, 16, 19],
    [18, 20, 26, 28],
];
/// The counters as printed accept it.
const LIES: &str = "history lies set\nT1: add 1 [0,8]\nT2: remove 1 [1,2]; add 1 [3,4]; add 1 [5,6]; remove 1 [7,9]\n";

fn history(object: &str, [insert, remove]: [&str; 2], values: &[[i64; 4]]) -> String {
    let mut text = format!("history {object}\n");
    for (value, [a, b, c, d]) in values.iter().enumerate() {
        text += &format!("T{value}: {insert} {value} [{a},{b}]; {remove} {value} [{c},{d}]\n");
    }
    text
}

fn request() -> HistoryRequest {
    HistoryRequest { width: 1000, rows: (0, 100), ..HistoryRequest::default() }
}

fn open(text: &str) -> HistoryJudging {
    HistoryJudging::open(text).unwrap_or_else(|wrong| panic!("{wrong:#?}"))
}

fn captions(judging: &mut HistoryJudging, request: &HistoryRequest) -> Vec<String> {
    let all = judging.view(request).steps.expect("there are steps").all;
    (1..=all)
        .map(|step| {
            let view = judging.view(&HistoryRequest { step, ..request.clone() });
            view.steps.expect("there are steps").caption
        })
        .collect()
}

#[test]
fn a_stack_is_monitored_step_by_step() {
    let mut judging = open(S1);
    let view = judging.view(&request());
    assert_eq!(
        (view.verdict, view.sentence.as_str()),
        (HistoryVerdict::Linearizable, "S1 is linearizable as a stack.")
    );
    assert_eq!(view.timeline.bars.len(), 8);
    assert_eq!(
        captions(&mut judging, &request()),
        [
            "Look at {a, b, c, d}: from the return of the first push to the call of the last pop something is surely in at each moment.",
            "{b} can be outermost: its push was called before any push of {a, b, c, d} returned, and its pop returned after the last pop was called. The monitor goes on with what is left.",
            "Look at {a, c, d}: from the return of the first push to the call of the last pop there is 1 deserted stretch.",
            "No value is extreme. Nothing is surely in between 6 and 7: first L = {a}, then R = {c, d}.",
            "Look at {a}: from the return of the first push to the call of the last pop something is surely in at each moment.",
            "{a} can be outermost: its push was called before any push of {a} returned, and its pop returned after the last pop was called. The monitor goes on with what is left.",
            "Look at {c, d}: from the return of the first push to the call of the last pop something is surely in at each moment.",
            "{c, d} can be outermost: their pushes were called before any push of {c, d} returned, and their pops returned after the last pop was called. The monitor goes on with what is left.",
            "Linearizable: nothing is left.",
        ]
    );
    let split = judging.view(&HistoryRequest { step: 4, ..request() });
    let marks: Vec<_> = split.timeline.bars.iter().map(|bar| (bar.label.as_str(), bar.mark)).collect();
    let expected = [
        ("push a", Mark::Left),
        ("pop a", Mark::Left),
        ("push b", Mark::Faded),
        ("pop b", Mark::Faded),
        ("push c", Mark::Right),
        ("pop c", Mark::Right),
        ("push d", Mark::Right),
        ("pop d", Mark::Right),
    ];
    assert_eq!(marks, expected);
    let bands: Vec<_> = split.timeline.bands.iter().map(|band| (band.kind, band.from, band.to)).collect();
    assert_eq!(
        bands[..3].iter().map(|band| band.0).collect::<Vec<_>>(),
        [BandKind::Populated, BandKind::Populated, BandKind::Deserted]
    );
    assert!(bands.contains(&(BandKind::Gap, 6.0, 7.0)), "{bands:?}");
    assert_eq!(bands.iter().filter(|band| band.0 == BandKind::Inner).count(), 3);
    let tree = split.steps.and_then(|steps| steps.tree).expect("there is a tree");
    let nodes: Vec<_> = tree.nodes.iter().map(|node| (node.lines.join(" "), node.edge.as_str(), node.state)).collect();
    assert_eq!(
        nodes,
        [
            ("{a, b, c, d} b extreme".to_owned(), "", NodeState::Done),
            ("{a, c, d} gap (6,7)".to_owned(), "", NodeState::Now),
            ("{a}".to_owned(), "L", NodeState::Ahead),
            ("{c, d}".to_owned(), "R", NodeState::Ahead),
        ]
    );
}

#[test]
fn a_deep_recursion_has_the_shape_that_is_known() {
    let mut judging = open(&history("stack", ["push", "pop"], &S10));
    let all = judging.view(&HistoryRequest { step: u32::MAX, ..request() });
    let tree = all.steps.and_then(|steps| steps.tree).expect("there is a tree");
    let lines: Vec<String> = tree.nodes.iter().map(|node| node.lines.join(" ")).collect();
    assert_eq!(lines[0], "{1, 2, 0, 3, … 5 more} 1, 0 extreme");
    let acts: Vec<&str> = tree.nodes.iter().map(|node| node.lines.last().expect("it has lines").as_str()).collect();
    assert_eq!(
        acts,
        ["1, 0 extreme", "gap (9,15)", "2, 3 extreme", "8 extreme", "gap (19,24)", "4, 5 extreme", "6, 7 extreme"],
        "{lines:?}"
    );
    assert!(tree.nodes.iter().all(|node| node.state == NodeState::Done));
}

#[test]
fn what_is_stuck_is_shown_with_the_few_that_contradict_each_other() {
    let mut judging = open(S2);
    let first = judging.view(&request());
    assert_eq!((first.verdict, first.has_more, first.contradiction.is_some()), (HistoryVerdict::Not, true, false));
    assert!(first.reasons[0].text.starts_with("None of a, b, c and d can be pushed first and popped last"));
    assert_eq!(first.reasons[0].operations, (0..8).collect::<Vec<u32>>());
    assert_eq!(first.reasons.len(), 6);
    judging.go_on();
    let view = judging.view(&HistoryRequest { step: u32::MAX, ..request() });
    let contradiction = view.contradiction.expect("there is one");
    assert_eq!(contradiction.operations.len(), 7, "no value can be left out, and the last pop need not be there");
    assert!(!view.has_more && !contradiction.facts.is_empty());
    assert!(contradiction.facts.iter().all(|fact| fact.operations.len() == 2));
    let steps = view.steps.expect("there are steps");
    assert!(steps.listed.last().is_some_and(|step| step.is_wrong));
    assert!(steps.caption.starts_with("Stuck at {a, b, c, d}"), "{}", steps.caption);
    assert!(view.timeline.bars.iter().all(|bar| bar.mark == Mark::Wrong));
    // The few alone, with their own steps.
    let alone = judging.view(&HistoryRequest { part: Part::Contradiction, step: u32::MAX, ..request() });
    assert_eq!((alone.part, alone.timeline.bars.len()), (Part::Contradiction, 7));
    assert!(alone.steps.expect("there are steps").caption.starts_with("Stuck at"));
}

#[test]
fn a_critical_pair_is_found_by_the_path_that_is_known() {
    let mut judging = open(&history("queue", ["enq", "deq"], &Q8));
    let view = judging.view(&HistoryRequest { step: u32::MAX, ..request() });
    assert_eq!(view.verdict, HistoryVerdict::Not);
    assert!(view.reasons[0].text.starts_with("3 went in first and 5 came out first"), "{:?}", view.reasons);
    let steps = view.steps.expect("there are steps");
    assert_eq!(steps.caption, "3 is surely in over 8 to 22, which contains it: 3 is around 5, a critical pair.");
    let tree = steps.tree.expect("there is a tree");
    let states: Vec<_> = tree.nodes.iter().map(|node| (node.lines[0].clone(), node.state)).collect();
    let named = |name: &str, state: NodeState| (name.to_owned(), state);
    assert_eq!(
        states,
        [
            named("0: (12,21)", NodeState::Way),
            named("1: (5,10)", NodeState::Way),
            named("2: (2,7)", NodeState::Ahead),
            named("3: (8,22)", NodeState::Wrong),
            named("4: (17,24)", NodeState::Ahead),
            named("5: (14,16)", NodeState::Ahead),
            named("6: (20,26)", NodeState::Ahead),
        ]
    );
    let told: Vec<&str> = steps.listed.iter().rev().take(3).map(|step| step.text.as_str()).collect();
    assert_eq!(
        told[2],
        "Look for 5's outer interval 11 to 19. 0 is surely in over 12 to 21, which begins too late: go left."
    );
    assert_eq!(
        told[1],
        "1 is surely in over 5 to 10, which ends before 19, and to the left nothing lasts longer than 7: go right."
    );
    judging.go_on();
    let contradiction = judging.view(&request()).contradiction.expect("there is one");
    assert_eq!(contradiction.operations.len(), 3, "two values are enough, and one need not come out");
}

#[test]
fn counters_that_lie_are_told() {
    let mut judging = open(LIES);
    let view = judging.view(&HistoryRequest { step: u32::MAX, ..request() });
    assert_eq!(view.verdict, HistoryVerdict::Not);
    let printed = view.as_printed.expect("the rules as printed are wrong");
    assert!(printed.starts_with("The counters as printed would accept it"), "{printed}");
    let steps = view.steps.expect("there are steps");
    assert_eq!(steps.choices, ["1"]);
    assert!(steps.listed.last().is_some_and(|step| step.is_wrong));
    let early = judging.view(&HistoryRequest { step: 3, ..request() }).steps.expect("there are steps");
    assert_eq!(early.notes[0], "1 is not in.", "{early:#?}");
    assert!(open(S1).view(&request()).as_printed.is_none());
}

#[test]
fn points_are_moved_and_judged() {
    let text = "history q queue\nT1: enq 1 [0,4]; deq 2 [6,9]\nT2: enq 2 [1,3]; deq 1 [5,8]\n";
    let mut judging = open(text);
    let with = |points: Points| HistoryRequest { points, ..request() };
    assert!(judging.view(&request()).sequence.is_none());
    let solved = judging.view(&with(Points::Solved));
    let sequence = solved.sequence.expect("there are points");
    assert!(sequence.is_legal && sequence.turns.len() == 4);
    // The middles: enq 1 and enq 2 at 2, deq 1 at 5.5, deq 2 at 6.5 or so.
    let middle = judging.view(&with(Points::Middle));
    assert!(middle.timeline.points_move && middle.timeline.points.len() == 4);
    let own = |at: [f64; 4]| {
        with(Points::Own((0..4).map(|operation| OwnPoint { operation, at: at[operation as usize] }).collect()))
    };
    // By calls: enq 1, enq 2, deq 1, deq 2.
    let good = judging.view(&own([1.2, 1.5, 4.5, 6.5])).sequence.expect("there are points");
    assert!(good.is_legal, "{good:#?}");
    assert_eq!(
        good.turns.iter().map(|turn| turn.text.as_str()).collect::<Vec<_>>(),
        ["T1: enqueue 1", "T2: enqueue 2", "T2: dequeue 1", "T1: dequeue 2"]
    );
    let held: Vec<Vec<&str>> =
        good.turns.iter().map(|turn| turn.contents.iter().map(|(name, _)| name.as_str()).collect()).collect();
    assert_eq!(held, [vec!["1"], vec!["1", "2"], vec!["2"], vec![]]);
    let bad = judging.view(&own([2.5, 1.5, 4.5, 6.5]));
    let sequence = bad.sequence.expect("there are points");
    assert!(!sequence.is_legal);
    let states: Vec<TurnState> = sequence.turns.iter().map(|turn| turn.state).collect();
    assert_eq!(states, [TurnState::Legal, TurnState::Legal, TurnState::Illegal, TurnState::Unreached]);
    assert_eq!(sequence.turns[2].why.as_deref(), Some("2 is at the front of the queue here."));
    assert_eq!(sequence.sentence, "dequeue 1 is the first operation that the queue does not allow, at place 3 of 4.");
    let dot = bad.timeline.points.iter().find(|dot| dot.state == TurnState::Illegal).expect("it is marked");
    assert_eq!(dot.title, "dequeue 1 of T2 is not allowed at place 3 of 4");
    // What lies outside of a bar, or nowhere, is kept inside.
    let far = judging.view(&own([-5.0, f64::NAN, 100.0, f64::INFINITY]));
    assert!(far.timeline.points.iter().all(|dot| dot.from <= dot.at && dot.at <= dot.to));
}

#[test]
fn what_is_pending_may_never_take_effect() {
    let text = "history s stack\nT1: push 1 [0,1]; pop 1 [4,5]\nT2: push 2 [2,?]\nT3: pop [3,?]\n";
    let mut judging = open(text);
    let view = judging.view(&HistoryRequest { points: Points::Middle, ..request() });
    let sequence = view.sequence.expect("there are points");
    assert!(sequence.is_legal && sequence.turns.len() == 2, "{sequence:#?}");
    assert!(sequence.sentence.ends_with("2 pending operations never take effect."), "{}", sequence.sentence);
    assert_eq!(view.timeline.points.iter().filter(|dot| dot.place.is_none()).count(), 2);
    // The pending pop takes what is on top where it stands.
    let own = vec![OwnPoint { operation: 1, at: 2.5 }, OwnPoint { operation: 2, at: 3.5 }];
    let view = judging.view(&HistoryRequest { points: Points::Own(own), ..request() });
    let turns = view.sequence.expect("there are points").turns;
    assert_eq!(turns[2].text, "T3: pop 2");
}

#[test]
fn what_has_no_linearization_is_solved_as_far_as_any_order_leads() {
    let view = open(S2).view(&HistoryRequest { points: Points::Solved, ..request() });
    let sequence = view.sequence.expect("there are points");
    assert!(!sequence.is_legal && (sequence.all as usize) < 8, "{sequence:#?}");
    assert!(sequence.turns.iter().all(|turn| turn.state == TurnState::Legal));
    assert!(sequence.sentence.starts_with("No order of all operations was found."), "{}", sequence.sentence);
    assert!(view.timeline.points.iter().any(|dot| dot.state == TurnState::Unreached));
}

#[test]
fn what_is_out_of_sight_is_not_drawn() {
    let mut text = String::from("history s stack\n");
    for round in 0..20_000 {
        let at = 8 * round;
        text += &format!("T1: push {round} [{at},{}]; pop {round} [{},{}]\n", at + 1, at + 2, at + 3);
        text += &format!("T2: push x{round} [{},{}]; pop x{round} [{},{}]\n", at + 4, at + 5, at + 6, at + 7);
    }
    let mut judging = open(&text);
    let first = judging.view(&request());
    assert_eq!((first.verdict, first.timeline.moments), (HistoryVerdict::Linearizable, 160_000));
    assert_eq!((first.timeline.window.0, first.timeline.bars.len() < 100), (-1.0, true));
    assert!(first.steps.is_none() && first.no_steps.is_some());
    let all = judging.view(&HistoryRequest { window: Some((-1.0, 160_000.0)), ..request() });
    let crowds: u32 = all.timeline.crowds.iter().map(|crowd| crowd.operations).sum();
    assert_eq!(crowds as usize + all.timeline.bars.len(), 80_000);
    assert!(all.timeline.crowds.len() + all.timeline.bars.len() < 1_000);
    assert!(all.timeline.ticks.len() <= 12 && !all.timeline.ticks.is_empty());
    let near = HistoryRequest { window: Some((80_000.0, 80_040.0)), points: Points::Solved, ..request() };
    let near = judging.view(&near);
    assert!(near.timeline.bars.len() <= 24 && near.timeline.points.len() <= 24 && !near.timeline.points.is_empty());
    assert!(!near.timeline.points_move && near.sequence.is_none());
}

#[test]
fn a_long_history_opens_at_its_violation() {
    let mut text = String::from("history s queue\n");
    for round in 0..1_000 {
        let at = 4 * round;
        text += &format!("T1: enq {round} [{at},{}]; deq {round} [{},{}]\n", at + 1, at + 2, at + 3);
    }
    text += "T1: enq a [4000,4001]; enq b [4002,4003]; deq b [4004,4005]; deq a [4006,4007]\n";
    let mut judging = open(&text);
    judging.view(&request());
    judging.go_on();
    let view = judging.view(&request());
    let (from, to) = view.timeline.window;
    assert!(from <= 4000.0 && to >= 4007.0 && from > 3_000.0, "{from} to {to}");
    assert!(view.timeline.map.wrong.iter().all(|(from, _)| *from >= 3_999.0));
    assert_eq!(view.timeline.bars.iter().filter(|bar| bar.mark == Mark::Wrong).count(), 3);
}

#[test]
fn windows_that_nobody_can_look_through_are_others() {
    let mut judging = open(S1);
    for (from, to) in [(1e300, 1e301), (f64::NAN, 3.0), (-1e301, -1e300), (9.0, 2.0), (-1e300, 1e300)] {
        let view = judging.view(&HistoryRequest { window: Some((from, to)), ..request() });
        assert_eq!(view.timeline.bars.len(), 8, "{from} to {to}");
        assert!(view.timeline.ticks.len() <= 16);
    }
}

#[test]
fn several_objects_and_unknown_ones_are_told_apart() {
    let text = "history a stack\nT1: push 1 [0,1]\nhistory b queue\nT1: enq 1 [0,1]; deq 2 [2,3]\n";
    let mut judging = open(text);
    let first = judging.view(&request());
    assert_eq!(first.histories, ["a", "b"]);
    let second = judging.view(&HistoryRequest { choice: 1, ..request() });
    assert_eq!((second.verdict, second.object), (HistoryVerdict::Not, Some(Object::Queue)));
    let other = judging.view(&HistoryRequest { object: Some(Object::Multiset), ..request() });
    assert_eq!(
        (other.verdict, other.sentence.as_str()),
        (HistoryVerdict::Linearizable, "a is linearizable as a multiset.")
    );
    let search = judging.view(&HistoryRequest { monitor: Monitor::Search, ..request() });
    assert!(search.size.ends_with("decided by a search through possible orders") && search.no_steps.is_some());
    let mut nothing = open("history\nT1: add 1 [0,1]; remove 1 [2,3]\n");
    let view = nothing.view(&request());
    if view.verdict == HistoryVerdict::NoObject {
        assert_eq!(view.timeline.bars.len(), 2);
    }
    assert!(HistoryJudging::open("history\nT1: push 1 [2,0]\n").is_err());
}

/// What is printed of an operation is what our own text has: read again, it is the same operation.
#[test]
fn whatever_is_printed_can_be_read_again() {
    let every = [
        (Object::Stack, "T1: push 1 [0,1]; push \"b c\" [2,3]; pop \"b c\" [4,5]; pop empty [6,7]; pop [8,?]"),
        (Object::Queue, "T1: enq 1 [0,1]; enq \"empty\" [2,3]; deq 1 [4,5]; deq empty [6,7]; deq [8,?]"),
        (Object::PriorityQueue, "T1: insert 2 [0,1]; delete-min 2 [2,3]; delete-min empty [4,5]; delete-min [6,?]"),
        (Object::Set, "T1: add 1 [0,1]; contains 1 true [2,3]; remove 1 [4,5]; contains 1 false [6,7]; add true [8,?]"),
        (Object::Multiset, "T1: add 1 [0,1]; contains 1 true [2,3]; remove 1 [4,5]; take empty [6,7]; take [8,?]"),
        (
            Object::Register,
            "init 0\nT1: write 1 [0,1]; read 1 [2,3]; cas 1 2 true [4,5]; cas 1 2 false [6,7]; cas 2 3 [8,?]",
        ),
        (Object::Counter, "T1: inc 2 [0,1]; inc -3 [2,3]; read -1 [4,5]; dec 7 [6,?]"),
    ];
    let read = |text: &str| {
        let read = crate::parse_history(text, &crate::ReadOptions::default());
        read.unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}")).0.histories.remove(0)
    };
    for (object, text) in every {
        let first = read(&format!("history h {}\n{text}\n", object.name()));
        let printed = |history: &crate::History| -> Vec<String> {
            let words = Words { history, object };
            history.indexed().map(|(operation, _)| words.operation(operation)).collect()
        };
        let names = printed(&first);
        let times = first.indexed().map(|(at, about)| {
            if about.ret.is_some() { format!("{0},{0}", 2 * at.0) } else { format!("{},?", 2 * at.0) }
        });
        let rows: Vec<String> = names.iter().zip(times).map(|(name, times)| format!("{name} [{times}]")).collect();
        let initial = if object == Object::Register { "init 0\n" } else { "" };
        let again = read(&format!("history h {}\n{initial}T1: {}\n", object.name(), rows.join("; ")));
        assert_eq!(printed(&again), names, "{object:?}");
        let actions = |history: &crate::History| -> Vec<_> {
            history.operations.iter().map(|operation| operation.action).collect()
        };
        // Values have the numbers of their first mentions, which are the same.
        assert_eq!(actions(&again), actions(&first), "{object:?}");
    }
}
