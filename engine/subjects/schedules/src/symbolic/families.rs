//! Programs of the literature on schedules, as texts of any size.
//!
//! Sources: C. Flanagan, P. Godefroid, "Dynamic partial-order reduction for model checking software" (POPL 2005), for Indexer; P. Abdulla
//! et al., "Optimal dynamic partial order reduction" (POPL 2014), for Last Zero; P. Metzler's thesis (2020), figure 5.1. The thesis prints
//! no text of the first two.

use std::fmt::Write;

/// Threads that put four messages each into a table of 128 slots, and look for the next free slot where one is taken. From 12 threads on,
/// some messages are the same. There are 8^(n − 11) traces, 1 up to 11 threads.
///
/// Each thread beyond the eleventh shares three messages with another one. So a trace has three constraints for each, between the swaps
/// that are the first to come to a slot: 12 with 15 threads. What a thread does after it has found a slot taken meets nobody.
pub fn indexer(threads: u32) -> String {
    let mut text = "name indexer\nshared table[128]\n".to_owned();
    for thread in 0..threads {
        let _ = write!(
            text,
            "{}m := 0
while m < 4 {{
  m := m + 1
  w := 11 * m + {thread}
  h := 7 * w % 128
  while cas(table[h], 0, w) != 0 {{ h := (h + 1) % 128 }}
}}
",
            if thread == 0 { "" } else { "||\n" }
        );
    }
    text
}

/// Workers that set a cell each to one more than the cell before it, and a thread that looks for the last cell that is not 0, from the end
/// on. With `threads` threads, of which one looks, there are threads · 2^(threads − 2) traces.
pub fn last_zero(threads: u32) -> String {
    let mut text = format!("name last zero\nshared a[{}]\n", threads.max(1));
    for worker in 1..threads {
        let _ = writeln!(text, "atomic {{ a[{worker}] := a[{}] + 1 }}\n||", worker - 1);
    }
    let last = threads.max(1) - 1;
    let _ = writeln!(text, "i := {last}\nrepeat {{ r := a[i]; i := i - 1 }} until r != 0 or i < 0");
    text
}

/// Two threads that increment what a pointer points to, without a lock; one asserts that it holds then what it has put there. The pointers
/// are inputs.
///
/// The pointers are read with what they point to, in one event, as they were parameters of threads in print.
pub const INCREMENTS: &str = "name increments
shared u, v, x = input {&u, &v}, y = input {&u, &v}

  atomic { a := *x }
  atomic { *x := a + 1 }
  atomic { assert *x = a + 1 }
||
  atomic { b := *y }
  atomic { *y := b + 1 }
";
