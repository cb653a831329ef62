//! Random programs, which are in no table: plain executions against those with co.

use crate::markdown::{geometric_mean, short, table};
use crate::measure::Bench;
use crate::{Arguments, Failure};
use litmoscope::model::Model;
use litmoscope::random::Random;
use litmoscope::words::{count, grouped};
use std::fmt::Write as _;

/// How many programs of each shape.
const SEEDS: u64 = 5;
/// How many executions of a program are explored.
const EXECUTIONS: u64 = 200_000;
/// How many programs of each shape of random accesses are explored under every model, and how many executions of each.
const MANY_SEEDS: u64 = 40;
const FEWER_EXECUTIONS: u64 = 100_000;

/// What the threads of a program do.
enum Does {
    /// So many accesses of so many locations, read-modify-writes in so many of 100 cases, else reads and writes alike.
    Accesses(usize, usize, u64),
    /// The same text each.
    Text(String),
}

struct Shape {
    name: &'static str,
    threads: usize,
    does: Does,
}

fn shapes() -> Vec<Shape> {
    let accesses = |name, threads, accesses, locations, updates| Shape {
        name,
        threads,
        does: Does::Accesses(accesses, locations, updates),
    };
    let ten = |text: &dyn Fn(usize) -> String| Does::Text((0..10).map(text).collect());
    vec![
        accesses("2 threads, 14 accesses of one location", 2, 14, 1, 0),
        accesses("the same, half of them fetch-and-add", 2, 14, 1, 50),
        accesses("3 threads, 8 accesses, 2 locations, 33 % fetch-and-add", 3, 8, 2, 33),
        accesses("4 threads, 6 accesses, 3 locations, 30 %", 4, 6, 3, 30),
        accesses("2 threads, 30 accesses, 4 locations, 30 %", 2, 30, 4, 30),
        Shape { name: "2 threads, 10 fetch-and-adds", threads: 2, does: ten(&|n| format!("  a{n} := fai(x)\n")) },
        Shape {
            name: "2 threads, 10 fetch-and-adds of 1 and of -1",
            threads: 2,
            does: ten(&|n| format!("  a{n} := fai(x); b{n} := fai(x, -1)\n")),
        },
    ]
}

impl Shape {
    /// The program of a seed; its final states are listed, as without any option, or not, as in the other tables.
    fn text(&self, seed: u64, lists: bool) -> String {
        let mut random = Random::new(seed);
        let (mut out, mut value) = (String::from("shared x, y, z, u\n\n"), 0);
        for thread in 0..self.threads {
            if thread > 0 {
                out.push_str("||\n");
            }
            match &self.does {
                Does::Text(text) => out.push_str(text),
                Does::Accesses(accesses, locations, updates) => {
                    for n in 0..*accesses {
                        let location = ["x", "y", "z", "u"][random.below(*locations as u64) as usize];
                        let _ = if random.below(100) < *updates {
                            writeln!(out, "  r{n} := fai({location})")
                        } else if random.below(2) == 0 {
                            value += 1;
                            writeln!(out, "  {location} := {value}")
                        } else {
                            writeln!(out, "  r{n} := {location}")
                        };
                    }
                }
            }
        }
        if !lists {
            out += "\nforall true\n";
        }
        out
    }

    fn seeds(&self) -> u64 {
        if matches!(self.does, Does::Text(_)) { 1 } else { SEEDS }
    }
}

/// Executions a second without co and with it.
pub fn random(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let (mut rows, mut shares, mut shares_listed) = (Vec::new(), Vec::new(), Vec::new());
    for shape in shapes() {
        for model in &arguments.models {
            let rates = |lists| {
                let [plain, with_co] = [&arguments.plain_algorithm, &arguments.algorithm].map(|algorithm| {
                    let (mut executions, mut seconds) = (0, 0.0);
                    for seed in 0..shape.seeds() {
                        let text = shape.text(seed, lists);
                        let (more, took) = bench.first_executions(&text, *model, algorithm, EXECUTIONS)?;
                        executions += more;
                        seconds += took;
                    }
                    Ok::<_, Failure>(executions as f64 / seconds)
                });
                Ok::<_, Failure>((plain?, with_co?))
            };
            let ((plain, with_co), (plain_listed, listed)) = (rates(false)?, rates(true)?);
            shares.push(plain / with_co);
            shares_listed.push(plain_listed / listed);
            rows.push([
                shape.name.to_owned(),
                model.title().to_owned(),
                grouped(plain as u64),
                grouped(with_co as u64),
                short(plain / with_co),
                grouped(plain_listed as u64),
                short(plain_listed / listed),
            ]);
        }
    }
    let [plain, with_co] = [&arguments.plain_algorithm, &arguments.algorithm].map(|name| format!("by `{name}`"));
    let mean = |shares: &[f64]| geometric_mean(shares.iter().copied()).map_or_else(String::new, short);
    let least = |shares: &[f64]| short(shares.iter().copied().fold(f64::INFINITY, f64::min));
    Ok(format!(
        "#### Random programs: executions a second, plain and with co\n\nOf the first {} of each of {} of a shape, by the engine alone. The share is how \
         many plain executions there are for one with co: {} in the geometric mean, at least {}. Where final states are listed, as \
         they are without a condition, it is {} in the mean, at least {}: of a plain execution, each combination of last writes \
         is one.\n\n{}",
        count(EXECUTIONS, "execution"),
        count(SEEDS, "program"),
        mean(&shares),
        least(&shares),
        mean(&shares_listed),
        least(&shares_listed),
        table(["program", "model", &plain, &with_co, "share", &format!("{plain}, listed"), "share, listed"], 2, &rows)
    ))
}

/// The shares of many programs, by model.
pub fn shares(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let shapes: Vec<Shape> = shapes().into_iter().filter(|shape| matches!(shape.does, Does::Accesses(..))).collect();
    let mut rows = Vec::new();
    for model in Model::ALL {
        let mut shares = Vec::new();
        for shape in &shapes {
            for seed in 0..MANY_SEEDS {
                let text = shape.text(seed, false);
                let rate = |algorithm| {
                    let (executions, seconds) = bench.first_executions(&text, model, algorithm, FEWER_EXECUTIONS)?;
                    Ok::<_, Failure>(executions as f64 / seconds)
                };
                shares.push(rate(&arguments.plain_algorithm)? / rate(&arguments.algorithm)?);
            }
        }
        shares.sort_by(f64::total_cmp);
        let mean = geometric_mean(shares.iter().copied()).map_or_else(String::new, short);
        let below = shares.iter().filter(|&&share| share < 1.0 / 3.0).count();
        rows.push([model.title().to_owned(), mean, short(shares[0]), below.to_string()]);
    }
    Ok(format!(
        "#### Random programs under every model\n\nThe shares of {}, of whose executions the first {} are explored:\n\n{}",
        count(MANY_SEEDS * shapes.len() as u64, "random program"),
        grouped(FEWER_EXECUTIONS),
        table(["model", "geometric mean", "least", "below a third"], 1, &rows)
    ))
}
