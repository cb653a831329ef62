//! What the monitors do, step by step.

use super::text::Words;
use super::timeline::{look, stack, value_of};
use super::view::{Band, BandKind, Mark, NodeState, StepLine, StepTree, StepTreeNode, Steps};
use crate::budget::Budget;
use crate::words::{by_number, count, list};
use crate::{
    Action, Answer, History, Moment, Object, OperationIndex, QueueSearch, QueueTrace, QueueVisit, SetStep, StackStep,
    StackTree, ValueIndex, Violation, is_plain_set, judge_queue_by_tree, judge_stack_as_published, set_steps,
};
use litmoscope_draw::tidy;

/// Histories with more operations have no steps: those of the monitor of stacks are quadratic.
pub(super) const MAX_OPERATIONS: usize = 600;
/// How many steps are listed around the one that is shown.
const LISTED: usize = 200;
/// How many values have steps of their own.
const MAX_CHOICES: usize = 200;
/// How many intervals are drawn each by itself.
const MAX_INTERVALS: usize = 14;
/// Sizes of the boxes of a tree, and how far apart they are.
const BOX: (f64, f64) = (142.0, 44.0);
const APART: (f64, f64) = (156.0, 78.0);

/// A step of a monitor: which, and what of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// The monitor of stacks puts overlapping values aside.
    Aside,
    /// It cuts the history where something found nothing.
    Cut,
    /// It looks at the values of a node.
    Look(usize),
    /// It does something with them.
    Act(usize),
    /// The queue tree is made.
    Tree,
    /// So many visits of the search for a pair.
    Visit(usize, usize),
    /// A search has found nothing, though it visited no node, or went off the tree.
    Missed(usize),
    /// An event of a set.
    Event(usize),
    /// The end.
    End,
}

/// Who has found what.
enum Trace {
    Stack(StackTree),
    Queue { trace: QueueTrace, searches: Vec<QueueSearch> },
    Set { values: Vec<ValueIndex>, choice: usize, steps: Vec<SetStep>, violation: Option<Violation> },
}

/// The steps of a monitor on a history.
pub(super) struct Stepped {
    object: Object,
    answer: Answer,
    trace: Trace,
    steps: Vec<At>,
}

/// What a step shows on the timeline.
pub(super) struct Shown {
    /// By operation: how it is drawn.
    pub marks: Vec<Mark>,
    /// Stretches of time.
    pub bands: Vec<Band>,
}

impl Stepped {
    /// Those of a history, or why there are none, in a sentence. `choice` is the place of a value among those that have steps, of which
    /// those of `first` come first.
    pub(super) fn new(history: &History, object: Object, choice: u32, first: &[ValueIndex]) -> Result<Self, String> {
        if history.operations.len() > MAX_OPERATIONS {
            return Err(format!(
                "Steps are shown of histories with at most {MAX_OPERATIONS} operations; of a longer one, of the few that contradict each other."
            ));
        }
        let mut budget = Budget::unlimited();
        let (answer, trace) = match object {
            Object::Stack => {
                let (answer, tree) = judge_stack_as_published(history, &mut budget).expect("nobody pauses it");
                (answer, Trace::Stack(tree))
            }
            Object::Queue => {
                let (answer, trace) = judge_queue_by_tree(history, &mut budget).expect("nobody pauses it");
                let trace =
                    trace.unwrap_or_else(|| QueueTrace { pairs: Vec::new(), tree: Default::default(), found: None });
                let upto = trace.found.as_ref().map_or(trace.pairs.len(), |(pair, _)| pair + 1);
                let searches = trace.pairs[..upto].iter().map(|pair| trace.tree.search(pair.outer())).collect();
                (answer, Trace::Queue { trace, searches })
            }
            Object::Set if is_plain_set(history) => {
                let mut values = first.to_vec();
                for operation in &history.operations {
                    values.extend(value_of(operation.action).filter(|value| !values.contains(value)));
                }
                values.truncate(MAX_CHOICES);
                let choice = (choice as usize).min(values.len().saturating_sub(1));
                let Some(&value) = values.get(choice) else { return Err("There is nothing to do.".to_owned()) };
                let (steps, violation) = set_steps(history, value);
                let answer = violation.clone().map_or_else(|| Answer::Linearizable(Default::default()), Answer::Not);
                (answer, Trace::Set { values, choice, steps, violation })
            }
            Object::Multiset => {
                return Err("The monitor of multisets counts insertions and removals of each value; it has no steps to be shown."
                    .to_owned());
            }
            _ => {
                return Err("Only the search knows this object or these operations, and it has no steps to be shown."
                    .to_owned());
            }
        };
        if let Answer::Unknown(why) = &answer {
            let why = Words { history, object }.undecided(*why);
            return Err(format!("There are no steps: {why}."));
        }
        let steps = steps_of(history, &answer, &trace);
        Ok(Self { object, answer, trace, steps })
    }

