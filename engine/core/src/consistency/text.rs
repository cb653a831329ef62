//! Abstract executions as text, written like programs: `T1: w x 1; r y 0 <- init`.
//!
//! A text has lines of these kinds, in any order but that a name line comes first:
//!
//! - `execution SB`: its name;
//! - `init x = 1, y = 2`: initial values that are not 0;
//! - `T1: w x 1; r y 0 <- init`: the events of a thread in program order, separated by `;` or on lines of their own;
//! - `root T1` and `order T2.1 < T3.2`: of an annotated partial order, its root and what it puts in order.
//!
//! Events are `w x 1`, `r x 1`, `u x 0 1` (a read-modify-write that reads 0 and writes 1), `buffered u x 0 1` (its write goes to
//! the store buffer), `fence` with a mode or none, and `{ r x 0; w x 1 }`, events that happen at once, which may be `buffered`
//! too. Modes are written behind a dot: `w.rel x 1`. A read says where its value comes from: `<- T2.1`, the first event
//! of T2; `<- T2`, its only write to the location; `<- init`; several with `|` between them. It need not: then any
//! write of the value will do, or any write at all if there is no value or `?`. Comments are `// ...` and `# ...`.

use super::{AbstractExecution, Block};
use crate::graph::{Event, EventId, EventKey, Execution, Label, ThreadId};
use crate::program::{
    Code, Integer, Location, MAX_THREADS, Mode, Object, Operation, Origin, Program, Span, Thread, Update,
    UpdateOperator, Value,
};
use crate::syntax::{
    Cursor, Diagnostic, Lines, Numbers, Signs, TokenKind, Wrong, lines_that_say, refuse, too_long, wrong,
};
use std::fmt::Write as _;

/// The most events of an abstract execution, initial writes not counted.
pub const MAX_EVENTS: usize = 400;

/// The modes that an event may have.
pub(super) const MODES: [Mode; 6] =
    [Mode::NonAtomic, Mode::Relaxed, Mode::Acquire, Mode::Release, Mode::AcquireRelease, Mode::SequentiallyConsistent];

/// Its signs.
pub(super) const SIGNS: Signs = Signs {
    symbols: &[
        ("<-", "<-"),
        ("←", "<-"),
        ("_", "?"),
        ("<", "<"),
        ("|", "|"),
        (";", ";"),
        (":", ":"),
        (".", "."),
        (",", ","),
        ("=", "="),
        ("{", "{"),
        ("}", "}"),
        ("?", "?"),
    ],
    in_names: |c| c.is_alphanumeric() || c == '_',
    numbers: Numbers::Signed,
};

