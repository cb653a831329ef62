//! Bounds on preemptions and context switches against exploring everything.
//!
//! Switches are counted by definition here.

use litmoscope::explore::{Algorithm, Counts, Coverage, Fault, Findings, Options, Pause, Step, Work};
use litmoscope::graph::{CanonicalExecution, Coherence, EventId, EventKey, Execution, ThreadId};
use litmoscope::library::may_follow;
use litmoscope::model::Model;
use litmoscope::program::{Code, Program};
use litmoscope::testing::{for_all, for_all_clients, seeds};
use litmoscope_tests::program;
use litmoscope_tests::random::{LIMITS, with_twins};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

const OPTIONS: Options = Options::within(LIMITS);
/// Executions that a program may have.
const CAP: usize = 1000;

type Found = (CanonicalExecution, Vec<Vec<EventKey>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Switch {
    Context,
    Preemption,
}

/// The orders of an execution's events by definition: a memory with a last write for each location, threads that take
/// turns.
struct Interleavings<'a> {
    graph: &'a Execution,
    co: &'a Coherence,
    switch: Switch,
    events: Vec<Vec<EventId>>,
    known: HashMap<(Vec<usize>, Option<usize>), Option<u32>>,
}

impl<'a> Interleavings<'a> {
    fn fewest(graph: &'a Execution, co: &'a Coherence, switch: Switch) -> u32 {
        let performed = |&e: &EventId| !graph.event(e).is_blocked();
        let own = |thread| graph.thread(ThreadId(thread as u16)).iter().copied().filter(performed).collect();
        let events: Vec<Vec<EventId>> = (0..graph.threads()).map(own).collect();
        let start = vec![0; events.len()];
        let mut all = Self { graph, co, switch, events, known: HashMap::new() };
        all.search(start, None).expect("an execution has an interleaving")
    }

    /// The last write to a location among the events done.
    fn last(&self, done: &[usize], location: usize) -> EventId {
        let is_done = |write: &&EventId| {
            let event = self.graph.event(**write);
            event.is_init() || {
                let thread = usize::from(event.thread().0);
                self.events[thread].iter().position(|e| e == *write).is_some_and(|at| at < done[thread])
            }
        };
        *self.co[location].iter().take_while(is_done).last().expect("an initial write")
    }

    fn may_come(&self, done: &[usize], e: EventId) -> bool {
        let event = self.graph.event(e);
        let Some(location) = event.location() else { return true };
        let last = self.last(done, location.0 as usize);
        let order = &self.co[location.0 as usize];
        let read = self.graph.source(e).is_none_or(|source| source == last);
        let written = !event.is_write() || {
            let at = order.iter().position(|&write| write == last).expect("it is in co");
            order.get(at + 1) == Some(&e)
        };
        read && written
    }

    /// Whether a thread has to wait before its next event.
    fn waits(&self, done: &[usize], e: EventId) -> bool {
        let event = self.graph.event(e);
        let Some((operation, location)) = event.operation().zip(event.location()) else { return false };
        let last = self.graph.event(self.last(done, location.0 as usize));
        operation.waits() && !may_follow(operation, last.operation())
    }

    /// The fewest switches from here on; `None` if there is no way to the end.
    fn search(&mut self, done: Vec<usize>, current: Option<usize>) -> Option<u32> {
        if done.iter().zip(&self.events).all(|(&done, events)| done == events.len()) {
            return Some(0);
        }
        if let Some(&known) = self.known.get(&(done.clone(), current)) {
            return known;
        }
        let mut fewest: Option<u32> = None;
        for thread in 0..self.events.len() {
            let Some(&next) = self.events[thread].get(done[thread]) else { continue };
            if !self.may_come(&done, next) {
                continue;
            }
            let price = match (current, self.switch) {
                (None, _) => 0,
                (Some(current), _) if current == thread => 0,
                (Some(_), Switch::Context) => 1,
                (Some(current), Switch::Preemption) => {
                    let further = self.graph.thread(ThreadId(current as u16)).get(done[current]);
                    u32::from(further.is_some_and(|&further| !self.waits(&done, further)))
                }
            };
            let mut behind = done.clone();
            behind[thread] += 1;
            if let Some(rest) = self.search(behind, Some(thread)) {
                fewest = Some(fewest.unwrap_or(u32::MAX).min(price + rest));
            }
        }
        self.known.insert((done, current), fewest);
        fewest
    }
}

