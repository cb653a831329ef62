//! The part of the report on memory implementations: what is known of all their runs, and how soon; against Rumur where it is there.

use crate::command::{Finished, Usage, run};
use crate::markdown::{short, table};
use crate::measure::Bench;
use crate::{Arguments, Failure};
use litmoscope::words::grouped;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What is measured: a file of the library, parameters, and a model.
const ROWS: [(&str, &str, &str); 16] = [
    ("msi", "threads=3", "wra"),
    ("msi", "threads=3", "ra"),
    ("msi", "variables=2", "sra"),
    ("msi-forgetful", "threads=3", "wra"),
    ("tso", "slots=2", "wra"),
    ("tso", "slots=2", "ra"),
    ("tso", "slots=2", "sra"),
    ("tso", "threads=3,variables=1", "ra"),
    ("pso", "", "wra"),
    ("broadcast", "threads=3", "wra"),
    ("broadcast", "threads=3", "ra"),
    ("broadcast", "threads=4", "wra"),
    ("broadcast-causal", "", "ra"),
    ("sequencer", "threads=3", "ra"),
    ("common-word", "", "ra"),
    ("no-common-word", "", "ra"),
];

/// How long making a program of a model may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// What a command has printed of one model.
struct Answer {
    verdict: String,
    /// Tuples or configurations, where it holds.
    size: Option<u64>,
    states: u64,
}

fn read(output: &str) -> Option<Answer> {
    let found: Value = serde_json::from_str(output).ok()?;
    let model = &found["models"][0];
    let size = model["tuples"].as_u64().or_else(|| model["configurations"].as_u64());
    Some(Answer { verdict: model["verdict"].as_str()?.to_owned(), size, states: found["states"].as_u64()? })
}

/// The best of several runs that end as they should; `None` if one does not.
fn best(
    runs: u32,
    limit: Duration,
    mut command: impl FnMut() -> Command,
) -> Result<Option<(Finished, Usage)>, Failure> {
    let mut best: Option<(Finished, Usage)> = None;
    for _ in 0..runs {
        let Some(finished) = run(&mut command(), limit)? else { return Ok(None) };
        let usage = finished.usage;
        if best.as_ref().is_none_or(|(_, best)| usage.cpu < best.cpu) {
            best = Some((finished, usage));
        }
    }
    Ok(best)
}

/// The library, each model by itself, on one core.
pub fn protocols(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/protocols");
    let limit = Duration::from_secs(arguments.limit);
    let rumur = Command::new("rumur").arg("--version").output().is_ok_and(|said| said.status.success());
    let (mut rows, mut times_less) = (Vec::new(), Vec::new());
    for (name, settings, model) in ROWS {
        let wanted = arguments.programs.is_empty() || arguments.programs.iter().any(|program| program == name);
        if !wanted {
            continue;
        }
        let file = library.join(format!("{name}.protocol"));
        let command = || {
            let mut command = Command::new(bench.binary());
            command.arg("protocol").arg(&file).args([
                "--json",
                "--threads",
                "1",
                "--initial",
                "nothing",
                "--model",
                model,
            ]);
            if !settings.is_empty() {
                command.args(["--set", settings]);
            }
            command
        };
        let ours = best(arguments.runs, limit, command)?;
        let answer = ours.as_ref().and_then(|(finished, _)| read(&finished.output));
        let Some(((_, usage), answer)) = ours.zip(answer) else {
            bench.wrong.push(format!("{name} {settings} {model}: no answer in {} s", arguments.limit));
            continue;
        };
        let theirs = if rumur { by_rumur(bench.folder(), command(), arguments, limit)? } else { None };
        if let Some((holds, _)) = &theirs
            && *holds != (answer.verdict == "holds")
        {
            bench.wrong.push(format!("{name} {settings} {model}: {} here, otherwise by Rumur", answer.verdict));
        }
        times_less.extend(theirs.as_ref().map(|(_, theirs)| theirs.cpu / usage.cpu.max(0.001)));
        let rate = answer.size.map(|size| grouped((size as f64 / usage.cpu.max(0.001)) as u64));
        rows.push([
            name.to_owned(),
            settings.to_owned(),
            model.to_uppercase(),
            grouped(answer.states),
            answer.verdict,
            answer.size.map(grouped).unwrap_or_default(),
            short(usage.cpu),
            rate.unwrap_or_default(),
            grouped(usage.peak >> 20),
            theirs.map(|(_, usage)| short(usage.cpu)).unwrap_or_default(),
        ]);
    }
    let peer = if rumur {
        "Rumur's are those of what it compiles to from `--murphi`, with `-O3`, on one core, without the time to compile; there is none where its model has more shapes than fit, or does not compile in five minutes"
    } else {
        "Rumur is not on this machine, so its column is empty"
    };
    let head = [
        "memory",
        "parameters",
        "model",
        "states",
        "verdict",
        "tuples or configurations",
        "seconds",
        "a second",
        "MB",
        "Rumur",
    ];
    let least = times_less.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = (times_less.iter().map(|less| less.ln()).sum::<f64>() / times_less.len() as f64).exp();
    let compared = match times_less.len() {
        0 => String::new(),
        all => format!(
            " Of the {all} that both decide, **ours takes {} times less**, the geometric mean; the least is {}.",
            short(mean),
            short(least)
        ),
    };
    Ok(format!(
        "#### Memory implementations, all runs\n\n`litmoscope protocol --threads 1 --initial nothing`, whole commands. {peer}.{compared}\n\n{}",
        table(head, 3, &rows)
    ))
}

/// The same question answered by what Rumur compiles to; whether it holds. `None` where it did not finish, or there is no model.
fn by_rumur(
    folder: &Path,
    mut ours: Command,
    arguments: &Arguments,
    limit: Duration,
) -> Result<Option<(bool, Usage)>, Failure> {
    let place = |name: &str| -> PathBuf { folder.join(name) };
    let (model, code, binary) = (place("memory.m"), place("memory.c"), place("memory"));
    ours.arg("--murphi").arg(&model);
    // With more shapes than fit there is no model.
    if run(&mut ours, limit)?.is_none_or(|finished| !matches!(finished.code, Some(0 | 1))) || !model.is_file() {
        return Ok(None);
    }
    let mut make = Command::new("rumur");
    make.args(["--deadlock-detection", "off", "--threads", "1"]).arg(&model).arg("--output").arg(&code);
    let mut compile = Command::new("cc");
    compile.args(["-O3", "-mcx16", "-o"]).arg(&binary).arg(&code).args(["-lpthread", "-latomic"]);
    for command in [&mut make, &mut compile] {
        if run(command, PATIENCE)?.is_none_or(|finished| finished.code != Some(0)) {
            return Ok(None);
        }
    }
    let found = best(arguments.runs, limit, || Command::new(&binary))?;
    std::fs::remove_file(&model)?;
    Ok(found.map(|(finished, usage)| (finished.code == Some(0), usage)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read() {
        let read = |output| read(output).map(|answer| (answer.verdict, answer.size, answer.states));
        let output = r#"{"states":4,"models":[{"model":"wra","verdict":"holds","tuples":16}]}"#;
        assert_eq!(read(output), Some(("holds".to_owned(), Some(16), 4)));
        let output = r#"{"states":4,"models":[{"model":"ra","verdict":"violated","run":["W T1 x a"]}]}"#;
        assert_eq!(read(output), Some(("violated".to_owned(), None, 4)));
        assert_eq!(read("{}"), None);
    }
}
