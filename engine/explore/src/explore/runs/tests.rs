use super::*;
use crate::graph::Relation;
use crate::random::Random;
use crate::testing::{for_all, for_all_clients};

/// po, rf, co and fr of an execution with its co, closed.
fn order(graph: &Execution, co: &Coherence) -> Relation {
    let mut order = graph.po_relation();
    for read in graph.ids() {
        let Some(source) = graph.source(read) else { continue };
        order.insert(source, read);
        let location = graph.event(read).location().expect("a read has a location");
        let writes = &co[location.0 as usize];
        let at = writes.iter().position(|&write| write == source).expect("a source is in co");
        writes[at + 1..].iter().filter(|&&write| write != read).for_each(|&write| _ = order.insert(read, write));
    }
    for writes in co {
        for (at, &write) in writes.iter().enumerate() {
            writes[at + 1..].iter().for_each(|&later| _ = order.insert(write, later));
        }
    }
    order.transitive_closure()
}

/// Under SC, happens-before is what the execution says; undoing leaves nothing behind.
#[test]
fn clocks_are_happens_before() {
    let mut random = Random::new(7);
    let mut pairs = 0;
    let mut check = |program: &crate::program::Program| {
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        let start = Run::new(Arc::clone(&code), Model::SC, Options::default());
        let mut run = start.clone();
        for _ in 0..3 {
            loop {
                let turns: Vec<Turn> = (0..run.processes()).filter_map(|process| run.turn(process)).collect();
                let Some(&turn) = turns.get(random.below(turns.len().max(1) as u64) as usize) else { break };
                run.perform(turn);
            }
            let (graph, co) = run.execution(&[]);
            let order = order(&graph, &co);
            let inits = code.initial.len();
            for a in 0..run.events.len() {
                for b in 0..run.events.len() {
                    let (one, other) = (EventId((inits + a) as u32), EventId((inits + b) as u32));
                    let expected = a == b || order.contains(one, other);
                    pairs += 1;
                    if run.is_before(a as u32, b as u32) != expected {
                        return Err(format!("{:?} before {:?}: not {expected}", run.key(a), run.key(b)));
                    }
                }
            }
            while run.undo().is_some() {}
            if (&run.memory, &run.nodes, &run.ended) != (&start.memory, &start.nodes, &start.ended)
                || run.ends != start.ends
            {
                return Err("something is left".to_owned());
            }
        }
        Ok(())
    };
    for_all(0..200, &mut check);
    for_all_clients(0..200, &mut check);
    assert!(pairs > 1000);
}
