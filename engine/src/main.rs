//! The command line. It exits with 0 if nothing is wrong, 1 on an error, a race or a refuted condition, 2 on bad input
//! or usage, and 3 if nothing is wrong but not everything was explored.

mod cli;

use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use litmoscope::event_driven::Mailbox;
use litmoscope::explore::histories::Sight;
use litmoscope::explore::{MAX_UNROLL, Options};
use litmoscope::generate::Annotation;
use litmoscope::linearizability::{Format, Monitor, Object};
use litmoscope::model::Model;
use litmoscope::program::{Limits, Notation};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Stateless model checking under weak memory models.
#[derive(Parser)]
#[command(name = "litmoscope", version, max_term_width = 100)]
struct Command {
    #[command(subcommand)]
    task: Task,
    /// Take warnings about a program's text for errors: what would be read as something else, or left out, is refused
    #[arg(long, global = true)]
    strict: bool,
}

#[derive(Subcommand)]
enum Task {
    /// Explore every execution of a program.
    Explore(Explore),
    /// Explore all tests of a folder or an archive, and compare them with what herd or litmus has printed of them.
    Run(Run),
    /// Estimate how many executions a program has, and how long exploring them takes.
    Estimate(Estimate),
    /// Compare the memory models: which of them allow which final state of a program, and why the others do not.
    Compare(Compare),
    /// Say why a memory model does not allow an outcome: each execution that would end so, and what rules it out.
    WhyNot(WhyNot),
    /// Say whether an abstract execution, events with the sources of their reads, or an event-driven trace is consistent, and
    /// why.
    Verify(Verify),
    /// Say whether a history of a concurrent object is linearizable; why not, or when its operations can take effect.
    Linearize(Linearize),
    /// Say whether all runs of a memory implementation, such as a cache protocol, satisfy WRA, RA and SRA; if not, which does not.
    Protocol(Protocol),
    /// Find the smallest programs that tell two memory models apart.
    Separate(Separate),
    /// Let algorithms explore the same programs, size by size: classes, executions, steps, work and time.
    Race(Race),
    /// Read a program, an abstract execution, a trace or a series and say what is wrong or odd about it.
    Check(Check),
    /// Make litmus tests from cycles of relaxation edges.
    Generate(Generate),
    /// List the memory models.
    Models,
    /// List the algorithms.
    Algorithms,
    /// Print what lets a shell complete commands and options.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write manual pages, one for each command, to a folder.
    Man {
        /// The folder, such as ~/.local/share/man/man1.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// How to explore, whatever explores.
#[derive(Args, Clone)]
struct How {
    /// Rounds after which a loop is cut.
    #[arg(long, value_name = "N", default_value_t = Limits::default().unroll,
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_UNROLL)))]
    unroll: u32,
    /// Don't look for data races.
    #[arg(long)]
    no_races: bool,
    /// Let weak compare-and-swaps fail although they find what they expect.
    #[arg(long)]
    spurious: bool,
    /// Unroll loops that only wait, instead of exploring them as `assume`.
    #[arg(long)]
    unroll_spins: bool,
    /// Give up the search for one answer, such as whether one graph is consistent, after so many units of work, of some
    /// nanoseconds each. The result is bounded then.
    #[arg(long, value_name = "UNITS", default_value_t = Limits::default().search,
          value_parser = clap::value_parser!(u64).range(1..=1 << 60))]
    search_limit: u64,
}

impl How {
    fn options(&self) -> Options {
        let limits = Limits {
            unroll: self.unroll,
            unroll_spins: self.unroll_spins,
            search: self.search_limit,
            ..Limits::default()
        };
        Options { limits, no_races: self.no_races, spurious: self.spurious, ..Options::default() }
    }
}

