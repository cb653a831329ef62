//! Verdicts, closures and numbers of states that are known exactly.

use super::*;
use crate::model::Model;
use crate::syntax::render;

fn parse(text: &str) -> AbstractExecution {
    parse_execution(text).unwrap_or_else(|diagnostics| panic!("{}", render(text, "test", &diagnostics)))
}

fn is_consistent(model: Model, text: &str, settings: &Settings) -> bool {
    let execution = parse(text);
    let answer = decide(model, &execution, settings).expect("the model has a meaning for it");
    match answer.verdict {
        ConsistencyVerdict::Consistent(witness) => {
            if let Some(run) = witness.run {
                assert!(run.instance.is_witness(&run.order), "{text}");
            }
            true
        }
        ConsistencyVerdict::Inconsistent { .. } => false,
        ConsistencyVerdict::Bounded => panic!("small executions stay within bounds"),
    }
}

/// All ways to search.
fn all_settings() -> Vec<Settings> {
    let mut all = Vec::new();
    for closure in [false, true] {
        for greedy in [false, true] {
            for naive in [false, true] {
                all.push(Settings { closure, greedy, naive, ..Settings::default() });
            }
        }
    }
    all
}

/// Executions with what SC, TSO and PSO say of them.
const VERDICTS: [(&str, &str, [bool; 3]); 27] = [
    ("SB", "T1: w x 1; r y <- init\nT2: w y 1; r x <- init", [false, true, true]),
    ("MP", "T1: w x 1; w y 1\nT2: r y <- T1; r x <- init", [false, false, true]),
    ("SB+fences", "T1: w x 1; fence; r y <- init\nT2: w y 1; fence; r x <- init", [false, false, false]),
    ("SB+fence", "T1: w x 1; fence; r y <- init\nT2: w y 1; r x <- init", [false, true, true]),
    ("SB+rfi", "T1: w x 1; r x <- T1; r y <- init\nT2: w y 1; r y <- T2; r x <- init", [false, true, true]),
    ("MP+fence", "T1: w x 1; fence; w y 1\nT2: r y <- T1; r x <- init", [false, false, false]),
    ("MP+store fence", "T1: w x 1; fence rel; w y 1\nT2: r y <- T1; r x <- init", [false, false, false]),
    ("LB", "T1: r x <- T2; w y 1\nT2: r y <- T1; w x 1", [false, false, false]),
    ("IRIW", "T1: w x 1\nT2: w y 1\nT3: r x <- T1; r y <- init\nT4: r y <- T2; r x <- init", [false, false, false]),
    ("WRC", "T1: w x 1\nT2: r x <- T1; w y 1\nT3: r y <- T2; r x <- init", [false, false, false]),
    ("ISA2", "T1: w x 1; w y 1\nT2: r y <- T1; w z 1\nT3: r z <- T2; r x <- init", [false, false, true]),
    ("CoRR", "T1: w x 1\nT2: r x <- T1; r x <- init", [false, false, false]),
    (
        "opposite orders",
        "T1: w x 1\nT2: w x 2\nT3: r x <- T1; r x <- T2\nT4: r x <- T2; r x <- T1",
        [false, false, false],
    ),
    (
        "2+2W, observed",
        "T1: w x 1; w y 1\nT2: w y 2; w x 2\nT3: r x <- T2; r x <- T1\nT4: r y <- T1; r y <- T2",
        [false, false, true],
    ),
    ("R, observed", "T1: w x 1; w y 1\nT2: w y 2; r x <- init\nT3: r y <- T1; r y <- T2", [false, true, true]),
    ("S, observed", "T1: w x 1; w y 1\nT2: r y <- T1; w x 2\nT3: r x <- T2; r x <- T1", [false, false, true]),
    ("n6", "T1: w x 1; r x <- T1; r y <- init\nT2: w y 1; w x 2\nT3: r x <- T2; r x <- T1", [false, true, true]),
    ("overwritten", "T1: w x 1; r x <- T2\nT2: w x 2", [true, true, true]),
    ("crossed", "T1: w x 1; r x <- T2\nT2: w x 2; r x <- T1", [false, false, false]),
    ("stale own write", "T1: w x 1; w x 2; r x <- T1.1", [false, false, false]),
    ("initial past own write", "T1: w x 1; r x <- init", [false, false, false]),
    (
        "fence map",
        "T1: w x 1; fence; w y 1\nT2: r z <- T3; r x <- T1\nT3: w x 2; r y <- T1; fence; w z 1",
        [true, true, true],
    ),
    ("immediate read-modify-write", "T1: w x 1; r x <- T2.2\nT2: w x 2; u x 2 3 <- T2.1", [true, true, true]),
    ("buffered read-modify-write", "T1: w x 1; r x <- T2.2\nT2: w x 2; buffered u x 2 3 <- T2.1", [true, true, true]),
    (
        "store fence before a useless write",
        "T1: w x 1\nT2: w z 1; fence rel; w x 2; r x <- T1; r z <- T2",
        [true, true, true],
    ),
    (
        "no closure has anything against it",
        "T1: w x 1; w f1 1; r f3 1; r f4 1; r x <- T1\nT2: w x 2; w f2 1; r f3 1; r f4 1; r x <- T2\n\
         T3: w y 1; w f3 1; r f1 1; r f2 1; r y <- T3\nT4: w y 2; w f4 1; r f1 1; r f2 1; r y <- T4",
        [false, false, true],
    ),
    ("later own write", "T1: r x <- T1.2; w x 1", [false, false, false]),
];

