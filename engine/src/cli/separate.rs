//! `litmoscope separate`

use super::{Failure, budget, is_over, print, print_json};
use crate::Separate;
use litmoscope::compare::{Separation, Sizes, separate as search};
use litmoscope::model::Model;
use litmoscope::program::Notation;
use litmoscope::syntax;
use serde::Serialize;
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// What was found of one direction, as JSON.
#[derive(Serialize)]
struct DirectionJson {
    allowed_by: &'static str,
    forbidden_by: &'static str,
    #[serde(flatten)]
    separation: Separation,
}

pub fn separate(task: &Separate) -> Result<u8, Failure> {
    let (least_threads, most_threads) = threads(&task.threads)?;
    let sizes = Sizes { events: task.events.into(), least_threads, most_threads, locations: task.locations.into() };
    if task.first == task.second {
        return Err(Failure(format!("{} can't be told apart from itself: name two models", task.first.title())));
    }
    let mut directions = Vec::new();
    let mut budget = budget(task.timeout)?;
    let mut look = |_, _| if is_over(&mut budget) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    for (allows, forbids) in [(task.first, task.second), (task.second, task.first)] {
        let separation = search(allows, forbids, sizes, &mut look);
        directions.push((allows, forbids, in_notation(separation, task.dialect)?));
    }
    let bounded = directions
        .iter()
        .any(|(.., separation)| matches!(separation, Separation::NoneSoSmall | Separation::Stopped { .. }));
    if task.json {
        let directions: Vec<DirectionJson> = directions
            .into_iter()
            .map(|(allows, forbids, separation)| DirectionJson {
                allowed_by: allows.name(),
                forbidden_by: forbids.name(),
                separation,
            })
            .collect();
        print_json(&directions)?;
    } else {
        let texts: Vec<String> =
            directions.iter().map(|(allows, forbids, found)| sentence(*allows, *forbids, sizes, found)).collect();
        print(&texts.join("\n"))?;
    }
    Ok(if bounded { 3 } else { 0 })
}

fn in_notation(separation: Separation, notation: Notation) -> Result<Separation, Failure> {
    match separation {
        Separation::Found { text, events, threads } if notation != Notation::Litmoscope => {
            let mut program = syntax::parse_as(Notation::Litmoscope, &text)
                .map_err(|_| {
                    Failure("a program that was found can't be read back: please report this as a bug".to_owned())
                })?
                .program;
            if matches!(notation, Notation::X86 | Notation::X86_64) {
                for thread in &mut program.threads {
                    let names = ["eax", "ebx", "ecx", "edx", "esi", "edi"].iter();
                    thread.registers.iter_mut().zip(names).for_each(|(register, name)| (*name).clone_into(register));
                }
            }
            let text = syntax::print(&program, notation)
                .map_err(|error| Failure(format!("{error}; without --dialect the program is:\n{text}")))?;
            Ok(Separation::Found { text, events, threads })
        }
        other => Ok(other),
    }
}

fn sentence(allows: Model, forbids: Model, sizes: Sizes, separation: &Separation) -> String {
    let (allows, forbids) = (allows.title(), forbids.title());
    let mut out = String::new();
    let _ = match separation {
        Separation::Found { text, events, threads } => writeln!(
            out,
            "{allows} allows and {forbids} forbids: a program with {events} events in {threads} threads, and there is \
             none with fewer:\n\n{}",
            text.trim_end()
        ),
        Separation::NoneSoSmall => writeln!(
            out,
            "{allows} allows and {forbids} forbids: none up to {} events in {} to {} threads with {} locations (bounded: \
             there may be larger ones)",
            sizes.events, sizes.least_threads, sizes.most_threads, sizes.locations
        ),
        Separation::Stopped { events } => writeln!(
            out,
            "{allows} allows and {forbids} forbids: none with fewer than {events} events, and the search was stopped then \
             (bounded: there may be larger ones)"
        ),
        Separation::Impossible => {
            writeln!(
                out,
                "{allows} allows and {forbids} forbids: there is no such program, because {forbids} is \
                           weaker"
            )
        }
    };
    out
}

/// `2..4`, `3`
fn threads(text: &str) -> Result<(usize, usize), Failure> {
    use litmoscope::compare::MAX_THREADS;
    let refuse = || {
        Failure(format!(
            "`{text}` is not a number of threads: write one from 1 to {MAX_THREADS}, or a range such as \
                         2..3"
        ))
    };
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.trim_start_matches('=').trim().parse::<usize>().map_err(|_| refuse());
    let (least, most) = (number(least)?, number(most)?);
    if (1..=most).contains(&least) && most <= MAX_THREADS { Ok((least, most)) } else { Err(refuse()) }
}
