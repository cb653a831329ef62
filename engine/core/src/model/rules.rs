//! What a model consists of. A model's file puts these together; everybody else asks for what they mean.

use super::Model;
use super::formula::{
    Demand, FR, HB, HB_OF_C11, HB_OF_CPP20, PO_LOC, PPO_OF_LOCATIONS, PPO_OF_THREADS, SW_OF_C11, SW_OF_CPP20, Set, Term,
};
use crate::program::Notation;
use Term::{Both, Co, Inverse, Of, Po, Rf, SameLocation, Sequence, Union};

/// An axiom of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axiom {
    /// What violations call it.
    pub name: &'static str,
    /// What it says, in a sentence.
    pub meaning: &'static str,
    /// What it says, as formulas that hold for some co, and for some order of the SC fences. All axioms of a model hold for
    /// the same.
    pub demands: &'static [Demand],
}

/// All that is known of one model.
///
/// The axioms say it twice: as formulas, which are the definition, and as [`Rules`], which is what is fast. Both have to mean the
/// same. `explore::brute_force` evaluates the formulas alone, so explorations by it and by any other algorithm agree if they do.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// The name in links and on the command line.
    pub name: &'static str,
    /// The name that readers see.
    pub title: &'static str,
    /// What it is, in two sentences.
    pub description: &'static str,
    /// The notations that are made for it.
    pub notations: &'static [Notation],
    /// Models whose executions are all executions of this one; those whose executions are theirs need not be named.
    pub weaker_than: &'static [Model],
    /// What is ordered.
    pub rules: Rules,
    /// What the rows of a run are (`report::Timeline`).
    pub run: Run,
    /// What it demands where SC demands that there be no cycle at all, as the end of a sentence. Models with store buffers
    /// have their own words.
    pub demand: &'static str,
}

impl Definition {
    /// One that says nothing: no name, no words, no order.
    pub const NONE: Self = Self {
        name: "",
        title: "",
        description: "",
        notations: &[],
        weaker_than: &[],
        rules: Rules::NONE,
        run: Run { account: "", against_co: "" },
        demand: "",
    };
}

/// What the rows of a run are, in a sentence or two.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Where the rows follow co, or the machine.
    pub account: &'static str,
    /// Where no order of all events agrees with hb and co.
    pub against_co: &'static str,
}

/// Which events a model orders, and how.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// What events of other threads an event knows of, where that matters.
    pub happens_before: Option<HappensBefore>,
    /// The store buffers that writes wait in.
    pub buffers: Option<Buffers>,
    /// What is ordered on each location: of po or, if there is one, hb what relates its accesses; rf; co; perhaps fr.
    pub local: Option<Order>,
    /// What is ordered everywhere: of po what store buffers keep, with rf between threads; else po and rf; co; perhaps fr.
    pub global: Option<Order>,
    /// That hb hides no write from a read, where nothing orders writes beyond hb.
    pub causality: Option<Axiom>,
    /// psc, the partial order of SC accesses and fences.
    pub psc: Option<Psc>,
    /// SC fences are in one order, which is part of hb.
    pub orders_fences: bool,
}

/// hb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HappensBefore {
    /// (po ∪ rf)⁺: everything releases and acquires.
    Porf,
    /// (po ∪ sw)⁺: what releases synchronises with what acquires it.
    Synchronised(Rseq),
}

/// rseq: which writes a release sequence has behind its head. A read of one of them synchronises with the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rseq {
    /// As in C11: those of the head's thread to its location, and read-modify-writes that read one of the sequence.
    OfThreads,
    /// As in C++20: read-modify-writes that read one of the sequence.
    OfUpdates,
}

impl Rseq {
    /// sw, by definition.
    pub fn synchronises_with(self) -> Term {
        match self {
            Self::OfThreads => SW_OF_C11,
            Self::OfUpdates => SW_OF_CPP20,
        }
    }
}

/// psc, and what it has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Psc {
    /// What it is made of.
    pub along: Along,
    /// What the model comes to where all accesses are SC: psc contains po, co and fr then, and rf, since SC accesses release and
    /// acquire. What it lacks between operations of objects, hb has.
    pub alone: Model,
    /// The axiom that says so.
    pub axiom: Axiom,
}

