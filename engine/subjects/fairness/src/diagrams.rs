//! Sets of vertices as binary decision diagrams.
//!
//! A vertex is a number of some bits, of which bit 0 is the highest. Each bit has two variables next to each other: of the vertex, and of a
//! successor. Edges are a list of [`Part`]s, each of which relates the bits alone that it changes; all other bits stay what they are.
//!
//! An image is a relational product with each part. What is left speaks of successors where it should speak of vertices, or the other way
//! around. The two variables of a bit are neighbours, and only one of them is there, so one becomes the other node by node, and the
//! order holds. The library's own renaming is an unsafe function, and its substitution is wrong at times: neither is used.
//!
//! **Limits**: a universe holds so many nodes at most, and an operation looks at so many pairs of nodes at most ([`Diagrams::limited`]).
//! Beyond that each operation gives the empty set at once, until whoever runs the algorithm looks: [`crate::Machine`] ends without an answer.

use crate::bits::Graph;
use crate::universe::{Nodes, Universe};
use biodivine_lib_bdd::{
    Bdd, BddNode, BddPartialValuation, BddPointer, BddValuation, BddVariable, BddVariableSet, op_function,
};
use litmoscope_core::budget::{Budget, Halt, LOOK, PATIENCE};
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

/// How many nodes there are, and how many there may be.
#[derive(Debug)]
struct Store {
    nodes: Cell<usize>,
    peak: Cell<usize>,
    most: Cell<usize>,
    /// Pairs of nodes that operations have looked at, since somebody asked.
    work: Cell<u64>,
    is_over: Cell<bool>,
}

/// A diagram that is counted for as long as it is there.
struct Drawn {
    bdd: Bdd,
    store: Rc<Store>,
}

impl Drop for Drawn {
    fn drop(&mut self) {
        self.store.nodes.set(self.store.nodes.get() - self.bdd.size());
    }
}

impl Store {
    fn new(most: usize) -> Rc<Self> {
        let (nodes, peak, work) = (Cell::default(), Cell::default(), Cell::default());
        Rc::new(Self { nodes, peak, most: Cell::new(most), work, is_over: Cell::default() })
    }

    fn hold(self: &Rc<Self>, bdd: Bdd) -> Diagram {
        let nodes = self.nodes.get() + bdd.size();
        self.nodes.set(nodes);
        self.peak.set(self.peak.get().max(nodes));
        if nodes > self.most.get() {
            self.is_over.set(true);
        }
        Diagram(Rc::new(Drawn { bdd, store: Rc::clone(self) }))
    }

    /// Combines two diagrams, and gives up the variables that are told: what is so for some value of them. The empty set beyond the limit.
    fn combine(
        &self,
        one: &Bdd,
        other: &Bdd,
        combine: impl Fn(Option<bool>, Option<bool>) -> Option<bool>,
        gives_up: Option<&[bool]>,
    ) -> Bdd {
        if self.is_over.get() {
            return empty(one);
        }
        // Each pair of nodes is asked about some few times, and one that was asked about may become a node.
        let (most, asked) = (self.most.get().saturating_mul(4), Cell::new(0_usize));
        let counted = |outcome: Option<bool>| {
            asked.set(asked.get() + 1);
            if asked.get() > most { Some(false) } else { outcome }
        };
        let outer = |one, other| counted(combine(one, other));
        let bdd = match gives_up {
            None => Bdd::binary_op(one, other, outer),
            Some(gives_up) => {
                let inner = |one, other| counted(op_function::or(one, other));
                Bdd::binary_op_nested(one, other, |variable| gives_up[variable.to_index()], outer, inner)
            }
        };
        self.work.set(self.work.get() + asked.get() as u64);
        if asked.get() > most {
            self.is_over.set(true);
            return empty(one);
        }
        bdd
    }

    fn and(&self, one: &Bdd, other: &Bdd) -> Bdd {
        self.combine(one, other, op_function::and, None)
    }

    fn or(&self, one: &Bdd, other: &Bdd) -> Bdd {
        self.combine(one, other, op_function::or, None)
    }

    fn and_not(&self, one: &Bdd, other: &Bdd) -> Bdd {
        self.combine(one, other, op_function::and_not, None)
    }
}