    /// What a step shows.
    pub(super) fn view(&self, history: &History, step: u32) -> (Steps, Shown) {
        let step = (step as usize).min(self.steps.len());
        let at = step.checked_sub(1).map(|place| self.steps[place]);
        let first = step.saturating_sub(LISTED / 2).min(self.steps.len().saturating_sub(LISTED));
        let listed = self.steps.iter().enumerate().skip(first).take(LISTED);
        let words = Words { history, object: self.object };
        let listed = listed.map(|(place, at)| StepLine {
            number: place as u32 + 1,
            depth: self.depth(*at),
            text: self.says(&words, *at),
            is_wrong: self.is_wrong(*at),
        });
        let (choices, choice) = match &self.trace {
            Trace::Set { values, choice, .. } => {
                (values.iter().map(|value| history.value(*value).to_owned()).collect(), *choice as u32)
            }
            _ => (Vec::new(), 0),
        };
        let steps = Steps {
            title: match self.trace {
                Trace::Stack(_) => "The monitor of stacks, as published, corrected",
                Trace::Queue { .. } => "The monitor of queues: a tree of when values are surely in",
                Trace::Set { .. } => "The monitor of sets: the corrected greedy algorithm",
            }
            .to_owned(),
            choices,
            choice,
            step: step as u32,
            all: self.steps.len() as u32,
            caption: at.map_or_else(|| self.start(), |at| self.says(&words, at)),
            notes: at.map_or_else(Vec::new, |at| self.notes(&words, at)),
            listed: listed.collect(),
            tree: self.tree(&words, step, at),
        };
        (steps, self.shown(&words, at))
    }

    fn start(&self) -> String {
        match &self.trace {
            Trace::Stack(_) => "Before the first step. The monitor looks for a value that can be outermost, pushed first and popped last, \
                                or for a moment when nothing is surely in. Then it goes on with what is left."
                .to_owned(),
            Trace::Queue { .. } => "Before the first step. In a queue, no value is surely in during all the time in which another one may \
                                    be in. So the monitor looks for an inner interval that contains an outer one."
                .to_owned(),
            Trace::Set { .. } => "Before the first step. An operation that is called waits until one that returns needs it. Then it takes \
                                  effect, together with as many others as fit."
                .to_owned(),
        }
    }

    fn depth(&self, at: At) -> u32 {
        match (at, &self.trace) {
            (At::Look(node) | At::Act(node), Trace::Stack(tree)) => {
                let mut depth = 0;
                let mut above = tree.nodes[node].parent;
                while let Some(node) = above {
                    depth += 1;
                    above = tree.nodes[node].parent;
                }
                depth
            }
            (At::Visit(_, visits), _) => u32::from(visits > 0),
            (At::Missed(_), _) => 1,
            _ => 0,
        }
    }

    fn is_wrong(&self, at: At) -> bool {
        match (at, &self.trace) {
            (At::Act(node), Trace::Stack(tree)) => matches!(tree.nodes[node].step, StackStep::Stuck(_)),
            (At::Visit(pair, visits), Trace::Queue { searches, .. }) => {
                searches[pair].found.is_some() && visits + 1 == searches[pair].path.len()
            }
            (At::Event(event), Trace::Set { steps, violation, .. }) => violation.is_some() && event + 1 == steps.len(),
            (At::End, _) => matches!(self.answer, Answer::Not(_)),
            _ => false,
        }
    }

