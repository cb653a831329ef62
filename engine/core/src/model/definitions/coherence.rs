//! Coherence alone: what every hardware gives.
//!
//! For some co and for each location, (po on its accesses) ∪ rf ∪ co ∪ fr is acyclic: the accesses of one location are as
//! under sequential consistency. Nothing orders those of different locations, but porf is acyclic as in all models here.
//! Modes and fences mean nothing, and the operations of a mutex or channel order nothing but themselves.
//!
//! Source: Cantin, Lipasti and Smith, "The Complexity of Verifying Memory Coherence and Consistency" (TPDS 2005); as an axiom,
//! "SC per location" of Alglave, Maranget and Tautschnig, "Herding Cats" (TOPLAS 2014), section 4. With sources given, it is
//! polynomial: saturation decides.

use crate::model::Model;
use crate::model::rules::{COHERENCE_PO, Definition, Order, Rules, Run};

pub(super) static DEFINITION: Definition = Definition {
    name: "coherence",
    title: "Coherence",
    description: "Coherence alone, which all hardware guarantees. For each location, the threads take turns with its \
                  accesses. Nothing orders accesses of different locations, not even a mutex. Access modes and \
                  fences have no effect.",
    notations: &[],
    weaker_than: &[Model::PSO, Model::RA, Model::RC11, Model::RC20],
    rules: Rules { local: Some(Order { has_fr: true, axiom: COHERENCE_PO }), ..Rules::NONE },
    run: Run {
        account: "No machine with a single memory explains coherence alone. The order of events here agrees with po, \
                  rf and co. Beside it stands, for each thread and location, the newest write in co that the thread \
                  has read or written: the thread can't read an older one.",
        against_co: "No machine with a single memory explains this: no order of all events agrees with po, rf and \
                     co. The order of events here agrees with po and rf, but it may contradict co. Beside it stands, \
                     for each thread and location, the newest write in co that the thread has read or written: the \
                     thread can't read an older one.",
    },
    demand: "it orders only the accesses of each location. Program order (po) between accesses of different \
             locations has no effect.",
};
