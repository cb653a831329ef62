//! Total store order, the model of x86.
//!
//! As a machine: each thread has a FIFO buffer of writes. A read takes the youngest write of its location in its own
//! thread's buffer, else the memory; the buffer's oldest write goes to memory at any time. `fence sc` and every
//! read-modify-write, whether it writes or fails, wait until their own thread's buffer is empty; a read-modify-write
//! then acts on the memory. Other fences and modes mean nothing. Of the operations of mutexes and channels, an unlock is a
//! plain write, and all others are read-modify-writes.
//!
//! As axioms: for some co,
//!
//! - coherence: for each location, (po on its accesses) ∪ rf ∪ co ∪ fr is acyclic;
//! - store order: ppo ∪ (rf between threads) ∪ co ∪ fr is acyclic, where ppo is po without its pairs from a plain write
//!   to a plain read; fences that wait are among the events ordered.
//!
//! Source: Kokologiannakis, Raad and Vafeiadis, "Model Checking for Weakly Consistent Libraries" (PLDI 2019), appendix
//! A.2, in an equivalent form with co for each location instead of one order of all writes. Two deviations from print:
//! there, only a read-modify-write can hide a write from a read, which would allow message passing to fail; and po is
//! ordered only outside W × R, which would take read-modify-writes out of ppo, though they drain the buffer.

use crate::model::Model;
use crate::model::formula::{Demand, FR, PPO_OF_THREADS, RFE, Term};
use crate::model::rules::{Axiom, Buffers, COHERENCE_PO, Definition, Order, Rules, Run};
use crate::program::Notation;

pub(super) static DEFINITION: Definition = Definition {
    name: "tso",
    title: "TSO",
    description: "Total store order, the model of x86. Each thread has a FIFO store buffer for its writes, and its \
                  reads look there first. `fence sc` and read-modify-writes wait until the buffer is empty. Access \
                  modes have no effect.",
    notations: &[Notation::X86, Notation::X86_64],
    weaker_than: &[Model::SC],
    rules: Rules {
        buffers: Some(Buffers::OfThreads),
        local: Some(Order { has_fr: true, axiom: COHERENCE_PO }),
        global: Some(Order {
            has_fr: true,
            axiom: store_order(&[Demand::Acyclic(Term::Union(&[PPO_OF_THREADS, RFE, Term::Co, FR]))]),
        }),
        ..Rules::NONE
    },
    run: Run {
        account: "A run of the machine with a FIFO store buffer for each thread. A write enters the buffer and \
                  reaches memory later; in this run, it does so as soon as it can. A read takes the newest write to \
                  its location in its own thread's buffer, or else the value in memory.",
        against_co: "",
    },
    demand: "",
};

/// The axiom that says what store buffers order, by what they keep of po.
pub(super) const fn store_order(demands: &'static [Demand]) -> Axiom {
    Axiom {
        name: "store-order",
        meaning: "With the same co, ppo ∪ rfe ∪ co ∪ fr is acyclic, where rfe is rf between threads: there is one \
                  order in which reads and fences happen and writes reach memory.",
        demands,
    }
}
