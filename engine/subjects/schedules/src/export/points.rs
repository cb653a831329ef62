//! A thread's function: what it does at each of its points.

use super::Language;
use super::cells::{Cell, Cells, variables, written};
use super::names::{Called, literal};
use super::terms::{Helper, Writer};
use crate::native::{Lock, Native, has_shared};
use crate::sections::{ProgramSchedule, silent_guard};
use litmoscope_core::program::system::{
    EventKind, Fault, Point, PointId, PointKind, System, Term, Transition, TransitionId, Variable,
};
use litmoscope_core::program::{BinaryOperator, EvaluationError, Input};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Lines of text with their depth.
#[derive(Default)]
pub(super) struct Out {
    pub(super) text: String,
    pub(super) depth: usize,
}

impl Out {
    pub(super) fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.text.extend(std::iter::repeat_n("    ", self.depth));
            self.text += line;
        }
        self.text.push('\n');
    }

    fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
    }

    fn close(&mut self, line: &str) {
        self.depth -= 1;
        self.line(line);
    }
}

/// Writes the functions of all threads.
pub(super) struct Points<'a> {
    pub(super) language: Language,
    pub(super) system: &'a System,
    pub(super) source: &'a str,
    pub(super) called: &'a Called,
    pub(super) native: &'a Native,
    pub(super) schedule: Option<&'a ProgramSchedule>,
    pub(super) helpers: &'a RefCell<BTreeSet<Helper>>,
    /// Variables that some event accesses together with others.
    pub(super) together: BTreeSet<Variable>,
}

/// What an event does to one place.
struct Access {
    cell: Option<Cell>,
    /// It is read.
    reads: bool,
    /// What is written.
    writes: Option<Arc<Term>>,
}

fn input_name(at: usize, variant: usize) -> String {
    match variant {
        0 => format!("input_{}", at + 1),
        _ => format!("input_{}_{}", at + 1, variant + 1),
    }
}

/// What a thread went wrong by.
pub(super) fn fault(fault: Fault) -> &'static str {
    match fault {
        Fault::AssertionViolated => "an assertion does not hold",
        Fault::Evaluation(EvaluationError::DivisionByZero) => "a division by zero",
        Fault::Evaluation(EvaluationError::SignedOverflow) => "a result that does not fit into its signed type",
        Fault::Evaluation(EvaluationError::ShiftOutOfRange) => "a shift by a distance that its type does not have",
        Fault::OutOfBounds(_) => "an index outside its array",
        Fault::NotAnAddress => "an access through a number that is no address",
        Fault::NotMemory => "an access through an address that is not one of memory",
        Fault::NotHeld(_) => "an unlock of a mutex that the thread does not hold",
        Fault::OutOfRange(_) => "a value outside its range",
    }
}

