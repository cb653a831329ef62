//! Whether an event-driven trace is consistent, as text and JSON.

use crate::event_driven::{
    Answer, Edge, EventIndex, HandlerIndex, Kind, LocationIndex, Mailbox, MessageIndex, Node, Order, Outcome, Reason,
    Relation, SatAnswer, Trace,
};
use crate::report::Detail;
use crate::words::{self, count};
use serde::Serialize;
use std::fmt::Write;

/// What is known of a trace.
#[derive(Clone, Copy, Debug)]
pub enum TraceAnswer<'a> {
    /// What saturation and branching found.
    Solved(&'a Answer),
    /// What the SAT solver found.
    Sat(&'a SatAnswer),
    /// The search was given up at its limit.
    Undecided,
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
struct NodeJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    orders: Vec<OrderJson>,
    /// `branched`, `cycle`, `initial_never_taken` or `consistent`.
    outcome: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycle: Vec<EdgeJson>,
}

/// The name of a relation in texts.
fn relation_name(relation: Relation) -> &'static str {
    match relation {
        Relation::Po => "po",
        Relation::Rf => "rf",
        Relation::Co => "co",
        Relation::Fr => "fr",
        Relation::Pb => "pb",
        Relation::Eo => "eo",
        Relation::Mo => "mo",
    }
}

impl<'a> TraceReport<'a> {
    /// The answer in a word: `consistent`, `inconsistent` or `unknown`.
    pub fn verdict(&self) -> &'static str {
        match self.answer {
            TraceAnswer::Solved(Answer { schedule: Some(_), .. }) | TraceAnswer::Sat(SatAnswer::Consistent(_)) => {
                "consistent"
            }
            TraceAnswer::Solved(_) | TraceAnswer::Sat(SatAnswer::Inconsistent) => "inconsistent",
            TraceAnswer::Undecided | TraceAnswer::Sat(SatAnswer::Undecided) => "unknown",
        }
    }

    /// The run that shows that it is consistent.
    fn run(&self) -> Option<&'a [EventIndex]> {
        match self.answer {
            TraceAnswer::Solved(answer) => answer.schedule.as_deref(),
            TraceAnswer::Sat(SatAnswer::Consistent(witness)) => Some(&witness.schedule),
            TraceAnswer::Sat(_) | TraceAnswer::Undecided => None,
        }
    }

    fn message(&self, message: MessageIndex) -> &'a str {
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
    fn whole(&self, event: EventIndex) -> String {
        match self.trace.event(event).kind {
            Kind::Get => self.trace.event_name(event),
            _ => format!("{} ({})", self.trace.event_name(event), self.deed(event)),
        }
    }

    /// A path or cycle, edge by edge: `m1.get -po-> m1.2 (post m4) -pb-> m4.get`.
    pub fn path(&self, edges: &[Edge]) -> String {
        let mut out = edges.first().map_or_else(String::new, |edge| self.whole(edge.from));
        for edge in edges {
            let _ = write!(out, " -{}-> {}", relation_name(edge.relation), self.whole(edge.to));
        }
        out
    }

    /// Why one message comes before another, in a sentence.
    pub fn order(&self, order: &Order) -> String {
        let Order { first, second, reason } = order;
        let handler = &self.trace.handler(self.trace.message(*first).handler).name;
        let (first, second) = (self.message(*first), self.message(*second));
        match reason {
            Reason::Path(path) => {
                format!("{handler} has {first} before {second}, since {}.", self.path(path))
            }
            Reason::Initial => {
                format!("{handler} has {first} before {second}: {first} is in the queue at the start.")
            }
            Reason::NeverTaken => {
                format!("{first} is posted before {second}: {handler} takes {first} and never {second}.")
            }
            Reason::Guess => format!("Guess: {handler} has {first} before {second}."),
        }
    }

    /// By handler: the messages that it takes in the run, in that order.
    fn eo(&self, run: &[EventIndex]) -> Vec<Vec<MessageIndex>> {
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
    fn mailboxes(&self) -> String {
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
            TraceAnswer::Sat(_) => {}
            TraceAnswer::Undecided => {}
        }
        if verdict == "unknown" {
            out += "The search was given up at its limit.\n";
        }
        out
    }

    fn handler(&self, handler: HandlerIndex) -> &'a str {
        &self.trace.handler(handler).name
    }

    /// What was derived and tried: of an inconsistent trace what its only leaf says, or everything.
    fn tree_text(&self, answer: &Answer, detail: Detail, out: &mut String) {
        let is_consistent = answer.schedule.is_some();
        let explains = detail == Detail::Full;
        if is_consistent && !explains {
            return;
        }
        let leaves = answer.tree.iter().filter(|node| node.outcome != Outcome::Branched).count();
        if leaves > 1 && !explains {
            let _ = writeln!(
                out,
                "Whatever is guessed where nothing is forced ends in a contradiction: {}. `--explain` prints them.",
                count(leaves as u64, "case")
            );
            return;
        }
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
            out.push_str(&self.outcome(node));
        }
    }

    fn outcome(&self, node: &Node) -> String {
        match &node.outcome {
            Outcome::Branched => "  Nothing more is forced.\n".to_owned(),
            Outcome::Consistent => "  All messages are in order.\n".to_owned(),
            Outcome::Cycle(cycle) => format!("  These edges are a cycle: {}.\n", self.path(cycle)),
            Outcome::InitialNeverTaken(initial, posted) => {
                let handler = self.handler(self.trace.message(*initial).handler);
                let (initial, posted) = (self.message(*initial), self.message(*posted));
                format!(
                    "  {handler} takes {posted}, which is posted, but never {initial}, which is in the queue before it.\n"
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
                relation: relation_name(edge.relation),
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
        Self {
            name: report.name.to_owned(),
            mailboxes: handlers
                .map(|handler| MailboxJson { handler: handler.name.clone(), mailbox: handler.mailbox.keyword() })
                .collect(),
            verdict: report.verdict(),
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
                TraceAnswer::Sat(_) | TraceAnswer::Undecided => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{Budget, Meter};
    use crate::event_driven::{parse_trace, solve};

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
    }
}
