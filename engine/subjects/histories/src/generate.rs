//! Histories for tests and benches: random ones, all small ones, and long ones that a real object made.

use super::history::{Action, History, Moment, Object, Operation, ThreadIndex, ValueIndex};
use super::object::{Specification, State};
use crate::random::Random;

/// What random histories look like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// At most so many operations, and more than half as many.
    pub operations: u32,
    /// Of so many threads, each of which does one operation at a time; 0: each operation has a thread of its own.
    pub threads: u32,
    /// In how many of a hundred cases an operation is pending.
    pub pending: u64,
    /// Whether objects are asked what is in.
    pub queries: bool,
    /// Whether removals may find nothing.
    pub nothing: bool,
    /// How many values there are that are inserted again and again; 0: each insertion has a value of its own.
    pub values: u32,
    /// Whether times may be equal.
    pub equal_times: bool,
    /// In how many of a hundred cases a result is made wrong.
    pub spoilt: u64,
}

impl Shape {
    /// What fits an object: sets, multisets and registers have few values, stacks, queues and priority queues each value once. Queries,
    /// empty removals and pending operations for whoever has them; half of the histories have something wrong.
    pub const fn of(object: Object) -> Self {
        let (queries, values) = match object {
            Object::Stack | Object::Queue | Object::PriorityQueue => (false, 0),
            Object::Set | Object::Multiset => (true, 2),
            Object::Register | Object::Counter => (true, 3),
        };
        let nothing = !matches!(object, Object::Set | Object::Multiset);
        Self { operations: 8, threads: 3, pending: 8, queries, nothing, values, equal_times: true, spoilt: 70 }
    }
}

/// When an operation is called, takes effect and returns.
#[derive(Clone, Copy, Debug)]
struct Interval {
    thread: u32,
    call: i64,
    point: i64,
    ret: i64,
}

fn number(history: &mut History, value: u32) -> ValueIndex {
    ValueIndex(history.values.number(&(value + 1).to_string()))
}

fn intervals(random: &mut Random, shape: Shape) -> Vec<Interval> {
    // Rather many than few: short histories are seldom wrong.
    let most = u64::from(shape.operations.max(1));
    let operations = most - random.below(most.div_ceil(2));
    let spread = if shape.equal_times { 2 * operations } else { 1 << 40 };
    if shape.threads == 0 {
        let mut interval = |thread| {
            let (a, b) = (random.below(spread) as i64, random.below(spread) as i64);
            let (call, ret) = (a.min(b), a.max(b).max(a.min(b) + 1));
            let point = call + random.below((ret - call + 1) as u64) as i64;
            Interval { thread, call, point, ret }
        };
        return (0..operations as u32).map(&mut interval).collect();
    }
    let mut free = vec![0_i64; shape.threads as usize];
    let mut step = || 1 + random.below(if shape.equal_times { 3 } else { 1 << 40 }) as i64;
    let mut all: Vec<Interval> = (0..operations)
        .map(|_| {
            let thread = (step() as u64 * 7919 % u64::from(shape.threads)) as u32;
            let call = free[thread as usize] + step();
            let point = call + step() - 1;
            let ret = (point + step() - 1).max(call + 1);
            free[thread as usize] = ret;
            Interval { thread, call, point, ret }
        })
        .collect();
    all.sort_by_key(|interval| interval.call);
    all
}

