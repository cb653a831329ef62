//! Measures whole commands against what other model checkers take, and prints Markdown: `make table`.
//!
//! Times are CPU times of the release binary, the best of several runs, in multiples of a fixed workload that runs in
//! between. What is counted has to be right: if anything is not, the command says so and exits with 1.
//!
//! # Parts
//!
//! The fixed workload ([`litmoscope_tests::workload`]) runs before every round of a program, so that both meet the same noise;
//! of several runs the best counts, since noise only adds. Peak memory is that of the process, never less than about 4 MB.
//!
//! - **Random programs** (`random.rs`), which nothing was tuned to, show what plain exploration takes beside that with co, with
//!   final states listed and without; `--parts shares` does so for many under every model. The bench explores them itself: a
//!   command that stops early also estimates how many executions there are, which takes as long as ten thousands of them.
//! - **Algorithms** other than the fastest have parts of their own (`algorithms.rs`). RVF-SMC is held to the number that it
//!   found before, between the classes by values and by reads-value-from of the executions with co; VC-DPOR, whose number
//!   depends on more, only to being complete.
//! - **Histories** (`histories.rs`) are judged by whole commands where they are long, and where milliseconds count by processes
//!   that read them once and judge them again and again (`judge.rs`), the search of others in the same run.
//! - **Code** (`exploring.rs`) is explored in turns with a crate that explores the same objects in Rust (`atomics.rs`); an
//!   answer other than the known one is an error.
//! - **Memory implementations** (`--parts protocols`, `protocols.rs`), and the same models by what Rumur compiles to, where that
//!   is installed.
//! - **Safe schedules** (`bench schedules`, `schedules.rs`) have a chapter of their own.
//! - **Graphs** as decision diagrams (`bench fairness`, `fairness.rs`) are decomposed, the larger ones.
//! - **Repairs** (`bench repair`, `repair.rs`): all minimal ones of programs without any order.
//! - **Clients** (`--parts clients`, `clients.rs`): how large the clients of an object get in some minutes.
//!
//! What a change does to the speed is seen by `make table ARGS="--binary OLD ..."` and the same without, a few rows, in turns.

mod algorithms;
mod atomics;
mod clients;
mod command;
mod exploring;
mod fairness;
mod histories;
mod judge;
mod machine;
mod markdown;
mod measure;
#[cfg(feature = "browser")]
mod page;
mod parts;
mod protocols;
mod random;
mod repair;
mod schedules;

use clap::{Parser, Subcommand, ValueEnum};
use litmoscope::histories::Object;
use litmoscope::model::Model;
use litmoscope::words::count;
use litmoscope_tests::peers::COLUMNS;
use litmoscope_tests::workload;
use measure::Bench;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

type Failure = Box<dyn std::error::Error>;

/// Measures the release binary against what other model checkers take, and prints Markdown.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    task: Option<Task>,
    /// What to measure, one or more.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PARTS", default_values_t = Part::usual())]
    parts: Vec<Part>,
    /// Only these programs.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    programs: Vec<String>,
    /// Only these models: sc, tso and rc11 unless told otherwise.
    #[arg(long, value_delimiter = ',', value_name = "MODELS", default_values_t = COLUMNS)]
    models: Vec<Model>,
    /// The programs at this size, instead of the sizes for which others' times are known.
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// How often each command runs; the best run counts.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Ends commands that take longer than so many seconds; they are listed, and are in no mean. For clients, the time of all sizes of
    /// an object under a model.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// The algorithm for executions with co.
    #[arg(long, value_name = "NAME", default_value = "trust_co")]
    algorithm: String,
    /// The algorithm for plain executions.
    #[arg(long, value_name = "NAME", default_value = "trust")]
    plain_algorithm: String,
    /// Lets the final states be listed, as they are when no condition is given. Without it, they are not: other tools list
    /// none.
    #[arg(long)]
    outcomes: bool,
    /// The binary to measure: without it, the one beside this.
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Writes the report into the book too, between the two markers of its chapter.
    #[arg(long)]
    book: bool,
}

