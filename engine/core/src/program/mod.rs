//! What is explored: objects, threads of structured statements over registers, and a final condition.
//!
//! A [`Program`] is what every notation parses to and what is printed back. For running, it is translated by
//! [`Code::compile`] into flat instruction lists, one a thread, which a [`ThreadState`] steps through from one visible
//! event to the next.
//!
//! A handler is a thread whose code is a loop: a get, then the message that it took. So the order in which it takes messages,
//! eo, is part of its po. Gets and posts are no accesses. A get has its post as its source, which is pb, and is part of what
//! models order as rf is. What a queue forces of the order of posts, mo, follows from the order of gets
//! ([`Execution::message_order`](crate::graph::Execution::message_order)). Models under which threads take turns know it, and no
//! algorithm but those for programs with handlers (`Traits::handlers`) is given such a program.
//!
//! Values are 64 bits for everybody who explores ([`Integer`] has C's types). What is done before there are threads leaves
//! initial values alone; what runs behind all threads is the last thread, [`ThreadKind::After`].

mod address;
#[cfg(test)]
pub(crate) mod arbitrary;
mod before;
mod code;
mod condition;
mod expression;
mod input;
mod integer;
mod interpreter;
mod late;
mod operation;
mod spin;
mod statement;
mod structure;
pub mod system;
mod twins;

pub use address::Address;
pub use code::{
    Code, CompileError, Instruction, InstructionKind, MAX_THREADS, MessageCode, Operand, Target, ThreadCode,
};
pub use condition::{Comparison, Condition, Observable, Proposition, Quantifier, Term};
pub use expression::{BinaryOperator, EvaluationError, Expression, UnaryOperator};
pub use input::{DeclaredRange, InitialInput, Input, Premise};
pub use integer::{Arithmetic, Integer};
pub use interpreter::{Action, Bound, CallMark, ErrorKind, Limits, ThreadState, Update};
pub use late::{Beyond, MOST_VALUES};
#[cfg(target_family = "wasm")]
pub use late::{Finish, finish, give_finish};
pub use operation::{ObjectKind, Operation};
pub use spin::Loop;
pub use statement::{Access, AccessKind, CasResult, Mode, Place, PlaceKind, Statement, StatementKind, UpdateOperator};
pub use structure::{EMPTY, Method, Returns, Role, Structure, StructureKind};

use crate::sort;
use serde::{Deserialize, Serialize};

/// The values of registers and memory: 64-bit integers, wrapping. Some of them are addresses ([`Address`]).
pub type Value = i64;

/// A place in the source text. Lines and columns count from 1, columns in characters; offsets are in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// Byte offset of the first character.
    pub start: u32,
    /// Byte offset behind the last character.
    pub end: u32,
    /// Line of the first character, from 1; 0 where there is no source.
    pub line: u32,
    /// Column of the first character, from 1; 0 where there is no source.
    pub column: u32,
}

impl Span {
    /// What stands there, on one line.
    pub fn on_one_line(self, source: &str) -> String {
        let text = source.get(self.start as usize..self.end as usize).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// What an event does, on one line of that many characters at most, or little more: of an atomic block, all of it.
    pub fn event_text(self, source: &str, longest: usize) -> String {
        let short = self.on_one_line(source);
        let rest = source.get(self.start as usize..).unwrap_or_default();
        let mut depth = 0;
        let end = rest.char_indices().find_map(|(at, sign)| {
            match sign {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => return None,
            }
            (depth == 0).then_some(at + 1)
        });
        let end = end.filter(|_| short == "atomic").unwrap_or(self.end.saturating_sub(self.start) as usize);
        let mut words = String::new();
        for word in rest.get(..end).unwrap_or_default().split_whitespace() {
            if !words.is_empty() && words.chars().count() + word.chars().count() >= longest {
                return words + " …";
            }
            if !words.is_empty() {
                words.push(' ');
            }
            words += word;
        }
        words
    }
}

/// The languages a program can be written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notation {
    /// Our own, that of the papers.
    #[default]
    Litmoscope,
    /// herd's C dialect.
    C11,
    /// herd's X86 dialect (Intel syntax, destination first).
    X86,
    /// herd's X86_64 dialect (AT&T syntax, destination last).
    X86_64,
}

