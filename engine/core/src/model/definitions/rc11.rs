//! Repaired C11.
//!
//! - rseq = \[W\] ; (po on one location)? ; \[W at least relaxed\] ; (rf ; \[RMW\])*
//! - sw = \[at least release\] ; (\[F\] ; po)? ; rseq ; rf ; \[R at least relaxed\] ; (po ; \[F\])? ; \[at least acquire\]
//! - hb = (po ∪ sw)⁺, eco = (rf ∪ co ∪ fr)⁺
//! - scb = po ∪ (po≠ ; hb ; po≠) ∪ (hb on one location) ∪ co ∪ fr, where po≠ is po between different locations
//! - psc = (\[SC\] ∪ \[F SC\] ; hb?) ; scb ; (\[SC\] ∪ hb? ; \[F SC\]) ∪ \[F SC\] ; (hb ∪ hb ; eco ; hb) ; \[F SC\]
//!
//! A graph is consistent if for some co
//!
//! - coherence: hb ; eco? and eco are irreflexive;
//! - atomicity: each read-modify-write comes immediately behind its source in co;
//! - SC: psc is acyclic;
//! - no thin air: porf is acyclic.
//!
//! Source: Kokologiannakis, Raad and Vafeiadis, "Model Checking for Weakly Consistent Libraries" (PLDI 2019), appendix
//! A.3, after Lahav, Vafeiadis, Kang, Hur and Dreyer, "Repairing Sequential Consistency in C/C++11" (PLDI 2017). fr is
//! without the identity, since a read-modify-write is one event, and co is total, though one line of the appendix says
//! partial.
//!
//! Without SC events this takes polynomial time: coherence and atomicity say that for each location, (hb on its
//! accesses) ∪ rf ∪ co ∪ fr is acyclic, which saturation decides. (The published writes-before relation, appendix B, is
//! no sufficient check when there are read-modify-writes.) With SC events, the orders that saturation leaves open are
//! searched for those locations whose co can take part in psc; psc grows with co, so it is tested all along.

use crate::model::Model;
use crate::model::formula::{Demand, ECO, HB_OF_C11, PSC, Term};
use crate::model::rules::{Along, Axiom, Definition, HappensBefore, Order, Psc, Rseq, Rules, Run};
use crate::program::Notation;

pub(super) static DEFINITION: Definition = Definition {
    name: "rc11",
    title: "RC11",
    description: "Repaired C11: the atomics of C and C++ with all their access modes and fences, without \
                  out-of-thin-air values. Litmoscope reports data races on non-atomic accesses.",
    notations: &[Notation::C11],
    weaker_than: &[Model::SC],
    rules: Rules {
        happens_before: Some(HappensBefore::Synchronised(Rseq::OfThreads)),
        local: Some(Order {
            has_fr: true,
            axiom: Axiom {
                name: "coherence",
                meaning: "There is a coherence order co such that hb ; eco is irreflexive, where hb = (po ∪ sw)⁺ and \
                          eco = (rf ∪ co ∪ fr)⁺: no event sees a location in an older state than an event that \
                          happens before it.",
                demands: &[
                    Demand::Irreflexive(HB_OF_C11),
                    Demand::Irreflexive(ECO),
                    Demand::Irreflexive(Term::Sequence(&[ECO, HB_OF_C11])),
                ],
            },
        }),
        psc: Some(Psc {
            along: Along::Scb,
            alone: Model::SC,
            axiom: Axiom {
                name: "psc",
                meaning: "With the same co, psc is acyclic. psc is the order that SC accesses and SC fences must \
                          follow.",
                demands: &[Demand::Acyclic(PSC)],
            },
        }),
        ..Rules::NONE
    },
    run: Run {
        account: "No machine with a single memory explains RC11. The order of events here agrees with po, rf and co. \
                  Beside it stands, for each thread and location, the newest write in co that the thread knows, by \
                  hb or because it has read it: the thread can't read an older one.",
        against_co: "No machine with a single memory explains RC11, and here no order of all events agrees with po, \
                     rf and co. The order of events here agrees with po and rf, but it may contradict co. Beside it \
                     stands, for each thread and location, the newest write in co that the thread knows, by hb or \
                     because it has read it.",
    },
    demand: "it orders accesses of different locations only through a release that an acquire reads, or through SC \
             accesses and SC fences. Nothing of this kind closes the cycle.",
};
