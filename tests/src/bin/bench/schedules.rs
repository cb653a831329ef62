//! The tables of P. Metzler's thesis (2020) on safe schedules beside ours: `bench schedules`, and `--book` for the chapter.
//!
//! Shapes are compared, not times: the machines differ, and the programs are our notation's. What is measured here is said in front of
//! each table.

use crate::markdown::{put_between_markers, short, table};
use crate::{Failure, machine};
use litmoscope::budget::{Budget, Stop};
use litmoscope::program::Code;
use litmoscope::program::system::System;
use litmoscope::schedules::art::Art;
use litmoscope::schedules::export::{Language, Source, export};
use litmoscope::schedules::impact::{Options, Step, Verdict, Verifier};
use litmoscope::schedules::interpret;
use litmoscope::schedules::published::asserting_buffer;
use litmoscope::schedules::sections::{self, Opt, ProgramSchedule, Section, SectionEvent};
use litmoscope::schedules::symbolic::families::{indexer, last_zero};
use litmoscope::schedules::symbolic::{Event, Finite, Limits, SymbolicTrace, TraceGraph, candidates};
use litmoscope::syntax;
use litmoscope::words::grouped;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What is measured.
#[derive(clap::Args)]
pub struct Schedules {
    /// For how many seconds each program runs.
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    seconds: f64,
    /// How often; the median counts.
    #[arg(long, value_name = "N", default_value_t = 3)]
    runs: usize,
    /// How often programs that end run; the median counts.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    short_runs: usize,
    /// Ends a complete verification after so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    limit: u64,
    /// Writes the tables into the book too, between the two markers of their chapter.
    #[arg(long)]
    book: bool,
}

