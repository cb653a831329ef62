//! Named programs with the numbers of their executions, and executions with verdicts.
//!
//! Where the numbers come from: those of w+RW+W, n writers with a reader, LB and FAI/2 are printed in Kokologiannakis,
//! Raad and Vafeiadis, "Model Checking for Weakly Consistent Libraries" (PLDI 2019); those of FIG1 under SC, the classes
//! that Toman, "Algorithms for Stateless Model Checking under Weak Memory", counts. All others were computed by two
//! independent implementations, at least one of them an enumeration by definition.

/// A program and how many executions it has.
#[derive(Clone, Debug)]
pub struct Litmus {
    /// Its usual name.
    pub name: String,
    /// In our notation.
    pub text: String,
    /// Consistent plain executions, stuck and erroneous ones included; by model as in [`COLUMNS`].
    pub plain: [usize; 7],
    /// The same with each coherence order counted by itself.
    pub coherence: [usize; 7],
}

/// The order of the columns.
pub const COLUMNS: [&str; 7] = ["SC", "TSO", "PSO", "SRA", "RA", "WRA", "RC11"];

fn litmus(name: impl Into<String>, text: impl Into<String>, plain: [usize; 7], coherence: [usize; 7]) -> Litmus {
    Litmus { name: name.into(), text: text.into(), plain, coherence }
}

/// `thread(1) || thread(2) || ...`
fn parallel(n: usize, thread: impl Fn(usize) -> String) -> String {
    (1..=n).map(thread).collect::<Vec<_>>().join(" || ")
}

/// N writers of different values and one reader, to the right of them or to the left: n + 1 plain executions,
/// (n + 1)! with coherence.
pub fn writers_and_reader(n: usize, reader_first: bool) -> String {
    let writers = parallel(n, |i| format!("x := {i}"));
    if reader_first { format!("a := x || {writers}") } else { format!("{writers} || a := x") }
}

/// N threads that increment x once: n! executions.
pub fn increments(n: usize) -> String {
    parallel(n, |_| "fai(x)".to_owned())
}

/// N threads that try to set x from 0: n executions.
pub fn compare_and_swaps(n: usize) -> String {
    parallel(n, |i| format!("cas(x, 0, {i})"))
}

