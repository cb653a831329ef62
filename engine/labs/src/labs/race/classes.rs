//! The executions of a small program, and the class of each by every equivalence.
//!
//! The executions are found by the first algorithm that chooses co under SC, so each is a Mazurkiewicz trace, and a dot. How
//! classes lie in one another is a function of the view ([`ClassesView::nest`]), since the page draws them again at each choice:
//! as boxes and buttons, which the browser wraps for any width and a keyboard reaches.

use super::{Field, Runner, fingerprint, no_root};
use crate::budget::{Budget, PATIENCE};
use crate::explore::equivalence::{Equivalence, Ordered};
use crate::explore::{Algorithm, Effort, ExecutionKind, Explorer, Options, Results, Step};
use crate::graph::{Coherence, Execution, Label, ThreadId};
use crate::model::{Inquiry, Model};
use crate::program::Span;
use crate::syntax::Diagnostic;
use crate::words::{self, grouped};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// How many executions are kept: as many as can be told apart as dots.
pub const MAX_KEPT: usize = 1_000;

/// How many events all executions that are kept have together, at most.
const MAX_EVENTS: usize = 200_000;

/// How many units of work are spent on looking for executions: about half a minute.
const MAX_WORK: u64 = 1 << 33;

/// Executions of a program under SC that are looked for, and kept.
pub struct Classing {
    field: Field,
    model: Model,
    root: ThreadId,
    explorer: Box<dyn Explorer>,
    kept: Vec<Kept>,
    /// The number of each class, by equivalence.
    known: Vec<FxHashMap<u128, u32>>,
    /// Events that are kept, and units of work that were spent.
    events: usize,
    work: u64,
    end: Option<End>,
}

/// An execution that is kept.
pub(super) struct Kept {
    pub(super) graph: Execution,
    pub(super) co: Coherence,
    view: KeptView,
}

/// Why nothing more is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// There is nothing more.
    All,
    /// There are more than are kept.
    Full,
    /// It took too much work.
    Spent,
}

/// What the page shows of the executions of a program, and of their classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassesView {
    /// Of which program they are, under which model, and which thread is the root.
    pub head: String,
    /// The executions, in the order in which they were found.
    pub executions: Vec<KeptView>,
    /// The equivalences, from fine to coarse.
    pub equivalences: Vec<EquivalenceView>,
    /// Why executions are missing.
    pub notes: Vec<String>,
    /// Whether there are no other executions.
    pub complete: bool,
    /// Whether more will come.
    pub doing: bool,
}

/// An execution in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptView {
    /// Its number, from 1, and how it ends.
    pub name: String,
    /// Of what kind it is.
    pub kind: ExecutionKind,
    /// The numbers of its classes, from 0, in the order of the equivalences.
    pub classes: Vec<u32>,
}

/// What is known of an equivalence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EquivalenceView {
    /// Which one.
    pub equivalence: Equivalence,
    /// How many classes there are: `≥` in front of a number that is not the last.
    pub count: String,
}

/// A class as a group of executions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Of which equivalence it is, its number from 1, and how many executions it has.
    pub title: String,
    /// The numbers of its executions, from 0.
    pub executions: Vec<u32>,
    /// The classes of a finer equivalence that it is made of, if one was asked for.
    pub parts: Vec<Self>,
}

/// The model that the equivalences are defined for.
fn model() -> Option<Model> {
    Model::ALL.into_iter().find(|model| model.rules().takes_turns())
}

impl Classing {
    /// The algorithm that looks for the executions: it finds each with each co once.
    pub fn machine() -> Option<Algorithm> {
        Algorithm::that_orders_writes(model()?)
    }

    /// Nothing found yet. Of a series, the program of a size, or else the smallest one of its usual sizes. `root` is the number
    /// of the root thread, from 1. Whichever model the program is for, its executions are those under SC, which alone the
    /// equivalences are defined for.
    ///
    /// # Errors
    /// What is wrong with the text, its program, the root or the options.
    pub fn open(text: &str, size: Option<u32>, root: u16, options: Options) -> Result<Self, Vec<Diagnostic>> {
        let wrong = |message: String| vec![Diagnostic::error(message, Span::default())];
        let field = Field::new(text, size.map(|size| size..=size))?;
        let how = Self::machine().zip(model());
        let (Some(Runner { program, code, .. }), Some((algorithm, model))) = (field.programs.first(), how) else {
            return Err(wrong("there is no program of any size".to_owned()));
        };
        if root == 0 || usize::from(root) > program.threads.len() {
            return Err(wrong(no_root(root, program.threads.len())));
        }
        options.validate_for_program(algorithm, model, code).map_err(|error| wrong(error.to_string()))?;
        let explorer = algorithm.lazy_explorer(code.clone(), model, options);
        Ok(Self {
            model,
            root: ThreadId(root - 1),
            explorer,
            kept: Vec::new(),
            known: vec![FxHashMap::default(); Equivalence::ALL.len()],
            events: 0,
            work: 0,
            end: None,
            field,
        })
    }

