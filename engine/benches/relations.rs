//! Relations as bit matrices against the same questions to a general graph library: closure and cycles.

use criterion::{Criterion, criterion_group};
use litmoscope::graph::{EventId, Relation};
use litmoscope::random::Random;
use petgraph::graph::{DiGraph, NodeIndex};
use std::hint::black_box;

/// An order of `events` in which each is before some later ones, as relations of execution graphs are.
fn order(events: u32, successors: u64) -> Relation {
    let mut random = Random::new(u64::from(events));
    let mut relation = Relation::new(events as usize);
    for a in 0..events.saturating_sub(1) {
        for _ in 0..successors {
            let b = a + 1 + random.below(u64::from(events - a - 1)) as u32;
            relation.insert(EventId(a), EventId(b));
        }
    }
    relation
}

fn graph(relation: &Relation) -> DiGraph<(), ()> {
    let mut graph = DiGraph::with_capacity(relation.events(), relation.events());
    (0..relation.events()).for_each(|_| {
        graph.add_node(());
    });
    for (a, b) in relation.pairs() {
        graph.add_edge(NodeIndex::new(a.index()), NodeIndex::new(b.index()), ());
    }
    graph
}

/// The pairs of the closure, by a search from each node.
fn reachable(graph: &DiGraph<(), ()>) -> usize {
    let mut pairs = 0;
    let mut search = petgraph::visit::Dfs::empty(graph);
    for node in graph.node_indices() {
        search.reset(graph);
        search.move_to(node);
        while search.next(graph).is_some() {
            pairs += 1;
        }
        // The node itself, which its own search always meets.
        pairs -= 1;
    }
    pairs
}

fn relations(criterion: &mut Criterion) {
    for events in [12, 40, 120] {
        let relation = order(events, 3);
        assert_eq!(relation.transitive_closure().pairs().count(), reachable(&graph(&relation)));
        let mut group = criterion.benchmark_group(format!("relations/{events} events"));
        let known = graph(&relation);
        group.bench_function("closure, library", |bencher| bencher.iter(|| reachable(black_box(&known))));
        group.bench_function("closure", |bencher| bencher.iter(|| black_box(&relation).transitive_closure()));
        group.bench_function("cycle, library, from pairs", |bencher| {
            bencher.iter(|| petgraph::algo::is_cyclic_directed(&graph(black_box(&relation))));
        });
        group.bench_function("cycle, library", |bencher| {
            bencher.iter(|| petgraph::algo::is_cyclic_directed(black_box(&known)));
        });
        group.bench_function("cycle", |bencher| bencher.iter(|| black_box(&relation).is_acyclic()));
        let closed = relation.transitive_closure();
        group.bench_function("one more pair, closed again", |bencher| {
            bencher.iter_batched_ref(
                || closed.clone(),
                |closed| closed.insert_closed(EventId(0), EventId(events - 1)),
                criterion::BatchSize::SmallInput,
            );
        });
        group.finish();
    }
}

criterion_group!(all, relations);
