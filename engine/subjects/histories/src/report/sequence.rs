//! Where operations take effect, and what comes of the order that this makes.

use super::text::Words;
use super::timeline::{Layout, Sight, look, value_of};
use super::view::{Bar, Dot, OwnPoint, Points, Sequence, Turn, TurnState};
use crate::words::{count, grouped};
use crate::{Action, Contents, History, Linearization, Object, OperationIndex, Specification, State, ValueIndex};

/// Points of longer histories can't be moved.
pub(super) const MAX_MOVED: usize = 400;
/// Sequences of more points are not replayed.
pub(super) const MAX_REPLAYED: usize = 20_000;
/// How many turns are listed.
const LISTED: usize = 120;
/// How many values of an object are listed.
const HELD: usize = 24;
/// How far points stay away from the ends of their bars.
const MARGIN: f64 = 0.02;

/// A point in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    /// The operation.
    pub operation: OperationIndex,
    /// Where it takes effect; behind all moments: never.
    pub at: f64,
}

/// Points in the order in which they take effect, and what comes of it.
pub(super) struct Order {
    /// Those that take effect, by where they are, then the others.
    pub points: Vec<Placed>,
    /// How many take effect.
    pub effective: usize,
    /// The first place that is not allowed, from 0.
    pub illegal: Option<usize>,
    /// How the sentence begins.
    pub origin: Origin,
}

/// Where points come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// From somebody, or from the middle of bars.
    Somebody,
    /// From a monitor that found a linearization.
    Solved,
    /// There is no linearization, or none was found: as far as an order leads.
    Furthest,
}

/// The earliest and the latest place of a point.
fn room(history: &History, operation: OperationIndex) -> (f64, f64) {
    let about = history.operation(operation);
    let call = f64::from(about.call.0);
    match about.ret {
        Some(ret) => (call + MARGIN, f64::from(ret.0) - MARGIN),
        None => (call + MARGIN, history.times.len() as f64),
    }
}

fn middle(history: &History, operation: OperationIndex) -> f64 {
    let about = history.operation(operation);
    about.ret.map_or(history.times.len() as f64, |ret| f64::from(about.call.0 + ret.0) / 2.0)
}

/// Places of a linearization: those between the same two moments stand apart. What is not in it is in the middle of its bar.
fn spread(history: &History, linearization: &Linearization) -> Vec<f64> {
    let all = (0..history.operations.len() as u32).map(OperationIndex);
    let mut at: Vec<f64> = all.map(|operation| middle(history, operation)).collect();
    for gap in linearization.points.chunk_by(|a, b| a.after == b.after) {
        for (place, point) in gap.iter().enumerate() {
            let within = (place + 1) as f64 / (gap.len() + 1) as f64;
            at[point.operation.index()] = f64::from(point.after.0) + within;
        }
    }
    at
}

impl Order {
    /// The order that was asked for; `solved` is that of the monitor, `furthest` the one that leads furthest if there is none. `None` if no
    /// points are to be seen.
    pub(super) fn new(
        history: &History,
        object: Object,
        points: &Points,
        solved: Option<&Linearization>,
        furthest: impl FnOnce() -> Option<Linearization>,
    ) -> Option<Self> {
        let all = || (0..history.operations.len() as u32).map(OperationIndex);
        let middles = || all().map(|operation| middle(history, operation)).collect::<Vec<f64>>();
        let mut placed = None;
        let (places, origin) = match (points, solved) {
            (Points::Hidden, _) => return None,
            (Points::Solved, Some(solved)) => (spread(history, solved), Origin::Solved),
            (Points::Solved, None) => {
                let furthest = furthest()?;
                let mut is_in = vec![false; history.operations.len()];
                furthest.points.iter().for_each(|point| is_in[point.operation.index()] = true);
                placed = Some(is_in);
                (spread(history, &furthest), Origin::Furthest)
            }
            (Points::Middle, _) => (middles(), Origin::Somebody),
            (Points::Own(own), _) => {
                let mut places = middles();
                for &OwnPoint { operation, at } in own {
                    if let Some(place) = places.get_mut(operation as usize).filter(|_| at.is_finite()) {
                        let (from, to) = room(history, OperationIndex(operation));
                        *place = at.clamp(from, to);
                    }
                }
                (places, Origin::Somebody)
            }
        };
        // Of the order that leads furthest, what is not in it has no place.
        let is_out = |point: &Placed| match &placed {
            Some(placed) => !placed[point.operation.index()],
            None => point.at >= history.times.len() as f64,
        };
        let mut points: Vec<Placed> = all().zip(places).map(|(operation, at)| Placed { operation, at }).collect();
        points.sort_by(|a, b| is_out(a).cmp(&is_out(b)).then(a.at.total_cmp(&b.at)));
        let effective = points.partition_point(|point| !is_out(point));
        let mut order = Self { points, effective, illegal: None, origin };
        if origin == Origin::Solved {
            // Who found it has replayed it.
            return Some(order);
        }
        if effective <= MAX_REPLAYED {
            let mut replay = Replay::new(history, object);
            order.illegal = order.points[..effective].iter().position(|point| !replay.perform(point.operation));
        }
        Some(order)
    }

