//! Cycles to programs.

use super::cycle::{Cycle, Event, Problem, rmw_mode};
use super::edge::{Annotation, Barrier, Dependency, Direction, Relation, RelaxationEdge, Rmw};
use crate::program::{
    Access, AccessKind, BinaryOperator, CasResult, Comparison, Condition, Expression, Integer, Mode, Notation, Object,
    ObjectId, Observable, Origin, Place, PlaceKind, Program, Proposition, Quantifier, RegisterId, Span, Statement,
    StatementKind, Term, Thread, UpdateOperator, Value,
};

/// What a test is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// The notation.
    pub notation: Notation,
    /// How events access memory whose edges have no annotations: `Na`, `Rlx`, `Sc`, or `AR` for acquire reads and release
    /// writes. x86's accesses are plain, whatever this says.
    pub unannotated: Annotation,
}

impl From<Notation> for Dialect {
    /// The notation with relaxed accesses; plain ones on x86.
    fn from(notation: Notation) -> Self {
        let dialect = Self { notation, unannotated: Annotation::Relaxed };
        if dialect.is_x86() { Self { unannotated: Annotation::Plain, ..dialect } } else { dialect }
    }
}

impl Dialect {
    /// Whether it is one of the machine's.
    pub fn is_x86(self) -> bool {
        matches!(self.notation, Notation::X86 | Notation::X86_64)
    }

    /// The type of its numbers: those of herd have 32 bits.
    pub fn integer(self) -> Integer {
        if self.notation == Notation::Litmoscope { Integer::Int64 } else { Integer::Int32 }
    }

    /// An operator on its numbers.
    fn operator(self, operator: BinaryOperator) -> BinaryOperator {
        if self.notation == Notation::C11 { operator.in_type(self.integer()) } else { operator }
    }

    /// The annotations that events of this dialect can have.
    pub fn annotations(self) -> &'static [Annotation] {
        use Annotation::{Acquire, Locked, Plain, Relaxed, Release, SequentiallyConsistent};
        match self.notation {
            Notation::X86 | Notation::X86_64 => &[Plain, Locked],
            Notation::C11 | Notation::Litmoscope => &[Plain, Relaxed, Acquire, Release, SequentiallyConsistent],
        }
    }

    /// Whether there are words for an edge: else message and help.
    pub(super) fn check(self, edge: &RelaxationEdge) -> Result<(), (String, String)> {
        let refuse = |what: &str, help: &str| Err((format!("`{edge}`: {what}"), help.to_owned()));
        let c11 = self.notation == Notation::C11;
        match edge.relation {
            Relation::Fenced(Barrier::MFence) if c11 => refuse("C11 has no mfence", "write FenceSc instead of MFence")?,
            Relation::Fenced(Barrier::Fence(_)) if self.is_x86() => {
                refuse("x86 has no fences of C11", "write MFence instead")?;
            }
            Relation::Dependency(_) if self.is_x86() => {
                let help = "x86 keeps this order without a dependency: write Pod instead";
                refuse("there are no dependencies in x86's tests", help)?;
            }
            Relation::Rmw(Rmw::CompareAndSwap) if self.is_x86() => {
                let help = "cmpxchg expects the old value in eax; write Exch or FetchAdd";
                refuse("tests for x86 have no compare-and-swaps", help)?;
            }
            Relation::Rmw(_) if !self.is_x86() => {
                if let Some((read, write)) = edge.annotations
                    && read
                        .of(edge.from)
                        .zip(write.of(edge.to))
                        .is_none_or(|(r, w)| rmw_mode(r.mode(), w.mode()).is_none())
                {
                    refuse("its read and its write have no mode in common", RMW_HELP)?;
                }
            }
            _ => {}
        }
        for annotation in edge.annotations.into_iter().flat_map(|(from, to)| [from, to]) {
            let x86 = matches!(annotation, Annotation::Plain | Annotation::Locked);
            if self.is_x86() && !x86 {
                let what = format!("x86 has no {} accesses", annotation.name());
                refuse(&what, "write Na for plain accesses, A for writes that are locked exchanges")?;
            }
            if c11 && annotation == Annotation::Locked {
                refuse("C11 has no locked writes", "write Sc, or an edge Exch")?;
            }
        }
        Ok(())
    }

    /// How an event accesses memory.
    pub(super) fn annotation(self, event: &Event) -> Annotation {
        self.resolve(event.annotation, event.direction)
    }

    pub(super) fn resolve(self, annotation: Option<Annotation>, direction: Direction) -> Annotation {
        let plain = if self.is_x86() { Annotation::Plain } else { Annotation::Relaxed };
        let otherwise = if self.is_x86() { None } else { self.unannotated.of(direction) };
        annotation.or(otherwise).unwrap_or(plain)
    }
}

