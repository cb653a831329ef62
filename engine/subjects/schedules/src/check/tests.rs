//! The properties on programs for which they are known, and on random ones by their definitions.

use super::{
    Failure, Implications, Properties, Property, Ranges, TreeFailure, TreeProperty, closes_unfair_cycle, properties,
    tree_properties,
};
use crate::art::{Art, Node, NodeId};
use crate::game::tests::{alternating, random_ivr};
use crate::game::{Arena, Standing};
use crate::ivr::{Allowed, Behind, Ivr, IvrNode};
use crate::reduce::{TooLarge, recency_product, remove_error_paths};
use crate::testing::{buffer, states, system};
use litmoscope_core::budget::Budget;
use litmoscope_core::program::system::{PointId, State, States, System, Term, TransitionId, Variable};
use litmoscope_core::program::{BinaryOperator, Value};
use litmoscope_core::random::Random;
use litmoscope_core::testing::looping::{Shape, looping};
use litmoscope_core::testing::seeds;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn decide(system: &System, states: &States, ivr: Option<&Ivr>) -> Properties {
    let properties = properties(system, states, ivr, 1_000_000, &mut Budget::unlimited()).expect("few positions");
    check_failures(system, ivr, &properties);
    properties
}

/// Each failure shows what it says.
fn check_failures(system: &System, ivr: Option<&Ivr>, properties: &Properties) {
    for failure in properties.failures.iter().flatten() {
        let run = failure.run();
        assert!(run.replays(system, ivr), "{failure:?}");
        let state = run.last();
        let enabled = |thread: u16| !system.successors(state, thread.into()).expect("few inputs").is_empty();
        let all: Vec<u16> = (0..system.threads.len() as u16).filter(|thread| enabled(*thread)).collect();
        match failure {
            Failure::Error(_) => assert!(system.is_error(state)),
            Failure::Deadlock(_) => assert!(system.is_active(state) && all.is_empty()),
            Failure::DeadEnd { allowed, enabled, .. } => {
                assert_eq!(*enabled, all);
                assert!(!all.is_empty() && !allowed.iter().any(|thread| all.contains(thread)));
            }
            Failure::Unfair { run, thread } => assert!(run.starves(system, *thread)),
        }
    }
}

/// An intermediate result with one node.
fn always(system: &System, allows: Vec<Allowed>) -> Ivr {
    let all = (0..system.transitions.len() as u32).map(TransitionId);
    Ivr { nodes: vec![Behind { allows, next: all.map(|transition| (transition, IvrNode(0))).collect() }] }
}

fn thread(thread: u16) -> Allowed {
    Allowed { thread, when: None }
}

fn variable(system: &System, name: &str) -> Variable {
    Variable(system.names.iter().position(|other| other == name).expect(name) as u32)
}

#[test]
fn nothing_is_safe_and_nobody_can_keep_to_it() {
    let system = system(&buffer(2, 1, 1, " else { error }"));
    let states = states(&system);
    let nothing = decide(&system, &states, Some(&always(&system, Vec::new())));
    assert_eq!(nothing.strongest(), Some(Property::Safe));
    let Some(Failure::DeadEnd { run, node, allowed, enabled }) = nothing.failure(Property::Realizable) else {
        panic!("{nothing:?}")
    };
    assert_eq!((run.steps.len(), *node, allowed.len(), &enabled[..]), (0, IvrNode(0), 0, &[0, 1][..]));
    // Nothing about it is unfair, but that does not make it fair.
    assert!(nothing.failure(Property::Fair).is_none() && !nothing.holds(Property::Fair));
}

#[test]
fn one_thread_alone_never_blocks_and_is_not_fair() {
    let system = system(&buffer(2, 1, 1, ""));
    let states = states(&system);
    let alone = decide(&system, &states, Some(&always(&system, vec![thread(0)])));
    assert_eq!(alone.strongest(), Some(Property::DeadlockFree));
    let Some(Failure::Unfair { thread, .. }) = alone.failure(Property::AdmitsFairness) else { panic!("{alone:?}") };
    assert_eq!(*thread, 1);
    // All that the program may do is not fair, but can be.
    let all = decide(&system, &states, None);
    assert_eq!(all.strongest(), Some(Property::AdmitsFairness));
    let both = always(&system, vec![super::tests::thread(0), super::tests::thread(1)]);
    assert_eq!(decide(&system, &states, Some(&both)).failures, all.failures);
}

