//! Whether an event-driven trace is consistent, for the page: with queues and with multisets, derivation by derivation.
//!
//! A trace is asked about with each kind of mailbox at once. Its steps are those of the solver's branch tree, from its root on,
//! and the edges of each cycle, so a step is a number whatever was guessed.

use super::drawing::{TraceDrawing, edge_key, edge_kind, order_edges, own_kinds};
use super::report::{TraceAnswer, TraceReport};
use crate::budget::{Budget, Meter};
use crate::program::Limits;
use crate::syntax::Diagnostic;
use crate::words::{count, grouped};
use crate::{Answer, Edge, EventIndex, Mailbox, Order, Orders, Outcome, Reason, Relation, Trace, parse_trace, solve};
use litmoscope_draw::{Drawing, EdgeKey, EdgeKind, OwnKind, Room};
use serde::{Deserialize, Serialize};

/// The most events that are drawn.
const MAX_EVENTS: usize = 400;
/// The most handlers that are drawn.
const MAX_HANDLERS: usize = 64;
/// How many steps are listed around the one that is shown.
const LISTED: usize = 300;

/// What is asked of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceRequest {
    /// Its text.
    pub text: String,
    /// Which of the verdicts to look at.
    pub choice: u32,
    /// How many steps to show; more than there are: all.
    pub step: u32,
    /// The relations that are not drawn.
    pub hidden: Vec<Relation>,
    /// Whether the drawing is for a narrow screen.
    pub narrow: bool,
}

/// What the page shows of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceView {
    /// Its name.
    pub name: String,
    /// What is known with which mailboxes.
    pub verdicts: Vec<MailboxVerdict>,
    /// Which of them is shown.
    pub choice: u32,
    /// What is known with these mailboxes, in a sentence.
    pub sentence: String,
    /// The trace, and what is known after so many steps.
    pub drawing: Option<Drawing>,
    /// Why it is not drawn.
    pub too_large: Option<String>,
    /// The premises of the step that is shown.
    pub lit: Vec<EdgeKey>,
    /// All relations, for a legend.
    pub relations: Vec<RelationView>,
    /// The kinds of edges that these drawings alone have.
    pub kinds: Vec<OwnKind>,
    /// The step that is shown.
    pub step: u32,
    /// How many there are.
    pub all_steps: u32,
    /// Some of them: those around the one that is shown.
    pub steps: Vec<TraceStepView>,
    /// How many cases there are beside those listed, in words.
    pub left_out: Option<String>,
    /// What the step says.
    pub caption: String,
    /// The cycle of the case that is shown, edge by edge, or else of the first case that ends in one.
    pub cycle: Vec<ToldEdges>,
    /// In what order handlers take their messages, and all events one after the other, if there is a run.
    pub eo: Vec<String>,
    /// The events of a run, one after the other.
    pub run: Vec<RunRow>,
    /// Why messages are in order.
    pub orders: Vec<ToldEdges>,
    /// Of which pairs of messages that is told, if not of all.
    pub some_orders: Option<String>,
}

/// What is known with some mailboxes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailboxVerdict {
    /// Which: `queues`.
    pub title: String,
    /// `None` if the search was given up at its limit.
    pub is_consistent: Option<bool>,
}

/// A relation of a legend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationView {
    /// Which.
    pub relation: Relation,
    /// What it is drawn as.
    pub kind: EdgeKind,
    /// What it means, in a sentence.
    pub meaning: String,
}

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepKind {
    /// An order that follows.
    Derived,
    /// An order that is guessed.
    Guess,
    /// Nothing follows any more, and not all is in order.
    Open,
    /// An edge of a cycle.
    CycleEdge,
    /// A contradiction.
    Contradiction,
    /// All is in order.
    InOrder,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceStepView {
    /// Its number, from 1.
    pub number: u32,
    /// What it is.
    pub kind: StepKind,
    /// How many guesses it is within.
    pub depth: u32,
    /// What it says.
    pub text: String,
}

/// Edges in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldEdges {
    /// The sentence.
    pub text: String,
    /// The edges.
    pub edges: Vec<EdgeKey>,
}