/// The executions that are found, with the fewest preemptions and context switches of each where those are wanted.
fn found(code: &Arc<Code>, options: Options, wanted: bool) -> Option<(BTreeMap<Found, [u32; 2]>, Counts)> {
    let explorer = Algorithm::TrustCo.explorer(Arc::clone(code), Model::SC, options);
    let mut explorer = explorer.expect("it takes every program");
    let mut found = BTreeMap::new();
    loop {
        match explorer.advance() {
            Step::Execution { .. } => {
                let (graph, co) = (explorer.execution(), explorer.coherence().expect("it tracks co"));
                let fewest = |switch| if wanted { Interleavings::fewest(graph, co, switch) } else { 0 };
                let fewest = [fewest(Switch::Preemption), fewest(Switch::Context)];
                let before = found.insert((graph.canonical(), graph.canonical_coherence(co)), fewest);
                assert!(before.is_none(), "an execution found twice");
                if found.len() > CAP {
                    return None;
                }
            }
            Step::Done => return Some((found, explorer.counts())),
            _ => {}
        }
    }
}

fn walked(text: &Arc<Program>, code: &Arc<Code>, options: Options) -> Findings {
    let walk = Algorithm::TrustCo.walk(Arc::clone(code), Arc::clone(text), Model::SC, options, &Work::default());
    let mut walk = walk.expect("it has walks");
    while walk.run(1000) == Pause::Steps {}
    walk.take_findings()
}

#[derive(Debug, Default)]
struct Tally {
    skipped: u64,
    compared: u64,
    executions: usize,
    within: usize,
    /// Graphs that the explorations built, and those that the bounded ones did.
    steps: u64,
    steps_within: u64,
}

fn check(text: &Program, options: Options, tally: &mut Tally) -> Result<(), String> {
    let code = Arc::new(Code::compile(text).map_err(|error| error.to_string())?);
    let text = Arc::new(text.clone());
    let Some((all, whole)) = found(&code, options, true) else {
        tally.skipped += 1;
        return Ok(());
    };
    let faults =
        |findings: &Findings| findings.results.faults().map(|(fault, _)| fault.clone()).collect::<BTreeSet<_>>();
    let all_faults = faults(&walked(&text, &code, options));
    for most in 0..=4 {
        let bounds = [
            (Options { preemptions: Some(most), ..options }, [most, u32::MAX]),
            (Options { contexts: Some(most), ..options }, [u32::MAX, most]),
            (Options { preemptions: Some(most / 2), contexts: Some(most + 1), ..options }, [most / 2, most + 1]),
        ];
        for (bounded, [preemptions, contexts]) in bounds {
            let (part, counts) = found(&code, bounded, false).ok_or("more than without a bound")?;
            let within = |fewest: &[u32; 2]| fewest[0] <= preemptions && fewest[1] <= contexts;
            let expected: BTreeSet<&Found> =
                all.iter().filter(|(_, fewest)| within(fewest)).map(|(execution, _)| execution).collect();
            let context = format!("{:?} preemptions, {:?} switches", bounded.preemptions, bounded.contexts);
            if !expected.iter().copied().eq(part.keys()) {
                let lost: Vec<_> =
                    expected.iter().filter(|execution| !part.contains_key(**execution)).take(1).collect();
                let numbers = (all.len(), expected.len(), part.len());
                return Err(format!("{context}: {numbers:?}, lost {lost:#?}"));
            }
            if (counts.beyond > 0) != (expected.len() < all.len()) && whole.dropped == 0 {
                return Err(format!("{context}: {} graphs left, {} of {}", counts.beyond, part.len(), all.len()));
            }
            if counts.beyond == 0 && expected.len() < all.len() {
                return Err(format!("{context}: nothing was left, but {} of {}", part.len(), all.len()));
            }
            let findings = walked(&text, &code, bounded);
            if findings.counts.executions() as usize != part.len() || findings.counts.beyond != counts.beyond {
                return Err(format!("{context}: walks find another number"));
            }
            let found = faults(&findings);
            if !found.is_subset(&all_faults) || expected.len() == all.len() && found != all_faults {
                return Err(format!("{context}: {found:?} is wrong, without a bound {all_faults:?}"));
            }
            tally.compared += 1;
            tally.executions += all.len();
            tally.within += part.len();
            tally.steps += whole.steps;
            tally.steps_within += counts.steps;
        }
    }
    Ok(())
}

