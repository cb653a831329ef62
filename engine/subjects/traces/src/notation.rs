//! Event-driven traces as text.
//!
//! The first line is `trace` with a name or none. Behind it stand lines of these kinds:
//!
//! - `handler h1 queue`, `handler h2 multiset`: a handler and its mailbox;
//! - `message m2 on h1: w x 2; r x 3 <- m4.2; post m3`: what a message does when it is taken;
//! - `initial m on h1: ...`: the same of a message that is in its mailbox at the start, in a queue behind those written before it; `initial
//!   m on h1 unordered: ...` at any place among those;
//! - `message m7 on h1 waits`: a message that was posted and never taken;
//! - `thread T1: w y 1; post m9`: a plain thread;
//! - `init x = 5, y = 1`: initial values that are not 0;
//! - `co x: m.1 < m2.1 < m4.2`: the writes of a location in co, needed where there are several.
//!
//! Events are separated by `;`, or stand on lines of their own. `m4.2` is the second event of m4, its get not counted; `m4`
//! is its only write to the location; `initial` is the initial value. A read without a source takes the only write of its
//! value. Comments are `// ...` and `# ...`.

use super::trace::{
    Event, EventIndex, Handler, HandlerIndex, Kind, LocationIndex, Mailbox, Message, MessageIndex, Trace,
};
use crate::program::{Span, Value};
use crate::syntax::{
    Cursor, Diagnostic, Lines, Numbers, Signs, TokenClass, TokenKind, Wrong, begins_with, refuse, too_long, wrong,
};
use crate::{sort, words};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::ops::Range;

/// Its signs.
const SIGNS: Signs = Signs {
    symbols: &[("<-", "<-"), ("←", "<-"), ("<", "<"), (";", ";"), (":", ":"), (".", "."), (",", ","), ("=", "=")],
    in_names: |c| c.is_alphanumeric() || c == '_',
    numbers: Numbers::Signed,
};

const EVENTS: &str = "events are `w x 1`, `r x 1 <- m2.1` and `post m3`, separated by `;`";

/// Whether a text is meant as an event-driven trace: its first line that says something begins with `trace`.
pub fn begins_trace(text: &str) -> bool {
    begins_with(text, "trace")
}

/// Reads an event-driven trace.
///
/// # Errors
/// Everything that is wrong with the text, in its order.
pub fn parse_trace(text: &str) -> Result<Trace, Vec<Diagnostic>> {
    if let Some(wrong) = too_long(text) {
        return Err(vec![wrong]);
    }
    let mut reader = Reader { cursor: Cursor::new(text, &SIGNS), draft: Draft::default(), begun: false };
    reader.lines();
    let Reader { mut cursor, draft, .. } = reader;
    if draft.messages.is_empty() && cursor.said.is_empty() {
        cursor.said.push(*wrong("there are no messages", cursor.start(), "such as `initial m on h: w x 1`"));
    }
    let mut diagnostics = cursor.said;
    let trace = draft.resolve(&mut diagnostics);
    sort::by_key(&mut diagnostics, |diagnostic| diagnostic.span.start);
    if diagnostics.is_empty() { Ok(trace) } else { Err(diagnostics) }
}

/// A name and where it stands.
type Name = (String, Span);

/// An event as written: a message, and which of its events.
#[derive(Clone, Debug)]
struct Reference {
    message: Name,
    serial: Option<u32>,
}

#[derive(Clone, Debug)]
enum DraftKind {
    Read { location: Name, value: Option<Value>, source: Option<Reference> },
    Write { location: Name, value: Value },
    Post(Name),
}

#[derive(Clone, Debug)]
struct DraftEvent {
    kind: DraftKind,
    span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Thread,
    Initial,
    Posted,
}

#[derive(Clone, Debug)]
struct DraftMessage {
    name: Name,
    sort: Sort,
    /// The handler's name; a thread's own.
    handler: Name,
    events: Vec<DraftEvent>,
    is_unordered: bool,
    waits: bool,
}

/// A text as it was read, names not yet resolved.
#[derive(Debug, Default)]
struct Draft {
    name: Option<String>,
    handlers: Vec<(Name, Mailbox)>,
    messages: Vec<DraftMessage>,
    initial: Vec<(Name, Value)>,
    co: Vec<(Name, Vec<Reference>)>,
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    draft: Draft,
    /// The first line has been read.
    begun: bool,
}