/// An action that the object does now, with its result, and what it then holds.
fn act(
    history: &mut History,
    random: &mut Random,
    shape: Shape,
    specification: &Specification,
    state: &mut State,
) -> Action {
    let fresh = history.values.len() as u32;
    let mut some = |random: &mut Random| {
        let value = if shape.values == 0 { fresh } else { random.below(u64::from(shape.values)) as u32 };
        number(history, value)
    };
    let kind = random.below(100);
    let action = match specification.object() {
        Object::Register => {
            let (value, expected) = (some(random), some(random));
            let State::Register(held) = *state else { return Action::Write(value) };
            match (kind, held) {
                (0..30, _) | (_, None) => Action::Write(value),
                (30..65, Some(held)) if shape.queries => Action::Read(held),
                _ => Action::CompareAndSet { expected, new: value, succeeded: Some(held == Some(expected)) },
            }
        }
        Object::Counter => match *state {
            State::Counter(number) if kind < 50 && shape.queries => Action::Total(number),
            _ => Action::Increase(random.below(3) as i64 + 1),
        },
        Object::Set => {
            let value = some(random);
            let has = specification.takes(state).contains(&value);
            match kind {
                0..40 if shape.queries => Action::Contains(value, has),
                _ if has => Action::Remove(value),
                _ => Action::Insert(value),
            }
        }
        _ => {
            let takes = specification.takes(state);
            match kind {
                0..20 if shape.queries => {
                    let value = some(random);
                    let is_in = specification.apply(&mut state.clone(), Action::Contains(value, true));
                    Action::Contains(value, is_in)
                }
                20..65 if !takes.is_empty() => Action::Remove(takes[random.below(takes.len() as u64) as usize]),
                20..65 if shape.nothing => Action::RemoveNothing,
                _ => Action::Insert(some(random)),
            }
        }
    };
    specification.apply(state, action);
    action
}

/// What is known of an action before its result.
const fn without_result(object: Object, action: Action) -> Action {
    match (object, action) {
        (Object::Set, action) => action,
        (_, Action::Remove(_) | Action::RemoveNothing) => Action::RemoveAny,
        (_, Action::CompareAndSet { expected, new, .. }) => Action::CompareAndSet { expected, new, succeeded: None },
        (_, action) => action,
    }
}

/// Makes a result wrong, perhaps.
fn spoil(history: &mut History, random: &mut Random) {
    let at = |random: &mut Random, history: &History| random.below(history.operations.len() as u64) as usize;
    let (a, b) = (at(random, history), at(random, history));
    let value = ValueIndex(random.below(history.values.len().max(1) as u64) as u32);
    let first = history.operations[a].action;
    let second = history.operations[b].action;
    let has_values = !history.values.is_empty();
    match (first, second) {
        (Action::Remove(_), Action::Remove(_)) if a != b => {
            history.operations[a].action = second;
            history.operations[b].action = first;
        }
        (Action::Contains(value, is_in), _) => history.operations[a].action = Action::Contains(value, !is_in),
        (Action::Read(_), _) if has_values => history.operations[a].action = Action::Read(value),
        (Action::Total(total), _) => history.operations[a].action = Action::Total(total + random.below(3) as i64 - 1),
        (Action::CompareAndSet { expected, new, succeeded: Some(succeeded) }, _) => {
            history.operations[a].action = Action::CompareAndSet { expected, new, succeeded: Some(!succeeded) };
        }
        // Two operations exchange their moments.
        _ => {
            history.operations[a].action = second;
            history.operations[b].action = first;
        }
    }
}

