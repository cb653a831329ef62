//! TruSt as a walk: nobody looks at the steps, only at whole executions.

use super::bits::Bits;
use super::consistency::Inquiries;
use super::core::{Core, Halt};
use super::plan::{Plan, Unit};
use super::store::Lists;
use super::width::{AnyCore, with_core};
use crate::budget::{Budget, Paused};
use crate::explore::Options;
use crate::explore::results::{Effort, Scene};
use crate::explore::{Counts, ExecutionKind, Findings, Moment, Pause, Probe, Step, Walk, Work};
use crate::model::{Inquiry, Model};
use crate::program::{Code, Limits, Observable, Program, Quantifier, Value};
use std::sync::Arc;

/// Where a value of the final state is.
#[derive(Clone, Copy, Debug)]
enum Seen {
    /// In a register of a thread.
    Register(u16, u16),
    /// In a location.
    Location(u16),
}

/// What is looked at, and how.
#[derive(Debug)]
struct Sight {
    plan: Plan,
    program: Arc<Program>,
    seen: Vec<Seen>,
    /// The locations among them.
    locations: Vec<u16>,
    /// A witness that `exists` asks for is none of what is wrong.
    asks_for_witness: bool,
}

/// What was found.
#[derive(Debug)]
struct Found {
    /// In front of the last mark of the core, behind which a pause takes everything back.
    settled: Findings,
    /// Behind it, from what is wrong with a graph that is not whole on.
    ahead: Option<Box<Findings>>,
    /// The final state that was noted last in `settled`.
    last: Last,
}

/// A final state, which is often met again at once: it takes no table then.
#[derive(Debug, Default)]
struct Last {
    state: Vec<Value>,
    /// Its number among the outcomes, if it is listed.
    number: Option<usize>,
    /// How often it was met without being noted.
    times: u64,
}

impl Last {
    /// Whether this is a state; counts it then.
    #[inline(always)]
    fn meets(&mut self, state: &[Value]) -> bool {
        // To compare empty slices, whose addresses are none, takes the C library 100 ns on some processors.
        let same = self.number.is_some() && (state.is_empty() || self.state == state);
        self.times += u64::from(same);
        same
    }

    /// Notes how often it was met.
    #[inline(always)]
    fn settle(&mut self, findings: &mut Findings) {
        if let Some(number) = self.number.filter(|_| self.times > 0) {
            findings.results.count_again(&[(number, std::mem::take(&mut self.times))]);
        }
    }
}

impl Found {
    /// Where what a step shows belongs.
    #[inline(always)]
    fn place(
        &mut self,
        program: &Program,
        limits: Limits,
        is_whole: bool,
        is_new: bool,
    ) -> (&mut Findings, Option<&mut Last>) {
        if is_new {
            self.settle();
        }
        // A whole graph with nothing ahead of it is in front of the next mark: nothing pauses between them.
        if self.ahead.is_none() && is_whole {
            return (&mut self.settled, Some(&mut self.last));
        }
        (self.ahead.get_or_insert_with(|| Box::new(Findings::within(program, limits))), None)
    }

    /// Notes how often the last final state was met, for when numbers of final states change.
    fn forget_last(&mut self) {
        std::mem::take(&mut self.last).settle(&mut self.settled);
    }

    /// Whether a blocked execution, with nothing wrong in it, is one among others.
    #[inline(always)]
    fn knows_blocked(&self) -> bool {
        self.ahead.is_none() && self.settled.first.is_some()
    }

    /// The core has passed a mark.
    #[inline(always)]
    fn settle(&mut self) {
        if let Some(ahead) = self.ahead.take() {
            self.forget_last();
            // Positions of both count from the same start.
            self.settled.append(*ahead);
        }
    }
}

/// A walk through a part of TruSt's exploration.
#[derive(Debug)]
pub(in crate::explore) struct TrustWalk {
    sight: Sight,
    core: AnyCore,
    found: Found,
    /// What was counted before what the findings count.
    before: Counts,
    /// Final states of an execution, for the next one to be written over.
    state: Vec<Value>,
    done: bool,
}

