//! The verifier on the published programs, and against concrete states.

use super::{Choice, Limit, Options, Verdict, Verifier};
use crate::art::{Art, NodeId};
use crate::formula::{Predicates, Symbolic};
use litmoscope_core::budget::{Budget, Meter};
use litmoscope_core::program::Code;
use litmoscope_core::program::system::{State, States, System};
use litmoscope_core::syntax::parse;
use litmoscope_core::testing::looping::{Shape, looping};
use litmoscope_core::testing::seeds;
use rustc_hash::FxHashMap;
use std::sync::Arc;

fn system(text: &str) -> Arc<System> {
    let program = parse(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}")).program;
    let code = Code::compile(&program).expect("code");
    Arc::new(System::of(&program, &code).unwrap_or_else(|error| panic!("{text}\n{error}")))
}

/// A verifier at its end.
fn verified(text: &str, options: Options) -> Verifier<Symbolic> {
    let mut verifier = Verifier::symbolic(system(text), options);
    while verifier.advance(&mut Budget::unlimited()).expect("it is not paused").is_some() {}
    verifier
}

fn label(verifier: &mut Verifier<Symbolic>, result: usize, node: usize) -> String {
    let art = verifier.found()[result].art.clone().expect("it has a tree");
    let names = verifier.system().names.clone();
    let symbolic = verifier.predicates();
    let term = symbolic.store.translate(&art.nodes[node].label, &|_| unreachable!(), &mut Default::default());
    let formula = symbolic.store.nonzero(term);
    let mut budget = Budget::unlimited();
    let mut meter = Meter::new(1 << 26, 0, &mut budget);
    symbolic.text(&formula, &|variable| names[variable.0 as usize].clone(), &mut meter).expect("it is not paused").0
}

fn buffer(places: u32, producers: usize, consumers: usize, otherwise: &str) -> String {
    let producer = format!("while 1 {{ lock m; if count < {places} {{ fai(count) }}{otherwise}; unlock m }}");
    let consumer = format!("while 1 {{ lock m; if count > 0 {{ fetch_sub(count, 1) }}{otherwise}; unlock m }}");
    let threads: Vec<_> =
        std::iter::repeat_n(producer, producers).chain(std::iter::repeat_n(consumer, consumers)).collect();
    format!("shared m, count\n{}", threads.join("\n||\n"))
}

fn show(text: &str, options: Options) {
    let mut verifier = verified(text, options);
    println!("{text}\n{:?}: {} nodes, {} iterations", verifier.verdict(), verifier.size(), verifier.iterations());
    for at in 0..verifier.found().len().min(12) {
        let found = verifier.found()[at].clone();
        let size = found.art.as_ref().map(|art| art.nodes.len());
        let root = size.map(|_| label(&mut verifier, at, 0));
        println!(
            "  {}: {size:?} nodes, +{} -{}, order {:?}, root {root:?}",
            found.iteration, found.gained, found.lost, found.order
        );
    }
    for counterexample in verifier.counterexamples().iter().take(5) {
        println!("  {:?} in {} steps", counterexample.wrong, counterexample.steps.len());
    }
}

const DOUBLE: &str = "shared m1, m2\nwhile 1 { lock m1; lock m2; fence; unlock m2; unlock m1 }\n||\n\
                      while 1 { lock m2; lock m1; fence; unlock m1; unlock m2 }";

#[test]
#[ignore = "it only prints"]
fn shown() {
    let options = Options { iterations: 3000, ..Options::default() };
    show(&buffer(2, 1, 1, " else { error }"), options);
    show(&buffer(2, 2, 2, " else { error }"), options);
    show(DOUBLE, options);
    show(&buffer(1, 1, 1, ""), options);
    show(&buffer(2, 1, 1, ""), options);
    show(&buffer(5, 2, 2, ""), options);
    show(&buffer(5, 1, 1, ""), options);
    let first = Options { iterations: 8, ..options };
    show(&buffer(1000, 4, 4, " else { error }"), first);
}