const RMW_HELP: &str = "write ExchRlxRlx, ExchAcqRlx, ExchRlxRel, ExchAcqRel or ExchScSc";

/// The name of a location: x, y, z, a, b, ...
fn location_name(location: usize) -> String {
    let letter = char::from(b'a' + ((location + 23) % 26) as u8);
    if location < 26 { letter.to_string() } else { format!("{letter}{}", location / 26) }
}

/// The machine's registers, in the order in which they are used.
const MACHINE: [&str; 14] =
    ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
/// How many of them the 32-bit machine has.
const MACHINE_32: usize = 6;

fn register_name(notation: Notation, register: usize) -> String {
    match notation {
        Notation::X86 => MACHINE[register].replacen('r', "e", 1).to_ascii_uppercase(),
        Notation::X86_64 => MACHINE[register].to_owned(),
        Notation::Litmoscope | Notation::C11 => format!("r{register}"),
    }
}

fn statement(kind: StatementKind) -> Statement {
    Statement { kind, span: Span::default() }
}

fn equal(observable: Observable, value: usize) -> Proposition {
    Proposition::Compare(Term::Observable(observable), Comparison::Equal, Term::Constant(value as Value))
}

fn location(location: usize) -> Observable {
    Observable::Location { object: ObjectId(location as u16), offset: 0 }
}

fn register(thread: usize, register: RegisterId) -> Observable {
    Observable::Register { thread: thread as u16, register }
}

fn place_of(location: usize, index: Option<Expression>) -> Place {
    Place { kind: PlaceKind::Element { object: ObjectId(location as u16), index }, span: Span::default() }
}

/// Something that is 0 and depends on a register.
fn zero(register: RegisterId) -> Expression {
    let bits = Expression::Constant(128);
    Expression::Binary(BinaryOperator::BitAnd, Box::new(Expression::Register(register)), Box::new(bits))
}

impl Cycle {
    /// The test: the events of each thread, and `exists` with the final state that only the cycle explains. Values read
    /// say what is read from, and final values what is last; where a location has more writes, what cannot be known
    /// otherwise is observed by a thread of its own, one for each such location, which reads it again and again.
    ///
    /// # Errors
    /// [`Problem`] for what the dialect has no words for.
    pub fn program(&self, dialect: Dialect) -> Result<Program, Problem> {
        self.check(dialect)?;
        let mut program = Program {
            name: self.name(dialect),
            notation: dialect.notation,
            objects: (0..self.locations)
                .map(|location| Object {
                    name: location_name(location),
                    initial: vec![0],
                    array: false,
                    uninitialised: false,
                    integer: dialect.integer(),
                    origin: Origin::Declared,
                    span: Span::default(),
                })
                .collect(),
            ..Program::default()
        };
        let mut conjuncts = Vec::new();
        for (location_, &writes) in self.writes().iter().enumerate() {
            if writes > 1 {
                conjuncts.push(equal(location(location_), writes));
            }
        }
        for (index, events) in self.threads.iter().enumerate() {
            let mut builder = Builder { cycle: self, dialect, thread: Thread::default(), registers: Vec::new() };
            let body = builder.statements(events.clone());
            let mut thread = builder.thread;
            thread.body = body;
            for &(event, id) in &builder.registers {
                let read = &self.events[event];
                // A write that is an exchange reads the write before it.
                let value = read.value - usize::from(read.direction == Direction::Write);
                conjuncts.push(equal(register(index, id), value));
            }
            program.threads.push(thread);
        }
        for location in 0..self.locations {
            self.observe(location, dialect, &mut program, &mut conjuncts);
        }
        let registers = program.threads.iter().enumerate().flat_map(|(index, thread)| {
            (0..thread.registers.len()).map(move |id| register(index, RegisterId(id as u16)))
        });
        program.observed = Some(registers.chain((0..self.locations).map(location)).collect());
        let all = conjuncts.into_iter().reduce(|p, q| Proposition::And(Box::new(p), Box::new(q)));
        program.condition = Some(Condition {
            quantifier: Quantifier::Exists,
            proposition: all.unwrap_or(Proposition::True),
            span: Span::default(),
        });
        Ok(program)
    }

