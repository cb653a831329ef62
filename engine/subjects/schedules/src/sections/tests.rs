//! Schedules against all orders that they permit, on concrete states.

use super::lassos::{alternating, by_points, label, random_tree, system};
use super::order::linear_extensions;
use super::{BuildError, Lookup, MAX_EVENTS, Opt, Options, ProgramSchedule, Section, SectionEvent, follows};
use crate::art::{Art, NodeId};
use crate::stepping::{Lane, Stepper};
use crate::testing::DOUBLE;
use litmoscope_core::program::system::{EventKind, PointKind, State, States, System, Term};
use litmoscope_core::testing::looping::{Shape, looping};
use litmoscope_core::testing::seeds;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

const OPTS: [Opt; 3] = [Opt::Opt0, Opt::Opt1, Opt::Opt2];

fn options(opt: Opt) -> Options {
    Options { opt, keeps_all: false }
}

fn of(system: &System, art: &Art, opt: Opt) -> ProgramSchedule {
    ProgramSchedule::of(system, art, options(opt)).expect("a schedule")
}

fn keeping_all(system: &System, art: &Art, opt: Opt) -> ProgramSchedule {
    ProgramSchedule::of(system, art, Options { opt, keeps_all: true }).expect("a schedule")
}

/// The first example of the thesis's section 5.3.
const FIGURE: &str = include_str!("../../../../../public/schedules/sections.lit");

#[test]
fn the_sections_of_the_figure() {
    let (system, art) = by_points(FIGURE, &[(0, 2), (1, 2), (0, 2)]);
    let schedule = of(&system, &art, Opt::Opt1);
    let sizes: Vec<_> =
        schedule.sections.iter().map(|section| (section.from, section.to, section.events.len())).collect();
    assert_eq!(sizes.len(), 3, "{schedule:#?}");
    assert_eq!(sizes[0], (0, 1, 4));
    assert_eq!(sizes[1..].iter().map(|(from, ..)| *from).collect::<Vec<_>>(), [1, 1]);
    let after: Vec<_> = schedule.sections[0].events.iter().map(|event| event.after.clone()).collect();
    assert_eq!(after, [vec![], vec![0], vec![], vec![0, 2]]);
    assert_eq!(schedule.linear_extensions(0, 1000), Some(5));
    // The printed edge is from the first event of one thread to the first one of the other.
    let mut printed = schedule.sections[0].events.clone();
    printed[2].after = vec![0];
    printed[3].after = vec![2];
    assert_eq!(linear_extensions(&printed, 2, 1000), Some(3));
    assert_eq!(of(&system, &art, Opt::Opt0).linear_extensions(0, 1000), Some(1));
    assert_eq!(schedule.starved(&system, &art), [0; 0]);
}

#[test]
fn two_locks_are_one_section() {
    let (system, art) = alternating(DOUBLE, &[(0, 5), (1, 5)]);
    let schedule = keeping_all(&system, &art, Opt::Opt1);
    let [section] = &schedule.sections[..] else { panic!("{schedule:#?}") };
    assert_eq!((section.from, section.to, section.events.len()), (0, 0, 10));
    assert_eq!(schedule.linear_extensions(0, 1000), Some(2));
    let cross: Vec<_> =
        section.events.iter().enumerate().skip(5).map(|(at, event)| (at, event.after.clone())).collect();
    assert_eq!(cross, [(5, vec![3]), (6, vec![4, 5]), (7, vec![6]), (8, vec![7]), (9, vec![8])]);
    // One of the two orders what both protect.
    let dropping = of(&system, &art, Opt::Opt1);
    assert_eq!((dropping.sections[0].events.len(), dropping.dropped.len()), (6, 4));
    let repeated = keeping_all(&system, &art, Opt::Opt2);
    assert_eq!((repeated.sections[0].events.len(), repeated.sections[0].repeats), (80, 8));
}