    /// Does a little; whether there is more to be done.
    pub fn advance(&mut self) -> bool {
        let mut budget = Budget::unlimited().capped(PATIENCE);
        while self.end.is_none() {
            match self.explorer.advance_within(&mut budget) {
                Ok(step @ Step::Execution { kind, .. }) => {
                    let events = self.explorer.execution().len();
                    if self.kept.len() == MAX_KEPT || self.events + events > MAX_EVENTS {
                        self.end = Some(End::Full);
                        break;
                    }
                    self.keep(step, kind);
                    // About what comparing each two events costs.
                    if budget.count(8 * (events * events) as u64).is_err() {
                        break;
                    }
                }
                Ok(Step::Done) => self.end = Some(End::All),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        self.work += budget.spent();
        if self.end.is_none() && self.work >= MAX_WORK {
            self.end = Some(End::Spent);
        }
        self.end.is_none()
    }

    fn keep(&mut self, step: Step, kind: ExecutionKind) {
        let Some(co) = self.explorer.coherence() else { return };
        let graph = self.explorer.execution();
        let number = self.kept.len() + 1;
        let classes = Equivalence::ALL.iter().zip(&mut self.known).map(|(equivalence, known)| {
            let next = known.len() as u32;
            *known.entry(fingerprint(&equivalence.class(self.root, Ordered { graph, co }))).or_insert(next)
        });
        let classes = classes.collect();
        let name = format!("{number}: {}", self.ending(step, kind));
        let kept = Kept { graph: graph.clone(), co: co.clone(), view: KeptView { name, kind, classes } };
        self.events += kept.graph.len();
        self.kept.push(kept);
    }

    /// How the execution ends that the explorer has just made whole.
    fn ending(&self, step: Step, kind: ExecutionKind) -> String {
        let Runner { program, code, .. } = &self.field.programs[0];
        match kind {
            ExecutionKind::Blocked if is_cut(self.explorer.execution()) => "cut at a bound".to_owned(),
            ExecutionKind::Blocked => "blocked".to_owned(),
            ExecutionKind::StuckForGood => "stuck for good".to_owned(),
            ExecutionKind::Erroneous => "an error".to_owned(),
            ExecutionKind::Complete => {
                let mut results = Results::new(program);
                let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
                let effort = Effort { limit: PATIENCE, inquiry: &mut inquiry, budget: &mut budget };
                // Its co is there, so there is nothing to be searched for.
                let _ = results.observe_within(program, code, self.model, &*self.explorer, step, effort);
                let values = results.outcomes().next().map(|(state, _)| state.to_vec()).unwrap_or_default();
                let value = |(observable, value): (&_, _)| {
                    format!("{}={}", program.observable_name(*observable), program.observable_text(*observable, value))
                };
                let text = results.observables().iter().zip(values).map(value).collect::<Vec<_>>().join(" ");
                if text.is_empty() { "complete".to_owned() } else { text }
            }
        }
    }

    pub(super) fn kept(&self, at: usize) -> Option<&Kept> {
        self.kept.get(at)
    }

    pub(super) fn root(&self) -> ThreadId {
        self.root
    }

    pub(super) fn program(&self) -> &crate::program::Program {
        &self.field.programs[0].program
    }

    /// What is known; once it is stopped, nothing more will come.
    pub fn view(&self, stopped: bool) -> ClassesView {
        let Field { name, is_series, programs, .. } = &self.field;
        let name = if name.is_empty() { "the program" } else { name };
        let size = if *is_series { format!(" of size {}", programs[0].size) } else { String::new() };
        let root = programs[0].program.thread_name(self.root.index());
        let counts = self.explorer.counts();
        let mut notes = Vec::new();
        match self.end {
            Some(End::All) => {}
            Some(End::Full) => {
                notes
                    .push(format!("bounded: there are more than these {} executions", grouped(self.kept.len() as u64)));
            }
            Some(End::Spent) => notes.push("bounded: looking for executions took too long".to_owned()),
            None if stopped => notes.push("bounded: it was stopped".to_owned()),
            None => {}
        }
        if counts.bounded > 0 {
            let cut = words::count(counts.bounded, "execution");
            notes.push(format!("bounded: {cut} {} cut at a bound", words::by_number(counts.bounded, "was", "were")));
        }
        if counts.undecided > 0 {
            notes.push("bounded: some graphs took too long to decide".to_owned());
        }
        let complete = self.end == Some(End::All) && counts.bounded == 0 && counts.undecided == 0;
        let equivalences = Equivalence::ALL.into_iter().zip(&self.known).map(|(equivalence, known)| EquivalenceView {
            equivalence,
            count: format!("{}{}", if complete { "" } else { "≥" }, grouped(known.len() as u64)),
        });
        ClassesView {
            head: format!("{name}{size} under {}, root thread {root}", self.model.title()),
            executions: self.kept.iter().map(|kept| kept.view.clone()).collect(),
            equivalences: equivalences.collect(),
            complete,
            notes,
            doing: self.end.is_none() && !stopped,
        }
    }
}

/// Whether a bound cut an execution.
fn is_cut(graph: &Execution) -> bool {
    graph.events().any(|(_, event)| matches!(event.label, Label::Bound(_)))
}

impl Kept {
    pub(super) fn ordered(&self) -> Ordered<'_> {
        Ordered { graph: &self.graph, co: &self.co }
    }

    pub(super) fn name(&self) -> &str {
        &self.view.name
    }
}

impl ClassesView {
    /// The classes of an equivalence, each made of the classes of a finer one if that is given. Classes stand in the order in
    /// which they were found. Linear in the executions.
    pub fn nest(&self, outer: Equivalence, inner: Option<Equivalence>) -> Vec<Group> {
        let all = (0..self.executions.len() as u32).collect();
        let mut groups = self.split(outer, all);
        if let Some(inner) = inner {
            for group in &mut groups {
                group.parts = self.split(inner, group.executions.clone());
            }
        }
        groups
    }

