//! Whether an event-driven trace is consistent, as text and JSON.

use crate::words::Detail;
use crate::words::{self, count};
use crate::{
    Answer, Edge, EventIndex, HandlerIndex, Kind, LocationIndex, Mailbox, MessageIndex, Node, Order, Ordered, Orders,
    Outcome, Reason, Relation, SatAnswer, Trace, is_ordered_by_po,
};
use serde::Serialize;
use std::fmt::Write;

/// How many pairs of messages have their reasons told.
const MAX_PAIRS: usize = 500;

/// What is known of a trace.
#[derive(Clone, Copy, Debug)]
pub enum TraceAnswer<'a> {
    /// What saturation and branching found.
    Solved(&'a Answer),
    /// What the SAT solver found.
    Sat(&'a SatAnswer),
    /// The search was given up at its limit.
    Undecided,
    /// The search was stopped.
    Stopped,
}

/// What is said of a trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceReport<'a> {
    /// What to call the trace.
    pub name: &'a str,
    /// The trace.
    pub trace: &'a Trace,
    /// What is known of it.
    pub answer: TraceAnswer<'a>,
}

/// A trace's answer as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct TraceJson {
    name: String,
    /// By handler: its kind of mailbox; threads have none.
    mailboxes: Vec<MailboxJson>,
    /// `consistent`, `inconsistent` or `unknown`.
    verdict: &'static str,
    /// By handler: the messages that it takes, in that order.
    #[serde(skip_serializing_if = "Option::is_none")]
    eo: Option<Vec<EoJson>>,
    /// All events in the order of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Vec<EventJson>>,
    /// What was derived and tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<Vec<NodeJson>>,
    /// Of a consistent trace: the orders of messages, each with its reason, by the orders of the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    orders: Option<Vec<OrderedJson>>,
    /// po orders all messages of each handler, so nothing is guessed.
    ordered_by_po: bool,
    /// Whether `orders` has every two messages of a handler; else it has those that are taken one right behind the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    orders_are_all: Option<bool>,
}

#[derive(Clone, Debug, Serialize)]
struct MailboxJson {
    handler: String,
    mailbox: &'static str,
}

#[derive(Clone, Debug, Serialize)]
struct EoJson {
    handler: String,
    messages: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
struct EventJson {
    event: String,
    handler: String,
    does: String,
}

#[derive(Clone, Debug, Serialize)]
struct EdgeJson {
    from: String,
    relation: &'static str,
    to: String,
}

#[derive(Clone, Debug, Serialize)]
struct OrderJson {
    first: String,
    second: String,
    /// `path`, `initial`, `never_taken` or `guess`.
    reason: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    path: Vec<EdgeJson>,
}

#[derive(Clone, Debug, Serialize)]
struct OrderedJson {
    /// `eo`, `mo` or `do`.
    relation: &'static str,
    #[serde(flatten)]
    order: OrderJson,
}

#[derive(Clone, Debug, Serialize)]
struct NodeJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    orders: Vec<OrderJson>,
    /// `branched`, `cycle`, `initial_never_taken` or `consistent`.
    outcome: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycle: Vec<EdgeJson>,
}

