//! `litmoscope fairness`

use super::input::{Input, Messages, read_text};
use super::save::replace;
use super::{Failure, budget, print, print_json, tell};
use crate::FairnessTask;
use litmoscope::budget::Budget;
use litmoscope::fairness::files::hoa::{Automaton, Runs, parse_automaton};
use litmoscope::fairness::files::{Actions, Format, Read, ReadOptions, read, write};
use litmoscope::fairness::report::{self, ToldStep, lines};
use litmoscope::fairness::{
    Answer, Bits, Counts, Diagrams, Dining, Fairness, Graph, Invariants, Labelled, Lasso, MOST_CHECKED,
    MOST_PHILOSOPHERS, Machine, Nodes, Options, Pairs, ProgramDiagrams, ProgramError, ProgramGraph, Promises, Question,
    QuestionError, Scope, Semantics, Side, Step, Strategy, SymbolicError, Threshold, Universe, Vocabulary, Waiting,
    Way, families, parse_pairs, parse_question, product, streett, streett_by_chance, waiting,
};
use litmoscope::model::Model;
use litmoscope::program::system::{State, System, TransitionId};
use litmoscope::program::{Code, Span};
use litmoscope::syntax::{self, Diagnostic};
use litmoscope::words::{count, grouped};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;

/// How large a file with a graph may be, in bytes.
const MOST_BYTES: usize = 1 << 30;
/// How many lines of a strategy, or names of vertices, are printed.
const MOST_LINES: usize = 50;
const MOST_NAMED: usize = 12;

/// What decides.
#[derive(Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum BackEnd {
    /// Sets are bits, one for each vertex.
    #[default]
    Bits,
    /// Sets are binary decision diagrams. The edges of a program are made of its steps, without a list of its states.
    Diagrams,
}

/// Who chooses the thread that moves next.
#[derive(Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Scheduler {
    /// A player, who is as unfair as is allowed.
    #[default]
    Player,
    /// Chance.
    Random,
}

/// Which algorithm.
#[derive(Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Algorithm {
    /// Decomposes anew after each removal.
    Basic,
    /// Searches in lock-step from where edges were lost.
    #[default]
    Improved,
}

impl Algorithm {
    fn way(self) -> Way {
        match self {
            Self::Basic => Way::Basic,
            Self::Improved => Way::Improved,
        }
    }
}

/// A promise, by its name.
pub fn promise(text: &str) -> Result<Fairness, String> {
    Fairness::ALL.into_iter().find(|fairness| fairness.name() == text).ok_or_else(|| "none, weak or strong".to_owned())
}

/// A promise to one thread: `P0=weak`.
pub fn promise_to(text: &str) -> Result<(String, Fairness), String> {
    let (thread, fairness) = text.split_once('=').ok_or("a thread and a promise, such as P0=weak")?;
    Ok((thread.to_owned(), promise(fairness)?))
}

/// A threshold: a number, `log`, `root` or `never`.
pub fn threshold(text: &str) -> Result<Threshold, String> {
    match text {
        "log" => Ok(Threshold::Logarithm),
        "root" => Ok(Threshold::Root),
        "never" => Ok(Threshold::Never),
        _ => text.parse().map(Threshold::Fixed).map_err(|_| "a number, log, root or never".to_owned()),
    }
}

/// The order of diagrams, by its name.
pub fn order(text: &str) -> Result<litmoscope::fairness::Order, String> {
    let mut orders = litmoscope::fairness::Order::ALL.into_iter();
    orders.find(|order| order.name() == text).ok_or_else(|| "shared-first, shared-last or points".to_owned())
}

/// A graph of a family: `blocks:3`.
#[derive(Clone, Copy)]
pub struct Family {
    kind: Kind,
    size: u32,
}

/// A family.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Path,
    Cycle,
    Hypercube,
    Cascade,
    Blocks,
    Philosophers,
}

/// The families, each with how large it may be where vertices are listed, and where they are not.
const FAMILIES: [(&str, Kind, [u32; 2]); 6] = [
    ("path", Kind::Path, [1_000_000, 1_000_000]),
    ("cycle", Kind::Cycle, [1_000_000, 1_000_000]),
    ("hypercube", Kind::Hypercube, [20, 100]),
    ("cascade", Kind::Cascade, [10_000, 10_000]),
    ("blocks", Kind::Blocks, [10_000, 10_000]),
    ("philosophers", Kind::Philosophers, [6, MOST_PHILOSOPHERS as u32]),
];

/// A family by its name and size.
pub fn family(text: &str) -> Result<Family, String> {
    let known = || {
        let names: Vec<&str> = FAMILIES.iter().map(|(name, ..)| *name).collect();
        format!("one of {}, with a size, such as blocks:3", names.join(", "))
    };
    let (name, size) = text.split_once(':').ok_or_else(known)?;
    let (_, kind, _) = FAMILIES.into_iter().find(|(other, ..)| *other == name).ok_or_else(known)?;
    Ok(Family { kind, size: size.parse().map_err(|_| known())? })
}

impl Family {
    /// The graph of a family; nothing if it is made as diagrams.
    fn graph(self, diagrams: bool) -> Result<Option<families::Objective>, Failure> {
        let Self { kind, size } = self;
        let (name, _, most) = FAMILIES.into_iter().find(|(_, other, _)| *other == kind).unwrap_or(FAMILIES[0]);
        let as_diagrams = diagrams && matches!(kind, Kind::Hypercube | Kind::Philosophers);
        let most = most[usize::from(as_diagrams)];
        let least = if kind == Kind::Philosophers { 2 } else { 1 };
        if !(least..=most).contains(&size) {
            let more = if as_diagrams { "" } else { "; with `--back-end diagrams` some may be larger" };
            return Err(Failure(format!("{name} has a size from {least} to {most} here{more}")));
        }
        Ok((!as_diagrams).then(|| match kind {
            Kind::Path => (families::path(size, true), Vec::new()),
            Kind::Cycle => (families::cycle(size), Vec::new()),
            Kind::Hypercube => (families::hypercube(size), Vec::new()),
            Kind::Cascade => families::cascade(size),
            Kind::Blocks => families::blocks(size),
            Kind::Philosophers => (families::philosophers(size as usize, false).graph, Vec::new()),
        }))
    }
}

/// What is said of a text, with the place in it.
struct Text {
    path: String,
    text: String,
}

