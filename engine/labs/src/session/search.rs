//! Searching the tree of an exploration: visits by what they came to.

use super::explain::visit_label;
use super::{Checkpoint, PATIENCE, Session, VisitId, VisitKind};
use crate::budget::Budget;
use crate::explore::{Effort, Explorer, Results, Step};
use crate::graph::{Event, Execution};
use crate::model::Inquiry;
use crate::program::{Address, Location, ObjectId, Observable, Program, RegisterId, Value};
use crate::sort;
use crate::words::{self, grouped};
use serde::{Deserialize, Serialize};

/// What can be asked, for a reader who asks something else.
pub const SEARCH_HELP: &str = "You can ask for: dropped, blocked, complete, error, pending; the number of an execution; \
    a final state, such as a = 0, x = 1 (P0:a where several threads have an a); reads 1 from x; writes 1 to x; P0 reads 1 \
    from x. Any other text is looked for in the labels. Join several by “and”.";

/// Longer questions are refused.
const MAX_LENGTH: usize = 500;
/// How many hits are kept.
const MAX_HITS: usize = 2000;
/// How many steps are made again to know final states and graphs.
const MAX_REPLAYED: u64 = 5_000_000;
/// How many names a message lists.
const MAX_NAMES: usize = 12;

/// What a visit has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    Kind(VisitKind),
    Execution(u64),
    /// Its label contains a text, in lower case.
    Label(String),
    /// Some event of the graph at its end reads or writes.
    Access {
        thread: Option<u16>,
        reads: bool,
        value: Value,
        location: Location,
        words: String,
    },
}

/// A question, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Query {
    terms: Vec<Term>,
    /// The values of a final state.
    state: Vec<(Observable, Value)>,
    /// The final state in words.
    state_words: Vec<String>,
}

/// A visit that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// The visit.
    pub visit: VisitId,
    /// Where to go to see it: the visit itself, or of a pending one the visit that pushed its option.
    pub at: VisitId,
}

/// What a search has found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchView {
    /// What was asked, as it was understood.
    pub understood: String,
    /// How many visits were found.
    pub total: u64,
    /// The first of them, in the order in which they were explored; options that wait are where they were pushed.
    pub hits: Vec<Hit>,
    /// Nothing more will be found.
    pub over: bool,
    /// How many, in words, and what was not looked at.
    pub summary: String,
}

/// A search in progress: of all visits there are when it starts, the folded ones too.
pub struct Search {
    query: Query,
    /// With what is asked of final states as what is observed.
    program: Program,
    /// How many visits are looked at.
    visits: usize,
    /// The next visit to be looked at.
    next: usize,
    /// Visits that fit as far as is known without their graphs, by where they end.
    candidates: Vec<(u64, VisitId)>,
    /// How many of these were looked at; once all visits were.
    judged: usize,
    at: Option<Checkpoint>,
    replayed: u64,
    most_replayed: u64,
    /// There were too many steps to be made again: the first position that was not looked at.
    cut: Option<u64>,
    hits: Vec<Hit>,
    total: u64,
    forgotten: u64,
}

impl Search {
    /// A search before its first visit.
    ///
    /// # Errors
    /// Why the question is not understood, in words.
    pub fn open(session: &Session, question: &str) -> Result<Self, String> {
        let query = Query::parse(session.program(), question)?;
        let mut program = session.program().clone();
        if !query.state.is_empty() {
            program.condition = None;
            program.observed = Some(query.state.iter().map(|&(observable, _)| observable).collect());
        }
        Ok(Self {
            query,
            program,
            visits: session.tree().len(),
            next: 0,
            candidates: Vec::new(),
            judged: 0,
            at: None,
            replayed: 0,
            most_replayed: MAX_REPLAYED,
            cut: None,
            hits: Vec::new(),
            total: 0,
            forgotten: session.tree().forgotten(),
        })
    }