/// An event of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRow {
    /// The handler.
    pub handler: String,
    /// The event and what it does.
    pub text: String,
    /// Whether its handler takes a message by it.
    pub is_get: bool,
}

/// What is known with some mailboxes.
struct Case {
    title: String,
    trace: Trace,
    /// `None` if the search was given up at its limit.
    answer: Option<Answer>,
    /// By node of the branch tree: the number of its first step.
    starts: Vec<usize>,
    /// By node: within how many guesses it is.
    depths: Vec<u32>,
    steps: usize,
}

/// A step by what it is made of.
#[derive(Clone, Copy)]
enum At {
    Start,
    /// So many orders of a node.
    Order(usize, usize),
    /// So many edges of its cycle.
    Cycle(usize, usize),
    End(usize),
}

fn cycle_of(outcome: &Outcome) -> &[Edge] {
    match outcome {
        Outcome::Cycle(cycle) => cycle,
        _ => &[],
    }
}

impl Case {
    fn new(title: &str, trace: Trace, limit: u64) -> Self {
        let mut budget = Budget::unlimited();
        // Nobody pauses it, so without an answer it has reached its limit.
        let answer = solve(&trace, &mut Meter::new(limit, 0, &mut budget)).ok();
        let tree = answer.as_ref().map_or(&[][..], |answer| &answer.tree);
        let (mut starts, mut steps, mut depths) = (Vec::new(), 0, Vec::new());
        for node in tree {
            starts.push(steps + 1);
            steps += node.orders.len() + cycle_of(&node.outcome).len() + 1;
            depths.push(node.parent.map_or(0, |parent| depths[parent] + 1));
        }
        Self { title: title.to_owned(), trace, answer, starts, depths, steps }
    }

    fn at(&self, step: usize) -> At {
        let Some(answer) = self.answer.as_ref().filter(|_| step > 0) else { return At::Start };
        let node = self.starts.partition_point(|start| *start <= step) - 1;
        let (within, about) = (step - self.starts[node] + 1, &answer.tree[node]);
        let (orders, edges) = (about.orders.len(), cycle_of(&about.outcome).len());
        match within {
            _ if within <= orders => At::Order(node, within),
            _ if within <= orders + edges => At::Cycle(node, within - orders),
            _ => At::End(node),
        }
    }

