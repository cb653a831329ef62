//! Why consistency is hard: formulas as traces.
//!
//! After the proof of the thesis (chapter 4) that the question is NP-complete with queues, from formulas whose clauses have two or
//! three literals. A variable is a pair of messages to one handler: if the one of `true` is taken first, the variable is true. Handlers
//! that only pass on keep that order for each clause, since mailboxes are queues. A clause is a way through memory and handlers
//! that is a cycle if all of its literals are false, and no cycle otherwise.
//!
//! Deviations from print: the messages that a clause looks at are those on `hW`, not those on `h0`; what comes last on the chain
//! to `h0` is counted by clauses; a handler of its own, `hI`, posts the messages of the clauses. That each variable occurs three times
//! at most is what the proof starts from; nothing depends on it, so any number will do.

use super::{Event, EventIndex, Handler, HandlerIndex, Kind, LocationIndex, Mailbox, Message, MessageIndex, Trace};
use crate::program::Span;
use rustc_hash::FxHashMap;
use std::fmt;
use thiserror::Error;

/// The most variables that a formula may have.
pub const MAX_VARIABLES: usize = 50;

/// The most clauses that a formula may have.
pub const MAX_CLAUSES: usize = 50;

/// A formula: clauses, all of which have to hold. Variables are numbered from 1; a negative number is a negated variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    clauses: Vec<Vec<i32>>,
}

/// What is wrong with a formula.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct FormulaError {
    /// What, and what to do instead.
    pub message: String,
    /// Where.
    pub span: Span,
}

impl Formula {
    /// A formula of clauses.
    ///
    /// # Errors
    /// If a clause has not two or three literals, or two of the same variable; if a literal is 0; or if there are no clauses or too
    /// many. The span says nothing.
    pub fn new(clauses: Vec<Vec<i32>>) -> Result<Self, FormulaError> {
        let wrong = |message| FormulaError { message, span: Span::default() };
        if clauses.is_empty() {
            return Err(wrong("There is no clause. Write one in parentheses, as in \"(1 2) (-1 -2)\".".to_owned()));
        }
        if clauses.len() > MAX_CLAUSES {
            return Err(wrong(format!("A formula has at most {MAX_CLAUSES} clauses; this one has {}.", clauses.len())));
        }
        for clause in &clauses {
            check_clause(clause).map_err(wrong)?;
        }
        Ok(Self { clauses })
    }

    /// Reads clauses in parentheses, literals with blanks or commas between them: `(1 2) (-1 -2)`.
    ///
    /// # Errors
    /// As [`new`](Self::new), and if something else is there. The span says where.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let mut clauses: Vec<Vec<i32>> = Vec::new();
        let mut open: Option<(Span, Vec<i32>)> = None;
        for (word, span) in words(text) {
            let fail = |message: String| Err(FormulaError { message, span });
            match (word, &mut open) {
                ("(", None) if clauses.len() == MAX_CLAUSES => {
                    return fail(format!("A formula has at most {MAX_CLAUSES} clauses. Leave the rest out."));
                }
                ("(", None) => open = Some((span, Vec::new())),
                ("(", Some(_)) => {
                    return fail("This clause starts inside another one. Close that with \")\".".to_owned());
                }
                (")", None) => return fail("No clause is open here. Leave out this \")\".".to_owned()),
                (")", Some((start, clause))) => {
                    let whole = Span { end: span.end, ..*start };
                    check_clause(clause).map_err(|message| FormulaError { message, span: whole })?;
                    clauses.push(std::mem::take(clause));
                    open = None;
                }
                (literal, Some((_, clause))) => match literal.parse::<i32>() {
                    Ok(literal) if literal != 0 && literal.unsigned_abs() as usize <= MAX_VARIABLES => {
                        clause.push(literal)
                    }
                    _ => {
                        return fail(format!(
                            "A literal is the number of a variable from 1 to {MAX_VARIABLES}, with \"-\" before it if negated."
                        ));
                    }
                },
                (_, None) => {
                    return fail("Literals belong in a clause. Put parentheses around it, as in \"(1 2)\".".to_owned());
                }
            }
        }
        match open {
            Some((span, _)) => {
                Err(FormulaError { message: "This clause does not end. Close it with \")\".".to_owned(), span })
            }
            None => Self::new(clauses)
                .map_err(|error| FormulaError { span: Span { line: 1, column: 1, ..error.span }, ..error }),
        }
    }

    /// The clauses.
    pub fn clauses(&self) -> &[Vec<i32>] {
        &self.clauses
    }

    /// How many variables there are: the largest number.
    pub fn variables(&self) -> usize {
        self.clauses.iter().flatten().map(|literal| literal.unsigned_abs() as usize).max().unwrap_or(0)
    }

    /// Whether it holds with these values of the variables 1, 2, ...
    ///
    /// # Panics
    /// If there are fewer values than variables.
    pub fn holds(&self, values: &[bool]) -> bool {
        let is_true = |literal: &i32| values[literal.unsigned_abs() as usize - 1] == (*literal > 0);
        self.clauses.iter().all(|clause| clause.iter().any(is_true))
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, clause) in self.clauses.iter().enumerate() {
            let literals: Vec<String> = clause.iter().map(i32::to_string).collect();
            write!(f, "{}({})", if at == 0 { "" } else { " " }, literals.join(" "))?;
        }
        Ok(())
    }
}

