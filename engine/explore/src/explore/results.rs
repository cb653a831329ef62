//! What an exploration found: final states, the condition's verdict, errors.

use super::messages::Messages;
use super::stuck::Wait;
use super::{ExecutionKind, Explorer, Place, Sighting, Step};
use crate::budget::{self, Budget, Paused};
use crate::graph::{Coherence, EventId, EventKey, Execution, Label};
use crate::model::{Inquiry, Model};
use crate::program::{
    Bound, Code, ErrorKind, Limits, Location, ObjectId, Observable, Program, Proposition, Quantifier, Value,
};
use crate::sort;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};
use serde::{Deserialize, Serialize};

/// How many bytes a final state takes in a table, beside those of its values: its key, its place in two indices, what is known of it.
const STATE: u64 = 160;

/// How many final states of an execution are compared without a table.
const FEW: usize = 8;

fn usual_table() -> u64 {
    Limits::TABLE
}

fn usually() -> bool {
    true
}

/// A final state and the executions that end in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// How many executions can end in it. An execution whose co leaves the last write of a location open ends in
    /// several states.
    pub count: u64,
    /// The step at which the first of them was whole, from 1.
    pub first: u64,
    /// Whether the condition's proposition holds in it; `None` without a condition.
    pub satisfies: Option<bool>,
}

/// How much was explored of what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// All: the exploration is over, and no thread was cut.
    Whole,
    /// There may be more.
    Part,
}

/// What a bound cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The bound.
    pub bound: Bound,
    /// Where: of a loop its own place, else that of the instruction that comes next.
    pub place: Place,
    /// In how many executions.
    pub executions: u64,
}

/// What is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// An error event at a place of the text.
    Error(ErrorKind, Place),
    /// A data race of two places of the text.
    DataRace(Place, Place),
    /// A read at a place of the text takes a value that nobody wrote.
    UninitialisedRead(ObjectId, Place),
    /// An execution that is stuck for good: all threads that are not done wait for each other, or for what never comes. By thread.
    StuckForGood(Vec<Wait>),
}

impl Fault {
    /// Whether both are the same but for the values that threads read in the loops that they wait in, which differ from execution to
    /// execution.
    pub fn is_alike(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::StuckForGood(own), Self::StuckForGood(others)) => {
                own.len() == others.len() && own.iter().zip(others).all(|(own, other)| own.is_alike(other))
            }
            _ => self == other,
        }
    }
}

/// What can be said of the whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Everything was explored and nothing is wrong.
    Ok,
    /// An error, a race, an execution that is stuck for good or a refuted condition was found. `exists` is a question, which nothing refutes.
    Violated,
    /// Nothing wrong was found, but not everything was explored.
    Bounded,
}

/// What becomes of the outcome that `exists` asks about. Neither is right or wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Some execution ends so.
    Allowed,
    /// None does.
    Forbidden,
}

impl Answer {
    /// The word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Forbidden => "forbidden",
        }
    }
}

/// Whether the condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ConditionResult {
    /// Whether it holds as far as was explored.
    pub holds: bool,
    /// Whether more exploration can't change that.
    pub decided: bool,
    /// How many executions have a final state that satisfies the proposition.
    pub witnesses: u64,
    /// How many executions have a final state that does not.
    pub counterexamples: u64,
}

impl ConditionResult {
    /// The answer to `exists`; `None` while there is none, and for what is no question.
    pub fn answer(&self, quantifier: Quantifier) -> Option<Answer> {
        let answer = if self.holds { Answer::Allowed } else { Answer::Forbidden };
        (self.decided && quantifier == Quantifier::Exists).then_some(answer)
    }
}