    fn report(&self) -> TraceReport<'_> {
        TraceReport {
            name: self.trace.name.as_deref().unwrap_or("This trace"),
            trace: &self.trace,
            answer: self.answer.as_ref().map_or(TraceAnswer::Undecided, TraceAnswer::Solved),
        }
    }

    /// The orders that are known, with the number of the step that brings each.
    fn known(&self, node: usize, orders: usize) -> Vec<(usize, &Order)> {
        let Some(answer) = &self.answer else { return Vec::new() };
        let mut known = Vec::new();
        let (mut at, mut orders) = (Some(node), orders);
        while let Some(node) = at {
            let about = &answer.tree[node];
            known.extend((0..orders).rev().map(|order| (self.starts[node] + order, &about.orders[order])));
            at = about.parent;
            orders = at.map_or(0, |parent| answer.tree[parent].orders.len());
        }
        known.reverse();
        known
    }

    fn step_view(&self, number: usize) -> TraceStepView {
        let report = self.report();
        let (kind, node, text) = match (self.at(number), &self.answer) {
            (At::Order(node, order), Some(answer)) => {
                let order = &answer.tree[node].orders[order - 1];
                let kind = if order.reason == Reason::Guess { StepKind::Guess } else { StepKind::Derived };
                (kind, node, report.order(order))
            }
            (At::Cycle(node, edge), Some(answer)) => {
                let edge = cycle_of(&answer.tree[node].outcome)[edge - 1];
                (StepKind::CycleEdge, node, self.told(node, edge))
            }
            (At::End(node), Some(answer)) => {
                let about = &answer.tree[node];
                let kind = match about.outcome {
                    Outcome::Branched => StepKind::Open,
                    Outcome::Consistent => StepKind::InOrder,
                    Outcome::Cycle(_) | Outcome::InitialNeverTaken(..) => StepKind::Contradiction,
                };
                let text = match about.outcome {
                    Outcome::Branched => {
                        "Nothing more is forced. So one order is guessed, and later the opposite one.".into()
                    }
                    _ => report.outcome(about),
                };
                (kind, node, text)
            }
            (At::Start, _) | (_, None) => (StepKind::Open, 0, String::new()),
        };
        let depth = self.depths.get(node).copied().unwrap_or(0);
        TraceStepView { number: number as u32, kind, depth, text }
    }

    /// An edge of a node's cycle in a sentence, with the step that it comes from.
    fn told(&self, node: usize, edge: Edge) -> String {
        let text = self.report().edge(edge);
        let orders = self.answer.as_ref().map_or(0, |answer| answer.tree[node].orders.len());
        let known = self.known(node, orders);
        let step = known.iter().find(|(_, order)| order_edges(&self.trace, order.first, order.second).contains(&edge));
        match step {
            Some((step, Order { reason: Reason::Guess, .. })) => format!("{text} That was guessed in step {step}."),
            Some((step, _)) => format!("{text} That follows from step {step}."),
            None => text,
        }
    }

    fn sentence(&self) -> String {
        let report = self.report();
        let (name, mailboxes) = (report.name, report.mailboxes());
        let Some(answer) = &self.answer else {
            return format!(
                "Whether {name} is consistent with {mailboxes} is unknown: the search was given up at its limit."
            );
        };
        let guesses = answer.tree.len().saturating_sub(1) as u64;
        let leaves = answer.tree.iter().filter(|node| node.outcome != Outcome::Branched).count();
        match (answer.schedule.is_some(), leaves) {
            (true, _) if guesses > 0 => {
                format!("{name} is consistent with {mailboxes}: a run is found after {}.", guesses_words(guesses))
            }
            (true, _) => {
                format!("{name} is consistent with {mailboxes}: there is a run, and no guess was needed.")
            }
            (false, 1) => {
                format!("{name} is inconsistent with {mailboxes}: what follows from the trace contradicts itself.")
            }
            (false, _) => format!(
                "{name} is inconsistent with {mailboxes}: whatever order is guessed, each of {} ends in a \
                 contradiction.",
                count(leaves as u64, "case")
            ),
        }
    }
}

fn guesses_words(guesses: u64) -> String {
    if guesses == 1 { "1 guess".to_owned() } else { format!("{} guesses", grouped(guesses)) }
}

fn meaning(relation: Relation) -> &'static str {
    match relation {
        Relation::Po => "program order: the events of a message, one after the other",
        Relation::Rf => "reads-from: a write to a read of its value",
        Relation::Co => "coherence: a write to the next one to its location",
        Relation::Fr => "from-read: a read to the write that overwrites what it reads",
        Relation::Pb => "posted-by: a post to the get of its message",
        Relation::Eo => "execution order: the end of a message to the get of one that its handler takes later",
        Relation::Mo => "message order: a post to a later post to the same handler",
        Relation::Do => "what a queue demands: gets come in the order of the posts, pb⁻¹ ; mo ; pb",
    }
}

/// A trace, and what is known of it with each kind of mailbox.
pub struct TraceDeciding {
    text: String,
    cases: Vec<Case>,
}

impl litmoscope_core::inspection::Inspection for TraceDeciding {
    type Request = TraceRequest;
    type View = TraceView;

    fn open(request: &TraceRequest) -> Result<Self, Vec<Diagnostic>> {
        Self::open(&request.text)
    }

    fn is_of(&self, request: &TraceRequest) -> bool {
        self.is_of(request)
    }

    fn view(&mut self, request: &TraceRequest) -> TraceView {
        Self::view(self, request)
    }

    fn text(request: &TraceRequest) -> &str {
        &request.text
    }
}

