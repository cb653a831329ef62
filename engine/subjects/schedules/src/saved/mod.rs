//! Intermediate results and trees as JSON, to be kept, and to be written by hand.
//!
//! ```json
//! { "litmoscope_ivr": 1,
//!   "nodes": [
//!     { "allow": ["P0"], "next": [{ "thread": "P0", "to": 0 }, { "thread": "P0", "at": "2:14", "branch": 0, "to": 1 }] },
//!     { "allow": ["P0", { "thread": "P1", "when": "count > 0" }], "next": [{ "thread": "P1", "to": 0 }] }
//!   ] }
//! ```
//!
//! - `litmoscope_ivr` is the version, 1.
//! - `program`, which may be left out, has the `fingerprint` of the program ([`fingerprint`]) and its `text`. With a fingerprint, what is read
//!   for another program is refused.
//! - `nodes` are those of an intermediate result, from 0. `allow` lists the threads that may run, each by its name (or its index), perhaps with a
//!   condition `when` on variables. `next` says where steps lead: all of a thread, those from one point of it (`at`), or one of these
//!   (`branch`, counted from 0 as they stand in the text: what holds comes before what does not). What says more comes before what says less.
//!   A step that no line is about leaves the result, and nothing is constrained behind it.
//! - `tree`, instead of `nodes`, has the nodes of a tree, from 0, each behind the one above it. `points` has the place of each thread; it may be
//!   left out, and is checked if it is there. `label` is a condition, 1 if left out. `below` has the edges: a thread, `branch` if it has several
//!   transitions, and `to`. `covered_by` is a node.
//!
//! A point is the line and the column of its event, such as `2:14`; `/2` behind it is the second one at that place. `end` is where a
//! thread has ended, `error 2:14` where it went wrong, `stuck 2:14` where it waits for good. Conditions are in `text.rs`.
//!
//! What is wrong with a text is said with its place ([`SavedError`]). What is read names only what the program has; whether it is safe, or
//! its labels hold, is for [`crate::check`] to say.

#[cfg(test)]
mod tests;
mod text;

use crate::art::{Art, Node, NodeId};
use crate::ivr::{Allowed, Behind, Ivr, IvrNode};
use litmoscope_core::program::system::{EventKind, PointId, PointKind, System, Term, TransitionId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The version that is written, and the only one that is read so far.
pub const VERSION: u64 = 1;
/// How long a text may be, in bytes.
pub const MAX_TEXT: usize = 32 << 20;
/// How many steps the nodes of an intermediate result may say something about, together.
const MAX_STEPS: usize = 4_000_000;

/// What is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saved {
    /// An intermediate result.
    Ivr(Ivr),
    /// A tree.
    Art(Art),
}

impl Saved {
    /// As an intermediate result.
    pub fn ivr(&self, system: &System) -> Ivr {
        match self {
            Self::Ivr(ivr) => ivr.clone(),
            Self::Art(art) => art.ivr(system),
        }
    }
}

/// Why a text is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedError {
    /// It is no such JSON.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// It is too long.
    #[error("the text has {0} bytes, more than {MAX_TEXT}")]
    TooLong(usize),
    /// It is of another version.
    #[error("`litmoscope_ivr` is {0}: this reads version {VERSION} alone")]
    Version(u64),
    /// It was saved for another program.
    #[error(
        "`program`: this was saved for another program, or another version of it: its fingerprint is {saved}, this program's is {this}. Without `fingerprint`, it is read all the same"
    )]
    OtherProgram {
        /// The fingerprint in the text.
        saved: String,
        /// That of the program.
        this: String,
    },
    /// It says something that is not so.
    #[error("{place}: {message}")]
    Wrong {
        /// Where: the node and the field, such as "node 3, `next` 1, `at`", each counted from 0.
        place: String,
        /// What is wrong there.
        message: String,
    },
}

/// Why something is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwritable {
    /// A condition asks for the input of a step.
    #[error("node {0} has a condition on the input of a step, which has no text")]
    Input(usize),
    /// A condition is too long.
    #[error("node {0} has a condition that is too long to be written")]
    TooLong(usize),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    litmoscope_ivr: u64,
    #[serde(default)]
    program: Option<FileProgram>,
    #[serde(default)]
    nodes: Option<Vec<FileNode>>,
    #[serde(default)]
    tree: Option<Vec<FileTreeNode>>,
}

