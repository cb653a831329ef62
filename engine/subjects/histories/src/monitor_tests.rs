//! The monitors of stacks and queues: vectors, and against brute force and each other.
//!
//! [`seeds`] says which.

use super::complete::points;
use super::history::{Action, History, Moment, Object, Operation, OperationIndex, ThreadIndex, ValueIndex};
use super::*;
use crate::budget::{Budget, Paused};
use crate::random::Random;
use litmoscope_core::testing::seeds;
use std::collections::HashSet;

/// `!a[0,2] ?a[6,11] ?-[3,4] ?*[5,] ?b[7,]`: pushes, pops, a pop that found nothing, one that is pending, one that takes b if it takes
/// effect. Each operation has a thread of its own.
fn history(text: &str) -> History {
    let (mut history, mut times) = (History::default(), Vec::new());
    for (thread, word) in text.split_whitespace().enumerate() {
        let (name, interval) = word[1..].trim_end_matches(']').split_once('[').unwrap();
        let (call, ret) = interval.split_once(',').unwrap();
        times.push((call.parse().unwrap(), ret.parse().ok()));
        let action = match (&word[..1], name) {
            ("?", "-") => Action::RemoveNothing,
            ("?", "*") => Action::RemoveAny,
            ("?", name) => Action::Remove(ValueIndex(history.values.number(name))),
            (_, name) => Action::Insert(ValueIndex(history.values.number(name))),
        };
        history.operations.push(operation(thread as u32, action));
    }
    history.settle(&times);
    history
}

fn operation(thread: u32, action: Action) -> Operation {
    Operation { thread: ThreadIndex(thread), action, call: Moment(0), ret: None, line: 0 }
}

/// `name:(call,ret,call,ret)`, as the paper's examples are written here.
fn quadruples(text: &str) -> History {
    let mut words = Vec::new();
    for value in text.split_whitespace() {
        let (name, numbers) = value.trim_end_matches(')').split_once(":(").unwrap();
        let numbers: Vec<&str> = numbers.split(',').collect();
        words.push(format!("!{name}[{},{}] ?{name}[{},{}]", numbers[0], numbers[1], numbers[2], numbers[3]));
    }
    history(&words.join(" "))
}

/// As [`history`] reads it, with moments for times.
fn text(history: &History) -> String {
    let mut words = Vec::new();
    for (_, about) in history.indexed() {
        let what = match about.action {
            Action::Insert(value) => format!("!{}", history.value(value)),
            Action::Remove(value) => format!("?{}", history.value(value)),
            Action::RemoveAny => "?*".to_owned(),
            _ => "?-".to_owned(),
        };
        words.push(format!("{what}[{},{}]", about.call.0, about.ret.map_or(String::new(), |ret| ret.0.to_string())));
    }
    words.join(" ")
}

/// What an operation does to a stack or queue (the last is what is removed next), if it can.
fn apply(object: Object, action: Action, contents: &mut Vec<ValueIndex>) -> Result<Option<ValueIndex>, ()> {
    match action {
        Action::Insert(value) if object == Object::Stack => contents.push(value),
        Action::Insert(value) => contents.insert(0, value),
        Action::Remove(value) => (contents.pop() == Some(value)).then_some(()).ok_or(())?,
        Action::RemoveAny => return contents.pop().map(Some).ok_or(()),
        _ => contents.is_empty().then_some(()).ok_or(())?,
    }
    Ok(None)
}

/// Whether the operations can take effect one after the other: tries all orders.
fn is_linearizable(object: Object, history: &History) -> bool {
    let operations = &history.operations;
    let mut seen = HashSet::new();
    let mut todo = vec![(0u32, Vec::new())];
    while let Some((done, contents)) = todo.pop() {
        let left = || operations.iter().enumerate().filter(|(at, _)| done >> at & 1 == 0);
        let Some(first) = left().filter_map(|(_, about)| about.ret).min() else { return true };
        for (at, about) in left().filter(|(_, about)| about.call < first) {
            let mut contents = contents.clone();
            if apply(object, about.action, &mut contents).is_ok() && seen.insert((done | 1 << at, contents.clone())) {
                todo.push((done | 1 << at, contents));
            }
        }
    }
    false
}

/// Replays a linearization.
fn check_linearization(object: Object, history: &History, linearization: &Linearization) -> Result<(), String> {
    let (mut seen, mut contents, mut last) = (HashSet::new(), Vec::new(), Moment(0));
    for point in &linearization.points {
        let about = history.operation(point.operation);
        if !seen.insert(point.operation) {
            return Err(format!("{point:?} twice"));
        }
        if point.after < last || point.after < about.call || about.ret.is_some_and(|ret| ret <= point.after) {
            return Err(format!("{point:?} at the wrong time"));
        }
        last = point.after;
        if apply(object, about.action, &mut contents) != Ok(point.takes) {
            return Err(format!("{point:?} cannot be"));
        }
    }
    let left = history.indexed().find(|(operation, about)| about.ret.is_some() && !seen.contains(operation));
    left.map_or(Ok(()), |left| Err(format!("{left:?} never takes effect")))
}

fn unlimited() -> Budget {
    Budget::unlimited()
}

fn by_published(history: &History) -> (Answer, StackTree) {
    judge_stack_as_published(history, &mut unlimited()).unwrap()
}

fn by_steps(history: &History) -> (Answer, Vec<StackStep>) {
    judge_stack_in_steps(history, &mut unlimited()).unwrap()
}

fn by_tree(history: &History) -> (Answer, Option<QueueTrace>) {
    judge_queue_by_tree(history, &mut unlimited()).unwrap()
}

