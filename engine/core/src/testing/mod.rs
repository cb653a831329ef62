//! Random small programs for tests. Behind the feature `testing`.
//!
//! [`programs`] is a proptest strategy. [`for_all`] runs a check over as many programs as wanted, numbered by seed, and
//! on failure shrinks the program and says which seed it came from; [`sample`] gives the program of a seed again.
//! [`clients`] and [`for_all_clients`] are the same for programs that use mutexes and channels, [`event_driven`] and
//! [`for_all_event_driven`] for programs with handlers, [`for_all_executions`] for abstract executions.

pub mod claims;
pub mod graphs;
pub mod looping;

use crate::program::{
    Access, AccessKind, BinaryOperator, CasResult, Expression, Integer, Mailbox, Message, Mode, Notation, Object,
    ObjectId, Origin, Place, PlaceKind, Program, RegisterId, Span, Statement, StatementKind, Thread, ThreadKind,
    UpdateOperator, Value,
};
use crate::syntax::print;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::ops::Range;

/// The rounds of a loop that random programs are sized for.
pub const UNROLL: u32 = 2;

/// How large random programs get.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// The most threads; there are at least two.
    pub threads: usize,
    /// The most shared locations.
    pub locations: usize,
    /// The most statements, all threads together.
    pub statements: usize,
}

impl Default for Size {
    /// Small enough that the brute force takes a millisecond or two.
    fn default() -> Self {
        Self { threads: 4, locations: 3, statements: 8 }
    }
}

/// Random programs with reads, writes of constants and of registers, all kinds of read-modify-writes, fences, access
/// modes, branches, assumptions, assertions, loops and indexed accesses. Half of them have only reads, writes and
/// fences: in programs of this size, weak behaviour needs most statements to be one of these.
pub fn programs(size: Size) -> impl Strategy<Value = Program> {
    let threads = prop_oneof![5 => Just(2usize), 4 => Just(3), 1 => Just(4)].prop_map(move |n| n.min(size.threads));
    let locations =
        prop_oneof![2 => Just(1u8), 6 => Just(2), 1 => Just(3)].prop_map(move |n| n.min(size.locations as u8));
    let modes = prop_oneof![2 => Just(Modes::Relaxed), 4 => Just(Modes::Atomic), 2 => Just(Modes::MostlySc), 1 => Just(Modes::All)];
    let array = prop::bool::weighted(0.1);
    (threads, locations, modes, any::<bool>(), array, prop_oneof![9 => Just(0), 1 => Just(1)])
        .prop_flat_map(move |(threads, locations, modes, classic, array, initial)| {
            let kind = if classic { classics(locations, modes) } else { statement(locations, modes, 1) };
            let least = 4.min(size.statements);
            (Just((threads, locations, array, initial)), vec((0..threads, kind), least..=size.statements))
        })
        .prop_map(|((threads, locations, array, initial), statements)| {
            build(threads, locations, array, initial, &statements)
        })
}

/// Random programs that use two mutexes or a mutex and a channel, and read and write memory: critical sections, also nested
/// and in branches, next to lone locks and unlocks, by threads that hold the mutex and others; sends and receives whose
/// values matter.
pub fn clients() -> impl Strategy<Value = Program> {
    let threads = prop_oneof![5 => Just(2usize), 4 => Just(3)];
    let modes = prop_oneof![3 => Just(Modes::Relaxed), 2 => Just(Modes::Atomic), 1 => Just(Modes::All)];
    (threads, modes, any::<bool>(), any::<bool>())
        .prop_flat_map(|(threads, modes, channel, array)| {
            let kind = client(modes, channel, 2);
            (Just((threads, channel, array)), vec((0..threads, kind), 3..=7))
        })
        .prop_map(|((threads, channel, array), statements)| {
            let mut program = build(threads, 2, false, 0, &statements);
            let object = |name: &str, cells: usize, array: bool| Object {
                name: name.to_owned(),
                initial: std::iter::repeat_n(0, cells).collect(),
                uninitialised: false,
                integer: Integer::Int64,
                array,
                origin: Origin::Declared,
                span: Span::default(),
            };
            match (channel, array) {
                (true, _) => program.objects.extend([object("m", 1, false), object("c", 1, false)]),
                (false, false) => program.objects.extend([object("m", 1, false), object("n", 1, false)]),
                (false, true) => {
                    program.objects.push(object("m", 2, true));
                    program.threads.iter_mut().for_each(|thread| index_mutexes(&mut thread.body));
                }
            }
            program
        })
}

