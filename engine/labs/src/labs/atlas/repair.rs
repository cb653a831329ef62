//! Repairs: the fewest changes of a program after which a model forbids an outcome.
//!
//! A place of the program that can be made stronger is a site: a read or write, whose order of access can be stronger
//! or which can be a read-modify-write instead, and the gap between two accesses, which can have a fence. A repair
//! strengthens some sites, each in one way. It is minimal: no repair has fewer changes, and with one of its changes
//! made weaker it is none.
//!
//! First the fewest sites are looked for whose strongest changes are a repair. A set of sites that is none is made as large as
//! it can be without being one: each repair has a site beside it, so sets without such a site are left out. Then the weaker
//! changes of the sites found are tried, weakest first, and what is stronger than a repair is left out. All of this relies on
//! models being monotone: a stronger program shows no more.

use super::occurrence::{Occurrence, Question};
use crate::explore::Options;
use crate::model::{Buffers, Model};
use crate::program::{
    Access, AccessKind, Expression, Integer, Mode, Notation, Program, Span, Statement, StatementKind, ThreadKind,
    UpdateOperator,
};
use crate::syntax;
use std::cell::Cell;
use std::collections::BTreeMap;

/// The most changes that are tried at once.
pub(super) const MAX_CHANGES: usize = 8;
/// The most programs that are explored for one model in search of sites.
const MAX_PROGRAMS: usize = 10_000;
/// How many choices of changes of the same sites are tried.
const MAX_CHOICES: usize = 500;
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
        use Mode::{Relaxed, Release, SequentiallyConsistent};
        match &mut statement.kind {
            StatementKind::Write { place, mode, value } => {
                self.expression(value);
                let mut changes = self.orders(*mode, &[Relaxed, Release, SequentiallyConsistent]);
                if self.model.rules().buffers.is_some() {
                    changes.push(Change::Exchange);
                }
                self.accessed = true;
                match self.site(changes) {
                    Some(Change::Order(stronger)) => *mode = stronger,
                    Some(Change::Exchange) => {
                        let (operator, integer) = (UpdateOperator::Exchange, Integer::Int64);
                        let kind = AccessKind::Update { operator, operand: value.clone(), integer };
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
            StatementKind::Atomic(body) => self.body(body),
            StatementKind::Skip
            | StatementKind::Input { .. }
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
        use Mode::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
        self.accessed = true;
        let among: &[Mode] = match access.kind {
            AccessKind::Receive => return,
            AccessKind::Read => &[Relaxed, Acquire, SequentiallyConsistent],
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
        StatementKind::Atomic(body) => any(body),
        StatementKind::Fence(_) | StatementKind::Skip | StatementKind::Input { .. } | StatementKind::Return(_) => false,
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

/// A search for repairs.
struct Search<'a> {
    program: &'a Program,
    question: &'a Question,
    model: Model,
    options: Options,
    sites: Vec<Site>,
    /// Whether a program was not explored to its end.
    open: Cell<bool>,
}

/// The repairs of a program whose outcome a model allows.
pub(super) fn mend(program: &Program, question: &Question, model: Model, options: Options) -> Mending {
    let program = &Program { notation: Notation::Litmoscope, ..program.clone() };
    let (_, sites) = changed(program, model, &Chosen::new());
    let search = Search { program, question, model, options, sites, open: Cell::new(false) };
    let (any, pure) = search.run(&|_| true);
    let possible = |means: &Means| search.sites.iter().flat_map(|site| &site.changes).any(|c| c.means() == *means);
    let several = Means::ALL.iter().filter(|means| possible(means)).count() > 1;
    let missing = Means::ALL.into_iter().filter(|means| several && possible(means) && !pure.contains(means));
    let vain = matches!(any, Repairs::None { hopeless: true, .. } | Repairs::Open);
    let alone = missing.filter(|_| !vain).map(|means| (means, search.run(&|change| change.means() == means).0));
    Mending { alone: alone.collect(), any }
}

impl Search<'_> {
    /// Whether the outcome is forbidden with these changes.
    fn forbids(&self, chosen: &Chosen) -> bool {
        let (program, _) = changed(self.program, self.model, chosen);
        let occurs = self.question.occurs(&program, self.model, self.options, MAX_STEPS);
        self.open.set(self.open.get() || occurs == Occurrence::Unknown);
        occurs == Occurrence::No
    }

    /// The repairs, and the means that one of them has alone. First, sets of sites are looked for, as few as can be,
    /// whose strongest changes are a repair; then their weaker changes are tried.
    fn run(&self, may: &dyn Fn(Change) -> bool) -> (Repairs, Vec<Means>) {
        self.open.set(false);
        let none = |tried, hopeless| {
            let repairs = if self.open.get() { Repairs::Open } else { Repairs::None { tried, hopeless } };
            (repairs, Vec::new())
        };
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
            let mut chosen = Choice::of(count);
            while chosen.advance(sites.len(), &needed) {
                let set = chosen.set();
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
            let (mut found, mut all): (Vec<(u32, Chosen)>, bool) = (Vec::new(), true);
            for set in sets {
                let among = sites.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
                let (weakest, are_all) = self.weakest(&among.map(|(_, site)| site).collect::<Vec<_>>());
                found.extend(weakest.into_iter().map(|chosen| (cost(&chosen), chosen)));
                all &= are_all;
            }
            found.sort();
            let pure = |means: &Means| found.iter().any(|(_, chosen)| chosen.values().all(|c| c.means() == *means));
            let pure = Means::ALL.into_iter().filter(pure).collect();
            let shown: Vec<Repair> = found.iter().take(SHOWN).map(|(_, chosen)| self.repair(chosen)).collect();
            return (Repairs::Found { more: found.len() - shown.len(), all: all && !self.open.get(), shown }, pure);
        }
        none(most, false)
    }

    /// The repairs that change just these sites, each of which has to be changed, without those that are stronger than
    /// another one; and whether these are all.
    fn weakest(&self, sites: &[&(usize, Vec<Change>)]) -> (Vec<Chosen>, bool) {
        let strongest = |changes: &[Change]| changes.iter().copied().max_by_key(|change| change.cost());
        let all: Chosen = sites.iter().filter_map(|(site, changes)| Some((*site, strongest(changes)?))).collect();
        let mut choices = vec![Chosen::new()];
        for (site, changes) in sites {
            // What is no repair with the strongest changes of all others is in none.
            let with = |change: Change| -> Chosen { all.clone().into_iter().chain([(*site, change)]).collect() };
            let possible = |change: &Change| with(*change) == all || self.forbids(&with(*change));
            let possible: Vec<Change> = changes.iter().copied().filter(possible).collect();
            let with = |chosen: &Chosen| {
                let chosen = chosen.clone();
                possible
                    .clone()
                    .into_iter()
                    .map(move |change| chosen.clone().into_iter().chain([(*site, change)]).collect())
            };
            choices = choices.iter().flat_map(with).collect();
        }
        // Weaker choices first, so that a repair is met before all that are stronger.
        choices.sort_by_cached_key(|chosen| (cost(chosen), chosen.clone()));
        let mut found: Vec<Chosen> = Vec::new();
        for (at, chosen) in choices.into_iter().enumerate() {
            if at == MAX_CHOICES {
                let known = if found.is_empty() { vec![self.lowered(all, sites)] } else { found };
                return (known, false);
            }
            if !found.iter().any(|repair| is_within(repair, &chosen)) && self.forbids(&chosen) {
                found.push(chosen);
            }
        }
        (found, true)
    }

    /// A repair with each change made as weak as the others let it be, one after the other.
    fn lowered(&self, mut chosen: Chosen, sites: &[&(usize, Vec<Change>)]) -> Chosen {
        for (site, changes) in sites {
            let mut changes = changes.clone();
            changes.sort_by_key(|change| change.cost());
            for change in changes {
                let with: Chosen = chosen.clone().into_iter().chain([(*site, change)]).collect();
                if with == chosen || self.forbids(&with) {
                    chosen = with;
                    break;
                }
            }
        }
        chosen
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

/// Goes through the sets of so many sites that have one of each set that is needed, in lexicographic order. More may be
/// needed from one set to the next.
struct Choice {
    count: usize,
    /// The sites chosen, ascending.
    sites: Vec<usize>,
    /// The next site to try behind them.
    next: usize,
}

impl Choice {
    fn of(count: usize) -> Self {
        Self { count, sites: Vec::new(), next: 0 }
    }

    fn set(&self) -> u64 {
        self.sites.iter().fold(0, |set, site| set | 1 << site)
    }

    /// Goes to the next set among so many sites; whether there is one.
    fn advance(&mut self, all: usize, needed: &[u64]) -> bool {
        // A set that is whole was seen.
        let mut back = self.sites.len() == self.count;
        loop {
            if back || self.next >= all {
                let Some(last) = self.sites.pop() else { return false };
                self.next = last + 1;
                back = false;
                continue;
            }
            self.sites.push(self.next);
            self.next += 1;
            if !self.can_be_completed(needed) {
                back = true;
            } else if self.sites.len() == self.count {
                return true;
            }
        }
    }

    /// Whether sites behind those chosen may give what is still needed.
    fn can_be_completed(&self, needed: &[u64]) -> bool {
        let (set, behind) = (self.set(), !0_u64 << self.next);
        let mut left = self.count - self.sites.len();
        // Sets without a site in common take a site each.
        let mut apart = 0_u64;
        for needed in needed.iter().filter(|&needed| needed & set == 0) {
            let possible = needed & behind;
            if possible == 0 {
                return false;
            }
            if possible & apart == 0 {
                if left == 0 {
                    return false;
                }
                left -= 1;
                apart |= possible;
            }
        }
        true
    }
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
    use crate::generate::Cycle;

    /// All choices of so many changes.
    fn all(sites: &[Site], from: usize, count: usize) -> Vec<Chosen> {
        if count == 0 {
            return vec![Chosen::new()];
        }
        let mut found = Vec::new();
        for at in from..sites.len() {
            for rest in all(sites, at + 1, count - 1) {
                let with = |&change: &Change| rest.clone().into_iter().chain([(at, change)]).collect();
                found.extend(sites[at].changes.iter().map(with));
            }
        }
        found
    }

    /// By definition: all choices of changes are explored, and of those that forbid the outcome those are kept that are
    /// not stronger than another one.
    #[test]
    fn repairs_are_all_that_are_minimal() {
        let mut compared = 0;
        for cycle in ["PodWR Fre PodWR Fre", "PodWW Rfe PodRR Fre", "PodWW Coe PodWR Fre", "PodWW Coe MFencedWR Fre"] {
            let program = Cycle::parse(cycle).expect("a cycle").program(Notation::Litmoscope.into()).expect("a test");
            let question = Question::of(&program);
            let occurs = |program: &Program, model| question.occurs(program, model, Options::default(), MAX_STEPS);
            for model in Model::ALL {
                let Repairs::Found { shown, more, all: true } =
                    mend(&program, &question, model, Options::default()).any
                else {
                    continue;
                };
                let (_, sites) = changed(&program, model, &Chosen::new());
                let forbids = |chosen: &Chosen| occurs(&changed(&program, model, chosen).0, model) == Occurrence::No;
                let count = shown[0].changes.len();
                if occurs(&program, model) == Occurrence::No || count > 2 {
                    continue;
                }
                assert!((1..count).all(|fewer| !all(&sites, 0, fewer).iter().any(forbids)), "{cycle} under {model}");
                let repairs: Vec<Chosen> = all(&sites, 0, count).into_iter().filter(forbids).collect();
                let is_least = |chosen: &&Chosen| !repairs.iter().any(|o| o != *chosen && is_within(o, chosen));
                let least = repairs.iter().filter(is_least).count();
                assert_eq!(least, shown.len() + more, "{cycle} under {model}");
                compared += 1;
            }
        }
        assert!(compared >= 15, "{compared}");
    }

    fn listed(all: usize, count: usize, needed: &[u64]) -> Vec<u64> {
        let mut choice = Choice::of(count);
        std::iter::from_fn(|| choice.advance(all, needed).then(|| choice.set())).collect()
    }

    /// By definition: all sets of so many sites, without those that lack what is needed.
    #[test]
    fn choices_have_what_is_needed() {
        assert_eq!(listed(4, 2, &[]), [0b11, 0b101, 0b1001, 0b110, 0b1010, 0b1100]);
        assert_eq!(listed(4, 4, &[]), [15]);
        assert_eq!(listed(1, 1, &[1]), [1]);
        assert!(listed(5, 2, &[0b1, 0b10, 0b100]).is_empty());
        for needed in [&[0b110_0001_u64, 0b1100][..], &[0b11, 0b110, 0b1100_0000], &[0b1000_0000]] {
            for count in 1..=8 {
                let mut found = listed(8, count, needed);
                let mut expected: Vec<u64> = (0..256).filter(|set: &u64| set.count_ones() as usize == count).collect();
                expected.retain(|set| needed.iter().all(|needed| needed & set != 0));
                found.sort_unstable();
                assert_eq!(found, expected, "{count} of {needed:?}");
            }
        }
    }

    #[test]
    fn more_may_be_needed_on_the_way() {
        let mut choice = Choice::of(2);
        assert!(choice.advance(6, &[]) && choice.set() == 0b11);
        assert!(choice.advance(6, &[0b10_0000]) && choice.set() == 0b10_0001);
        assert!(choice.advance(6, &[0b10_0000, 0b1_0000]) && choice.set() == 0b11_0000);
        assert!(!choice.advance(6, &[0b10_0000, 0b1_0000]));
    }
}