    /// What a step does, in a sentence or two.
    fn says(&self, words: &Words<'_>, at: At) -> String {
        match &self.trace {
            Trace::Stack(tree) => self.stack_says(words, tree, at),
            Trace::Queue { trace, searches } => self.queue_says(words, trace, searches, at),
            Trace::Set { steps, violation, .. } => self.set_says(words, steps, violation.as_ref(), at),
        }
    }

    fn end(&self, words: &Words<'_>) -> String {
        match &self.answer {
            Answer::Not(violation) => format!("Not linearizable. {}", words.violation(violation)),
            _ => "Linearizable: nothing is left.".to_owned(),
        }
    }

    fn stack_says(&self, words: &Words<'_>, tree: &StackTree, at: At) -> String {
        let braces = |values: &[ValueIndex]| format!("{{{}}}", names(words, values, 12));
        match at {
            At::Aside => {
                let values = words.values(tree.overlapping.iter().copied());
                format!("Push and pop of {values} overlap: they can take effect one right after the other and fit anywhere, so they are put aside.")
            }
            At::Cut => "An operation that found nothing takes effect when nothing is surely in. The history is cut there, and each part is judged by itself."
                .to_owned(),
            At::Look(node) => {
                let about = &tree.nodes[node];
                let bare = about.populated.len().saturating_sub(1);
                let gaps = match bare {
                    0 => "something is surely in at each moment".to_owned(),
                    bare => format!("there {} {}", by_number(bare as u64, "is", "are"), count(bare as u64, "deserted stretch")),
                };
                format!(
                    "Look at {}: from the return of the first push to the call of the last pop {gaps}.",
                    braces(&about.values),
                )
            }
            At::Act(node) => {
                let about = &tree.nodes[node];
                match &about.step {
                    StackStep::Extreme(values) => {
                        let [can, pushes, pops] = by_number(
                            values.len() as u64,
                            ["can be outermost: its push", "was", "its pop"],
                            ["can be outermost: their pushes", "were", "their pops"],
                        );
                        format!(
                            "{} {can} {pushes} called before any push of {} returned, and {pops} returned after the \
                             last pop was called. The monitor goes on with what is left.",
                            braces(values),
                            braces(&about.values),
                        )
                    }
                    StackStep::Split(from, to) => {
                        let (left, right) = self.halves(words.history, about.values.as_slice(), *from);
                        format!(
                            "No value is extreme. Nothing is surely in between {} and {}: first L = {}, then R = {}.",
                            time(words.history, *from),
                            time(words.history, *to),
                            braces(&left),
                            braces(&right)
                        )
                    }
                    StackStep::Stuck(values) => format!(
                        "Stuck at {}: no value can be outermost, and the stack is never surely empty between. The history is not linearizable.",
                        braces(values)
                    ),
                }
            }
            _ => self.end(words),
        }
    }

    /// Which values were surely pushed before a moment, and the others.
    fn halves(&self, history: &History, values: &[ValueIndex], gap: Moment) -> (Vec<ValueIndex>, Vec<ValueIndex>) {
        let is_left = |value: &ValueIndex| {
            history.operations.iter().any(|operation| {
                operation.action == Action::Insert(*value) && operation.ret.is_some_and(|ret| ret <= gap)
            })
        };
        values.iter().partition(|value| is_left(value))
    }