/// Everything found so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Results {
    observables: Vec<Observable>,
    // Lists of pairs, since their keys are no strings.
    #[serde(with = "indexmap::map::serde_seq")]
    outcomes: IndexMap<Vec<Value>, Outcome, FxBuildHasher>,
    /// There are more than are kept; none is then.
    too_many: bool,
    /// How many bytes the table of them may take.
    #[serde(skip, default = "usual_table")]
    table: u64,
    /// There is a condition, which final states decide, however many they are.
    #[serde(default = "usually")]
    has_condition: bool,
    #[serde(with = "indexmap::map::serde_seq")]
    faults: IndexMap<Fault, Sighting, FxBuildHasher>,
    #[serde(with = "indexmap::map::serde_seq")]
    cuts: IndexMap<(Place, Bound), u64, FxBuildHasher>,
    witnesses: u64,
    counterexamples: u64,
    /// Executions of which not all final states were found.
    #[serde(default)]
    unlisted: u64,
    /// What was noted of messages.
    #[serde(default)]
    messages: Messages,
}

/// What an observed step says about the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// A whole execution was reached.
    pub execution: bool,
    /// Somebody looking for what is wrong wants to see this step: an error, a race, an execution that is stuck for good, a
    /// read of what nobody wrote, or an execution that decides the
    /// condition (a witness of `exists`, a counterexample of `~exists` and `forall`).
    pub violation: bool,
}

impl Results {
    /// Nothing found yet, with a table of final states as large as usual.
    pub fn new(program: &Program) -> Self {
        Self::within(program, Limits::default())
    }

    /// Nothing found yet, with a table of final states as large as [`Limits::table`] says. A program with more has them counted, and
    /// its condition decided, but not listed: memory would grow with the number of executions.
    pub fn within(program: &Program, limits: Limits) -> Self {
        Self {
            observables: program.observables(),
            outcomes: IndexMap::default(),
            too_many: false,
            table: limits.table,
            has_condition: program.condition.is_some(),
            faults: IndexMap::default(),
            cuts: IndexMap::default(),
            witnesses: 0,
            counterexamples: 0,
            unlisted: 0,
            messages: Messages::default(),
        }
    }

    /// Nothing found yet; all final states will be kept, however many they are.
    pub fn with_all_outcomes(program: &Program) -> Self {
        Self { table: u64::MAX, ..Self::new(program) }
    }

    /// Takes note of a step that an explorer has just performed, however long that takes.
    pub fn observe(
        &mut self,
        program: &Program,
        code: &Code,
        model: Model,
        explorer: &dyn Explorer,
        step: Step,
    ) -> Observation {
        let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
        let effort = Effort { limit: u64::MAX, inquiry: &mut inquiry, budget: &mut budget };
        self.observe_within(program, code, model, explorer, step, effort).unwrap_or_default()
    }

    /// Takes note of a step that an explorer has just performed.
    ///
    /// # Errors
    /// [`Paused`] where the budget says so; nothing was noted then. To observe the same again with the same inquiry goes
    /// on.
    pub fn observe_within(
        &mut self,
        program: &Program,
        code: &Code,
        model: Model,
        explorer: &dyn Explorer,
        step: Step,
        effort: Effort<'_>,
    ) -> Result<Observation, Paused> {
        let (Step::Error { .. } | Step::Race { .. } | Step::UninitialisedRead { .. } | Step::Execution { .. }) = step
        else {
            return Ok(Observation::default());
        };
        let scene = Scene {
            graph: explorer.execution(),
            co: explorer.coherence(),
            registers: explorer.registers(),
            position: explorer.counts().steps,
        };
        self.observe_scene(program, code, model, &scene, step, effort)
    }

