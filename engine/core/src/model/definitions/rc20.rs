//! RC11 with the release sequences and the SC order of C++20.
//!
//! - rseq = \[W at least relaxed\] ; (rf ; \[RMW\])*
//! - sw = \[at least release\] ; (\[F\] ; po)? ; rseq ; rf ; \[R at least relaxed\] ; (po ; \[F\])? ; \[at least acquire\]
//! - hb = (po ∪ sw)⁺, eco = (rf ∪ co ∪ fr)⁺
//! - shb = (po ∪ \[SC access\] ; sw ; \[SC access\] ∪ po ; hb ; po)⁺
//! - psc = \[SC\] ; shb ; \[SC\] ∪ (\[SC access\] ∪ \[F SC\] ; hb) ; eco ; (\[SC access\] ∪ hb ; \[F SC\])
//!
//! A graph is consistent if for some co
//!
//! - coherence: hb ; eco? and eco are irreflexive;
//! - atomicity: each read-modify-write comes immediately behind its source in co;
//! - SC: psc is acyclic;
//! - no thin air: porf is acyclic.
//!
//! Source: ISO/IEC 14882:2020. \[intro.races\] has release sequences, which writes of the head's thread do not continue since
//! Boehm's P0982 (2018), and "strongly happens before" (shb). \[atomics.order\], paragraphs 3 and 4, has the order of SC
//! operations, which is Boehm, Giroux and Vafeiadis' P0668 (2018): there has to be a total order S of them that contains
//! what strongly happens before, and, from an SC access or a fence behind which it happens to an SC access or a fence before
//! which it happens, what is coherence-ordered before (eco). That is psc. The standard speaks of "sequentially consistent
//! atomic operations" where shb has sw, and names fences beside those elsewhere, so these are accesses here.
//!
//! All else is as in RC11 ([`super::rc11`]). That no value may come out of thin air, which the standard recommends, is an axiom on
//! porf here. Non-atomic accesses are part of eco, which matters only to programs with accesses of both kinds to one location.
//! Consume has no part.
//!
//! RC11 and RC20 are not comparable. Release sequences end sooner here, so that RC20 allows more. With the same hb, though, its
//! psc forbids all that that of RC11 does: what RC11 has beyond shb and eco are pairs of an SC fence and what synchronises with
//! it, and of two SC reads of one location, and all that the second event leads to, the first one leads to as well. And it
//! forbids more: rf may lead from co and fr to an SC read, and po, hb and po from and to the same location. Where each location
//! that has SC accesses has no others but its initial write, the two orders come to the same.
//!
//! It is decided as RC11 is. A pair of sw between SC accesses is part of eco, since rf leads from the head of a release sequence
//! to the read; and what is left of shb between SC events is po, or po ; hb ; po.

use crate::model::Model;
use crate::model::formula::{Demand, ECO, HB_OF_CPP20, PSC_OF_CPP20, Term};
use crate::model::rules::{Along, Axiom, Definition, HappensBefore, Order, Psc, Rseq, Rules, Run};
use crate::program::Notation;

pub(super) static DEFINITION: Definition = Definition {
    name: "rc20",
    title: "RC20",
    description: "RC11 as C++20 has it: only read-modify-writes continue a release sequence, and SC accesses and fences \
                  have the order that C++20 gives them. Litmoscope reports data races on non-atomic accesses.",
    notations: &[Notation::C11],
    weaker_than: &[Model::SC],
    rules: Rules {
        happens_before: Some(HappensBefore::Synchronised(Rseq::OfUpdates)),
        local: Some(Order {
            has_fr: true,
            axiom: Axiom {
                name: "coherence",
                meaning: "There is a coherence order co such that hb ; eco is irreflexive, where hb = (po ∪ sw)⁺ and \
                          eco = (rf ∪ co ∪ fr)⁺: no event sees a location in an older state than an event that \
                          happens before it.",
                demands: &[
                    Demand::Irreflexive(HB_OF_CPP20),
                    Demand::Irreflexive(ECO),
                    Demand::Irreflexive(Term::Sequence(&[ECO, HB_OF_CPP20])),
                ],
            },
        }),
        psc: Some(Psc {
            along: Along::Shb,
            alone: Model::SC,
            axiom: Axiom {
                name: "psc",
                meaning: "With the same co, psc is acyclic. psc is the order that SC accesses and SC fences must \
                          follow.",
                demands: &[Demand::Acyclic(PSC_OF_CPP20)],
            },
        }),
        ..Rules::NONE
    },
    run: Run {
        account: "No machine with a single memory explains RC20. The order of events here agrees with po, rf and co. \
                  Beside it stands, for each thread and location, the newest write in co that the thread knows, by \
                  hb or because it has read it: the thread can't read an older one.",
        against_co: "No machine with a single memory explains RC20, and here no order of all events agrees with po, \
                     rf and co. The order of events here agrees with po and rf, but it may contradict co. Beside it \
                     stands, for each thread and location, the newest write in co that the thread knows, by hb or \
                     because it has read it.",
    },
    demand: "it orders accesses of different locations only through a release that an acquire reads, or through SC \
             accesses and SC fences. Nothing of this kind closes the cycle.",
};