/// A random history: what an object did whose operations took effect at random moments between their calls and returns, with a
/// wrong result perhaps.
///
/// Takes time proportional to the number of operations and what is in.
pub fn random_history(seed: u64, object: Object, shape: Shape) -> History {
    let mut random = Random::new(seed);
    let mut history = History { object: Some(object), ..History::default() };
    if object == Object::Register && random.below(2) == 0 {
        history.initial = Some(number(&mut history, 0));
    }
    if matches!(object, Object::PriorityQueue) {
        // So that values are not inserted in their order.
        let mut all: Vec<u32> = (0..shape.operations).collect();
        random.shuffle(&mut all);
        // Names keep their numbers; only their order is another one.
        for value in all {
            number(&mut history, value);
        }
    }
    let all = intervals(&mut random, shape);
    let mut order: Vec<usize> = (0..all.len()).collect();
    random.shuffle(&mut order);
    order.sort_by_key(|&at| all[at].point);
    let mut actions = vec![None; all.len()];
    let mut fresh = 0;
    let specification = Specification::new(&history, object);
    let mut state = specification.initial();
    for at in order {
        let is_pending = random.below(100) < shape.pending;
        let before = state.clone();
        let mut action = act(&mut history, &mut random, shape, &specification, &mut state);
        if let (Object::PriorityQueue, Action::Insert(_), 0) = (object, action, shape.values) {
            action = Action::Insert(ValueIndex(fresh));
            fresh += 1;
            state = before.clone();
            specification.apply(&mut state, action);
        }
        if is_pending {
            if random.below(2) == 0 {
                state = before;
            }
            action = without_result(object, action);
        }
        actions[at] = Some((action, is_pending));
    }
    let mut times = Vec::new();
    for (interval, action) in all.iter().zip(actions) {
        let Some((action, is_pending)) = action else { continue };
        let thread = ThreadIndex(history.threads.number(&format!("T{}", interval.thread + 1)));
        history.operations.push(Operation { thread, action, call: Moment(0), ret: None, line: 0 });
        times.push((interval.call, (!is_pending).then_some(interval.ret)));
    }
    if random.below(100) < shape.spoilt {
        spoil_returned(&mut history, &mut random, &times);
    }
    one_at_a_time(&mut history, &mut times);
    history.settle(&times);
    history
}

/// Spoils operations that returned: what pending ones did is not known anyway.
fn spoil_returned(history: &mut History, random: &mut Random, times: &[(i64, Option<i64>)]) {
    let mut returned = Vec::new();
    let mut places = Vec::new();
    for (at, (operation, time)) in history.operations.iter().zip(times).enumerate() {
        if time.1.is_some() {
            returned.push(*operation);
            places.push(at);
        }
    }
    if returned.is_empty() {
        return;
    }
    let all = std::mem::replace(&mut history.operations, returned);
    for _ in 0..=random.below(3) {
        spoil(history, random);
    }
    let spoilt = std::mem::replace(&mut history.operations, all);
    for (at, operation) in places.into_iter().zip(spoilt) {
        history.operations[at].action = operation.action;
    }
}

/// A thread with a pending operation does nothing else: what it would do later, a new thread does.
fn one_at_a_time(history: &mut History, times: &mut [(i64, Option<i64>)]) {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by_key(|&at| times[at].0);
    let mut stuck: Vec<(ThreadIndex, ThreadIndex)> = Vec::new();
    for at in order {
        let mut thread = history.operations[at].thread;
        while let Some(&(_, next)) = stuck.iter().find(|(stuck, _)| *stuck == thread) {
            thread = next;
        }
        history.operations[at].thread = thread;
        if times[at].1.is_none() {
            let name = format!("P{}", stuck.len() + 1);
            stuck.push((thread, ThreadIndex(history.threads.number(&name))));
        }
    }
}

/// A history of operations in the order of their calls; `moments` has the calls and returns in their order: `None` is the next call.
fn of_moments(actions: &[Action], values: u32, moments: &[Option<usize>]) -> History {
    let mut history = History::default();
    for value in 0..values {
        number(&mut history, value);
    }
    for (at, &action) in actions.iter().enumerate() {
        let thread = ThreadIndex(history.threads.number(&format!("T{}", at + 1)));
        history.operations.push(Operation { thread, action, call: Moment(0), ret: None, line: 0 });
    }
    let mut times = vec![(0, None); actions.len()];
    let mut called = 0;
    for (time, moment) in moments.iter().enumerate() {
        match moment {
            Some(returned) => times[*returned].1 = Some(time as i64),
            None => {
                times[called].0 = time as i64;
                called += 1;
            }
        }
    }
    history.settle(&times);
    history
}

