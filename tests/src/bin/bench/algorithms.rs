//! The parts of the report that are on algorithms other than the fastest.

use crate::markdown::{geometric_mean, short, table};
use crate::measure::{Bench, Expected, Measured, Task};
use crate::parts::{MANY, Ratio, maybe, megabytes, per_second, select, summary, with_co};
use crate::{Arguments, Failure};
use litmoscope::explore::Algorithm;
use litmoscope::model::Model;
use litmoscope::words::grouped;
use litmoscope_tests::peers::{Peer, Size, Tool};
use std::ops::RangeInclusive;

/// The programs that RVF-SMC and RF-SMC are measured with, at sizes that end in seconds.
const VALUES: [(&str, usize); 8] =
    [("ainc", 8), ("inc", 6), ("rw", 6), ("casw", 6), ("lastzero", 12), ("fib", 4), ("lockinc", 7), ("race", 4)];
/// The programs that every algorithm is measured with.
const FOR_ALL: [&str; 3] = ["inc", "lastzero", "fib"];
/// With how many plain executions: fewer, and the start decides; more, and some algorithms take too long.
const PLAIN: RangeInclusive<u64> = 1_000..=20_000;

/// Executions with co by Source-DPOR and Optimal-DPOR, against the same in Nidhugg.
pub fn dpor(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let both = [
        (Algorithm::SourceDpor, Tool::NidhuggSource, "--source"),
        (Algorithm::OptimalDpor, Tool::NidhuggOptimal, "--optimal"),
    ];
    let has_time = |size: &Size, model| both.iter().any(|&(_, tool, _)| size.time(tool, model).is_some());
    let mut report = Vec::new();
    for (algorithm, tool, option) in both {
        let (mut rows, mut ratios, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for (peer, size) in select(arguments, |size| arguments.models.iter().any(|&model| has_time(size, model))) {
            let models = arguments
                .models
                .iter()
                .filter(|&&model| algorithm.knows(model) && (arguments.size.is_some() || has_time(&size, model)));
            let task = |&model: &Model| {
                let expected = Expected::Executions(with_co(&size, model)?);
                Some(Task { peer: &peer, size: &size, model, algorithm: algorithm.name(), threads: 1, expected })
            };
            let tasks: Vec<Task> = models.filter_map(task).collect();
            for (task, measured) in tasks.iter().zip(bench.measure(&tasks)?) {
                let row = format!("{} under {}", task.name(), task.model.title());
                let Some(measured) = measured else {
                    missing.push(row);
                    continue;
                };
                let nidhugg = size.time(tool, task.model);
                let ratio = nidhugg.map(|nidhugg| nidhugg / measured.multiple());
                if let Some(ratio) = ratio.filter(|_| measured.executions > MANY) {
                    ratios.push(Ratio { row, model: task.model, ratio });
                }
                rows.push([
                    task.name(),
                    task.model.title().to_owned(),
                    grouped(measured.executions),
                    short(measured.usage.cpu),
                    short(measured.multiple()),
                    maybe(nidhugg),
                    maybe(ratio),
                    per_second(&measured),
                    megabytes(&measured),
                ]);
            }
        }
        let head = ["program", "model", "traces", "seconds", "multiple", "Nidhugg", "times less", "traces/s", "MB"];
        report.push(format!(
            "#### Executions with co, by `{}`; Nidhugg with `{option}`\n\n{}{}",
            algorithm.name(),
            table(head, 2, &rows),
            summary(&ratios, "Nidhugg", &arguments.models, &missing)
        ));
    }
    Ok(report.join("\n"))
}

/// What has to come out of an algorithm under SC, if that is known.
fn expected(algorithm: Algorithm, size: &Size) -> Option<Expected> {
    match algorithm {
        Algorithm::VcDpor => Some(Expected::Everything),
        Algorithm::RvfSmc => size.values.map(Expected::Executions),
        Algorithm::DcDpor => size.plain.map(Expected::Plain),
        _ if algorithm.tracks_co() => with_co(size, Model::SC).map(Expected::Executions),
        _ => size.plain.map(Expected::Executions),
    }
}

fn task<'a>(peer: &'a Peer, size: &'a Size, algorithm: Algorithm) -> Option<Task<'a>> {
    let expected = expected(algorithm, size)?;
    Some(Task { peer, size, model: Model::SC, algorithm: algorithm.name(), threads: 1, expected })
}

/// RVF-SMC against RF-SMC under SC.
pub fn values(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let both = [Algorithm::RvfSmc, Algorithm::RfSmc];
    let (mut rows, mut rates, mut times, mut missing) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (name, usual) in VALUES {
        for (peer, size) in select(arguments, |size| size.n == usual).iter().filter(|(peer, _)| peer.name == name) {
            let tasks: Vec<Task> = both.iter().filter_map(|&algorithm| task(peer, size, algorithm)).collect();
            if tasks.len() < both.len() {
                continue;
            }
            let name = tasks[0].name();
            let measured: Option<Vec<Measured>> = bench.measure(&tasks)?.into_iter().collect();
            let Some([by_values, by_writes]) = measured.as_deref() else {
                missing.push(name);
                continue;
            };
            let rate = |measured: &Measured| measured.executions as f64 / measured.usage.cpu;
            let ratio = rate(by_values) / rate(by_writes);
            let time = by_writes.usage.cpu / by_values.usage.cpu;
            rates.push(ratio);
            times.push(time);
            rows.push([
                name,
                grouped(by_values.executions),
                grouped(by_writes.executions),
                short(by_values.usage.cpu),
                short(by_writes.usage.cpu),
                short(time),
                per_second(by_values),
                per_second(by_writes),
                short(ratio),
            ]);
        }
    }
    let head = [
        "program",
        "classes",
        "executions",
        "s, RVF-SMC",
        "s, RF-SMC",
        "times less",
        "classes/s",
        "executions/s",
        "ratio",
    ];
    let mut out = format!(
        "#### Classes by `{}` against plain executions by `{}`, under SC\n\n{}",
        both[0].name(),
        both[1].name(),
        table(head, 1, &rows)
    );
    if let (Some(time), Some(rate)) = (geometric_mean(times), geometric_mean(rates)) {
        out += &format!(
            "\n**{} times less CPU time than RF-SMC**, and {} times as many classes a second as RF-SMC finds executions: \
             geometric means.\n",
            short(time),
            short(rate)
        );
    }
    if !missing.is_empty() {
        out += &format!("\nIn no mean, for they took too long or went wrong: {}.\n", missing.join(", "));
    }
    Ok(out)
}

/// The time for one execution of each algorithm under SC, as programs grow.
pub fn all(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let algorithms =
        Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_for_all_sizes() && algorithm.knows(Model::SC));
    let mut rows: Vec<[String; FOR_ALL.len() + 1]> = Vec::new();
    let selected = select(arguments, |size| size.plain.is_some_and(|plain| PLAIN.contains(&plain)));
    for algorithm in algorithms {
        let mut row = [const { String::new() }; FOR_ALL.len() + 1];
        row[0] = format!("`{}`", algorithm.name());
        for (cell, name) in row[1..].iter_mut().zip(FOR_ALL) {
            let of_program = selected.iter().filter(|(peer, _)| peer.name == name);
            let tasks: Vec<Task> = of_program.filter_map(|(peer, size)| task(peer, size, algorithm)).collect();
            let measured = tasks.iter().zip(bench.measure(&tasks)?);
            let micros = measured.filter_map(|(task, measured)| {
                let measured = measured?;
                Some(format!("{}: {}", task.size.n, short(measured.usage.cpu / measured.executions as f64 * 1e6)))
            });
            *cell = micros.collect::<Vec<_>>().join(", ");
        }
        rows.push(row);
    }
    let mut head = ["algorithm"; FOR_ALL.len() + 1];
    head[1..].copy_from_slice(&FOR_ALL);
    Ok(format!(
        "#### Microseconds for one execution by algorithm and size, SC\n\nEach size with its µs for one of what is counted: \
         executions with co, plain ones, or one for each class; the start is part of it.\n\n{}",
        table(head, FOR_ALL.len() + 1, &rows)
    ))
}
