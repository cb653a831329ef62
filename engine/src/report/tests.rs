//! Graphs that the tests of this module draw.

use super::*;
use crate::graph::ThreadId;
use crate::program::{Action, Code, Location, Mode, Object, Origin, Thread, Update, UpdateOperator};

/// A graph under construction.
#[derive(Clone)]
struct Graph {
    program: Program,
    execution: Execution,
    edges: Vec<Edge>,
}

impl Graph {
    fn new(locations: &[&str], threads: usize) -> Self {
        let object = |name: &&str| Object {
            name: (*name).to_owned(),
            initial: vec![0],
            array: false,
            origin: Origin::Declared,
            span: Span::default(),
        };
        let program = Program {
            objects: locations.iter().map(object).collect(),
            threads: vec![Thread::default(); threads],
            ..Program::default()
        };
        let execution = Execution::initial(&Code::compile(&program).expect("there is nothing to compile"));
        Self { program, execution, edges: Vec::new() }
    }

    fn location(&self, name: &str) -> Location {
        let index = self.program.objects.iter().position(|object| object.name == name).expect("a location");
        Location(index as u32)
    }

    fn init(&self, name: &str) -> EventId {
        EventId(self.location(name).0)
    }

    fn add(&mut self, thread: u16, action: Action) -> EventId {
        self.execution.add(ThreadId(thread), action, Span { start: 3, end: 9, line: 1 + u32::from(thread), column: 4 })
    }

    fn w(&mut self, thread: u16, name: &str, value: i64) -> EventId {
        self.add(thread, Action::Write { location: self.location(name), mode: Mode::Relaxed, value })
    }

    fn r(&mut self, thread: u16, name: &str, from: EventId) -> EventId {
        let read = self.add(thread, Action::Read { location: self.location(name), mode: Mode::Relaxed });
        self.source(read, from);
        read
    }

    fn fai(&mut self, thread: u16, name: &str, from: EventId) -> EventId {
        let mode = Mode::AcquireRelease;
        let update = Update::Fetch(UpdateOperator::Add, 1);
        let e = self.add(thread, Action::Update { location: self.location(name), mode, failure: mode, update });
        self.source(e, from);
        e
    }

    fn source(&mut self, read: EventId, from: EventId) {
        self.execution.set_source(read, from);
        self.edge(from, RelationName::Rf, read);
    }

    fn edge(&mut self, from: EventId, relation: RelationName, to: EventId) {
        self.edges.push(Edge { from, to, relation });
    }

    /// co in the order in which writes were added, between neighbours, and fr to the write behind the source.
    fn with_co(mut self) -> Self {
        for location in (0..self.program.objects.len()).map(|l| Location(l as u32)) {
            let writes: Vec<_> = self.execution.writes(location).collect();
            for pair in writes.windows(2) {
                self.edge(pair[0], RelationName::Co, pair[1]);
                for read in self.execution.ids() {
                    if self.execution.source(read) == Some(pair[0]) && read != pair[1] {
                        self.edge(read, RelationName::Fr, pair[1]);
                    }
                }
            }
        }
        self
    }

    fn input(&self) -> DrawingInput<'_> {
        DrawingInput { edges: self.edges.clone(), ..DrawingInput::new(&self.program, &self.execution) }
    }
}

fn cycle(edges: &[(EventId, RelationName, EventId)]) -> Violation {
    Violation {
        axiom: "SC".to_owned(),
        cycle: edges.iter().map(|&(from, relation, to)| Edge { from, to, relation }).collect(),
        remark: String::new(),
    }
}

use RelationName::{Co, Fr, Hb, Po, Rf, Sw};

fn sb() -> (Graph, Violation) {
    let mut g = Graph::new(&["x", "y"], 2);
    let wx = g.w(0, "x", 1);
    let ry = g.r(0, "y", g.init("y"));
    let wy = g.w(1, "y", 1);
    let rx = g.r(1, "x", g.init("x"));
    (g.with_co(), cycle(&[(wx, Po, ry), (ry, Fr, wy), (wy, Po, rx), (rx, Fr, wx)]))
}

fn mp() -> (Graph, Violation) {
    let mut g = Graph::new(&["x", "y"], 2);
    let wx = g.w(0, "x", 1);
    let wy = g.w(0, "y", 1);
    let ry = g.r(1, "y", wy);
    let rx = g.r(1, "x", g.init("x"));
    (g.with_co(), cycle(&[(wx, Po, wy), (wy, Rf, ry), (ry, Po, rx), (rx, Fr, wx)]))
}

fn iriw() -> (Graph, Violation) {
    let mut g = Graph::new(&["x", "y"], 4);
    let wx = g.w(0, "x", 1);
    let a = g.r(1, "x", wx);
    let b = g.r(1, "y", g.init("y"));
    let wy = g.w(3, "y", 1);
    let c = g.r(2, "y", wy);
    let d = g.r(2, "x", g.init("x"));
    (g.with_co(), cycle(&[(wx, Rf, a), (a, Po, b), (b, Fr, wy), (wy, Rf, c), (c, Po, d), (d, Fr, wx)]))
}