/// A buffer of that many places: who finds no room, or nothing, tries again.
pub(crate) const BUFFER: &str = "shared m, count
while 1 { lock m; if count < 2 { count := count + 1 }; unlock m }
||
while 1 { lock m; if count > 0 { count := count - 1 }; unlock m }";

#[test]
fn locks_are_dropped_where_the_rest_implies_them() {
    let (system, art) = alternating(BUFFER, &[(0, 5), (1, 5)]);
    let schedule = of(&system, &art, Opt::Opt1);
    assert_eq!(schedule.sections.len(), 1, "{schedule:#?}");
    assert_eq!((schedule.sections[0].events.len(), schedule.sections[0].path.len()), (6, 10));
    assert_eq!(schedule.dropped.len(), 4);
    assert_eq!(keeping_all(&system, &art, Opt::Opt1).sections[0].events.len(), 10);
    // A lock that protects different things of each thread.
    let text = "shared m, x, y
while 1 { lock m; x := 1; x := 2; unlock m } || while 1 { lock m; y := 1; unlock m }";
    let (system, art) = alternating(text, &[(0, 4), (1, 3)]);
    assert_eq!(of(&system, &art, Opt::Opt1).dropped, []);
    // Nor is it if that would leave a thread without any event.
    let text = "shared m, x\nwhile 1 { lock m; unlock m } || while 1 { x := 1 }";
    let (system, art) = alternating(text, &[(0, 2), (1, 1)]);
    assert_eq!(of(&system, &art, Opt::Opt1).dropped, []);
}

#[test]
fn waiting_is_dropped_where_the_rest_implies_it() {
    // Who waits changes the flag next, and what both write is in turns.
    let text = "shared go, x
while 1 { x := 1; go := 1; assume go = 0 } || while 1 { assume go = 1; go := 0; x := 2 }";
    let (system, art) = alternating(text, &[(0, 2), (1, 3), (0, 1)]);
    let schedule = of(&system, &art, Opt::Opt1);
    assert_eq!(schedule.dropped.len(), 2, "{schedule:#?}");
    hold(&system, &art, &schedule).expect("it holds");
    // Here only the flag orders them.
    let text = "shared go, x, y
while 1 { x := 1; go := 1; assume go = 0 } || while 1 { assume go = 1; y := 2; go := 0 }";
    let (system, art) = alternating(text, &[(0, 2), (1, 3), (0, 1)]);
    assert_eq!(of(&system, &art, Opt::Opt1).dropped, []);
}

#[test]
fn elements_are_told_apart_where_the_index_is_known() {
    let text = "shared q[2]
while 1 { fetch_xor(q[i], 1); i := 1 - i } || while 1 { fetch_xor(q[j], 1); j := 1 - j }";
    let (system, art) = alternating(text, &[(0, 1), (1, 1), (0, 1), (1, 1)]);
    let together = of(&system, &art, Opt::Opt1);
    let apart = of(&system, &art, Opt::Opt2);
    assert_eq!(together.linear_extensions(0, 1000), Some(1));
    let [section] = &apart.sections[..] else { panic!("{apart:#?}") };
    assert_eq!((section.repeats, section.events.len()), (8, 32));
    // Each element is changed by both, in turns.
    assert_eq!(section.events[1].after, [0]);
    assert_eq!(section.events[2].after, [0]);
    assert_eq!(section.events[4].after, [1, 2]);
    assert!(apart.linear_extensions(0, 1000) > Some(1));
}

/// All orders of small sections, one by one.
fn orders(events: &[SectionEvent], over: &mut Vec<bool>) -> u128 {
    if over.iter().all(|over| *over) {
        return 1;
    }
    let mut sum = 0;
    for at in 0..events.len() {
        if !over[at] && events[at].after.iter().all(|before| over[*before]) {
            over[at] = true;
            sum += orders(events, over);
            over[at] = false;
        }
    }
    sum
}

