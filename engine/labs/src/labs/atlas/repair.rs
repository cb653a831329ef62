//! Repairs: the fewest changes of a program after which a model forbids an outcome.
//!
//! A place of the program that can be made stronger is a site: a read or write, whose order of access can be stronger or which can be
//! a read-modify-write instead, and the gap between two accesses, which can have a fence. A repair strengthens some sites, each in one
//! way. It is minimal: no repair has fewer changes, and with one of its changes made weaker it is none.

use super::occurrence::{Occurrence, Question};
use crate::explore::Options;
use crate::model::{Buffers, Model};
use crate::program::{
    Access, AccessKind, Expression, Mode, Notation, Program, Span, Statement, StatementKind, ThreadKind, UpdateOperator,
};
use crate::syntax;
use std::collections::BTreeMap;

/// The most changes that are tried at once.
pub const MAX_CHANGES: usize = 6;
/// The most programs that are explored for one model in search of sites.
const MAX_PROGRAMS: usize = 3000;
/// The most sets of sites that are looked at with as many changes.
const MAX_SETS: u64 = 2_000_000;
/// A program with as many sites is left alone.
const MAX_SITES: usize = 60;
/// How many steps each of them takes at most.
const MAX_STEPS: u64 = 20_000;
/// How many repairs are shown.
const SHOWN: usize = 3;

/// A way to make a site stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// Another order of access.
    Order(Mode),
    /// A fence in a gap, or a stronger fence.
    Fence(Mode),
    /// An exchange instead of a write.
    Exchange,
}

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
}

/// How much a mode orders; acquire and release are as much.
fn strength(mode: Mode) -> u32 {
    match mode {
        Mode::NonAtomic => 0,
        Mode::Relaxed => 1,
        Mode::Acquire | Mode::Release => 2,
        Mode::AcquireRelease => 3,
        Mode::SequentiallyConsistent => 4,
    }
}

fn no_stronger(weak: Mode, strong: Mode) -> bool {
    weak == strong || strength(weak) < strength(strong)
}

impl Change {
    /// Whether the other one is this or stronger, at the same site.
    fn is_within(self, other: Self) -> bool {
        match (self, other) {
            (Self::Order(weak), Self::Order(strong)) | (Self::Fence(weak), Self::Fence(strong)) => {
                no_stronger(weak, strong)
            }
            _ => self == other,
        }
    }

    /// What is preferred costs less: weaker changes, and of these orders of access, then fences, then exchanges.
    fn cost(self) -> u32 {
        match self {
            Self::Order(mode) => 3 * strength(mode),
            Self::Fence(mode) => 3 * strength(mode) + 1,
            Self::Exchange => 14,
        }
    }

    fn means(self) -> Means {
        match self {
            Self::Order(_) => Means::Orders,
            Self::Fence(_) => Means::Fences,
            Self::Exchange => Means::Exchanges,
        }
    }
}

/// A place that can be made stronger, and how.
#[derive(Clone, Debug)]
struct Site {
    thread: usize,
    changes: Vec<Change>,
}

/// The changes chosen, by site.
type Chosen = BTreeMap<usize, Change>;

/// Goes through the sites of a program in the order of its text: lists them, and makes the changes chosen.
struct Walk<'c> {
    model: Model,
    chosen: &'c Chosen,
    sites: Vec<Site>,
    thread: usize,
    /// Whether something was accessed in this thread.
    accessed: bool,
}

