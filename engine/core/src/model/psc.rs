//! psc, the partial order of C11's and C++20's SC accesses and fences. [`super::formula::PSC`] and
//! [`super::formula::PSC_OF_CPP20`] have the definitions.

use super::coherence::State;
use super::rules::Along;
use super::view::{View, from_read, known_co};
use crate::graph::{EventId, EventSet, Label, Relation};
use crate::program::Mode;

/// psc of a graph that has SC events. Products are formed from the left: few events are SC, so few rows are not empty.
#[derive(Debug)]
pub(super) struct ScOrder {
    along: Along,
    hb: Relation,
    /// \[SC\] ∪ \[F SC\] ; hb?
    left: Relation,
    /// \[SC\] ∪ hb? ; \[F SC\]
    right: Relation,
    /// \[F SC\]
    fences: Relation,
    /// \[F SC\] ; hb
    behind_fences: Relation,
    /// Along shb, \[SC\] ; (po ∪ po ; hb ; po) ; \[SC\]; else empty.
    strong: Relation,
    /// The part of psc that does not depend on co.
    fixed: Relation,
    /// The locations whose co can take part.
    deciding: EventSet,
    /// How many pairs `left` has.
    left_pairs: u64,
}

/// What lies in the middle of a path of psc, with hb before and behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Middle {
    Scb,
    Eco,
    /// All of the path is po, or po ; hb ; po.
    Shb,
}

impl ScOrder {
    /// `None` without SC events.
    pub(super) fn new(view: &View<'_>, hb: &Relation, along: Along) -> Option<Self> {
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
        let mut right = sc.clone();
        // No path of psc leads through an initial write.
        for &a in &view.order {
            hb.successors(a).filter(|&b| is_sc_fence(b)).for_each(|b| {
                right.insert(a, b);
            });
        }
        let (strong, fixed) = match along {
            Along::Scb => {
                let mut fixed = along_scb(view, hb, &left).compose(&right);
                fixed.union_with(&behind_fences.compose(&fences));
                (Relation::new(n), fixed)
            }
            Along::Shb => {
                let po = sc.compose(&view.po());
                // shb between SC events is the closure of this and of sw between SC accesses. That is part of eco, since a
                // release sequence leads from its head to the read along rf.
                let strong = po.union(&po.compose(hb).compose(&view.po())).compose(&sc);
                let fixed = left.compose(&graph.rf_relation()).compose(&right).union(&strong);
                (strong, fixed)
            }
        };
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
        Some(Self { along, hb: hb.clone(), left, right, fences, behind_fences, strong, fixed, deciding, left_pairs })
    }

    /// Whether the co of a location can take part in psc.
    pub(super) fn decides(&self, location: usize) -> bool {
        self.deciding.contains(EventId(location as u32))
    }

    /// psc as far as co is known; co has to be transitive, and coherence to hold so far.
    pub(super) fn psc(&self, view: &View<'_>, co: &Relation) -> Relation {
        let communication = co.union(&from_read(view, co));
        // eco is rf ∪ (co ∪ fr) ; rf?
        let mut psc = match self.along {
            Along::Scb => self.left.compose(&communication).compose(&self.right),
            Along::Shb => {
                let mut eco = self.left.compose(&communication);
                eco.union_with(&eco.compose(&view.graph.rf_relation()));
                eco.compose(&self.right)
            }
        };
        psc.union_with(&self.fixed);
        if self.along == Along::Scb && !self.behind_fences.is_empty() {
            let rf = view.graph.rf_relation();
            let mut eco = self.behind_fences.compose(&communication);
            eco.union_with(&eco.compose(&rf));
            eco.union_with(&self.behind_fences.compose(&rf));
            psc.union_with(&eco.compose(&self.hb).compose(&self.fences));
        }
        psc
    }

    /// What psc is made of: calls `step` with each pair `a, b` and the ends `c, d` of the middle part of a path from
    /// `a` to `b`, and what that part is.
    pub(super) fn each_step(&self, view: &View<'_>, co: &Relation, step: &mut dyn FnMut([EventId; 4], Middle)) {
        let mut communication = co.union(&from_read(view, co));
        let mut scb = Relation::new(view.len());
        if self.along == Along::Scb {
            let po = view.po();
            let elsewhere = po.filter(|a, b| !view.same_location(a, b));
            scb.union_with(&po);
            scb.union_with(&elsewhere.compose(&self.hb).compose(&elsewhere));
            scb.union_with(&self.hb.filter(|a, b| view.same_location(a, b)));
            scb.union_with(&communication);
        }
        communication.union_with(&view.graph.rf_relation());
        let eco = communication.transitive_closure();
        let is_fence = |e| self.fences.contains(e, e);
        for (a, b) in self.strong.pairs() {
            step([a, a, b, b], Middle::Shb);
        }
        for (a, c) in self.left.pairs() {
            if self.along == Along::Shb {
                for d in eco.successors(c) {
                    self.right.successors(d).for_each(|b| step([a, c, d, b], Middle::Eco));
                }
                continue;
            }
            for d in scb.successors(c) {
                self.right.successors(d).for_each(|b| step([a, c, d, b], Middle::Scb));
            }
            if !is_fence(a) || a == c {
                continue;
            }
            if is_fence(c) {
                step([a, a, c, c], Middle::Scb);
            }
            for d in eco.successors(c) {
                let ends = self.hb.successors(d).filter(|&b| is_fence(b));
                ends.for_each(|b| step([a, c, d, b], Middle::Eco));
            }
        }
    }

    /// About how many units of work [`Self::holds`] is.
    pub(super) fn cost(&self, view: &View<'_>) -> u64 {
        let words = view.len().div_ceil(64) as u64;
        (view.len() as u64 + self.left_pairs) * words
    }

    /// Whether psc is acyclic as far as co is known.
    pub(super) fn holds(&self, view: &View<'_>, state: &State) -> bool {
        self.psc(view, &known_co(view, |a, b| state.local.contains(a, b))).is_acyclic()
    }
}

/// What `left` leads to along the part of scb that does not depend on co.
fn along_scb(view: &View<'_>, hb: &Relation, left: &Relation) -> Relation {
    let po = view.po();
    let (mut elsewhere, mut same) = (Relation::new(view.len()), Relation::new(view.len()));
    for &a in &view.order {
        po.successors(a).filter(|&b| !view.same_location(a, b)).for_each(|b| {
            elsewhere.insert(a, b);
        });
        hb.successors(a).filter(|&b| view.same_location(a, b)).for_each(|b| {
            same.insert(a, b);
        });
    }
    let mut all = left.compose(&elsewhere).compose(hb).compose(&elsewhere);
    all.union_with(&left.compose(&po));
    all.union_with(&left.compose(&same));
    all
}
