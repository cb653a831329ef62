//! The command line. It exits with 0 if nothing is wrong, 1 on an error, a race or a refuted condition (`exists` is a question, which
//! nothing refutes), 2 on bad input or usage, and 3 if nothing is wrong but not everything was explored.

mod cli;

use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use litmoscope::explore::{MAX_UNROLL, Options};
use litmoscope::generate::Annotation;
use litmoscope::histories::executions::Sight;
use litmoscope::histories::{Format, Monitor, Object};
use litmoscope::model::Model;
use litmoscope::program::{Limits, Notation};
use litmoscope::traces::Mailbox;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Stateless model checking under weak memory models.
#[derive(Parser)]
#[command(name = "litmoscope", version, max_term_width = 100)]
struct Command {
    #[command(subcommand)]
    task: Task,
    /// Treat warnings about a program's text as errors: refuse a text of which something is left out or read as
    /// something else
    #[arg(long, global = true)]
    strict: bool,
}

#[derive(Subcommand)]
enum Task {
    /// Explore every execution of a program.
    Explore(Explore),
    /// Cut an exploration into parts, each a file that any machine can explore.
    Split(Split),
    /// Explore a part that `split` has cut, or go on with it.
    Part(PartTask),
    /// Put together what was found in the parts of an exploration, and say what is left.
    Join(Join),
    /// Explore all tests of a folder or an archive, and compare the results with what herd or litmus printed.
    Run(Run),
    /// Estimate how many executions a program has, and how long it takes to explore them.
    Estimate(Estimate),
    /// Compare the memory models: which of them allow which final states of a program, and why the others do not.
    Compare(Compare),
    /// Say why a memory model does not allow an outcome: each execution with that outcome, and what rules it out.
    WhyNot(WhyNot),
    /// Find what would forbid an outcome: all minimal repairs by modes, fences and exchanges, each with the cycle that rules the outcome out.
    Repair(Repair),
    /// Find what is not needed: all maximal ways to weaken modes and drop fences so that nothing goes wrong.
    Relax(Relax),
    /// Say whether an abstract execution (events and the sources of their reads) or an event-driven trace is
    /// consistent, and why.
    Verify(Verify),
    /// Say whether a history of a concurrent object is linearizable, and when its operations can take effect or why
    /// not.
    Linearize(Linearize),
    /// Say whether all runs of a memory implementation, such as a cache protocol, satisfy WRA, RA and SRA, or show a
    /// run that does not.
    Protocol(Protocol),
    /// Find schedules under which every run of a program, which may run for ever, is proven free of errors and deadlocks, and fair.
    #[command(subcommand)]
    Schedule(ScheduleTask),
    /// Say who can wait for ever: in a program under a promise of its scheduler, or in a graph with pairs of sets. A run or a strategy
    /// shows it.
    Fairness(FairnessTask),
    /// Find the smallest programs that tell two memory models apart.
    Separate(Separate),
    /// Let algorithms explore the same programs, size by size, and compare classes, executions, steps, work and time.
    Race(Race),
    /// Read a program, an abstract execution, a trace or a series, and say what is wrong or odd about it.
    Check(Check),
    /// Make litmus tests from cycles of relaxation edges.
    Generate(Generate),
    /// Write the atlas of litmus tests: a page for each test that the literature names, and for each program of the gallery.
    Atlas(AtlasTask),
    /// List the memory models.
    Models,
    /// List the algorithms.
    Algorithms,
    /// Print a script that lets a shell complete commands and options.
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

#[derive(Subcommand)]
enum ScheduleTask {
    /// Verify a program schedule by schedule. Print each set of schedules as it is proven right, each run that goes wrong, and the
    /// verdict on all of them. A program is sequentially consistent here, and may run for ever.
    #[command(after_help = SCHEDULE_STATUS)]
    Verify(ScheduleVerify),
    /// Print by which constraints all runs of a trace of a program, whose threads end, are right for all inputs. Drop the constraints one
    /// after the other, each when all traces are verified that are possible without it, and say how many these are.
    #[command(after_help = SCHEDULE_STATUS)]
    Trace(ScheduleTrace),
    /// Say what a saved set of schedules, or one that was written by hand, promises: whether all runs that it allows are safe, go on, have no
    /// deadlock, and are fair.
    #[command(
        after_help = "Exit status: 0 all five properties hold; 1 one does not; 2 bad input or usage; 3 it is not known."
    )]
    Check(ScheduleCheck),
    /// Write a program of real threads that keep to schedules that are proven right, or to a run that goes wrong.
    Export(ScheduleExport),
    /// Run the program's threads, each a real one, under schedules that are proven right, and count the useful rounds of each.
    #[command(
        after_help = "Exit status: 0 nothing went wrong; 1 an error, or threads that wait for each other; 2 bad input or usage; 3 there is no \
                            schedule to keep to."
    )]
    Run(ScheduleRun),
}