fn empty(like: &Bdd) -> Bdd {
    BddVariableSet::new_anonymous(like.num_vars()).mk_false()
}

/// A set of vertices.
#[derive(Clone)]
pub struct Diagram(Rc<Drawn>);

impl PartialEq for Diagram {
    // The same set may have its nodes in another order, but it has as many, and each of them once.
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (self.bdd(), other.bdd());
        if one.size() != other.size() || one == other {
            return one == other;
        }
        let mut same = vec![None; one.size()];
        let mut work = vec![(one.root_pointer(), other.root_pointer())];
        while let Some((here, there)) = work.pop() {
            match &mut same[here.to_index()] {
                Some(known) if *known == there => {}
                Some(_) => return false,
                unknown => {
                    *unknown = Some(there);
                    if here.is_terminal() || there.is_terminal() {
                        if here != there {
                            return false;
                        }
                    } else if one.var_of(here) != other.var_of(there) {
                        return false;
                    } else {
                        work.push((one.low_link_of(here), other.low_link_of(there)));
                        work.push((one.high_link_of(here), other.high_link_of(there)));
                    }
                }
            }
        }
        true
    }
}

impl fmt::Debug for Diagram {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Diagram({} nodes)", self.nodes())
    }
}

impl Diagram {
    fn bdd(&self) -> &Bdd {
        &self.0.bdd
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.bdd().size()
    }
}

/// The variables of vertices and their successors, by bit, and what combines diagrams of them within a limit.
#[derive(Clone, Debug)]
pub(crate) struct Variables {
    set: BddVariableSet,
    store: Rc<Store>,
    /// By bit: its place in the order of the diagrams.
    places: Vec<usize>,
}

impl Variables {
    /// So many bits. In diagrams they come in an order, as they are numbered if none is given.
    ///
    /// # Errors
    /// If there are too many bits, or the order does not have each bit once.
    pub(crate) fn new(bits: usize, order: Option<&[usize]>) -> Result<Self, DiagramError> {
        if bits > MOST_BITS.into() {
            return Err(DiagramError::TooManyBits { bits });
        }
        let mut places: Vec<usize> = (0..bits).collect();
        if let Some(order) = order {
            let mut sorted = order.to_vec();
            sorted.sort_unstable();
            if sorted != places {
                return Err(DiagramError::NoOrder { bits });
            }
            order.iter().enumerate().for_each(|(place, bit)| places[*bit] = place);
        }
        let set = BddVariableSet::new_anonymous(2 * bits.max(1) as u16);
        Ok(Self { set, store: Store::new(MOST_NODES), places })
    }

    /// Both hold. Nothing beyond the limit, and from then on.
    pub(crate) fn and(&self, one: &Bdd, other: &Bdd) -> Bdd {
        self.store.and(one, other)
    }

    /// One of them holds at least. Nothing beyond the limit, and from then on.
    pub(crate) fn or(&self, one: &Bdd, other: &Bdd) -> Bdd {
        self.store.or(one, other)
    }

    /// The first one holds alone. Nothing beyond the limit, and from then on.
    pub(crate) fn and_not(&self, one: &Bdd, other: &Bdd) -> Bdd {
        self.store.and_not(one, other)
    }

    /// How many bits there are.
    pub(crate) fn bits(&self) -> usize {
        self.places.len()
    }

    /// What makes diagrams, with two variables for each bit.
    pub(crate) fn set(&self) -> &BddVariableSet {
        &self.set
    }

    /// Whether the limit was reached, so that diagrams may be wrong.
    pub(crate) fn exceeded(&self) -> bool {
        self.store.is_over.get()
    }

    /// The place of a bit in the order of the diagrams.
    pub(crate) fn place(&self, bit: usize) -> usize {
        self.places[bit]
    }

    fn now_variable(&self, bit: usize) -> BddVariable {
        BddVariable::from_index(2 * self.places[bit])
    }

    fn next_variable(&self, bit: usize) -> BddVariable {
        BddVariable::from_index(2 * self.places[bit] + 1)
    }

    /// A bit of a vertex is set.
    pub(crate) fn now(&self, bit: usize) -> Bdd {
        self.set.mk_var(self.now_variable(bit))
    }

    /// A bit of a successor is set.
    pub(crate) fn next(&self, bit: usize) -> Bdd {
        self.set.mk_var(self.next_variable(bit))
    }

