//! A run of an algorithm, step by step: what is known of each vertex at a step, and the step in words.

use super::Setup;
use crate::algorithms::{Options, Pairs, Way};
use crate::bits::{Bits, Graph};
use crate::diagrams::Diagrams;
use crate::invariants::{Held, Invariants, MOST_CHECKED};
use crate::machine::Machine;
use crate::step::{Answer, Direction, Search, Step};
use crate::universe::{Counts, Universe};
use litmoscope_core::budget::Budget;
use litmoscope_core::words::{count, list};
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::rc::Rc;

/// How many steps are kept at most.
const MOST_STEPS: usize = 5_000;
/// How many bits all kept sets may have.
const MOST_BITS: usize = 400_000_000;
/// How much work an algorithm may be, in units of budgets.
const PATIENCE: u64 = 1 << 34;
/// The colours of parts, none of which is that of good components.
const PARTS: [u8; 6] = [0, 4, 6, 8, 10, 3];
/// How many looks rings have.
const LOOKS: u8 = 6;

/// A step as it is shown: an attractor layer by layer.
pub(super) struct Frame {
    pub step: Step<Bits>,
    /// How many layers of an attractor are shown.
    pub wave: usize,
    pub counts: Counts,
}

/// All steps of an algorithm.
pub(super) struct Recording {
    pub frames: Vec<Frame>,
    pub answer: Option<Answer<Bits>>,
    /// At the end.
    pub counts: Counts,
    /// Why not all is there.
    pub cut: Option<String>,
    improved: bool,
    by_chance: bool,
    /// By frame: what has to hold behind it, and whether it does. `None` if the graph is too large for that.
    held: OnceCell<Option<Vec<Vec<Held>>>>,
}

fn map<S, T>(step: Step<S>, to: &impl Fn(&S) -> T) -> Step<T> {
    let all = |sets: Vec<S>| sets.iter().map(to).collect();
    let search = |Search { start, direction, reached }: Search<S>| Search {
        start: to(&start),
        direction,
        reached: to(&reached),
    };
    match step {
        Step::Components { of, components } => Step::Components { of: to(&of), components: all(components) },
        Step::EndComponents { of, components } => Step::EndComponents { of: to(&of), components: all(components) },
        Step::Candidate { set, heads, tails } => {
            Step::Candidate { set: to(&set), heads: to(&heads), tails: to(&tails) }
        }
        Step::Bad { set, bad, pairs } => Step::Bad { set: to(&set), bad: to(&bad), pairs },
        Step::Leaking { set, vertices } => Step::Leaking { set: to(&set), vertices: to(&vertices) },
        Step::Attractor { of, removed, layers } => {
            Step::Attractor { of: to(&of), removed: to(&removed), layers: all(layers) }
        }
        Step::NoEdge { set } => Step::NoEdge { set: to(&set) },
        Step::Round { number, searches } => {
            Step::Round { number, searches: searches.into_iter().map(search).collect() }
        }
        Step::Dropped { search: own, met } => Step::Dropped { search: search(own), met: to(&met) },
        Step::Returned { search: own } => Step::Returned { search: search(own) },
        Step::Split { component, rest } => Step::Split { component: to(&component), rest: to(&rest) },
        Step::Good { set } => Step::Good { set: to(&set) },
        Step::Reach { of, from } => Step::Reach { of: to(&of), from: to(&from) },
    }
}