#[derive(Args, Clone)]
#[command(
    after_help = "Without a question, a program is asked who can wait for ever at each lock, channel and loop with an end.\n\n\
                        Exit status: 0 nobody can, or the start does not win; 1 found, with a run or a strategy; 2 bad input or usage; \
                        3 bounded: not everything was looked at.\n\n\
                        Examples:\n  litmoscope fairness public/fairness/ttas.lit\n  \
                        litmoscope fairness public/fairness/peterson.lit --model tso --ask 'P0 at 4..5 for ever'\n  \
                        litmoscope fairness --family blocks:3 --compare"
)]
struct FairnessTask {
    /// A program (`.lit`, `.litmus`), a graph (`.fairness`, `.tra` of PRISM or Storm, `.aut`, `.dot`, `.json`), or `-` for standard input.
    #[arg(required_unless_present = "family", conflicts_with = "family")]
    file: Option<PathBuf>,
    /// Take a graph of a family instead of a file: path, cycle, hypercube, cascade or blocks, with its size.
    #[arg(long, value_name = "NAME:N", value_parser = cli::fairness::family)]
    family: Option<cli::fairness::Family>,
    /// Ask whether a run may do this: `P0 at 5..7 for ever`, `x = 1 again and again`, `not P1 moves finitely often`, `requests -> grants`.
    /// Several have to be so in one run.
    #[arg(long, value_name = "QUESTION")]
    ask: Vec<String>,
    /// Ask the pairs of this file as well, a line each: `"requests" -> "grants"`.
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
    /// What is promised to threads: none, weak (who can move all the time moves) or strong (who can move again and again moves again and
    /// again).
    #[arg(long, value_name = "PROMISE", default_value = "strong", value_parser = cli::fairness::promise)]
    fair: litmoscope::fairness::Fairness,
    /// What is promised to store buffers. By default, as to threads.
    #[arg(long, value_name = "PROMISE", value_parser = cli::fairness::promise)]
    fair_buffers: Option<litmoscope::fairness::Fairness>,
    /// What is promised to one thread: `P0=none`.
    #[arg(long, value_name = "THREAD=PROMISE", value_parser = cli::fairness::promise_to)]
    fair_thread: Vec<(String, litmoscope::fairness::Fairness)>,
    /// The memory model of a program: sc, tso or pso.
    #[arg(long, value_name = "MODEL")]
    model: Option<Model>,
    /// How many entries the store buffer of a thread has. A thread waits for room; the answer is bounded if one ever does and nothing was found.
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..=i64::from(litmoscope::fairness::MOST_ENTRIES)))]
    buffer: u32,
    /// Who chooses the thread that moves next.
    #[arg(long, value_name = "WHO", default_value = "player")]
    scheduler: cli::fairness::Scheduler,
    /// The algorithm.
    #[arg(long, value_name = "NAME", default_value = "improved")]
    algorithm: cli::fairness::Algorithm,
    /// From how many vertices that lost edges on a candidate is decomposed anew: a number, log, root (as the theorem has it) or never.
    #[arg(long, value_name = "N", default_value = "root", value_parser = cli::fairness::threshold)]
    threshold: litmoscope::fairness::Threshold,
    /// The algorithm for end components, where another one needs them.
    #[arg(long, value_name = "NAME", default_value = "basic")]
    end_components: cli::fairness::Algorithm,
    /// Take attractors of what leaks in all of the graph, as printed, instead of in the candidate.
    #[arg(long)]
    attractors_anywhere: bool,
    /// What sets are. Both say the same.
    #[arg(long, value_name = "KIND", default_value = "bits")]
    back_end: cli::fairness::BackEnd,
    /// The order of a program's bits in diagrams: shared-first, shared-last or points.
    #[arg(long, value_name = "ORDER", default_value = "shared-first", value_parser = cli::fairness::order)]
    order: litmoscope::fairness::Order,
    /// Multiply with this automaton (HOA): its propositions are labels of the graph, or claims on the program such as `P0 at 3`.
    #[arg(long, value_name = "FILE")]
    product: Option<PathBuf>,
    /// Print the maximal end components alone.
    #[arg(long, conflicts_with_all = ["sccs", "compare"])]
    mecs: bool,
    /// Print the strongly connected components alone.
    #[arg(long, conflicts_with = "compare")]
    sccs: bool,
    /// Decompose without skeletons, which takes quadratically many steps on a path.
    #[arg(long, requires = "sccs")]
    no_skeletons: bool,
    /// Print what each algorithm counts on the same graph.
    #[arg(long)]
    compare: bool,
    /// Make so many per cent of a graph's vertices random.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=100))]
    random_vertices: Option<u32>,
    /// Choose them by this seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Labels of a `.tra`. By default, the `.lab` beside it.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// States of a `.tra`. By default, the `.sta` beside it.
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// Let vertices of an `.aut` know the action taken last, so that pairs can speak of actions.
    #[arg(long)]
    last_action: bool,
    /// Print each step of the algorithm.
    #[arg(long)]
    explain: bool,
    /// Hold what has to be so of the work list against the graph after each step, and say what is not. For graphs whose sets are bits.
    #[arg(long, conflicts_with_all = ["compare", "mecs", "sccs"])]
    invariants: bool,
    /// Write the graph to FILE, for Graphviz, with what wins.
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Write the graph to FILE, with what wins as sets: as `.fairness`, `.tra` with `.lab` and `.sta`, `.aut`, `.dot` or `.json`.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// List up to N vertices or states.
    #[arg(long, value_name = "N", default_value_t = litmoscope::fairness::MOST_VERTICES)]
    states: usize,
    /// Let diagrams have up to N nodes.
    #[arg(long, value_name = "N", default_value_t = litmoscope::fairness::MOST_NODES)]
    nodes: usize,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

const SCHEDULE_STATUS: &str = "Exit status: 0 the program is safe; 1 an error or a deadlock was found, so also if it is partially safe; \
                               2 bad input or usage; 3 neither: not everything was looked at.";

/// Which schedules.
#[derive(Args)]
struct Schedules {
    /// The program: a `.lit` file in Litmoscope's notation, a `.litmus` file in one of herd's (C, X86, X86_64), or `-` for standard input.
    file: PathBuf,
    /// Take the schedules from this file, which `verify --save` wrote. By default, the program is verified first.
    #[arg(long, value_name = "FILE")]
    result: Option<PathBuf>,
    /// Verify so many iterations, each of which adds a schedule.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "result")]
    iterations: u32,
    /// How much schedules are loosened: 0 lets one thread run at a time; 1 orders only what depends on each other, and leaves out locks that the
    /// rest implies; 2 also joins up to 8 rounds, and tells elements of arrays apart.
    #[arg(long, value_name = "LEVEL", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=2))]
    opt: u8,
}