/// Random programs with one or two handlers, most beside a plain thread: messages with and without parameters, initial
/// ones, posts from threads and from messages, some of which post themselves.
pub fn event_driven() -> impl Strategy<Value = Program> {
    let size = Size { threads: 3, locations: 2, statements: 6 };
    (programs(size), any::<u64>()).prop_map(|(program, seed)| with_handlers(program, seed))
}

/// The same program with its last threads as handlers, whose messages their statements are spread over.
fn with_handlers(mut program: Program, seed: u64) -> Program {
    let mut below = numbers(seed);
    let threads = program.threads.len();
    let first = threads - 1 - below(2) as usize;
    let mut declared = Vec::new();
    for (at, thread) in program.threads.iter_mut().enumerate().skip(first) {
        let mut body = std::mem::take(&mut thread.body);
        let mut messages = Vec::new();
        for number in 0..1 + below(2) {
            let parameter = (below(2) == 0).then(|| {
                thread.registers.push(format!("n{number}"));
                thread.initial.push(0);
                RegisterId(thread.registers.len() as u16 - 1)
            });
            let rest = if number == 0 { body.split_off(body.len() / 2) } else { Vec::new() };
            declared.push((at as u16, messages.len() as u16, parameter));
            let name = format!("m{}", declared.len());
            messages.push(Message { name, parameter, body: std::mem::replace(&mut body, rest), span: Span::default() });
        }
        thread.name = Some(format!("h{at}"));
        let mailbox = Mailbox::ALL[below(2) as usize];
        thread.kind = ThreadKind::Handler { mailbox, messages, span: Span::default() };
    }
    let mut start = Vec::new();
    for _ in 0..2 + below(3) {
        let (handler, message, parameter) = declared[below(declared.len() as u64) as usize];
        let constant = Expression::Constant(1 + below(2) as Value);
        let poster = below(threads as u64 + 1) as usize;
        let value = |own: Option<RegisterId>| parameter.map(|_| own.map_or(constant.clone(), Expression::Register));
        let Some(thread) = program.threads.get_mut(poster) else {
            start.push(statement_of(StatementKind::Post { handler, message, value: value(None) }));
            continue;
        };
        let own = if below(2) == 0 { thread.registers.len().checked_sub(1) } else { None };
        let post =
            statement_of(StatementKind::Post { handler, message, value: value(own.map(|own| RegisterId(own as u16))) });
        let body = match &mut thread.kind {
            ThreadKind::Handler { messages, .. } => {
                let at = below(messages.len() as u64) as usize;
                // Mostly, messages post others.
                if (poster as u16, at as u16) >= (handler, message) && below(8) > 0 {
                    start.push(statement_of(StatementKind::Post { handler, message, value: value(None) }));
                    continue;
                }
                &mut messages[at].body
            }
            ThreadKind::Plain | ThreadKind::Start | ThreadKind::After => &mut thread.body,
        };
        body.insert(below(body.len() as u64 + 1) as usize, post);
    }
    if !start.is_empty() {
        let name = Some("start".to_owned());
        program.threads.push(Thread { kind: ThreadKind::Start, name, body: start, ..Thread::default() });
    }
    program
}

/// Makes the two mutexes elements of an array.
fn index_mutexes(statements: &mut [Statement]) {
    for statement in statements {
        match &mut statement.kind {
            StatementKind::Lock(place) | StatementKind::Unlock(place) => {
                let offset = place.object().map_or(0, |object| Value::from(object.0) - 2);
                place.kind = PlaceKind::Element { object: ObjectId(2), index: Some(Expression::Constant(offset)) };
            }
            StatementKind::If { then, otherwise, .. } => {
                index_mutexes(then);
                index_mutexes(otherwise);
            }
            _ => {}
        }
    }
}

/// Random numbers, the same for a seed always; each is below the number that is asked with.
pub fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |n| {
        // splitmix64, by Steele, Lea and Flood.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }
}

