//! What is asked of a text: a graph with names and pairs, be it written down or the states of a program.

use super::FairnessRequest;
use super::layers::{self, Box};
use super::run::Names;
use crate::algorithms::Pairs;
use crate::bits::{Bits, Graph};
use crate::files::{Read, ReadOptions, is_graph, read_any};
use crate::labelled::{Labelled, Side};
use crate::program::{Fairness, ProgramError, ProgramGraph, Semantics};
use crate::question::{Vocabulary, parse_question};
use crate::universe::Universe;
use crate::waiting::{Waiting, waiting};
use litmoscope_core::budget::Budget;
use litmoscope_core::program::Code;
use litmoscope_core::program::system::System;
use litmoscope_core::syntax::{Diagnostic, parse};
use litmoscope_core::words::{count, grouped};
use litmoscope_draw::Drawing;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// How many states a program may have.
const MOST_STATES: usize = 200_000;
/// How much work it is to find them, in units of budgets.
const PATIENCE: u64 = 1 << 33;
/// How many entries a store buffer has.
pub(super) const ENTRIES: u32 = 2;
/// How many boxes are drawn at most.
pub(super) const MOST_DRAWN: usize = 300;
/// How many edges between them.
const MOST_EDGES: usize = 1_500;

/// A pair that is asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairView {
    /// `requests -> grants`
    pub text: String,
    /// In a sentence.
    pub sentence: String,
    /// It is asked about.
    pub on: bool,
    /// It can be left out.
    pub can_be_off: bool,
}

/// A pair with its words.
struct Asked {
    sides: (Bits, Bits),
    text: String,
    sentence: String,
    on: bool,
}

/// A graph with what is asked.
pub(super) struct Subject {
    pub graph: Rc<Graph>,
    pub program: Option<ProgramGraph>,
    /// Where threads of the program can wait.
    pub places: Vec<Waiting>,
    names: Vec<String>,
    titles: Vec<String>,
    start: Vec<usize>,
    pairs: Vec<Asked>,
    pub notes: Vec<String>,
    /// By vertex: the first vertex of its component.
    components: Vec<u32>,
}

/// A drawing of a graph.
pub(super) struct Picture {
    pub drawing: Drawing,
    /// By box: its vertices.
    pub boxes: Vec<Vec<usize>>,
    pub folds: Vec<Option<u32>>,
    pub folded: Option<String>,
}

/// A number of vertices.
pub fn vertices_words(number: u64) -> String {
    format!("{} {}", grouped(number), if number == 1 { "vertex" } else { "vertices" })
}

/// How many vertices a graph may have in a tab.
const MOST_VERTICES: usize = 1_000_000;

/// The graph of a text, as large as fits into a tab.
///
/// # Errors
/// What is wrong with the text.
pub fn read_graph(text: &str) -> Result<Read, Vec<Diagnostic>> {
    read_any(text, &ReadOptions { vertices: MOST_VERTICES, ..ReadOptions::default() })
}

/// The program of a text, as a transition system.
fn system_of(text: &str) -> Result<(Code, System), Vec<Diagnostic>> {
    let program = parse(text)?.program;
    let code = Code::compile(&program).map_err(|error| vec![Diagnostic::error(error.to_string(), error.span())])?;
    let system = System::of(&program, &code);
    let system = system.map_err(|error| vec![Diagnostic::error(error.to_string(), error.span())])?;
    Ok((code, system))
}