/// The named programs.
#[rustfmt::skip]
pub fn named() -> Vec<Litmus> {
    let mut all = vec![
        litmus("w+RW+W", "x := 1 || a := x; if a = 0 then y := 1 || x := 2", [3, 3, 3, 3, 3, 3, 3], [6, 6, 6, 6, 6, 6, 6]),
        litmus("MP", "x := 1; y := 1 || a := y; b := x", [3, 3, 4, 3, 3, 3, 4], [3, 3, 4, 3, 3, 3, 4]),
        litmus("MP+rel+acq", "x := 1; y :=rel 1 || a :=acq y; b := x", [3, 3, 4, 3, 3, 3, 3], [3, 3, 4, 3, 3, 3, 3]),
        litmus("MP+frel+facq", "x := 1; fence rel; y := 1 || a := y; fence acq; b := x", [3, 3, 3, 3, 3, 3, 3], [3, 3, 3, 3, 3, 3, 3]),
        litmus("MP+fsc+fsc", "x := 1; fence sc; y := 1 || a := y; fence sc; b := x", [3, 3, 3, 3, 3, 3, 3], [3, 3, 3, 3, 3, 3, 3]),
        litmus("MP+fsc+po", "x := 1; fence sc; y := 1 || a := y; b := x", [3, 3, 3, 3, 3, 3, 4], [3, 3, 3, 3, 3, 3, 4]),
        litmus("MP via RMW", "x := 1; y :=rel 1 || fai(y) || a :=acq y; b := x", [9, 9, 12, 9, 9, 9, 9], [9, 9, 12, 9, 9, 14, 9]),
        litmus("MP-assume", "x := 1; y := 1 || assume (y = 1 acq); assert x = 1", [2, 2, 3, 2, 2, 2, 3], [2, 2, 3, 2, 2, 2, 3]),
        litmus("MP-assume+rel", "x := 1; y :=rel 1 || assume (y = 1 acq); assert x = 1", [2, 2, 3, 2, 2, 2, 2], [2, 2, 3, 2, 2, 2, 2]),
        litmus("SB", "x := 1; a := y || y := 1; b := x", [3, 4, 4, 4, 4, 4, 4], [3, 4, 4, 4, 4, 4, 4]),
        litmus("SB+sc", "x :=sc 1; a :=sc y || y :=sc 1; b :=sc x", [3, 4, 4, 4, 4, 4, 3], [3, 4, 4, 4, 4, 4, 3]),
        litmus("SB+fsc+fsc", "x := 1; fence sc; a := y || y := 1; fence sc; b := x", [3, 3, 3, 3, 3, 3, 3], [3, 3, 3, 3, 3, 3, 3]),
        litmus("SB+fsc+po", "x := 1; fence sc; a := y || y := 1; b := x", [3, 4, 4, 4, 4, 4, 4], [3, 4, 4, 4, 4, 4, 4]),
        litmus("SB+rfi+rfi", "x := 1; a := x; b := y || y := 1; c := y; d := x", [3, 4, 4, 4, 4, 4, 4], [3, 4, 4, 4, 4, 4, 4]),
        litmus("SB3", "x := 1; a := y || y := 1; b := z || z := 1; c := x", [7, 8, 8, 8, 8, 8, 8], [7, 8, 8, 8, 8, 8, 8]),
        litmus("LB", "a := y; x := 1 || b := x; y := 1", [3, 3, 3, 3, 3, 3, 3], [3, 3, 3, 3, 3, 3, 3]),
        litmus("LB+deps", "x := y || y := x", [3, 3, 3, 3, 3, 3, 3], [3, 3, 3, 3, 3, 3, 3]),
        litmus("2+2W", "x := 1; y := 2 || y := 1; x := 2", [1, 1, 1, 1, 1, 1, 1], [3, 3, 4, 3, 4, 4, 4]),
        litmus("S", "x := 2; y := 1 || a := y; x := 1", [2, 2, 2, 2, 2, 2, 2], [3, 3, 4, 3, 3, 3, 4]),
        litmus("R", "x := 1; y := 1 || y := 2; a := x", [2, 2, 2, 2, 2, 2, 2], [3, 4, 4, 4, 4, 4, 4]),
        litmus("n6-like", "x := 1; a := x; b := y || y := 1; x := 2", [3, 3, 4, 3, 3, 3, 4], [4, 5, 6, 5, 5, 6, 6]),
        litmus("CoRR1", "x := 1 || a := x; b := x", [3, 3, 3, 3, 3, 3, 3], [3, 3, 3, 3, 3, 3, 3]),
        litmus("CoRR2", "x := 1 || x := 2 || a := x; b := x || c := x; d := x", [47, 47, 47, 47, 47, 49, 47], [72, 72, 72, 72, 72, 98, 72]),
        litmus("1W2R", "x := 1 || a := x || b := x", [4, 4, 4, 4, 4, 4, 4], [4, 4, 4, 4, 4, 4, 4]),
        litmus("IRIW+acq", "x := 1 || y := 1 || a :=acq x; b :=acq y || c :=acq y; d :=acq x", [15, 15, 15, 16, 16, 16, 16], [15, 15, 15, 16, 16, 16, 16]),
        litmus("IRIW+sc", "x :=sc 1 || y :=sc 1 || a :=sc x; b :=sc y || c :=sc y; d :=sc x", [15, 15, 15, 16, 16, 16, 15], [15, 15, 15, 16, 16, 16, 15]),
        litmus("WRC", "x := 1 || a := x; y := 1 || b := y; c := x", [7, 7, 7, 7, 7, 7, 8], [7, 7, 7, 7, 7, 7, 8]),
        litmus("WRC+rel+acq", "x :=rel 1 || a :=acq x; y :=rel 1 || b :=acq y; c :=acq x", [7, 7, 7, 7, 7, 7, 7], [7, 7, 7, 7, 7, 7, 7]),
        litmus("ISA2", "x := 1; y := 1 || a := y; z := 1 || b := z; c := x", [7, 7, 8, 7, 7, 7, 8], [7, 7, 8, 7, 7, 7, 8]),
        litmus("RWC", "x :=sc 1 || a :=acq x; b :=sc y || y :=sc 1; c :=sc x", [7, 8, 8, 8, 8, 8, 8], [7, 8, 8, 8, 8, 8, 8]),
        litmus("Z6.U", "x :=sc 1; y :=rel 1 || fai(y, sc); a := y || y :=sc 3; b :=sc x", [13, 14, 14, 14, 14, 14, 14], [18, 24, 24, 24, 24, 60, 24]),
        litmus("FIG1", "x := 1; y := 1 || x := 1; y := 1; a := x || x := 1; y := 1; b := y", [9, 9, 9, 9, 9, 9, 9], [98, 144, 144, 144, 144, 324, 144]),
        litmus("(FAI;FAI)/2", "fai(x); fai(x) || fai(x); fai(x)", [6, 6, 6, 6, 6, 6, 6], [6, 6, 6, 6, 6, 6, 6]),
        litmus("FAI/2+R", "fai(x) || fai(x) || a := x", [6, 6, 6, 6, 6, 6, 6], [6, 6, 6, 6, 6, 6, 6]),
        litmus("R+FAI+FAI", "a := x; fai(x) || fai(x)", [3, 3, 3, 3, 3, 3, 3], [3, 3, 3, 3, 3, 3, 3]),
        litmus("FAI+R+FAI+FAI", "fai(x); a := x || fai(x) || fai(x)", [12, 12, 12, 12, 12, 12, 12], [12, 12, 12, 12, 12, 12, 12]),
        litmus("FAI+RR", "fai(x) || a := x; b := x", [3, 3, 3, 3, 3, 3, 3], [3, 3, 3, 3, 3, 3, 3]),
        litmus("R+FAI+W", "a := x || fai(x) || x := 1", [6, 6, 6, 6, 6, 6, 6], [6, 6, 6, 6, 6, 9, 6]),
        litmus("(W;FAI)/2", "x := 10; fai(x) || x := 20; fai(x)", [5, 5, 5, 5, 5, 6, 5], [6, 6, 6, 6, 6, 20, 6]),
        litmus("WBCHAIN", "x := 1; fai(x) || x := 10; fai(x) || fai(x) || fai(x)", [150, 150, 150, 150, 150, 240, 150], [180, 180, 180, 180, 180, 5456, 180]),
        litmus("W+RR+FAI", "y := 1 || b := y; a := x || fai(x)", [4, 4, 4, 4, 4, 4, 4], [4, 4, 4, 4, 4, 4, 4]),
    ];
    for n in 1..=4 {
        let orders = (1..=n + 1).product();
        for reader_first in [false, true] {
            let name = format!("{n}W1R{}", if reader_first { " reader first" } else { "" });
            all.push(litmus(name, writers_and_reader(n, reader_first), [n + 1; 7], [orders; 7]));
        }
    }
    for n in 1..=5 {
        let orders = (1..=n).product();
        all.push(litmus(format!("FAI/{n}"), increments(n), [orders; 7], [orders; 7]));
    }
    for n in 2..=4 {
        all.push(litmus(format!("CAS/{n}"), compare_and_swaps(n), [n; 7], [n; 7]));
    }
    all
}

