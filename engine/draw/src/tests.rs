//! Graphs that the tests of this module draw.

use super::*;
use crate::graph::{Edge, Event, EventId, Execution, ThreadId};
use crate::model::Violation;
use crate::program::{
    Action, Code, Integer, Location, Mode, Object, Operation, Origin, Program, Thread, Update, UpdateOperator,
};
use proptest::prelude::{ProptestConfig, proptest};

mod labels;

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
            uninitialised: false,
            integer: Integer::Int64,
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
        let update = Update::Fetch(UpdateOperator::Add, 1, Integer::Int64);
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

use RelationName::{Co, Fr, Hb, Po, Rf, Sw, Wb};

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

/// A revisit: what is kept, what is cut, what is new.
fn revisit() -> (Graph, Vec<Event>, Vec<(EventId, Mark)>) {
    let mut g = Graph::new(&["x", "y"], 3);
    let a = g.w(0, "x", 1);
    let r = g.r(1, "x", a);
    let wy = g.w(1, "y", 1);
    let wz = g.w(1, "y", 2);
    let ghosts = vec![*g.execution.event(wy), *g.execution.event(wz)];
    let kept = g.execution.restrict(&crate::graph::EventSet::from_fn(g.execution.len(), |e| e != wy && e != wz));
    g.execution = kept;
    g.edges.clear();
    let before = g.w(2, "y", 3);
    let w = g.w(2, "x", 2);
    g.source(r, w);
    let marks =
        vec![(a, Mark::Kept), (r, Mark::Read), (before, Mark::Prefix), (w, Mark::Revisiting), (w, Mark::Newest)];
    (g.with_co(), ghosts, marks)
}

/// The points of a path, close to each other.
fn samples(path: &str) -> Vec<(f32, f32)> {
    let numbers: Vec<f32> =
        path.split(['M', 'C', ' ']).filter(|text| !text.is_empty()).map(|text| text.parse().unwrap()).collect();
    let points: Vec<_> = numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    let mut samples = Vec::new();
    for piece in (0..points.len() - 1).step_by(3) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| points[piece + i]);
        samples.extend((0..=100).map(|i| {
            let t = i as f32 / 100.0;
            let s = 1.0 - t;
            let mix = |a: f32, b: f32, c: f32, d: f32| {
                s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
            };
            (mix(a.0, b.0, c.0, d.0), mix(a.1, b.1, c.1, d.1))
        }));
    }
    samples
}

fn inside(node: &Node, (x, y): (f32, f32), by: f32) -> bool {
    x > node.x - by && x < node.x + node.width + by && y > node.y - by && y < node.y + node.height + by
}

/// Checks what [`layout`] promises.
fn check(input: &DrawingInput) -> Drawing {
    check_diagram(&input.diagram())
}

