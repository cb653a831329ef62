//! Event-driven traces.

pub use crate::program::Mailbox;
use crate::program::{Span, Value};

macro_rules! index {
    ($(#[$about:meta] $name:ident,)*) => {
        $(
            #[$about]
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $name(pub u32);

            impl $name {
                /// As an index.
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

index! {
    /// A handler: an index into [`Trace::handlers`].
    HandlerIndex,
    /// A message: an index into [`Trace::messages`].
    MessageIndex,
    /// An event: an index into [`Trace::events`].
    EventIndex,
    /// A location: an index into [`Trace::locations`].
    LocationIndex,
}

/// What runs messages, one at a time and each to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// Its name.
    pub name: String,
    /// Its mailbox. A plain thread is a handler with one initial message, and its mailbox means nothing.
    pub mailbox: Mailbox,
    /// Whether it is a plain thread.
    pub is_thread: bool,
    /// Where it is declared.
    pub span: Span,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its name; of a plain thread's, the thread's.
    pub name: String,
    /// The handler in whose mailbox it is put.
    pub handler: HandlerIndex,
    /// Its events in po, the get first; empty if it was posted and never taken. Of a plain thread's there is no get.
    pub events: Vec<EventIndex>,
    /// The event that posts it; `None` if it is there at the start.
    pub post: Option<EventIndex>,
    /// Of a message that is there at the start: nobody knows where among the others that are. Else a queue has them in the order of the
    /// messages.
    pub is_unordered: bool,
    /// Where it is written.
    pub span: Span,
}

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The handler takes the message out of its mailbox.
    Get,
    /// A read.
    Read {
        /// Where from.
        location: LocationIndex,
        /// The value, that of its source.
        value: Value,
        /// The write that it reads from; `None` is the initial value.
        source: Option<EventIndex>,
    },
    /// A write.
    Write {
        /// Where to.
        location: LocationIndex,
        /// The value.
        value: Value,
    },
    /// Puts a message into the mailbox of its handler.
    Post(MessageIndex),
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The message that it belongs to.
    pub message: MessageIndex,
    /// What it does.
    pub kind: Kind,
    /// Where it is written; that of the message for a get.
    pub span: Span,
}

/// An event-driven trace. Its parts fit together: each event is in its message, each post posts a message that names it as
/// its post and is posted once, each source is a write to the location that is read, and `co` has each location's writes once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The handlers, plain threads among them.
    pub handlers: Vec<Handler>,
    /// The messages.
    pub messages: Vec<Message>,
    /// The events, those of a message in po.
    pub events: Vec<Event>,
    /// The names of the shared locations.
    pub locations: Vec<String>,
    /// The initial value of each location.
    pub initial: Vec<Value>,
    /// The writes of each location in co, the initial one left out.
    pub co: Vec<Vec<EventIndex>>,
}

impl Trace {
    /// A handler.
    pub fn handler(&self, handler: HandlerIndex) -> &Handler {
        &self.handlers[handler.index()]
    }

    /// A message.
    pub fn message(&self, message: MessageIndex) -> &Message {
        &self.messages[message.index()]
    }

    /// An event.
    pub fn event(&self, event: EventIndex) -> &Event {
        &self.events[event.index()]
    }

    /// Whether both messages are in one queue at the start, the first one in front of the second.
    pub fn starts_before(&self, first: MessageIndex, second: MessageIndex) -> bool {
        let [a, b] = [first, second].map(|message| self.message(message));
        let handler = self.handler(a.handler);
        let is_queue = handler.mailbox == Mailbox::Queue && !handler.is_thread;
        let is_ordered = |message: &Message| message.post.is_none() && !message.is_unordered;
        is_queue && a.handler == b.handler && first < second && is_ordered(a) && is_ordered(b)
    }

    /// The name of an event as texts have it: `m4.get`, `m4.2`.
    pub fn event_name(&self, event: EventIndex) -> String {
        let about = self.message(self.event(event).message);
        let at = about.events.iter().position(|other| *other == event).unwrap_or_default();
        let has_get = about.events.first().is_some_and(|first| self.event(*first).kind == Kind::Get);
        match at {
            0 if has_get => format!("{}.get", about.name),
            _ => format!("{}.{}", about.name, at + usize::from(!has_get)),
        }
    }

    /// The same trace with this mailbox for every handler.
    #[must_use]
    pub fn with_mailboxes(mut self, mailbox: Mailbox) -> Self {
        for handler in &mut self.handlers {
            handler.mailbox = mailbox;
        }
        self
    }
}
