//! Frames around the events of each call of a concurrent object's method.

use super::DiagramFrame;
use crate::graph::{Call, CallResult, Execution, calls};
use crate::program::{Code, Limits, Program, Value};
use crate::words::list;

/// A frame for each call that has events. The execution is what the program does within these limits, or the beginning of that.
pub fn call_frames(program: &Program, code: &Code, execution: &Execution, limits: Limits) -> Vec<DiagramFrame> {
    if program.structures.is_empty() {
        return Vec::new();
    }
    let calls = calls(code, execution, limits).into_iter().flatten();
    calls.filter(|call| call.events > 0).map(|call| frame(program, execution, &call)).collect()
}

fn frame(program: &Program, execution: &Execution, call: &Call) -> DiagramFrame {
    let structure = &program.structures[usize::from(call.structure)];
    let method = &structure.methods[usize::from(call.method)].name;
    let value = |value: Value| program.value_text(value);
    let arguments: Vec<String> = call.arguments.iter().map(|argument| value(*argument)).collect();
    let (label, told) = match call.result {
        CallResult::Pending => ("…".to_owned(), "has not returned".to_owned()),
        CallResult::Nothing => (String::new(), "returned".to_owned()),
        CallResult::Empty => (" = empty".to_owned(), "returned empty".to_owned()),
        CallResult::Value(returned) => (format!(" = {}", value(returned)), format!("returned {}", value(returned))),
    };
    let given = if arguments.is_empty() { String::new() } else { format!(" of {}", list(arguments.clone())) };
    let events = execution.thread(call.thread);
    let own = events.iter().skip(call.behind as usize).take(call.events as usize);
    DiagramFrame {
        label: format!("{method}({}){label}", arguments.join(", ")),
        title: format!(
            "{method}{given} on {} by {}, which {told}",
            structure.name,
            program.thread_name(call.thread.index())
        ),
        nodes: own.map(|&event| execution.event(event).key).collect(),
    }
}