fn is_dropped_mutex(system: &System, schedule: &ProgramSchedule, variable: usize) -> bool {
    schedule.dropped.iter().any(|(thread, point)| {
        let point = system.point((*thread).into(), *point);
        matches!(point.kind, PointKind::Event(EventKind::Lock | EventKind::Unlock))
            && point
                .transitions
                .iter()
                .any(|id| system.transition(*id).writes.iter().any(|at| at.0 as usize == variable))
    })
}

/// The state as a thread sees it that passes what is dropped.
fn passed(system: &System, schedule: &ProgramSchedule, state: &State) -> State {
    let mut state = Stepper::new(system, schedule, state.clone()).state().clone();
    for variable in 0..system.shared() {
        if is_dropped_mutex(system, schedule, variable) {
            state.values[variable] = 0;
        }
    }
    state
}

/// Where the path of a section leads from a state, for all inputs.
fn along(system: &System, section: &Section, state: &State) -> BTreeSet<State> {
    let mut states = BTreeSet::from([state.clone()]);
    for step in &section.path {
        let thread = usize::from(system.transition(*step).thread);
        let successors = states.iter().flat_map(|state| system.successors(state, thread).expect("few inputs"));
        states = successors.filter(|next| next.transition == *step).map(|next| next.state).collect();
    }
    states
}

/// Goes through all orders of all sections from all states that the schedule gets to. Returns how many orders of sections were looked at.
fn hold(system: &System, art: &Art, schedule: &ProgramSchedule) -> Result<usize, String> {
    for (at, section) in schedule.sections.iter().enumerate() {
        if section.events.len() <= 8 {
            let count = orders(&section.events, &mut vec![false; section.events.len()]);
            if schedule.linear_extensions(at, 100_000) != Some(count) {
                return Err(format!("section {at} has {count} orders"));
            }
        }
        let is_first = |event: &SectionEvent| event.after.iter().all(|before| *before < section.events.len());
        if !section.events.iter().all(is_first) || section.events.is_empty() || section.events.len() > MAX_EVENTS {
            return Err(format!("section {at} is no section"));
        }
    }
    let mut seen: FxHashSet<(usize, State)> = FxHashSet::default();
    let mut work: Vec<(usize, State)> =
        system.initial_states().expect("few").into_iter().map(|state| (0, state)).collect();
    let mut looked_at = 0;
    while let Some((node, state)) = work.pop() {
        if seen.len() > 60 || !seen.insert((node, state.clone())) {
            continue;
        }
        let of_tree = art.node(schedule.nodes[node].expect("a node"));
        if of_tree.points != state.points || of_tree.label.evaluate(&state.values, &[]) == 0 {
            return Err(format!("node {node} is left by {state:?}"));
        }
        let leaving = &schedule.sections[schedule.leaving(node)];
        if leaving.is_empty() && system.is_active(&state) {
            return Err(format!("node {node} is no end: {state:?}"));
        }
        let mut expected: BTreeSet<(usize, State)> = BTreeSet::new();
        for section in leaving {
            for end in along(system, section, &state) {
                expected.insert((section.to, passed(system, schedule, &end)));
                work.push((section.to, end));
            }
        }
        if !leaving.is_empty() && expected.is_empty() {
            return Err(format!("nothing goes on at node {node} from {state:?}"));
        }
        // The same from there in all orders: the schedule with another start.
        let mut rotated = schedule.clone();
        let swap = |at: usize| {
            if at == 0 {
                node
            } else if at == node {
                0
            } else {
                at
            }
        };
        rotated.sections.iter_mut().for_each(|section| {
            (section.from, section.to) = (swap(section.from), swap(section.to));
        });
        rotated.sections.sort_by_key(|section| section.from);
        rotated.nodes.swap(0, node);
        let start = Stepper::new(system, &rotated, state.clone());
        let mut found = BTreeSet::new();
        let mut been = FxHashSet::default();
        let mut todo = vec![start];
        while let Some(at) = todo.pop() {
            if !been.insert((at.lookup().key(), at.state().clone())) {
                continue;
            }
            if been.len() > 3000 {
                return Ok(looked_at);
            }
            let mut goes_on = leaving.is_empty();
            for may in at.lookup().permitted() {
                let steps = at.steps(may.thread).expect("few inputs");
                if steps.is_empty() {
                    return Err(format!("{} waits for {:?} in {:?}", may.thread, at.lane(may.thread), at.state()));
                }
                for step in steps {
                    let mut next = at.clone();
                    if !next.step(may.thread, &step) {
                        return Err(format!("{step:?} of {} departs: {may:?}", may.thread));
                    }
                    if system.is_error(next.state()) {
                        return Err(format!("{} goes wrong", may.thread));
                    }
                    goes_on = true;
                    if next.lookup().is_at_node() {
                        let node = swap(next.lookup().node());
                        found.insert((node, passed(system, schedule, next.state())));
                        looked_at += 1;
                    } else {
                        todo.push(next);
                    }
                }
            }
            if !goes_on {
                return Err(format!("nobody goes on in {:?}", at.state()));
            }
        }
        if found != expected {
            return Err(format!("from {state:?}: {found:#?}, not {expected:#?}"));
        }
    }
    Ok(looked_at)
}