#[test]
fn whether_the_buffer_is_empty_is_not_enough_statement_by_statement() {
    let system = system(&buffer(2, 1, 1, ""));
    let states = states(&system);
    let by_count = |system: &System| {
        let count = Arc::new(Term::Variable(variable(system, "count")));
        let is = |operator| Some(Term::binary(operator, &count, &Term::constant(0)));
        let producer = Allowed { thread: 0, when: is(BinaryOperator::Equal) };
        always(system, vec![producer, Allowed { thread: 1, when: is(BinaryOperator::NotEqual) }])
    };
    let found = decide(&system, &states, Some(&by_count(&system)));
    assert_eq!(found.strongest(), Some(Property::Safe));
    let Some(Failure::DeadEnd { run, allowed, enabled, .. }) = found.failure(Property::Realizable) else {
        panic!("{found:?}")
    };
    // The producer has put something in, and holds the mutex.
    let value = |name: &str| run.last().values[variable(&system, name).0 as usize];
    assert_eq!((value("count"), value("m"), run.steps.len()), (1, 1, 3));
    assert_eq!((&allowed[..], &enabled[..]), (&[1][..], &[0][..]));
    // With rounds that are atomic, it is.
    let text = "shared count\nwhile 1 { atomic { if count < 2 { count := count + 1 } } }
        || while 1 { atomic { if count > 0 { count := count - 1 } } }";
    let system = crate::testing::system(text);
    let states = crate::testing::states(&system);
    assert!(decide(&system, &states, Some(&by_count(&system))).holds(Property::Fair));
}

#[test]
fn the_first_results_of_known_programs_are_fair() {
    let system = system(&buffer(2, 1, 1, " else { error }"));
    let states = states(&system);
    assert!(decide(&system, &states, Some(&alternating(&system))).holds(Property::Fair));
    let all = decide(&system, &states, None);
    assert!(matches!(all.failure(Property::Safe), Some(Failure::Error(run)) if run.steps.len() == 2), "{all:?}");
    assert!(all.failure(Property::AdmitsFairness).is_none(), "the scheduler wins");
    let lock = |first: &str, second: &str| {
        format!("while 1 {{ lock {first}; lock {second}; skip; fence; unlock {second}; unlock {first} }}")
    };
    let text = format!("shared m1, m2\n{}\n||\n{}", lock("m1", "m2"), lock("m2", "m1"));
    let system = crate::testing::system(&text);
    let states = crate::testing::states(&system);
    let all = decide(&system, &states, None);
    assert!(matches!(all.failure(Property::DeadlockFree), Some(Failure::Deadlock(run)) if run.steps.len() == 2));
    assert!(all.holds(Property::Realizable) && all.failure(Property::AdmitsFairness).is_none());
}

type Pair = (usize, Option<IvrNode>);