    fn state(&self, place: usize) -> TurnState {
        match self.illegal {
            Some(illegal) if place == illegal => TurnState::Illegal,
            Some(illegal) if place > illegal => TurnState::Unreached,
            _ => TurnState::Legal,
        }
    }

    /// The points in sight of the operations whose bars are.
    pub(super) fn dots(&self, sight: &Sight<'_>, bars: &[Bar]) -> Vec<Dot> {
        let history = sight.history;
        let words = Words { history, object: sight.object };
        let (from, to) = sight.window;
        let is_near = |point: &Placed| point.at >= from && point.at <= to.max(from) + 1.0;
        let (inside, outside) = self.points.split_at(self.effective);
        let first = inside.partition_point(|point| point.at < from);
        let inside = inside.iter().enumerate().skip(first).take_while(|(_, point)| is_near(point));
        let outside = (self.effective..).zip(outside).filter(|(_, point)| is_near(point));
        let dots = inside.chain(outside);
        // A crowd would have as many points as operations.
        let mut drawn: Vec<u32> = bars.iter().map(|bar| bar.operation).collect();
        drawn.sort_unstable();
        let dots = dots.filter(|(_, point)| drawn.binary_search(&point.operation.0).is_ok());
        dots.map(|(place, point)| {
            let about = history.operation(point.operation);
            let is_effective = place < self.effective;
            let (from, to) = room(history, point.operation);
            let state = match (is_effective, self.origin) {
                (true, _) => self.state(place),
                (false, Origin::Furthest) => TurnState::Unreached,
                (false, _) => TurnState::Legal,
            };
            let what = words.operation(point.operation);
            let thread = history.thread(about.thread);
            let title = match (is_effective, state) {
                (false, TurnState::Unreached) => format!("{what} of {thread} has no place in this order"),
                (false, _) => format!("{what} of {thread} never takes effect"),
                (true, TurnState::Illegal) => {
                    format!("{what} of {thread} is not allowed at place {} of {}", place + 1, self.effective)
                }
                (true, _) => format!("{what} of {thread} takes effect at place {} of {}", place + 1, self.effective),
            };
            Dot {
                operation: point.operation.0,
                row: sight.layout.row(about),
                lane: sight.layout.lane(point.operation),
                at: point.at,
                from,
                to,
                place: is_effective.then_some(place as u32 + 1),
                state,
                title,
            }
        })
        .collect()
    }

    /// Where each operation's point is.
    pub(super) fn places(&self) -> Vec<f64> {
        let mut places = vec![0.0; self.points.len()];
        self.points.iter().for_each(|point| places[point.operation.index()] = point.at);
        places
    }

    /// The turns around one of them, from 1 on, or around the first that is not allowed.
    pub(super) fn sequence(&self, history: &History, object: Object, layout: &Layout, turn: u32) -> Option<Sequence> {
        if self.effective > MAX_REPLAYED {
            return None;
        }
        let around = match turn {
            0 => self.illegal.unwrap_or(0),
            turn => turn as usize - 1,
        };
        let first = around.saturating_sub(LISTED / 2).min(self.effective.saturating_sub(LISTED));
        let words = Words { history, object };
        let mut replay = Replay::new(history, object);
        let mut turns = Vec::new();
        for (place, point) in self.points[..self.effective].iter().enumerate().take(first + LISTED) {
            let state = self.state(place);
            let why = (state == TurnState::Illegal && place >= first).then(|| replay.refusal(&words, point.operation));
            let taken = replay.next_action(point.operation);
            if state == TurnState::Legal {
                replay.perform(point.operation);
            }
            if place < first {
                continue;
            }
            let about = history.operation(point.operation);
            let value = value_of(taken).or_else(|| value_of(about.action));
            turns.push(Turn {
                place: place as u32 + 1,
                operation: point.operation.0,
                row: layout.row(about),
                at: point.at,
                text: format!("{}: {}", history.thread(about.thread), words.action(taken)),
                value: value.map(|value| look(history, value)),
                contents: if state == TurnState::Legal { replay.held() } else { Vec::new() },
                state,
                why,
            });
        }
        Some(Sequence {
            is_legal: self.illegal.is_none() && self.origin != Origin::Furthest,
            sentence: self.sentence(history, object),
            turns,
            before: first as u32,
            all: self.effective as u32,
        })
    }

