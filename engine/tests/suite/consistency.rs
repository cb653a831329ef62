//! Verdicts on abstract executions, against a machine that does whatever it can.
//!
//! The machine is written for this test. Executions are random, with fences, read-modify-writes and blocks.

use litmoscope::consistency::{
    AbstractExecution, AnnotatedOrder, Closure, ConsistencyVerdict, Found, Instance, Machine, Settings, Why, decide,
    find_witness, parse_execution, print_execution,
};
use litmoscope::graph::{EventId, Label, ThreadId};
use litmoscope::model::Model;
use litmoscope::program::Mode;
use litmoscope::testing::{ExecutionShape, for_all_executions, seeds};
use std::collections::HashSet;

fn parse(text: &str) -> AbstractExecution {
    parse_execution(text).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:#?}"))
}

/// A machine with store buffers: the place of each thread, what is in its buffers (each write with the number of
/// store-store fences before it), what is in memory, and which sources reads took.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    places: Vec<usize>,
    fences: Vec<u32>,
    buffers: Vec<Vec<(EventId, u32)>>,
    memory: Vec<EventId>,
}

struct Oracle<'e> {
    execution: &'e AbstractExecution,
    model: Model,
}

impl Oracle<'_> {
    fn location(&self, e: EventId) -> usize {
        self.execution.graph.event(e).location().expect("an access").0 as usize
    }

    /// Whether some run performs everything.
    fn has_run(&self) -> bool {
        let graph = &self.execution.graph;
        let threads = graph.threads();
        let start = State {
            places: vec![0; threads],
            fences: vec![0; threads],
            buffers: vec![Vec::new(); threads],
            memory: graph.ids().filter(|&e| graph.event(e).is_init()).collect(),
        };
        let mut seen = HashSet::from([start.clone()]);
        let mut work = vec![start];
        while let Some(state) = work.pop() {
            let ended = |thread: usize| state.places[thread] == graph.thread(ThreadId(thread as u16)).len();
            if (0..threads).all(ended) && state.buffers.iter().all(Vec::is_empty) {
                return true;
            }
            for thread in 0..threads {
                for next in self.flushes(&state, thread).into_iter().chain(self.step(&state, thread)) {
                    if seen.insert(next.clone()) {
                        work.push(next);
                    }
                }
            }
        }
        false
    }

    fn flushes(&self, state: &State, thread: usize) -> Vec<State> {
        let buffer = &state.buffers[thread];
        let may_leave = |at: &usize| match self.model.name() {
            "pso" => buffer[..*at].iter().all(|(older, fences)| {
                self.location(*older) != self.location(buffer[*at].0) && *fences == buffer[*at].1
            }),
            _ => *at == 0,
        };
        let leave = |at: usize| {
            let mut next = state.clone();
            let (write, _) = next.buffers[thread].remove(at);
            next.memory[self.location(write)] = write;
            next
        };
        (0..buffer.len()).filter(may_leave).map(leave).collect()
    }

    fn step(&self, state: &State, thread: usize) -> Option<State> {
        let events = self.execution.graph.thread(ThreadId(thread as u16));
        let first = *events.get(state.places[thread])?;
        // What an annotated partial order, which has a meaning under SC alone, puts before it.
        let is_missing = |&(before, behind): &(EventId, EventId)| {
            let key = self.execution.graph.event(before).key;
            behind == first && state.places[usize::from(key.thread.0)] < key.serial as usize
        };
        if self.execution.order.iter().any(is_missing) {
            return None;
        }
        let block = self.execution.blocks.iter().find(|block| block.events[0] == first);
        let is_update = matches!(self.execution.graph.event(first).label, Label::Update { .. });
        let drains = block.is_some()
            || is_update
            || self.execution.graph.event(first).label == Label::Fence(Mode::SequentiallyConsistent);
        if drains && !state.buffers[thread].is_empty() {
            return None;
        }
        let at_once = self.model == Model::SC || is_update && block.is_none() || block.is_some_and(|b| !b.buffered);
        let mut next = state.clone();
        for &e in block.map_or(&[first][..], |block| &block.events) {
            let event = self.execution.graph.event(e);
            next.places[thread] += 1;
            if event.is_read() {
                let location = self.location(e);
                let own = next.buffers[thread].iter().rev().find(|(write, _)| self.location(*write) == location);
                let source = own.map_or(next.memory[location], |(write, _)| *write);
                if !self.execution.sources[e.index()].contains(&source) {
                    return None;
                }
            }
            if event.is_write() {
                if at_once {
                    let location = self.location(e);
                    next.memory[location] = e;
                } else {
                    next.buffers[thread].push((e, next.fences[thread]));
                }
            }
            if let Label::Fence(Mode::Release | Mode::AcquireRelease) = event.label {
                next.fences[thread] += 1;
            }
        }
        Some(next)
    }
}