    /// How many writes each location has.
    fn writes(&self) -> Vec<usize> {
        let mut writes = vec![0; self.locations];
        for event in self.events.iter().filter(|event| event.direction == Direction::Write) {
            writes[event.location] += 1;
        }
        writes
    }

    /// Adds a thread that sees the writes of a location in their order, unless that is known already: from the final
    /// value, and from coherence between events of one thread.
    fn observe(&self, of: usize, dialect: Dialect, program: &mut Program, conjuncts: &mut Vec<Proposition>) {
        let writes = self.writes()[of];
        if writes < 3 {
            return;
        }
        // known[i][j]: write i is older than write j.
        let mut known = vec![vec![false; writes + 1]; writes + 1];
        for events in &self.threads {
            let values: Vec<usize> =
                self.events[events.clone()].iter().filter(|event| event.location == of).map(|e| e.value).collect();
            for (at, &first) in values.iter().enumerate() {
                for &second in values[at..].iter().filter(|second| **second > first) {
                    known[first][second] = true;
                }
            }
        }
        for middle in 0..=writes {
            for first in 0..=writes {
                for second in 0..=writes {
                    known[first][second] |= known[first][middle] && known[middle][second];
                }
            }
        }
        if (1..writes - 1).all(|write| known[write][write + 1]) {
            return;
        }
        let plain = self.events.iter().filter(|event| event.location == of);
        let plain = plain.into_iter().all(|event| dialect.annotation(event) == Annotation::Plain);
        let mode = if plain && !dialect.is_x86() { Mode::NonAtomic } else { Mode::Relaxed };
        let mut thread = Thread::default();
        for value in 1..writes {
            let id = RegisterId(thread.registers.len() as u16);
            thread.registers.push(register_name(dialect.notation, usize::from(id.0)));
            thread.integers.push(dialect.integer());
            thread.initial.push(0);
            let place = place_of(of, None);
            let read = Access { kind: AccessKind::Read, place, mode, span: Span::default() };
            let value_read = Expression::Access(Box::new(read));
            thread.body.push(statement(StatementKind::Assign { register: id, value: value_read }));
            conjuncts.push(equal(register(program.threads.len(), id), value));
        }
        program.threads.push(thread);
    }

    /// Whether the dialect has words for all of it.
    pub(super) fn check(&self, dialect: Dialect) -> Result<(), Problem> {
        for (at, edge) in self.edges.iter().enumerate() {
            dialect.check(edge).map_err(|(message, help)| Problem::new(at, message, help))?;
            if matches!(edge.relation, Relation::Rmw(_)) && self.rmw_mode(dialect, at).is_none() {
                let message = format!("`{edge}`: its read and its write have no mode in common");
                return Err(Problem::new(at, message, RMW_HELP));
            }
        }
        if dialect.is_x86() {
            let most = if dialect.notation == Notation::X86 { MACHINE_32 } else { MACHINE.len() };
            for events in &self.threads {
                let registers = events.clone().filter(|&event| self.has_register(event)).count();
                if registers > most {
                    let message = format!("a thread needs {registers} registers, more than the {most} there are");
                    return Err(Problem::new(events.start, message, "leave out some of its reads"));
                }
            }
            let observer = self.writes().into_iter().max().unwrap_or(0).saturating_sub(1);
            if observer > most {
                let message =
                    format!("observing a location needs {observer} registers, more than the {most} there are");
                return Err(Problem::new(0, message, "leave out some of its writes"));
            }
        }
        Ok(())
    }