fn check_diagram(diagram: &Diagram) -> Drawing {
    let drawing = layout(diagram.clone());
    assert_eq!(drawing, layout(diagram.clone()), "deterministic");
    let json = serde_json::to_string(&drawing).unwrap();
    assert_eq!(drawing, serde_json::from_str(&json).unwrap());

    let node = |key| drawing.nodes.iter().find(|node| node.key == key).unwrap();
    let in_drawing = |x0: f32, y0: f32, x1: f32, y1: f32| {
        assert!(x0 >= 0.0 && y0 >= 0.0 && x1 <= drawing.width && y1 <= drawing.height, "{x0} {y0} {x1} {y1}");
    };
    for (index, a) in drawing.nodes.iter().enumerate() {
        in_drawing(a.x, a.y, a.x + a.width, a.y + a.height);
        for b in &drawing.nodes[..index] {
            let apart = a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
            assert!(apart, "{} and {} overlap", a.name, b.name);
            if a.column.is_some() && a.column == b.column {
                assert!((a.y - b.y).abs() >= 2.2 * a.height, "{} and {} are close", a.name, b.name);
            }
        }
    }
    for edge in &drawing.edges {
        let (from, to) = (node(edge.from), node(edge.to));
        let points = samples(&edge.path);
        for (end, point) in [(from, points[0]), (to, points[points.len() - 1])] {
            assert!(inside(end, point, 0.2) && !inside(end, point, -0.2), "{} ends at {point:?}", edge.title);
        }
        assert_eq!((edge.head.x, edge.head.y), points[points.len() - 1]);
        for &point in &points {
            in_drawing(point.0, point.1, point.0, point.1);
            if let Some(through) = drawing.nodes.iter().find(|node| inside(node, point, -0.5)) {
                panic!("{} runs through {} at {point:?}", edge.title, through.name);
            }
        }
        if edge.kind == RelationName::Rf {
            assert!(to.y > from.y, "{} points up", edge.title);
        }
    }
    let rectangle = |label: &EdgeLabel| {
        let (x, y) = (label.width / 2.0, label.height / 2.0);
        (label.x - x, label.y - y, label.x + x, label.y + y)
    };
    let labels: Vec<_> = drawing.edges.iter().filter_map(|edge| edge.label.as_ref()).map(rectangle).collect();
    for (index, a) in labels.iter().enumerate() {
        in_drawing(a.0, a.1, a.2, a.3);
        let nodes = drawing.nodes.iter().map(|node| (node.x, node.y, node.x + node.width, node.y + node.height));
        for b in nodes.chain(labels[..index].iter().copied()) {
            assert!(a.2 <= b.0 || b.2 <= a.0 || a.3 <= b.1 || b.3 <= a.1, "label at {a:?} covers {b:?}");
        }
    }
    drawing
}

#[test]
fn the_gallery_is_drawn_with_all_labels() {
    for (name, graph, violation) in gallery() {
        let drawing = check(&DrawingInput { violation: violation.as_ref(), ..graph.input() });
        let missing = |edge: &&DrawnEdge| edge.label.is_none() && edge.kind != RelationName::Po;
        if name != "random8x40" {
            assert_eq!(drawing.edges.iter().find(missing), None, "{name}");
        }
        if let Some(violation) = violation {
            assert_eq!(drawing.edges.iter().filter(|edge| edge.in_cycle).count(), violation.cycle.len(), "{name}");
            assert!(drawing.edges.iter().filter(|edge| edge.in_cycle).all(|edge| edge.label.is_some()), "{name}");
        }
    }
}

/// Checks the drawing of a random graph, and of what is left of it when it is cut before its last events.
fn check_random(seed: u64, [threads, events, locations, cut]: [usize; 4], co: bool, narrow: bool) {
    let mut graph = random(seed, threads, events, locations);
    let (whole, kept) = (graph.execution.clone(), graph.execution.len().saturating_sub(cut).max(locations));
    let ghosts = whole.events().skip(kept).map(|(_, event)| *event).collect();
    graph.execution = whole.restrict(&crate::graph::EventSet::from_fn(whole.len(), |e| e.index() < kept));
    graph.edges.retain(|edge| edge.from.index() < kept && edge.to.index() < kept);
    if co {
        graph = graph.with_co();
    }
    let marks = graph.execution.ids().step_by(3).map(|e| (e, Mark::Prefix)).collect();
    let mut random = Random(seed);
    let mut event = || EventId(random.below(kept) as u32);
    // Relations between any two events: models may say anything.
    let new_edges = (0..4).map(|_| Edge { from: event(), to: event(), relation: RelationName::Hb }).collect();
    let room = Room::of(narrow);
    check(&DrawingInput { ghosts, marks, new_edges, room, ..graph.input() });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn random_graphs_are_drawn_without_overlaps(
        seed in 0u64.., threads in 1usize..7, events in 1usize..13, locations in 1usize..6, co: bool,
        narrow: bool, cut in 0usize..8,
    ) {
        check_random(seed, [threads, events, locations, cut], co, narrow);
    }
}

#[test]
fn edges_do_not_cut_corners_of_their_own_nodes() {
    check_random(2293736992792090429, [3, 1, 1, 0], true, false);
    check_random(3396408578364361426, [3, 8, 4, 0], true, true);
}