impl Text {
    fn show(&self, diagnostics: &[Diagnostic]) {
        tell(&syntax::render(&self.text, &self.path, diagnostics));
    }

    /// Says what is wrong with a question on some line of the text.
    fn show_question(&self, wrong: &QuestionError) {
        let line: usize = self.text.split_inclusive('\n').take(wrong.line - 1).map(str::len).sum();
        let rest = self.text.get(line..).unwrap_or_default();
        let of_line = rest.lines().next().unwrap_or_default();
        let byte = |character: usize| of_line.char_indices().nth(character).map_or(of_line.len(), |(at, _)| at);
        let [start, end] = [wrong.column - 1, wrong.column - 1 + wrong.length].map(|at| (line + byte(at)) as u32);
        let span = Span { start, end, line: wrong.line as u32, column: wrong.column as u32 };
        self.show(&[Diagnostic::error(wrong.message.clone(), span)]);
    }
}

/// What is asked of a text: the questions, or nothing if one could not be read, which was said.
fn questions(task: &FairnessTask, vocabulary: Vocabulary<'_>) -> Result<Option<Vec<Question>>, Failure> {
    let mut all = Vec::new();
    for ask in &task.ask {
        match parse_question(vocabulary, ask) {
            Ok(question) => all.push(question),
            Err(wrong) => {
                Text { path: "--ask".to_owned(), text: ask.clone() }.show_question(&wrong);
                return Ok(None);
            }
        }
    }
    if let Some(file) = &task.pairs {
        let (path, text) = read_text(file, MOST_BYTES)?;
        match parse_pairs(vocabulary, &text) {
            Ok(questions) => all.extend(questions),
            Err(wrong) => {
                Text { path, text }.show_question(&wrong);
                return Ok(None);
            }
        }
    }
    Ok(Some(all))
}

fn options(task: &FairnessTask) -> Options {
    let scope = if task.attractors_anywhere { Scope::Everything } else { Scope::Candidate };
    Options { threshold: task.threshold, scope, end_components: task.end_components.way() }
}

/// What an algorithm came to.
struct Outcome<S> {
    /// Nothing if it was stopped, or needed too much memory.
    answer: Option<Answer<S>>,
    counts: Counts,
    /// Behind the first decomposition, which all algorithms have in common.
    first: Counts,
    nodes: Option<Nodes>,
}

fn carry_out<U: Universe + 'static>(
    mut machine: Machine<U>,
    budget: &mut Budget,
    mut say: impl FnMut(&Step<U::Set>) -> Result<(), Failure>,
) -> Result<Outcome<U::Set>, Failure> {
    let mut first: Option<Counts> = None;
    while let Ok(Some(step)) = machine.advance(budget) {
        if matches!(step, Step::Candidate { .. }) {
            first.get_or_insert(machine.counts());
        }
        say(&step)?;
    }
    let (counts, nodes) = (machine.counts(), machine.nodes());
    let answer = machine.answer().cloned();
    Ok(Outcome { answer, counts, first: first.unwrap_or(counts), nodes })
}

/// The same, with what has to hold of the work list held against the graph after each step.
fn held(
    mut machine: Machine<Graph>,
    graph: &Graph,
    pairs: &Pairs<Bits>,
    budget: &mut Budget,
    mut say: impl FnMut(&Step<Bits>) -> Result<(), Failure>,
    aloud: bool,
) -> Result<Outcome<Bits>, Failure> {
    let invariants = Invariants::new(graph, pairs);
    let (mut steps, mut first) = (0_u64, None);
    while let Ok(Some(step)) = machine.advance(budget) {
        if matches!(step, Step::Candidate { .. }) {
            first.get_or_insert(machine.counts());
        }
        say(&step)?;
        steps += 1;
        for list in machine.lists() {
            if let Some(held) = invariants.check(&list).iter().find(|held| !held.holds) {
                let vertices: Vec<String> = held.vertices.iter().take(MOST_NAMED).map(|at| at.to_string()).collect();
                let (number, vertices) = (held.number, vertices.join(" "));
                return Err(Failure(format!(
                    "after step {steps}, invariant {number} does not hold of vertices {vertices}"
                )));
            }
        }
    }
    if aloud {
        tell(&format!("note: all invariants hold after each of {}\n", count(steps, "step")));
    }
    let (counts, nodes) = (machine.counts(), machine.nodes());
    let answer = machine.answer().cloned();
    Ok(Outcome { answer, counts, first: first.unwrap_or(counts), nodes })
}

/// Counts as they are printed.
#[derive(Serialize)]
struct CountsJson {
    symbolic_steps: u64,
    after_first_decomposition: u64,
    set_operations: u64,
    decompositions: u64,
    lock_steps: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagram_nodes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    most_diagram_nodes: Option<usize>,
}

impl CountsJson {
    fn of<S>(outcome: &Outcome<S>) -> Self {
        let Counts { images, operations, decompositions, lock_steps } = outcome.counts;
        Self {
            symbolic_steps: images,
            after_first_decomposition: images - outcome.first.images,
            set_operations: operations,
            decompositions,
            lock_steps,
            diagram_nodes: outcome.nodes.map(|nodes| nodes.now),
            most_diagram_nodes: outcome.nodes.map(|nodes| nodes.peak),
        }
    }

    fn sentence(&self) -> String {
        let mut text = format!(
            "{}, {} of them behind the first decomposition; {}, {}, {}.",
            count(self.symbolic_steps, "symbolic step"),
            grouped(self.after_first_decomposition),
            count(self.set_operations, "set operation"),
            count(self.decompositions, "decomposition"),
            count(self.lock_steps, "lock-step search").replace("searchs", "searches"),
        );
        if let (Some(now), Some(most)) = (self.diagram_nodes, self.most_diagram_nodes) {
            let _ =
                write!(text, " Diagrams have {} nodes, and had {} at most.", grouped(now as u64), grouped(most as u64));
        }
        text + "\n"
    }
}

#[derive(Serialize)]
struct RunJson {
    stem: Vec<String>,
    cycle: Vec<String>,
}

#[derive(Serialize)]
struct StepsJson {
    stem: Vec<ToldStep>,
    cycle: Vec<ToldStep>,
}

#[derive(Serialize)]
struct ChoiceJson {
    vertex: String,
    place: usize,
    to: String,
}

