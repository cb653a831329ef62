//! Games against strategies that are listed, and against games that are made into others; numbers of runs.

use super::{Arena, GameError, Standing, count_runs, interleavings};
use crate::ivr::{Allowed, Behind, Ivr, IvrNode};
use crate::testing::{buffer, states, system};
use litmoscope_core::budget::Budget;
use litmoscope_core::program::system::{States, System};
use litmoscope_core::testing::looping::{Shape, looping};
use litmoscope_core::testing::seeds;
use rustc_hash::{FxHashMap, FxHashSet};

fn arena<'a>(system: &'a System, states: &'a States, ivr: Option<&Ivr>) -> Arena<'a> {
    Arena::of(system, states, ivr, 1_000_000, &mut Budget::unlimited()).expect("few positions")
}

fn wins(text: &str) -> bool {
    let system = system(text);
    let states = states(&system);
    arena(&system, &states, None).solve(&mut Budget::unlimited()).expect("no limit").scheduler_wins()
}

#[test]
fn who_wins_is_known_of_small_programs() {
    assert!(wins(&buffer(2, 1, 1, " else { error }")));
    assert!(wins("shared x\nx := 1 || x := 2"));
    // The input chooses the error, or the deadlock.
    assert!(!wins("shared x\na := input 0..1; assert a = 1"));
    assert!(!wins("shared m\na := input 0..1; if a = 1 { lock m; lock m }"));
    // The first to come takes what both want, and all goes well.
    assert!(wins("shared x\nr := x; assert r = 1 || x := 1"));
    assert!(!wins("shared x = input 0..1\nr := x; assert r = 1"));
    // Who spins has to let the other one run; nobody has to run who waits for good.
    assert!(wins("shared x\nwhile 1 { if x = 1 { skip } } || while 1 { x := 1 - x }"));
    assert!(wins("shared x\nwhile 1 { x := 1 } || assume x = 2; x := 0"));
    // A thread that is enabled again and again has to run, and goes wrong if so.
    assert!(!wins("shared x\nwhile 1 { x := 1 - x } || error"));
    assert!(!wins("shared x\nwhile 1 { x := 1; x := 0 } || assume x = 1; error"));
    // An input enables it again and again.
    assert!(!wins("shared x\nwhile 1 { a := input 0..1; x := a } || assume x = 1; error"));
    assert!(wins("shared x\nwhile 1 { x := 1 } || while 1 { x := 0 } || assume x = 2; error"));
}

/// Whether the scheduler wins if the input's replies are fixed: it gets to the end, or round some strongly connected set of moves
/// on which each thread that is enabled runs. All sets are tried. `None` if there are too many.
fn wins_alone(arena: &Arena<'_>, moves: &[(usize, usize)], replies: &[usize]) -> Option<Vec<bool>> {
    if moves.len() > 10 {
        return None;
    }
    let goes: Vec<(usize, u16, usize)> = moves
        .iter()
        .zip(replies)
        .map(|((at, one), reply)| {
            let one = &arena.positions[*at].moves[*one];
            (*at, one.thread, one.steps[*reply].1)
        })
        .collect();
    let mut wins: Vec<bool> = arena.positions.iter().map(|position| position.standing == Standing::Ended).collect();
    for set in 1..1_usize << goes.len() {
        let own: Vec<_> = (0..goes.len()).filter(|at| set >> at & 1 == 1).map(|at| goes[at]).collect();
        let reaches = |start: usize| {
            let mut reached = FxHashSet::from_iter([start]);
            while let Some((_, _, to)) =
                own.iter().find(|(from, _, to)| reached.contains(from) && !reached.contains(to))
            {
                reached.insert(*to);
            }
            reached
        };
        let is_connected = own.iter().all(|(from, _, to)| {
            let back = reaches(*to);
            back.contains(from) && own.iter().all(|(other, ..)| back.contains(other))
        });
        let is_fair = own.iter().all(|(at, ..)| {
            arena.positions[*at].enabled.iter().all(|thread| own.iter().any(|(_, other, _)| other == thread))
        });
        if is_connected && is_fair {
            own.iter().for_each(|(at, ..)| wins[*at] = true);
        }
    }
    while let Some((at, ..)) = goes.iter().find(|(at, _, to)| wins[*to] && !wins[*at]) {
        wins[*at] = true;
    }
    Some(wins)
}

