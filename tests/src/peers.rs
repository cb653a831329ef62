//! Programs that model checkers are measured with, and how many executions others count.
//!
//! The numbers are those that GenMC 0.11 (executions that differ in po, rf or co) and Nidhugg 0.4 (`--rf`: in po or rf)
//! report. They explore compiled C programs; these here do the same accesses. Where Nidhugg was not asked, there are as many
//! plain executions as reads-from classes of those with co.
//!
//! Their times are user and system CPU time of the whole command on one core, start included (0.017 for GenMC), the best of
//! three, in multiples of [`crate::workload`] on the same machine in the same minutes. GenMC's peak memory was 56 to 72 MB.

use crate::programs::{
    cas_lock, exchange_lock, mcs_lock, michael_scott_queue, test_and_set_lock, ticket_lock, treiber_stack,
};
use litmoscope::model::Model;
use std::fmt::Write as _;

/// The order of the columns.
pub const COLUMNS: [Model; 3] = [Model::SC, Model::TSO, Model::RC11];

/// What is known of one program at one size.
#[derive(Clone, Debug)]
pub struct Size {
    /// N.
    pub n: usize,
    /// Complete executions with co, by model as in [`COLUMNS`].
    pub coherence: [Option<u64>; 3],
    /// Complete plain executions under SC.
    pub plain: Option<u64>,
    /// Complete executions that RVF-SMC finds under SC, which no other tool says: at least as many as there are classes by
    /// values alone, and at most as many as by reads-value-from. `litmoscope race` counts both, from executions with co; but
    /// for rw and race they are one number.
    pub values: Option<u64>,
    /// How long others take.
    pub times: Vec<Time>,
}

/// How long another tool takes for all executions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    /// Which tool.
    pub tool: Tool,
    /// The memory model.
    pub model: Model,
    /// CPU time, as a multiple of the fixed workload.
    pub multiple: f64,
}

/// Another tool, and what it explores with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// GenMC 0.11: executions with co.
    Genmc,
    /// Nidhugg 0.4 with source-DPOR: Mazurkiewicz traces, which under SC are executions with co.
    NidhuggSource,
    /// Nidhugg 0.4 with optimal DPOR, the same.
    NidhuggOptimal,
    /// Nidhugg 0.4 `--rf`: plain executions.
    NidhuggRf,
}

impl Size {
    /// With what RVF-SMC finds.
    fn values(mut self, count: u64) -> Self {
        self.values = Some(count);
        self
    }

    /// How long a tool takes, if that is known.
    pub fn time(&self, tool: Tool, model: Model) -> Option<f64> {
        self.times.iter().find(|time| time.tool == tool && time.model == model).map(|time| time.multiple)
    }

    /// GenMC's times, by model as in [`COLUMNS`].
    fn genmc(mut self, multiples: [f64; 3]) -> Self {
        let time = |(model, multiple)| Time { tool: Tool::Genmc, model, multiple };
        self.times.extend(COLUMNS.into_iter().zip(multiples).map(time));
        self
    }

    /// A time of Nidhugg's.
    fn nidhugg(mut self, tool: Tool, model: Model, multiple: f64) -> Self {
        self.times.push(Time { tool, model, multiple });
        self
    }

    /// Nidhugg's time with `--rf` under SC.
    fn nidhugg_rf(self, multiple: f64) -> Self {
        self.nidhugg(Tool::NidhuggRf, Model::SC, multiple)
    }
}

/// A program of any size.
pub struct Peer {
    /// Its name in the literature.
    pub name: &'static str,
    /// The program in our notation.
    pub text: fn(usize) -> String,
    /// Rounds of its loops at a size.
    pub unroll: fn(usize) -> u32,
    /// What is known.
    pub sizes: Vec<Size>,
}

fn parallel(threads: impl IntoIterator<Item = String>) -> String {
    threads.into_iter().collect::<Vec<_>>().join(" || ")
}

/// The same under all three models, with co and without.
fn all(n: usize, count: u64) -> Size {
    each(n, [count; 3], count)
}

/// The same under all three models with co; without, under SC.
fn with(n: usize, coherence: u64, plain: impl Into<Option<u64>>) -> Size {
    each(n, [coherence; 3], plain)
}

fn each(n: usize, coherence: [u64; 3], plain: impl Into<Option<u64>>) -> Size {
    Size { n, coherence: coherence.map(Some), plain: plain.into(), values: None, times: Vec::new() }
}

