//! Procedures and brute force against each other, and vectors.
//!
//! [`seeds`] says which traces.

use super::brute::{check_run, find_run};
use super::*;
use crate::budget::{Budget, Halt, Meter, Paused};
use crate::program::Span;
use crate::random::Random;
use crate::testing::{TraceShape, random_trace, smallest, without};
use litmoscope_core::testing::seeds;
use std::collections::BTreeSet;

fn by_sat(trace: &Trace) -> Option<SatWitness> {
    match decide_by_sat(trace, &mut Meter::unlimited(&mut Budget::unlimited())) {
        Ok(SatAnswer::Consistent(witness)) => Some(witness),
        Ok(SatAnswer::Inconsistent) => None,
        other => panic!("{other:?}"),
    }
}

fn by_saturation(trace: &Trace) -> Answer {
    solve(trace, &mut Meter::unlimited(&mut Budget::unlimited())).expect("no limit")
}

/// Whether the orders are those in which the schedule takes messages.
fn check_orders(trace: &Trace, orders: &[Vec<MessageIndex>], schedule: &[EventIndex]) -> Result<(), String> {
    let mut taken = vec![Vec::new(); trace.handlers.len()];
    for &event in schedule {
        let message = trace.event(event).message;
        if trace.message(message).events[0] == event {
            taken[trace.message(message).handler.index()].push(message);
        }
    }
    if taken == orders { Ok(()) } else { Err(format!("orders {orders:?}, but the schedule takes {taken:?}")) }
}

/// Runs a check on random traces; where it fails, makes the trace smaller.
fn for_all_traces(mailbox: Mailbox, shape: TraceShape, check: impl Fn(&Trace) -> Result<(), String>) {
    for seed in seeds(3_000) {
        let trace = random_trace(seed, mailbox, shape);
        if check(&trace).is_err() {
            let trace = smallest(trace, |trace| check(trace).is_err());
            panic!("{} seed {seed}: {:?}\n{trace:#?}", mailbox.keyword(), check(&trace));
        }
    }
}

/// Traces by hand: each message is its name, handler, and events: `get`, `Wx1`, `Rx1` (from the write of that value; 0 is the initial
/// one), `>m` (a post). A star behind its name says that it is at any place among those that are there at the start. All writes of a location are in co by value.
fn trace(handlers: &[&str], mailbox: Mailbox, messages: &[(&str, &str, &str)]) -> Trace {
    let mut trace = Trace {
        locations: vec!["x".to_owned(), "y".to_owned()],
        initial: vec![0, 0],
        co: vec![Vec::new(), Vec::new()],
        ..Trace::default()
    };
    for &name in handlers {
        let (name, is_thread) = (name.to_owned(), name.starts_with('t'));
        trace.handlers.push(Handler { name, mailbox, is_thread, span: Span::default() });
    }
    let message_named = |name: &str| {
        let at = messages.iter().position(|(other, ..)| *other == name);
        MessageIndex(at.unwrap_or_else(|| panic!("no {name}")) as u32)
    };
    for (at, &(name, handler, events)) in messages.iter().enumerate() {
        let handler = HandlerIndex(handlers.iter().position(|&other| other == handler).unwrap() as u32);
        let start = trace.events.len() as u32;
        for event in events.split_whitespace() {
            let access = |rest: &str| {
                let location = LocationIndex(u32::from(rest.starts_with('y')));
                (location, rest[1..].parse().unwrap())
            };
            let kind = match event.split_at(1) {
                ("W", rest) => {
                    let (location, value) = access(rest);
                    trace.co[location.index()].push(EventIndex(trace.events.len() as u32));
                    Kind::Write { location, value }
                }
                ("R", rest) => {
                    let (location, value) = access(rest);
                    Kind::Read { location, value, source: None }
                }
                (">", rest) => Kind::Post(message_named(rest)),
                _ => Kind::Get,
            };
            trace.events.push(Event { message: MessageIndex(at as u32), kind, span: Span::default() });
        }
        let events = (start..trace.events.len() as u32).map(EventIndex).collect();
        let (name, is_unordered) = match name.strip_suffix('*') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let (name, span) = (name.to_owned(), Span::default());
        trace.messages.push(Message { name, handler, events, post: None, is_unordered, span });
    }
    let value_of = |kind| match kind {
        Kind::Write { value, .. } => value,
        _ => 0,
    };
    let kinds: Vec<Kind> = trace.events.iter().map(|event| event.kind).collect();
    for writes in &mut trace.co {
        writes.sort_by_key(|write| value_of(kinds[write.index()]));
    }
    for (at, event) in trace.events.iter_mut().enumerate() {
        match &mut event.kind {
            Kind::Post(posted) => trace.messages[posted.index()].post = Some(EventIndex(at as u32)),
            Kind::Read { location, value, source } => {
                *source =
                    trace.co[location.index()].iter().copied().find(|write| value_of(kinds[write.index()]) == *value);
            }
            _ => {}
        }
    }
    trace
}