/// All orders of calls and returns of n operations that are numbered in the order of their calls: (2n-1)!!.
fn all_moments(n: usize) -> Vec<Vec<Option<usize>>> {
    let mut all = Vec::new();
    let mut todo: Vec<(Vec<Option<usize>>, usize, Vec<usize>)> = vec![(Vec::new(), 0, Vec::new())];
    while let Some((moments, called, open)) = todo.pop() {
        if moments.len() == 2 * n {
            all.push(moments);
            continue;
        }
        for (at, &returned) in open.iter().enumerate() {
            let (mut moments, mut open) = (moments.clone(), open.clone());
            open.remove(at);
            moments.push(Some(returned));
            todo.push((moments, called, open));
        }
        if called < n {
            let (mut moments, mut open) = (moments, open);
            moments.push(None);
            open.push(called);
            todo.push((moments, called + 1, open));
        }
    }
    all
}

/// All histories of n complete operations of a stack or queue: each is an insertion of a value of its own, a removal of an inserted value that
/// nothing else removes, or an empty removal. There are 2, 18, 300, 7,980 of 1 to 4 operations.
pub fn for_all_histories(n: usize, mut visit: impl FnMut(&History)) {
    let all = all_moments(n);
    let mut todo: Vec<Vec<Option<Action>>> = vec![Vec::new()];
    while let Some(kinds) = todo.pop() {
        if kinds.len() < n {
            // First what is inserted, then what is removed: `None` is a removal.
            let inserted = kinds.iter().filter(|kind| matches!(kind, Some(Action::Insert(_)))).count() as u32;
            for kind in [Some(Action::Insert(ValueIndex(inserted))), Some(Action::RemoveNothing), None] {
                let mut kinds = kinds.clone();
                kinds.push(kind);
                todo.push(kinds);
            }
            continue;
        }
        let inserted = kinds.iter().filter(|kind| matches!(kind, Some(Action::Insert(_)))).count() as u32;
        let mut labels: Vec<Vec<Action>> = vec![Vec::new()];
        for kind in &kinds {
            let mut longer = Vec::new();
            for label in labels {
                match kind {
                    Some(action) => longer.push([label.as_slice(), &[*action]].concat()),
                    None => {
                        let left = (0..inserted).map(|value| Action::Remove(ValueIndex(value)));
                        let left = left.filter(|action| !label.contains(action));
                        longer.extend(left.map(|action| [label.as_slice(), &[action]].concat()));
                    }
                }
            }
            labels = longer;
        }
        for label in labels {
            for moments in &all {
                visit(&of_moments(&label, inserted, moments));
            }
        }
    }
}

/// All histories of n complete insertions and removals of one value: 2ⁿ (2n-1)!!, 30,240 of 5 operations.
pub fn for_all_single_values(n: usize, mut visit: impl FnMut(&History)) {
    let all = all_moments(n);
    for kinds in 0..1_u32 << n {
        let action = |at: usize| match kinds >> at & 1 {
            0 => Action::Insert(ValueIndex(0)),
            _ => Action::Remove(ValueIndex(0)),
        };
        let actions: Vec<Action> = (0..n).map(action).collect();
        for moments in &all {
            visit(&of_moments(&actions, 1, moments));
        }
    }
}

/// Where a thread is in its operation.
#[derive(Clone, Copy)]
enum Stage {
    Idle,
    /// Called: the operation's place.
    Called(usize),
    /// It took effect.
    Done(usize),
}

/// Has threads use a real object, one of them, at random, going a step at a time: it calls, its operation takes effect, it returns.
/// `choose` says, by the number of the operation to take effect, what is done. Whoever still has a call open at the end returns.
fn run(
    threads: u32,
    operations: u32,
    random: &mut Random,
    object: Object,
    mut choose: impl FnMut(usize, &mut History, &mut Random, &mut State) -> Action,
) -> History {
    let mut history = History { object: Some(object), ..History::default() };
    for thread in 0..threads {
        history.threads.number(&format!("T{}", thread + 1));
    }
    let mut stages = vec![Stage::Idle; threads as usize];
    let mut state = Specification::new(&history, object).initial();
    let (mut moment, mut done, mut open) = (0_u32, 0, 0_u32);
    while open > 0 || (history.operations.len() as u32) < operations {
        let thread = random.below(u64::from(threads)) as usize;
        match stages[thread] {
            Stage::Idle if (history.operations.len() as u32) < operations => {
                stages[thread] = Stage::Called(history.operations.len());
                open += 1;
                let (call, action) = (Moment(moment), Action::RemoveNothing);
                let thread = ThreadIndex(thread as u32);
                history.operations.push(Operation { thread, action, call, ret: None, line: 0 });
            }
            Stage::Idle => continue,
            Stage::Called(operation) => {
                let action = choose(done, &mut history, random, &mut state);
                history.operations[operation].action = action;
                stages[thread] = Stage::Done(operation);
                done += 1;
                continue;
            }
            Stage::Done(operation) => {
                history.operations[operation].ret = Some(Moment(moment));
                stages[thread] = Stage::Idle;
                open -= 1;
            }
        }
        history.times.push(i64::from(moment));
        moment += 1;
    }
    history
}