/// What to explore and how.
#[derive(Args)]
struct What {
    /// The program: `.lit` in Litmoscope's notation, `.litmus` in one of herd's (C, X86, X86_64); `-` for standard
    /// input.
    file: PathBuf,
    /// The memory model, as `litmoscope models` lists them; else the one that the program names, else sc.
    #[arg(long)]
    model: Option<Model>,
    /// The algorithm, as `litmoscope algorithms` lists them; `auto` for the fastest one that counts executions without
    /// co and takes the other options.
    #[arg(long, default_value = "auto")]
    algorithm: cli::Choice,
    #[command(flatten)]
    how: How,
    /// Explore threads that do the same up to permutation (trust, trust_co).
    #[arg(long)]
    symmetry: bool,
    /// Explore only executions with an interleaving of at most K preemptions: switches away from a thread that could go
    /// on (trust_co under SC).
    #[arg(long, value_name = "K")]
    preemptions: Option<u32>,
    /// Explore only executions with an interleaving of at most K context switches (trust_co under SC).
    #[arg(long, value_name = "K")]
    contexts: Option<u32>,
    /// Give every handler this mailbox, whatever the text says: queue or multiset.
    #[arg(long, value_name = "KIND", value_parser = cli::mailbox)]
    mailbox: Option<Mailbox>,
    /// A number that the algorithm alone takes, as `litmoscope algorithms` lists them: `--set runs=10000`.
    #[arg(long = "set", value_name = "NAME=N", value_parser = cli::parameter)]
    parameters: Vec<(String, u32)>,
}

impl What {
    fn options(&self) -> Options {
        let Self { symmetry, preemptions, contexts, .. } = *self;
        Options { symmetry, preemptions, contexts, ..self.how.options() }
    }
}