/// Reads an abstract execution.
///
/// # Errors
/// Everything that is wrong with the text, in its order.
pub fn parse_execution(text: &str) -> Result<AbstractExecution, Vec<Diagnostic>> {
    if let Some(wrong) = too_long(text) {
        return Err(vec![wrong]);
    }
    let mut reader = Reader { cursor: Cursor::new(text, &SIGNS), draft: Draft::default() };
    reader.lines();
    let Reader { mut cursor, draft } = reader;
    if draft.threads.is_empty() && cursor.said.is_empty() {
        cursor.said.push(*wrong("there are no threads", cursor.start(), Reader::HELP));
    }
    let mut diagnostics = cursor.said;
    let execution = draft.resolve(&mut diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    if diagnostics.is_empty() { Ok(execution) } else { Err(diagnostics) }
}

/// The name of an event as written: a thread and a number, a thread alone, or the initialisation.
#[derive(Clone, Debug)]
struct Reference {
    thread: String,
    serial: Option<u32>,
    span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DraftKind {
    Read,
    Write,
    Update,
    Fence,
}

/// Where an event stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In no block.
    Alone,
    /// In front of a block.
    First,
    /// In a block, behind its first event.
    Behind,
}

#[derive(Clone, Debug)]
struct DraftEvent {
    kind: DraftKind,
    mode: Mode,
    location: Option<(String, Span)>,
    read: Option<Value>,
    written: Option<Value>,
    sources: Option<Vec<Reference>>,
    span: Span,
}

#[derive(Debug, Default)]
struct DraftThread {
    name: String,
    events: Vec<DraftEvent>,
    /// First event, number of events, whether it is buffered.
    blocks: Vec<(usize, usize, bool)>,
}

/// A text as it was read, names not yet resolved.
#[derive(Debug, Default)]
struct Draft {
    name: String,
    initial: Vec<(String, Value, Span)>,
    threads: Vec<DraftThread>,
    order: Vec<(Reference, Reference)>,
    root: Option<(String, Span)>,
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    draft: Draft,
}

impl<'t> Lines<'t> for Reader<'t> {
    const HELP: &'static str = "write the events of a thread: `T1: w x 1; r y 0 <- init`";

    fn cursor(&mut self) -> &mut Cursor<'t> {
        &mut self.cursor
    }

    fn line(&mut self) -> Result<(), Wrong> {
        let ahead = |count: usize| self.cursor.ahead(count).kind;
        // `x := 1` is of a program.
        let is_label = ahead(1) == TokenKind::Symbol(":") && ahead(2) != TokenKind::Symbol("=");
        if self.cursor.token().kind == TokenKind::Name && is_label {
            return self.thread();
        }
        if self.cursor.take_word("execution") {
            self.draft.name = self.cursor.skip_line().trim().to_owned();
            return Ok(());
        }
        if self.cursor.take_word("init") {
            return self.initial();
        }
        if self.cursor.take_word("root") {
            let (name, span) = self.cursor.name("the name of a thread", "such as `root T1`")?;
            if self.draft.root.is_some() {
                return refuse("the root is given twice", span, "an annotated partial order has one root");
            }
            self.draft.root = Some((name.to_owned(), span));
            return Ok(());
        }
        if self.cursor.take_word("order") {
            return self.order();
        }
        if self.draft.threads.is_empty() {
            return self.cursor.expected("a thread", Self::HELP);
        }
        // A thread goes on.
        self.events()
    }
}