/// What is said of an answer.
#[derive(Default, Serialize)]
struct AnswerJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<String>,
    /// `found`, `none` or `bounded`.
    verdict: &'static str,
    vertices: String,
    edges: String,
    random_vertices: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    winning: Option<String>,
    components: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<StepsJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<Vec<ChoiceJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<CountsJson>,
}

fn number(number: u128) -> String {
    u64::try_from(number).map_or_else(|_| number.to_string(), grouped)
}

fn size_of<U: Universe>(universe: &U) -> (String, AnswerJson) {
    let (vertices, edges) = universe.size();
    let random = universe.count(universe.random());
    let mut text = format!("{} vertices, {} edges", number(vertices), number(edges));
    if random > 0 {
        let _ = write!(text, "; chance decides at {} vertices", number(random));
    }
    let json = AnswerJson {
        verdict: "bounded",
        vertices: vertices.to_string(),
        edges: edges.to_string(),
        random_vertices: random.to_string(),
        ..AnswerJson::default()
    };
    (text + ".\n", json)
}

/// Fills in what an algorithm came to.
fn fill<U: Universe>(universe: &U, outcome: &Outcome<U::Set>, json: &mut AnswerJson) {
    json.counts = Some(CountsJson::of(outcome));
    if let Some(answer) = &outcome.answer {
        json.winning = Some(universe.count(&answer.winning).to_string());
        json.components = answer.components.iter().map(|set| universe.count(set).to_string()).collect();
    }
}

/// How large components are: each once, with how many there are.
fn sizes(json: &AnswerJson, what: &str) -> String {
    let all = &json.components;
    let mut text = count(all.len() as u64, what);
    let mut known: Vec<(&String, usize)> = Vec::new();
    for size in all {
        match known.iter_mut().find(|(other, _)| *other == size) {
            Some((_, count)) => *count += 1,
            None => known.push((size, 1)),
        }
    }
    if let [(size, _)] = known[..] {
        let _ = write!(text, " of {size} vertices");
    } else if !known.is_empty() {
        let listed = known.iter().take(MOST_NAMED).map(|(size, many)| format!("{many} of {size}"));
        let _ = write!(text, ": {}", listed.collect::<Vec<_>>().join(", "));
        text += if known.len() > MOST_NAMED { ", …" } else { "" };
    }
    text
}

const STOPPED: &str = "Bounded: it was stopped, or needed more memory than it may have, before the answer was known.\n";

/// `litmoscope fairness`
pub fn fairness(task: &FairnessTask) -> Result<u8, Failure> {
    let mut budget = budget(task.timeout)?;
    if let Some(family) = task.family {
        return match family.graph(task.back_end == BackEnd::Diagrams)? {
            Some((graph, pairs)) => of_graph(task, labelled(graph, pairs), &mut budget),
            None => of_large_family(task, family, &mut budget),
        };
    }
    let Some(file) = &task.file else { return Err(Failure("give a file, or a --family".to_owned())) };
    let (name, text) = read_text(file, MOST_BYTES)?;
    let is_program = file.extension().is_some_and(|ending| ending == "lit" || ending == "litmus");
    let format = Format::detect(&name, &text).filter(|_| !is_program);
    match format {
        None => of_program(task, Input::of(file, name, text), &mut budget),
        Some(format) => {
            let text = Text { path: name, text };
            let actions = if task.last_action { Actions::Last } else { Actions::Dropped };
            let options = ReadOptions { vertices: task.states, actions, ..ReadOptions::default() };
            let found = match read(format, &text.text, &options) {
                Ok(found) => found,
                Err(wrong) => {
                    text.show(&wrong);
                    return Ok(2);
                }
            };
            text.show(&found.notes);
            let Some(found) = with_files(task, file, format, found)? else { return Ok(2) };
            of_graph(task, found.labelled, &mut budget)
        }
    }
}

/// The components of a graph of which there are diagrams alone.
fn of_large_family(task: &FairnessTask, family: Family, budget: &mut Budget) -> Result<u8, Failure> {
    if !task.sccs && !task.mecs {
        return Err(Failure("a family as diagrams is decomposed alone: give --sccs or --mecs".to_owned()));
    }
    let universe = match family.kind {
        Kind::Philosophers => {
            let mut dining = Dining::new(family.size as usize, false).limited(task.nodes);
            match dining.reach(budget) {
                Ok(()) => dining.into_diagrams(),
                Err(_) => {
                    print(STOPPED)?;
                    return Ok(3);
                }
            }
        }
        _ => Diagrams::hypercube(family.size as u16).map_err(|wrong| Failure(wrong.to_string()))?.limited(task.nodes),
    };
    let universe = Rc::new(universe);
    let (text, _) = size_of(&*universe);
    let Decomposition { json, answer } = decompose(task, &universe, budget, |_| Ok(()))?;
    match answer {
        Some(_) => {
            let said = format!("{text}{}.\n", sizes(&json, what_is_decomposed(task)));
            finish(task, AnswerJson { verdict: "found", ..json }, &said, 0)
        }
        None => finish(task, json, &(text + STOPPED), 3),
    }
}

/// Adds the labels and states that are beside transitions of PRISM. `None` if they can't be read, which was said.
fn with_files(task: &FairnessTask, file: &Path, format: Format, mut found: Read) -> Result<Option<Read>, Failure> {
    type Add = fn(&mut Read, &str) -> Result<(), Vec<Diagnostic>>;
    let files: [(&Option<_>, &str, Add); 2] =
        [(&task.labels, "lab", Read::add_labels), (&task.names, "sta", Read::add_states)];
    for (given, ending, add) in files {
        let beside = Some(file.with_extension(ending)).filter(|file| format == Format::Prism && file.exists());
        let Some(file) = given.clone().or(beside) else { continue };
        let (path, text) = read_text(&file, MOST_BYTES)?;
        if let Err(wrong) = add(&mut found, &text) {
            Text { path, text }.show(&wrong);
            return Ok(None);
        }
    }
    Ok(Some(found))
}

fn labelled(graph: Graph, pairs: Pairs<Bits>) -> Labelled {
    let mut labelled = Labelled::bare(Rc::new(graph));
    for (at, (asks, gets)) in pairs.into_iter().enumerate() {
        let sides = [("asks", asks), ("gets", gets)].map(|(what, set)| {
            labelled.labels.push((format!("{what}{at}"), set));
            Side::Label(labelled.labels.len() - 1)
        });
        labelled.pairs.push(sides.into());
    }
    labelled
}

