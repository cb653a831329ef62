use super::EventDriven;
use crate::explore::runs::testing::{Found, found, parse, small};
use crate::explore::{Explorer, Moment, Options, Step, operational};
use crate::graph::{Coherence, EventId, Execution};
use crate::model::Model;
use crate::program::{Code, Location, Mailbox, Program};
use crate::run::validate_moment;
use crate::testing::{for_all_event_driven, seeds};
use std::sync::Arc;

/// Programs with more states are left out.
const MOST_STATES: usize = 5000;

/// The plain executions of all runs of a program in which threads take turns: interleavings, with real mailboxes.
fn runs(code: &Code, options: Options) -> Option<Vec<Execution>> {
    let runs = operational::runs(Model::SC, code, options, MOST_STATES).ok()?;
    Some(runs.into_iter().map(|run| run.execution).collect())
}

/// What an exploration finds, each once.
fn explored(code: &Arc<Code>, options: Options, tracks_co: bool) -> Result<Found, String> {
    let mut explorer = EventDriven::new(Arc::clone(code), Model::SC, options, tracks_co);
    let found = found(&mut explorer)?;
    match explorer.counts().duplicates {
        0 => Ok(found),
        duplicates => Err(format!("{duplicates} executions were found twice (co: {tracks_co})")),
    }
}

fn has_few_writes(graph: &Execution) -> bool {
    let locations = graph.events().take_while(|(_, event)| event.is_init()).count() as u32;
    (0..locations).map(Location).all(|location| graph.writes(location).count() <= 6)
}

/// All orders of the writes of each location that make an execution consistent.
fn consistent_orders(graph: &Execution) -> Vec<Coherence> {
    let locations = graph.events().take_while(|(_, event)| event.is_init()).count() as u32;
    let mut all = vec![Coherence::new()];
    for location in (0..locations).map(Location) {
        let mut orders = vec![Vec::new()];
        for write in graph.writes(location) {
            let with = |order: Vec<EventId>| {
                // The initial write stays in front.
                (usize::from(!order.is_empty())..=order.len()).map(move |at| {
                    let mut order = order.clone();
                    order.insert(at, write);
                    order
                })
            };
            orders = orders.into_iter().flat_map(with).collect();
        }
        all = all
            .into_iter()
            .flat_map(|co| orders.iter().map(move |order| [&co[..], std::slice::from_ref(order)].concat()))
            .collect();
    }
    all.retain(|co| Model::SC.is_consistent_with(graph, co));
    all
}

/// Plain executions are those of all runs, and those with co are these with each order that makes them consistent.
fn agrees_with_runs(program: &Program, options: Options) -> Result<bool, String> {
    let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
    let Some(runs) = runs(&code, options).filter(|runs| runs.iter().all(has_few_writes)) else { return Ok(false) };
    let plain: Found = runs.iter().map(|graph| (graph.canonical(), Vec::new())).collect();
    let orders = |graph: &Execution| -> Vec<_> {
        consistent_orders(graph).iter().map(|co| (graph.canonical(), graph.canonical_coherence(co))).collect()
    };
    let with_co: Found = runs.iter().flat_map(orders).collect();
    for (tracks_co, expected) in [(false, plain), (true, with_co)] {
        let found = explored(&code, options, tracks_co)?;
        if found != expected {
            let (missing, more) = (expected.difference(&found).next(), found.difference(&expected).next());
            let (found, expected) = (found.len(), expected.len());
            return Err(format!(
                "{found} of {expected} executions (co: {tracks_co}); missing {missing:#?}; too many {more:#?}"
            ));
        }
    }
    Ok(true)
}

#[test]
fn random_programs_with_handlers_are_explored_as_they_run() {
    let (mut compared, mut asked) = (0, 0);
    for_all_event_driven(seeds(400), |program| {
        asked += 1;
        compared += u32::from(agrees_with_runs(program, small())?);
        Ok(())
    });
    assert!(2 * compared > asked, "only {compared} of {asked} were small enough");
}

/// The order of events that explains an execution takes messages as mailboxes give them out, after all initial ones were posted.
fn keeps_mailboxes(program: &Program, options: Options) -> Result<(), String> {
    let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
    let mut explorer = EventDriven::new(code, Model::SC, options, true);
    let mut executions = 0;
    loop {
        match explorer.advance() {
            Step::Execution { .. } if executions < 200 => executions += 1,
            Step::Execution { .. } | Step::Done => return Ok(()),
            _ => continue,
        }
        let graph = explorer.execution();
        let co = explorer.coherence().ok_or("there is no co")?;
        let run = Model::SC.interleaving(graph, co).ok_or("there is no run")?;
        let mut waiting: Vec<EventId> = Vec::new();
        let mut initial = graph.initial_first().next().map(|(last, _)| last);
        for e in run.moves.iter().map(|step| step.event()) {
            let event = graph.event(e);
            if initial.is_some_and(|last| graph.event(last).thread() != event.thread()) {
                return Err(format!("{:?} comes before an initial message", event.key));
            }
            initial = initial.filter(|last| *last != e);
            if event.posts_to().is_some() {
                waiting.push(e);
            } else if event.is_get() {
                let mut own =
                    (0..waiting.len()).filter(|&at| graph.event(waiting[at]).posts_to() == Some(event.thread()));
                let found = match graph.mailbox(event.thread()) {
                    Some(Mailbox::Queue) => own.next().filter(|&at| Some(waiting[at]) == graph.source(e)),
                    _ => own.find(|&at| Some(waiting[at]) == graph.source(e)),
                };
                waiting.remove(found.ok_or_else(|| format!("{:?} takes what is not there", event.key))?);
            }
        }
    }
}

#[test]
fn runs_that_are_shown_take_messages_as_mailboxes_give_them_out() {
    for_all_event_driven(seeds(500), |program| keeps_mailboxes(program, small()));
}

/// Executions can be kept in files: they are found to be those of the program, and no others with their messages exchanged are.
#[test]
fn executions_that_were_kept_are_read_again() {
    for_all_event_driven(seeds(300), |program| {
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        let mut explorer = EventDriven::new(Arc::clone(&code), Model::SC, small(), true);
        for _ in 0..2000 {
            let step = explorer.advance();
            if step == Step::Done {
                break;
            }
            let Step::Execution { .. } = step else { continue };
            let co = explorer.coherence().cloned();
            let text = serde_json::to_string(explorer.execution()).map_err(|error| error.to_string())?;
            let graph: Execution = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            let moment = Moment { position: 1, step, graph, co };
            validate_moment(&code, small().limits, &moment).map_err(|error| error.to_string())?;
            let taken: Vec<_> = moment.graph.posted_by().collect();
            if let [(post, _), (_, get), ..] = taken[..] {
                let mut wrong = moment;
                wrong.graph.set_source_only(get, post);
                if validate_moment(&code, small().limits, &wrong).is_ok() {
                    return Err("a message is taken twice".to_owned());
                }
            }
        }
        Ok(())
    });
}

/// Graphs of files from before there were handlers have no word of mailboxes.
#[test]
fn graphs_without_mailboxes_are_read() {
    let code = parse("x := 1 || a := x").1;
    let graph = Execution::initial(&code);
    let mut value = serde_json::to_value(&graph).expect("plain data");
    let fields = value.as_object_mut().expect("an object");
    assert!(fields.remove("mailboxes").is_some() && fields.remove("start").is_some());
    assert_eq!(serde_json::from_value::<Execution>(value).ok(), Some(graph));
}