    /// Looks at some visits, or makes some steps again; whether it is over. It is always given the same session, which may
    /// have moved meanwhile.
    pub fn advance(&mut self, session: &Session, budget: u64) -> bool {
        let mut left = budget;
        let mut patience = Budget::of(PATIENCE);
        while left > 0 && self.next < self.visits {
            left -= 1;
            let id = self.next as VisitId;
            self.next += 1;
            let Some(visit) = session.tree().visit(id) else { continue };
            let fits = |term: &Term| match term {
                Term::Kind(kind) => visit.kind == *kind,
                Term::Execution(number) => visit.execution == Some(*number),
                Term::Label(text) => visit_label(session, visit).to_lowercase().contains(text.as_str()),
                Term::Access { .. } => visit.taken.is_some(),
            };
            // Only whole executions have a final state.
            if (self.query.state.is_empty() || visit.execution.is_some()) && self.query.terms.iter().all(fits) {
                self.candidates.push((if visit.taken.is_some() { visit.ended } else { visit.pushed }, id));
            }
            if self.next == self.visits {
                sort::ascending(&mut self.candidates);
            }
        }
        while left > 0 && !self.is_over() {
            let (position, id) = self.candidates[self.judged];
            if !self.query.needs_graphs() {
                left -= 1;
                self.judged += 1;
                self.hit(session, id);
                continue;
            }
            let at = match self.at.take() {
                Some(at) if at.position == position => at,
                _ if self.replayed >= self.most_replayed => {
                    self.cut = Some(position);
                    break;
                }
                at => {
                    let kept = session.nearest(position);
                    let mut at = match at {
                        Some(at) if (kept.position..=position).contains(&at.position) => at,
                        _ => kept.copy(),
                    };
                    let steps = (position - at.position).min(left).min(self.most_replayed - self.replayed);
                    let before = at.position;
                    let paused = (0..steps).any(|_| at.advance_within(&mut patience).is_err());
                    self.replayed += at.position - before;
                    left -= at.position - before;
                    if paused {
                        self.at = Some(at);
                        return false;
                    }
                    at
                }
            };
            if at.position == position {
                left = left.saturating_sub(1);
                self.judged += 1;
                if self.query.fits(session, &self.program, &at) {
                    self.hit(session, id);
                }
            }
            self.at = Some(at);
        }
        self.is_over()
    }

    /// Whether nothing more will be found.
    pub fn is_over(&self) -> bool {
        self.next == self.visits && (self.judged == self.candidates.len() || self.cut.is_some())
    }

    fn hit(&mut self, session: &Session, id: VisitId) {
        self.total += 1;
        if self.hits.len() < MAX_HITS
            && let Some(visit) = session.tree().visit(id)
        {
            self.hits.push(Hit { visit: id, at: if visit.taken.is_some() { id } else { visit.parent } });
        }
    }

    /// What was found so far.
    pub fn view(&self) -> SearchView {
        let over = self.is_over();
        let mut summary = match (self.total, over) {
            (0, true) => "No visit".to_owned(),
            (0, false) => "No visit so far".to_owned(),
            (total, true) => words::count(total, "visit"),
            (total, false) => format!("{} so far", words::count(total, "visit")),
        };
        if self.total > self.hits.len() as u64 {
            summary += &format!("; you can step through the first {}", grouped(self.hits.len() as u64));
        }
        if let Some(position) = self.cut {
            summary += &format!(
                "; what ends at step {} or later was not looked at, because that would take too long",
                grouped(position)
            );
        }
        if self.forgotten > 0 {
            summary += &format!(
                "; {} {}",
                words::count(self.forgotten, "later visit"),
                words::by_number(
                    self.forgotten,
                    "is not kept and was not looked at",
                    "are not kept and were not looked at"
                )
            );
        }
        let (understood, hits) = (self.query.words(), self.hits.clone());
        SearchView { understood, total: self.total, hits, over, summary }
    }
}

impl Query {
    fn parse(program: &Program, question: &str) -> Result<Self, String> {
        if question.len() > MAX_LENGTH {
            return Err(format!("The question is longer than {MAX_LENGTH} bytes."));
        }
        let words = question.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.is_empty() {
            return Err(SEARCH_HELP.to_owned());
        }
        let mut query = Self { terms: Vec::new(), state: Vec::new(), state_words: Vec::new() };
        for part in split_at_and(&words) {
            query.parse_part(program, part)?;
        }
        Ok(query)
    }

