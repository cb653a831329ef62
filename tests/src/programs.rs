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
pub(crate) fn parallel(n: usize, thread: impl Fn(usize) -> String) -> String {
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

/// Programs and how many executions they have under SC: plain ones, which are the reads-from classes, and with each coherence
/// order counted by itself, which are the Mazurkiewicz traces. The examples of Toman, "Improved Verification Techniques for
/// Concurrent Systems" (2021), and of Agarwal et al., "Stateless Model Checking under a Reads-Value-From Equivalence" (CAV
/// 2021). In most of them, writes have equal values: they are different classes all the same.
pub fn classes() -> Vec<(String, [u64; 2])> {
    let repeat = |n: usize, part: &dyn Fn(usize) -> String| (1..=n).map(part).collect::<Vec<_>>().join("; ");
    let fixed = [
        // figure 3.1
        ("x := 1 || x := 2; x := 1; a := x", [2, 4]),
        // figure 3.6
        ("y := 1; y := 1; x := 1; a := x || x := 1; b := x; y := 2; c := y", [5, 9]),
        // figure 4.4a for 1 to 3, and b for 2
        ("x := 1 || x := 1; a := x || x := 1", [3, 12]),
        ("x := 1; x := 1 || x := 1; a := x; x := 1; b := x || x := 1; x := 1", [19, 420]),
        (
            "x := 1; x := 1; x := 1 || x := 1; a := x; x := 1; b := x; x := 1; c := x || x := 1; x := 1; x := 1",
            [147, 18480],
        ),
        ("x := 1; y := 1 || x := 1; a := x; y := 1; b := y || x := 1; y := 1", [9, 144]),
        // figure 4.6, with either value
        ("x := 1; a := x; y := 1 || x := 1; y := 1; b := y; x := 1", [5, 12]),
        ("x := 1; a := x; y := 1 || x := 1; y := 1; b := y; x := 2", [5, 12]),
        // IRIW, also with writes of what is there
        ("x := 1 || y := 1 || a := x; b := y || c := y; d := x", [15, 15]),
        ("x := 0 || y := 0 || a := x; b := y || c := y; d := x", [15, 15]),
        // w+RW+W with equal writes, and COND
        ("x := 1 || a := x; if a = 0 then y := 1 || x := 1", [3, 6]),
        ("x := 1; x := 1 || a := x; if a = 1 then y := 1 || b := y", [5, 5]),
    ];
    let mut all: Vec<_> = fixed.into_iter().map(|(text, numbers)| (text.to_owned(), numbers)).collect();
    // Figure 3.2a: n writes and n reads.
    for (n, number) in (1..).zip([2, 6, 20, 70]) {
        let (writes, reads) = (repeat(n, &|_| "x := 0".to_owned()), repeat(n, &|i| format!("a{i} := x")));
        all.push((format!("{writes} || {reads}"), [number; 2]));
    }
    // Figure 3.2b: n locations, written twice and read once; and PAIR, written by two threads and read by one.
    for n in 1..=3 {
        let (writes, reads) =
            (repeat(n, &|i| format!("x{i} := 0; x{i} := 0")), repeat(n, &|i| format!("a{i} := x{i}")));
        all.push((format!("{writes} || {reads}"), [3u64.pow(n as u32); 2]));
        let (writes, both) = (repeat(n, &|i| format!("x{i} := 1")), repeat(n, &|i| format!("x{i} := 1; a{i} := x{i}")));
        all.push((format!("{writes} || {both}"), [2u64.pow(n as u32), 3u64.pow(n as u32)]));
    }
    // Figure 4.4c: n threads that write and read; (n + 1)^(n - 1) classes, n!² traces.
    for (n, numbers) in (2..).zip([[3, 4], [16, 36], [125, 576]]) {
        all.push((parallel(n, |i| format!("x := 1; a{i} := x")), numbers));
    }
    // Writers of one value, and a reader.
    for n in 1..=5 {
        let traces = (1..=n as u64 + 1).product();
        all.push((format!("{} || a := x", parallel(n, |_| "x := 1".to_owned())), [n as u64 + 1, traces]));
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

/// A lock or the like that waits in loops, and how many executions it has: complete, blocked and erroneous ones, by model
/// as in [`COLUMNS`]. None is cut by a bound.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// Its usual name.
    pub name: &'static str,
    /// In our notation; what it is for is asserted.
    pub text: String,
    /// The kinds of executions.
    pub kinds: [Kinds; 7],
}

/// A critical section for thread i: nobody else writes `s` in between, and non-atomic accesses do not race.
pub(crate) fn critical(i: usize) -> String {
    format!("s :=na {i}; r :=na s; assert r = {i}")
}

/// N threads that each take a test-and-test-and-set lock once.
pub fn spinlock(n: usize) -> String {
    let thread = |i| {
        let section = critical(i);
        format!("repeat {{ while l != 0 {{ }} }} until cas(l, 0, 1, acq) = 0; {section}; l :=rel 0")
    };
    format!("shared l, s\n{}", parallel(n, thread))
}

/// N threads that each take a lock by exchange alone.
pub fn exchange_lock(n: usize) -> String {
    let thread = |i| format!("while xchg(l, 1, acq) {{ }}; {}; l :=rel 0", critical(i));
    format!("shared l, s\n{}", parallel(n, thread))
}

/// N threads that each look whether a lock is free, then take it by exchange.
pub fn test_and_set_lock(n: usize) -> String {
    let thread = |i| format!("repeat {{ while l != 0 {{ }} }} until xchg(l, 1, acq) = 0; {}; l :=rel 0", critical(i));
    format!("shared l, s\n{}", parallel(n, thread))
}

/// N threads that each take a lock by compare-and-swap alone.
pub fn cas_lock(n: usize) -> String {
    let thread = |i| format!("while cas(l, 0, 1, acq) != 0 {{ }}; {}; l :=rel 0", critical(i));
    format!("shared l, s\n{}", parallel(n, thread))
}

/// N threads that each draw a ticket and wait for their turn.
pub fn ticket_lock(n: usize) -> String {
    let thread = |i| format!("a := fai(tickets); while acq serving != a {{ }}; {}; serving :=rel a + 1", critical(i));
    format!("shared tickets, serving, s\n{}", parallel(n, thread))
}

/// N threads that each take the queue lock of Mellor-Crummey and Scott, which leaves by a compare-and-swap only where
/// nobody is seen to wait.
pub fn mcs_lock(n: usize) -> String {
    let thread = |i| {
        let section = critical(i);
        format!(
            "p := xchg(tail, {i}, acqrel); \
             if p != 0 {{ locked[{i}] := 1; next[p] :=rel {i}; while acq locked[{i}] = 1 {{ }} }}; \
             {section}; n :=acq next[{i}]; \
             if n = 0 {{ c := cas(tail, {i}, 0, rel); if c != {i} {{ repeat {{ n :=acq next[{i}] }} until n != 0 }} }}; \
             if n != 0 {{ locked[n] :=rel 0 }}"
        )
    };
    format!("shared tail, next[{0}], locked[{0}], s\n{1}", n + 1, parallel(n, thread))
}

/// Treiber's stack: threads that push, others that pop, and others that do both.
pub fn treiber_stack(pushes: usize, pops: usize, both: usize) -> String {
    let push = |i| format!("repeat {{ t :=acq top; next[{i}] := t; c := cas(top, t, {i}, rel, rlx) }} until c = t");
    let pop = "p := 1; repeat { t :=acq top; if t = 0 { p := 0 } \
               else { n := next[t]; c := cas(top, t, n, rel, rlx); if c = t { p := 0 } } } until p = 0";
    let thread = |i| match i {
        i if i <= pushes => push(i),
        i if i <= pushes + pops => pop.to_owned(),
        i => format!("{}; {pop}", push(i - pops)),
    };
    let threads = parallel(pushes + pops + both, thread);
    format!("shared top, next[{}]\n{threads}", pushes + both + 1)
}

/// Michael and Scott's queue: threads that put something in, and others that take something out.
pub fn michael_scott_queue(puts: usize, takes: usize) -> String {
    let put = |i| {
        format!(
            "p := 1; repeat {{ t :=acq tail; n :=acq next[t]; u :=acq tail; if t = u {{ \
             if n = 0 {{ c := cas(next[t], 0, {i}, rel, rlx); if c = 0 {{ p := 0 }} }} \
             else {{ cas(tail, t, n, rel, rlx) }} }} }} until p = 0; cas(tail, t, {i}, rel, rlx)"
        )
    };
    let take = "p := 1; repeat { h :=acq head; t :=acq tail; n :=acq next[h]; u :=acq head; if h = u { \
                if h = t { if n = 0 { p := 0 } else { cas(tail, t, n, rel, rlx) } } \
                else { c := cas(head, h, n, rel, rlx); if c = h { p := 0 } } } } until p = 0";
    let thread = |i| if i <= puts { put(i) } else { take.to_owned() };
    let first = puts + 1;
    let threads = parallel(puts + takes, thread);
    format!("shared head = {first}, tail = {first}, next[{}]\n{threads}", first + 1)
}

/// Two threads, each given its number and the other's.
fn both(shared: &str, thread: impl Fn(usize, usize) -> String) -> String {
    format!("shared {shared}\n{} || {}", thread(0, 1), thread(1, 0))
}

/// Peterson's algorithm, with something between setting the flag and looking at the other one.
fn peterson(fence: &str) -> String {
    both("f0, f1, turn, c", |i, other| {
        format!(
            "f{i} := 1; turn := {other}; {fence} while acq f{other} = 1 and turn = {other} {{ }}; \
             c := {}; assert c = {}; f{i} :=rel 0",
            i + 1,
            i + 1
        )
    })
}

/// Peterson's algorithm with an exchange of turn.
fn peterson_exchange() -> String {
    both("f0, f1, turn, s", |i, other| {
        format!(
            "f{i} :=sc 1; xchg(turn, {other}, sc); while sc f{other} = 1 and turn = {other} {{ }}; {}; f{i} :=sc 0",
            critical(i + 1)
        )
    })
}

/// Dekker's algorithm, with something behind setting the flag.
fn dekker(fence: &str) -> String {
    both("w0, w1, turn, c", |i, other| {
        format!(
            "w{i} := 1; {fence} while acq w{other} = 1 {{ \
               if turn != {i} {{ w{i} := 0; while turn != {i} {{ }}; w{i} := 1; {fence} }} }}; \
             c := {}; assert c = {}; turn := {other}; w{i} :=rel 0",
            i + 1,
            i + 1
        )
    })
}

/// A sequence lock with a reader that tries again.
fn seqlock(release: &str, acquire: &str) -> String {
    format!(
        "shared s, x, y\ns := 1; {release} x := 1; y := 1; s :=rel 2 || \
         repeat {{ a :=acq s; b := x; c := y; {acquire} d := s }} until a = d and a % 2 = 0; assert b = c"
    )
}

/// Locks and their like. The complete executions of the spinlock are 36 for three threads, 576 for four and 14400 for five
/// (n!² each), as other model checkers count them too.
#[rustfmt::skip]
pub fn waiting() -> Vec<Waiting> {
    let waiting = |name, text, kinds| Waiting { name, text, kinds };
    let all_but_pso = |kinds: Kinds, pso: Kinds| [kinds, kinds, pso, kinds, kinds, kinds, kinds];
    vec![
        waiting("spinlock/2", spinlock(2), all_but_pso((4, 4, 0), (4, 4, 4))),
        waiting("spinlock/3", spinlock(3), all_but_pso((36, 72, 0), (36, 72, 132))),
        waiting("spinlock/4", spinlock(4), all_but_pso((576, 1928, 0), (576, 1928, 4920))),
        waiting("CAS lock/2", cas_lock(2), all_but_pso((2, 2, 0), (2, 2, 2))),
        waiting("CAS lock/3", cas_lock(3), all_but_pso((6, 15, 0), (6, 15, 24))),
        waiting("ticket lock/2", ticket_lock(2), all_but_pso((2, 2, 0), (2, 2, 2))),
        waiting("ticket lock/3", ticket_lock(3), all_but_pso((6, 24, 0), (6, 24, 24))),
        waiting("MCS lock/2", mcs_lock(2), all_but_pso((6, 6, 0), (6, 6, 2))),
        waiting("MCS lock/3", mcs_lock(3), all_but_pso((66, 102, 0), (66, 102, 48))),
        waiting("Peterson", peterson(""), [(4, 5, 0), (7, 5, 6), (7, 5, 10), (7, 5, 6), (7, 5, 6), (8, 5, 12), (7, 5, 6)]),
        waiting("Peterson+fences", peterson("fence sc;"), [(4, 5, 0), (4, 5, 0), (6, 5, 8), (6, 5, 4), (6, 5, 4), (7, 5, 9), (6, 5, 4)]),
        waiting("Peterson+xchg", peterson_exchange(), all_but_pso((4, 6, 0), (4, 6, 4))),
        waiting("Dekker", dekker(""), [(4, 8, 0), (5, 8, 2), (5, 8, 6), (5, 8, 2), (5, 8, 2), (5, 8, 3), (5, 8, 2)]),
        waiting("Dekker+fences", dekker("fence sc;"), all_but_pso((4, 8, 0), (4, 8, 4))),
        waiting("seqlock", seqlock("", ""), [(2, 16, 0), (2, 16, 0), (4, 16, 4), (2, 16, 0), (2, 16, 0), (2, 16, 0), (3, 16, 2)]),
        waiting("seqlock+fences", seqlock("fence rel;", "fence acq;"), all_but_pso((2, 16, 0), (3, 16, 2))),
    ]
}

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
