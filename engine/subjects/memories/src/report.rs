//! What is known of all runs of a memory implementation, as text and JSON.

use crate::budget::{Budget, Decision, Paused};
use crate::graph::EventId;
use crate::model::{Inquiry, Model};
use crate::words::Detail;
use crate::words::{by_number, count, grouped, list};
use crate::{
    Automaton, CausalCheck, Causality, CycleEdge, Decided, Initial, Initialization, Link, Machine, Run, Shape, State,
    Symmetry, TransitionIndex, word_of,
};
use litmoscope_draw::{event_name, event_text};
use serde::Serialize;
use std::fmt::Write as _;

/// What is said of a memory implementation.
#[derive(Clone, Copy, Debug)]
pub struct MemoryReport<'a> {
    /// What to call it.
    pub name: &'a str,
    /// The machine.
    pub machine: &'a Machine,
    /// What its registers hold at first.
    pub initial: Initial,
    /// What is known of each model that was asked about; `None` if it was stopped.
    pub answers: &'a [(Causality, Option<Decided>)],
    /// The automata that the machine was made of, if it was, and how it begins.
    pub automata: (&'a [Automaton], Initialization),
    /// What was exchanged, if that was asked for.
    pub symmetry: Option<&'a Symmetry>,
}

/// The title of a model: `WRA`.
pub(super) fn title(causality: Causality) -> String {
    causality.name().to_uppercase()
}