    /// Takes note of a step, given what it led to.
    pub(super) fn observe_scene(
        &mut self,
        program: &Program,
        code: &Code,
        model: Model,
        scene: &Scene<'_>,
        step: Step,
        effort: Effort<'_>,
    ) -> Result<Observation, Paused> {
        let (graph, position) = (scene.graph, scene.position);
        let place =
            |key: EventKey| graph.find(key).map_or(Place { line: 0, column: 0 }, |e| graph.event(e).span.into());
        let fault = match step {
            Step::Error { event } => match graph.find(event).map(|e| graph.event(e).label) {
                Some(Label::Error(kind)) => Fault::Error(kind, place(event)),
                _ => return Ok(Observation::default()),
            },
            Step::Race { first, second } => {
                let (a, b) = (place(first), place(second));
                Fault::DataRace(a.min(b), a.max(b))
            }
            Step::UninitialisedRead { read } => match graph.find(read).and_then(|e| graph.event(e).location()) {
                Some(location) => Fault::UninitialisedRead(code.object(location).0, place(read)),
                None => return Ok(Observation::default()),
            },
            Step::Execution { kind: ExecutionKind::StuckForGood, .. } => {
                self.messages.observe(graph, position);
                self.note_fault(
                    Fault::StuckForGood(Wait::all(code, model, graph)),
                    Sighting { count: 1, first: position },
                );
                return Ok(Observation { execution: true, violation: true });
            }
            Step::Execution { kind, .. } => {
                let finished = graph.events().all(|(_, event)| !event.ends_thread());
                let violation = kind != ExecutionKind::Blocked
                    && finished
                    && self.wants_states()
                    && self.observe_final(program, code, model, scene, effort)?.violation(program);
                self.observe_cuts(graph);
                self.messages.observe(graph, position);
                return Ok(Observation { execution: true, violation });
            }
            _ => return Ok(Observation::default()),
        };
        self.note_fault(fault, Sighting { count: 1, first: position });
        Ok(Observation { execution: false, violation: true })
    }

    /// Adds what was found in the part of the exploration that comes next and starts `offset` steps behind the start of
    /// this one.
    pub fn append(&mut self, later: Self, offset: u64) {
        self.too_many |= later.too_many;
        self.unlisted += later.unlisted;
        if !self.too_many {
            for (state, outcome) in later.outcomes {
                let first = outcome.first + offset;
                self.outcomes.entry(state).or_insert(Outcome { count: 0, first, ..outcome }).count += outcome.count;
            }
        }
        self.drop_outcomes();
        for (fault, sighting) in later.faults {
            let first = sighting.first + offset;
            self.note_fault(fault, Sighting { first, ..sighting });
        }
        for (cut, count) in later.cuts {
            *self.cuts.entry(cut).or_default() += count;
        }
        self.witnesses += later.witnesses;
        self.counterexamples += later.counterexamples;
        self.messages.append(later.messages, offset);
    }

    /// Takes note of a fault. Of those that differ in values alone, the first is kept.
    fn note_fault(&mut self, fault: Fault, sighting: Sighting) {
        let known = match fault {
            Fault::StuckForGood(_) => self.faults.keys().position(|known| known.is_alike(&fault)),
            _ => self.faults.get_index_of(&fault),
        };
        match known.and_then(|at| self.faults.get_index_mut(at)) {
            Some((_, known)) => known.count += sighting.count,
            None => {
                self.faults.insert(fault, sighting);
            }
        }
    }

    /// What was noted of messages: nothing where there are no handlers.
    pub fn messages(&self) -> &Messages {
        &self.messages
    }

    /// Takes the bound on the table of final states, which is written nowhere, if these were read from somewhere.
    pub fn bound_table(&mut self, limits: Limits) {
        self.table = limits.table;
    }

    /// Adds the final states of another part, but not how often they are met; whether there are too many now.
    pub(crate) fn meet_states(&mut self, other: &Self) -> bool {
        self.too_many |= other.too_many;
        if !self.too_many {
            for (state, outcome) in &other.outcomes {
                if !self.outcomes.contains_key(state) {
                    self.outcomes.insert(state.clone(), *outcome);
                }
            }
        }
        self.drop_outcomes();
        self.too_many
    }

    /// Forgets the final states: another part of the same exploration has too many.
    pub(crate) fn forget_states(&mut self) {
        self.too_many = true;
        self.drop_outcomes();
    }

    /// Takes the bound on the table of final states from another part of the same exploration.
    pub(crate) fn bound_table_as(&mut self, others: &Self) {
        self.table = others.table;
    }

