//! A memory implementation for the page: runs by hand, the graph that they leave behind, the saturation step by step, and the automata that a
//! machine may be made of.
//!
//! It is asked about by a place (`place.rs`): parameters, the run as text, how much of it is shown, a step of the saturation.
//! The worker has the machine and answers with a view of all that. To take a step asks for a run that is one longer, so a link,
//! a scene and a click say the same. The machine is a diagram with a column for each distance from the first state, so nothing
//! moves while one steps; states fold into several lines.

use super::drawing::{
    GraphDrawing, MAX_EVENTS, MachineDrawing, PCO, colour, draw_automaton, ends_of_pairs, graph_kinds, short, state_key,
};
use super::report::{allowed, edge_text, run_of, step_text, title};
use super::table::{in_words, size, text_of};
use super::tuples::{chain, end, rule, tuple_sentence, tuple_text};
use crate::budget::Budget;
use crate::graph::{EventId, RelationName};
use crate::program::Program;
use crate::random::Random;
use crate::syntax::Diagnostic;
use crate::words::{capitalised, count, grouped};
use crate::{
    Automaton, CausalCheck, Causality, CycleEdge, Initial, Initialization, Machine, NotRead, Operation, ReadProtocol,
    Reading, Run, Saturation, State, TransitionIndex, parameters_of, read_protocol, saturate, word_of,
};
use litmoscope_draw::{Drawing, EdgeKey, EdgeKind, OwnKind, Room, event_name, event_text};
use serde::{Deserialize, Serialize};

/// The most steps of a run.
pub const MAX_STEPS: usize = 2_000;
/// How many steps are listed around the one that is shown.
const LISTED: usize = 300;
/// How many transitions are offered.
const OFFERED: usize = 60;
/// How many tuples the saturation may find for the page.
const MAX_TUPLES: u64 = 1_000_000;
/// How many expressions a protocol may take to be expanded.
const WORK: u64 = 1 << 25;
/// How much work it may take whether the models allow a run, and to make automata of expressions. Cycles are looked for to the end, since
/// runs are short ([`MAX_STEPS`]).
const WORK_OF_A_RUN: u64 = 1 << 24;

/// What is asked of a memory implementation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRequest {
    /// The text of a protocol, a machine or automata.
    pub text: String,
    /// Parameters that are set to something else than the text says.
    pub settings: Vec<(String, i64)>,
    /// Whether a register that was never written holds nothing, instead of the initial write.
    pub holds_nothing: bool,
    /// Whether automata begin as it is printed.
    pub as_printed: bool,
    /// The run: `W T1 x a; b := a; R T2 x b`.
    pub run: String,
    /// How many of its steps are shown; more than there are: all.
    pub at: u32,
    /// So many steps by chance, behind those that are shown, with a seed: they take the place of what comes behind.
    pub random: Option<(u32, u64)>,
    /// A step of the saturation instead of the run; more than there are: the last.
    pub saturation: Option<u32>,
    /// Which relations are not drawn.
    pub hidden: Vec<GraphRelation>,
    /// Whether the drawing is for a narrow screen.
    pub narrow: bool,
}

/// A relation of the graph of a run that can be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GraphRelation {
    /// From a write to a read of it.
    Rf,
    /// Happens-before between threads.
    Hb,
    /// What reads force of the order of writes.
    Pco,
}

impl GraphRelation {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Rf, Self::Hb, Self::Pco];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rf => "rf",
            Self::Hb => "hb",
            Self::Pco => "pco",
        }
    }

    /// What it is drawn as.
    pub fn kind(self) -> EdgeKind {
        match self {
            Self::Rf => RelationName::Rf.into(),
            Self::Hb => RelationName::Hb.into(),
            Self::Pco => PCO,
        }
    }

    /// What it means, in a sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Rf => "reads-from: a write to a read of it",
            Self::Hb => {
                "happens-before: po and rf, one after the other; drawn between threads where rf alone does not show it"
            }
            Self::Pco => {
                "partial coherence order: a read knows the first write and returns the second, so the first comes before. It is what wb \
                 concludes in its first round"
            }
        }
    }
}