/// The automaton of `--product`; `None` if it can't be read, which was said.
fn automaton(file: &Path) -> Result<Option<Automaton>, Failure> {
    let (path, text) = read_text(file, MOST_BYTES)?;
    let text = Text { path, text };
    Ok(match parse_automaton(&text.text) {
        Ok(found) => {
            text.show(&found.notes);
            Some(found.automaton)
        }
        Err(wrong) => {
            text.show(&wrong);
            None
        }
    })
}

fn sentence_of(runs: Runs) -> &'static str {
    match runs {
        Runs::Accepted => "The pairs ask for a run that the automaton accepts.\n",
        Runs::Rejected => "The automaton has a Rabin condition, so the pairs ask for a run that it rejects.\n",
    }
}

fn of_graph(task: &FairnessTask, mut labelled: Labelled, budget: &mut Budget) -> Result<u8, Failure> {
    if let Some(percent) = task.random_vertices {
        labelled.graph = Rc::new(families::with_chance(&labelled.graph, percent, task.seed));
    }
    if let Some(file) = &task.product {
        let Some(automaton) = automaton(file)? else { return Ok(2) };
        let options = ReadOptions { vertices: task.states, ..ReadOptions::default() };
        let product = product(&labelled, &automaton, &options).map_err(|wrong| Failure(wrong.to_string()))?;
        if !task.json {
            print(sentence_of(product.runs))?;
        }
        labelled = product.labelled;
    }
    let Some(asked) = questions(task, Vocabulary::Graph(&labelled))? else { return Ok(2) };
    let mut pairs = labelled.objective();
    pairs.extend(asked.iter().map(|question| labelled.asked(question)));
    let starts = if labelled.graph.is_empty(&labelled.start) { labelled.graph.all() } else { labelled.start.clone() };
    let dead = (0..labelled.graph.vertices()).filter(|at| labelled.graph.successors(*at).is_empty()).count();
    if dead > 0 {
        let have = if dead == 1 {
            "vertex has no successor: no infinite run comes"
        } else {
            "vertices have no successors: no infinite runs come"
        };
        tell(&format!("note: {} {have} there\n", grouped(dead as u64)));
    }
    if let Some(code) = decomposed(task, &labelled, budget)? {
        return Ok(code);
    }
    if pairs.is_empty() {
        return Err(Failure(
            "nothing is asked of this graph: give --ask, --pairs or --product, or pairs in its text".to_owned(),
        ));
    }
    if task.compare {
        return compare(task, &labelled.graph, &pairs, budget);
    }
    let graph = Rc::clone(&labelled.graph);
    let (text, mut json) = size_of(&*graph);
    let by_chance = !graph.is_empty(graph.random());
    let answer = match task.back_end {
        BackEnd::Bits => {
            let machine = machine(task, &graph, pairs.clone(), by_chance);
            let say = |step: &Step<Bits>| explain(task, step, &labelled);
            // Builds with assertions check them on small graphs whether asked or not.
            let checked = cfg!(debug_assertions) && graph.vertices() <= MOST_CHECKED;
            let outcome = if task.invariants || checked {
                held(machine, &graph, &pairs, budget, say, task.invariants)?
            } else {
                carry_out(machine, budget, say)?
            };
            fill(&*graph, &outcome, &mut json);
            outcome.answer
        }
        BackEnd::Diagrams => {
            let universe = Rc::new(Diagrams::of(&graph).limited(task.nodes));
            let set = |set: &Bits| universe.set(set.iter().map(|at| at as u64));
            let drawn = pairs.iter().map(|(asks, gets)| (set(asks), set(gets))).collect();
            let outcome = carry_out(machine(task, &universe, drawn, by_chance), budget, |_| Ok(()))?;
            fill(&*universe, &outcome, &mut json);
            let bits = |set: &_| graph.set((0..graph.vertices()).filter(|at| universe.contains(set, *at as u64)));
            outcome.answer.map(|answer| Answer {
                winning: bits(&answer.winning),
                components: answer.components.iter().map(bits).collect(),
            })
        }
    };
    let Some(answer) = answer else {
        return finish(task, json, &(text + STOPPED), 3);
    };
    write_files(task, &labelled, &answer)?;
    let wins = !graph.is_empty(&graph.intersection(&starts, &answer.winning));
    json.verdict = if wins { "found" } else { "none" };
    let mut said = text;
    let all = json.winning.clone().unwrap_or_default();
    let who = if by_chance { "a strategy that wins almost surely" } else { "a run that meets all pairs" };
    let _ =
        writeln!(said, "From {all} of {} vertices there is {who}; {}.", json.vertices, sizes(&json, "good component"));
    if let Some(from) = starts.iter().find(|at| answer.winning.contains(*at)) {
        if by_chance {
            let choices = strategy(&labelled, &pairs, &answer);
            said += &strategy_text(&choices);
            json.strategy = Some(choices);
        } else if let Some(lasso) = shortest(&graph, &pairs, &answer, from) {
            let names = |way: &[usize]| way.iter().map(|at| labelled.name(*at)).collect::<Vec<_>>();
            let run = RunJson { stem: names(&lasso.stem), cycle: names(&lasso.cycle) };
            let first = if run.stem.is_empty() { String::new() } else { format!("{}, then ", run.stem.join(" ")) };
            let _ = writeln!(said, "A run: {first}for ever {}", run.cycle.join(" "));
            json.run = Some(run);
        }
    } else {
        said += "No run from the start does.\n";
    }
    finish(task, json, &said, u8::from(wins))
}

fn shortest(graph: &Graph, pairs: &Pairs<Bits>, answer: &Answer<Bits>, from: usize) -> Option<Lasso> {
    let lassos = answer.components.iter().filter_map(|component| Lasso::into_component(graph, pairs, component, from));
    lassos.min_by_key(|lasso| lasso.stem.len() + lasso.cycle.len())
}

/// Prints an answer.
fn finish(task: &FairnessTask, json: AnswerJson, text: &str, status: u8) -> Result<u8, Failure> {
    if task.json {
        print_json(&json)?;
    } else {
        let counts = json.counts.as_ref().map(CountsJson::sentence).unwrap_or_default();
        print(&format!("{text}{counts}"))?;
    }
    Ok(status)
}

