//! Families of executions that grow, for the benchmark of the searches and for the test of how they grow.

use litmoscope::consistency::{Instance, Machine, parse_execution};

/// What threads do before the last two of their events decide the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Each writes two locations of its own in turns.
    Own,
    /// The same with a fence behind every other write.
    Fenced,
    /// Each writes a location that all share, and reads what it wrote.
    Shared,
}

/// An execution of a family, by `size`: threads with that many writes each, and in the first two threads one write or read
/// of two values of one location. These are read as they are written if the execution is to be consistent, else the other
/// way round; no machine allows that, and only what comes last shows it, so that a search without closure has to go
/// through all else first.
pub fn execution(family: Family, threads: usize, size: usize, is_consistent: bool) -> String {
    let mut lines = Vec::new();
    for thread in 0..threads {
        let mut events = Vec::new();
        for at in 0..size {
            let value = thread * size + at + 1;
            match family {
                Family::Own | Family::Fenced => events.push(format!("w {}{thread} {value}", ["x", "y"][at % 2])),
                Family::Shared => events.extend([format!("w x {value}"), format!("r x {value}")]),
            }
            if family == Family::Fenced && at % 2 == 1 {
                events.push("fence".to_owned());
            }
        }
        match (thread, is_consistent) {
            (0, _) => events.extend(["w z 1", "w z 2"].map(str::to_owned)),
            (1, true) => events.extend(["r z 1", "r z 2"].map(str::to_owned)),
            (1, false) => events.extend(["r z 2", "r z 1"].map(str::to_owned)),
            _ => {}
        }
        lines.push(format!("T{thread}: {}", events.join("; ")));
    }
    lines.join("\n")
}

/// The same on a machine.
pub fn instance(machine: Machine, family: Family, threads: usize, size: usize, is_consistent: bool) -> Instance {
    let text = execution(family, threads, size, is_consistent);
    Instance::new(machine, &parse_execution(&text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}")))
}