impl<'t> Lines<'t> for Reader<'t> {
    const HELP: &'static str = "lines begin with `handler`, `message`, `initial`, `thread`, `init` or `co`";

    fn cursor(&mut self) -> &mut Cursor<'t> {
        &mut self.cursor
    }

    fn line(&mut self) -> Result<(), Wrong> {
        if !std::mem::replace(&mut self.begun, true) {
            return self.title();
        }
        if self.cursor.take_word("handler") {
            let name = self.name("the name of a handler", "such as `handler h queue`")?;
            let mailbox = match Mailbox::ALL.into_iter().find(|mailbox| self.cursor.take_word(mailbox.keyword())) {
                Some(mailbox) => mailbox,
                None => return self.cursor.expected("`queue` or `multiset`", "such as `handler h queue`"),
            };
            self.draft.handlers.push((name, mailbox));
            return Ok(());
        }
        for (word, sort) in [("message", Sort::Posted), ("initial", Sort::Initial), ("thread", Sort::Thread)] {
            if self.cursor.take_word(word) {
                return self.message(sort);
            }
        }
        if self.cursor.take_word("init") {
            return self.initial_values();
        }
        if self.cursor.take_word("co") {
            return self.co();
        }
        match self.draft.messages.last() {
            Some(message) if !message.waits => self.events(),
            _ => self.cursor.expected("a handler, a message or a thread", Self::HELP),
        }
    }
}

impl Reader<'_> {
    fn title(&mut self) -> Result<(), Wrong> {
        if !self.cursor.take_word("trace") {
            return self.cursor.expected("`trace`", "the first line is `trace` and a name");
        }
        let name = self.cursor.skip_line().trim();
        // A comment behind the name is none of it.
        let end = ["//", "#"].into_iter().filter_map(|mark| name.find(mark)).min().unwrap_or(name.len());
        let name = name[..end].trim();
        self.draft.name = (!name.is_empty()).then(|| name.to_owned());
        Ok(())
    }

    fn name(&mut self, what: &str, help: &str) -> Result<Name, Wrong> {
        let (name, span) = self.cursor.name(what, help)?;
        Ok((name.to_owned(), span))
    }

    fn message(&mut self, sort: Sort) -> Result<(), Wrong> {
        const HELP: &str = "such as `message m on h: w x 1; post m2`";
        let what = if sort == Sort::Thread { "the name of a thread" } else { "the name of a message" };
        let name = self.name(what, HELP)?;
        if name.0 == "initial" {
            return refuse("no message can be called `initial`", name.1, "`<- initial` reads the initial value");
        }
        let handler = if sort == Sort::Thread {
            name.clone()
        } else {
            if !self.cursor.take_word("on") {
                return self.cursor.expected("`on` and a handler", HELP);
            }
            self.name("the name of a handler", HELP)?
        };
        let place = self.cursor.span();
        let is_unordered = sort != Sort::Thread && self.cursor.take_word("unordered");
        if is_unordered && sort != Sort::Initial {
            let help = "those that are there at the start may be: `initial m on h unordered`";
            return refuse("what is posted has its place in the queue by its post", place, help);
        }
        let waits = sort != Sort::Thread && self.cursor.take_word("waits");
        self.draft.messages.push(DraftMessage { name, sort, handler, events: Vec::new(), is_unordered, waits });
        if waits {
            return Ok(());
        }
        if !self.cursor.take(":") {
            return self.cursor.expected("`:` and what it does", HELP);
        }
        self.events()
    }

    /// Events of the last message.
    fn events(&mut self) -> Result<(), Wrong> {
        while !self.cursor.is_line_end() {
            if self.cursor.take(";") {
                continue;
            }
            let event = self.event()?;
            if let Some(message) = self.draft.messages.last_mut() {
                message.events.push(event);
            }
            if !self.cursor.is_line_end() && !self.cursor.take(";") {
                return self.cursor.expected("`;` or the end of the line", EVENTS);
            }
        }
        Ok(())
    }

    fn event(&mut self) -> Result<DraftEvent, Wrong> {
        let start = self.cursor.span();
        let kind = if self.cursor.take_word("w") {
            DraftKind::Write {
                location: self.name("a location", EVENTS)?,
                value: self.cursor.number("a value", EVENTS)?,
            }
        } else if self.cursor.take_word("r") {
            let location = self.name("a location", EVENTS)?;
            let is_given = self.cursor.token().kind == TokenKind::Number;
            let value = if is_given { Some(self.cursor.number("a value", EVENTS)?) } else { None };
            let source = if self.cursor.take("<-") { Some(self.reference()?) } else { None };
            if value.is_none() && source.is_none() {
                return self.cursor.expected("a value or `<-` and a source", EVENTS);
            }
            DraftKind::Read { location, value, source }
        } else if self.cursor.take_word("post") {
            DraftKind::Post(self.name("the name of a message", EVENTS)?)
        } else {
            return self.cursor.expected("an event", EVENTS);
        };
        Ok(DraftEvent { kind, span: self.cursor.since(start) })
    }

    fn reference(&mut self) -> Result<Reference, Wrong> {
        const HELP: &str = "the second event of m4 is `m4.2`, its only write `m4`, the initial value `initial`";
        let message = self.name("an event", HELP)?;
        let mut serial = None;
        if self.cursor.take(".") {
            let token = self.cursor.token();
            let number = self.cursor.number("the number of an event", HELP)?;
            let Ok(number) = u32::try_from(number) else {
                return refuse("no event has this number", token.span, HELP);
            };
            serial = Some(number);
        }
        Ok(Reference { message, serial })
    }

    fn initial_values(&mut self) -> Result<(), Wrong> {
        const HELP: &str = "such as `init x = 1, y = 2`";
        loop {
            let name = self.name("a location", HELP)?;
            if !self.cursor.take("=") {
                return self.cursor.expected("`=`", HELP);
            }
            let value = self.cursor.number("an initial value", HELP)?;
            if self.draft.initial.iter().any(|((other, _), _)| *other == name.0) {
                return refuse(format!("`{}` has two initial values", name.0), name.1, "give it one");
            }
            self.draft.initial.push((name, value));
            if !self.cursor.take(",") {
                return Ok(());
            }
        }
    }

    fn co(&mut self) -> Result<(), Wrong> {
        const HELP: &str = "such as `co x: m1.1 < m2.3`";
        let location = self.name("a location", HELP)?;
        if !self.cursor.take(":") {
            return self.cursor.expected("`:`", HELP);
        }
        let mut writes = vec![self.reference()?];
        while self.cursor.take("<") {
            writes.push(self.reference()?);
        }
        if self.draft.co.iter().any(|((other, _), _)| *other == location.0) {
            return refuse(format!("co of `{}` is given twice", location.0), location.1, "give it once");
        }
        self.draft.co.push((location, writes));
        Ok(())
    }
}