/// What the page shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryView {
    /// Its name.
    pub name: String,
    /// How large its machine is, in words.
    pub size: String,
    /// Notes on the text.
    pub notes: Vec<String>,
    /// The parameters of a protocol, with their values.
    pub parameters: Vec<(String, i64)>,
    /// Whether it is made of automata.
    pub has_automata: bool,
    /// The run that is shown, as text.
    pub run: String,
    /// What of the run that was asked for can't be taken.
    pub trouble: Option<String>,
    /// How many of its steps are shown.
    pub at: u32,
    /// How many steps it has.
    pub all_steps: u32,
    /// The steps.
    pub steps: Vec<RunStep>,
    /// The present state.
    pub state: String,
    /// What can be done next.
    pub next: Vec<NextStep>,
    /// How much more can be done than that, in words.
    pub more: Option<String>,
    /// What the registers hold.
    pub registers: Vec<RegisterBox>,
    /// What the last step did, or what a tuple says.
    pub caption: String,
    /// The machine.
    pub machine: Option<Drawing>,
    /// Why not all of it is drawn.
    pub around: Option<String>,
    /// The graph of the run.
    pub graph: Option<Drawing>,
    /// Why it is not drawn.
    pub too_large: Option<String>,
    /// The kinds of edges that graphs of runs alone have.
    pub kinds: Vec<OwnKind>,
    /// The weakest model that the run violates.
    pub violated: Option<String>,
    /// What is known of the run, in sentences.
    pub verdict: Vec<String>,
    /// The cycle, edge by edge.
    pub cycle: Vec<ToldEdge>,
    /// What its reads force.
    pub forced: Vec<ToldEdge>,
    /// The automata.
    pub automata: Vec<AutomatonView>,
    /// The saturation, where it was asked for.
    pub saturation: Option<SaturationView>,
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStep {
    /// What it does: `W T1 x a`.
    pub text: String,
    /// Its event, if it made one: `T1.1 W(x,1)`.
    pub event: Option<String>,
    /// The colour of the write that is written or read.
    pub colour: Option<u8>,
    /// Of a read: the way its value went, from the write on, by the numbers of steps.
    pub origin: Vec<u32>,
    /// What the event is on the cycle: `u`, `v2`.
    pub roles: Vec<String>,
}

/// What can be done next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextStep {
    /// What is shown: `W T1 x a`.
    pub text: String,
    /// The step as text, with where it leads if that has to be said.
    pub step: String,
    /// Its number among these, from 1 on, as the arrow has it.
    pub number: u32,
    /// Where it leads.
    pub to: String,
    /// The same, short enough for a button.
    pub short: String,
    /// The same in the drawing of the machine.
    pub key: crate::graph::EventKey,
    /// Whether it stays in the same state.
    pub stays: bool,
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterBox {
    /// Its name.
    pub name: String,
    /// What it holds: `T1.1 W(x,1)`, `[x=0]`; `None` for nothing.
    pub content: Option<String>,
    /// The colour of what it holds; `None` for an initial write, or nothing.
    pub colour: Option<u8>,
    /// Whether the last step wrote it.
    pub is_new: bool,
}

/// An edge in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldEdge {
    /// The sentence.
    pub text: String,
    /// The edge.
    pub edge: EdgeKey,
}

/// An automaton with its token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AutomatonView {
    /// Which: `Automaton 1, thread T0`.
    pub title: String,
    /// Drawn.
    pub drawing: Drawing,
    /// Where its token is, in a sentence.
    pub token: String,
}

/// A step of the saturation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaturationView {
    /// The step that is shown: the tuple of this number, or the end behind all.
    pub step: u32,
    /// How many there are.
    pub all_steps: u32,
    /// Some tuples around it.
    pub tuples: Vec<TupleRow>,
    /// How many others there are, in words.
    pub left_out: Option<String>,
    /// The chain of the tuple that is shown, behind all that of the violation: from there to its seed, the read.
    pub chain: Vec<TupleRow>,
    /// The run of the violation.
    pub run: Option<String>,
    /// What came of it, in a sentence.
    pub sentence: String,
}

