//! Partial store order.
//!
//! As a machine: each thread has a FIFO buffer of writes for each location. A read takes the youngest write in its own
//! thread's buffer of its location, else the memory; the oldest write of any buffer goes to memory at any time. `fence
//! sc` and every read-modify-write, whether it writes or fails, wait until all buffers of their own thread are empty; a
//! read-modify-write then acts on the memory. A `fence rel` or `fence acqrel` (SPARC's store-store barrier) does not
//! wait, but no write behind it goes to memory before all writes in front of it. Other fences and modes mean nothing.
//! Of the operations of mutexes and channels, an unlock is a write that goes to memory after all writes in front of it,
//! or else a critical section would leak; all others are read-modify-writes.
//!
//! As axioms: those of TSO ([`super::tso`]), where ppo also loses its pairs from a plain write to a plain write of
//! another location, unless a store-store fence is between the two or the second one is an unlock.
//!
//! Source: the machine is that of Bui, Chatterjee, Gautam, Pavlogiannis and Toman, "The Reads-From Equivalence for the
//! TSO and PSO Memory Models" (OOPSLA 2021), section 2, with store-store fences added. The axioms are ours, compared
//! with the machine on random programs.

use super::tso::store_order;
use crate::model::Model;
use crate::model::formula::{Demand, FR, PPO_OF_LOCATIONS, RFE, Term};
use crate::model::rules::{Buffers, COHERENCE_PO, Definition, Order, Rules, Run};

pub(super) static DEFINITION: Definition = Definition {
    name: "pso",
    title: "PSO",
    description: "Partial store order. As under TSO, but each thread has a buffer for each location, so writes to \
                  different locations can overtake each other. `fence rel` and `fence acqrel` keep earlier writes \
                  ahead of later ones.",
    notations: &[],
    weaker_than: &[Model::TSO],
    rules: Rules {
        buffers: Some(Buffers::OfLocations),
        local: Some(Order { has_fr: true, axiom: COHERENCE_PO }),
        global: Some(Order {
            has_fr: true,
            axiom: store_order(&[Demand::Acyclic(Term::Union(&[PPO_OF_LOCATIONS, RFE, Term::Co, FR]))]),
        }),
        ..Rules::NONE
    },
    run: Run {
        account: "A run of the machine with a FIFO store buffer for each thread and location. A write enters a \
                  buffer and reaches memory later; in this run, it does so as soon as it can. A read takes the \
                  newest write in its own thread's buffer, or else the value in memory.",
        against_co: "",
    },
    demand: "",
};