#[derive(Args)]
#[command(after_help = "Exit status: 0 there is an estimate; 2 bad input or usage.")]
struct Estimate {
    #[command(flatten)]
    what: What,
    /// Make N random descents through the exploration; else as many as a second has time for.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    probes: Option<u64>,
    /// Choose other descents.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(Args)]
#[command(after_help = "Exit status: 0 nothing is wrong; 1 an assertion violation or other error, a data race or a \
                        condition that does not hold; 2 bad input or usage; 3 nothing is wrong, but not everything \
                        was explored: loops were cut, a question was left undecided, or the exploration ended \
                        early.")]
struct Explore {
    #[command(flatten)]
    what: What,
    /// Stop at the first error, data race or deadlock.
    #[arg(long)]
    stop_at_first: bool,
    /// Explore on N threads; else on all cores. Only some algorithms can; the results are the same.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// End after so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// Explore the first N executions only.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    max_executions: Option<u64>,
    /// Keep what was explored in FILE, to go on with later (--resume) whatever happens.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// How often to write the checkpoint.
    #[arg(long, value_name = "SECONDS", requires = "checkpoint", default_value = "5", value_parser = cli::seconds)]
    checkpoint_every: Duration,
    /// Go on from a checkpoint of the same exploration.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Write the results and the graphs worth showing to FILE, which the page opens.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Print a line of progress to standard error each second; without it, only on a terminal.
    #[arg(long)]
    progress: bool,
    /// Say what decided how many questions of consistency: what the exploration took its time for.
    #[arg(long)]
    explain_cost: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Print the results as herd does. Executions are counted with co, as those of herd, unless --algorithm says otherwise.
    #[arg(long, conflicts_with = "json")]
    herd: bool,
    /// Write each execution to DIR, in Graphviz's language.
    #[arg(long, value_name = "DIR")]
    dot: Option<PathBuf>,
    /// Print a link to the first violation (else to the first execution) for the page at this address; with --json, to
    /// standard error.
    #[arg(long, value_name = "BASEURL")]
    link: Option<String>,
    /// Print neither notes and warnings on the program nor progress.
    #[arg(long)]
    quiet: bool,
}

#[derive(Args)]
#[command(
    after_help = "Beside a test `SB.litmus`, `SB.litmus.expected` or `SB.expected` is what herd or litmus has printed of it. Files of \
                        folders and archives that end in .log are what they have printed of many tests, which are found by their names.\n\n\
                        Exit status: 0 all tests are as expected, and those of which nothing is expected are ok; 1 some differ or are \
                        violated; 2 bad input or usage; 3 some were not explored to their ends."
)]
struct Run {
    /// Tests; and folders and archives (.zip, .tar, .tar.gz, .tgz) whose tests are run: files that end in .lit or .litmus, in the order
    /// of their names.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The memory model; else the one that each program names, else sc.
    #[arg(long)]
    model: Option<Model>,
    /// The algorithm, as for `explore`.
    #[arg(long, default_value = "auto")]
    algorithm: cli::Choice,
    #[command(flatten)]
    how: How,
    /// What herd or litmus has printed of many tests, which are found by their names.
    #[arg(long, value_name = "FILE")]
    log: Vec<PathBuf>,
    /// Run N tests at a time; else as many as there are cores.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// End each test after so many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = cli::seconds)]
    timeout: Duration,
    /// Of what differs, print why: an execution, or the cycle that rules it out.
    #[arg(long)]
    explain: bool,
    /// Print links of what differs for the page at this address.
    #[arg(long, value_name = "BASEURL")]
    link: Option<String>,
    /// Print one JSON object a line for each test.
    #[arg(long)]
    json: bool,
    /// Print the results as herd does.
    #[arg(long, conflicts_with = "json")]
    herd: bool,
    /// Write the results to FILE as JUnit's XML, which build servers show.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 everything was compared; 2 bad input or usage; 3 loops, candidate executions or \
                        explorations were cut, or a question was left undecided."
)]
struct Compare {
    /// The program, as for `explore`.
    file: PathBuf,
    /// The memory models, with commas between them, or `all`.
    #[arg(long, value_name = "MODELS", default_value = "all")]
    models: String,
    #[command(flatten)]
    how: How,
    /// Graphs to build in search of candidate executions; with more, only outcomes that some model allows are listed.
    #[arg(long, value_name = "N")]
    candidates: Option<usize>,
    /// Steps to explore under each model.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Print the graphs of witnesses and of forbidden candidates.
    #[arg(long)]
    explain: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[command(after_help = "Exit status: 0 the outcome is allowed, and an execution that ends so is printed; 1 it is \
                        forbidden, and everything that would end so is printed with what rules it out; 2 bad input or \
                        usage; 3 loops, candidate executions or the exploration were cut, or a question was left \
                        undecided.\n\n\
                        Example:\n  litmoscope why-not sb.lit \"a=0, b=0\" --model sc")]
struct WhyNot {
    /// The program, as for `explore`.
    file: PathBuf,
    /// The outcome, such as `a=0, b=0` or `P0:a=0 /\\ x=1`; else what the program's condition asks for.
    outcome: Option<String>,
    /// The memory model; else the one that the program names, else sc.
    #[arg(long)]
    model: Option<Model>,
    #[command(flatten)]
    how: How,
    /// Graphs to build in search of candidate executions.
    #[arg(long, value_name = "N")]
    candidates: Option<usize>,
    /// Steps to explore in search of an execution that ends so.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Print the graphs of what is ruled out too.
    #[arg(long)]
    explain: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 it is consistent, and its witness is printed (an execution without --model: every \
                        model has an answer); 1 it is inconsistent, and the reason is printed; 2 bad input or usage; 3 the \
                        search was cut or stopped.\n\n\
                        An execution is written as the events of each thread:\n  \
                        T1: w x 1; r y 0 <- init\n  \
                        T2: w y 1; r x 0 <- init\n\n\
                        An event-driven trace begins with `trace` and has handlers, their mailboxes and messages:\n  \
                        trace click\n  \
                        handler ui queue\n  \
                        initial start on ui: w text 1; post click\n  \
                        message click on ui: r text 1\n\n\
                        Examples:\n  litmoscope verify sb.exec --model tso --explain\n  \
                        litmoscope verify search-only.exec --model sc --tree\n  \
                        litmoscope verify e1.trace --mailbox multiset --explain"
)]
struct Verify {
    /// The execution or the trace: `-` for standard input.
    file: PathBuf,
    /// Executions: the memory model, as `litmoscope models` lists them; without it, all of them.
    #[arg(long)]
    model: Option<Model>,
    /// Print how it was found out: the edges of the closure with their rules; of a trace, all orders that were derived and
    /// guessed.
    #[arg(long)]
    explain: bool,
    /// Executions: print the search as a tree: what each state has chosen, which moves lead to states seen before, and why a state has
    /// no move. At most N states, 200 unless told otherwise.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "200",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    tree: Option<u32>,
    /// Executions: search without the closure.
    #[arg(long)]
    no_closure: bool,
    /// Executions under SC: choose among all moves, also where one can't be wrong.
    #[arg(long)]
    no_greedy: bool,
    /// Executions: search every state that can be reached: the baseline of the other algorithms.
    #[arg(long)]
    naive: bool,
    /// Executions: the most states to reach.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    states: Option<u64>,
    /// Traces: give every handler this mailbox, whatever the text says: queue or multiset.
    #[arg(long, value_name = "KIND", value_parser = cli::mailbox)]
    mailbox: Option<Mailbox>,
    /// Traces: ask a SAT solver instead of saturating and guessing. It gives no reasons.
    #[arg(long, conflicts_with = "explain")]
    sat: bool,
    /// Traces: give up after so many units of work, of some nanoseconds each.
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(u64).range(1..=1 << 60))]
    search_limit: Option<u64>,
    /// Print JSON: an object; of an execution without --model a list of them.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 linearizable; 1 not; 2 bad input or usage; 3 unknown. Of several histories in a file, each is \
                        judged by itself, and the status is 1 if one is not linearizable, else 3 if one is unknown."
)]
struct Linearize {
    /// The history, or a program with an object (`.lit`); `-` for standard input. What it is is told by its content.
    file: PathBuf,
    /// Programs: the memory model; else the one that the program names, else sc.
    #[arg(long)]
    model: Option<Model>,
    /// Programs: what says that an operation returned before another one was called. `hb`: the program itself. `client`: besides, any
    /// messages that a client might send between operations; the default. `time`: the clock of a run (sc, tso, pso).
    #[arg(long, value_name = "NAME", value_parser = cli::sight)]
    order: Option<Sight>,
    /// Programs: in place of the threads, and of what is before and behind them, all clients of up to M operations in at most N threads.
    #[arg(long, value_name = "NxM", value_parser = cli::clients)]
    clients: Option<(usize, usize)>,
    /// Programs: judge on N threads; else on all cores. The results are the same.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Programs: rounds after which a loop is cut.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_UNROLL)))]
    unroll: Option<u32>,
    /// Programs: unroll loops that only wait, which counts the histories that they make longer.
    #[arg(long)]
    unroll_spins: bool,
    /// Draw here: of a program, the execution that is shown, a frame around each call; of histories, a bar an operation, with where each
    /// takes effect or with what contradicts itself.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Histories: what the object is, whatever the text says: stack, queue, set, multiset, priority-queue, register or counter.
    #[arg(long, value_name = "KIND", value_parser = cli::object)]
    object: Option<Object>,
    /// Histories: who judges: `fast` and `published` are the monitors of stacks, queues, sets and multisets, `search` knows every object; `auto`
    /// takes the fast monitor where it knows the history, else the search; the default.
    #[arg(long, value_name = "NAME", value_parser = cli::monitor)]
    monitor: Option<Monitor>,
    /// Print the order in which the operations can take effect.
    #[arg(long)]
    explain: bool,
    /// Of a history that is not linearizable, do not look for the few operations that contradict each other.
    #[arg(long)]
    no_minimise: bool,
    /// Sets: print as well what the rules say that the literature prints and that accept too much.
    #[arg(long)]
    as_printed: bool,
    /// Histories: the format, whatever the content looks like: text, calls, bars, edn, log, json, porcupine, limo or csv.
    #[arg(long, value_name = "NAME", value_parser = cli::format)]
    format: Option<Format>,
    /// Histories: what a name of an operation means: `deq=remove`.
    #[arg(long, value_name = "NAME=NAME", value_parser = cli::renaming)]
    map: Vec<(String, String)>,
    /// Histories: a removal that failed found nothing. Else it did not happen.
    #[arg(long)]
    fail_is_empty: bool,
    /// Write the linearization here: a line an operation, in the order in which they take effect. Of a program, the history of the
    /// execution that is shown, which `linearize` judges.
    #[arg(long, value_name = "FILE")]
    witness: Option<PathBuf>,
    /// Give up after so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// Let the search give up after so many units of work, of some nanoseconds each.
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(u64).range(1..=1 << 60))]
    search_limit: Option<u64>,
    /// Print JSON: an object for each history, or for each object of a program, a line each.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 it holds; 1 it is violated (with --program: an error, or a condition that does not hold); 2 bad \
                        input or usage; 3 unknown or bounded.\n\n\
                        Examples:\n  litmoscope protocol public/protocols/tso.protocol --set slots=2,variables=1\n  \
                        litmoscope protocol public/protocols/broadcast.protocol --model wra --set threads=3 --explain"
)]
struct Protocol {
    /// The protocol or machine, or `-` for standard input.
    file: PathBuf,
    /// Set parameters of the protocol: `threads=3,slots=2`.
    #[arg(long, value_name = "NAME=NUMBER", value_delimiter = ',', value_parser = cli::protocol::setting)]
    set: Vec<(String, i64)>,
    /// What all runs are to satisfy: wra, ra or sra; all three unless told otherwise.
    #[arg(long, value_name = "MODEL", value_parser = cli::protocol::causality)]
    model: Option<litmoscope::protocol::Causality>,
    /// What registers hold that were never written: `written`, the initial write of their variable, or `nothing`: a read of it has no
    /// source, as the literature has it.
    #[arg(long, value_name = "WHAT", value_parser = cli::protocol::initial)]
    initial: Option<litmoscope::protocol::Initial>,
    /// Judge this run alone: `W T1 x a; b := a; R T2 x b`.
    #[arg(long, value_name = "STEPS", conflicts_with_all = ["steps", "model", "json"])]
    run: Option<String>,
    /// Look at runs of at most so many steps. The result is bounded then.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: Option<u32>,
    /// Search up to exchanging the threads, variables and registers of the protocol that can be exchanged.
    #[arg(long, conflicts_with_all = ["run", "program"])]
    symmetry: bool,
    /// Run this program on the protocol instead, in every way, and compare what it may see with what memory models allow.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["run", "model", "steps", "initial", "as_printed"])]
    program: Option<PathBuf>,
    /// Rounds after which a loop of the program is cut.
    #[arg(long, value_name = "N", default_value_t = Limits::default().unroll, requires = "program",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_UNROLL)))]
    unroll: u32,
    /// Automata: make the machine as the literature prints it, which violates RA whatever the automata are.
    #[arg(long)]
    as_printed: bool,
    /// Print the machine that the protocol stands for.
    #[arg(long)]
    expand: bool,
    /// Print the way of each value, the shape of the cycle, and which other models allow the run.
    #[arg(long)]
    explain: bool,
    /// Write the machine here as a drawing for Graphviz.
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Write the machine and the search for violations of --model here as a model for Murphi, for Rumur or CMurphi to check.
    #[arg(long, value_name = "FILE", requires = "model")]
    murphi: Option<PathBuf>,
    /// Search on N threads; else on all cores. Verdicts and runs are the same.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Let each search give up after so many configurations.
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    configurations: u64,
    /// Give up after so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 both directions are settled; 2 bad input or usage; 3 nothing was found up to the \
                        bound. Going through all programs of 4 events takes seconds, of 5 minutes, of 6 hours."
)]
struct Separate {
    /// A memory model.
    first: Model,
    /// Another.
    second: Model,
    /// How many threads: a number or a range.
    #[arg(long, value_name = "A..B", default_value = "2..4")]
    threads: String,
    /// The most events, fences among them.
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = clap::value_parser!(u8).range(1..=litmoscope::compare::MAX_EVENTS as i64))]
    events: u8,
    /// The most shared locations.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=4))]
    locations: u8,
    /// The notation to print programs in: litmoscope, c, x86 or x86_64.
    #[arg(long, value_name = "NOTATION", default_value = "litmoscope", value_parser = notation)]
    dialect: Notation,
    /// Print a JSON list.
    #[arg(long)]
    json: bool,
}