fn all_settings() -> [Settings; 5] {
    let base = Settings { closure: false, greedy: false, ..Settings::default() };
    [
        base.clone(),
        Settings { greedy: true, ..base.clone() },
        Settings { closure: true, ..base.clone() },
        Settings { naive: true, ..base },
        Settings::default(),
    ]
}

/// Every algorithm says what the machine says, and its witness is a run.
fn agrees(model: Model, text: &str) -> Result<bool, String> {
    let execution = parse(text);
    let expected = Oracle { execution: &execution, model }.has_run();
    for settings in all_settings() {
        let answer = decide(model, &execution, &settings).map_err(|error| error.to_string())?;
        let wrong = |what: &str| Err(format!("{model}, {settings:?}: {what}, and the machine says {expected}"));
        match answer.verdict {
            ConsistencyVerdict::Bounded => return wrong("bounded"),
            ConsistencyVerdict::Consistent(_) if !expected => return wrong("consistent"),
            ConsistencyVerdict::Inconsistent { .. } if expected => return wrong("inconsistent"),
            ConsistencyVerdict::Consistent(witness) => {
                let run = witness.run.expect("a machine's run");
                if !run.instance.is_witness(&run.order) {
                    return wrong("a witness that is none");
                }
                if let Some(closure) = &run.closure {
                    let place = |n| run.order.iter().position(|&other| other == n);
                    let disagrees = closure.additions.iter().any(|a| {
                        !run.instance.ids().take(run.instance.writes.len()).any(|init| init == a.from)
                            && place(a.from) > place(a.to)
                    });
                    if disagrees {
                        return wrong("a witness that disagrees with the closure");
                    }
                }
            }
            ConsistencyVerdict::Inconsistent { cases, .. } => {
                if cases.is_empty() {
                    return wrong("inconsistent without a reason");
                }
            }
        }
    }
    // A run that is known does not lead the search astray.
    let machine = Machine::of(model).expect("it has one");
    let instance = Instance::new(machine, &execution);
    if instance.good.iter().all(|good| good.len() <= 1)
        && let Found::Order { order, .. } = find_witness(&instance, &Settings::default()).found
    {
        let settings = Settings { guide: Some(order), ..Settings::default() };
        if !matches!(find_witness(&instance, &settings).found, Found::Order { .. }) {
            return Err(format!("{model}: nothing is found with a run as guide"));
        }
    }
    Ok(expected)
}

fn compare(model: Model, shape: ExecutionShape, count: u64) {
    let (mut consistent, mut all) = (0, 0);
    for_all_executions(shape, seeds(count), |text| {
        consistent += u64::from(agrees(model, text)?);
        all += 1;
        Ok(())
    });
    // Both answers are met.
    assert!(all < 500 || consistent * 20 > all && consistent * 20 < all * 19, "{consistent} of {all} are consistent");
}

const PLAIN: ExecutionShape =
    ExecutionShape { choices: false, fences: false, store_fences: false, updates: false, blocks: false };
const FENCES: ExecutionShape = ExecutionShape { fences: true, ..PLAIN };
const UPDATES: ExecutionShape = ExecutionShape { updates: true, ..FENCES };
const ALL: ExecutionShape = ExecutionShape { choices: true, store_fences: true, blocks: true, ..UPDATES };

#[test]
fn sc_agrees_with_the_machine() {
    compare(Model::SC, PLAIN, 1_000);
    compare(Model::SC, ExecutionShape { choices: true, ..PLAIN }, 1_500);
    compare(Model::SC, ALL, 2_500);
}

#[test]
fn tso_agrees_with_the_machine() {
    compare(Model::TSO, FENCES, 1_000);
    compare(Model::TSO, UPDATES, 1_500);
    compare(Model::TSO, ALL, 2_500);
}