impl MemoryReport<'_> {
    /// In a word: `holds`, `violated`, or `unknown` where something is not known of all runs.
    pub fn verdict(&self) -> &'static str {
        let is =
            |wanted: fn(&Decided) -> bool| self.answers.iter().any(|(_, decided)| decided.as_ref().is_some_and(wanted));
        if is(|decided| matches!(decided, Decided::Violated { .. })) {
            "violated"
        } else if self.answers.iter().all(|(_, decided)| matches!(decided, Some(Decided::Holds { .. }))) {
            "holds"
        } else {
            "unknown"
        }
    }

    /// All that is said. What is shown of a run is left out where the budget says so, and that is said.
    pub fn text(&self, detail: Detail, budget: &mut Budget) -> String {
        let machine = self.machine;
        let mut out = format!(
            "{}: {}, {}\n",
            self.name,
            count(machine.states.len() as u64, "state"),
            count(machine.transitions().len() as u64, "transition")
        );
        if self.automata.1 == Initialization::AsPrinted {
            out += "As printed: the first registers are those of the next automaton, so each thread can read at once what only an \
                    accepted word should bring. This machine violates RA whatever the automata are.\n";
        }
        if let Some(symmetry) = self.symmetry {
            let _ = writeln!(out, "Symmetry: {}.", self.exchanged(symmetry));
        }
        let mut shown: Option<&[TransitionIndex]> = None;
        for (causality, decided) in self.answers {
            let _ = writeln!(out, "{}: {}", title(*causality), self.sentence(decided.as_ref()));
            if let (true, Some(Decided::Holds { .. })) = (self.tells_words(*causality), decided) {
                out += "  So no word is accepted by all automata.\n";
            }
            let Some(Decided::Violated { run, shape, .. }) = decided else { continue };
            // What is no news is not told twice.
            if shown == Some(run) {
                let _ = writeln!(out, "  by the same run");
                continue;
            }
            shown = Some(run);
            if !self.automata.0.is_empty() {
                let _ = writeln!(out, "  {}", self.word(run).1);
            }
            out += &self.run(run, *causality, shape.as_ref(), detail, budget);
        }
        out
    }

    /// What was exchanged: "explored up to exchanging T1 and T2".
    fn exchanged(&self, symmetry: &Symmetry) -> String {
        let (threads, variables) = symmetry.classes();
        let threads = threads.iter().map(|class| list(class.iter().map(|at| self.machine.threads[at.index()].clone())));
        let variables =
            variables.iter().map(|class| list(class.iter().map(|at| self.machine.variables[at.index()].clone())));
        let classes: Vec<String> = threads.chain(variables).collect();
        match (classes.len(), symmetry.group().len()) {
            (0, 1) => "nothing was found that can be exchanged".to_owned(),
            (0, _) => "explored up to exchanging registers".to_owned(),
            _ => format!("explored up to exchanging {}", classes.join("; ")),
        }
    }

    /// Whether an answer on a machine of automata says whether some word is accepted by all.
    fn tells_words(&self, causality: Causality) -> bool {
        let (automata, initialization) = self.automata;
        !automata.is_empty() && initialization == Initialization::Corrected && causality != Causality::Weak
    }

    /// The word that a run of a machine of automata reads, and a sentence on it.
    pub(super) fn word(&self, run: &[TransitionIndex]) -> (String, String) {
        let word = word_of(self.machine, run);
        let quoted = if word.is_empty() { "the empty word".to_owned() } else { format!("the word {word}") };
        let which = match self.automata.0.iter().position(|automaton| !automaton.accepts(&word)) {
            None => "which all automata accept".to_owned(),
            Some(at) => format!("which automaton {} does not accept", at + 1),
        };
        let sentence = format!("It reads {quoted}, {which}.");
        (word, sentence)
    }

    pub(super) fn sentence(&self, decided: Option<&Decided>) -> String {
        match decided {
            None => "unknown: it was stopped before there was an answer".to_owned(),
            Some(Decided::Holds { size, by_saturation: true, .. }) => {
                format!("holds for all runs, by {} of the saturation", count(*size, "tuple"))
            }
            Some(Decided::Holds { size, represented, .. }) => {
                let by = format!("holds for all runs, by {} of the search", count(*size, "configuration"));
                if represented == size { by } else { format!("{by}, which stand for {}", grouped(*represented)) }
            }
            Some(Decided::Violated { run, is_shortest, .. }) => {
                let which = if *is_shortest { "the shortest such run has" } else { "some run violates it, with" };
                format!("violated: {which} {}", count(run.len() as u64, "step"))
            }
            Some(Decided::Bounded { steps }) => {
                format!(
                    "bounded: no run of {} violates it; longer ones were not looked at",
                    count(u64::from(*steps), "step")
                )
            }
            Some(Decided::Unknown { shapes: 0 }) => "unknown: the search was given up at its limit".to_owned(),
            Some(Decided::Unknown { shapes }) => format!(
                "unknown: the search was given up at its limit; no run has a cycle of {}",
                by_number(*shapes, "one shape".to_owned(), format!("{} shapes", grouped(*shapes)))
            ),
        }
    }

    /// A run that violates a model, its cycle, and with more detail its shape and which models allow it.
    fn run(
        &self,
        transitions: &[TransitionIndex],
        causality: Causality,
        shape: Option<&Shape>,
        detail: Detail,
        budget: &mut Budget,
    ) -> String {
        let Some(run) = Run::of(self.machine, self.initial, transitions) else { return String::new() };
        let mut out = steps(&run, detail == Detail::Full);
        match CausalCheck::new(run.graph()).cycle_within(causality, budget) {
            Ok(cycle) => {
                out += "  The cycle:\n";
                for edge in cycle.unwrap_or_default() {
                    let _ = writeln!(out, "    {}", edge_text(&run, edge));
                }
            }
            Err(Paused) => out += "  Its cycle was not looked for: it was stopped before.\n",
        }
        if detail == Detail::Full {
            if let Some(shape) = shape {
                let _ = writeln!(out, "  Its shape: {}.", self.shape(shape));
            }
            out += &allowed(&run, budget);
        }
        out
    }

    pub(super) fn shape(&self, shape: &Shape) -> String {
        let variable = |at: usize| &self.machine.variables[shape.pairs[at].0.index()];
        if shape.is_initial {
            return format!("the initial write of {} is read by a thread that knows another write", variable(0));
        }
        let pair = |(at, (_, link)): (usize, &(_, Link))| {
            let how = match link {
                Link::HappensBefore => "which happens before the next one",
                Link::Same => "which is the next one",
            };
            format!("a write to {} forced before another one, {how}", variable(at))
        };
        list(shape.pairs.iter().enumerate().map(pair))
    }
}

