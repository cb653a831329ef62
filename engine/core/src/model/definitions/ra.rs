//! Release-acquire: C11 where all accesses are release and acquire.
//!
//! With hb = (po ∪ rf)⁺ irreflexive: for some co that contains hb on the writes of each location, no read `r` of `w` has a
//! write `w'` with `w co w' hb r`, and each read-modify-write comes immediately behind its source in co. This is the same
//! as to say that for each location, (hb on its accesses) ∪ rf ∪ co ∪ fr is acyclic.
//!
//! Source: Lahav, Giannarakis and Vafeiadis, "Taming Release-Acquire Consistency" (POPL 2016), and Lahav and Boker,
//! "What's Decidable about Causally Consistent Shared Memory?" (TOPLAS 2022). SC fences are as for WRA ([`super::wra`]).
//! Modes and other fences mean nothing. Polynomial without SC fences: saturation decides.

use crate::model::Model;
use crate::model::rules::{COHERENCE_HB, Definition, HappensBefore, Order, Rules, Run};

pub(super) const DEFINITION: Definition = Definition {
    name: "ra",
    title: "RA",
    description: "Release-acquire: C11 where every access is release or acquire, with one coherence order for each \
                  location. Access modes change nothing; SC fences synchronise in one order.",
    notations: &[],
    weaker_than: &[Model::Sra],
    rules: Rules {
        happens_before: Some(HappensBefore::Porf),
        local: Some(Order { has_fr: true, axiom: COHERENCE_HB }),
        orders_fences: true,
        ..Rules::NONE
    },
    run: Run {
        account: "No machine with one memory explains RA. This is an order that hb and co agree with; beside it, of each \
                  location the newest write in co that each thread knows: it can't read an older one.",
        against_co: "No machine with one memory explains this: no order of all events agrees with hb and co. In this one, \
                     which hb agrees with, writes of a location may stand against co. Beside it, of each location the newest \
                     write in co that each thread knows: it can't read an older one.",
    },
    demand: "SC fences and atomicity apart, it only demands that no thread reads, or overwrites in co, against what it knows by \
             happens-before (po and rf), and that is a cycle with a single co or fr edge.",
};