/// The text of a small random program with weak compare-and-swaps, the same for a seed always: two to four threads that write,
/// read and swap two locations, mostly in vain or against each other.
pub fn weak_swaps(seed: u64) -> String {
    let mut below = numbers(seed);
    let (threads, locations) = (2 + below(3), 1 + below(2));
    let mut thread = |thread: u64| {
        let accesses = 1 + below(if threads == 2 { 4 } else { 2 });
        let statements: Vec<_> = (0..accesses)
            .map(|access| {
                let location = below(locations);
                match below(10) {
                    0..6 => format!("r{thread}{access} := wcas(y{location}, {}, {})", below(2), below(3)),
                    6 => format!("fai(y{location})"),
                    7 => format!("r{thread}{access} := y{location}"),
                    _ => format!("y{location} := {}", below(2)),
                }
            })
            .collect();
        statements.join("; ")
    };
    (0..threads).map(&mut thread).collect::<Vec<_>>().join(" || ")
}

/// The text of a random program of any size that the limits admit, the same for a seed always: a few threads with a few
/// accesses, two threads with 200 accesses of one location, 16 threads with 60, one contended location, read-modify-writes
/// alone, with fences, locks and accesses of any mode or without.
pub fn large(seed: u64) -> String {
    let mut below = numbers(seed);
    let (threads, accesses, locations) = match below(8) {
        0 => (2, 200, 1),
        1 => (16, 60, 1 + below(8)),
        2 => (2 + below(3), 20 + below(60), 1),
        3 => (2 + below(15), 1 + below(60), 1 + below(4)),
        4 => (2 + below(63), 1 + below(15), 1 + below(3)),
        5 => (2, 10 + below(40), 1 + below(4)),
        _ => (2 + below(3), 1 + below(8), 1 + below(3)),
    };
    // Of ten: read-modify-writes, and how many of the others are fences.
    let (updates, fences) = ([0, 3, 5, 10][below(4) as usize], [0, 0, 1, 2][below(4) as usize]);
    let modes: &[&str] = [&["", "", ""][..], &["", "rlx", "sc"], &["sc", "sc", "sc"]][below(3) as usize];
    let locks = below(8) == 0;
    let mut thread = || {
        let mut statements = Vec::new();
        for access in 0..accesses {
            let (location, mode) = (below(locations), modes[below(3) as usize]);
            statements.push(if locks && access % 8 == 0 {
                format!("lock m; y{location} := {access}; unlock m")
            } else if below(10) < updates {
                match below(4) {
                    0 => format!("fai(y{location}, -1)"),
                    1 => format!("cas(y{location}, {}, {})", below(2), below(3)),
                    _ => format!("fai(y{location})"),
                }
            } else if below(10) < fences {
                "fence sc".to_owned()
            } else if below(2) == 0 {
                format!("y{location} :={mode} {}", 1 + below(3))
            } else {
                format!("a :={mode} y{location}")
            });
        }
        statements.join("; ")
    };
    (0..threads).map(|_| thread()).collect::<Vec<_>>().join(" || ")
}

/// Tests say how many programs they have in a long run, such as a thousand. `LITMOSCOPE_PROGRAMS` says how many it is to be of each
/// thousand.
const THOUSAND: u64 = 1_000;

/// How many it usually is: four times as many as find each of the mistakes that were made on purpose to find the number.
const USUAL: u64 = 400;

/// The seeds of a test that looks at so many random programs in a long run, usually at two fifths of them. `LITMOSCOPE_PROGRAMS` says how
/// many it looks at for each thousand, `LITMOSCOPE_SEED` which one is the first. Without optimisation, it is a tenth of what is usual.
///
/// # Panics
/// If one of the two is there and no number.
pub fn seeds(usual: u64) -> Range<u64> {
    let number = |name: &str, default| match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}, which is no number")),
        Err(_) => default,
    };
    let thousand = number("LITMOSCOPE_PROGRAMS", if cfg!(debug_assertions) { USUAL / 10 } else { USUAL });
    let first = number("LITMOSCOPE_SEED", 0);
    first..first + (usual * thousand).div_ceil(THOUSAND)
}

/// The random program of a number, of default size.
pub fn sample(seed: u64) -> Program {
    tree(programs(Size::default()), seed).current()
}

/// The random program with mutexes and channels of a number.
pub fn sample_client(seed: u64) -> Program {
    tree(clients(), seed).current()
}

fn tree<S: Strategy<Value = Program>>(programs: S, seed: u64) -> S::Tree {
    tree_of(&programs, seed)
}

fn tree_of<S: Strategy>(values: &S, seed: u64) -> S::Tree {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config { failure_persistence: None, ..Config::default() }, rng);
    values.new_tree(&mut runner).expect("no filters, no rejections")
}

