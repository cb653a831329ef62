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

const ACCOUNT: &str = "No machine with one memory explains WRA. This is an order that hb agrees with; beside it, of each location the writes \
     that each thread knows and does not know to be overwritten. There may be several: WRA has no co.";
const HB_ON_LOCATIONS: Term = Both(&HB, &SameLocation);

pub(super) const DEFINITION: Definition = Definition {
    name: "wra",
    title: "WRA",
    description: "Weak release-acquire, or causal consistency: no read takes a write that it knows to be overwritten, but \
                  threads may disagree for good about the order of writes. Access modes change nothing; SC fences \
                  synchronise in one order.",
    notations: &[],
    weaker_than: &[Model::Ra],
    rules: Rules {
        happens_before: Some(HappensBefore::Porf),
        local: Some(Order {
            has_fr: false,
            axiom: Axiom {
                name: "order-of-writes",
                meaning: "The order of the writes of each location contains hb = (po ∪ rf)⁺.",
                demands: &[Demand::Empty(Without(
                    &Sequence(&[Of(Set::Writes), HB_ON_LOCATIONS, Of(Set::Writes)]),
                    &Co,
                ))],
            },
        }),
        causality: Some(Axiom {
            name: "causality",
            meaning: "No read takes a write that has been overwritten, in hb = (po ∪ rf)⁺, by another write that happens before \
                      the read.",
            demands: &[
                Demand::Acyclic(HB),
                Demand::Irreflexive(Sequence(&[Inverse(&Rf), HB_ON_LOCATIONS, Of(Set::Writes), HB])),
            ],
        }),
        orders_fences: true,
        ..Rules::NONE
    },
    run: Run { account: ACCOUNT, against_co: ACCOUNT },
    demand: "SC fences and atomicity apart, it only demands that no thread reads what, by happens-before, it must know to be \
             overwritten; there is no order of the writes beyond that.",
};