/// A tuple in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TupleRow {
    /// Its number, from 1 on.
    pub number: u32,
    /// In short.
    pub text: String,
    /// The transition that it comes by.
    pub by: String,
    /// Whether it is exposed.
    pub is_exposed: bool,
}

/// A memory implementation that is looked at.
pub struct MemoryOpen {
    text: String,
    settings: Vec<(String, i64)>,
    as_printed: bool,
    read: ReadProtocol,
    parameters: Vec<(String, i64)>,
    /// By state: how many steps lead there at least.
    distances: Vec<Option<u32>>,
    /// By state: those from which a step leads there.
    before: Vec<Vec<State>>,
    saturations: [Option<Box<Option<Saturation>>>; 2],
}

impl litmoscope_core::inspection::Inspection for MemoryOpen {
    type Request = MemoryRequest;
    type View = MemoryView;

    fn open(request: &MemoryRequest) -> Result<Self, Vec<Diagnostic>> {
        Self::open(request)
    }

    fn is_of(&self, request: &MemoryRequest) -> bool {
        self.is_of(request)
    }

    fn view(&mut self, request: &MemoryRequest) -> MemoryView {
        Self::view(self, request)
    }

    fn text(request: &MemoryRequest) -> &str {
        &request.text
    }
}

impl MemoryOpen {
    /// Reads a text and makes a machine of it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn open(request: &MemoryRequest) -> Result<Self, Vec<Diagnostic>> {
        let declared = parameters_of(&request.text)?;
        let parameters = set_to(&declared, &request.settings);
        let read = read_declared(&request.text, &parameters, request.as_printed)?;
        let machine = &read.machine;
        let mut distances = vec![None; machine.states.len()];
        let mut before = vec![Vec::new(); machine.states.len()];
        for transition in machine.transitions() {
            before[transition.to.index()].push(transition.from);
        }
        let mut work = std::collections::VecDeque::from([machine.initial()]);
        distances[0] = Some(0);
        while let Some(state) = work.pop_front() {
            for (_, transition) in machine.from(state) {
                if distances[transition.to.index()].is_none() {
                    distances[transition.to.index()] = distances[state.index()].map(|distance: u32| distance + 1);
                    work.push_back(transition.to);
                }
            }
        }
        let (text, asked, as_printed) = (request.text.clone(), request.settings.clone(), request.as_printed);
        Ok(Self { text, settings: asked, as_printed, read, parameters, distances, before, saturations: [None, None] })
    }

    /// Whether it is what is asked about.
    pub fn is_of(&self, request: &MemoryRequest) -> bool {
        (&self.text, &self.settings, self.as_printed) == (&request.text, &request.settings, request.as_printed)
    }

    /// What the page shows.
    pub fn view(&mut self, request: &MemoryRequest) -> MemoryView {
        let initial = if request.holds_nothing { Initial::Nothing } else { Initial::Written };
        if request.saturation.is_some() {
            let place = usize::from(request.holds_nothing);
            let machine = &self.read.machine;
            self.saturations[place].get_or_insert_with(|| {
                Box::new(saturate(machine, initial, MAX_TUPLES, &mut Budget::unlimited()).unwrap_or_default())
            });
        }
        let (machine, program) = (&self.read.machine, self.read.machine.program());
        let (whole, trouble) = self.whole(request, initial);
        let all: Vec<TransitionIndex> = whole.transitions().to_vec();
        // What came by chance is seen whole.
        let at = if request.random.is_some() { all.len() } else { (request.at as usize).min(all.len()) };
        let run = Run::of(machine, initial, &all[..at]).unwrap_or_else(|| Run::new(machine, initial));
        let check = CausalCheck::new(run.graph());
        let mut budget = Budget::unlimited().capped(WORK_OF_A_RUN);
        let violated = Causality::ALL.into_iter().find_map(|causality| Some((causality, check.cycle(causality)?)));
        let cycle: &[CycleEdge] = violated.as_ref().map_or(&[], |(_, cycle)| cycle);
        let room = Room::of(request.narrow);
        let saturation = request.saturation.and_then(|step| self.saturation(initial, step, request.holds_nothing));
        let (present, taken) = match &saturation {
            Some((_, Some(tuple))) => (tuple.0, Some(tuple.1)),
            _ => (run.state(), run.transitions().last().copied()),
        };
        let numbered = saturation.is_none();
        let drawing = MachineDrawing {
            machine,
            distances: &self.distances,
            before: &self.before,
            present,
            taken,
            numbered,
            room,
        };
        let (drawn, around) = drawing.draw();
        let newest = run.events().last().copied().flatten();
        let shown = GraphRelation::ALL.map(|relation| !request.hidden.contains(&relation));
        let events = run.graph().len();
        let too_large = (events > MAX_EVENTS)
            .then(|| format!("It has {} events: no more than {MAX_EVENTS} are drawn.", grouped(events as u64)));
        let graph =
            too_large.is_none().then(|| GraphDrawing { run: &run, check: &check, cycle, shown, newest, room }.draw());
        let (next, more) = next_steps(machine, run.state());
        let key = |edge: CycleEdge| {
            let (from, to) = edge.ends();
            let kind = match edge {
                CycleEdge::Po(..) => RelationName::Po.into(),
                CycleEdge::Rf(..) => RelationName::Rf.into(),
                CycleEdge::Pco(_) => PCO,
            };
            EdgeKey { from: run.key(from), to: run.key(to), kind }
        };
        let told = |edge: CycleEdge| ToldEdge { text: edge_text(&run, edge) + ".", edge: key(edge) };
        let caption = match &saturation {
            Some((view, Some((.., caption)))) => format!("{caption} {}", view.sentence).trim_end().to_owned(),
            Some((view, None)) => view.sentence.clone(),
            None => caption(&run),
        };
        MemoryView {
            name: machine.name.clone(),
            size: self.size(),
            notes: self.read.notes.iter().map(|note| note.message.clone()).collect(),
            parameters: self.parameters.clone(),
            has_automata: !self.read.automata.is_empty(),
            run: text_of(machine, &all),
            trouble,
            at: at as u32,
            all_steps: all.len() as u32,
            steps: steps(&whole, &program, &ends_of_pairs(cycle)),
            state: machine.states[run.state().index()].clone(),
            next,
            more,
            registers: registers(&run, &program),
            caption,
            machine: Some(drawn),
            around,
            graph,
            too_large,
            kinds: graph_kinds(),
            violated: violated.as_ref().map(|(causality, _)| title(*causality)),
            verdict: self.verdict(&run, violated.as_ref().map(|(causality, _)| *causality), &mut budget),
            cycle: cycle.iter().map(|edge| told(*edge)).collect(),
            forced: check.pco.iter().map(|pco| told(CycleEdge::Pco(*pco))).collect(),
            automata: self.automata(&run, room),
            saturation: saturation.map(|(view, _)| view),
        }
    }

    /// The run that is asked for, and what of it can't be taken.
    fn whole(&self, request: &MemoryRequest, initial: Initial) -> (Run<'_>, Option<String>) {
        let machine = &self.read.machine;
        let (run, trouble) = run_of(machine, initial, &request.run);
        let trouble = trouble.map(|trouble| sentence(&trouble));
        let kept = match request.random {
            Some(_) => (request.at as usize).min(run.transitions().len()),
            None => run.transitions().len(),
        };
        if request.random.is_none() && kept <= MAX_STEPS {
            return (run, trouble);
        }
        let kept = &run.transitions()[..kept.min(MAX_STEPS)];
        let mut cut = Run::of(machine, initial, kept).unwrap_or_else(|| Run::new(machine, initial));
        let Some((steps, seed)) = request.random else {
            let trouble = format!("The run is longer than {} steps: the rest is left out.", grouped(MAX_STEPS as u64));
            return (cut, Some(trouble));
        };
        let mut random = Random::new(seed);
        for _ in 0..(steps as usize).min(MAX_STEPS - cut.transitions().len()) {
            let choices: Vec<TransitionIndex> = machine.from(cut.state()).map(|(index, _)| index).collect();
            if choices.is_empty() {
                break;
            }
            cut.take(choices[random.below(choices.len() as u64) as usize]);
        }
        (cut, None)
    }

    fn size(&self) -> String {
        let machine = &self.read.machine;
        let parameters =
            if self.parameters.is_empty() { String::new() } else { format!("{}: ", in_words(&self.parameters)) };
        let registers = count(machine.registers.len() as u64, "register");
        format!("{parameters}{}, {registers}", size(machine))
    }

    /// What is known of a run, in sentences.
    fn verdict(&self, run: &Run<'_>, violated: Option<Causality>, budget: &mut Budget) -> Vec<String> {
        let mut said = vec![match violated {
            None if run.transitions().is_empty() => "Nothing has happened yet. Take a step.".to_owned(),
            None => "So far the run satisfies WRA, RA and SRA.".to_owned(),
            Some(causality) => format!(
                "The run violates {}: its last read closes a cycle.",
                match causality {
                    Causality::Weak => "WRA, and so RA and SRA",
                    Causality::ReleaseAcquire => "RA, and so SRA, but not WRA",
                    Causality::Strong => "SRA, but neither RA nor WRA",
                }
            ),
        }];
        if !run.transitions().is_empty() {
            let models = allowed(run, budget).trim().to_owned();
            said.extend((!models.is_empty()).then_some(models));
        }
        if !self.read.automata.is_empty() {
            let word = word_of(&self.read.machine, run.transitions());
            let word = if word.is_empty() { "no symbol yet".to_owned() } else { format!("the word {word}") };
            said.push(format!("It has read {word}."));
        }
        said
    }

    /// The automata, each with its token: the state whose register holds the first write of the next thread.
    fn automata(&self, run: &Run<'_>, room: Room) -> Vec<AutomatonView> {
        let (automata, machine) = (&self.read.automata, &self.read.machine);
        let view = |(at, automaton): (usize, &Automaton)| {
            let next = (at + 1) % automata.len();
            let first = run.graph().thread(crate::graph::ThreadId(next as u16)).first().copied();
            let prefix = format!("r{at}_");
            let registers = machine.registers.iter().zip(run.held());
            let holds = registers
                .filter(|(register, held)| register.name.starts_with(&prefix) && held.is_some() && **held == first);
            let tokens: Vec<usize> =
                holds.map(|(register, _)| register.name[prefix.len()..].parse().unwrap_or(automaton.states)).collect();
            let place = |token: &usize| {
                if *token == automaton.states {
                    "at the end: a word was accepted".to_owned()
                } else {
                    format!("in state {token}")
                }
            };
            let token = match &tokens[..] {
                [] if first.is_none() => "Its token is not there yet.".to_owned(),
                [] => "Its token is lost: a step was taken from a state that the token was not in.".to_owned(),
                tokens => format!("Its token is {}.", crate::words::list(tokens.iter().map(place))),
            };
            let reads = &machine.threads[at];
            let title = format!("Automaton {}. {reads} reads from its end.", at + 1);
            AutomatonView { title, drawing: draw_automaton(automaton, &tokens, room), token }
        };
        automata.iter().enumerate().map(view).collect()
    }

    /// A step of the saturation; with the state and the transition of its tuple and what is said of it, unless it is the end.
    #[expect(clippy::type_complexity, reason = "a view and where it points to")]
    fn saturation(
        &self,
        initial: Initial,
        step: u32,
        holds_nothing: bool,
    ) -> Option<(SaturationView, Option<(State, TransitionIndex, String)>)> {
        let machine = &self.read.machine;
        let saturation = self.saturations[usize::from(holds_nothing)].as_deref()?;
        let Some(saturation) = saturation else {
            let sentence = format!("The saturation was given up at {} tuples.", grouped(MAX_TUPLES));
            let (tuples, chain) = (Vec::new(), Vec::new());
            let view = SaturationView { step: 0, all_steps: 0, tuples, left_out: None, chain, run: None, sentence };
            return Some((view, None));
        };
        let all = saturation.tuples.len() + 1;
        let step = (step as usize).clamp(1, all);
        let row = |number: usize| {
            let tuple = &saturation.tuples[number - 1];
            TupleRow {
                number: number as u32,
                text: tuple_text(machine, tuple),
                by: step_text(machine, tuple.by),
                is_exposed: tuple.is_exposed,
            }
        };
        let first = step.saturating_sub(LISTED / 2).min((all - 1).saturating_sub(LISTED));
        let listed = first + 1..=(first + LISTED).min(all - 1);
        let left_out = all - 1 - listed.clone().count();
        let tuple = saturation.tuples.get(step - 1).map(|tuple| {
            let said = format!("{} {}", rule(machine, &saturation.tuples, tuple), tuple_sentence(machine, tuple));
            (tuple.state, tuple.by, said)
        });
        let sentence = if tuple.is_none() { end(machine, saturation, initial) } else { String::new() };
        let view = SaturationView {
            step: step as u32,
            all_steps: all as u32,
            tuples: listed.map(row).collect(),
            left_out: (left_out > 0).then(|| format!("and {} more, before or after these", grouped(left_out as u64))),
            chain: chain(saturation, Some(step - 1).filter(|at| *at + 1 < all)).into_iter().map(row).collect(),
            run: saturation.violation.as_ref().map(|violation| text_of(machine, &violation.transitions)),
            sentence,
        };
        Some((view, tuple))
    }
}