#[test]
fn properties_are_what_their_definitions_say() {
    let mut strongest: BTreeMap<Option<Property>, usize> = BTreeMap::new();
    for seed in seeds(2_500) {
        let text = looping(seed, Shape::default());
        let system = system(&text);
        let Ok(states) = States::of(&system, 300) else { continue };
        let ivr = (seed % 4 > 0).then(|| random_ivr(&system, seed));
        let found = decide(&system, &states, ivr.as_ref());
        *strongest.entry(found.strongest()).or_default() += 1;
        // Pairs of a state and a node, by the definitions, listed anew until there are no more.
        let mut pairs: BTreeSet<Pair> = (0..states.states.len())
            .filter(|at| states.reached[*at].is_none())
            .map(|at| (at, ivr.as_ref().map(|_| IvrNode(0))))
            .collect();
        let permitted = |(at, node): Pair| -> Vec<(u16, Pair)> {
            let steps = states.steps[at].iter().map(|(transition, to)| {
                let next = ivr.as_ref().zip(node).and_then(|(ivr, node)| ivr.step(node, *transition));
                (system.transition(*transition).thread, (*to, next))
            });
            let is_allowed = |thread: u16| {
                let Some((ivr, node)) = ivr.as_ref().zip(node) else { return true };
                ivr.behind(node).allows.iter().any(|allowed| allowed.thread == thread)
            };
            steps.filter(|(thread, _)| is_allowed(*thread)).collect()
        };
        loop {
            let more: Vec<_> = pairs.iter().flat_map(|pair| permitted(*pair)).map(|(_, to)| to).collect();
            let before = pairs.len();
            pairs.extend(more);
            if pairs.len() == before {
                break;
            }
        }
        let any = |wrong: &dyn Fn(&Pair) -> bool| pairs.iter().any(wrong);
        let enabled = |at: usize, thread: u16| {
            states.steps[at].iter().any(|(transition, _)| system.transition(*transition).thread == thread)
        };
        let error = any(&|(at, _)| system.is_error(&states.states[*at]));
        let dead_end = any(&|pair| permitted(*pair).is_empty() && states.enabled[pair.0] > 0);
        let deadlock = any(&|(at, _)| system.is_active(&states.states[*at]) && states.enabled[*at] == 0);
        let unfair = (0..system.threads.len() as u16).any(|thread| {
            any(&|pair| {
                let mut work = vec![*pair];
                let mut seen = BTreeSet::new();
                while let Some(from) = work.pop() {
                    for (_, to) in permitted(from).into_iter().filter(|(other, _)| *other != thread) {
                        if to == *pair {
                            return enabled(pair.0, thread);
                        }
                        if seen.insert(to) {
                            work.push(to);
                        }
                    }
                }
                false
            })
        });
        for (property, fails) in [
            (Property::Safe, error),
            (Property::Realizable, dead_end),
            (Property::DeadlockFree, deadlock),
            (Property::Fair, unfair),
        ] {
            assert_eq!(found.failure(property).is_some(), fails, "seed {seed}, {property:?}\n{text}\n{ivr:?}");
        }
        // If nothing is wrong, every scheduler wins, so some does.
        if !error && !dead_end && !deadlock && !unfair {
            assert!(found.holds(Property::AdmitsFairness), "seed {seed}\n{text}");
        }
        let arena = Arena::of(&system, &states, ivr.as_ref(), 1_000_000, &mut Budget::unlimited()).expect("few");
        assert_eq!(arena.positions.len(), pairs.len());
        assert_eq!(arena.first(Standing::Error).is_some(), error);
        let solution = arena.solve(&mut Budget::unlimited()).expect("no limit");
        assert_eq!(found.failure(Property::AdmitsFairness).is_none(), solution.scheduler_wins());
    }
    assert!(strongest.len() >= 4, "{strongest:?}");
}

/// A random tree with what it is made of: the values that its labels hold of.
pub(crate) struct Sample {
    pub(crate) art: Art,
    sets: Vec<BTreeSet<Box<[Value]>>>,
}

/// The label that holds of these values alone, among values in ranges.
fn label(ranges: &Ranges, set: &BTreeSet<Box<[Value]>>) -> Arc<Term> {
    let one = |values: &[Value]| {
        let matters = (0..values.len()).filter(|at| ranges.values[*at].len() > 1);
        matters.fold(Term::constant(1), |all, at| {
            let variable = Arc::new(Term::Variable(Variable(at as u32)));
            Term::and(&all, &Term::equal(&variable, &Term::constant(values[at])))
        })
    };
    set.iter().fold(Term::constant(0), |any, values| Term::binary(BinaryOperator::Or, &any, &one(values)))
}

/// The values behind a transition.
fn image(
    system: &System,
    points: &[PointId],
    set: &BTreeSet<Box<[Value]>>,
    by: TransitionId,
) -> BTreeSet<Box<[Value]>> {
    let thread = system.transition(by).thread;
    let steps = set.iter().flat_map(|values| {
        let state = State { points: points.into(), values: values.clone() };
        system.successors(&state, thread.into()).expect("few inputs")
    });
    steps.filter(|step| step.transition == by).map(|step| step.state.values).collect()
}