fn judge(object: Object, history: &History, budget: &mut Budget) -> Result<Answer, Paused> {
    if object == Object::Stack { judge_stack(history, budget) } else { judge_queue(history, budget) }
}

fn answer(object: Object, history: &History) -> Answer {
    judge(object, history, &mut unlimited()).unwrap()
}

/// All monitors of an object: they agree, and each yes replays.
fn monitored(object: Object, history: &History) -> Result<bool, String> {
    let fast = answer(object, history);
    let other = if object == Object::Stack {
        let (published, tree) = by_published(history);
        let (stepped, steps) = by_steps(history);
        let expected: Vec<StackStep> = tree.nodes.iter().map(|node| node.step.clone()).collect();
        if steps != expected || stepped != fast || published != fast {
            return Err(format!("published {published:?} {tree:#?}, fast {fast:?}, {steps:#?}"));
        }
        published
    } else {
        by_tree(history).0
    };
    for answer in [&fast, &other] {
        if let Answer::Linearizable(linearization) = answer {
            check_linearization(object, history, linearization)?;
        }
    }
    match (&fast, &other) {
        (Answer::Linearizable(_), Answer::Linearizable(_)) => Ok(true),
        (Answer::Not(_), Answer::Not(_)) => Ok(false),
        _ => Err(format!("{fast:?}, {other:?}")),
    }
}

fn value(history: &History, name: &str) -> ValueIndex {
    ValueIndex(history.values.find(name).unwrap())
}

fn names(history: &History, values: &[ValueIndex]) -> String {
    values.iter().map(|&value| history.value(value)).collect::<Vec<_>>().join(" ")
}

const S1: &str = "!a[0,2] !b[1,5] !c[3,7] !d[4,9] ?a[6,11] ?b[8,13] ?c[10,14] ?d[12,15]";
const S2: &str = "!a[0,2] !b[1,5] !c[3,7] !d[4,9] ?a[6,11] ?b[8,12] ?c[10,14] ?d[13,15]";
const S10: &str = "0:(0,6,31,35) 1:(1,4,32,33) 2:(2,5,9,12) 3:(3,7,8,11) 4:(14,15,18,22) 5:(13,17,19,20) 6:(23,24,27,30) \
    7:(21,25,28,29) 8:(10,16,26,34)";
const Q7: &str = "!v3[0,1] !v0[2,3] ?v3[4,6] !v1[5,11] !v2[7,8] ?v2[9,10] ?v1[12,15] ?v0[13,14]";
const Q8: &str =
    "0:(6,12,21,23) 1:(3,5,10,13) 2:(1,2,7,9) 3:(4,8,22,25) 4:(15,17,24,27) 5:(11,14,16,19) 6:(18,20,26,28)";

#[test]
fn stacks_of_the_paper_and_around_it() {
    let cases = [
        (S1, true),
        (S2, false),
        ("!a[0,1] !b[2,3] ?a[4,5] ?b[6,7]", false),
        ("!a[0,2] ?a[1,3] !b[4,6] ?b[5,7]", true),
        ("?a[0,1] !a[2,3]", false),
        ("!1[0,1] ?1[2,3] ?1[4,5]", false),
        ("!1[0,1] !2[2,3] ?1[4,5]", false),
        ("!a[0,1] ?-[2,3] ?a[4,5]", false),
        ("!a[0,3] ?-[1,2] ?a[4,5]", true),
        ("!a[0,1] ?a[2,5] ?-[3,4]", true),
        ("!a[0,1] ?-[2,3]", false),
        ("!a[0,1] !b[3,5] ?a[2,7] ?-[4,6] ?b[8,9]", true),
        ("!a[0,1] !b[2,4] ?a[3,7] ?-[5,6] ?b[8,9]", false),
        ("!b[0,1] !a[2,5] ?a[3,4] ?b[6,7]", true),
        // One value is around all others, but must not be when nothing is found.
        ("!b[0,10] !a[1,2] ?a[3,4] ?-[5,6] ?b[12,20] !c[15,16] ?c[17,18]", true),
        ("", true),
    ];
    for (text, expected) in cases {
        let history = history(text);
        assert_eq!(is_linearizable(Object::Stack, &history), expected, "{text}");
        assert_eq!(monitored(Object::Stack, &history), Ok(expected), "{text}");
    }
    let history = quadruples(S10);
    assert_eq!((is_linearizable(Object::Stack, &history), monitored(Object::Stack, &history)), (true, Ok(true)));
}

#[test]
fn queues_of_the_paper_and_around_it() {
    let cases = [
        ("!a[0,1] !b[2,3] ?b[4,5] ?a[6,7]", false),
        ("!a[0,1] !b[2,3] ?a[4,5] ?b[6,7]", true),
        ("!a[0,1] !b[2,3] ?b[4,5]", false),
        ("!a[0,1] ?-[2,3] ?a[4,5]", false),
        ("!a[0,3] !b[1,2] ?b[4,5] ?a[6,7]", true),
        ("!b[0,1] !a[2,5] ?a[3,4] ?b[6,7]", false),
        (Q7, false),
        ("", true),
    ];
    for (text, expected) in cases {
        let history = history(text);
        assert_eq!(is_linearizable(Object::Queue, &history), expected, "{text}");
        assert_eq!(monitored(Object::Queue, &history), Ok(expected), "{text}");
    }
    let history = history(Q7);
    let critical = Violation::Critical { around: value(&history, "v0"), inside: value(&history, "v2") };
    assert_eq!(answer(Object::Queue, &history), Answer::Not(critical.clone()));
    assert_eq!(by_tree(&history).0, Answer::Not(critical));
}