    fn parse_part(&mut self, program: &Program, part: &str) -> Result<(), String> {
        if part.is_empty() {
            return Err("There is nothing on one side of “and”.".to_owned());
        }
        let lower = part.to_lowercase();
        if let Some(text) = part.strip_prefix(['"', '“']) {
            let text = text.trim_end_matches(['"', '”']).trim();
            if text.is_empty() {
                return Err("There is nothing between the quotes.".to_owned());
            }
            self.terms.push(Term::Label(text.to_lowercase()));
            return Ok(());
        }
        let kind = match lower.as_str() {
            "error" | "errors" | "wrong" => Some(VisitKind::Erroneous),
            name => VisitKind::ALL.into_iter().find(|kind| kind.name() == name),
        };
        if let Some(kind) = kind {
            self.terms.push(Term::Kind(kind));
            return Ok(());
        }
        let number = lower.strip_prefix("execution").map(str::trim_start).or_else(|| lower.strip_prefix('#'));
        if let Some(number) = number {
            let number =
                number.parse().map_err(|_| "After “execution” comes its number, as in: execution 3.".to_owned())?;
            self.terms.push(Term::Execution(number));
            return Ok(());
        }
        if let Ok(number) = lower.parse() {
            self.terms.push(Term::Execution(number));
            return Ok(());
        }
        if let Some(term) = access(program, part)? {
            self.terms.push(term);
            return Ok(());
        }
        let outcome = ["outcome ", "outcome:", "final "].iter().find_map(|word| lower.strip_prefix(word).map(str::len));
        let state = outcome.map(|length| &part[part.len() - length..]);
        if state.is_some() || part.contains('=') {
            return self.parse_state(program, state.unwrap_or(part));
        }
        self.terms.push(Term::Label(lower));
        Ok(())
    }

    fn parse_state(&mut self, program: &Program, text: &str) -> Result<(), String> {
        let text = text.trim().trim_start_matches('(').trim_end_matches(')');
        for piece in text.split("/\\").flat_map(|piece| piece.split([',', ';'])) {
            let Some((name, value)) = piece.split_once('=') else {
                return Err(format!("“{}” is no final value. Write for example: a = 0.", piece.trim()));
            };
            let (name, value) = (name.trim(), value.trim_start_matches('=').trim());
            let observable = observable(program, name)?;
            self.state.push((observable, parse_value(program, value)?));
            self.state_words.push(format!("{} = {value}", program.observable_name(observable)));
        }
        Ok(())
    }

    /// Whether more has to be known than the tree says.
    fn needs_graphs(&self) -> bool {
        !self.state.is_empty() || self.terms.iter().any(|term| matches!(term, Term::Access { .. }))
    }

    /// Whether a visit fits by what is there at its end.
    fn fits(&self, session: &Session, program: &Program, at: &Checkpoint) -> bool {
        let graph = at.explorer.execution();
        let terms = self.terms.iter().all(|term| match term {
            Term::Access { thread, reads, value, location, .. } => has(graph, |event| {
                thread.is_none_or(|thread| event.thread().0 == thread)
                    && event.location() == Some(*location)
                    && *value == if *reads { event.value_read } else { event.value_written }.unwrap_or(!*value)
            }),
            _ => true,
        });
        terms && (self.state.is_empty() || self.fits_state(session, program, at))
    }

    fn fits_state(&self, session: &Session, program: &Program, at: &Checkpoint) -> bool {
        let observed = program.observables();
        let fits = |state: &Vec<Value>| {
            self.state.iter().all(|(wanted, value)| {
                observed.binary_search(wanted).ok().and_then(|index| state.get(index)) == Some(value)
            })
        };
        session.final_states(at, program).iter().any(fits)
    }

    /// What was understood.
    fn words(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        if !self.state_words.is_empty() {
            parts.push(format!("executions that end with {}", self.state_words.join(", ")));
        }
        parts.extend(self.terms.iter().map(|term| match term {
            Term::Kind(VisitKind::Pending) => "options not taken yet".to_owned(),
            Term::Kind(VisitKind::Open) => "visits that are not at their end".to_owned(),
            Term::Kind(VisitKind::Inner) => "calls that made other calls".to_owned(),
            Term::Kind(VisitKind::Dropped) => "graphs that were dropped".to_owned(),
            Term::Kind(kind) => format!("{} executions", kind.name()),
            Term::Execution(number) => format!("execution {number}"),
            Term::Label(text) => format!("visits with “{text}” in their label"),
            Term::Access { words, .. } => format!("graphs in which {words}"),
        }));
        parts.join("; and ")
    }
}

