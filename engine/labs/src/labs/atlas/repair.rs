//! Repairs on a page: the fewest changes of a program after which a model forbids an outcome, as [`crate::repair`] finds them.

use super::occurrence::Question;
use crate::budget::Budget;
use crate::explore::Options;
use crate::model::Model;
use crate::program::{Notation, Program};
use crate::repair::{Aim, Bounds, Choice, Costs, Goal, Kept, Minimal, Owner, Search, Setting, Start, Subject};
use crate::syntax;

/// The most changes that are tried at once.
pub(super) const MAX_CHANGES: usize = 8;
/// The most parts of the work that are done for one model.
const MAX_PARTS: usize = 10_000;
/// A program with as many sites is left alone.
const MAX_SITES: usize = 60;
/// How many steps each exploration takes at most.
const MAX_STEPS: u64 = 20_000;
/// How many repairs are shown.
const SHOWN: usize = 3;

/// What changes are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Means {
    /// Fences.
    Fences,
    /// Orders of access: release, acquire, sc.
    Orders,
    /// Exchanges instead of writes.
    Exchanges,
}

impl Means {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Fences, Self::Orders, Self::Exchanges];

    /// In words.
    pub fn title(self) -> &'static str {
        match self {
            Self::Fences => "fences",
            Self::Orders => "orders of access",
            Self::Exchanges => "exchanges instead of writes",
        }
    }

    fn of(setting: Setting) -> Self {
        match setting {
            Setting::NoFence | Setting::Fence(_) => Self::Fences,
            Setting::Access(_) => Self::Orders,
            Setting::Exchange => Self::Exchanges,
        }
    }

    /// What is left alone if nothing else may be used.
    fn alone(self) -> Kept {
        let lacks = |means: Self| means != self;
        Kept {
            lines: Vec::new(),
            fences: lacks(Self::Fences),
            modes: lacks(Self::Orders),
            exchanges: lacks(Self::Exchanges),
        }
    }
}

/// A change in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeText {
    /// The thread's name.
    pub thread: String,
    /// What is done.
    pub what: What,
}

/// What is done to a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A line is put in.
    Insert {
        /// The line.
        line: String,
        /// The line in front of it.
        behind: String,
        /// The line behind it.
        before: String,
    },
    /// A line takes the place of another one.
    Replace {
        /// What was there.
        old: String,
        /// What is there now.
        new: String,
    },
}

/// A repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What is changed, in the order of the text.
    pub changes: Vec<ChangeText>,
    /// The program afterwards, in Litmoscope's notation.
    pub text: String,
}

/// What was found of the repairs with some means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repairs {
    /// The minimal ones.
    Found {
        /// The first of them.
        shown: Vec<Repair>,
        /// How many more were found.
        more: usize,
        /// Whether all were found that have as few changes.
        all: bool,
    },
    /// Not all executions of changed programs were explored, so it is not known whether there is one.
    Open,
    /// No repair was found.
    None {
        /// The most changes that were all tried.
        tried: usize,
        /// Whether not even all changes together are a repair.
        hopeless: bool,
    },
}

impl Repairs {
    /// Those that are shown.
    pub fn shown(&self) -> &[Repair] {
        match self {
            Self::Found { shown, .. } => shown,
            Self::Open | Self::None { .. } => &[],
        }
    }
}

/// The repairs of a program under a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mending {
    /// With all means.
    pub any: Repairs,
    /// With one alone, where no minimal repair has that alone.
    pub alone: Vec<(Means, Repairs)>,
}

/// The repairs of a program whose outcome a model allows.
pub(super) fn mend(program: &Program, question: &Question, model: Model, options: Options) -> Mending {
    let program = &Program { notation: Notation::Litmoscope, ..program.clone() };
    let goal = match question {
        Question::Outcome { proposition, .. } => Goal { outcome: Some(proposition.clone()), ..Goal::default() },
        Question::Error => Goal::without_errors(),
    };
    let aim = Aim::Strengthen { races: goal.errors };
    let subject = |kept| Subject::new(program.clone(), model, aim, kept);
    let all = subject(Kept::default());
    let settings = all.sites.iter().flat_map(|site| &site.levels[1..]);
    let possible: Vec<Means> = settings.map(|setting| Means::of(*setting)).collect();
    let (any, pure) = run(all, goal.clone(), options);
    let several = Means::ALL.iter().filter(|means| possible.contains(means)).count() > 1;
    let missing = Means::ALL.into_iter().filter(|means| several && possible.contains(means) && !pure.contains(means));
    let vain = matches!(any, Repairs::None { hopeless: true, .. } | Repairs::Open);
    let alone = missing.filter(|_| !vain).map(|means| (means, run(subject(means.alone()), goal.clone(), options).0));
    Mending { alone: alone.collect(), any }
}

