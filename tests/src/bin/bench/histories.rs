//! The part of the report that is on histories of concurrent objects.
//!
//! Whole recordings are judged by whole commands, reading included. Where some milliseconds count, a process of its own reads the history
//! and then judges it again and again, by one monitor or search, until its time is over.

use crate::exploring::exploring;
use crate::judge::By;
use crate::markdown::{geometric_mean, short, table};
use crate::measure::Bench;
use crate::{Arguments, Failure};
use litmoscope::budget::Budget;
use litmoscope::histories::generate::{pushes_then_pops, walk, walk_without_queries};
use litmoscope::histories::{Format, History, Object, Recording, judge_stack_as_published, print_history};
use litmoscope::words::grouped;
use std::path::{Path, PathBuf};
use std::time::Duration;

const SEED: u64 = 1;
/// The objects with monitors.
pub const MONITORED: [Object; 4] = [Object::Stack, Object::Queue, Object::Set, Object::Multiset];
/// The objects that both searches are asked about.
const SEARCHED: [Object; 3] = [Object::Stack, Object::Queue, Object::Register];
const THREADS: [u32; 4] = [4, 8, 16, 32];
const SIZES: [u32; 3] = [100, 1_000, 10_000];
/// How long one search may take.
const LIMIT: Duration = Duration::from_secs(10);
/// What Violin takes for as many operations of a stack, in seconds: averages of the times that are stored with LiMo's benchmarks,
/// of those of 500 and 600 operations without the runs that did not come to their end.
const VIOLIN: [(u32, f64); 6] = [(100, 0.9), (200, 10.5), (300, 31.9), (400, 81.0), (500, 173.0), (600, 264.0)];

/// A history in a file.
fn file(bench: &Bench, name: &str, history: History) -> Result<PathBuf, Failure> {
    let recording = Recording { histories: vec![history] };
    let text = print_history(&recording, Format::Text).map_err(|error| format!("{name}: {error:?}"))?;
    let path = bench.folder().join(name);
    std::fs::write(&path, text)?;
    Ok(path)
}

fn milliseconds(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| format!("> {}", grouped(LIMIT.as_millis() as u64)), |seconds| short(seconds * 1e3))
}

/// Writes a long one. The memory of a command is never less than that of who starts it, so this has a process of its own.
pub fn record(path: &Path, object: Object, operations: u32, inserts_first: bool) -> Result<(), Failure> {
    let history = if inserts_first {
        pushes_then_pops(8, operations / 2, SEED, object)
    } else {
        walk_without_queries(8, operations, SEED, object)
    };
    let recording = Recording { histories: vec![history] };
    std::fs::write(path, print_history(&recording, Format::Text).map_err(|error| format!("{error:?}"))?)?;
    Ok(())
}

pub fn histories(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let parts = [
        recordings(bench)?,
        growth(bench)?,
        monitors(bench)?,
        violin(bench)?,
        searches(bench)?,
        exploring(bench, arguments)?,
    ];
    Ok(parts.join("\n"))
}

/// Long ones.
fn recordings(bench: &mut Bench) -> Result<String, Failure> {
    let mut rows = Vec::new();
    for object in MONITORED {
        for size in [100_000, 1_000_000] {
            for (shape, inserts_first) in [("random", false), ("insertions, then removals", true)] {
                let name = format!("{} operations of a {}, {shape}", grouped(size.into()), object.name());
                let path = bench.folder().join("recording.txt");
                bench.record(&path, object, size, inserts_first)?;
                let Some(usage) = bench.linearize(&path)? else {
                    bench.wrong.push(format!("{name}: not linearizable, or it took too long"));
                    continue;
                };
                rows.push([
                    object.name().to_owned(),
                    shape.to_owned(),
                    grouped(size.into()),
                    short(usage.cpu),
                    format!("{:.0}", usage.peak as f64 / 1e6),
                ]);
            }
        }
    }
    Ok(format!(
        "#### Recordings of 8 threads, reading included\n\n`litmoscope linearize` on one core.\n\n{}",
        table(["object", "operations are", "operations", "seconds", "MB"], 2, &rows)
    ))
}