    fn clause(&self, variables: impl DoubleEndedIterator<Item = BddVariable>, value: u128) -> Bdd {
        let mut clause = BddPartialValuation::empty();
        for (at, variable) in variables.rev().enumerate() {
            clause.set_value(variable, value.checked_shr(at as u32).unwrap_or(0) & 1 == 1);
        }
        self.set.mk_conjunctive_clause(&clause)
    }

    /// Some bits of a vertex, the highest first, are a number.
    pub(crate) fn now_is(&self, bits: &[usize], value: u128) -> Bdd {
        self.clause(bits.iter().map(|bit| self.now_variable(*bit)), value)
    }

    /// Some bits of a successor, the highest first, are a number.
    pub(crate) fn next_is(&self, bits: &[usize], value: u128) -> Bdd {
        self.clause(bits.iter().map(|bit| self.next_variable(*bit)), value)
    }

    /// Some bits of a successor are those of the vertex.
    pub(crate) fn same(&self, bits: &[usize]) -> Bdd {
        bits.iter().fold(self.set.mk_true(), |all, bit| all.and(&self.now(*bit).iff(&self.next(*bit))))
    }
}

/// Some of the edges: from a vertex to a successor that differs in some bits at most.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// What has to hold of the bits of a vertex, and of those bits of a successor that may differ.
    pub(crate) relation: Bdd,
    /// The bits that may differ.
    pub(crate) changes: Vec<usize>,
}

/// A part, with what an image needs of it.
struct Ready {
    relation: Diagram,
    changes: Vec<usize>,
    /// By variable: whether it is of a vertex, and of a bit that changes.
    gives_up_now: Vec<bool>,
    /// The same of a successor.
    gives_up_next: Vec<bool>,
}

/// What can't be a universe of diagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiagramError {
    /// Vertices of too many bits.
    #[error("vertices of {bits} bits are too large: up to {MOST_BITS} bits can be counted")]
    TooManyBits {
        /// How many.
        bits: usize,
    },
    /// An order that is none.
    #[error("an order of {bits} bits has each of them once")]
    NoOrder {
        /// How many.
        bits: usize,
    },
}

/// How many bits a vertex has at most: vertices are counted exactly.
pub const MOST_BITS: u16 = 120;

/// How many nodes a universe holds at most, if nobody says otherwise: some hundred megabytes, with what an operation needs.
pub const MOST_NODES: usize = 1 << 22;

/// Vertices with edges as decision diagrams.
pub struct Diagrams {
    variables: Variables,
    parts: Vec<Ready>,
    store: Rc<Store>,
    all: Diagram,
    /// No edge leads out of all vertices.
    is_closed: bool,
    random: Diagram,
    size: (u128, u128),
    /// What was reached so far, and how many parts have found nothing new in it, while somebody waits for [`Diagrams::reach`].
    reaching: Option<(Diagram, usize, usize)>,
}

impl Diagrams {
    /// Vertices with edges between them; those of the parts that begin or end elsewhere are none.
    pub(crate) fn from_parts(variables: Variables, parts: Vec<Part>, all: Bdd, random: &Bdd) -> Self {
        let store = Rc::clone(&variables.store);
        let ready = |Part { relation, changes }: Part| {
            let flags = |variable: fn(&Variables, usize) -> BddVariable| {
                let mut flags = vec![false; variables.set.num_vars().into()];
                changes.iter().for_each(|bit| flags[variable(&variables, *bit).to_index()] = true);
                flags
            };
            let gives_up_now = flags(Variables::now_variable);
            let gives_up_next = flags(Variables::next_variable);
            Ready { relation: store.hold(relation), changes, gives_up_now, gives_up_next }
        };
        let parts = parts.into_iter().map(ready).collect();
        let random = store.hold(store.and(random, &all));
        let all = store.hold(all);
        let mut this = Self { variables, parts, store, is_closed: false, all, random, size: (0, 0), reaching: None };
        this.is_closed = this.all.bdd().is_true();
        this.size = (this.count(&this.all), this.count_edges());
        this
    }