fn notation(name: &str) -> Result<Notation, String> {
    match name.to_ascii_lowercase().as_str() {
        "litmoscope" | "lit" => Ok(Notation::Litmoscope),
        "c" | "c11" => Ok(Notation::C11),
        "x86" => Ok(Notation::X86),
        "x86_64" => Ok(Notation::X86_64),
        _ => Err("the notations are litmoscope, c, x86 and x86_64".to_owned()),
    }
}

#[derive(Args)]
#[command(after_help = "A series is a program of any size, written once:\n  \
                        series rows\n  \
                        sizes 1..6\n  \
                        $each i in 1..n joined \" || \" { x := 1; a$i := x }\n\n\
                        Exit status: 0 everything was explored; 2 bad input or usage; 3 something was ended at its limit or \
                        stopped.\n\n\
                        Examples:\n  \
                        litmoscope race rows.series --sizes 1..5 --algorithms source_dpor,rvf_smc\n  \
                        litmoscope race rows.series --print 3")]
struct Race {
    /// The series, or one program; `-` for standard input.
    file: PathBuf,
    /// The algorithms, with commas between them; else all that explore everything, but for brute force.
    #[arg(long, value_name = "ALGORITHMS")]
    algorithms: Option<String>,
    /// The sizes: a number or a range; else those that the series names.
    #[arg(long, value_name = "A..B")]
    sizes: Option<String>,
    /// The memory model; else the one that the program names, else sc.
    #[arg(long)]
    model: Option<Model>,
    /// The number of the root thread, from 1, for what has one: value-centric and data-centric classes and algorithms.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    root: u16,
    /// Don't count classes.
    #[arg(long)]
    no_classes: bool,
    /// How long one algorithm may take at one size.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = cli::seconds, allow_negative_numbers = true)]
    timeout: Duration,
    #[command(flatten)]
    how: How,
    /// Print the program of a size, and race nothing.
    #[arg(long, value_name = "N", conflicts_with_all = ["json", "svg"])]
    print: Option<u32>,
    /// Write plots to FILE, as SVG.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Show no progress.
    #[arg(long)]
    quiet: bool,
}