fn check_clause(clause: &[i32]) -> Result<(), String> {
    if !(2..=3).contains(&clause.len()) {
        return Err(format!("A clause has two or three literals; this one has {}.", clause.len()));
    }
    for (at, literal) in clause.iter().enumerate() {
        if *literal == 0 || literal.unsigned_abs() as usize > MAX_VARIABLES {
            return Err(format!("Variables have numbers from 1 to {MAX_VARIABLES}; {literal} is not one of them."));
        }
        if clause[..at].iter().any(|other| other.unsigned_abs() == literal.unsigned_abs()) {
            return Err(format!(
                "Variable {} is in this clause twice. Leave one of its literals out.",
                literal.unsigned_abs()
            ));
        }
    }
    Ok(())
}

/// Parentheses, and what is between them and blanks or commas, each with its place.
fn words(text: &str) -> Vec<(&str, Span)> {
    let mut words: Vec<(&str, Span)> = Vec::new();
    let (mut line, mut column, mut joined) = (1, 1, false);
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        let alone = matches!(character, '(' | ')');
        let blank = character.is_whitespace() || character == ',';
        match words.last_mut() {
            Some((word, span)) if joined && !alone && !blank => {
                *word = &text[span.start as usize..end];
                span.end = end as u32;
            }
            _ if blank => {}
            _ => words.push((&text[at..end], Span { start: at as u32, end: end as u32, line, column })),
        }
        joined = !alone && !blank;
        (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
    }
    words
}

/// A formula and its trace: the trace is consistent if and only if the formula can be satisfied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The formula.
    pub formula: Formula,
    /// The trace. All mailboxes are queues.
    pub trace: Trace,
    /// By variable: the two messages whose order is its value, that of `true` first.
    pairs: Vec<[MessageIndex; 2]>,
}

impl Reduction {
    /// The trace of a formula. With n variables, c clauses and l literals, it has 2 + 2n + 2nc + 5l + c messages.
    pub fn new(formula: Formula) -> Self {
        let (variables, clauses) = (formula.variables(), formula.clauses.len());
        let mut build = Build::new(formula.clauses.iter().map(Vec::len).max().unwrap_or(0));
        let init = build.initial("init", "h0");
        let starter = build.initial("clauses", "hI");

        // The copies for all clauses: by variable, of true and of false.
        let mut pairs = Vec::new();
        let mut shown = FxHashMap::default();
        for variable in 1..=variables {
            let mut pair = [init; 2];
            for (value, letter, handler) in [(true, "T", "h1"), (false, "F", "h2")] {
                let mut from = build.posted(format!("m_{variable}_{letter}"), handler, init);
                for (clause, literals) in formula.clauses.iter().enumerate() {
                    let number = clause + 1;
                    from = build.posted(format!("m_{variable}_{number}_{letter}"), "h0", from);
                    if clause == 0 {
                        pair[usize::from(!value)] = from;
                    }
                    if let Some(at) = literals.iter().position(|literal| literal.unsigned_abs() as usize == variable) {
                        shown.insert((variable, clause, value), (from, at));
                    }
                }
            }
            pairs.push(pair);
        }
        // After the chain's own posts, as in print.
        let mut places: Vec<_> = shown.into_iter().collect();
        places.sort_unstable_by_key(|&((variable, clause, value), _)| (variable, !value, clause));
        let mut shown = FxHashMap::default();
        for ((variable, clause, value), (from, at)) in places {
            let name = format!("{variable}_{}_{}", clause + 1, if value { "T" } else { "F" });
            let passed = build.posted(format!("v_{name}"), &format!("h{}", at + 1), from);
            let message = build.posted(format!("w_{name}"), "hW", passed);
            shown.insert((variable, clause, value), message);
            pairs[variable - 1][usize::from(!value)] = message;
        }

        for clause in 0..clauses {
            let literals = formula.clauses[clause].clone();
            let number = clause + 1;
            let z = build.location(format!("z_{number}"));
            let parts: Vec<MessageIndex> = (1..=literals.len() + 1)
                .map(|part| build.posted(format!("c_{number}_{part}"), &format!("hC{part}"), starter))
                .collect();
            let first = build.event(parts[0], Kind::Read { location: z, value: 1, source: None });
            let mut looks = 0;
            for (at, &literal) in literals.iter().enumerate() {
                let variable = literal.unsigned_abs() as usize;
                // The one of the wrong value while the clause still goes on, then the other one.
                for (part, value) in [(at, literal < 0), (at + 1, literal > 0)] {
                    looks += 1;
                    build.sandwich(parts[part], shown[&(variable, clause, value)], &format!("{number}_{looks}"));
                }
            }
            let last = build.write(parts[literals.len()], z);
            build.trace.events[first.index()].kind = Kind::Read { location: z, value: 1, source: Some(last) };
        }
        let mut trace = build.trace;
        trace.name = Some(formula.to_string());
        Self { formula, trace, pairs }
    }