/// Runs a check on the random programs of some seeds.
///
/// # Panics
/// On the first program that fails, with its seed, the smallest program found that also fails, and why that one does.
pub fn for_all(seeds: Range<u64>, check: impl FnMut(&Program) -> Result<(), String>) {
    each(|seed| tree(programs(Size::default()), seed), seeds, check);
}

/// Runs a check on the random programs with handlers of some seeds.
///
/// # Panics
/// As [`for_all`].
pub fn for_all_event_driven(seeds: Range<u64>, check: impl FnMut(&Program) -> Result<(), String>) {
    each(|seed| tree(event_driven(), seed), seeds, check);
}

/// Runs a check on the random programs with mutexes and channels of some seeds.
///
/// # Panics
/// As [`for_all`].
pub fn for_all_clients(seeds: Range<u64>, check: impl FnMut(&Program) -> Result<(), String>) {
    each(|seed| tree(clients(), seed), seeds, check);
}

fn each<T: ValueTree<Value = Program>>(
    tree: impl Fn(u64) -> T,
    seeds: Range<u64>,
    mut check: impl FnMut(&Program) -> Result<(), String>,
) {
    for seed in seeds {
        let mut tree = tree(seed);
        let Err(mut why) = check(&tree.current()) else { continue };
        let mut smallest = tree.current();
        let mut more = tree.simplify();
        while more {
            let program = tree.current();
            more = match check(&program) {
                Err(reason) => {
                    (smallest, why) = (program, reason);
                    tree.simplify()
                }
                Ok(()) => tree.complicate(),
            };
        }
        let text = print(&smallest, Notation::Litmoscope).unwrap_or_else(|_| format!("{smallest:#?}"));
        panic!("seed {seed}: {why}\n{text}");
    }
}

/// How an abstract execution is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutionShape {
    /// Reads may have several sources.
    pub choices: bool,
    /// Fences of all kinds.
    pub fences: bool,
    /// Store-store fences; only with fences.
    pub store_fences: bool,
    /// Read-modify-writes that write to memory at once.
    pub updates: bool,
    /// Atomic blocks, and what is buffered.
    pub blocks: bool,
}

/// Runs a check on random abstract executions, as text.
///
/// # Panics
/// On the first one that fails, with its seed, made smaller.
pub fn for_all_executions(shape: ExecutionShape, seeds: Range<u64>, mut check: impl FnMut(&str) -> Result<(), String>) {
    let events = (2usize..=4, 1u8..=3).prop_flat_map(move |(threads, locations)| {
        let event = (0..threads, 0u8..20, 0..locations, any::<u8>(), any::<u8>());
        (Just((threads, locations)), vec(event, 3..=9))
    });
    for seed in seeds {
        let mut tree = tree_of(&events, seed);
        let text = |((threads, _), events): ((usize, u8), Vec<AbstractEvent>)| execution_text(shape, threads, &events);
        let Err(mut why) = check(&text(tree.current())) else { continue };
        let mut smallest = tree.current();
        let mut more = tree.simplify();
        while more {
            more = match check(&text(tree.current())) {
                Err(reason) => {
                    (smallest, why) = (tree.current(), reason);
                    tree.simplify()
                }
                Ok(()) => tree.complicate(),
            };
        }
        panic!("seed {seed}: {why}\n{}", text(smallest));
    }
}

/// Thread, kind, location, and two choices of a source.
type AbstractEvent = (usize, u8, u8, u8, u8);

