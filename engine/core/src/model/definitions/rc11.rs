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
use crate::model::rules::{Axiom, Definition, HappensBefore, Order, Rules, Run};
use crate::program::Notation;

pub(super) const DEFINITION: Definition = Definition {
    name: "rc11",
    title: "RC11",
    description: "Repaired C11: C and C++ atomics with all their access modes and fences, without out-of-thin-air values. \
                  Races on non-atomic accesses are reported.",
    notations: &[Notation::C11],
    weaker_than: &[Model::Sc],
    rules: Rules {
        happens_before: Some(HappensBefore::Synchronised),
        local: Some(Order {
            has_fr: true,
            axiom: Axiom {
                name: "coherence",
                meaning: "For some coherence order co, hb ; eco is irreflexive, where hb = (po ∪ sw)⁺ and eco = (rf ∪ co ∪ fr)⁺: \
                          no event sees a location older than what happens before it.",
                demands: &[
                    Demand::Irreflexive(HB_OF_C11),
                    Demand::Irreflexive(ECO),
                    Demand::Irreflexive(Term::Sequence(&[ECO, HB_OF_C11])),
                ],
            },
        }),
        psc: Some(Axiom {
            name: "psc",
            meaning: "With the same co, the partial order psc that SC accesses and SC fences ask for is acyclic.",
            demands: &[Demand::Acyclic(PSC)],
        }),
        ..Rules::NONE
    },
    run: Run {
        account: "No machine with one memory explains RC11. This is an order that po, rf and co agree with; beside it, of each \
                  location the newest write in co that each thread knows, by hb or because it was read: it can't read an older \
                  one.",
        against_co: "No machine with one memory explains RC11, and no order of all events agrees with po, rf and co here: in \
                     this one, which po and rf agree with, writes of a location may stand against co. Beside it, of each \
                     location the newest write in co that each thread knows, by hb or because it was read.",
    },
    demand: "accesses of different locations are ordered only where a release is read by an acquire, or by SC accesses and \
             fences; nothing of this kind closes the cycle.",
};