impl Walk<'_> {
    fn site(&mut self, changes: Vec<Change>) -> Option<Change> {
        self.sites.push(Site { thread: self.thread, changes });
        self.chosen.get(&(self.sites.len() - 1)).copied()
    }

    fn fences(&self, above: Option<Mode>) -> Vec<Change> {
        use Mode::{Acquire, AcquireRelease, Release, SequentiallyConsistent};
        let rules = self.model.rules();
        let modes: &[Mode] = if rules.synchronises() {
            &[Acquire, Release, AcquireRelease, SequentiallyConsistent]
        } else if rules.buffers == Some(Buffers::OfLocations) {
            &[Release, SequentiallyConsistent]
        } else {
            &[SequentiallyConsistent]
        };
        let stronger = |mode: &&Mode| above.is_none_or(|above| strength(above) < strength(**mode));
        modes.iter().filter(stronger).map(|&mode| Change::Fence(mode)).collect()
    }

    fn orders(&self, mode: Mode, among: &[Mode]) -> Vec<Change> {
        if !self.model.rules().synchronises() {
            return Vec::new();
        }
        among.iter().filter(|&&other| strength(mode) < strength(other)).map(|&mode| Change::Order(mode)).collect()
    }

    fn body(&mut self, body: &mut Vec<Statement>) {
        let before = std::mem::take(body);
        let mut behind_fence = false;
        for mut statement in before {
            let is_fence = matches!(statement.kind, StatementKind::Fence(_));
            if self.accessed && !behind_fence && has_access(&statement) {
                let changes = self.fences(None);
                if let Some(Change::Fence(mode)) = self.site(changes) {
                    body.push(Statement { kind: StatementKind::Fence(mode), span: Span::default() });
                }
            }
            self.statement(&mut statement);
            behind_fence = is_fence;
            body.push(statement);
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        use Mode::{Release, SequentiallyConsistent};
        match &mut statement.kind {
            StatementKind::Write { place, mode, value } => {
                self.expression(value);
                let mut changes = self.orders(*mode, &[Release, SequentiallyConsistent]);
                if self.model.rules().buffers.is_some() {
                    changes.push(Change::Exchange);
                }
                self.accessed = true;
                match self.site(changes) {
                    Some(Change::Order(stronger)) => *mode = stronger,
                    Some(Change::Exchange) => {
                        let kind = AccessKind::Update { operator: UpdateOperator::Exchange, operand: value.clone() };
                        let access = Access { kind, place: place.clone(), mode: *mode, span: Span::default() };
                        statement.kind = StatementKind::Evaluate(Expression::Access(Box::new(access)));
                    }
                    _ => {}
                }
            }
            StatementKind::Assign { value, .. }
            | StatementKind::Evaluate(value)
            | StatementKind::Assert(value)
            | StatementKind::Assume(value) => self.expression(value),
            StatementKind::Fence(mode) => {
                let changes = self.fences(Some(*mode));
                if let Some(Change::Fence(stronger)) = self.site(changes) {
                    *mode = stronger;
                }
            }
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition);
                self.body(then);
                self.body(otherwise);
            }
            StatementKind::While { condition: guard, body } => {
                self.expression(guard);
                self.body(body);
            }
            StatementKind::Repeat { body, until } => {
                self.body(body);
                self.expression(until);
            }
            StatementKind::Lock(_) | StatementKind::Unlock(_) | StatementKind::Send { .. } => self.accessed = true,
            StatementKind::Skip
            | StatementKind::Post { .. }
            | StatementKind::Call { .. }
            | StatementKind::Return(_) => {}
        }
    }

    fn expression(&mut self, expression: &mut Expression) {
        match expression {
            Expression::Access(access) => self.access(access),
            Expression::Unary(_, operand) => self.expression(operand),
            Expression::Binary(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            Expression::Constant(_) | Expression::Register(_) => {}
        }
    }

    fn access(&mut self, access: &mut Access) {
        use Mode::{Acquire, AcquireRelease, Release, SequentiallyConsistent};
        self.accessed = true;
        let among: &[Mode] = match access.kind {
            AccessKind::Receive => return,
            AccessKind::Read => &[Acquire, SequentiallyConsistent],
            AccessKind::Update { .. } | AccessKind::CompareAndSwap { .. } => {
                &[Acquire, Release, AcquireRelease, SequentiallyConsistent]
            }
        };
        let changes = self.orders(access.mode, among);
        if let Some(Change::Order(stronger)) = self.site(changes) {
            access.mode = stronger;
        }
    }
}

/// Whether a statement, or one in it, accesses what is shared.
fn has_access(statement: &Statement) -> bool {
    let any = |body: &[Statement]| body.iter().any(has_access);
    match &statement.kind {
        StatementKind::Write { .. }
        | StatementKind::Lock(_)
        | StatementKind::Unlock(_)
        | StatementKind::Send { .. }
        | StatementKind::Post { .. }
        | StatementKind::Call { .. } => true,
        StatementKind::Assign { value, .. }
        | StatementKind::Evaluate(value)
        | StatementKind::Assert(value)
        | StatementKind::Assume(value) => value.has_access(),
        StatementKind::If { condition, then, otherwise } => condition.has_access() || any(then) || any(otherwise),
        StatementKind::While { condition, body } => condition.has_access() || any(body),
        StatementKind::Repeat { body, until } => until.has_access() || any(body),
        StatementKind::Fence(_) | StatementKind::Skip | StatementKind::Return(_) => false,
    }
}

