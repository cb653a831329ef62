//! Axioms as formulas: relations made of po, rf and co, and what they must not contain.
//!
//! The formulas of a model are its definition, as the papers write it. The brute force (`explore::brute_force`) evaluates them, one
//! operator at a time, and knows of models nothing else; what this module's neighbours do with [`super::Rules`] is held
//! against that.

/// A set of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// What reads: reads and read-modify-writes.
    Reads,
    /// What writes: initial writes, writes and read-modify-writes.
    Writes,
    /// Read-modify-writes that write.
    Updates,
    /// Reads that are no part of a read-modify-write, not even of one that fails.
    PlainReads,
    /// Writes that are neither initial nor part of a read-modify-write.
    PlainWrites,
    /// Unlocks of mutexes.
    Unlocks,
    /// What has a location.
    Accesses,
    /// Fences.
    Fences,
    /// Fences of mode `sc`.
    ScFences,
    /// Fences of mode `rel` or `acqrel`.
    StoreFences,
    /// Events of a mode that is at least relaxed.
    Atomic,
    /// Events of a mode that is at least release.
    Releases,
    /// Events of a mode that is at least acquire.
    Acquires,
    /// Events of mode `sc`.
    Sc,
}

/// A relation over the events of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// Program order, with the initial writes before everything else.
    Po,
    /// Reads-from.
    Rf,
    /// The coherence order of each location, the initial write first.
    Co,
    /// A total order of the SC fences.
    ScFence,
    /// Pairs of accesses of one location.
    SameLocation,
    /// Pairs of events of one thread.
    SameThread,
    /// \[S\]: each event of a set, with itself.
    Of(Set),
    /// a ∪ b ∪ ...
    Union(&'static [Term]),
    /// a ; b ; ...
    Sequence(&'static [Term]),
    /// a ∩ b
    Both(&'static Term, &'static Term),
    /// a \ b
    Without(&'static Term, &'static Term),
    /// a⁻¹
    Inverse(&'static Term),
    /// a?: a, or nothing
    Maybe(&'static Term),
    /// a⁺
    Closure(&'static Term),
    /// a without the pairs of an event with itself.
    Irreflexive(&'static Term),
}

/// What an axiom asks of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// It has no cycle.
    Acyclic(Term),
    /// No event is related to itself.
    Irreflexive(Term),
    /// It has no pair.
    Empty(Term),
}

use Term::{Both, Closure, Co, Inverse, Maybe, Of, Po, Rf, SameLocation, SameThread, Sequence, Union, Without};

impl Term {
    /// Whether a relation that is chosen, co or the order of SC fences, is part of it.
    pub fn uses(self, chosen: Self) -> bool {
        match self {
            Po | Rf | Co | Self::ScFence | SameLocation | SameThread | Of(_) => self == chosen,
            Union(parts) | Sequence(parts) => parts.iter().any(|part| part.uses(chosen)),
            Both(a, b) | Without(a, b) => a.uses(chosen) || b.uses(chosen),
            Inverse(a) | Maybe(a) | Closure(a) | Self::Irreflexive(a) => a.uses(chosen),
        }
    }
}

impl Demand {
    /// The relation.
    pub fn term(self) -> Term {
        match self {
            Self::Acyclic(term) | Self::Irreflexive(term) | Self::Empty(term) => term,
        }
    }
}

/// fr = rf⁻¹ ; co, without the identity: a read-modify-write is one event, and comes behind its source in co.
pub const FR: Term = Term::Irreflexive(&Sequence(&[Inverse(&Rf), Co]));

/// po between accesses of one location.
pub const PO_LOC: Term = Both(&Po, &SameLocation);

/// rf between threads.
pub const RFE: Term = Without(&Rf, &SameThread);

/// hb of the release-acquire models, where SC fences synchronise in one order.
pub const HB: Term = Closure(&Union(&[Po, Rf, Term::ScFence]));

/// What store buffers order: accesses, and fences that wait until they are empty.
const ORDERED: Term = Union(&[Of(Set::Accesses), Of(Set::ScFences)]);
const OVERTAKEN_BY_READS: Term = Sequence(&[Of(Set::PlainWrites), Po, Of(Set::PlainReads)]);
/// ppo of TSO: po, but for its pairs from a plain write to a plain read.
pub const PPO_OF_THREADS: Term = Without(&Sequence(&[ORDERED, Po, ORDERED]), &OVERTAKEN_BY_READS);
const TO_MEMORY: Term = Without(&Of(Set::PlainWrites), &Of(Set::Unlocks));
const KEPT_BY_FENCES: Term = Sequence(&[Po, Of(Set::StoreFences), Po]);
const OVERTAKEN_BY_WRITES: Term =
    Without(&Without(&Sequence(&[Of(Set::PlainWrites), Po, TO_MEMORY]), &SameLocation), &KEPT_BY_FENCES);
/// ppo of PSO: that of TSO, but for its pairs from a plain write to one of another location, unless a store-store fence is
/// between them or the second one is an unlock.
pub const PPO_OF_LOCATIONS: Term = Without(&PPO_OF_THREADS, &OVERTAKEN_BY_WRITES);

/// eco = (rf ∪ co ∪ fr)⁺
pub const ECO: Term = Closure(&Union(&[Rf, Co, FR]));

/// rseq of C11 = \[W\] ; (po on one location)? ; \[W at least relaxed\] ; (rf ; \[RMW\])*
const RSEQ_OF_C11: Term = Sequence(&[Of(Set::Writes), Maybe(&PO_LOC), Of(Set::Writes), Of(Set::Atomic), PASSED_ON]);
/// rseq of C++20 = \[W at least relaxed\] ; (rf ; \[RMW\])*
const RSEQ_OF_CPP20: Term = Sequence(&[Of(Set::Writes), Of(Set::Atomic), PASSED_ON]);
const PASSED_ON: Term = Maybe(&Closure(&Sequence(&[Rf, Of(Set::Updates)])));

const RELEASED: Term = Sequence(&[Of(Set::Releases), Maybe(&Sequence(&[Of(Set::Fences), Po]))]);
const ACQUIRED: Term =
    Sequence(&[Rf, Of(Set::Reads), Of(Set::Atomic), Maybe(&Sequence(&[Po, Of(Set::Fences)])), Of(Set::Acquires)]);
/// sw = \[at least release\] ; (\[F\] ; po)? ; rseq ; rf ; \[R at least relaxed\] ; (po ; \[F\])? ; \[at least acquire\]
pub const SW_OF_C11: Term = Sequence(&[RELEASED, RSEQ_OF_C11, ACQUIRED]);
/// The same with rseq of C++20.
pub const SW_OF_CPP20: Term = Sequence(&[RELEASED, RSEQ_OF_CPP20, ACQUIRED]);

/// hb of C11: (po ∪ sw)⁺
pub const HB_OF_C11: Term = Closure(&Union(&[Po, SW_OF_C11]));
/// hb of C++20: (po ∪ sw)⁺
pub const HB_OF_CPP20: Term = Closure(&Union(&[Po, SW_OF_CPP20]));

const ELSEWHERE: Term = Without(&Po, &SameLocation);
/// scb = po ∪ (po≠ ; hb ; po≠) ∪ (hb on one location) ∪ co ∪ fr, where po≠ is po between different locations
const SCB: Term = Union(&[Po, Sequence(&[ELSEWHERE, HB_OF_C11, ELSEWHERE]), Both(&HB_OF_C11, &SameLocation), Co, FR]);
/// psc = (\[SC\] ∪ \[F SC\] ; hb?) ; scb ; (\[SC\] ∪ hb? ; \[F SC\]) ∪ \[F SC\] ; (hb ∪ hb ; eco ; hb) ; \[F SC\]
pub const PSC: Term = Union(&[
    Sequence(&[
        Union(&[Of(Set::Sc), Sequence(&[Of(Set::ScFences), Maybe(&HB_OF_C11)])]),
        SCB,
        Union(&[Of(Set::Sc), Sequence(&[Maybe(&HB_OF_C11), Of(Set::ScFences)])]),
    ]),
    Sequence(&[Of(Set::ScFences), Union(&[HB_OF_C11, Sequence(&[HB_OF_C11, ECO, HB_OF_C11])]), Of(Set::ScFences)]),
]);

const SC_ACCESS: Term = Both(&Of(Set::Sc), &Of(Set::Accesses));
/// shb = (po ∪ \[SC access\] ; sw ; \[SC access\] ∪ po ; hb ; po)⁺: strongly happens before.
const SHB: Term =
    Closure(&Union(&[Po, Sequence(&[SC_ACCESS, SW_OF_CPP20, SC_ACCESS]), Sequence(&[Po, HB_OF_CPP20, Po])]));
/// psc of C++20 = \[SC\] ; shb ; \[SC\] ∪ (\[SC access\] ∪ \[F SC\] ; hb) ; eco ; (\[SC access\] ∪ hb ; \[F SC\])
pub const PSC_OF_CPP20: Term = Union(&[
    Sequence(&[Of(Set::Sc), SHB, Of(Set::Sc)]),
    Sequence(&[
        Union(&[SC_ACCESS, Sequence(&[Of(Set::ScFences), HB_OF_CPP20])]),
        ECO,
        Union(&[SC_ACCESS, Sequence(&[HB_OF_CPP20, Of(Set::ScFences)])]),
    ]),
]);
