//! Random abstract reachability trees that are right by construction: each node stands for a set of concrete states.

use crate::art::{Art, Node, NodeId};
use litmoscope_core::program::Code;
use litmoscope_core::program::system::{States, System, Term, Variable};
use litmoscope_core::random::Random;
use litmoscope_core::syntax::parse;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) fn system(text: &str) -> System {
    let program = parse(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}")).program;
    let code = Code::compile(&program).expect("code");
    System::of(&program, &code).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// What holds of exactly these states, whose threads are at the same points.
pub(crate) fn label(states: &States, set: &BTreeSet<usize>) -> Arc<Term> {
    let is_it = |at: &usize| {
        let values = states.states[*at].values.iter().enumerate();
        values.fold(Term::constant(1), |all, (variable, value)| {
            let variable = Arc::new(Term::Variable(Variable(variable as u32)));
            Term::and(&all, &Term::equal(&variable, &Term::constant(*value)))
        })
    };
    let any = |any: Arc<Term>, one| Term::binary(litmoscope_core::program::BinaryOperator::Or, &any, &one);
    set.iter().map(is_it).fold(Term::constant(0), any)
}

/// How a tree is made.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// Of so many children, one gets more states than it has to.
    pub(crate) widen: u64,
    pub(crate) nodes: usize,
    /// A node is covered only by one that is as deep, modulo this number.
    pub(crate) phases: usize,
}

/// A tree that at each node lets one thread run, chosen by `choose` from those that may; `None` if there is none, or it is too large.
pub(crate) fn tree(
    system: &System,
    random: &mut Random,
    shape: Shape,
    mut choose: impl FnMut(usize, &[u16], &mut Random) -> u16,
) -> Option<Art> {
    let states = States::of(system, 3000).ok()?;
    let threads = system.threads.len() as u16;
    let steps = |at: usize, thread: u16| {
        states.steps[at].iter().filter(move |(transition, _)| system.transition(*transition).thread == thread)
    };
    // The states from which some thread can always be chosen.
    let mut good: Vec<bool> = states.states.iter().map(|state| !system.is_error(state)).collect();
    let may_run = |good: &[bool], at: usize, thread: u16| {
        steps(at, thread).next().is_some() && steps(at, thread).all(|(_, to)| good[*to])
    };
    loop {
        let bad = |at: &usize| {
            good[*at]
                && system.is_active(&states.states[*at])
                && !(0..threads).any(|thread| may_run(&good, *at, thread))
        };
        let bad: Vec<usize> = (0..good.len()).filter(bad).collect();
        if bad.is_empty() {
            break;
        }
        bad.into_iter().for_each(|at| good[at] = false);
    }
    let initial: BTreeSet<usize> =
        system.initial_states().ok()?.iter().filter_map(|state| states.find(state)).collect();
    if initial.is_empty() || initial.iter().any(|at| !good[*at]) {
        return None;
    }
    let points = |set: &BTreeSet<usize>| states.states[*set.first().expect("not empty")].points.clone();
    let (mut sets, mut phases) = (vec![initial.clone()], vec![0]);
    let mut nodes = vec![Node {
        above: None,
        points: points(&initial),
        label: label(&states, &initial),
        below: Vec::new(),
        covered_by: None,
    }];
    let mut at = 0;
    while at < nodes.len() {
        if nodes.len() > shape.nodes {
            return None;
        }
        let set = sets[at].clone();
        let covers = |other: &usize| {
            let is_alike = phases[*other] == phases[at] && nodes[*other].points == nodes[at].points;
            is_alike && nodes[*other].covered_by.is_none() && set.is_subset(&sets[*other])
        };
        nodes[at].covered_by = (0..at).find(covers).filter(|_| !set.is_empty()).map(|other| NodeId(other as u32));
        if nodes[at].covered_by.is_some() || set.is_empty() {
            at += 1;
            continue;
        }
        let ready: Vec<u16> =
            (0..threads).filter(|thread| set.iter().all(|state| may_run(&good, *state, *thread))).collect();
        let is_active = system.is_active(&states.states[*set.first()?]);
        if !is_active {
            at += 1;
            continue;
        }
        if ready.is_empty() {
            return None;
        }
        let thread = choose(phases[at], &ready, random);
        let from = nodes[at].points[usize::from(thread)];
        for &transition in &system.point(thread.into(), from).transitions {
            let mut to: BTreeSet<usize> = (set.iter())
                .flat_map(|state| steps(*state, thread).filter(|(step, _)| *step == transition).map(|(_, to)| *to))
                .collect();
            if !to.is_empty() && random.below(shape.widen) == 0 {
                let own = points(&to);
                let alike = |other: &usize| good[*other] && states.states[*other].points == own && !to.contains(other);
                let others: Vec<usize> = (0..good.len()).filter(alike).collect();
                // Only what leaves somebody to choose.
                for other in others {
                    let may = |set: &BTreeSet<usize>| {
                        !system.is_active(&states.states[other])
                            || (0..threads).any(|thread| set.iter().all(|state| may_run(&good, *state, thread)))
                    };
                    to.insert(other);
                    if !may(&to) {
                        to.remove(&other);
                    }
                }
            }
            let id = NodeId(nodes.len() as u32);
            let mut points_of = nodes[at].points.clone();
            points_of[usize::from(thread)] = system.transition(transition).to;
            nodes[at].below.push((transition, id));
            nodes.push(Node {
                above: Some((NodeId(at as u32), transition)),
                points: points_of,
                label: label(&states, &to),
                below: Vec::new(),
                covered_by: None,
            });
            sets.push(to);
            phases.push((phases[at] + 1) % shape.phases);
        }
        at += 1;
    }
    Some(Art { nodes })
}