pub(crate) fn sample(system: &System, states: &States, ranges: &Ranges, seed: u64, most: usize) -> Sample {
    let mut random = Random::new(seed);
    let exact = random.below(3) == 0;
    let (choosy, partly) = (random.below(4) > 0, random.below(8) == 0);
    let at_points = |points: &[PointId]| -> BTreeSet<Box<[Value]>> {
        let here = states.states.iter().filter(|state| *state.points == *points);
        here.map(|state| state.values.clone()).collect()
    };
    let points: Box<[PointId]> = system.threads.iter().map(|thread| thread.start).collect();
    let start: BTreeSet<Box<[Value]>> =
        system.initial_states().expect("few inputs").into_iter().map(|state| state.values).collect();
    let start = if exact { start } else { at_points(&points) };
    let mut sets = vec![start];
    let node = |points, above, label| Node { above, points, label, below: Vec::new(), covered_by: None };
    let mut art = Art { nodes: vec![node(points, None, label(ranges, &sets[0]))] };
    let mut last_run = vec![0_usize; art.nodes.len()];
    let mut at = 0;
    while at < art.nodes.len() {
        let own = art.nodes[at].clone();
        let coverer = (0..art.nodes.len()).find(|&other| {
            let w = &art.nodes[other];
            other != at
                && w.covered_by.is_none()
                && w.points == own.points
                && sets[at].is_subset(&sets[other])
                && random.below(5) > 0
                && (!choosy || closes_unfair_cycle(system, &art, NodeId(at as u32), NodeId(other as u32)).is_none())
        });
        // A node that covers stays uncovered.
        let covers = art.nodes.iter().any(|node| node.covered_by == Some(NodeId(at as u32)));
        if let Some(coverer) = coverer.filter(|_| !covers) {
            art.nodes[at].covered_by = Some(NodeId(coverer as u32));
        } else if art.nodes.len() < most {
            let enabled = |thread: u16| {
                let can = |values: &[Value]| {
                    let state = State { points: own.points.clone(), values: values.into() };
                    !system.successors(&state, thread.into()).expect("few inputs").is_empty()
                };
                sets[at].iter().all(|values| can(values))
            };
            let mut threads: Vec<u16> = (0..system.threads.len() as u16)
                .filter(|thread| system.point((*thread).into(), own.points[usize::from(*thread)]).is_active())
                .filter(|thread| enabled(*thread) || random.below(20) == 0)
                .filter(|_| !own.points.iter().enumerate().any(|(at, point)| system.point(at, *point).is_error()))
                .collect();
            if random.below(3) > 0 && !threads.is_empty() {
                let thread = match random.below(4) {
                    0 => threads[random.below(threads.len() as u64) as usize],
                    _ => *threads.iter().find(|thread| usize::from(**thread) > last_run[at]).unwrap_or(&threads[0]),
                };
                threads = vec![thread];
            }
            for thread in threads {
                for &transition in &system.point(thread.into(), own.points[usize::from(thread)]).transitions {
                    if partly && random.below(4) == 0 {
                        continue;
                    }
                    let image = image(system, &own.points, &sets[at], transition);
                    let mut points = own.points.clone();
                    points[usize::from(thread)] = system.transition(transition).to;
                    let set =
                        if exact || image.is_empty() || random.below(3) == 0 { image } else { at_points(&points) };
                    let id = NodeId(art.nodes.len() as u32);
                    art.nodes[at].below.push((transition, id));
                    art.nodes.push(node(points, Some((NodeId(at as u32), transition)), label(ranges, &set)));
                    sets.push(set);
                    last_run.push(thread.into());
                }
            }
        }
        at += 1;
    }
    // Nodes with something below them may be covered, too.
    for at in 1..art.nodes.len() {
        let own = NodeId(at as u32);
        let covers = art.nodes.iter().any(|node| node.covered_by == Some(own));
        let coverer = (0..art.nodes.len()).find(|&other| {
            let node = &art.nodes[other];
            other != at
                && node.covered_by.is_none()
                && node.points == art.nodes[at].points
                && sets[at].is_subset(&sets[other])
        });
        if !covers && art.nodes[at].covered_by.is_none() && random.below(6) == 0 {
            art.nodes[at].covered_by = coverer.map(|coverer| NodeId(coverer as u32));
        }
    }
    Sample { art, sets }
}

/// All simple cycles of a small graph, each as its edges, with what is on them.
fn cycles<E: Copy>(edges: &[Vec<(E, usize)>]) -> Vec<Vec<(usize, E, usize)>> {
    fn go<E: Copy>(
        edges: &[Vec<(E, usize)>],
        start: usize,
        at: usize,
        way: &mut Vec<(usize, E, usize)>,
        all: &mut Vec<Vec<(usize, E, usize)>>,
    ) {
        for &(edge, to) in &edges[at] {
            if to < start || to != start && way.iter().any(|(from, ..)| *from == to) || to == at && at != start {
                continue;
            }
            way.push((at, edge, to));
            if to == start {
                all.push(way.clone());
            } else {
                go(edges, start, to, way, all);
            }
            way.pop();
        }
    }
    let mut all = Vec::new();
    (0..edges.len()).for_each(|start| go(edges, start, start, &mut Vec::new(), &mut all));
    all
}