/// Every algorithm with every switch, and the axioms of the models.
#[test]
fn verdicts_are_those_of_exhaustive_search() {
    for (name, text, expected) in VERDICTS {
        // A flag that is set is read from its only write.
        let text = text.replace("r f1 1", "r f1 1 <- T1").replace("r f2 1", "r f2 1 <- T2");
        let text = text.replace("r f3 1", "r f3 1 <- T3").replace("r f4 1", "r f4 1 <- T4");
        for (model, expected) in [Model::SC, Model::TSO, Model::PSO].into_iter().zip(expected) {
            for settings in all_settings() {
                assert_eq!(is_consistent(model, &text, &settings), expected, "{name} under {model}: {settings:?}");
            }
            let execution = parse(&text);
            if execution.is_plain() {
                let mut graph = execution.graph.clone();
                for read in graph.ids() {
                    if let [write] = execution.sources[read.index()][..] {
                        graph.set_source(read, write);
                    }
                }
                assert_eq!(model.is_consistent(&graph), expected, "{name}: the axioms of {model}");
            }
        }
    }
}

/// Three threads or fewer in every order, more of them in turn.
fn orders<'t>(lines: &[&'t str]) -> Vec<Vec<&'t str>> {
    let mut orders: Vec<Vec<&str>> = (0..lines.len()).map(|by| [&lines[by..], &lines[..by]].concat()).collect();
    if lines.len() == 3 {
        for at in 0..3 {
            let mut order = orders[at].clone();
            order.swap(1, 2);
            orders.push(order);
        }
    }
    orders
}

/// Whatever the order of the threads: which one a search meets first must not matter.
#[test]
fn the_order_of_threads_does_not_matter() {
    for (name, text, expected) in VERDICTS {
        for lines in orders(&text.lines().collect::<Vec<_>>()) {
            for (model, expected) in [Model::SC, Model::TSO, Model::PSO].into_iter().zip(expected) {
                for settings in all_settings() {
                    let text = lines.join("\n");
                    assert_eq!(is_consistent(model, &text, &settings), expected, "{name} under {model}: {settings:?}");
                }
            }
        }
    }
}

/// With a fence behind each of the two writes of each thread, PSO refutes it too, and no closure does.
#[test]
fn only_search_refutes_what_is_disjunctive() {
    let (_, text, _) = VERDICTS[25];
    let mut fenced = text.to_owned();
    for write in ["w x 1;", "w x 2;", "w y 1;", "w y 2;", "w f1 1;", "w f2 1;", "w f3 1;", "w f4 1;"] {
        fenced = fenced.replace(write, &format!("{write} fence;"));
    }
    assert_eq!(fenced.matches("fence").count(), 8);
    for (model, text) in [(Model::SC, text.to_owned()), (Model::TSO, text.to_owned()), (Model::PSO, fenced)] {
        let execution = parse(&text);
        let machine = Machine::of(model).expect("it has one");
        assert!(Closure::new(&Instance::new(machine, &execution)).exists(), "{model}");
        let settings = Settings { listed: 10_000, ..Settings::default() };
        let answer = decide(model, &execution, &settings).expect("a machine");
        let ConsistencyVerdict::Inconsistent { cases, more: 0 } = answer.verdict else { panic!("{model} allows it") };
        let [ConsistencyCase { why: Why::Exhausted { tree, states, .. }, .. }] = &cases[..] else {
            panic!("{model}: one case")
        };
        assert_eq!(tree.visits.len() as u64, *states);
        assert!(tree.visits.iter().all(|visit| visit.expanded));
    }
}

