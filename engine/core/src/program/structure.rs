//! Concurrent objects: data structures with methods, which threads call.
//!
//! What a [`Structure`] is made of are shared variables, and statements of its own. A call runs those of its method in the thread that
//! calls, with registers that are there for this call alone: [`super::Code::compile`] puts the statements in place of the call, between
//! two marks ([`super::InstructionKind::Enter`], [`super::InstructionKind::Leave`]), which nobody else can see. So whoever explores knows
//! nothing of calls, and which events belong to which one is found again by running a thread on what its events read
//! ([`crate::graph::calls`]).
//!
//! A round of a loop in which a call ends is no spin round ([`super::Code::compile`]). Rounds of a method's own loop that change
//! nothing are, which only makes operations shorter, and so orders stricter. Verdicts are the same, but who counts histories has
//! to unroll such rounds ([`super::Limits::unroll_spins`]).

use super::{ObjectId, Span, Statement, StatementKind, Value};
use serde::{Deserialize, Serialize};

/// What `empty` is: a value that no number met in practice has, marked in its upper bits as an [`super::Address`] is.
pub const EMPTY: Value = 0x6AD1 << 48;

/// What a concurrent object promises to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StructureKind {
    /// What was inserted last is removed first.
    Stack,
    /// What was inserted first is removed first.
    Queue,
    /// Holds a value once or not at all. An insertion of what is there, or a removal of what is not, is not an operation of
    /// its own but a query that found the value, or did not.
    Set,
    /// Holds a value any number of times.
    Multiset,
    /// The smallest value is removed first: by number where all values are numbers, else by name.
    PriorityQueue,
    /// One value, which is read, written, compared and exchanged.
    Register,
    /// A number that is added to.
    Counter,
}

/// What a method does, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Puts a value in. Of a set it may return 0: the value was in already.
    Insert,
    /// Takes this value out. It may return 0: it was not in.
    Remove,
    /// Takes out what comes next, and returns it, or `empty`.
    RemoveAny,
    /// Returns whether a value is in.
    Contains,
    /// Returns a register's value.
    Read,
    /// Gives a register a value.
    Write,
    /// Gives a register a value if it has another one, and returns whether it had it.
    CompareAndSet,
    /// Adds its argument to a counter, or 1 if it has none.
    Increase,
    /// Returns a counter's number.
    Total,
}

/// What a method may return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// Nothing.
    Nothing,
    /// A value.
    Value,
    /// Nothing, or whether it had an effect.
    Either,
}

/// A method of a concurrent object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Method {
    /// Its name, unique in its object.
    pub name: String,
    /// What it does; `None` if it only helps others of its object, and no thread calls it.
    pub role: Option<Role>,
    /// How many of its registers are parameters: the first ones. The last of these are the values that the role speaks of.
    pub parameters: u16,
    /// The names of its registers, which are 0 at each call but for the parameters. [`super::RegisterId`]s in its body are indices
    /// into these.
    pub registers: Vec<String>,
    /// What is done.
    pub body: Vec<Statement>,
    /// Where its name is declared.
    pub span: Span,
}

/// A concurrent object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Structure {
    /// Its name, unique among all of them.
    pub name: String,
    /// What it promises to be.
    pub kind: StructureKind,
    /// What its methods share. The names of these are `name.top`, with the object's in front; its methods write `top`.
    pub shared: Vec<ObjectId>,
    /// Its methods.
    pub methods: Vec<Method>,
    /// Where its name is declared.
    pub span: Span,
}