/// How many executions there are, how many of them are stuck and how many erroneous.
pub type Kinds = (usize, usize, usize);

/// MP with an assumption and an assertion in the reader, once relaxed and once with a release; for SC, TSO and RC11.
pub const BLOCKING: [(&str, [Kinds; 3]); 2] = [
    ("x := 1; y := 1 || assume (y = 1 acq); assert x = 1", [(2, 1, 0), (2, 1, 0), (3, 1, 1)]),
    ("x := 1; y :=rel 1 || assume (y = 1 acq); assert x = 1", [(2, 1, 0), (2, 1, 0), (2, 1, 0)]),
];

/// A program whose condition picks out executions, and in which models one of them is consistent.
#[derive(Clone, Copy, Debug)]
pub struct Verdict<const N: usize> {
    /// The program, all values written different as far as the condition looks at them.
    pub text: &'static str,
    /// By model.
    pub consistent: [bool; N],
}

const fn verdict<const N: usize>(text: &'static str, consistent: [bool; N]) -> Verdict<N> {
    Verdict { text, consistent }
}

const YES: bool = true;
const NO: bool = false;

/// For SC, TSO and PSO. The first two are in Toman's figure 5.1; the others are classics and adversaries of algorithms,
/// decided by a search through the machines' runs. (LB is missing: porf cycles are no candidates at all.)
pub const STORE_BUFFERS: [Verdict<3>; 22] = [
    // SB, and with fences in both threads or one, and with reads of the own write
    verdict("x := 1; a := y || y := 1; b := x exists (P0:a = 0 /\\ P1:b = 0)", [NO, YES, YES]),
    // MP
    verdict("x := 1; y := 1 || a := y; b := x exists (P1:a = 1 /\\ P1:b = 0)", [NO, NO, YES]),
    verdict("x := 1; fence sc; a := y || y := 1; fence sc; b := x exists (P0:a = 0 /\\ P1:b = 0)", [NO, NO, NO]),
    verdict("x := 1; fence sc; a := y || y := 1; b := x exists (P0:a = 0 /\\ P1:b = 0)", [NO, YES, YES]),
    verdict(
        "x := 1; c := x; a := y || y := 1; d := y; b := x exists (P0:c = 1 /\\ P1:d = 1 /\\ P0:a = 0 /\\ P1:b = 0)",
        [NO, YES, YES],
    ),
    // MP with a fence between the writes
    verdict("x := 1; fence sc; y := 1 || a := y; b := x exists (P1:a = 1 /\\ P1:b = 0)", [NO, NO, NO]),
    // IRIW
    verdict(
        "x := 1 || y := 1 || a := x; b := y || c := y; d := x \
         exists (P2:a = 1 /\\ P2:b = 0 /\\ P3:c = 1 /\\ P3:d = 0)",
        [NO, NO, NO],
    ),
    // WRC
    verdict("x := 1 || a := x; y := 1 || b := y; c := x exists (P1:a = 1 /\\ P2:b = 1 /\\ P2:c = 0)", [NO, NO, NO]),
    // ISA2
    verdict(
        "x := 1; y := 1 || a := y; z := 1 || b := z; c := x exists (P1:a = 1 /\\ P2:b = 1 /\\ P2:c = 0)",
        [NO, NO, YES],
    ),
    // CoRR
    verdict("x := 1 || a := x; b := x exists (P1:a = 1 /\\ P1:b = 0)", [NO, NO, NO]),
    // two readers, opposite orders
    verdict(
        "x := 1 || x := 2 || a := x; b := x || c := x; d := x \
         exists (P2:a = 1 /\\ P2:b = 2 /\\ P3:c = 2 /\\ P3:d = 1)",
        [NO, NO, NO],
    ),
    // 2+2W, R and S, with readers that see the coherence order
    verdict(
        "x := 1; y := 1 || y := 2; x := 2 || a := x; b := x || c := y; d := y \
         exists (P2:a = 2 /\\ P2:b = 1 /\\ P3:c = 1 /\\ P3:d = 2)",
        [NO, NO, YES],
    ),
    verdict(
        "x := 1; y := 1 || y := 2; a := x || b := y; c := y exists (P1:a = 0 /\\ P2:b = 1 /\\ P2:c = 2)",
        [NO, YES, YES],
    ),
    verdict(
        "x := 1; y := 1 || a := y; x := 2 || b := x; c := x exists (P1:a = 1 /\\ P2:b = 2 /\\ P2:c = 1)",
        [NO, NO, YES],
    ),
    // n6
    verdict(
        "x := 1; a := x; b := y || y := 1; x := 2 || c := x; d := x \
         exists (P0:a = 1 /\\ P0:b = 0 /\\ P2:c = 2 /\\ P2:d = 1)",
        [NO, YES, YES],
    ),
    // own writes
    verdict("x := 1; a := x || x := 2 exists (P0:a = 2)", [YES, YES, YES]),
    verdict("x := 1; a := x || x := 2; b := x exists (P0:a = 2 /\\ P1:b = 1)", [NO, NO, NO]),
    verdict("x := 1; x := 2; a := x || skip exists (P0:a = 1)", [NO, NO, NO]),
    verdict("x := 1; a := x || skip exists (P0:a = 0)", [NO, NO, NO]),
    // two threads that each wait for a write behind the other's fence
    verdict(
        "x := 1; fence sc; y := 1 || a := z; b := x || x := 3; c := y; fence sc; z := 1 \
         exists (P1:a = 1 /\\ P1:b = 1 /\\ P2:c = 1)",
        [YES, YES, YES],
    ),
    // a read-modify-write right behind a write
    verdict("x := 1; a := x || x := 2; b := fai(x, 10) exists (P0:a = 12 /\\ P1:b = 2)", [YES, YES, YES]),
    // a store-store fence
    verdict("x := 1 || z := 1; fence rel; x := 2; a := x; b := z exists (P1:a = 1 /\\ P1:b = 1)", [YES, YES, YES]),
];

