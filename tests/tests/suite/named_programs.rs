//! The brute force on named programs: numbers of executions, and verdicts on single ones.

use litmoscope::explore::brute_force;
use litmoscope::graph::{EventKey, Execution, Label, Relation, ThreadId};
use litmoscope::model::Model;
use litmoscope::program::{Action, Limits, Location, Span, ThreadState};
use litmoscope_tests::programs::{BLOCKING, CAUSAL, STORE_BUFFERS, named};
use litmoscope_tests::{TABULATED, program, satisfies};

const LIMITS: Limits =
    Limits { unroll: 2, local_steps: 1000, events: 1000, unroll_spins: true, search: u64::MAX, table: Limits::TABLE };

/// The numbers of executions of the named programs.
#[test]
fn named_programs() {
    let mut wrong = String::new();
    for litmus in named() {
        let (_, code) = program(&litmus.text);
        let candidates = brute_force::candidates(&code, LIMITS).expect("named programs are small");
        let (mut plain, mut coherence) = ([0; 7], [0; 7]);
        for graph in &candidates {
            for (column, model) in TABULATED.into_iter().enumerate() {
                let orders = brute_force::coherence_orders(model, graph).len();
                plain[column] += usize::from(orders > 0);
                coherence[column] += orders;
            }
        }
        if (plain, coherence) != (litmus.plain, litmus.coherence) {
            wrong += &format!("        litmus({:?}, {:?}, {plain:?}, {coherence:?}),\n", litmus.name, litmus.text);
        }
    }
    assert!(wrong.is_empty(), "different numbers:\n{wrong}");
}

/// How many executions there are, how many of them are stuck and how many erroneous.
#[test]
fn stuck_and_erroneous_executions() {
    for (text, expected) in BLOCKING {
        let (_, code) = program(text);
        let candidates = brute_force::candidates(&code, LIMITS).expect("named programs are small");
        for (model, expected) in [Model::SC, Model::TSO, Model::RC11].into_iter().zip(expected) {
            let all: Vec<_> = candidates.iter().filter(|graph| brute_force::consistent(model, graph)).collect();
            let with = |label: fn(&Label) -> bool| {
                all.iter().filter(|graph| graph.events().any(|(_, event)| label(&event.label))).count()
            };
            let stuck = with(|label| *label == Label::Stuck);
            let errors = with(|label| matches!(label, Label::Error(_)));
            assert_eq!((all.len(), stuck, errors), expected, "{model:?}: {text}");
        }
    }
}

fn verdict(models: &[Model], text: &str) -> Vec<bool> {
    let (program, code) = program(text);
    let condition = program.condition.expect("verdicts have a condition");
    let candidates = brute_force::candidates(&code, LIMITS).expect("named programs are small");
    let picked: Vec<_> = candidates.iter().filter(|graph| satisfies(&condition, &code, LIMITS, graph, &[])).collect();
    assert!(!picked.is_empty(), "no execution satisfies the condition: {text}");
    models.iter().map(|&model| picked.iter().any(|graph| brute_force::consistent(model, graph))).collect()
}

#[test]
fn store_buffer_verdicts() {
    for known in STORE_BUFFERS {
        assert_eq!(verdict(&[Model::SC, Model::TSO, Model::PSO], known.text), known.consistent, "{}", known.text);
    }
}

#[test]
fn causal_verdicts() {
    for known in CAUSAL {
        assert_eq!(verdict(&[Model::WRA, Model::RA, Model::SRA], known.text), known.consistent, "{}", known.text);
    }
}