    /// Whether an event's value is kept in a register.
    fn has_register(&self, event: usize) -> bool {
        let Event { direction, annotation, .. } = self.events[event];
        direction == Direction::Read || (annotation == Some(Annotation::Locked) && !self.is_second_half(event))
    }

    /// Whether an event is the write of a read-modify-write.
    fn is_second_half(&self, event: usize) -> bool {
        let n = self.edges.len();
        matches!(self.edges[(event + n - 1) % n].relation, Relation::Rmw(_))
    }

    /// The mode of the read-modify-write that begins at an event; `None` if its halves do not agree.
    fn rmw_mode(&self, dialect: Dialect, event: usize) -> Option<Mode> {
        if dialect.is_x86() {
            return Some(Mode::SequentiallyConsistent);
        }
        let (read, write) = (&self.events[event], &self.events[(event + 1) % self.events.len()]);
        let sc = Some(Annotation::SequentiallyConsistent);
        // What is said of one half alone goes for both where it must.
        let (of_read, of_write) = match (read.annotation, write.annotation) {
            (None, annotation) if annotation == sc => (sc, sc),
            (annotation, None) if annotation == sc => (sc, sc),
            (_, Some(Annotation::Locked)) => (sc, sc),
            both => both,
        };
        let mode =
            |annotation: Option<Annotation>, direction| match (annotation, dialect.resolve(annotation, direction)) {
                // There are no plain read-modify-writes, but nobody asked for one.
                (None, Annotation::Plain) => Mode::Relaxed,
                (None, Annotation::SequentiallyConsistent) if of_read.is_some() || of_write.is_some() => Mode::Relaxed,
                (_, annotation) => annotation.mode(),
            };
        rmw_mode(mode(of_read, Direction::Read), mode(of_write, Direction::Write))
    }
}

/// Makes one thread.
struct Builder<'c> {
    cycle: &'c Cycle,
    dialect: Dialect,
    thread: Thread,
    /// The register of each event that has one.
    registers: Vec<(usize, RegisterId)>,
}