/// The example of the thesis, whose queues contradict memory.
fn contradiction(mailbox: Mailbox) -> Trace {
    let messages = [
        ("init", "h2", "get Wx1 >m2 >m3"),
        ("m2", "h1", "get Wx2 Rx3"),
        ("m1", "h1", "get Rx1 >m4"),
        ("m3", "h3", "get Rx1 >m1"),
        ("m4", "h3", "get Rx2 Wx3"),
    ];
    trace(&["h1", "h2", "h3"], mailbox, &messages)
}

#[test]
fn queues_contradict_memory_where_multisets_do_not() {
    let [queue, multiset] = Mailbox::ALL.map(contradiction);
    assert_eq!((find_run(&queue), by_sat(&queue), by_saturation(&queue).schedule), (None, None, None));
    let run = find_run(&multiset).expect("a run");
    check_run(&multiset, &run).expect("a run");
    let witness = by_sat(&multiset).expect("a witness");
    check_run(&multiset, &witness.schedule).expect("a run");
    let names = |at: usize| -> Vec<&str> {
        witness.orders[at].iter().map(|&message| multiset.message(message).name.as_str()).collect()
    };
    assert_eq!((names(0), names(1), names(2)), (vec!["m1", "m2"], vec!["init"], vec!["m3", "m4"]));
}

/// What the mailbox makes of messages that are there at the start or never taken: the trace, with queues, with multisets.
#[test]
fn mailboxes_hold_what_waits() {
    let cases = [
        ("in order", vec![("t", "t", ">a >b"), ("a", "h", "get Wx1"), ("b", "h", "get Rx1")], true, true),
        ("against it", vec![("t", "t", ">a >b"), ("a", "h", "get Rx1"), ("b", "h", "get Wx1")], false, true),
        ("within a message", vec![("t", "t", ""), ("a", "h", "get Wx1 Rx2"), ("b", "h", "get Wx2")], false, false),
        ("initial, in order", vec![("t", "t", ""), ("a", "h", "get Wx1"), ("b", "h", "get Rx1")], true, true),
        ("initial, against it", vec![("t", "t", ""), ("a", "h", "get Rx1"), ("b", "h", "get Wx1")], false, true),
        ("initial, any order", vec![("t", "t", ""), ("a*", "h", "get Rx1"), ("b", "h", "get Wx1")], true, true),
        ("initial first", vec![("t", "t", ">a"), ("a", "h", "get Wx1"), ("b", "h", "get Rx1")], false, true),
        ("never taken behind", vec![("t", "t", ">a >b"), ("a", "h", "get"), ("b", "h", "")], true, true),
        ("never taken before", vec![("t", "t", ">a >b"), ("a", "h", ""), ("b", "h", "get")], false, true),
        ("initial, never taken", vec![("t", "t", ">a"), ("a", "h", "get"), ("b", "h", "")], false, true),
        ("both initial, the first taken", vec![("t", "t", ""), ("a", "h", "get"), ("b", "h", "")], true, true),
        ("both initial, the second taken", vec![("t", "t", ""), ("a", "h", ""), ("b", "h", "get")], false, true),
        ("any order, the second taken", vec![("t", "t", ""), ("a", "h", ""), ("b*", "h", "get")], true, true),
        ("posts itself", vec![("t", "t", ""), ("a", "h", "get >a")], false, false),
    ];
    for (name, messages, queue, multiset) in cases {
        for (mailbox, expected) in Mailbox::ALL.into_iter().zip([queue, multiset]) {
            let trace = trace(&["h", "t"], mailbox, &messages);
            let saturated = by_saturation(&trace).schedule.is_some();
            let found = (find_run(&trace).is_some(), by_sat(&trace).is_some(), saturated);
            assert_eq!(found, (expected, expected, expected), "{name}, {}", mailbox.keyword());
        }
    }
}