/// The program with changes made, and its sites.
fn changed(program: &Program, model: Model, chosen: &Chosen) -> (Program, Vec<Site>) {
    let mut program = program.clone();
    let mut walk = Walk { model, chosen, sites: Vec::new(), thread: 0, accessed: false };
    for (index, thread) in program.threads.iter_mut().enumerate() {
        if thread.kind == ThreadKind::Plain {
            (walk.thread, walk.accessed) = (index, false);
            walk.body(&mut thread.body);
        }
    }
    (program, walk.sites)
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
        /// How many more there are.
        more: usize,
    },
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
            Self::None { .. } => &[],
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

/// A search for repairs.
struct Search<'a> {
    program: &'a Program,
    question: &'a Question,
    model: Model,
    options: Options,
    sites: Vec<Site>,
}

/// The repairs of a program whose outcome a model allows.
pub(super) fn mend(program: &Program, question: &Question, model: Model, options: Options) -> Mending {
    let program = &Program { notation: Notation::Litmoscope, ..program.clone() };
    let (_, sites) = changed(program, model, &Chosen::new());
    let search = Search { program, question, model, options, sites };
    let (any, pure) = search.run(&|_| true);
    let possible = |means: &Means| search.sites.iter().flat_map(|site| &site.changes).any(|c| c.means() == *means);
    let several = Means::ALL.iter().filter(|means| possible(means)).count() > 1;
    let missing = Means::ALL.into_iter().filter(|means| several && possible(means) && !pure.contains(means));
    let hopeless = matches!(any, Repairs::None { hopeless: true, .. });
    let alone = missing.filter(|_| !hopeless).map(|means| (means, search.run(&|change| change.means() == means).0));
    Mending { alone: alone.collect(), any }
}

