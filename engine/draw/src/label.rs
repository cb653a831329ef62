//! Events and edges in words.

use super::NodeKind;
use crate::graph::{Edge, Event, EventId, EventKey, Execution, Label, ThreadId};
use crate::library::library;
use crate::program::{ErrorKind, Location, Mode, ObjectId, Operation, Program, Span, Update, UpdateOperator, Value};
use crate::words;

/// The name of a location: `x`, `q[1]`.
pub fn location_name(program: &Program, location: Location) -> String {
    let mut offset = location.0 as usize;
    for object in &program.objects {
        if offset < object.initial.len() {
            return if object.array { format!("{}[{offset}]", object.name) } else { object.name.clone() };
        }
        offset -= object.initial.len();
    }
    match ended(program, location) {
        Some(thread) => format!("end of {thread}"),
        None if program.is_beyond_events() => "an input".to_owned(),
        // Only for an execution of another program.
        None => format!("?{}", location.0),
    }
}

/// Whether it is a location that the value of an input is read from.
pub(crate) fn is_input(program: &Program, location: Location) -> bool {
    let cells: usize = program.objects.iter().map(|object| object.initial.len()).sum();
    location.0 as usize >= cells && ended(program, location).is_none() && program.is_beyond_events()
}

/// The thread whose end a location stands for, where something runs behind all threads.
fn ended(program: &Program, location: Location) -> Option<String> {
    program.after()?;
    let cells: usize = program.objects.iter().map(|object| object.initial.len()).sum();
    let thread = (location.0 as usize).checked_sub(cells)?;
    (thread + 1 < program.threads.len()).then(|| program.thread_name(thread))
}

/// The name of an event: `P1.2` for the second event of thread 1, `init x`.
pub fn event_name(program: &Program, key: EventKey) -> String {
    if key.thread.is_init() {
        format!("init {}", location_name(program, Location(key.serial)))
    } else {
        format!("{}.{}", program.thread_name(key.thread.index()), key.serial)
    }
}

/// What an event does as the papers write it: `[x=0]`, `Wrel(x,1)`, `Racq(x,0)`, `U(x,0→1)`, `F sc`. The mode is left out
/// where it is relaxed, a value not known yet is `?`, and a compare-and-swap that failed is a read that says why:
/// `R(x,1≠0)` expected 0 and read 1, `R(x,0=)` read the 0 it expected and failed all the same, being weak.
/// Operations are called as in programs, `lock(m)`, `send(c,1)`, `receive(c,1)`; one that waits is marked `lock(m) ⊥`.
pub fn event_text(program: &Program, event: &Event) -> String {
    let mode = match event.mode() {
        Mode::Relaxed => "",
        mode => mode.keyword(),
    };
    let place = event.location().map_or_else(String::new, |location| location_name(program, location));
    let number = |value| program.location_text(event.location(), value);
    let value = |value: Option<i64>| value.map_or_else(|| "?".to_owned(), number);
    match event.label {
        Label::Init { location } | Label::Read { location, .. } if is_input(program, location) => {
            format!("input({})", value(event.value_read.or(event.value_written)))
        }
        Label::Init { location } if program.is_uninitialised(location) => format!("[{place}=?]"),
        Label::Init { .. } => format!("[{place}={}]", value(event.value_written)),
        Label::Read { .. } => format!("R{mode}({place},{})", value(event.value_read)),
        Label::Write { .. } => format!("W{mode}({place},{})", value(event.value_written)),
        Label::Update { update, .. } => match (event.value_read, event.value_written, update) {
            (None, ..) => format!("U{mode}({place},?)"),
            (Some(read), Some(written), _) => {
                format!("U{mode}({place},{}→{})", number(read), number(written))
            }
            (Some(read), None, _) if event.fails_spuriously() => format!("R{mode}({place},{}=)", number(read)),
            (Some(read), None, Update::CompareAndSwap { expected, .. }) => {
                format!("R{mode}({place},{}≠{})", number(read), number(expected))
            }
            (Some(read), None, Update::Fetch(..) | Update::FetchUnless(..)) => {
                format!("R{mode}({place},{})", number(read))
            }
        },
        Label::Library { operation, .. } => {
            let thread = event.location().and_then(|location| ended(program, location));
            let text = match (operation, event.value_read) {
                (Operation::End, _) => operation.name().to_owned(),
                (Operation::Join, _) => format!("{}({})", operation.name(), thread.unwrap_or_default()),
                (Operation::Send(value), _) | (Operation::Receive, Some(value)) => {
                    format!("{}({place},{})", operation.name(), number(value))
                }
                _ => format!("{}({place})", operation.name()),
            };
            if event.is_blocked() { text + " ⊥" } else { text }
        }
        Label::Get { message: None } => "get(?)".to_owned(),
        Label::Get { message: Some(message) } => {
            format!("get({})", message_text(program, event.thread(), message, event.value_read.unwrap_or_default()))
        }
        Label::Post { handler, message, value } => {
            let handler_name = program.thread_name(handler.index());
            format!("post({handler_name}.{})", message_text(program, handler, message, value))
        }
        Label::Fence(mode) => format!("F {}", mode.keyword()),
        Label::Error(kind) => format!("error: {}", error_text(program, kind)),
        Label::Stuck => "stuck".to_owned(),
        Label::Bound(_) => "cut by a bound".to_owned(),
        Label::Spin => "waits".to_owned(),
    }
}