/// Once, saturation let a path through memory overrule that what a queue holds at the start is taken first.
#[test]
fn memory_does_not_overrule_what_is_there_first() {
    let messages = [("t", "t", ">a"), ("a", "h", "get Wx1"), ("b", "h", "get Rx1")];
    assert_eq!(by_saturation(&trace(&["h", "t"], Mailbox::Queue, &messages)).schedule, None);
    let messages = [("b", "h", "get Rx1"), ("t", "t", ">a"), ("a", "h", "get Wx1")];
    assert_eq!(by_saturation(&trace(&["h", "t"], Mailbox::Queue, &messages)).schedule, None);
}

/// Brute force, SAT and saturation on one trace.
fn check_all(trace: &Trace) -> Result<(), String> {
    let (run, witness, answer) = (find_run(trace), by_sat(trace), by_saturation(trace));
    match (run, witness, answer.schedule) {
        (Some(run), Some(witness), Some(schedule)) => {
            check_run(trace, &run)?;
            check_run(trace, &witness.schedule)?;
            check_run(trace, &schedule)?;
            check_orders(trace, &witness.orders, &witness.schedule)
        }
        (None, None, None) => Ok(()),
        (run, witness, schedule) => {
            Err(format!("brute force: {run:?}, by SAT: {witness:?}, by saturation: {schedule:?}"))
        }
    }
}