impl<'a> TraceReport<'a> {
    /// The answer in a word: `consistent`, `inconsistent` or `unknown`.
    pub fn verdict(&self) -> &'static str {
        match self.answer {
            TraceAnswer::Solved(Answer { schedule: Some(_), .. }) | TraceAnswer::Sat(SatAnswer::Consistent(_)) => {
                "consistent"
            }
            TraceAnswer::Solved(_) | TraceAnswer::Sat(SatAnswer::Inconsistent) => "inconsistent",
            TraceAnswer::Undecided | TraceAnswer::Stopped | TraceAnswer::Sat(SatAnswer::Undecided) => "unknown",
        }
    }

    /// The run that shows that it is consistent.
    fn run(&self) -> Option<&'a [EventIndex]> {
        match self.answer {
            TraceAnswer::Solved(answer) => answer.schedule.as_deref(),
            TraceAnswer::Sat(SatAnswer::Consistent(witness)) => Some(&witness.schedule),
            TraceAnswer::Sat(_) | TraceAnswer::Undecided | TraceAnswer::Stopped => None,
        }
    }

    pub(super) fn message(&self, message: MessageIndex) -> &'a str {
        &self.trace.message(message).name
    }

    /// What an event does: `w x 1`, `post m2`.
    pub fn deed(&self, event: EventIndex) -> String {
        let location = |at: LocationIndex| &self.trace.locations[at.index()];
        match self.trace.event(event).kind {
            Kind::Get => format!("get {}", self.message(self.trace.event(event).message)),
            Kind::Read { location: at, value, .. } => format!("r {} {value}", location(at)),
            Kind::Write { location: at, value } => format!("w {} {value}", location(at)),
            Kind::Post(message) => format!("post {}", self.message(message)),
        }
    }

    /// An event with what it does; a get says that itself.
    pub(super) fn whole(&self, event: EventIndex) -> String {
        match self.trace.event(event).kind {
            Kind::Get => self.trace.event_name(event),
            _ => format!("{} ({})", self.trace.event_name(event), self.deed(event)),
        }
    }

    /// A path or cycle, edge by edge: `m1.get -po-> m1.2 (post m4) -pb-> m4.get`.
    pub fn path(&self, edges: &[Edge]) -> String {
        let mut out = edges.first().map_or_else(String::new, |edge| self.whole(edge.from));
        for edge in edges {
            let _ = write!(out, " -{}-> {}", edge.relation.name(), self.whole(edge.to));
        }
        out
    }

    /// Why one message comes before another, in a sentence.
    pub fn order(&self, order: &Order) -> String {
        let Order { first, second, reason } = order;
        let handler = self.handler(self.trace.message(*first).handler);
        let (before, behind) = (self.message(*first), self.message(*second));
        match reason {
            Reason::Path(path) => {
                let from = path.first().map(|edge| edge.from);
                let why = match () {
                    () if from.is_some() && from == self.trace.message(*first).post => {
                        format!("{before} is posted first, and {handler} is a queue")
                    }
                    () if from == self.trace.message(*first).events.last().copied() => {
                        format!("{before} ends before {behind} is taken")
                    }
                    () => format!("{before} is taken before {behind} ends"),
                };
                format!("{handler} has {before} before {behind}: {why}, by {}.", self.path(path))
            }
            Reason::Initial => {
                if self.trace.message(*second).post.is_none() {
                    return format!(
                        "{handler} has {before} before {behind}: both are in the queue at the start, in this order."
                    );
                }
                format!("{handler} has {before} before {behind}: {before} is in the queue at the start.")
            }
            Reason::NeverTaken => {
                format!("{before} is posted before {behind}: {handler} takes {before} and never {behind}.")
            }
            Reason::Guess => format!("Guess: {handler} has {before} before {behind}."),
        }
    }

    /// Why messages are before others in eo, mo or do, in sentences: one for all relations of two messages that have the same reason, such
    /// as `eo, do and mo: h has m before n: ...`.
    pub fn ordered(&self, all: &[Ordered]) -> Vec<(String, Reason)> {
        let same = |a: &Ordered, b: &Ordered| (a.first, a.second, &a.reason) == (b.first, b.second, &b.reason);
        let told = |group: &[Ordered]| {
            let Ordered { first, second, reason, .. } = group.first()?;
            let names = words::list(group.iter().map(|ordered| ordered.relation.name()));
            let order = Order { first: *first, second: *second, reason: reason.clone() };
            Some((format!("{names}: {}", self.order(&order)), reason.clone()))
        };
        all.chunk_by(same).filter_map(told).collect()
    }

    /// What an edge says, in a sentence.
    pub fn edge(&self, edge: Edge) -> String {
        let Edge { from, to, relation } = edge;
        let (a, b) = (self.whole(from), self.whole(to));
        let message = |event: EventIndex| self.message(self.trace.event(event).message);
        let posted = |event: EventIndex| match self.trace.event(event).kind {
            Kind::Post(message) => (self.message(message), self.handler(self.trace.message(message).handler)),
            _ => ("", ""),
        };
        let handler = self.handler(self.trace.message(self.trace.event(to).message).handler);
        let said = match relation {
            Relation::Po => format!("{} does {a} before {b}", message(from)),
            Relation::Rf => format!("{b} reads what {a} writes"),
            Relation::Co => format!("{b} overwrites {a}"),
            Relation::Fr => format!("{a} reads what {b} overwrites"),
            Relation::Pb => format!("{handler} takes {} after {a}", message(to)),
            Relation::Eo => format!("{handler} ends {} before it takes {}", message(from), message(to)),
            Relation::Mo => format!("{} is posted to {} before {}", posted(from).0, posted(from).1, posted(to).0),
            Relation::Do => format!("the queue {handler} gives out {} before {}", message(from), message(to)),
        };
        format!("{said} ({}).", relation.name())
    }

    /// By handler: the messages that it takes in the run, in that order.
    pub(super) fn eo(&self, run: &[EventIndex]) -> Vec<Vec<MessageIndex>> {
        let mut taken = vec![Vec::new(); self.trace.handlers.len()];
        for &event in run {
            let message = self.trace.event(event).message;
            if self.trace.message(message).events.first() == Some(&event) {
                taken[self.trace.message(message).handler.index()].push(message);
            }
        }
        taken
    }

    /// `queue` for each, or which handler has which.
    pub(super) fn mailboxes(&self) -> String {
        let handlers: Vec<_> = self.trace.handlers.iter().filter(|handler| !handler.is_thread).collect();
        let all = |mailbox: Mailbox| handlers.iter().all(|handler| handler.mailbox == mailbox);
        match () {
            () if handlers.is_empty() => "no mailbox".to_owned(),
            () if all(Mailbox::Queue) => "queues".to_owned(),
            () if all(Mailbox::Multiset) => "multisets".to_owned(),
            () => {
                let names: Vec<String> = handlers
                    .iter()
                    .map(|handler| format!("a {} for {}", handler.mailbox.keyword(), handler.name))
                    .collect();
                words::list(names)
            }
        }
    }

    /// The answer, with its reasons.
    pub fn text(&self, detail: Detail) -> String {
        let (name, mailboxes, verdict) = (self.name, self.mailboxes(), self.verdict());
        let mut out = format!("{name} with {mailboxes}: {verdict}\n");
        if let Some(run) = self.run() {
            for (handler, messages) in self.trace.handlers.iter().zip(self.eo(run)) {
                if !handler.is_thread && !messages.is_empty() {
                    let names: Vec<&str> = messages.iter().map(|message| self.message(*message)).collect();
                    let _ = writeln!(out, "{} takes {} (eo)", handler.name, names.join(", then "));
                }
            }
            out += "\na run:\n";
            for &event in run {
                let handler = self.handler(self.trace.message(self.trace.event(event).message).handler);
                let _ = writeln!(out, "  {handler}: {}", self.whole(event));
            }
        }
        match self.answer {
            TraceAnswer::Solved(answer) => self.tree_text(answer, detail, &mut out),
            TraceAnswer::Sat(SatAnswer::Inconsistent) => {
                out += "The SAT solver says so. Without `--sat` the reason is printed.\n";
            }
            TraceAnswer::Sat(SatAnswer::Undecided) | TraceAnswer::Undecided => {
                out += "The search was given up at its limit.\n";
            }
            TraceAnswer::Stopped => out += "The search was stopped.\n",
            TraceAnswer::Sat(SatAnswer::Consistent(_)) => {}
        }
        out
    }

    pub(super) fn handler(&self, handler: HandlerIndex) -> &'a str {
        &self.trace.handler(handler).name
    }

    /// That no message is guessed about, if po says so beforehand.
    fn po_text(&self, out: &mut String) {
        if is_ordered_by_po(self.trace) {
            *out += "\nEach queue has one poster, so po orders all messages, and nothing is guessed.\n";
        }
    }

    /// What was derived and tried: of an inconsistent trace what its only leaf says, or everything.
    fn tree_text(&self, answer: &Answer, detail: Detail, out: &mut String) {
        let is_consistent = answer.schedule.is_some();
        let explains = detail == Detail::Full;
        if is_consistent {
            if explains {
                self.po_text(out);
                self.orders_text(answer, out);
                self.nodes_text(answer, out);
            }
            return;
        }
        if explains {
            self.po_text(out);
        }
        let leaves = answer.tree.iter().filter(|node| node.outcome != Outcome::Branched).count();
        if leaves > 1 && !explains {
            let _ = writeln!(
                out,
                "Whatever order is guessed where none is forced, there is a contradiction: {}. `--explain` prints \
                 them.",
                count(leaves as u64, "case")
            );
            return;
        }
        self.nodes_text(answer, out);
    }

    /// The orders of messages of a run that are worth telling: of every two of a handler, or if these are too many, of those that it
    /// takes one right behind the other; and whether they are all.
    pub(super) fn orders(&self, answer: &Answer) -> Option<(Vec<Ordered>, bool)> {
        let run = answer.schedule.as_deref()?;
        let known = Orders::of_run(self.trace, answer)?;
        let taken = self.eo(run);
        let pairs: usize = taken.iter().map(|messages| messages.len() * messages.len().saturating_sub(1) / 2).sum();
        if pairs <= MAX_PAIRS {
            return Some((known.all().collect(), true));
        }
        // A search for ways for each of them.
        let neighbours = taken.iter().flat_map(|messages| messages.windows(2)).take(MAX_PAIRS);
        Some((neighbours.flat_map(|pair| known.between(pair[0], pair[1])).collect(), false))
    }

    fn orders_text(&self, answer: &Answer, out: &mut String) {
        let Some((orders, are_all)) = self.orders(answer) else { return };
        if orders.is_empty() {
            return;
        }
        let _ = match are_all {
            true => writeln!(out, "\norders of messages, with their reasons:"),
            false => {
                writeln!(
                    out,
                    "\norders of messages that are taken immediately one after the other, with their reasons:"
                )
            }
        };
        for (sentence, _) in self.ordered(&orders) {
            let _ = writeln!(out, "  {sentence}");
        }
    }

    fn nodes_text(&self, answer: &Answer, out: &mut String) {
        for (at, node) in answer.tree.iter().enumerate() {
            if answer.tree.len() > 1 {
                let above = node.parent.map_or_else(String::new, |parent| format!(", below node {}", parent + 1));
                let _ = writeln!(out, "\nnode {}{above}:", at + 1);
            } else {
                out.push('\n');
            }
            for order in &node.orders {
                let _ = writeln!(out, "  {}", self.order(order));
            }
            out.push_str(&self.outcome_line(node));
        }
    }

    fn outcome_line(&self, node: &Node) -> String {
        let cycle = match &node.outcome {
            Outcome::Cycle(cycle) => format!("These edges are a cycle: {}.", self.path(cycle)),
            _ => self.outcome(node),
        };
        format!("  {cycle}\n")
    }

    /// How a node ends, in a sentence.
    pub fn outcome(&self, node: &Node) -> String {
        match &node.outcome {
            Outcome::Branched => "Nothing more is forced.".to_owned(),
            Outcome::Consistent => "All messages are in order.".to_owned(),
            Outcome::Cycle(cycle) => format!("A contradiction: {} are a cycle.", count(cycle.len() as u64, "edge")),
            Outcome::InitialNeverTaken(initial, posted) => {
                let handler = self.handler(self.trace.message(*initial).handler);
                let (initial, posted) = (self.message(*initial), self.message(*posted));
                format!(
                    "A contradiction: {handler} takes {posted}, but never {initial}, which is in the queue before it."
                )
            }
        }
    }
}

