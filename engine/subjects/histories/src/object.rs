//! What each kind of object promises to whoever uses it alone, and the replay of a linearization against it.

use super::answer::{Linearization, Point};
use super::history::{Action, History, Moment, Object, Operation, OperationIndex, ValueIndex};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

/// What an object holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Of a stack: the top last.
    Stack(Vec<ValueIndex>),
    /// Of a queue: the front first.
    Queue(VecDeque<ValueIndex>),
    /// Of a set.
    Set(BTreeSet<ValueIndex>),
    /// Of a multiset: how many there are of each; none is 0.
    Multiset(BTreeMap<ValueIndex, u32>),
    /// Of a priority queue: how many there are of each, by rank ([`Specification::rank`]); none is 0.
    PriorityQueue(BTreeMap<(u32, ValueIndex), u32>),
    /// Of a register; `None` is a value that has no name, from which each other one differs.
    Register(Option<ValueIndex>),
    /// Of a counter.
    Counter(i64),
}

/// What an object holds, to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// The values that are in: a stack's from the bottom, a queue's from the front, others in their order, each as often as it is in.
    Values(Vec<ValueIndex>),
    /// A register's value.
    Register(Option<ValueIndex>),
    /// A counter's number.
    Number(i64),
}

impl Contents {
    /// As text: `a b c`, `empty`, `3`; a register without value is `?`.
    pub fn text(&self, history: &History) -> String {
        match self {
            Self::Values(values) if values.is_empty() => "empty".to_owned(),
            Self::Values(values) => {
                let mut text = String::new();
                for (at, &value) in values.iter().enumerate() {
                    let space = if at == 0 { "" } else { " " };
                    let _ = write!(text, "{space}{}", history.value(value));
                }
                text
            }
            Self::Register(value) => value.map_or("?", |value| history.value(value)).to_owned(),
            Self::Number(number) => number.to_string(),
        }
    }
}

/// The ranks of values in a priority queue: by number if all are whole numbers, or all are numbers; else by name. Numbers that are
/// written in two ways (`1`, `01`) have the same rank.
fn ranks(history: &History) -> Vec<u32> {
    fn by<K>(keys: &[K], order: impl Fn(&K, &K) -> std::cmp::Ordering) -> Vec<u32> {
        let mut places: Vec<usize> = (0..keys.len()).collect();
        places.sort_by(|&a, &b| order(&keys[a], &keys[b]));
        let (mut ranks, mut rank) = (vec![0; keys.len()], 0);
        for (at, &place) in places.iter().enumerate() {
            if at > 0 && order(&keys[places[at - 1]], &keys[place]).is_ne() {
                rank += 1;
            }
            ranks[place] = rank;
        }
        ranks
    }
    let names: Vec<&str> = (0..history.values.len() as u32).map(|value| history.values.name(value)).collect();
    if let Ok(whole) = names.iter().map(|name| name.parse()).collect::<Result<Vec<i128>, _>>() {
        return by(&whole, Ord::cmp);
    }
    match names.iter().map(|name| name.parse()).collect::<Result<Vec<f64>, _>>() {
        Ok(numbers) if !numbers.iter().any(|number| number.is_nan()) => {
            by(&numbers, |a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal))
        }
        _ => by(&names, Ord::cmp),
    }
}

/// What an object does when one operation comes after the other.
#[derive(Clone, Debug)]
pub struct Specification {
    object: Object,
    /// By value, of a priority queue.
    ranks: Vec<u32>,
    initial: Option<ValueIndex>,
}

impl Specification {
    /// That of an object whose values are those of the history.
    pub fn new(history: &History, object: Object) -> Self {
        let ranks = if object == Object::PriorityQueue { ranks(history) } else { Vec::new() };
        Self { object, ranks, initial: history.initial }
    }

    /// The kind of object.
    pub const fn object(&self) -> Object {
        self.object
    }

    /// The place of a value among all values of a priority queue: what has the smallest is removed first. 0 for other objects.
    pub fn rank(&self, value: ValueIndex) -> u32 {
        self.ranks.get(value.index()).copied().unwrap_or_default()
    }

    /// What is in at first.
    pub fn initial(&self) -> State {
        match self.object {
            Object::Stack => State::Stack(Vec::new()),
            Object::Queue => State::Queue(VecDeque::new()),
            Object::Set => State::Set(BTreeSet::new()),
            Object::Multiset => State::Multiset(BTreeMap::new()),
            Object::PriorityQueue => State::PriorityQueue(BTreeMap::new()),
            Object::Register => State::Register(self.initial),
            Object::Counter => State::Counter(0),
        }
    }

