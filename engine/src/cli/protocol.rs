//! `litmoscope protocol`

use super::input::{Input, Messages, read_text};
use super::progress::{Progress, Wanted};
use super::save::replace;
use super::{Failure, budget, detail, print, print_json, tell};
use crate::Protocol;
use litmoscope::budget::{Budget, Paused};
use litmoscope::explore::Counts;
use litmoscope::memories::{
    Causality, Decided, Initialization, Machine, MemoryJson, MemoryReport, NotRead, ProgramJson, ProgramReport,
    Question, ReadProtocol, Reading, ShapeTally, Symmetry, decide_on_threads, fits_machine, follows, machine_dot,
    murphi, outcomes_of_model, parse_run, print_machine, read_protocol, run_text, runs_of_program,
};
use litmoscope::model::Model;
use litmoscope::program::Limits;
use litmoscope::syntax::{self, Diagnostic, MAX_SOURCE};
use litmoscope::words::count;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

pub fn protocol(task: &Protocol) -> Result<u8, Failure> {
    let (path, text) = read_text(&task.file, MAX_SOURCE)?;
    let show = |diagnostics: &[Diagnostic]| tell(&syntax::render(&text, &path, diagnostics));
    // All that may take long asks this one: reading, searching, and telling what was found.
    let mut budget = budget(task.timeout)?;
    let initialization = if task.as_printed { Initialization::AsPrinted } else { Initialization::Corrected };
    let reading = Reading { settings: &task.set, initialization, ..Reading::default() };
    let ReadProtocol { machine, notes, automata } = match read_protocol(&text, &reading, &mut budget) {
        Ok(read) => read,
        Err(NotRead::Wrong(wrong)) => {
            show(&wrong);
            return Ok(2);
        }
        Err(NotRead::Paused) => return stopped(task, &path, "not all of its states were found"),
    };
    show(&notes);
    if let Some(file) = &task.dot {
        replace(file, machine_dot(&machine).as_bytes())?;
    }
    if task.expand {
        print(&print_machine(&machine))?;
        return Ok(0);
    }
    let initial = task.initial.unwrap_or_default();
    if let Some(run) = &task.run {
        let run = parse_run(&machine, initial, run).map_err(Failure)?;
        return match run_text(&run, detail(task.explain), &mut budget) {
            Ok((text, violated)) => {
                print(&text)?;
                Ok(u8::from(violated.is_some()))
            }
            Err(Paused) => stopped(task, &path, "the run was not judged"),
        };
    }
    if let Some(program) = &task.program {
        return on_protocol(
            task,
            program,
            &machine,
            if machine.name.is_empty() { &path } else { &machine.name },
            &mut budget,
        );
    }
    if machine.threads.len() > MAX_THREADS && task.model != Some(Causality::Weak) {
        return Err(Failure(format!(
            "RA and SRA can be decided for at most {MAX_THREADS} threads: use fewer threads, or ask for --model wra"
        )));
    }
    if let (Some(file), Some(causality)) = (&task.murphi, task.model) {
        let model = murphi(&machine, causality, initial).map_err(|error| Failure(error.to_string()))?;
        replace(file, model.as_bytes())?;
    }
    let symmetry = match task.symmetry.then(|| Symmetry::of(&machine, &mut budget)).transpose() {
        Ok(symmetry) => symmetry,
        Err(Paused) => return stopped(task, &path, "not all symmetries were found"),
    };
    let asked = Causality::ALL.into_iter().filter(|causality| task.model.is_none_or(|model| model == *causality));
    let mut answers = Vec::new();
    for causality in asked {
        let symmetry = symmetry.as_ref();
        let question =
            Question { causality, initial, configurations: task.configurations, steps: task.steps, symmetry };
        let known = follows(&machine, causality, &answers);
        answers.push((causality, known.or_else(|| decided(task, &machine, &question, &budget))));
    }
    let name = if machine.name.is_empty() { &path } else { &machine.name };
    let automata = (&automata[..], initialization);
    let report =
        MemoryReport { name, machine: &machine, initial, answers: &answers, automata, symmetry: symmetry.as_ref() };
    if task.json {
        print_json(&MemoryJson::new(&report, &mut budget))?;
    } else {
        print(&report.text(detail(task.explain), &mut budget))?;
    }
    Ok(match report.verdict() {
        "holds" => 0,
        "violated" => 1,
        _ => 3,
    })
}