#[derive(Args)]
struct Check {
    /// The text: a program, as for `explore`, an abstract execution, as for `verify`, or a series, as for `race`.
    file: PathBuf,
    /// Print errors only.
    #[arg(long)]
    quiet: bool,
}

#[derive(Args)]
#[command(
    group = clap::ArgGroup::new("what").required(true).args(["cycle", "family", "vocabulary"]),
    after_help = "Edges, in diy's vocabulary: Pod** and Pos** (program order to another or the same location; R or W for \
                  each *), Rfe, Fre, Coe (communication between threads), Rfi, Fri, Coi (within one), MFenced** (x86), \
                  FenceScd**, FenceARd**, FenceReld**, FenceAcqd** (C11), DpAddrd*, DpDatadW, DpCtrld* (dependencies), \
                  Exch, FetchAdd, Cas (read-modify-writes); each with `s` instead of `d` for the same location. Behind an \
                  edge, both events' annotations: Na, Rlx, Acq, Rel, AR, Sc, or A for a locked write, as in \
                  PodWWRlxRel. --vocabulary explains them.\n\n\
                  Examples:\n  \
                  litmoscope generate PodWW Rfe PodRR Fre\n  \
                  litmoscope generate --dialect c11 \"PodWWRlxRel RfeRelAcq PodRRAcqRlx FreRlxRlx\"\n  \
                  litmoscope generate --dialect x86 --family --threads 2 --length 4 --output tests\n\n\
                  Exit status: 0 all tests were made; 2 bad input or usage; 3 there are more tests than --limit."
)]
struct Generate {
    /// The cycle: edges, each from one event to the next.
    cycle: Vec<String>,
    /// The test's language: litmoscope, c11, x86 or x86_64.
    #[arg(long, value_name = "DIALECT", default_value = "litmoscope", value_parser = cli::generate::dialect)]
    dialect: Notation,
    /// How events access memory whose edges do not say so: na, rlx, ar (acquire reads, release writes) or sc; without it,
    /// rlx, and plain on x86.
    #[arg(long, value_name = "MODE")]
    default: Option<Annotation>,
    /// The test's name, instead of the one that the literature has for it.
    #[arg(long, conflicts_with = "family")]
    name: Option<String>,
    /// Make all critical cycles of some edges, each once.
    #[arg(long)]
    family: bool,
    /// The family's edges; `*` stands for R and W. Without it: Pod** Rfe Fre Coe, on x86 MFenced** too.
    #[arg(long, value_name = "EDGES", requires = "family")]
    edges: Option<String>,
    /// Annotations for the family's edges that have none, with commas: rlx,ar,sc.
    #[arg(long, value_name = "MODES", requires = "family", value_delimiter = ',')]
    modes: Option<Vec<Annotation>>,
    /// How many threads the family's tests have.
    #[arg(long, value_name = "FROM..TO", requires = "family", default_value = "2..4")]
    threads: cli::generate::Numbers,
    /// How many edges the family's cycles have.
    #[arg(long, value_name = "FROM..TO", requires = "family", default_value = "4..6")]
    length: cli::generate::Numbers,
    /// Also cycles that are not critical: more than two events in a thread, or events that a shorter cycle leaves out.
    #[arg(long, requires = "family")]
    free: bool,
    /// How many tests of a family to make at most.
    #[arg(long, value_name = "N", requires = "family", default_value_t = 10_000)]
    limit: u64,
    /// Print only how many tests a family has.
    #[arg(long, requires = "family", conflicts_with = "output")]
    count: bool,
    /// Write each test to a file of its name in this folder; a file that holds something else stays.
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Overwrite files.
    #[arg(long, requires = "output")]
    force: bool,
    /// List the edges of the dialect, with what each says.
    #[arg(long)]
    vocabulary: bool,
}

fn main() -> ExitCode {
    let Command { task, strict } = Command::parse();
    if strict {
        cli::refuse_warnings();
    }
    let done = match task {
        Task::Explore(task) => cli::explore(&task),
        Task::Run(task) => cli::run::run(&task),
        Task::Estimate(task) => cli::estimate(&task),
        Task::Compare(task) => cli::compare(&task),
        Task::WhyNot(task) => cli::why_not(&task),
        Task::Verify(task) => cli::verify(&task),
        Task::Protocol(task) => cli::protocol::protocol(&task),
        Task::Linearize(task) => cli::linearize(&task),
        Task::Separate(task) => cli::separate(&task),
        Task::Race(task) => cli::race(&task),
        Task::Check(task) => cli::check(&task),
        Task::Generate(task) => cli::generate::run(&task),
        Task::Models => cli::models(),
        Task::Algorithms => cli::algorithms(),
        Task::Completions { shell } => cli::completions(&mut Command::command(), shell),
        Task::Man { folder } => cli::manual(Command::command(), &folder),
    };
    ExitCode::from(done.unwrap_or_else(|cli::Failure(message)| {
        cli::complain(&message);
        2
    }))
}