/// By vertex: the first vertex of its strongly connected component.
fn components_of(graph: &Graph) -> Vec<u32> {
    let count = graph.vertices();
    let (mut index, mut low) = (vec![usize::MAX; count], vec![0; count]);
    let mut component = vec![u32::MAX; count];
    let (mut stack, mut next) = (Vec::new(), 0);
    for first in 0..count {
        if index[first] != usize::MAX {
            continue;
        }
        let mut work = vec![(first, 0)];
        while let Some((at, edge)) = work.last_mut() {
            let at = *at;
            if *edge == 0 {
                (index[at], low[at]) = (next, next);
                next += 1;
                stack.push(at);
            }
            match graph.successors(at).get(*edge).map(|to| *to as usize) {
                Some(to) => {
                    *edge += 1;
                    if index[to] == usize::MAX {
                        work.push((to, 0));
                    } else if component[to] == u32::MAX {
                        low[at] = low[at].min(index[to]);
                    }
                }
                None => {
                    work.pop();
                    if let Some((above, _)) = work.last() {
                        low[*above] = low[*above].min(low[at]);
                    }
                    if low[at] == index[at] {
                        let from = stack.iter().rposition(|other| *other == at).unwrap_or(0);
                        let members = stack.split_off(from);
                        let least = members.iter().min().copied().unwrap_or(at) as u32;
                        members.into_iter().for_each(|member| component[member] = least);
                    }
                }
            }
        }
    }
    component
}

impl Subject {
    /// What a request is about.
    pub(super) fn of(request: &FairnessRequest) -> Result<Self, Vec<Diagnostic>> {
        if is_graph(&request.text) {
            return Ok(Self::of_graph(read_graph(&request.text)?.labelled, &request.off));
        }
        let (code, system) = system_of(&request.text)?;
        let places = waiting(&code, &system);
        let buffers = request.buffers.kind().map(|kind| (kind, ENTRIES));
        let semantics = Semantics { buffers, random_scheduler: false };
        let mut budget = Budget::of(PATIENCE);
        let graph = ProgramGraph::with(Rc::new(system), semantics, MOST_STATES, &mut budget).map_err(|error| {
            let span = match error {
                ProgramError::InputAndCoin(span) => span,
                _ => Default::default(),
            };
            vec![Diagnostic::error(error.to_string(), span)]
        })?;
        if graph.graph().vertices() == 0 {
            let message = "nothing can begin: no values of the inputs are as `assuming` says";
            return Err(vec![Diagnostic::error(message, Default::default())]);
        }
        Ok(Self { places, ..Self::of_program(graph, request) })
    }

    fn of_graph(labelled: Labelled, off: &[u32]) -> Self {
        let graph = Rc::clone(&labelled.graph);
        let side = |side: &Side| match side {
            Side::All => "all".to_owned(),
            Side::None => "{}".to_owned(),
            Side::Label(at) => labelled.labels.get(*at).map(|(name, _)| name.clone()).unwrap_or_default(),
        };
        let pair = |(at, (asks, gets)): (usize, &(Side, Side))| {
            let sides = (labelled.side(asks), labelled.side(gets));
            let text = format!("{} -> {}", side(asks), side(gets));
            let sentence = if graph.is_empty(&sides.1) {
                format!("A run comes to {} finitely often only.", side(asks))
            } else {
                format!("A run that comes to {} again and again comes to {} again and again.", side(asks), side(gets))
            };
            Asked { sides, text, sentence, on: !off.contains(&(at as u32)) }
        };
        let pairs = labelled.pairs.iter().enumerate().map(pair).collect();
        let names: Vec<String> = (0..graph.vertices()).map(|at| labelled.name(at)).collect();
        let titles = (0..graph.vertices())
            .map(|at| {
                let own = labelled.labels.iter().filter(|(name, set)| !name.starts_with('{') && set.contains(at));
                let own: Vec<&str> = own.map(|(name, _)| name.as_str()).collect();
                let sets = if own.is_empty() { String::new() } else { format!(", in {}", own.join(", ")) };
                let chance = if graph.random().contains(at) { ": chance decides here" } else { "" };
                format!("vertex {}{sets}{chance}", names[at])
            })
            .collect();
        let start = labelled.start.iter().collect();
        let components = components_of(&graph);
        Self { graph, program: None, places: Vec::new(), names, titles, start, pairs, notes: Vec::new(), components }
    }