/// For WRA, RA and SRA: the execution graphs of Grahn, "Concurrency: Models, Algorithms, and Verification", and their
/// like.
pub const CAUSAL: [Verdict<3>; 7] = [
    // figure 2.4: each thread reads the other's write of the location behind its own
    verdict("x := 1; a := x || x := 2; b := x exists (P0:a = 2 /\\ P1:b = 1)", [YES, NO, NO]),
    // 2+2W with reads of the writes that come first
    verdict("x := 1; y := 1; a := y || y := 2; x := 2; b := x exists (P0:a = 2 /\\ P1:b = 1)", [YES, YES, NO]),
    // SB
    verdict("x := 1; a := y || y := 1; b := x exists (P0:a = 0 /\\ P1:b = 0)", [YES, YES, YES]),
    // a stale own write
    verdict("x := 1; x := 2; a := x || skip exists (P0:a = 1)", [NO, NO, NO]),
    // two readers, opposite orders
    verdict(
        "x := 1 || x := 2 || a := x; b := x || c := x; d := x \
         exists (P2:a = 1 /\\ P2:b = 2 /\\ P3:c = 2 /\\ P3:d = 1)",
        [YES, NO, NO],
    ),
    // MP with a write between the one read and the flag
    verdict("x := 1; x := 2; y := 1 || a := y; b := x exists (P1:a = 1 /\\ P1:b = 1)", [NO, NO, NO]),
    // figures 5.2 and 5.3
    verdict("x := 1 || x := 2; a := x exists (P1:a = 1)", [YES, YES, YES]),
];