/// Under SC alone.
fn sc(n: usize, coherence: u64, plain: u64) -> Size {
    Size { n, coherence: [Some(coherence), None, None], plain: Some(plain), values: None, times: Vec::new() }
}

fn ainc(n: usize) -> String {
    parallel((0..n).map(|_| "fai(x)".to_owned()))
}

fn binc(n: usize) -> String {
    parallel((0..n).map(|_| "fai(x); fai(y)".to_owned()))
}

fn cinc(n: usize) -> String {
    parallel((0..n).map(|_| "fai(x); fai(y); fai(z)".to_owned()))
}

fn wainc(n: usize) -> String {
    format!("x :=rel 42 || {}", ainc(n))
}

fn inc(n: usize) -> String {
    format!("shared x\n{}", parallel((0..n).map(|i| format!("r := x; x :=rel r + {}", 1 << i))))
}

fn rw(n: usize) -> String {
    format!("shared x\n{}", parallel((0..n).map(|i| format!("r := x; x :=rel {i}"))))
}

fn casrot(n: usize) -> String {
    parallel((1..=n).map(|i| format!("cas(x, {}, {i})", i - 1)))
}

fn casw(n: usize) -> String {
    parallel((0..n).map(|i| format!("cas(x, 0, 1); x :=rel {}", i + 3)))
}

fn wcas(n: usize) -> String {
    parallel(std::iter::once("x :=rel 2".to_owned()).chain((0..n).map(|_| "cas(x, 2, 3)".to_owned())))
}

fn readers(n: usize) -> String {
    let threads = std::iter::once("x :=rel 42".to_owned()).chain((0..n).map(|_| "r :=acq x".to_owned()));
    format!("shared x\n{}", parallel(threads))
}

fn nw1r(n: usize) -> String {
    parallel((0..=n).map(|i| format!("x :=rel {i}")).chain(std::iter::once("r :=acq x".to_owned())))
}

fn lastzero(n: usize) -> String {
    let reader = format!("i := {n}; while acq a[i] != 0 {{ i := i - 1 }}");
    let writer = |j: usize| format!("r :=acq a[{}]; a[{j}] :=rel r + 1", j - 1);
    format!("shared a[{}]\n{}", n + 1, parallel(std::iter::once(reader).chain((1..=n).map(writer))))
}

fn fib(n: usize) -> String {
    let adder = |target: &str| "p :=acq x; q :=acq y; TARGET :=rel p + q; ".repeat(n).replace("TARGET", target);
    let check = "u :=acq x; if u > 144 then error else v :=acq y";
    format!("shared x = 1, y = 1\n{} || {} || {check}", adder("x"), adder("y"))
}

fn coa(n: usize) -> String {
    let ends = ["x :=rel 1; a :=acq y; b :=acq x".to_owned(), "x :=rel 2; c :=acq z; d :=acq x".to_owned()];
    parallel(ends.into_iter().chain((0..n - 1).map(|i| format!("y :=rel {i}; z :=rel {i}"))))
}

fn lockinc(n: usize) -> String {
    format!("shared x, m\n{}", parallel((0..n).map(|_| "lock m; r := x; x := r + 1; unlock m".to_owned())))
}

fn spinlock(n: usize) -> String {
    let thread = |i: usize| {
        let acquire = "repeat { while l != 0 { skip } } until cas(l, 0, 1, acq) = 0";
        format!("{acquire}; s :=na {i}; r :=na s; assert r = {i}; l :=rel 0")
    };
    format!("shared l, s\n{}", parallel((0..n).map(thread)))
}

fn race(n: usize) -> String {
    let thread = |t: usize| {
        let mut text = String::new();
        for i in 0..42 {
            let _ = write!(text, "own[{t}] :=sc {i}; r :=sc own[{t}]; ");
        }
        text + &format!("v :=sc {t}; r :=sc v; ").repeat(n)
    };
    format!("shared own[2], v\n{}", parallel((0..2).map(thread)))
}

/// Lamport's fast mutex, entered once by each thread.
fn lamport(n: usize) -> String {
    let others = (0..n).map(|j| format!("assume b[{j}] = 0")).collect::<Vec<_>>().join("; ");
    let thread = |i: usize| {
        let b = format!("b[{}]", i - 1);
        let contended = format!("{b} := 0; {others}; if y != {i} {{ assume y = 0 }} else {{ inside := 1 }}");
        let fast = format!("y := {i}; if x != {i} {{ {contended} }} else {{ inside := 1 }}");
        let attempt = format!("{b} := 1; x := {i}; if y != 0 {{ {b} := 0; assume y = 0 }} else {{ {fast} }}");
        format!("inside := 0; while inside = 0 {{ {attempt} }}; y := 0; {b} := 0")
    };
    format!("shared b[{n}], x, y\n{}", parallel((1..=n).map(thread)))
}