/// The steps of a run; with the way of each value where that is asked for.
fn steps(run: &Run<'_>, with_origins: bool) -> String {
    let (machine, program) = (run.machine(), run.machine().program());
    let mut out = String::new();
    for (place, (index, event)) in run.transitions().iter().zip(run.events()).enumerate() {
        let transition = machine.transition(*index);
        let _ = write!(out, "  {:>3}. {}", place + 1, machine.operation_text(transition.operation));
        if let Some(event) = event {
            let about = run.graph().event(*event);
            let _ = write!(out, "   {} {}", event_name(&program, about.key), event_text(&program, about));
        }
        if with_origins {
            let way: Vec<String> = run.origin(place).into_iter().map(|step| (step + 1).to_string()).collect();
            if !way.is_empty() {
                let _ = write!(out, ", from step {}", way.join(", by way of step "));
            }
        }
        out.push('\n');
    }
    out
}

pub(super) fn edge_text(run: &Run<'_>, edge: CycleEdge) -> String {
    let program = run.machine().program();
    let name = |event: EventId| {
        let about = run.graph().event(event);
        format!("{} {}", event_name(&program, about.key), event_text(&program, about))
    };
    let (from, to) = edge.ends();
    match edge {
        CycleEdge::Po(..) if run.graph().event(from).is_init() => {
            format!("{} is initial, and so before {}", name(from), name(to))
        }
        CycleEdge::Po(..) => format!("{} is before {} in po", name(from), name(to)),
        CycleEdge::Rf(..) => format!("{} is read by {}", name(from), name(to)),
        CycleEdge::Pco(pco) => format!(
            "{} has to be before {} (pco): {} reads the latter and knows the former",
            name(from),
            name(to),
            name(pco.read)
        ),
    }
}

/// How much work whether a model allows a run may take: some tenths of a second.
const OF_A_MODEL: u64 = 1 << 26;

/// Which memory models allow a run.
pub(super) fn allowed(run: &Run<'_>, budget: &mut Budget) -> String {
    // Models say nothing of a read that finds nothing.
    let graph = run.graph();
    if graph.events().any(|(e, event)| event.is_read() && graph.source(e).is_none()) {
        return String::new();
    }
    let mut titles = [const { Vec::new() }; 3];
    for model in Model::ALL {
        let decision = model.decide(graph, None, OF_A_MODEL, &mut Inquiry::default(), budget);
        let which = match decision {
            Ok(Decision::Yes) => 0,
            Ok(Decision::No) => 1,
            Ok(Decision::Undecided) | Err(Paused) => 2,
        };
        titles[which].push(model.title().to_owned());
    }
    let [yes, no, unknown] = titles.map(|titles| if titles.is_empty() { "none".to_owned() } else { list(titles) });
    let unknown = if unknown == "none" { String::new() } else { format!(" Unknown of: {unknown}.") };
    format!("  Allowed by: {yes}. Not by: {no}.{unknown}\n")
}