/// Who wins, by all replies that depend on the position alone: the input's objective is one of Rabin, so these are enough for it.
fn by_all_replies(arena: &Arena<'_>) -> Option<Vec<bool>> {
    let moves: Vec<(usize, usize)> = arena
        .positions
        .iter()
        .enumerate()
        .flat_map(|(at, position)| (0..position.moves.len()).map(move |one| (at, one)))
        .collect();
    let ways: Vec<usize> = moves.iter().map(|(at, one)| arena.positions[*at].moves[*one].steps.len()).collect();
    if ways.iter().product::<usize>() > 64 {
        return None;
    }
    let mut wins = vec![true; arena.positions.len()];
    let mut replies = vec![0; moves.len()];
    loop {
        let alone = wins_alone(arena, &moves, &replies)?;
        wins.iter_mut().zip(alone).for_each(|(wins, alone)| *wins &= alone);
        let Some(at) = (0..ways.len()).find(|&at| replies[at] + 1 < ways[at]) else { return Some(wins) };
        replies[..at].fill(0);
        replies[at] += 1;
    }
}

/// Who wins, by a parity game on pairs of a position and an order of the threads by when they ran last, solved as Zielonka does: the least
/// thread that was enabled, in the order from who ran last on, makes it odd; the last place from which a thread ran makes it even.
fn by_parity(arena: &Arena<'_>) -> Vec<bool> {
    struct Vertex {
        is_input: bool,
        priority: usize,
        out: Vec<usize>,
    }
    let threads = arena.system().threads.len();
    let mut vertices: Vec<Vertex> = Vec::new();
    let mut index: FxHashMap<(usize, Option<usize>, Vec<u16>), usize> = FxHashMap::default();
    let mut work = Vec::new();
    // Two vertices that end: won by the scheduler, and by the input.
    for priority in [0, 1] {
        vertices.push(Vertex { is_input: false, priority, out: vec![priority] });
    }
    type Key = (usize, Option<usize>, Vec<u16>);
    let visit = |key: Key, index: &mut FxHashMap<Key, usize>, vertices: &mut Vec<Vertex>, work: &mut Vec<Key>| {
        *index.entry(key.clone()).or_insert_with(|| {
            vertices.push(Vertex { is_input: key.1.is_some(), priority: 0, out: Vec::new() });
            work.push(key);
            vertices.len() - 1
        })
    };
    let order: Vec<u16> = (0..threads as u16).collect();
    let starts: Vec<usize> = (0..arena.positions.len())
        .map(|at| visit((at, None, order.clone()), &mut index, &mut vertices, &mut work))
        .collect();
    while let Some(key) = work.pop() {
        let vertex = index[&key];
        let (at, chosen, order) = key;
        let position = &arena.positions[at];
        match chosen {
            None => {
                // Places count from who ran last: the further back one waits, the longer it has not run.
                let longest = order.iter().rposition(|thread| position.enabled.contains(thread));
                vertices[vertex].priority = longest.map_or(0, |place| 2 * place + 1);
                let out = match position.standing {
                    Standing::GoesOn => (0..position.moves.len())
                        .map(|one| visit((at, Some(one), order.clone()), &mut index, &mut vertices, &mut work))
                        .collect(),
                    Standing::Ended => vec![0],
                    _ => vec![1],
                };
                vertices[vertex].out = out;
            }
            Some(one) => {
                let one = &position.moves[one];
                let place = order.iter().position(|thread| *thread == one.thread).expect("a thread");
                vertices[vertex].priority = 2 * place + 2;
                let mut next = order.clone();
                next.remove(place);
                next.insert(0, one.thread);
                let out = one
                    .steps
                    .iter()
                    .map(|(_, to)| visit((*to, None, next.clone()), &mut index, &mut vertices, &mut work));
                vertices[vertex].out = out.collect();
            }
        }
    }
    fn attract(
        vertices: &[Vertex],
        region: &FxHashSet<usize>,
        goal: FxHashSet<usize>,
        input: bool,
    ) -> FxHashSet<usize> {
        let mut reached = goal;
        loop {
            let more: Vec<usize> = region
                .iter()
                .copied()
                .filter(|at| !reached.contains(at))
                .filter(|&at| {
                    let mut out = vertices[at].out.iter().filter(|to| region.contains(to));
                    match vertices[at].is_input == input {
                        true => out.any(|to| reached.contains(to)),
                        false => out.all(|to| reached.contains(to)),
                    }
                })
                .collect();
            if more.is_empty() {
                return reached;
            }
            reached.extend(more);
        }
    }
    /// Where the input wins.
    fn solve(vertices: &[Vertex], region: &FxHashSet<usize>) -> FxHashSet<usize> {
        let Some(highest) = region.iter().map(|at| vertices[*at].priority).max() else { return FxHashSet::default() };
        let for_input = highest % 2 == 1;
        let top = region.iter().copied().filter(|at| vertices[*at].priority == highest).collect();
        let near = attract(vertices, region, top, for_input);
        let rest: FxHashSet<usize> = region.difference(&near).copied().collect();
        let lost = solve(vertices, &rest);
        let others = if for_input { rest.difference(&lost).copied().collect() } else { lost };
        if others.is_empty() {
            return if for_input { region.clone() } else { FxHashSet::default() };
        }
        let taken = attract(vertices, region, others, !for_input);
        let rest: FxHashSet<usize> = region.difference(&taken).copied().collect();
        let mut lost = solve(vertices, &rest);
        if !for_input {
            lost.extend(taken);
        }
        lost
    }
    let lost = solve(&vertices, &(0..vertices.len()).collect());
    starts.into_iter().map(|at| !lost.contains(&at)).collect()
}

