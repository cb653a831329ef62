//! `litmoscope race`

use super::input::Input;
use super::save::replace;
use super::{Failure, on_interrupt, plot, print, print_json};
use crate::Race as Task;
use litmoscope::budget::Budget;
use litmoscope::document::{self, Kind};
use litmoscope::explore::{Algorithm, Options, Sees};
use litmoscope::labs::race::{Field, Plot, Race, RaceJson, Rules, Runner, no_root, race_text};
use litmoscope::model::Model;
use litmoscope::syntax::Series;
use std::io::{self, IsTerminal, Write};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// How often progress is shown.
const TICK: Duration = Duration::from_millis(200);

pub fn race(task: &Task) -> Result<u8, Failure> {
    let input = Input::read(&task.file)?;
    if let Some(size) = task.print {
        return program(&input, size);
    }
    let sizes = task.sizes.as_deref().map(sizes).transpose()?;
    let mut field = match Field::new(&input.text, sizes) {
        Ok(field) => field,
        Err(wrong) => {
            match input.kind() {
                Kind::Series => input.show(&wrong),
                _ => input.refuse(&document::PROGRAM, &wrong),
            }
            return Ok(2);
        }
    };
    if field.name.is_empty() {
        let stem = task.file.file_stem().filter(|_| task.file.as_os_str() != "-");
        field.name = stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    }
    let most = field.programs.iter().map(Runner::threads).max().unwrap_or_default();
    if usize::from(task.root) > most {
        return Err(Failure(no_root(task.root, most)));
    }
    let model = task.model.or(field.model).unwrap_or_default();
    let options = task.how.options();
    let rules = Rules {
        algorithms: algorithms(task.algorithms.as_deref(), model, options)?,
        model,
        root: task.root,
        classes: !task.no_classes,
        timeout: task.timeout.as_secs_f64(),
        options,
    };
    let mut race = Race::new(field, rules).with_room();
    run(&mut race, task)?;
    let found = race.found();
    let plots = Plot::all(found);
    if let Some(path) = &task.svg {
        let title = format!("{} under {}", found.name, found.model.title());
        replace(path, plot::svg(&title, &plots).as_bytes())?;
    }
    if task.json {
        print_json(found)?;
    } else {
        print(&race_text(found))?;
        for plot in plots.iter().filter(|plot| ["classes", "executions", "seconds"].contains(&plot.title.as_str())) {
            print(&plot::text(plot))?;
        }
    }
    Ok(status(found))
}

/// Prints the program of a size.
fn program(input: &Input, size: u32) -> Result<u8, Failure> {
    let series = match Series::parse(&input.text) {
        Ok(series) => series,
        Err(wrong) => {
            input.refuse(&document::SERIES, &wrong);
            return Ok(2);
        }
    };
    match series.program(size) {
        Ok((text, _)) => {
            print(&format!("{}\n", text.trim_end()))?;
            Ok(0)
        }
        Err(error) => {
            input.show(&document::errors_of_size(size, error));
            Ok(2)
        }
    }
}

/// Those asked for, or else all that explore everything under the model and need not list all candidates.
fn algorithms(list: Option<&str>, model: Model, options: Options) -> Result<Vec<Algorithm>, Failure> {
    let Some(list) = list else {
        let fits =
            |algorithm: &Algorithm| algorithm.is_for_all_sizes() && options.validate_for(*algorithm, model).is_ok();
        return Ok(Algorithm::ALL.into_iter().filter(fits).collect());
    };
    let mut algorithms = Vec::new();
    for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let algorithm: Algorithm = name.parse().map_err(|error| Failure(format!("{error}")))?;
        options.validate_for(algorithm, model).map_err(|error| Failure(error.to_string()))?;
        if algorithm.traits().sees == Sees::Samples {
            return Err(Failure(format!("{} makes random runs, which never end: leave it out", algorithm.title())));
        }
        if !algorithms.contains(&algorithm) {
            algorithms.push(algorithm);
        }
    }
    if algorithms.is_empty() {
        return Err(Failure("no algorithm is named: name some, separated by commas, such as trust,rf_smc".to_owned()));
    }
    Ok(algorithms)
}

/// A range such as `1..8`, or a number.
fn sizes(text: &str) -> Result<RangeInclusive<u32>, Failure> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let (from, to) = (from.trim().parse().ok(), to.trim().trim_start_matches('=').parse().ok());
    from.zip(to)
        .filter(|(from, to)| from <= to && *to <= litmoscope::syntax::MAX_SIZE)
        .map(|(from, to): (u32, u32)| from..=to)
        .ok_or_else(|| Failure(format!("`{text}` is not a range of sizes: write a number, or a range such as 1..8")))
}

/// Runs it to its end, or until somebody stops it.
fn run(race: &mut Race, task: &Task) -> Result<(), Failure> {
    let stop = on_interrupt()?;
    let start = Instant::now();
    let clock = || start.elapsed().as_secs_f64();
    let shown = !task.quiet && io::stderr().is_terminal();
    let slice = TICK.min(task.timeout);
    while !stop.is_told() && !race.go_on(&mut Budget::before(Instant::now() + slice), &clock) {
        if shown && let Some(current) = race.current() {
            let _ = write!(io::stderr(), "\r\x1b[K{current}");
        }
    }
    if shown {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    race.stop();
    Ok(())
}

fn status(found: &RaceJson) -> u8 {
    match found.is_refused() {
        true => 2,
        false if found.is_complete() => 0,
        false => 3,
    }
}