    fn queue_says(&self, words: &Words<'_>, trace: &QueueTrace, searches: &[QueueSearch], at: At) -> String {
        let history = words.history;
        let outer = |pair: usize| {
            let (from, to) = trace.pairs[pair].outer();
            format!("{}'s outer interval {}", words.value(trace.pairs[pair].value), interval(history, from, to))
        };
        match at {
            At::Tree => format!(
                "The monitor makes a balanced search tree of {} that {} surely in at some time, ordered by when that \
                 begins. Each node knows the latest end below it.",
                count(trace.tree.nodes.len() as u64, "value"),
                if trace.tree.nodes.len() == 1 { "is" } else { "are" }
            ),
            At::Visit(pair, visits) => {
                let search = &searches[pair];
                let visit = search.path[visits];
                let node = &trace.tree.nodes[visit.node];
                let begin = if visits == 0 { format!("Look for {}. ", outer(pair)) } else { String::new() };
                let name = words.value(node.value);
                let here = format!("{name} is surely in over {}", interval(history, node.left, node.right));
                let (left, right) = trace.pairs[pair].outer();
                let then = if search.found == Some(visit.node) && visits + 1 == search.path.len() {
                    let (around, inside) = (name, words.value(trace.pairs[pair].value));
                    return format!("{begin}{here}, which contains it: {around} is around {inside}, a critical pair.");
                } else if node.left > left {
                    "which begins too late: go left".to_owned()
                } else {
                    let high = visit.probe.map(|child| &trace.tree.nodes[child]);
                    let ends = format!("which ends before {}", time(history, right));
                    match high {
                        Some(child) if child.high >= right => {
                            format!(
                                "{ends}, but to the left something lasts until {}: go left",
                                time(history, child.high)
                            )
                        }
                        Some(child) => {
                            format!(
                                "{ends}, and to the left nothing lasts longer than {}: go right",
                                time(history, child.high)
                            )
                        }
                        None => format!("{ends}, and there is nothing to the left: go right"),
                    }
                };
                format!("{begin}{here}, {then}.")
            }
            At::Missed(pair) if searches[pair].path.is_empty() => {
                format!("{} is in no inner interval, because there is none.", outer(pair))
            }
            At::Missed(pair) => format!("There is no more: nothing contains {}.", outer(pair)),
            _ => self.end(words),
        }
    }

    fn set_says(&self, words: &Words<'_>, steps: &[SetStep], violation: Option<&Violation>, at: At) -> String {
        let At::Event(event) = at else { return self.end(words) };
        let step = &steps[event];
        let history = words.history;
        let what = words.operation(step.operation);
        let thread = history.thread(history.operation(step.operation).thread);
        let begin = format!(
            "{}: {what} of {thread} {}.",
            time(history, step.moment),
            if step.is_return { "returns" } else { "is called" }
        );
        if let Some(violation) = violation.filter(|_| event + 1 == steps.len()) {
            return format!("{begin} {}", words.violation(violation));
        }
        let effects = list(step.effects.iter().map(|operation| words.operation(*operation)).collect::<Vec<_>>());
        let then = match (step.effects.len(), step.forced) {
            (0, _) if step.is_return => "It has taken effect before.".to_owned(),
            (0, _) => "It waits.".to_owned(),
            (_, Some(forced)) => {
                format!(
                    "Something has to take effect now: {effects}. The turn of {} was forced.",
                    words.operation(forced)
                )
            }
            (1, None) => format!("{effects} takes effect."),
            (_, None) => format!("{effects} take effect."),
        };
        format!("{begin} {then}")
    }

    fn notes(&self, words: &Words<'_>, at: At) -> Vec<String> {
        match (at, &self.trace) {
            (At::Event(event), Trace::Set { values, choice, steps, .. }) => {
                let step = &steps[event];
                let placed = |operations: &[OperationIndex]| match operations {
                    [] => "none".to_owned(),
                    all => list(all.iter().map(|operation| self.named(words, *operation)).collect::<Vec<_>>()),
                };
                let value = words.value(values[*choice]);
                let is_in = if step.is_in { "in" } else { "not in" };
                let mut notes = vec![format!("{value} is {is_in}."), format!("Active: {}.", placed(&step.active))];
                if !step.waiting.is_empty() {
                    notes.push(format!("Queries that wait for the other state: {}.", placed(&step.waiting)));
                }
                notes
            }
            (At::Look(node) | At::Act(node), Trace::Stack(tree)) => {
                let about = &tree.nodes[node];
                let stretches = about.populated.iter().map(|&(from, to)| interval(words.history, from, to));
                let deserted = about.populated.windows(2).map(|pair| interval(words.history, pair[0].1, pair[1].0));
                let (stretches, deserted): (Vec<_>, Vec<_>) = (stretches.collect(), deserted.collect());
                let mut notes = vec![format!("Populated: {}.", or_none(stretches))];
                notes.push(format!("Deserted between: {}.", or_none(deserted)));
                notes
            }
            _ => Vec::new(),
        }
    }

