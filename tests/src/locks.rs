//! Locks, barriers and flags as people write them, right and wrong, for several threads, and what is to be said of each.

use crate::programs::{
    cas_lock, critical, exchange_lock, mcs_lock, parallel, spinlock, test_and_set_lock, ticket_lock,
};
use litmoscope::model::Model;

/// The order of the columns.
pub const MODELS: [Model; 5] = [Model::SC, Model::TSO, Model::PSO, Model::RA, Model::RC11];

/// What is to be said of a program under a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// It is right, whatever its threads do and however long they wait.
    Right,
    /// An assertion may fail.
    Fails,
    /// There is a data race.
    Races,
}

/// A program and what is to be said of it.
#[derive(Clone, Debug)]
pub struct Lock {
    /// Its usual name and what is different.
    pub name: String,
    /// How many threads it has.
    pub threads: usize,
    /// In our notation or in herd's C.
    pub text: String,
    /// By model as in [`MODELS`]; `None` where it is not asked.
    pub said: [Option<Said>; 5],
}

/// A lock for any number of threads, and what comes of it if a part of its text is another one.
struct Family {
    name: &'static str,
    text: fn(usize) -> String,
    threads: &'static [usize],
    /// What is to be said: R is right, F fails, D has a data race, and `-` is not asked.
    said: &'static str,
    /// What is different, the part, what stands there instead, and what is to be said then.
    others: &'static [(&'static str, &'static str, &'static str, &'static str)],
}

/// N threads that each take a lock by setting a bit.
fn test_and_set(n: usize) -> String {
    let thread = |i| format!("while fetch_or(l, 1, acq) {{ }}; {}; l :=rel 0", critical(i));
    format!("shared l, s\n{}", parallel(n, thread))
}

/// N threads that each take the queue lock of Craig, Landin and Hagersten: each waits for the one in front of it.
fn clh_lock(n: usize) -> String {
    let thread = |i| {
        format!(
            "locked[{i}] := 1; p := xchg(tail, {i}, acqrel); while acq locked[p] = 1 {{ }}; {}; locked[{i}] :=rel 0",
            critical(i)
        )
    };
    format!("shared tail, locked[{}], s\n{}", n + 1, parallel(n, thread))
}

/// N threads that meet twice at a barrier, whose sense is reversed each time.
fn barrier(n: usize) -> String {
    let thread = |i| {
        format!(
            "sense := 0; e := 0; while e < 2 {{ d[e * {n} + {}] :=na 1; sense := 1 - sense; \
             if fai(arrived, acqrel) = {} {{ arrived := 0; fence rel; go :=rel sense }} else {{ while acq go != sense {{ }} }}; \
             r :=na d[e * {n} + {}]; assert r = 1; e := e + 1 }}",
            i - 1,
            n - 1,
            i % n
        )
    };
    format!("shared arrived, go, d[{}]\n{}", 2 * n, parallel(n, thread))
}

/// A writer and readers of a sequence lock, n threads in all.
fn seqlock(n: usize) -> String {
    let thread = |i| match i {
        1 => "s := 1; fence rel; x := 1; y := 1; fence rel; s :=rel 2",
        _ => "repeat { a :=acq s; b := x; c := y; fence acq; d := s } until a = d and a % 2 = 0; assert b = c",
    };
    format!("shared s, x, y\n{}", parallel(n, |i| thread(i).to_owned()))
}

/// The same with two writers, which exclude each other by the counter, and n - 2 readers.
fn seqlock_of_two(n: usize) -> String {
    let thread = |i| match i {
        1 | 2 => format!(
            "repeat {{ repeat {{ a := s }} until a % 2 = 0 }} until cas(s, a, a + 1, acq) = a; fence rel; \
             x := {i}; y := {i}; r := x; assert r = {i}; fence rel; s :=rel a + 2"
        ),
        _ => {
            "repeat { a :=acq s; b := x; c := y; fence acq; d := s } until a = d and a % 2 = 0; assert b = c".to_owned()
        }
    };
    format!("shared s, x, y\n{}", parallel(n, thread))
}