fn execution_text(shape: ExecutionShape, threads: usize, events: &[AbstractEvent]) -> String {
    // Kinds by number; what the shape leaves out is a read or a write.
    let kind = |kind: u8| match kind {
        0..=6 => "w",
        7..=13 => "r",
        14 | 15 if shape.fences => "fence",
        16 if shape.store_fences => "fence rel",
        17 if shape.updates => "u",
        18 if shape.blocks => "buffered u",
        19 if shape.blocks => "block",
        14..=16 => "w",
        _ => "r",
    };
    let name = |location: u8| ["x", "y", "z"][usize::from(location)];
    let mut counts = vec![0; threads];
    let mut writes = Vec::new();
    for &(thread, number, location, ..) in events {
        counts[thread] += 1;
        match kind(number) {
            "r" | "fence" | "fence rel" => continue,
            // A block reads, and then writes two locations.
            "block" => {
                writes.push((location, format!("T{thread}.{}", counts[thread] + 1)));
                counts[thread] += 2;
                writes.push((0, format!("T{thread}.{}", counts[thread])));
            }
            _ => writes.push((location, format!("T{thread}.{}", counts[thread]))),
        }
    }
    let mut counts = vec![0; threads];
    let mut texts = vec![Vec::new(); threads];
    for (value, &(thread, number, location, first, second)) in events.iter().enumerate() {
        counts[thread] += 1;
        let own = format!("T{thread}.{}", counts[thread]);
        let sources: Vec<&str> = writes
            .iter()
            .filter(|(at, event)| *at == location && *event != own)
            .map(|(_, event)| event.as_str())
            .chain(["init"])
            .collect();
        let pick = |number: u8| sources[usize::from(number) % sources.len()];
        let from = match shape.choices && second % 3 == 0 {
            true if second % 2 == 0 => format!("{} | {}", pick(first), pick(second / 6)),
            true => sources.join(" | "),
            false => pick(first).to_owned(),
        };
        let (name, value) = (name(location), value + 1);
        texts[thread].push(match kind(number) {
            "w" => format!("w {name} {value}"),
            "r" => format!("r {name} ? <- {from}"),
            "block" => {
                counts[thread] += 2;
                let buffered = if second % 2 == 0 { "buffered " } else { "" };
                format!("{buffered}{{ r {name} ? <- {from}; w {name} {value}; w x {value} }}")
            }
            fence @ ("fence" | "fence rel") => fence.to_owned(),
            update => format!("{update} {name} ? {value} <- {from}"),
        });
    }
    let lines = texts.iter().enumerate().map(|(thread, events)| format!("T{thread}: {}\n", events.join("; ")));
    lines.collect()
}

/// Which access modes a program uses.
#[derive(Clone, Copy, Debug)]
enum Modes {
    Relaxed,
    Atomic,
    /// Where psc matters.
    MostlySc,
    All,
}

/// A statement whose registers are not yet chosen.
#[derive(Clone, Debug)]
enum Template {
    Read(Cell, Mode),
    Write(Cell, Mode, Operand),
    Update(Cell, Mode, UpdateOperator, Operand),
    CompareAndSwap {
        cell: Cell,
        mode: Mode,
        failure: Mode,
        expected: Operand,
        desired: Operand,
        success: bool,
    },
    Fence(Mode),
    If(Test, Vec<Template>, Vec<Template>),
    /// Reads until the test holds, which is asked after each round or before.
    Loop {
        cell: Cell,
        mode: Mode,
        test: Test,
        before: bool,
    },
    Assume(Test),
    Assert(Test),
    Lock(u8),
    Unlock(u8),
    Section(u8, Vec<Template>),
    Send(Operand),
    Receive,
}

/// A location, or for arrays perhaps the one that the last register says.
#[derive(Clone, Copy, Debug)]
struct Cell {
    location: u8,
    by_register: bool,
}

/// A constant, the last register, or their sum.
#[derive(Clone, Copy, Debug)]
struct Operand {
    constant: Value,
    register: bool,
}

/// A comparison of the last register with a constant.
#[derive(Clone, Copy, Debug)]
struct Test {
    operator: BinaryOperator,
    constant: Value,
}

fn mode(modes: Modes, atomic: &'static [Mode]) -> BoxedStrategy<Mode> {
    match modes {
        Modes::Relaxed => Just(Mode::Relaxed).boxed(),
        Modes::Atomic => proptest::sample::select(atomic).boxed(),
        Modes::MostlySc => {
            prop_oneof![3 => Just(Mode::SequentiallyConsistent), 1 => proptest::sample::select(atomic)].boxed()
        }
        Modes::All => prop_oneof![1 => Just(Mode::NonAtomic), 2 => proptest::sample::select(atomic)].boxed(),
    }
}

fn cell(locations: u8) -> impl Strategy<Value = Cell> + Clone {
    (0..locations, prop::bool::weighted(0.3)).prop_map(|(location, by_register)| Cell { location, by_register })
}

fn read_mode(modes: Modes) -> BoxedStrategy<Mode> {
    mode(modes, &[Mode::Relaxed, Mode::Acquire, Mode::SequentiallyConsistent])
}