    /// What a removal may take: at most one value, but of sets and multisets each that is in, and of priority queues each of the smallest
    /// rank.
    pub fn takes(&self, state: &State) -> Vec<ValueIndex> {
        match state {
            State::Stack(values) => values.last().copied().into_iter().collect(),
            State::Queue(values) => values.front().copied().into_iter().collect(),
            State::Set(values) => values.iter().copied().collect(),
            State::Multiset(values) => values.keys().copied().collect(),
            State::PriorityQueue(values) => {
                let least = values.keys().next().map(|&(rank, _)| rank);
                let least = values.keys().take_while(|&&(rank, _)| Some(rank) == least);
                least.map(|&(_, value)| value).collect()
            }
            State::Register(_) | State::Counter(_) => Vec::new(),
        }
    }

    /// Performs an operation with its result; says whether the object may give it. If not, the state stays as it was. What an object does
    /// not have, it does not do; neither [`Action::RemoveAny`], of which nobody knows what it took.
    ///
    /// Takes logarithmic time, but for [`Action::Contains`] of a stack or queue, which looks at all that is in.
    pub fn apply(&self, state: &mut State, action: Action) -> bool {
        match (action, &mut *state) {
            (Action::Insert(value), _) => self.insert(state, value),
            (Action::Remove(value), _) => self.remove(state, value),
            (Action::RemoveNothing, State::Register(_) | State::Counter(_)) => false,
            (Action::RemoveNothing, _) => self.takes_nothing(state),
            (Action::Contains(value, is_in), _) => self.holds(state, value) == Some(is_in),
            (Action::Read(value), State::Register(held)) => *held == Some(value),
            (Action::Write(value), State::Register(held)) => {
                *held = Some(value);
                true
            }
            (Action::CompareAndSet { expected, new, succeeded }, State::Register(held)) => {
                let fits = *held == Some(expected);
                if fits && succeeded != Some(false) {
                    *held = Some(new);
                }
                succeeded.is_none_or(|succeeded| succeeded == fits)
            }
            (Action::Increase(by), State::Counter(number)) => {
                *number = number.wrapping_add(by);
                true
            }
            (Action::Total(total), State::Counter(number)) => *number == total,
            _ => false,
        }
    }

    fn insert(&self, state: &mut State, value: ValueIndex) -> bool {
        match state {
            State::Stack(values) => values.push(value),
            State::Queue(values) => values.push_back(value),
            State::Set(values) => return values.insert(value),
            State::Multiset(values) => *values.entry(value).or_default() += 1,
            State::PriorityQueue(values) => *values.entry((self.rank(value), value)).or_default() += 1,
            State::Register(_) | State::Counter(_) => return false,
        }
        true
    }

    fn remove(&self, state: &mut State, value: ValueIndex) -> bool {
        fn one_of<K: Ord + Copy>(values: &mut BTreeMap<K, u32>, key: K) -> bool {
            let Some(times) = values.get_mut(&key) else { return false };
            *times -= 1;
            if *times == 0 {
                values.remove(&key);
            }
            true
        }
        match state {
            State::Stack(values) => values.pop_if(|top| *top == value).is_some(),
            State::Queue(values) => values.pop_front_if(|front| *front == value).is_some(),
            State::Set(values) => values.remove(&value),
            State::Multiset(values) => one_of(values, value),
            State::PriorityQueue(values) => {
                let rank = self.rank(value);
                values.keys().next().is_some_and(|&(least, _)| least == rank) && one_of(values, (rank, value))
            }
            State::Register(_) | State::Counter(_) => false,
        }
    }

    fn takes_nothing(&self, state: &State) -> bool {
        match state {
            State::Stack(values) => values.is_empty(),
            State::Queue(values) => values.is_empty(),
            State::Set(values) => values.is_empty(),
            State::Multiset(values) => values.is_empty(),
            State::PriorityQueue(values) => values.is_empty(),
            State::Register(_) | State::Counter(_) => true,
        }
    }

    /// Whether a value is in; `None` if the object can't be asked.
    fn holds(&self, state: &State, value: ValueIndex) -> Option<bool> {
        match state {
            State::Stack(values) => Some(values.contains(&value)),
            State::Queue(values) => Some(values.contains(&value)),
            State::Set(values) => Some(values.contains(&value)),
            State::Multiset(values) => Some(values.contains_key(&value)),
            State::PriorityQueue(values) => Some(values.contains_key(&(self.rank(value), value))),
            State::Register(_) | State::Counter(_) => None,
        }
    }

    /// What is in, to be shown.
    pub fn contents(&self, state: &State) -> Contents {
        fn each<'s>(counts: impl Iterator<Item = (ValueIndex, &'s u32)>) -> Contents {
            Contents::Values(counts.flat_map(|(value, &times)| std::iter::repeat_n(value, times as usize)).collect())
        }
        match state {
            State::Stack(values) => Contents::Values(values.clone()),
            State::Queue(values) => Contents::Values(values.iter().copied().collect()),
            State::Set(values) => Contents::Values(values.iter().copied().collect()),
            State::Multiset(values) => each(values.iter().map(|(&value, times)| (value, times))),
            State::PriorityQueue(values) => each(values.iter().map(|(&(_, value), times)| (value, times))),
            State::Register(value) => Contents::Register(*value),
            State::Counter(number) => Contents::Number(*number),
        }
    }
}

