//! How large graphs get as decision diagrams: `bench fairness`.
//!
//! Hypercubes are decomposed into components, and the philosophers of Lehmann and Rabin into end components. How many vertices there are is known,
//! and that they are one component; if it comes out otherwise, that is an error. Seconds are wall time of one run.

use crate::markdown::{short, table};
use crate::{Failure, machine};
use litmoscope::budget::Budget;
use litmoscope::fairness::{Diagrams, Dining, Machine, Options, Universe, Way, components, end_components};
use litmoscope::words::grouped;
use std::rc::Rc;
use std::time::Instant;

/// What is measured.
#[derive(clap::Args)]
pub struct Fairness {
    /// The dimensions of hypercubes.
    #[arg(long, value_delimiter = ',', value_name = "N", default_values_t = [27, 60, 120])]
    dimensions: Vec<u16>,
    /// How many philosophers there are.
    #[arg(long, value_delimiter = ',', value_name = "N", default_values_t = [6, 7, 8])]
    philosophers: Vec<usize>,
    /// Tells apart which of them moved last: strong fairness needs that.
    #[arg(long)]
    last: bool,
    /// How many nodes there may be.
    #[arg(long, value_name = "N", default_value_t = 1 << 26)]
    nodes: usize,
}

/// With coins, as counted one by one up to five, and by others beyond.
const VERTICES: [(usize, u128); 6] =
    [(3, 1_310), (4, 14_096), (5, 150_438), (6, 1_596_048), (7, 16_847_790), (8, 177_065_312)];

type Row = [String; 7];

fn row(what: String, universe: &Diagrams, mut machine: Machine<Diagrams>, begin: Instant) -> Result<Row, Failure> {
    while machine.advance(&mut Budget::unlimited()).map_err(|_| "it was told to stop")?.is_some() {}
    let answer = machine.answer().ok_or_else(|| format!("{what} needs too many nodes"))?;
    if answer.components.len() != 1 {
        return Err(format!("{what}: {} components", answer.components.len()).into());
    }
    let (vertices, edges) = universe.size();
    let peak = universe.nodes().map_or(0, |nodes| nodes.peak);
    Ok([
        what,
        vertices.to_string(),
        edges.to_string(),
        grouped(machine.counts().images),
        grouped(universe.edge_nodes() as u64),
        grouped(peak as u64),
        short(begin.elapsed().as_secs_f64()),
    ])
}

/// Measures and prints.
pub fn fairness(task: &Fairness) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for dimensions in &task.dimensions {
        eprintln!("hypercube({dimensions})");
        let begin = Instant::now();
        let cube = Rc::new(Diagrams::hypercube(*dimensions)?.limited(task.nodes));
        rows.push(row(format!("hypercube({dimensions})"), &cube, components(Rc::clone(&cube), true), begin)?);
    }
    for count in &task.philosophers {
        eprintln!("philosophers({count})");
        let begin = Instant::now();
        let mut dining = Dining::new(*count, task.last).limited(task.nodes);
        dining.reach(&mut Budget::unlimited()).map_err(|halt| format!("philosophers({count}): {halt:?}"))?;
        let diagrams = Rc::new(dining.into_diagrams());
        let known = VERTICES.iter().find(|(known, _)| known == count);
        if let Some((_, vertices)) = known.filter(|(_, vertices)| !task.last && *vertices != diagrams.size().0) {
            return Err(format!("philosophers({count}): {} vertices, not {vertices}", diagrams.size().0).into());
        }
        let machine = end_components(Rc::clone(&diagrams), Way::Basic, Options::default());
        rows.push(row(format!("philosophers({count})"), &diagrams, machine, begin)?);
    }
    let head = ["graph", "vertices", "edges", "images", "nodes of edges", "nodes at most", "s"];
    println!("Measured on {}.\n\n{}", machine::describe(), table(head, 1, &rows));
    Ok(())
}