    /// Whether these can be results of a program whose numbers are at most `most`; if they were read from somewhere.
    pub fn is_plausible(&self, program: &Program, most: u64) -> bool {
        let objects = program.objects.len();
        self.observables == program.observables()
            && (self.has_condition || program.condition.is_none())
            && self.outcomes.len() <= if self.too_many { 0 } else { self.most() }
            && self.outcomes.iter().all(|(state, outcome)| {
                state.len() == self.observables.len()
                    && outcome.count <= most
                    && outcome.first <= most
                    && outcome.satisfies.is_some() == program.condition.is_some()
            })
            && self.faults.iter().all(|(fault, sighting)| {
                let known = match fault {
                    Fault::UninitialisedRead(object, _) => usize::from(object.0) < objects,
                    _ => true,
                };
                known && sighting.count <= most && sighting.first <= most
            })
            && self.cuts.values().all(|count| *count <= most)
            && self.witnesses <= most
            && self.counterexamples <= most
            && self.unlisted <= most
            && self.messages.is_plausible(most)
    }

    /// Counts positions from behind the first `offset` steps, where nothing was found before.
    pub fn rebase(&mut self, offset: u64) {
        self.outcomes.values_mut().for_each(|outcome| outcome.first -= offset);
        self.faults.values_mut().for_each(|sighting| sighting.first -= offset);
        self.messages.rebase(offset);
    }

    /// Notes where a whole execution was cut.
    fn observe_cuts(&mut self, graph: &Execution) {
        let mut cuts: Vec<(Place, Bound)> = graph
            .events()
            .filter_map(|(_, event)| match event.label {
                Label::Bound(bound) => Some((event.span.into(), bound)),
                _ => None,
            })
            .collect();
        sort::ascending(&mut cuts);
        cuts.dedup();
        for cut in cuts {
            *self.cuts.entry(cut).or_default() += 1;
        }
    }