/// Index of an [`Object`] in [`Program::objects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ObjectId(pub u16);

/// Index of a register in [`Thread::registers`] of its thread (behind those: temporaries of [`Code`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RegisterId(pub u16);

/// A shared memory cell: one offset of one object. Locations of all objects are numbered consecutively, an object's in
/// the order of its offsets ([`Code::location`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location(pub u32);

/// How a name came to be shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The text says so.
    Declared,
    /// Inferred: the name is used in two threads.
    UsedInTwoThreads,
    /// Inferred: named as the papers name shared variables (x, y, z, w, with digits).
    NamedAsShared,
    /// Inferred: used as the operand of `lock`, `fai`, `xchg`, `cas`, or with an index.
    UsedAsShared,
}

/// A shared variable or array.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Object {
    /// Its name, unique in the program.
    pub name: String,
    /// The initial values by offset; a plain variable has one.
    pub initial: Vec<Value>,
    /// Declared with brackets: printed as `name[offset]`.
    pub array: bool,
    /// Nothing is in it at the start: reading it before it is written is an error. The initial values are 0 then.
    #[serde(default)]
    pub uninitialised: bool,
    /// The type of what is in it.
    #[serde(default)]
    pub integer: Integer,
    /// How it came to be shared.
    pub origin: Origin,
    /// Where it is declared or first used.
    pub span: Span,
}

/// Which of the messages that wait a handler may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mailbox {
    /// The one that was posted first.
    Queue,
    /// Any of them.
    Multiset,
}

impl Mailbox {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Queue, Self::Multiset];

    /// Its keyword: `queue`, `multiset`.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Multiset => "multiset",
        }
    }
}

/// What a handler does when it takes a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Message {
    /// Its name, unique in the program.
    pub name: String,
    /// The register of the handler in which it finds the value that was posted with it; `None` if it has none.
    pub parameter: Option<RegisterId>,
    /// What is done.
    pub body: Vec<Statement>,
    /// Where its name is declared.
    pub span: Span,
}

/// What makes a thread one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadKind {
    /// Its body, from the start on.
    #[default]
    Plain,
    /// A handler: it takes messages out of its mailbox, one at a time, and runs each to its end. It has no body. Its registers
    /// are those of all its messages, and keep their values from one message to the next.
    Handler {
        /// Its mailbox.
        mailbox: Mailbox,
        /// What may be posted to it.
        messages: Vec<Message>,
        /// Where its name is declared.
        span: Span,
    },
    /// Its body posts, before anything else happens, the messages that are there at the start. At most one thread, the last, is so.
    Start,
    /// Its body runs behind those of all other threads, once all of them have run to their ends; if one never does, it never runs. At
    /// most one thread, the last, is so, and there are no handlers then, which never end.
    After,
}

/// One thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Thread {
    /// What makes it one. In our notation plain threads come first, then handlers, then what posts the initial messages; or else what
    /// runs behind all of them.
    #[serde(default, skip_serializing_if = "Thread::is_plain_kind")]
    pub kind: ThreadKind,
    /// What the text calls it, if not `P` and its number from the left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Names of its registers, by [`RegisterId`].
    pub registers: Vec<String>,
    /// Initial values of its registers, by [`RegisterId`].
    pub initial: Vec<Value>,
    /// Types of its registers, by [`RegisterId`]; [`Integer::Int64`] beyond the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub integers: Vec<Integer>,
    /// What it does.
    pub body: Vec<Statement>,
}