/// What is wrong with a tree as a set of schedules, on the product with concrete states.
fn wrong_in_product(system: &System, art: &Art) -> Option<String> {
    let mut index: FxHashMap<(State, u32), usize> = FxHashMap::default();
    let mut list: Vec<(State, u32)> = Vec::new();
    for state in system.initial_states().expect("few inputs") {
        index.entry((state.clone(), 0)).or_insert_with(|| {
            list.push((state, 0));
            list.len() - 1
        });
    }
    // By product state: the threads that are enabled, and the steps, each with its thread.
    let mut enabled: Vec<Vec<u16>> = Vec::new();
    let mut steps: Vec<Vec<(u16, usize)>> = Vec::new();
    let mut at = 0;
    while at < list.len() {
        let (state, node) = list[at].clone();
        let this = art.node(NodeId(node));
        if this.points != state.points {
            return Some(format!("node {node} is elsewhere"));
        }
        if this.label.evaluate(&state.values, &[]) == 0 {
            return Some(format!("the label of node {node} does not hold of {:?}", state.values));
        }
        if system.is_error(&state) {
            return Some(format!("an error at node {node}"));
        }
        let from = art.coverer(NodeId(node));
        let mut here = Vec::new();
        let mut of_threads = Vec::new();
        for thread in 0..system.threads.len() {
            let successors = system.successors(&state, thread).expect("few inputs");
            if !successors.is_empty() {
                of_threads.push(thread as u16);
            }
            if !art.expanded(system, from).contains(&(thread as u16)) {
                continue;
            }
            if successors.is_empty() {
                return Some(format!("thread {thread} is allowed at node {node} and waits"));
            }
            for next in successors {
                let Some((_, to)) = art.node(from).below.iter().find(|(step, _)| *step == next.transition) else {
                    return Some(format!("a step leaves the tree at node {node}"));
                };
                let key = (next.state, to.0);
                let to = *index.entry(key.clone()).or_insert_with(|| {
                    list.push(key);
                    list.len() - 1
                });
                here.push((thread as u16, to));
            }
        }
        if here.is_empty() && system.is_active(&state) {
            return Some(format!("nobody is allowed at node {node}"));
        }
        enabled.push(of_threads);
        steps.push(here);
        at += 1;
    }
    for thread in 0..system.threads.len() as u16 {
        // A cycle without the thread, on which it is enabled somewhere.
        let mut graph = petgraph::graph::DiGraph::<(), ()>::new();
        let nodes: Vec<_> = (0..list.len()).map(|_| graph.add_node(())).collect();
        for (from, steps) in steps.iter().enumerate() {
            for (_, to) in steps.iter().filter(|(of, _)| *of != thread) {
                graph.add_edge(nodes[from], nodes[*to], ());
            }
        }
        for component in petgraph::algo::tarjan_scc(&graph) {
            let is_cycle = component.len() > 1 || graph.contains_edge(component[0], component[0]);
            if is_cycle && component.iter().any(|node| enabled[node.index()].contains(&thread)) {
                return Some(format!("thread {thread} is starved"));
            }
        }
    }
    None
}

#[test]
fn verdicts_and_results_are_those_of_concrete_states() {
    let mut counts = [0; 5];
    let shape = Shape { threads: 3, statements: 4, ..Shape::default() };
    for seed in seeds(500) {
        let text = looping(seed, shape);
        let program = parse(&text).unwrap_or_else(|wrong| panic!("seed {seed}\n{text}\n{wrong:#?}")).program;
        let code = Code::compile(&program).expect("code");
        let Ok(system) = System::of(&program, &code) else { continue };
        let Ok(states) = States::of(&system, 3000) else { continue };
        if states.states.is_empty() {
            continue;
        }
        let system = Arc::new(system);
        let is_safe = states.errors(&system).is_empty() && states.deadlocks(&system).is_empty();
        let reduction = seed % 2 == 0;
        let choice = if seed % 3 == 0 { Choice::RoundRobin } else { Choice::LeastRecent };
        let options = Options { reduction, choice, nodes: 3000, question: 1 << 22, ..Options::default() };
        let began = std::time::Instant::now();
        if std::env::var("LOUD").is_ok() {
            println!("seed {seed}\n{text}");
        }
        let mut verifier = Verifier::symbolic(system.clone(), options);
        while verifier.advance(&mut Budget::unlimited()).expect("it is not paused").is_some() {}
        let verdict = verifier.verdict().expect("it is over");
        if began.elapsed().as_millis() > 500 {
            println!(
                "{text}\nseed {seed}: {verdict:?} {:?}, {} nodes, {} iterations, {} results, {} states",
                began.elapsed(),
                verifier.size(),
                verifier.iterations(),
                verifier.found().len(),
                states.states.len()
            );
        }
        let fits = match verdict {
            Verdict::Safe => is_safe,
            Verdict::PartiallySafe | Verdict::Unsafe => !is_safe,
            Verdict::Bounded(_) => true,
        };
        counts[match verdict {
            Verdict::Safe => 0,
            Verdict::PartiallySafe => 1,
            Verdict::Unsafe => 2,
            Verdict::Bounded(Limit::Nodes) => 3,
            Verdict::Bounded(_) => 4,
        }] += 1;
        assert!(fits, "seed {seed}\n{text}\n{verdict:?}, and concretely {is_safe}, with {options:?}");
        for found in verifier.found() {
            let Some(art) = &found.art else { continue };
            if let Some(wrong) = wrong_in_product(&system, art) {
                panic!("seed {seed}\n{text}\niteration {}: {wrong}, with {options:?}", found.iteration);
            }
        }
    }
    println!("safe, partially safe, unsafe, too large, undecided: {counts:?}");
}

#[test]
#[ignore = "it only prints"]
fn followed() {
    let text = std::fs::read_to_string(std::env::var("TEXT").expect("a file")).expect("a text");
    let limit: usize = std::env::var("STEPS").map_or(100, |steps| steps.parse().expect("a number"));
    let mut verifier = Verifier::symbolic(system(&text), Options::default());
    let names = verifier.system().names.clone();
    for _ in 0..limit {
        let Some(step) = verifier.advance(&mut Budget::unlimited()).expect("it is not paused") else { break };
        match step {
            super::Step::Interpolate { purpose, path, .. } => println!("{purpose:?} along {path:?}"),
            super::Step::Strengthen { node, after, .. } => {
                let mut budget = Budget::unlimited();
                let mut meter = Meter::new(1 << 26, 0, &mut budget);
                let name = |variable: crate::formula::Variable| names[variable.0 as usize].clone();
                let text = verifier.predicates().text(&after, &name, &mut meter).expect("it is not paused").0;
                println!("  {node:?}: {text}");
            }
            super::Step::Expand { node, thread, below } => {
                println!("expand {thread} at {node:?}: {:?}", below.iter().map(|(_, node)| node.0).collect::<Vec<_>>());
            }
            other => println!("{other:?}"),
        }
    }
}