/// A program whose loops, if it has any, go at most eight rounds.
fn peer(name: &'static str, text: fn(usize) -> String, sizes: Vec<Size>) -> Peer {
    Peer { name, text, unroll: |_| 8, sizes }
}

/// The programs. Of each, sizes of up to two million executions.
pub fn peers() -> Vec<Peer> {
    [increments(), exchanges(), reads_and_writes(), critical_sections()].into_iter().flatten().collect()
}

/// Threads that change a variable or a few, with read-modify-writes and without.
fn increments() -> Vec<Peer> {
    vec![
        peer(
            "ainc",
            ainc,
            vec![
                all(4, 24),
                all(5, 120),
                all(6, 720),
                all(7, 5040),
                all(8, 40320).values(40320).genmc([1.37, 1.38, 1.37]).nidhugg_rf(6.91),
                all(9, 362_880),
            ],
        ),
        peer("binc", binc, vec![all(3, 36), all(4, 576), all(5, 14400).genmc([0.46, 0.46, 0.46]), all(6, 518_400)]),
        peer("cinc", cinc, vec![all(3, 216), all(4, 13824).genmc([0.45, 0.45, 0.46])]),
        peer(
            "wainc",
            wainc,
            vec![
                all(3, 24),
                all(4, 120),
                all(5, 720),
                all(6, 5040),
                all(7, 40320).genmc([0.90, 0.92, 0.92]).nidhugg_rf(5.76),
            ],
        ),
        peer(
            "inc",
            inc,
            vec![
                with(3, 36, None),
                with(4, 576, None),
                with(5, 14400, 1296).values(1296),
                with(6, 518_400, 16807).values(16807).genmc([3.28, 3.33, 3.30]).nidhugg_rf(1.61),
            ],
        ),
        peer(
            "rw",
            rw,
            vec![
                with(3, 36, None),
                with(4, 576, None),
                with(5, 14400, None),
                with(6, 518_400, 16807).values(13301).genmc([3.23, 3.26, 3.28]).nidhugg_rf(1.49),
            ],
        ),
    ]
}

/// Threads that compare and swap.
fn exchanges() -> Vec<Peer> {
    vec![
        peer(
            "casrot",
            casrot,
            vec![
                with(6, 144, None),
                with(8, 2048, None),
                with(9, 8597, None),
                with(10, 38486, None),
                with(11, 182_905, None).genmc([1.26, 1.31, 1.26]),
                with(12, 919_146, None),
            ],
        ),
        peer(
            "casw",
            casw,
            vec![
                with(3, 66, None),
                with(4, 1200, None),
                with(5, 32880, 2160),
                with(6, 1_270_080, 28812).values(28812).genmc([7.86, 7.99, 7.93]).nidhugg_rf(3.04),
            ],
        ),
        peer(
            "wcas",
            wcas,
            vec![
                with(6, 193, None),
                with(9, 2305, None),
                with(12, 24577, None),
                with(14, 114_689, None).genmc([1.07, 1.11, 1.06]),
            ],
        ),
    ]
}

/// Threads that read what others write.
fn reads_and_writes() -> Vec<Peer> {
    vec![
        peer("readers", readers, vec![all(8, 256), all(13, 8192), all(15, 32768).genmc([1.16, 1.19, 1.30])]),
        peer("nw1r", nw1r, vec![with(6, 40320, 8), with(7, 362_880, 9).genmc([2.00, 2.01, 2.00])]),
        Peer {
            name: "lastzero",
            text: lastzero,
            unroll: |n| n as u32 + 1,
            sizes: vec![
                with(5, 64, None),
                with(10, 3328, 3328).values(3328),
                with(12, 15360, 15360)
                    .values(15360)
                    .genmc([0.73, 0.74, 0.73])
                    .nidhugg(Tool::NidhuggOptimal, Model::SC, 4.37)
                    .nidhugg_rf(3.80),
                with(15, 147_456, None),
            ],
        },
        peer(
            "fib",
            fib,
            vec![
                each(3, [1698, 2258, 2258], 1698).values(1698),
                each(4, [19605, 34205, 34205], 19605)
                    .values(19605)
                    .nidhugg(Tool::NidhuggSource, Model::SC, 1.12)
                    .nidhugg(Tool::NidhuggOptimal, Model::SC, 1.26)
                    .nidhugg(Tool::NidhuggSource, Model::TSO, 2.19)
                    .nidhugg_rf(1.58),
                each(5, [218_243, 525_630, 525_630], None).genmc([1.39, 2.97, 2.98]),
            ],
        ),
        peer(
            "coa",
            coa,
            vec![
                each(3, [130, 144, 144], None),
                each(4, [2028, 2304, 2304], None),
                each(5, [49776, 57600, 57600], 75),
                each(6, [1_766_880, 2_073_600, 2_073_600], 108),
            ],
        ),
    ]
}