fn record<U: Universe + 'static>(
    mut machine: Machine<U>,
    vertices: usize,
    to: impl Fn(&U::Set) -> Bits,
    budget: &mut Budget,
) -> (Vec<Frame>, Option<Answer<Bits>>, Counts, Option<String>) {
    let mut frames: Vec<Frame> = Vec::new();
    let most = (MOST_BITS / (4 * vertices.max(1))).clamp(20, MOST_STEPS);
    let mut cut = None;
    loop {
        match machine.advance(budget) {
            Ok(Some(step)) if frames.len() < most => {
                let step = map(step, &to);
                let counts = machine.counts();
                frames.extend((2..=waves(&step)).map(|wave| Frame { step: step.clone(), wave, counts }));
            }
            Ok(Some(_)) => {
                let message = || format!("Its first {} are shown. It went on to its end.", count(most as u64, "step"));
                cut = Some(cut.unwrap_or_else(message));
            }
            Ok(None) => break,
            Err(_) => {
                cut =
                    Some("It was given up: it takes too long for the page. The command line has no such limit.".into());
                break;
            }
        }
    }
    let answer = machine
        .answer()
        .map(|answer| Answer { winning: to(&answer.winning), components: answer.components.iter().map(&to).collect() });
    (frames, answer, machine.counts(), cut)
}

/// The last layer of a step that is shown.
fn waves<S>(step: &Step<S>) -> usize {
    if let Step::Attractor { layers, .. } = step { layers.len().max(2) } else { 2 }
}

fn on_bits(graph: &Rc<Graph>, pairs: &Pairs<Bits>, setup: &Setup) -> Machine<Graph> {
    let (way, options) = (setup.way(), Options { threshold: setup.threshold(), ..Options::default() });
    if graph.is_empty(graph.random()) {
        crate::streett(Rc::clone(graph), pairs.clone(), way, options)
    } else {
        crate::streett_by_chance(Rc::clone(graph), pairs.clone(), way, options)
    }
}

/// What has to hold behind each of some frames. Bits take the same steps as diagrams.
fn held(graph: &Rc<Graph>, pairs: &Pairs<Bits>, setup: &Setup, frames: usize) -> Option<Vec<Vec<Held>>> {
    if graph.vertices() > MOST_CHECKED {
        return None;
    }
    let invariants = Invariants::new(graph, pairs);
    let mut machine = on_bits(graph, pairs, setup);
    let (mut all, mut budget) = (Vec::new(), Budget::of(PATIENCE));
    while all.len() < frames
        && let Ok(Some(step)) = machine.advance(&mut budget)
    {
        let mut held: Vec<Held> = Vec::new();
        for own in machine.lists().iter().flat_map(|list| invariants.check(list)) {
            match held.iter_mut().find(|other| other.number == own.number) {
                Some(other) => {
                    other.holds &= own.holds;
                    other.vertices = graph.union(&other.vertices, &own.vertices);
                }
                None => held.push(own),
            }
        }
        held.sort_by_key(|own| own.number);
        debug_assert!(held.iter().all(|own| own.holds), "{held:?}");
        all.extend((2..=waves(&step)).map(|_| held.clone()));
    }
    Some(all)
}

impl Recording {
    /// What has to hold after so many steps, and whether it does. `None` if the graph is too large for that.
    pub(super) fn held(&self, graph: &Rc<Graph>, pairs: &Pairs<Bits>, setup: &Setup, step: usize) -> Option<&[Held]> {
        let all = self.held.get_or_init(|| held(graph, pairs, setup, self.len())).as_ref()?;
        Some(step.checked_sub(1).and_then(|at| all.get(at)).map_or(&[], |held| &held[..]))
    }

    /// Runs an algorithm to its end.
    pub(super) fn of(graph: &Rc<Graph>, pairs: &Pairs<Bits>, setup: &Setup) -> Self {
        let by_chance = !graph.is_empty(graph.random());
        let (way, options) = (setup.way(), Options { threshold: setup.threshold(), ..Options::default() });
        let mut budget = Budget::of(PATIENCE);
        let vertices = graph.vertices();
        let (frames, answer, counts, cut) = if setup.diagrams {
            let universe = Rc::new(Diagrams::of(graph));
            let set = |set: &Bits| universe.set(set.iter().map(|at| at as u64));
            let pairs = pairs.iter().map(|(asks, gets)| (set(asks), set(gets))).collect();
            let machine = if by_chance {
                crate::streett_by_chance(Rc::clone(&universe), pairs, way, options)
            } else {
                crate::streett(Rc::clone(&universe), pairs, way, options)
            };
            let bits = |set: &crate::Diagram| graph.set(universe.vertices(set).into_iter().map(|at| at as usize));
            record(machine, vertices, bits, &mut budget)
        } else {
            record(on_bits(graph, pairs, setup), vertices, Bits::clone, &mut budget)
        };
        let this =
            Self { frames, answer, counts, cut, improved: way == Way::Improved, by_chance, held: OnceCell::new() };
        if cfg!(debug_assertions) {
            this.held(graph, pairs, setup, 0);
        }
        this
    }