fn wrc() -> (Graph, Violation) {
    let mut g = Graph::new(&["x", "y"], 3);
    let wx = g.w(0, "x", 1);
    let a = g.r(1, "x", wx);
    let wy = g.w(1, "y", 1);
    let b = g.r(2, "y", wy);
    let c = g.r(2, "x", g.init("x"));
    g.edge(wx, Sw, a);
    g.edge(wx, Hb, c);
    (g.with_co(), cycle(&[(wx, Rf, a), (a, Po, wy), (wy, Rf, b), (b, Po, c), (c, Fr, wx)]))
}

fn two_plus_two_w() -> (Graph, Violation) {
    let mut g = Graph::new(&["x", "y"], 2);
    let a = g.w(0, "x", 1);
    let b = g.w(0, "y", 2);
    let c = g.w(1, "y", 1);
    let d = g.w(1, "x", 2);
    (g.with_co(), cycle(&[(a, Po, b), (b, Co, c), (c, Po, d), (d, Co, a)]))
}

fn fai3() -> Graph {
    let mut g = Graph::new(&["x"], 3);
    let a = g.fai(0, "x", g.init("x"));
    let b = g.fai(1, "x", a);
    g.fai(2, "x", b);
    g.with_co()
}

fn corr2() -> Graph {
    let mut g = Graph::new(&["x"], 4);
    let (a, b) = (g.w(0, "x", 1), g.w(1, "x", 2));
    g.r(2, "x", a);
    g.r(2, "x", b);
    g.r(3, "x", b);
    g.r(3, "x", a);
    g.with_co()
}

fn wbchain() -> Graph {
    let mut g = Graph::new(&["x", "y", "z"], 4);
    let mut before = g.w(0, "x", 1);
    for (thread, (from, to)) in [("x", "y"), ("y", "z"), ("z", "x")].into_iter().enumerate() {
        let thread = thread as u16 + 1;
        g.r(thread, from, before);
        g.w(thread, from, i64::from(thread) + 10);
        before = g.w(thread, to, i64::from(thread) + 1);
    }
    g.r(0, "x", before);
    g.with_co()
}

/// A small generator: enough for shapes, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

fn random(seed: u64, threads: usize, events: usize, locations: usize) -> Graph {
    const NAMES: [&str; 6] = ["x", "y", "z", "queue_head", "w", "v"];
    let mut random = Random(seed);
    let names = &NAMES[..locations];
    let mut g = Graph::new(names, threads);
    for round in 0..events * threads {
        let thread = random.below(threads) as u16;
        if g.execution.thread(ThreadId(thread)).len() == events {
            continue;
        }
        let name = names[random.below(locations)];
        let writes: Vec<_> = g.execution.writes(g.location(name)).collect();
        let from = writes[random.below(writes.len())];
        match random.below(9) {
            0..3 => drop(g.w(thread, name, round as i64)),
            3..7 => drop(g.r(thread, name, from)),
            7 => drop(g.fai(thread, name, from)),
            _ => drop(g.add(thread, Action::Fence(Mode::SequentiallyConsistent))),
        }
    }
    g
}

fn gallery() -> Vec<(&'static str, Graph, Option<Violation>)> {
    let mut all: Vec<(&str, Graph, Option<Violation>)> = Vec::new();
    for (name, (graph, violation)) in
        [("sb", sb()), ("mp", mp()), ("iriw", iriw()), ("wrc", wrc()), ("2+2w", two_plus_two_w())]
    {
        all.push((name, graph, Some(violation)));
    }
    all.push(("fai3", fai3(), None));
    all.push(("corr2", corr2(), None));
    all.push(("wbchain", wbchain(), None));
    all.push(("random4x8", random(7, 4, 8, 3).with_co(), None));
    all.push(("random8x40", random(3, 8, 40, 5), None));
    all
}

/// Writes the gallery for looking at it: `cargo test -p litmoscope write_gallery -- --ignored`.
#[test]
#[ignore = "writes files"]
fn write_gallery() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/graphs");
    std::fs::create_dir_all(folder).unwrap();
    for (name, graph, violation) in gallery() {
        let mut input = graph.input();
        std::fs::write(format!("{folder}/{name}.svg"), svg(&layout(&input), Theme::Light)).unwrap();
        input.violation = violation.as_ref();
        std::fs::write(format!("{folder}/{name}-dark.svg"), svg(&layout(&input), Theme::Dark)).unwrap();
        std::fs::write(format!("{folder}/{name}.dot"), dot(&input)).unwrap();
        std::fs::write(format!("{folder}/{name}.txt"), graph_text(&input)).unwrap();
    }
}