impl Builder<'_> {
    fn register(&mut self, event: usize) -> RegisterId {
        let id = RegisterId(self.thread.registers.len() as u16);
        self.thread.registers.push(register_name(self.dialect.notation, usize::from(id.0)));
        self.thread.integers.push(self.dialect.integer());
        self.thread.initial.push(0);
        self.registers.push((event, id));
        id
    }

    /// The statements of some events at the end of the thread.
    fn statements(&mut self, events: std::ops::Range<usize>) -> Vec<Statement> {
        let cycle = self.cycle;
        let mut body = Vec::new();
        let mut at = events.start;
        while at < events.end {
            let mut depends = None;
            // The edge from the event before, in this thread.
            if at > cycle.threads[cycle.events[at].thread].start {
                match cycle.edges[at - 1].relation {
                    Relation::Fenced(Barrier::MFence) => {
                        body.push(statement(StatementKind::Fence(Mode::SequentiallyConsistent)));
                    }
                    Relation::Fenced(Barrier::Fence(mode)) => body.push(statement(StatementKind::Fence(mode))),
                    Relation::Dependency(kind) => {
                        // Dependencies start with reads, and those have registers.
                        let from = self.registers.iter().find(|(event, _)| *event == at - 1).map(|(_, id)| *id);
                        if let (Some(from), Dependency::Control) = (from, kind)
                            && at > events.start
                        {
                            let value = Expression::Constant(cycle.events[at - 1].value as Value);
                            let condition = Expression::Binary(
                                BinaryOperator::Equal,
                                Box::new(Expression::Register(from)),
                                Box::new(value),
                            );
                            let then = self.statements(at..events.end);
                            body.push(statement(StatementKind::If { condition, then, otherwise: Vec::new() }));
                            return body;
                        }
                        depends = from.map(|from| (kind, from));
                    }
                    _ => {}
                }
            }
            let half = matches!(cycle.edges[at].relation, Relation::Rmw(_)) && at + 1 < events.end;
            self.event(at, depends, &mut body);
            at += if half { 2 } else { 1 };
        }
        body
    }

    /// The statements of an event; of two, if it is the first half of a read-modify-write.
    fn event(&mut self, at: usize, depends: Option<(Dependency, RegisterId)>, body: &mut Vec<Statement>) {
        let cycle = self.cycle;
        let event = &cycle.events[at];
        let address = depends.filter(|(kind, _)| *kind == Dependency::Address).map(|(_, from)| zero(from));
        let data = depends.filter(|(kind, _)| *kind == Dependency::Data).map(|(_, from)| zero(from));
        let place = place_of(event.location, address);
        let annotation = self.dialect.annotation(event);
        let mode = if self.dialect.is_x86() { Mode::Relaxed } else { annotation.mode() };
        let with_data = |value: usize| {
            let value = Expression::Constant(value as Value);
            match data.clone() {
                Some(zero) => {
                    Expression::Binary(self.dialect.operator(BinaryOperator::Add), Box::new(value), Box::new(zero))
                }
                None => value,
            }
        };
        let rmw = match cycle.edges[at].relation {
            Relation::Rmw(rmw) => Some(rmw),
            _ if event.direction == Direction::Write && annotation == Annotation::Locked => {
                Some(Rmw::Update(UpdateOperator::Exchange))
            }
            _ => None,
        };
        let (kind, mode) = match rmw {
            None if event.direction == Direction::Write => {
                let value = with_data(event.value);
                body.push(statement(StatementKind::Write { place, mode, value }));
                return;
            }
            None => (AccessKind::Read, mode),
            Some(rmw) => {
                let halves = event.direction == Direction::Read;
                let (old, new) =
                    if halves { (event.value, cycle.events[at + 1].value) } else { (event.value - 1, event.value) };
                let mode = if halves { cycle.rmw_mode(self.dialect, at) } else { None };
                let kind = match rmw {
                    Rmw::Update(operator) => {
                        let operand = if operator == UpdateOperator::Add { new - old } else { new };
                        AccessKind::Update { operator, operand: with_data(operand), integer: self.dialect.integer() }
                    }
                    Rmw::CompareAndSwap => AccessKind::CompareAndSwap {
                        expected: Expression::Constant(old as Value),
                        desired: with_data(new),
                        failure: match mode {
                            Some(Mode::SequentiallyConsistent) => Mode::SequentiallyConsistent,
                            Some(Mode::Acquire | Mode::AcquireRelease) => Mode::Acquire,
                            _ => Mode::Relaxed,
                        },
                        weak: false,
                        result: CasResult::ValueRead,
                    },
                };
                (kind, mode.unwrap_or(Mode::SequentiallyConsistent))
            }
        };
        let register = self.register(at);
        let kind = match kind {
            // The machine takes the operand from the register that gets the old value.
            AccessKind::Update { operator, operand, integer } if self.dialect.is_x86() => {
                body.push(statement(StatementKind::Assign { register, value: operand }));
                AccessKind::Update { operator, operand: Expression::Register(register), integer }
            }
            kind => kind,
        };
        let access = Expression::Access(Box::new(Access { kind, place, mode, span: Span::default() }));
        body.push(statement(StatementKind::Assign { register, value: access }));
    }
}