/// A run in words, its steps, and which models allow what it leaves behind; and the weakest of WRA, RA and SRA that it violates.
///
/// # Errors
/// [`Paused`] where the budget says so before that is known.
pub fn run_text(run: &Run<'_>, detail: Detail, budget: &mut Budget) -> Result<(String, Option<Causality>), Paused> {
    let mut out = steps(run, true);
    let check = CausalCheck::new(run.graph());
    let mut violated = None;
    for causality in Causality::ALL {
        if let Some(cycle) = check.cycle_within(causality, budget)? {
            violated = Some((causality, cycle));
            break;
        }
    }
    match &violated {
        None => out += "It satisfies WRA, RA and SRA.\n",
        Some((causality, cycle)) => {
            let _ = writeln!(out, "It violates {}. The cycle:", title(*causality));
            for edge in cycle {
                let _ = writeln!(out, "  {}", edge_text(run, *edge));
            }
        }
    }
    if detail == Detail::Full && !check.pco.is_empty() {
        out += "Its reads force:\n";
        for pco in &check.pco {
            let _ = writeln!(out, "  {}", edge_text(run, CycleEdge::Pco(*pco)));
        }
    }
    Ok((out + &allowed(run, budget), violated.map(|(causality, _)| causality)))
}

/// A transition as a step of a run in text: `W T1 x a`, and where it leads, `W T1 x a -> q1`, if another one from there does the same.
pub fn step_text(machine: &Machine, index: TransitionIndex) -> String {
    let transition = machine.transition(index);
    let text = machine.operation_text(transition.operation);
    let same = machine.from(transition.from).filter(|(_, other)| other.operation == transition.operation);
    if same.count() > 1 { format!("{text} -> {}", machine.states[transition.to.index()]) } else { text }
}

/// Reads a run: `W T1 x a; b := a; R T2 x b`, each a transition from where the one before leads. `-> q1` behind it says where it leads;
/// without, the first transition that does that is taken.
///
/// # Errors
/// Which step can't be taken, and what can.
pub fn parse_run<'m>(machine: &'m Machine, initial: Initial, text: &str) -> Result<Run<'m>, String> {
    let (run, wrong) = run_of(machine, initial, text);
    wrong.map_or(Ok(run), Err)
}

/// The same, up to the step that can't be taken, with what is wrong with that.
pub(super) fn run_of<'m>(machine: &'m Machine, initial: Initial, text: &str) -> (Run<'m>, Option<String>) {
    let mut run = Run::new(machine, initial);
    let wanted = text.split([';', '\n']).map(|step| step.split_whitespace().collect::<Vec<_>>().join(" "));
    for (place, wanted) in wanted.filter(|step| !step.is_empty()).enumerate() {
        let (operation, to) = wanted.split_once(" -> ").map_or((&wanted[..], None), |(does, to)| (does, Some(to)));
        let found = machine.from(run.state()).find(|(_, about)| {
            let leads = to.is_none_or(|to| machine.states[about.to.index()] == to);
            leads && machine.operation_text(about.operation) == operation
        });
        let Some((index, _)) = found else {
            const MOST: usize = 12;
            let mut known: Vec<String> =
                machine.from(run.state()).map(|(index, _)| step_text(machine, index)).collect();
            let rest = known.len().saturating_sub(MOST);
            known.truncate(MOST);
            if rest > 0 {
                known.push(format!("{} more", grouped(rest as u64)));
            }
            let known = if known.is_empty() { "nothing".to_owned() } else { list(known) };
            let state = &machine.states[run.state().index()];
            let wrong =
                format!("step {}, `{wanted}`, can't be taken in state `{state}`: what can is {known}", place + 1);
            return (run, Some(wrong));
        };
        run.take(index);
    }
    (run, None)
}

/// The machine as a drawing for Graphviz: states as nodes, transitions as arrows; those between the same two states are one arrow.
pub fn machine_dot(machine: &Machine) -> String {
    let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut out =
        format!("digraph \"{}\" {{\n  rankdir=LR;\n  node [shape=box, style=rounded];\n", escape(&machine.name));
    for (at, name) in machine.states.iter().enumerate() {
        let first = if at == 0 { ", penwidth=2" } else { "" };
        let _ = writeln!(out, "  s{at} [label=\"{}\"{first}];", escape(name));
        let mut arrows: Vec<(State, Vec<String>)> = Vec::new();
        for (_, transition) in machine.from(State(at as u32)) {
            let text = machine.operation_text(transition.operation);
            match arrows.iter_mut().find(|(to, _)| *to == transition.to) {
                Some((_, texts)) => texts.push(text),
                None => arrows.push((transition.to, vec![text])),
            }
        }
        for (to, texts) in arrows {
            let _ =
                writeln!(out, "  s{at} -> s{} [label=\"{}\"];", to.0, escape(&texts.join("\n")).replace('\n', "\\n"));
        }
    }
    out + "}\n"
}

