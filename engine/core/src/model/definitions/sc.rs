//! Sequential consistency.
//!
//! Source: Kokologiannakis, Raad and Vafeiadis, "Model Checking for Weakly Consistent Libraries" (PLDI 2019), appendix
//! A.1: for some co, po ∪ rf ∪ co ∪ fr is acyclic. There, fr is rf⁻¹ ; co; as a read-modify-write is one event here and
//! there, it would come before itself, so the identity is taken out. That nothing comes between a read-modify-write and
//! its source then follows. Modes and fences mean nothing.
//!
//! Deciding this is NP-complete; the search is exponential in the number of pairs of writes that saturation leaves open.

use crate::model::formula::{Demand, FR, Term};
use crate::model::rules::{Axiom, Definition, Order, Rules, Run};

pub(super) static DEFINITION: Definition = Definition {
    name: "sc",
    title: "SC",
    description: "Sequential consistency: the threads take turns, and each read takes the latest write. Access modes \
                  and fences have no effect.",
    notations: &[],
    weaker_than: &[],
    rules: Rules {
        global: Some(Order {
            has_fr: true,
            axiom: Axiom {
                name: "sequential-consistency",
                meaning: "There is a coherence order co such that po ∪ rf ∪ co ∪ fr is acyclic: there is one order \
                          of all events in which each read takes the latest write.",
                demands: &[Demand::Acyclic(Term::Union(&[Term::Po, Term::Rf, Term::Co, FR]))],
            },
        }),
        ..Rules::NONE
    },
    run: Run {
        account: "The threads take turns. In this order of all events, each read takes the latest write to its \
                  location.",
        against_co: "",
    },
    demand: "",
};
