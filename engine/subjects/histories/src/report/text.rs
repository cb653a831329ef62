//! Whether a history is linearizable, as text and JSON.

use crate::words::Detail;
use crate::words::{self, count, grouped};
use crate::{
    Action, Answer, Fact, History, Judgement, Linearization, MAX_STRETCHED, Minimal, Monitor, Object, Obstacle,
    Operation, OperationIndex, Undecided, ValueIndex, Violation, history_word, is_plain_set, printed_counters,
    printed_greedy,
};
use serde::Serialize;
use std::fmt::Write;

/// How many operations of a linearization are listed.
const MAX_LISTED: usize = 1000;

/// What is said of a history.
#[derive(Clone, Copy, Debug)]
pub struct HistoryReport<'a> {
    /// What to call it.
    pub name: &'a str,
    /// The operations.
    pub history: &'a History,
    /// What the object is.
    pub object: Object,
    /// What was found out; `None` if it was stopped.
    pub judgement: Option<&'a Judgement>,
    /// The few operations that contradict each other, if that was asked for and some do.
    pub minimal: Option<&'a Minimal>,
    /// The search for these was stopped.
    pub is_minimal_stopped: bool,
    /// What the rules as printed say, if that was asked for.
    pub printed: Option<Printed>,
}

/// What the rules of sets say as they are printed: each is necessary, neither is sufficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Printed {
    /// Whether the counters accept the history.
    counters: bool,
    /// Whether the greedy algorithm does.
    greedy: bool,
}

impl Printed {
    /// What they say of a history; `None` if they have nothing to say of its object or its operations.
    pub fn of(history: &History, object: Object) -> Option<Self> {
        (object == Object::Set && is_plain_set(history))
            .then(|| Self { counters: printed_counters(history).is_ok(), greedy: printed_greedy(history).is_ok() })
    }

    /// Whether one of them accepts the history.
    pub(super) fn accepts(self) -> bool {
        self.counters || self.greedy
    }

    pub(super) fn sentence(self) -> String {
        let [counters, greedy] = [self.counters, self.greedy].map(|accepts| if accepts { "accept" } else { "refuse" });
        format!("The counters as printed would {counters} it, the greedy algorithm as printed would {greedy} it.")
    }
}

/// A linearization, a line an operation: the thread, what it does, its call and return, and behind which time it takes effect.
pub fn witness_text(history: &History, object: Object, linearization: &Linearization) -> String {
    let words = Words { history, object };
    let mut out = String::new();
    if !history.name.is_empty() {
        let _ = writeln!(out, "# {}", history.name);
    }
    for point in &linearization.points {
        let takes = point.takes.map_or(String::new(), |value| format!(", takes {}", words.value(value)));
        let after = history.times.get(point.after.index()).copied().unwrap_or_else(|| i64::from(point.after.0));
        let _ = writeln!(out, "{}{takes}, after {after}", words.placed(point.operation));
    }
    out
}