fn machine<U: Universe + 'static>(
    task: &FairnessTask,
    universe: &Rc<U>,
    pairs: Pairs<U::Set>,
    by_chance: bool,
) -> Machine<U> {
    let (way, options) = (task.algorithm.way(), options(task));
    let universe = Rc::clone(universe);
    if by_chance { streett_by_chance(universe, pairs, way, options) } else { streett(universe, pairs, way, options) }
}

/// What a strategy does at each vertex of the player, for each place that it goes to next.
fn strategy(labelled: &Labelled, pairs: &Pairs<Bits>, answer: &Answer<Bits>) -> Vec<ChoiceJson> {
    let strategy = Strategy::of(&labelled.graph, pairs, answer);
    let choice = |(vertex, place, to): (usize, usize, u32)| ChoiceJson {
        vertex: labelled.name(vertex),
        place,
        to: labelled.name(to as usize),
    };
    strategy.choices().map(choice).collect()
}

fn strategy_text(choices: &[ChoiceJson]) -> String {
    let mut text = "A strategy, by the vertex and the place that it goes to next:\n".to_owned();
    for ChoiceJson { vertex, place, to } in choices.iter().take(MOST_LINES) {
        let _ = writeln!(text, "  {vertex}, {place}: go to {to}");
    }
    if choices.len() > MOST_LINES {
        let _ = writeln!(text, "  and {} more, which --json prints", grouped((choices.len() - MOST_LINES) as u64));
    }
    text
}

/// Says a step, if all are to be explained.
fn explain(task: &FairnessTask, step: &Step<Bits>, labelled: &Labelled) -> Result<(), Failure> {
    if task.explain && !task.json { print(&report::step_text(step, labelled)) } else { Ok(()) }
}

/// Writes the graph, with what wins as sets.
fn write_files(task: &FairnessTask, labelled: &Labelled, answer: &Answer<Bits>) -> Result<(), Failure> {
    let mut with = labelled.clone();
    with.labels.push(("winning".to_owned(), answer.winning.clone()));
    let good = answer.components.iter().fold(labelled.graph.none(), |all, one| labelled.graph.union(&all, one));
    with.labels.push(("good".to_owned(), good));
    with.labels.dedup_by(|one, other| one.0 == other.0);
    let write_to = |file: &Path, format: Format| {
        let written = write(format, &with).map_err(|wrong| Failure(wrong.0))?;
        for (at, (ending, text)) in written.files.iter().enumerate() {
            let file = if at == 0 { file.to_owned() } else { file.with_extension(ending) };
            replace(&file, text.as_bytes())?;
        }
        if !written.lost.is_empty() {
            tell(&format!("note: {} has no place for {}\n", file.display(), written.lost.join(", ")));
        }
        Ok(())
    };
    if let Some(file) = &task.dot {
        write_to(file, Format::Dot)?;
    }
    if let Some(file) = &task.write {
        let format = Format::of_name(&file.to_string_lossy()).filter(|format| *format != Format::Hoa);
        let Some(format) = format else {
            let known = Format::ALL.iter().filter(|format| **format != Format::Hoa).map(|format| format.endings()[0]);
            let known: Vec<String> = known.map(|ending| format!(".{ending}")).collect();
            return Err(Failure(format!("what is written has one of the endings {}", known.join(", "))));
        };
        write_to(file, format)?;
    }
    Ok(())
}

/// A decomposition, and what is said of it.
struct Decomposition<S> {
    json: AnswerJson,
    answer: Option<Answer<S>>,
}

fn what_is_decomposed(task: &FairnessTask) -> &'static str {
    if task.sccs { "strongly connected component" } else { "maximal end component" }
}

fn decompose<U: Universe + 'static>(
    task: &FairnessTask,
    universe: &Rc<U>,
    budget: &mut Budget,
    say: impl FnMut(&Step<U::Set>) -> Result<(), Failure>,
) -> Result<Decomposition<U::Set>, Failure> {
    let (_, mut json) = size_of(&**universe);
    let machine = match task.sccs {
        true => litmoscope::fairness::components(Rc::clone(universe), !task.no_skeletons),
        false => litmoscope::fairness::end_components(Rc::clone(universe), task.algorithm.way(), options(task)),
    };
    let outcome = carry_out(machine, budget, say)?;
    fill(&**universe, &outcome, &mut json);
    Ok(Decomposition { json, answer: outcome.answer })
}

/// The decompositions alone, if they are asked for.
fn decomposed(task: &FairnessTask, labelled: &Labelled, budget: &mut Budget) -> Result<Option<u8>, Failure> {
    if !task.mecs && !task.sccs {
        return Ok(None);
    }
    let graph = &labelled.graph;
    let (text, _) = size_of(&**graph);
    let Decomposition { mut json, answer } = match task.back_end {
        BackEnd::Bits => decompose(task, graph, budget, |step| explain(task, step, labelled))?,
        BackEnd::Diagrams => {
            let universe = Rc::new(Diagrams::of(graph).limited(task.nodes));
            let Decomposition { json, answer } = decompose(task, &universe, budget, |_| Ok(()))?;
            let bits = |set: &_| graph.set((0..graph.vertices()).filter(|at| universe.contains(set, *at as u64)));
            let answer = answer.map(|answer| Answer {
                winning: bits(&answer.winning),
                components: answer.components.iter().map(bits).collect(),
            });
            Decomposition { json, answer }
        }
    };
    let Some(answer) = answer else {
        return finish(task, json, &(text + STOPPED), 3).map(Some);
    };
    json.verdict = "found";
    let mut said = format!("{text}{}.\n", sizes(&json, what_is_decomposed(task)));
    let few = answer.components.iter().take(MOST_LINES).filter(|set| graph.count(set) <= MOST_NAMED as u128);
    for component in few.filter(|_| graph.vertices() <= 1000) {
        let names: Vec<String> = component.iter().map(|at| labelled.name(at)).collect();
        let _ = writeln!(said, "  {}", names.join(" "));
    }
    write_files(task, labelled, &answer)?;
    finish(task, json, &said, 0).map(Some)
}

#[derive(Serialize)]
struct ComparedJson {
    algorithm: &'static str,
    threshold: &'static str,
    back_end: &'static str,
    seconds: f64,
    #[serde(flatten)]
    counts: CountsJson,
}