    /// The vertices and edges of a graph.
    pub fn of(graph: &Graph) -> Self {
        let bits = (u64::BITS - (graph.vertices().max(2) as u64 - 1).leading_zeros()) as usize;
        // Few enough vertices can be listed.
        let variables = Variables::new(bits, None).unwrap_or_else(|error| unreachable!("{error}"));
        let store = Rc::clone(&variables.store);
        let now: Vec<_> = (0..bits).map(|bit| variables.now_variable(bit)).collect();
        let both = variables.set.variables();
        let all = store.draw(&variables, &now, (0..graph.vertices() as u128).collect());
        let random = store.draw(&variables, &now, graph.random_vertices().map(|at| at as u128).collect());
        let spread = |number: u128| (0..bits).fold(0, |all, bit| all | (number >> bit & 1) << (2 * bit));
        let mut edges = Vec::new();
        for from in 0..graph.vertices() {
            let begin = spread(from as u128) << 1;
            edges.extend(graph.successors(from).iter().map(|to| begin | spread(u128::from(*to))));
        }
        edges.sort_unstable();
        let relation = store.draw(&variables, &both, edges);
        let part = Part { relation, changes: (0..bits).collect() };
        let mut this = Self::from_parts(variables, vec![part], all, &random);
        this.is_closed = true;
        this
    }

    /// A hypercube, whose edges change one bit: two to the power of its dimensions are the vertices.
    ///
    /// # Errors
    /// If it has more dimensions than [`MOST_BITS`].
    pub fn hypercube(dimensions: u16) -> Result<Self, DiagramError> {
        let variables = Variables::new(dimensions.into(), None)?;
        let [all, none] = [variables.set.mk_true(), variables.set.mk_false()];
        // From the lowest bit on: the same so far, or one changed. One part is faster than one for each bit.
        let (mut same, mut changed) = (all.clone(), none.clone());
        for bit in (0..variables.bits()).rev() {
            let differs = variables.now(bit).xor(&variables.next(bit));
            changed = changed.and_not(&differs).or(&same.and(&differs));
            same = same.and_not(&differs);
        }
        let part = Part { relation: changed, changes: (0..variables.bits()).collect() };
        Ok(Self::from_parts(variables, vec![part], all, &none))
    }

    /// Holds so many nodes at most, where a step is cut that needs more; each operation looks at some pairs of nodes for each of them.
    #[must_use]
    pub fn limited(self, nodes: usize) -> Self {
        self.store.most.set(nodes);
        self.store.is_over.set(self.store.is_over.get() || self.store.nodes.get() > nodes);
        self
    }

    /// Leaves those vertices alone that one gets to from some of them. Where it pauses, the next call goes on.
    ///
    /// # Errors
    /// [`Halt::Paused`] if the budget says so, and [`Halt::Limit`] if there are too many nodes.
    pub fn reach(&mut self, from: &Diagram, budget: &mut Budget) -> Result<(), Halt> {
        let begin = || (from.clone(), 0, 0);
        let (mut reached, mut at, mut idle) = self.reaching.take().unwrap_or_else(begin);
        while idle < self.parts.len() {
            if budget.spend(LOOK + self.store.work.take()).is_err() {
                self.reaching = Some((reached, at, idle));
                return Err(Halt::Paused);
            }
            let next = self.post_by(&self.parts[at], reached.bdd());
            let next = self.store.and(&next, self.all.bdd());
            let more = self.store.hold(self.store.or(reached.bdd(), &next));
            if self.exceeded() {
                return Err(Halt::Limit);
            }
            idle = if more == reached { idle + 1 } else { 0 };
            reached = more;
            at = (at + 1) % self.parts.len();
        }
        self.random = self.intersection(&self.random, &reached);
        self.all = reached;
        self.is_closed = true;
        self.size = (self.count(&self.all), self.count_edges());
        if self.exceeded() { Err(Halt::Limit) } else { Ok(()) }
    }

    /// What holds of vertices, as a set of those there are.
    pub(crate) fn those(&self, bdd: &Bdd) -> Diagram {
        self.store.hold(self.store.and(bdd, self.all.bdd()))
    }

    /// The variables of its bits.
    pub(crate) fn variables(&self) -> &Variables {
        &self.variables
    }

    /// How many nodes the edges have, all parts together.
    pub fn edge_nodes(&self) -> usize {
        self.parts.iter().map(|part| part.relation.nodes()).sum()
    }