impl<'a> Points<'a> {
    fn writer(&self) -> Writer<'a> {
        Writer {
            language: self.language,
            system: self.system,
            called: self.called,
            seen: Vec::new(),
            parts: FxHashMap::default(),
            inputs: FxHashMap::default(),
            step: std::cell::Cell::new(TransitionId(0)),
            helpers: self.helpers,
        }
    }

    fn is_rust(&self) -> bool {
        self.language == Language::Rust
    }

    fn is_shared(&self, variable: Variable) -> bool {
        (variable.0 as usize) < self.system.shared()
    }

    fn is_error(&self, step: &Transition) -> bool {
        self.system.point(step.thread.into(), step.to).is_error()
    }

    /// Notes which variables are accessed together with others.
    pub(super) fn look(&mut self) {
        let all: Vec<&Point> = self.system.threads.iter().flat_map(|thread| &thread.points).collect();
        for point in all {
            if self.native.lock(self.system, point).is_none() && self.access(point).is_none() {
                let steps = point.transitions.iter().map(|id| self.system.transition(*id));
                self.together.extend(steps.flat_map(crate::native::accessed));
            }
        }
    }

    /// The transitions of a point that can be taken.
    fn steps(&self, point: &Point) -> Vec<TransitionId> {
        let can = |id: &TransitionId| self.system.transition(*id).guard.iter().all(|term| term.known() != Some(0));
        point.transitions.iter().copied().filter(can).collect()
    }

    /// Whether a step goes wrong before anything is accessed, or could as well.
    fn is_early(&self, id: TransitionId) -> bool {
        let step = self.system.transition(id);
        self.is_error(step) && !step.guard.iter().any(|term| has_shared(self.system, term))
    }

    /// What an event does, if that is one access to one place.
    fn access(&self, point: &Point) -> Option<Access> {
        use EventKind as E;
        let PointKind::Event(kind) = &point.kind else { return None };
        match kind {
            E::Fence(_) | E::Input | E::Local | E::Stuck => {
                return Some(Access { cell: None, reads: false, writes: None });
            }
            E::Read | E::Write | E::Update(_) | E::CompareAndSwap | E::End | E::Join => {}
            E::Lock | E::Unlock | E::Send | E::Receive | E::Atomic => return None,
        }
        let mut found: Option<Option<(Cell, Arc<Term>)>> = None;
        let mut cells = Cells::new(self.system, self.called);
        for id in self.steps(point).into_iter().filter(|id| !self.is_early(*id)) {
            let step = self.system.transition(id);
            let shared: Vec<_> = step.assignments.iter().filter(|(variable, _)| self.is_shared(*variable)).collect();
            let write = match shared.is_empty() {
                true => None,
                false => Some(written(self.called, &shared)?),
            };
            step.guard.iter().for_each(|term| cells.add(term));
            step.assignments.iter().filter(|(at, _)| !self.is_shared(*at)).for_each(|(_, term)| cells.add(term));
            if let Some((cell, value)) = &write {
                cells.add(value);
                if let Cell::Element(_, index) = cell {
                    (!has_shared(self.system, index)).then_some(())?;
                }
            }
            if found.as_ref().is_some_and(|found| *found != write) {
                return None;
            }
            found = Some(write);
        }
        let write = found.flatten();
        let mut read = cells.found.into_iter();
        let (first, second) = (read.next(), read.next());
        if second.is_some() || first.as_ref().is_some_and(|first| write.as_ref().is_some_and(|(cell, _)| cell != first))
        {
            return None;
        }
        let reads = first.is_some();
        let (cell, writes) = match write {
            Some((cell, value)) => (Some(cell), Some(value)),
            None => (first, None),
        };
        Some(Access { cell, reads, writes })
    }

    fn before(&self, out: &mut Out) {
        match self.language {
            Language::Rust => out.line("let turn = thread.before()?;"),
            Language::C => out.line("if (!lm_before(self)) return;"),
        }
    }

    fn if_line(&self, condition: &str) -> String {
        if self.is_rust() { format!("if {condition} {{") } else { format!("if ({condition}) {{") }
    }

    fn bind(&self, name: &str, value: &str) -> String {
        if self.is_rust() { format!("let {name} = {value};") } else { format!("const int64_t {name} = {value};") }
    }

    /// What a step does to registers.
    fn registers(&self, writer: &Writer<'_>, step: &Transition, out: &mut Out) {
        let own: Vec<_> = step.assignments.iter().filter(|(variable, _)| !self.is_shared(*variable)).collect();
        if let [(variable, term)] = own[..] {
            out.line(&format!("{} = {};", self.called.registers[variable], writer.value(term).0));
            return;
        }
        self.new_registers(writer, step, out);
        self.set_registers(step, out);
    }

    /// Computes what a step does to registers.
    fn new_registers(&self, writer: &Writer<'_>, step: &Transition, out: &mut Out) {
        for (variable, term) in step.assignments.iter().filter(|(variable, _)| !self.is_shared(*variable)) {
            let name = &self.called.registers[variable];
            out.line(&self.bind(&format!("new_{name}"), &writer.value(term).0));
        }
    }

    fn set_registers(&self, step: &Transition, out: &mut Out) {
        for (variable, _) in step.assignments.iter().filter(|(variable, _)| !self.is_shared(*variable)) {
            out.line(&format!("{0} = new_{0};", self.called.registers[variable]));
        }
    }

    /// Counts rounds, and goes to the next point.
    fn goes_on(&self, id: TransitionId, out: &mut Out) {
        let step = self.system.transition(id);
        let has_to_work = self.native.has_to_work[usize::from(step.thread)];
        let round = if self.is_rust() { "thread.round();" } else { "lm_round(self);" };
        match (self.native.ends_round(id), self.native.works(id)) {
            (true, works) if works || !has_to_work => {
                out.line(round);
                if has_to_work {
                    out.line("is_useful = false;");
                }
            }
            (true, _) => {
                out.open(&self.if_line("is_useful"));
                out.line(round);
                out.line("is_useful = false;");
                out.close("}");
            }
            (false, true) => out.line("is_useful = true;"),
            (false, false) => {}
        }
        if step.to != step.from {
            out.line(&format!("point = {};", step.to.0));
        }
    }

    /// Says that an event is over.
    fn after(&self, id: TransitionId, out: &mut Out) {
        match self.language {
            Language::Rust => out.line(&format!("turn.after({})?;", id.0)),
            Language::C => out.line(&format!("if (!lm_after(self, {})) return;", id.0)),
        }
    }

    fn not_yet(&self, out: &mut Out) {
        match self.language {
            Language::Rust => out.line("turn.not_yet()?;"),
            Language::C => out.line("if (!lm_not_yet(self)) return;"),
        }
    }

    /// One of several, by its condition.
    fn either(
        &self,
        ways: Vec<(TransitionId, Option<String>)>,
        otherwise: Option<&dyn Fn(&mut Out)>,
        out: &mut Out,
        each: &dyn Fn(TransitionId, &mut Out),
    ) {
        let is_sure =
            |at: usize, condition: &Option<String>| condition.is_none() || otherwise.is_none() && at + 1 == ways.len();
        let sure = ways.iter().enumerate().find(|(at, (_, condition))| is_sure(*at, condition)).map(|(at, _)| at);
        let mut is_first = true;
        for (id, condition) in &ways[..sure.unwrap_or(ways.len())] {
            let open = self.if_line(condition.as_deref().unwrap_or("true"));
            match is_first {
                true => out.open(&open),
                false => {
                    out.depth -= 1;
                    out.open(&format!("}} else {open}"));
                }
            }
            is_first = false;
            each(*id, out);
        }
        let last = |out: &mut Out| match (sure, otherwise) {
            (Some(at), _) => each(ways[at].0, out),
            (None, Some(otherwise)) => otherwise(out),
            (None, None) => {}
        };
        if is_first {
            last(out);
        } else {
            out.depth -= 1;
            out.open("} else {");
            last(out);
            out.close("}");
        }
    }

    /// A thread's points, as the arms of a choice.
    pub(super) fn arms(&self, thread: usize, out: &mut Out) {
        for (at, point) in self.system.threads[thread].points.iter().enumerate() {
            let id = PointId(at as u32);
            let text = super::names::comment(&point.span.on_one_line(self.source));
            let line = if point.span.line == 0 { String::new() } else { format!("{}: ", point.span.line) };
            let what = match point.kind {
                PointKind::Event(_) => format!("{line}{text}"),
                PointKind::Ended => "the end".to_owned(),
                PointKind::Error(_) => format!("{line}went wrong: {text}"),
            };
            out.line(&format!("// {}", what.trim_end()));
            match self.language {
                Language::Rust => out.open(&format!("{at} => {{")),
                Language::C => out.open(&format!("case {at}: {{")),
            }
            match point.kind {
                PointKind::Ended if self.is_rust() => out.line("return Ok(());"),
                PointKind::Ended => out.line("return;"),
                PointKind::Error(reason) => {
                    let name = &self.system.threads[thread].name;
                    out.line(&format!(
                        "wrong({});",
                        literal(&format!("{name} goes wrong in line {}: {}", point.span.line, fault(reason)))
                    ));
                }
                PointKind::Event(_) => self.event(thread as u16, id, point, out),
            }
            if !self.is_rust() {
                out.line("break;");
            }
            out.close("}");
        }
    }

    fn event(&self, thread: u16, id: PointId, point: &Point, out: &mut Out) {
        let is_dropped = self.schedule.is_some_and(|schedule| schedule.is_dropped(thread, id));
        if let Some(lock) = self.native.lock(self.system, point) {
            return self.lock(point, lock, is_dropped, out);
        }
        let mut writer = self.writer();
        let steps = self.steps(point);
        if is_dropped {
            return self.wait(&writer, &steps, out);
        }
        self.inputs(&mut writer, point, &steps, out);
        self.before(out);
        match self.access(point) {
            Some(access) => self.single(writer, point, &steps, &access, out),
            None => self.several(writer, point, &steps, out),
        }
    }

    /// Takes or frees a lock. Where the schedule implies it, only threads without one do so.
    fn lock(&self, point: &Point, lock: Lock, is_dropped: bool, out: &mut Out) {
        let writer = self.writer();
        let ways = (point.transitions.iter()).filter_map(|id| {
            let guard: Vec<_> = silent_guard(self.system, *id)?.collect();
            Some((*id, writer.all(&guard)))
        });
        let number = lock.number;
        let each = |id: TransitionId, out: &mut Out| {
            match (is_dropped, self.language) {
                (false, Language::Rust) => {
                    let name = if lock.takes { "lock" } else { "unlock" };
                    out.line(&format!("thread.{name}({number}, {})?;", id.0));
                }
                (false, Language::C) => {
                    let name = if lock.takes { "lm_lock" } else { "lm_unlock" };
                    out.line(&format!("if (!{name}(self, {number}, {})) return;", id.0));
                }
                (true, language) => {
                    out.line("// The schedule implies it.");
                    match language {
                        Language::Rust => {
                            let name = if lock.takes { "acquire" } else { "release" };
                            out.open("if thread.is_free() {");
                            out.line(&format!("thread.{name}({number})?;"));
                            out.close("}");
                        }
                        Language::C => {
                            let name = if lock.takes { "lm_acquire" } else { "lm_release" };
                            out.line(&format!("if (self->is_free && !{name}(self, {number})) return;"));
                        }
                    }
                }
            }
            self.registers(&writer, self.system.transition(id), out);
            self.goes_on(id, out);
        };
        self.either(ways.collect(), None, out, &each);
    }

    /// Waits, where the schedule implies that there is nothing to wait for.
    fn wait(&self, writer: &Writer<'_>, steps: &[TransitionId], out: &mut Out) {
        let right = steps.iter().copied().find(|id| silent_guard(self.system, *id).is_some());
        let Some(id) = right else { return };
        let guard: Vec<_> = self.system.transition(id).guard.iter().collect();
        out.line("// The schedule implies it.");
        if let Some(condition) = writer.all(&guard) {
            match self.language {
                Language::Rust => {
                    out.open("while thread.is_free() {");
                    out.line("let turn = thread.before()?;");
                    out.open(&format!("if {condition} {{"));
                    out.line("break;");
                    out.close("}");
                }
                Language::C => {
                    out.open("while (self->is_free) {");
                    out.line("if (!lm_before(self)) return;");
                    out.open(&format!("if ({condition}) {{"));
                    out.line("lm_nothing(self);");
                    out.line("break;");
                    out.close("}");
                }
            }
            self.not_yet(out);
            out.close("}");
        }
        self.goes_on(id, out);
    }

    /// Draws inputs. Those of several steps that are the same are drawn once.
    fn inputs(&self, writer: &mut Writer<'_>, point: &Point, steps: &[TransitionId], out: &mut Out) {
        // By number: the inputs that some step is given there. Where steps differ, what was drawn before decides between them.
        let mut drawn: Vec<Vec<&Input>> = Vec::new();
        for id in steps {
            let mut names = Vec::new();
            for (at, input) in self.system.transition(*id).inputs.iter().enumerate() {
                if drawn.len() == at {
                    drawn.push(Vec::new());
                }
                let variant = drawn[at].iter().position(|other| *other == input).unwrap_or(drawn[at].len());
                if variant == drawn[at].len() {
                    drawn[at].push(input);
                }
                names.push(input_name(at, variant));
            }
            writer.inputs.insert(*id, names);
        }
        if drawn.is_empty() {
            return;
        }
        let variants = drawn.iter().enumerate();
        let draws: Vec<(String, String)> = variants
            .flat_map(|(at, inputs)| {
                inputs.iter().enumerate().map(move |(variant, input)| (input_name(at, variant), *input))
            })
            .map(|(name, input)| (name, self.draw(input, "random")))
            .collect();
        let again = |out: &mut Out| draws.iter().for_each(|(name, draw)| out.line(&format!("{name} = {draw};")));
        for (name, draw) in &draws {
            match self.language {
                Language::Rust => out.line(&format!("let mut {name} = {draw};")),
                Language::C => out.line(&format!("int64_t {name} = {draw};")),
            }
        }
        let guards: Vec<Option<String>> = (steps.iter())
            .map(|id| {
                writer.step.set(*id);
                let guard: Vec<_> = self.system.transition(*id).guard.iter().filter(|term| term.has_input()).collect();
                writer.all(&guard)
            })
            .collect();
        if point.may_block && guards.iter().all(Option::is_some) {
            let mut any: Vec<String> = guards.into_iter().flatten().collect();
            if any.len() > 1 {
                any.iter_mut().for_each(|guard| *guard = format!("({guard})"));
            }
            let any = any.join(" || ");
            match self.language {
                Language::Rust => out.open("for _ in 0..1000 {"),
                Language::C => out.open("for (int tries = 0; tries < 1000; tries++) {"),
            }
            out.open(&self.if_line(&any));
            out.line("break;");
            out.close("}");
            again(out);
            out.close("}");
        }
    }

    /// A value of an input.
    pub(super) fn draw(&self, input: &Input, random: &str) -> String {
        self.helpers.borrow_mut().insert(Helper::Below);
        match (input.plain(), self.language) {
            (Input::Range(first, last), language) => {
                let last = last.wrapping_sub(*first) as u64;
                match language {
                    Language::Rust => format!("({first}_i64).wrapping_add({random}.up_to({last}) as i64)"),
                    Language::C if *first == i64::MIN => {
                        format!("add(INT64_MIN, (int64_t)up_to({random}, UINT64_C({last})))")
                    }
                    Language::C => format!("add(INT64_C({first}), (int64_t)up_to({random}, UINT64_C({last})))"),
                }
            }
            (input, language) => {
                let list = input.values().map(|value| value.to_string()).collect::<Vec<_>>().join(", ");
                let last = input.count().saturating_sub(1);
                match language {
                    Language::Rust => format!("[{list}][{random}.up_to({last}) as usize]"),
                    Language::C => format!("((const int64_t[]){{{list}}})[up_to({random}, {last})]"),
                }
            }
        }
    }

    /// Keeps others away that access several variables at once.
    fn alone(&self, cell: Option<&Cell>, out: &mut Out) -> bool {
        let is_needed = match cell {
            Some(cell) => variables(self.called, cell).iter().any(|variable| self.together.contains(variable)),
            None => false,
        };
        if is_needed {
            self.alone_line(out);
        }
        is_needed
    }

    fn alone_line(&self, out: &mut Out) {
        self.helpers.borrow_mut().insert(Helper::Alone);
        out.line(if self.is_rust() { "let alone = alone(&turn);" } else { "const bool is_alone = alone(self);" });
    }

    fn not_alone(&self, out: &mut Out) {
        out.line(if self.is_rust() { "drop(alone);" } else { "not_alone(is_alone);" });
    }

    /// An event that is one access.
    fn single(&self, mut writer: Writer<'_>, point: &Point, steps: &[TransitionId], access: &Access, out: &mut Out) {
        let (early, rest): (Vec<_>, Vec<_>) = steps.iter().partition(|id| self.is_early(**id));
        let guards = |writer: &Writer<'_>, id: &TransitionId| {
            writer.step.set(*id);
            let guard: Vec<_> = self.system.transition(*id).guard.iter().collect();
            (*id, writer.all(&guard))
        };
        let depth = out.depth;
        for id in &early {
            let (_, condition) = guards(&writer, id);
            out.open(&self.if_line(condition.as_deref().unwrap_or("true")));
            self.after(*id, out);
            self.goes_on(*id, out);
            out.depth -= 1;
            out.open("} else {");
        }
        let is_alone = self.alone(access.cell.as_ref(), out);
        if let PointKind::Event(EventKind::Fence(_)) = point.kind {
            out.line(if self.is_rust() { "fence(SeqCst);" } else { "atomic_thread_fence(memory_order_seq_cst);" });
        }
        if let Some(cell) = &access.cell {
            let (line, is_tried) = self.operation(&mut writer, cell, access);
            // Whether anything behind it needs to know what was read.
            let mut cells = Cells::new(self.system, self.called);
            for id in &rest {
                let step = self.system.transition(*id);
                step.guard.iter().for_each(|term| cells.add(term));
                step.assignments.iter().filter(|(at, _)| !self.is_shared(*at)).for_each(|(_, term)| cells.add(term));
            }
            let is_used = !cells.found.is_empty();
            match (access.reads || access.writes.is_none(), self.language) {
                (_, Language::C) if is_tried => {
                    let place = writer.cell(cell);
                    out.line(&format!("int64_t seen = atomic_load({place});"));
                    out.line(&format!("while (!atomic_compare_exchange_weak({place}, &seen, {line})) continue;"));
                }
                (true, _) if is_used => out.line(&self.bind("seen", &line)),
                (true, Language::Rust) => out.line(&format!("let _ = {line};")),
                (true, Language::C) => out.line(&format!("(void){line};")),
                (false, _) => out.line(&format!("{line};")),
            }
            writer.seen = vec![(cell.clone(), "seen".to_owned())];
        }
        if is_alone {
            self.not_alone(out);
        }
        self.parts(&mut writer, &rest, false, out);
        let ways = rest.iter().map(|id| guards(&writer, id)).collect();
        let each = |id: TransitionId, out: &mut Out| {
            writer.step.set(id);
            self.registers(&writer, self.system.transition(id), out);
            self.after(id, out);
            self.goes_on(id, out);
        };
        let not_yet = |out: &mut Out| self.not_yet(out);
        let otherwise: Option<&dyn Fn(&mut Out)> =
            if point.may_block || rest.is_empty() { Some(&not_yet) } else { None };
        self.either(ways, otherwise, out, &each);
        while out.depth > depth {
            out.close("}");
        }
    }

    /// The processor's operation for an access. If it has none, what to write, which is tried until nothing came between.
    fn operation(&self, writer: &mut Writer<'_>, cell: &Cell, access: &Access) -> (String, bool) {
        let place = writer.cell(cell);
        let Some(value) = &access.writes else { return (writer.load(cell), false) };
        if !access.reads {
            let value = writer.value(value).0;
            let store = match self.language {
                Language::Rust => format!("{place}.store({value}, SeqCst)"),
                Language::C => format!("atomic_store({place}, {value})"),
            };
            return (store, false);
        }
        let is_seen = |term: &Arc<Term>| super::cells::cell(self.system, self.called, term).as_ref() == Some(cell);
        let has_none = |term: &Arc<Term>| !has_shared(self.system, term);
        let fetch = |name: &str, term: &Arc<Term>| {
            let operand = writer.value(term).0;
            match self.language {
                Language::Rust => format!("{place}.{name}({operand}, SeqCst)"),
                Language::C => format!("atomic_{name}({place}, {operand})"),
            }
        };
        match &**value {
            _ if has_none(value) => match self.language {
                Language::Rust => return (fetch("swap", value), false),
                Language::C => return (fetch("exchange", value), false),
            },
            Term::Binary(operator, left, right) if is_seen(left) && has_none(right) => {
                let name = match operator {
                    BinaryOperator::Add => "fetch_add",
                    BinaryOperator::Subtract => "fetch_sub",
                    BinaryOperator::BitAnd => "fetch_and",
                    BinaryOperator::BitOr => "fetch_or",
                    BinaryOperator::BitXor => "fetch_xor",
                    _ => "",
                };
                if !name.is_empty() {
                    return (fetch(name, right), false);
                }
            }
            Term::If(condition, desired, kept) if is_seen(kept) && has_none(desired) => {
                if let Term::Binary(BinaryOperator::Equal, left, expected) = &**condition
                    && is_seen(left)
                    && has_none(expected)
                {
                    let (expected, desired) = (writer.value(expected).0, writer.value(desired).0);
                    let exchange = match self.language {
                        Language::Rust => {
                            format!(
                                "{place}.compare_exchange({expected}, {desired}, SeqCst, SeqCst).unwrap_or_else(|seen| seen)"
                            )
                        }
                        Language::C => format!("compare_exchange({place}, {expected}, {desired})"),
                    };
                    return (exchange, false);
                }
            }
            _ => {}
        }
        let names = std::mem::replace(&mut writer.seen, vec![(cell.clone(), "seen".to_owned())]);
        let value = writer.value(value).0;
        let line = match self.language {
            Language::Rust => {
                format!("{place}.fetch_update(SeqCst, SeqCst, |seen| Some({value})).unwrap_or_else(|seen| seen)")
            }
            Language::C => value,
        };
        writer.seen = names;
        (line, true)
    }

    /// Gives names to what several terms of some steps have in common, if it is large: those of guards and registers, and of what is written,
    /// if that is not done yet.
    fn parts(&self, writer: &mut Writer<'_>, steps: &[TransitionId], with_writes: bool, out: &mut Out) {
        let mut count: FxHashMap<*const Term, (usize, usize)> = FxHashMap::default();
        let mut order: Vec<Arc<Term>> = Vec::new();
        fn visit(
            term: &Arc<Term>,
            count: &mut FxHashMap<*const Term, (usize, usize)>,
            order: &mut Vec<Arc<Term>>,
        ) -> usize {
            if let Some((times, size)) = count.get_mut(&Arc::as_ptr(term)) {
                *times += 1;
                return *size;
            }
            let mut inner = |term: &Arc<Term>| visit(term, count, order);
            let size = 1 + match &**term {
                Term::Constant(_) | Term::Variable(_) | Term::Input(_) => 0,
                Term::Unary(_, operand) => inner(operand),
                Term::Binary(_, left, right) | Term::Defined(_, left, right) => {
                    inner(left).saturating_add(inner(right))
                }
                Term::If(condition, then, otherwise) => {
                    inner(condition).saturating_add(inner(then)).saturating_add(inner(otherwise))
                }
            };
            count.insert(Arc::as_ptr(term), (1, size));
            order.push(term.clone());
            size
        }
        for id in steps {
            let step = self.system.transition(*id);
            let assigned = step.assignments.iter().filter(|(variable, _)| with_writes || !self.is_shared(*variable));
            for term in step.guard.iter().chain(assigned.map(|(_, term)| term)) {
                visit(term, &mut count, &mut order);
            }
        }
        let mut number = 0;
        for term in order {
            let (times, size) = count[&Arc::as_ptr(&term)];
            if times > 1
                && size > 12
                && !term.has_input()
                && super::cells::cell(self.system, self.called, &term).is_none()
            {
                number += 1;
                let name = format!("part_{number}");
                out.line(&self.bind(&name, &writer.value(&term).0));
                if !self.is_rust() {
                    out.line(&format!("(void){name};"));
                }
                writer.parts.insert(Arc::as_ptr(&term), name);
            }
        }
    }

    /// An event that accesses several places at once.
    fn several(&self, mut writer: Writer<'_>, point: &Point, steps: &[TransitionId], out: &mut Out) {
        self.alone_line(out);
        let mut cells = Cells::new(self.system, self.called);
        for id in steps {
            let step = self.system.transition(*id);
            step.guard.iter().chain(step.assignments.iter().map(|(_, term)| term)).for_each(|term| cells.add(term));
        }
        // Elements are read where they are needed: which of them are, depends.
        let is_single = |cell: &Cell| match cell {
            Cell::One(variable) => Some(*variable).filter(|at| self.called.field(*at).0.length.is_none()),
            _ => None,
        };
        for variable in cells.found.iter().filter_map(is_single) {
            let name = format!("seen_{}", self.called.field(variable).0.name);
            out.line(&self.bind(&name, &writer.load(&Cell::One(variable))));
            if !self.is_rust() {
                out.line(&format!("(void){name};"));
            }
            writer.seen.push((Cell::One(variable), name));
        }
        self.parts(&mut writer, steps, true, out);
        let guard = |id: &TransitionId| {
            writer.step.set(*id);
            let guard: Vec<_> = self.system.transition(*id).guard.iter().collect();
            (*id, writer.all(&guard))
        };
        let each = |id: TransitionId, out: &mut Out| {
            let step = self.system.transition(id);
            writer.step.set(id);
            // All is computed from the values before.
            self.new_registers(&writer, step, out);
            self.writes(&writer, step, out);
            self.not_alone(out);
            self.set_registers(step, out);
            self.after(id, out);
            self.goes_on(id, out);
        };
        let not_yet = |out: &mut Out| {
            self.not_alone(out);
            self.not_yet(out);
        };
        let otherwise: Option<&dyn Fn(&mut Out)> =
            if point.may_block || steps.is_empty() { Some(&not_yet) } else { None };
        self.either(steps.iter().map(guard).collect(), otherwise, out, &each);
    }

    /// What a step writes: all values are computed before.
    fn writes(&self, writer: &Writer<'_>, step: &Transition, out: &mut Out) {
        let shared: Vec<_> = step.assignments.iter().filter(|(variable, _)| self.is_shared(*variable)).collect();
        let mut stores = Vec::new();
        let mut at = 0;
        while at < shared.len() {
            let (variable, term) = shared[at];
            let (field, offset) = self.called.field(*variable);
            let length = field.length.unwrap_or(1);
            let whole = shared.get(at..at + length).filter(|_| offset == 0 && length > 1);
            let group = whole
                .and_then(|group| written(self.called, group))
                .filter(|(cell, _)| matches!(cell, Cell::Element(..)));
            let name = match field.length {
                Some(_) => format!("new_shared_{}_{offset}", field.name),
                None => format!("new_shared_{}", field.name),
            };
            let mut condition = None;
            let place = match group {
                Some((cell, value)) => {
                    out.line(&self.bind(&name, &writer.value(&value).0));
                    at += length;
                    let Cell::Element(field, index) = cell else { continue };
                    let index_name = format!("index_{}", self.called.fields[field].name);
                    out.line(&self.bind(&index_name, &writer.value(&index).0));
                    writer.needs(Helper::At);
                    let field = &self.called.fields[field];
                    match self.language {
                        Language::Rust => format!("at(&shared.{}, {index_name})", field.name),
                        Language::C => format!("at(shared.{}, {length}, {index_name})", field.name),
                    }
                }
                None => {
                    condition = self.keeps(writer, *variable, term);
                    out.line(&self.bind(&name, &writer.value(term).0));
                    at += 1;
                    writer.variable(*variable)
                }
            };
            if let Some(condition) = &condition {
                let keeps = name.replacen("new_", "keeps_", 1);
                match self.language {
                    Language::Rust => out.line(&format!("let {keeps} = {condition};")),
                    Language::C => out.line(&format!("const bool {keeps} = {condition};")),
                }
            }
            stores.push((place, name, condition.is_some()));
        }
        for (place, name, is_conditional) in stores {
            let store = match self.language {
                Language::Rust => format!("{place}.store({name}, SeqCst);"),
                Language::C => format!("atomic_store({place}, {name});"),
            };
            if is_conditional {
                out.open(&self.if_line(&format!("!{}", name.replacen("new_", "keeps_", 1))));
                out.line(&store);
                out.close("}");
            } else {
                out.line(&store);
            }
        }
    }

    /// When an assignment leaves a variable as it is, if it ever does: then there must be no write, as others may write it at the same time.
    fn keeps(&self, writer: &Writer<'_>, variable: Variable, term: &Arc<Term>) -> Option<String> {
        match &**term {
            Term::Variable(same) if *same == variable => Some("true".to_owned()),
            Term::If(condition, then, otherwise) => {
                let (then, otherwise) = (self.keeps(writer, variable, then), self.keeps(writer, variable, otherwise));
                if then.is_none() && otherwise.is_none() {
                    return None;
                }
                let [then, otherwise] = [then, otherwise].map(|text| text.unwrap_or_else(|| "false".to_owned()));
                let condition = writer.condition(condition).0;
                Some(match self.language {
                    Language::Rust => format!("if {condition} {{ {then} }} else {{ {otherwise} }}"),
                    Language::C => format!("(({condition}) ? {then} : {otherwise})"),
                })
            }
            _ => None,
        }
    }
}