/// A message with the value of its parameter, if it has one: `click(1)`.
fn message_text(program: &Program, handler: ThreadId, message: u16, value: Value) -> String {
    let messages = program.threads.get(handler.index()).map_or(&[][..], |thread| thread.messages());
    match messages.get(usize::from(message)) {
        Some(message) if message.parameter.is_some() => format!("{}({})", message.name, program.value_text(value)),
        Some(message) => message.name.clone(),
        // Only for an execution of another program.
        None => format!("?{message}"),
    }
}

fn error_text(program: &Program, kind: ErrorKind) -> String {
    match kind {
        ErrorKind::AssertionViolated => "assertion violated".to_owned(),
        ErrorKind::DivisionByZero => "division by zero".to_owned(),
        ErrorKind::SignedOverflow => "signed overflow (undefined in C)".to_owned(),
        ErrorKind::ShiftOutOfRange => "shift out of range (undefined in C)".to_owned(),
        ErrorKind::OutOfBounds { object, offset } => {
            let name = program.objects.get(object.0 as usize).map_or("?", |object| &object.name);
            format!("{name}[{offset}] is out of bounds")
        }
        ErrorKind::NotAnAddress { value } => format!("{} is not an address", program.value_text(value)),
        ErrorKind::NotMemory { object, offset } => {
            format!("{} is not a memory location", object_name(program, object, offset))
        }
        ErrorKind::NotHeld { object, offset } => {
            format!("unlock of {}, which is not held", object_name(program, object, offset))
        }
    }
}

/// The name of an element of an object: `x`, `q[1]`.
pub fn object_name(program: &Program, object: ObjectId, offset: Value) -> String {
    match program.objects.get(object.0 as usize) {
        Some(object) if object.array => format!("{}[{offset}]", object.name),
        object => object.map_or("?", |object| &object.name).to_owned(),
    }
}

/// What went wrong in a thread: "assertion violated".
pub fn error_sentence(program: &Program, kind: &ErrorKind) -> String {
    match *kind {
        ErrorKind::AssertionViolated => "assertion violated".to_owned(),
        ErrorKind::DivisionByZero => "division by zero".to_owned(),
        ErrorKind::SignedOverflow => "signed overflow (undefined in C)".to_owned(),
        ErrorKind::ShiftOutOfRange => "shift out of range (undefined in C)".to_owned(),
        ErrorKind::OutOfBounds { object, offset } => {
            let object = program.objects.get(object.0 as usize);
            let (name, length) = object.map_or(("?", 0), |object| (object.name.as_str(), object.initial.len()));
            format!("{name}[{offset}] is out of bounds (it has {})", words::count(length as u64, "element"))
        }
        ErrorKind::NotAnAddress { value } => {
            format!("an access through {}, which is not an address", program.value_text(value))
        }
        ErrorKind::NotMemory { object, offset } => {
            format!("an access to {}, which is not a memory location", object_name(program, object, offset))
        }
        ErrorKind::NotHeld { object, offset } => {
            format!("unlock of {}, which its thread does not hold", object_name(program, object, offset))
        }
    }
}