#[test]
fn a_narrow_drawing_is_the_same_with_less_space() {
    for (name, graph, violation) in gallery() {
        let wide = DrawingInput { violation: violation.as_ref(), ..graph.input() };
        let narrow = check(&DrawingInput { room: Room::Narrow, ..wide.clone() });
        let wide = layout(wide.diagram());
        assert!(narrow.width < wide.width, "{name}");
        let rows = |drawing: &Drawing| drawing.nodes.iter().map(|node| (node.key, node.y)).collect::<Vec<_>>();
        assert_eq!(rows(&narrow), rows(&wide), "{name}");
    }
}

#[test]
fn a_porf_cycle_is_drawn() {
    let mut g = Graph::new(&["x", "y"], 2);
    let a = g.add(0, Action::Read { location: Location(0), mode: Mode::Relaxed });
    let wy = g.w(0, "y", 1);
    let b = g.add(1, Action::Read { location: Location(1), mode: Mode::Relaxed });
    let wx = g.w(1, "x", 1);
    g.execution.set_source(a, wx);
    g.execution.set_source(b, wy);
    let drawing = layout(g.input().diagram());
    assert_eq!(drawing.nodes.len(), 6);
    let y = |e: EventId| drawing.nodes.iter().find(|node| node.key == g.execution.event(e).key).unwrap().y;
    assert!(y(a) < y(wy) && y(b) < y(wx));
}

#[test]
fn events_read_as_in_the_papers() {
    let mut g = Graph::new(&["x"], 1);
    g.program.objects.push(Object {
        name: "q".to_owned(),
        initial: vec![0, 5],
        array: true,
        uninitialised: false,
        integer: Integer::Int64,
        origin: Origin::Declared,
        span: Span::default(),
    });
    g.execution = Execution::initial(&Code::compile(&g.program).unwrap());
    let text = |g: &Graph, e| event_text(&g.program, g.execution.event(e));
    let (x, q1) = (Location(0), Location(2));
    let at = |location, mode| Action::Read { location, mode };
    let cas = Update::CompareAndSwap { expected: 0, desired: 1, weak: false };
    let cas = |location| Action::Update { location, mode: Mode::AcquireRelease, failure: Mode::Acquire, update: cas };
    for (action, source, expected) in [
        (at(x, Mode::Relaxed), None, "R(x,?)"),
        (at(q1, Mode::Acquire), Some(EventId(2)), "Racq(q[1],5)"),
        (Action::Write { location: x, mode: Mode::NonAtomic, value: -1 }, None, "Wna(x,-1)"),
        (cas(x), None, "Uacqrel(x,?)"),
        (cas(x), Some(EventId(0)), "Uacqrel(x,0→1)"),
        (cas(q1), Some(EventId(2)), "Racq(q[1],5≠0)"),
        (Action::Fence(Mode::SequentiallyConsistent), None, "F sc"),
        (Action::Error(crate::program::ErrorKind::AssertionViolated), None, "error: assertion violated"),
        (
            Action::Error(crate::program::ErrorKind::OutOfBounds { object: crate::program::ObjectId(1), offset: 7 }),
            None,
            "error: q[7] is out of bounds",
        ),
        (
            Action::Error(crate::program::ErrorKind::NotHeld { object: crate::program::ObjectId(0), offset: 0 }),
            None,
            "error: unlock of x, which is not held",
        ),
        (Action::Library { location: x, operation: Operation::Lock }, None, "lock(x) ⊥"),
        (Action::Library { location: x, operation: Operation::Lock }, Some(EventId(0)), "lock(x)"),
        (Action::Library { location: x, operation: Operation::Unlock }, None, "unlock(x)"),
        (Action::Library { location: q1, operation: Operation::Send(3) }, None, "send(q[1],3) ⊥"),
        (Action::Library { location: q1, operation: Operation::Send(3) }, Some(EventId(2)), "send(q[1],3)"),
        (Action::Library { location: q1, operation: Operation::Receive }, None, "receive(q[1]) ⊥"),
        (Action::Library { location: q1, operation: Operation::Receive }, Some(EventId(2)), "receive(q[1],5)"),
        (Action::Stuck, None, "stuck"),
        (Action::Bound(crate::program::Bound::Unroll), None, "cut by a bound"),
        (Action::Spin, None, "waits"),
    ] {
        let e = g.add(0, action);
        if let Some(source) = source {
            g.execution.set_source(e, source);
        }
        assert_eq!(text(&g, e), expected);
    }
    let weak = Update::CompareAndSwap { expected: 0, desired: 1, weak: true };
    let weak = Action::Update { location: x, mode: Mode::Relaxed, failure: Mode::Relaxed, update: weak };
    let e = g.add(0, weak);
    g.execution.set_source(e, EventId(0));
    let mut event = *g.execution.event(e);
    assert_eq!((event.fails_spuriously(), event_text(&g.program, &event)), (false, "U(x,0→1)".to_owned()));
    event.value_written = None;
    assert_eq!((event.fails_spuriously(), event_text(&g.program, &event)), (true, "R(x,0=)".to_owned()));
    assert_eq!(text(&g, EventId(2)), "[q[1]=5]");
    assert_eq!(event_name(&g.program, EventKey { thread: ThreadId(1), serial: 2 }), "P1.2");
    assert_eq!(event_name(&g.program, g.execution.event(EventId(2)).key), "init q[1]");
}