    /// The set of these vertices, whether they are there or not.
    pub fn set(&self, vertices: impl IntoIterator<Item = u64>) -> Diagram {
        let bits = self.variables.bits();
        let mut now: Vec<_> = (0..bits).map(|bit| self.variables.now_variable(bit)).collect();
        now.sort_unstable();
        let place = |vertex: u64| {
            (0..bits).fold(0, |all, bit| {
                let is_set = u128::from(vertex) >> (bits - 1 - bit) & 1;
                all | is_set << (bits - 1 - self.variables.places[bit])
            })
        };
        let mut numbers: Vec<u128> = vertices.into_iter().map(place).collect();
        numbers.sort_unstable();
        self.store.hold(self.store.draw(&self.variables, &now, numbers))
    }

    /// The vertices of a set, ascending. Linear in how many there are, times their bits.
    pub fn vertices(&self, set: &Diagram) -> Vec<u64> {
        let (bdd, bits) = (set.bdd(), self.variables.bits());
        let mut weights = vec![0_u64; bits];
        for (bit, place) in self.variables.places.iter().enumerate() {
            weights[*place] = 1_u64.checked_shl((bits - 1 - bit) as u32).unwrap_or(0);
        }
        let mut work = vec![(bdd.root_pointer(), 0, 0)];
        let mut all = Vec::new();
        while let Some((at, place, number)) = work.pop() {
            if at.is_zero() {
                continue;
            }
            if place == bits {
                all.push(number);
                continue;
            }
            // Bits that are not asked about may be either.
            let is_asked = !at.is_terminal() && bdd.var_of(at).to_index() / 2 == place;
            let (low, high) = if is_asked { (bdd.low_link_of(at), bdd.high_link_of(at)) } else { (at, at) };
            work.extend([(low, place + 1, number), (high, place + 1, number | weights[place])]);
        }
        all.sort_unstable();
        all
    }

    /// The nodes of the diagram of a set, the root last: by which bit of a vertex it decides, the highest of which is 0, and the nodes for a 0
    /// and for a 1 of it. The first two are no decisions: what is not in the set, and what is.
    pub fn decisions(&self, set: &Diagram) -> Vec<(u16, usize, usize)> {
        let bdd = set.bdd();
        let bit = |place: usize| self.variables.places.iter().position(|other| *other == place).unwrap_or(place);
        let node = |at: BddPointer| {
            let bit = if at.is_terminal() { 0 } else { bit(bdd.var_of(at).to_index() / 2) };
            (bit as u16, bdd.low_link_of(at).to_index(), bdd.high_link_of(at).to_index())
        };
        bdd.pointers().map(node).collect()
    }

    /// Whether a vertex is in a set.
    pub fn contains(&self, set: &Diagram, vertex: u64) -> bool {
        let bits = self.variables.bits();
        let mut values = vec![false; self.variables.set.num_vars().into()];
        for bit in 0..bits {
            values[2 * self.variables.places[bit]] = u128::from(vertex) >> (bits - 1 - bit) & 1 == 1;
        }
        set.bdd().eval_in(&BddValuation::new(values))
    }

    fn post_by(&self, ready: &Ready, set: &Bdd) -> Bdd {
        let after = self.store.combine(ready.relation.bdd(), set, op_function::and, Some(&ready.gives_up_now));
        renamed(after, &ready.gives_up_next, false)
    }

    fn pre_by(&self, ready: &Ready, set: &Bdd) -> Bdd {
        let after = renamed(set.clone(), &ready.gives_up_now, true);
        self.store.combine(ready.relation.bdd(), &after, op_function::and, Some(&ready.gives_up_next))
    }

    /// What some parts have found, and one more; what all of them have found are vertices that there are.
    fn add(&self, piece: usize, of: impl Fn(&Ready) -> Bdd, before: &Diagram, is_inside: bool) -> Diagram {
        let Some(ready) = self.parts.get(piece) else { return self.none() };
        let found = of(ready);
        let found = if piece == 0 { found } else { self.store.or(before.bdd(), &found) };
        let is_last = piece + 1 == self.parts.len();
        self.store.hold(if is_last && !is_inside { self.store.and(&found, self.all.bdd()) } else { found })
    }