#[derive(Subcommand)]
enum Task {
    /// Runs the fixed workload once, and says how many of its look-ups were successful.
    Workload,
    /// Writes a long history of 8 threads.
    Record {
        /// Where.
        file: PathBuf,
        /// Of what.
        #[arg(value_parser = object)]
        object: Object,
        /// How many operations.
        operations: u32,
        /// First all insertions, then as many removals; else at random.
        #[arg(long)]
        inserts_first: bool,
    },
    /// Judges a history again and again, and prints the best time in seconds.
    Judge {
        /// Who does.
        by: judge::By,
        /// What.
        file: PathBuf,
    },
    /// Explores calls of an object again and again: the best time in seconds, whether they are linearizable, and how many executions.
    Check {
        /// Who does.
        by: exploring::Explorer,
        /// Of what: the name of a file in `public/objects/`.
        object: String,
        /// The calls of each thread: `push 1; pop || pop`.
        calls: String,
    },
    /// Measures safe schedules beside the tables of the thesis that they are from, and prints Markdown.
    Schedules(schedules::Schedules),
    /// Decomposes large graphs as decision diagrams, and prints Markdown.
    Fairness(fairness::Fairness),
    /// Finds all minimal repairs of some programs, and prints Markdown.
    Repair(repair::Repair),
}

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Executions with co, against GenMC and Nidhugg.
    Coherence,
    /// Plain executions, against Nidhugg.
    Plain,
    /// Locks, a stack and a queue, whose threads wait for each other.
    Waiting,
    /// Executions with co by Source-DPOR and Optimal-DPOR, against Nidhugg with the same.
    Dpor,
    /// RVF-SMC against RF-SMC.
    Values,
    /// The time for one execution by each algorithm.
    Algorithms,
    /// Random programs, plain against with co.
    Random,
    /// Many random programs under every model, plain against with co: takes half an hour, so only if asked for.
    Shares,
    /// On all cores against one.
    Threads,
    /// The time for one execution, by the size of the program.
    Sizes,
    /// How long a short test takes.
    Start,
    /// Histories of concurrent objects: long ones, the search against that of todc-utils, and code against lincheck.
    Histories,
    /// All clients of some objects, as large as they get within the limit, under the models: only if asked for.
    Clients,
    /// Memory implementations: what is known of all their runs, and how soon, against Rumur where that is there.
    Protocols,
    /// The same explorations natively and in the page that LITMOSCOPE_SITE names.
    #[cfg(feature = "browser")]
    Page,
}

impl Part {
    /// Those that take some minutes, all together.
    fn usual() -> Vec<Self> {
        Self::value_variants().iter().copied().filter(|part| !matches!(part, Self::Shares | Self::Clients)).collect()
    }
}

fn object(name: &str) -> Result<Object, String> {
    Object::ALL.into_iter().find(|object| object.name() == name).ok_or_else(|| format!("{name} is no object"))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.task {
        Some(Task::Workload) => {
            println!("{}", workload::run(workload::UNIT));
            Ok(Vec::new())
        }
        Some(Task::Record { file, object, operations, inserts_first }) => {
            histories::record(file, *object, *operations, *inserts_first).map(|()| Vec::new())
        }
        Some(Task::Judge { by, file }) => judge::judge_file(file, *by).map(|()| Vec::new()),
        Some(Task::Check { by, object, calls }) => exploring::check(*by, object, calls).map(|()| Vec::new()),
        Some(Task::Schedules(task)) => schedules::schedules(task).map(|()| Vec::new()),
        Some(Task::Fairness(task)) => fairness::fairness(task).map(|()| Vec::new()),
        Some(Task::Repair(task)) => repair::repair(task).map(|()| Vec::new()),
        None => report(&arguments),
    };
    match done {
        Ok(wrong) if wrong.is_empty() => ExitCode::SUCCESS,
        Ok(wrong) => {
            wrong.iter().for_each(|what| eprintln!("wrong: {what}"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures and prints; what was wrong.
fn report(arguments: &Arguments) -> Result<Vec<String>, Failure> {
    let mut bench = Bench::new(arguments)?;
    let mut text = format!(
        "Measured on {}. Seconds are user and system CPU time of whole commands, the best of {}; multiples are those of the \
         fixed workload, which ran in between and took {:.3} s.\n",
        machine::describe(),
        count(arguments.runs.into(), "run"),
        bench.unit()?,
    );
    for part in &arguments.parts {
        text += "\n";
        text += &match part {
            Part::Coherence => parts::coherence(&mut bench, arguments)?,
            Part::Plain => parts::plain(&mut bench, arguments)?,
            Part::Waiting => parts::waiting(&mut bench, arguments)?,
            Part::Dpor => algorithms::dpor(&mut bench, arguments)?,
            Part::Values => algorithms::values(&mut bench, arguments)?,
            Part::Algorithms => algorithms::all(&mut bench, arguments)?,
            Part::Random => random::random(&mut bench, arguments)?,
            Part::Shares => random::shares(&mut bench, arguments)?,
            Part::Threads => parts::threads(&mut bench, arguments)?,
            Part::Sizes => parts::sizes(&mut bench, arguments)?,
            Part::Start => parts::start(&mut bench, arguments)?,
            Part::Histories => histories::histories(&mut bench, arguments)?,
            Part::Clients => clients::clients(&mut bench, arguments)?,
            Part::Protocols => protocols::protocols(&mut bench, arguments)?,
            #[cfg(feature = "browser")]
            Part::Page => page::page(&mut bench, arguments)?,
        };
    }
    print!("{text}");
    if arguments.book {
        let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/speed.md");
        let old = std::fs::read_to_string(&chapter)?;
        let new = markdown::put_between_markers(&old, &text).ok_or("the chapter has lost its markers")?;
        std::fs::write(&chapter, new)?;
    }
    Ok(bench.wrong)
}
