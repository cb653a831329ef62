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

pub(super) static DEFINITION: Definition = Definition {
    name: "ra",
    title: "RA",
    description: "Release-acquire. As C11 if every write were a release and every read an acquire. Each location has \
                  one coherence order (co). Access modes have no effect. SC fences synchronise in one order.",
    notations: &[],
    weaker_than: &[Model::SRA],
    rules: Rules {
        happens_before: Some(HappensBefore::Porf),
        local: Some(Order { has_fr: true, axiom: COHERENCE_HB }),
        orders_fences: true,
        ..Rules::NONE
    },
    run: Run {
        account: "No machine with a single memory explains RA. The order of events here agrees with hb and co. \
                  Beside it stands, for each thread and location, the newest write in co that the thread knows: the \
                  thread can't read an older one.",
        against_co: "No machine with a single memory explains this: no order of all events agrees with hb and co. \
                     The order of events here agrees with hb, but it may contradict co. Beside it stands, for each \
                     thread and location, the newest write in co that the thread knows: the thread can't read an \
                     older one.",
    },
    demand: "apart from SC fences and atomicity, it forbids only cycles with a single co or fr edge. In such a \
             cycle, a read or a place in co contradicts what a thread knows by happens-before (hb, the closure of po \
             and rf).",
};