/// The strategies of a solution win: against all inputs, or all schedulers, whatever these do.
fn strategies_win(arena: &Arena<'_>) -> Result<(), String> {
    let solution = arena.solve(&mut Budget::unlimited()).expect("no limit");
    // The scheduler's: with what it remembers, the runs are a graph; no cycle of it is unfair, and nothing wrong is reached.
    let mut index: FxHashMap<(usize, Vec<(usize, usize)>), usize> = FxHashMap::default();
    let mut nodes = Vec::new();
    for at in (0..arena.positions.len()).filter(|at| solution.wins[*at]) {
        index.insert((at, Vec::new()), nodes.len());
        nodes.push((at, solution.scheduler()));
    }
    let mut edges: Vec<(usize, u16, usize)> = Vec::new();
    let mut done = 0;
    while done < nodes.len() {
        let (at, mut scheduler) = nodes[done].clone();
        let position = &arena.positions[at];
        match position.standing {
            Standing::Ended => {}
            Standing::GoesOn => {
                let chosen = scheduler.choose(at).ok_or(format!("no choice in {at}"))?;
                for (_, to) in &position.moves[chosen].steps {
                    let target = *index.entry((*to, scheduler.memory().to_vec())).or_insert_with(|| {
                        nodes.push((*to, scheduler.clone()));
                        nodes.len() - 1
                    });
                    edges.push((done, position.moves[chosen].thread, target));
                }
            }
            other => return Err(format!("the scheduler gets to {other:?}")),
        }
        done += 1;
    }
    for thread in 0..arena.system().threads.len() as u16 {
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        edges.iter().filter(|(_, own, _)| *own != thread).for_each(|(from, _, to)| out[*from].push(*to));
        for node in (0..nodes.len()).filter(|node| arena.positions[nodes[*node].0].enabled.contains(&thread)) {
            let mut seen = vec![false; nodes.len()];
            let mut work = out[node].clone();
            while let Some(at) = work.pop() {
                if at == node {
                    return Err(format!("{thread} waits for ever"));
                }
                if !std::mem::replace(&mut seen[at], true) {
                    work.extend(&out[at]);
                }
            }
        }
    }
    // The input's: with its replies, the scheduler alone wins nowhere.
    let moves: Vec<(usize, usize)> = (0..arena.positions.len())
        .filter(|at| !solution.wins[*at])
        .flat_map(|at| (0..arena.positions[at].moves.len()).map(move |one| (at, one)))
        .collect();
    let replies: Vec<usize> = moves.iter().map(|(at, one)| solution.reply(*at, *one)).collect();
    for ((at, one), reply) in moves.iter().zip(&replies) {
        if solution.wins[arena.positions[*at].moves[*one].steps[*reply].1] {
            return Err("the input gives away what it has won".to_owned());
        }
    }
    if let Some(wins) = wins_alone(arena, &moves, &replies)
        && (0..wins.len()).any(|at| wins[at] && !solution.wins[at])
    {
        return Err("the input's replies do not win".to_owned());
    }
    Ok(())
}