/// Names of a trace that is being put together.
struct Names {
    messages: FxHashMap<String, MessageIndex>,
    locations: FxHashMap<String, LocationIndex>,
}

impl Names {
    fn location(&mut self, trace: &mut Trace, name: &str) -> LocationIndex {
        *self.locations.entry(name.to_owned()).or_insert_with(|| {
            trace.locations.push(name.to_owned());
            trace.initial.push(0);
            trace.co.push(Vec::new());
            LocationIndex(trace.locations.len() as u32 - 1)
        })
    }
}

fn error(diagnostics: &mut Vec<Diagnostic>, message: String, span: Span, help: impl Into<String>) {
    diagnostics.push(Diagnostic::error(message, span).with_help(help));
}

impl Draft {
    fn resolve(self, diagnostics: &mut Vec<Diagnostic>) -> Trace {
        let mut trace = Trace { name: self.name.clone(), ..Trace::default() };
        let mut names = Names { messages: FxHashMap::default(), locations: FxHashMap::default() };
        for ((name, _), value) in &self.initial {
            let location = names.location(&mut trace, name);
            trace.initial[location.index()] = *value;
        }
        self.messages(&mut trace, &mut names, diagnostics);
        self.events(&mut trace, &mut names, diagnostics);
        for (message, index) in self.messages.iter().zip((0..).map(MessageIndex)) {
            let is_known = names.messages.get(&message.name.0) == Some(&index);
            if is_known && message.sort == Sort::Posted && trace.message(index).post.is_none() {
                let (name, span) = &message.name;
                let handler = &message.handler.0;
                let help = format!(
                    "write `post {name}` where it is posted, or `initial {name} on {handler}` if it is there at the start"
                );
                error(diagnostics, format!("nobody posts `{name}`"), *span, help);
            }
        }
        // Where events are missing, what points at them would seem wrong too.
        if diagnostics.is_empty() {
            self.sources(&mut trace, &names, diagnostics);
            self.co(&mut trace, &names, diagnostics);
        }
        trace
    }