    /// How many steps are shown.
    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// The counts after so many steps.
    pub(super) fn counts_at(&self, step: usize) -> Counts {
        step.checked_sub(1).and_then(|at| self.frames.get(at)).map(|frame| frame.counts).unwrap_or_default()
    }

    /// What is known after so many steps.
    pub(super) fn now(&self, graph: &Graph, step: usize) -> Now {
        let mut now = Now::new(graph, self.improved);
        for frame in self.frames.iter().take(step) {
            // Of an attractor, the last layer alone counts.
            let is_same = frame.wave > 2;
            if !is_same {
                now.follow(graph, &frame.step, self.by_chance);
            }
            now.wave = frame.wave;
        }
        now
    }

    /// The lines of pseudo-code.
    pub(super) fn code(&self) -> &'static [&'static str] {
        match (self.improved, self.by_chance) {
            (false, false) => &BASIC,
            (true, false) => &IMPROVED,
            (false, true) => &BASIC_BY_CHANCE,
            (true, true) => &IMPROVED_BY_CHANCE,
        }
    }
}

const BASIC: [&str; 6] = [
    "X := the components of the graph",
    "while X is not empty: take S out of X",
    "    B := the bad vertices of S",
    "    if B is not empty: add the components of S \\ B to X",
    "    else if S has an edge: S is good",
    "return who reaches a good component",
];
const IMPROVED: [&str; 9] = [
    "X := the components of the graph, without heads and tails",
    "while X is not empty: take (S, H, T) out of X",
    "    while S has bad vertices B: S := S \\ B, and H, T grow by who lost edges",
    "    if S has no edge: go on with the next",
    "    if H and T are empty: S is good",
    "    else if |H| + |T| ≥ threshold: add the components of S to X; one alone is good",
    "    else C := a lock-step search from H and T",
    "        if C = S: S is good; else add S \\ C and C to X",
    "return who reaches a good component",
];
const BASIC_BY_CHANCE: [&str; 6] = [
    "X := the end components of the graph",
    "while X is not empty: take S out of X",
    "    B := the bad vertices of S",
    "    if B is not empty: add the end components of S \\ attractor of B to X",
    "    else: S is good",
    "return who reaches a good component with probability 1",
];
const IMPROVED_BY_CHANCE: [&str; 9] = [
    "X := the end components of the graph, without heads and tails",
    "while X is not empty: take (S, H, T) out of X",
    "    while S has bad vertices B: S := S \\ attractor of B, and H, T grow by who lost edges",
    "    if S has no edge: go on with the next",
    "    if H and T are empty: S is good",
    "    else if |H| + |T| ≥ threshold: add the components of S to X, without what leaks",
    "    else C := a lock-step search from H and T",
    "        if C = S: S is good; else add S \\ attractor of C, and C without what leaks, to X",
    "return who reaches a good component with probability 1",
];

/// What a vertex is at a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tint {
    /// Nothing is known of it yet, or it waits in the list.
    #[default]
    Waiting,
    /// It is in the candidate.
    Candidate,
    /// It was removed.
    Removed,
    /// It is in a good component, which is set aside.
    Good,
    /// One wins from there.
    Winning,
}