fn is_active(system: &System, art: &Art, at: usize, thread: u16) -> bool {
    system.point(thread.into(), art.nodes[at].points[usize::from(thread)]).is_active()
}

/// Whether all that the definition asks of simple cycles holds: that an active thread is expanded, and that it has an edge.
fn by_cycles(system: &System, sample: &Sample) -> (bool, bool) {
    let art = &sample.art;
    let edges: Vec<Vec<(Option<TransitionId>, usize)>> = (0..art.nodes.len())
        .map(|at| {
            let node = &art.nodes[at];
            let edges: Vec<_> = match node.covered_by {
                Some(coverer) => vec![(None, coverer.0 as usize)],
                None => node.below.iter().map(|(transition, to)| (Some(*transition), to.0 as usize)).collect(),
            };
            edges.into_iter().filter(|(_, to)| !sample.sets[*to].is_empty() && !sample.sets[at].is_empty()).collect()
        })
        .collect();
    let mut reached = BTreeSet::from([0]);
    while let Some(to) =
        reached.iter().flat_map(|at: &usize| &edges[*at]).map(|(_, to)| *to).find(|to| !reached.contains(to))
    {
        reached.insert(to);
    }
    let (mut admits, mut fair) = (true, true);
    for cycle in cycles(&edges).iter().filter(|cycle| reached.contains(&cycle[0].0)) {
        for thread in 0..system.threads.len() as u16 {
            if cycle.iter().any(|(at, ..)| is_active(system, art, *at, thread)) {
                let is_own = |transition: &TransitionId| system.transition(*transition).thread == thread;
                admits &= cycle.iter().any(|(at, ..)| {
                    art.nodes[*at].covered_by.is_none() && art.nodes[*at].below.iter().any(|(one, _)| is_own(one))
                });
                fair &= cycle.iter().any(|(_, edge, _)| edge.as_ref().is_some_and(is_own));
            }
        }
    }
    (admits, fair)
}

/// Whether labels hold where they stand, by the sets that they are made of.
fn is_well_labelled(system: &System, sample: &Sample) -> bool {
    let Sample { art, sets } = sample;
    let starts = system.initial_states().expect("few inputs");
    starts.iter().all(|state| sets[0].contains(&state.values))
        && art.nodes.iter().enumerate().all(|(at, node)| {
            node.below.iter().all(|(transition, to)| {
                image(system, &node.points, &sets[at], *transition).is_subset(&sets[to.0 as usize])
            }) && node.covered_by.is_none_or(|coverer| sets[at].is_subset(&sets[coverer.0 as usize]))
        })
}

/// Whether each run that one intermediate result permits is permitted by another.
fn permits_less(system: &System, states: &States, less: &Ivr, more: &Ivr) -> bool {
    let initial = (0..states.states.len()).take_while(|at| states.reached[*at].is_none());
    let mut work: Vec<(usize, Option<IvrNode>, Option<IvrNode>)> =
        initial.map(|at| (at, Some(IvrNode(0)), Some(IvrNode(0)))).collect();
    let mut seen = BTreeSet::new();
    while let Some((at, one, other)) = work.pop() {
        if !seen.insert((at, one, other)) {
            continue;
        }
        for &(transition, to) in &states.steps[at] {
            let thread = system.transition(transition).thread;
            let allows = |ivr: &Ivr, node: Option<IvrNode>| {
                node.is_none_or(|node| ivr.behind(node).allows.iter().any(|allowed| allowed.thread == thread))
            };
            if allows(less, one) {
                if !allows(more, other) {
                    return false;
                }
                let next = |ivr: &Ivr, node: Option<IvrNode>| node.and_then(|node| ivr.step(node, transition));
                work.push((to, next(less, one), next(more, other)));
            }
        }
    }
    true
}