/// How many orders of all nodes, behind those that are performed already, are witnesses.
fn witnesses(instance: &Instance, performed: &mut Vec<NodeId>) -> usize {
    if performed.len() == instance.to_perform() {
        return usize::from(instance.is_witness(performed));
    }
    let mut found = 0;
    for n in instance.ids() {
        let is_done = |n: NodeId| instance.is_initial(n) || performed.contains(&n);
        let is_due = instance.ids().all(|before| is_done(before) || !instance.po.precedes(before, n));
        if is_due && !is_done(n) {
            performed.push(n);
            found += witnesses(instance, performed);
            performed.pop();
        }
    }
    found
}

/// Instances of VSC with how many pairs their closure adds to program order, how many witnesses there are, and the states reached without
/// and with greedy moves where that does not depend on the order of the search.
#[test]
fn closures_and_states_of_good_writes() {
    type Row = (&'static str, Option<usize>, usize, Option<(u64, u64)>);
    let table: [Row; 11] = [
        ("T1: w x 1; r y <- init\nT2: w y 1; r x <- init", None, 0, Some((1, 1))),
        ("T1: w x 1; r y <- init | T2\nT2: w y 1; r x <- T1", Some(1), 5, None),
        ("T1: w x 1; r y <- T2\nT2: w y 1; r x <- T1", Some(2), 4, None),
        ("T1: w x 1; w y 1\nT2: r y <- T1; r x <- init", None, 0, Some((1, 1))),
        ("T1: w x 1; w y 1\nT2: r y <- T1; r x <- T1", Some(4), 1, Some((5, 5))),
        ("T1: w x 1\nT2: w y 1\nT3: r x <- T1; r y <- init\nT4: r y <- T2; r x <- init", None, 0, Some((1, 1))),
        ("T1: w y 1; r y <- T2 | T3; r y <- T1\nT2: w y 2\nT3: w y 3", Some(0), 0, Some((8, 8))),
        ("T1: w x 1; w y 1\nT2: w x 1; w y 1; r x 1\nT3: w x 1; w y 1; r y 1", Some(0), 560, None),
        ("T1: w x 1; w y 1\nT2: w x 1; w y 1; r x <- T1\nT3: w x 1; w y 1; r y <- T1", Some(8), 60, None),
        ("T1: w x 1; w y 1\nT2: w x 1; w y 1; r x <- T3\nT3: w x 1; w y 1; r y <- T2", Some(8), 23, None),
        ("T1: w x 1; w y 2\nT2: w y 1; w x 2", Some(0), 6, None),
    ];
    for (text, edges, expected, states) in table {
        let is_consistent = expected > 0;
        let execution = parse(text);
        let instance = Instance::new(Machine::Sc, &execution);
        let closure = Closure::new(&instance);
        let added = closure.order.pairs() - instance.po.pairs();
        assert_eq!(closure.exists().then_some(added), edges, "{text}");
        assert_eq!(witnesses(&instance, &mut Vec::new()), expected, "{text}");
        for greedy in [false, true] {
            let settings = Settings { closure: false, greedy, ..Settings::default() };
            let answer = decide(Model::SC, &execution, &settings).expect("a machine");
            assert_eq!(matches!(answer.verdict, ConsistencyVerdict::Consistent(_)), is_consistent, "{text}");
            if let Some((plain, quick)) = states {
                assert_eq!(answer.states, if greedy { quick } else { plain }, "{text}, greedy {greedy}");
            }
        }
    }
    // The single edge: T2's read has no other source than T1's write.
    let instance = Instance::new(Machine::Sc, &parse(table[1].0));
    let additions = Closure::new(&instance).additions;
    let edges: Vec<_> = additions.iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(edges, [(instance.writes[0][1], instance.reads[0][0])]);
}

/// Each edge comes with its rule, and with what it takes for granted, which the edges before it show.
#[test]
fn edges_come_with_rules_and_premises() {
    let execution = parse("T1: w x 1; w y 1\nT2: r y <- T1; r x <- init");
    for machine in [Machine::Sc, Machine::Tso] {
        let instance = Instance::new(machine, &execution);
        let closure = Closure::new(&instance);
        let (read, init) = (instance.reads[0][0], instance.writes[0][0]);
        if machine == Machine::Sc {
            let hidden = vec![(init, Hidden::Overwritten(instance.writes[0][1]))];
            assert_eq!(closure.end, End::NoSource { read, hidden });
        }
        let cycle = match &closure.end {
            End::Cycle(cycle) => &cycle[..],
            _ => &[],
        };
        assert!(machine == Machine::Sc || cycle.len() >= 2, "{:?}", closure.end);
        for (edge, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            assert_eq!(edge.to, next.from);
        }
        for (at, addition) in closure.additions.iter().enumerate() {
            for &(from, to) in &addition.premises {
                let path = closure.path(&instance, from, to, at);
                assert!(!path.is_empty(), "{machine:?}, edge {at}");
                assert_eq!((path[0].from, path[path.len() - 1].to), (from, to));
            }
        }
    }
}

/// The example of the thesis' Figure 3.4: three edges, by the three rules in their order.
#[test]
fn closure_of_an_annotated_partial_order() {
    let text = "root T1\nT1: w z 1; r x <- T2; w y 2; r z <- T1\nT2: w y 1; w x 1; w z 2; r y <- T2";
    let execution = parse(text);
    let annotated = AnnotatedOrder::new(&execution, execution.root.expect("it has one")).expect("it is one");
    let closure = annotated.closure();
    assert!(closure.exists());
    let event = |n: NodeId| {
        let key = annotated.instance.node(n).event;
        let key = execution.graph.event(key).key;
        (key.thread.0 + 1, key.serial)
    };
    let added: Vec<_> = closure.additions.iter().map(|a| (a.rule, event(a.from), event(a.to))).collect();
    assert_eq!(
        added,
        [(Rule::Source, (2, 2), (1, 2)), (Rule::Behind, (2, 4), (1, 3)), (Rule::Before, (2, 3), (1, 1)),]
    );
    let witness = annotated.witness().expect("it is realisable");
    assert!(annotated.instance.is_witness(&witness));
    let order: Vec<_> = witness.iter().map(|&n| event(n)).collect();
    assert_eq!(order, [(2, 1), (2, 2), (2, 3), (1, 1), (1, 2), (2, 4), (1, 3), (1, 4)]);
}

/// What models without machine say comes from their axioms, with reads that have a choice.
#[test]
fn other_models_are_asked_too() {
    let sb = "T1: w x 1; r y 0\nT2: w y 1; r x 0";
    let mp = "T1: w x 1; w y 1\nT2: r y 1; r x 0";
    for (model, expected) in [
        (Model::RA, [true, false]),
        (Model::SRA, [true, false]),
        (Model::WRA, [true, false]),
        (Model::RC11, [true, true]),
    ] {
        for (text, expected) in [sb, mp].into_iter().zip(expected) {
            assert_eq!(is_consistent(model, text, &Settings::default()), expected, "{text} under {model}");
        }
    }
    let released = "T1: w x 1; w.rel y 1\nT2: r.acq y 1; r x 0";
    assert!(!is_consistent(Model::RC11, released, &Settings::default()));
    let block = parse("T1: { r x 0; w y 1 }");
    assert_eq!(decide(Model::RA, &block, &Settings::default()).err(), Some(Unsupported::Atomic(Model::RA)));
    for model in Model::ALL {
        assert!(!is_consistent(model, "T1: r x 7", &Settings::default()), "nobody writes 7, {model}");
    }
}

/// A bound is no answer.
#[test]
fn a_bound_is_said() {
    let execution = parse(VERDICTS[25].1);
    for model in [Model::SC, Model::TSO] {
        let answer = decide(model, &execution, &Settings { states: 3, ..Settings::default() }).expect("a machine");
        assert!(matches!(answer.verdict, ConsistencyVerdict::Bounded), "{model}");
    }
}

/// What the fuzzer found: locations keep their numbers, and what may read anything does not name it all.
#[test]
fn printed_executions_are_read_as_they_were() {
    let many: String = (0..40).map(|thread| format!("T{thread}: {}\n", "w x 1; r x 1; ".repeat(5))).collect();
    for text in
        ["init y = 0\nT1: w x 1; w y 1; r x ?", "init z = 0\nT1: w x 1", "init a = 0, b = 3\nT1: w b 1; w a 1", &many]
    {
        let execution = parse(text);
        let printed = print_execution(&execution);
        assert!(printed.len() < 2 * text.len() + 100, "{printed}");
        let again = parse(&printed);
        let names = |execution: &AbstractExecution| -> Vec<String> {
            execution.program.objects.iter().map(|object| object.name.clone()).collect()
        };
        assert_eq!((names(&again), again.sources), (names(&execution), execution.sources), "{printed}");
    }
}