impl Reader<'_> {
    fn initial(&mut self) -> Result<(), Wrong> {
        const HELP: &str = "such as `init x = 1, y = 2`";
        loop {
            let (name, span) = self.cursor.name("a location", HELP)?;
            if !self.cursor.take("=") {
                return self.cursor.expected("`=`", HELP);
            }
            let value = self.cursor.number("an initial value", HELP)?;
            if self.draft.initial.iter().any(|(other, ..)| *other == name) {
                let message = format!("`{name}` has two initial values");
                return refuse(message, span, "give it one");
            }
            self.draft.initial.push((name.to_owned(), value, span));
            if !self.cursor.take(",") {
                return Ok(());
            }
        }
    }

    fn order(&mut self) -> Result<(), Wrong> {
        const HELP: &str = "such as `order T2.1 < T3.2`";
        loop {
            let mut before = self.reference(HELP)?;
            if !self.cursor.is_symbol("<") {
                return self.cursor.expected("`<`", HELP);
            }
            while self.cursor.take("<") {
                let behind = self.reference(HELP)?;
                self.draft.order.push((before, behind.clone()));
                before = behind;
            }
            if !self.cursor.take(",") {
                return Ok(());
            }
        }
    }

    /// `T2.1`, `T2` or `init`.
    fn reference(&mut self, help: &str) -> Result<Reference, Wrong> {
        let (thread, mut span) = self.cursor.name("an event", help)?;
        let mut serial = None;
        if self.cursor.take(".") {
            let at = self.cursor.span();
            let number = self.cursor.number("the number of an event in its thread", help)?;
            serial = u32::try_from(number).ok().filter(|&number| number > 0);
            span.end = at.end;
            if serial.is_none() {
                return refuse(format!("there is no event {number} in a thread"), at, "events count from 1");
            }
        }
        Ok(Reference { thread: thread.to_owned(), serial, span })
    }

    fn thread(&mut self) -> Result<(), Wrong> {
        let (name, span) = self.cursor.name("the name of a thread", "such as `T1:`")?;
        self.cursor.pass();
        if name == "init" {
            return refuse("`init` is the name of the initial writes", span, "give the thread another name");
        }
        if self.draft.threads.iter().any(|thread| thread.name == name) {
            let message = format!("there are two threads `{name}`");
            self.cursor.said.push(*wrong(message, span, "rename one of them"));
        } else if self.draft.threads.len() >= MAX_THREADS {
            let message = format!("there are more than {MAX_THREADS} threads");
            return refuse(message, span, "leave some out");
        }
        self.draft.threads.push(DraftThread { name: name.to_owned(), ..DraftThread::default() });
        self.events()
    }

    /// Events to the end of the line; a block may go on on further lines.
    fn events(&mut self) -> Result<(), Wrong> {
        loop {
            while self.cursor.take(";") {}
            if self.cursor.is_line_end() {
                return Ok(());
            }
            self.event_or_block()?;
            if !self.cursor.is_line_end() && !self.cursor.is_symbol(";") {
                return self.cursor.expected("`;` or the end of the line", "separate events by `;`");
            }
        }
    }

    fn event_or_block(&mut self) -> Result<(), Wrong> {
        let start = self.cursor.span();
        let buffered = self.cursor.take_word("buffered");
        let from = self.last_thread().events.len();
        if self.cursor.take("{") {
            loop {
                self.cursor.skip_newlines();
                while self.cursor.take(";") {
                    self.cursor.skip_newlines();
                }
                if self.cursor.take("}") {
                    break;
                }
                if self.cursor.is_end() {
                    return refuse("this block has no end", start, "close it with `}`");
                }
                self.event(if self.last_thread().events.len() > from { Place::Behind } else { Place::First })?;
                if !self.cursor.is_symbol(";") && !self.cursor.is_symbol("}") && !self.cursor.is_line_end() {
                    return self.cursor.expected("`;` or `}`", "separate events by `;`");
                }
            }
            let length = self.last_thread().events.len() - from;
            if length == 0 {
                return refuse("this block is empty", start, "write events that happen at once: `{ r x 0; w x 1 }`");
            }
            self.thread_mut().blocks.push((from, length, buffered));
            return Ok(());
        }
        self.event(Place::Alone)?;
        if buffered {
            let event = &self.last_thread().events[from];
            if event.kind != DraftKind::Update {
                let help = "only read-modify-writes and blocks can be: `buffered u x 0 1`";
                return refuse("this event can't be buffered", event.span, help);
            }
            self.thread_mut().blocks.push((from, 1, true));
        }
        Ok(())
    }

    fn last_thread(&self) -> &DraftThread {
        self.draft.threads.last().expect("events follow the name of a thread")
    }

    fn thread_mut(&mut self) -> &mut DraftThread {
        self.draft.threads.last_mut().expect("events follow the name of a thread")
    }

    fn event(&mut self, place: Place) -> Result<(), Wrong> {
        const HELP: &str = "events are `w x 1`, `r x 1 <- T2.1`, `u x 0 1` and `fence`";
        let start = self.cursor.span();
        let (word, _) = self.cursor.name("an event", HELP)?;
        let kind = match word {
            "w" | "W" => DraftKind::Write,
            "r" | "R" => DraftKind::Read,
            "u" | "U" | "rmw" => DraftKind::Update,
            "fence" | "f" | "F" => DraftKind::Fence,
            _ => return refuse(format!("there is no event `{word}`"), start, HELP),
        };
        let fits = match place {
            Place::Alone => true,
            Place::First => kind != DraftKind::Fence,
            Place::Behind => kind == DraftKind::Write,
        };
        if !fits {
            let help = "an atomic block is at most one read and then writes";
            return refuse("only the first event of a block may read, and a block has no fences", start, help);
        }
        let mode = self.mode(kind)?;
        let mut event =
            DraftEvent { kind, mode, location: None, read: None, written: None, sources: None, span: start };
        if kind != DraftKind::Fence {
            let (name, span) = self.cursor.name("a location", HELP)?;
            event.location = Some((name.to_owned(), span));
        }
        if matches!(kind, DraftKind::Read | DraftKind::Update) {
            if self.cursor.token().kind == TokenKind::Number {
                event.read = Some(self.cursor.number("a value", HELP)?);
            } else if !self.cursor.take("?") && kind == DraftKind::Update {
                return self
                    .cursor
                    .expected("the value that it reads, or `?`", "such as `u x 0 1`: it reads 0 and writes 1");
            }
        }
        if matches!(kind, DraftKind::Write | DraftKind::Update) {
            event.written = Some(self.cursor.number("the value that it writes", HELP)?);
        }
        if self.cursor.take("<-") {
            if !matches!(kind, DraftKind::Read | DraftKind::Update) {
                return refuse("only reads have sources", start, "leave out `<-` and what follows it");
            }
            let mut sources = Vec::new();
            loop {
                sources.push(self.reference("sources are `init`, `T2.1` or `T2`, several separated by `|`")?);
                if !self.cursor.take("|") {
                    break;
                }
            }
            event.sources = Some(sources);
        }
        event.span = self.cursor.since(start);
        let total: usize = self.draft.threads.iter().map(|thread| thread.events.len()).sum();
        if total >= MAX_EVENTS {
            return refuse(format!("there are more than {MAX_EVENTS} events"), start, "leave some out");
        }
        self.thread_mut().events.push(event);
        Ok(())
    }

    /// `.rel`, or for fences a mode with or without the dot.
    fn mode(&mut self, kind: DraftKind) -> Result<Mode, Wrong> {
        let dotted = self.cursor.take(".");
        if !dotted && (kind != DraftKind::Fence || self.cursor.token().kind != TokenKind::Name) {
            return Ok(if kind == DraftKind::Fence { Mode::SequentiallyConsistent } else { Mode::Relaxed });
        }
        let token = self.cursor.token();
        let found = MODES.into_iter().find(|mode| self.cursor.is_word(mode.keyword()));
        let fits = |mode: &Mode| {
            !matches!(
                (kind, mode),
                (DraftKind::Read, Mode::Release | Mode::AcquireRelease)
                    | (DraftKind::Write, Mode::Acquire | Mode::AcquireRelease)
                    | (DraftKind::Update, Mode::NonAtomic)
                    | (DraftKind::Fence, Mode::NonAtomic | Mode::Relaxed)
            )
        };
        match found.filter(fits) {
            Some(mode) => {
                self.cursor.pass();
                Ok(mode)
            }
            None => {
                let (what, help) = match kind {
                    DraftKind::Read => ("a read", "modes of reads are na, rlx, acq and sc"),
                    DraftKind::Write => ("a write", "modes of writes are na, rlx, rel and sc"),
                    DraftKind::Update => ("a read-modify-write", "its modes are rlx, acq, rel, acqrel and sc"),
                    DraftKind::Fence => ("a fence", "modes of fences are acq, rel, acqrel and sc"),
                };
                refuse(format!("{} is not a mode of {what}", self.cursor.found()), token.span, help)
            }
        }
    }
}