/// Exactly the executions within the bound, none twice.
#[test]
fn exactly_what_is_within_the_bound() {
    let mut tally = Tally::default();
    for_all(seeds(500), |program| check(program, OPTIONS, &mut tally));
    println!("{tally:?}");
    assert!(tally.compared > 100 && tally.within < tally.executions);
}

/// With threads that wait for mutexes and channels.
#[test]
fn clients_of_libraries() {
    let mut tally = Tally::default();
    for_all_clients(seeds(250), |program| check(program, OPTIONS, &mut tally));
    println!("{tally:?}");
    assert!(tally.compared > 100 && tally.within < tally.executions);
}

/// With threads that can be exchanged, up to exchanging them.
#[test]
fn together_with_symmetry() {
    let mut tally = Tally::default();
    let options = Options { symmetry: true, ..OPTIONS };
    for_all(seeds(125), |program| check(&with_twins(program, program.threads.len() as u64), options, &mut tally));
    println!("{tally:?}");
    assert!(tally.compared > 100);
}

/// How many preemptions well-known executions need.
#[test]
fn named_programs() {
    let explored = |text: &str, options: Options| {
        let counts = litmoscope_tests::counts(&Arc::new(program(text).1), Model::SC, Algorithm::TrustCo, options);
        (counts.executions(), counts.beyond > 0)
    };
    let preemptions = |most| Options { preemptions: Some(most), ..OPTIONS };
    let contexts = |most| Options { contexts: Some(most), ..OPTIONS };
    // Store buffering: one thread before the other, or one between.
    let sb = "shared x, y\n\nx := 1; a := y || y := 1; b := x";
    assert_eq!(explored(sb, preemptions(0)), (2, true));
    assert_eq!(explored(sb, preemptions(1)), (3, false));
    assert_eq!(explored(sb, contexts(0)), (0, true));
    assert_eq!(explored(sb, contexts(1)), (2, true));
    assert_eq!(explored(sb, contexts(2)), (3, false));
    // A thread that waits is not preempted.
    let locks = "shared x, m\n\nlock m; x := 1; unlock m; lock m; x := 2; unlock m || lock m; x := 3; unlock m";
    assert_eq!(explored(locks, preemptions(0)), (2, true));
    assert_eq!(explored(locks, preemptions(1)), (3, false));
    // What comes first needs no preemption, in whatever order.
    let increments = "fai(x) || fai(x) || fai(x) || fai(x)";
    assert_eq!(explored(increments, preemptions(0)), (24, false));
    assert_eq!(explored(increments, contexts(3)), (24, false));
}

/// An error that is left out is not there; the bound says so.
#[test]
fn errors_within_the_bound() {
    let (text, code) = program("shared x\n\na := x; x := a + 1 || b := x; x := b + 1\nforall (x = 2)");
    let (text, code) = (Arc::new(text), Arc::new(code));
    for (most, refuted) in [(0, 0), (1, 2)] {
        let options = Options { preemptions: Some(most), ..OPTIONS };
        let findings = walked(&text, &code, options);
        let result = findings.results.condition(&text, Coverage::Part).expect("there is a condition");
        assert_eq!(result.counterexamples > 0, refuted > 0, "{most} preemptions: {findings:#?}");
    }
    let deadlock = "shared m, n\n\nlock m; lock n; unlock n; unlock m || lock n; lock m; unlock m; unlock n";
    let (text, code) = program(deadlock);
    let (text, code) = (Arc::new(text), Arc::new(code));
    for (most, deadlocks) in [(0, 0), (1, 1)] {
        let findings = walked(&text, &code, Options { preemptions: Some(most), ..OPTIONS });
        assert_eq!(findings.counts.stuck_for_good, deadlocks);
        let is_deadlock = |(fault, _): (&Fault, _)| matches!(fault, Fault::StuckForGood(_));
        assert_eq!(findings.results.faults().any(is_deadlock), deadlocks > 0);
    }
}