/// What is read first, of any version.
#[derive(Deserialize)]
struct Head {
    litmoscope_ivr: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileProgram {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileNode {
    allow: Vec<FileAllowed>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    next: Vec<FileNext>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged, expecting = "a thread is its name, or its index from 0")]
enum FileThread {
    Name(String),
    Index(u16),
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "what is allowed is the name of a thread, or {\"thread\": ..., \"when\": ...}")]
enum FileAllowed {
    Thread(FileThread),
    When(FileWhen),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileWhen {
    thread: FileThread,
    when: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileNext {
    thread: FileThread,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branch: Option<usize>,
    to: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTreeNode {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    points: Option<BTreeMap<String, String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    below: Vec<FileNext>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    covered_by: Option<u32>,
}

/// A number that two systems have in common if they have the same variables, threads, points, places in the text and transitions: what a text
/// refers to. As 16 hexadecimal digits.
///
/// Not made to keep out who wants to deceive: a result is checked, whatever it was saved for.
pub fn fingerprint(system: &System) -> String {
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    for (name, value) in system.names.iter().zip(&system.initial) {
        hash.feed(&format!("{name} {value}"));
    }
    for (variable, input) in &system.inputs {
        hash.feed(&variable.0.to_string());
        hash.stable(input);
    }
    system.assuming.iter().for_each(|term| hash.term(term));
    for (at, thread) in system.threads.iter().enumerate() {
        hash.feed(&format!("{} {}", thread.name, thread.start.0));
        Places::of(system, at).names.iter().for_each(|name| hash.feed(name));
    }
    for transition in &system.transitions {
        hash.feed(&format!("{} {} {}", transition.thread, transition.from.0, transition.to.0));
        transition.guard.iter().for_each(|term| hash.term(term));
        for (variable, term) in &transition.assignments {
            hash.feed(&variable.0.to_string());
            hash.term(term);
        }
        transition.inputs.iter().for_each(|input| hash.stable(input));
    }
    format!("{:016x}", hash.0)
}

/// FNV-1a, with 64 bits.
struct Hash(u64);

impl Hash {
    fn feed(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// What programs are saved with, whose JSON stays.
    fn stable(&mut self, value: &impl Serialize) {
        self.feed(&serde_json::to_string(value).unwrap_or_default());
    }

    fn term(&mut self, term: &Term) {
        match term {
            Term::Constant(value) => self.feed(&value.to_string()),
            Term::Variable(variable) => self.feed(&format!("variable {}", variable.0)),
            Term::Input(at) => self.feed(&format!("input {at}")),
            Term::Unary(operator, operand) => {
                self.stable(operator);
                self.term(operand);
            }
            Term::Binary(operator, left, right) | Term::Defined(operator, left, right) => {
                self.feed(if matches!(term, Term::Defined(..)) { "defined" } else { "of" });
                self.stable(operator);
                self.term(left);
                self.term(right);
            }
            Term::If(condition, then, otherwise) => {
                self.feed("if");
                [condition, then, otherwise].into_iter().for_each(|part| self.term(part));
            }
        }
    }
}

/// The names of the points of a thread.
struct Places {
    /// By point.
    names: Vec<String>,
    points: FxHashMap<String, PointId>,
}

impl Places {
    fn of(system: &System, thread: usize) -> Self {
        let (mut names, mut points) = (Vec::new(), FxHashMap::default());
        for (at, point) in system.threads[thread].points.iter().enumerate() {
            let place = format!("{}:{}", point.span.line, point.span.column);
            let name = match point.kind {
                PointKind::Ended => "end".to_owned(),
                PointKind::Error(_) => format!("error {place}"),
                PointKind::Event(EventKind::Stuck) => format!("stuck {place}"),
                PointKind::Event(_) => place,
            };
            let numbered = (2..).map(|number| format!("{name}/{number}"));
            let free = std::iter::once(name.clone()).chain(numbered).find(|name| !points.contains_key(name));
            let name = free.unwrap_or(name);
            points.insert(name.clone(), PointId(at as u32));
            names.push(name);
        }
        Self { names, points }
    }
}

/// The name by which a thread is found again.
fn name_of(system: &System, thread: u16) -> FileThread {
    let name = &system.threads[usize::from(thread)].name;
    let is_unique = system.threads.iter().filter(|other| other.name == *name).count() == 1;
    if is_unique { FileThread::Name(name.clone()) } else { FileThread::Index(thread) }
}

/// Writes something down, a node a line, with the fingerprint of its program, and its text if that is given.
///
/// # Errors
/// [`Unwritable`] for conditions that have no text.
///
/// # Panics
/// If it names transitions, threads or points that the system does not have.
pub fn write(system: &System, saved: &Saved, program: Option<&str>) -> Result<String, Unwritable> {
    let places: Vec<Places> = (0..system.threads.len()).map(|thread| Places::of(system, thread)).collect();
    let term = |at: usize, term: &Term| {
        text::print(system, term).map_err(|wrong| match wrong {
            text::Unwritten::Input => Unwritable::Input(at),
            text::Unwritten::TooLong => Unwritable::TooLong(at),
        })
    };
    let mut lines: Vec<String> = Vec::new();
    // Maps with names for keys, and no numbers but whole ones: nothing of that is refused.
    let mut line = |node: serde_json::Result<String>| lines.push(node.unwrap_or_default());
    let field = match saved {
        Saved::Ivr(ivr) => {
            for (at, node) in ivr.nodes.iter().enumerate() {
                let mut allow = Vec::new();
                for allowed in &node.allows {
                    let thread = name_of(system, allowed.thread);
                    allow.push(match &allowed.when {
                        None => FileAllowed::Thread(thread),
                        Some(when) => FileAllowed::When(FileWhen { thread, when: term(at, when)? }),
                    });
                }
                line(serde_json::to_string(&FileNode { allow, next: next_of(system, &places, node) }));
            }
            "nodes"
        }
        Saved::Art(art) => {
            for (at, node) in art.nodes.iter().enumerate() {
                let points = node.points.iter().enumerate().map(|(thread, point)| {
                    let name = match name_of(system, thread as u16) {
                        FileThread::Name(name) => name,
                        FileThread::Index(at) => at.to_string(),
                    };
                    (name, places[thread].names[point.0 as usize].clone())
                });
                let below = node.below.iter().map(|(transition, to)| {
                    let own = system.transition(*transition);
                    let all = &system.point(own.thread.into(), own.from).transitions;
                    let branch = all.iter().position(|other| other == transition).filter(|_| all.len() > 1);
                    FileNext { thread: name_of(system, own.thread), at: None, branch, to: to.0 }
                });
                let label = (node.label.known() != Some(1)).then(|| term(at, &node.label)).transpose()?;
                line(serde_json::to_string(&FileTreeNode {
                    points: Some(points.collect()),
                    label,
                    below: below.collect(),
                    covered_by: node.covered_by.map(|coverer| coverer.0),
                }));
            }
            "tree"
        }
    };
    let program = FileProgram { fingerprint: Some(fingerprint(system)), text: program.map(str::to_owned) };
    let program = serde_json::to_string(&program).unwrap_or_default();
    Ok(format!(
        "{{ \"litmoscope_ivr\": {VERSION},\n  \"program\": {program},\n  \"{field}\": [\n    {}\n  ] }}\n",
        lines.join(",\n    ")
    ))
}

/// Where the steps of a node lead, in as few lines as they can be said in.
fn next_of(system: &System, places: &[Places], node: &Behind) -> Vec<FileNext> {
    let to: FxHashMap<TransitionId, u32> = node.next.iter().map(|(transition, to)| (*transition, to.0)).collect();
    // Where all of some transitions lead, if it is one node.
    let together = |all: &[TransitionId]| {
        let first = to.get(all.first()?).copied()?;
        all.iter().all(|transition| to.get(transition) == Some(&first)).then_some(first)
    };
    let mut next = Vec::new();
    for (thread, places) in places.iter().enumerate() {
        let name = name_of(system, thread as u16);
        let points = &system.threads[thread].points;
        let all: Vec<TransitionId> = points.iter().flat_map(|point| &point.transitions).copied().collect();
        if let Some(to) = together(&all) {
            next.push(FileNext { thread: name, at: None, branch: None, to });
            continue;
        }
        for (point, place) in points.iter().zip(&places.names) {
            let line = |branch, to| FileNext { thread: name.clone(), at: Some(place.clone()), branch, to };
            match together(&point.transitions) {
                Some(to) => next.push(line(None, to)),
                None => {
                    let own = point.transitions.iter().enumerate();
                    next.extend(own.filter_map(|(at, one)| to.get(one).map(|to| line(Some(at), *to))));
                }
            }
        }
    }
    next
}

fn wrong<T>(place: impl Into<String>, message: impl Into<String>) -> Result<T, SavedError> {
    Err(SavedError::Wrong { place: place.into(), message: message.into() })
}

fn syntax(error: &serde_json::Error) -> SavedError {
    let message = error.to_string();
    // What it says of the place is said apart.
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message).to_owned();
    SavedError::Syntax { line: error.line(), column: error.column().max(1), message }
}

/// The version of a text, if it is one of ours.
fn head(json: &str) -> Result<(), SavedError> {
    if json.len() > MAX_TEXT {
        return Err(SavedError::TooLong(json.len()));
    }
    match serde_json::from_str(json) {
        Ok(Head { litmoscope_ivr: VERSION }) => Ok(()),
        Ok(Head { litmoscope_ivr }) => Err(SavedError::Version(litmoscope_ivr)),
        Err(error) => Err(syntax(&error)),
    }
}

/// The program's text that is saved with something, if there is one.
///
/// # Errors
/// [`SavedError`] if it is no such JSON.
pub fn program_of(json: &str) -> Result<Option<String>, SavedError> {
    head(json)?;
    let file: File = serde_json::from_str(json).map_err(|error| syntax(&error))?;
    Ok(file.program.and_then(|program| program.text))
}

/// Reads what was saved for a program, or written by hand.
///
/// # Errors
/// [`SavedError`].
pub fn read(system: &System, json: &str) -> Result<Saved, SavedError> {
    head(json)?;
    let file: File = serde_json::from_str(json).map_err(|error| syntax(&error))?;
    if let Some(saved) = file.program.and_then(|program| program.fingerprint) {
        let this = fingerprint(system);
        if saved != this {
            return Err(SavedError::OtherProgram { saved, this });
        }
    }
    let places = (0..system.threads.len()).map(|thread| Places::of(system, thread)).collect();
    let reader = Reader { system, places };
    match (file.nodes, file.tree) {
        (Some(nodes), None) => reader.ivr(&nodes).map(Saved::Ivr),
        (None, Some(tree)) => reader.art(&tree).map(Saved::Art),
        (Some(_), Some(_)) => wrong("`nodes`", "there is a `tree` as well: say one of them"),
        (None, None) => wrong("the whole", "there are neither `nodes` nor a `tree`"),
    }
}

struct Reader<'a> {
    system: &'a System,
    /// By thread.
    places: Vec<Places>,
}

impl Reader<'_> {
    fn thread(&self, place: &str, thread: &FileThread) -> Result<u16, SavedError> {
        let threads = &self.system.threads;
        match thread {
            FileThread::Index(at) if usize::from(*at) < threads.len() => Ok(*at),
            FileThread::Index(at) => wrong(place, format!("there is no thread {at}: there are {}", threads.len())),
            FileThread::Name(name) => {
                let mut found = (0..).zip(threads).filter(|(_, thread)| thread.name == *name).map(|(at, _)| at);
                match (found.next(), found.next()) {
                    (Some(thread), None) => Ok(thread),
                    (Some(first), Some(second)) => {
                        wrong(place, format!("several threads are called `{name}`: say {first}, {second}, ..."))
                    }
                    (None, _) => {
                        let names: Vec<&str> = threads.iter().map(|thread| thread.name.as_str()).collect();
                        wrong(place, format!("there is no thread `{name}`: there are {}", names.join(", ")))
                    }
                }
            }
        }
    }

    fn term(&self, place: &str, text: &str) -> Result<Arc<Term>, SavedError> {
        text::read(self.system, text)
            .or_else(|error| wrong(format!("{place}, character {}", error.column), error.message))
    }

    fn point(&self, place: &str, thread: u16, name: &str) -> Result<PointId, SavedError> {
        let places = &self.places[usize::from(thread)];
        places.points.get(name).copied().map_or_else(
            || {
                let own = &self.system.threads[usize::from(thread)].name;
                let some = places.names.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
                let more = if places.names.len() > 8 { ", ..." } else { "" };
                wrong(place, format!("`{own}` has no point `{name}`: it has {some}{more}"))
            },
            Ok,
        )
    }

    /// One of the transitions at a point.
    fn branch(&self, place: &str, thread: u16, point: PointId, branch: usize) -> Result<TransitionId, SavedError> {
        let all = &self.system.point(thread.into(), point).transitions;
        let own = &self.system.threads[usize::from(thread)].name;
        let at = &self.places[usize::from(thread)].names[point.0 as usize];
        match all.get(branch) {
            Some(transition) => Ok(*transition),
            None if all.is_empty() => wrong(place, format!("`{own}` has no transition from {at}")),
            None => {
                let ways: Vec<String> = all.iter().enumerate().take(8).map(|(at, one)| self.way(at, *one)).collect();
                wrong(place, format!("`{own}` has {} transitions from {at}: {}", all.len(), ways.join("; ")))
            }
        }
    }

    /// What a branch is, in words.
    fn way(&self, at: usize, transition: TransitionId) -> String {
        let own = self.system.transition(transition);
        let taken = own.branches.iter().map(|taken| {
            let holds = if taken.held { "holds" } else { "does not hold" };
            format!("where {}:{} {holds}, ", taken.span.line, taken.span.column)
        });
        let to = &self.places[usize::from(own.thread)].names[own.to.0 as usize];
        format!("{at} {}to {to}", taken.collect::<String>())
    }

    fn ivr(&self, nodes: &[FileNode]) -> Result<Ivr, SavedError> {
        if nodes.is_empty() {
            return wrong("`nodes`", "there is no node: the first one is where runs start");
        }
        let mut read = Vec::new();
        let mut steps = 0;
        for (at, node) in nodes.iter().enumerate() {
            let mut allows: Vec<Allowed> = Vec::new();
            for (number, allowed) in node.allow.iter().enumerate() {
                let place = format!("node {at}, `allow` {number}");
                let (thread, when) = match allowed {
                    FileAllowed::Thread(thread) => (self.thread(&place, thread)?, None),
                    FileAllowed::When(FileWhen { thread, when }) => {
                        let term = self.term(&format!("{place}, `when`"), when)?;
                        (self.thread(&format!("{place}, `thread`"), thread)?, Some(term))
                    }
                };
                if allows.iter().any(|other| other.thread == thread) {
                    let name = &self.system.threads[usize::from(thread)].name;
                    return wrong(place, format!("`{name}` is allowed twice: join the conditions by `or`"));
                }
                allows.push(Allowed { thread, when });
            }
            allows.sort_by_key(|allowed| allowed.thread);
            let next = self.next(at, node, nodes.len())?;
            steps += next.len();
            if steps > MAX_STEPS {
                return wrong(
                    format!("node {at}"),
                    format!("the nodes so far lead {MAX_STEPS} steps on, which is too many"),
                );
            }
            read.push(Behind { allows, next });
        }
        Ok(Ivr { nodes: read })
    }

    /// Where the steps of a node lead.
    fn next(&self, at: usize, node: &FileNode, nodes: usize) -> Result<Vec<(TransitionId, IvrNode)>, SavedError> {
        // How much was said when it was said, and where.
        let mut said: BTreeMap<TransitionId, (u8, usize, IvrNode)> = BTreeMap::new();
        for (number, line) in node.next.iter().enumerate() {
            let place = |field: &str| format!("node {at}, `next` {number}, `{field}`");
            let thread = self.thread(&place("thread"), &line.thread)?;
            if line.to as usize >= nodes {
                return wrong(place("to"), format!("there is no node {}: the last one is {}", line.to, nodes - 1));
            }
            let points = &self.system.threads[usize::from(thread)].points;
            let (says, transitions): (u8, Vec<TransitionId>) = match (&line.at, line.branch) {
                (None, None) => (0, points.iter().flat_map(|point| &point.transitions).copied().collect()),
                (None, Some(_)) => return wrong(place("branch"), "say `at` as well: of which point it is a branch"),
                (Some(name), branch) => {
                    let point = self.point(&place("at"), thread, name)?;
                    let all = &points[point.0 as usize].transitions;
                    match branch {
                        None if all.is_empty() => (1, vec![self.branch(&place("at"), thread, point, 0)?]),
                        None => (1, all.clone()),
                        Some(branch) => (2, vec![self.branch(&place("branch"), thread, point, branch)?]),
                    }
                }
            };
            for transition in transitions {
                let to = IvrNode(line.to);
                match said.get(&transition) {
                    Some((before, ..)) if *before > says => continue,
                    Some((before, other, target)) if *before == says && *target != to => {
                        return wrong(place("to"), format!("`next` {other} says {} for the same step", target.0));
                    }
                    _ => {}
                }
                said.insert(transition, (says, number, to));
            }
        }
        Ok(said.into_iter().map(|(transition, (_, _, to))| (transition, to)).collect())
    }

    fn art(&self, tree: &[FileTreeNode]) -> Result<Art, SavedError> {
        if tree.is_empty() {
            return wrong("`tree`", "there is no node: the first one is the root");
        }
        let system = self.system;
        // By node: what is above it, and where threads are.
        let mut above: Vec<Option<(NodeId, TransitionId)>> = vec![None; tree.len()];
        let mut points: Vec<Option<Box<[PointId]>>> = vec![None; tree.len()];
        points[0] = Some(system.threads.iter().map(|thread| thread.start).collect());
        let mut nodes = Vec::new();
        for (at, node) in tree.iter().enumerate() {
            let place = |what: &str| format!("node {at}, {what}");
            let Some(own) = points[at].take() else {
                return wrong(format!("node {at}"), "no edge of a node before it leads to it");
            };
            for (name, place_name) in node.points.iter().flatten() {
                let place = place(&format!("`points` `{name}`"));
                let by_name = self.thread(&place, &FileThread::Name(name.clone()));
                let thread = match name.parse() {
                    Ok(index) if by_name.is_err() => self.thread(&place, &FileThread::Index(index))?,
                    _ => by_name?,
                };
                let point = own[usize::from(thread)];
                if self.point(&place, thread, place_name)? != point {
                    let is = &self.places[usize::from(thread)].names[point.0 as usize];
                    let why = if at == 0 { "it starts" } else { "the edge leads" };
                    return wrong(place, format!("`{place_name}` is not where {why}: that is `{is}`"));
                }
            }
            let label = match &node.label {
                Some(label) => self.term(&place("`label`"), label)?,
                None => Term::constant(1),
            };
            let mut below: Vec<(TransitionId, NodeId)> = Vec::new();
            for (number, edge) in node.below.iter().enumerate() {
                let place = |field: &str| place(&format!("`below` {number}, `{field}`"));
                let thread = self.thread(&place("thread"), &edge.thread)?;
                let point = own[usize::from(thread)];
                if let Some(name) = &edge.at
                    && self.point(&place("at"), thread, name)? != point
                {
                    let is = &self.places[usize::from(thread)].names[point.0 as usize];
                    return wrong(place("at"), format!("the thread is at `{is}` here"));
                }
                let all = &system.point(thread.into(), point).transitions;
                let transition = match edge.branch {
                    Some(branch) => self.branch(&place("branch"), thread, point, branch)?,
                    // If there are several, it has to be said which; the message lists them.
                    None if all.len() == 1 => all[0],
                    None => self.branch(&place("branch"), thread, point, usize::MAX)?,
                };
                let to = edge.to as usize;
                if to >= tree.len() {
                    return wrong(place("to"), format!("there is no node {to}: the last one is {}", tree.len() - 1));
                }
                if to <= at {
                    return wrong(place("to"), format!("node {to} does not come behind node {at}"));
                }
                if above[to].is_some() {
                    return wrong(place("to"), format!("another edge leads to node {to}: say `covered_by` instead"));
                }
                if below.iter().any(|(other, _)| *other == transition) {
                    return wrong(place("branch"), "there is an edge of that transition already");
                }
                above[to] = Some((NodeId(at as u32), transition));
                let mut behind = own.clone();
                behind[usize::from(thread)] = system.transition(transition).to;
                points[to] = Some(behind);
                below.push((transition, NodeId(edge.to)));
            }
            below.sort_unstable();
            if let Some(coverer) = node.covered_by
                && coverer as usize >= tree.len()
            {
                let message = format!("there is no node {coverer}: the last one is {}", tree.len() - 1);
                return wrong(place("`covered_by`"), message);
            }
            nodes.push(Node { above: above[at], points: own, label, below, covered_by: node.covered_by.map(NodeId) });
        }
        Ok(Art { nodes })
    }
}