/// A history's answer as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct HistoryJson {
    name: String,
    object: &'static str,
    operations: usize,
    pending: usize,
    threads: usize,
    /// `linearizable`, `not_linearizable` or `unknown`.
    verdict: &'static str,
    /// Who found it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    monitor: Option<&'static str>,
    /// Of a linearizable history, if that is asked for: the operations in the order in which they take effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    linearization: Option<Vec<PointJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<ViolationJson>,
    /// Why the verdict is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimal: Option<MinimalJson>,
    /// The search for the few operations that contradict each other was stopped.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    minimal_stopped: bool,
    /// Whether the rules as printed accept the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    as_printed: Option<Printed>,
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OperationJson {
    thread: String,
    /// `push 1`.
    operation: String,
    /// When it was called, as the text has it.
    call: i64,
    /// When it returned; left out while it is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    r#return: Option<i64>,
    /// The line of the text; left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

#[derive(Clone, Debug, Serialize)]
struct PointJson {
    #[serde(flatten)]
    operation: OperationJson,
    /// What a pending removal takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    takes: Option<String>,
    /// It takes effect behind the call or return of this time, and before the next one.
    after: i64,
}

#[derive(Clone, Debug, Serialize)]
struct ViolationJson {
    /// `removed_twice`, `never_inserted`, `removed_before_inserted`, `never_empty`, `critical`, `stuck`, `nothing_to_linearize` or
    /// `no_order`.
    kind: &'static str,
    /// In a sentence.
    text: String,
    /// The values that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<String>,
    /// The operations that it is about.
    operations: Vec<OperationJson>,
}

#[derive(Clone, Debug, Serialize)]
struct MinimalJson {
    operations: Vec<OperationJson>,
    /// Which cannot all be: `[i, j]` says that operation i of these returned before j was called.
    facts: Vec<[usize; 2]>,
    /// There are too many operations for the facts to be looked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    facts_left_out: bool,
}

impl HistoryReport<'_> {
    /// The answer in a word: `linearizable`, `not_linearizable` or `unknown`.
    pub fn verdict(&self) -> &'static str {
        match self.judgement.map(|judgement| &judgement.answer) {
            Some(Answer::Linearizable(_)) => "linearizable",
            Some(Answer::Not(_)) => "not_linearizable",
            Some(Answer::Unknown(_)) | None => "unknown",
        }
    }

    fn words(&self) -> Words<'_> {
        Words { history: self.history, object: self.object }
    }

    /// How large the history is.
    pub fn size(&self) -> String {
        let operations = self.history.operations.len() as u64;
        let pending = self.history.operations.iter().filter(|operation| operation.ret.is_none()).count();
        let pending =
            if pending > 0 { format!(", {} of them pending", grouped(pending as u64)) } else { String::new() };
        let threads = count(self.history.threads.len() as u64, "thread");
        format!("{} of {threads}{pending}", count(operations, "operation"))
    }

    /// The verdict in a sentence.
    pub fn sentence(&self) -> String {
        let (name, object) = (self.name, self.object.name());
        let Some(judgement) = self.judgement else {
            return format!("Whether {name} is linearizable is unknown: it was stopped before there was an answer.");
        };
        match &judgement.answer {
            Answer::Linearizable(_) => format!("{name} is linearizable as a {object}."),
            Answer::Not(_) => format!("{name} is not linearizable as a {object}."),
            Answer::Unknown(why) => {
                format!("Whether {name} is linearizable as a {object} is unknown: {}.", self.words().undecided(*why))
            }
        }
    }

    /// All that is said.
    pub fn text(&self, detail: Detail) -> String {
        let mut out = format!("{}\n  {}", self.sentence(), self.size());
        let Some(judgement) = self.judgement else { return out + "\n" };
        let _ = writeln!(out, ", decided by {}", decided_by(judgement.by));
        let words = self.words();
        match &judgement.answer {
            Answer::Linearizable(linearization) if detail == Detail::Full => {
                words.list(&mut out, linearization);
            }
            Answer::Linearizable(_) | Answer::Unknown(_) => {}
            Answer::Not(violation) => {
                let _ = writeln!(out, "  {}", words.violation(violation));
                for line in words.reasons(violation) {
                    let _ = writeln!(out, "    {line}");
                }
            }
        }
        if let Some(minimal) = self.minimal {
            out += &self.minimal_text(minimal);
        }
        if self.is_minimal_stopped {
            out += "  The search for the few operations that contradict each other was stopped.\n";
        }
        if let Some(printed) = self.printed {
            let _ = writeln!(out, "  {}", printed.sentence());
        }
        out
    }

    fn minimal_text(&self, minimal: &Minimal) -> String {
        let whole = self.words();
        let mut out =
            String::from("  These operations contradict each other; without any of their values nothing would:\n");
        for &operation in &minimal.operations {
            let _ = writeln!(out, "    {}", whole.placed(operation));
        }
        if !minimal.facts.is_empty() {
            out += "  It is enough to know of them:\n";
        }
        for fact in &minimal.facts {
            let _ = writeln!(out, "    {}", whole.fact(minimal, fact));
        }
        if has_no_facts(minimal) {
            let most = grouped(MAX_STRETCHED as u64);
            let _ =
                writeln!(out, "  These are more than {most}: what it is enough to know of them was not looked for.");
        }
        out
    }
}

/// Whether a history was too long for the few facts about it to be looked for.
fn has_no_facts(minimal: &Minimal) -> bool {
    minimal.history.operations.len() > MAX_STRETCHED
}