#[derive(Args)]
struct ScheduleTrace {
    /// The program: a `.lit` file in Litmoscope's notation, a `.litmus` file in one of herd's (C, X86, X86_64), or `-` for standard input.
    file: PathBuf,
    /// Which constraint to drop first.
    #[arg(long, value_name = "STRATEGY", default_value = "few-wait-often")]
    strategy: cli::schedule::trace::First,
    /// Stop when so many constraints were dropped.
    #[arg(long, value_name = "N")]
    drops: Option<u32>,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct ScheduleCheck {
    /// The program: a `.lit` file in Litmoscope's notation, a `.litmus` file in one of herd's (C, X86, X86_64), or `-` for standard input.
    file: PathBuf,
    /// The set of schedules, as JSON.
    result: PathBuf,
    /// Give up at so many states of the program.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    states: u32,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
}

#[derive(Args)]
struct ScheduleExport {
    #[command(flatten)]
    schedules: Schedules,
    /// What to write: a program in Rust or in C, the schedules as JSON, or as a tree for Graphviz.
    #[arg(long, value_name = "LANGUAGE")]
    to: cli::schedule::To,
    /// Keep to the first run that goes wrong instead, so that it goes wrong every time.
    #[arg(long, conflicts_with = "result")]
    counterexample: bool,
    /// Keep to no schedule.
    #[arg(long, conflicts_with_all = ["result", "counterexample"])]
    unconstrained: bool,
}

#[derive(Args)]
struct ScheduleRun {
    #[command(flatten)]
    schedules: Schedules,
    /// Run for so many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = cli::seconds)]
    seconds: Duration,
    /// Keep to no schedule.
    #[arg(long)]
    unconstrained: bool,
    /// Go on verifying on another thread. Each larger set of schedules takes over at the end of a section. Nothing is left out of schedules
    /// then.
    #[arg(long, conflicts_with_all = ["unconstrained", "result", "iterations"])]
    while_verifying: bool,
    /// Look at each event as it happens, and end at the first that the schedules do not allow.
    #[arg(long)]
    monitor: bool,
    /// Draw inputs by this seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(Args)]
struct ScheduleVerify {
    /// The program: a `.lit` file in Litmoscope's notation, a `.litmus` file in one of herd's (C, X86, X86_64), or `-` for standard input.
    file: PathBuf,
    /// Stop after this many iterations, each of which adds a schedule.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    iterations: Option<u32>,
    /// Look at all schedules at once, for the verdict alone: print no sets of schedules, and stop at the first run that goes wrong.
    #[arg(long, conflicts_with_all = ["iterations", "save", "round_robin"])]
    complete: bool,
    /// What labels are. Both say the same.
    #[arg(long, value_name = "KIND", default_value = "formulas")]
    back_end: cli::schedule::BackEnd,
    /// Write the last set of schedules that is proven right to FILE, as JSON.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Write the verifier's tree to FILE, for Graphviz: what is proven, what is wrong, and what is not yet known.
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Let threads run round robin. By default, the one that ran least recently runs next.
    #[arg(long)]
    round_robin: bool,
    /// Expand threads at nodes where their steps commute with the one before as well.
    #[arg(long)]
    no_reduction: bool,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// How to explore, whatever explores.
#[derive(Args, Clone)]
struct How {
    /// Cut each loop after N rounds.
    #[arg(long, value_name = "N", default_value_t = Limits::default().unroll,
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_UNROLL)))]
    unroll: u32,
    /// Don't look for data races.
    #[arg(long)]
    no_races: bool,
    /// Don't look for threads that wait in loops for good.
    #[arg(long)]
    no_stuck_loops: bool,
    /// Let weak compare-and-swaps fail even if they read the expected value.
    #[arg(long)]
    spurious: bool,
    /// Unroll loops that only wait, instead of treating them as `assume`.
    #[arg(long)]
    unroll_spins: bool,
    /// Stop the search for one answer, such as whether one graph is consistent, after this many units of work. A unit
    /// takes some nanoseconds. If a search stops, the result is bounded.
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
        let stuck_loops = !self.no_stuck_loops;
        Options { limits, no_races: self.no_races, stuck_loops, spurious: self.spurious, ..Options::default() }
    }
}

/// How many final states are listed.
#[derive(Args, Clone, Copy)]
struct Table {
    /// Keep up to this many bytes of final states, such as 64M or 1G, and list them. Of a program with more states, they are
    /// counted, but none is listed. A state takes 160 bytes, and 8 for each value.
    #[arg(long = "table", value_name = "BYTES", default_value = "8M", value_parser = cli::bytes)]
    bytes: u64,
}

impl Table {
    fn of(self, options: Options) -> Options {
        Options { limits: Limits { table: self.bytes, ..options.limits }, ..options }
    }
}

/// Which blocked executions are counted.
#[derive(Args, Clone, Copy)]
struct Blocked {
    /// Count every blocked execution (trust, trust_co). By default, a thread that waits reads the last write: executions
    /// in which it waits for no reason but that it reads an older one are left out.
    #[arg(long)]
    count_blocked: bool,
}

impl Blocked {
    fn of(self, options: Options) -> Options {
        Options { leave_out_waits: !self.count_blocked, ..options }
    }
}