    fn sentence(&self, history: &History, object: Object) -> String {
        let words = Words { history, object };
        let never = self.points.len() - self.effective;
        let never = match never {
            0 => String::new(),
            never => format!(" {} never {} effect.", count(never as u64, "pending operation"), takes(never)),
        };
        match (self.origin, self.illegal) {
            (Origin::Solved, _) => {
                format!(
                    "This order is a linearization: each operation takes effect at a single moment within its bar.{never}"
                )
            }
            (Origin::Somebody, None) => format!(
                "The {} allows this order, so it is a linearization: each operation takes effect at a single moment within its bar.{never}",
                object.name()
            ),
            (Origin::Furthest, _) => format!(
                "No order of all operations was found. This one leads furthest: it has {} of {}.",
                grouped(self.effective as u64),
                count(self.points.len() as u64, "operation")
            ),
            (Origin::Somebody, Some(place)) => format!(
                "{} is the first operation that the {} does not allow, at place {} of {}.",
                words.operation(self.points[place].operation),
                object.name(),
                place + 1,
                self.effective
            ),
        }
    }
}

fn takes(many: usize) -> &'static str {
    if many == 1 { "takes" } else { "take" }
}

/// An object to which one operation after the other is done.
struct Replay<'a> {
    history: &'a History,
    specification: Specification,
    state: State,
}

impl<'a> Replay<'a> {
    fn new(history: &'a History, object: Object) -> Self {
        let specification = Specification::new(history, object);
        let state = specification.initial();
        Self { history, specification, state }
    }

    /// What an operation does now. One that is to take whatever comes takes that, or finds nothing.
    fn next_action(&self, operation: OperationIndex) -> Action {
        match self.history.operation(operation).action {
            Action::RemoveAny => {
                let takes = self.specification.takes(&self.state).first().copied();
                takes.map_or(Action::RemoveNothing, Action::Remove)
            }
            action => action,
        }
    }

    /// Does it, if the object allows it.
    fn perform(&mut self, operation: OperationIndex) -> bool {
        let action = self.next_action(operation);
        self.specification.apply(&mut self.state, action)
    }

    /// What the object holds, each value with its colour.
    fn held(&self) -> Vec<(String, Option<u8>)> {
        match self.specification.contents(&self.state) {
            Contents::Values(values) => {
                let shown = |value: &ValueIndex| {
                    let (name, colour) = look(self.history, *value);
                    (name, Some(colour))
                };
                let rest = values.len().saturating_sub(HELD);
                let more = (rest > 0).then(|| (format!("{} more", grouped(rest as u64)), None));
                // Of a stack, the top is what counts.
                if self.specification.object() == Object::Stack {
                    return more.into_iter().chain(values[rest..].iter().map(shown)).collect();
                }
                values[..values.len() - rest].iter().map(shown).chain(more).collect()
            }
            Contents::Register(value) => match value {
                Some(value) => vec![(self.history.value(value).to_owned(), Some(look(self.history, value).1))],
                None => vec![("?".to_owned(), None)],
            },
            Contents::Number(number) => vec![(number.to_string(), None)],
        }
    }

    /// Why the object does not allow an operation now.
    fn refusal(&self, words: &Words<'_>, operation: OperationIndex) -> String {
        let (object, action) = (self.specification.object(), self.next_action(operation));
        let next = self.specification.takes(&self.state).first().map(|value| words.value(*value));
        let name = object.name();
        let Contents::Values(_) = self.specification.contents(&self.state) else {
            let held = self.specification.contents(&self.state).text(self.history);
            return match action {
                Action::Read(_) | Action::CompareAndSet { .. } => format!("The {name} holds {held} here."),
                Action::Total(_) => format!("The {name} stands at {held} here."),
                _ => format!("A {name} can't do that."),
            };
        };
        match (action, object) {
            (Action::Insert(value), Object::Set) => {
                format!("{} is in already, so a set would not add it.", words.value(value))
            }
            (Action::Remove(_) | Action::RemoveNothing, Object::Stack) => match next {
                Some(top) => format!("{top} is on top of the stack here."),
                None => "The stack is empty here.".to_owned(),
            },
            (Action::Remove(_) | Action::RemoveNothing, Object::Queue) => match next {
                Some(front) => format!("{front} is at the front of the queue here."),
                None => "The queue is empty here.".to_owned(),
            },
            (Action::Remove(_) | Action::RemoveNothing, Object::PriorityQueue) => match next {
                Some(least) => format!("{least} is the smallest value in the queue here."),
                None => "The queue is empty here.".to_owned(),
            },
            (Action::RemoveNothing, _) => {
                format!("The {name} is not empty here: {} is in.", next.unwrap_or_default())
            }
            (Action::Remove(value) | Action::Contains(value, true), _) => {
                format!("{} is not in here.", words.value(value))
            }
            (Action::Contains(value, false), _) => format!("{} is in here.", words.value(value)),
            _ => format!("A {name} can't do that."),
        }
    }
}