/// Every two messages that a handler took are in eo, and in mo and do if they were posted to a queue, each with a reason whose edges
/// are there: the trace's own, or those of orders that have a reason.
fn check_reasons(trace: &Trace) -> Result<(), String> {
    let answer = by_saturation(trace);
    let Some(orders) = Orders::of_run(trace, &answer) else { return Ok(()) };
    let all: Vec<Ordered> = orders.all().collect();
    let place: Vec<_> = {
        let schedule = answer.schedule.as_deref().unwrap_or_default();
        (0..trace.events.len()).map(|at| schedule.iter().position(|event| event.index() == at)).collect()
    };
    let given = fixed(trace);
    let kept: Vec<Edge> = answer
        .tree
        .iter()
        .flat_map(|node| &node.orders)
        .flat_map(|order| edges_of(trace, order.first, order.second))
        .collect();
    for Ordered { relation, first, second, reason } in &all {
        let (before, behind) = (trace.message(*first), trace.message(*second));
        let fail = |what: &str| Err(format!("{what}: {relation:?} of {} and {}: {reason:?}", before.name, behind.name));
        if let (Some(a), Some(b)) = (before.events.first(), behind.events.first())
            && place[a.index()] > place[b.index()]
        {
            return fail("not as the run has it");
        }
        let Reason::Path(path) = reason else { continue };
        let is_chain = path.windows(2).all(|pair| pair[0].to == pair[1].from);
        if path.is_empty() || !is_chain || !path.iter().all(|edge| given.contains(edge) || kept.contains(edge)) {
            return fail("no path");
        }
        let (from, to) = (path.first().map(|edge| edge.from), path.last().map(|edge| edge.to));
        let eo = (before.events.first().copied(), behind.events.last().copied());
        let eo_implied = (before.events.last().copied(), behind.events.first().copied());
        if ![eo, eo_implied, (before.post, behind.post)].contains(&(from, to)) {
            return fail("a path between others");
        }
    }
    for (a, first) in trace.messages.iter().enumerate() {
        for (b, second) in trace.messages.iter().enumerate().skip(a + 1) {
            if first.handler != second.handler || first.events.is_empty() || second.events.is_empty() {
                continue;
            }
            let (a, b) = (MessageIndex(a as u32), MessageIndex(b as u32));
            let found: Vec<Relation> = orders.between(a, b).into_iter().map(|ordered| ordered.relation).collect();
            let is_posted = first.post.is_some() && second.post.is_some();
            let is_queue = trace.handler(first.handler).mailbox == Mailbox::Queue;
            let expected: &[Relation] = match is_queue && is_posted {
                true => &[Relation::Eo, Relation::Do, Relation::Mo],
                false => &[Relation::Eo],
            };
            let listed = all.iter().filter(|o| [(a, b), (b, a)].contains(&(o.first, o.second))).count();
            if found != expected || listed != expected.len() {
                return Err(format!("{} and {} are in {found:?}, {listed} listed", first.name, second.name));
            }
        }
    }
    Ok(())
}

#[test]
fn every_order_of_a_run_has_its_reason() {
    for mailbox in Mailbox::ALL {
        for_all_traces(mailbox, TraceShape::default(), check_reasons);
        for_all_traces(mailbox, TraceShape { messages: 12, events: 30, nested: false }, check_reasons);
    }
}

/// Where po orders all messages, nothing is guessed.
#[test]
fn what_po_orders_needs_no_guess() {
    let ordered = std::cell::Cell::new(0);
    let check = |trace: &Trace| {
        let is_ordered = is_ordered_by_po(trace);
        ordered.set(ordered.get() + u32::from(is_ordered));
        match by_saturation(trace).tree.len() {
            1 => Ok(()),
            nodes if is_ordered => Err(format!("{nodes} nodes")),
            _ => Ok(()),
        }
    };
    for nested in [false, true] {
        for_all_traces(Mailbox::Queue, TraceShape { nested, ..TraceShape::default() }, check);
    }
    assert!(ordered.get() > 0);
}

#[test]
fn procedures_agree_with_brute_force_on_queues() {
    for_all_traces(Mailbox::Queue, TraceShape::default(), check_all);
}

#[test]
fn procedures_agree_with_brute_force_on_multisets() {
    for_all_traces(Mailbox::Multiset, TraceShape::default(), check_all);
}

#[test]
fn procedures_agree_with_brute_force_without_nested_posting() {
    for mailbox in Mailbox::ALL {
        for_all_traces(mailbox, TraceShape { nested: false, ..TraceShape::default() }, check_all);
    }
}

/// Whether the parts of a trace name each other as [`Trace`] says.
fn check_parts(trace: &Trace) {
    let messages = || (0..).map(MessageIndex).zip(&trace.messages);
    for (index, message) in messages() {
        for (place, &event) in message.events.iter().enumerate() {
            assert_eq!(trace.event(event).message, index);
            let is_get = place == 0 && !trace.handler(message.handler).is_thread;
            assert_eq!(trace.event(event).kind == Kind::Get, is_get);
        }
        if let Some(post) = message.post {
            assert_eq!(trace.event(post).kind, Kind::Post(index));
        }
    }
    assert_eq!(trace.messages.iter().map(|message| message.events.len()).sum::<usize>(), trace.events.len());
    for (index, event) in (0..).map(EventIndex).zip(&trace.events) {
        match event.kind {
            Kind::Get => {}
            Kind::Post(message) => assert_eq!(trace.message(message).post, Some(index)),
            Kind::Write { location, .. } => {
                assert_eq!(trace.co[location.index()].iter().filter(|&&write| write == index).count(), 1);
            }
            Kind::Read { location, value, source: None } => assert_eq!(value, trace.initial[location.index()]),
            Kind::Read { location, value, source: Some(source) } => {
                assert_eq!(trace.event(source).kind, Kind::Write { location, value });
            }
        }
    }
    let writes = trace.events.iter().filter(|event| matches!(event.kind, Kind::Write { .. })).count();
    assert_eq!(trace.co.iter().map(Vec::len).sum::<usize>(), writes);
}