    fn of_program(program: ProgramGraph, request: &FairnessRequest) -> Self {
        let graph = Rc::clone(program.graph());
        let system = program.system();
        let threads: Vec<&str> = system.threads.iter().map(|thread| thread.name.as_str()).collect();
        let promises = request.promise.with(request.buffer_promise);
        let promised = (0..).zip(&threads).filter_map(|(at, thread)| {
            Some((program.promise(at, &promises)?, program.promised(&promises, at), thread))
        });
        let mut pairs: Vec<Asked> = promised
            .map(|(sides, fairness, thread)| match fairness {
                Fairness::Weak => Asked {
                    sides,
                    text: format!("always -> {thread} moved or waits"),
                    sentence: format!("Again and again, {thread} moves, or can't move."),
                    on: true,
                },
                _ => Asked {
                    sides,
                    text: format!("{thread} can move -> {thread} moved"),
                    sentence: format!("If {thread} can move again and again, it moves again and again."),
                    on: true,
                },
            })
            .collect();
        if !request.question.trim().is_empty()
            && let Ok(question) = parse_question(Vocabulary::Program(system), &request.question)
        {
            let text = request.question.trim().to_owned();
            pairs.push(Asked { sides: program.asked(&question), sentence: format!("{text}."), text, on: true });
        }
        let titles = (0..graph.vertices()).map(|at| title_of(&program, &request.text, at)).collect();
        // A state by its number, and who moved last.
        let name = |at: usize| match (program.vertex(at).1, program.choice(at)) {
            (Some(thread), Some(_)) => format!("{at}·{} tosses", threads[usize::from(thread)]),
            (Some(thread), None) => format!("{at}·{}", threads[usize::from(thread)]),
            (None, _) => at.to_string(),
        };
        let names = (0..graph.vertices()).map(name).collect();
        let start = (0..graph.vertices()).take_while(|at| program.vertex(*at).1.is_none()).collect();
        let components = components_of(&graph);
        let mut notes =
            vec![format!("A vertex is a state of the program, {}, with who moved last.", request.buffers.words())];
        if program.is_bounded() {
            notes.push(format!(
                "Threads wait for room in buffers of {ENTRIES} entries: that no run is found proves nothing."
            ));
        }
        if !program.faults().is_empty() {
            notes.push("Some runs end in an error: explore the program to see them.".to_owned());
        }
        let places = Vec::new();
        Self { graph, places, names, titles, start, pairs, notes, components, program: Some(program) }
    }

    /// The pairs that are asked about.
    pub(super) fn objective(&self) -> Pairs<Bits> {
        self.pairs.iter().filter(|pair| pair.on).map(|pair| pair.sides.clone()).collect()
    }

    /// What they say.
    pub(super) fn pair_words(&self) -> Vec<String> {
        self.pairs.iter().filter(|pair| pair.on).map(|pair| pair.text.clone()).collect()
    }

    pub(super) fn pair_views(&self) -> Vec<PairView> {
        let view = |pair: &Asked| PairView {
            text: pair.text.clone(),
            sentence: pair.sentence.clone(),
            on: pair.on,
            can_be_off: self.program.is_none(),
        };
        self.pairs.iter().map(view).collect()
    }

    /// How large it is.
    pub(super) fn name(&self) -> String {
        let (vertices, edges) = self.graph.size();
        let vertices = vertices_words(u64::try_from(vertices).unwrap_or(u64::MAX));
        let random = self.graph.count(self.graph.random());
        let random = if random == 0 { String::new() } else { format!(", {random} of them random") };
        let edges = count(u64::try_from(edges).unwrap_or(u64::MAX), "edge");
        format!("{vertices}{random}, {edges}, {}", count(self.objective().len() as u64, "pair"))
    }

    pub(super) fn by_chance(&self) -> bool {
        !self.graph.is_empty(self.graph.random())
    }

    /// What a vertex is called.
    pub(super) fn vertex(&self, at: usize) -> String {
        self.names.get(at).cloned().unwrap_or_else(|| at.to_string())
    }