/// All algorithms on the same graph.
fn compare(task: &FairnessTask, graph: &Rc<Graph>, pairs: &Pairs<Bits>, budget: &mut Budget) -> Result<u8, Failure> {
    let by_chance = !graph.is_empty(graph.random());
    let universe = Rc::new(Diagrams::of(graph).limited(task.nodes));
    let set = |set: &Bits| universe.set(set.iter().map(|at| at as u64));
    let drawn: Pairs<_> = pairs.iter().map(|(asks, gets)| (set(asks), set(gets))).collect();
    let ways = [
        (Way::Basic, Threshold::Root, "basic", ""),
        (Way::Improved, Threshold::Fixed(1), "improved", "1"),
        (Way::Improved, Threshold::Logarithm, "improved", "log"),
        (Way::Improved, Threshold::Root, "improved", "root"),
        (Way::Improved, Threshold::Never, "improved", "never"),
    ];
    let (mut rows, mut winning) = (Vec::new(), None);
    let mut is_bounded = false;
    for (way, threshold, algorithm, name) in ways {
        let options = Options { threshold, ..options(task) };
        for back_end in ["bits", "diagrams"] {
            let begin = std::time::Instant::now();
            let (counts, wins) = if back_end == "bits" {
                let graph = Rc::clone(graph);
                let machine = match by_chance {
                    true => streett_by_chance(Rc::clone(&graph), pairs.clone(), way, options),
                    false => streett(Rc::clone(&graph), pairs.clone(), way, options),
                };
                let outcome = carry_out(machine, budget, |_| Ok(()))?;
                (CountsJson::of(&outcome), outcome.answer.map(|answer| graph.count(&answer.winning)))
            } else {
                let machine = match by_chance {
                    true => streett_by_chance(Rc::clone(&universe), drawn.clone(), way, options),
                    false => streett(Rc::clone(&universe), drawn.clone(), way, options),
                };
                let outcome = carry_out(machine, budget, |_| Ok(()))?;
                (CountsJson::of(&outcome), outcome.answer.map(|answer| universe.count(&answer.winning)))
            };
            is_bounded |= wins.is_none();
            winning = winning.or(wins);
            let seconds = begin.elapsed().as_secs_f64();
            rows.push(ComparedJson { algorithm, threshold: name, back_end, seconds, counts });
        }
    }
    if task.json {
        print_json(&rows)?;
    } else {
        let (mut text, _) = size_of(&**graph);
        let _ = writeln!(
            text,
            "{:9} {:9} {:9} {:>9} {:>9} {:>11} {:>7} {:>9} {:>9}",
            "algorithm", "threshold", "sets", "steps", "behind", "operations", "decomp.", "lock-step", "seconds"
        );
        for ComparedJson { algorithm, threshold, back_end, seconds, counts } in &rows {
            let _ = writeln!(
                text,
                "{algorithm:9} {threshold:9} {back_end:9} {:>9} {:>9} {:>11} {:>7} {:>9} {seconds:>9.3}",
                counts.symbolic_steps,
                counts.after_first_decomposition,
                counts.set_operations,
                counts.decompositions,
                counts.lock_steps,
            );
        }
        text += "Behind: symbolic steps behind the first decomposition, which all have in common.\n";
        text += if is_bounded { STOPPED } else { "" };
        print(&text)?;
    }
    Ok(match winning {
        _ if is_bounded => 3,
        Some(winning) => u8::from(winning > 0),
        None => 3,
    })
}

/// What the steps of a program are, under a model.
fn semantics(task: &FairnessTask, model: Model) -> Result<Semantics, Failure> {
    let rules = model.rules();
    let random_scheduler = task.scheduler == Scheduler::Random;
    match rules.buffers {
        Some(buffers) => Ok(Semantics { buffers: Some((buffers, task.buffer)), random_scheduler }),
        None if rules.takes_turns() => Ok(Semantics { buffers: None, random_scheduler }),
        None => {
            let known: Vec<&str> =
                Model::ALL.into_iter().filter(|model| model.rules().has_machine()).map(Model::title).collect();
            let title = model.title();
            Err(Failure(format!(
                "fairness is asked of machines, and {title} has none: choose one of {}",
                known.join(", ")
            )))
        }
    }
}

fn failure_of(wrong: &ProgramError, input: &Input) -> Result<u8, Failure> {
    if let ProgramError::InputAndCoin(span) = wrong {
        input.show(&[Diagnostic::error(wrong.to_string(), *span)]);
        return Ok(2);
    }
    print(&format!("Bounded: {wrong}.\n"))?;
    Ok(3)
}