#[test]
fn pso_agrees_with_the_machine() {
    compare(Model::PSO, FENCES, 1_000);
    compare(Model::PSO, UPDATES, 1_000);
    compare(Model::PSO, ExecutionShape { store_fences: true, ..UPDATES }, 1_000);
    compare(Model::PSO, ALL, 2_000);
}

/// The axioms of a model allow an execution if and only if its algorithm finds a run.
#[test]
fn axioms_agree_with_runs() {
    for model in [Model::SC, Model::TSO, Model::PSO] {
        for_all_executions(ExecutionShape { store_fences: true, ..UPDATES }, seeds(1_000), |text| {
            let execution = parse(text);
            let mut graph = execution.graph.clone();
            for read in execution.graph.ids() {
                if let [write] = execution.sources[read.index()][..] {
                    graph.set_source(read, write);
                }
            }
            let answer = decide(model, &execution, &Settings::default()).map_err(|error| error.to_string())?;
            let found = matches!(answer.verdict, ConsistencyVerdict::Consistent(_));
            (found == model.is_consistent(&graph)).then_some(()).ok_or(format!("{model}: a run is found: {found}"))
        });
    }
}

/// The same with the sources of reads given by values, so that events can be put between others.
fn named_by_values(text: &str) -> String {
    let execution = parse(text);
    let mut lines = Vec::new();
    for (thread, line) in text.lines().enumerate() {
        let events = execution.graph.thread(ThreadId(thread as u16)).to_vec();
        let (name, texts) = line.split_once(": ").unwrap_or((line, ""));
        let texts = texts.split("; ").zip(events).map(|(text, e)| match &execution.sources[e.index()][..] {
            [write] => {
                let value = execution.graph.event(*write).value_written.unwrap_or_default();
                text.split(" <- ").next().unwrap_or(text).replace('?', &value.to_string())
            }
            _ => text.to_owned(),
        });
        lines.push(format!("{name}: {}", texts.collect::<Vec<_>>().join("; ")));
    }
    lines.join("\n")
}

fn says(model: Model, text: &str) -> Result<bool, String> {
    let answer = decide(model, &parse(text), &Settings::default()).map_err(|error| error.to_string())?;
    Ok(matches!(answer.verdict, ConsistencyVerdict::Consistent(_)))
}

/// SC is TSO with a fence behind each write, and TSO is PSO with a store-store fence behind each write.
#[test]
fn fences_make_the_weaker_model_the_stronger() {
    let fenced = |text: &str, fence: &str| {
        let event = |event: &str| {
            let writes = event.trim_start().starts_with('w');
            if writes { format!("{event}; {fence}") } else { event.to_owned() }
        };
        let line = |line: &str| {
            let (name, events) = line.split_once(": ").unwrap_or((line, ""));
            let events: Vec<String> = events.split("; ").map(event).collect();
            format!("{name}: {}\n", events.join("; "))
        };
        // Sources are named by their places, which fences move: so writes are named by values.
        let by_value: String = text.lines().map(line).collect();
        by_value
    };
    for (weak, strong, fence) in [(Model::TSO, Model::SC, "fence"), (Model::PSO, Model::TSO, "fence rel")] {
        for_all_executions(UPDATES, seeds(1_000), |text| {
            let text = named_by_values(text);
            let with_fences = fenced(&text, fence);
            let (a, b) = (says(weak, &with_fences)?, says(strong, &text)?);
            (a == b).then_some(()).ok_or(format!("{weak} with fences: {a}, {strong}: {b}\n{with_fences}"))
        });
    }
}

/// With a fence more, wherever it stands, nothing more is allowed.
#[test]
fn fences_allow_no_more() {
    for (model, fence) in [(Model::TSO, "fence"), (Model::PSO, "fence"), (Model::PSO, "fence rel")] {
        for_all_executions(FENCES, seeds(300), |text| {
            let text = named_by_values(text);
            if says(model, &text)? {
                return Ok(());
            }
            for (at, _) in text.match_indices("; ") {
                let fenced = format!("{}; {fence}{}", &text[..at], &text[at..]);
                if says(model, &fenced)? {
                    return Err(format!("{model} allows it with a fence more\n{fenced}"));
                }
            }
            Ok(())
        });
    }
}