/// A sentence on an event, for hovering and for screen readers; `source` is the write it reads from.
pub fn event_title(program: &Program, event: &Event, source: Option<&Event>) -> String {
    let mut title = format!("{}: {}", event_name(program, event.key), event_text(program, event));
    let place = event.location().map_or_else(String::new, |location| location_name(program, location));
    let mode = mode_words(event.mode());
    title += &match event.label {
        Label::Init { location } if program.is_uninitialised(location) => {
            format!(", nothing was written to {place} yet")
        }
        Label::Init { .. } => format!(", initial value of {place}"),
        Label::Read { .. } => format!(", {mode} read of {place}"),
        Label::Write { .. } => format!(", {mode} write to {place}"),
        Label::Update { update, .. } => match (update, event.value_read.is_some(), event.is_write()) {
            (Update::CompareAndSwap { .. }, false, _) => format!(", {mode} compare-and-swap of {place}"),
            (Update::CompareAndSwap { .. }, true, true) => format!(", successful {mode} compare-and-swap of {place}"),
            (Update::CompareAndSwap { .. }, true, false) if event.fails_spuriously() => {
                format!(", spuriously failed weak {mode} compare-and-swap of {place}")
            }
            (Update::CompareAndSwap { expected, .. }, true, false) => {
                format!(
                    ", failed {mode} compare-and-swap of {place}, which expected {}",
                    program.location_text(event.location(), expected)
                )
            }
            (Update::Fetch(operator, ..) | Update::FetchUnless(operator, ..), read, writes) => {
                let what = if operator == UpdateOperator::Exchange { "exchange" } else { "read-modify-write" };
                let waits = if read && !writes { ", which waits: it would write again what it read" } else { "" };
                format!(", {mode} {what} of {place}{waits}")
            }
        },
        Label::Library { operation, .. } => {
            let noun = library(operation).noun();
            let thread = event.location().and_then(|location| ended(program, location)).unwrap_or_default();
            let what = match operation {
                Operation::Lock => "takes",
                Operation::Unlock => "frees",
                Operation::Send(_) => "puts a value into",
                Operation::Receive => "takes a value out of",
                Operation::End => return title + ", the thread has run to its end",
                Operation::Join if event.is_blocked() => return title + &format!(", waits for the end of {thread}"),
                Operation::Join => return title + &format!(", {thread} has run to its end"),
            };
            if event.is_blocked() { format!(", waits for {noun} {place}") } else { format!(", {what} {noun} {place}") }
        }
        Label::Get { .. } => ", the handler takes a message".to_owned(),
        Label::Post { handler, .. } => {
            format!(", puts a message into the mailbox of {}", program.thread_name(handler.index()))
        }
        Label::Fence(_) => format!(", {mode} fence"),
        Label::Error(_) => ", the thread ends here".to_owned(),
        Label::Stuck => ", an assumption does not hold and the thread blocks here".to_owned(),
        Label::Bound(_) => ", a bound cuts the thread here".to_owned(),
        Label::Spin => ", a round of the loop changed nothing, so the thread waits here".to_owned(),
    };
    if event.operation().is_some() {
        if let Some(source) = source {
            let source_text = event_text(program, source);
            title += &format!(", after {} {source_text}", event_name(program, source.key));
        }
    } else if let (true, Some(source)) = (event.is_get(), source) {
        title += &format!(", posted by {} {}", event_name(program, source.key), event_text(program, source));
    } else if let Some(source) = source {
        title += &format!(", reads from {} {}", event_name(program, source.key), event_text(program, source));
    } else if event.is_read() {
        title += ", has no source yet";
    }
    if event.span != Span::default() {
        title += &format!(", line {}", event.span.line);
    }
    title
}

/// What an access of some mode is called: `acquire`, `SC`.
pub fn mode_words(mode: Mode) -> &'static str {
    match mode {
        Mode::NonAtomic => "non-atomic",
        Mode::Relaxed => "relaxed",
        Mode::Acquire => "acquire",
        Mode::Release => "release",
        Mode::AcquireRelease => "acquire-release",
        Mode::SequentiallyConsistent => "SC",
    }
}

/// An edge in words: `rf from P0.1 W(x,1) to P1.1 R(x,1)`.
pub fn edge_text(program: &Program, execution: &Execution, edge: Edge) -> String {
    let end = |e: EventId| {
        let event = execution.event(e);
        format!("{} {}", event_name(program, event.key), event_text(program, event))
    };
    format!("{} from {} to {}", edge.relation, end(edge.from), end(edge.to))
}

/// What an event's node shows.
pub fn kind(event: &Event) -> NodeKind {
    match event.label {
        Label::Init { .. } => NodeKind::Init,
        Label::Read { .. } => NodeKind::Read,
        Label::Write { .. } => NodeKind::Write,
        Label::Update { .. } if event.value_read.is_some() && !event.is_write() => NodeKind::Read,
        Label::Update { .. } => NodeKind::Update,
        Label::Library { .. } if event.is_blocked() => NodeKind::Stuck,
        Label::Library { operation, .. } if operation.waits() => NodeKind::Update,
        Label::Library { .. } => NodeKind::Write,
        Label::Get { .. } => NodeKind::Read,
        Label::Post { .. } => NodeKind::Write,
        Label::Fence(_) => NodeKind::Fence,
        Label::Error(_) => NodeKind::Error,
        Label::Stuck | Label::Spin => NodeKind::Stuck,
        Label::Bound(_) => NodeKind::Bound,
    }
}