#[test]
fn edges_and_events_have_titles() {
    let (graph, violation) = mp();
    let drawing = layout(DrawingInput { violation: Some(&violation), ..graph.input() }.diagram());
    let titles: Vec<_> = drawing.edges.iter().map(|edge| edge.title.as_str()).collect();
    assert!(titles.contains(&"rf from P0.2 W(y,1) to P1.1 R(y,1)"), "{titles:?}");
    assert!(titles.contains(&"po from P0.1 W(x,1) to P0.2 W(y,1)"), "{titles:?}");
    let read = drawing.nodes.iter().find(|node| node.name == "P1.1").unwrap();
    assert_eq!(read.title, "P1.1: R(y,1), relaxed read of y, reads from P0.2 W(y,1), line 2; on the violating cycle");
}

#[test]
fn a_terminal_shows_columns_edges_and_the_cycle() {
    let (graph, violation) = sb();
    let text = graph_text(&DrawingInput { violation: Some(&violation), ..graph.input() });
    let expected = "\
[x=0]  [y=0]
P0       P1
W(x,1)   W(y,1)
R(y,0)   R(x,0)
rf: init y → P0.2, init x → P1.2
co: init x → P0.1, init y → P1.1
fr: P1.2 → P0.1, P0.2 → P1.1
violates SC: W(x,1) -po-> R(y,0) -fr-> W(y,1) -po-> R(x,0) -fr-> W(x,1)
";
    assert_eq!(text, expected);
}

#[test]
fn what_was_cut_stays_below_as_a_ghost() {
    let (graph, mut ghosts, marks) = revisit();
    // One that has been added again is no ghost.
    ghosts.push(*graph.execution.event(EventId(2)));
    let new_edges = vec![graph.edges[0]];
    let drawing = check(&DrawingInput { ghosts, marks, new_edges, ..graph.input() });
    let ghosts: Vec<_> = drawing.nodes.iter().filter(|node| node.ghost).map(|node| node.name.as_str()).collect();
    assert_eq!(ghosts, ["P1.2", "P1.3"]);
    assert_eq!(drawing.edges.iter().filter(|edge| edge.ghost).count(), 2);
    assert_eq!(
        drawing.edges.iter().filter(|edge| edge.new).map(|edge| edge.kind).collect::<Vec<_>>(),
        [EdgeKind::from(Rf)]
    );
    let node = drawing.nodes.iter().find(|node| node.name == "P2.2").unwrap();
    assert_eq!(node.marks, [Mark::Newest, Mark::Revisiting]);
}