    /// The equivalences that are finer, each of whose classes lies in one of this one; Mazurkiewicz' are the dots themselves.
    pub fn finer(&self, outer: Equivalence) -> Vec<Equivalence> {
        let is_inside = |inner: &Equivalence| {
            *inner != outer && *inner != Equivalence::Mazurkiewicz && outer.is_coarser_or_equal(*inner)
        };
        Equivalence::ALL.into_iter().filter(is_inside).collect()
    }

    fn split(&self, by: Equivalence, executions: Vec<u32>) -> Vec<Group> {
        let Some(column) = Equivalence::ALL.iter().position(|equivalence| *equivalence == by) else {
            return Vec::new();
        };
        let mut places: FxHashMap<u32, usize> = FxHashMap::default();
        let mut classes: Vec<(u32, Vec<u32>)> = Vec::new();
        for execution in executions {
            let class = self.executions[execution as usize].classes[column];
            let place = *places.entry(class).or_insert(classes.len());
            if place == classes.len() {
                classes.push((class, Vec::new()));
            }
            classes[place].1.push(execution);
        }
        let group = |(class, executions): (u32, Vec<u32>)| Group {
            title: format!(
                "{} class {}: {}",
                by.title(),
                class + 1,
                words::count(executions.len() as u64, "execution")
            ),
            executions,
            parts: Vec::new(),
        };
        classes.into_iter().map(group).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) const FIGURE_4_1: &str = "x := 1; y := 1 || x := 1; y := 1; a := x || x := 1; y := 1; b := y";

    pub(crate) fn all_of(text: &str, size: Option<u32>, root: u16) -> Classing {
        let mut classing = Classing::open(text, size, root, Options::default()).expect("a program");
        while classing.advance() {}
        classing
    }

    fn benchmark(name: &str) -> String {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../public/benchmarks");
        std::fs::read_to_string(format!("{folder}/{name}.series")).expect("a benchmark")
    }

    fn counts(view: &ClassesView) -> Vec<&str> {
        view.equivalences.iter().map(|row| row.count.as_str()).collect()
    }

    /// Without those with observers, which that thesis does not have.
    fn printed(view: &ClassesView) -> Vec<&str> {
        let rows = Equivalence::ALL.into_iter().zip(counts(view));
        rows.filter(|(equivalence, _)| *equivalence != Equivalence::Observers).map(|(_, count)| count).collect()
    }