impl From<&TraceReport<'_>> for TraceJson {
    fn from(report: &TraceReport<'_>) -> Self {
        let trace = report.trace;
        let run = report.run();
        let edges = |edges: &[Edge]| -> Vec<EdgeJson> {
            let edge = |edge: &Edge| EdgeJson {
                from: trace.event_name(edge.from),
                relation: edge.relation.name(),
                to: trace.event_name(edge.to),
            };
            edges.iter().map(edge).collect()
        };
        let order = |order: &Order| {
            let (reason, path) = match &order.reason {
                Reason::Path(path) => ("path", edges(path)),
                Reason::Initial => ("initial", Vec::new()),
                Reason::NeverTaken => ("never_taken", Vec::new()),
                Reason::Guess => ("guess", Vec::new()),
            };
            let name = |message: MessageIndex| report.message(message).to_owned();
            OrderJson { first: name(order.first), second: name(order.second), reason, path }
        };
        let node = |node: &Node| {
            let (outcome, cycle) = match &node.outcome {
                Outcome::Branched => ("branched", Vec::new()),
                Outcome::Cycle(cycle) => ("cycle", edges(cycle)),
                Outcome::InitialNeverTaken(..) => ("initial_never_taken", Vec::new()),
                Outcome::Consistent => ("consistent", Vec::new()),
            };
            NodeJson { parent: node.parent, orders: node.orders.iter().map(order).collect(), outcome, cycle }
        };
        let handlers = trace.handlers.iter().filter(|handler| !handler.is_thread);
        let orders = match report.answer {
            TraceAnswer::Solved(answer) => report.orders(answer),
            TraceAnswer::Sat(_) | TraceAnswer::Undecided | TraceAnswer::Stopped => None,
        };
        Self {
            name: report.name.to_owned(),
            mailboxes: handlers
                .map(|handler| MailboxJson { handler: handler.name.clone(), mailbox: handler.mailbox.keyword() })
                .collect(),
            verdict: report.verdict(),
            ordered_by_po: is_ordered_by_po(trace),
            eo: run.map(|run| {
                let taken = trace.handlers.iter().zip(report.eo(run)).filter(|(handler, _)| !handler.is_thread);
                taken
                    .map(|(handler, messages)| EoJson {
                        handler: handler.name.clone(),
                        messages: messages.iter().map(|message| report.message(*message).to_owned()).collect(),
                    })
                    .collect()
            }),
            run: run.map(|run| {
                let event = |event: &EventIndex| EventJson {
                    event: trace.event_name(*event),
                    handler: report.handler(trace.message(trace.event(*event).message).handler).to_owned(),
                    does: report.deed(*event),
                };
                run.iter().map(event).collect()
            }),
            tree: match report.answer {
                TraceAnswer::Solved(answer) => Some(answer.tree.iter().map(node).collect()),
                TraceAnswer::Sat(_) | TraceAnswer::Undecided | TraceAnswer::Stopped => None,
            },
            orders_are_all: orders.as_ref().map(|(_, are_all)| *are_all),
            orders: orders.map(|(orders, _)| {
                let json = |Ordered { relation, first, second, reason }: Ordered| OrderedJson {
                    relation: relation.name(),
                    order: order(&Order { first, second, reason }),
                };
                orders.into_iter().map(json).collect()
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{Budget, Meter};
    use crate::{parse_trace, solve};

    const E1: &str = "\
trace E1
handler h1 queue
handler h2 queue
handler h3 queue
initial init on h2: w x 1; post m2; post m3
message m2 on h1: w x 2; r x 3 <- m4.2
message m1 on h1: r x 1 <- init.1; post m4
message m3 on h3: r x 1 <- init.1; post m1
message m4 on h3: r x 2 <- m2.1; w x 3
co x: init.1 < m2.1 < m4.2
";

    fn said(trace: &Trace, detail: Detail) -> (String, String) {
        let mut budget = Budget::unlimited();
        let answer = solve(trace, &mut Meter::unlimited(&mut budget)).expect("there is no limit");
        let report = TraceReport { name: "E1", trace, answer: TraceAnswer::Solved(&answer) };
        let json = serde_json::to_string(&TraceJson::from(&report)).expect("it can be written");
        (report.text(detail), json)
    }

    #[test]
    fn a_contradiction_is_told_edge_by_edge() {
        let trace = parse_trace(E1).expect("it is a trace");
        let (text, json) = said(&trace, Detail::Brief);
        assert!(text.starts_with("E1 with queues: inconsistent\n"), "{text}");
        assert!(text.contains("These edges are a cycle: ") && text.contains("m1.2 (post m4) -pb-> m4.get"), "{text}");
        assert!(json.contains(r#""verdict":"inconsistent""#) && json.contains(r#""outcome":"cycle""#), "{json}");
    }

    #[test]
    fn a_run_is_told_with_the_order_of_messages() {
        let trace = parse_trace(E1).expect("it is a trace").with_mailboxes(Mailbox::Multiset);
        let (text, json) = said(&trace, Detail::Full);
        assert!(text.starts_with("E1 with multisets: consistent\nh1 takes m1, then m2 (eo)\n"), "{text}");
        assert!(text.contains("h3 takes m3, then m4 (eo)\n\na run:\n  h2: init.get\n"), "{text}");
        assert!(json.contains(r#""eo":[{"handler":"h1","messages":["m1","m2"]}"#), "{json}");
        // Both orders have a reason, also the one that the solver did not keep.
        assert!(text.contains("  eo: h1 has m1 before m2: "), "{text}");
        assert!(text.contains("  eo: h3 has m3 before m4: "), "{text}");
        assert!(json.contains(r#""orders":[{"relation":"eo","first":"m1","second":"m2","reason":"path""#), "{json}");
        assert!(json.contains(r#""orders_are_all":true"#), "{json}");
    }
}