/// What to explore and how.
#[derive(Args)]
struct What {
    /// The program: a `.lit` file in Litmoscope's notation, a `.litmus` file in one of herd's (C, X86, X86_64), or `-`
    /// for standard input.
    file: PathBuf,
    /// The memory model, one that `litmoscope models` lists. By default, the one that the program names, or else sc; of
    /// herd's C rc11, of herd's x86 tso.
    #[arg(long)]
    model: Option<Model>,
    /// The algorithm, one that `litmoscope algorithms` lists. `auto` is the fastest algorithm that counts executions
    /// without co and supports the other options.
    #[arg(long, default_value = "auto")]
    algorithm: cli::Choice,
    #[command(flatten)]
    how: How,
    /// Explore identical threads only up to permutation (trust, trust_co).
    #[arg(long)]
    symmetry: bool,
    #[command(flatten)]
    blocked: Blocked,
    /// Explore only executions with an interleaving of at most K preemptions. A preemption is a switch away from a
    /// thread that could continue (trust_co under SC).
    #[arg(long, value_name = "K")]
    preemptions: Option<u32>,
    /// Explore only executions with an interleaving of at most K context switches (trust_co under SC).
    #[arg(long, value_name = "K")]
    contexts: Option<u32>,
    /// Give every handler this kind of mailbox, whatever the text says: queue or multiset.
    #[arg(long, value_name = "KIND", value_parser = cli::mailbox)]
    mailbox: Option<Mailbox>,
    /// Set a parameter of the algorithm: `--set runs=10000`. `litmoscope algorithms` lists the parameters.
    #[arg(long = "set", value_name = "NAME=N", value_parser = cli::parameter)]
    parameters: Vec<(String, u32)>,
}

impl What {
    fn options(&self) -> Options {
        let Self { symmetry, preemptions, contexts, .. } = *self;
        Options { symmetry, preemptions, contexts, ..self.blocked.of(self.how.options()) }
    }
}

#[derive(Args)]
#[command(after_help = "Exit status: 0 there is an estimate; 2 bad input or usage; 3 it was stopped before its end.")]
struct Estimate {
    #[command(flatten)]
    what: What,
    /// Make N random descents through the exploration. By default, as many as fit into a second.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    probes: Option<u64>,
    /// Stop after this many seconds, with what is known by then.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// The seed of the random descents.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(Args)]
#[command(after_help = "Exit status: 0 nothing is wrong; 1 there is an assertion violation or another error, a data \
                        race, or a forall or ~exists that does not hold; 2 bad input or usage; 3 nothing is wrong, but not \
                        everything was explored: loops were cut, a question was left undecided, or the exploration \
                        ended early.")]
struct Explore {
    #[command(flatten)]
    what: What,
    /// Stop at the first error, data race or execution that is stuck for good.
    #[arg(long)]
    stop_at_first: bool,
    #[command(flatten)]
    table: Table,
    /// Explore on N threads. By default, on all cores. Only some algorithms can use several; the results are the same.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// Explore only the first N executions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    max_executions: Option<u64>,
    /// Keep what was explored in FILE, so that --resume can continue from there.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// How often to write the checkpoint.
    #[arg(long, value_name = "SECONDS", requires = "checkpoint", default_value = "5", value_parser = cli::seconds)]
    checkpoint_every: Duration,
    /// Continue from a checkpoint of the same exploration.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Write the results and the graphs worth showing to FILE. The page opens such files.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Print a line of progress to standard error each second, even if that is not a terminal.
    #[arg(long)]
    progress: bool,
    /// Say how many questions of consistency each method decided: this is what the exploration spends its time on.
    #[arg(long)]
    explain_cost: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Print the results as herd does. Executions count with co, as in herd, unless --algorithm says otherwise.
    #[arg(long, conflicts_with = "json")]
    herd: bool,
    /// Write each execution to DIR, as a file for Graphviz.
    #[arg(long, value_name = "DIR")]
    dot: Option<PathBuf>,
    /// Print a link for the page at this address. It leads to the first violation, or else to the first execution. With
    /// --json, print it to standard error.
    #[arg(long, value_name = "BASEURL")]
    link: Option<String>,
    /// Print no notes or warnings about the program, and no progress.
    #[arg(long)]
    quiet: bool,
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 it is cut; 2 bad input or usage.\n\nExample:\n  litmoscope split queue.lit --model rc11 --parts 100 --out \
                  parts\n  litmoscope part parts/1   # on any machine, for each number\n  litmoscope join parts"
)]
struct Split {
    /// The program, as for `explore`; a checkpoint, or a folder of parts, to cut what is left of it. Those are explored as they were.
    #[command(flatten)]
    what: What,
    /// Stop at the first error, data race or execution that is stuck for good.
    #[arg(long)]
    stop_at_first: bool,
    #[command(flatten)]
    table: Table,
    /// How many parts there are to be. There are fewer if the exploration is small.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50_000))]
    parts: u32,
    /// The folder for the files, which is empty or not there.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print no notes or warnings about the program.
    #[arg(long)]
    quiet: bool,
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 it is explored; 2 bad input or usage; 3 something is left, which is in the file."
)]
struct PartTask {
    /// The part: a file that `split` wrote. It is replaced by what was found and what is left.
    file: PathBuf,
    /// Explore on N threads. By default, on all cores.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
}