/// A lock-step search that has reached a vertex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ring {
    /// Which look it has.
    pub look: u8,
    /// It goes along the edges; else against them.
    pub forward: bool,
    /// It begins here.
    pub starts: bool,
    /// It was dropped.
    pub dropped: bool,
}

/// What is known after some steps.
pub(super) struct Now {
    current: Option<Bits>,
    removed: Bits,
    pub good: Vec<Bits>,
    heads: Bits,
    tails: Bits,
    pending: Option<Bits>,
    searches: Vec<Search<Bits>>,
    dropped: Option<Search<Bits>>,
    /// Where searches of this lock-step search began, in the order in which they became known.
    known: Vec<(Direction, Bits)>,
    parts: Vec<Bits>,
    bad: Option<Bits>,
    leaking: Option<Bits>,
    layers: Vec<Bits>,
    pub wave: usize,
    winning: Option<Bits>,
    improved: bool,
    /// The line of the pseudo-code.
    pub line: usize,
    /// A decomposition of the beginning is over.
    begun: bool,
    /// What the step is about, as a set.
    pub about: Bits,
}

impl Now {
    fn new(graph: &Graph, improved: bool) -> Self {
        let none = graph.none();
        Self {
            current: None,
            removed: none.clone(),
            good: Vec::new(),
            heads: none.clone(),
            tails: none,
            pending: None,
            searches: Vec::new(),
            dropped: None,
            known: Vec::new(),
            parts: Vec::new(),
            bad: None,
            leaking: None,
            layers: Vec::new(),
            wave: 0,
            winning: None,
            improved,
            line: 0,
            begun: false,
            about: graph.all(),
        }
    }

    fn remove(&mut self, graph: &Graph, removed: &Bits) {
        if let Some(current) = &mut self.current {
            let removed = graph.intersection(removed, current);
            *current = graph.difference(current, &removed);
            self.removed = graph.union(&self.removed, &removed);
            if self.improved {
                let grow = |set: &Bits, image: Bits| graph.intersection(&graph.union(set, &image), current);
                self.heads = grow(&self.heads, graph.post(&removed));
                self.tails = grow(&self.tails, graph.pre(&removed));
            }
        }
    }

    fn end_searches(&mut self, graph: &Graph) {
        self.searches.clear();
        self.known.clear();
        (self.heads, self.tails) = (graph.none(), graph.none());
    }

    fn know(&mut self, search: &Search<Bits>) {
        let own = (search.direction, search.start.clone());
        if !self.known.contains(&own) {
            self.known.push(own);
        }
    }