/// One thread that sets a flag, and others that wait for it.
fn flag(n: usize) -> String {
    let thread = |i| match i {
        1 => "d :=na 1; fence rel; ready :=rel 1",
        _ => "while acq ready = 0 { }; r :=na d; assert r = 1",
    };
    format!("shared ready, d\n{}", parallel(n, |i| thread(i).to_owned()))
}

/// Peterson's algorithm.
fn peterson(n: usize) -> String {
    let thread = |i: usize| {
        let other = 3 - i;
        format!(
            "f[{i}] := 1; fence sc; turn := {other}; fence sc; \
             while acq f[{other}] = 1 and turn = {other} {{ }}; {}; fence rel; f[{i}] :=rel 0",
            critical(i)
        )
    };
    format!("shared f[3], turn, s\n{}", parallel(n, thread))
}

/// Dekker's algorithm.
fn dekker(n: usize) -> String {
    let thread = |i: usize| {
        let other = 3 - i;
        format!(
            "w[{i}] := 1; fence sc; while acq w[{other}] = 1 {{ \
               if turn = {other} {{ w[{i}] := 0; while turn = {other} {{ }}; w[{i}] := 1; fence sc }} }}; \
             {}; fence rel; turn := {other}; fence rel; w[{i}] :=rel 0",
            critical(i)
        )
    };
    format!("shared w[3], turn = 1, s\n{}", parallel(n, thread))
}

/// Peterson's filter: on each of n - 1 levels, one thread at least stays behind.
fn filter(n: usize) -> String {
    let thread = |i: usize| {
        let levels: Vec<_> = (1..n)
            .map(|level| {
                let higher: Vec<_> = (1..=n).filter(|&k| k != i).map(|k| format!("level[{k}] >= {level}")).collect();
                format!(
                    "level[{i}] := {level}; fence sc; victim[{level}] := {i}; fence sc; \
                     while acq victim[{level}] = {i} and ({}) {{ }}; ",
                    higher.join(" or ")
                )
            })
            .collect();
        format!("{}{}; fence rel; level[{i}] :=rel 0", levels.concat(), critical(i))
    };
    format!("shared level[{}], victim[{n}], s\n{}", n + 1, parallel(n, thread))
}

/// N threads in herd's C, which all have the same parameters.
fn c(parameters: &str, n: usize, thread: impl Fn(usize) -> String) -> String {
    let threads: Vec<_> = (1..=n).map(|i| format!("\nP{} ({parameters}) {{\n  {}\n}}\n", i - 1, thread(i))).collect();
    format!("C lock\n{{}}\n{}", threads.concat())
}

fn critical_in_c(i: usize) -> String {
    format!("*s = {i}; int r = *s; assert(r == {i});")
}

fn flag_lock_in_c(n: usize) -> String {
    c("atomic_flag* l, int* s", n, |i| {
        format!(
            "while (atomic_flag_test_and_set_explicit(l, memory_order_acquire)) {{}}\n  {}\n  \
             atomic_flag_clear_explicit(l, memory_order_release);",
            critical_in_c(i)
        )
    })
}

fn test_and_set_lock_in_c(n: usize) -> String {
    c("atomic_int* l, int* s", n, |i| {
        format!(
            "for (;;) {{\n    while (atomic_load_explicit(l, memory_order_relaxed)) {{}}\n    \
             if (!atomic_exchange_explicit(l, 1, memory_order_acquire)) break;\n  }}\n  {}\n  \
             atomic_store_explicit(l, 0, memory_order_release);",
            critical_in_c(i)
        )
    })
}

fn cas_lock_in_c(n: usize) -> String {
    c("atomic_int* l, int* s", n, |i| {
        format!(
            "int e = 0;\n  while (!atomic_compare_exchange_weak_explicit(l, &e, 1, memory_order_acquire, \
             memory_order_relaxed)) {{ e = 0; }}\n  {}\n  atomic_store_explicit(l, 0, memory_order_release);",
            critical_in_c(i)
        )
    })
}