/// All parameters that a text declares, with their values; what is set of others is left out.
pub(crate) fn set_to(declared: &[(String, i64)], set: &[(String, i64)]) -> Vec<(String, i64)> {
    let value =
        |name: &str, otherwise: i64| set.iter().find(|(other, _)| other == name).map_or(otherwise, |(_, value)| *value);
    declared.iter().map(|(name, otherwise)| (name.clone(), value(name, *otherwise))).collect()
}

/// Makes a machine of a text. What is said of automata as printed does not hold for other texts.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read_declared(
    text: &str,
    settings: &[(String, i64)],
    as_printed: bool,
) -> Result<ReadProtocol, Vec<Diagnostic>> {
    let read = |initialization| {
        let reading = Reading { settings, initialization, work: WORK };
        read_protocol(text, &reading, &mut Budget::unlimited())
    };
    let initialization = if as_printed { Initialization::AsPrinted } else { Initialization::Corrected };
    let read = match read(initialization) {
        Err(NotRead::Wrong(_)) if as_printed => read(Initialization::Corrected),
        read => read,
    };
    read.map_err(|wrong| match wrong {
        NotRead::Wrong(wrong) => wrong,
        NotRead::Paused => unreachable!("an unlimited budget never pauses"),
    })
}

/// A text for automata, of regular expressions with `&` or line ends between them: `a+ & aa`.
///
/// # Errors
/// What is wrong with them, in words.
pub fn automata_text(expressions: &str) -> Result<String, String> {
    let all = expressions.split(['&', '\n']).map(str::trim).filter(|expression| !expression.is_empty());
    let text = all.fold("automata\n".to_owned(), |text, expression| text + "expression " + expression + "\n");
    let mut budget = Budget::unlimited().capped(WORK_OF_A_RUN);
    match read_protocol(&text, &Reading { work: WORK, ..Reading::default() }, &mut budget) {
        Ok(_) => Ok(text),
        Err(NotRead::Wrong(wrong)) => Err(wrong.first().map_or_else(String::new, |wrong| sentence(&wrong.message))),
        Err(NotRead::Paused) => Err("Their automata are too large.".to_owned()),
    }
}

