//! Random execution graphs, consistent and not, of any size.

use crate::graph::{EventId, Execution, ThreadId};
use crate::program::{
    Action, Code, Integer, Location, Mode, Object, Operation, Origin, Program, Span, Thread, Update, UpdateOperator,
};
use crate::random::Random;

/// Which of two modes, and others, accesses have.
const MODES: [&[Mode]; 4] = [
    &[Mode::Relaxed],
    &[Mode::Relaxed, Mode::Acquire, Mode::Release],
    &[Mode::NonAtomic, Mode::Relaxed, Mode::Acquire, Mode::Release, Mode::AcquireRelease],
    &[Mode::Relaxed, Mode::Acquire, Mode::Release, Mode::AcquireRelease, Mode::SequentiallyConsistent],
];

/// The same, where most of what is refused is so because of SC accesses and fences.
const SC_MODES: [&[Mode]; 4] = [
    &[Mode::SequentiallyConsistent],
    &[Mode::Relaxed, Mode::SequentiallyConsistent],
    &[Mode::Relaxed, Mode::Acquire, Mode::Release, Mode::SequentiallyConsistent, Mode::SequentiallyConsistent],
    &[Mode::NonAtomic, Mode::SequentiallyConsistent, Mode::Release],
];

/// Of accesses between SC fences.
const FENCED_MODES: [&[Mode]; 3] = [
    &[Mode::Relaxed],
    &[Mode::Relaxed, Mode::Acquire, Mode::Release],
    &[Mode::NonAtomic, Mode::Acquire, Mode::Release],
];

/// As [`random_graph`], of SC events for the most part. In most of them, reads take old writes, but none that they know to be
/// overwritten: so what is refused is not refused for a single location.
pub fn random_sc_graph(seed: u64, most: u64) -> Execution {
    random_graph_of(seed, most, &SC_MODES, true, !seed.is_multiple_of(5), None)
}

/// As [`random_sc_graph`], where one event of two to twenty is an SC fence. In most of them, what is refused is refused because of
/// these.
pub fn random_fenced_graph(seed: u64, most: u64) -> Execution {
    let share = [5, 10, 20, 35, 50][(seed / 5 % 5) as usize];
    random_graph_of(seed, most, &FENCED_MODES, true, !seed.is_multiple_of(5), Some(share))
}

/// As [`random_graph`], without SC events; reads take old writes as those of [`random_sc_graph`] do.
pub fn random_coherent_graph(seed: u64, most: u64) -> Execution {
    random_graph_of(seed, most, &MODES[..3], false, true, None)
}

/// The graph of a seed, with at most so many events beside the initial writes. Its events come from threads that take turns;
/// most reads take the last write, and how many don't differs between graphs. Without `sc`, none is SC.
pub fn random_graph(seed: u64, most: u64, sc: bool) -> Execution {
    random_graph_of(seed, most, &MODES[..if sc { 4 } else { 3 }], sc, false, None)
}

/// With `sc_fences`, so many of a hundred events are SC fences, and no others are fences.
fn random_graph_of(
    seed: u64,
    most: u64,
    modes: &[&[Mode]],
    sc: bool,
    coherent: bool,
    sc_fences: Option<u64>,
) -> Execution {
    let mut random = Random::new(seed);
    let (threads, locations, events) = if coherent {
        (2 + random.below(3), 2 + random.below(2), most / 2 + 1 + random.below(most.div_ceil(2)))
    } else {
        (1 + random.below(6), 1 + random.below(4), 1 + random.below(most))
    };
    let modes = modes[random.below(modes.len() as u64) as usize];
    let (updates, fences, stale) =
        (random.below(3) * 20, random.below(3) * 8, [0, 5, 10, 30, 60][random.below(5) as usize]);
    let fences = sc_fences.unwrap_or(fences);
    let mutex = random.below(4) == 0;
    let object = |name: u64| Object {
        name: format!("l{name}"),
        initial: vec![0],
        array: false,
        uninitialised: false,
        integer: Integer::Int64,
        origin: Origin::Declared,
        span: Span::default(),
    };
    let program = Program {
        objects: (0..locations).map(object).collect(),
        threads: vec![Thread::default(); threads as usize],
        ..Program::default()
    };
    let mut graph = Execution::initial(&Code::compile(&program).expect("an empty program is one"));
    // By location: the writes that a read may take, and those that a read-modify-write has taken.
    let mut writes: Vec<Vec<EventId>> = (0..locations as u32).map(|location| vec![EventId(location)]).collect();
    let mut taken: Vec<EventId> = Vec::new();
    // By thread, and by event: of each location, how many writes are known to be overwritten.
    let mut views = vec![vec![0; locations as usize]; threads as usize];
    let mut passed: Vec<Vec<usize>> = vec![vec![0; locations as usize]; locations as usize];
    for value in 1..=events as i64 {
        let thread = ThreadId(random.below(threads) as u16);
        let location = Location(random.below(locations) as u32);
        let mode = modes[random.below(modes.len() as u64) as usize];
        let failure = if mode.is_sc() { mode } else { Mode::Relaxed };
        let is_mutex = mutex && location.0 == 0;
        let action = match random.below(100) {
            share if share < fences => {
                Action::Fence(if mode.is_atomic() && sc_fences.is_none() { mode } else { Mode::SequentiallyConsistent })
            }
            share if is_mutex => {
                let operation = if share % 2 == 0 { Operation::Lock } else { Operation::Unlock };
                Action::Library { location, operation }
            }
            share if share < fences + updates => {
                let update = match random.below(4) {
                    0 => Update::CompareAndSwap { expected: -1, desired: 1, weak: false },
                    _ => Update::Fetch(UpdateOperator::Add, 1, Integer::Int64),
                };
                Action::Update { location, mode, failure, update }
            }
            share if share % 2 == 0 => Action::Write { location, mode, value },
            _ => Action::Read { location, mode },
        };
        if matches!(action, Action::Fence(Mode::SequentiallyConsistent)) && !sc && random.below(2) == 0 {
            continue;
        }
        let e = graph.add(thread, action, Span::default());
        let writes = &mut writes[location.0 as usize];
        if graph.event(e).is_read() {
            let wants_free = !matches!(action, Action::Read { .. });
            let free: Vec<_> = writes.iter().copied().filter(|write| !wants_free || !taken.contains(write)).collect();
            let any = random.below(free.len() as u64) as usize;
            let recent = free.len() - 1 - (random.below(3) as usize).min(free.len() - 1);
            let at = match random.below(100) {
                share if share >= stale => free.len() - 1,
                share if share % 3 == 0 => any,
                _ => recent,
            };
            let view = &mut views[thread.index()];
            let at = match free.len() - 1 {
                last if coherent && !wants_free => {
                    let first = view[location.0 as usize];
                    let any = first + random.below((last - first) as u64 + 1) as usize;
                    [first, first, any, last][random.below(4) as usize]
                }
                last if coherent => last,
                _ => at,
            };
            if coherent {
                let place = writes.iter().position(|&write| write == free[at]).unwrap_or_default();
                view[location.0 as usize] = view[location.0 as usize].max(place);
                if modes.len() < 5 || random.below(2) == 0 {
                    for (known, other) in view.iter_mut().zip(&passed[free[at].index()]) {
                        *known = (*known).max(*other);
                    }
                }
            }
            graph.set_source(e, free[at]);
            if graph.event(e).is_write() {
                taken.push(free[at]);
            }
        }
        if graph.event(e).is_write() {
            writes.push(e);
            views[thread.index()][location.0 as usize] = writes.len() - 1;
        }
        passed.push(views[thread.index()].clone());
    }
    graph
}