/// Threads that exclude each other, and two that race.
fn critical_sections() -> Vec<Peer> {
    vec![
        peer(
            "lockinc",
            lockinc,
            vec![
                with(5, 120, None),
                with(6, 720, None),
                with(7, 5040, 5040).values(5040),
                with(8, 40320, 40320)
                    .genmc([2.44, 2.46, 2.46])
                    .nidhugg(Tool::NidhuggSource, Model::SC, 3.79)
                    .nidhugg(Tool::NidhuggOptimal, Model::SC, 4.34)
                    .nidhugg_rf(6.09),
            ],
        ),
        peer(
            "spinlock",
            spinlock,
            vec![
                with(3, 36, None),
                with(4, 576, None),
                with(5, 14400, 14400).genmc([0.53, 0.53, 0.54]),
                with(6, 518_400, None),
            ],
        ),
        peer(
            "race",
            race,
            vec![
                with(3, 328, None),
                with(4, 3334, 1107).values(321),
                with(5, 34904, 8953)
                    .genmc([1.70, 1.75, 1.79])
                    .nidhugg(Tool::NidhuggSource, Model::SC, 6.84)
                    .nidhugg(Tool::NidhuggOptimal, Model::SC, 7.47)
                    .nidhugg_rf(3.21),
            ],
        ),
        peer("lamport", lamport, vec![sc(2, 16, 12), sc(3, 9216, 3942)]),
    ]
}

/// Under RC11 alone.
fn rc11(n: usize, coherence: u64) -> Size {
    Size { n, coherence: [None, None, Some(coherence)], plain: None, values: None, times: Vec::new() }
}

/// Locks, a stack and a queue whose threads wait for each other. There are far more executions in which somebody waits in vain, so they
/// are explored without those. Locks have N! executions, N!² where each thread looks at the lock before it takes it; GenMC counts
/// 28,108 of the stack. No other tool's times are known.
pub fn waiting() -> Vec<Peer> {
    vec![
        peer("xchglock", exchange_lock, vec![rc11(6, 720)]),
        peer("ttaslock", test_and_set_lock, vec![rc11(4, 576)]),
        peer("caslock", cas_lock, vec![rc11(6, 720), rc11(9, 362_880)]),
        peer("ticketlock", ticket_lock, vec![rc11(6, 720), rc11(8, 40320)]),
        peer("mcslock", mcs_lock, vec![rc11(4, 1080)]),
        // As many that push as that pop, and one that does both where that is odd.
        peer("treiber", |n| treiber_stack(n / 2, n / 2, n % 2), vec![rc11(4, 88), rc11(5, 28108)]),
        // Two that put something in, and others that take something out.
        peer("msqueue", |n| michael_scott_queue(2, n - 2), vec![rc11(5, 1104)]),
    ]
}

/// Larger sizes, millions of executions: what many cores are measured with. Their numbers are those that the small sizes
/// suggest: N!, N!², (N + 2)!, 2^N.
pub fn long() -> Vec<Peer> {
    vec![
        peer("ainc", ainc, vec![all(10, 3_628_800)]),
        peer("binc", binc, vec![all(7, 25_401_600)]),
        peer("inc", inc, vec![with(7, 25_401_600, None)]),
        peer("readers", readers, vec![all(24, 16_777_216)]),
        peer("nw1r", nw1r, vec![with(9, 39_916_800, 11)]),
        peer("lockinc", lockinc, vec![with(9, 362_880, 362_880)]),
        peer("spinlock", spinlock, vec![with(6, 518_400, None)]),
    ]
}