impl Draft {
    /// The execution, as far as names can be resolved; what can't be is said.
    fn resolve(self, diagnostics: &mut Vec<Diagnostic>) -> AbstractExecution {
        let mut program = Program { name: self.name.clone(), ..Program::default() };
        let mut declare = |name: &str, value: Value, span: Span| {
            if !program.objects.iter().any(|object| object.name == name) {
                program.objects.push(Object {
                    name: name.to_owned(),
                    initial: vec![value],
                    array: false,
                    uninitialised: false,
                    integer: Integer::Int64,
                    origin: Origin::Declared,
                    span,
                });
            }
        };
        self.initial.iter().for_each(|(name, value, span)| declare(name, *value, *span));
        let events = || self.threads.iter().flat_map(|thread| &thread.events);
        events().filter_map(|event| event.location.as_ref()).for_each(|(name, span)| declare(name, 0, *span));
        program.threads = self
            .threads
            .iter()
            .enumerate()
            .map(|(at, thread)| Thread {
                name: (thread.name != format!("P{at}")).then(|| thread.name.clone()),
                ..Thread::default()
            })
            .collect();
        let graph = self.graph(&program);
        let mut execution = AbstractExecution {
            sources: vec![Vec::new(); graph.len()],
            program,
            graph,
            blocks: Vec::new(),
            order: Vec::new(),
            root: None,
        };
        let mut at = execution.program.objects.len();
        for (thread, draft) in self.threads.iter().enumerate() {
            let ids = execution.graph.thread(ThreadId(thread as u16)).to_vec();
            for &(from, length, buffered) in &draft.blocks {
                execution.blocks.push(Block { events: ids[from..from + length].to_vec(), buffered });
            }
            for event in &draft.events {
                if matches!(event.kind, DraftKind::Read | DraftKind::Update) {
                    execution.sources[at] = self.sources(&execution, EventId(at as u32), event, diagnostics);
                }
                at += 1;
            }
        }
        for (before, behind) in &self.order {
            let pair = [before, behind].map(|reference| self.event(&execution, reference, None, diagnostics));
            if let [Some(before), Some(behind)] = pair {
                execution.order.push((before, behind));
            }
        }
        match &self.root {
            Some((name, span)) => match self.threads.iter().position(|thread| thread.name == *name) {
                Some(root) => execution.root = Some(ThreadId(root as u16)),
                None => diagnostics.push(Diagnostic::error(format!("there is no thread `{name}`"), *span)),
            },
            None => {
                if let Some((before, _)) = self.order.first() {
                    let message = "there is an order, but no root";
                    let help = "name the root of the annotated partial order: `root T1`";
                    diagnostics.push(Diagnostic::error(message, before.span).with_help(help));
                }
            }
        }
        execution
    }