#[derive(Args)]
#[command(after_help = "Exit status: as of `explore`; 3 also where parts are not over.")]
struct Join {
    /// The folder that `split` wrote.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Explore what is left here.
    #[arg(long)]
    run: bool,
    /// With --run: only the first N executions count.
    #[arg(long, value_name = "N", requires = "run", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    max_executions: Option<u64>,
    /// With --run: on N threads. By default, on all cores.
    #[arg(long, value_name = "N", requires = "run", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// With --run: stop after this many seconds.
    #[arg(long, value_name = "SECONDS", requires = "run", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// Write all that is known to FILE, from where `explore --resume` can go on.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[command(after_help = "What herd or litmus printed about a test `SB.litmus` is expected beside it, in \
                  `SB.litmus.expected` or `SB.expected`.\n\nExit status: 0 all tests are as expected, and those \
                  without an expectation are ok; 1 some tests differ or are violated; 2 bad input or usage; 3 some \
                  tests were not explored completely.")]
struct Run {
    /// Tests, and folders and archives (.zip, .tar, .tar.gz, .tgz) of tests. Their tests are the files that end in .lit or
    /// .litmus, in the order of their names.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The memory model of all tests, or with a notation (lit, c or x86) in front, as in `x86=pso`, of those in that notation that
    /// name none. May be given several times. By default, a test has the model that it names, or else sc in our own notation, rc11
    /// in C, and tso in x86's.
    #[arg(long, value_name = "[NOTATION=]MODEL", value_parser = cli::model)]
    model: Vec<(&'static [Notation], Model)>,
    /// The algorithm, as for `explore`.
    #[arg(long, default_value = "auto")]
    algorithm: cli::Choice,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    blocked: Blocked,
    #[command(flatten)]
    table: Table,
    /// A file that herd or litmus printed about many tests. Its results are matched with the tests by name. Files of folders
    /// and archives that end in .log are read in the same way.
    #[arg(long, value_name = "FILE")]
    log: Vec<PathBuf>,
    /// Run N tests at a time. By default, as many as there are cores.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Stop each test after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = cli::seconds)]
    timeout: Duration,
    /// For each difference, print the reason: an execution, or the cycle that rules it out.
    #[arg(long)]
    explain: bool,
    /// Print a link to each difference for the page at this address.
    #[arg(long, value_name = "BASEURL")]
    link: Option<String>,
    /// Print one JSON object for each test, each on its own line.
    #[arg(long)]
    json: bool,
    /// Print the results as herd does.
    #[arg(long, conflicts_with = "json")]
    herd: bool,
    /// Write the results to FILE as JUnit XML, which build servers can show.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 everything was compared; 2 bad input or usage; 3 loops, candidate executions or \
                        explorations were cut, a question was left undecided, or it was stopped before its end."
)]
struct Compare {
    /// The program, as for `explore`.
    file: PathBuf,
    /// The memory models, separated by commas, or `all`.
    #[arg(long, value_name = "MODELS", default_value = "all")]
    models: String,
    #[command(flatten)]
    how: How,
    /// The most graphs to build in search of candidate executions. If there are more, only outcomes that some model
    /// allows are listed.
    #[arg(long, value_name = "N")]
    candidates: Option<usize>,
    /// The most steps to explore under each model.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Stop after this many seconds, with what is known by then.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// Print the graphs of witnesses and of forbidden candidates.
    #[arg(long)]
    explain: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[command(after_help = "Exit status: 0 the outcome is allowed, and an execution with it is printed; 1 it is \
                        forbidden, and each execution with it is printed together with what rules it out; 2 bad \
                        input or usage; 3 loops, candidate executions or the exploration were cut, or a question was \
                        left undecided.\n\nExample:\n  litmoscope why-not sb.lit \"a=0, b=0\" --model sc")]
struct WhyNot {
    /// The program, as for `explore`.
    file: PathBuf,
    /// The outcome, such as `a=0, b=0` or `P0:a=0 /\\ x=1`. By default, the one that the program's condition describes.
    outcome: Option<String>,
    /// The memory model. By default, the one that the program names, or else sc; of
    /// herd's C rc11, of herd's x86 tso.
    #[arg(long)]
    model: Option<Model>,
    #[command(flatten)]
    how: How,
    /// The most graphs to build in search of candidate executions.
    #[arg(long, value_name = "N")]
    candidates: Option<usize>,
    /// The most steps to explore in search of an execution with the outcome.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Stop after this many seconds, with what is known by then.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// Also print the graphs of the executions that are ruled out.
    #[arg(long)]
    explain: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// What may be changed, and how it is explored.
#[derive(Args)]
struct RepairHow {
    /// The program, as for `explore`.
    file: PathBuf,
    /// The memory model. By default, the one that the program names, or else sc; of
    /// herd's C rc11, of herd's x86 tso.
    #[arg(long)]
    model: Option<Model>,
    /// Change nothing on these lines, such as 5 or 5..7, and put no fence in front of them.
    #[arg(long, value_name = "LINES", value_parser = cli::repair::lines)]
    keep: Vec<cli::repair::Lines>,
    /// Change these alone.
    #[arg(long, value_name = "MEANS", value_delimiter = ',')]
    only: Vec<cli::repair::Means>,
    /// What changes cost: x86, arm, power, or a file with a table as JSON.
    #[arg(long, value_name = "TABLE")]
    costs: Option<PathBuf>,
    #[command(flatten)]
    how: How,
    /// The most steps to explore of one changed program.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Print so many at most.
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
    /// Stop after this many seconds, with what is known by then.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// Explore changed programs on N threads. By default, on all cores. The results are the same.
    #[arg(long, alias = "jobs", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Also print each changed program, and what rules out each execution.
    #[arg(long)]
    explain: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 there are repairs, or nothing needs to change; 1 nothing forbids it; 2 bad input or usage; 3 \
                        something was cut or stopped.\n\nExample:\n  litmoscope repair sb.lit --forbid \"a=0, b=0\" --model tso"
)]
struct Repair {
    #[command(flatten)]
    how: RepairHow,
    /// The outcome, such as `a=0, b=0`. By default, the one that `exists` asks for, or else errors, data races and what a condition with
    /// `forall` or `~exists` forbids.
    #[arg(long, value_name = "OUTCOME")]
    forbid: Option<String>,
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 there are weakenings, or nothing can be weaker; 1 the program goes wrong as it is; 2 bad input or usage; \
                        3 something was cut or stopped.\n\nExample:\n  litmoscope relax treiber.lit --model rc11"
)]
struct Relax {
    #[command(flatten)]
    how: RepairHow,
    /// No outcome may be new. By default, none may be there that the condition, an assertion or a data race forbids.
    #[arg(long)]
    same_outcomes: bool,
    /// The usual: what goes wrong may not be new, and other outcomes may.
    #[arg(long, conflicts_with = "same_outcomes")]
    still_correct: bool,
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 it is consistent, and its witness is printed (for an execution without --model: \
                  every model has an answer); 1 it is inconsistent, and the reason is printed; 2 bad input or usage; \
                  3 the search was cut or stopped.\n\nWrite an execution as the events of each thread:\n  T1: w x 1; \
                  r y 0 <- init\n  T2: w y 1; r x 0 <- init\n\nAn event-driven trace begins with `trace` and has \
                  handlers, their mailboxes and messages:\n  trace click\n  handler ui queue\n  initial start on ui: \
                  w text 1; post click\n  message click on ui: r text 1\n\nExamples:\n  litmoscope verify sb.exec \
                  --model tso --explain\n  litmoscope verify search-only.exec --model sc --tree\n  litmoscope verify \
                  e1.trace --mailbox multiset --explain"
)]
struct Verify {
    /// The execution or the trace, or `-` for standard input.
    file: PathBuf,
    /// Executions: the memory model, one that `litmoscope models` lists. By default, all of them.
    #[arg(long)]
    model: Option<Model>,
    /// Print the reasoning: the edges of the closure with their rules. For a trace, print all orders that were derived
    /// and guessed.
    #[arg(long)]
    explain: bool,
    /// Executions: print the search as a tree of at most N states (by default 200). It shows the choices of each state,
    /// which moves lead to states seen before, and why a state has no move.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "200",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    tree: Option<u32>,
    /// Executions: search without the closure.
    #[arg(long)]
    no_closure: bool,
    /// Executions under SC: choose among all moves, even if one of them can't be wrong.
    #[arg(long)]
    no_greedy: bool,
    /// Executions: search every reachable state. This is the baseline for the other algorithms.
    #[arg(long)]
    naive: bool,
    /// Executions: the most states to search.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    states: Option<u64>,
    /// Traces: give every handler this kind of mailbox, whatever the text says: queue or multiset.
    #[arg(long, value_name = "KIND", value_parser = cli::mailbox)]
    mailbox: Option<Mailbox>,
    /// Traces: ask a SAT solver instead of saturating and guessing. It gives no reasons.
    #[arg(long, conflicts_with = "explain")]
    sat: bool,
    /// Traces: stop after this many units of work. A unit takes some nanoseconds.
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(u64).range(1..=1 << 60))]
    search_limit: Option<u64>,
    /// Print a JSON object. For an execution without --model, print a list of them.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 linearizable; 1 not linearizable; 2 bad input or usage; 3 unknown. Each history in \
                  a file is judged separately. The status is 1 if one of them is not linearizable, or else 3 if one \
                  is unknown."
)]
struct Linearize {
    /// The history or the program with an object (`.lit`), or `-` for standard input. The content tells which of them
    /// it is.
    file: PathBuf,
    /// Programs: the memory model. By default, the one that the program names, or else sc; of
    /// herd's C rc11, of herd's x86 tso.
    #[arg(long)]
    model: Option<Model>,
    /// Programs: what tells that an operation returned before another one was called. `hb`: happens-before in the
    /// program. `client` (the default): also any messages that a client might send between operations. `time`: the
    /// clock of a run (sc, tso, pso).
    #[arg(long, value_name = "NAME", value_parser = cli::sight)]
    order: Option<Sight>,
    /// Programs: judge all clients of up to M operations in at most N threads, instead of the program's own threads,
    /// `before` and `after`.
    #[arg(long, value_name = "NxM", value_parser = cli::clients)]
    clients: Option<(usize, usize)>,
    /// Programs: judge on N threads. By default, on all cores. The results are the same.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Programs: cut each loop after N rounds.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_UNROLL)))]
    unroll: Option<u32>,
    /// Programs: unroll loops that only wait. This also counts the histories that such loops make longer.
    #[arg(long)]
    unroll_spins: bool,
    /// Write a drawing to FILE. For a program, it shows the execution with a frame around each call. For histories, it
    /// shows a bar for each operation, and where the operations take effect or which of them contradict each other.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Histories: the type of the object, whatever the text says: stack, queue, set, multiset, priority-queue, register
    /// or counter.
    #[arg(long, value_name = "KIND", value_parser = cli::object)]
    object: Option<Object>,
    /// Histories: the monitor that judges. `fast` and `published` are for stacks, queues, sets and multisets. `search`
    /// is for every object. `auto` (the default) uses the fast monitor where it supports the history, and else the
    /// search.
    #[arg(long, value_name = "NAME", value_parser = cli::monitor)]
    monitor: Option<Monitor>,
    /// Print the order in which the operations can take effect.
    #[arg(long)]
    explain: bool,
    /// If a history is not linearizable, do not look for the few operations that contradict each other.
    #[arg(long)]
    no_minimise: bool,
    /// Sets: also print the verdict of the rules as the literature prints them, which accept too much.
    #[arg(long)]
    as_printed: bool,
    /// Histories: the format, instead of the one that the content suggests: text, calls, bars, edn, log, json,
    /// porcupine, limo or csv.
    #[arg(long, value_name = "NAME", value_parser = cli::format)]
    format: Option<Format>,
    /// Histories: what the name of an operation means: `deq=remove`.
    #[arg(long, value_name = "NAME=NAME", value_parser = cli::renaming)]
    map: Vec<(String, String)>,
    /// Histories: read a failed removal as one that found nothing. By default, it did not happen.
    #[arg(long)]
    fail_is_empty: bool,
    /// Write the linearization to FILE: a line for each operation, in the order in which they take effect. For a
    /// program, write the history of the execution that is shown; `linearize` can judge it.
    #[arg(long, value_name = "FILE")]
    witness: Option<PathBuf>,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// Stop the search after this many units of work. A unit takes some nanoseconds.
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(u64).range(1..=1 << 60))]
    search_limit: Option<u64>,
    /// Print one JSON object for each history, or for each object of a program, each on its own line.
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
    /// The model that all runs must satisfy: wra, ra or sra. By default, all three.
    #[arg(long, value_name = "MODEL", value_parser = cli::protocol::causality)]
    model: Option<litmoscope::memories::Causality>,
    /// What a register holds before its first write: `written`, the initial write of its variable, or `nothing`, so
    /// that a read of it has no source, as in the literature.
    #[arg(long, value_name = "WHAT", value_parser = cli::protocol::initial)]
    initial: Option<litmoscope::memories::Initial>,
    /// Judge only this run: `W T1 x a; b := a; R T2 x b`.
    #[arg(long, value_name = "STEPS", conflicts_with_all = ["steps", "model", "json"])]
    run: Option<String>,
    /// Look only at runs of at most N steps. The result is then bounded.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: Option<u32>,
    /// Search only up to permutation of the threads, variables and registers that the protocol treats alike.
    #[arg(long, conflicts_with_all = ["run", "program"])]
    symmetry: bool,
    /// Instead, run this program on the protocol in every way, and compare its outcomes with those that memory models
    /// allow.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["run", "model", "steps", "initial", "as_printed"])]
    program: Option<PathBuf>,
    /// Cut each loop of the program after N rounds.
    #[arg(long, value_name = "N", default_value_t = Limits::default().unroll, requires = "program",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_UNROLL)))]
    unroll: u32,
    /// Automata: make the machine as the literature prints it. It violates RA whatever the automata are.
    #[arg(long)]
    as_printed: bool,
    /// Print the machine that the protocol expands to.
    #[arg(long)]
    expand: bool,
    /// Print the path of each value, the shape of the cycle, and which other models allow the run.
    #[arg(long)]
    explain: bool,
    /// Write the machine to FILE, for Graphviz.
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Write the machine and the search for violations of --model to FILE, as a Murphi model that Rumur or CMurphi can
    /// check.
    #[arg(long, value_name = "FILE", requires = "model")]
    murphi: Option<PathBuf>,
    /// Search on N threads. By default, on all cores. Verdicts and runs are the same.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Stop each search after N configurations.
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    configurations: u64,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 both directions are settled; 2 bad input or usage; 3 nothing was found up to the \
                  bound, or before it was stopped. It takes seconds to go through all programs of 4 events, minutes for 5 events, and hours \
                  for 6."
)]
struct Separate {
    /// A memory model.
    first: Model,
    /// Another memory model.
    second: Model,
    /// How many threads: a number or a range.
    #[arg(long, value_name = "A..B", default_value = "2..4")]
    threads: String,
    /// The most events, including fences.
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u8).range(1..=litmoscope::compare::MAX_EVENTS as i64))]
    events: u8,
    /// The most shared locations.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=4))]
    locations: u8,
    /// The notation to print programs in: litmoscope, c, x86 or x86_64.
    #[arg(long, value_name = "NOTATION", default_value = "litmoscope", value_parser = notation)]
    dialect: Notation,
    /// Stop after this many seconds, with what is known by then.
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    timeout: Option<Duration>,
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
#[command(after_help = "A series describes a program of any size:\n  series rows\n  sizes 1..6\n  $each i in 1..n \
                        joined \" || \" { x := 1; a$i := x }\n\nExit status: 0 everything was explored; 2 bad input \
                        or usage; 3 something reached its limit or was stopped.\n\nExamples:\n  litmoscope race \
                        rows.series --sizes 1..5 --algorithms source_dpor,rvf_smc\n  litmoscope race rows.series \
                        --print 3")]
