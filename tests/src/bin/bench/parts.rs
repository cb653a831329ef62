//! The parts of the report.

use crate::markdown::{geometric_mean, short, table};
use crate::measure::{Bench, Expected, Measured, Task};
use crate::{Arguments, Failure};
use litmoscope::model::Model;
use litmoscope::words::{count, grouped};
use litmoscope_tests::peers::{self, COLUMNS, Peer, Size, Tool, long, peers};
use std::path::Path;
use std::thread::available_parallelism;

/// Rows with more executions than this are in the means: others are dominated by the start.
pub const MANY: u64 = 10_000;
/// How often a short test is run.
const STARTS: usize = 201;

/// Whether a program is asked for.
pub fn wanted(peer: &Peer, arguments: &Arguments) -> bool {
    arguments.programs.is_empty() || arguments.programs.iter().any(|name| name == peer.name)
}

/// The programs that are asked for, at the sizes that are.
pub fn select(arguments: &Arguments, usual: impl Fn(&Size) -> bool) -> Vec<(Peer, Size)> {
    let mut rows = Vec::new();
    for peer in peers().into_iter().filter(|peer| wanted(peer, arguments)) {
        let sizes: Vec<Size> = peer.sizes.clone();
        for size in sizes.into_iter().filter(|size| arguments.size.map_or_else(|| usual(size), |n| n == size.n)) {
            rows.push((Peer { sizes: Vec::new(), ..peer }, size));
        }
    }
    rows
}

/// What is known of executions with co.
pub fn with_co(size: &Size, model: Model) -> Option<u64> {
    COLUMNS.iter().position(|&column| column == model).and_then(|column| size.coherence[column])
}

/// A number, if there is one.
pub fn maybe(number: Option<f64>) -> String {
    number.map_or_else(String::new, short)
}

pub fn megabytes(measured: &Measured) -> String {
    format!("{:.1}", measured.usage.peak as f64 / 1e6)
}

pub fn per_second(measured: &Measured) -> String {
    grouped((measured.executions as f64 / measured.usage.cpu) as u64)
}

/// A row of a comparison that counts for the mean.
pub struct Ratio {
    pub row: String,
    pub model: Model,
    /// How many times less CPU time we take.
    pub ratio: f64,
}

/// What the ratios come to, in a sentence or two.
pub fn summary(ratios: &[Ratio], other: &str, models: &[Model], missing: &[String]) -> String {
    let mut out = String::new();
    let mean = |model: Option<Model>| {
        let rows = ratios.iter().filter(|ratio| model.is_none_or(|model| model == ratio.model));
        geometric_mean(rows.map(|ratio| ratio.ratio))
    };
    if let (Some(all), Some(least)) = (mean(None), ratios.iter().min_by(|a, b| a.ratio.total_cmp(&b.ratio))) {
        let each: Vec<String> = models
            .iter()
            .filter_map(|&model| Some(format!("{} {}", model.title(), short(mean(Some(model))?))))
            .collect();
        out += &format!(
            "\n**{} times less CPU time than {other}**, the geometric mean over the {} with more than {} executions ({}); \
             the least is {} ({}).\n",
            short(all),
            count(ratios.len() as u64, "row"),
            grouped(MANY),
            each.join(", "),
            short(least.ratio),
            least.row,
        );
    }
    if !missing.is_empty() {
        out += &format!("\nIn no mean, for they took too long or went wrong: {}.\n", missing.join(", "));
    }
    out
}