    /// As printed in Toman's thesis: Mazurkiewicz, data-centric, reads-from, value-centric, reads-value-from; values.
    #[test]
    fn classes_are_as_many_as_in_print() {
        let view = all_of(FIGURE_4_1, None, 1).view(false);
        assert_eq!(printed(&view), ["98", "28", "9", "7", "1", "1"]);
        assert!(view.complete && view.notes.is_empty() && !view.doing);
        assert_eq!(view.head, "the program under SC, root thread P0");
        let of = |name: &str, size, root| {
            let view = all_of(&benchmark(name), size, root).view(false);
            assert!(view.complete, "{name}");
            printed(&view).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(of("fig-4-1", Some(1), 1), ["98", "28", "9", "7", "1", "1"]);
        assert_eq!(of("fig-4-1", None, 2)[3], "12");
        assert_eq!(of("fig-3-1", None, 1), ["4", "2", "2", "1", "1", "1"]);
        assert_eq!(of("fig-3-1", None, 2)[3], "2");
        assert_eq!(of("fig-3-2a", Some(3), 1)[..5], ["20", "20", "20", "1", "1"]);
        assert_eq!(of("fig-3-6", None, 1)[..5], ["9", "5", "5", "3", "2"]);
        let view = all_of(&benchmark("fig-3-1"), None, 2).view(false);
        assert_eq!(view.head, "fig-3-1 of size 1 under SC, root thread P1");
    }

    /// Each execution stands in one class of each equivalence, and finer classes lie in coarser ones.
    #[test]
    fn classes_lie_in_one_another() {
        let view = all_of(FIGURE_4_1, None, 1).view(false);
        for outer in Equivalence::ALL {
            for inner in view.finer(outer) {
                let groups = view.nest(outer, Some(inner));
                let mut seen: Vec<u32> = Vec::new();
                for group in &groups {
                    let mut inside: Vec<u32> = group.parts.iter().flat_map(|part| part.executions.clone()).collect();
                    inside.sort_unstable();
                    assert_eq!(inside, group.executions, "{outer:?}, {inner:?}");
                    seen.extend(&group.executions);
                }
                seen.sort_unstable();
                assert_eq!(seen, (0..98).collect::<Vec<u32>>());
                // No class of the finer one is in two of the coarser one.
                let mut titles: Vec<&str> =
                    groups.iter().flat_map(|group| &group.parts).map(|part| part.title.as_str()).collect();
                let parts = titles.len();
                titles.sort_unstable();
                titles.dedup();
                assert_eq!(titles.len(), parts);
                assert_eq!(parts, view.nest(inner, None).len());
            }
        }
        assert_eq!(view.finer(Equivalence::ReadsFrom), [Equivalence::Observers, Equivalence::DataCentric]);
        assert_eq!(view.finer(Equivalence::Mazurkiewicz), []);
        assert_eq!(view.nest(Equivalence::ReadsFrom, None).len(), 9);
        let values = view.nest(Equivalence::Values, Some(Equivalence::ReadsFrom));
        assert_eq!(values[0].title, "values class 1: 98 executions");
        assert_eq!(values[0].parts.len(), 9);
    }

    #[test]
    fn executions_are_named_by_how_they_end() {
        let view = all_of("x := 1; a := y || y := 1; b := x\nexists (P0:a = 0)", None, 1).view(false);
        let names: Vec<&str> = view.executions.iter().map(|kept| kept.name.as_str()).collect();
        assert_eq!(names, ["1: P0:a=0", "2: P0:a=1", "3: P0:a=1"]);
        let view = all_of("while x = 0 {} || x := 1", None, 1).view(false);
        assert!(view.executions.iter().any(|kept| kept.name.ends_with(": blocked")), "{view:?}");
        let view = all_of("assert x = 0 || x := 1", None, 1).view(false);
        assert!(view.executions.iter().any(|kept| kept.name.ends_with(": an error")), "{view:?}");
    }

    /// Whatever is cut is said, and no number is called the last one then.
    #[test]
    fn a_large_program_is_bounded() {
        let many: Vec<String> = (1..=7).map(|value| format!("x := {value}")).collect();
        let view = all_of(&many.join(" || "), None, 1).view(false);
        assert_eq!((view.executions.len(), view.complete), (MAX_KEPT, false));
        assert_eq!(view.notes, ["bounded: there are more than these 1,000 executions"]);
        assert!(counts(&view)[0] == "≥1,000", "{:?}", counts(&view));
        let classing = Classing::open(FIGURE_4_1, None, 1, Options::default()).expect("a program");
        assert!(classing.view(false).doing && classing.view(false).notes.is_empty());
        assert_eq!(classing.view(true).notes, ["bounded: it was stopped"]);
        let mut options = Options::default();
        options.limits = crate::program::Limits { unroll: 2, unroll_spins: true, ..options.limits };
        let mut cut = Classing::open("while x = 0 {} || x := 1", None, 1, options).expect("a program");
        while cut.advance() {}
        assert!(cut.view(false).notes[0].ends_with("cut at a bound"), "{:?}", cut.view(false).notes);
    }

    #[test]
    fn what_cannot_be_explored_is_refused() {
        let refused = |text: &str, size, root| {
            let error = Classing::open(text, size, root, Options::default()).err().expect("it is refused");
            error[0].message.clone()
        };
        assert_eq!(refused("x := 1", None, 2), "there is no thread 2 to be the root: threads count from 1 to 1");
        assert_eq!(refused("x := 1", Some(3), 1), "a program has no sizes");
        assert!(!refused("x :=", None, 1).is_empty());
    }
}