/// The parts of a question between the words “and”.
fn split_at_and(words: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = words;
    loop {
        // ASCII only: the places are those of the text itself.
        match rest.to_ascii_lowercase().find(" and ") {
            Some(at) => {
                parts.push(rest[..at].trim());
                rest = &rest[at + 5..];
            }
            None => {
                parts.push(rest.trim());
                return parts;
            }
        }
    }
}

fn has(graph: &Execution, fits: impl Fn(&Event) -> bool) -> bool {
    graph.events().any(|(_, event)| !event.is_init() && fits(event))
}

/// `P0 reads 1 from x`, `writes 1 to x`.
fn access(program: &Program, part: &str) -> Result<Option<Term>, String> {
    let mut words: Vec<&str> = part.split(' ').collect();
    let first = words[0].to_lowercase();
    let number = || first.strip_prefix('p').and_then(|number| number.parse::<u16>().ok());
    // A handler may have the name of what is asked.
    let asks = |word: &&str| matches!(word.to_lowercase().as_str(), "reads" | "read" | "writes" | "write");
    let called = thread_called(program, words[0]).filter(|_| words.get(1).is_some_and(asks));
    let thread = called.or_else(|| number().filter(|_| words.len() > 1));
    if thread.is_some() {
        words.remove(0);
    }
    let (reads, preposition) = match words[0].to_lowercase().as_str() {
        "reads" | "read" => (true, "from"),
        "writes" | "write" => (false, "to"),
        _ => return Ok(None),
    };
    let example = if reads { "reads 1 from x" } else { "writes 1 to x" };
    let (value, location) = match words[1..] {
        [value, word, location] if word.eq_ignore_ascii_case(preposition) => (value, location),
        _ => return Err(format!("“{part}” is not understood. Write for example: {example}.")),
    };
    if let Some(thread) = thread.filter(|&thread| usize::from(thread) >= program.threads.len()) {
        return Err(no_thread(program, thread));
    }
    let found = locations(program).position(|name| name == location);
    let Some(found) = found else {
        return Err(format!("There is no location {location}. There {}.", are(locations(program))));
    };
    let who = thread.map_or_else(|| "some event".to_owned(), |thread| program.thread_name(thread.into()));
    let words = format!("{who} {} {value} {preposition} {location}", if reads { "reads" } else { "writes" });
    let value = parse_value(program, value)?;
    Ok(Some(Term::Access { thread, reads, value, location: Location(found as u32), words }))
}

fn no_thread(program: &Program, thread: u16) -> String {
    format!(
        "There is no thread P{thread}. There {}.",
        are((0..program.threads.len()).map(|thread| program.thread_name(thread)))
    )
}

/// The thread that the text gives that name: a handler.
fn thread_called(program: &Program, name: &str) -> Option<u16> {
    program.threads.iter().position(|thread| thread.name.as_deref() == Some(name)).map(|thread| thread as u16)
}

/// The names of all locations, by number.
fn locations(program: &Program) -> impl Iterator<Item = String> + Clone {
    program.objects.iter().flat_map(|object| {
        (0..object.initial.len())
            .map(move |offset| if object.array { format!("{}[{offset}]", object.name) } else { object.name.clone() })
    })
}

/// `is x`, `are x, y and z`
fn are(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<_> = names.take(MAX_NAMES + 1).collect();
    if names.len() > MAX_NAMES {
        names[MAX_NAMES] = "others".to_owned();
    }
    match names.len() {
        0 => "is none".to_owned(),
        1 => format!("is {}", names[0]),
        _ => format!("are {}", words::list(names)),
    }
}