    /// The pairs of vertices of all parts, each once.
    fn count_edges(&self) -> u128 {
        let mut edges = 0_u128;
        // Which bits one of them changes alone.
        let only = |one: &Ready, other: &Ready| -> Vec<usize> {
            one.changes.iter().filter(|bit| !other.changes.contains(bit)).copied().collect()
        };
        for (at, part) in self.parts.iter().enumerate() {
            let mut relation = self.store.and(part.relation.bdd(), self.all.bdd());
            if !self.is_closed {
                let after = renamed(self.all.bdd().clone(), &part.gives_up_now, true);
                relation = self.store.and(&relation, &after);
            }
            for other in &self.parts[..at] {
                // The same pair: what one of them does not change stays what it is.
                let mut gives_up = other.gives_up_next.clone();
                part.changes.iter().for_each(|bit| gives_up[self.variables.next_variable(*bit).to_index()] = false);
                let stays = self.variables.same(&only(other, part));
                let same = self.store.combine(other.relation.bdd(), &stays, op_function::and, Some(&gives_up));
                let same = self.store.and(&same, &self.variables.same(&only(part, other)));
                relation = self.store.and_not(&relation, &same);
            }
            let free = self.variables.bits().max(1) - part.changes.len();
            let exact = relation.exact_cardinality() >> free;
            edges = edges.saturating_add(u128::try_from(exact).unwrap_or(u128::MAX));
        }
        edges
    }
}

/// With the other variable of each bit that has one of these: the one behind it, or before it. Neither is there yet.
fn renamed(bdd: Bdd, which: &[bool], behind: bool) -> Bdd {
    let mut nodes = bdd.to_nodes();
    for node in nodes.iter_mut().skip(2) {
        let at = node.var.to_index();
        if which[at] {
            node.var = BddVariable::from_index(if behind { at + 1 } else { at - 1 });
        }
    }
    // It has as many nodes as before, in the same order.
    Bdd::from_nodes(&nodes).unwrap_or_else(|error| unreachable!("{error}"))
}

impl Store {
    /// The diagram of ascending numbers, whose bits are some variables in the order of diagrams, the highest first.
    fn draw(&self, variables: &Variables, bits: &[BddVariable], numbers: Vec<u128>) -> Bdd {
        let false_ = variables.set.mk_false();
        if numbers.is_empty() {
            return false_;
        }
        let mut nodes = variables.set.mk_true().to_nodes();
        let mut known = HashMap::new();
        // What is to be drawn: which numbers, from which bit on; and what was drawn, lows before highs.
        enum Task {
            Draw(usize, usize, usize),
            Join(usize),
        }
        let (mut tasks, mut drawn) = (vec![Task::Draw(0, numbers.len(), 0)], Vec::new());
        while let Some(task) = tasks.pop() {
            match task {
                Task::Draw(begin, end, _) if begin == end => drawn.push(BddPointer::zero()),
                Task::Draw(_, _, bit) if bit == bits.len() => drawn.push(BddPointer::one()),
                Task::Draw(begin, end, bit) => {
                    let at = bits.len() - 1 - bit;
                    let high = begin + numbers[begin..end].partition_point(|number| number >> at & 1 == 0);
                    tasks.extend([Task::Join(bit), Task::Draw(high, end, bit + 1), Task::Draw(begin, high, bit + 1)]);
                }
                Task::Join(bit) => {
                    let (high, low) = (drawn.pop(), drawn.pop());
                    let [Some(low), Some(high)] = [low, high] else { unreachable!("both were drawn") };
                    drawn.push(if low == high {
                        low
                    } else {
                        *known.entry((bit, low, high)).or_insert_with(|| {
                            nodes.push(BddNode::mk_node(bits[bit], low, high));
                            BddPointer::from_index(nodes.len() - 1)
                        })
                    });
                    if nodes.len() > self.most.get() {
                        self.is_over.set(true);
                        return false_;
                    }
                }
            }
        }
        // Without bits, or with all numbers, there is nothing to decide.
        Bdd::from_nodes(&nodes).unwrap_or_else(|error| unreachable!("{error}"))
    }
}

impl Universe for Diagrams {
    type Set = Diagram;

    fn none(&self) -> Diagram {
        self.store.hold(self.variables.set.mk_false())
    }

    fn all(&self) -> Diagram {
        self.all.clone()
    }