#[test]
fn all_orders_lead_to_where_the_tree_leads() {
    let (mut schedules, mut orders, mut dropped, mut branches) = (0, 0, 0, 0);
    for seed in seeds(1_500) {
        let text = looping(seed, Shape { errors: seed % 3 == 0, ..Shape::default() });
        let system = system(&text);
        let Some(art) = random_tree(&system, seed) else { continue };
        for opt in OPTS {
            for keeps_all in [false, true] {
                let schedule = match ProgramSchedule::of(&system, &art, Options { opt, keeps_all }) {
                    Ok(schedule) => schedule,
                    Err(error) => panic!("seed {seed}\n{text}\n{error}"),
                };
                dropped += usize::from(!schedule.dropped.is_empty());
                branches += usize::from((0..schedule.nodes.len()).any(|node| schedule.leaving(node).len() > 1));
                orders += hold(&system, &art, &schedule)
                    .unwrap_or_else(|wrong| panic!("seed {seed}, {opt:?}\n{text}\n{wrong}\n{schedule:#?}"));
                schedules += 1;
            }
        }
    }
    println!("{schedules} schedules, {dropped} drop events, {branches} branch; {orders} ends of sections");
    assert!(schedules > 40 && dropped > 5 && branches > 10, "{schedules}, {dropped}, {branches}");
}

#[test]
fn named_programs_hold() {
    for (text, turns) in [
        (DOUBLE, &[(0, 5), (1, 5)][..]),
        (BUFFER, &[(0, 5), (1, 5)]),
        (BUFFER, &[(0, 10), (1, 10)]),
        (BUFFER, &[(0, 5), (1, 5), (1, 4), (0, 5)]),
        ("shared x\nx := 1; a := x || assume x = 1; x := 2", &[(0, 1), (1, 2), (0, 1)]),
    ] {
        let (system, art) = alternating(text, turns);
        for opt in OPTS {
            hold(&system, &art, &of(&system, &art, opt)).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
        }
    }
}

#[test]
fn a_wrong_order_is_found() {
    // The oracle is not blind: with one edge less, or the printed one, it complains.
    let (system, art) = alternating(BUFFER, &[(0, 5), (1, 5)]);
    let mut schedule = keeping_all(&system, &art, Opt::Opt1);
    assert!(hold(&system, &art, &schedule).is_ok());
    let cross = schedule.sections[0]
        .events
        .iter()
        .position(|event| event.after.iter().any(|at| schedule.sections[0].events[*at].thread != event.thread));
    schedule.sections[0].events[cross.expect("threads meet")].after.clear();
    assert!(hold(&system, &art, &schedule).is_err());
}

