//! The published buffers, as texts of any size. `public/schedules/` has some of them, and the programs of one size.
//!
//! Source: P. Metzler's thesis (2020). Each of the steps lock, check, update and unlock is one event.

use std::fmt::Write;

/// The text of a buffer: what producers and consumers do in each round.
fn text(name: &str, producers: usize, consumers: usize, producer: &str, consumer: &str) -> String {
    let mut text = format!("name {name}\nshared m, count\n");
    for thread in 0..producers + consumers {
        let round = if thread < producers { producer } else { consumer };
        let _ = write!(text, "{}\nwhile 1 {{\n{round}}}\n", if thread > 0 { "||" } else { "" });
    }
    text
}

/// Producers and consumers that share a buffer. Who finds no room, or nothing to take, tries again. Figures 2.1 and 4.3.
///
/// With one producer and one consumer there are 7 · places + 3 states and 8 · places + 4 steps.
pub fn buffer(places: u32, producers: usize, consumers: usize) -> String {
    buffer_or("a buffer", places, producers, consumers, "")
}

/// The same, but it is an error to find no room, or nothing to take. Figure 4.2.
pub fn failing_buffer(places: u32, producers: usize, consumers: usize) -> String {
    buffer_or("a failing buffer", places, producers, consumers, " else { error }")
}

/// The same, with something else to do without room, or anything to take.
fn buffer_or(name: &str, places: u32, producers: usize, consumers: usize, otherwise: &str) -> String {
    let round = |check: &str, update: &str| {
        format!("  lock m\n  if count {check} {{ atomic {{ count := count {update} 1 }} }}{otherwise}\n  unlock m\n")
    };
    let (producer, consumer) = (round(&format!("< {places}"), "+"), round("> 0", "-"));
    text(&format!("{name} of {places}"), producers, consumers, &producer, &consumer)
}

/// The same, but what puts and takes asserts that it can. Figure 4.9.
///
/// There are places + 1 + threads · (3 · places + 1) states.
pub fn asserting_buffer(places: u32, producers: usize, consumers: usize) -> String {
    let producer = format!(
        "  lock m\n  if count != {places} {{ atomic {{ assert count < {places}; count := count + 1 }} }}\n  unlock m\n"
    );
    let consumer = "  lock m\n  if count > 0 { atomic { assert count > 0; count := count - 1 } }\n  unlock m\n";
    text(&format!("a buffer of {places} that asserts"), producers, consumers, &producer, consumer)
}

/// The same, but threads look for room, or something to take, before they lock. Figure 4.12.
pub fn racy_buffer(places: u32, producers: usize, consumers: usize) -> String {
    let round = |check: &str, update: &str| {
        format!(
            "  if {check} {{\n    lock m\n    assert {check}\n    atomic {{ count := count {update} 1 }}\n    unlock m\n  }}\n"
        )
    };
    let producer = round(&format!("count < {places}"), "+");
    text(&format!("a racy buffer of {places}"), producers, consumers, &producer, &round("count > 0", "-"))
}

#[cfg(test)]
mod runs;
#[cfg(test)]
mod tests;