    /// Notes the final states of a whole execution.
    fn observe_final(
        &mut self,
        program: &Program,
        code: &Code,
        model: Model,
        scene: &Scene<'_>,
        effort: Effort<'_>,
    ) -> Result<Decision, Paused> {
        let locations: Vec<_> = self
            .observables
            .iter()
            .filter_map(|observable| match observable {
                Observable::Location { object, offset } => code.location(*object, Value::from(*offset)),
                Observable::Register { .. } => None,
            })
            .collect();
        let graph = scene.graph;
        // With a co, the last write of each location is settled.
        let value = |w: EventId| graph.event(w).value_written.unwrap_or_default();
        let finals: Vec<Vec<Value>> = match scene.co {
            Some(co) => {
                let last = |location: &Location| *co[location.0 as usize].last().expect("there is an initial write");
                vec![locations.iter().map(last).map(value).collect()]
            }
            None => {
                let Effort { limit, inquiry, budget } = effort;
                // What is written last anyway is not asked about.
                let known: Vec<Option<EventId>> =
                    locations.iter().map(|&location| graph.last_write_of_any_order(location)).collect();
                let open: Vec<_> =
                    locations.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(&l, _)| l).collect();
                // If nobody asks what they are, more than the table has room for are none that is listed.
                let is_asked = self.has_condition || program.filter.is_some();
                let enough = if is_asked { usize::MAX } else { self.most().saturating_add(1) };
                let (finals, all) = model.final_values_within(graph, &open, enough, limit, inquiry, budget)?;
                self.note_final_states(all);
                let whole = |open: Vec<Value>| {
                    let mut open = open.into_iter();
                    known.iter().filter_map(|known| known.map(value).or_else(|| open.next())).collect()
                };
                finals.into_iter().map(whole).collect()
            }
        };
        let whole = |memory: Vec<Value>| -> Vec<Value> {
            let mut memory = memory.into_iter();
            let value = |observable: &Observable| match observable {
                Observable::Register { thread, register } => scene.registers[*thread as usize][register.0 as usize],
                Observable::Location { .. } => memory.next().unwrap_or_default(),
            };
            self.observables.iter().map(value).collect()
        };
        let states: Vec<Vec<Value>> = finals.into_iter().map(whole).collect();
        Ok(self.count_states(program, states.iter().map(Vec::as_slice), scene.position))
    }

    /// Notes whether all final states of a whole execution were found.
    pub(super) fn note_final_states(&mut self, all: budget::Decision) {
        self.unlisted += u64::from(!all.is_yes());
    }

    /// Of how many executions not all final states were found, since the search for them was given up
    /// ([`crate::program::Limits::search`]). No result is complete then. None where nothing depends on final states, which are too
    /// many to be listed.
    pub fn unlisted(&self) -> u64 {
        self.unlisted
    }

    /// Notes the different final states of one whole execution.
    fn count_states<'a>(
        &mut self,
        program: &Program,
        states: impl IntoIterator<Item = &'a [Value]>,
        position: u64,
    ) -> Decision {
        let mut decision = Decision::default();
        for state in states {
            let (one, _) = self.count_state(program, state, position);
            decision.witness |= one.witness;
            decision.counterexample |= one.counterexample;
        }
        self.count_decision(decision);
        decision
    }

    /// Notes a whole execution of which nothing is to be said but its final states, one behind the other, some perhaps several times;
    /// whether one decides the condition.
    pub(super) fn observe_states(&mut self, program: &Program, states: &[Value], position: u64) -> bool {
        let width = self.observables.len().max(1);
        let mut known = FxHashSet::default();
        let different = states.chunks_exact(width).enumerate().filter_map(|(at, state)| {
            let mut before = states[..at * width].chunks_exact(width);
            let is_new = if at < FEW {
                before.all(|other| other != state)
            } else {
                if at == FEW {
                    known.extend(before);
                }
                known.insert(state)
            };
            is_new.then_some(state)
        });
        self.count_states(program, different, position).violation(program)
    }

    /// Notes one final state of a whole execution, its values in the order of [`Self::observables`]; its number among those that are
    /// listed, if it is. Constant time but for hashing, once the state is known.
    fn count_state(&mut self, program: &Program, state: &[Value], position: u64) -> (Decision, Option<usize>) {
        let known = match self.outcomes.get_index_mut(0) {
            _ if program.filter.is_some() => None,
            // All are empty. To compare empty slices, whose addresses are none, takes the C library 100 ns on some processors.
            Some((_, only)) if state.is_empty() => Some((0, only)),
            _ => self.outcomes.get_full_mut(state).map(|(number, _, outcome)| (number, outcome)),
        };
        let (satisfies, number) = match known {
            Some((number, outcome)) => {
                outcome.count += 1;
                (outcome.satisfies, Some(number))
            }
            None => {
                let holds = |p: &Proposition| {
                    p.holds(&|wanted| self.observables.binary_search(&wanted).map_or(0, |index| state[index]))
                };
                if program.filter.as_ref().is_some_and(|filter| !holds(filter)) {
                    return (Decision::default(), None);
                }
                let satisfies = program.condition.as_ref().map(|condition| holds(&condition.proposition));
                let mut number = None;
                if !self.too_many {
                    let outcome = Outcome { count: 0, first: position, satisfies };
                    let entry = self.outcomes.entry(state.to_vec());
                    let listed = entry.index();
                    entry.or_insert(outcome).count += 1;
                    self.drop_outcomes();
                    number = (!self.too_many).then_some(listed);
                }
                (satisfies, number)
            }
        };
        (Decision { witness: satisfies == Some(true), counterexample: satisfies == Some(false) }, number)
    }

    /// Forgets the final states if there are too many of them.
    fn drop_outcomes(&mut self) {
        if self.too_many || self.outcomes.len() > self.most() {
            self.too_many = true;
            self.outcomes = IndexMap::default();
            // What is not listed can't be incomplete.
            self.unlisted = if self.has_condition { self.unlisted } else { 0 };
        }
    }

    /// Whether anybody wants to know the final states of one more execution.
    #[inline(always)]
    pub(super) fn wants_states(&self) -> bool {
        self.has_condition || !self.too_many
    }

    fn count_decision(&mut self, decision: Decision) {
        self.witnesses += u64::from(decision.witness);
        self.counterexamples += u64::from(decision.counterexample);
    }

    /// Notes a whole execution of which nothing is to be said but its one final state; whether that decides the condition, and the
    /// number of the state among [`Self::outcomes`], if it is listed there.
    #[inline]
    pub(super) fn observe_state(&mut self, program: &Program, state: &[Value], position: u64) -> (bool, Option<usize>) {
        let (decision, number) = self.count_state(program, state, position);
        self.count_decision(decision);
        (decision.violation(program), number)
    }

    /// Notes more whole executions with final states that were noted before: the number of each state, and how many.
    pub(super) fn count_again(&mut self, states: &[(usize, u64)]) {
        for &(number, times) in states {
            let Some((_, outcome)) = self.outcomes.get_index_mut(number) else { continue };
            outcome.count += times;
            match outcome.satisfies {
                Some(true) => self.witnesses += times,
                Some(false) => self.counterexamples += times,
                None => {}
            }
        }
    }

    /// What a final state consists of.
    pub fn observables(&self) -> &[Observable] {
        &self.observables
    }

    /// The final states, each with its values in the order of [`Self::observables`], in the order they were found.
    pub fn outcomes(&self) -> impl ExactSizeIterator<Item = (&[Value], &Outcome)> {
        self.outcomes.iter().map(|(state, outcome)| (state.as_slice(), outcome))
    }

    /// How many final states are kept: as many as the table has bytes for.
    pub fn most(&self) -> usize {
        let state = STATE + 8 * self.observables.len() as u64;
        usize::try_from(self.table / state).unwrap_or(usize::MAX)
    }

    /// Whether there are more than [`Self::most`] final states: none is kept then.
    pub fn has_too_many_outcomes(&self) -> bool {
        self.too_many
    }

    /// The faults in the order they were found.
    pub fn faults(&self) -> impl ExactSizeIterator<Item = (&Fault, &Sighting)> {
        self.faults.iter()
    }

    /// What bounds cut, in the order of the text.
    pub fn cuts(&self) -> Vec<Cut> {
        let mut cuts: Vec<_> = self.cuts.iter().map(|(&(place, bound), &count)| (place, bound, count)).collect();
        sort::ascending(&mut cuts);
        cuts.into_iter().map(|(place, bound, executions)| Cut { bound, place, executions }).collect()
    }

    /// What is known of the program's condition.
    pub fn condition(&self, program: &Program, coverage: Coverage) -> Option<ConditionResult> {
        let condition = program.condition.as_ref()?;
        let complete = coverage == Coverage::Whole && self.unlisted == 0;
        let (holds, decided) = match condition.quantifier {
            Quantifier::Exists => (self.witnesses > 0, complete || self.witnesses > 0),
            Quantifier::NotExists => (self.witnesses == 0, complete || self.witnesses > 0),
            Quantifier::ForAll => (self.counterexamples == 0, complete || self.counterexamples > 0),
        };
        let (witnesses, counterexamples) = (self.witnesses, self.counterexamples);
        Some(ConditionResult { holds, decided, witnesses, counterexamples })
    }

    /// The answer to the program's question, if it asks one and that is decided.
    pub fn answer(&self, program: &Program, coverage: Coverage) -> Option<Answer> {
        self.condition(program, coverage)?.answer(program.condition.as_ref()?.quantifier)
    }

    /// The verdict.
    pub fn verdict(&self, program: &Program, coverage: Coverage) -> Verdict {
        let asks = program.condition.as_ref().is_some_and(|condition| condition.quantifier == Quantifier::Exists);
        let refuted = !asks && self.condition(program, coverage).is_some_and(|result| result.decided && !result.holds);
        if refuted || !self.faults.is_empty() {
            Verdict::Violated
        } else if coverage == Coverage::Whole && self.unlisted == 0 {
            Verdict::Ok
        } else {
            Verdict::Bounded
        }
    }
}

