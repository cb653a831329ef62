//! All cycles of some edges.

use super::cycle::{Cycle, critical};
use super::edge::{Annotation, RelaxationEdge, UnknownEdge};
use super::test::Dialect;
use crate::program::Notation;
use crate::sort;
use std::ops::RangeInclusive;

/// How many edges the cycles of a family may have.
pub const MAX_LENGTH: usize = 16;

/// How many edges a family may be made of, annotations included.
const MAX_CHOICE: usize = 600;

/// After how many cycles in a row that are no test the search is given up.
const MAX_IN_VAIN: usize = 10_000_000;

/// The cycles of some edges, with a number of edges and of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    edges: Vec<RelaxationEdge>,
    dialect: Dialect,
    length: RangeInclusive<usize>,
    threads: RangeInclusive<usize>,
    /// Only critical cycles.
    critical: bool,
}

impl Family {
    /// The edges that families are made of unless told otherwise: program order, on x86 fences too, and communication
    /// between threads. In C11, accesses are relaxed, acquire or release.
    pub fn default_edges(notation: Notation) -> (&'static str, Vec<Annotation>) {
        match notation {
            Notation::Litmoscope => ("Pod** Rfe Fre Coe", Vec::new()),
            Notation::C11 => ("Pod** Rfe Fre Coe", vec![Annotation::Relaxed, Annotation::AcquireRelease]),
            Notation::X86 | Notation::X86_64 => ("Pod** MFenced** Rfe Fre Coe", Vec::new()),
        }
    }

    /// The cycles that can be made of some edges, each as often as wanted: with so many edges, through so many threads,
    /// and only critical ones unless told otherwise (see [`Cycle::is_critical`]). `modes` are the annotations for events
    /// whose edges have none; where the list is empty, those of the other edges; where there are none either, none.
    /// Edges that the dialect has no words for are left out.
    ///
    /// # Errors
    /// A sentence with what to do instead: too many edges or too long cycles, an empty range, edges of which the dialect
    /// has words for none.
    pub fn new(
        edges: &[RelaxationEdge],
        modes: &[Annotation],
        dialect: Dialect,
        length: RangeInclusive<usize>,
        threads: RangeInclusive<usize>,
        critical: bool,
    ) -> Result<Self, UnknownEdge> {
        let refuse = |message: String, help: &str| Err(UnknownEdge { message, help: help.to_owned() });
        if length.is_empty() || threads.is_empty() {
            return refuse("the range is empty".to_owned(), "write the smaller number first: 2..4");
        }
        if *length.end() > MAX_LENGTH {
            let message = format!("cycles of {} edges are longer than {MAX_LENGTH}", length.end());
            return refuse(message, "ask for shorter cycles");
        }
        let expanded = expand(edges, modes, dialect);
        if expanded.is_empty() {
            return refuse("the dialect has no instructions for any of these edges".to_owned(), "choose other edges");
        }
        if expanded.len() > MAX_CHOICE {
            let message = format!("with their annotations, there are {} edges, more than {MAX_CHOICE}", expanded.len());
            return refuse(message, "choose fewer edges or annotations");
        }
        if critical && let Some(edge) = expanded.iter().find(|edge| !edge.is_external() && !edge.changes_location()) {
            let message = format!("no critical cycle contains `{edge}`");
            return refuse(message, "leave it out, or ask for all cycles");
        }
        Ok(Self { edges: expanded, dialect, length, threads, critical })
    }

    /// The cycles, shorter ones first, each once: not turned, too. The order is always the same. Each begins as its name
    /// does, and their names are different.
    pub fn cycles(&self) -> Cycles<'_> {
        Cycles { family: self, search: None, length: *self.length.start(), in_vain: 0 }
    }

    /// The edges it is made of, with their annotations.
    pub fn edges(&self) -> &[RelaxationEdge] {
        &self.edges
    }

    /// What the family's tests are written in.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn can_follow(&self, edge: usize, next: usize) -> bool {
        let (edge, next) = (&self.edges[edge], &self.edges[next]);
        edge.can_precede(next) && (!self.critical || critical(edge, next))
    }
}

/// Edges with all annotations that their events may have.
fn expand(edges: &[RelaxationEdge], modes: &[Annotation], dialect: Dialect) -> Vec<RelaxationEdge> {
    let given: Vec<Annotation> = if modes.is_empty() {
        edges.iter().filter_map(|edge| edge.annotations).flat_map(|(from, to)| [from, to]).collect()
    } else {
        modes.to_vec()
    };
    let choice = |direction| {
        let mut choice: Vec<Annotation> = given.iter().filter_map(|annotation| annotation.of(direction)).collect();
        if choice.is_empty() {
            choice.push(dialect.resolve(None, direction));
        }
        sort::ascending(&mut choice);
        choice.dedup();
        choice
    };
    let mut all: Vec<RelaxationEdge> = Vec::new();
    for edge in edges {
        if given.is_empty() || edge.annotations.is_some() {
            all.push(*edge);
            continue;
        }
        for from in choice(edge.from) {
            for to in choice(edge.to) {
                all.push(RelaxationEdge { annotations: Some((from, to)), ..*edge });
            }
        }
    }
    all.retain(|edge| edge.check().is_ok() && dialect.check(edge).is_ok());
    let mut seen = rustc_hash::FxHashSet::default();
    all.retain(|edge| seen.insert(*edge));
    all
}