struct Race {
    /// The series, or one program; `-` for standard input.
    file: PathBuf,
    /// The algorithms, separated by commas. By default, all that explore everything, except brute force.
    #[arg(long, value_name = "ALGORITHMS")]
    algorithms: Option<String>,
    /// The sizes: a number or a range. By default, those that the series names.
    #[arg(long, value_name = "A..B")]
    sizes: Option<String>,
    /// The memory model. By default, the one that the program names, or else sc; of
    /// herd's C rc11, of herd's x86 tso.
    #[arg(long)]
    model: Option<Model>,
    /// The number of the root thread, from 1. Only value-centric and data-centric classes and algorithms have one.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    root: u16,
    /// Don't count classes.
    #[arg(long)]
    no_classes: bool,
    /// The most time for one algorithm at one size.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = cli::seconds, allow_negative_numbers = true)]
    timeout: Duration,
    #[command(flatten)]
    how: How,
    /// Only print the program of this size.
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
    /// The text: a program as for `explore`, an abstract execution or a trace as for `verify`, or a series as for
    /// `race`.
    file: PathBuf,
    /// Print only errors.
    #[arg(long)]
    quiet: bool,
}

#[derive(Args)]
#[command(
    after_help = "The pages are static: no scripts, and nothing from elsewhere. They are the same whatever the number of threads.\n\n\
                        Exit status: 0 all files were written; 2 bad input or usage.\n\n\
                        Example:\n  litmoscope atlas site/atlas --from public"
)]
struct AtlasTask {
    /// The folder to write to. Files of other names stay.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The folder with the tests and papers (atlas.json), the gallery's list (gallery.json) and its programs.
    #[arg(long, value_name = "FOLDER", default_value = "public")]
    from: PathBuf,
    /// Where readers will find the atlas, for citations: https://example.org/atlas.
    #[arg(long, value_name = "URL")]
    address: Option<String>,
    /// Compute on N threads; else on all cores.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
}