#[test]
fn what_is_permitted_behind_a_prefix() {
    let (system, art) = by_points(FIGURE, &[(0, 2), (1, 2), (0, 2)]);
    let schedule = of(&system, &art, Opt::Opt1);
    let permitted = |prefix: &[usize]| {
        let events = &schedule.sections[0].events;
        let prefix: Vec<_> = prefix.iter().map(|at| events[*at].transition).collect();
        Lookup::permitted_behind(&schedule, &system, &prefix)
    };
    assert_eq!(permitted(&[]), Some(vec![0, 1]));
    assert_eq!(permitted(&[2]), Some(vec![0]));
    assert_eq!(permitted(&[0, 2]), Some(vec![0, 1]));
    assert_eq!(permitted(&[2, 0, 3]), Some(vec![0]));
    assert_eq!(permitted(&[2, 3]), None);
    assert_eq!(permitted(&[0, 1, 2, 3]), Some(vec![0]));
}

#[test]
fn a_run_is_forced() {
    let system = system(DOUBLE);
    let states = States::of(&system, 100).expect("few");
    let [deadlock] = states.deadlocks(&system)[..] else { panic!("one deadlock") };
    let steps: Vec<_> = states.way_to(deadlock).1.iter().map(|reached| reached.transition).collect();
    let schedule = ProgramSchedule::chain(&system, &steps);
    let mut run = Stepper::new(&system, &schedule, states.states[0].clone());
    for _ in &steps {
        let [may] = &run.lookup().permitted()[..] else { panic!("one thread") };
        let [step] = &run.steps(may.thread).expect("few")[..] else { panic!("one step") };
        assert!(run.step(may.thread, step));
    }
    assert!(run.lookup().is_free());
    assert_eq!([run.lane(0).expect("few"), run.lane(1).expect("few")], [Lane::Blocked, Lane::Blocked]);
    assert!(ProgramSchedule::chain(&system, &[]).sections.is_empty());
}

#[test]
fn trees_that_are_not_right_are_refused() {
    let (system, mut art) = alternating(DOUBLE, &[(0, 5), (1, 5)]);
    art.nodes[1].below.clear();
    assert_eq!(ProgramSchedule::of(&system, &art, options(Opt::Opt1)), Err(BuildError::NotExpanded(NodeId(1))));
    let (system, mut art) = by_points("shared x\nwhile 1 { assert x = 0 } || while 1 { x := 0 }", &[(0, 1), (1, 1)]);
    assert!(ProgramSchedule::of(&system, &art, options(Opt::Opt0)).is_ok());
    let is_wrong = |node: &crate::art::Node| system.point(0, node.points[0]).is_error();
    let wrong = art.nodes.iter().position(is_wrong).expect("it may go wrong");
    art.nodes[wrong].label = Term::constant(1);
    let refused = ProgramSchedule::of(&system, &art, options(Opt::Opt0));
    assert_eq!(refused, Err(BuildError::Wrong(NodeId(wrong as u32))));
    art.nodes[0].covered_by = Some(NodeId(0));
    assert_eq!(ProgramSchedule::of(&system, &art, options(Opt::Opt0)), Err(BuildError::Covered(NodeId(0))));
}

#[test]
fn who_has_no_step_on_a_circle_is_starved() {
    let (system, art) = by_points("shared x, y\nwhile 1 { x := 1 } || while 1 { y := 1 }", &[(0, 1)]);
    assert_eq!(of(&system, &art, Opt::Opt1).starved(&system, &art), [1]);
}

#[test]
fn a_run_goes_on_where_the_label_follows() {
    let (system, art) = alternating(BUFFER, &[(0, 5), (1, 5)]);
    let schedule = keeping_all(&system, &art, Opt::Opt1);
    let same = schedule.map((&art, &art), &schedule, follows).expect("they drop the same");
    assert_eq!(same, (0..schedule.nodes.len()).map(Some).collect::<Vec<_>>());
    let dropping = of(&system, &art, Opt::Opt1);
    assert_eq!(schedule.map((&art, &art), &dropping, follows), None);
    let states = States::of(&system, 1000).expect("few");
    let mut other = art.clone();
    other.nodes[0].label = label(&states, &BTreeSet::from([1]));
    assert_eq!(schedule.map((&art, &other), &schedule, follows), Some(vec![None]));
}