/// A tree that gives threads turns of so many steps, again and again. Where it is not a thread's turn that may go on, another one goes.
pub(crate) fn alternating(text: &str, turns: &[(u16, usize)]) -> (System, Art) {
    let system = system(text);
    let turns: Vec<u16> = turns.iter().flat_map(|(thread, times)| std::iter::repeat_n(*thread, *times)).collect();
    let shape = Shape { widen: u64::MAX, nodes: 10_000, phases: turns.len() };
    let choose = |phase: usize, ready: &[u16], _: &mut Random| match ready.contains(&turns[phase]) {
        true => turns[phase],
        false => ready[0],
    };
    let art = tree(&system, &mut Random::new(0), shape, choose).expect("a tree");
    (system, art)
}

/// A random tree of a system.
pub(crate) fn random_tree(system: &System, seed: u64) -> Option<Art> {
    let mut random = Random::new(seed);
    let widen = [2, 4, u64::MAX][random.below(3) as usize];
    let phases = 1 + random.below(3) as usize;
    tree(system, &mut random, Shape { widen, nodes: 400, phases }, |_, ready, random| {
        ready[random.below(ready.len() as u64) as usize]
    })
}

/// A tree of labels that say nothing: turns of threads, again and again, and from the first one on where all threads are at their starts.
pub(crate) fn by_points(text: &str, turns: &[(u16, usize)]) -> (System, Art) {
    let system = system(text);
    let turns: Vec<u16> = turns.iter().flat_map(|(thread, times)| std::iter::repeat_n(*thread, *times)).collect();
    let points = system.threads.iter().map(|thread| thread.start).collect();
    let root = Node { above: None, points, label: Term::constant(1), below: Vec::new(), covered_by: None };
    let (mut nodes, mut at, mut turn) = (vec![root], 0, vec![0]);
    while at < nodes.len() {
        let is_alike = |other: &usize| {
            let is_it = turn[*other] == turn[at] && nodes[*other].covered_by.is_none();
            is_it && nodes[*other].points == nodes[at].points
        };
        nodes[at].covered_by = (0..at).find(is_alike).map(|other| NodeId(other as u32));
        if nodes[at].covered_by.is_none() {
            let thread = turns[turn[at]];
            for &transition in &system.point(thread.into(), nodes[at].points[usize::from(thread)]).transitions {
                let (step, id) = (system.transition(transition), NodeId(nodes.len() as u32));
                let mut points = nodes[at].points.clone();
                points[usize::from(thread)] = step.to;
                let is_wrong = system.point(thread.into(), step.to).is_error();
                let label = Term::constant(i64::from(!is_wrong));
                nodes[at].below.push((transition, id));
                nodes.push(Node {
                    above: Some((NodeId(at as u32), transition)),
                    points,
                    label,
                    below: Vec::new(),
                    covered_by: None,
                });
                turn.push(if nodes[id.0 as usize].points == nodes[0].points {
                    0
                } else {
                    (turn[at] + 1) % turns.len()
                });
            }
        }
        at += 1;
    }
    (system, Art { nodes })
}