    fn named(&self, words: &Words<'_>, operation: OperationIndex) -> String {
        let thread = words.history.operation(operation).thread;
        format!("{} ({})", words.operation(operation), words.history.thread(thread))
    }

    fn shown(&self, words: &Words<'_>, at: Option<At>) -> Shown {
        let history = words.history;
        let mut shown = Shown { marks: vec![Mark::Plain; history.operations.len()], bands: Vec::new() };
        let Some(at) = at else { return shown };
        match &self.trace {
            Trace::Stack(tree) => shown.stack(self, history, tree, at),
            Trace::Queue { trace, searches } => shown.queue(history, trace, searches, at),
            Trace::Set { values, choice, steps, violation } => {
                shown.set(history, values[*choice], steps, violation.is_some(), at);
            }
        }
        shown
    }

    fn tree(&self, words: &Words<'_>, step: usize, at: Option<At>) -> Option<StepTree> {
        match &self.trace {
            Trace::Stack(tree) if !tree.nodes.is_empty() => Some(self.recursion(words, tree, step)),
            Trace::Queue { trace, searches } if !trace.tree.nodes.is_empty() => {
                Some(queue_tree(words, trace, searches, at))
            }
            _ => None,
        }
    }

    fn recursion(&self, words: &Words<'_>, tree: &StackTree, step: usize) -> StepTree {
        // Where several parts are below none, one node stands for all.
        let extra = usize::from(tree.roots.len() > 1);
        let mut parents: Vec<usize> = vec![0; extra];
        parents.extend(tree.nodes.iter().map(|node| node.parent.map_or(0, |parent| parent + extra)));
        let across = tidy(&parents);
        let mut depths = vec![0_usize; parents.len()];
        for node in 1..parents.len() {
            depths[node] = depths[parents[node]] + 1;
        }
        let shown = self.steps[..step].iter().filter_map(|at| match at {
            At::Look(node) => Some((*node, false)),
            At::Act(node) => Some((*node, true)),
            _ => None,
        });
        let mut reached: Vec<Option<bool>> = vec![None; tree.nodes.len()];
        let mut now = None;
        for (node, is_done) in shown {
            reached[node] = Some(is_done);
            now = Some(node);
        }
        let is_end = matches!(step.checked_sub(1).map(|place| self.steps[place]), Some(At::End));
        let mut nodes = Vec::new();
        if extra == 1 {
            nodes.push(StepTreeNode {
                parent: None,
                edge: String::new(),
                x: place(across[0], 0).0,
                y: place(0.0, 0).1,
                width: BOX.0,
                height: BOX.1,
                lines: vec!["the parts between".to_owned(), "empty removals".to_owned()],
                state: NodeState::Done,
                step: None,
                title: "The history is cut where something found nothing.".to_owned(),
            });
        }
        for (index, node) in tree.nodes.iter().enumerate() {
            let (x, y) = place(across[index + extra], depths[index + extra]);
            let is_stuck = matches!(node.step, StackStep::Stuck(_));
            let state = match reached[index] {
                None => NodeState::Ahead,
                Some(true) if is_stuck => NodeState::Wrong,
                Some(_) if now == Some(index) && !is_end => NodeState::Now,
                Some(_) => NodeState::Done,
            };
            let act = match (&node.step, reached[index]) {
                (_, None | Some(false)) => String::new(),
                (StackStep::Extreme(values), _) => format!("{} extreme", names(words, values, 3)),
                (StackStep::Split(from, to), _) => format!("gap {}", bare_interval(words.history, *from, *to)),
                (StackStep::Stuck(_), _) => "stuck".to_owned(),
            };
            let edge = match node.parent.map(|parent| (&tree.nodes[parent], parent)) {
                Some((above, _)) if matches!(above.step, StackStep::Split(..)) => {
                    if above.children.first() == Some(&index) { "L" } else { "R" }
                }
                _ => "",
            };
            let number = self.steps.iter().position(|at| *at == At::Act(index));
            let mut lines = vec![format!("{{{}}}", names(words, &node.values, 4))];
            lines.extend((!act.is_empty()).then_some(act));
            nodes.push(StepTreeNode {
                parent: node.parent.map(|parent| (parent + extra) as u32).or((extra == 1).then_some(0)),
                edge: edge.to_owned(),
                x,
                y,
                width: BOX.0,
                height: BOX.1,
                lines,
                state,
                step: number.map(|place| place as u32 + 1),
                title: self.stack_says(words, tree, At::Act(index)),
            });
        }
        sized("The tree of the recursion", nodes)
    }
}