/// What orders SC accesses and fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// scb, and eco between fences: RC11.
    Scb,
    /// shb, and eco: C++20.
    Shb,
}

impl HappensBefore {
    /// By definition.
    pub fn term(self) -> Term {
        match self {
            Self::Porf => HB,
            Self::Synchronised(Rseq::OfThreads) => HB_OF_C11,
            Self::Synchronised(Rseq::OfUpdates) => HB_OF_CPP20,
        }
    }
}

/// Store buffers, first in, first out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffers {
    /// One for each thread.
    OfThreads,
    /// One for each thread and location.
    OfLocations,
}

impl Buffers {
    /// ppo, the part of po that they keep, by definition.
    pub fn preserved_po(self) -> Term {
        match self {
            Self::OfThreads => PPO_OF_THREADS,
            Self::OfLocations => PPO_OF_LOCATIONS,
        }
    }
}

/// An order that has to be acyclic with some co.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Whether fr is part of it.
    pub has_fr: bool,
    /// The axiom that says so.
    pub axiom: Axiom,
}

impl Rules {
    /// A model that orders nothing.
    pub const NONE: Self = Self {
        happens_before: None,
        buffers: None,
        local: None,
        global: None,
        causality: None,
        psc: None,
        orders_fences: false,
    };

    /// Why no execution can be judged by these rules, as a sentence, if so: what is ordered has to say what a read may take.
    pub fn flaw(&self) -> Option<&'static str> {
        let flaws = [
            (
                !self.has_co() && self.causality.is_none(),
                "nothing says which write a read may take: `local` or `global` has to have fr, or there has to be `causality`",
            ),
            (
                self.causality.is_some()
                    && (self.has_co()
                        || self.global.is_some()
                        || self.local.is_none()
                        || self.happens_before != Some(HappensBefore::Porf)),
                "`causality` is for models that have hb = (po ∪ rf)⁺, a `local` order of writes without fr, and no `global` order",
            ),
            (
                (self.happens_before.is_some() || self.buffers.is_some()) && self.local.is_none(),
                "hb and store buffers ask for coherence: there has to be a `local` order",
            ),
            (
                self.has_co() && self.local.is_some_and(|order| !order.has_fr),
                "a `local` order without fr is for models with `causality`",
            ),
            (
                self.buffers.is_some() && (self.happens_before.is_some() || !self.global_has_fr()),
                "store buffers ask for a `global` order with fr, that of memory, and have no hb",
            ),
            (
                self.global.is_some_and(|order| !order.has_fr) && self.happens_before != Some(HappensBefore::Porf),
                "a `global` order without fr asks for hb = (po ∪ rf)⁺",
            ),
            (
                self.orders_fences && self.happens_before != Some(HappensBefore::Porf),
                "`orders_fences` is for models where hb = (po ∪ rf)⁺",
            ),
            (
                self.psc.is_some_and(|psc| {
                    let rseq = match psc.along {
                        Along::Scb => Rseq::OfThreads,
                        Along::Shb => Rseq::OfUpdates,
                    };
                    self.rseq() != Some(rseq) || self.global.is_some()
                }),
                "psc asks for hb = (po ∪ sw)⁺, along scb with release sequences as in C11, along shb as in C++20; and for no \
                 `global` order",
            ),
        ];
        flaws.into_iter().find(|(is_there, _)| *is_there).map(|(_, flaw)| flaw)
    }

    /// What is ordered on each location contains fr.
    pub fn local_has_fr(&self) -> bool {
        self.local.is_some_and(|order| order.has_fr)
    }

    /// What is ordered everywhere contains fr.
    pub fn global_has_fr(&self) -> bool {
        self.global.is_some_and(|order| order.has_fr)
    }

    /// Executions are consistent by a co. Then a read-modify-write comes immediately behind its source in it.
    pub fn has_co(&self) -> bool {
        self.local_has_fr() || self.global_has_fr()
    }

    /// Accesses of different locations are ordered. Else mutexes and channels order nothing but their own operations.
    pub fn orders_locations(&self) -> bool {
        self.happens_before.is_some() || self.global.is_some()
    }

    /// Executions are the runs of a machine with one memory, perhaps behind store buffers.
    pub fn has_machine(&self) -> bool {
        self.global_has_fr()
    }

    /// Executions are those of threads that take turns: the machine has no store buffers.
    pub fn takes_turns(&self) -> bool {
        self.has_machine() && self.buffers.is_none()
    }

    /// hb is as far as releases are acquired: access modes mean something, and there may be data races.
    pub fn synchronises(&self) -> bool {
        self.rseq().is_some()
    }

    /// What release sequences are, where releases are acquired.
    pub fn rseq(&self) -> Option<Rseq> {
        match self.happens_before {
            Some(HappensBefore::Synchronised(rseq)) => Some(rseq),
            _ => None,
        }
    }

    /// Whether two models are the same but for release sequences and psc.
    pub fn is_alike(&self, other: &Self) -> bool {
        let rest = |rules: &Self| (rules.buffers, rules.orders_fences, rules.local_has_fr(), rules.global.is_some());
        self.synchronises() && other.synchronises() && rest(self) == rest(other)
    }

    /// All of po and rf is ordered: an access knows of whatever is before it in porf.
    pub fn knows_porf(&self) -> bool {
        self.happens_before == Some(HappensBefore::Porf) || self.global.is_some() && self.buffers.is_none()
    }

    /// Writes of a location that porf orders are so in every co.
    pub fn keeps_writes_in_porf(&self) -> bool {
        self.knows_porf() || self.global.is_some() && self.buffers == Some(Buffers::OfThreads)
    }

    /// Its axioms.
    pub fn axioms(&self) -> Vec<Axiom> {
        let orders = [self.local, self.global].into_iter().flatten().filter(|order| self.has_co() || order.has_fr);
        let orders = orders.map(|order| order.axiom);
        [NO_THIN_AIR, ATOMICITY]
            .into_iter()
            .chain(self.causality)
            .chain(orders)
            .chain(self.psc.map(|psc| psc.axiom))
            .collect()
    }

    /// Its axioms, and what an order of writes has to be if one is asked for where the model has none.
    pub fn all_axioms(&self) -> Vec<Axiom> {
        let order = self.local.map(|order| order.axiom).filter(|_| !self.has_co());
        self.axioms().into_iter().chain(order).collect()
    }
}