    fn graph(&self, program: &Program) -> Execution {
        let code = Code::compile(program).expect("threads without statements");
        let mut graph = Execution::initial(&code);
        for (thread, draft) in self.threads.iter().enumerate() {
            for (at, event) in draft.events.iter().enumerate() {
                let object = |(name, _): &(String, Span)| program.objects.iter().position(|o| o.name == *name);
                let location = Location(event.location.as_ref().and_then(object).unwrap_or_default() as u32);
                let mode = event.mode;
                let label = match event.kind {
                    DraftKind::Read => Label::Read { location, mode },
                    DraftKind::Write => Label::Write { location, mode },
                    DraftKind::Update => {
                        let update =
                            Update::Fetch(UpdateOperator::Exchange, event.written.unwrap_or_default(), Integer::Int64);
                        Label::Update { location, mode, failure: mode, update }
                    }
                    DraftKind::Fence => Label::Fence(mode),
                };
                let key = EventKey { thread: ThreadId(thread as u16), serial: at as u32 + 1 };
                graph.restore(Event {
                    key,
                    label,
                    value_read: event.read,
                    value_written: event.written,
                    span: event.span,
                });
            }
        }
        graph
    }

    /// The writes that a read may take.
    fn sources(
        &self,
        execution: &AbstractExecution,
        read: EventId,
        draft: &DraftEvent,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<EventId> {
        let graph = &execution.graph;
        let Some(location) = graph.event(read).location() else { return Vec::new() };
        let fits = |write: &EventId| draft.read.is_none_or(|value| graph.event(*write).value_written == Some(value));
        let Some(references) = &draft.sources else {
            return graph.writes(location).filter(|write| *write != read).filter(fits).collect();
        };
        let mut sources = Vec::new();
        for reference in references {
            let Some(write) = self.event(execution, reference, Some(location), diagnostics) else { continue };
            let name = &execution.program.objects[location.0 as usize].name;
            let event = graph.event(write);
            let mut wrong = |message: String, help: String| {
                diagnostics.push(Diagnostic::error(message, reference.span).with_help(help));
            };
            if write == read {
                wrong(
                    "a read-modify-write can't read what it writes itself".to_owned(),
                    "name another source".to_owned(),
                );
            } else if !event.is_write() || event.location() != Some(location) {
                wrong(
                    format!("this is not a write to `{name}`"),
                    format!("a read of `{name}` takes a write to `{name}`"),
                );
            } else if !fits(&write) {
                let (value, read) = (event.value_written.unwrap_or_default(), draft.read.unwrap_or_default());
                wrong(format!("this write has the value {value}"), format!("the read says that it reads {read}"));
            } else if !sources.contains(&write) {
                sources.push(write);
            }
        }
        sources.sort_unstable();
        sources
    }

    /// The event that a reference names; of a thread alone, its only write to a location.
    fn event(
        &self,
        execution: &AbstractExecution,
        reference: &Reference,
        location: Option<Location>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<EventId> {
        let mut wrong = |message: String, help: &str| {
            diagnostics.push(Diagnostic::error(message, reference.span).with_help(help));
            None
        };
        if reference.thread == "init" {
            return match (location, reference.serial) {
                (Some(location), None) => Some(EventId(location.0)),
                _ => wrong("the initial writes come before everything".to_owned(), "name events of threads"),
            };
        }
        let Some(thread) = self.threads.iter().position(|thread| thread.name == reference.thread) else {
            return wrong(
                format!("there is no thread `{}`", reference.thread),
                "name an event by its thread and its number there, such as `T2.1`, or `init`",
            );
        };
        let events = execution.graph.thread(ThreadId(thread as u16));
        match (reference.serial, location) {
            (Some(serial), _) => match events.get(serial as usize - 1) {
                Some(&event) => Some(event),
                None => wrong(
                    format!("`{}` has no event {serial}", reference.thread),
                    "events count from 1, fences and each event of a block included",
                ),
            },
            (None, Some(location)) => {
                let is_write = |e: &&EventId| {
                    let event = execution.graph.event(**e);
                    event.is_write() && event.location() == Some(location)
                };
                let mut writes = events.iter().filter(is_write);
                match (writes.next(), writes.next()) {
                    (Some(&write), None) => Some(write),
                    (None, _) => wrong(
                        format!("`{}` does not write to this location", reference.thread),
                        "name a thread that does, or an event, such as `T2.1`",
                    ),
                    (Some(_), Some(_)) => wrong(
                        format!("`{}` writes to this location more than once", reference.thread),
                        "say which write, by its number in the thread, such as `T2.1`",
                    ),
                }
            }
            (None, None) => wrong("a number is missing".to_owned(), "such as `T2.1`, the first event of T2"),
        }
    }
}

/// Whether a text is meant as an abstract execution: its first line that says something is of executions alone.
pub fn begins_execution(text: &str) -> bool {
    let is_event = |text: &str| {
        let word = text.trim_start();
        let end = word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len());
        word.starts_with('{')
            || matches!(&word[..end], "w" | "W" | "r" | "R" | "u" | "U" | "rmw" | "fence" | "buffered")
    };
    // Initial values look alike in programs.
    let Some(line) = lines_that_say(text).find(|line| !line.starts_with("init ")) else { return false };
    if let Some(("execution" | "root" | "order", rest)) = line.split_once(' ') {
        return !rest.trim_start().starts_with([':', '=', '(']);
    }
    line.split_once(':').is_some_and(|(name, events)| {
        let name = name.trim_end();
        let is_name = !name.is_empty() && name.chars().all(SIGNS.in_names);
        // The events of a thread may stand on further lines.
        is_name && !events.starts_with('=') && (events.trim().is_empty() || is_event(events))
    })
}

/// The text of the abstract execution that an execution graph is: its events, each read with its source.
///
/// # Errors
/// What of the graph has no place in such a text.
pub fn execution_text(program: &Program, graph: &Execution) -> Result<String, String> {
    let names = names(program);
    let mut out = String::new();
    if !program.name.is_empty() && !program.name.contains(['#', '/']) && !program.name.starts_with([':', '=', '(']) {
        let _ = writeln!(out, "execution {}", program.name);
    }
    let place = |location: Option<Location>| location.and_then(|l| names.get(l.0 as usize)).map_or("", String::as_str);
    let used = |location: &Location| graph.events().any(|(_, e)| !e.is_init() && e.location() == Some(*location));
    let values = graph.events().filter(|(_, event)| event.is_init());
    let values = values.filter_map(|(_, event)| event.location().zip(event.value_written));
    let initial: Vec<String> = values
        .filter(|(location, value)| *value != 0 && used(location))
        .filter_map(|(location, value)| Some(format!("{} = {value}", names.get(location.0 as usize)?)))
        .collect();
    if !initial.is_empty() {
        let _ = writeln!(out, "init {}", initial.join(", "));
    }
    let mut count = 0;
    for thread in 0..graph.threads() {
        let mut texts = Vec::new();
        for &e in graph.thread(ThreadId(thread as u16)) {
            let event = graph.event(e);
            let mode = match (event.label, event.mode()) {
                (Label::Fence(Mode::SequentiallyConsistent), _) | (_, Mode::Relaxed) => String::new(),
                (Label::Fence(mode), _) => format!(" {}", mode.keyword()),
                (_, mode) => format!(".{}", mode.keyword()),
            };
            let name = place(event.location());
            let number = |value: Option<Value>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
            let from = graph.source(e).map_or_else(String::new, |write| {
                let key = graph.event(write).key;
                let write = if key.thread.is_init() {
                    "init".to_owned()
                } else {
                    format!("P{}.{}", key.thread.index(), key.serial)
                };
                format!(" <- {write}")
            });
            let text = match event.label {
                Label::Write { .. } => format!("w{mode} {name} {}", event.value_written.unwrap_or_default()),
                Label::Update { .. } if event.is_write() => {
                    let written = event.value_written.unwrap_or_default();
                    format!("u{mode} {name} {} {written}{from}", number(event.value_read))
                }
                Label::Read { .. } | Label::Update { .. } => {
                    format!("r{mode} {name} {}{from}", number(event.value_read))
                }
                Label::Fence(_) => format!("fence{mode}"),
                Label::Library { operation: Operation::End | Operation::Join, .. } => {
                    return Err(
                        "executions with events after all threads can't be written as a text of their own".to_owned()
                    );
                }
                Label::Library { .. } => {
                    return Err(
                        "executions with mutexes or channels can't be written as a text of their own".to_owned()
                    );
                }
                Label::Get { .. } | Label::Post { .. } => {
                    return Err("executions with messages can't be written as a text of their own".to_owned());
                }
                // What ends a thread orders nothing.
                Label::Init { .. } | Label::Error(_) | Label::Stuck | Label::Bound(_) | Label::Spin => continue,
            };
            texts.push(text);
        }
        count += texts.len();
        let _ = writeln!(out, "{}", format!("P{thread}: {}", texts.join("; ")).trim_end());
    }
    if count > MAX_EVENTS {
        return Err(format!("the execution has {count} events; a text of its own may have {MAX_EVENTS}"));
    }
    Ok(out)
}

/// Names for a program's locations that an execution's text can have, each another one.
fn names(program: &Program) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for object in &program.objects {
        for offset in 0..object.initial.len() {
            let name = if object.array { format!("{}_{offset}", object.name) } else { object.name.clone() };
            let name: String = name.chars().map(|c| if (SIGNS.in_names)(c) { c } else { '_' }).collect();
            let name =
                if name.starts_with(|c: char| c.is_ascii_digit()) || name == "_" { format!("v{name}") } else { name };
            let mut free = name.clone();
            let mut number = 2;
            while names.contains(&free) {
                free = format!("{name}_{number}");
                number += 1;
            }
            names.push(free);
        }
    }
    names
}