/// Each node as: what it has, the moments between which something is surely in, what is done.
fn told(history: &History, tree: &StackTree) -> Vec<String> {
    let tell = |node: &StackNode| {
        let step = match &node.step {
            StackStep::Extreme(values) => format!("extreme {}", names(history, values)),
            StackStep::Split(from, to) => format!("split {} {}", from.0, to.0),
            StackStep::Stuck(values) => format!("stuck {}", names(history, values)),
        };
        let populated: Vec<String> = node.populated.iter().map(|(from, to)| format!("{}-{}", from.0, to.0)).collect();
        format!("{} | {} | {step}", names(history, &node.values), populated.join(" "))
    };
    tree.nodes.iter().map(tell).collect()
}

#[test]
fn the_stack_of_the_caption_step_by_step() {
    let history = history(S1);
    let (answer, tree) = by_published(&history);
    let expected = [
        "a b c d | 2-12 | extreme b",
        "a c d | 2-6 7-12 | split 6 7",
        "a | 2-6 | extreme a",
        "c d | 7-12 | extreme c d",
    ];
    assert_eq!(told(&history, &tree), expected);
    assert_eq!(tree.roots, [0]);
    let parents: Vec<_> = tree.nodes.iter().map(|node| node.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(1)]);
    let children: Vec<_> = tree.nodes.iter().map(|node| node.children.as_slice()).collect();
    assert_eq!(children, [&[1][..], &[2, 3], &[], &[]]);
    let Answer::Linearizable(linearization) = answer else { panic!("{answer:?}") };
    let order: Vec<String> = linearization
        .points
        .iter()
        .map(|point| match history.operation(point.operation).action {
            Action::Insert(value) => format!("!{}", history.value(value)),
            Action::Remove(value) => format!("?{}", history.value(value)),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(order.join(" "), "!b !a ?a !c !d ?d ?c ?b");
}

#[test]
fn the_recursion_of_the_figure() {
    let history = quadruples(S10);
    let (_, tree) = by_published(&history);
    let steps: Vec<String> =
        told(&history, &tree).iter().map(|node| node.rsplit(" | ").next().unwrap().to_owned()).collect();
    let expected =
        ["extreme 1 0", "split 9 15", "extreme 2 3", "extreme 8", "split 19 24", "extreme 4 5", "extreme 6 7"];
    assert_eq!(steps, expected);
    let values: Vec<String> = tree.nodes.iter().map(|node| names(&history, &node.values)).collect();
    assert_eq!(values, ["1 2 0 3 4 8 5 6 7", "2 3 4 8 5 6 7", "2 3", "4 8 5 6 7", "4 5 6 7", "4 5", "6 7"]);
}

#[test]
fn what_a_stack_is_stuck_at() {
    let history = history(S2);
    let answer = answer(Object::Stack, &history);
    let of = |name| value(&history, name);
    // !a[0,2] returned before the other pushes but b's, ?d[13,15] was called behind the other pops but c's.
    let push = |_| Obstacle::Push(OperationIndex(0));
    let pop = |_| Obstacle::Pop(OperationIndex(7));
    let values = vec![(of("a"), pop(0)), (of("b"), pop(0)), (of("c"), push(0)), (of("d"), push(0))];
    let chain = vec![of("a"), of("b"), of("c"), of("d")];
    let Answer::Not(Violation::Stuck { values: found, chain: links }) = answer else { panic!("{answer:?}") };
    assert_eq!(found, values);
    // a [2,6], b [5,8], c [7,10], d [9,13].
    assert_eq!(links, chain);
    for name in ["a", "b", "c", "d"] {
        assert_eq!(monitored(Object::Stack, &without(&history, of(name))), Ok(true), "without {name}");
    }
}

#[test]
fn the_queue_tree_of_the_figure() {
    let history = quadruples(Q8);
    let (answer, trace) = by_tree(&history);
    let critical = Violation::Critical { around: value(&history, "3"), inside: value(&history, "5") };
    assert_eq!(
        (&answer, &super::monitor_tests::answer(Object::Queue, &history)),
        (&Answer::Not(critical.clone()), &Answer::Not(critical))
    );
    let trace = trace.unwrap();
    // The figure counts from 1.
    let nodes: Vec<_> = trace
        .tree
        .nodes
        .iter()
        .map(|node| {
            (history.value(node.value), node.left.0 + 1, node.right.0 + 1, node.high.0 + 1, node.ltree, node.rtree)
        })
        .collect();
    let expected = [
        ("0", 12, 21, 26, Some(1), Some(4)),
        ("1", 5, 10, 22, Some(2), Some(3)),
        ("2", 2, 7, 7, None, None),
        ("3", 8, 22, 22, None, None),
        ("4", 17, 24, 26, Some(5), Some(6)),
        ("5", 14, 16, 16, None, None),
        ("6", 20, 26, 26, None, None),
    ];
    assert_eq!(nodes, expected);
    let (place, search) = trace.found.unwrap();
    assert_eq!(history.value(trace.pairs[place].value), "5");
    let visit = |node, probe| QueueVisit { node, probe };
    assert_eq!(search.path, [visit(0, None), visit(1, Some(2)), visit(3, None)]);
    assert_eq!(search.found, Some(3));
    let within: Vec<&str> = trace
        .pairs
        .iter()
        .filter(|pair| trace.tree.search(pair.outer()).found.is_some())
        .map(|pair| history.value(pair.value))
        .collect();
    assert_eq!(within, ["5"]);
}

#[test]
fn what_is_refused_at_once() {
    let history = |text| history(text);
    let op = OperationIndex;
    for object in [Object::Stack, Object::Queue] {
        let twice = Violation::RemovedTwice { first: op(1), second: op(2) };
        assert_eq!(answer(object, &history("!1[0,1] ?1[2,3] ?1[4,5]")), Answer::Not(twice));
        let never = Violation::NeverInserted { operation: op(0) };
        assert_eq!(answer(object, &history("?1[2,3]")), Answer::Not(never));
        let early = Violation::RemovedBeforeInserted { removal: op(0), insertion: op(1) };
        assert_eq!(answer(object, &history("?1[2,3] !1[4,5]")), Answer::Not(early));
        let again = Undecided::InsertedTwice { first: op(0), second: op(2) };
        assert_eq!(answer(object, &history("!1[0,1] ?1[2,3] !1[4,5] ?1[6,7]")), Answer::Unknown(again));
        let mut register = history("!1[0,1]");
        register.operations[0].action = Action::Read(ValueIndex(0));
        let unknown = Undecided::NotMonitored { operation: op(0) };
        assert_eq!(answer(object, &register), Answer::Unknown(unknown));
        let full = history("!a[0,1] !b[2,5] ?a[4,9] ?-[3,8] ?b[7,10]");
        let chain = vec![value(&full, "a"), value(&full, "b")];
        assert_eq!(monitored(object, &full), Ok(true));
        let full = history("!a[0,1] !b[2,4] ?a[5,9] ?-[3,8] ?b[10,11]");
        assert_eq!(answer(object, &full), Answer::Not(Violation::NeverEmpty { removal: op(2), chain }));
    }
}

/// Equal times, what is pending, and what returns later.
#[test]
fn what_is_pending_may_have_happened() {
    let cases = [
        // A push that has not returned was popped.
        ("!a[0,] ?a[1,2]", true, true),
        ("?a[1,2] !a[3,]", false, false),
        // One that nobody popped may not have happened.
        ("!a[0,1] !b[2,] ?a[4,5] ?-[6,7]", true, true),
        // A pending pop took what is in the way, or what is not there.
        ("!a[0,1] !b[2,3] ?*[4,] ?a[5,6]", true, true),
        ("!a[0,1] !b[2,3] ?*[4,] ?b[5,6]", true, true),
        ("!a[0,1] !b[2,3] ?*[4,] ?-[5,6]", false, false),
        ("!a[0,1] !b[2,3] ?*[4,] ?*[5,] ?-[6,7]", true, true),
        ("!a[0,1] ?-[2,3] ?*[4,]", false, false),
        // The upper of two, the lower stays.
        ("!v[0,1] !a[2,3] !w[4,5] ?*[6,] ?a[7,8]", true, true),
        // It is known what it takes.
        ("!a[0,1] !b[2,3] ?b[4,] ?a[5,6]", true, true),
        ("!a[0,1] !b[2,3] ?a[4,] ?b[5,6]", true, true),
        ("!a[0,1] ?a[2,] ?a[3,4]", true, true),
        // But something else may have taken that.
        ("!a[0,1] ?*[2,] ?-[3,4] ?a[5,]", true, true),
        ("!a[0,1] !b[2,3] ?*[4,] ?b[5,6] ?-[7,8] ?a[9,]", true, true),
        ("?a[2,]", true, true),
        // At the same time, a push may come before a pop that finds nothing, or behind.
        ("!a[0,1] ?-[1,2] ?a[3,4]", true, true),
    ];
    for (text, stack, queue) in cases {
        let history = history(text);
        for (object, expected) in [(Object::Stack, stack), (Object::Queue, queue)] {
            assert_eq!(is_linearizable(object, &history), expected, "{object:?} {text}");
            assert_eq!(monitored(object, &history), Ok(expected), "{object:?} {text}");
        }
    }
}

/// All orders of the calls and returns of n operations, numbered by their calls: as the operation of each event.
fn interleavings(n: usize) -> Vec<Vec<usize>> {
    let (mut all, mut todo) = (Vec::new(), vec![(Vec::new(), 0, Vec::new())]);
    while let Some((events, called, open)) = todo.pop() {
        if called == n && open.is_empty() {
            all.push(events.clone());
        }
        let with = |operation| events.iter().copied().chain([operation]).collect::<Vec<usize>>();
        if called < n {
            todo.push((with(called), called + 1, open.iter().copied().chain([called]).collect()));
        }
        for &returning in &open {
            todo.push((with(returning), called, open.iter().copied().filter(|&other| other != returning).collect()));
        }
    }
    all
}

/// All ways in which n operations insert values of their own, remove one of them each, or find nothing.
fn labelings(n: usize) -> Vec<Vec<Action>> {
    let mut all = Vec::new();
    for pushes in 0..1u32 << n {
        let is_push = |at: usize| pushes >> at & 1 == 1;
        let mut partial: Vec<Vec<Action>> = vec![Vec::new()];
        for at in 0..n {
            let mut longer = Vec::new();
            for actions in partial {
                let more = |action| actions.iter().copied().chain([action]).collect::<Vec<_>>();
                if is_push(at) {
                    longer.push(more(Action::Insert(ValueIndex(at as u32))));
                    continue;
                }
                longer.push(more(Action::RemoveNothing));
                for pushed in (0..n).filter(|&pushed| is_push(pushed)) {
                    let pop = Action::Remove(ValueIndex(pushed as u32));
                    if !actions.contains(&pop) {
                        longer.push(more(pop));
                    }
                }
            }
            partial = longer;
        }
        all.extend(partial);
    }
    all
}

#[test]
fn all_histories_of_up_to_four_operations() {
    let expected = [(2, 2, 2), (18, 16, 16), (300, 244, 236), (7_980, 5_768, 5_440)];
    for (n, expected) in (1..).zip(expected) {
        let mut counts = (0, 0, 0);
        let labelings = labelings(n);
        for events in interleavings(n) {
            for actions in &labelings {
                let mut history = History::default();
                for (at, &action) in actions.iter().enumerate() {
                    history.values.number(&at.to_string());
                    let mut about = operation(at as u32, action);
                    let mut moments =
                        (0..).map(Moment).zip(&events).filter(|(_, of)| **of == at).map(|(moment, _)| moment);
                    (about.call, about.ret) = (moments.next().unwrap(), moments.next());
                    history.operations.push(about);
                }
                history.times = (0..2 * n as i64).collect();
                counts.0 += 1;
                counts.1 += u32::from(monitored(Object::Stack, &history).unwrap());
                counts.2 += u32::from(monitored(Object::Queue, &history).unwrap());
            }
        }
        assert_eq!(counts, expected);
    }
}

/// What random histories have.
#[derive(Clone, Copy)]
struct Shape {
    /// At most so many operations.
    operations: u64,
    /// At most so many are pending; one at least, if not 0.
    pending: u64,
    /// Whether removals find nothing.
    empty: bool,
    /// Whether every value is removed.
    matched: bool,
}

/// A run of an object, whose operations last a while around the moment of their effect; some then get other results.
fn random_history(seed: u64, object: Object, shape: Shape) -> History {
    let mut random = Random::new(seed);
    let n = shape.operations / 3 + random.below(shape.operations - shape.operations / 3 + 1);
    let spread = [3, 8, 20, 60][random.below(if shape.operations > 20 { 4 } else { 3 }) as usize];
    let (mut history, mut times, mut contents) = (History::default(), Vec::new(), Vec::new());
    let mut now = 0;
    let mut push = |history: &mut History, random: &mut Random, action| {
        now += random.below(10) as i64;
        history.operations.push(operation(history.operations.len() as u32, action));
        times.push((now - random.below(spread) as i64, Some(now + random.below(spread) as i64)));
    };
    while (history.operations.len() as u64) < n {
        let action = match random.below(5) {
            0 | 1 if !contents.is_empty() => Action::RemoveAny,
            0 if shape.empty => Action::RemoveNothing,
            _ => Action::Insert(ValueIndex(history.values.number(&format!("v{}", history.operations.len())))),
        };
        let Ok(taken) = apply(object, action, &mut contents) else { continue };
        push(&mut history, &mut random, taken.map_or(action, Action::Remove));
    }
    while shape.matched
        && let Ok(Some(taken)) = apply(object, Action::RemoveAny, &mut contents)
    {
        push(&mut history, &mut random, Action::Remove(taken));
    }
    // Two operations exchange what they did; or one is much longer.
    for _ in 0..random.below(8) {
        let [one, other] = [0; 2].map(|_| random.below(history.operations.len() as u64) as usize);
        if random.below(2) == 0 {
            let action = history.operations[one].action;
            history.operations[one].action = history.operations[other].action;
            history.operations[other].action = action;
        } else {
            times[one].0 = times[one].0.min(times[other].0);
            times[one].1 = times[one].1.max(times[other].1);
        }
    }
    if shape.pending > 0 {
        for _ in 0..1 + random.below(shape.pending) {
            let at = random.below(times.len() as u64) as usize;
            times[at].1 = None;
            history.operations[at].action = match history.operations[at].action {
                Action::Remove(_) if random.below(3) > 0 => Action::RemoveAny,
                Action::RemoveNothing => Action::RemoveAny,
                other => other,
            };
        }
    }
    history.settle(&times);
    history
}

/// Only some operations.
fn only(history: &History, is_kept: impl Fn(OperationIndex, &Operation) -> bool) -> History {
    let mut fewer = history.clone();
    let kept = |(index, about): &(OperationIndex, &Operation)| is_kept(*index, about);
    fewer.operations = history.indexed().filter(kept).map(|(_, about)| *about).collect();
    let of = |moment: Moment| i64::from(moment.0);
    let times: Vec<_> = fewer.operations.iter().map(|about| (of(about.call), about.ret.map(of))).collect();
    fewer.settle(&times);
    fewer
}

fn has(about: &Operation, value: ValueIndex) -> bool {
    matches!(about.action, Action::Insert(other) | Action::Remove(other) if other == value)
}

fn without(history: &History, value: ValueIndex) -> History {
    only(history, |_, about| !has(about, value))
}

/// Runs a check on random histories; where it fails, leaves operations out while it does.
fn for_all_histories(object: Object, shape: Shape, usual: u64, check: impl Fn(&History) -> Result<(), String>) {
    for seed in seeds(usual) {
        let mut history = random_history(seed, object, shape);
        if check(&history).is_ok() {
            continue;
        }
        let mut at = 0;
        while at < history.operations.len() {
            let fewer = only(&history, |operation, _| operation.index() != at);
            if check(&fewer).is_err() {
                history = fewer;
                at = 0;
            } else {
                at += 1;
            }
        }
        panic!("{object:?} seed {seed}: {}\n{}", text(&history), check(&history).unwrap_err());
    }
}

const BOTH: [Object; 2] = [Object::Stack, Object::Queue];
const SMALL: Shape = Shape { operations: 9, pending: 0, empty: true, matched: false };

fn against_brute_force(shape: Shape, usual: u64) {
    for object in BOTH {
        let yes = std::cell::Cell::new(0);
        for_all_histories(object, shape, usual, |history| {
            let expected = is_linearizable(object, history);
            yes.set(yes.get() + u64::from(expected));
            let found = monitored(object, history)?;
            if found == expected { Ok(()) } else { Err(format!("brute force says {expected}, monitors {found}")) }
        });
        let all = seeds(usual).count() as u64;
        assert!(all < 100 || (all / 5..all * 9 / 10).contains(&yes.get()), "{object:?}: {} of {all}", yes.get());
    }
}

#[test]
fn monitors_are_right() {
    against_brute_force(SMALL, 4_000);
}

#[test]
fn monitors_are_right_where_something_is_pending() {
    against_brute_force(Shape { pending: 2, ..SMALL }, 4_000);
    against_brute_force(Shape { operations: 12, pending: 5, ..SMALL }, 500);
}

#[test]
fn monitors_agree_on_longer_histories() {
    let shape = Shape { operations: 150, ..SMALL };
    for (object, pending) in [(Object::Stack, 0), (Object::Stack, 6), (Object::Queue, 0), (Object::Queue, 6)] {
        for_all_histories(object, Shape { pending, ..shape }, 500, |history| monitored(object, history).map(|_| ()));
    }
}

/// An order of moments the other way round, with insertions for removals.
fn reversed(history: &History) -> History {
    let mut reversed = history.clone();
    let last = 2 * history.operations.len() as u32 - 1;
    for about in &mut reversed.operations {
        (about.call, about.ret) = (Moment(last - about.ret.unwrap().0), Some(Moment(last - about.call.0)));
        about.action = match about.action {
            Action::Insert(value) => Action::Remove(value),
            Action::Remove(value) => Action::Insert(value),
            other => other,
        };
    }
    reversed.operations.sort_unstable_by_key(|about| about.call);
    reversed
}

#[test]
fn time_may_run_backwards() {
    for object in BOTH {
        for_all_histories(object, Shape { operations: 40, matched: true, ..SMALL }, 2_000, |history| {
            let has_all = (0..history.values.len() as u32).map(ValueIndex).all(|value| {
                let operations = history.operations.iter().filter(|about| has(about, value)).count();
                operations == 0 || operations == 2
            });
            let (forwards, backwards) = (monitored(object, history)?, monitored(object, &reversed(history))?);
            // Made smaller, a history may have lost an operation of a value.
            if !has_all || forwards == backwards { Ok(()) } else { Err(format!("{forwards}, {backwards}")) }
        });
    }
}

#[test]
fn stretching_and_leaving_out_turn_no_yes_into_no() {
    for object in BOTH {
        for (pending, operations) in [(0, 30), (2, 12)] {
            for_all_histories(object, Shape { operations, pending, ..SMALL }, 500, |history| {
                if !monitored(object, history)? {
                    return Ok(());
                }
                for value in (0..history.values.len() as u32).map(ValueIndex) {
                    if !monitored(object, &without(history, value))? {
                        return Err(format!("not without {}", history.value(value)));
                    }
                }
                for at in 0..history.operations.len() {
                    let mut longer = history.clone();
                    let of = |moment: Moment| i64::from(moment.0);
                    let mut times: Vec<_> =
                        longer.operations.iter().map(|about| (of(about.call), about.ret.map(of))).collect();
                    times[at] = (times[at].0 - 4, times[at].1.map(|ret| ret + 4));
                    longer.settle(&times);
                    if !monitored(object, &longer)? {
                        return Err(format!("not with {at} longer"));
                    }
                }
                Ok(())
            });
        }
    }
}

/// Operations that a reason names are not linearizable by themselves.
fn check_violation(object: Object, history: &History, violation: &Violation) -> Result<(), String> {
    let (values, operations) = match violation {
        &Violation::RemovedTwice { first, second } => (Vec::new(), vec![first, second]),
        &Violation::NeverInserted { operation } => (Vec::new(), vec![operation]),
        &Violation::RemovedBeforeInserted { removal, insertion } => (Vec::new(), vec![removal, insertion]),
        Violation::NeverEmpty { removal, chain } => (chain.clone(), vec![*removal]),
        &Violation::Critical { around, inside } => (vec![around, inside], Vec::new()),
        Violation::Stuck { values, chain } => {
            check_stuck(history, values, chain)?;
            (chain.clone(), Vec::new())
        }
        other => return Err(format!("{other:?}")),
    };
    // A value that is removed twice is inserted once.
    let inserted = |about: &Operation| {
        let removes = |&operation: &OperationIndex| history.operation(operation).action;
        matches!((about.action, operations.first().map(removes)),
            (Action::Insert(value), Some(Action::Remove(other))) if value == other)
    };
    let few = only(history, |operation, about| {
        values.iter().any(|&value| has(about, value)) || operations.contains(&operation) || inserted(about)
    });
    if is_linearizable(object, &few) { Err(format!("{violation:?} is none: {}", text(&few))) } else { Ok(()) }
}

/// The chain leaves no moment, and each value has what keeps it from being outermost.
fn check_stuck(history: &History, values: &[(ValueIndex, Obstacle)], chain: &[ValueIndex]) -> Result<(), String> {
    let find = |action| history.operations.iter().find(|about| about.action == action);
    let push = |value| *find(Action::Insert(value)).expect("inserted");
    let pop = |value| find(Action::Remove(value)).copied();
    for &(value, obstacle) in values {
        let is_one = match obstacle {
            Obstacle::Push(other) => history.operation(other).precedes(&push(value)),
            Obstacle::Pop(other) => pop(value).is_some_and(|pop| pop.precedes(history.operation(other))),
            Obstacle::Stays(other) => pop(value).is_some_and(|pop| pop.ret.is_some()) && pop(other).is_none(),
        };
        if !is_one {
            return Err(format!("{obstacle:?} is no obstacle for {value:?}"));
        }
    }
    let call = |value| pop(value).map_or(Moment(u32::MAX), |pop| pop.call);
    let ret = |value| push(value).ret.expect("its push does not overlap its pop");
    let is_chain = chain.windows(2).all(|pair| ret(pair[1]) < call(pair[0]))
        && ret(chain[0]) == values.iter().map(|&(value, _)| ret(value)).min().unwrap()
        && call(chain[chain.len() - 1]) == values.iter().map(|&(value, _)| call(value)).max().unwrap();
    if is_chain { Ok(()) } else { Err(format!("{chain:?} is no chain of {values:?}")) }
}

#[test]
fn reasons_are_reasons() {
    for object in BOTH {
        for_all_histories(object, SMALL, 2_000, |history| match answer(object, history) {
            Answer::Not(violation) => check_violation(object, history, &violation),
            _ => Ok(()),
        });
    }
}

fn minimal(object: Object, history: &History) -> Option<Minimal> {
    minimise(history, &|history, budget| judge(object, history, budget), &mut unlimited()).unwrap()
}

/// The history in which only facts are known: everything else overlaps.
fn check_facts(object: Object, minimal: &Minimal) -> Result<(), String> {
    let operations = &minimal.history.operations;
    let mut known = HashSet::new();
    for fact in &minimal.facts {
        known.insert((fact.earlier.index(), fact.later.index()));
    }
    // Closed: of an order of intervals, which has at most so many steps.
    for _ in 0..operations.len() {
        for (one, two) in known.clone() {
            for (three, four) in known.clone() {
                if minimal.history.operations[two].precedes(&operations[three]) || two == three {
                    known.insert((one, four));
                }
            }
        }
    }
    for (earlier, one) in operations.iter().enumerate() {
        for (later, other) in operations.iter().enumerate() {
            if one.precedes(other) != known.contains(&(earlier, later)) {
                return Err(format!("{:?}: {earlier} and {later} in {}", minimal.facts, text(&minimal.history)));
            }
        }
    }
    let Answer::Not(violation) = answer(object, &minimal.history) else { return Err("linearizable".to_owned()) };
    if violation == minimal.violation { Ok(()) } else { Err(format!("{violation:?}")) }
}

fn check_minimal(object: Object, history: &History) -> Result<(), String> {
    let Some(minimal) = minimal(object, history) else { return Ok(()) };
    let small = &minimal.history;
    if is_linearizable(object, small) {
        return Err(format!("linearizable: {}", text(small)));
    }
    for (index, about) in small.indexed() {
        let original = history.operation(minimal.operations[index.index()]);
        if (original.thread, original.action) != (about.thread, about.action) {
            return Err(format!("{about:?} is not {original:?}"));
        }
        // Whatever can be left out, cannot.
        let less = match about.action {
            Action::Insert(value) | Action::Remove(value) => without(small, value),
            Action::RemoveNothing => only(small, |other, _| other != index),
            _ => continue,
        };
        if !is_linearizable(object, &less) {
            return Err(format!("{} is less than {}", text(&less), text(small)));
        }
    }
    // Nor can anything last longer: past the next return, or the next call.
    for at in 0..small.operations.len() {
        let half = |moment: Moment| 4 * i64::from(moment.0);
        let times: Vec<_> = small.operations.iter().map(|about| (half(about.call), about.ret.map(half))).collect();
        let about = &small.operations[at];
        let returned = small.operations.iter().filter_map(|other| other.ret).filter(|&ret| ret < about.call).max();
        let called =
            about.ret.and_then(|ret| small.operations.iter().map(|other| other.call).filter(|&call| call > ret).min());
        for (call, ret) in [(returned.map(half), None), (None, called.map(half))] {
            if (call, ret) == (None, None) {
                continue;
            }
            let mut times = times.clone();
            times[at].0 = call.map_or(times[at].0, |call| call - 1);
            times[at].1 = ret.map_or(times[at].1, |ret| Some(ret + 1));
            let mut longer = small.clone();
            longer.settle(&times);
            if !is_linearizable(object, &longer) {
                return Err(format!("{} lasts longer than {}", text(&longer), text(small)));
            }
        }
    }
    let values: HashSet<_> = minimal
        .history
        .operations
        .iter()
        .filter_map(|about| match about.action {
            Action::Insert(value) | Action::Remove(value) => Some(value),
            _ => None,
        })
        .collect();
    let plain = history.operations.iter().all(|about| matches!(about.action, Action::Insert(_) | Action::Remove(_)));
    if object == Object::Queue && plain && values.len() > 2 {
        return Err(format!("{} has more than two values", text(small)));
    }
    check_facts(object, &minimal)
}

#[test]
fn what_is_minimal_cannot_be_less() {
    for object in BOTH {
        for pending in [0, 2] {
            for_all_histories(object, Shape { pending, ..SMALL }, 500, |history| check_minimal(object, history));
        }
    }
}

#[test]
fn a_stack_may_need_four_values() {
    let minimal = minimal(Object::Stack, &history(S2)).unwrap();
    let Violation::Stuck { values, .. } = &minimal.violation else { panic!("{:?}", minimal.violation) };
    assert_eq!(values.len(), 4);
    check_minimal(Object::Stack, &history(S2)).unwrap();
    let queue = self::minimal(Object::Queue, &history(Q7)).unwrap();
    assert!(matches!(queue.violation, Violation::Critical { .. }));
    // Before, other values, and other things at the same time, and afterwards.
    let noise = |from: i64| {
        let of = |at: i64| {
            format!(
                "!n{at}[{},{}] !m{at}[{},{}] ?n{at}[{},{}] ?m{at}[{},{}]",
                at,
                at + 3,
                at + 1,
                at + 4,
                at + 7,
                at + 8,
                at + 5,
                at + 6
            )
        };
        (0..50).map(|place| of(from + 10 * place)).collect::<Vec<_>>().join(" ")
    };
    let text = format!("{} {} {}", noise(-2000), S2, noise(100));
    let minimal = self::minimal(Object::Stack, &history(&text)).unwrap();
    assert_eq!(minimal.history.operations.len(), 7);
}

/// A query that has not returned yet is none of a prefix, and leaves no gap among its moments.
#[test]
fn a_prefix_without_its_queries_is_a_history() {
    let mut with_query = history("!a[1,2] ?a[3,4] ?a[5,6] !b[0,9]");
    let b = value(&with_query, "b");
    with_query.operations[0].action = Action::Contains(b, false);
    let judge = |history: &History, budget: &mut Budget| {
        Ok(super::judge(history, Object::Multiset, Monitor::Auto, 1 << 20, budget)?.answer)
    };
    let minimal = minimise(&with_query, &judge, &mut unlimited()).unwrap().expect("it is removed twice");
    assert_eq!(minimal.operations, [1, 2, 3].map(OperationIndex));
}

#[test]
fn points_come_as_early_as_they_can() {
    let history = history("!a[0,4] !b[1,2] ?b[3,5]");
    let op = |at| (OperationIndex(at), None);
    let after = |order: &[_]| {
        points(&history, order).map(|found| found.points.iter().map(|point| point.after.0).collect::<Vec<_>>())
    };
    assert_eq!(after(&[op(1), op(0), op(2)]), Some(vec![1, 1, 3]));
    assert_eq!(after(&[op(2), op(0), op(1)]), None);
}

/// Whoever is told to stop does, in every phase.
#[test]
fn everything_pauses() {
    let shape = Shape { operations: 150, ..SMALL };
    for object in BOTH {
        let history = (0..)
            .map(|seed| random_history(seed, object, shape))
            .find(|history| history.operations.len() > 100 && matches!(answer(object, history), Answer::Not(_)));
        let history = history.unwrap();
        let judge = |history: &History, budget: &mut Budget| judge(object, history, budget);
        let mut budget = unlimited();
        minimise(&history, &judge, &mut budget).unwrap();
        let whole = budget.spent();
        for part in 0..20 {
            let mut budget = unlimited().capped(1 + whole * part / 20);
            assert!(minimise(&history, &judge, &mut budget).is_err(), "{part}");
        }
    }
}

/// Pushes and pops by some threads, one after the other or pushes first: each lasts from a place in a round to the same place in the next.
fn long_history(object: Object, operations: u32, threads: u32, pushes_first: bool) -> History {
    let (mut history, mut times, mut contents, mut random) =
        (History::default(), Vec::new(), Vec::new(), Random::new(1));
    for at in 0..operations {
        let is_push = if pushes_first { at < operations / 2 } else { random.below(2) == 0 };
        let action = if is_push { Action::Insert(ValueIndex(at)) } else { Action::RemoveAny };
        let action = match apply(object, action, &mut contents) {
            Ok(taken) => taken.map_or(action, Action::Remove),
            Err(()) => Action::RemoveNothing,
        };
        history.operations.push(operation(at % threads, action));
        times.push((2 * i64::from(at), Some(2 * i64::from(at + threads) - 1)));
    }
    history.settle(&times);
    history
}

/// What is charged to a budget for an operation hardly grows with their number.
#[test]
fn effort_is_almost_linear() {
    for object in BOTH {
        for pushes_first in [false, true] {
            let effort = |operations: u32| {
                let history = long_history(object, operations, 8, pushes_first);
                let mut budget = unlimited();
                let answer = judge(object, &history, &mut budget).unwrap();
                assert!(matches!(answer, Answer::Linearizable(_)), "{answer:?}");
                budget.spent() / u64::from(operations)
            };
            let (few, many) = (effort(500), effort(20_000));
            assert!(many <= few + few / 4 && many < 500, "{object:?}: {few} {many}");
        }
    }
}

/// Pops that have not returned, below values that are there for ever: as many as have to be out of the way, or not.
/// Where all is pushed before it is popped, the published algorithm for stacks looks at values again and again.
#[test]
fn the_published_monitor_of_stacks_is_not_linear() {
    let looks = [500, 1_000, 2_000].map(|values| {
        let history = super::generate::pushes_then_pops(8, values, 1, Object::Stack);
        let (answer, tree) = by_published(&history);
        assert!(matches!(answer, Answer::Linearizable(_)));
        tree.nodes.iter().map(|node| node.values.len()).sum::<usize>() / values as usize
    });
    assert!(looks.is_sorted_by(|fewer, more| 3 * fewer < 2 * more), "{looks:?} for each value");
}

#[test]
fn many_pending_pops() {
    let below = |above: usize, pops: usize| {
        let mut words = vec!["!v[0,1]".to_owned()];
        for at in 0..above {
            words.push(format!("!{at}[{},{}]", 10 * at + 10, 10 * at + 11));
        }
        for at in 0..pops {
            words.push(format!("?*[{},]", 10 * at + 12));
        }
        words.push("?v[1000,1001]".to_owned());
        history(&words.join(" "))
    };
    assert_eq!(monitored(Object::Stack, &below(14, 14)), Ok(true));
    assert_eq!(monitored(Object::Stack, &below(14, 13)), Ok(false));
    // However it is with the stack: it never works, and always might.
    let mut asked = 0;
    let answer = pending::try_some(&below(14, 14), 3, &mut unlimited(), |_, _| {
        asked += 1;
        let violation = Violation::Stuck { values: Vec::new(), chain: (1..15).map(ValueIndex).collect() };
        Ok(if asked % 2 == 0 { Ok(Linearization::default()) } else { Err(violation) })
    });
    assert_eq!((answer, asked), (Ok(Answer::Unknown(Undecided::TooManyAssignments)), 7));
}