fn write_mode(modes: Modes) -> BoxedStrategy<Mode> {
    mode(modes, &[Mode::Relaxed, Mode::Release, Mode::SequentiallyConsistent])
}

fn fence_mode() -> impl Strategy<Value = Mode> {
    use Mode::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent as Sc};
    proptest::sample::select(&[Sc, Sc, Sc, Release, Release, AcquireRelease, Acquire, Relaxed][..])
}

/// Reads, writes of constants and fences.
fn classics(locations: u8, modes: Modes) -> BoxedStrategy<Template> {
    prop_oneof![
        5 => (cell(locations), read_mode(modes)).prop_map(|(cell, mode)| Template::Read(cell, mode)),
        4 => (cell(locations), write_mode(modes), 1..=3i64).prop_map(|(cell, mode, constant)| {
            Template::Write(cell, mode, Operand { constant, register: false })
        }),
        2 => fence_mode().prop_map(Template::Fence),
    ]
    .boxed()
}

/// What uses mutexes (0 and 1, or 0 with a channel) and memory.
fn client(modes: Modes, channel: bool, depth: u32) -> BoxedStrategy<Template> {
    let mutex = 0..if channel { 1u8 } else { 2 };
    let operand =
        || (1..=2i64, prop::bool::weighted(0.3)).prop_map(|(constant, register)| Operand { constant, register });
    let simple = prop_oneof![
        3 => (cell(2), read_mode(modes)).prop_map(|(cell, mode)| Template::Read(cell, mode)),
        3 => (cell(2), write_mode(modes), operand()).prop_map(|(cell, mode, value)| Template::Write(cell, mode, value)),
        1 => (cell(2), Just(Mode::Relaxed), Just(UpdateOperator::Add), operand())
            .prop_map(|(cell, mode, operator, operand)| Template::Update(cell, mode, operator, operand)),
    ];
    if depth == 0 {
        return simple.boxed();
    }
    let test = (proptest::sample::select(&[BinaryOperator::Equal, BinaryOperator::NotEqual][..]), 0..=2i64)
        .prop_map(|(operator, constant)| Test { operator, constant });
    let inner = move |most: usize| vec(client(modes, channel, depth - 1), 0..=most);
    let weight = if channel { 6 } else { 0 };
    prop_oneof![
        8 => simple,
        8 => (mutex.clone(), inner(2)).prop_map(|(mutex, body)| Template::Section(mutex, body)),
        1 => mutex.clone().prop_map(Template::Lock),
        1 => mutex.prop_map(Template::Unlock),
        weight => operand().prop_map(Template::Send),
        weight => Just(Template::Receive),
        2 => (test.clone(), inner(1), inner(1)).prop_map(|(test, then, otherwise)| Template::If(test, then, otherwise)),
        1 => test.prop_map(Template::Assume),
    ]
    .boxed()
}

fn statement(locations: u8, modes: Modes, depth: u32) -> BoxedStrategy<Template> {
    use Mode::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent as Sc};
    let update_modes = if matches!(modes, Modes::All) { Modes::Atomic } else { modes };
    let update_mode = || mode(update_modes, &[Relaxed, Acquire, Release, AcquireRelease, Sc]);
    let failure_mode = mode(update_modes, &[Relaxed, Acquire, Sc]);
    let cell =
        || (0..locations, prop::bool::weighted(0.3)).prop_map(|(location, by_register)| Cell { location, by_register });
    let operand =
        || (1..=2i64, prop::bool::weighted(0.25)).prop_map(|(constant, register)| Operand { constant, register });
    let expected = (0..=1i64).prop_map(|constant| Operand { constant, register: false });
    let operator =
        proptest::sample::select(&[BinaryOperator::Equal, BinaryOperator::NotEqual, BinaryOperator::Less][..]);
    let test = move || (operator.clone(), 0..=2i64).prop_map(|(operator, constant)| Test { operator, constant });
    let update = proptest::sample::select(
        &[UpdateOperator::Add, UpdateOperator::Add, UpdateOperator::Exchange, UpdateOperator::Xor][..],
    );
    let simple = prop_oneof![
        8 => (cell(), read_mode(modes)).prop_map(|(cell, mode)| Template::Read(cell, mode)),
        9 => (cell(), write_mode(modes), operand()).prop_map(|(cell, mode, value)| Template::Write(cell, mode, value)),
        2 => (cell(), update_mode(), update, operand())
            .prop_map(|(cell, mode, operator, operand)| Template::Update(cell, mode, operator, operand)),
        2 => (cell(), update_mode(), failure_mode, expected, operand(), any::<bool>()).prop_map(
            |(cell, mode, failure, expected, desired, success)| {
                Template::CompareAndSwap { cell, mode, failure, expected, desired, success }
            }
        ),
        3 => fence_mode().prop_map(Template::Fence),
    ];
    if depth == 0 {
        return simple.boxed();
    }
    let inner = || vec(statement(locations, modes, depth - 1), 0..=1);
    prop_oneof![
        20 => simple,
        2 => (test(), statement(locations, modes, depth - 1), inner())
            .prop_map(|(test, then, otherwise)| Template::If(test, vec![then], otherwise)),
        1 => (cell(), read_mode(modes), test(), any::<bool>())
            .prop_map(|(cell, mode, test, before)| Template::Loop { cell, mode, test, before }),
        1 => test().prop_map(Template::Assume),
        1 => test().prop_map(Template::Assert),
    ]
    .boxed()
}

