//! Random graphs to measure on, the same in every run.

use litmoscope::graph::{EventId, Execution, ThreadId};
use litmoscope::program::{
    Action, Code, Integer, Location, Mode, Object, Origin, Program, Span, Thread, Update, UpdateOperator,
};

/// How large a graph is, and of what.
#[derive(Clone, Copy)]
pub struct Shape {
    pub threads: usize,
    /// Of all threads together, without initial writes.
    pub events: usize,
    pub locations: usize,
    /// Whether there are SC accesses (one in eight) and SC fences (one event in twenty).
    pub sc: bool,
}

impl Shape {
    pub const fn new(threads: usize, events: usize, locations: usize) -> Self {
        Self { threads, events, locations, sc: true }
    }

    /// A program without code, which has what graphs of this shape need.
    pub fn program(self) -> Program {
        let object = |name: char| Object {
            name: name.to_string(),
            initial: vec![0],
            array: false,
            uninitialised: false,
            integer: Integer::Int64,
            origin: Origin::Declared,
            span: Span::default(),
        };
        Program {
            objects: ('a'..='z').take(self.locations).map(object).collect(),
            threads: vec![Thread::default(); self.threads],
            ..Program::default()
        }
    }

    /// A run in which each read takes the latest write, so that the graph is consistent under every model.
    pub fn run(self, random: &mut Random) -> Execution {
        let code = Code::compile(&self.program()).expect("there is nothing to compile");
        let mut graph = Execution::initial(&code);
        let mut latest: Vec<EventId> = graph.ids().collect();
        for _ in 0..self.events {
            let location = Location(random.below(self.locations) as u32);
            let sc = self.sc && random.below(8) == 0;
            let mode = if sc { Mode::SequentiallyConsistent } else { Mode::Relaxed };
            let action = match random.below(20) {
                0 if self.sc => Action::Fence(Mode::SequentiallyConsistent),
                0..10 => Action::Read { location, mode },
                10 => {
                    let update = Update::Fetch(UpdateOperator::Add, 1, Integer::Int64);
                    Action::Update { location, mode, failure: mode, update }
                }
                _ => Action::Write { location, mode, value: 1 },
            };
            let e = graph.add(ThreadId(random.below(self.threads) as u16), action, Span::default());
            if graph.event(e).is_read() {
                graph.set_source(e, latest[location.0 as usize]);
            }
            if graph.event(e).is_write() {
                latest[location.0 as usize] = e;
            }
        }
        graph
    }
}

/// A small generator.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}
