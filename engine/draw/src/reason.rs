//! Why edges are there and what cycles break, in words.

use super::{event_name, event_text, location_name};
use crate::graph::{Edge, EventId, Execution, RelationName};
use crate::model::{Leg, Model, Reason, Rule, Violation};
use crate::program::Program;
use crate::words;

/// A graph with what is needed to speak of it.
#[derive(Clone, Copy, Debug)]
pub struct Speaker<'a> {
    /// The program, for names.
    pub program: &'a Program,
    /// The graph.
    pub graph: &'a Execution,
    /// The model that it is looked at under.
    pub model: Model,
}

impl Speaker<'_> {
    /// An event by name and label: `P1.1 R(x,0)`, `init x`.
    pub fn event(&self, e: EventId) -> String {
        let event = self.graph.event(e);
        let name = event_name(self.program, event.key);
        if event.is_init() { name } else { format!("{name} {}", event_text(self.program, event)) }
    }

    /// A way in a line: `P0.1 W(x,1) —po→ P0.2 W(y,1) ←rf— ...`, with the edges that are walked backwards turned.
    pub fn way(&self, legs: &[Leg]) -> String {
        let mut line = legs.first().map_or_else(String::new, |leg| self.event(leg.from()));
        for leg in legs {
            line += &format!(" {} {}", self.arrow(leg), self.event(leg.to()));
        }
        line
    }

    /// A step of a way: `—rf→`, or `←rf—` where it is walked backwards. Initial writes come before everything, but in no program.
    pub fn arrow(&self, leg: &Leg) -> String {
        let Edge { from, relation, .. } = leg.edge;
        let is_initial = relation == RelationName::Po && self.graph.event(from).is_init();
        let name = if is_initial { "init" } else { relation.name() };
        if leg.backwards { format!("←{name}—") } else { format!("—{name}→") }
    }

    fn place(&self, e: EventId) -> String {
        let location = self.graph.event(e).location();
        location.map_or_else(String::new, |location| location_name(self.program, location))
    }

    /// Why an edge is there, in a sentence or two. `chosen_co` says whether co was chosen by an algorithm; else it is one
    /// order that fits.
    pub fn reason(&self, reason: &Reason, chosen_co: bool) -> String {
        let Edge { from, to, relation } = reason.edge;
        let (a, b) = (self.event(from), self.event(to));
        let forced = if relation == RelationName::Co { "The graph forces this. " } else { "" };
        match reason.rule {
            Rule::ProgramOrder => {
                let thread = self.program.thread_name(self.graph.event(from).thread().index());
                format!("{a} comes before {b} in the program of {thread}.")
            }
            Rule::ReadsFrom if self.graph.event(to).operation().is_some() => {
                format!("{b} takes {} over from {a}.", self.place(to))
            }
            Rule::ReadsFrom => format!("{b} reads the value that {a} writes."),
            Rule::PostedBy => format!("{b} takes the message that {a} posts."),
            Rule::Queue => {
                format!(
                    "The handler takes the message of {a} before the message of {b}. Its queue delivers messages in \
                     the order in which they were posted."
                )
            }
            Rule::Waits => format!(
                "The handler takes the message of {a} while the message of {b} still waits. Its queue delivers \
                 messages in the order in which they were posted."
            ),
            Rule::InitialMessage => {
                format!(
                    "{a} posts an initial message. Initial messages are in their mailboxes before anything else \
                         happens."
                )
            }
            Rule::Initial => {
                format!("{a} is the initial write of {}, which comes before everything else.", self.place(from))
            }
            Rule::Given if relation == RelationName::ScFence => {
                format!(
                    "The model needs one order of the SC fences. In the order that the search found, {a} comes \
                         before {b}."
                )
            }
            Rule::Given if chosen_co => format!("The algorithm chose to place {a} before {b} in co."),
            Rule::Given => format!(
                "The graph does not force this. The drawing shows one of the coherence orders (co) that fit, and in \
                 it {a} comes before {b}."
            ),
            Rule::Assumed if relation == RelationName::ScFence => {
                format!(
                    "The graph does not force this. The search tried an order of the SC fences with {a} before \
                         {b}."
                )
            }
            Rule::Assumed => {
                format!("The graph does not force this. The cycle is for a coherence order (co) with {a} before {b}.")
            }
            Rule::LocationOrder => format!(
                "{forced}The model needs one order of the events on {}, and each of these edges goes forward in it.",
                self.place(from)
            ),
            Rule::GlobalOrder => format!(
                "{forced}The model needs one order for all locations together, and each of these edges goes forward \
                 in it."
            ),
            Rule::BeforeRead => {
                let read = reason.legs.last().map_or_else(String::new, |leg| self.event(leg.edge.to));
                format!(
                    "{forced}{a} comes before {read}, and {read} reads from {b}. If {a} came after {b} in co, {a} \
                     would overwrite what {read} reads, so {read} would have to come before {a}."
                )
            }
            Rule::FromRead => {
                let source = reason.legs.first().map_or_else(String::new, |leg| self.event(leg.edge.from));
                format!("{a} reads from {source}, and {b} comes after {source} in co: {b} overwrites what {a} reads.")
            }
            Rule::Synchronises { write, read } => self.synchronisation(reason, write, read),
            Rule::Preserved(why) => format!("The store buffer keeps these two events in program order: {why}."),
            Rule::Closure if relation == RelationName::Eco => {
                "eco is the transitive closure of rf, co and fr. It says which access of a location comes before \
                 which."
                    .to_owned()
            }
            Rule::Closure if self.model.rules().synchronises() => {
                "hb is the transitive closure of po and sw. Knowledge passes from one thread to another only through \
                 sw."
                .to_owned()
            }
            Rule::Closure => {
                let has_fences = reason.legs.iter().any(|leg| leg.edge.relation == RelationName::ScFence);
                let parts = if has_fences { "po, rf and the order of SC fences (scf)" } else { "po and rf" };
                format!(
                    "hb is the transitive closure of {parts}. A thread that reads a write knows everything that happens \
                     before the write."
                )
            }
            Rule::Scb { from: c, to: d } => format!(
                "SC events must follow scb, and here {} scb {}.{} scb is the union of po, co, fr, hb on one location and \
                 po≠ ; hb ; po≠, where po≠ is po between different locations.",
                self.event(c),
                self.event(d),
                self.around(reason.edge, c, d)
            ),
            Rule::Shb if reason.legs.len() == 1 => {
                format!("{a} and {b} are SC events of one thread, and their order follows po.")
            }
            Rule::Shb => format!(
                "{a} strongly happens before {b}: the way begins and ends with po, and hb leads from one to the other. SC \
                 events must follow this order."
            ),
            Rule::ScEco { from: c, to: d } => format!(
                "SC events must follow eco, the order of the accesses of a location, and here {} eco {}.{} eco is the \
                 transitive closure of rf, co and fr.",
                self.event(c),
                self.event(d),
                self.around(reason.edge, c, d)
            ),
            Rule::FencesEco { from: c, to: d } if c == d => {
                format!("{a} and {b} are SC fences, and {a} happens before {b}.")
            }
            Rule::FencesEco { from: c, to: d } => format!(
                "{a} and {b} are SC fences. {a} happens before {0}, eco puts {0} before {1}, and {1} happens before \
                 {b}.",
                self.event(c),
                self.event(d)
            ),
        }
    }

    /// How an edge of psc leads to the events that its middle part orders, where they are not its ends.
    fn around(&self, edge: Edge, c: EventId, d: EventId) -> String {
        let mut text = String::new();
        if edge.from != c {
            text += &format!(" The SC fence {} happens before {}.", self.event(edge.from), self.event(c));
        }
        if edge.to != d {
            text += &format!(" {} happens before the SC fence {}.", self.event(d), self.event(edge.to));
        }
        text
    }

    fn synchronisation(&self, reason: &Reason, write: EventId, read: EventId) -> String {
        let Edge { from, to, .. } = reason.edge;
        let release = if from == write {
            format!("{} is a release write", self.event(from))
        } else if self.graph.event(from).is_fence() {
            format!("{} is a release fence before the write {}", self.event(from), self.event(write))
        } else {
            format!(
                "{} is a release write, and its release sequence contains {}, a later write of the same thread",
                self.event(from),
                self.event(write)
            )
        };
        let passed = reason.legs.iter().filter(|leg| leg.edge.relation == RelationName::Rf).count().saturating_sub(1);
        let chain = match passed {
            0 => String::new(),
            1 => " through a read-modify-write".to_owned(),
            n => format!(" through a chain of {n} read-modify-writes"),
        };
        let acquire = if to == read {
            format!("The acquire read {}", self.event(to))
        } else {
            format!("{}, which comes before the acquire fence {},", self.event(read), self.event(to))
        };
        format!("{release}. {acquire} reads from this write{chain}.")
    }

    /// How a cycle breaks its axiom, in a sentence.
    pub fn breach(&self, violation: &Violation) -> String {
        let Some(first) = violation.cycle.first().copied() else { return String::new() };
        let itself = format!("along this cycle, {} would come before itself", self.event(first.from));
        let communication = || {
            violation.cycle.iter().copied().filter(|edge| matches!(edge.relation, RelationName::Co | RelationName::Fr))
        };
        // One fr or co edge alone, against what happens before.
        let alone = || communication().next().filter(|_| communication().count() == 1);
        let overwritten = |fr: Edge| {
            let source = self.graph.source(fr.from).map_or_else(|| "another write".to_owned(), |s| self.event(s));
            format!(
                "{1} comes before {0}, but {0} reads from {source}, which {1} has overwritten.",
                self.event(fr.from),
                self.event(fr.to)
            )
        };
        match (violation.axiom.as_str(), self.model) {
            ("no-thin-air", _) => format!(
                "Each of these events has to happen before the next one, but {itself}: its value would come out of \
                 thin air."
            ),
            ("atomicity", _) => {
                let source =
                    self.graph.source(first.from).map_or_else(|| "the same write".to_owned(), |s| self.event(s));
                format!(
                    "{} and {} both read from {source} and write. Each would have to come immediately after {source} \
                     in co, but only one can.",
                    self.event(first.from),
                    self.event(first.to)
                )
            }
            ("sequential-consistency", _) => {
                format!(
                    "The model needs one order of all events in which each of these edges goes forward, but \
                         {itself}."
                )
            }
            ("store-order", _) => format!(
                "In the order in which reads happen and writes reach memory, each of these edges must go forward, \
                 but {itself}."
            ),
            ("strong-coherence", _) => {
                format!(
                    "The model needs one order that contains hb and the co of all locations. Each of these edges \
                     must go forward in it, but {itself}."
                )
            }
            ("psc", _) => format!("SC accesses and SC fences must have an order that follows psc, but {itself}."),
            ("causality" | "coherence" | "order-of-writes", _) => match alone() {
                Some(edge) if edge.relation == RelationName::Fr => overwritten(edge),
                Some(edge) => {
                    format!("{1} comes before {0}, but after it in co.", self.event(edge.from), self.event(edge.to))
                }
                None => format!(
                    "For {}, the model needs one order in which each of these edges goes forward, but {itself}.",
                    communication().next().map_or_else(|| "one location".to_owned(), |edge| self.place(edge.from))
                ),
            },
            _ => format!("{}.", words::capitalised(&itself)),
        }
    }

    /// What an axiom of a violation demands, as the model's documentation has it.
    pub fn meaning(&self, violation: &Violation) -> &'static str {
        self.model.axiom(&violation.axiom).map_or("", |axiom| axiom.meaning)
    }
}