/// Words as a sentence: with a capital letter and a full stop.
fn sentence(text: &str) -> String {
    capitalised(text) + "."
}

fn event_of(run: &Run<'_>, program: &Program, event: EventId) -> String {
    let about = run.graph().event(event);
    if about.is_init() {
        return event_text(program, about);
    }
    format!("{} {}", event_name(program, about.key), event_text(program, about))
}

/// The steps of a run; `roles` are what events are on the cycle.
fn steps(run: &Run<'_>, program: &Program, roles: &[(EventId, String)]) -> Vec<RunStep> {
    let (machine, graph) = (run.machine(), run.graph());
    let step = |(place, (index, event)): (usize, (&TransitionIndex, &Option<EventId>))| {
        let write =
            event.and_then(|event| if graph.event(event).is_write() { Some(event) } else { graph.source(event) });
        let mut origin: Vec<u32> = run.origin(place).into_iter().map(|step| step as u32 + 1).collect();
        origin.reverse();
        let own = |role: &(EventId, String)| (Some(role.0) == *event).then(|| role.1.clone());
        RunStep {
            text: step_text(machine, *index),
            event: event.map(|event| event_of(run, program, event)),
            colour: write.and_then(|write| colour(run, write)),
            origin,
            roles: roles.iter().filter_map(own).collect(),
        }
    };
    run.transitions().iter().zip(run.events()).enumerate().map(step).collect()
}

