//! A graph with an automaton that reads what holds at its vertices.
//!
//! A vertex of the product is one of the graph with a state of the automaton: the state before it reads the labels of the vertex. So the edge
//! that the automaton takes next is known at each vertex of the product, and the marks on it are marks of the vertex, whether the format has
//! them on states or on edges: no vertex has to remember the edge taken last. Chance decides where it does in the graph. Where the automaton has
//! no edge, its run is rejected, and the product goes on in a state from which nothing leads away.
//!
//! The pairs of the product are those of the graph, if it has some, and behind them those of the automaton. What these say of a run is
//! [`Product::runs`]: that the automaton accepts it, or that it rejects it, as with a Rabin condition of several pairs (one of a single pair is a
//! Streett condition, too).

use crate::bits::{Bits, Graph, GraphError};
use crate::files::hoa::{Automaton, Marks, Runs};
use crate::files::{ReadOptions, do_sets_fit, listed, shortened};
use crate::labelled::{Labelled, Side};
use crate::universe::Universe;
use std::collections::HashMap;
use std::rc::Rc;

/// A graph with an automaton.
#[derive(Clone, Debug)]
pub struct Product {
    /// The product: its names are those of a vertex and a state, its labels those of the graph, and then sets of marks. Its start is where the
    /// graph may start, with the automaton's first state; everywhere, if the graph does not say where.
    pub labelled: Labelled,
    /// Which runs the pairs of the automaton speak of.
    pub runs: Runs,
    /// How many pairs, the first ones, are the graph's.
    pub own_pairs: usize,
    /// By vertex: that of the graph, and the state of the automaton; none where the run was rejected before.
    pub vertices: Vec<(u32, Option<u32>)>,
    /// By vertex of the graph: the vertex of the product where runs from there begin, if some do.
    pub begins: Vec<Option<u32>>,
}

/// Why there is no product.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProductError {
    /// A proposition of the automaton that no label of the graph is called.
    #[error("the automaton speaks of `{proposition}`, and nothing in the graph is called so: {known}")]
    NoLabel {
        /// The proposition.
        proposition: String,
        /// The labels that there are, as a sentence: `there are a and b`.
        known: String,
    },
    /// Vertices or edges that are too many.
    #[error("the product has more than {most} {what}: give a smaller graph or automaton")]
    TooLarge {
        /// `vertices` or `edges`.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
    /// Labels of the automaton that are too large for so many vertices.
    #[error(
        "it takes too long to read the labels of the automaton at so many vertices, or too much room to list their sets"
    )]
    TooMuch,
    /// What is no graph.
    #[error(transparent)]
    NoGraph(#[from] GraphError),
}

/// How many parts of labels are read at most.
const MOST_WORK: u64 = 1 << 32;

/// The state behind a rejected run.
const REJECTED: u32 = u32::MAX;

/// The edge that an automaton takes: the state that it leads to, and the number of its set of marks.
type Step = (u32, u32);

/// An automaton at the vertices of a graph.
struct Walk<'a> {
    automaton: &'a Automaton,
    /// By vertex: what holds there, as a number.
    valuations: Vec<u32>,
    /// By that number: the propositions that hold.
    holds: Vec<Vec<bool>>,
    steps: HashMap<(u32, u32), Step>,
    /// By number: a set of marks.
    marks: Vec<Vec<u32>>,
    by_marks: HashMap<Vec<u32>, u32>,
    work: u64,
}

impl<'a> Walk<'a> {
    fn new(of: &Labelled, automaton: &'a Automaton) -> Result<Self, ProductError> {
        let mut sets = Vec::new();
        for (name, matters) in automaton.propositions.iter().zip(automaton.propositions_that_matter()) {
            let set = of.labels.iter().find(|(label, _)| label == name);
            if matters && set.is_none() {
                let known = listed(of.labels.iter().map(|(name, _)| name.as_str()));
                let known = if known.is_empty() { "it has no labels".to_owned() } else { format!("there are {known}") };
                return Err(ProductError::NoLabel { proposition: name.clone(), known });
            }
            sets.push(set.map(|(_, set)| set));
        }
        let (mut numbers, mut holds) = (HashMap::<Vec<bool>, u32>::new(), Vec::new());
        let valuation = |at: usize| {
            let here: Vec<bool> = sets.iter().map(|set| set.is_some_and(|set| set.contains(at))).collect();
            *numbers.entry(here).or_insert_with_key(|here| {
                holds.push(here.clone());
                holds.len() as u32 - 1
            })
        };
        let valuations = (0..of.graph.vertices()).map(valuation).collect();
        // The first set is empty: that of a rejected run.
        let by_marks = HashMap::from([(Vec::new(), 0)]);
        Ok(Self {
            automaton,
            valuations,
            holds,
            steps: HashMap::new(),
            marks: vec![Vec::new()],
            by_marks,
            work: MOST_WORK,
        })
    }

    fn step(&mut self, vertex: u32, state: u32) -> Result<Step, ProductError> {
        if state == REJECTED {
            return Ok((REJECTED, 0));
        }
        let valuation = self.valuations[vertex as usize];
        if let Some(step) = self.steps.get(&(state, valuation)) {
            return Ok(*step);
        }
        let cost = 1 + self.automaton.cost(state as usize);
        self.work = self.work.checked_sub(cost).ok_or(ProductError::TooMuch)?;
        let holds = &self.holds[valuation as usize];
        let step = match self.automaton.step(state as usize, |at| holds[at as usize]) {
            None => (REJECTED, 0),
            Some((to, marks)) => {
                let next = self.marks.len() as u32;
                let number = *self.by_marks.entry(marks.clone()).or_insert(next);
                if number == next {
                    self.marks.push(marks);
                }
                (to as u32, number)
            }
        };
        self.steps.insert((state, valuation), step);
        Ok(step)
    }
}

