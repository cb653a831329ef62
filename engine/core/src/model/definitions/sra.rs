//! Strong release-acquire.
//!
//! As RA ([`super::ra`]), and hb ∪ co is acyclic over all locations together.
//!
//! Source: Lahav, Giannarakis and Vafeiadis, "Taming Release-Acquire Consistency" (POPL 2016). SC fences are as for WRA
//! ([`super::wra`]). Without read-modify-writes and SC fences saturation decides; with them the search may branch.

use crate::model::Model;
use crate::model::formula::{Demand, HB, Term};
use crate::model::rules::{Axiom, COHERENCE_HB, Definition, HappensBefore, Order, Rules, Run};

pub(super) const DEFINITION: Definition = Definition {
    name: "sra",
    title: "SRA",
    description: "Strong release-acquire: as RA, but the coherence orders of all locations must agree with one order of \
                  all writes. Access modes change nothing; SC fences synchronise in one order.",
    notations: &[],
    weaker_than: &[Model::Tso],
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
        account: "No machine with one memory explains SRA. This is an order that hb and co agree with; beside it, of each \
                  location the newest write that each thread knows: it can't read an older one.",
        against_co: "No machine with one memory explains this: no order of all events agrees with hb and co. In this one, \
                     which hb agrees with, writes of a location may stand against co. Beside it, of each location the newest \
                     write in co that each thread knows: it can't read an older one.",
    },
    demand: "SC fences and atomicity apart, it only demands that happens-before (po and rf) and co together have no cycle, \
             and that no thread reads what it knows to be overwritten: that is a cycle with a single fr edge and no co edge.",
};