/// How a search for final states is asked for.
#[derive(Debug)]
pub struct Effort<'a> {
    /// How many units of work it may take.
    pub limit: u64,
    /// Where it is.
    pub inquiry: &'a mut Inquiry,
    /// Who is asked meanwhile.
    pub budget: &'a mut Budget,
}

/// A whole graph, and what else matters about it.
pub(super) struct Scene<'a> {
    pub graph: &'a Execution,
    pub co: Option<&'a Coherence>,
    /// By thread.
    pub registers: Vec<&'a [Value]>,
    /// How many steps lead there.
    pub position: u64,
}

/// What the final states of an execution say about the condition.
#[derive(Clone, Copy, Default)]
struct Decision {
    /// One satisfies it.
    witness: bool,
    /// One does not.
    counterexample: bool,
}

impl Decision {
    /// Whether it decides the condition.
    fn violation(self, program: &Program) -> bool {
        match program.condition.as_ref().map(|condition| condition.quantifier) {
            Some(Quantifier::Exists | Quantifier::NotExists) => self.witness,
            Some(Quantifier::ForAll) => self.counterexample,
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{Algorithm, Findings, Options, Pause, Work};
    use std::sync::Arc;

    /// What is found by walking through all of a program with 2^11 final states, and in two parts.
    fn found(condition: &str) -> [Findings; 2] {
        let threads: Vec<String> = (0..11).map(|i| format!("x{i} := 1 || x{i} := 2")).collect();
        let text = format!(
            "{}
{condition}",
            threads.join(" || ")
        );
        let program = Arc::new(crate::syntax::parse(&text).expect("a program").program);
        let code = Arc::new(Code::compile(&program).expect("it can be explored"));
        let walk = |work: &Work| {
            Algorithm::TrustCo
                .walk(Arc::clone(&code), Arc::clone(&program), Model::SC, Options::default(), work)
                .expect("it has walks")
        };
        let mut whole = walk(&Work::default());
        while whole.run(u64::MAX) == Pause::Steps {}
        let mut first = walk(&Work::default());
        first.run(10);
        let second = first.split().expect("there is more than one leaf");
        while first.run(u64::MAX) == Pause::Steps {}
        let mut parts = first.take_findings();
        let mut second = walk(&second);
        while second.run(u64::MAX) == Pause::Steps {}
        parts.append(second.take_findings());
        [whole.take_findings(), parts]
    }

    #[test]
    fn too_many_outcomes_are_counted_but_not_kept() {
        let condition = "exists (x0 = 1 /\\ x1 = 1)";
        for findings in found("") {
            assert_eq!(findings.counts.complete, 2048);
            assert!(!findings.results.has_too_many_outcomes());
            assert_eq!(findings.results.outcomes().len(), 2048);
        }
        let small = |mut findings: Findings| {
            findings.results.table = 1000 * (STATE + 8 * 22);
            findings.results.drop_outcomes();
            findings
        };
        for findings in found(condition).map(small) {
            assert_eq!(findings.results.witnesses, 512);
            assert_eq!(findings.results.outcomes().len(), 4);
        }
        for findings in found("").map(small) {
            assert!(findings.results.has_too_many_outcomes());
            assert_eq!(findings.results.outcomes().len(), 0);
        }
        // The more values they have, the fewer are kept, unless all are wanted.
        let program = |columns: usize| {
            let registers: Vec<String> = (0..columns).map(|at| format!("r{at} := 1")).collect();
            crate::syntax::parse(&registers.join("; ")).expect("a program").program
        };
        let columns = |count: usize| Results::new(&program(count)).most();
        assert!(Results::with_all_outcomes(&program(400)).most() > 1 << 50);
        assert_eq!((columns(1), columns(20), columns(400)), (49_932, 26_214, 2_496));
        // Then it does not matter whether they are all, unless a condition wants to know.
        for (condition, unlisted) in [("", 0), ("forall true", 1)] {
            let [mut findings, later] = found(condition);
            findings.results.note_final_states(budget::Decision::Undecided);
            findings.results.append(later.results, 0);
            findings.results.table = 0;
            findings.results.drop_outcomes();
            assert_eq!((findings.results.unlisted(), findings.results.wants_states()), (unlisted, unlisted > 0));
        }
    }
}
