//! Weak release-acquire, also known as causal consistency.
//!
//! With hb = (po ∪ rf)⁺ irreflexive: no read `r` of `w` has another write `w'` of the location with `w hb w' hb r`, and no
//! write is read by two read-modify-writes. There is no coherence order; where one is asked for (for drawing, for final
//! states), each order that extends hb on the writes of a location will do, so that a location's last write is one that
//! nobody has overwritten.
//!
//! Source: Lahav and Boker, "What's Decidable about Causally Consistent Shared Memory?" (TOPLAS 2022). SC fences act as
//! read-modify-writes of a location of their own: for some total order of those in the graph, rf along it is part of
//! hb. Modes and other fences mean nothing. Polynomial without SC fences; with them, all orders that hb leaves open may
//! be tried.

use crate::model::Model;
use crate::model::formula::{Demand, HB, Set, Term};
use crate::model::rules::{Axiom, Definition, HappensBefore, Order, Rules, Run};
use Term::{Both, Co, Inverse, Of, Rf, SameLocation, Sequence, Without};

const ACCOUNT: &str = "No machine with a single memory explains WRA. The order of events here agrees with hb. Beside \
                       it stand, for each thread and location, the writes that the thread knows and does not know to \
                       be overwritten. There may be several, because WRA has no co.";
const HB_ON_LOCATIONS: Term = Both(&HB, &SameLocation);

pub(super) static DEFINITION: Definition = Definition {
    name: "wra",
    title: "WRA",
    description: "Weak release-acquire, or causal consistency. No read takes a write that its thread knows to be \
                  overwritten, but threads may disagree forever about the order of writes. Access modes have no \
                  effect. SC fences synchronise in one order.",
    notations: &[],
    weaker_than: &[Model::RA],
    rules: Rules {
        happens_before: Some(HappensBefore::Porf),
        local: Some(Order {
            has_fr: false,
            axiom: Axiom {
                name: "order-of-writes",
                meaning: "For each location, the order of its writes contains hb = (po ∪ rf)⁺.",
                demands: &[Demand::Empty(Without(
                    &Sequence(&[Of(Set::Writes), HB_ON_LOCATIONS, Of(Set::Writes)]),
                    &Co,
                ))],
            },
        }),
        causality: Some(Axiom {
            name: "causality",
            meaning: "No read takes a write w if another write to the location comes after w in hb = (po ∪ rf)⁺ and \
                      happens before the read.",
            demands: &[
                Demand::Acyclic(HB),
                Demand::Irreflexive(Sequence(&[Inverse(&Rf), HB_ON_LOCATIONS, Of(Set::Writes), HB])),
            ],
        }),
        orders_fences: true,
        ..Rules::NONE
    },
    run: Run { account: ACCOUNT, against_co: ACCOUNT },
    demand: "apart from SC fences and atomicity, it forbids only that a thread reads a write that it must know, by \
             happens-before (hb), to be overwritten. It has no order of the writes beyond hb.",
};