#[test]
fn traces_fit_together_however_small_they_are_made() {
    let is_wrong = |trace: &Trace| find_run(trace).is_none();
    let mut made = 0;
    for seed in 0..60 {
        let trace = random_trace(seed, Mailbox::Queue, TraceShape::default());
        check_parts(&trace);
        if !is_wrong(&trace) {
            continue;
        }
        let small = smallest(trace, is_wrong);
        check_parts(&small);
        assert!(is_wrong(&small));
        let all = (0..small.events.len() as u32).map(EventIndex);
        assert!(!all.filter_map(|event| without(&small, event)).any(|smaller| is_wrong(&smaller)));
        made += 1;
    }
    assert!(made > 10, "{made}");
    check_parts(&Reduction::new(random_formula(1)).trace);
}

#[test]
fn what_is_no_run_is_refused() {
    let trace = contradiction(Mailbox::Multiset);
    let run = find_run(&trace).expect("a run");
    assert_eq!(check_run(&trace, &run[..run.len() - 1]), Err("the schedule ends too early".to_owned()));
    let mut backwards = run.clone();
    backwards.reverse();
    assert!(check_run(&trace, &backwards).is_err_and(|why| why.starts_with("step 0")));
    // Each exchange of two neighbours is a run only if they are of two messages.
    for at in 1..run.len() {
        let mut other = run.clone();
        other.swap(at - 1, at);
        let same = trace.event(run[at - 1]).message == trace.event(run[at]).message;
        assert!(!same || check_run(&trace, &other).is_err(), "{at}");
    }
    // As queues, the same is none.
    assert!(check_run(&contradiction(Mailbox::Queue), &run).is_err());
}