/// The steps of a monitor.
fn steps_of(history: &History, answer: &Answer, trace: &Trace) -> Vec<At> {
    let mut steps = Vec::new();
    match trace {
        Trace::Stack(tree) => {
            if !tree.overlapping.is_empty() {
                steps.push(At::Aside);
            }
            let finds_nothing = history.operations.iter().any(|operation| operation.action == Action::RemoveNothing);
            if finds_nothing && !tree.nodes.is_empty() {
                steps.push(At::Cut);
            }
            for node in 0..tree.nodes.len() {
                steps.extend([At::Look(node), At::Act(node)]);
            }
            let is_stuck = tree.nodes.last().is_some_and(|node| matches!(node.step, StackStep::Stuck(_)));
            if !is_stuck {
                steps.push(At::End);
            }
        }
        Trace::Queue { trace, searches } => {
            if !trace.tree.nodes.is_empty() {
                steps.push(At::Tree);
            }
            for (pair, search) in searches.iter().enumerate() {
                steps.extend((0..search.path.len()).map(|visit| At::Visit(pair, visit)));
                if search.found.is_none() {
                    steps.push(At::Missed(pair));
                }
            }
            if trace.found.is_none() {
                steps.push(At::End);
            }
        }
        Trace::Set { steps: events, .. } => {
            steps.extend((0..events.len()).map(At::Event));
            if !matches!(answer, Answer::Not(_)) {
                steps.push(At::End);
            }
        }
    }
    steps
}

fn names(words: &Words<'_>, values: &[ValueIndex], most: usize) -> String {
    let mut names: Vec<&str> = values.iter().take(most).map(|value| words.value(*value)).collect();
    let more = format!("… {} more", values.len().saturating_sub(most));
    if values.len() > most {
        names.push(&more);
    }
    names.join(", ")
}

fn or_none(all: Vec<String>) -> String {
    const MOST: usize = 8;
    match all.len() {
        0 => "nowhere".to_owned(),
        len if len > MOST => format!("{} and {} more", all[..MOST].join(", "), len - MOST),
        _ => list(all),
    }
}

/// A moment's time as written.
fn time(history: &History, moment: Moment) -> String {
    history.times.get(moment.index()).map_or_else(|| "the end".to_owned(), i64::to_string)
}

fn interval(history: &History, from: Moment, to: Moment) -> String {
    format!("{} to {}", time(history, from), time(history, to))
}

fn bare_interval(history: &History, from: Moment, to: Moment) -> String {
    format!("({},{})", time(history, from), time(history, to))
}

/// The place of a node, by where it stands across and how deep.
fn place(across: f64, depth: usize) -> (f64, f64) {
    (across * APART.0 + BOX.0 / 2.0, depth as f64 * APART.1 + BOX.1 / 2.0)
}

fn sized(title: &str, nodes: Vec<StepTreeNode>) -> StepTree {
    let width = nodes.iter().map(|node| node.x + node.width / 2.0).fold(0.0, f64::max);
    let height = nodes.iter().map(|node| node.y + node.height / 2.0).fold(0.0, f64::max);
    StepTree { title: title.to_owned(), nodes, width, height }
}