/// What is known of a memory implementation as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct MemoryJson {
    name: String,
    states: usize,
    transitions: usize,
    threads: usize,
    variables: usize,
    registers: usize,
    /// `holds`, `violated` or `unknown`.
    verdict: &'static str,
    /// Whether it is a machine of automata whose initialization is as printed: it always violates RA.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    as_printed: bool,
    models: Vec<AnswerJson>,
}

#[derive(Clone, Debug, Serialize)]
struct AnswerJson {
    model: &'static str,
    /// `holds`, `violated`, `bounded` or `unknown`.
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tuples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    configurations: Option<u64>,
    /// For how many configurations these stand, if more, as things were exchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    represented: Option<u64>,
    /// Of what is bounded: no run of so many steps violates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u32>,
    /// Of what is unknown: so many shapes of cycles were ruled out for all runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    shapes: Option<u64>,
    /// A run that violates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_shortest: Option<bool>,
    /// The cycle, edge by edge, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycle: Vec<String>,
    /// The word that the run reads, if the machine is one of automata.
    #[serde(skip_serializing_if = "Option::is_none")]
    word: Option<String>,
}

impl MemoryJson {
    /// Of what is known. Cycles are left out where the budget says so.
    pub fn new(report: &MemoryReport<'_>, budget: &mut Budget) -> Self {
        let machine = report.machine;
        let mut answer = |(causality, decided): &(Causality, Option<Decided>)| {
            let mut json = AnswerJson {
                model: causality.name(),
                verdict: "unknown",
                tuples: None,
                configurations: None,
                represented: None,
                steps: None,
                shapes: None,
                run: None,
                is_shortest: None,
                cycle: Vec::new(),
                word: None,
            };
            match decided {
                None => {}
                Some(Decided::Holds { size, by_saturation, represented }) => {
                    json.verdict = "holds";
                    json.represented = (represented != size).then_some(*represented);
                    json.tuples = by_saturation.then_some(*size);
                    json.configurations = (!by_saturation).then_some(*size);
                }
                Some(Decided::Violated { run, is_shortest, .. }) => {
                    json.verdict = "violated";
                    json.run = Some(run.iter().map(|index| step_text(machine, *index)).collect());
                    json.is_shortest = Some(*is_shortest);
                    json.word = (!report.automata.0.is_empty()).then(|| report.word(run).0);
                    if let Some(run) = Run::of(machine, report.initial, run) {
                        let cycle = CausalCheck::new(run.graph()).cycle_within(*causality, budget);
                        let cycle = cycle.ok().flatten().unwrap_or_default();
                        json.cycle = cycle.into_iter().map(|edge| edge_text(&run, edge)).collect();
                    }
                }
                Some(Decided::Bounded { steps }) => {
                    json.verdict = "bounded";
                    json.steps = Some(*steps);
                }
                Some(Decided::Unknown { shapes }) => json.shapes = Some(*shapes),
            }
            json
        };
        Self {
            name: report.name.to_owned(),
            states: machine.states.len(),
            transitions: machine.transitions().len(),
            threads: machine.threads.len(),
            variables: machine.variables.len(),
            registers: machine.registers.len(),
            verdict: report.verdict(),
            as_printed: report.automata.1 == Initialization::AsPrinted,
            models: report.answers.iter().map(&mut answer).collect(),
        }
    }
}