impl StructureKind {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Stack, Self::Queue, Self::Set, Self::Multiset, Self::PriorityQueue, Self::Register, Self::Counter];

    /// Its name, as texts and the command line write it: `stack`, `priority-queue`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stack => "stack",
            Self::Queue => "queue",
            Self::Set => "set",
            Self::Multiset => "multiset",
            Self::PriorityQueue => "priority-queue",
            Self::Register => "register",
            Self::Counter => "counter",
        }
    }

    /// The roles of its methods, and the names that they go by, the usual one first.
    fn names(self) -> &'static [(Role, &'static [&'static str])] {
        const STACK: &[(Role, &[&str])] =
            &[(Role::Insert, &["push", "put", "insert", "add"]), (Role::RemoveAny, &["pop", "take", "remove"])];
        const QUEUE: &[(Role, &[&str])] = &[
            (Role::Insert, &["enq", "enqueue", "offer", "put", "insert", "add", "push"]),
            (Role::RemoveAny, &["deq", "dequeue", "poll", "take", "remove", "pop"]),
        ];
        const SET: &[(Role, &[&str])] = &[
            (Role::Insert, &["add", "insert", "put"]),
            (Role::Remove, &["remove", "delete"]),
            (Role::Contains, &["contains", "has", "find"]),
        ];
        const MULTISET: &[(Role, &[&str])] = &[
            (Role::Insert, &["add", "insert", "put"]),
            (Role::Remove, &["remove", "delete"]),
            (Role::RemoveAny, &["take", "poll", "pop"]),
            (Role::Contains, &["contains", "has", "find"]),
        ];
        const PRIORITY_QUEUE: &[(Role, &[&str])] = &[
            (Role::Insert, &["insert", "add", "offer", "put", "push", "enq", "enqueue"]),
            (Role::RemoveAny, &["poll", "remove", "take", "pop", "deq", "dequeue", "extract"]),
        ];
        const REGISTER: &[(Role, &[&str])] = &[
            (Role::Read, &["read", "get", "load"]),
            (Role::Write, &["write", "set", "store"]),
            (Role::CompareAndSet, &["cas", "compare_and_set", "compare_and_swap"]),
        ];
        const COUNTER: &[(Role, &[&str])] =
            &[(Role::Increase, &["inc", "increment", "add"]), (Role::Total, &["get", "read", "load", "total"])];
        match self {
            Self::Stack => STACK,
            Self::Queue => QUEUE,
            Self::Set => SET,
            Self::Multiset => MULTISET,
            Self::PriorityQueue => PRIORITY_QUEUE,
            Self::Register => REGISTER,
            Self::Counter => COUNTER,
        }
    }

    /// What a method of this name does.
    pub fn role(self, name: &str) -> Option<Role> {
        self.names().iter().find(|(_, names)| names.contains(&name)).map(|(role, _)| *role)
    }

    /// The names that its methods usually have, one a role.
    pub fn usual_names(self) -> impl Iterator<Item = &'static str> {
        self.names().iter().map(|(_, names)| names[0])
    }
}

impl Role {
    /// How many of a method's last parameters it speaks of, at least.
    pub fn values(self) -> u16 {
        match self {
            Self::Insert | Self::Remove | Self::Contains | Self::Write => 1,
            Self::CompareAndSet => 2,
            Self::RemoveAny | Self::Read | Self::Increase | Self::Total => 0,
        }
    }

    /// What such a method of an object of this kind returns.
    pub fn returns(self, kind: StructureKind) -> Returns {
        match self {
            Self::Insert if kind == StructureKind::Set => Returns::Either,
            Self::Remove => Returns::Either,
            Self::Insert | Self::Write | Self::Increase => Returns::Nothing,
            Self::RemoveAny | Self::Contains | Self::Read | Self::CompareAndSet | Self::Total => Returns::Value,
        }
    }
}

impl Method {
    /// Whether it returns a value.
    pub fn returns_value(&self) -> bool {
        fn returns(statements: &[Statement]) -> bool {
            statements.iter().any(|statement| match &statement.kind {
                StatementKind::Return(value) => value.is_some(),
                StatementKind::If { then, otherwise, .. } => returns(then) || returns(otherwise),
                StatementKind::While { body, .. }
                | StatementKind::Repeat { body, .. }
                | StatementKind::Atomic(body) => returns(body),
                _ => false,
            })
        }
        returns(&self.body)
    }
}