impl TraceDeciding {
    /// Decides a trace with queues and with multisets, and as it is written if that is neither. Each search is given up at the limit
    /// of a search.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn open(text: &str) -> Result<Self, Vec<Diagnostic>> {
        Self::within(text, Limits::default().search)
    }

    /// The same with another limit.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn within(text: &str, limit: u64) -> Result<Self, Vec<Diagnostic>> {
        let trace = parse_trace(text)?;
        let mut cases = Vec::new();
        let mut kinds = trace.handlers.iter().filter(|handler| !handler.is_thread).map(|handler| handler.mailbox);
        let first = kinds.next();
        if kinds.any(|kind| Some(kind) != first) {
            cases.push(Case::new("as written", trace.clone(), limit));
        }
        for mailbox in Mailbox::ALL {
            let title = match mailbox {
                Mailbox::Queue => "queues",
                Mailbox::Multiset => "multisets",
            };
            cases.push(Case::new(title, trace.clone().with_mailboxes(mailbox), limit));
        }
        // What is written comes first.
        if first == Some(Mailbox::Multiset) && cases.len() == 2 {
            cases.reverse();
        }
        Ok(Self { text: text.to_owned(), cases })
    }

    /// Whether it is what is asked about.
    pub fn is_of(&self, request: &TraceRequest) -> bool {
        self.text == request.text
    }

    /// What the page shows.
    pub fn view(&self, request: &TraceRequest) -> TraceView {
        let choice = (request.choice as usize).min(self.cases.len() - 1);
        let case = &self.cases[choice];
        let (report, trace) = (case.report(), &case.trace);
        let step = (request.step as usize).min(case.steps);
        let at = case.at(step);
        let first = step.saturating_sub(LISTED / 2).min(case.steps.saturating_sub(LISTED));
        let listed = first + 1..=(first + LISTED).min(case.steps);
        let left_out = case.steps - listed.clone().count();
        let handlers = trace.handlers.len();
        let too_large = (trace.events.len() > MAX_EVENTS || handlers > MAX_HANDLERS).then(|| {
            format!(
                "It has {} on {}: it is not drawn, since no more than {MAX_EVENTS} events on {MAX_HANDLERS} handlers are.",
                count(trace.events.len() as u64, "event"),
                count(handlers as u64, "handler")
            )
        });
        let (lit, drawing) = if too_large.is_none() { self.draw(case, at, request) } else { (Vec::new(), None) };
        let tree = case.answer.as_ref().map_or(&[][..], |answer| &answer.tree);
        let own = match at {
            At::Start => None,
            At::Order(node, _) | At::Cycle(node, _) | At::End(node) => Some(node),
        };
        let has_cycle = |node: &usize| !cycle_of(&tree[*node].outcome).is_empty();
        let shown = own.filter(has_cycle).or_else(|| (0..tree.len()).find(has_cycle));
        let is_consistent = case.answer.as_ref().is_some_and(|answer| answer.schedule.is_some());
        let cycle = shown.filter(|_| !is_consistent || own == shown).map_or(Vec::new(), |node| {
            let edges = cycle_of(&tree[node].outcome).iter();
            edges.map(|&edge| ToldEdges { text: case.told(node, edge), edges: vec![edge_key(trace, edge)] }).collect()
        });
        let run = case.answer.as_ref().and_then(|answer| answer.schedule.as_deref()).unwrap_or_default();
        let (orders, are_all) =
            case.answer.as_ref().and_then(|answer| report.orders(answer)).unwrap_or((Vec::new(), true));
        TraceView {
            name: trace.name.clone().unwrap_or_default(),
            verdicts: self
                .cases
                .iter()
                .map(|case| MailboxVerdict {
                    title: case.title.clone(),
                    is_consistent: case.answer.as_ref().map(|answer| answer.schedule.is_some()),
                })
                .collect(),
            choice: choice as u32,
            sentence: case.sentence(),
            drawing,
            too_large,
            lit,
            relations: Relation::ALL
                .into_iter()
                .filter(|relation| *relation != Relation::Po)
                .map(|relation| RelationView { relation, kind: edge_kind(relation), meaning: meaning(relation).into() })
                .collect(),
            kinds: own_kinds(),
            step: step as u32,
            all_steps: case.steps as u32,
            steps: listed.map(|number| case.step_view(number)).collect(),
            left_out: (left_out > 0).then(|| format!("and {} more, before or after these", grouped(left_out as u64))),
            caption: caption(case, step),
            cycle,
            eo: eo(&report, run),
            run: run
                .iter()
                .map(|&event| {
                    let message = trace.message(trace.event(event).message);
                    RunRow {
                        handler: report.handler(message.handler).to_owned(),
                        text: report.whole(event),
                        is_get: message.events.first() == Some(&event),
                    }
                })
                .collect(),
            orders: report
                .ordered(&orders)
                .into_iter()
                .map(|(text, reason)| ToldEdges {
                    text,
                    edges: match reason {
                        Reason::Path(path) => path.iter().map(|edge| edge_key(trace, *edge)).collect(),
                        _ => Vec::new(),
                    },
                })
                .collect(),
            some_orders: (!are_all)
                .then(|| "Only of messages that a handler takes immediately one after the other.".to_owned()),
        }
    }

    fn draw(&self, case: &Case, at: At, request: &TraceRequest) -> (Vec<EdgeKey>, Option<Drawing>) {
        let (report, trace) = (case.report(), &case.trace);
        let keys = |edges: &[Edge]| edges.iter().map(|edge| edge_key(trace, *edge)).collect::<Vec<_>>();
        let Some(answer) = &case.answer else {
            return (Vec::new(), Some(picture(&report, None, &[], &[], &[], request)));
        };
        let (mut new, mut lit, mut cycle) = (Vec::new(), Vec::new(), &[][..]);
        let mut known = Vec::new();
        match at {
            At::Start => {}
            At::Order(node, orders) => {
                known = case.known(node, orders);
                let order = &answer.tree[node].orders[orders - 1];
                new = order_edges(trace, order.first, order.second);
                if let Reason::Path(path) = &order.reason {
                    lit = keys(path);
                }
            }
            At::Cycle(node, edges) => {
                known = case.known(node, answer.tree[node].orders.len());
                cycle = &cycle_of(&answer.tree[node].outcome)[..edges];
            }
            At::End(node) => {
                known = case.known(node, answer.tree[node].orders.len());
                cycle = cycle_of(&answer.tree[node].outcome);
            }
        }
        let step = |(number, order): (usize, &Order)| {
            let why = format!("Step {number}: {}", report.order(order));
            order_edges(trace, order.first, order.second)
                .into_iter()
                .map(move |edge| (edge, why.clone()))
                .collect::<Vec<_>>()
        };
        let mut orders: Vec<(Edge, String)> = known.into_iter().flat_map(step).collect();
        let run = answer.schedule.as_deref();
        // In the end, from each message to the next one.
        if let (At::End(node), Some(run)) = (at, run)
            && answer.tree[node].outcome == Outcome::Consistent
        {
            let never = |order: &&Order| order.reason == Reason::NeverTaken;
            let waits = answer.tree.iter().flat_map(|node| &node.orders).filter(never);
            let waits = waits.flat_map(|order| order_edges(trace, order.first, order.second)).collect::<Vec<_>>();
            orders.retain(|(edge, _)| waits.contains(edge));
            orders.extend(chain(&report, answer, run));
        }
        (lit, Some(picture(&report, run, &orders, &new, cycle, request)))
    }
}