impl TrustWalk {
    /// A walk through a part; `None` if the exploration has no such part.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop on the way to the part.
    pub(super) fn new(
        program: Arc<Program>,
        code: Arc<Code>,
        model: Model,
        options: Options,
        unit: Unit,
        work: &Work,
        budget: &mut Budget,
    ) -> Result<Option<Self>, Paused> {
        let plan = Plan::new(code, model, options, unit);
        let findings = Findings::within(&program, options.limits);
        let seen = findings.results.observables().iter().map(|observable| match *observable {
            Observable::Register { thread, register } => Some(Seen::Register(thread, register.0)),
            Observable::Location { object, offset } => {
                plan.code.location(object, Value::from(offset)).map(|location| Seen::Location(location.0 as u16))
            }
        });
        let Some(seen) = seen.collect::<Option<Vec<_>>>() else { return Ok(None) };
        let location = |seen: &Seen| match *seen {
            Seen::Location(location) => Some(location),
            Seen::Register(..) => None,
        };
        let locations = seen.iter().filter_map(location).collect();
        let mut core = AnyCore::new(&plan);
        loop {
            match core.within(budget, |core| core.resume(&plan, work)) {
                Ok(true) => break,
                Ok(false) => return Ok(None),
                Err(Halt::Full) => core = core.new_wider(&plan),
                Err(Halt::Paused) => return Err(Paused),
            }
        }
        let asks_for_witness = program.condition.as_ref().is_some_and(|c| c.quantifier == Quantifier::Exists);
        let sight = Sight { plan, program, seen, locations, asks_for_witness };
        let found = Found { settled: findings, ahead: None, last: Last::default() };
        Ok(Some(Self { sight, core, found, before: Counts::default(), state: Vec::new(), done: false }))
    }
}

/// Goes on until so many steps were performed in all, or so many executions found.
fn go<const W: usize>(
    core: &mut Core<W>,
    sight: &Sight,
    found: &mut Found,
    state: &mut Vec<Value>,
    before: &Counts,
    (until, executions): (u64, u64),
) -> Result<Pause, Halt>
where
    Bits<W>: Lists,
{
    core.counts_blocked = found.knows_blocked();
    core.until = (until, executions);
    loop {
        let advanced = core.advance::<false>(&sight.plan);
        if let Some(states) = core.take_owed() {
            // What is counted and not made is in front of the last mark.
            found.settle();
            found.settled.results.count_again(&states);
        }
        advanced?;
        match &core.step {
            None | Some(Step::Drop | Step::Undecided | Step::LeaveOut { .. }) => {}
            Some(Step::Done) => {
                // Only the whole has an end.
                core.counts.steps -= 1;
                return Ok(if core.stopped { Pause::Stopped } else { Pause::Exhausted });
            }
            Some(step) => {
                if core.told >= core.seen {
                    let is_whole = matches!(step, Step::Execution { .. });
                    let findings = found.place(&sight.program, sight.plan.options.limits, is_whole, core.told == 0);
                    look(core, sight, findings, state, before)?;
                    // What is ahead has numbers of its own.
                    if found.ahead.is_some() {
                        core.forget_states();
                    }
                    core.counts_blocked = found.knows_blocked();
                }
                core.told += 1;
                if core.counts.executions() >= executions && core.is_between() {
                    return Ok(Pause::Steps);
                }
            }
        }
        if core.counts.steps >= until && core.is_between() {
            return Ok(Pause::Steps);
        }
    }
}

/// Looks at a whole graph or what is wrong with one.
#[inline(always)]
fn look<const W: usize>(
    core: &mut Core<W>,
    sight: &Sight,
    (findings, last): (&mut Findings, Option<&mut Last>),
    state: &mut Vec<Value>,
    before: &Counts,
) -> Result<(), Paused>
where
    Bits<W>: Lists,
{
    let kind = match core.step {
        Some(Step::Execution { kind, .. }) => Some(kind),
        _ => None,
    };
    let position = core.counts.steps - before.steps;
    let graph = core.graph();
    let simple = graph.special.is_empty() && kind != Some(ExecutionKind::StuckForGood);
    let decisive = match kind {
        Some(ExecutionKind::Blocked) if simple => false,
        Some(_) if simple && !findings.results.wants_states() => false,
        Some(_) if simple && is_settled(core, sight) => {
            state.clear();
            let arranged = arranged(core, sight);
            for seen in &sight.seen {
                state.push(match *seen {
                    Seen::Register(thread, register) => register_of(core, arranged.as_deref(), (thread, register)),
                    Seen::Location(location) => graph.value(&sight.plan, graph.cell(location).last),
                });
            }
            note_state(core, sight, (findings, last), state, position)
        }
        Some(_) if simple => match look_at_finals(core, sight, findings, state, position)? {
            Some(decisive) => decisive,
            None => look_closely(core, sight, findings, position)?,
        },
        _ => look_closely(core, sight, findings, position)?,
    };
    let is_first = match (&findings.first, kind) {
        (None, Some(_)) => true,
        (Some(first), Some(kind)) => !kind.is_blocked() && first.is_blocked(),
        _ => false,
    };
    if decisive || is_first {
        remember(core, sight, findings, before, (decisive, is_first));
    }
    Ok(())
}

