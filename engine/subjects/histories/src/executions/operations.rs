//! The operations of an execution.

use super::{Order, Unjudged};
use crate::graph::{Call, CallResult, EventId, EventKey, Execution, ThreadId, calls};
use crate::program::{CallMark, Code, EMPTY, Limits, Program, Role, Value};
use crate::{Action, History, Moment, Object, Operation, OperationIndex, ThreadIndex, ValueIndex};

/// A call of an object's method, and what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The call.
    pub call: Call,
    /// What it did.
    pub action: Action,
    /// Its first and last event, if it has any.
    pub ends: Option<(EventId, EventId)>,
}

impl Done {
    /// Whether it returned.
    pub fn returned(&self) -> bool {
        self.call.result != CallResult::Pending
    }

    /// Whether it was done before there were threads.
    pub fn is_before(&self) -> bool {
        self.call.thread.is_init()
    }
}

/// The operations of one object in an execution.
#[derive(Clone, Debug)]
pub struct Operations {
    /// What the object promises to be.
    pub object: Object,
    /// The operations: those before there were threads, then thread by thread, each thread's in their order.
    pub list: Vec<Done>,
    /// The thread that runs behind all others.
    after: Option<ThreadId>,
    /// The same with the names of their values; moments mean nothing.
    pub history: History,
}

impl Operations {
    /// The operations of an object in an execution. What has no event and has not returned did nothing, and is left out, as are pending
    /// operations that only look.
    ///
    /// # Errors
    /// [`Unjudged::Operations`].
    ///
    /// # Panics
    /// If there is no such object.
    pub fn new(
        program: &Program,
        code: &Code,
        graph: &Execution,
        limits: Limits,
        structure: u16,
    ) -> Result<Self, Unjudged> {
        let declared = &program.structures[usize::from(structure)];
        let object = declared.kind;
        let mut history = History { name: declared.name.clone(), object: Some(object), ..History::default() };
        let mut value = |value: Value| ValueIndex(history.values.number(&program.value_text(value)));
        if object == Object::Register {
            let first =
                declared.shared.first().and_then(|shared| program.objects[usize::from(shared.0)].initial.first());
            history.initial = Some(value(first.copied().unwrap_or(0)));
        }
        let mut list = Vec::new();
        for call in before(code).into_iter().chain(calls(code, graph, limits).into_iter().flatten()) {
            let Some(role) = declared.methods.get(usize::from(call.method)).and_then(|method| method.role) else {
                continue;
            };
            let is_nothing = call.result == CallResult::Pending && call.events == 0;
            if call.structure != structure || is_nothing {
                continue;
            }
            let Some(action) = action(role, &call, &mut value) else { continue };
            let event = |serial| graph.find(EventKey { thread: call.thread, serial });
            let ends = call.ends().and_then(|(first, last)| event(first).zip(event(last)));
            list.push(Done { call, action, ends });
        }
        if list.len() > 64 {
            return Err(Unjudged::Operations);
        }
        for done in &list {
            let name = match done.is_before() {
                true => "before".to_owned(),
                false => program.thread_name(done.call.thread.index()),
            };
            let thread = ThreadIndex(history.threads.number(&name));
            let (action, call) = (done.action, Moment(0));
            history.operations.push(Operation { thread, action, call, ret: None, line: 0 });
        }
        let after = code.after().map(|after| ThreadId(after as u16));
        Ok(Self { object, list, after, history })
    }

    /// An operation's place in the list.
    pub fn indexed(&self) -> impl Iterator<Item = (OperationIndex, &Done)> {
        self.list.iter().enumerate().map(|(at, done)| (OperationIndex(at as u32), done))
    }

    /// The order that the threads alone give, and what comes before and behind all of them.
    pub fn of_threads(&self) -> Order {
        let is_before = |at: usize, other: usize| {
            let (done, later) = (&self.list[at], &self.list[other]);
            let is_behind_all = Some(later.call.thread) == self.after && done.call.thread != later.call.thread;
            let is_ordered = done.is_before() || done.call.thread == later.call.thread;
            done.returned() && (is_behind_all || at < other && is_ordered)
        };
        let before =
            |other: usize| (0..self.list.len()).filter(|at| is_before(*at, other)).fold(0, |bits, at| bits | 1 << at);
        (0..self.list.len()).map(before).collect()
    }

    /// The operations without the execution: by thread and place with their results.
    pub fn summary(&self) -> Vec<(u16, u16, Vec<Value>, CallResult)> {
        let summary =
            |done: &Done| (done.call.thread.0, done.call.method, done.call.arguments.clone(), done.call.result);
        self.list.iter().map(summary).collect()
    }
}

/// The calls that were made before there were threads.
fn before(code: &Code) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for mark in &code.before {
        match mark {
            CallMark::Enter { structure, method, arguments } => calls.push(Call {
                thread: ThreadId::INIT,
                structure: *structure,
                method: *method,
                arguments: arguments.clone(),
                result: CallResult::Pending,
                behind: 0,
                events: 0,
            }),
            CallMark::Leave(value) => {
                if let Some(call) = calls.last_mut() {
                    call.result = CallResult::of(*value);
                }
            }
        }
    }
    calls
}

/// What a call did; `None` for what is pending and only looks.
fn action(role: Role, call: &Call, value: &mut impl FnMut(Value) -> ValueIndex) -> Option<Action> {
    let result = match call.result {
        CallResult::Pending | CallResult::Nothing => None,
        CallResult::Empty => Some(EMPTY),
        CallResult::Value(value) => Some(value),
    };
    let argument = |behind: usize| {
        let at = call.arguments.len().checked_sub(behind)?;
        call.arguments.get(at).copied()
    };
    let failed = result == Some(0);
    Some(match role {
        Role::Insert if failed => Action::Contains(value(argument(1)?), true),
        Role::Insert => Action::Insert(value(argument(1)?)),
        Role::Remove if failed => Action::Contains(value(argument(1)?), false),
        Role::Remove => Action::Remove(value(argument(1)?)),
        Role::RemoveAny => match result {
            None => Action::RemoveAny,
            Some(EMPTY) => Action::RemoveNothing,
            Some(taken) => Action::Remove(value(taken)),
        },
        Role::Contains => Action::Contains(value(argument(1)?), result? != 0),
        Role::Read => Action::Read(value(result?)),
        Role::Write => Action::Write(value(argument(1)?)),
        Role::CompareAndSet => Action::CompareAndSet {
            expected: value(argument(2)?),
            new: value(argument(1)?),
            succeeded: result.map(|result| result != 0),
        },
        Role::Increase => Action::Increase(argument(1).unwrap_or(1)),
        Role::Total => Action::Total(result?),
    })
}