struct Program {
    name: &'static str,
    text: String,
    /// As printed: the first result, complete verification; useful rounds under each level, and without a schedule.
    printed: ([&'static str; 2], [u64; 4]),
}

fn programs() -> Result<Vec<Program>, Failure> {
    let file = |name: &str| {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../public/schedules/{name}.lit")))
    };
    let program = |name, text, times, rounds| Program { name, text, printed: (times, rounds) };
    let buffer = |threads: usize, places| asserting_buffer(places, threads, threads);
    Ok(vec![
        program(
            "1 + 1, 1000 places",
            buffer(1, 1000),
            ["2 m 0 s", "> 72 h"],
            [4_864_489, 7_466_093, 11_370_258, 8_199_202],
        ),
        program(
            "2 + 2, 1000 places",
            buffer(2, 1000),
            ["23 m 47 s", "> 72 h"],
            [3_400_187, 5_959_041, 8_428_598, 11_643_208],
        ),
        program(
            "4 + 4, 1000 places",
            buffer(4, 1000),
            ["4 h 29 m 53 s", "> 72 h"],
            [1_327_063, 2_576_695, 3_676_876, 7_210_796],
        ),
        program("1 + 1, 5 places", buffer(1, 5), ["2 s", "2 m 28 s"], [4_945_116, 7_075_596, 12_372_817, 7_915_465]),
        program("2 + 2, 5 places", buffer(2, 5), ["18 s", "1 m 16 s"], [3_194_019, 5_514_429, 9_271_859, 6_933_172]),
        program(
            "4 + 4, 5 places",
            buffer(4, 5),
            ["2 m 41 s", "9 m 44 s"],
            [1_345_991, 2_465_108, 3_392_111, 3_240_136],
        ),
        program("double lock", file("double-lock")?, ["0 s", "0 s"], [1_845, 1_834, 3_217, 1_797]),
        program("file system", file("file-system-useful")?, ["0 s", "0 s"], [3_667, 4_877_035, 6_705_672, 23_822_129]),
        program("barrier", file("barrier")?, ["1 s", "4 m 14 s"], [1_238_720, 8_285_228, 14_586_849, 1_077_907]),
    ])
}

fn system(text: &str) -> Result<Arc<System>, Failure> {
    let parsed = syntax::parse(text).map_err(|wrong| format!("{wrong:?}"))?;
    Ok(Arc::new(System::of(&parsed.program, &Code::compile(&parsed.program)?)?))
}

/// The first result, and after how many seconds it was there.
fn first(system: &Arc<System>) -> Result<(Art, f64), Failure> {
    let begin = Instant::now();
    let mut verifier = Verifier::symbolic(Arc::clone(system), Options { iterations: 1, ..Options::default() });
    while let Ok(Some(_)) = verifier.advance(&mut Budget::unlimited()) {}
    let art = verifier.found().iter().find_map(|found| found.art.clone()).ok_or("no schedule is proven right")?;
    Ok((art, begin.elapsed().as_secs_f64()))
}

/// The verdict of a complete verification, and after how many seconds it was there.
fn complete(system: &Arc<System>, limit: u64) -> Option<(Verdict, f64)> {
    let begin = Instant::now();
    let deadline = begin.checked_add(Duration::from_secs(limit))?;
    let mut budget = Budget::until(Stop::default()).and_before(deadline);
    let options = Options { complete: true, ..Options::default() };
    let mut verifier = Verifier::symbolic(Arc::clone(system), options);
    while let Ok(Some(step)) = verifier.advance(&mut budget) {
        if let Step::Verdict(verdict) = step {
            return Some((verdict, begin.elapsed().as_secs_f64()));
        }
    }
    None
}

fn median<T: PartialOrd + Copy>(mut of: Vec<T>) -> Option<T> {
    of.sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
    of.get(of.len() / 2).copied()
}

fn seconds(time: f64) -> String {
    if time < 0.01 { format!("{} ms", short(time * 1000.0)) } else { format!("{} s", short(time)) }
}

/// A program of real threads, compiled.
struct Compiled {
    program: PathBuf,
}

impl Compiled {
    fn of(folder: &Path, name: &str, source: &Source<'_>) -> Result<Self, Failure> {
        let (file, program) = (folder.join(format!("{name}.rs")), folder.join(name));
        fs::write(&file, export(source, Language::Rust)?)?;
        let mut rustc = Command::new("rustc");
        let output = rustc.args(["--edition", "2024", "-O", "-o"]).arg(&program).arg(&file).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        Ok(Self { program })
    }

    /// The useful rounds of each thread, and how it ended.
    fn run(&self, seconds: f64, options: &[&str]) -> Result<(Vec<u64>, String), Failure> {
        let output = Command::new(&self.program).arg(seconds.to_string()).args(options).output()?;
        let text = String::from_utf8(output.stdout)?;
        let mut rounds = Vec::new();
        let mut end = String::new();
        for line in text.lines() {
            let count = line.strip_suffix(" useful rounds").and_then(|line| line.rsplit_once(": "));
            match count.and_then(|(_, count)| count.parse().ok()) {
                Some(count) => rounds.push(count),
                None => end = line.to_owned(),
            }
        }
        Ok((rounds, end))
    }

    /// The useful rounds of the median run, all together; by thread; and how it ended.
    fn measure(&self, task: &Schedules, options: &[&str]) -> Result<(u64, Vec<u64>, String), Failure> {
        let mut runs = Vec::new();
        for _ in 0..task.runs.max(1) {
            let (rounds, end) = self.run(task.seconds, options)?;
            runs.push((rounds.iter().sum::<u64>(), rounds, end));
        }
        runs.sort_by_key(|(all, ..)| *all);
        let middle = runs.len() / 2;
        runs.into_iter().nth(middle).ok_or_else(|| "no run".into())
    }
}

/// How evenly threads run: the rounds of the one that runs least, for 100 of the one that runs most.
fn balance(rounds: &[u64]) -> String {
    let (least, most) = (rounds.iter().min().copied().unwrap_or(0), rounds.iter().max().copied().unwrap_or(0));
    (least * 100).checked_div(most).map_or_else(|| "–".to_owned(), |share| share.to_string())
}

const OPTS: [Opt; 3] = [Opt::Opt0, Opt::Opt1, Opt::Opt2];

fn schedule(system: &System, art: &Art, opt: Opt) -> Result<ProgramSchedule, Failure> {
    Ok(ProgramSchedule::of(system, art, sections::Options { opt, keeps_all: false })?)
}

fn tables_of_programs(task: &Schedules, folder: &Path) -> Result<String, Failure> {
    let (mut times, mut rounds, mut balances) = (Vec::new(), Vec::new(), Vec::new());
    for (at, program) in programs()?.iter().enumerate() {
        eprintln!("{}", program.name);
        let system = system(&program.text)?;
        let (art, first) = first(&system)?;
        let whole = match complete(&system, task.limit) {
            Some((Verdict::Safe, time)) => format!("{}, safe", seconds(time)),
            Some((Verdict::Bounded(_), time)) => format!("{}, bounded", seconds(time)),
            Some((_, time)) => format!("{}, goes wrong", seconds(time)),
            None => format!("> {} s", task.limit),
        };
        let ([printed_first, printed_whole], printed) = program.printed;
        times.push([
            program.name.to_owned(),
            printed_first.to_owned(),
            seconds(first),
            printed_whole.to_owned(),
            whole,
        ]);
        let (mut row, mut even) = (vec![program.name.to_owned()], vec![program.name.to_owned()]);
        for (level, opt) in OPTS.into_iter().enumerate() {
            let schedule = schedule(&system, &art, opt)?;
            let source = Source { system: &system, text: &program.text, schedule: Some(&schedule) };
            let compiled = Compiled::of(folder, &format!("p{at}-{level}"), &source)?;
            let (all, of, end) = compiled.measure(task, &[])?;
            if !end.starts_with("stopped") {
                return Err(format!("{} under {opt:?}: {end}", program.name).into());
            }
            row.push(format!("{} / {}", grouped(printed[level]), grouped(all)));
            even.push(balance(&of));
        }
        let source = Source { system: &system, text: &program.text, schedule: None };
        let (all, of, end) = Compiled::of(folder, &format!("p{at}-free"), &source)?.measure(task, &[])?;
        let how = if end.starts_with("stopped") { "" } else { ", until it was stuck" };
        row.push(format!("{} / {}{how}", grouped(printed[3]), grouped(all)));
        even.push(balance(&of));
        rounds.push(<[String; 5]>::try_from(row).map_err(|_| "a row has five cells")?);
        balances.push(<[String; 5]>::try_from(even).map_err(|_| "a row has five cells")?);
    }
    let mut text = "### Table 4.1: how soon there is a first result\n\nPrinted on the left, ours on the right: the time to the first result, and \
                    that of a complete verification, which looks at all schedules at once.\n\n"
        .to_owned();
    text += &table(["program", "first, printed", "first, ours", "complete, printed", "complete, ours"], 1, &times);
    text += &format!(
        "\n### Table 5.1: useful rounds\n\nIn each cell printed / ours: the useful rounds of all threads together, in 2 s in print and in {} s \
         here. Ours are exported programs in Rust, under the first result. Print's threads do some work in each round, above all the \
         double lock, which holds its locks for 1 ms; ours do nothing else, so waiting weighs more.\n\n",
        task.seconds
    );
    text += &table(["program", "Opt0", "Opt1", "Opt2", "unconstrained"], 1, &rounds);
    text += "\nHow even that is: of our runs, the useful rounds of the thread that has fewest, for 100 of the one that has most.\n\n";
    text += &table(["program", "Opt0", "Opt1", "Opt2", "unconstrained"], 1, &balances);
    Ok(text)
}

fn pfscan(task: &Schedules, folder: &Path) -> Result<String, Failure> {
    eprintln!("pfscan");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/schedules/pfscan.lit");
    let text = fs::read_to_string(path)?;
    let system = system(&text)?;
    let (art, _) = first(&system)?;
    // The producer's rounds are the files.
    let files = |compiled: &Compiled| -> Result<f64, Failure> {
        let (_, rounds, _) = compiled.measure(task, &[])?;
        Ok(rounds.first().copied().unwrap_or(0) as f64)
    };
    let free = Compiled::of(folder, "pfscan-free", &Source { system: &system, text: &text, schedule: None })?;
    let free = files(&free)?;
    let mut rows = Vec::new();
    for (level, opt) in OPTS.into_iter().enumerate() {
        let schedule = schedule(&system, &art, opt)?;
        let source = Source { system: &system, text: &text, schedule: Some(&schedule) };
        let found = files(&Compiled::of(folder, &format!("pfscan-{level}"), &source)?)?;
        rows.push([
            format!("first result, {opt:?}"),
            schedule.sections.len().to_string(),
            grouped(found as u64),
            short(free / found.max(1.0)),
        ]);
    }
    let mut said = format!(
        "\n### Table 5.2: pfscan\n\nPrint measures the whole program, which reads files of 100 MB between two accesses to its queue: 3.34 s, 3.34 s, \
         3.60 s and 3.57 s under four schedules that were made by hand, and 3.25 s without one, so 1.03, 1.03, 1.10 and 1.10 times as \
         long. Ours is the queue alone, in which nothing is read, so what is a few percent there is all there is here. The time for a file \
         is compared with that of the unconstrained program, which took {} files in {} s. The two schedules of print whose sections \
         have a single thread each are not among the results here.\n\n",
        grouped(free as u64),
        task.seconds
    );
    said += &table(["schedule", "sections", "files", "time of a file, to unconstrained"], 1, &rows);
    Ok(said)
}

/// A trace of a program that ends, and its events with their steps, in an order.
struct Trace {
    order: Vec<(Event, litmoscope::program::system::TransitionId)>,
    graph: TraceGraph,
    threads: usize,
}

fn trace(text: &str) -> Result<Trace, Failure> {
    let system = system(text)?;
    let finite = Finite::new(&system, Limits::default())?;
    let trace = SymbolicTrace::of_threads_in_turn(&finite)?;
    let mut state = finite.starts().first().ok_or("no start")?.clone();
    let mut order = Vec::new();
    for event in &trace.order {
        let step = finite.steps(&state, event.thread.into())?.into_iter().next().ok_or("the trace is no run")?;
        order.push((*event, step.transition));
        state = step.state;
    }
    Ok(Trace { order, graph: trace.graph, threads: finite.threads() })
}

/// Prefixes by their number of constraints: the thread that waits least often is freed first.
fn prefixes(graph: &TraceGraph) -> BTreeMap<usize, TraceGraph> {
    let mut all = BTreeMap::new();
    let mut at = graph.clone();
    loop {
        let often = |thread| at.edges().iter().filter(|edge| edge.to.thread == thread).count();
        let next = candidates(&at)
            .into_iter()
            .min_by_key(|one| (often(one.constraint.to.thread), std::cmp::Reverse(one.left.events().len())));
        all.insert(at.edges().len(), at);
        match next {
            Some(next) => at = next.left,
            None => return all,
        }
    }
}

/// How long one run takes of threads that do the events of a trace, each an access of an atomic, and keep to a prefix; the median of several,
/// in seconds.
fn run_trace(trace: &Trace, prefix: &TraceGraph, runs: usize) -> Result<f64, Failure> {
    // Only what somebody waits for, or what waits, has to be looked at.
    let is_kept = |event: &Event| prefix.edges().iter().any(|edge| edge.from == *event || edge.to == *event);
    let kept: Vec<_> = trace.order.iter().filter(|(event, _)| is_kept(event)).copied().collect();
    let place = |event: Event| kept.iter().position(|(other, _)| *other == event);
    let events = kept.iter().enumerate().map(|(at, (event, transition))| {
        let own = kept[..at].iter().rposition(|(other, _)| other.thread == event.thread);
        let edges = prefix.edges().iter().filter(|edge| edge.to == *event).filter_map(|edge| place(edge.from));
        let mut after: Vec<usize> = own.into_iter().chain(edges).collect();
        after.sort_unstable();
        after.dedup();
        SectionEvent { thread: event.thread, transition: *transition, after }
    });
    let events: Vec<SectionEvent> = events.collect();
    let path = kept.iter().map(|(_, transition)| *transition).collect();
    let sections = match events.is_empty() {
        true => Vec::new(),
        false => vec![Section { from: 0, to: 1, events, path, repeats: 1 }],
    };
    let schedule = ProgramSchedule {
        threads: trace.threads,
        nodes: vec![None; sections.len() + 1],
        sections,
        dropped: Vec::new(),
        then_free: true,
    };
    let mut times = Vec::new();
    for _ in 0..runs.max(1) {
        let runtime = interpret::runtime(&schedule)?;
        let cells: Vec<AtomicI64> = (0..128).map(|_| AtomicI64::new(0)).collect();
        let begin = Instant::now();
        thread::scope(|scope| {
            for number in 0..trace.threads {
                let mut own = runtime.thread(number);
                let (trace, cells, kept) = (&trace, &cells, &kept);
                scope.spawn(move || {
                    for (event, transition) in
                        trace.order.iter().filter(|(event, _)| usize::from(event.thread) == number)
                    {
                        let access = || cells[transition.0 as usize % cells.len()].fetch_add(1, Ordering::SeqCst);
                        if kept.iter().any(|(other, _)| other == event) {
                            let Ok(turn) = own.before() else { return };
                            access();
                            if turn.after(transition.0).is_err() {
                                return;
                            }
                        } else {
                            access();
                        }
                    }
                });
            }
        });
        times.push(begin.elapsed().as_secs_f64());
    }
    median(times).ok_or_else(|| "no run".into())
}

fn appendix(task: &Schedules) -> Result<String, Failure> {
    let mut rows = Vec::new();
    let indexer_printed = [(12, 2692), (8, 2716), (4, 2416), (3, 1904), (2, 61), (1, 11), (0, -13)];
    let zero_printed = [(15, 4288), (8, 2075), (5, 102), (1, 8), (0, -5)];
    for (name, text, printed) in
        [("indexer(15)", indexer(15), &indexer_printed[..]), ("last zero(16)", last_zero(16), &zero_printed)]
    {
        eprintln!("{name}");
        let trace = trace(&text)?;
        let prefixes = prefixes(&trace.graph);
        let free = run_trace(&trace, &TraceGraph::default(), task.short_runs)?;
        for (constraints, overhead) in printed {
            let Some(prefix) = prefixes.get(constraints) else { continue };
            let time = run_trace(&trace, prefix, task.short_runs)?;
            rows.push([
                name.to_owned(),
                constraints.to_string(),
                prefix.waiting().len().to_string(),
                overhead.to_string(),
                format!("{:.0}", (time / free.max(1e-9) - 1.0) * 100.0),
            ]);
        }
    }
    let mut text = "\n### Appendix C: overhead against the number of constraints\n\nOf one short run, in percent. Ours are threads that do the events \
                    of a trace, each an access of an atomic, with the runtime's waiting where a constraint is. The other programs of the \
                    appendix are not printed, so they are left out. Last Zero's constraints go in the order of our strategy.\n\n"
        .to_owned();
    text +=
        &table(["program", "constraints", "threads that wait", "overhead %, printed", "overhead %, ours"], 1, &rows);
    Ok(text)
}

/// Measures, prints, and writes into the book if that is wanted.
pub fn schedules(task: &Schedules) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let mut text = format!(
        "Measured on {}. Print had an Intel Core i5-6500 with 4 cores, and IMPARA. Compare shapes, not times: who is faster than whom under \
         which level, how overhead grows with constraints, how even threads run.\n\n",
        machine::describe()
    );
    text += &tables_of_programs(task, folder.path())?;
    text += &pfscan(task, folder.path())?;
    text += &appendix(task)?;
    print!("{text}");
    if task.book {
        let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/questions/schedules-measured.md");
        let old = fs::read_to_string(&chapter)?;
        fs::write(&chapter, put_between_markers(&old, &text).ok_or("the chapter has lost its markers")?)?;
    }
    Ok(())
}