    fn follow(&mut self, graph: &Graph, step: &Step<Bits>, by_chance: bool) {
        match step {
            Step::Attractor { .. } => {}
            // A component that was split off is not removed with what chance takes to it.
            Step::Split { component, .. } => {
                if let Some(pending) = self.pending.take() {
                    let lost = graph.difference(&pending, component);
                    self.removed = graph.union(&self.removed, &lost);
                }
            }
            _ => {
                if let Some(pending) = self.pending.take() {
                    self.remove(graph, &pending);
                }
            }
        }
        self.parts.clear();
        self.layers.clear();
        (self.bad, self.leaking, self.dropped) = (None, None, None);
        let improved = self.improved;
        match step {
            Step::Components { of, components } => {
                self.line = match (self.begun, by_chance, improved) {
                    (false, ..) => 0,
                    (true, _, false) => 3,
                    (true, _, true) => 5,
                };
                self.begun |= !by_chance;
                self.end_searches(graph);
                self.current = Some(of.clone());
                self.parts.clone_from(components);
                self.about = of.clone();
            }
            Step::EndComponents { of, components } => {
                self.line = if self.begun { 3 } else { 0 };
                self.begun = true;
                self.end_searches(graph);
                self.current = Some(of.clone());
                let kept = components.iter().fold(graph.none(), |all, one| graph.union(&all, one));
                self.removed = graph.union(&self.removed, &graph.difference(of, &kept));
                self.parts.clone_from(components);
                self.about = of.clone();
            }
            Step::Candidate { set, heads, tails } => {
                self.line = 1;
                self.end_searches(graph);
                self.current = Some(set.clone());
                (self.heads, self.tails) = (heads.clone(), tails.clone());
                self.about = set.clone();
            }
            Step::Bad { set, bad, .. } => {
                self.line = 2;
                self.current = Some(set.clone());
                self.bad = Some(bad.clone());
                self.pending = Some(bad.clone());
                self.about = bad.clone();
            }
            Step::Leaking { set, vertices } => {
                self.current = Some(set.clone());
                self.leaking = Some(vertices.clone());
                self.pending = Some(vertices.clone());
                self.about = vertices.clone();
            }
            Step::Attractor { removed, layers, .. } => {
                self.layers.clone_from(layers);
                self.pending = Some(removed.clone());
                self.about = removed.clone();
            }
            Step::NoEdge { set } => {
                self.line = if improved { 3 } else { 4 };
                self.removed = graph.union(&self.removed, set);
                self.current = None;
                self.about = set.clone();
            }
            Step::Round { searches, .. } => {
                self.line = 6;
                searches.iter().for_each(|search| self.know(search));
                self.searches.clone_from(searches);
                self.about = searches.iter().fold(graph.none(), |all, one| graph.union(&all, &one.reached));
            }
            Step::Dropped { search, .. } => {
                self.line = 6;
                self.know(search);
                self.searches.retain(|other| (other.direction, &other.start) != (search.direction, &search.start));
                self.dropped = Some(search.clone());
                self.about = search.reached.clone();
            }
            Step::Returned { search } => {
                self.line = 6;
                self.know(search);
                self.searches = vec![search.clone()];
                self.about = search.reached.clone();
            }
            Step::Split { component, rest } => {
                self.line = 7;
                self.end_searches(graph);
                self.current = Some(graph.union(component, rest));
                self.parts = vec![component.clone(), rest.clone()];
                self.about = component.clone();
            }
            Step::Good { set } => {
                self.line = match (improved, self.line) {
                    (false, _) | (true, 0..=4) => 4,
                    (true, 5) => 5,
                    (true, _) => 7,
                };
                self.end_searches(graph);
                self.good.push(set.clone());
                self.current = None;
                self.about = set.clone();
            }
            Step::Reach { from, .. } => {
                self.line = if improved { 8 } else { 5 };
                self.end_searches(graph);
                self.current = None;
                self.winning = Some(from.clone());
                self.about = from.clone();
            }
        }
        // All that is done to find end components is one line.
        let finds = !matches!(
            step,
            Step::Candidate { .. }
                | Step::Bad { .. }
                | Step::Good { .. }
                | Step::Reach { .. }
                | Step::EndComponents { .. }
        );
        if by_chance && finds && !(improved && self.begun) {
            self.line = if self.begun { 3 } else { 0 };
        }
    }

    /// What a vertex is.
    pub(super) fn look(&self, vertex: usize) -> Look {
        let has = |set: &Option<Bits>| set.as_ref().is_some_and(|set| set.contains(vertex));
        let tint = if self.good.iter().any(|set| set.contains(vertex)) {
            Tint::Good
        } else if has(&self.winning) {
            Tint::Winning
        } else if has(&self.current) {
            Tint::Candidate
        } else if self.removed.contains(vertex) || self.winning.is_some() {
            Tint::Removed
        } else {
            Tint::Waiting
        };
        let ring = |search: &Search<Bits>, dropped: bool| {
            let place = self
                .known
                .iter()
                .position(|(direction, start)| *direction == search.direction && *start == search.start);
            search.reached.contains(vertex).then(|| Ring {
                look: place.unwrap_or(0) as u8 % LOOKS,
                forward: search.direction == Direction::Forward,
                starts: search.start.contains(vertex),
                dropped,
            })
        };
        let rings = self.searches.iter().filter_map(|search| ring(search, false));
        let rings =
            rings.chain(self.dropped.iter().filter_map(|search| ring(search, true))).take(LOOKS.into()).collect();
        // One part alone is what was there before.
        let part = self.parts.iter().position(|part| part.contains(vertex)).filter(|_| self.parts.len() > 1);
        let layer = self.layers.iter().take(self.wave).position(|layer| layer.contains(vertex));
        Look {
            tint,
            part: part.map(|part| PARTS[part % PARTS.len()]),
            bad: has(&self.bad),
            leaking: has(&self.leaking),
            head: self.heads.contains(vertex),
            tail: self.tails.contains(vertex),
            layer: layer.map(|layer| layer.min(250) as u8),
            rings,
        }
    }
}