/// With a delay that grows. Nobody is shown how long it was at last.
fn backoff_lock_in_c(n: usize) -> String {
    let threads = c("atomic_int* l, int* s", n, |i| {
        format!(
            "int delay = 1;\n  while (atomic_exchange_explicit(l, 1, memory_order_acquire)) {{\n    \
             for (int k = 0; k < delay; k++) {{}}\n    if (delay < 1024) delay *= 2;\n  }}\n  {}\n  \
             atomic_store_explicit(l, 0, memory_order_release);",
            critical_in_c(i)
        )
    });
    threads + "\nforall (true)\n"
}

fn ticket_lock_in_c(n: usize) -> String {
    c("atomic_uint* tickets, atomic_uint* serving, int* s", n, |i| {
        format!(
            "unsigned mine = atomic_fetch_add_explicit(tickets, 1, memory_order_relaxed);\n  \
             while (1) {{\n    unsigned now = atomic_load_explicit(serving, memory_order_acquire);\n    \
             if (now == mine) break;\n  }}\n  {}\n  atomic_store_explicit(serving, mine + 1, memory_order_release);",
            critical_in_c(i)
        )
    })
}

fn flag_in_c(n: usize) -> String {
    c("atomic_bool* ready, int* d", n, |i| match i {
        1 => "*d = 1;\n  atomic_store_explicit(ready, true, memory_order_release);".to_owned(),
        _ => "bool there;\n  do { there = atomic_load_explicit(ready, memory_order_acquire); } while (!there);\n  \
              int r = *d;\n  assert(r == 1);"
            .to_owned(),
    })
}

fn peterson_in_c(n: usize) -> String {
    c("atomic_int* f1, atomic_int* f2, atomic_int* turn, int* s", n, |i| {
        let other = 3 - i;
        format!(
            "atomic_store_explicit(f{i}, 1, memory_order_seq_cst);\n  atomic_store(turn, {other});\n  \
             while (atomic_load(f{other}) && atomic_load(turn) == {other}) {{}}\n  {}\n  atomic_store(f{i}, 0);",
            critical_in_c(i)
        )
    })
}

fn seqlock_in_c(n: usize) -> String {
    c("atomic_uint* s, atomic_int* x, atomic_int* y", n, |i| {
        match i {
        1 => "atomic_store_explicit(s, 1, memory_order_relaxed);\n  atomic_thread_fence(memory_order_release);\n  \
              atomic_store_explicit(x, 1, memory_order_relaxed);\n  atomic_store_explicit(y, 1, memory_order_relaxed);\n  \
              atomic_store_explicit(s, 2, memory_order_release);"
            .to_owned(),
        _ => "int b, c;\n  for (;;) {\n    unsigned before = atomic_load_explicit(s, memory_order_acquire);\n    \
              if (before & 1) continue;\n    b = atomic_load_explicit(x, memory_order_relaxed);\n    \
              c = atomic_load_explicit(y, memory_order_relaxed);\n    atomic_thread_fence(memory_order_acquire);\n    \
              unsigned after = atomic_load_explicit(s, memory_order_relaxed);\n    if (before == after) break;\n  }\n  \
              assert(b == c);"
            .to_owned(),
    }
    })
}

fn barrier_in_c(n: usize) -> String {
    c("atomic_int* arrived, atomic_int* go, int* d", n, |i| {
        format!(
            "int sense = 0;\n  for (int e = 0; e < 2; e++) {{\n    d[e * {n} + {}] = 1;\n    sense = !sense;\n    \
             if (atomic_fetch_add(arrived, 1) == {}) {{\n      atomic_store(arrived, 0);\n      atomic_store(go, sense);\n    \
             }} else {{\n      while (atomic_load(go) != sense) {{}}\n    }}\n    int r = d[e * {n} + {}];\n    \
             assert(r == 1);\n  }}",
            i - 1,
            n - 1,
            i % n
        )
    })
    .replacen("{}", &format!("{{ int d[{}]; }}", 2 * n), 1)
}

