//! The part of the report that says how large the clients of an object get.

use crate::exploring::path;
use crate::markdown::{short, table};
use crate::measure::Bench;
use crate::{Arguments, Failure};
use litmoscope::model::Model;
use litmoscope::words::{count, grouped};
use serde_json::Value;
use std::thread::available_parallelism;
use std::time::Duration;

/// The objects whose clients are judged, unless others are asked for.
const OBJECTS: [&str; 2] = ["treiber", "michael-scott"];
/// The sizes that clients grow through. Those below take no time.
const SIZES: std::ops::RangeInclusive<usize> = 3..=9;
const THREADS: usize = 3;

/// What was found of all clients of up to some size.
#[derive(Debug, PartialEq, Eq)]
struct Clients {
    all: u64,
    violating: u64,
    open: u64,
    executions: u64,
}

/// What a command has printed.
fn read(output: &str) -> Option<Clients> {
    let found: Value = serde_json::from_str(output).ok()?;
    let sizes = found["clients"].as_array()?;
    let sum = |what: &str| sizes.iter().map(|size| size[what].as_u64()).sum::<Option<u64>>();
    Some(Clients {
        all: sum("clients")?,
        violating: sum("violating")?,
        open: sum("open")?,
        executions: found["executions"].as_u64()?,
    })
}

/// All clients of some calls, and then of one more, until the time is over.
pub fn clients(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let cores = available_parallelism().map_or(1, usize::from);
    let objects: Vec<&str> = match arguments.programs.as_slice() {
        [] => OBJECTS.to_vec(),
        programs => programs.iter().map(String::as_str).collect(),
    };
    let (mut rows, mut ends) = (Vec::new(), Vec::new());
    for object in objects {
        for &model in &arguments.models {
            ends.push(of(bench, arguments, (object, model, cores), &mut rows)?);
        }
    }
    let head = ["object", "model", "calls", "clients", "not linearizable", "open", "executions", "seconds"];
    Ok(format!(
        "#### All clients of an object, by `client`\n\n`litmoscope linearize --clients {THREADS}xN --threads {cores}`: all clients of up to N calls in \
         at most {THREADS} threads, N growing until {} s are spent for an object under a model. Open are \
         those without an answer. So far it leads at least: {}.\n\n{}",
        grouped(arguments.limit),
        ends.join("; "),
        table(head, 2, &rows)
    ))
}

/// Of one object under one model; how far it led.
fn of(
    bench: &mut Bench,
    arguments: &Arguments,
    (object, model, cores): (&str, Model, usize),
    rows: &mut Vec<[String; 8]>,
) -> Result<String, Failure> {
    let (mut left, mut done) = (Duration::from_secs(arguments.limit), None);
    for size in SIZES {
        let options = ["--clients".to_owned(), format!("{THREADS}x{size}"), "--threads".to_owned(), cores.to_string()];
        // Less than a second begins nothing any more.
        let Some(seconds) = Some(left.as_secs()).filter(|seconds| *seconds > 0) else { break };
        let finished = bench.judge_object(&path(object), model, &options, seconds)?;
        let found = finished.as_ref().and_then(|finished| read(&finished.output));
        let Some((finished, found)) = finished.as_ref().zip(found) else {
            bench.wrong.push(format!("{object} under {}, clients of {size} calls", model.title()));
            break;
        };
        let wall = finished.usage.wall;
        left = left.saturating_sub(Duration::from_secs_f64(wall));
        rows.push([
            object.to_owned(),
            model.title().to_owned(),
            size.to_string(),
            grouped(found.all),
            grouped(found.violating),
            grouped(found.open),
            // Those of an object with a violation are those of one client.
            if found.violating == 0 { grouped(found.executions) } else { String::new() },
            short(wall),
        ]);
        if found.open > 0 {
            break;
        }
        done = Some(size as u64);
    }
    let done = done.map_or_else(|| "none".to_owned(), |done| format!("all of up to {}", count(done, "call")));
    Ok(format!("{object} under {} {done}", model.title()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_summed() {
        let output = r#"{"executions":7,"clients":[{"operations":1,"clients":2,"violating":0,"open":0},
            {"operations":2,"clients":7,"violating":1,"open":3}]}"#;
        assert_eq!(read(output), Some(Clients { all: 9, violating: 1, open: 3, executions: 7 }));
        assert_eq!(read("{}"), None);
        assert_eq!(read("error"), None);
    }
}