/// Executions with co.
pub fn coherence(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let (mut rows, mut ratios, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for (peer, size) in select(arguments, |size| size.time(Tool::Genmc, Model::SC).is_some()) {
        let models = arguments.models.iter().filter_map(|&model| Some((model, with_co(&size, model)?)));
        let task = |(model, expected)| Task {
            peer: &peer,
            size: &size,
            model,
            algorithm: &arguments.algorithm,
            threads: 1,
            expected: Expected::Executions(expected),
        };
        let tasks: Vec<Task> = models.map(task).collect();
        for (task, measured) in tasks.iter().zip(bench.measure(&tasks)?) {
            let name = task.name();
            let row = format!("{name} under {}", task.model.title());
            let Some(measured) = measured else {
                missing.push(row);
                continue;
            };
            let genmc = size.time(Tool::Genmc, task.model);
            let nidhugg = [Tool::NidhuggSource, Tool::NidhuggOptimal].map(|tool| size.time(tool, task.model));
            let ratio = genmc.map(|genmc| genmc / measured.multiple());
            if let Some(ratio) = ratio.filter(|_| measured.executions > MANY) {
                ratios.push(Ratio { row, model: task.model, ratio });
            }
            rows.push([
                name,
                task.model.title().to_owned(),
                grouped(measured.executions),
                short(measured.usage.cpu),
                short(measured.multiple()),
                maybe(genmc),
                maybe(ratio),
                maybe(nidhugg.into_iter().flatten().reduce(f64::min)),
                per_second(&measured),
                megabytes(&measured),
            ]);
        }
    }
    let head = [
        "program",
        "model",
        "executions",
        "seconds",
        "multiple",
        "GenMC",
        "times less",
        "Nidhugg",
        "executions/s",
        "MB",
    ];
    Ok(format!(
        "#### Executions with co, by `{}`\n\n{}{}",
        arguments.algorithm,
        table(head, 2, &rows),
        summary(&ratios, "GenMC", &arguments.models, &missing)
    ))
}

/// Locks, a stack and a queue, whose threads wait for each other.
pub fn waiting(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let (model, mut rows, mut missing) = (Model::RC11, Vec::new(), Vec::new());
    for peer in peers::waiting().iter().filter(|peer| wanted(peer, arguments)) {
        for size in peer.sizes.iter().filter(|size| arguments.size.is_none_or(|n| n == size.n)) {
            let Some(expected) = with_co(size, model) else { continue };
            let expected = Expected::Executions(expected);
            let task = |algorithm| Task { peer, size, model, algorithm, threads: 1, expected };
            let tasks = [task(&*arguments.algorithm), task(&*arguments.plain_algorithm)];
            let measured = bench.measure(&tasks)?;
            let [Some(with_co), Some(plain)] = &measured[..] else {
                missing.push(tasks[0].name());
                continue;
            };
            rows.push([
                tasks[0].name(),
                grouped(with_co.executions),
                short(with_co.usage.cpu),
                short(with_co.multiple()),
                short(plain.usage.cpu),
                short(plain.multiple()),
                megabytes(with_co),
            ]);
        }
    }
    let (with_co, plain) = (&arguments.algorithm, &arguments.plain_algorithm);
    let head = ["program", "executions", with_co, "multiple", plain, "multiple", "MB"];
    Ok(format!(
        "#### Locks, a stack and a queue\n\nSeconds under RC11, by `{with_co}` and `{plain}`. No execution is blocked: those are left out in \
         which a thread waits in vain. No other tool was measured.\n\n{}{}",
        table(head, 1, &rows),
        summary(&[], "", &[], &missing)
    ))
}

/// Plain executions under SC.
pub fn plain(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let (mut rows, mut ratios, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for (peer, size) in select(arguments, |size| size.time(Tool::NidhuggRf, Model::SC).is_some()) {
        let Some(expected) = size.plain else { continue };
        let task = Task {
            peer: &peer,
            size: &size,
            model: Model::SC,
            algorithm: &arguments.plain_algorithm,
            threads: 1,
            expected: Expected::Executions(expected),
        };
        let name = task.name();
        let Some(measured) = bench.measure(&[task])?.pop().flatten() else {
            missing.push(name);
            continue;
        };
        let nidhugg = size.time(Tool::NidhuggRf, Model::SC);
        let ratio = nidhugg.map(|nidhugg| nidhugg / measured.multiple());
        if let Some(ratio) = ratio.filter(|_| expected > MANY) {
            ratios.push(Ratio { row: name.clone(), model: Model::SC, ratio });
        }
        rows.push([
            name,
            grouped(measured.executions),
            short(measured.usage.cpu),
            short(measured.multiple()),
            maybe(nidhugg),
            maybe(ratio),
            per_second(&measured),
            megabytes(&measured),
        ]);
    }
    let head = ["program", "executions", "seconds", "multiple", "Nidhugg", "times less", "executions/s", "MB"];
    Ok(format!(
        "#### Plain executions under SC, by `{}`; Nidhugg with `--rf`\n\n{}{}",
        arguments.plain_algorithm,
        table(head, 1, &rows),
        summary(&ratios, "Nidhugg", &[Model::SC], &missing)
    ))
}

/// On several threads against one.
pub fn threads(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let (mut rows, mut ratios) = (Vec::new(), Vec::new());
    let cores = available_parallelism().map_or(1, usize::from);
    let model = Model::RC11;
    for peer in long().iter().filter(|peer| wanted(peer, arguments)) {
        let Some((size, expected)) = peer.sizes.iter().find_map(|size| Some((size, with_co(size, model)?))) else {
            continue;
        };
        let expected = Expected::Executions(expected);
        let task = |threads| Task { peer, size, model, algorithm: &arguments.algorithm, threads, expected };
        let name = task(1).name();
        let mut measured = bench.measure(&[task(1), task(cores)])?;
        let (Some(many), Some(one)) = (measured.pop().flatten(), measured.pop().flatten()) else { continue };
        if one.result != many.result {
            bench.wrong.push(format!("{name} has another result on {cores} threads than on one"));
        }
        let ratio = one.usage.wall / many.usage.wall;
        ratios.push(ratio);
        let seconds = [one.usage.wall, many.usage.wall, one.usage.cpu, many.usage.cpu].map(short);
        let [one_wall, many_wall, one_cpu, many_cpu] = seconds;
        rows.push([
            name,
            grouped(one.executions),
            one_wall,
            many_wall,
            short(ratio),
            one_cpu,
            many_cpu,
            megabytes(&many),
        ]);
    }
    let many = format!("{cores} threads");
    let head =
        ["program", "executions", "1 thread", &many, "times faster", "CPU, 1 thread", &format!("CPU, {many}"), "MB"];
    let mean = geometric_mean(ratios).map_or_else(String::new, |mean| {
        format!("; {many} are {} times faster than one, the geometric mean", short(mean))
    });
    Ok(format!(
        "#### Threads\n\nSeconds from start to end under RC11{mean}. Results that differ fail the command.\n\n{}",
        table(head, 1, &rows)
    ))
}

/// The time for one execution with co under SC, as programs grow.
pub fn sizes(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let mut rows = Vec::new();
    for peer in peers().iter().filter(|peer| wanted(peer, arguments)) {
        let task = |size| {
            let expected = Expected::Executions(with_co(size, Model::SC).filter(|&count| count >= 1000)?);
            Some(Task { peer, size, model: Model::SC, algorithm: &arguments.algorithm, threads: 1, expected })
        };
        let tasks: Vec<Task> = peer.sizes.iter().filter_map(task).collect();
        if tasks.len() < 2 {
            continue;
        }
        let mut line = Vec::new();
        for (task, measured) in tasks.iter().zip(bench.measure(&tasks)?) {
            if let Some(measured) = measured {
                let micros = measured.usage.cpu / measured.executions as f64 * 1e6;
                line.push(format!("{}: {}", task.size.n, short(micros)));
            }
        }
        rows.push([peer.name.to_owned(), line.join(", ")]);
    }
    Ok(format!(
        "#### Microseconds for one execution by size, SC, by `{}`\n\n{}",
        arguments.algorithm,
        table(["program", "size: µs"], 2, &rows)
    ))
}

/// How long a command takes that has nearly nothing to do.
pub fn start(bench: &mut Bench, _: &Arguments) -> Result<String, Failure> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/sb.lit");
    let lines = std::fs::read_to_string(&file)?.lines().count();
    let runs = (0..STARTS).map(|_| bench.start(&file, &["--quiet"])).collect::<Result<Vec<_>, _>>()?;
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2] * 1e3
    };
    Ok(format!(
        "#### Start\n\nStore buffering, {lines} lines: {:.2} ms from the start of the command to its end, {:.2} ms of CPU time; \
         medians of {STARTS} runs.\n",
        median(runs.iter().map(|run| run.wall).collect()),
        median(runs.iter().map(|run| run.cpu).collect()),
    ))
}
