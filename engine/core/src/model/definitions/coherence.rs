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

pub(super) const DEFINITION: Definition = Definition {
    name: "coherence",
    title: "Coherence",
    description: "Coherence alone, which every hardware gives: the accesses of each location are as if threads took turns, and \
                  those of different locations are not ordered, not even by a mutex. Access modes and fences change \
                  nothing.",
    notations: &[],
    weaker_than: &[Model::Pso, Model::Ra, Model::Rc11],
    rules: Rules { local: Some(Order { has_fr: true, axiom: COHERENCE_PO }), ..Rules::NONE },
    run: Run {
        account: "No machine with one memory explains coherence alone. This is an order that po, rf and co agree with; beside \
                  it, of each location the newest write in co that each thread has read or written: it can't read an older \
                  one.",
        against_co: "No machine with one memory explains this: no order of all events agrees with po, rf and co. In this one, \
                     which po and rf agree with, writes of a location may stand against co. Beside it, of each location the \
                     newest write in co that each thread has read or written: it can't read an older one.",
    },
    demand: "it only orders the accesses of each location, and po between accesses of different locations binds nobody.",
};