fn build(threads: usize, locations: u8, array: bool, initial: Value, statements: &[(usize, Template)]) -> Program {
    let object = |name: &str, cells: usize, array| Object {
        name: name.to_owned(),
        initial: std::iter::once(initial).chain(std::iter::repeat(0)).take(cells).collect(),
        array,
        uninitialised: false,
        integer: Integer::Int64,
        origin: Origin::Declared,
        span: Span::default(),
    };
    let objects = if array {
        vec![object("x", usize::from(locations), true)]
    } else {
        ["x", "y", "z"][..usize::from(locations)].iter().map(|name| object(name, 1, false)).collect()
    };
    let threads = (0..threads)
        .map(|index| {
            let mut builder = Builder { thread: Thread::default(), array };
            let own = statements.iter().filter(|(thread, _)| *thread == index);
            let body = own.flat_map(|(_, template)| builder.statement(template)).collect();
            Thread { body, ..builder.thread }
        })
        .collect();
    Program { objects, threads, ..Program::default() }
}

struct Builder {
    thread: Thread,
    array: bool,
}

/// A mutex or channel: they come behind two variables.
fn library_object(object: u8) -> Place {
    Place { kind: PlaceKind::Element { object: ObjectId(object.into()), index: None }, span: Span::default() }
}

fn statement_of(kind: StatementKind) -> Statement {
    Statement { kind, span: Span::default() }
}

impl Builder {
    fn register(&mut self) -> RegisterId {
        let register = RegisterId(self.thread.registers.len() as u16);
        self.thread.registers.push(format!("r{}", register.0));
        self.thread.initial.push(0);
        register
    }

    /// The register that was added last, if any.
    fn last(&self) -> Option<Expression> {
        let count = self.thread.registers.len();
        (count > 0).then(|| Expression::Register(RegisterId(count as u16 - 1)))
    }

    fn place(&self, cell: Cell) -> Place {
        let constant = Expression::Constant(cell.location.into());
        let (object, index) = match self.last() {
            _ if !self.array => (ObjectId(cell.location.into()), None),
            Some(register) if cell.by_register => (ObjectId(0), Some(register)),
            _ => (ObjectId(0), Some(constant)),
        };
        Place::element(object, index, Span::default())
    }

    fn operand(&self, operand: Operand) -> Expression {
        let constant = Expression::Constant(operand.constant);
        match self.last() {
            Some(register) if operand.register && operand.constant == 1 => register,
            Some(register) if operand.register => {
                Expression::Binary(BinaryOperator::Add, Box::new(register), Box::new(constant))
            }
            _ => constant,
        }
    }

    /// A test of the last register; without one, of 0, so that it depends on nothing.
    fn test(&self, test: Test) -> Expression {
        let left = self.last().unwrap_or(Expression::Constant(0));
        Expression::Binary(test.operator, Box::new(left), Box::new(Expression::Constant(test.constant)))
    }

    /// `register := access`, the register a new one.
    fn access(&mut self, cell: Cell, mode: Mode, kind: AccessKind) -> Statement {
        let place = self.place(cell);
        let register = self.register();
        let access = Access { kind, place, mode, span: Span::default() };
        statement_of(StatementKind::Assign { register, value: Expression::Access(Box::new(access)) })
    }

