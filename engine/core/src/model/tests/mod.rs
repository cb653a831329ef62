//! Tests of the models on small graphs, written as `Wx1 Wy1 | Ry<1.2 Rx<0`: threads of writes, reads, increments (`Ux`),
//! compare-and-swaps from one digit to another (`Cx01`) and fences (`F`), with modes (`Ry.acq`), and for what reads the
//! source as thread and place, from 1 (`<0` is the initial write).

mod cycles;
mod tables;
mod verdicts;

use crate::graph::{EventId, EventKey, Execution, ThreadId};
use crate::model::Model;
use crate::program::{
    Action, Code, Integer, Location, Mode, Object, Origin, Program, Span, Thread, Update, UpdateOperator, Value,
};
use crate::testing::claims::consistent;

struct Operation {
    action: Action,
    source: Option<EventKey>,
}

fn mode(name: &str) -> Mode {
    let all = [
        Mode::NonAtomic,
        Mode::Relaxed,
        Mode::Acquire,
        Mode::Release,
        Mode::AcquireRelease,
        Mode::SequentiallyConsistent,
    ];
    all.into_iter().find(|mode| mode.keyword() == name).expect("a mode")
}

fn operation(text: &str) -> Operation {
    let (text, source) = text.split_once('<').map_or((text, None), |(text, source)| (text, Some(source)));
    let (text, mode) = text.split_once('.').map_or((text, Mode::Relaxed), |(text, name)| (text, mode(name)));
    let letters: Vec<char> = text.chars().collect();
    let digit = |at: usize| Value::from(letters[at].to_digit(10).expect("a digit"));
    let location = letters.get(1).map_or(Location(0), |&letter| Location(u32::from(letter) - u32::from('a')));
    let failure = if mode.is_sc() { mode } else { Mode::Relaxed };
    let action = match letters[0] {
        'W' => Action::Write { location, mode, value: digit(2) },
        'R' => Action::Read { location, mode },
        'U' => {
            Action::Update { location, mode, failure, update: Update::Fetch(UpdateOperator::Add, 1, Integer::Int64) }
        }
        'C' => {
            let update = Update::CompareAndSwap { expected: digit(2), desired: digit(3), weak: false };
            Action::Update { location, mode, failure, update }
        }
        'F' => Action::Fence(mode),
        other => panic!("unknown operation {other}"),
    };
    let source = source.map(|source| match source.split_once('.') {
        None => EventKey { thread: ThreadId::INIT, serial: location.0 },
        Some((thread, serial)) => {
            EventKey { thread: ThreadId(thread.parse::<u16>().unwrap() - 1), serial: serial.parse().unwrap() }
        }
    });
    Operation { action, source }
}

/// The initial writes of locations `a`, `b`, ... and nothing else.
fn empty(threads: usize, locations: usize) -> Execution {
    let object = |name: char| Object {
        name: name.to_string(),
        initial: vec![0],
        array: false,
        uninitialised: false,
        integer: Integer::Int64,
        origin: Origin::Declared,
        span: Span::default(),
    };
    let program = Program {
        objects: ('a'..='z').take(locations).map(object).collect(),
        threads: vec![Thread::default(); threads],
        ..Program::default()
    };
    Execution::initial(&Code::compile(&program).unwrap())
}

/// All graphs of a program that agree with the sources given, consistent or not.
fn candidates(text: &str) -> Vec<Execution> {
    let threads: Vec<Vec<Operation>> =
        text.split('|').map(|thread| thread.split_whitespace().map(operation).collect()).collect();
    let mut graph = empty(threads.len(), 26);
    let mut reads = Vec::new();
    for (thread, operations) in threads.iter().enumerate() {
        for operation in operations {
            let e = graph.add(ThreadId(thread as u16), operation.action, Span::default());
            if graph.event(e).is_read() {
                reads.push((e, operation.source));
            }
        }
    }
    let choices: Vec<(EventId, Vec<EventId>)> = reads
        .into_iter()
        .map(|(read, source)| {
            let location = graph.event(read).location();
            let writes = graph.events().filter(|&(w, event)| {
                w != read
                    && event.location() == location
                    && (!matches!(event.label, crate::graph::Label::Read { .. }))
                    && source.is_none_or(|source| event.key == source)
            });
            (read, writes.map(|(w, _)| w).collect())
        })
        .collect();
    let mut all = Vec::new();
    choose(&graph, &choices, &mut Vec::new(), &mut all);
    all
}

fn choose(
    graph: &Execution,
    choices: &[(EventId, Vec<EventId>)],
    chosen: &mut Vec<(EventId, EventId)>,
    all: &mut Vec<Execution>,
) {
    if let Some((read, writes)) = choices.get(chosen.len()) {
        for &write in writes {
            chosen.push((*read, write));
            choose(graph, choices, chosen, all);
            chosen.pop();
        }
        return;
    }
    let mut graph = graph.clone();
    let mut open = chosen.clone();
    // Values flow along rf; what never gets one reads from a compare-and-swap that fails, or itself.
    while !open.is_empty() {
        let before = open.len();
        open.retain(|&(read, write)| {
            let ready = graph.event(write).is_write();
            if ready {
                graph.set_source(read, write);
            }
            !ready
        });
        if open.len() == before {
            return;
        }
    }
    all.push(graph);
}

pub(super) fn graph(text: &str) -> Execution {
    let mut all = candidates(text);
    assert_eq!(all.len(), 1, "{text} is no graph");
    all.pop().unwrap()
}

/// How many consistent graphs a program has, asked in both ways, with each answer checked.
fn count(model: Model, text: &str) -> usize {
    let consistent = candidates(text).into_iter().filter(|graph| consistent(model, graph));
    consistent.count()
}
