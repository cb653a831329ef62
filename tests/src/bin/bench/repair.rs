//! How long it takes to find all minimal repairs: `bench repair`.
//!
//! Of programs without any order, under models that have much to choose from. How many repairs there are is known of some; if it comes out
//! otherwise, that is an error. Seconds are wall time of one run.

use crate::markdown::{short, table};
use crate::{Failure, machine};
use litmoscope::budget::Budget;
use litmoscope::explore::Options;
use litmoscope::model::Model;
use litmoscope::repair::{Aim, Bounds, Costs, Goal, Kept, Search, Subject};
use litmoscope::syntax::parse;
use litmoscope::words::grouped;
use std::time::Instant;

/// What is measured.
#[derive(clap::Args)]
pub struct Repair {
    /// The memory models.
    #[arg(long, value_delimiter = ',', value_name = "MODEL", default_values_t = ["tso".to_owned(), "pso".to_owned(), "rc11".to_owned()])]
    models: Vec<String>,
    /// How many choices are judged at a time.
    #[arg(long, default_value_t = Bounds::AHEAD)]
    ahead: usize,
    /// On how many threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// Four threads with three accesses each: each reads what the next but one has not written yet.
pub const RING: &str = "name Ring of four\nx := 1\ny := 1\na := z\n||\ny := 2\nz := 1\nb := w\n||\nz := 2\nw := 1\nc := x\n||\nw := 2\n\
                    x := 2\nd := y\nexists (a = 0 /\\ b = 0 /\\ c = 0 /\\ d = 0)";

/// The files of `public/repair/`.
const FILES: [&str; 7] = ["chase-lev", "dekker", "peterson", "seqlock", "spinlock", "ticketlock", "treiber"];

/// Program, model, and how many repairs there are.
const KNOWN: [(&str, &str, usize); 4] =
    [("Ring of four", "tso", 32), ("Dekker", "tso", 4), ("Seqlock", "rc11", 36), ("Chase-Lev", "rc11", 128)];

/// Measures and prints.
pub fn repair(task: &Repair) -> Result<(), Failure> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../public/repair");
    let mut texts = vec![RING.to_owned()];
    for file in FILES {
        texts.push(std::fs::read_to_string(format!("{folder}/{file}.lit"))?);
    }
    let mut rows = Vec::new();
    for text in &texts {
        let program = parse(text).map_err(|_| "a program can't be read")?.program;
        for name in &task.models {
            let model: Model = name.parse().map_err(|_| format!("there is no model {name}"))?;
            eprintln!("{} under {model}", program.name);
            let begin = Instant::now();
            let goal = Goal::of(&program);
            let subject = Subject::new(program.clone(), model, Aim::Strengthen { races: goal.errors }, Kept::default());
            let sites = subject.sites.len();
            let (options, costs) = (Options::default(), Costs::default());
            let bounds = Bounds { ahead: task.ahead, threads: task.threads, ..Bounds::default() };
            let search = Search::new(subject, goal, options, costs, bounds);
            let mut search = search.ok_or("it can't be compiled")?;
            while search.advance(&mut Budget::unlimited()).map_err(|_| "it was told to stop")? {}
            let found = search.found().len();
            let known = KNOWN.iter().find(|(of, under, _)| *of == program.name && *under == model.name());
            if known.is_some_and(|(.., known)| *known != found) {
                return Err(format!("{} under {model}: {found} repairs", program.name).into());
            }
            let effort = search.effort();
            rows.push([
                program.name.clone(),
                model.title().to_owned(),
                sites.to_string(),
                grouped(found as u64),
                grouped(effort.explored),
                grouped(effort.asked),
                short(begin.elapsed().as_secs_f64()),
            ]);
        }
    }
    let head = ["program", "model", "places", "repairs", "programs explored", "executions asked about", "s"];
    println!("Measured on {}.\n\n{}", machine::describe(), table(head, 2, &rows));
    Ok(())
}