/// The product of a graph with an automaton, as far as it is reached. Its size is that of the graph times the states of the automaton at most;
/// linear in it, but for reading each label once for each state and valuation.
///
/// # Errors
/// [`ProductError`] for a proposition that no label is called, and for a product that is too large.
pub fn product(of: &Labelled, automaton: &Automaton, options: &ReadOptions) -> Result<Product, ProductError> {
    let mut walk = Walk::new(of, automaton)?;
    let first = automaton.start() as u32;
    let everywhere = of.graph.is_empty(&of.start);
    let begin: Vec<usize> = if everywhere { (0..of.graph.vertices()).collect() } else { of.start.iter().collect() };
    let mut found: Vec<(u32, u32)> = begin.iter().map(|at| (*at as u32, first)).collect();
    let mut numbers: HashMap<(u32, u32), u32> = found.iter().copied().zip(0..).collect();
    let mut begins = vec![None; of.graph.vertices()];
    begin.iter().zip(0..).for_each(|(at, number)| begins[*at] = Some(number));
    let (mut edges, mut marks, mut at) = (Vec::new(), Vec::new(), 0);
    let most = options.vertices.min(crate::bits::MOST_VERTICES);
    while at < found.len() {
        if found.len() > most {
            return Err(ProductError::TooLarge { what: "vertices", most });
        }
        let (vertex, state) = found[at];
        let (next, number) = walk.step(vertex, state)?;
        marks.push(number);
        for to in of.graph.successors(vertex as usize) {
            let to = *numbers.entry((*to, next)).or_insert_with_key(|to| {
                found.push(*to);
                found.len() as u32 - 1
            });
            edges.push((at as u32, to));
        }
        if edges.len() > options.edges {
            return Err(ProductError::TooLarge { what: "edges", most: options.edges });
        }
        at += 1;
    }
    if !do_sets_fit(of.labels.len() + 2 * automaton.pairs.len(), found.len()) {
        return Err(ProductError::TooMuch);
    }
    let random = of.graph.random();
    let is_random = |at: &u32| random.contains(found[*at as usize].0 as usize);
    let graph = Graph::new(found.len(), edges, (0..found.len() as u32).filter(is_random))?;
    let lift = |set: &Bits| graph.set((0..found.len()).filter(|at| set.contains(found[*at].0 as usize)));
    let names = found.iter().map(|(vertex, state)| match *state {
        REJECTED => format!("{} @ rejected", shortened(&of.name(*vertex as usize))),
        state => {
            format!("{} @ {}", shortened(&of.name(*vertex as usize)), shortened(&automaton.state_name(state as usize)))
        }
    });
    let mut labelled = Labelled {
        names: names.collect(),
        start: graph.set(0..begin.len()),
        labels: of.labels.iter().map(|(name, set)| (name.clone(), lift(set))).collect(),
        pairs: of.pairs.clone(),
        graph: Rc::new(graph),
    };
    let own_pairs = labelled.pairs.len();
    let mut sides = Sides { labelled: &mut labelled, sets: HashMap::new() };
    let is_rejected = |at: usize| found[at].1 == REJECTED;
    let some_rejected = (0..found.len()).any(is_rejected);
    let sees = |at: usize, of: &Marks| walk.marks[marks[at] as usize].binary_search(&of.set).is_ok() != of.is_negated;
    for pair in &automaton.pairs {
        let asks = match &pair.asks {
            None => Side::All,
            Some(asks) => sides.side(mark_name(asks), &|at| sees(at, asks)),
        };
        let mut names: Vec<String> = pair.gets.iter().map(mark_name).collect();
        // Who is rejected is so for ever, whatever has to come.
        let is_enough = automaton.runs == Runs::Rejected && some_rejected;
        names.extend(is_enough.then(|| "rejected".to_owned()));
        let gets = if names.is_empty() {
            Side::None
        } else {
            let gets = |at: usize| is_enough && is_rejected(at) || pair.gets.iter().any(|marks| sees(at, marks));
            sides.side(names.join(" or "), &gets)
        };
        sides.labelled.pairs.push((asks, gets));
    }
    if automaton.runs == Runs::Accepted && some_rejected {
        let rejected = sides.side("rejected".to_owned(), &is_rejected);
        sides.labelled.pairs.push((rejected, Side::None));
    }
    let vertices = found.into_iter().map(|(vertex, state)| (vertex, (state != REJECTED).then_some(state))).collect();
    Ok(Product { labelled, runs: automaton.runs, own_pairs, vertices, begins })
}

fn mark_name(marks: &Marks) -> String {
    format!("{} {}", if marks.is_negated { "no mark" } else { "mark" }, marks.set)
}

/// The sets of marks that sides of pairs are, each once.
struct Sides<'l> {
    labelled: &'l mut Labelled,
    sets: HashMap<String, Side>,
}

impl Sides<'_> {
    fn side(&mut self, name: String, has: &dyn Fn(usize) -> bool) -> Side {
        if let Some(side) = self.sets.get(&name) {
            return side.clone();
        }
        // A label of the graph may be called so.
        let mut label = name.clone();
        while self.labelled.labels.iter().any(|(other, _)| *other == label) {
            label.push('\'');
        }
        let graph = &self.labelled.graph;
        let set = graph.set((0..graph.vertices()).filter(|at| has(*at)));
        self.labelled.labels.push((label, set));
        let side = Side::Label(self.labelled.labels.len() - 1);
        self.sets.insert(name, side.clone());
        side
    }
}