    /// Handlers, threads and messages, without events.
    fn messages(&self, trace: &mut Trace, names: &mut Names, diagnostics: &mut Vec<Diagnostic>) {
        let mut handlers: FxHashMap<&str, HandlerIndex> = FxHashMap::default();
        let declared = self.handlers.iter().map(|((name, span), mailbox)| (name, *span, *mailbox, false));
        let threads = self.messages.iter().filter(|message| message.sort == Sort::Thread);
        let threads = threads.map(|message| (&message.name.0, message.name.1, Mailbox::Queue, true));
        for (name, span, mailbox, is_thread) in declared.chain(threads) {
            let index = HandlerIndex(trace.handlers.len() as u32);
            if handlers.insert(name, index).is_some() {
                let message = format!("there are two handlers or threads called `{name}`");
                error(diagnostics, message, span, "give each a name of its own");
            }
            trace.handlers.push(Handler { name: name.clone(), mailbox, is_thread, span });
        }
        for message in &self.messages {
            let (name, span) = &message.name;
            let index = MessageIndex(trace.messages.len() as u32);
            let handler = handlers.get(message.handler.0.as_str()).copied().unwrap_or_else(|| {
                let wrong = format!("there is no handler `{}`", message.handler.0);
                let help = format!("declare it: `handler {} queue`", message.handler.0);
                error(diagnostics, wrong, message.handler.1, help);
                HandlerIndex(0)
            });
            if message.sort != Sort::Thread && trace.handlers.get(handler.index()).is_some_and(|h| h.is_thread) {
                let wrong = format!("`{}` is a thread, which takes no messages", message.handler.0);
                error(diagnostics, wrong, message.handler.1, "declare a handler: `handler h queue`");
            }
            match names.messages.get(name) {
                Some(first) => {
                    let wrong = format!("there are two messages or threads called `{name}`");
                    let first = trace.message(*first).span.line;
                    error(
                        diagnostics,
                        wrong,
                        *span,
                        format!("the other one is in line {first}: a message is posted once"),
                    );
                }
                None => drop(names.messages.insert(name.clone(), index)),
            }
            trace.messages.push(Message {
                name: name.clone(),
                handler,
                events: Vec::new(),
                post: None,
                is_unordered: message.is_unordered,
                span: *span,
            });
        }
    }

    fn events(&self, trace: &mut Trace, names: &mut Names, diagnostics: &mut Vec<Diagnostic>) {
        for (draft, message) in self.messages.iter().zip((0..).map(MessageIndex)) {
            if draft.waits {
                continue;
            }
            let add = |trace: &mut Trace, kind, span| {
                let event = EventIndex(trace.events.len() as u32);
                trace.events.push(Event { message, kind, span });
                trace.messages[message.index()].events.push(event);
                event
            };
            if draft.sort != Sort::Thread {
                add(trace, Kind::Get, draft.name.1);
            }
            for event in &draft.events {
                match &event.kind {
                    DraftKind::Read { location, value, .. } => {
                        let location = names.location(trace, &location.0);
                        add(trace, Kind::Read { location, value: value.unwrap_or_default(), source: None }, event.span);
                    }
                    DraftKind::Write { location, value } => {
                        let location = names.location(trace, &location.0);
                        add(trace, Kind::Write { location, value: *value }, event.span);
                    }
                    DraftKind::Post((name, span)) => {
                        let Some(&posted) = names.messages.get(name) else {
                            let help =
                                format!("write `message {name} on HANDLER: ...`, or `waits` if it was never taken");
                            error(diagnostics, format!("there is no message `{name}`"), *span, help);
                            continue;
                        };
                        let post = add(trace, Kind::Post(posted), event.span);
                        match (self.messages[posted.index()].sort, trace.message(posted).post) {
                            (Sort::Posted, None) => trace.messages[posted.index()].post = Some(post),
                            (Sort::Posted, Some(first)) => {
                                let line = trace.event(first).span.line;
                                let help = format!("line {line} posts it: give the second message a name of its own");
                                error(diagnostics, format!("`{name}` is posted twice"), *span, help);
                            }
                            (Sort::Initial, _) => {
                                let wrong = format!("`{name}` is in its mailbox at the start, so nobody posts it");
                                error(
                                    diagnostics,
                                    wrong,
                                    *span,
                                    format!("write `message {name} on ...` instead of `initial`"),
                                );
                            }
                            (Sort::Thread, _) => {
                                let wrong = format!("`{name}` is a thread, and only messages can be posted");
                                error(diagnostics, wrong, *span, "messages are posted");
                            }
                        }
                    }
                }
            }
        }
    }