/// Decides a question on all cores or as many threads as are wanted, with a line of progress each second.
fn decided(task: &Protocol, machine: &Machine, question: &Question<'_>, budget: &Budget) -> Option<Decided> {
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let threads = task.threads.and_then(|threads| NonZeroUsize::new(threads as usize)).unwrap_or(cores);
    let tally = &ShapeTally::default();
    let said = || {
        let (met, shapes) = (tally.configurations(), tally.shapes());
        let model = question.causality.name().to_uppercase();
        format!("{model}: {}, {}", count(met, "configuration"), count(shapes, "shape"))
    };
    watched(task, said, || decide_on_threads(machine, question, tally, threads, budget).ok())
}

/// Does something that may take long, with a line of progress each second.
fn watched<T>(task: &Protocol, said: impl Fn() -> String + Sync, work: impl FnOnce() -> T) -> T {
    let (done, is_done) = mpsc::channel::<()>();
    let said = &said;
    let watch = move || {
        let wanted = if task.json { Wanted::Nowhere } else { Wanted::OnTerminals };
        let mut progress = Progress::new(wanted, Counts::default());
        while is_done.recv_timeout(Duration::from_millis(200)) == Err(RecvTimeoutError::Timeout) {
            if progress.is_due() {
                progress.say(&said());
            }
        }
        progress.finish();
    };
    thread::scope(|scope| {
        // Without a thread for it, nothing is shown.
        let _ = thread::Builder::new().spawn_scoped(scope, watch);
        let found = work();
        drop(done);
        found
    })
}

/// How many steps of an exploration a model gets at most.
const STEPS_OF_A_MODEL: u64 = 5_000_000;

/// Runs a program on a protocol.
fn on_protocol(
    task: &Protocol,
    path: &Path,
    machine: &Machine,
    memory: &str,
    budget: &mut Budget,
) -> Result<u8, Failure> {
    let input = Input::read(path)?;
    let Some(parsed) = input.parse(Messages::Errors) else { return Ok(2) };
    let program = parsed.program;
    let Some(code) = input.compile(&program) else { return Ok(2) };
    if let Err(wrong) = fits_machine(machine, &program, &code) {
        input.show(&[wrong]);
        return Ok(2);
    }
    let limits = Limits { unroll: task.unroll, ..Limits::default() }.with_room_for(&code);
    let met = AtomicU64::new(0);
    let said = || count(met.load(Ordering::Relaxed), "configuration");
    let search = || runs_of_program(machine, &program, &code, limits, task.configurations, &met, budget).ok();
    let runs = watched(task, said, search);
    let mut models = Vec::new();
    if runs.is_some() {
        for model in Model::ALL {
            let explore = || outcomes_of_model(&program, &code, model, limits, STEPS_OF_A_MODEL, budget);
            models.push(watched(task, || format!("what {} allows, to compare", model.title()), explore));
        }
    }
    let report = ProgramReport {
        name: input.name(&program),
        source: &input.text,
        program: &program,
        code: &code,
        limits,
        memory,
        machine,
        runs: runs.as_ref(),
        models: &models,
    };
    if task.json {
        print_json(&ProgramJson::from(&report))?;
    } else {
        print(&report.text(task.explain))?;
    }
    Ok(match report.verdict() {
        "holds" => 0,
        "violated" => 1,
        _ => 3,
    })
}

/// Says that it was stopped before there was anything to say.
fn stopped(task: &Protocol, name: &str, what: &str) -> Result<u8, Failure> {
    if task.json {
        print(&format!("{}\n", serde_json::json!({ "name": name, "verdict": "unknown", "models": [] })))?;
    } else {
        print(&format!("{name}: unknown: the search was stopped, and {what}\n"))?;
    }
    Ok(3)
}

/// How many threads the search for shapes takes.
const MAX_THREADS: usize = 8;

/// A model that all runs are to satisfy; `None` for all three.
pub fn causality(text: &str) -> Result<Causality, String> {
    let found = Causality::ALL.into_iter().find(|causality| causality.name() == text);
    found.ok_or_else(|| "it has to be wra, ra or sra; leave --model out for all three".to_owned())
}

/// What registers hold at first.
pub fn initial(text: &str) -> Result<litmoscope::memories::Initial, String> {
    use litmoscope::memories::Initial;
    match text {
        "written" => Ok(Initial::Written),
        "nothing" => Ok(Initial::Nothing),
        _ => Err("it has to be written or nothing".to_owned()),
    }
}

/// Parameters that are set: `slots=2`.
pub fn setting(text: &str) -> Result<(String, i64), String> {
    let parameter =
        text.split_once('=').and_then(|(name, number)| Some((name.trim().to_owned(), number.trim().parse().ok()?)));
    parameter.ok_or_else(|| "it has to be a name and a number, such as slots=2".to_owned())
}