/// What a vertex is at a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// Its state.
    pub tint: Tint,
    /// Which component it is in, of those that were just found.
    pub part: Option<u8>,
    /// It is bad, and goes.
    pub bad: bool,
    /// Chance may lead out of the candidate from there.
    pub leaking: bool,
    /// It lost an edge that led to it.
    pub head: bool,
    /// It lost an edge that led away.
    pub tail: bool,
    /// In which layer of the attractor that washes over the graph it is.
    pub layer: Option<u8>,
    /// The searches that have reached it.
    pub rings: Vec<Ring>,
}

/// Names for words.
pub(super) struct Names<'a> {
    /// What vertices are called.
    pub vertex: &'a dyn Fn(usize) -> String,
    /// By pair, in words.
    pub pairs: &'a [String],
}

/// How many names are listed.
const LISTED: usize = 8;

impl Names<'_> {
    /// A set in braces.
    pub(super) fn set(&self, set: &Bits) -> String {
        let mut names: Vec<String> = set.iter().take(LISTED + 1).map(self.vertex).collect();
        if names.len() > LISTED {
            let all = set.iter().count();
            names.truncate(LISTED - 1);
            return format!("{{{}, and {} more}}", names.join(", "), all - (LISTED - 1));
        }
        format!("{{{}}}", names.join(", "))
    }

    fn some(&self, sets: &[Bits]) -> String {
        const MOST: usize = 6;
        let mut all: Vec<String> = sets.iter().take(MOST).map(|set| self.set(set)).collect();
        if sets.len() > MOST {
            all.push(format!("{} more", sets.len() - MOST));
        }
        list(all)
    }

    /// A step in a sentence or a few.
    pub(super) fn sentence(&self, graph: &Graph, Frame { step, wave, .. }: &Frame, by_chance: bool) -> String {
        let is_none = |set: &Bits| graph.is_empty(set);
        let many = |set: &Bits, one: &'static str, more: &'static str| if graph.count(set) == 1 { one } else { more };
        match step {
            Step::Components { of, components } if components.len() == 1 => {
                format!("{} is strongly connected: it is one component.", self.set(of))
            }
            Step::Components { of, components } if components.is_empty() => {
                format!("{} has no components: nothing is left.", self.set(of))
            }
            Step::Components { components, .. } => {
                let all = count(components.len() as u64, "strongly connected component");
                format!("A decomposition finds {all}: {}.", self.some(components))
            }
            Step::EndComponents { components, .. } if components.is_empty() => {
                "There is no end component: wherever the player goes, chance leads out again.".to_owned()
            }
            Step::EndComponents { components, .. } => {
                let all = count(components.len() as u64, "maximal end component");
                format!(
                    "There {} {all}, in which the player can stay for ever: {}.",
                    if components.len() == 1 { "is" } else { "are" },
                    self.some(components)
                )
            }
            Step::Candidate { set, heads, tails } => {
                let lost = match (is_none(heads), is_none(tails)) {
                    (true, true) => String::new(),
                    _ => format!(" Edges were lost that led to {} and away from {}.", self.set(heads), self.set(tails)),
                };
                format!("The candidate {} is taken out of the list.{lost}", self.set(set))
            }
            Step::Bad { bad, pairs, .. } => {
                let by = pairs.iter().filter_map(|pair| self.pairs.get(*pair)).take(4).map(|pair| format!("`{pair}`"));
                let ask = many(bad, "is bad: it asks", "are bad: they ask");
                let go = many(bad, "It has", "They have");
                let pair = if pairs.len() == 1 { "pair" } else { "pairs" };
                format!(
                    "{} {ask} for what the candidate has nothing of, by the {pair} {}. {go} to go.",
                    self.set(bad),
                    list(by)
                )
            }
            Step::Leaking { vertices, .. } => {
                format!(
                    "From {} chance may lead out of the candidate, so the player can't stay there.",
                    self.set(vertices)
                )
            }
            Step::Attractor { layers, .. } => {
                let layer = layers.get(wave - 1).map(|layer| self.set(layer)).unwrap_or_default();
                format!(
                    "From {layer} chance leads to what is removed, whatever the player does: layer {} of {} of the \
                     random attractor.",
                    wave - 1,
                    layers.len() - 1
                )
            }
            Step::NoEdge { set } if is_none(set) => "Nothing is left of the candidate.".to_owned(),
            Step::NoEdge { set } => {
                format!("No edge is left within {}: no run stays there. It is dropped.", self.set(set))
            }
            Step::Round { number, searches } => {
                let went = count(searches.len() as u64, "search");
                format!(
                    "Lock-step search, round {number}: one step of each. {} on.",
                    if searches.len() == 1 { format!("{went} goes") } else { format!("{went} go") }
                )
            }
            Step::Dropped { search, met } => {
                let (start, met) = (self.set(&search.start), self.set(met));
                let way = match search.direction {
                    Direction::Forward => "along the edges",
                    Direction::Backward => "against the edges",
                };
                format!(
                    "The search from {start} {way} is dropped: it met {met}, from where another one goes. One is enough."
                )
            }
            Step::Returned { search } => {
                let what = match search.direction {
                    Direction::Forward => "no edge leaves",
                    Direction::Backward => "no edge enters",
                };
                format!(
                    "The search from {} found nothing new: {} is a component that {what} within the candidate.",
                    self.set(&search.start),
                    self.set(&search.reached)
                )
            }
            Step::Split { component, rest } => {
                format!("{} is split off. {} is left of the candidate.", self.set(component), self.set(rest))
            }
            Step::Good { set } => {
                let meets = if self.pairs.is_empty() { "" } else { " and meets every pair" };
                format!(
                    "{} is a good component: a run that goes round in all of it stays{meets}. It is set aside.",
                    self.set(set)
                )
            }
            Step::Reach { of, .. } if is_none(of) && by_chance => {
                "There is no good component: from no vertex does a strategy win with probability 1.".to_owned()
            }
            Step::Reach { of, .. } if is_none(of) => {
                "There is no good component: from no vertex is there such a run.".to_owned()
            }
            Step::Reach { from, .. } if by_chance => format!(
                "From {} a strategy gets to a good component with probability 1: there one wins.",
                self.set(from)
            ),
            Step::Reach { from, .. } => {
                format!("From {} one gets to a good component: there one wins.", self.set(from))
            }
        }
    }
}

/// What kind of step it is, for lists.
pub(super) fn sort(step: &Step<Bits>) -> &'static str {
    match step {
        Step::Components { .. } | Step::EndComponents { .. } | Step::Split { .. } => "derived",
        Step::Candidate { .. } => "guess",
        Step::Bad { .. } | Step::Leaking { .. } | Step::Attractor { .. } | Step::NoEdge { .. } => "contradiction",
        Step::Good { .. } | Step::Reach { .. } => "in-order",
        Step::Round { .. } | Step::Dropped { .. } | Step::Returned { .. } => "open",
    }
}