    /// The write that is meant, or what is wrong with it.
    fn write(
        trace: &Trace,
        names: &Names,
        reference: &Reference,
        at: LocationIndex,
    ) -> Result<EventIndex, (String, String)> {
        let (name, _) = &reference.message;
        let location = &trace.locations[at.index()];
        let Some(&message) = names.messages.get(name) else {
            return Err((format!("there is no message `{name}`"), "name a message or thread of this text".to_owned()));
        };
        let about = trace.message(message);
        let is_write =
            |event: &EventIndex| matches!(trace.event(*event).kind, Kind::Write { location, .. } if location == at);
        let Some(serial) = reference.serial else {
            let writes: Vec<_> = about.events.iter().copied().filter(is_write).collect();
            return match writes[..] {
                [write] => Ok(write),
                [] => Err((format!("`{name}` does not write `{location}`"), "name a write to it".to_owned())),
                _ => {
                    let wrong = format!("`{name}` writes `{location}` {} times", writes.len());
                    Err((wrong, format!("say which write, such as `{name}.1`")))
                }
            };
        };
        let has_get = about.events.first().is_some_and(|first| trace.event(*first).kind == Kind::Get);
        let place = (serial as usize).checked_sub(usize::from(!has_get));
        match place.filter(|_| serial > 0).and_then(|place| about.events.get(place)).copied() {
            Some(write) if is_write(&write) => Ok(write),
            Some(_) => Err((format!("`{name}.{serial}` does not write `{location}`"), "name a write to it".to_owned())),
            None => {
                let events = about.events.len() - usize::from(has_get && !about.events.is_empty());
                let wrong = format!("`{name}` has no event {serial}");
                Err((wrong, format!("it has {}, not counting its get", words::count(events as u64, "event"))))
            }
        }
    }

    fn sources(&self, trace: &mut Trace, names: &Names, diagnostics: &mut Vec<Diagnostic>) {
        // What is written where, for reads that name no source.
        let mut writes: FxHashMap<(LocationIndex, Value), Vec<EventIndex>> = FxHashMap::default();
        for (event, index) in trace.events.iter().zip((0..).map(EventIndex)) {
            if let Kind::Write { location, value } = event.kind {
                writes.entry((location, value)).or_default().push(index);
            }
        }
        for (draft, message) in self.messages.iter().zip((0..).map(MessageIndex)) {
            let gets = usize::from(draft.sort != Sort::Thread);
            for (at, event) in draft.events.iter().enumerate() {
                let DraftKind::Read { value, source, .. } = &event.kind else { continue };
                let Some(&index) = trace.message(message).events.get(at + gets) else { continue };
                let Kind::Read { location, .. } = trace.event(index).kind else { continue };
                let initial = trace.initial[location.index()];
                let found = match source {
                    Some(reference) if reference.message.0 == "initial" && reference.serial.is_none() => Ok(None),
                    Some(reference) => Self::write(trace, names, reference, location)
                        .map(Some)
                        .map_err(|(wrong, help)| (wrong, reference.message.1, help)),
                    None => {
                        let value = value.unwrap_or_default();
                        let known = writes.get(&(location, value)).map_or(&[][..], Vec::as_slice);
                        let name = &trace.locations[location.index()];
                        match (known, initial == value) {
                            ([], true) => Ok(None),
                            ([write], false) => Ok(Some(*write)),
                            ([], false) => {
                                let wrong =
                                    format!("nobody writes {value} to `{name}`, and it is not the initial value");
                                Err((wrong, event.span, "reads take values that were written".to_owned()))
                            }
                            _ => {
                                let wrong =
                                    format!("several writes, or the initial one, give `{name}` the value {value}");
                                Err((wrong, event.span, "say which one: `<- m4.2`, `<- initial`".to_owned()))
                            }
                        }
                    }
                };
                let found = found.and_then(|source| {
                    let written = match source.map(|source| trace.event(source).kind) {
                        Some(Kind::Write { value, .. }) => value,
                        _ => initial,
                    };
                    match value {
                        Some(value) if *value != written => {
                            let wrong = format!("the read has the value {value}, but its source has {written}");
                            Err((wrong, event.span, "make both agree, or leave the value out".to_owned()))
                        }
                        _ => Ok(Kind::Read { location, value: written, source }),
                    }
                });
                match found {
                    Ok(kind) => trace.events[index.index()].kind = kind,
                    Err((wrong, span, help)) => error(diagnostics, wrong, span, help),
                }
            }
        }
    }