fn queue_tree(words: &Words<'_>, trace: &QueueTrace, searches: &[QueueSearch], at: Option<At>) -> StepTree {
    let tree = &trace.tree;
    let mut parents = vec![None; tree.nodes.len()];
    for (index, node) in tree.nodes.iter().enumerate() {
        for (child, edge) in [(node.ltree, "L"), (node.rtree, "R")] {
            if let Some(child) = child {
                parents[child] = Some((index, edge));
            }
        }
    }
    // In order of when they begin, so that what is to the left begins earlier.
    let mut ranks: Vec<usize> = (0..tree.nodes.len()).collect();
    ranks.sort_by_key(|node| tree.nodes[*node].left);
    let mut across = vec![0.0; tree.nodes.len()];
    // Neighbours in this order are on different levels, so they may stand closer than two boxes of one level.
    ranks.iter().enumerate().for_each(|(rank, node)| across[*node] = 0.55 * rank as f64);
    let mut depths = vec![0_usize; tree.nodes.len()];
    for node in 1..tree.nodes.len() {
        depths[node] = parents[node].map_or(0, |(parent, _): (usize, &str)| depths[parent] + 1);
    }
    let way: &[QueueVisit] = match at {
        Some(At::Visit(pair, visits)) => &searches[pair].path[..=visits],
        Some(At::Missed(pair)) => &searches[pair].path,
        Some(At::End) | Some(_) | None => &[],
    };
    let is_over = matches!(at, Some(At::Missed(_)));
    let found = match at {
        Some(At::Visit(pair, visits)) if visits + 1 == searches[pair].path.len() => searches[pair].found,
        _ => None,
    };
    let nodes = tree.nodes.iter().enumerate().map(|(index, node)| {
        let (x, y) = place(across[index], depths[index]);
        let state = match way.iter().position(|visit| visit.node == index) {
            Some(_) if found == Some(index) => NodeState::Wrong,
            Some(visit) if visit + 1 == way.len() && !is_over => NodeState::Now,
            Some(_) => NodeState::Way,
            None => NodeState::Ahead,
        };
        let history = words.history;
        StepTreeNode {
            parent: parents[index].map(|(parent, _)| parent as u32),
            edge: parents[index].map_or_else(String::new, |(_, edge)| edge.to_owned()),
            x,
            y,
            width: BOX.0,
            height: BOX.1,
            lines: vec![
                format!("{}: {}", words.value(node.value), bare_interval(history, node.left, node.right)),
                format!("latest end {}", time(history, node.high)),
            ],
            state,
            step: None,
            title: format!(
                "{} is surely in over {}; below this node nothing lasts longer than {}.",
                words.value(node.value),
                interval(history, node.left, node.right),
                time(history, node.high)
            ),
        }
    });
    sized("The queue tree", nodes.collect())
}

impl Shown {
    fn mark(&mut self, history: &History, values: &[ValueIndex], mark: Mark) {
        for (index, operation) in history.indexed() {
            if value_of(operation.action).is_some_and(|value| values.contains(&value)) {
                self.marks[index.index()] = mark;
            }
        }
    }

    fn band(&mut self, history: &History, (from, to): (Moment, Moment), kind: BandKind, title: &str) {
        let behind = history.times.len() as f64;
        let (from, to) = (f64::from(from.0).min(behind), f64::from(to.0).min(behind));
        self.bands.push(Band { from, to, kind, title: title.to_owned(), colour: None, lane: 0 });
    }

    /// When values are surely in, each by itself, if they are few.
    fn inner(&mut self, history: &History, values: &[ValueIndex]) {
        if values.len() > MAX_INTERVALS {
            return;
        }
        let behind = history.times.len() as f64;
        let mut bands = Vec::new();
        for &value in values {
            let at = |action: Action| history.operations.iter().find(|operation| operation.action == action);
            let pushed = at(Action::Insert(value)).and_then(|operation| operation.ret);
            let popped = at(Action::Remove(value)).map(|operation| operation.call);
            let Some(pushed) = pushed else { continue };
            let (from, to) = (f64::from(pushed.0), popped.map_or(behind, |popped| f64::from(popped.0)));
            if from < to {
                let (name, colour) = look(history, value);
                let title = format!("{name} is surely in");
                bands.push(Band { from, to, kind: BandKind::Inner, title, colour: Some(colour), lane: 0 });
            }
        }
        stack(&mut bands);
        self.bands.extend(bands);
    }