/// The definitions as printed, which are wrong: SC's fr with (u, u) for each read-modify-write u, and TSO's last axiom
/// for read-modify-writes only; and writes-before as the only check, which nothing printed claims in so many words, but
/// which is what is left where co is not tracked. They must give other numbers, or these tests would not notice.
#[test]
fn misprints_are_noticed() {
    let printed_sc = |graph: &Execution| {
        let writes: Vec<_> = graph.writes(Location(0)).collect();
        let co = Relation::from_fn(graph.len(), |a, b| {
            let place = |e| writes.iter().position(|&w| w == e);
            place(a).zip(place(b)).is_some_and(|(a, b)| a < b)
        });
        let (po, rf) = (graph.po_relation(), graph.rf_relation());
        po.union(&rf).union(&co).union(&rf.inverse().compose(&co)).is_acyclic()
    };
    let (_, code) = program("fai(x) || skip");
    let candidates = brute_force::candidates(&code, LIMITS).unwrap();
    assert_eq!(candidates.iter().filter(|graph| brute_force::consistent(Model::SC, graph)).count(), 1);
    assert_eq!(candidates.iter().filter(|graph| printed_sc(graph)).count(), 0);

    // MP has one order of its two writes that keeps po, and no read-modify-write: the last axiom is void.
    let printed_tso = |graph: &Execution| {
        let writes = graph.events().filter(|(_, event)| event.is_write()).map(|(e, _)| e);
        let order = Relation::from_fn(graph.len(), |a, b| graph.po(a, b) && graph.event(b).is_write());
        assert_eq!(writes.count(), 4);
        let kept = graph.po_relation().filter(|a, b| graph.event(b).is_write() || graph.event(a).is_read());
        let t = order.union(&kept).union(&graph.rf_relation());
        t.is_acyclic()
    };
    let (_, code) = program("x := 1; y := 1 || a := y; b := x");
    let candidates = brute_force::candidates(&code, LIMITS).unwrap();
    assert_eq!(candidates.iter().filter(|graph| brute_force::consistent(Model::TSO, graph)).count(), 3);
    assert_eq!(candidates.iter().filter(|graph| printed_tso(graph)).count(), 4);

    // wb = [W] ; ((rf* ; hb ; (rf^-1)? ; rf*) minus (rf^-1)*) ; [W]: with everything relaxed, hb is po. What it takes away
    // is the edge from the increment to the initial write that reading backwards would need.
    let printed_wb = |graph: &Execution| {
        let rf = graph.rf_relation();
        let chains = rf.transitive_closure().reflexive();
        let backwards = rf.inverse();
        let forced = chains.compose(&graph.po_relation()).compose(&backwards.reflexive()).compose(&chains);
        let wb = forced.difference(&backwards.transitive_closure().reflexive());
        wb.filter(|a, b| graph.event(a).is_write() && graph.event(b).is_write()).is_acyclic()
    };
    let (_, code) = program("fai(x) || a := x; b := x");
    let candidates = brute_force::candidates(&code, LIMITS).unwrap();
    assert_eq!(candidates.iter().filter(|graph| brute_force::consistent(Model::RC11, graph)).count(), 3);
    assert_eq!(candidates.iter().filter(|graph| printed_wb(graph)).count(), 4);
}

/// Four threads whose reads all have a source that each pair of threads could agree on, but not all four: no edge
/// follows from the others, so algorithms that only saturate believe it. Too large to be found among candidates.
#[test]
fn an_execution_that_saturation_does_not_refute() {
    // The sources of each thread's reads, as thread and place in it.
    let sources = |flag| {
        let left = |own| vec![(2, flag), (3, flag), (own, 1)];
        let right = |own| vec![(0, flag), (1, flag), (own, 1)];
        [left(0), left(1), right(2), right(3)]
    };
    let verdict = |text: &str, flag| {
        let graph = annotated(text, &sources(flag));
        [Model::SC, Model::TSO, Model::PSO].map(|model| brute_force::consistent(model, &graph))
    };
    let plain = "x := 1; f := 1; a1 := h; b1 := k; c1 := x || x := 2; g := 1; a2 := h; b2 := k; c2 := x || \
                 y := 1; h := 1; a3 := f; b3 := g; c3 := y || y := 2; k := 1; a4 := f; b4 := g; c4 := y";
    assert_eq!(verdict(plain, 2), [false, false, true]);
    let mut fenced = plain.to_owned();
    for write in ["x := 1;", "x := 2;", "y := 1;", "y := 2;", "f := 1;", "g := 1;", "h := 1;", "k := 1;"] {
        fenced = fenced.replace(write, &format!("{write} fence sc;"));
    }
    assert_eq!(verdict(&fenced, 3), [false, false, false]);
}

/// The execution in which each thread's reads have the given sources, as thread and place in it.
fn annotated(text: &str, sources: &[Vec<(u16, u32)>]) -> Execution {
    let (_, code) = program(text);
    let mut graph = Execution::initial(&code);
    let mut threads: Vec<_> = (0..code.threads.len()).map(|thread| ThreadState::new(&code, thread)).collect();
    let mut reads: Vec<_> = sources.iter().map(|sources| sources.iter()).collect();
    loop {
        let before = graph.len();
        for (thread, state) in threads.iter_mut().enumerate() {
            let action = state.advance(&code, thread, LIMITS);
            let source = match action {
                Action::Finished => continue,
                Action::Read { .. } | Action::Update { .. } => {
                    let &(thread, serial) = reads[thread].as_slice().first().expect("each read has a source");
                    let Some(source) = graph.find(EventKey { thread: ThreadId(thread), serial }) else { continue };
                    Some(source)
                }
                _ => None,
            };
            let e = graph.add(ThreadId(thread as u16), action, Span::default());
            if let Some(source) = source {
                reads[thread].next();
                assert_eq!(graph.event(source).location(), graph.event(e).location());
                graph.set_source(e, source);
            }
            let event = graph.event(e);
            state.resume_as(&code, thread, event.value_read, event.fails_spuriously());
        }
        if graph.len() == before {
            assert!(reads.iter().all(|reads| reads.as_slice().is_empty()), "the execution has a porf cycle");
            return graph;
        }
    }
}