fn next_steps(machine: &Machine, state: State) -> (Vec<NextStep>, Option<String>) {
    let all = machine.from(state).count();
    let step = |(number, (index, transition)): (u32, (TransitionIndex, &crate::Transition))| NextStep {
        number,
        short: short(machine, transition.to),
        text: machine.operation_text(transition.operation),
        step: step_text(machine, index),
        to: machine.states[transition.to.index()].clone(),
        key: state_key(transition.to),
        stays: transition.to == state,
    };
    let more = all.saturating_sub(OFFERED);
    let more = (more > 0).then(|| format!("and {} more", grouped(more as u64)));
    ((1..).zip(machine.from(state)).take(OFFERED).map(step).collect(), more)
}

fn registers(run: &Run<'_>, program: &Program) -> Vec<RegisterBox> {
    let machine = run.machine();
    let last = run.transitions().last().map(|index| machine.transition(*index).operation);
    let written = match last {
        Some(Operation::Write { register, .. } | Operation::Copy { to: register, .. }) => Some(register.index()),
        _ => None,
    };
    let register = |(at, (register, held)): (usize, (&crate::Register, &Option<EventId>))| RegisterBox {
        name: register.name.clone(),
        content: held.map(|event| event_of(run, program, event)),
        colour: held.and_then(|event| colour(run, event)),
        is_new: written == Some(at),
    };
    machine.registers.iter().zip(run.held()).enumerate().map(register).collect()
}