    /// The values of the variables that a run of the trace stands for: true where the message of `true` was taken first. They satisfy
    /// the formula.
    ///
    /// # Panics
    /// If the schedule names events that are not in the trace.
    pub fn values(&self, schedule: &[EventIndex]) -> Vec<bool> {
        let mut taken = vec![usize::MAX; self.trace.messages.len()];
        for (at, &event) in schedule.iter().enumerate() {
            let place = &mut taken[self.trace.event(event).message.index()];
            *place = at.min(*place);
        }
        self.pairs.iter().map(|[yes, no]| taken[yes.index()] < taken[no.index()]).collect()
    }
}

/// A trace while it is made. All is written by one message at a time, so events of a message are in po as they come.
struct Build {
    trace: Trace,
    handlers: FxHashMap<String, HandlerIndex>,
}

impl Build {
    /// With handlers for clauses of so many literals.
    fn new(most: usize) -> Self {
        let mut build = Self { trace: Trace::default(), handlers: FxHashMap::default() };
        let passing = (0..=most).map(|at| format!("h{at}"));
        let clauses = (1..=most + 1).map(|at| format!("hC{at}"));
        for name in passing.chain(["hW".to_owned(), "hI".to_owned()]).chain(clauses) {
            build.handlers.insert(name.clone(), HandlerIndex(build.trace.handlers.len() as u32));
            build.trace.handlers.push(Handler {
                name,
                mailbox: Mailbox::Queue,
                is_thread: false,
                span: Span::default(),
            });
        }
        build
    }

    fn event(&mut self, message: MessageIndex, kind: Kind) -> EventIndex {
        let event = EventIndex(self.trace.events.len() as u32);
        self.trace.events.push(Event { message, kind, span: Span::default() });
        self.trace.messages[message.index()].events.push(event);
        event
    }

    fn message(&mut self, name: String, handler: &str, post: Option<EventIndex>) -> MessageIndex {
        let message = MessageIndex(self.trace.messages.len() as u32);
        let handler = self.handlers[handler];
        self.trace.messages.push(Message {
            name,
            handler,
            events: Vec::new(),
            post,
            is_unordered: false,
            span: Span::default(),
        });
        self.event(message, Kind::Get);
        message
    }

    fn initial(&mut self, name: &str, handler: &str) -> MessageIndex {
        self.message(name.to_owned(), handler, None)
    }

    /// A message that another one posts.
    fn posted(&mut self, name: String, handler: &str, from: MessageIndex) -> MessageIndex {
        let post = self.event(from, Kind::Post(MessageIndex(self.trace.messages.len() as u32)));
        self.message(name, handler, Some(post))
    }

    fn location(&mut self, name: String) -> LocationIndex {
        self.trace.locations.push(name);
        self.trace.initial.push(0);
        self.trace.co.push(Vec::new());
        LocationIndex(self.trace.locations.len() as u32 - 1)
    }

    /// Writes 1 to a location that nobody else writes to.
    fn write(&mut self, message: MessageIndex, location: LocationIndex) -> EventIndex {
        let write = self.event(message, Kind::Write { location, value: 1 });
        self.trace.co[location.index()].push(write);
        write
    }

    /// Makes what comes next in one message happen within another one.
    fn sandwich(&mut self, inner: MessageIndex, outer: MessageIndex, name: &str) {
        for (letter, writer, reader) in [("s", outer, inner), ("e", inner, outer)] {
            let location = self.location(format!("{letter}_{name}"));
            let write = self.write(writer, location);
            self.event(reader, Kind::Read { location, value: 1, source: Some(write) });
        }
    }
}