/// eo, mo and do from each message of a run to the next one of its handler, with their reasons.
fn chain(report: &TraceReport<'_>, answer: &Answer, run: &[EventIndex]) -> Vec<(Edge, String)> {
    let Some(known) = Orders::of_run(report.trace, answer) else { return Vec::new() };
    let taken = report.eo(run);
    let pairs = taken.iter().flat_map(|messages| messages.windows(2));
    let told = pairs.flat_map(|pair| {
        let edges = order_edges(report.trace, pair[0], pair[1]);
        let why = known.between(pair[0], pair[1]);
        edges.into_iter().map(move |edge| {
            let ordered = why.iter().find(|ordered| ordered.relation == edge.relation).cloned();
            let told = report.ordered(&ordered.into_iter().collect::<Vec<_>>()).pop();
            (edge, told.map_or_else(String::new, |(told, _)| told))
        })
    });
    told.collect()
}

fn picture(
    report: &TraceReport<'_>,
    run: Option<&[EventIndex]>,
    orders: &[(Edge, String)],
    new: &[Edge],
    cycle: &[Edge],
    request: &TraceRequest,
) -> Drawing {
    let shown: Vec<Relation> =
        Relation::ALL.into_iter().filter(|relation| !request.hidden.contains(relation)).collect();
    TraceDrawing { report, run, orders, new, cycle, shown: &shown, room: Room::of(request.narrow) }.draw()
}