/// The text of an abstract execution. Reading it gives the same execution, source places apart, unless names can't be written.
pub fn print_execution(execution: &AbstractExecution) -> String {
    let AbstractExecution { program, graph, .. } = execution;
    let mut out = String::new();
    if !program.name.is_empty() {
        let _ = writeln!(out, "execution {}", program.name);
    }
    // Locations are numbered as they are met in the text.
    let is_zero = |location: &Location| program.objects[location.0 as usize].initial.first() == Some(&0);
    let mut met: Vec<Location> = (0..program.objects.len() as u32).map(Location).filter(|l| !is_zero(l)).collect();
    for location in graph.events().filter(|(_, event)| !event.is_init()).filter_map(|(_, event)| event.location()) {
        if !met.contains(&location) {
            met.push(location);
        }
    }
    let in_order = met.len() == program.objects.len() && met.is_sorted_by_key(|location| location.0);
    let initial: Vec<String> = program
        .objects
        .iter()
        .filter(|object| !in_order || object.initial.first().is_some_and(|value| *value != 0))
        .map(|object| format!("{} = {}", object.name, object.initial[0]))
        .collect();
    if !initial.is_empty() {
        let _ = writeln!(out, "init {}", initial.join(", "));
    }
    if let Some(root) = execution.root {
        let _ = writeln!(out, "root {}", program.thread_name(root.index()));
    }
    for thread in 0..graph.threads() {
        let events = graph.thread(ThreadId(thread as u16));
        let mut texts = Vec::new();
        let mut at = 0;
        while at < events.len() {
            let block = execution.blocks.iter().find(|block| block.events.first() == Some(&events[at]));
            let length = block.map_or(1, |block| block.events.len());
            let members: Vec<String> = events[at..at + length].iter().map(|&e| event_text(execution, e)).collect();
            let buffered = if block.is_some_and(|block| block.buffered) { "buffered " } else { "" };
            let is_update = matches!(graph.event(events[at]).label, Label::Update { .. });
            texts.push(match block {
                Some(_) if length > 1 || !is_update || buffered.is_empty() => {
                    format!("{buffered}{{ {} }}", members.join("; "))
                }
                _ => format!("{buffered}{}", members.join("; ")),
            });
            at += length;
        }
        let line = format!("{}: {}", program.thread_name(thread), texts.join("; "));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    for &(before, behind) in &execution.order {
        let _ = writeln!(out, "order {} < {}", event_name(execution, before), event_name(execution, behind));
    }
    out
}

fn event_name(execution: &AbstractExecution, e: EventId) -> String {
    let key = execution.graph.event(e).key;
    if key.thread.is_init() {
        return "init".to_owned();
    }
    format!("{}.{}", execution.program.thread_name(key.thread.index()), key.serial)
}

fn event_text(execution: &AbstractExecution, e: EventId) -> String {
    let event = execution.graph.event(e);
    let mode = match (event.label, event.mode()) {
        (Label::Fence(Mode::SequentiallyConsistent), _) | (_, Mode::Relaxed) => String::new(),
        (Label::Fence(mode), _) => format!(" {}", mode.keyword()),
        (_, mode) => format!(".{}", mode.keyword()),
    };
    let name = event.location().map_or("", |location| &execution.program.objects[location.0 as usize].name);
    let sources = &execution.sources[e.index()];
    let read = event.value_read.map_or_else(|| "?".to_owned(), |value| value.to_string());
    let fits = |write: &EventId| {
        let value = execution.graph.event(*write).value_written;
        *write != e && (event.value_read.is_none() || value == event.value_read)
    };
    let all = || event.location().is_some_and(|l| execution.graph.writes(l).filter(fits).eq(sources.iter().copied()));
    let from = || {
        // Any write will do: they need not be named.
        if sources.len() > 1 && all() {
            return String::new();
        }
        let names: Vec<String> = sources.iter().map(|&write| event_name(execution, write)).collect();
        if names.is_empty() { String::new() } else { format!(" <- {}", names.join(" | ")) }
    };
    let written = event.value_written.unwrap_or_default();
    match event.label {
        Label::Write { .. } => format!("w{mode} {name} {written}"),
        Label::Update { .. } => format!("u{mode} {name} {read} {written}{}", from()),
        Label::Fence(_) => format!("fence{mode}"),
        _ => format!("r{mode} {name} {read}{}", from()),
    }
}