/// For annotated partial orders, a closure decides, with no more edges than pairs of events; and its witness is in order.
#[test]
fn closure_is_complete_for_annotated_orders() {
    let (mut feasible, mut all) = (0, 0);
    for_all_executions(ExecutionShape { choices: true, ..PLAIN }, seeds(3_000), |text| {
        let mut execution = parse(text);
        let graph = &execution.graph;
        let root = ThreadId(0);
        let leaves = graph.ids().filter(|&e| !graph.event(e).is_init() && graph.event(e).thread() != root);
        let mut leaves: Vec<EventId> = leaves.collect();
        // By place in the thread first, which does not contradict program order.
        leaves.sort_by_key(|&e| (graph.event(e).key.serial, graph.event(e).thread().0));
        let mut order = Vec::new();
        for (at, &a) in leaves.iter().enumerate() {
            for &b in &leaves[at + 1..] {
                let (first, second) = (graph.event(a), graph.event(b));
                if first.location() == second.location() && (first.is_write() || second.is_write()) {
                    order.push((a, b));
                }
            }
        }
        execution.order = order;
        // Some reads of the root may take writes of both sides.
        let Ok(annotated) = AnnotatedOrder::new(&execution, root) else { return Ok(()) };
        let closure = annotated.closure();
        let has_run = Oracle { execution: &execution, model: Model::SC }.has_run();
        if closure.exists() != has_run {
            return Err(format!("closure {}, run {has_run}", closure.exists()));
        }
        let nodes = annotated.instance.nodes.len();
        if closure.additions.len() > nodes * nodes {
            return Err(format!("{} edges between {nodes} events", closure.additions.len()));
        }
        let witness = annotated.witness();
        if witness.is_some() != has_run {
            return Err("a closure without witness, or the other way round".to_owned());
        }
        if let Some(witness) = witness {
            let events: Vec<EventId> = witness.iter().map(|&n| annotated.instance.node(n).event).collect();
            let place = |e: EventId| events.iter().position(|&other| other == e);
            let is_in_order = execution.order.iter().all(|&(a, b)| place(a) < place(b));
            if !annotated.instance.is_witness(&witness) || !is_in_order {
                return Err("a witness that is none".to_owned());
            }
        }
        feasible += u64::from(has_run);
        all += 1;
        Ok(())
    });
    assert!(all < 500 || feasible > 0 && feasible < all, "{feasible} of {all} have a run");
}

/// For two threads, a closure decides under TSO and PSO.
#[test]
fn closure_is_complete_for_two_threads() {
    for model in [Model::TSO, Model::PSO] {
        let machine = Machine::of(model).expect("it has one");
        for_all_executions(UPDATES, seeds(2_000), |text| {
            let execution = parse(text);
            if execution.graph.threads() > 2 {
                return Ok(());
            }
            let instance = Instance::new(machine, &execution);
            let exists = instance.flaw().is_none() && Closure::new(&instance).exists();
            let has_run = Oracle { execution: &execution, model }.has_run();
            (exists == has_run).then_some(()).ok_or(format!("{model}: closure {exists}, run {has_run}"))
        });
    }
}

/// What is printed is read again as the same.
#[test]
fn executions_are_printed_as_they_are_read() {
    for_all_executions(ALL, seeds(1_000), |text| {
        let mut execution = parse(text);
        let printed = print_execution(&execution);
        let mut again = parse(&printed);
        for execution in [&mut execution, &mut again] {
            execution.program = execution.program.clone().without_spans();
        }
        let same = again.sources == execution.sources
            && again.blocks == execution.blocks
            && again.program == execution.program
            && again.graph.canonical() == execution.graph.canonical()
            && print_execution(&again) == printed;
        same.then_some(()).ok_or(format!("printed as\n{printed}"))
    });
}

/// Every reason that search gives alone is one that no closure gives.
#[test]
fn reasons_are_those_that_were_asked_for() {
    for_all_executions(FENCES, seeds(300), |text| {
        for model in [Model::SC, Model::TSO, Model::PSO] {
            for closure in [false, true] {
                let settings = Settings { closure, listed: 1_000, ..Settings::default() };
                let answer = decide(model, &parse(text), &settings).map_err(|error| error.to_string())?;
                let ConsistencyVerdict::Inconsistent { cases, .. } = answer.verdict else { continue };
                for case in cases {
                    match case.why {
                        Why::Closure { .. } if !closure => return Err("a closure that nobody asked for".to_owned()),
                        Why::Exhausted { tree, states, .. } if tree.visits.len() as u64 != states => {
                            return Err(format!("{} of {states} states are listed", tree.visits.len()));
                        }
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    });
}