fn of_program(task: &FairnessTask, input: Input, budget: &mut Budget) -> Result<u8, Failure> {
    let Some(parsed) = input.parse(Messages::ShortNotes) else { return Ok(2) };
    let program = parsed.program;
    let wrong = |message: String, span| {
        input.show(&[Diagnostic::error(message, span)]);
        Ok(2)
    };
    let code = match Code::compile(&program) {
        Ok(code) => code,
        Err(error) => return wrong(error.to_string(), error.span()),
    };
    let system = match System::of(&program, &code) {
        Ok(system) => Rc::new(system),
        Err(error) => return wrong(error.to_string(), error.span()),
    };
    if task.random_vertices.is_some() {
        return Err(Failure("--random-vertices is for graphs: in a program, write `a := random 0..1`".to_owned()));
    }
    let places = waiting(&code, &system);
    let semantics = semantics(task, task.model.unwrap_or(Model::STRONGEST))?;
    if task.back_end == BackEnd::Diagrams {
        return of_diagrams(task, &input, &places, system, semantics, budget);
    }
    let graph = match ProgramGraph::with(system, semantics, task.states, budget) {
        Ok(graph) => graph,
        Err(wrong) => return failure_of(&wrong, &input),
    };
    if graph.graph().vertices() == 0 {
        return Err(Failure("nothing can begin: no values of the inputs are as `assuming` says".to_owned()));
    }
    if let Some(code) = said_faults(&graph, &input)? {
        return Ok(code);
    }
    if task.product.is_some() || task.mecs || task.sccs || task.compare || task.write.is_some() || task.dot.is_some() {
        return of_program_as_graph(task, &graph, budget);
    }
    let Some(asked) = questions(task, Vocabulary::Program(graph.system()))? else { return Ok(2) };
    if asked.is_empty() {
        let ask = |promises: Promises, question: Question, budget: &mut Budget| {
            let answer = graph.find(promises, &[question], budget);
            answer.ok().map(|found| found.is_some())
        };
        return table(task, &places, graph.system(), graph.is_bounded(), ask, budget);
    }
    let promises = promises(task, graph.system())?;
    let pairs = graph.objective(promises.clone(), &asked);
    let machine = graph.machine(promises.clone(), &asked, task.algorithm.way(), options(task));
    let (mut text, mut json) = size_of(&**graph.graph());
    if graph.dead_ends() > 0 {
        let _ = writeln!(
            text,
            "{} without a successor: no infinite run comes there.",
            count(graph.dead_ends() as u64, "vertex").replace("vertexs", "vertices")
        );
    }
    let names = Labelled::bare(Rc::clone(graph.graph()));
    let outcome = carry_out(machine, budget, |step| explain(task, step, &names))?;
    fill(&**graph.graph(), &outcome, &mut json);
    json.question = Some(task.ask.join("; "));
    let Some(answer) = outcome.answer else {
        return finish(task, json, &(text + STOPPED), 3);
    };
    let found = graph.found(&pairs, &answer);
    let Some(found) = found else {
        return none_found(task, json, text, graph.is_bounded(), &promises);
    };
    let whole: Vec<usize> =
        found.lasso.stem.iter().chain(&found.lasso.cycle).chain(found.lasso.cycle.first()).copied().collect();
    let told = |way: &[usize]| -> Vec<ToldStep> {
        let mut all = Vec::new();
        for pair in way.windows(2) {
            for step in graph.told(pair) {
                let before = graph.vertex(pair[0]).0;
                all.push(report::told(graph.system(), &input.text, before, step.transition, &step.inputs, &step.state));
            }
        }
        all
    };
    let steps =
        StepsJson { stem: told(&whole[..=found.lasso.stem.len()]), cycle: told(&whole[found.lasso.stem.len()..]) };
    run_found(task, json, text, steps, graph.has_chance())
}

/// Prints a run of a program that answers a question.
fn run_found(
    task: &FairnessTask,
    mut json: AnswerJson,
    mut text: String,
    steps: StepsJson,
    by_chance: bool,
) -> Result<u8, Failure> {
    json.verdict = "found";
    text += match by_chance {
        true => "Yes: a strategy does so almost surely. One of its runs:\n",
        false => "Yes. A run:\n",
    };
    text += &lines(&steps.stem, 1);
    text += "and from there on for ever:\n";
    text += &lines(&steps.cycle, steps.stem.len() + 1);
    json.steps = Some(steps);
    finish(task, json, &text, 1)
}

fn none_found(
    task: &FairnessTask,
    mut json: AnswerJson,
    mut text: String,
    is_bounded: bool,
    promises: &Promises,
) -> Result<u8, Failure> {
    let under = match promises.threads {
        Fairness::None => "No run does so".to_owned(),
        fairness => format!("No run does so under {} fairness", fairness.name()),
    };
    if is_bounded {
        let _ = writeln!(text, "Bounded: {under}, but threads waited for room in buffers of {} entries.", task.buffer);
        return finish(task, json, &text, 3);
    }
    json.verdict = "none";
    let _ = writeln!(text, "{under}.");
    finish(task, json, &text, 0)
}

fn promises(task: &FairnessTask, system: &System) -> Result<Promises, Failure> {
    let mut others = Vec::new();
    for (name, fairness) in &task.fair_thread {
        let thread = system.threads.iter().position(|thread| thread.name == *name);
        let Some(thread) = thread else {
            let known: Vec<&str> = system.threads.iter().map(|thread| thread.name.as_str()).collect();
            return Err(Failure(format!("there is no thread {name}: there are {}", known.join(", "))));
        };
        others.push((thread as u16, *fairness));
    }
    Ok(Promises { threads: task.fair, buffers: task.fair_buffers.unwrap_or(task.fair), others })
}

#[derive(Serialize)]
struct RowJson {
    place: String,
    question: String,
    none: Option<bool>,
    weak: Option<bool>,
    strong: Option<bool>,
}