    fn random(&self) -> &Diagram {
        &self.random
    }

    fn union(&self, one: &Diagram, other: &Diagram) -> Diagram {
        match (self.is_empty(one), self.is_empty(other)) {
            (true, _) => other.clone(),
            (_, true) => one.clone(),
            _ => self.store.hold(self.store.or(one.bdd(), other.bdd())),
        }
    }

    fn intersection(&self, one: &Diagram, other: &Diagram) -> Diagram {
        match (self.is_empty(one), self.is_empty(other)) {
            (true, _) => one.clone(),
            (_, true) => other.clone(),
            _ => self.store.hold(self.store.and(one.bdd(), other.bdd())),
        }
    }

    fn difference(&self, one: &Diagram, other: &Diagram) -> Diagram {
        if self.is_empty(one) || self.is_empty(other) {
            return one.clone();
        }
        self.store.hold(self.store.and_not(one.bdd(), other.bdd()))
    }

    fn is_empty(&self, set: &Diagram) -> bool {
        set.bdd().is_false()
    }

    fn count(&self, set: &Diagram) -> u128 {
        let bdd = set.bdd();
        if bdd.is_false() {
            return 0;
        }
        // How many bits come before that of a node; behind the last node all of them do.
        let level = |pointer: BddPointer| {
            if pointer.is_terminal() { self.variables.bits() } else { bdd.var_of(pointer).to_index() / 2 }
        };
        let mut counts = vec![0_u128, 1];
        for pointer in bdd.pointers().skip(2) {
            let below = |to: BddPointer| counts[to.to_index()] << (level(to) - level(pointer) - 1);
            counts.push(below(bdd.low_link_of(pointer)) + below(bdd.high_link_of(pointer)));
        }
        let root = bdd.root_pointer();
        counts[root.to_index()] << level(root)
    }

    fn pick(&self, set: &Diagram) -> Diagram {
        let bdd = set.bdd();
        if bdd.is_false() {
            return self.none();
        }
        // The lowest number that leads from each node to 1, as far as its bits are decided there.
        let bits = self.variables.bits();
        let mut weights = vec![0_u128; bits];
        self.variables.places.iter().enumerate().for_each(|(bit, place)| weights[*place] = 1 << (bits - 1 - bit));
        let mut lowest = vec![None, Some(0_u128)];
        for pointer in bdd.pointers().skip(2) {
            let low = lowest[bdd.low_link_of(pointer).to_index()];
            let weight = weights[bdd.var_of(pointer).to_index() / 2];
            let high = lowest[bdd.high_link_of(pointer).to_index()].map(|number| number + weight);
            lowest.push(low.into_iter().chain(high).min());
        }
        let number = lowest[bdd.root_pointer().to_index()].unwrap_or(0);
        let bits: Vec<usize> = (0..bits).collect();
        self.store.hold(self.variables.now_is(&bits, number))
    }

    fn pre(&self, set: &Diagram) -> Diagram {
        (0..self.pieces()).fold(self.none(), |before, piece| self.pre_piece(piece, set, before))
    }

    fn post(&self, set: &Diagram) -> Diagram {
        (0..self.pieces()).fold(self.none(), |before, piece| self.post_piece(piece, set, before))
    }

    fn pieces(&self) -> usize {
        self.parts.len().max(1)
    }

    fn pre_piece(&self, piece: usize, set: &Diagram, before: Diagram) -> Diagram {
        self.add(piece, |ready| self.pre_by(ready, set.bdd()), &before, false)
    }

    fn post_piece(&self, piece: usize, set: &Diagram, before: Diagram) -> Diagram {
        self.add(piece, |ready| self.post_by(ready, set.bdd()), &before, self.is_closed)
    }

    fn is_late(&self) -> bool {
        self.store.work.get() >= PATIENCE
    }

    fn size(&self) -> (u128, u128) {
        self.size
    }

    fn cost(&self) -> u64 {
        self.store.work.take()
    }

    fn exceeded(&self) -> bool {
        self.variables.exceeded()
    }

    fn nodes(&self) -> Option<Nodes> {
        let Store { nodes, peak, most, .. } = &*self.store;
        Some(Nodes { now: nodes.get(), peak: peak.get(), most: most.get() })
    }
}