/// A linearizable history: threads do random things with an object, about as many insertions as removals, all complete. Stacks,
/// queues and priority queues have each value once; sets and multisets have four values a thread, and are asked what is in.
///
/// Takes linear time, of priority queues and (multi)sets logarithmic for each operation.
///
/// # Panics
/// If there is no thread.
pub fn walk(threads: u32, operations: u32, seed: u64, object: Object) -> History {
    walk_in(Shape { operations, threads, ..Shape::of(object) }, seed, object)
}

/// The same without queries: insertions and removals alone, which the monitor of multisets knows.
///
/// # Panics
/// If there is no thread.
pub fn walk_without_queries(threads: u32, operations: u32, seed: u64, object: Object) -> History {
    walk_in(Shape { operations, threads, queries: false, ..Shape::of(object) }, seed, object)
}

fn walk_in(mut shape: Shape, seed: u64, object: Object) -> History {
    let Shape { threads, operations, .. } = shape;
    assert!(threads > 0);
    let mut random = Random::new(seed);
    match object {
        Object::Set | Object::Multiset => shape.values = 4 * threads,
        Object::Register => shape.values = 8,
        _ => {}
    }
    // So many values that each insertion has its own, and priority queues know their order.
    let mut ranked = History::default();
    if object == Object::PriorityQueue {
        let mut all: Vec<u32> = (0..operations).collect();
        random.shuffle(&mut all);
        for value in all {
            number(&mut ranked, value);
        }
    }
    let specification = Specification::new(&ranked, object);
    let mut fresh = 0;
    let mut history = run(threads, operations, &mut random, object, |_, history, random, state| {
        if object != Object::PriorityQueue {
            return act(history, random, shape, &specification, state);
        }
        let takes = specification.takes(state);
        let action = match (random.below(2), takes.first()) {
            (0, Some(&least)) => Action::Remove(least),
            (0, None) => Action::RemoveNothing,
            _ => {
                fresh += 1;
                Action::Insert(ValueIndex(fresh - 1))
            }
        };
        specification.apply(state, action);
        action
    });
    if object == Object::PriorityQueue {
        history.values = ranked.values;
    }
    history
}

/// A linearizable history: threads insert n values, each once, and then remove all of them.
///
/// # Panics
/// If there is no thread.
pub fn pushes_then_pops(threads: u32, n: u32, seed: u64, object: Object) -> History {
    assert!(threads > 0);
    let mut random = Random::new(seed);
    let mut names = History::default();
    for value in 0..n {
        number(&mut names, value);
    }
    let specification = Specification::new(&names, object);
    let mut history = run(threads, 2 * n, &mut random, object, |done, _, _, state| {
        let takes = |state: &State| match state {
            // Not all that is in is asked for.
            State::Set(values) => values.first().copied(),
            State::Multiset(values) => values.keys().next().copied(),
            _ => specification.takes(state).first().copied(),
        };
        let action = match takes(state) {
            Some(value) if done >= n as usize => Action::Remove(value),
            _ => Action::Insert(ValueIndex(done as u32)),
        };
        specification.apply(state, action);
        action
    });
    history.values = names.values;
    history
}