/// Who can wait for ever where, under each promise: what is said of a program if nothing is asked.
fn table(
    task: &FairnessTask,
    places: &[Waiting],
    system: &System,
    is_bounded: bool,
    mut ask: impl FnMut(Promises, Question, &mut Budget) -> Option<bool>,
    budget: &mut Budget,
) -> Result<u8, Failure> {
    let chosen = promises(task, system)?;
    let mut rows = Vec::new();
    let (mut is_found, mut is_cut) = (false, false);
    let words: Vec<String> = places.iter().map(|place| place.words(system)).collect();
    for (place, said) in places.iter().zip(&words) {
        let mut answers = [None; 3];
        for (answer, fairness) in answers.iter_mut().zip(Fairness::ALL) {
            let buffers = task.fair_buffers.unwrap_or(fairness);
            let promises = Promises { threads: fairness, buffers, others: chosen.others.clone() };
            *answer = ask(promises, place.question(), budget);
            if is_bounded && *answer == Some(false) {
                *answer = None;
            }
            is_cut |= answer.is_none();
            is_found |= *answer == Some(true) && fairness == task.fair;
        }
        let [none, weak, strong] = answers;
        let is_alone = words.iter().filter(|other| *other == said).count() == 1;
        let said = if is_alone { said.clone() } else { place.exact_words(system) };
        rows.push(RowJson { place: said, question: place.text(system), none, weak, strong });
    }
    if task.json {
        print_json(&rows)?;
    } else if rows.is_empty() {
        print("No thread has a place to wait in: no lock, no channel, no loop with an end.\n")?;
    } else {
        let width = rows.iter().map(|row| row.place.chars().count()).max().unwrap_or(0).max(24);
        let mut text = format!("{:width$}  none     weak     strong\n", "Who can wait for ever");
        for row in &rows {
            let _ = write!(text, "{:width$}", row.place);
            for answer in [row.none, row.weak, row.strong] {
                let word = match answer {
                    Some(true) => "yes",
                    Some(false) => "no",
                    None => "unknown",
                };
                let _ = write!(text, "  {word:7}");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text += "The columns say what is promised to threads. --ask shows a run:\n";
        let _ = writeln!(text, "  --ask '{}'", rows[0].question);
        if is_bounded {
            let _ = writeln!(text, "Bounded: threads waited for room in buffers of {} entries.", task.buffer);
        }
        print(&text)?;
    }
    Ok(if is_found { 1 } else { u8::from(is_cut) * 3 })
}

/// Says which values leave their ranges, with a run. Other errors end runs, which is said.
fn said_faults(graph: &ProgramGraph, input: &Input) -> Result<Option<u8>, Failure> {
    use litmoscope::program::system::Fault;
    let faults = graph.faults();
    let leaves = faults.iter().find(|(_, fault)| matches!(fault, Fault::OutOfRange(_)));
    if let Some((vertex, _)) = leaves {
        let system = graph.system();
        let way = graph.way_to(*vertex);
        let mut steps = Vec::new();
        for pair in way.windows(2) {
            let before = graph.vertex(pair[0]).0;
            for step in graph.told(pair) {
                steps.push(report::told(system, &input.text, before, step.transition, &step.inputs, &step.state));
            }
        }
        let (state, _) = graph.vertex(*vertex);
        let span = state.points.iter().enumerate().map(|(thread, point)| system.point(thread, *point));
        let span = span.filter(|point| point.is_error()).map(|point| point.span).next().unwrap_or_default();
        input.show(&[Diagnostic::error("a value leaves its declared range here", span)
            .with_help("widen the range, or keep the value within it")]);
        print(&format!("A run to there:\n{}", lines(&steps, 1)))?;
        return Ok(Some(2));
    }
    if !faults.is_empty() {
        tell("note: some runs end in an error: `litmoscope explore` shows them\n");
    }
    Ok(None)
}

/// A program's states as a graph, with what an automaton asks about as labels.
fn of_program_as_graph(task: &FairnessTask, graph: &ProgramGraph, budget: &mut Budget) -> Result<u8, Failure> {
    let vocabulary = Vocabulary::Program(graph.system());
    let promises = promises(task, graph.system())?;
    let pairs = graph.promises(&promises);
    let mut with = labelled(Graph::clone(graph.graph()), pairs);
    with.start = graph.starts();
    let Some(asked) = questions(task, vocabulary)? else { return Ok(2) };
    for (at, question) in asked.iter().enumerate() {
        let (asks, gets) = graph.asked(question);
        let sides = [("if", asks), ("then", gets)].map(|(what, set)| {
            with.labels.push((format!("{what}{at}"), set));
            Side::Label(with.labels.len() - 1)
        });
        with.pairs.push(sides.into());
    }
    if let Some(file) = &task.product {
        let Some(automaton) = automaton(file)? else { return Ok(2) };
        for proposition in &automaton.propositions {
            // What an automaton speaks of is a claim on the program.
            let claim = parse_question(vocabulary, &format!("{proposition} again and again"));
            match claim {
                Ok(Question::AgainAndAgain(claim)) => with.labels.push((proposition.clone(), graph.set(&claim))),
                Ok(_) => {}
                Err(wrong) => {
                    return Err(Failure(format!("the automaton speaks of `{proposition}`: {wrong}")));
                }
            }
        }
    }
    let task = FairnessTask { ask: Vec::new(), pairs: None, ..task.clone() };
    of_graph(&task, with, budget)
}

fn of_diagrams(
    task: &FairnessTask,
    input: &Input,
    places: &[Waiting],
    system: Rc<System>,
    semantics: Semantics,
    budget: &mut Budget,
) -> Result<u8, Failure> {
    if task.product.is_some() || task.mecs || task.sccs || task.compare || task.write.is_some() || task.dot.is_some() {
        return Err(Failure(
            "a program is decomposed, multiplied, compared and written with `--back-end bits`".to_owned(),
        ));
    }
    let drawn = match ProgramDiagrams::of(system, semantics, task.order, task.nodes, budget) {
        Ok(drawn) => drawn,
        Err(SymbolicError::Program(wrong)) => return failure_of(&wrong, input),
        Err(wrong @ SymbolicError::TooManyValues(_)) => return Err(Failure(wrong.to_string())),
        Err(wrong) => {
            print(&format!("Bounded: {wrong}.\n"))?;
            return Ok(3);
        }
    };
    let universe = drawn.diagrams();
    if drawn.leaves_range() {
        return Err(Failure("a value leaves its declared range: `--back-end bits` shows a run".to_owned()));
    }
    let Some(asked) = questions(task, Vocabulary::Program(drawn.system()))? else { return Ok(2) };
    if asked.is_empty() {
        let ask = |promises: Promises, question: Question, budget: &mut Budget| {
            let machine = drawn.machine(promises, &[question], task.algorithm.way(), options(task));
            let outcome = carry_out(machine, budget, |_| Ok(())).ok()?;
            let winning = outcome.answer?.winning;
            Some(!universe.is_empty(&universe.intersection(&winning, &drawn.starts())))
        };
        return table(task, places, drawn.system(), drawn.is_bounded(), ask, budget);
    }
    let promises = promises(task, drawn.system())?;
    let pairs = drawn.objective(promises.clone(), &asked);
    let machine = drawn.machine(promises.clone(), &asked, task.algorithm.way(), options(task));
    let (mut text, mut json) = size_of(&**universe);
    if task.explain {
        let parts = drawn.order().into_iter().map(|(name, bits)| format!("{name} ({bits})"));
        let _ = writeln!(text, "Order of bits: {}.", parts.collect::<Vec<_>>().join(", "));
    }
    let outcome = carry_out(machine, budget, |_| Ok(()))?;
    fill(&**universe, &outcome, &mut json);
    json.question = Some(task.ask.join("; "));
    let Some(answer) = outcome.answer else {
        return finish(task, json, &(text + STOPPED), 3);
    };
    let Some(run) = drawn.found(&pairs, &answer) else {
        return none_found(task, json, text, drawn.is_bounded(), &promises);
    };
    let all: Vec<&(State, TransitionId)> = run.stem.iter().chain(&run.cycle).collect();
    let told = |from: usize, to: usize| -> Vec<ToldStep> {
        let told = |at: usize| {
            let (before, step) = all[at];
            let behind = all.get(at + 1).map_or(&run.cycle[0].0, |(behind, _)| behind);
            report::told(drawn.system(), &input.text, before, *step, &[], behind)
        };
        (from..to).map(told).collect()
    };
    let steps = StepsJson { stem: told(0, run.stem.len()), cycle: told(run.stem.len(), all.len()) };
    run_found(task, json, text, steps, drawn.has_chance())
}