/// What a final state has a value for: `x`, `q[1]`, `a`, `P0:a`, `0:a`.
fn observable(program: &Program, name: &str) -> Result<Observable, String> {
    let register = |thread: u16, register: &str| {
        let registers = &program.threads[usize::from(thread)].registers;
        let index = registers.iter().position(|other| other == register)?;
        Some(Observable::Register { thread, register: RegisterId(index as u16) })
    };
    if let Some((thread, name)) = name.split_once(':') {
        let number = || thread.trim().trim_start_matches(['P', 'p']).parse::<u16>().ok();
        let found = thread_called(program, thread.trim()).or_else(number);
        let thread = found.ok_or_else(|| format!("“{thread}” is no thread. Threads are called P0, P1, ..."))?;
        if usize::from(thread) >= program.threads.len() {
            return Err(no_thread(program, thread));
        }
        let registers = &program.threads[usize::from(thread)].registers;
        let missing = || {
            let thread = program.thread_name(thread.into());
            format!("{thread} has no register {}. There {}.", name.trim(), are(registers.iter().cloned()))
        };
        return register(thread, name.trim()).ok_or_else(missing);
    }
    let mut offset = locations(program).position(|other| other == name);
    for (index, object) in program.objects.iter().enumerate() {
        match offset {
            Some(at) if at < object.initial.len() => {
                return Ok(Observable::Location { object: ObjectId(index as u16), offset: at as u32 });
            }
            Some(at) => offset = Some(at - object.initial.len()),
            None => break,
        }
    }
    let owners: Vec<_> = (0..program.threads.len() as u16).filter_map(|t| register(t, name)).collect();
    match owners.as_slice() {
        [one] => Ok(*one),
        [] => {
            let registers = program.threads.iter().enumerate().flat_map(|(thread, t)| {
                let thread = program.thread_name(thread);
                t.registers.iter().map(move |register| format!("{thread}:{register}"))
            });
            Err(format!("There is no register or location {name}. There {}.", are(registers.chain(locations(program)))))
        }
        several => {
            let names = several.iter().map(|&one| program.observable_name(one));
            Err(format!("Several threads have a register {name}. There {}.", are(names)))
        }
    }
}

/// A number, or an address such as `&x` or `&q[1]`.
fn parse_value(program: &Program, text: &str) -> Result<Value, String> {
    let wrong = || format!("“{text}” is no value: values are numbers, and addresses such as &x.");
    let Some(name) = text.strip_prefix('&') else { return text.parse().map_err(|_| wrong()) };
    let (name, offset) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((name, offset)) => (name, offset.parse().map_err(|_| wrong())?),
        None => (name, 0),
    };
    let object = program.objects.iter().position(|object| object.name == name).ok_or_else(wrong)?;
    Ok(Address { object: ObjectId(object as u16), offset }.value())
}

impl Session {
    /// The final states of an execution that a step has just made whole, by what a program observes.
    pub(super) fn final_states(&self, at: &Checkpoint, program: &Program) -> Vec<Vec<Value>> {
        at.step.map_or_else(Vec::new, |step| self.final_states_of(&*at.explorer, step, program))
    }

