//! `litmoscope verify`

use super::input::Input;
use super::trace::verify_trace;
use super::{Failure, detail, print, print_json};
use crate::Verify;
use litmoscope::consistency::{ConsistencyVerdict, Settings, decide, parse_execution};
use litmoscope::document::{EXECUTION, Kind, TRACE};
use litmoscope::labs::consistency::{ConsistencyJson, ConsistencyReport, consistency_text};
use litmoscope::model::Model;
use litmoscope::syntax::Diagnostic;

pub fn verify(task: &Verify) -> Result<u8, Failure> {
    let input = Input::read(&task.file)?;
    let is_trace = input.kind() == Kind::Trace;
    refuse_options(task, is_trace)?;
    if is_trace {
        return verify_trace(task, &input);
    }
    let execution = match parse_execution(&input.text) {
        Ok(execution) => execution,
        Err(diagnostics) => {
            input.refuse(&EXECUTION, &diagnostics);
            return Ok(2);
        }
    };
    let settings = Settings {
        closure: !task.no_closure,
        greedy: !task.no_greedy,
        naive: task.naive,
        listed: task.tree.map_or(0, |states| states as usize),
        states: task.states.unwrap_or(Settings::default().states),
        ..Settings::default()
    };
    let models = match task.model {
        Some(model) => vec![model],
        None => Model::ALL.to_vec(),
    };
    let name = input.name(&execution.program);
    let (mut text, mut objects, mut status) = (Vec::new(), Vec::new(), 0);
    for &model in &models {
        let answer = match decide(model, &execution, &settings) {
            Ok(answer) => answer,
            Err(error) if task.model.is_some() => {
                let Some(event) = error.event() else { return Err(Failure(error.to_string())) };
                input.show(&[Diagnostic::error(error.to_string(), execution.graph.event(event).span)]);
                return Ok(2);
            }
            Err(error) => {
                text.push(format!("{error}.\n"));
                continue;
            }
        };
        let report = ConsistencyReport { name, execution: &execution, model, answer: &answer };
        status = match answer.verdict {
            ConsistencyVerdict::Bounded => 3,
            ConsistencyVerdict::Inconsistent { .. } if task.model.is_some() => 1,
            _ => status,
        };
        text.push(consistency_text(&report, detail(task.explain)));
        objects.push(ConsistencyJson::from(&report));
    }
    if task.json {
        match (&objects[..], task.model) {
            ([object], Some(_)) => print_json(object),
            _ => print_json(&objects),
        }?;
    } else {
        print(&text.join("\n"))?;
    }
    Ok(status)
}

/// Refuses options that mean nothing for what is verified.
fn refuse_options(task: &Verify, is_trace: bool) -> Result<(), Failure> {
    let of_executions = [
        ("--model", task.model.is_some()),
        ("--tree", task.tree.is_some()),
        ("--no-closure", task.no_closure),
        ("--no-greedy", task.no_greedy),
        ("--naive", task.naive),
        ("--states", task.states.is_some()),
    ];
    let of_traces =
        [("--mailbox", task.mailbox.is_some()), ("--sat", task.sat), ("--search-limit", task.search_limit.is_some())];
    let (wrong, title, is) = match is_trace {
        true => (&of_executions[..], "abstract executions", TRACE.title),
        false => (&of_traces[..], "event-driven traces", "not a trace"),
    };
    match wrong.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure(format!("{option} is for {title}, and this is {is}"))),
        None => Ok(()),
    }
}