#[test]
fn names_from_the_text_are_escaped() {
    let mut g = Graph::new(&["</text><script>\"&'"], 1);
    g.w(0, "</text><script>\"&'", 1);
    let g = g.with_co();
    let file = svg(&layout(g.input().diagram()), Theme::Light);
    assert!(!file.contains("<script"), "{file}");
    assert!(file.contains("&lt;/text&gt;&lt;script&gt;&quot;&amp;&#39;"), "{file}");
    assert_eq!(file.matches('<').count(), file.matches('>').count());
    let file = dot(&g.input());
    assert!(file.contains(r#"[label="W(</text><script>\"&',1)""#), "{file}");
}

#[test]
fn only_initial_writes_that_matter_are_shown() {
    let names: Vec<_> = (0..20).map(|i| format!("x{i}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let shown = |g: &Graph| layout(g.input().diagram()).nodes.iter().filter(|node| node.kind == NodeKind::Init).count();
    let mut g = Graph::new(&names, 1);
    assert_eq!(shown(&g), 0);
    for name in &names[..8] {
        g.w(0, name, 1);
    }
    assert_eq!(shown(&g), 8);
    g.w(0, names[8], 1);
    assert_eq!(shown(&g), 0, "nine would not fit, and none has an edge");
    let init = g.init(names[2]);
    g.r(0, names[2], init);
    assert_eq!(shown(&g), 1);
}

#[test]
fn each_relation_looks_different() {
    for (index, a) in RelationName::ALL.into_iter().enumerate() {
        for b in RelationName::ALL.into_iter().take(index) {
            for theme in THEMES {
                for colours in Colours::ALL {
                    let look = Look { theme, colours };
                    assert_ne!(look.color(a), look.color(b), "{a} {b} {look:?}");
                }
            }
            let plain = [RelationName::Po, RelationName::Rf];
            assert!(style(a).dash != style(b).dash || plain.contains(&a) && plain.contains(&b), "{a} {b}");
        }
    }
}

/// Both are orders of writes, between the same events.
#[test]
fn co_and_wb_are_told_apart_by_all_eyes_and_by_their_dashes() {
    for theme in THEMES {
        for colours in Colours::ALL {
            let look = Look { theme, colours };
            let found = distance(look.color(Co), look.color(Wb));
            assert!(found >= 22.0, "{look:?}: {found:.1}");
        }
    }
    // Dots, and strokes of more than four times their length; solid where co was chosen.
    assert_eq!((dash(Wb, false), dash(Co, false), dash(Wb, true), dash(Co, true)), ("2 4", "9 4", "2 4", ""));
}

#[test]
fn what_is_co_and_wb_is_drawn_once() {
    let (mut g, _) = two_plus_two_w();
    let ids: Vec<EventId> = g.execution.ids().collect();
    let [a, b, c, d] = ids[2..] else { panic!("four writes") };
    g.edge(a, Wb, d);
    g.edge(c, Wb, b);
    let key = |e: EventId| g.execution.event(e).key;
    let edges = |drawing: &Drawing, from: EventId, to: EventId| {
        let between = drawing.edges.iter().filter(|edge| (edge.from, edge.to) == (key(from), key(to)));
        between.map(|edge| (edge.kind, edge.also, edge.title.clone())).collect::<Vec<_>>()
    };
    let drawing = check(&g.input());
    let title = "co from P0.1 W(x,1) to P1.2 W(x,2); wb too: the graph forces it".to_owned();
    assert_eq!(edges(&drawing, a, d), [(Co.into(), Some(Wb.into()), title.clone())]);
    // Where co goes the other way, or is not drawn, wb is drawn.
    let wb = "wb from P1.1 W(y,1) to P0.2 W(y,2)".to_owned();
    assert_eq!(edges(&drawing, c, b), [(Wb.into(), None, wb)]);
    assert_eq!(drawing.relations, [Po, Co, Wb]);
    let file = dot(&g.input());
    assert!(file.contains(&title) && file.matches("label=\"wb\"").count() == 1, "{file}");
    let list = outline(&drawing);
    assert!(list[1].events[0].details.contains(&"co and wb to P1.2 W(x,2)".to_owned()), "{list:?}");
    // What is said of wb lights the edge of co.
    let asked = EdgeKey { from: key(a), to: key(d), kind: Wb.into() };
    let lit = highlight(&drawing, &[asked]);
    assert_eq!(lit, Highlighted { drawn: vec![EdgeKey { kind: Co.into(), ..asked }], added: Vec::new() });
    // A cycle of wb is drawn as it is.
    let cycle = cycle(&[(a, Wb, d), (d, Po, a)]);
    let drawing = layout(DrawingInput { violation: Some(&cycle), ..g.input() }.diagram());
    assert_eq!(edges(&drawing, a, d).iter().map(|edge| edge.0).collect::<Vec<_>>(), [Co.into(), EdgeKind::from(Wb)]);
}

const THEMES: [Theme; 3] = [Theme::Light, Theme::Dark, Theme::Contrast];

/// Red, green and blue as amounts of light.
fn linear(color: &str) -> [f64; 3] {
    [1, 3, 5].map(|at| {
        let part = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
}

/// The contrast of two colours as WCAG 2 has it, from 1 to 21.
fn contrast(a: &str, b: &str) -> f64 {
    let luminance = |color| linear(color).iter().zip([0.2126, 0.7152, 0.0722]).map(|(c, w)| c * w).sum::<f64>();
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// What red-blind, green-blind and blue-blind eyes see, after Machado, Oliveira and Fernandes (2009).
const BLINDNESSES: [[[f64; 3]; 3]; 4] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
];

/// A colour in CIELAB, where distances are about those that eyes see.
fn lab(color: &str, blindness: &[[f64; 3]; 3]) -> [f64; 3] {
    let light = linear(color);
    let dot = |row: &[f64; 3], of: &[f64; 3]| row.iter().zip(of).map(|(a, b)| a * b).sum::<f64>();
    let [r, g, b] = blindness.map(|row| dot(&row, &light).clamp(0.0, 1.0));
    let bent = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let x = bent((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
    let y = bent(0.2126 * r + 0.7152 * g + 0.0722 * b);
    let z = bent((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// How far two colours are from each other for the eyes that tell them apart least.
fn distance(a: &str, b: &str) -> f64 {
    let distances = BLINDNESSES.iter().map(|blindness| {
        let (a, b) = (lab(a, blindness), lab(b, blindness));
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    });
    distances.fold(f64::INFINITY, f64::min)
}

#[test]
fn edges_and_their_labels_can_be_read_on_every_ground() {
    // Of the page and of files: panels, lanes.
    let grounds = |theme| match theme {
        Theme::Light => (&["#ffffff", "#f3f5f8", "#f4f6f8"][..], 4.5),
        Theme::Dark => (&["#151a21", "#1b212a", "#0d1117", "#161b22"][..], 4.5),
        Theme::Contrast => (&["#ffffff"][..], 7.0),
    };
    for theme in THEMES {
        for colours in Colours::ALL {
            for relation in RelationName::ALL {
                let color = Look { theme, colours }.color(relation);
                let (grounds, least) = grounds(theme);
                for ground in grounds {
                    let found = contrast(color, ground);
                    assert!(found >= least, "{relation} {theme:?} {colours:?} on {ground}: {found:.2}");
                }
            }
        }
    }
}

#[test]
fn safe_colours_are_told_apart_by_colour_blind_eyes() {
    let often = [Po, Rf, Co, Fr, Hb, Sw];
    for theme in THEMES {
        let look = Look { theme, colours: Colours::Safe };
        for (index, a) in RelationName::ALL.into_iter().enumerate() {
            for b in RelationName::ALL.into_iter().take(index) {
                let least = if often.contains(&a) && often.contains(&b) { 17.0 } else { 10.0 };
                let found = distance(look.color(a), look.color(b));
                assert!(found >= least, "{a} {b} {theme:?}: {found:.1}");
            }
        }
    }
    // The test sees what it is for.
    assert!(distance("#1a7f37", "#ad5600") < 17.0);
}

#[test]
fn files_have_the_colours_asked_for() {
    let mut g = Graph::new(&["x"], 2);
    let w = g.w(0, "x", 1);
    g.r(1, "x", w);
    let g = g.with_co();
    let drawing = layout(g.input().diagram());
    for theme in THEMES {
        for colours in Colours::ALL {
            let look = Look { theme, colours };
            let file = svg(&drawing, look);
            assert!(file.contains(look.color(RelationName::Rf)), "{look:?}");
            let other = if colours == Colours::Safe { Colours::Standard } else { Colours::Safe };
            let other = Look { colours: other, ..look }.color(RelationName::Rf);
            assert!(theme == Theme::Contrast || !file.contains(other), "{look:?}");
        }
    }
}