    fn co(&self, trace: &mut Trace, names: &Names, diagnostics: &mut Vec<Diagnostic>) {
        let mut writes = vec![Vec::new(); trace.locations.len()];
        for (event, index) in trace.events.iter().zip((0..).map(EventIndex)) {
            if let Kind::Write { location, .. } = event.kind {
                writes[location.index()].push(index);
            }
        }
        for ((name, span), references) in &self.co {
            let Some(&location) = names.locations.get(name) else {
                error(diagnostics, format!("nobody accesses `{name}`"), *span, "leave the line out");
                continue;
            };
            let mut order = Vec::new();
            let mut is_named = vec![false; trace.events.len()];
            for reference in references {
                let span = reference.message.1;
                match Self::write(trace, names, reference, location) {
                    Ok(write) if is_named[write.index()] => {
                        error(diagnostics, "this write is in co twice".to_owned(), span, "name each write once");
                    }
                    Ok(write) => {
                        is_named[write.index()] = true;
                        order.push(write);
                    }
                    Err((wrong, help)) => error(diagnostics, wrong, span, help),
                }
            }
            let missing = writes[location.index()].iter().find(|write| !is_named[write.index()]);
            if let Some(&missing) = missing.filter(|_| order.len() == references.len()) {
                let wrong = format!("co of `{name}` lacks {}", trace.event_name(missing));
                error(diagnostics, wrong, *span, "name each write to the location");
            }
            trace.co[location.index()] = order;
        }
        for (location, writes) in writes.into_iter().enumerate() {
            let name = &trace.locations[location];
            if self.co.iter().any(|((other, _), _)| other == name) {
                continue;
            }
            if let [first, second, ..] = writes[..] {
                let wrong = format!("`{name}` is written {} times, and nothing says in which order", writes.len());
                let help =
                    format!("add a line: `co {name}: {} < {}`", trace.event_name(first), trace.event_name(second));
                error(diagnostics, wrong, trace.event(second).span, help);
            }
            trace.co[location] = writes;
        }
    }
}

/// The text of a trace; reading it gives the same trace, its locations in the order in which the text names them.
pub fn print_trace(trace: &Trace) -> String {
    let mut out = trace.name.as_ref().map_or_else(|| "trace\n".to_owned(), |name| format!("trace {name}\n"));
    for handler in trace.handlers.iter().filter(|handler| !handler.is_thread) {
        let _ = writeln!(out, "handler {} {}", handler.name, handler.mailbox.keyword());
    }
    let initial = trace.locations.iter().zip(&trace.initial).filter(|(_, value)| **value != 0);
    let initial: Vec<String> = initial.map(|(name, value)| format!("{name} = {value}")).collect();
    if !initial.is_empty() {
        let _ = writeln!(out, "init {}", initial.join(", "));
    }
    for message in &trace.messages {
        let handler = trace.handler(message.handler);
        let _ = match (handler.is_thread, message.post) {
            (true, _) => write!(out, "thread {}", message.name),
            (false, None) if message.is_unordered => {
                write!(out, "initial {} on {} unordered", message.name, handler.name)
            }
            (false, None) => write!(out, "initial {} on {}", message.name, handler.name),
            (false, Some(_)) => write!(out, "message {} on {}", message.name, handler.name),
        };
        if message.events.is_empty() && !handler.is_thread {
            out += " waits\n";
            continue;
        }
        let events: Vec<String> = message.events.iter().filter_map(|event| event_text(trace, *event)).collect();
        let _ = writeln!(out, ":{}{}", if events.is_empty() { "" } else { " " }, events.join("; "));
    }
    for (name, co) in trace.locations.iter().zip(&trace.co).filter(|(_, co)| co.len() > 1) {
        let writes: Vec<String> = co.iter().map(|write| trace.event_name(*write)).collect();
        let _ = writeln!(out, "co {name}: {}", writes.join(" < "));
    }
    out
}

/// An event as texts have it; none for a get.
fn event_text(trace: &Trace, event: EventIndex) -> Option<String> {
    let name = |location: LocationIndex| &trace.locations[location.index()];
    match trace.event(event).kind {
        Kind::Get => None,
        Kind::Write { location, value } => Some(format!("w {} {value}", name(location))),
        Kind::Read { location, value, source } => {
            let source = source.map_or_else(|| "initial".to_owned(), |source| trace.event_name(source));
            Some(format!("r {} {value} <- {source}", name(location)))
        }
        Kind::Post(message) => Some(format!("post {}", trace.message(message).name)),
    }
}

