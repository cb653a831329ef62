//! Strong release-acquire.
//!
//! As RA ([`super::ra`]), and hb ∪ co is acyclic over all locations together.
//!
//! Source: Lahav, Giannarakis and Vafeiadis, "Taming Release-Acquire Consistency" (POPL 2016). SC fences are as for WRA
//! ([`super::wra`]). Without read-modify-writes and SC fences saturation decides; with them the search may branch.

use crate::model::Model;
use crate::model::formula::{Demand, HB, Term};
use crate::model::rules::{Axiom, COHERENCE_HB, Definition, HappensBefore, Order, Rules, Run};

pub(super) static DEFINITION: Definition = Definition {
    name: "sra",
    title: "SRA",
    description: "Strong release-acquire. As under RA, but one order of all writes must agree with the coherence \
                  orders of all locations. Access modes have no effect. SC fences synchronise in one order.",
    notations: &[],
    weaker_than: &[Model::TSO],
    rules: Rules {
        happens_before: Some(HappensBefore::Porf),
        local: Some(Order { has_fr: true, axiom: COHERENCE_HB }),
        global: Some(Order {
            has_fr: false,
            axiom: Axiom {
                name: "strong-coherence",
                meaning: "With the same co, hb ∪ co is acyclic over all locations together.",
                demands: &[Demand::Acyclic(Term::Union(&[HB, Term::Co]))],
            },
        }),
        orders_fences: true,
        ..Rules::NONE
    },
    run: Run {
        account: "No machine with a single memory explains SRA. The order of events here agrees with hb and co. \
                  Beside it stands, for each thread and location, the newest write that the thread knows: the thread \
                  can't read an older one.",
        against_co: "No machine with a single memory explains this: no order of all events agrees with hb and co. \
                     The order of events here agrees with hb, but it may contradict co. Beside it stands, for each \
                     thread and location, the newest write in co that the thread knows: the thread can't read an \
                     older one.",
    },
    demand: "apart from SC fences and atomicity, it forbids only two kinds of cycles. The first kind consists of \
             happens-before (hb, the closure of po and rf) and co. The second kind has a single fr edge and no co \
             edge: a thread reads a write that it knows to be overwritten.",
};