/// po ∪ rf is acyclic.
pub(super) const NO_THIN_AIR: Axiom = Axiom {
    name: "no-thin-air",
    meaning: "po ∪ rf is acyclic: no value comes out of thin air.",
    demands: &[Demand::Acyclic(Union(&[Po, Rf]))],
};

/// Mailboxes keep their order.
pub(super) const MAILBOXES: Axiom = Axiom {
    name: "mailboxes",
    meaning: "po ∪ rf ∪ pb ∪ mo is acyclic: queues deliver messages in the order in which they were posted.",
    demands: &[],
};

/// No write is read by two read-modify-writes.
pub(super) const ATOMICITY: Axiom = Axiom {
    name: "atomicity",
    meaning: "No two read-modify-writes read the same write, because each comes immediately after its source in co.",
    demands: &[Demand::Empty(Term::Irreflexive(&Sequence(&[Of(Set::Updates), Inverse(&Rf), Rf, Of(Set::Updates)])))],
};

/// Coherence on what po and rf say of each location.
pub const COHERENCE_PO: Axiom = Axiom {
    name: "coherence",
    meaning: "There is a coherence order co such that, for each location, po on that location together with rf, co \
              and fr is acyclic.",
    demands: &[Demand::Acyclic(Union(&[PO_LOC, Rf, Co, FR]))],
};

/// Coherence on what hb says of each location.
pub const COHERENCE_HB: Axiom = Axiom {
    name: "coherence",
    meaning: "There is a coherence order co such that, for each location, hb = (po ∪ rf)⁺ on that location together \
              with co and fr is acyclic.",
    demands: &[Demand::Acyclic(HB), Demand::Acyclic(Union(&[Both(&HB, &SameLocation), Co, FR]))],
};