/// The good nodes of a tree, by going through all until nothing changes.
fn good(system: &System, sample: &Sample) -> Vec<bool> {
    let art = &sample.art;
    let mut good = vec![true; art.nodes.len()];
    loop {
        let before = good.clone();
        for (at, node) in art.nodes.iter().enumerate() {
            let points = || node.points.iter().enumerate().map(|(thread, point)| system.point(thread, *point));
            let is_good = |to: &NodeId| before[to.0 as usize];
            let some_thread = (0..system.threads.len() as u16).any(|thread| {
                let own: Vec<_> =
                    node.below.iter().filter(|(one, _)| system.transition(*one).thread == thread).collect();
                let all = points().nth(thread.into()).expect("a thread").transitions.len();
                all > 0 && own.len() == all && own.iter().all(|(_, to)| is_good(to))
            });
            good[at] = sample.sets[at].is_empty()
                || !points().any(|point| point.is_error())
                    && match node.covered_by {
                        Some(coverer) => is_good(&coverer),
                        None => some_thread || !points().any(|point| point.is_active()),
                    };
        }
        if good == before {
            return good;
        }
    }
}

#[test]
fn trees_are_what_their_definitions_say() {
    let mut strongest: BTreeMap<Option<TreeProperty>, usize> = BTreeMap::new();
    let (mut reduced, mut refused, mut made_fair) = (0, 0, 0);
    for seed in seeds(2_500) {
        let text = looping(seed, Shape { statements: 4, errors: seed % 2 == 0, ..Shape::default() });
        let system = system(&text);
        let Ok(states) = States::of(&system, 120) else { continue };
        let mut ranges = Ranges::of(&system, &states, 1_000_000);
        let mut sample = sample(&system, &states, &ranges, seed, 14);
        let mut random = Random::new(seed);
        if random.below(4) == 0 {
            // A label loses something.
            let at = random.below(sample.sets.len() as u64) as usize;
            sample.sets[at].pop_first();
            sample.art.nodes[at].label = label(&ranges, &sample.sets[at]);
        }
        let Sample { art, sets } = &sample;
        let says = |what: &str| format!("seed {seed}: {what}\n{text}\n{art:#?}");
        let found =
            tree_properties(&system, art, &mut ranges).unwrap_or_else(|error| panic!("{}", says(&error.to_string())));
        *strongest.entry(found.strongest()).or_default() += 1;
        let fails = |property| found.failure(property).is_some();
        assert_eq!(
            fails(TreeProperty::WellLabelled),
            !is_well_labelled(&system, &sample),
            "{:?} {}",
            found.failure(TreeProperty::WellLabelled),
            says("labels")
        );
        let (admits, fair) = by_cycles(&system, &sample);
        assert_eq!(fails(TreeProperty::AdmitsFairness), !admits, "{}", says("admits fairness"));
        assert_eq!(fails(TreeProperty::Fair), !fair, "{}", says("fair"));
        // What a tree has, its intermediate result has.
        let of_result = |art: &Art| decide(&system, &states, Some(&art.ivr(&system)));
        for (of_tree, property) in [
            (TreeProperty::Safe, Property::Safe),
            (TreeProperty::DeadlockFree, Property::DeadlockFree),
            (TreeProperty::AdmitsFairness, Property::AdmitsFairness),
            (TreeProperty::Fair, Property::Fair),
        ] {
            if found.holds(of_tree) {
                assert!(of_result(art).holds(property), "{}", says(&format!("{property:?}")));
            }
        }
        let is_empty = |id: NodeId| sets[id.0 as usize].is_empty();
        match remove_error_paths(&system, art, is_empty) {
            None => {
                refused += 1;
                assert!(!good(&system, &sample)[0], "{}", says("the root is good"));
            }
            Some(less) => {
                reduced += 1;
                assert!(good(&system, &sample)[0], "{}", says("the root is not good"));
                let of_less = tree_properties(&system, &less, &mut ranges)
                    .unwrap_or_else(|error| panic!("{}", says(&error.to_string())));
                assert!(permits_less(&system, &states, &less.ivr(&system), &art.ivr(&system)), "{}", says("more"));
                assert!(!matches!(of_less.failure(TreeProperty::DeadlockFree), Some(TreeFailure::Unexpanded(_))));
                if !fails(TreeProperty::WellLabelled) {
                    assert!(of_less.holds(TreeProperty::Safe), "{}", says("not safe"));
                    assert!(of_result(&less).holds(Property::Safe), "{}", says("not safe"));
                }
                if found.holds(TreeProperty::Fair) {
                    assert!(of_less.holds(TreeProperty::Fair), "{}", says("not fair any more"));
                }
            }
        }
        let product = recency_product(&system, art, is_empty, 100_000)
            .unwrap_or_else(|error| panic!("{}", says(&error.to_string())));
        let of_product = tree_properties(&system, &product, &mut ranges)
            .unwrap_or_else(|error| panic!("{}", says(&error.to_string())));
        if !fails(TreeProperty::WellLabelled) {
            assert!(of_product.holds(TreeProperty::WellLabelled), "{}\n{of_product:?}", says("labels of the product"));
        }
        if found.holds(TreeProperty::AdmitsFairness) {
            assert!(of_product.holds(TreeProperty::Fair), "{}\n{of_product:?}\n{product:#?}", says("not made fair"));
            assert!(permits_less(&system, &states, &product.ivr(&system), &art.ivr(&system)), "{}", says("more"));
            assert!(of_result(&product).holds(Property::Fair), "{}", says("not fair"));
            made_fair += usize::from(fails(TreeProperty::Fair));
        }
    }
    assert!(strongest.len() >= 5 && reduced > 5 && refused > 5, "{strongest:?}, {reduced} {refused} {made_fair}");
}

