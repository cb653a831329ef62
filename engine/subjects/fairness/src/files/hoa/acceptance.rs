//! Conditions of acceptance, and the pairs that say the same.
//!
//! A conjunction of clauses with one `Fin` at most is a Streett condition: `Fin(a) | Inf(b)` is the pair (a, b), where a clause without `Fin`
//! asks everywhere, and one without `Inf` gets nothing. Streett, parity, Büchi, generalised Büchi and co-Büchi conditions are such
//! conjunctions. If a condition is none, its negation may be: that of Rabin is. Then the pairs speak of runs that are rejected.

use std::collections::BTreeSet;

/// A set of marks in a condition: its number, and whether all that is not in it is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Marks {
    /// The number of the set.
    pub set: u32,
    /// Whether its complement is meant.
    pub is_negated: bool,
}

/// A condition of acceptance, about the marks that a run sees again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Of all runs (an empty conjunction), or what all of these say.
    All(Vec<Condition>),
    /// Of no run (an empty disjunction), or what one of these says.
    Any(Vec<Condition>),
    /// These are seen finitely often.
    Finitely(Marks),
    /// These are seen again and again.
    Infinitely(Marks),
}

/// What the pairs of a product speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Runs {
    /// Runs that the automaton accepts.
    Accepted,
    /// Runs that the automaton rejects: the negation of a Rabin condition is a Streett condition.
    Rejected,
}

/// A pair in marks: who sees `asks` again and again sees some of `gets` again and again. Without `asks`, everybody asks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MarkPair {
    /// The marks that ask.
    pub asks: Option<Marks>,
    /// The marks of which one has to come.
    pub gets: Vec<Marks>,
}

/// Why a condition can't be told with pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoPairs {
    /// Neither it nor its negation is a Streett condition.
    Neither,
    /// It is too large to know.
    TooLarge,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Clause {
    fins: BTreeSet<Marks>,
    infs: BTreeSet<Marks>,
}

/// How many clauses are made at most, those on the way included.
const MOST_CLAUSES: usize = 1 << 14;

/// How many sets of marks there may be.
pub(super) const MOST_SETS: u32 = 1024;

impl Condition {
    /// Whether a run is accepted of which one knows the sets whose marks, and the sets without whose marks, it sees again and again.
    pub fn accepts(&self, sees: &dyn Fn(Marks) -> bool) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.accepts(sees)),
            Self::Any(parts) => parts.iter().any(|part| part.accepts(sees)),
            Self::Finitely(marks) => !sees(*marks),
            Self::Infinitely(marks) => sees(*marks),
        }
    }

    /// Its conjunctive normal form, or that of its negation.
    fn clauses(&self, is_negated: bool, left: &mut usize) -> Option<BTreeSet<Clause>> {
        let (parts, is_all) = match self {
            Self::All(parts) => (parts, !is_negated),
            Self::Any(parts) => (parts, is_negated),
            Self::Finitely(marks) | Self::Infinitely(marks) => {
                let mut clause = Clause::default();
                let is_finite = matches!(self, Self::Finitely(_)) != is_negated;
                if is_finite {
                    clause.fins.insert(*marks)
                } else {
                    clause.infs.insert(*marks)
                };
                return Some(BTreeSet::from([clause]));
            }
        };
        let mut clauses = if is_all { BTreeSet::new() } else { BTreeSet::from([Clause::default()]) };
        for part in parts {
            let more = part.clauses(is_negated, left)?;
            if is_all {
                *left = left.checked_sub(more.len())?;
                clauses.extend(more);
                continue;
            }
            *left = left.checked_sub(clauses.len().checked_mul(more.len())?)?;
            let mut product = BTreeSet::new();
            for one in &clauses {
                for other in &more {
                    let fins: BTreeSet<Marks> = one.fins.union(&other.fins).copied().collect();
                    let infs: BTreeSet<Marks> = one.infs.union(&other.infs).copied().collect();
                    // What is seen finitely often or again and again is anything.
                    if fins.is_disjoint(&infs) {
                        product.insert(Clause { fins, infs });
                    }
                }
            }
            clauses = product;
        }
        Some(clauses)
    }

    fn pairs_of(&self, is_negated: bool) -> Result<Vec<MarkPair>, NoPairs> {
        let mut left = MOST_CLAUSES;
        let clauses = self.clauses(is_negated, &mut left).ok_or(NoPairs::TooLarge)?;
        let is_implied = |clause: &Clause| {
            let implies = |other: &Clause| {
                other != clause && other.fins.is_subset(&clause.fins) && other.infs.is_subset(&clause.infs)
            };
            clauses.iter().any(implies)
        };
        // Comparing all with all takes too long where they are many: then what is implied stays.
        let is_short = clauses.len() <= 512;
        let needed = clauses.iter().filter(|clause| !is_short || !is_implied(clause));
        let pair = |clause: &Clause| {
            let asks = clause.fins.first().copied();
            let gets = clause.infs.iter().copied().collect();
            (clause.fins.len() <= 1).then_some(MarkPair { asks, gets })
        };
        needed.map(pair).collect::<Option<_>>().ok_or(NoPairs::Neither)
    }

    /// Pairs that say the same of the runs of an automaton, and of which runs they say it.
    pub(super) fn pairs(&self) -> Result<(Runs, Vec<MarkPair>), NoPairs> {
        match (self.pairs_of(false), self.pairs_of(true)) {
            (Ok(pairs), _) => Ok((Runs::Accepted, pairs)),
            (_, Ok(pairs)) => Ok((Runs::Rejected, pairs)),
            (Err(NoPairs::Neither), Err(NoPairs::Neither)) => Err(NoPairs::Neither),
            _ => Err(NoPairs::TooLarge),
        }
    }
}