#[derive(Args)]
#[command(
    group = clap::ArgGroup::new("what").required(true).args(["cycle", "family", "vocabulary"]),
    after_help = "Edges, in diy's vocabulary: Pod** and Pos** (program order to another or the same location; R or W \
                  for each *), Rfe, Fre, Coe (communication between threads), Rfi, Fri, Coi (within one), MFenced** \
                  (x86), FenceScd**, FenceARd**, FenceReld**, FenceAcqd** (C11), DpAddrd*, DpDatadW, DpCtrld* \
                  (dependencies), Exch, FetchAdd, Cas (read-modify-writes); each with `s` instead of `d` for the \
                  same location. After an edge come the annotations of both events: Na, Rlx, Acq, Rel, AR, Sc, or A \
                  for a locked write, as in PodWWRlxRel. --vocabulary explains them.\n\nExamples:\n  litmoscope \
                  generate PodWW Rfe PodRR Fre\n  litmoscope generate --dialect c11 \"PodWWRlxRel RfeRelAcq \
                  PodRRAcqRlx FreRlxRlx\"\n  litmoscope generate --dialect x86 --family --threads 2 --length 4 \
                  --output tests\n\nExit status: 0 all tests were made; 2 bad input or usage; 3 there are more tests \
                  than --limit or --timeout let it make."
)]
struct Generate {
    /// The cycle: edges, each from one event to the next.
    cycle: Vec<String>,
    /// The test's language: litmoscope, c11, x86 or x86_64.
    #[arg(long, value_name = "DIALECT", default_value = "litmoscope", value_parser = cli::generate::dialect)]
    dialect: Notation,
    /// The mode of events whose edges give none: na, rlx, ar (acquire reads, release writes) or sc. By default, rlx; on
    /// x86, accesses are plain.
    #[arg(long, value_name = "MODE")]
    default: Option<Annotation>,
    /// The test's name, instead of its name in the literature.
    #[arg(long, conflicts_with = "family")]
    name: Option<String>,
    /// Make all critical cycles of some edges, each cycle once.
    #[arg(long)]
    family: bool,
    /// The family's edges, where `*` stands for R and W. By default, Pod** Rfe Fre Coe, and on x86 also MFenced**.
    #[arg(long, value_name = "EDGES", requires = "family")]
    edges: Option<String>,
    /// Annotations for the family's edges that have none, separated by commas: rlx,ar,sc.
    #[arg(long, value_name = "MODES", requires = "family", value_delimiter = ',')]
    modes: Option<Vec<Annotation>>,
    /// How many threads the family's tests have.
    #[arg(long, value_name = "FROM..TO", requires = "family", default_value = "2..4")]
    threads: cli::generate::Numbers,
    /// How many edges the family's cycles have.
    #[arg(long, value_name = "FROM..TO", requires = "family", default_value = "4..6")]
    length: cli::generate::Numbers,
    /// Also make cycles that are not critical: with more than two events in a thread, or with events that a shorter
    /// cycle leaves out.
    #[arg(long, requires = "family")]
    free: bool,
    /// The most tests of a family to make.
    #[arg(long, value_name = "N", requires = "family", default_value_t = 10_000)]
    limit: u64,
    /// Stop to make tests of a family after this many seconds.
    #[arg(long, value_name = "SECONDS", requires = "family", value_parser = cli::seconds)]
    timeout: Option<Duration>,
    /// Only print how many tests a family has.
    #[arg(long, requires = "family", conflicts_with = "output")]
    count: bool,
    /// Write each test to a file of its name in this folder. Existing files with another content are kept.
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Overwrite files.
    #[arg(long, requires = "output")]
    force: bool,
    /// List the edges of the dialect, and what each of them means.
    #[arg(long)]
    vocabulary: bool,
}