#[test]
fn coverings_close_the_unfair_cycles_that_lists_of_cycles_have() {
    let (mut closing, mut harmless) = (0, 0);
    for seed in seeds(1_500) {
        let text = looping(seed, Shape { statements: 3, ..Shape::default() });
        let system = system(&text);
        let Ok(states) = States::of(&system, 100) else { continue };
        let ranges = Ranges::of(&system, &states, 100_000);
        let Sample { mut art, .. } = sample(&system, &states, &ranges, seed, 12);
        let mut random = Random::new(seed);
        for _ in 0..6 {
            let node = random.below(art.nodes.len() as u64) as usize;
            let others: Vec<usize> =
                (0..art.nodes.len()).filter(|&other| art.nodes[other].points == art.nodes[node].points).collect();
            let Some(&coverer) = others.get(random.below(others.len().max(1) as u64) as usize) else { continue };
            let found = closes_unfair_cycle(&system, &art, NodeId(node as u32), NodeId(coverer as u32));
            let mut with = art.clone();
            with.nodes[node].covered_by = Some(NodeId(coverer as u32));
            let edges: Vec<Vec<(Option<TransitionId>, usize)>> = with
                .nodes
                .iter()
                .map(|node| {
                    let below = node.below.iter().map(|(transition, to)| (Some(*transition), to.0 as usize));
                    below.chain(node.covered_by.map(|to| (None, to.0 as usize))).collect()
                })
                .collect();
            let unfair = cycles(&edges)
                .iter()
                .filter(|cycle| cycle.iter().any(|(from, edge, to)| (*from, edge, *to) == (node, &None, coverer)))
                .any(|cycle| {
                    (0..system.threads.len() as u16).any(|thread| {
                        cycle.iter().any(|(at, ..)| is_active(&system, &with, *at, thread))
                            && !cycle
                                .iter()
                                .filter_map(|(_, edge, _)| *edge)
                                .any(|edge| system.transition(edge).thread == thread)
                    })
                });
            assert_eq!(found.is_some(), unfair, "seed {seed}, {node} by {coverer}\n{text}\n{art:#?}");
            *(if unfair { &mut closing } else { &mut harmless }) += 1;
            if random.below(2) == 0 && with.nodes[node].below.is_empty() {
                art = with;
            }
        }
    }
    assert!(closing > 10 && harmless > 10, "{closing} {harmless}");
}

#[test]
fn ranges_say_what_trying_all_says() {
    let text = "shared x, y\na := input 0..2; y := a || assume x = 1; y := 1";
    let system = system(text);
    let mut ranges = Ranges { values: vec![vec![0, 1, 2]; system.variables.len()], limit: 100_000 };
    let mut random = Random::new(1);
    let mut term = |depth: u32| random_term(&mut random, depth);
    for _ in 0..200 {
        let (premise, conclusion) = (term(3), term(3));
        let found = ranges.implies(&system, &premise, &conclusion).expect("few values");
        let fails = |values: &[Value]| premise.evaluate(values, &[]) != 0 && conclusion.evaluate(values, &[]) == 0;
        let mut any = false;
        for code in 0..3_i64.pow(2) {
            let mut values = vec![0; system.variables.len()];
            (values[0], values[1]) = (code % 3, code / 3);
            any |= fails(&values);
        }
        assert_eq!(found.is_some(), any, "{premise:?}, {conclusion:?}");
        assert!(found.is_none_or(|witness| fails(&witness.values)));
    }
    ranges.limit = 1;
    let (x, y) = (Arc::new(Term::Variable(Variable(0))), Arc::new(Term::Variable(Variable(1))));
    assert!(ranges.implies(&system, &x, &y).is_err());
}