    fn block(&mut self, templates: &[Template]) -> Vec<Statement> {
        templates.iter().flat_map(|template| self.statement(template)).collect()
    }

    fn statement(&mut self, template: &Template) -> Vec<Statement> {
        let kind = match template {
            Template::Read(cell, mode) => return vec![self.access(*cell, *mode, AccessKind::Read)],
            Template::Write(cell, mode, value) => {
                StatementKind::Write { place: self.place(*cell), mode: *mode, value: self.operand(*value) }
            }
            Template::Update(cell, mode, operator, operand) => {
                let kind = AccessKind::Update {
                    operator: *operator,
                    operand: self.operand(*operand),
                    integer: Integer::Int64,
                };
                return vec![self.access(*cell, *mode, kind)];
            }
            Template::CompareAndSwap { cell, mode, failure, expected, desired, success } => {
                let desired = self.operand(*desired);
                let place = self.place(*cell);
                let mut before = Vec::new();
                let (expected, result) = if *success {
                    let register = self.register();
                    let value = self.operand(*expected);
                    before.push(statement_of(StatementKind::Assign { register, value }));
                    (Expression::Register(register), CasResult::Success(register))
                } else {
                    (self.operand(*expected), CasResult::ValueRead)
                };
                let kind = AccessKind::CompareAndSwap { expected, desired, failure: *failure, weak: false, result };
                let register = self.register();
                let access = Access { kind, place, mode: *mode, span: Span::default() };
                let value = Expression::Access(Box::new(access));
                before.push(statement_of(StatementKind::Assign { register, value }));
                return before;
            }
            Template::Fence(mode) => StatementKind::Fence(*mode),
            Template::If(test, then, otherwise) => StatementKind::If {
                condition: self.test(*test),
                then: self.block(then),
                otherwise: self.block(otherwise),
            },
            Template::Loop { cell, mode, test, before } => {
                let body = vec![self.access(*cell, *mode, AccessKind::Read)];
                let until = self.test(*test);
                if *before {
                    let not = Expression::Unary(crate::program::UnaryOperator::Not, Box::new(until));
                    StatementKind::While { condition: not, body }
                } else {
                    StatementKind::Repeat { body, until }
                }
            }
            Template::Lock(mutex) => StatementKind::Lock(library_object(2 + mutex)),
            Template::Unlock(mutex) => StatementKind::Unlock(library_object(2 + mutex)),
            Template::Section(mutex, body) => {
                let mut all = vec![statement_of(StatementKind::Lock(library_object(2 + mutex)))];
                all.extend(self.block(body));
                all.push(statement_of(StatementKind::Unlock(library_object(2 + mutex))));
                return all;
            }
            Template::Send(value) => StatementKind::Send { place: library_object(3), value: self.operand(*value) },
            Template::Receive => {
                let place = library_object(3);
                let register = self.register();
                let access = Access { kind: AccessKind::Receive, place, mode: Mode::Relaxed, span: Span::default() };
                StatementKind::Assign { register, value: Expression::Access(Box::new(access)) }
            }
            Template::Assume(test) => StatementKind::Assume(self.test(*test)),
            Template::Assert(test) => StatementKind::Assert(self.test(*test)),
        };
        vec![statement_of(kind)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Code;
    use crate::syntax::parse;

    #[test]
    fn a_seed_names_a_program() {
        assert_eq!(sample(7), sample(7));
        assert!((0..20).any(|seed| sample(seed) != sample(7)));
    }

    #[test]
    fn all_programs_compile() {
        for_all(0..500, |program| Code::compile(program).map(|_| ()).map_err(|error| error.to_string()));
        for_all_clients(0..500, |program| Code::compile(program).map(|_| ()).map_err(|error| error.to_string()));
    }

    #[test]
    fn all_programs_can_be_written() {
        let reads_back = |program: &Program| {
            let text = print(program, Notation::Litmoscope).map_err(|error| error.to_string())?;
            let read = parse(&text).map_err(|diagnostics| format!("{diagnostics:#?}"))?.program;
            (read.clone().without_spans() == *program).then_some(()).ok_or_else(|| format!("reads back as {read:#?}"))
        };
        for_all(0..500, reads_back);
        for_all_clients(0..500, reads_back);
    }

    #[test]
    #[should_panic(expected = "seed 0")]
    fn a_failure_names_its_seed() {
        for_all(0..3, |_| Err("no".to_owned()));
    }
}
