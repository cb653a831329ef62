//! `litmoscope verify` of an event-driven trace

use super::input::Input;
use super::{Failure, budget, detail, print, print_json};
use crate::Verify;
use litmoscope::budget::{Halt, Meter, Paused};
use litmoscope::document::TRACE;
use litmoscope::program::Limits;
use litmoscope::traces::{TraceAnswer, TraceJson, TraceReport, decide_by_sat, parse_trace, solve};

pub fn verify_trace(task: &Verify, input: &Input) -> Result<u8, Failure> {
    let mut trace = match parse_trace(&input.text) {
        Ok(trace) => trace,
        Err(diagnostics) => {
            input.refuse(&TRACE, &diagnostics);
            return Ok(2);
        }
    };
    if let Some(mailbox) = task.mailbox {
        trace = trace.with_mailboxes(mailbox);
    }
    let mut budget = budget(None)?;
    let mut meter = Meter::new(task.search_limit.unwrap_or(Limits::default().search), 0, &mut budget);
    let (solved, decided);
    let answer = if task.sat {
        decided = decide_by_sat(&trace, &mut meter);
        match &decided {
            Ok(answer) => TraceAnswer::Sat(answer),
            Err(Paused) => TraceAnswer::Stopped,
        }
    } else {
        solved = solve(&trace, &mut meter);
        match &solved {
            Ok(answer) => TraceAnswer::Solved(answer),
            Err(Halt::Limit) => TraceAnswer::Undecided,
            Err(Halt::Paused) => TraceAnswer::Stopped,
        }
    };
    let report = TraceReport { name: input.title(trace.name.as_deref()), trace: &trace, answer };
    if task.json {
        print_json(&TraceJson::from(&report))?;
    } else {
        print(&report.text(detail(task.explain)))?;
    }
    Ok(match report.verdict() {
        "consistent" => 0,
        "inconsistent" => 1,
        _ => 3,
    })
}