    /// The same of a graph.
    pub(super) fn final_states_of(&self, explorer: &dyn Explorer, step: Step, program: &Program) -> Vec<Vec<Value>> {
        if !matches!(step, Step::Execution { .. }) {
            return Vec::new();
        }
        let mut results = Results::new(program);
        let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
        let effort = Effort { limit: PATIENCE, inquiry: &mut inquiry, budget: &mut budget };
        // Within a limit and without a pause: what was found by then.
        let _ = results.observe_within(program, &self.code, self.model(), explorer, step, effort);
        results.outcomes().map(|(state, _)| state.to_vec()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::Algorithm;
    use crate::graph::{Label, ThreadId};
    use crate::session::{Settings, ViewRequest};

    const PROGRAMS: [&str; 4] = [
        "x := 1; a := y || y := 1; b := x\n\nexists (P0:a = 0 /\\ P1:b = 0)",
        "a := x; b := x || x := 1 || x := 2; c := y || y := &x",
        "a := fai(x) || b := cas(x, 1, 5) || assume x = 1; assert y = 0 || y := 1",
        "shared m, x\nlock m; x := 1; unlock m || lock m; a := x; unlock m",
    ];

    fn open(text: &str, algorithm: Algorithm) -> Session {
        let settings = Settings { text: text.to_owned(), algorithm, ..Settings::default() };
        Session::open(settings).expect("it is a program")
    }

    fn search(session: &Session, question: &str) -> SearchView {
        let mut search = Search::open(session, question).unwrap_or_else(|why| panic!("{question}: {why}"));
        while !search.advance(session, 7) {
            assert!(!search.view().over);
        }
        search.view()
    }

    /// All visits whose end satisfies something, found by going to each position.
    fn scan(session: &mut Session, fits: impl Fn(&Session) -> bool) -> Vec<VisitId> {
        let mut found = Vec::new();
        for position in 0..=session.frontier() {
            session.go_to(position, u64::MAX);
            for id in 0..session.tree().len() as VisitId {
                let visit = session.tree().visit(id).expect("it exists");
                if visit.taken.is_some() && visit.ended == position && fits(session) {
                    found.push(id);
                }
            }
        }
        found
    }

    fn reads(session: &Session, thread: Option<u16>, location: u32, value: Value) -> bool {
        session.explorer().execution().events().any(|(_, event)| {
            event.is_read()
                && event.location() == Some(Location(location))
                && event.value_read == Some(value)
                && thread.is_none_or(|thread| event.thread() == ThreadId(thread))
        })
    }

    fn register(session: &Session, thread: usize, register: usize) -> Option<Value> {
        let graph = session.explorer().execution();
        let finished = graph.events().all(|(_, event)| !event.ends_thread());
        match session.step() {
            Some(Step::Execution { kind, .. }) if !kind.is_blocked() && finished => {
                Some(session.explorer().registers()[thread][register])
            }
            _ => None,
        }
    }

    #[test]
    fn what_is_found_is_what_a_scan_of_all_positions_finds() {
        for text in PROGRAMS {
            for algorithm in [Algorithm::Genmc, Algorithm::TrustCo] {
                for steps in [40, u64::MAX] {
                    let mut session = open(text, algorithm);
                    session.run(steps);
                    let name = session.program().objects[0].name.clone();
                    // A mutex has no values.
                    if name != "m" {
                        for (question, thread) in
                            [(format!("reads 1 from {name}"), None), (format!("P1 reads 1 from {name}"), Some(1))]
                        {
                            let found: Vec<_> = search(&session, &question).hits.iter().map(|hit| hit.visit).collect();
                            assert_eq!(
                                found,
                                scan(&mut session, |session| reads(session, thread, 0, 1)),
                                "{text} {question}"
                            );
                        }
                        let found: Vec<_> =
                            search(&session, &format!("writes 1 to {name}")).hits.iter().map(|hit| hit.visit).collect();
                        let writes = |session: &Session| {
                            session.explorer().execution().events().any(|(_, event)| {
                                !event.is_init()
                                    && event.location() == Some(Location(0))
                                    && event.value_written == Some(1)
                            })
                        };
                        assert_eq!(found, scan(&mut session, writes), "{text}");
                    }
                    let thread = session.program().threads.iter().position(|t| !t.registers.is_empty()).expect("one");
                    let name = session.program().threads[thread].registers[0].clone();
                    for value in 0..2 {
                        let found = search(&session, &format!("outcome P{thread}:{name}={value}"));
                        let found: Vec<_> = found.hits.iter().map(|hit| hit.visit).collect();
                        let wanted = scan(&mut session, |session| register(session, thread, 0) == Some(value));
                        assert_eq!(found, wanted, "{text} {name} = {value}");
                    }
                    for kind in VisitKind::ALL {
                        let found = search(&session, kind.name());
                        let all = (0..session.tree().len() as VisitId)
                            .filter(|&id| session.tree().visit(id).expect("it exists").kind == kind);
                        let mut visits: Vec<_> = found.hits.iter().map(|hit| hit.visit).collect();
                        visits.sort_unstable();
                        assert_eq!(visits, all.collect::<Vec<_>>());
                        assert_eq!(found.total, visits.len() as u64);
                    }
                }
            }
        }
    }

    #[test]
    fn a_search_leaves_the_session_as_it_was_and_may_be_asked_while_it_moves() {
        let mut session = open(PROGRAMS[1], Algorithm::Genmc);
        session.run(u64::MAX);
        let wanted = search(&session, "reads 2 from x");
        session.go_to(30, u64::MAX);
        let view = session.view(&ViewRequest::default());
        let mut search = Search::open(&session, "reads 2 from x").expect("it is understood");
        while !search.advance(&session, 5) {
            assert_eq!(session.position(), 30);
            session.forward();
            session.back();
        }
        assert_eq!(search.view(), wanted);
        assert_eq!(session.view(&ViewRequest::default()), view);
    }

    #[test]
    fn terms_are_joined_and_labels_searched() {
        let mut session = open(PROGRAMS[0], Algorithm::Genmc);
        session.run(u64::MAX);
        let both = search(&session, "complete and a=0 AND  b = 1");
        assert_eq!(both.understood, "executions that end with P0:a = 0, P1:b = 1; and complete executions");
        assert_eq!(both.total, 1);
        assert_eq!(
            search(&session, "a=0 /\\ b=1"),
            SearchView { understood: "executions that end with P0:a = 0, P1:b = 1".to_owned(), ..both }
        );
        assert_eq!(search(&session, "outcome a=7").summary, "No visit");
        let backward = search(&session, "\"Backward\"");
        assert!(backward.total > 0);
        assert_eq!(search(&session, "backward").hits, backward.hits);
        let labelled = |id: VisitId| visit_label(&session, session.tree().visit(id).expect("it exists"));
        assert!(backward.hits.iter().all(|hit| labelled(hit.visit).contains("backward")));
        assert_eq!(search(&session, "2").hits, search(&session, "execution 2").hits);
        assert_eq!(search(&session, "#2").total, 1);
        // An option that waits is where it was pushed.
        let mut session = open(PROGRAMS[0], Algorithm::Genmc);
        let mut pending = search(&session, "pending");
        while pending.total == 0 {
            assert!(session.forward());
            pending = search(&session, "pending");
        }
        assert!(pending.hits.iter().all(|hit| hit.at != hit.visit));
    }

    #[test]
    fn what_is_not_understood_is_answered() {
        let session = open(PROGRAMS[1], Algorithm::Genmc);
        let why = |question: &str| Search::open(&session, question).err().unwrap_or_default();
        assert_eq!(why(" "), SEARCH_HELP);
        assert_eq!(why("a = one"), "“one” is no value: values are numbers, and addresses such as &x.");
        assert_eq!(why("z=0"), "There is no register or location z. There are P0:a, P0:b, P2:c, x and y.");
        assert_eq!(why("P1:a=0"), "P1 has no register a. There is none.");
        assert_eq!(why("P9:a=0"), "There is no thread P9. There are P0, P1, P2 and P3.");
        assert_eq!(why("Q:a=0"), "“Q” is no thread. Threads are called P0, P1, ...");
        assert_eq!(why("a=0, b"), "“b” is no final value. Write for example: a = 0.");
        assert_eq!(why("reads x"), "“reads x” is not understood. Write for example: reads 1 from x.");
        assert_eq!(why("reads 1 from z"), "There is no location z. There are x and y.");
        assert_eq!(why("P7 reads 1 from x"), "There is no thread P7. There are P0, P1, P2 and P3.");
        assert_eq!(why("execution one"), "After “execution” comes its number, as in: execution 3.");
        assert_eq!(why("dropped and "), "");
        assert_eq!(why("\"\""), "There is nothing between the quotes.");
        assert!(why(&"x".repeat(501)).contains("longer"));
        assert_eq!(why("c = &x"), "");
    }

    #[test]
    fn a_search_that_would_take_long_says_where_it_ended() {
        let mut session = open(PROGRAMS[1], Algorithm::Genmc);
        session.run(u64::MAX);
        let mut all = Search::open(&session, "reads 0 from x").expect("it is understood");
        while !all.advance(&session, 100) {}
        let mut some = Search::open(&session, "reads 0 from x").expect("it is understood");
        some.most_replayed = 60;
        while !some.advance(&session, 100) {}
        let (all, some) = (all.view(), some.view());
        assert!(some.over && some.total < all.total);
        assert_eq!(some.hits, all.hits[..some.hits.len()]);
        assert!(some.summary.contains("was not looked at, because that would take too long"), "{}", some.summary);
    }

    #[test]
    fn any_question_is_answered() {
        use proptest::prelude::*;
        let session = open(PROGRAMS[3], Algorithm::Genmc);
        let words = prop_oneof![
            ".*",
            proptest::collection::vec(
                prop_oneof![
                    Just("and"),
                    Just("reads"),
                    Just("1"),
                    Just("from"),
                    Just("x"),
                    Just("="),
                    Just("P0"),
                    Just("#"),
                    Just("execution"),
                    Just("&x["),
                    Just("“")
                ],
                0..8
            )
            .prop_map(|words| words.join(" "))
        ];
        proptest!(|(question in words)| {
            if let Ok(mut search) = Search::open(&session, &question) {
                while !search.advance(&session, 100) {}
            }
        });
        assert!(session.explorer().execution().events().all(|(_, event)| matches!(event.label, Label::Init { .. })));
    }
}
