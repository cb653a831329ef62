//! The part of the report that explores code: ours against the crate `lincheck`, on the same calls of the same objects.
//!
//! Each exploration has a process of its own, which does it again and again until its time is over, and both take turns. What is
//! measured is exploring and judging: programs are read and compiled before.

use crate::atomics::{Call, Code, Counted, Flags, MichaelScott, RingBuffer, Treiber, executions};
use crate::markdown::{geometric_mean, short, table};
use crate::measure::Bench;
use crate::{Arguments, Failure};
use clap::ValueEnum;
use lincheck::scenario::{Scenario, check_scenario_with_loom};
use litmoscope::budget::Budget;
use litmoscope::explore::Options;
use litmoscope::histories::executions::{Judging, Sight};
use litmoscope::model::Model;
use litmoscope::program::{Code as Compiled, Limits};
use litmoscope::syntax::parse;
use litmoscope::words::grouped;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// It is explored again and again for so long, and the best time counts.
const PATIENCE: Duration = Duration::from_millis(300);

/// An object and the calls of its threads. Of each object, the calls of its file come first, then more of them.
const CASES: [(&str, &str, bool); 16] = [
    ("treiber", "push 1; pop || push 2; pop", true),
    ("treiber", "push 1; pop || push 2 || pop", true),
    ("treiber", "push 1; push 2; pop || push 3; pop; pop", true),
    ("treiber", "push 1; pop || push 2; pop || push 3; pop", true),
    ("treiber-plain-push", "push 1; pop || push 2; pop", false),
    ("treiber-plain-pop", "push 1; pop || pop", false),
    ("michael-scott", "enq 1; deq || enq 2; deq", true),
    ("michael-scott", "enq 1; deq || enq 2 || deq", true),
    ("michael-scott", "enq 1; enq 2; deq || enq 3; deq; deq", true),
    ("michael-scott", "enq 1; deq || enq 2; deq || enq 3; deq", true),
    ("michael-scott-plain-enq", "enq 1; deq || enq 2; deq", false),
    ("ring-buffer", "enq 1 || deq", true),
    ("ring-buffer", "enq 1; enq 2; enq 3 || deq; deq; deq", true),
    ("flags-exchanged", "add 1 || add 1", true),
    ("flags-exchanged", "add 1; add 2 || add 2; add 1 || add 1; add 2", true),
    ("flags-tested", "add 1 || add 1", false),
];

/// Who explores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Explorer {
    Ours,
    Lincheck,
}

impl Explorer {
    /// As the command line of this program writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Lincheck => "lincheck",
        }
    }
}

/// What one exploration found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    pub seconds: f64,
    pub is_linearizable: bool,
    /// How many executions it explored, up to the first that is not linearizable.
    pub executions: u64,
}

impl Found {
    /// The faster of two that found the same.
    fn better(self, other: Self) -> Self {
        if other.seconds < self.seconds { other } else { self }
    }

    /// What `check` has printed.
    pub fn read(output: &str) -> Option<Self> {
        let [seconds, is_linearizable, executions] = output.split_whitespace().collect::<Vec<_>>()[..] else {
            return None;
        };
        let is_linearizable = is_linearizable == "1";
        Some(Self { seconds: seconds.parse().ok()?, is_linearizable, executions: executions.parse().ok()? })
    }
}

/// The file of an object.
pub fn path(object: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/objects").join(object).with_extension("lit")
}

/// Prints the best time in seconds, 1 if it is linearizable and 0 if not, and how many executions there were.
pub fn check(by: Explorer, object: &str, calls: &str) -> Result<(), Failure> {
    let begin = Instant::now();
    let mut explore = explorer(by, object, calls)?;
    let mut best = explore()?;
    while begin.elapsed() < PATIENCE {
        best.seconds = best.seconds.min(explore()?.seconds);
    }
    println!("{} {} {}", best.seconds, u8::from(best.is_linearizable), best.executions);
    Ok(())
}