/// The repairs with as few changes as can be, and the means that one of them has alone.
fn run(subject: Subject, goal: Goal, options: Options) -> (Repairs, Vec<Means>) {
    let none = |tried, hopeless| (Repairs::None { tried, hopeless }, Vec::new());
    if subject.sites.len() >= MAX_SITES {
        return none(0, false);
    }
    let bounds = Bounds { steps: MAX_STEPS, ..Bounds::default() };
    let Some(mut search) = Search::new(subject, goal, options, Costs::default(), bounds) else {
        return (Repairs::Open, Vec::new());
    };
    let fewest = |search: &Search| search.found().first().map(|minimal| minimal.places().len());
    let mut parts = 0;
    while search.advance(&mut Budget::unlimited()) == Ok(true) {
        parts += 1;
        let is_enough = fewest(&search).is_some_and(|fewest| search.tried() >= fewest);
        if is_enough || search.tried() >= MAX_CHANGES || parts > MAX_PARTS {
            break;
        }
    }
    let fewest = fewest(&search).unwrap_or(0);
    let is_shown = |minimal: &&Minimal| minimal.places().len() == fewest && !minimal.bounded;
    let mut found: Vec<&Minimal> = search.found().iter().filter(is_shown).collect();
    if found.is_empty() {
        return match search.start() {
            Some(Start::Bad) if !search.is_open() && search.found().is_empty() => {
                let hopeless = search.stays().is_some();
                none(if hopeless { 0 } else { search.tried() }, hopeless)
            }
            _ => (Repairs::Open, Vec::new()),
        };
    }
    found.sort_by_cached_key(|minimal| (minimal.cost, minimal.places()));
    let all = search.tried() >= fewest && !search.is_open();
    let subject = search.subject();
    let is_pure = |choice: &Choice, means: Means| {
        let mut changed = subject.sites.iter().zip(choice).filter(|(_, level)| **level > 0);
        changed.all(|(site, level)| Means::of(site.levels[usize::from(*level)]) == means)
    };
    let pure = |means: &Means| found.iter().any(|minimal| is_pure(&minimal.choice, *means));
    let pure = Means::ALL.into_iter().filter(pure).collect();
    let shown: Vec<Repair> = found.iter().take(SHOWN).map(|minimal| repair(subject, &minimal.choice)).collect();
    (Repairs::Found { more: found.len() - shown.len(), all, shown }, pure)
}

fn repair(subject: &Subject, choice: &Choice) -> Repair {
    let before = print(&subject.program);
    let change = |(site, level): (usize, &u8)| {
        let mut alone = subject.base();
        alone[site] = *level;
        let thread = match subject.sites[site].owner {
            Owner::Thread(thread) => subject.program.thread_name(usize::from(thread)),
            Owner::Method(structure, _) => subject.program.structures[usize::from(structure)].name.clone(),
        };
        ChangeText { thread, what: difference(&before, &print(&subject.changed(&alone))) }
    };
    let changes = choice.iter().enumerate().filter(|(_, level)| **level > 0).map(change).collect();
    Repair { changes, text: print(&subject.changed(choice)) }
}

fn print(program: &Program) -> String {
    syntax::print(program, Notation::Litmoscope).unwrap_or_default()
}

/// The one line in which two texts differ.
fn difference(before: &str, after: &str) -> What {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let at = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let line = |lines: &[&str], at: Option<usize>| {
        at.and_then(|at| lines.get(at)).map_or_else(String::new, |line| line.trim().to_owned())
    };
    if new.len() > old.len() {
        let (behind, before) = (line(&new, at.checked_sub(1)), line(&new, Some(at + 1)));
        return What::Insert { line: line(&new, Some(at)), behind, before };
    }
    What::Replace { old: line(&old, Some(at)), new: line(&new, Some(at)) }
}