    fn stack(&mut self, stepped: &Stepped, history: &History, tree: &StackTree, at: At) {
        let (node, acts) = match at {
            At::Look(node) => (node, false),
            At::Act(node) => (node, true),
            At::Aside => {
                self.marks.fill(Mark::Plain);
                self.mark(history, &tree.overlapping, Mark::Now);
                return;
            }
            At::Cut => {
                for (index, operation) in history.indexed() {
                    if operation.action == Action::RemoveNothing {
                        self.marks[index.index()] = Mark::Now;
                    }
                }
                return;
            }
            _ => return,
        };
        let about = &tree.nodes[node];
        self.marks.fill(Mark::Faded);
        self.mark(history, &about.values, Mark::Plain);
        for &stretch in &about.populated {
            self.band(history, stretch, BandKind::Populated, "something is surely in");
        }
        for pair in about.populated.windows(2) {
            self.band(history, (pair[0].1, pair[1].0), BandKind::Deserted, "nothing is surely in");
        }
        self.inner(history, &about.values);
        match &about.step {
            _ if !acts => {}
            StackStep::Extreme(values) => self.mark(history, values, Mark::Extreme),
            StackStep::Split(from, to) => {
                let (left, right) = stepped.halves(history, &about.values, *from);
                self.mark(history, &left, Mark::Left);
                self.mark(history, &right, Mark::Right);
                self.band(history, (*from, *to), BandKind::Gap, "the gap at which the history is split");
            }
            StackStep::Stuck(values) => self.mark(history, values, Mark::Wrong),
        }
    }

    fn queue(&mut self, history: &History, trace: &QueueTrace, searches: &[QueueSearch], at: At) {
        let (pair, visits) = match at {
            At::Tree => {
                let values: Vec<ValueIndex> = trace.tree.nodes.iter().map(|node| node.value).collect();
                self.inner(history, &values);
                return;
            }
            At::Visit(pair, visits) => (pair, Some(visits)),
            At::Missed(pair) => (pair, None),
            _ => return,
        };
        let sought = &trace.pairs[pair];
        self.marks.fill(Mark::Faded);
        self.mark(history, &[sought.value], Mark::Now);
        self.band(history, sought.outer(), BandKind::Outer, "the value that is looked for may be in");
        if let Some(last) = self.bands.last_mut() {
            last.colour = Some(look(history, sought.value).1);
        }
        let Some(visits) = visits else { return };
        let search = &searches[pair];
        let node = &trace.tree.nodes[search.path[visits].node];
        let is_found = search.found.is_some() && visits + 1 == search.path.len();
        let mark = if is_found { Mark::Wrong } else { Mark::Active };
        self.mark(history, &[node.value], mark);
        if is_found {
            self.mark(history, &[sought.value], Mark::Wrong);
        }
        self.band(history, (node.left, node.right), BandKind::Inner, "the value of the node is surely in");
        if let Some(last) = self.bands.last_mut() {
            last.colour = Some(look(history, node.value).1);
            last.lane = 1;
        }
    }

    fn set(&mut self, history: &History, value: ValueIndex, steps: &[SetStep], is_violated: bool, at: At) {
        self.marks.fill(Mark::Faded);
        self.mark(history, &[value], Mark::Plain);
        let At::Event(event) = at else { return };
        let step = &steps[event];
        for operation in step.active.iter().chain(&step.waiting) {
            self.marks[operation.index()] = Mark::Active;
        }
        for operation in &step.effects {
            self.marks[operation.index()] = Mark::Effect;
        }
        if let Some(forced) = step.forced {
            self.marks[forced.index()] = Mark::Forced;
        }
        let is_last = event + 1 == steps.len();
        if is_violated && is_last {
            self.marks[step.operation.index()] = Mark::Wrong;
        } else if step.effects.is_empty() {
            self.marks[step.operation.index()] = Mark::Now;
        }
        self.band(history, (step.moment, step.moment), BandKind::Now, "now");
    }
}