/// The classes of a trace's tokens as byte ranges, in order, without overlaps. Broken text has classes too; a text that is too
/// long to be read has none.
pub fn highlight_trace(text: &str) -> Vec<(Range<usize>, TokenClass)> {
    SIGNS.colours(text, "", |tokens, at| {
        let (token, word) = (tokens[at], |at: usize| &text[tokens[at].range()]);
        let before = at.checked_sub(1).map_or(TokenKind::Newline, |before| tokens[before].kind);
        let behind = at.checked_sub(1).map_or("", word);
        Some(match token.kind {
            TokenKind::Newline | TokenKind::End => return None,
            TokenKind::Unknown => TokenClass::Unknown,
            TokenKind::Symbol("<-") => TokenClass::Separator,
            TokenKind::Symbol(_) => TokenClass::Operator,
            TokenKind::Number if before == TokenKind::Symbol(".") => TokenClass::Label,
            TokenKind::Number => TokenClass::Number,
            TokenKind::Name => {
                let begins_line = before == TokenKind::Newline;
                let begins_event = begins_line || matches!(before, TokenKind::Symbol(":" | ";"));
                match word(at) {
                    "trace" | "handler" | "message" | "initial" | "thread" | "init" | "co" if begins_line => {
                        TokenClass::Keyword
                    }
                    "w" | "r" | "post" if begins_event => TokenClass::Keyword,
                    "queue" | "multiset" | "waits" | "unordered" | "on" if before == TokenKind::Name => {
                        TokenClass::Keyword
                    }
                    _ if matches!(behind, "w" | "r" | "init" | "co" | ",") => TokenClass::Shared,
                    _ => TokenClass::Label,
                }
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TraceShape, random_trace};

    /// Figure 2.6 of the thesis.
    pub(super) const E1: &str = "\
trace E1
handler h1 queue
handler h2 queue
handler h3 queue
initial init on h2: w x 1; post m2; post m3
message m2 on h1: w x 2; r x 3 <- m4.2
message m1 on h1: r x 1 <- init.1; post m4
message m3 on h3: r x 1 <- init.1; post m1
message m4 on h3: r x 2 <- m2.1; w x 3
co x: init.1 < m2.1 < m4.2
";

    #[test]
    fn what_is_read_is_printed() {
        let trace = parse_trace(E1).expect("it is a trace");
        assert_eq!((trace.name.as_deref(), trace.handlers.len()), (Some("E1"), 3));
        assert_eq!((trace.messages.len(), trace.events.len(), trace.locations.len()), (5, 16, 1));
        assert_eq!(print_trace(&trace), E1);
        let text = "// a comment\ntrace // no name\nhandler h multiset # that is all\ninit x = 5, y = -1\n\
                    thread T: w y 1\n  post m; r x 5\ninitial a on h:\nmessage m on h waits\ninitial b on h waits\n";
        let printed = "trace\nhandler h multiset\ninit x = 5, y = -1\nthread T: w y 1; post m; r x 5 <- initial\n\
                       initial a on h:\nmessage m on h waits\ninitial b on h waits\n";
        assert_eq!(print_trace(&parse_trace(text).expect("it is a trace")), printed);
    }

    #[test]
    fn random_traces_are_read_as_printed() {
        // Locations are numbered as they come in the text.
        let lines = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort_unstable();
            lines
        };
        for seed in 0..500 {
            for mailbox in Mailbox::ALL {
                let trace = random_trace(seed, mailbox, TraceShape { messages: 8, events: 20, nested: seed % 2 == 0 });
                if trace.messages.is_empty() {
                    continue;
                }
                let printed = print_trace(&trace);
                let again = parse_trace(&printed).unwrap_or_else(|wrong| panic!("{printed}\n{wrong:#?}"));
                assert_eq!(lines(&print_trace(&again)), lines(&printed), "{printed}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let in_trace = |lines: &str| format!("trace\nhandler h queue\n{lines}");
        for (lines, line, column, message) in [
            ("", 1, 1, "there are no messages"),
            ("handler g", 3, 10, "expected `queue` or `multiset`, found the end of the text"),
            ("handler h queue\ninitial a on h:", 3, 9, "there are two handlers or threads called `h`"),
            ("initial a on g: w x 1", 3, 14, "there is no handler `g`"),
            ("thread T: w x 1\ninitial a on T:", 4, 14, "`T` is a thread, which takes no messages"),
            ("initial a on h: post m", 3, 22, "there is no message `m`"),
            ("initial a on h: post a", 3, 22, "`a` is in its mailbox at the start, so nobody posts it"),
            ("thread T: post T", 3, 16, "`T` is a thread, and only messages can be posted"),
            ("initial a on h: post m; post m\nmessage m on h:", 3, 30, "`m` is posted twice"),
            ("message m on h: w x 1", 3, 9, "nobody posts `m`"),
            ("initial a on h:\ninitial a on h:", 4, 9, "there are two messages or threads called `a`"),
            ("initial initial on h:", 3, 9, "no message can be called `initial`"),
            ("initial a on h: r x 1", 3, 17, "nobody writes 1 to `x`, and it is not the initial value"),
            (
                "thread T: w x 0\ninitial a on h: r x 0",
                4,
                17,
                "several writes, or the initial one, give `x` the value 0",
            ),
            ("thread T: w x 1\ninitial a on h: r x 2 <- T", 4, 17, "the read has the value 2, but its source has 1"),
            ("thread T: w x 1\ninitial a on h: r y 1 <- T", 4, 26, "`T` does not write `y`"),
            ("thread T: w x 1\ninitial a on h: r x 1 <- T.2", 4, 26, "`T` has no event 2"),
            ("thread T: w x 1\ninitial a on h: r x 1 <- T.0", 4, 26, "`T` has no event 0"),
            ("thread T: w x 1; w x 2\nco x: T.1 < T.2\ninitial a on h: r x <- T", 5, 24, "`T` writes `x` 2 times"),
            ("thread T: w x 1; w x 2", 3, 18, "`x` is written 2 times, and nothing says in which order"),
            ("thread T: w x 1; w x 2\nco x: T.1", 4, 4, "co of `x` lacks T.2"),
            ("thread T: w x 1\nco x: T.1 < T.1", 4, 13, "this write is in co twice"),
            ("thread T: w x 1\nco y: T.1", 4, 4, "nobody accesses `y`"),
            ("thread T: w x 1\nco x: T\nco x: T", 5, 4, "co of `x` is given twice"),
            ("init x = 1, x = 2\nthread T: w x 1", 3, 13, "`x` has two initial values"),
            ("thread T: w x 99999999999999999999", 3, 15, "`99999999999999999999` is not a 64-bit number"),
            ("thread T: w x 1 w", 3, 17, "expected `;` or the end of the line, found `w`"),
            ("thread T: fence", 3, 11, "expected an event, found `fence`"),
            ("thread T: r x", 3, 14, "expected a value or `<-` and a source, found the end of the text"),
            ("w x 1", 3, 1, "expected a handler, a message or a thread, found `w`"),
        ] {
            let wrong = parse_trace(&in_trace(lines)).expect_err(lines);
            let first = &wrong[0];
            assert_eq!(
                (first.message.as_str(), first.span.line, first.span.column),
                (message, line, column),
                "{lines}"
            );
            assert!(first.help.as_ref().is_some_and(|help| !help.is_empty()), "{lines}");
        }
    }

    #[test]
    fn the_first_line_tells_a_trace() {
        for text in ["trace", "// old\n\n trace E1\nhandler h queue", "\u{feff}trace x"] {
            assert!(begins_trace(text), "{text}");
        }
        for text in ["trace := 1", "trace: w x 1", "tracer", "traces x", "x := 1", ""] {
            assert!(!begins_trace(text), "{text}");
        }
    }

    #[test]
    fn each_word_has_its_colour() {
        let text = "trace E1 // old\nhandler h1 queue\ninit x = 1\ninitial a on h1: w x 2; post m\n\
                    message m on h1: r x 2 <- a.1 $\nco x: a.1";
        let classes = highlight_trace(text);
        let of = |class| -> Vec<&str> {
            classes.iter().filter(|(_, other)| *other == class).map(|(range, _)| &text[range.clone()]).collect()
        };
        assert_eq!(
            of(TokenClass::Keyword),
            ["trace", "handler", "queue", "init", "initial", "on", "w", "post", "message", "on", "r", "co"]
        );
        assert_eq!(of(TokenClass::Shared), ["x", "x", "x", "x"]);
        assert_eq!(of(TokenClass::Label), ["E1", "h1", "a", "h1", "m", "m", "h1", "a", "1", "a", "1"]);
        assert_eq!(of(TokenClass::Number), ["1", "2", "2"]);
        assert_eq!((of(TokenClass::Comment), of(TokenClass::Separator)), (vec!["// old"], vec!["<-"]));
        assert_eq!(of(TokenClass::Unknown), ["$"]);
    }
}