/// Notes the only final state of a whole graph; whether it decides the condition, unless the one noted before was the same.
#[inline(always)]
fn note_state<const W: usize>(
    core: &mut Core<W>,
    sight: &Sight,
    (findings, last): (&mut Findings, Option<&mut Last>),
    state: &[Value],
    position: u64,
) -> bool
where
    Bits<W>: Lists,
{
    let mut other = Last::default();
    let last = last.unwrap_or(&mut other);
    let mut decisive = false;
    if !last.meets(state) {
        last.settle(findings);
        (decisive, last.number) = findings.results.observe_state(&sight.program, state, position);
        last.state.clear();
        last.state.extend_from_slice(state);
    }
    if sight.plan.has_alike {
        core.note_state(last.number);
    }
    decisive
}

/// Looks at all final states of a whole graph whose co is open; `None` if that is not possible here.
fn look_at_finals<const W: usize>(
    core: &mut Core<W>,
    sight: &Sight,
    findings: &mut Findings,
    states: &mut Vec<Value>,
    position: u64,
) -> Result<Option<bool>, Paused>
where
    Bits<W>: Lists,
{
    let Some(all) = core.list_final_values(&sight.plan, &sight.locations)? else { return Ok(None) };
    findings.results.note_final_states(all);
    let arranged = arranged(core, sight);
    // As when they are looked at closely: in the order of names of the last writes.
    states.clear();
    for memory in core.last_writes.values.iter() {
        let mut memory = memory.iter();
        states.extend(sight.seen.iter().map(|seen| match *seen {
            Seen::Register(thread, register) => register_of(core, arranged.as_deref(), (thread, register)),
            Seen::Location(_) => memory.next().copied().unwrap_or_default(),
        }));
    }
    Ok(Some(findings.results.observe_states(&sight.program, states, position)))
}

/// The value of a register of a thread, whose registers may be [`arranged`].
#[inline(always)]
fn register_of<const W: usize>(core: &Core<W>, arranged: Option<&[&[Value]]>, (thread, register): (u16, u16)) -> Value
where
    Bits<W>: Lists,
{
    let registers = arranged.map_or_else(|| core.registers(thread.into()), |registers| registers[usize::from(thread)]);
    registers[usize::from(register)]
}

/// The registers of all threads, those of threads that can be exchanged in ascending order; `None` if none can.
#[inline(always)]
fn arranged<'a, const W: usize>(core: &'a Core<W>, sight: &Sight) -> Option<Vec<&'a [Value]>>
where
    Bits<W>: Lists,
{
    if sight.plan.symmetry.is_empty() {
        return None;
    }
    let mut all: Vec<_> = (0..sight.plan.code.threads.len()).map(|thread| core.registers(thread)).collect();
    sight.plan.symmetry.arrange(&mut all);
    Some(all)
}

/// Whether the last value of each location that is looked at is known.
#[inline(always)]
fn is_settled<const W: usize>(core: &Core<W>, sight: &Sight) -> bool
where
    Bits<W>: Lists,
{
    sight.plan.tracks_co
        || sight.seen.iter().all(|seen| match *seen {
            Seen::Register(..) => true,
            Seen::Location(location) => core.graph().cell(location).count <= 1 || core.graph().ends_alike(location),
        })
}