/// What the last step of a run did.
fn caption(run: &Run<'_>) -> String {
    let (machine, program) = (run.machine(), run.machine().program());
    let place = run.transitions().len();
    let Some(index) = run.transitions().last() else {
        return "Before the first step.".to_owned();
    };
    let thread = |thread: crate::Thread| &machine.threads[thread.index()];
    let variable = |variable: crate::Variable| &machine.variables[variable.index()];
    let register = |register: crate::RegisterIndex| &machine.registers[register.index()].name;
    let transition = machine.transition(*index);
    let said = match transition.operation {
        Operation::Write { thread: t, variable: x, register: a } => {
            format!("{} writes {}. Register {} holds the write.", thread(t), variable(x), register(a))
        }
        Operation::Read { thread: t, variable: x, register: a } => {
            let source = run.events().last().copied().flatten().and_then(|event| run.graph().source(event));
            let held = source.map_or_else(|| "nothing".to_owned(), |source| event_of(run, &program, source));
            let mut way: Vec<String> = run.origin(place - 1).into_iter().map(|step| (step + 1).to_string()).collect();
            way.reverse();
            let way = if way.is_empty() { String::new() } else { format!(", which came by step {}", way.join(", ")) };
            format!("{} reads {} from register {}: it gets {held}{way}.", thread(t), variable(x), register(a))
        }
        Operation::Copy { to, from } => format!("Register {} takes what {} holds.", register(to), register(from)),
        Operation::Fence { thread: t } => format!("A fence of {} takes effect.", thread(t)),
        Operation::Step => "A step that no thread sees.".to_owned(),
    };
    let to = short(machine, transition.to);
    let stop = if to.ends_with('…') { "" } else { "." };
    if transition.from == transition.to { said } else { format!("{said} The state is now {to}{stop}") }
}