/// What explores once, whenever it is called.
fn explorer(by: Explorer, object: &str, calls: &str) -> Result<Box<dyn FnMut() -> Result<Found, Failure>>, Failure> {
    Ok(match by {
        Explorer::Ours => {
            let judging = judging(&std::fs::read_to_string(path(object))?, calls)?;
            Box::new(move || by_ours(&judging))
        }
        Explorer::Lincheck => {
            let calls = read(calls)?;
            let explore = match object {
                "treiber" => by_lincheck::<Treiber<false, false>>,
                "treiber-plain-push" => by_lincheck::<Treiber<true, false>>,
                "treiber-plain-pop" => by_lincheck::<Treiber<false, true>>,
                "michael-scott" => by_lincheck::<MichaelScott<false>>,
                "michael-scott-plain-enq" => by_lincheck::<MichaelScott<true>>,
                "ring-buffer" => by_lincheck::<RingBuffer>,
                "flags-exchanged" => by_lincheck::<Flags<false>>,
                "flags-tested" => by_lincheck::<Flags<true>>,
                _ => return Err(format!("lincheck was told nothing about {object}").into()),
            };
            Box::new(move || Ok(explore(&calls)))
        }
    })
}

/// The calls of each thread.
fn read(calls: &str) -> Result<Vec<Vec<Call>>, Failure> {
    let call = |call: &str| match call.split_whitespace().collect::<Vec<_>>()[..] {
        ["push" | "enq" | "add", value] => Ok(Call::Insert(value.parse()?)),
        ["pop" | "deq"] => Ok(Call::Remove),
        _ => Err(format!("{call} is no call").into()),
    };
    calls.split("||").map(|thread| thread.split(';').map(call).collect()).collect()
}

/// The program with these calls in place of its threads.
fn with_calls(program: &str, object: &str, calls: &str) -> String {
    let declaration = program.lines().take_while(|line| *line != "}");
    let mut text: String = declaration.fold(String::new(), |text, line| text + line + "\n") + "}\n";
    for (thread, calls) in calls.split("||").enumerate() {
        text += if thread == 0 { "\n" } else { " ||\n" };
        for (at, call) in calls.split(';').enumerate() {
            let mut words = call.split_whitespace();
            let method = words.next().unwrap_or_default();
            let separator = if at == 0 { "" } else { "; " };
            let result = if matches!(method, "push" | "enq") { String::new() } else { format!("r{at} := ") };
            let _ = write!(text, "{separator}{result}{object}.{method}({})", words.next().unwrap_or_default());
        }
    }
    text + "\n"
}

fn judging(program: &str, calls: &str) -> Result<Judging, Failure> {
    let refused = |_| format!("{calls} cannot be called");
    let object = parse(program).map_err(refused)?.program.structures[0].name.clone();
    let program = parse(&with_calls(program, &object, calls)).map_err(refused)?.program;
    let code = Arc::new(Compiled::compile(&program).map_err(|_| "it is too large")?);
    let options = Options::within(Limits::default().with_room_for(&code));
    Ok(Judging { program: Arc::new(program), code, model: Model::SC, options, structure: 0, sight: Sight::Client })
}

fn by_ours(judging: &Judging) -> Result<Found, Failure> {
    let begin = Instant::now();
    let judged = black_box(judging.judge_to_first(&mut Budget::unlimited()));
    let seconds = begin.elapsed().as_secs_f64();
    let is_linearizable = judged.violating == 0;
    if is_linearizable && (judged.is_bounded || judged.is_cut_short || judged.unjudged > 0) {
        return Err("ours did not judge everything".into());
    }
    Ok(Found { seconds, is_linearizable, executions: judged.executions })
}

fn by_lincheck<C>(calls: &[Vec<Call>]) -> Found
where
    C: Code + Send + Sync + 'static,
    C::Promise: Send + Sync + 'static,
{
    let scenario = Scenario { init_part: Vec::new(), parallel_part: calls.to_vec(), post_part: Vec::new() };
    executions();
    let begin = Instant::now();
    let is_linearizable = black_box(check_scenario_with_loom::<Counted<C>>(scenario)).is_ok();
    Found { seconds: begin.elapsed().as_secs_f64(), is_linearizable, executions: executions() }
}