/// A random intermediate result: some threads at each of a few nodes.
pub(crate) fn random_ivr(system: &System, seed: u64) -> Ivr {
    let mut random = litmoscope_core::random::Random::new(seed);
    let count = 1 + random.below(4);
    let nodes = (0..count).map(|_| {
        let allows = (0..system.threads.len() as u16).filter(|_| random.below(3) > 0).collect::<Vec<_>>();
        let next = (0..system.transitions.len() as u32)
            .filter_map(|transition| {
                let to = IvrNode(random.below(count) as u32);
                (random.below(8) > 0).then_some((litmoscope_core::program::system::TransitionId(transition), to))
            })
            .collect();
        Behind { allows: allows.into_iter().map(|thread| Allowed { thread, when: None }).collect(), next }
    });
    Ivr { nodes: nodes.collect() }
}

#[test]
fn games_are_won_by_whom_others_say() {
    let shape = Shape { threads: 3, statements: 3, ..Shape::default() };
    let (mut small, mut won, mut lost) = (0, 0, 0);
    for seed in seeds(1_500) {
        let text = looping(seed, shape);
        let system = system(&text);
        let Ok(states) = States::of(&system, 60) else { continue };
        let ivr = (seed % 3 > 0).then(|| random_ivr(&system, seed));
        let arena = arena(&system, &states, ivr.as_ref());
        if arena.positions.len() > 150 {
            continue;
        }
        let solution = arena.solve(&mut Budget::unlimited()).expect("no limit");
        won += solution.wins.iter().filter(|wins| **wins).count();
        lost += solution.wins.iter().filter(|wins| !**wins).count();
        assert_eq!(solution.wins, by_parity(&arena), "seed {seed}\n{text}");
        strategies_win(&arena).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}\n{text}"));
        if let Some(listed) = by_all_replies(&arena) {
            assert_eq!(solution.wins, listed, "seed {seed}\n{text}");
            small += 1;
        }
    }
    assert!(small > 3 && won > 50 && lost > 50, "{small} {won} {lost}");
}

/// The first intermediate result of a buffer: a round of the producer, then one of the consumer, for ever.
pub(crate) fn alternating(system: &System) -> Ivr {
    let mut nodes = Vec::new();
    for at in 0..8_u32 {
        let thread = (at / 4) as u16;
        let all = (0..system.transitions.len() as u32).map(litmoscope_core::program::system::TransitionId);
        let own = all.filter(|transition| system.transition(*transition).thread == thread);
        nodes.push(Behind {
            allows: vec![Allowed { thread, when: None }],
            next: own.map(|transition| (transition, IvrNode((at + 1) % 8))).collect(),
        });
    }
    Ivr { nodes }
}