impl Search<'_> {
    /// Whether the outcome is forbidden with these changes.
    fn forbids(&self, chosen: &Chosen) -> bool {
        let (program, _) = changed(self.program, self.model, chosen);
        self.question.occurs(&program, self.model, self.options, MAX_STEPS) == Occurrence::No
    }

    /// The repairs, and the means that one of them has alone. First, sets of sites are looked for, as few as can be, whose strongest
    /// changes are a repair; then their weaker changes are tried.
    fn run(&self, may: &dyn Fn(Change) -> bool) -> (Repairs, Vec<Means>) {
        let none = |tried, hopeless| (Repairs::None { tried, hopeless }, Vec::new());
        let choice = |site: &Site| site.changes.iter().copied().filter(|&change| may(change)).collect::<Vec<_>>();
        let sites: Vec<(usize, Vec<Change>)> =
            self.sites.iter().map(choice).enumerate().filter(|(_, changes)| !changes.is_empty()).collect();
        if sites.len() >= MAX_SITES {
            return none(0, false);
        }
        // Of the changes of a site, one is stronger than all others.
        let strongest = |set: u64| -> Chosen {
            let among = sites.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
            let change = |changes: &[Change]| changes.iter().copied().max_by_key(|change| change.cost());
            among.filter_map(|(_, (site, changes))| Some((*site, change(changes)?))).collect()
        };
        let full = (1_u64 << sites.len()) - 1;
        if !self.forbids(&strongest(full)) {
            return none(0, true);
        }
        // Sets of sites of which every repair has one.
        let mut needed: Vec<u64> = Vec::new();
        let (mut programs, most) = (0, MAX_CHANGES.min(sites.len()));
        for count in 1..=most {
            let mut sets = Vec::new();
            if combinations(sites.len(), count) > MAX_SETS {
                return none(count - 1, false);
            }
            for set in subsets(sites.len(), count) {
                if needed.iter().any(|needed| needed & set == 0) {
                    continue;
                }
                programs += 1;
                if self.forbids(&strongest(set)) {
                    sets.push(set);
                    continue;
                }
                let mut failed = set;
                for site in (0..sites.len()).map(|at| 1 << at).filter(|site| set & site == 0) {
                    programs += 1;
                    if !self.forbids(&strongest(failed | site)) {
                        failed |= site;
                    }
                }
                needed.push(full & !failed);
                if programs > MAX_PROGRAMS {
                    return none(count - 1, false);
                }
            }
            if sets.is_empty() {
                continue;
            }
            let mut found: Vec<(u32, Chosen)> = Vec::new();
            for set in sets {
                let among = sites.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
                let weakest = self.weakest(&among.map(|(_, site)| site).collect::<Vec<_>>());
                found.extend(weakest.into_iter().map(|chosen| (cost(&chosen), chosen)));
            }
            found.sort();
            let pure = |means: &Means| found.iter().any(|(_, chosen)| chosen.values().all(|c| c.means() == *means));
            let pure = Means::ALL.into_iter().filter(pure).collect();
            let shown: Vec<Repair> = found.iter().take(SHOWN).map(|(_, chosen)| self.repair(chosen)).collect();
            return (Repairs::Found { more: found.len() - shown.len(), shown }, pure);
        }
        none(most, false)
    }

    /// The repairs that change just these sites, each of which has to be changed, without those that are stronger than another one.
    fn weakest(&self, sites: &[&(usize, Vec<Change>)]) -> Vec<Chosen> {
        let mut choices = vec![Chosen::new()];
        for (site, changes) in sites {
            let with = |chosen: &Chosen| {
                let chosen = chosen.clone();
                changes.iter().map(move |&change| chosen.clone().into_iter().chain([(*site, change)]).collect())
            };
            choices = choices.iter().flat_map(with).collect();
        }
        // Weaker choices first, so that a repair is met before all that are stronger.
        choices.sort_by_cached_key(|chosen| (cost(chosen), chosen.clone()));
        let mut found: Vec<Chosen> = Vec::new();
        for chosen in choices {
            if !found.iter().any(|repair| is_within(repair, &chosen)) && self.forbids(&chosen) {
                found.push(chosen);
            }
        }
        found
    }

    fn repair(&self, chosen: &Chosen) -> Repair {
        let before = print(self.program);
        let change = |(&site, &change): (&usize, &Change)| {
            let (program, _) = changed(self.program, self.model, &Chosen::from([(site, change)]));
            let thread = self.program.thread_name(self.sites[site].thread);
            ChangeText { thread, what: difference(&before, &print(&program)) }
        };
        Repair {
            changes: chosen.iter().map(change).collect(),
            text: print(&changed(self.program, self.model, chosen).0),
        }
    }
}

/// Whether each change of one choice is there in the other one, or a stronger one.
fn is_within(weak: &Chosen, strong: &Chosen) -> bool {
    weak.iter().all(|(site, change)| strong.get(site).is_some_and(|stronger| change.is_within(*stronger)))
}

fn cost(chosen: &Chosen) -> u32 {
    chosen.values().map(|change| change.cost()).sum()
}

/// How many sets of `count` there are among `all`.
fn combinations(all: usize, count: usize) -> u64 {
    (0..count as u64).fold(1, |sets: u64, at| sets.saturating_mul(all as u64 - at) / (at + 1))
}

/// The sets of `count` among `all`, as bits; `all` is below 64 and `count` is neither 0 nor more than `all`.
fn subsets(all: usize, count: usize) -> impl Iterator<Item = u64> {
    let next = move |&set: &u64| {
        // The next larger number with as many bits (Gosper).
        let (lowest, ripple) = (set & set.wrapping_neg(), set + (set & set.wrapping_neg()));
        let next = ripple | ((set ^ ripple) / lowest) >> 2;
        (next >> all == 0).then_some(next)
    };
    std::iter::successors(Some((1_u64 << count) - 1), next)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_are_listed_once() {
        let sets: Vec<u64> = subsets(5, 3).collect();
        assert_eq!(sets.len() as u64, combinations(5, 3));
        assert!(sets.is_sorted() && sets.iter().all(|set| set.count_ones() == 3 && *set < 32), "{sets:?}");
        assert_eq!(subsets(4, 4).collect::<Vec<_>>(), [15]);
        assert_eq!(subsets(1, 1).collect::<Vec<_>>(), [1]);
        assert_eq!((combinations(59, 6), combinations(3, 1)), (45_057_474, 3));
    }
}