#[global_allocator]
static ALLOCATOR: cli::Frugal = cli::Frugal;

fn main() -> ExitCode {
    let Command { task, strict } = match Command::try_parse() {
        Ok(command) => command,
        Err(told) => return ExitCode::from(cli::usage(&told)),
    };
    if strict {
        cli::refuse_warnings();
    }
    let done = match task {
        Task::Explore(task) => cli::explore(&task),
        Task::Split(task) => cli::parts::split(&task),
        Task::Part(task) => cli::parts::part(&task),
        Task::Join(task) => cli::parts::join(&task),
        Task::Run(task) => cli::run::run(&task),
        Task::Estimate(task) => cli::estimate(&task),
        Task::Compare(task) => cli::compare(&task),
        Task::WhyNot(task) => cli::why_not(&task),
        Task::Repair(task) => cli::repair::repair(&task),
        Task::Relax(task) => cli::repair::relax(&task),
        Task::Verify(task) => cli::verify(&task),
        Task::Protocol(task) => cli::protocol::protocol(&task),
        Task::Linearize(task) => cli::linearize(&task),
        Task::Schedule(task) => cli::schedule::schedule(&task),
        Task::Fairness(task) => cli::fairness::fairness(&task),
        Task::Separate(task) => cli::separate(&task),
        Task::Race(task) => cli::race(&task),
        Task::Check(task) => cli::check(&task),
        Task::Generate(task) => cli::generate::run(&task),
        Task::Atlas(task) => cli::atlas(&task),
        Task::Models => cli::models(),
        Task::Algorithms => cli::algorithms(),
        Task::Completions { shell } => cli::completions(&mut Command::command(), shell),
        Task::Man { folder } => cli::manual(Command::command(), &folder),
    };
    if cli::is_exhausted() {
        cli::complain("the system had no more memory: the search ended early");
    }
    ExitCode::from(done.unwrap_or_else(|cli::Failure(message)| {
        cli::complain(&message);
        2
    }))
}