/// A term over the first two variables.
pub(crate) fn random_term(random: &mut Random, depth: u32) -> Arc<Term> {
    use BinaryOperator as B;
    let kind = random.below(if depth == 0 { 2 } else { 6 });
    match kind {
        0 => Term::constant(random.below(3) as Value),
        1 => Arc::new(Term::Variable(Variable(random.below(2) as u32))),
        2 => Term::not(&random_term(random, depth - 1)),
        3 => {
            let parts = [0; 3].map(|_| random_term(random, depth - 1));
            Term::choose(&parts[0], &parts[1], &parts[2])
        }
        _ => {
            let operators = [B::And, B::Or, B::Equal, B::Less, B::Add, B::Subtract, B::Divide, B::NotEqual, B::And];
            let operator = operators[random.below(operators.len() as u64) as usize];
            let parts = [0; 2].map(|_| random_term(random, depth - 1));
            if operator == B::Divide && random.below(2) == 0 {
                return Term::defined(operator, &parts[0], &parts[1]);
            }
            Term::binary(operator, &parts[0], &parts[1])
        }
    }
}

#[test]
fn a_buffer_has_the_tree_of_the_book() {
    // Eight edges in a row, and beside two of them one to an error that is never reached; the last node is covered by the root.
    let system = system(&buffer(2, 1, 1, " else { error }"));
    let states = states(&system);
    let (count, mutex) = (variable(&system, "count"), variable(&system, "m"));
    let is =
        |variable: Variable, value: Value| Term::equal(&Arc::new(Term::Variable(variable)), &Term::constant(value));
    // Behind each step.
    let holders = [1, 1, 1, 0, 2, 2, 2, 0];
    let counts = [0, 0, 1, 1, 1, 1, 0, 0];
    let mut art = Art { nodes: Vec::new() };
    let start: Box<[PointId]> = system.threads.iter().map(|thread| thread.start).collect();
    let root = Term::and(&is(count, 0), &is(mutex, 0));
    art.nodes.push(Node { above: None, points: start, label: root, below: Vec::new(), covered_by: None });
    let mut at = NodeId(0);
    for step in 0..8 {
        let thread = step / 4;
        let point = art.node(at).points[thread];
        let mut next = at;
        for &transition in &system.point(thread, point).transitions {
            let mut points = art.node(at).points.clone();
            points[thread] = system.transition(transition).to;
            let is_error = system.point(thread, points[thread]).is_error();
            let label = Term::and(&is(count, counts[step]), &is(mutex, holders[step]));
            let label = if is_error { Term::constant(0) } else { label };
            let id = NodeId(art.nodes.len() as u32);
            art.nodes[at.0 as usize].below.push((transition, id));
            art.nodes.push(Node { above: Some((at, transition)), points, label, below: Vec::new(), covered_by: None });
            if !is_error {
                next = id;
            }
        }
        at = next;
    }
    art.nodes[at.0 as usize].covered_by = Some(NodeId(0));
    assert_eq!(art.nodes.len(), 11);
    let mut ranges = Ranges::of(&system, &states, 100_000);
    let found = tree_properties(&system, &art, &mut ranges).expect("few values");
    assert_eq!(found.strongest(), Some(TreeProperty::Fair), "{found:#?}");
    assert!(decide(&system, &states, Some(&art.ivr(&system))).holds(Property::Fair));
    let empty: Vec<bool> = art.nodes.iter().map(|node| *node.label == Term::Constant(0)).collect();
    let is_empty = |id: NodeId| empty[id.0 as usize];
    assert_eq!(remove_error_paths(&system, &art, is_empty), Some(art.clone()));
    assert_eq!(recency_product(&system, &art, is_empty, 10), Err(TooLarge(10)));
    // One covering less, and it ends there.
    art.nodes[at.0 as usize].covered_by = None;
    let found = tree_properties(&system, &art, &mut ranges).expect("few values");
    assert_eq!(found.failure(TreeProperty::DeadlockFree), Some(&TreeFailure::Unexpanded(at)));
    assert_eq!(remove_error_paths(&system, &art, is_empty), None);
}