/// A program in any notation.
#[derive(Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Program {
    /// Its name, empty where the text gives none.
    pub name: String,
    /// The notation it was written in.
    pub notation: Notation,
    /// The memory model that the text asks for, with the place, uninterpreted.
    pub model: Option<(String, Span)>,
    /// What is shared, by [`ObjectId`].
    pub objects: Vec<Object>,
    /// The concurrent objects, whose methods the threads call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub structures: Vec<Structure>,
    /// What is chosen at the start, and what is assumed of it: most programs have none, and one pointer is less to copy and to drop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub premise: Option<Box<Premise>>,
    /// What is done before there are threads. [`Code::compile`] runs it: its effects are initial values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Thread>,
    /// The threads, from left to right: `P0`, `P1`, ...
    pub threads: Vec<Thread>,
    /// herd's `locations` line: what else to show of a final state. `None` where there is no such line.
    pub observed: Option<Vec<Observable>>,
    /// herd's `filter` line: final states that do not satisfy it do not count.
    pub filter: Option<Proposition>,
    /// The final condition.
    pub condition: Option<Condition>,
}

impl Thread {
    fn is_plain_kind(kind: &ThreadKind) -> bool {
        *kind == ThreadKind::Plain
    }

    /// The type of a register.
    pub fn integer(&self, register: RegisterId) -> Integer {
        self.integers.get(usize::from(register.0)).copied().unwrap_or_default()
    }

    /// The messages that it takes, if it is a handler.
    pub fn messages(&self) -> &[Message] {
        match &self.kind {
            ThreadKind::Handler { messages, .. } => messages,
            ThreadKind::Plain | ThreadKind::Start | ThreadKind::After => &[],
        }
    }

    /// All its statements: its body, or those of each of its messages.
    pub fn bodies(&self) -> impl Iterator<Item = &Vec<Statement>> {
        std::iter::once(&self.body).chain(self.messages().iter().map(|message| &message.body))
    }
}

impl Clone for Program {
    // If it is derived, each crate that copies programs has its own: kilobytes of the page.
    #[inline(never)]
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            notation: self.notation,
            model: self.model.clone(),
            objects: self.objects.clone(),
            structures: self.structures.clone(),
            premise: self.premise.clone(),
            before: self.before.clone(),
            threads: self.threads.clone(),
            observed: self.observed.clone(),
            filter: self.filter.clone(),
            condition: self.condition.clone(),
        }
    }
}

impl Program {
    /// Whether some thread is a handler.
    pub fn has_handlers(&self) -> bool {
        self.threads.iter().any(|thread| matches!(thread.kind, ThreadKind::Handler { .. }))
    }

    /// Whether it has inputs, `assuming` or `atomic`, which are no events ([`Code::beyond`]).
    pub fn is_beyond_events(&self) -> bool {
        fn any(statements: &[Statement]) -> bool {
            statements.iter().any(|statement| match &statement.kind {
                StatementKind::Input { .. } | StatementKind::Atomic(_) => true,
                StatementKind::If { then, otherwise, .. } => any(then) || any(otherwise),
                StatementKind::While { body, .. } | StatementKind::Repeat { body, .. } => any(body),
                _ => false,
            })
        }
        let methods = self.structures.iter().flat_map(|structure| &structure.methods);
        self.premise.is_some()
            || self.threads.iter().flat_map(Thread::bodies).any(|body| any(body))
            || methods.into_iter().any(|method| any(&method.body))
    }

    /// What runs behind all other threads, if anything does.
    pub fn after(&self) -> Option<&Thread> {
        self.threads.last().filter(|thread| thread.kind == ThreadKind::After)
    }

