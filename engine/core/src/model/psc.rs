//! psc, the partial order of C11's SC accesses and fences. [`super::formula::PSC`] has the definition.

use super::coherence::State;
use super::view::{View, from_read, known_co};
use crate::graph::{EventId, EventSet, Label, Relation};
use crate::program::Mode;

/// psc of a graph that has SC events. Products are formed from the left: few events are SC, so few rows are not empty.
#[derive(Debug)]
pub(super) struct ScOrder {
    hb: Relation,
    /// \[SC\] ∪ \[F SC\] ; hb?
    left: Relation,
    /// \[SC\] ∪ hb? ; \[F SC\]
    right: Relation,
    /// \[F SC\]
    fences: Relation,
    /// \[F SC\] ; hb
    behind_fences: Relation,
    /// The part of psc that does not depend on co.
    fixed: Relation,
    /// The locations whose co can take part.
    deciding: EventSet,
    /// How many pairs `left` has.
    left_pairs: u64,
}

impl ScOrder {
    /// `None` without SC events.
    pub fn new(view: &View<'_>, hb: &Relation) -> Option<Self> {
        let graph = view.graph;
        if !graph.events().any(|(_, event)| event.mode().is_sc()) {
            return None;
        }
        let n = view.len();
        let is_sc_fence = |e: EventId| graph.event(e).label == Label::Fence(Mode::SequentiallyConsistent);
        let sc = Relation::identity(n, |e| graph.event(e).mode().is_sc());
        let fences = Relation::identity(n, is_sc_fence);
        let behind_fences = fences.compose(hb);
        let left = sc.union(&behind_fences);
        let po = view.po();
        let (mut right, mut elsewhere, mut same) = (sc, Relation::new(n), Relation::new(n));
        // No path of psc leads through an initial write.
        for &a in &view.order {
            po.successors(a).filter(|&b| !view.same_location(a, b)).for_each(|b| {
                elsewhere.insert(a, b);
            });
            for b in hb.successors(a) {
                if view.same_location(a, b) {
                    same.insert(a, b);
                }
                if is_sc_fence(b) {
                    right.insert(a, b);
                }
            }
        }
        let mut fixed = left.compose(&elsewhere).compose(hb).compose(&elsewhere);
        fixed.union_with(&left.compose(&po));
        fixed.union_with(&left.compose(&same));
        let mut fixed = fixed.compose(&right);
        fixed.union_with(&behind_fences.compose(&fences));
        let mut starts = vec![false; view.locations];
        let mut ends = vec![false; view.locations];
        let mut reached = vec![false; n];
        left.pairs().for_each(|(_, e)| reached[e.index()] = true);
        for (e, event) in graph.events() {
            let Some(location) = event.location() else { continue };
            starts[location.0 as usize] |= reached[e.index()];
            ends[location.0 as usize] |= right.successors(e).next().is_some();
        }
        let deciding = EventSet::from_fn(n, |e| e.index() < view.locations && starts[e.index()] && ends[e.index()]);
        let left_pairs = left.pairs().count() as u64;
        Some(Self { hb: hb.clone(), left, right, fences, behind_fences, fixed, deciding, left_pairs })
    }

    /// Whether the co of a location can take part in psc.
    pub fn decides(&self, location: usize) -> bool {
        self.deciding.contains(EventId(location as u32))
    }

    /// psc as far as co is known; co has to be transitive, and coherence to hold so far.
    pub fn psc(&self, view: &View<'_>, co: &Relation) -> Relation {
        let communication = co.union(&from_read(view, co));
        let mut psc = self.left.compose(&communication).compose(&self.right);
        psc.union_with(&self.fixed);
        if !self.behind_fences.is_empty() {
            // eco is rf ∪ (co ∪ fr) ; rf?
            let rf = view.graph.rf_relation();
            let mut eco = self.behind_fences.compose(&communication);
            eco.union_with(&eco.compose(&rf));
            eco.union_with(&self.behind_fences.compose(&rf));
            psc.union_with(&eco.compose(&self.hb).compose(&self.fences));
        }
        psc
    }

    /// What psc is made of: calls `step` with each pair `a, b` and the ends `c, d` of the middle part of a path from
    /// `a` to `b`, and whether that part is eco; else it is scb.
    pub fn each_step(&self, view: &View<'_>, co: &Relation, step: &mut dyn FnMut([EventId; 4], bool)) {
        let po = view.po();
        let elsewhere = po.filter(|a, b| !view.same_location(a, b));
        let mut communication = co.union(&from_read(view, co));
        let scb = po
            .union(&elsewhere.compose(&self.hb).compose(&elsewhere))
            .union(&self.hb.filter(|a, b| view.same_location(a, b)))
            .union(&communication);
        communication.union_with(&view.graph.rf_relation());
        let eco = communication.transitive_closure();
        let is_fence = |e| self.fences.contains(e, e);
        for (a, c) in self.left.pairs() {
            for d in scb.successors(c) {
                self.right.successors(d).for_each(|b| step([a, c, d, b], false));
            }
            if !is_fence(a) || a == c {
                continue;
            }
            if is_fence(c) {
                step([a, a, c, c], false);
            }
            for d in eco.successors(c) {
                let ends = self.hb.successors(d).filter(|&b| is_fence(b));
                ends.for_each(|b| step([a, c, d, b], true));
            }
        }
    }

    /// About how many units of work [`Self::holds`] is.
    pub fn cost(&self, view: &View<'_>) -> u64 {
        let words = view.len().div_ceil(64) as u64;
        (view.len() as u64 + self.left_pairs) * words
    }

    /// Whether psc is acyclic as far as co is known.
    pub fn holds(&self, view: &View<'_>, state: &State) -> bool {
        self.psc(view, &known_co(view, |a, b| state.local.contains(a, b))).is_acyclic()
    }
}