#[test]
fn runs_of_a_buffer_are_counted() {
    let system = system(&buffer(2, 1, 1, " else { error }"));
    let states = states(&system);
    let ivr = alternating(&system);
    let counts = count_runs(&system, &states, &ivr, 16, 1000, &mut Budget::unlimited()).expect("few");
    let of =
        |steps: usize| (counts[steps].all, counts[steps].errors, counts[steps].admitted, counts[steps].undecided());
    assert_eq!(of(0), (1, 0, 1, 0));
    assert_eq!(of(8), (3, 1, 1, 1));
    assert_eq!(of(16), (7, 3, 1, 3));
    assert!(counts.iter().all(|count| count.admitted_wrong == 0 && !count.saturated && count.deadlocks == 0));
    let long = count_runs(&system, &states, &ivr, 4_000, 1000, &mut Budget::unlimited()).expect("few");
    assert!(long[4_000].saturated && long[4_000].admitted == 1);
}

#[test]
fn runs_are_counted_as_they_are_listed() {
    fn list(arena: &Arena<'_>, at: usize, left: usize, ends: &mut [u128; 3]) {
        let position = &arena.positions[at];
        let is_end = !matches!(position.standing, Standing::GoesOn | Standing::DeadEnd);
        if left == 0 || is_end {
            ends[0] += 1;
            ends[1] += u128::from(position.standing == Standing::Error);
            ends[2] += u128::from(position.standing == Standing::Deadlock);
            return;
        }
        position.moves.iter().flat_map(|one| &one.steps).for_each(|(_, to)| list(arena, *to, left - 1, ends));
    }
    for seed in seeds(300) {
        let text = looping(seed, Shape::default());
        let system = system(&text);
        let Ok(states) = States::of(&system, 500) else { continue };
        let ivr = random_ivr(&system, seed);
        let counts = count_runs(&system, &states, &ivr, 5, 100_000, &mut Budget::unlimited()).expect("few");
        for (steps, count) in counts.iter().enumerate() {
            let listed = |ivr: Option<&Ivr>| {
                let arena = arena(&system, &states, ivr);
                let mut ends = [0; 3];
                (0..arena.initial).for_each(|at| list(&arena, at, steps, &mut ends));
                ends
            };
            assert_eq!([count.all, count.errors, count.deadlocks], listed(None), "seed {seed}\n{text}");
            let [admitted, errors, deadlocks] = listed(Some(&ivr));
            assert_eq!((count.admitted, count.admitted_wrong), (admitted, errors + deadlocks), "seed {seed}\n{text}");
        }
    }
}

#[test]
fn interleavings_are_exact() {
    assert_eq!(interleavings(&[5, 5]), Some(252));
    assert_eq!(interleavings(&[50, 50]), Some(100_891_344_545_564_193_334_812_497_256));
    assert_eq!(interleavings(&[]), Some(1));
    assert_eq!(interleavings(&[3, 0, 2, 1]), Some(60));
    assert_eq!(interleavings(&[1, 1_000_000_000_000]), Some(1_000_000_000_001));
    assert_eq!(interleavings(&[1_000, 1_000]), None);
    // The largest binomials of 128 bits.
    assert!(interleavings(&[65, 65]).is_some() && interleavings(&[66, 66]).is_none());
}

#[test]
fn what_is_too_large_is_said() {
    let system = system(&buffer(2, 1, 1, ""));
    let states = states(&system);
    let of = |limit, budget: &mut Budget| Arena::of(&system, &states, None, limit, budget).map(|arena| arena.initial);
    assert_eq!(of(5, &mut Budget::unlimited()), Err(GameError::TooManyPositions(5)));
    assert_eq!(of(1000, &mut Budget::unlimited().capped(3)), Err(GameError::Paused));
    let mut unexplored = States::start(&system).expect("no inputs");
    let arena = Arena::of(&system, &unexplored, None, 10, &mut Budget::unlimited());
    assert_eq!(arena.map(|arena| arena.initial), Err(GameError::Unexplored));
    let _ = unexplored.go_on(&system, 100, &mut Budget::unlimited());
    assert!(Arena::of(&system, &unexplored, None, 100, &mut Budget::unlimited()).is_ok());
}