/// Both, on all cases.
pub fn exploring(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let (mut rows, mut ratios, mut finished) = (Vec::new(), Vec::new(), [0, 0]);
    for (object, calls, is_linearizable) in CASES {
        let mut best: [Option<Found>; 2] = [None, None];
        for round in 0..arguments.runs {
            for (by, best) in [Explorer::Ours, Explorer::Lincheck].into_iter().zip(&mut best) {
                // Who has taken too long is not asked again.
                if round == 0 || best.is_some() {
                    let found = bench.check(by, object, calls, is_linearizable)?;
                    *best = found.map(|found| best.map_or(found, |best| best.better(found)));
                }
            }
        }
        for (count, found) in finished.iter_mut().zip(&best) {
            *count += usize::from(found.is_some());
        }
        let limit = format!("> {}", grouped(1_000 * arguments.limit));
        let time = |found: Option<Found>| found.map_or_else(|| limit.clone(), |found| short(found.seconds * 1e3));
        let count = |found: Option<Found>| found.map_or_else(String::new, |found| grouped(found.executions));
        let ratio = best[0].zip(best[1]).map(|(ours, lincheck)| lincheck.seconds / ours.seconds);
        ratios.extend(ratio);
        rows.push([
            object.to_owned(),
            calls.replace("||", "∥"),
            if is_linearizable { "yes" } else { "no" }.to_owned(),
            count(best[0]),
            time(best[0]),
            count(best[1]),
            time(best[1]),
            ratio.map_or_else(String::new, short),
        ]);
    }
    let least = ratios.iter().copied().reduce(f64::min).map_or_else(String::new, short);
    let both = ratios.len();
    let mean = geometric_mean(ratios).map_or_else(String::new, short);
    let head = ["object", "calls", "linearizable", "executions", "ms", "lincheck: executions", "ms", "times less"];
    Ok(format!(
        "#### Code explored and judged under SC, against `lincheck`\n\nOf {} cases, ours ends in {} and `lincheck` in {}, each within {} s. \
         Of the {both} that both end, **ours takes {mean} times less**, the geometric mean; the least is {least}. Both stop at the first \
         execution that is not linearizable.\n\n{}",
        CASES.len(),
        finished[0],
        finished[1],
        arguments.limit,
        table(head, 3, &rows)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read() {
        let found = Found { seconds: 0.25, is_linearizable: true, executions: 7 };
        assert_eq!(Found::read("0.25 1 7\n"), Some(found));
        assert_eq!(Found::read("0.25 0 7"), Some(Found { is_linearizable: false, ..found }));
        assert_eq!(Found::read(""), None);
        assert_eq!(found.better(Found { seconds: 0.5, ..found }), found);
    }

    #[test]
    fn calls_take_the_place_of_threads() {
        let program = "# A stack.\nobject s: stack {\n  push(n) {\n  }\n}\n\ns.push(1)\n";
        assert_eq!(
            with_calls(program, "s", "push 1; pop || pop"),
            "# A stack.\nobject s: stack {\n  push(n) {\n  }\n}\n\ns.push(1); r1 := s.pop() ||\nr0 := s.pop()\n"
        );
        assert_eq!(read("push 1; pop || pop").unwrap(), [vec![Call::Insert(1), Call::Remove], vec![Call::Remove]]);
        assert!(read("push 1; peek").is_err());
    }

    /// One test for all, since lincheck puts something in place of what panics do, and counts for everybody.
    #[test]
    fn both_say_what_the_table_says() {
        let mut explorations = 0;
        // The larger ones take lincheck too long.
        let small = |calls: &str| calls.split("||").count() == 2 && calls.split(['|', ';']).count() <= 5;
        for (object, calls, is_linearizable) in CASES.into_iter().filter(|(_, calls, _)| small(calls)) {
            for by in [Explorer::Ours, Explorer::Lincheck] {
                let mut explore = explorer(by, object, calls).unwrap();
                let [one, other] = [explore().unwrap(), explore().unwrap()];
                assert_eq!(one.is_linearizable, is_linearizable, "{object}: {calls} by {by:?}");
                assert!(one.executions > 0);
                assert_eq!(one.executions, other.executions, "{object}: {calls} by {by:?}");
                explorations += 1;
            }
        }
        assert_eq!(explorations, 16);
    }
}