/// How the published algorithm for stacks grows.
fn growth(bench: &mut Bench) -> Result<String, Failure> {
    let mut rows = Vec::new();
    for size in [1_000_u32, 2_000, 4_000, 8_000, 16_000] {
        let history = pushes_then_pops(8, size / 2, SEED, Object::Stack);
        let (_, tree) = judge_stack_as_published(&history, &mut Budget::unlimited()).map_err(|_| "nobody stops it")?;
        let looks: usize = tree.nodes.iter().map(|node| node.values.len()).sum();
        let path = file(bench, "growth.txt", history)?;
        let times = [By::Published, By::Fast].map(|by| bench.judge(&path, by, LIMIT));
        let [published, fast] = times;
        let (published, fast) = (published?, fast?);
        rows.push([
            grouped(size.into()),
            grouped(looks as u64),
            short(looks as f64 / f64::from(size)),
            milliseconds(published),
            milliseconds(fast),
            published.zip(fast).map_or_else(String::new, |(published, fast)| short(published / fast)),
        ]);
    }
    let head = ["operations", "looks at values", "for each operation", "ms, published", "ms, fast", "times less"];
    Ok(format!(
        "#### A stack filled by 8 threads and then emptied: how the published algorithm grows\n\n{}",
        table(head, 0, &rows)
    ))
}

/// Each monitor on the same histories.
fn monitors(bench: &mut Bench) -> Result<String, Failure> {
    let (mut rows, mut slowest) = (Vec::new(), 0.0_f64);
    for object in MONITORED {
        let path = file(bench, "monitors.txt", walk_without_queries(16, 1_000, SEED, object))?;
        let mut row = vec![object.name().to_owned()];
        for by in [By::Published, By::Fast, By::Search] {
            let time = bench.judge(&path, by, LIMIT)?;
            row.push(milliseconds(time));
            if by != By::Search {
                slowest = slowest.max(time.unwrap_or(f64::INFINITY));
            }
        }
        rows.push(row.try_into().map_err(|_| "a row has four columns")?);
    }
    Ok(format!(
        "#### 1,000 random insertions and removals by 16 threads, in milliseconds\n\nA monitor takes at most {} ms.\n\n{}",
        short(slowest * 1e3),
        table(["object", "published", "fast", "search"], 1, &rows)
    ))
}

/// Stacks of the sizes for which Violin's times are known.
fn violin(bench: &mut Bench) -> Result<String, Failure> {
    let mut rows = Vec::new();
    for (size, seconds) in VIOLIN {
        let path = file(bench, "violin.txt", walk(16, size, SEED, Object::Stack))?;
        let [published, fast, search] = [By::Published, By::Fast, By::Search].map(|by| bench.judge(&path, by, LIMIT));
        rows.push([
            grouped(size.into()),
            grouped((seconds * 1e3) as u64),
            milliseconds(published?),
            milliseconds(fast?),
            milliseconds(search?),
        ]);
    }
    Ok(format!(
        "#### Stacks of 16 threads, in milliseconds; Violin as published\n\n{}",
        table(["operations", "Violin", "published", "fast", "search"], 0, &rows)
    ))
}

/// Our search against that of `todc-utils`.
fn searches(bench: &mut Bench) -> Result<String, Failure> {
    let (mut rows, mut ratios) = (Vec::new(), Vec::new());
    let (mut finished, mut both, mut slower) = ([0, 0], 0, Vec::new());
    for object in SEARCHED {
        for threads in THREADS {
            let mut row = vec![object.name().to_owned(), threads.to_string()];
            for size in SIZES {
                let path = file(bench, "search.txt", walk(threads, size, SEED, object))?;
                let [ours, todc] = [By::Search, By::Todc].map(|by| bench.judge(&path, by, LIMIT));
                let times = [ours?, todc?];
                for (count, time) in finished.iter_mut().zip(times) {
                    *count += usize::from(time.is_some());
                }
                row.extend(times.map(milliseconds));
                if let [Some(ours), Some(todc)] = times {
                    both += 1;
                    ratios.push(todc / ours);
                    if ours > todc {
                        slower.push(format!(
                            "{} operations of a {} by {threads} threads",
                            grouped(size.into()),
                            object.name()
                        ));
                    }
                }
            }
            rows.push(row.try_into().map_err(|_| "a row has eight columns")?);
        }
    }
    let cases = rows.len() * SIZES.len();
    let least = ratios.iter().copied().reduce(f64::min).map_or_else(String::new, short);
    let mean = geometric_mean(ratios).map_or_else(String::new, short);
    let slower = match slower.as_slice() {
        [] => "in none is ours slower".to_owned(),
        slower => format!("ours is slower in {}", slower.join(", ")),
    };
    let head = ["object", "threads", "100", "todc", "1,000", "todc", "10,000", "todc"];
    Ok(format!(
        "#### Random operations by the search, in milliseconds, against `todc-utils`\n\nOf {cases} cases, ours ends in {} and \
         `todc-utils` in {}, each within {} s. Of the {both} that both end, **ours takes {mean} times less**, the geometric mean; the least is \
         {least}, and {slower}.\n\n{}",
        finished[0],
        finished[1],
        LIMIT.as_secs(),
        table(head, 1, &rows)
    ))
}