/// Who judged, for those who know no monitors by name.
pub(super) fn decided_by(monitor: Monitor) -> &'static str {
    match monitor {
        Monitor::Auto | Monitor::Fast => "the fast algorithm for this kind of object",
        Monitor::Published => "the published algorithm for this kind of object",
        Monitor::Search => "a search through possible orders",
    }
}

/// Names of operations and sentences about a history.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// The operations.
    pub history: &'a History,
    /// What the object is.
    pub object: Object,
}

impl Words<'_> {
    pub(super) fn value(&self, value: ValueIndex) -> &str {
        self.history.value(value)
    }

    /// Values in a sentence; of many, the first ones and how many more there are.
    pub(super) fn values(&self, values: impl ExactSizeIterator<Item = ValueIndex>) -> String {
        const MOST: usize = 12;
        let rest = values.len().saturating_sub(MOST);
        let mut names: Vec<String> = values.take(MOST).map(|value| self.value(value).to_owned()).collect();
        if rest > 0 {
            names.push(format!("{} more", grouped(rest as u64)));
        }
        words::list(names)
    }

    /// What insertions and removals are called.
    pub const fn verbs(object: Object) -> [&'static str; 2] {
        match object {
            Object::Stack => ["push", "pop"],
            Object::Queue => ["enqueue", "dequeue"],
            Object::PriorityQueue => ["insert", "delete-min"],
            Object::Set | Object::Multiset | Object::Register | Object::Counter => ["add", "remove"],
        }
    }

    /// What an operation does, with its result, as our own text has it: `push 1`, `pop empty`, `contains 3 false`.
    pub fn action(&self, action: Action) -> String {
        let [insert, remove] = Self::verbs(self.object);
        let word = |value| history_word(self.value(value));
        match action {
            Action::Insert(value) => format!("{insert} {}", word(value)),
            Action::Remove(value) => format!("{remove} {}", word(value)),
            Action::RemoveAny => remove.to_owned(),
            Action::RemoveNothing => format!("{remove} empty"),
            Action::Contains(value, found) => format!("contains {} {found}", word(value)),
            Action::Read(value) => format!("read {}", word(value)),
            Action::Write(value) => format!("write {}", word(value)),
            Action::CompareAndSet { expected, new, succeeded } => {
                let result = succeeded.map_or_else(String::new, |succeeded| format!(" {succeeded}"));
                format!("cas {} {}{result}", word(expected), word(new))
            }
            Action::Increase(by) => format!("inc {by}"),
            Action::Total(total) => format!("read {total}"),
        }
    }

    /// An operation: `push 1`.
    pub fn operation(&self, operation: OperationIndex) -> String {
        self.action(self.history.operation(operation).action)
    }

    /// An operation with its thread, its line and its times.
    pub fn placed(&self, operation: OperationIndex) -> String {
        let about = self.history.operation(operation);
        let (call, ret) = self.times(about);
        let ret = ret.map_or_else(|| "?".to_owned(), |ret| ret.to_string());
        let line = if about.line > 0 { format!(" (line {})", about.line) } else { String::new() };
        format!("{}: {} [{call},{ret}]{line}", self.history.thread(about.thread), self.action(about.action))
    }

    fn times(&self, operation: &Operation) -> (i64, Option<i64>) {
        let time = |moment: crate::Moment| {
            self.history.times.get(moment.index()).copied().unwrap_or_else(|| i64::from(moment.0))
        };
        (time(operation.call), operation.ret.map(time))
    }

    pub(super) fn json(&self, operation: OperationIndex) -> OperationJson {
        let about = self.history.operation(operation);
        let (call, ret) = self.times(about);
        OperationJson {
            thread: self.history.thread(about.thread).to_owned(),
            operation: self.action(about.action),
            call,
            r#return: ret,
            line: (about.line > 0).then_some(about.line),
        }
    }

    /// That one of the few operations returned before another one was called. The words are those of the whole history.
    pub fn fact(&self, minimal: &Minimal, fact: &Fact) -> String {
        let [earlier, later] = [fact.earlier, fact.later].map(|operation| {
            let operation = minimal.operations[operation.index()];
            let (action, about) = (self.operation(operation), self.history.operation(operation));
            let does_the_same = |other: &OperationIndex| self.history.operation(*other).action == about.action;
            // Of two that do the same, the threads and times say which is meant.
            if minimal.operations.iter().filter(|other| does_the_same(other)).count() > 1 {
                self.placed(operation)
            } else {
                action
            }
        });
        format!("{earlier} returned before {later} was called")
    }

    /// Why nothing is known, as the end of a sentence.
    pub fn undecided(&self, why: Undecided) -> String {
        match why {
            Undecided::Limit => "the search was given up at its limit".to_owned(),
            Undecided::TooManyAssignments => {
                "the removals that have not returned may have taken values in too many ways".to_owned()
            }
            Undecided::InsertedTwice { first, second } => format!(
                "the monitor knows values that are inserted once, and {} and {} insert the same; the search would take it",
                self.placed(first),
                self.placed(second)
            ),
            Undecided::NotMonitored { operation } => {
                format!("the monitor does not know {}; the search would take it", self.placed(operation))
            }
        }
    }

    /// Why a history is not linearizable, in a sentence.
    pub fn violation(&self, violation: &Violation) -> String {
        match violation {
            Violation::RemovedTwice { first, second } => {
                format!(
                    "{} and {} took the same value, which was inserted once.",
                    self.placed(*first),
                    self.placed(*second)
                )
            }
            Violation::NeverInserted { operation } => {
                format!("{} found a value that was never inserted.", self.placed(*operation))
            }
            Violation::RemovedBeforeInserted { removal, insertion } => {
                format!("{} returned before {} was called.", self.placed(*removal), self.placed(*insertion))
            }
            Violation::NeverEmpty { removal, chain } => {
                let values = self.values(chain.iter().copied());
                let who = if chain.len() == 1 { "it".to_owned() } else { "one of them".to_owned() };
                format!(
                    "{} found nothing, but {values} kept the {} from being empty: from its call to its return {who} was surely in.",
                    self.placed(*removal),
                    self.object.name()
                )
            }
            Violation::Critical { around, inside } => self.critical(*around, *inside),
            Violation::Stuck { values, .. } => {
                let names = self.values(values.iter().map(|&(value, _)| value));
                format!(
                    "None of {names} can be pushed first and popped last, and between the first push's return and the last pop's call \
                     the stack is never surely empty."
                )
            }
            Violation::NothingToLinearize { value, operation, .. } => format!(
                "{} had returned, and nothing was left that could have put the {} in the state that it needs for {}.",
                self.placed(*operation),
                self.object.name(),
                self.value(*value)
            ),
            Violation::NoOrder { operation } => format!(
                "No order of the operations does what a {} promises: up to the return of {} there are some, beyond it there is none.",
                self.object.name(),
                self.placed(*operation)
            ),
        }
    }

    fn critical(&self, around: ValueIndex, inside: ValueIndex) -> String {
        let [insert, remove] = Self::verbs(self.object);
        let (around, inside) = (self.value(around), self.value(inside));
        format!(
            "{around} went in first and {inside} came out first: {insert} {around} returned before {insert} {inside} was called, and \
             {remove} {inside} returned before {remove} {around} was called, if it ever was."
        )
    }

    /// The details of a violation, a sentence each.
    pub fn reasons(&self, violation: &Violation) -> Vec<String> {
        match violation {
            Violation::Stuck { values, chain } => {
                let mut reasons: Vec<String> =
                    values.iter().map(|&(value, obstacle)| self.obstacle(value, obstacle)).collect();
                let names = self.values(chain.iter().copied());
                reasons.push(format!("One after the other, {names} kept the stack from being empty."));
                reasons
            }
            Violation::NothingToLinearize { spent, .. } => spent
                .iter()
                .map(|&(operation, sake)| {
                    if operation == sake {
                        format!("{} had taken effect by its own return.", self.placed(operation))
                    } else {
                        format!("{} had taken effect, because {} needed it.", self.placed(operation), self.placed(sake))
                    }
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    pub(super) fn obstacle(&self, value: ValueIndex, obstacle: Obstacle) -> String {
        let value = self.value(value);
        match obstacle {
            Obstacle::Push(other) => {
                format!(
                    "{value} was not pushed first: {} returned before push {value} was called.",
                    self.operation(other)
                )
            }
            Obstacle::Pop(other) => {
                format!(
                    "{value} was not popped last: {} was called after pop {value} had returned.",
                    self.operation(other)
                )
            }
            Obstacle::Stays(other) => {
                format!("{value} was not popped last: {} was never popped, and {value} was.", self.value(other))
            }
        }
    }

    fn list(&self, out: &mut String, linearization: &Linearization) {
        let _ = writeln!(out, "  The operations can take effect in this order:");
        for point in linearization.points.iter().take(MAX_LISTED) {
            let takes = point.takes.map_or(String::new(), |value| format!(", which takes {}", self.value(value)));
            let _ = writeln!(out, "    {}{takes}", self.placed(point.operation));
        }
        let rest = linearization.points.len().saturating_sub(MAX_LISTED);
        if rest > 0 {
            let _ = writeln!(out, "    … and {} more, which --witness writes", grouped(rest as u64));
        }
    }

    fn violation_json(&self, violation: &Violation) -> ViolationJson {
        let (kind, values, operations) = match violation {
            Violation::RemovedTwice { first, second } => ("removed_twice", vec![], vec![*first, *second]),
            Violation::NeverInserted { operation } => ("never_inserted", vec![], vec![*operation]),
            Violation::RemovedBeforeInserted { removal, insertion } => {
                ("removed_before_inserted", vec![], vec![*removal, *insertion])
            }
            Violation::NeverEmpty { removal, chain } => ("never_empty", chain.clone(), vec![*removal]),
            Violation::Critical { around, inside } => ("critical", vec![*around, *inside], vec![]),
            Violation::Stuck { values, .. } => ("stuck", values.iter().map(|&(value, _)| value).collect(), vec![]),
            Violation::NothingToLinearize { value, operation, .. } => {
                ("nothing_to_linearize", vec![*value], vec![*operation])
            }
            Violation::NoOrder { operation } => ("no_order", vec![], vec![*operation]),
        };
        ViolationJson {
            kind,
            text: self.violation(violation),
            values: values.into_iter().map(|value| self.value(value).to_owned()).collect(),
            operations: operations.into_iter().map(|operation| self.json(operation)).collect(),
        }
    }
}

impl HistoryJson {
    /// What is said of a history; the order of a linearizable one only in full.
    pub fn new(report: &HistoryReport<'_>, detail: Detail) -> Self {
        let (words, history) = (report.words(), report.history);
        let answer = report.judgement.map(|judgement| &judgement.answer);
        let linearization = match answer {
            Some(Answer::Linearizable(linearization)) if detail == Detail::Full => {
                let after = |moment: crate::Moment| history.times.get(moment.index()).copied();
                let point = |point: &crate::Point| PointJson {
                    operation: words.json(point.operation),
                    takes: point.takes.map(|value| words.value(value).to_owned()),
                    after: after(point.after).unwrap_or_else(|| i64::from(point.after.0)),
                };
                Some(linearization.points.iter().map(point).collect())
            }
            _ => None,
        };
        let minimal = report.minimal.map(|minimal| MinimalJson {
            operations: minimal.operations.iter().map(|&operation| words.json(operation)).collect(),
            facts: minimal.facts.iter().map(|fact| [fact.earlier.index(), fact.later.index()]).collect(),
            facts_left_out: has_no_facts(minimal),
        });
        Self {
            name: report.name.to_owned(),
            object: report.object.name(),
            operations: history.operations.len(),
            pending: history.operations.iter().filter(|operation| operation.ret.is_none()).count(),
            threads: history.threads.len(),
            verdict: report.verdict(),
            monitor: report.judgement.map(|judgement| judgement.by.name()),
            linearization,
            violation: match answer {
                Some(Answer::Not(violation)) => Some(words.violation_json(violation)),
                _ => None,
            },
            unknown: match answer {
                Some(Answer::Unknown(why)) => Some(words.undecided(*why)),
                None => Some("it was stopped before there was an answer".to_owned()),
                _ => None,
            },
            minimal,
            minimal_stopped: report.is_minimal_stopped,
            as_printed: report.printed,
        }
    }
}
