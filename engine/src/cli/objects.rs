//! `litmoscope linearize` for a program with an object.

use super::input::{Input, Messages};
use super::linearize::judge_and_minimise;
use super::save::replace;
use super::{Failure, budget, complain, detail, print, print_json};
use crate::Linearize;
use litmoscope::budget::Budget;
use litmoscope::explore::Options;
use litmoscope::histories::executions::{
    Client, Judged, Judging, Sight, Unjudged, clients, operations_of, with_client,
};
use litmoscope::histories::executions::{judge_clients, judge_executions};
use litmoscope::histories::report::{ClientsOfSize, ObjectJson, ObjectReport, ObjectVerdict, Shown};
use litmoscope::histories::{Format, History, Recording, print_history};
use litmoscope::model::Model;
use litmoscope::program::{Code, Limits, Program, Structure, ThreadKind};
use litmoscope::report::{DrawingInput, Theme, call_frames, layout, svg};
use litmoscope::syntax::Diagnostic;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;

/// So many clients are judged at most.
const MAX_CLIENTS: usize = 1_000_000;

/// What was found of an object.
struct Found {
    judging: Judging,
    judged: Judged,
    clients: Vec<ClientsOfSize>,
    client: Option<Client>,
}

pub fn objects(task: &Linearize, input: &Input) -> Result<u8, Failure> {
    if let Some(option) = for_recordings(task) {
        return Err(Failure(format!(
            "{option} is for recordings, and {} is a program: leave it out; --model, --order and --clients say how \
             to explore",
            input.path()
        )));
    }
    let Some(parsed) = input.parse(Messages::Errors) else { return Ok(2) };
    let program = parsed.program;
    let Some(model) = model(task, input, &program)? else { return Ok(2) };
    if program.structures.is_empty() {
        return Err(Failure(format!(
            "{} is a program without an object: declare one, as `object s: stack {{ shared top; push(n) {{ ... }} pop() {{ ... }} }}`, \
             and let the threads call its methods",
            input.path()
        )));
    }
    if let Some(refused) = no_handlers(&program) {
        input.show(&[refused]);
        return Ok(2);
    }
    let sight = task.order.unwrap_or_default();
    if sight == Sight::Time && !model.rules().has_machine() {
        return Err(Failure(Unjudged::NoMachine(model).to_string()));
    }
    let Some(code) = input.compile(&program) else { return Ok(2) };
    let limits = Limits {
        unroll: task.unroll.unwrap_or(Limits::default().unroll),
        unroll_spins: task.unroll_spins,
        search: task.search_limit.unwrap_or(Limits::default().search),
        ..Limits::default()
    };
    let mut budget = budget(task.timeout)?;
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let threads = task.threads.and_then(|threads| NonZeroUsize::new(threads as usize)).unwrap_or(cores);
    let program = Arc::new(program);
    let (mut status, mut witnesses, mut drawn) = (0, Vec::new(), None);
    for (at, structure) in program.structures.iter().enumerate() {
        let judging = Judging {
            program: Arc::clone(&program),
            code: model.prepare(Arc::clone(&code)),
            model,
            options: Options::within(limits.with_room_for(&code)),
            structure: at as u16,
            sight,
        };
        let mut found = match task.clients {
            Some(most) => of_clients(judging, most, threads, &budget)?,
            None => {
                let judged = judge_executions(&judging, threads, &budget);
                Found { judging, judged, clients: Vec::new(), client: None }
            }
        };
        let shown = found.judged.first.take().map(|violating| {
            let mut shown = Shown::new(*violating);
            judge_shown(task, &mut shown, &mut budget);
            shown
        });
        status = worse(status, say(task, structure, &found, shown.as_ref())?);
        if let Some(shown) = shown {
            match &shown.history {
                Some(history) => witnesses.push(named(history, structure)),
                None if task.witness.is_some() => complain(
                    "no history has the order of this execution, because it is not an order of intervals; with \
                     --order time, every order is",
                ),
                None => {}
            }
            drawn.get_or_insert((found.judging, shown));
        }
    }
    if let Some(path) = &task.witness
        && !witnesses.is_empty()
    {
        let text = print_history(&Recording { histories: witnesses }, Format::Text);
        replace(path, text.map_err(|error| Failure(format!("cannot write the history: {error}")))?.as_bytes())?;
    }
    if let (Some(path), Some((judging, shown))) = (&task.svg, &drawn) {
        replace(path, execution_svg(judging, shown).as_bytes())?;
    }
    Ok(status)
}

/// The options that only recordings have, if one is given.
fn for_recordings(task: &Linearize) -> Option<&'static str> {
    [
        (task.object.is_some(), "--object"),
        (task.monitor.is_some(), "--monitor"),
        (task.as_printed, "--as-printed"),
        (task.format.is_some(), "--format"),
        (!task.map.is_empty(), "--map"),
        (task.fail_is_empty, "--fail-is-empty"),
    ]
    .into_iter()
    .find_map(|(given, option)| given.then_some(option))
}