/// All of them.
#[rustfmt::skip]
fn families() -> Vec<Family> {
    let family = |name, text, threads, said, others| Family { name, text, threads, said, others };
    const SOME: &[usize] = &[2, 3, 4];
    const FEW: &[usize] = &[2, 3];
    const TWO: &[usize] = &[2];
    vec![
        family("exchange", exchange_lock, SOME, "RRFRR", &[
            ("with a fence", "l :=rel 0", "fence rel; l :=rel 0", "RRRRR"),
            ("taken relaxed", "xchg(l, 1, acq)", "xchg(l, 1)", "RRFRD"),
            ("freed relaxed", "l :=rel 0", "l := 0", "RRFRD"),
        ]),
        family("test and set", test_and_set, SOME, "RRFRR", &[
            ("with a fence", "l :=rel 0", "fence rel; l :=rel 0", "RRRRR"),
            ("taken relaxed", "fetch_or(l, 1, acq)", "fetch_or(l, 1)", "RRFRD"),
            ("in two steps", "while fetch_or(l, 1, acq) { }", "while acq l = 1 { }; l := 1", "FFFFD"),
        ]),
        family("test, test and set", test_and_set_lock, SOME, "RRFRR", &[
            ("with a fence", "l :=rel 0", "fence rel; l :=rel 0", "RRRRR"),
            ("taken relaxed", "xchg(l, 1, acq)", "xchg(l, 1)", "RRFRD"),
            ("freed relaxed", "l :=rel 0", "l := 0", "RRFRD"),
        ]),
        family("compare and swap", cas_lock, SOME, "RRFRR", &[
            ("with a fence", "l :=rel 0", "fence rel; l :=rel 0", "RRRRR"),
            ("taken relaxed", "cas(l, 0, 1, acq)", "cas(l, 0, 1, rlx)", "RRFRD"),
            ("freed relaxed", "l :=rel 0", "l := 0", "RRFRD"),
        ]),
        family("test, compare and swap", spinlock, SOME, "RRFRR", &[
            ("with a fence", "l :=rel 0", "fence rel; l :=rel 0", "RRRRR"),
            ("taken relaxed", "cas(l, 0, 1, acq)", "cas(l, 0, 1, rlx)", "RRFRD"),
        ]),
        family("ticket", ticket_lock, SOME, "RRFRR", &[
            ("with a fence", "serving :=rel", "fence rel; serving :=rel", "RRRRR"),
            ("served relaxed", "serving :=rel", "serving :=", "RRFRD"),
            ("seen relaxed", "while acq serving", "while serving", "RRFRD"),
            ("drawn in two steps", "a := fai(tickets)", "a := tickets; tickets := a + 1", "FFFFD"),
        ]),
        family("CLH", clh_lock, SOME, "RRFRR", &[
            ("with a fence", "; locked[", "; fence rel; locked[", "RRRRR"),
            ("appended relaxed", ", acqrel)", ")", "RRFRD"),
            ("freed relaxed", "] :=rel 0", "] := 0", "RRFRD"),
        ]),
        family("MCS", mcs_lock, SOME, "RRFRR", &[
            ("handed over relaxed", "locked[n] :=rel 0", "locked[n] := 0", "RRFRD"),
        ]),
        family("barrier", barrier, SOME, "RRRRR", &[
            // Under PSO, it opens before the count is 0 again, and whoever arrives meanwhile waits for ever.
            ("opened relaxed", "fence rel; go :=rel", "go :=", "RR-RD"),
            ("reached relaxed", "fai(arrived, acqrel)", "fai(arrived)", "RRRRD"),
            ("without a sense", "1 - sense", "1", "FFFFD"),
        ]),
        family("sequence lock", seqlock, SOME, "RRRRR", &[
            ("begun without a fence", "s := 1; fence rel", "s := 1", "RRFRF"),
            ("ended without a fence", "fence acq; d", "d", "RRRRF"),
        ]),
        family("sequence lock of two", seqlock_of_two, FEW, "RRRRR", &[
            ("taken in two steps", "until cas(s, a, a + 1, acq) = a", "until 1; s := a + 1", "FFFFF"),
        ]),
        family("flag", flag, SOME, "RRRRR", &[
            ("set relaxed", "fence rel; ready :=rel", "ready :=", "RRFRD"),
            ("seen relaxed", "while acq ready", "while ready", "RRRRD"),
        ]),
        family("Peterson", peterson, TWO, "RRRRR", &[
            ("without fences", "fence sc; ", "", "RFFFD"),
        ]),
        family("Dekker", dekker, TWO, "RRRRR", &[
            ("without fences", "fence sc", "skip", "RFFFD"),
        ]),
        family("filter", filter, &[3], "RRRRR", &[]),
        family("filter", filter, TWO, "RRRRR", &[
            ("with too few in the way", "] >= ", "] > ", "FFFFD"),
        ]),
        family("flag lock in C", flag_lock_in_c, SOME, "RRFRR", &[
            ("taken relaxed", "set_explicit(l, memory_order_acquire)", "set_explicit(l, memory_order_relaxed)", "RRFRD"),
        ]),
        family("test, test and set in C", test_and_set_lock_in_c, SOME, "RRFRR", &[
            ("freed relaxed", "memory_order_release", "memory_order_relaxed", "RRFRD"),
        ]),
        family("compare and swap in C", cas_lock_in_c, SOME, "RRFRR", &[
            ("taken relaxed", "memory_order_acquire", "memory_order_relaxed", "RRFRD"),
        ]),
        family("back-off in C", backoff_lock_in_c, SOME, "RRFRR", &[
            ("taken relaxed", "memory_order_acquire", "memory_order_relaxed", "RRFRD"),
        ]),
        family("ticket in C", ticket_lock_in_c, SOME, "RRFRR", &[
            ("seen relaxed", "memory_order_acquire", "memory_order_relaxed", "RRFRD"),
        ]),
        family("barrier in C", barrier_in_c, SOME, "RR-RR", &[
            ("without a sense", "!sense", "1", "FFFFD"),
        ]),
        family("sequence lock in C", seqlock_in_c, SOME, "RRFRR", &[
            ("ended without a fence", "atomic_thread_fence(memory_order_acquire);", "", "RRFRF"),
        ]),
        family("flag in C", flag_in_c, SOME, "RRFRR", &[
            ("set relaxed", "memory_order_release", "memory_order_relaxed", "RRFRD"),
        ]),
        family("Peterson in C", peterson_in_c, TWO, "RFFFR", &[
            ("with flags set by release", ", 1, memory_order_seq_cst)", ", 1, memory_order_release)", "RFFFD"),
        ]),
    ]
}

/// The locks, each with what is wrong in front.
pub fn locks() -> Vec<Lock> {
    let mut all = Vec::new();
    for Family { name, text, threads, said, others } in families() {
        for &threads in threads {
            let right = text(threads);
            let mut add = |name: String, text, said: &str| {
                let said = said.chars().map(|letter| match letter {
                    'R' => Some(Said::Right),
                    'F' => Some(Said::Fails),
                    'D' => Some(Said::Races),
                    _ => None,
                });
                let said: Vec<_> = said.collect();
                all.push(Lock { name, threads, text, said: said.try_into().expect("a letter for each model") });
            };
            for (what, part, instead, said) in others {
                assert!(right.contains(part), "{name}, {what}: nothing is different");
                add(format!("{name}, {what}"), right.replace(part, instead), said);
            }
            add(name.to_owned(), right, said);
        }
    }
    all
}