    /// Where runs start; everywhere, if it is not said.
    pub(super) fn starts(&self) -> &[usize] {
        &self.start
    }

    /// Calls a function with names for words.
    pub(super) fn with_names<T>(&self, of: impl FnOnce(&Names<'_>) -> T) -> T {
        let words = self.pair_words();
        of(&Names { vertex: &|at| self.vertex(at), pairs: &words })
    }

    /// The graph drawn: all of it, or components as boxes.
    pub(super) fn picture(&self, unfolded: &[u32], narrow: bool) -> Picture {
        let count = self.graph.vertices();
        let is_small = count <= MOST_DRAWN && self.graph.size().1 <= MOST_EDGES as u128;
        let mut boxes: Vec<Vec<usize>> = Vec::new();
        let mut of = vec![usize::MAX; count];
        let mut first: std::collections::HashMap<u32, usize> = std::collections::HashMap::new();
        let mut left_out = 0;
        for (vertex, &component) in self.components.iter().enumerate() {
            let is_open = is_small || unfolded.contains(&component);
            let known = if is_open { None } else { first.get(&component).copied() };
            match known {
                Some(at) => {
                    boxes[at].push(vertex);
                    of[vertex] = at;
                }
                None if boxes.len() < MOST_DRAWN => {
                    of[vertex] = boxes.len();
                    if !is_open {
                        first.insert(component, boxes.len());
                    }
                    boxes.push(vec![vertex]);
                }
                None => left_out += 1,
            }
        }
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for from in 0..count {
            for to in self.graph.successors(from) {
                let (one, other) = (of[from], of[*to as usize]);
                let inside = one == other && boxes.get(one).is_some_and(|own| own.len() > 1);
                if one != usize::MAX && other != usize::MAX && !inside {
                    edges.push((one, other));
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let cut = edges.len().saturating_sub(MOST_EDGES);
        edges.truncate(MOST_EDGES);
        let folds: Vec<Option<u32>> =
            boxes.iter().map(|own| (own.len() > 1).then(|| self.components[own[0]])).collect();
        let shown: Vec<Box> = boxes
            .iter()
            .map(|own| match own[..] {
                [one] => Box {
                    label: self.vertex(one),
                    title: self.titles[one].clone(),
                    is_random: self.graph.random().contains(one),
                },
                _ => Box {
                    label: format!("{} … ×{}", self.vertex(own[0]), own.len()),
                    title: format!("a component of {} vertices: click to unfold it", own.len()),
                    is_random: false,
                },
            })
            .collect();
        let starts: Vec<usize> = self.start.iter().map(|at| of[*at]).filter(|at| *at < boxes.len()).collect();
        let drawing = layers::draw(&shown, &edges, &starts, !narrow);
        let folded = (!is_small).then(|| {
            let mut said = format!("The graph has {count} vertices: components are boxes. Click one to unfold it.");
            if left_out > 0 {
                said += &format!(" {left_out} vertices are not drawn.");
            }
            if cut > 0 {
                said += &format!(" {cut} edges are not drawn.");
            }
            said
        });
        Picture { drawing, boxes, folds, folded }
    }
}

/// Where threads are at a vertex, and what is held.
fn title_of(program: &ProgramGraph, text: &str, at: usize) -> String {
    let system = program.system();
    let (state, last) = program.vertex(at);
    let threads = system.threads.iter().enumerate().map(|(thread, own)| {
        let point = system.point(thread, state.points[thread]);
        format!("{} at {}", own.name, super::starve::point_text(text, point))
    });
    let values = system.names.iter().zip(&state.values).take(system.shared());
    let values = values.map(|(name, value)| format!("{name} = {}", system.value_text(*value)));
    let last = last.map(|thread| format!("{} moved last", system.threads[usize::from(thread)].name));
    threads.chain(values).chain(last).collect::<Vec<_>>().join(", ")
}