/// The cycles of a [`Family`].
pub struct Cycles<'f> {
    family: &'f Family,
    search: Option<Search>,
    /// The number of edges of the cycles that are looked for now.
    length: usize,
    in_vain: usize,
}

impl Cycles<'_> {
    /// Whether the search ended without having seen all, since it found no test for very long.
    pub fn gave_up(&self) -> bool {
        self.in_vain >= MAX_IN_VAIN
    }
}

impl Iterator for Cycles<'_> {
    type Item = Cycle;

    fn next(&mut self) -> Option<Cycle> {
        loop {
            if self.length > *self.family.length.end() || self.gave_up() {
                return None;
            }
            let search = self.search.get_or_insert_with(|| Search::new(self.family, self.length));
            let Some(edges) = search.next(self.family) else {
                self.search = None;
                self.length += 1;
                continue;
            };
            let edges = edges.into_iter().map(|edge| self.family.edges[edge]).collect();
            let cycle = Cycle::new(edges).ok().filter(|cycle| cycle.check(self.family.dialect).is_ok());
            match cycle {
                Some(cycle) => {
                    self.in_vain = 0;
                    return Some(cycle.canonical(self.family.dialect));
                }
                None => self.in_vain += 1,
            }
        }
    }
}

/// Lists the closed walks of one length that are no smaller when turned, in lexicographic order (Fredricksen, Kessler and
/// Maiorana's necklaces), without going where no walk closes.
struct Search {
    length: usize,
    /// The walk so far.
    walk: Vec<usize>,
    /// For each place of the walk: the period of what is before it, the external edges there, and the next edge to try.
    stack: Vec<(usize, usize, usize)>,
    /// `closes[k][x]`: whether `k` more edges, `x` of them external, lead from an edge to one that another can follow.
    closes: Vec<Vec<Matrix>>,
}

/// A relation between edges, a bit each.
#[derive(Clone)]
struct Matrix {
    words: usize,
    bits: Vec<u64>,
}

impl Matrix {
    fn new(size: usize) -> Self {
        let words = size.div_ceil(64);
        Self { words, bits: vec![0; size * words] }
    }

    fn set(&mut self, row: usize, column: usize) {
        self.bits[row * self.words + column / 64] |= 1 << (column % 64);
    }

    fn get(&self, row: usize, column: usize) -> bool {
        self.bits[row * self.words + column / 64] >> (column % 64) & 1 != 0
    }

    /// Adds a row of another one to one of this.
    fn add(&mut self, row: usize, other: &Self, from: usize) {
        for word in 0..self.words {
            self.bits[row * self.words + word] |= other.bits[from * self.words + word];
        }
    }
}

impl Search {
    fn new(family: &Family, length: usize) -> Self {
        let n = family.edges.len();
        let most = (*family.threads.end()).min(length);
        let mut follows = Matrix::new(n);
        for edge in 0..n {
            (0..n).filter(|&next| family.can_follow(edge, next)).for_each(|next| follows.set(edge, next));
        }
        let mut closes: Vec<Vec<Matrix>> = Vec::new();
        for k in 0..length {
            let mut by_external = vec![Matrix::new(n); most + 1];
            if k == 0 {
                by_external[0] = follows.clone();
            } else {
                for (x, matrix) in by_external.iter_mut().enumerate() {
                    for edge in 0..n {
                        for next in (0..n).filter(|&next| follows.get(edge, next)) {
                            let external = usize::from(family.edges[next].is_external());
                            if x >= external {
                                matrix.add(edge, &closes[k - 1][x - external], next);
                            }
                        }
                    }
                }
            }
            closes.push(by_external);
        }
        Self { length, walk: Vec::new(), stack: vec![(1, 0, 0)], closes }
    }

    /// The next walk.
    fn next(&mut self, family: &Family) -> Option<Vec<usize>> {
        while let Some((period, external, next)) = self.stack.last_mut() {
            let at = self.walk.len();
            if at == self.length {
                let whole = at.is_multiple_of(*period);
                self.stack.pop();
                let walk = self.walk.clone();
                self.walk.pop();
                if whole {
                    return Some(walk);
                }
                continue;
            }
            let least = if at == 0 { 0 } else { self.walk[at - *period] };
            let edge = (*next).max(least);
            if edge == family.edges.len() {
                self.stack.pop();
                self.walk.pop();
                continue;
            }
            *next = edge + 1;
            let period = if edge == least { *period } else { at + 1 };
            let external = *external + usize::from(family.edges[edge].is_external());
            if at > 0 && !family.can_follow(self.walk[at - 1], edge) {
                continue;
            }
            let first = if at == 0 { edge } else { self.walk[0] };
            let (fewest, most) = (*family.threads.start(), (*family.threads.end()).min(self.length));
            let rest = &self.closes[self.length - at - 1];
            let possible = (fewest.max(external)..=most).any(|all| rest[all - external].get(edge, first));
            if possible {
                self.walk.push(edge);
                self.stack.push((period, external, 0));
            }
        }
        None
    }
}