/// What a step says, with where it is in the branch tree.
fn caption(case: &Case, step: usize) -> String {
    let Some(answer) = &case.answer else {
        return "The search was given up at its limit, so nothing is known of eo and mo.".to_owned();
    };
    if step == 0 {
        return "Before the first step: po, rf, co and pb are given, and fr follows from rf and co. The order in which \
                a handler takes its messages is not given."
            .to_owned();
    }
    let view = case.step_view(step);
    let node = case.starts.partition_point(|start| *start <= step) - 1;
    let mut guesses = Vec::new();
    let mut at = Some(node);
    while let Some(node) = at {
        if let Some(order) = answer.tree[node].orders.first().filter(|order| order.reason == Reason::Guess) {
            let name = |message| case.report().message(message);
            guesses.push(format!("{} before {}", name(order.first), name(order.second)));
        }
        at = answer.tree[node].parent;
    }
    guesses.reverse();
    let within = match (&guesses[..], view.kind) {
        ([], _) | ([_], StepKind::Guess) => String::new(),
        (guesses, StepKind::Guess) => within(&guesses[..guesses.len() - 1]),
        (guesses, _) => within(guesses),
    };
    format!("{within}{}", view.text)
}

fn within(guesses: &[String]) -> String {
    // The last ones are what a reader may have in mind.
    let from = guesses.len().saturating_sub(3);
    let more = if from > 0 { "… and " } else { "" };
    format!("Guessed: {more}{}. ", crate::words::list(guesses[from..].to_vec()))
}