/// Why a linearization is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// There is no such operation.
    Unknown,
    /// The operation was there before.
    Twice,
    /// The point is before the call or behind the return of its operation.
    Outside,
    /// The point is before the one that stands before it.
    Backwards,
    /// It says that an operation takes a value of which it is known what it took, or not what one takes of which it is not.
    Takes,
    /// The object does not do that in the state in which it is.
    Refused,
    /// An operation that returned is missing: the first one in the order of calls.
    Missing(OperationIndex),
}

/// The first point of a linearization that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal {
    /// Its place; the number of points if something is missing.
    pub at: usize,
    /// What the object holds before it.
    pub before: Contents,
    /// Why.
    pub why: Misfit,
}

/// What a point makes its operation do: that of the operation, or a removal of what it takes.
fn action_at(operation: &Operation, point: Point) -> Option<Action> {
    match (operation.action, point.takes) {
        (Action::RemoveAny, Some(value)) => Some(Action::Remove(value)),
        (Action::RemoveAny, None) | (_, Some(_)) => None,
        (action, None) => Some(action),
    }
}

fn misfit(history: &History, point: Point, last: Moment, seen: &mut [bool]) -> Option<Misfit> {
    let Some(operation) = history.operations.get(point.operation.index()) else { return Some(Misfit::Unknown) };
    if std::mem::replace(&mut seen[point.operation.index()], true) {
        return Some(Misfit::Twice);
    }
    if point.after < operation.call || operation.ret.is_some_and(|ret| ret <= point.after) {
        return Some(Misfit::Outside);
    }
    (point.after < last).then_some(Misfit::Backwards)
}

/// Replays a linearization: whether each operation that returned is there once, each point is inside its operation, none is before the
/// one that stands before it, and the object does all that in this order. `visit` sees what is in after each.
///
/// Takes O(n log n) time for n points, and what `visit` takes.
///
/// # Errors
/// The first point that is wrong.
pub fn replay_with(
    history: &History,
    linearization: &Linearization,
    object: Object,
    mut visit: impl FnMut(usize, &Specification, &State),
) -> Result<(), Illegal> {
    let specification = Specification::new(history, object);
    let mut state = specification.initial();
    let mut seen = vec![false; history.operations.len()];
    let mut last = Moment(0);
    for (at, &point) in linearization.points.iter().enumerate() {
        let why = misfit(history, point, last, &mut seen).or_else(|| {
            let Some(action) = action_at(history.operation(point.operation), point) else { return Some(Misfit::Takes) };
            (!specification.apply(&mut state, action)).then_some(Misfit::Refused)
        });
        if let Some(why) = why {
            return Err(Illegal { at, before: specification.contents(&state), why });
        }
        last = point.after;
        visit(at, &specification, &state);
    }
    let missing = history.indexed().find(|(index, operation)| operation.ret.is_some() && !seen[index.index()]);
    match missing {
        None => Ok(()),
        Some((index, _)) => {
            let (at, before) = (linearization.points.len(), specification.contents(&state));
            Err(Illegal { at, before, why: Misfit::Missing(index) })
        }
    }
}

/// Whether a linearization is one ([`replay_with`]).
///
/// # Errors
/// The first point that is wrong.
pub fn check(history: &History, linearization: &Linearization, object: Object) -> Result<(), Illegal> {
    replay_with(history, linearization, object, |_, _, _| {})
}

/// What is in after each point of a linearization ([`replay_with`]). This is as much as is in, for each point: for a long history
/// [`check`] it, and ask for the contents of some points.
///
/// # Errors
/// The first point that is wrong.
pub fn replay(history: &History, linearization: &Linearization, object: Object) -> Result<Vec<Contents>, Illegal> {
    let mut all = Vec::with_capacity(linearization.points.len());
    replay_with(history, linearization, object, |_, specification, state| all.push(specification.contents(state)))?;
    Ok(all)
}

/// Gives the operations of an order, each behind all calls of those before it and its own, moments to take effect at.
///
/// If of no two operations one returned before another one was called that is before it in the order, each moment is inside its operation:
/// the call that is the last so far then comes before its return.
pub fn place(
    history: &History,
    order: impl IntoIterator<Item = (OperationIndex, Option<ValueIndex>)>,
) -> Linearization {
    let mut after = Moment(0);
    let points = order.into_iter().map(|(operation, takes)| {
        after = after.max(history.operation(operation).call);
        Point { operation, after, takes }
    });
    Linearization { points: points.collect() }
}