/// The model to judge under; `None` if the program names none that there is, which has been said.
fn model(task: &Linearize, input: &Input, program: &Program) -> Result<Option<Model>, Failure> {
    match Input::model(task.model, program) {
        Ok((model, note)) => {
            input.show(note.as_slice());
            Ok(Some(model))
        }
        Err(diagnostic) => {
            input.show(&[diagnostic]);
            Ok(None)
        }
    }
}

fn no_handlers(program: &Program) -> Option<Diagnostic> {
    let handler = program.threads.iter().find_map(|thread| match &thread.kind {
        ThreadKind::Handler { span, .. } => Some(*span),
        _ => None,
    })?;
    let help = "turn its handlers into threads: an operation needs its call and its return in one thread";
    Some(Diagnostic::error("objects of programs with handlers can't be judged", handler).with_help(help))
}

/// The clients of an object up to a size, judged.
fn of_clients(
    judging: Judging,
    (threads, operations): (usize, usize),
    workers: NonZeroUsize,
    budget: &Budget,
) -> Result<Found, Failure> {
    let Judging { program, structure, .. } = &judging;
    let methods = operations_of(&program.structures[usize::from(*structure)]);
    let make = |client: &Client| {
        let program = Arc::new(with_client(program, *structure, client));
        // What is too large to be explored stays open.
        let code = judging.model.prepare(Arc::new(Code::compile(&program).ok()?));
        let options = Options { limits: judging.options.limits.with_room_for(&code), ..judging.options };
        Some(Judging { program, code, options, ..judging.clone() })
    };
    let mut found = Found { judged: Judged::default(), clients: Vec::new(), client: None, judging: judging.clone() };
    let mut all = 0;
    for size in 1..=operations {
        let clients = clients(&methods, size, threads);
        all += clients.len();
        if all > MAX_CLIENTS {
            return Err(Failure(format!(
                "there are more than {MAX_CLIENTS} clients of up to {size} operations: ask for smaller clients"
            )));
        }
        let judged = judge_clients(&clients, &make, workers, budget);
        let mut counts = ClientsOfSize { operations: size, clients: clients.len(), violating: 0, open: 0 };
        for (client, judged) in clients.iter().zip(judged) {
            let Some(mut judged) = judged else {
                counts.open += 1;
                continue;
            };
            let violates = judged.violating > 0;
            counts.violating += usize::from(violates);
            let is_open = judged.is_bounded || judged.unjudged > 0 || judged.is_cut_short;
            counts.open += usize::from(!violates && is_open);
            // To stop at what is wrong is to have seen enough.
            judged.is_cut_short &= !violates;
            if violates
                && found.client.is_none()
                && let Some(judging) = make(client)
            {
                (found.judging, found.client) = (judging, Some(client.clone()));
                found.judged = judged;
            } else if found.client.is_none() {
                found.judged.append(judged);
            }
        }
        found.clients.push(counts);
    }
    Ok(found)
}

/// What a monitor says of the execution that is shown, if a history has its order.
fn judge_shown(task: &Linearize, shown: &mut Shown, budget: &mut Budget) {
    let Some(history) = &shown.history else { return };
    let object = shown.violating.operations.object;
    let (judgement, minimal) = judge_and_minimise(task, history, object, budget);
    shown.judgement = judgement;
    shown.is_minimal_stopped = minimal.is_err();
    shown.minimal = minimal.ok().flatten();
}

/// Prints what was found; the exit status.
fn say(task: &Linearize, structure: &Structure, found: &Found, shown: Option<&Shown>) -> Result<u8, Failure> {
    let report = ObjectReport {
        structure,
        model: found.judging.model,
        sight: found.judging.sight,
        judged: &found.judged,
        clients: &found.clients,
        client: found.client.as_ref(),
        shown,
    };
    if task.json {
        print_json(&ObjectJson::from(&report))?;
    } else {
        print(&report.text(detail(task.explain)))?;
    }
    Ok(match report.verdict() {
        ObjectVerdict::Linearizable => 0,
        ObjectVerdict::Not => 1,
        ObjectVerdict::Bounded | ObjectVerdict::Unknown => 3,
    })
}

/// The exit status of two objects.
pub fn worse(one: u8, other: u8) -> u8 {
    match (one, other) {
        (1, _) | (_, 1) => 1,
        (3, _) | (_, 3) => 3,
        _ => 0,
    }
}

/// The history under the name of its object.
fn named(history: &History, structure: &Structure) -> History {
    History { name: structure.name.clone(), object: Some(structure.kind), ..history.clone() }
}

/// The execution as SVG, a frame around each call.
fn execution_svg(judging: &Judging, shown: &Shown) -> String {
    let graph = &shown.violating.execution.graph;
    let mut input = DrawingInput::with_relations(&judging.program, judging.model, graph, None);
    input.frames = call_frames(&judging.program, &judging.code, graph, judging.options.limits);
    svg(&layout(input.diagram()), Theme::Light)
}