/// In which order each handler takes its messages, in sentences.
fn eo(report: &TraceReport<'_>, run: &[EventIndex]) -> Vec<String> {
    let handlers = report.trace.handlers.iter().zip(report.eo(run));
    handlers
        .filter(|(handler, messages)| !handler.is_thread && !messages.is_empty())
        .map(|(handler, messages)| {
            let names: Vec<&str> = messages.iter().map(|message| report.message(*message)).collect();
            format!("{} takes {}.", handler.name, names.join(", then "))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn view(deciding: &TraceDeciding, choice: u32, step: u32) -> TraceView {
        deciding.view(&TraceRequest { choice, step, ..TraceRequest::default() })
    }

    #[test]
    fn a_contradiction_is_shown_edge_by_edge() {
        let deciding = TraceDeciding::open(E1).expect("it is a trace");
        let start = view(&deciding, 0, 0);
        let verdicts: Vec<_> =
            start.verdicts.iter().map(|verdict| (verdict.title.as_str(), verdict.is_consistent)).collect();
        assert_eq!(verdicts, [("queues", Some(false)), ("multisets", Some(true))]);
        assert!(start.sentence.starts_with("E1 is inconsistent with queues: "), "{}", start.sentence);
        let drawing = start.drawing.expect("it is drawn");
        let titles: Vec<&str> = drawing.columns.iter().map(|column| column.title.as_str()).collect();
        assert_eq!(titles, ["h1 (queue)", "h2 (queue)", "h3 (queue)"]);
        assert_eq!((drawing.nodes.len(), drawing.frames.len()), (16, 5));
        assert!(drawing.edges.iter().all(|edge| !edge.in_cycle && drawing.name(edge.kind) != "eo"));
        let edges = start.cycle.len() as u32;
        assert!(edges > 2);
        let at = |number: u32| view(&deciding, 0, number);
        // Orders, then the cycle, then that it is one.
        let all = start.all_steps;
        for (number, expected) in [(all - edges, 1), (all - 1, edges), (all, edges)] {
            let drawing = at(number).drawing.expect("it is drawn");
            assert_eq!(drawing.edges.iter().filter(|edge| edge.in_cycle).count() as u32, expected, "{number}");
        }
        assert_eq!(at(all).steps.last().map(|step| step.kind), Some(StepKind::Contradiction));
        assert!(at(all).caption.starts_with("A contradiction: "), "{}", at(all).caption);
        let first = at(1);
        assert!(!first.lit.is_empty() && first.steps[0].kind == StepKind::Derived, "{first:#?}");
        assert!(first.drawing.expect("it is drawn").edges.iter().any(|edge| edge.new));
        // Nothing moves.
        let place = |view: TraceView| -> Vec<(f32, f32)> {
            view.drawing.iter().flat_map(|drawing| drawing.nodes.iter().map(|node| (node.x, node.y))).collect()
        };
        assert_eq!(place(at(0)), place(at(all)));
    }

    #[test]
    fn a_run_goes_from_top_to_bottom() {
        let deciding = TraceDeciding::open(E1).expect("it is a trace");
        let end = view(&deciding, 1, u32::MAX);
        assert_eq!(end.eo, ["h1 takes m1, then m2.", "h2 takes init.", "h3 takes m3, then m4."]);
        assert_eq!((end.run.len(), end.run[0].text.as_str()), (16, "init.get"));
        assert!(end.cycle.is_empty() && end.orders.iter().all(|order| order.text.starts_with("eo: ")));
        let drawing = end.drawing.expect("it is drawn");
        let y = |name: &str| drawing.nodes.iter().find(|node| node.name == name).map(|node| node.y);
        let ys: Vec<_> = end.run.iter().map(|row| y(row.text.split(' ').next().unwrap_or_default())).collect();
        assert!(ys.windows(2).all(|pair| pair[0] < pair[1]), "{ys:?}");
        assert_eq!(drawing.edges.iter().filter(|edge| drawing.name(edge.kind) == "eo").count(), 2);
        let hidden = vec![Relation::Eo, Relation::Rf];
        let request = TraceRequest { choice: 1, step: u32::MAX, hidden, ..TraceRequest::default() };
        let drawing = deciding.view(&request).drawing.expect("it is drawn");
        assert!(drawing.edges.iter().all(|edge| !["eo", "rf"].contains(&drawing.name(edge.kind))));
    }

    #[test]
    fn guesses_make_a_tree() {
        // Two threads post to one queue, and nothing says who is first.
        let text =
            "trace\nhandler h queue\nthread S: post a\nthread T: post b\nmessage a on h: w x 1\nmessage b on h: w y 1";
        let deciding = TraceDeciding::open(text).expect("it is a trace");
        let end = view(&deciding, 0, u32::MAX);
        assert!(
            end.sentence.starts_with("This trace is consistent with queues: a run is found after 1 guess"),
            "{}",
            end.sentence
        );
        let kinds: Vec<_> = end.steps.iter().map(|step| (step.kind, step.depth)).collect();
        assert_eq!(kinds, [(StepKind::Open, 0), (StepKind::Guess, 1), (StepKind::InOrder, 1)]);
        assert_eq!(view(&deciding, 0, 2).caption, "Guess: h has a before b.");
        assert_eq!(end.caption, "Guessed: a before b. All messages are in order.");
    }

    #[test]
    fn what_takes_too_long_is_unknown() {
        let deciding = TraceDeciding::within(E1, 10).expect("it is a trace");
        let shown = view(&deciding, 0, 5);
        assert!(shown.verdicts.iter().all(|verdict| verdict.is_consistent.is_none()));
        assert!(shown.sentence.contains("unknown") && shown.drawing.is_some() && shown.steps.is_empty());
        let wrong = TraceDeciding::open("trace\ninitial m on h: w x 1").err().expect("there is no h");
        assert!(!wrong.is_empty());
    }

    #[test]
    fn what_is_mixed_is_asked_as_written_too() {
        let text = "trace\nhandler q queue\nhandler m multiset\ninitial a on q: w x 1\ninitial b on m: w x 2\nmessage c on m waits\nthread T: post c\nco x: a < b";
        let shown = view(&TraceDeciding::open(text).expect("it is a trace"), 0, 0);
        let titles: Vec<&str> = shown.verdicts.iter().map(|verdict| verdict.title.as_str()).collect();
        assert_eq!(titles, ["as written", "queues", "multisets"]);
        let drawing = shown.drawing.expect("it is drawn");
        assert!(drawing.nodes.iter().any(|node| node.label == "c waits"));
    }
}