/// Larger than brute force can look at: what is said to be a run is one.
#[test]
fn witnesses_by_sat_of_large_traces_are_runs() {
    let shape = TraceShape { messages: 30, events: 120, nested: true };
    let seeds = seeds(300);
    let traces = seeds.clone().count();
    let mut consistent = 0;
    for mailbox in Mailbox::ALL {
        for seed in seeds.clone() {
            let trace = random_trace(seed, mailbox, shape);
            let Some(witness) = by_sat(&trace) else { continue };
            check_run(&trace, &witness.schedule).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{trace:#?}"));
            consistent += 1;
        }
    }
    assert!(consistent > traces / 5, "{consistent} of {}", 2 * traces);
}

/// Both answers are frequent, with all that traces may have, or the tests above say little.
#[test]
fn random_traces_are_of_all_kinds() {
    for mailbox in Mailbox::ALL {
        for nested in [true, false] {
            let shape = TraceShape { nested, ..TraceShape::default() };
            let traces: Vec<Trace> = (0..1_000).map(|seed| random_trace(seed, mailbox, shape)).collect();
            let share = |is: &dyn Fn(&Trace) -> bool| traces.iter().filter(|trace| is(trace)).count();
            let consistent = share(&|trace| by_sat(trace).is_some());
            assert!((300..=700).contains(&consistent), "{}: {consistent}", mailbox.keyword());
            let posts = |trace: &Trace, message: &Message| {
                message.events.iter().any(|&event| matches!(trace.event(event).kind, Kind::Post(_)))
            };
            let nests = share(&|trace| trace.messages.iter().any(|m| m.post.is_some() && posts(trace, m)));
            assert_eq!(nests > 100, nested, "{nests}");
            let left = share(&|trace| trace.messages.iter().any(|m| m.events.is_empty()));
            let threads = share(&|trace| trace.handlers.iter().any(|handler| handler.is_thread));
            let crowded = share(&|trace| {
                let taken =
                    |at| trace.messages.iter().filter(|m| m.handler.index() == at && !m.events.is_empty()).count();
                (0..trace.handlers.len()).any(|at| taken(at) > 2)
            });
            assert!(left > 200 && threads > 200 && crowded > 200, "{left} {threads} {crowded}");
        }
    }
}

/// Without fr, other traces are consistent: so fr is among the edges.
#[test]
fn from_read_matters() {
    // The read of the initial value comes before the write, which only fr says.
    let messages = [("t", "t", ">a >b"), ("a", "h", "get Wx1"), ("b", "h", "get Rx0")];
    let trace = trace(&["h", "t"], Mailbox::Queue, &messages);
    assert_eq!((find_run(&trace), by_sat(&trace)), (None, None));
    assert!(sat::without_from_read(&trace));
    let changed = |&seed: &u64| {
        let trace = random_trace(seed, Mailbox::Queue, TraceShape::default());
        by_sat(&trace).is_none() && sat::without_from_read(&trace)
    };
    let changed = (0..1_000).filter(changed).count();
    assert!(changed > 20, "{changed}");
}

/// Formulas: clauses, whether they can be satisfied, messages, events.
const FORMULAS: [(&str, bool, usize, usize); 6] = [
    ("(1 2)", true, 21, 58),
    ("(1 2) (-1 -2)", true, 36, 106),
    ("(1 2) (-1 2) (1 -2)", true, 51, 154),
    ("(1 2) (-1 2) (1 -2) (-1 -2)", false, 66, 202),
    ("(1 2 3) (-1 -2) (-2 -3)", true, 64, 188),
    ("(1 2) (-1 3) (-2 -3) (1 -3)", true, 76, 222),
];

/// Whether a formula can be satisfied, by a table of all values.
fn by_table(formula: &Formula) -> bool {
    let variables = formula.variables();
    (0..1u32 << variables).any(|row| formula.holds(&(0..variables).map(|at| row >> at & 1 == 1).collect::<Vec<_>>()))
}

fn check_reduction(formula: Formula, decide: impl Fn(&Trace) -> Option<Vec<EventIndex>>) -> Result<(), String> {
    let expected = by_table(&formula);
    let reduction = Reduction::new(formula);
    let schedule = decide(&reduction.trace);
    if schedule.is_some() != expected {
        return Err(format!("{}: satisfiable {expected}, but {schedule:?}", reduction.formula));
    }
    let Some(schedule) = schedule else { return Ok(()) };
    check_run(&reduction.trace, &schedule)?;
    let values = reduction.values(&schedule);
    if reduction.formula.holds(&values) { Ok(()) } else { Err(format!("{}: {values:?}", reduction.formula)) }
}

#[test]
fn formulas_are_traces() {
    for (text, satisfiable, messages, events) in FORMULAS {
        let formula = Formula::parse(text).expect("a formula");
        assert_eq!((formula.to_string().as_str(), by_table(&formula)), (text, satisfiable));
        let reduction = Reduction::new(formula.clone());
        assert_eq!((reduction.trace.messages.len(), reduction.trace.events.len()), (messages, events), "{text}");
        let names: BTreeSet<_> = reduction.trace.messages.iter().map(|message| &message.name).collect();
        assert_eq!(names.len(), messages);
        check_reduction(formula.clone(), |trace| by_sat(trace).map(|witness| witness.schedule)).unwrap();
        check_reduction(formula, |trace| by_saturation(trace).schedule).unwrap();
    }
}

fn random_formula(seed: u64) -> Formula {
    let mut random = Random::new(seed);
    let variables = 2 + random.below(2) as i32;
    let clauses = 1 + random.below(5);
    let clause = |_| {
        let mut literals: Vec<i32> = (1..=variables).collect();
        random.shuffle(&mut literals);
        literals.truncate(2 + random.below(2) as usize);
        literals.iter().map(|&literal| if random.below(2) == 0 { literal } else { -literal }).collect()
    };
    Formula::new((0..clauses).map(clause).collect()).expect("a formula")
}

#[test]
fn random_formulas_are_decided() {
    for seed in seeds(300) {
        let checked = check_reduction(random_formula(seed), |trace| by_sat(trace).map(|witness| witness.schedule));
        checked.unwrap_or_else(|why| panic!("seed {seed}, by SAT: {why}"));
        let checked = check_reduction(random_formula(seed), |trace| by_saturation(trace).schedule);
        checked.unwrap_or_else(|why| panic!("seed {seed}, by saturation: {why}"));
    }
}

#[test]
fn bad_formulas_are_refused_where_they_are_bad() {
    let cases = [
        ("", (1, 1), "There is no clause"),
        ("(1 2", (1, 1), "does not end"),
        ("(1 2)\n (1 (2", (2, 5), "inside another"),
        ("(1 2))", (1, 6), "No clause is open"),
        ("1 2", (1, 1), "belong in a clause"),
        ("(1 2) (1)", (1, 7), "has 1."),
        ("(1, 2, 3, 4)", (1, 1), "has 4."),
        ("(1 -1)", (1, 1), "Variable 1 is in this clause twice"),
        ("(0 1)", (1, 2), "from 1 to 50"),
        ("(1 x)", (1, 4), "from 1 to 50"),
        ("(1 99999999999999)", (1, 4), "from 1 to 50"),
        ("(-2147483648 1)", (1, 2), "from 1 to 50"),
    ];
    for (text, place, part) in cases {
        let error = Formula::parse(text).expect_err(text);
        assert_eq!((error.span.line, error.span.column), place, "{text}: {error}");
        assert!(error.message.contains(part), "{text}: {error}");
    }
    let many = "(1 2)".repeat(MAX_CLAUSES + 1);
    assert_eq!(Formula::parse(&many).expect_err("many").span.start as usize, 5 * MAX_CLAUSES);
    assert!(Formula::new(vec![vec![1, 0]]).is_err() && Formula::new(Vec::new()).is_err());
    assert!(Formula::new(vec![vec![1, 2]; MAX_CLAUSES + 1]).is_err());
    assert_eq!(Formula::parse("( 1,-2 )(2 3 -1)").map(|formula| formula.to_string()).as_deref(), Ok("(1 -2) (2 3 -1)"));
}

#[test]
fn a_search_by_sat_stops_and_goes_on() {
    let formula = Formula::parse(FORMULAS[3].0).expect("a formula");
    let trace = Reduction::new(formula).trace;
    let mut budget = Budget::unlimited();
    assert_eq!(decide_by_sat(&trace, &mut Meter::new(100, 0, &mut budget)), Ok(SatAnswer::Undecided));
    assert_eq!(decide_by_sat(&trace, &mut Meter::unlimited(&mut Budget::of(0))), Err(Paused));

    let mut unlimited = Budget::unlimited();
    let mut search = SatSearch::new(&trace, &mut Meter::unlimited(&mut unlimited)).expect("enough room");
    let mut pauses = 0;
    let answer = loop {
        match search.run(&mut Meter::unlimited(&mut Budget::of(1 << 12))) {
            Err(Halt::Paused) => pauses += 1,
            other => break other,
        }
    };
    assert_eq!(answer, Ok(None));
    assert!(pauses > 0 && search.rounds() > 0, "{pauses} pauses, {} rounds", search.rounds());
}