    /// The same program without source places, for comparing programs up to layout.
    #[must_use]
    pub fn without_spans(mut self) -> Self {
        if let Some((_, span)) = &mut self.model {
            *span = Span::default();
        }
        for object in &mut self.objects {
            object.span = Span::default();
        }
        self.premise.iter_mut().for_each(|premise| {
            premise.ranges.iter_mut().for_each(|range| range.span = Span::default());
            premise.assuming.iter_mut().for_each(Statement::erase_spans);
        });
        for thread in self.before.iter_mut().chain(&mut self.threads) {
            thread.body.iter_mut().for_each(Statement::erase_spans);
            if let ThreadKind::Handler { messages, span, .. } = &mut thread.kind {
                *span = Span::default();
                for message in messages {
                    message.span = Span::default();
                    message.body.iter_mut().for_each(Statement::erase_spans);
                }
            }
        }
        for structure in &mut self.structures {
            structure.span = Span::default();
            for method in &mut structure.methods {
                method.span = Span::default();
                method.body.iter_mut().for_each(Statement::erase_spans);
            }
        }
        if let Some(condition) = &mut self.condition {
            condition.span = Span::default();
        }
        self
    }

    /// Whether something holds numbers of 64 bits without a sign, so that negative values are shown as large ones.
    pub fn has_unsigned(&self) -> bool {
        let registers = self.threads.iter().flat_map(|thread| &thread.integers);
        self.objects.iter().map(|object| &object.integer).chain(registers).any(|integer| *integer == Integer::UInt64)
    }

    /// The type of what an observable is the value of.
    pub fn integer(&self, observable: Observable) -> Integer {
        match observable {
            Observable::Register { thread, register } => {
                self.threads.get(usize::from(thread)).map_or(Integer::Int64, |thread| thread.integer(register))
            }
            Observable::Location { object, .. } => {
                self.objects.get(usize::from(object.0)).map_or(Integer::Int64, |object| object.integer)
            }
        }
    }

    /// The name of a thread: `P1`, or what the text calls it.
    pub fn thread_name(&self, thread: usize) -> String {
        let name = self.threads.get(thread).and_then(|thread| thread.name.clone());
        name.unwrap_or_else(|| format!("P{thread}"))
    }

    /// Whether there is nothing in a location at the start. Where something comes before the threads, that has filled it.
    pub fn is_uninitialised(&self, location: Location) -> bool {
        self.before.is_none() && self.object_at(location).is_some_and(|object| object.uninitialised)
    }

    /// What a final state consists of: what the condition and the `locations` line mention, in the order registers by
    /// thread, then locations; where there is neither, all registers and all shared names but mutexes and channels.
    pub fn observables(&self) -> Vec<Observable> {
        let mut all = Vec::new();
        if self.condition.is_none() && self.observed.is_none() {
            for (thread, t) in self.threads.iter().enumerate() {
                for register in 0..t.registers.len() {
                    all.push(Observable::Register { thread: thread as u16, register: RegisterId(register as u16) });
                }
            }
            let kinds = self.object_kinds().unwrap_or_default();
            for (object, o) in self.objects.iter().enumerate() {
                if kinds.get(object).is_some_and(|kind| *kind != ObjectKind::Memory) {
                    continue;
                }
                for offset in 0..o.initial.len() {
                    all.push(Observable::Location { object: ObjectId(object as u16), offset: offset as u32 });
                }
            }
        }
        all.extend(self.observed.iter().flatten().copied());
        if let Some(condition) = &self.condition {
            condition.proposition.observables(&mut all);
        }
        if let Some(filter) = &self.filter {
            filter.observables(&mut all);
        }
        sort::ascending(&mut all);
        all.dedup();
        all
    }

    /// The name of an observable as reports print it: `P1:a`, `x`, `q[1]`.
    pub fn observable_name(&self, observable: Observable) -> String {
        match observable {
            Observable::Register { thread, register } => {
                format!(
                    "{}:{}",
                    self.thread_name(thread.into()),
                    self.threads[thread as usize].registers[register.0 as usize]
                )
            }
            Observable::Location { object, offset } => {
                let object = &self.objects[object.0 as usize];
                if object.array { format!("{}[{offset}]", object.name) } else { object.name.clone() }
            }
        }
    }
}