/// Looks at a whole graph as every explorer's are.
#[cold]
fn look_closely<const W: usize>(
    core: &mut Core<W>,
    sight: &Sight,
    findings: &mut Findings,
    position: u64,
) -> Result<bool, Paused>
where
    Bits<W>: Lists,
{
    let Some(step) = core.step else { return Ok(false) };
    let (graph, co) = core.execution(&sight.plan);
    // Taken out, as the registers are borrowed from the core.
    let mut inquiries = std::mem::replace(&mut core.poser.inquiries, Inquiries::new(0));
    let registers = arranged(core, sight)
        .unwrap_or_else(|| (0..sight.plan.code.threads.len()).map(|thread| core.registers(thread)).collect());
    let scene = Scene { graph: &graph, co: co.as_ref(), registers, position };
    let plan = &sight.plan;
    let mut observe = |inquiry: &mut Inquiry, limit, budget: &mut Budget| {
        let effort = Effort { limit, inquiry, budget };
        findings.results.observe_scene(&sight.program, &plan.code, plan.model, &scene, step, effort)
    };
    // Nothing else asks for final states: the next question is another one then.
    let observed = if matches!(step, Step::Execution { .. }) {
        inquiries.inquire(observe).map(|(observed, _)| observed)
    } else {
        observe(&mut Inquiry::default(), inquiries.limit, &mut inquiries.budget)
    };
    core.poser.inquiries = inquiries;
    Ok(observed?.violation)
}

/// Keeps the graph.
#[cold]
fn remember<const W: usize>(
    core: &Core<W>,
    sight: &Sight,
    findings: &mut Findings,
    before: &Counts,
    (decisive, is_first): (bool, bool),
) where
    Bits<W>: Lists,
{
    let Some(mut step) = core.step else { return };
    if let Step::Execution { number, .. } = &mut step {
        *number -= before.executions();
    }
    let moment = || {
        let (graph, co) = core.execution(&sight.plan);
        Moment { position: core.counts.steps - before.steps, step, graph, co }
    };
    let blocked = matches!(step, Step::Execution { kind, .. } if kind.is_blocked());
    let is_witness = sight.asks_for_witness && matches!(step, Step::Execution { .. }) && !blocked;
    let place = if is_witness { &mut findings.witness } else { &mut findings.violation };
    if decisive && place.is_none() {
        *place = Some(moment());
    }
    if is_first {
        findings.first = Some(moment());
    }
}

impl Walk for TrustWalk {
    fn run_within(&mut self, steps: u64, executions: u64, budget: &mut Budget) -> Pause {
        if self.done {
            return Pause::Exhausted;
        }
        let counts = self.core.counts();
        let until = (counts.steps.saturating_add(steps), counts.executions().saturating_add(executions));
        let (sight, found, state, before) = (&self.sight, &mut self.found, &mut self.state, &self.before);
        let pause = loop {
            let done = self.core.within(budget, |core| {
                with_core!(core, core => {
                    let done = go(core, sight, found, state, before, until);
                    if done == Err(Halt::Paused) {
                        core.begin_anew(&sight.plan);
                    }
                    done
                })
            });
            match done {
                Ok(pause) => break pause,
                Err(Halt::Full) => self.core.widen(),
                Err(Halt::Paused) => break Pause::Steps,
            }
        };
        self.done = pause != Pause::Steps;
        pause
    }

    fn split(&mut self) -> Option<Work> {
        if self.done { None } else { with_core!(&mut self.core, core => core.split()) }
    }

    fn work(&self) -> Option<Work> {
        if self.done { None } else { with_core!(&self.core, core => core.work()) }
    }

    fn take_findings(&mut self) -> Findings {
        if with_core!(&mut self.core, core => core.forget_seen()) {
            self.found.ahead = None;
        }
        self.found.settle();
        self.found.forget_last();
        let counts = self.counts();
        self.before = self.core.counts();
        with_core!(&mut self.core, core => core.forget_states());
        let findings = std::mem::replace(
            &mut self.found.settled,
            Findings::within(&self.sight.program, self.sight.plan.options.limits),
        );
        let questions = with_core!(&mut self.core, core => core.take_questions());
        Findings { counts, questions, ..findings }
    }

    fn counts(&self) -> Counts {
        self.core.counts().since(self.before)
    }

    fn probe(&mut self, choose: &mut dyn FnMut(u32) -> u32, budget: &mut Budget) -> Result<Probe, Paused> {
        let plan = &self.sight.plan;
        let mut core = AnyCore::new(plan);
        loop {
            match core.within(budget, |core| with_core!(core, core => core.probe(plan, choose))) {
                Ok(probe) => return Ok(probe),
                Err(Halt::Full) => core = core.new_wider(plan),
                Err(Halt::Paused) => return Err(Paused),
            }
        }
    }
}
