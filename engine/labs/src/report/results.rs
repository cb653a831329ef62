//! What an exploration found, as text for a terminal.

use super::error_sentence;
use super::location_name;
use crate::explore::{
    Algorithm, Answer, Awaited, ConditionResult, Counts, Coverage, Cut, Fate, Fault, Options, Outcome, Place,
    RacingAccess, Results, Verdict, Wait, symmetric_threads,
};
use crate::graph::Execution;
use crate::library::library;
use crate::model::{Model, Questions, Stage};
use crate::program::{Bound, Code, Limits, Location, Observable, Operation, Program, Quantifier, Value};
use crate::run::{Estimate, Interruption};
use crate::sort;
use crate::words::{self, about, grouped};
use std::fmt::Write;

/// Everything there is to say about an exploration that is over.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// What to call the program.
    pub name: &'a str,
    /// The program.
    pub program: &'a Program,
    /// Its text.
    pub source: &'a str,
    /// The memory model.
    pub model: Model,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// How it was explored.
    pub options: Options,
    /// What was counted.
    pub counts: Counts,
    /// What was found.
    pub results: &'a Results,
    /// How long it took.
    pub seconds: f64,
    /// What ended it before everything was explored; `None` if nothing did.
    pub unfinished: Option<Unfinished>,
    /// What decided the questions of consistency, if somebody wants to know.
    pub questions: Option<Questions>,
}

/// An exploration that ended before everything was explored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unfinished {
    /// Why it ended.
    pub reason: Interruption,
    /// How many executions there are in all, if that can be said.
    pub estimate: Option<Estimate>,
}

impl Report<'_> {
    /// Whether everything was explored: no loop was cut, no question left undecided, and neither an error nor anything else
    /// ended the exploration.
    pub fn coverage(&self) -> Coverage {
        let stopped = self.options.stop_at_first && self.counts.is_any_wrong();
        let whole = self.counts.is_unbounded()
            && self.results.unlisted() == 0
            && !stopped
            && self.unfinished.is_none()
            && !self.algorithm.leaves_condition_open(self.program);
        if whole { Coverage::Whole } else { Coverage::Part }
    }

    /// Whether data races were looked for.
    pub fn checks_races(&self) -> bool {
        self.model.rules().synchronises() && !self.options.no_races
    }

    /// Whether threads that are stuck for good in loops were looked for.
    pub fn checks_stuck_loops(&self) -> bool {
        self.options.stuck_loops && self.algorithm.finds_stuck_loops()
    }

    /// With symmetry reduction, the threads that were explored up to permutation, by kind; else `None`.
    pub fn symmetry(&self) -> Option<Vec<Vec<u16>>> {
        let code = self.options.symmetry.then(|| Code::compile(self.program).ok()).flatten()?;
        Some(symmetric_threads(&code, self.model, self.algorithm, self.options))
    }

    /// How many plain executions there are, as far as is known: the algorithm counts them, or there are as many as with co,
    /// since that follows from them.
    pub fn plain(&self) -> Option<u64> {
        if self.algorithm.traits().counts_plain {
            return Some(self.counts.plain);
        }
        let code = Code::compile(self.program).ok().filter(|_| !self.options.symmetry)?;
        self.model.co_follows(&code).then(|| self.counts.executions())
    }

    /// The verdict on the program.
    pub fn verdict(&self) -> Verdict {
        self.results.verdict(self.program, self.coverage())
    }

    /// What is known of the condition.
    pub fn condition(&self) -> Option<ConditionResult> {
        self.results.condition(self.program, self.coverage())
    }

    /// The answer to `exists`, if that is decided.
    pub fn answer(&self) -> Option<Answer> {
        self.results.answer(self.program, self.coverage())
    }

    /// Of what an answer speaks.
    pub fn extent(&self) -> Extent {
        Extent::new(self.program, self.algorithm, self.counts, self.coverage())
    }

    /// The final states, sorted by their values.
    pub fn outcomes(&self) -> Vec<(&[Value], &Outcome)> {
        let mut all: Vec<_> = self.results.outcomes().collect();
        sort::by_key(&mut all, |(state, _)| *state);
        all
    }

    /// What a final state consists of, by name.
    pub fn columns(&self) -> Vec<String> {
        self.results.observables().iter().map(|&observable| self.program.observable_name(observable)).collect()
    }
}

/// Of what an answer speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// How many executions came to their end.
    pub executions: u64,
    /// Whether these are all.
    pub whole: bool,
    /// Whether an execution can end in several states.
    pub open: bool,
}

impl Extent {
    /// That of what an algorithm has found.
    pub fn new(program: &Program, algorithm: Algorithm, counts: Counts, coverage: Coverage) -> Self {
        let is_location = |observable: &Observable| matches!(observable, Observable::Location { .. });
        let mut asked = Vec::new();
        if let Some(condition) = &program.condition {
            condition.proposition.observables(&mut asked);
        }
        let open = !algorithm.tracks_co() && asked.iter().any(is_location);
        Self { executions: counts.complete, whole: coverage == Coverage::Whole, open }
    }
}

/// The answer to `exists`: "allowed: 1 of 4 executions ends so".
fn answer_sentence(result: ConditionResult, extent: Extent) -> String {
    let Extent { executions, whole, open } = extent;
    let (all, so_far) = (words::count(executions, "execution"), if whole { "" } else { " so far" });
    let witnesses = words::grouped(result.witnesses);
    match (result.holds, result.decided) {
        (true, _) => {
            let end = match (open, result.witnesses) {
                (true, _) => "can end",
                (false, 1) => "ends",
                (false, _) => "end",
            };
            format!("allowed: {witnesses} of {all}{so_far} {end} so")
        }
        (false, true) => "forbidden: no execution ends so".to_owned(),
        (false, false) => format!("not seen so far: none of {all} ends so"),
    }
}

/// What became of a condition and why, as a line or the end of a sentence: "holds: every execution ends in such a state".
pub fn condition_sentence(quantifier: Quantifier, result: ConditionResult, extent: Extent) -> String {
    let so_far = if result.decided { "" } else { " so far" };
    match quantifier {
        Quantifier::Exists => answer_sentence(result, extent),
        Quantifier::NotExists if result.holds => format!("holds{so_far}: no execution ends in such a state"),
        Quantifier::NotExists => {
            format!("does not hold: {} can end in such a state", words::count(result.witnesses, "execution"))
        }
        Quantifier::ForAll if result.holds => format!("holds{so_far}: every execution ends in such a state"),
        Quantifier::ForAll => {
            format!("does not hold: {} can end in another state", words::count(result.counterexamples, "execution"))
        }
    }
}

/// What went wrong, without its place: "assertion violated".
pub fn fault_text(program: &Program, fault: &Fault) -> String {
    match fault {
        Fault::Error(kind, _) => error_sentence(program, kind),
        Fault::DataRace(..) => "data race".to_owned(),
        Fault::UninitialisedRead(object, _) => {
            let name = program.objects.get(object.0 as usize).map_or("?", |object| &object.name);
            format!("{name} is read before anything was written to it")
        }
        Fault::StuckForGood(waits) => format!("stuck for good: {}", waits_text(program, waits)),
    }
}

/// Which threads wait for what, and why.
fn waits_text(program: &Program, waits: &[Wait]) -> String {
    let all: Vec<_> = waits.iter().map(|wait| wait_sentence(program, wait)).collect();
    all.join("; ")
}

/// A place in brackets, as the end of a clause: " (line 3)".
fn at_place(place: &Place) -> String {
    if place.line == 0 { String::new() } else { format!(" (line {})", place.line) }
}

/// Which thread waits for what, and why: "P1 waits for mutex m (line 3), which P0 holds (line 1)".
fn wait_sentence(program: &Program, wait: &Wait) -> String {
    let thread_name = |thread| program.thread_name(usize::from(thread));
    let (thread, here) = (thread_name(wait.thread), at_place(&wait.place));
    let (operation, location, obstacle) = match &wait.awaited {
        Awaited::Object { operation, location, obstacle } => (*operation, *location, *obstacle),
        Awaited::Loop(reads) => {
            return loop_sentence(program, wait.thread, reads, &format!("{thread} waits in a loop{here}"));
        }
    };
    let name = location_name(program, location);
    let noun = library(operation).noun();
    match (operation, obstacle) {
        (Operation::Lock, Some((holder, place))) if holder == wait.thread => {
            format!("{thread} waits for {noun} {name}{here}, which it holds itself{}", at_place(&place))
        }
        (Operation::Lock | Operation::Unlock, Some((holder, place))) => {
            format!("{thread} waits for {noun} {name}{here}, which {} holds{}", thread_name(holder), at_place(&place))
        }
        (Operation::Lock | Operation::Unlock, None) => format!("{thread} waits for {noun} {name}{here}"),
        (Operation::Send(_), Some((sender, place))) => format!(
            "{thread} waits to send to {noun} {name}{here}, because nobody receives what {} has sent{}",
            thread_name(sender),
            at_place(&place)
        ),
        (Operation::Send(_), None) => format!("{thread} waits to send to {noun} {name}{here}"),
        (Operation::End | Operation::Join, _) => format!("{thread} waits for the {name}{here}"),
        (Operation::Receive, _) => {
            format!("{thread} waits to receive from {noun} {name}{here}, but no thread sends to it")
        }
    }
}

/// What a thread that waits in a loop has read there, and who else writes that: "P0 waits in a loop (line 2), because it reads x = 0 (P1
/// writes x at line 5)".
fn loop_sentence(program: &Program, thread: u16, reads: &[(Location, Value)], waits: &str) -> String {
    if reads.is_empty() {
        return format!("{waits} that reads nothing");
    }
    let code = Code::compile(program).ok();
    let read = |&(location, value): &(Location, Value)| {
        let name = location_name(program, location);
        let writers = code.iter().flat_map(|code| code.writers(location));
        let others = writers.filter(|(other, _)| *other != usize::from(thread)).map(|(other, spans)| {
            let mut lines: Vec<u32> = spans.iter().map(|span| span.line).collect();
            lines.dedup();
            let word = words::by_number(lines.len() as u64, "line", "lines");
            let lines = words::list(lines.iter().map(u32::to_string));
            format!("{} writes {name} at {word} {lines}", program.thread_name(other))
        });
        let others = words::list(others);
        let others = if others.is_empty() { format!("no other thread writes {name}") } else { others };
        format!("{name} = {} ({others})", program.value_text(value))
    };
    format!("{waits}, because it reads {}", words::list(reads.iter().map(read)))
}

/// Whether a program has loops that wait.
fn has_waiting_loops(program: &Program) -> bool {
    Code::compile(program).is_ok_and(|code| !code.spin_loops().is_empty())
}

/// What the threads wait for at the end of an execution, in words.
pub(crate) fn waiting_text(program: &Program, code: &Code, model: Model, graph: &Execution) -> String {
    waits_text(program, &Wait::all(code, model, graph))
}

/// What went wrong and where: "assertion violated at line 3, column 5".
pub fn fault_sentence(program: &Program, fault: &Fault) -> String {
    let at = |place: &Place| format!("line {}, column {}", place.line, place.column);
    let what = fault_text(program, fault);
    match fault {
        Fault::Error(_, place) | Fault::UninitialisedRead(_, place) => format!("{what} at {}", at(place)),
        Fault::DataRace(first, second) => format!("{what} between {} and {}", at(first), at(second)),
        Fault::StuckForGood(_) => what,
    }
}

/// Something that is worth knowing of messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MessageNote {
    /// What it is, in a sentence without its stop.
    pub text: String,
    /// In how many executions.
    pub executions: u64,
    /// The step that showed it first, from 1, if one did.
    pub first: Option<u64>,
}

/// What is worth knowing of the messages of a program with handlers: which of them race, wait for ever, or, if everything was
/// explored, never run.
pub(crate) fn message_notes(program: &Program, results: &Results, is_whole: bool) -> Vec<MessageNote> {
    let name = |handler: u16, message: u16| {
        let handler_name = program.thread_name(handler.into());
        let message =
            program.threads.get(usize::from(handler)).and_then(|thread| thread.messages().get(usize::from(message)));
        format!("{} of {handler_name}", message.map_or("?", |message| &message.name))
    };
    let access = |access: RacingAccess| {
        let by = access
            .message
            .map_or_else(|| program.thread_name(access.thread.into()), |message| name(access.thread, message));
        format!("{by} (line {}, column {})", access.place.line, access.place.column)
    };
    let races = results.messages().races().into_iter().map(|(race, sighting)| MessageNote {
        text: format!(
            "{} and {} race on {}: nothing orders them",
            access(race.first),
            access(race.second),
            location_name(program, race.location)
        ),
        executions: sighting.count,
        first: Some(sighting.first),
    });
    let fates = results.messages().fates(program).into_iter().filter_map(|(handler, message, fate)| {
        let text = match fate {
            Fate { left: 1.., .. } => format!(
                "{} waits forever in {}, because {} does not go on",
                name(handler, message),
                words::count(fate.left, "execution"),
                program.thread_name(handler.into())
            ),
            Fate { run: 0, .. } if is_whole => format!("{} never runs", name(handler, message)),
            Fate { .. } => return None,
        };
        Some(MessageNote { text, executions: fate.left, first: None })
    });
    races.chain(fates).collect()
}

/// What a bound cut and where: "the loop at line 3 goes beyond its bound of 8 rounds".
pub fn cut_text(limits: Limits, threads: usize, bound: Bound, place: Place) -> String {
    let at = if place.line == 0 { String::new() } else { format!(" at line {}", place.line) };
    match bound {
        Bound::Unroll => {
            format!("the loop{at} goes beyond its bound of {}", words::count(limits.unroll.into(), "round"))
        }
        Bound::Posts => {
            let bound = words::count(limits.unroll.into(), "time");
            format!(
                "the message posted{at} leads to its own post again, perhaps through other messages, more often \
                     than the bound of {bound}"
            )
        }
        Bound::LocalSteps => {
            let run = words::count(limits.local_steps.into(), "instruction");
            format!("a thread{at} has run {run} without an event")
        }
        Bound::Events => {
            let share = words::count(limits.events_of_a_thread(threads).into(), "event");
            let all = grouped(limits.events.into());
            format!("a thread{at} has had {share}: that is its share of the {all} events that a graph may have")
        }
    }
}

/// The verdict, the counts and the table of final states in plain text.
pub fn results_text(report: &Report) -> String {
    let Report { program, source, model, algorithm, counts, results, .. } = *report;
    let mut out = String::new();
    let name = if report.name.is_empty() { "the program" } else { report.name };
    let _ = writeln!(out, "{name} under {}, explored by {}", model.title(), algorithm.title());
    if let (Some(condition), Some(result)) = (&program.condition, report.condition()) {
        let text = condition.span.on_one_line(source);
        let _ = writeln!(out, "{text}\n{}", condition_sentence(condition.quantifier, result, report.extent()));
    }
    for (fault, sighting) in results.faults() {
        let times = if sighting.count == 1 { String::new() } else { format!(" ({} times)", grouped(sighting.count)) };
        let _ = writeln!(out, "error: {}{times}", fault_sentence(program, fault));
    }
    for note in message_notes(program, results, report.unfinished.is_none() && counts.bounded == 0) {
        let times = if note.first.is_some() {
            format!(" (in {})", words::count(note.executions, "execution"))
        } else {
            String::new()
        };
        let _ = writeln!(out, "{}{times}", note.text);
    }
    out.push('\n');
    executions_text(&mut out, report);
    bounds_text(&mut out, report);
    if let Some(unfinished) = &report.unfinished {
        let _ = writeln!(out, "{}", unfinished_text(unfinished));
    }
    if counts.duplicates > 0 {
        let _ =
            writeln!(out, "{} found twice: please report this as a bug", words::count(counts.duplicates, "execution"));
    }
    if let Some(questions) = &report.questions {
        questions_text(&mut out, questions);
    }
    let classes = report.symmetry();
    if let Some(classes) = &classes {
        let _ = writeln!(out, "{}", symmetry_text(program, classes));
    }
    if model.rules().synchronises() && !report.checks_races() {
        out.push_str("data races were not checked\n");
    }
    if !report.checks_stuck_loops() && !report.options.limits.unroll_spins && has_waiting_loops(program) {
        out.push_str("whether threads are stuck in loops for good was not checked\n");
    }
    out.push('\n');
    table(&mut out, report);
    let is_exchanged = |observable: &Observable| match observable {
        Observable::Register { thread, .. } => classes.iter().flatten().flatten().any(|other| other == thread),
        Observable::Location { .. } => false,
    };
    if !report.outcomes().is_empty() && results.observables().iter().any(is_exchanged) {
        out.push_str("each final state is also possible with the registers of identical threads exchanged\n");
    }
    out.push('\n');
    let _ = writeln!(out, "{}", verdict_text(report));
    let _ = writeln!(
        out,
        "{:.3} s; steps: {}, revisits: {}, graphs dropped: {}",
        report.seconds,
        grouped(counts.steps),
        grouped(counts.revisits),
        grouped(counts.dropped)
    );
    out
}

/// How many executions there are, by kind.
/// How many questions each stage decided: what an exploration took its time for.
fn questions_text(out: &mut String, questions: &Questions) {
    let all = questions.all();
    let _ = writeln!(out, "{} of consistency, decided", words::count(all, "question"));
    let counts = Stage::ALL.map(|stage| (stage, questions.of(stage)));
    let width = grouped(all).len();
    for (stage, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        let share = count as f64 * 100.0 / all as f64;
        let _ = writeln!(out, "  {:>width$} ({share:.1} %) by {}", grouped(count), stage.words());
    }
}

fn executions_text(out: &mut String, report: &Report) {
    let Report { algorithm, counts, .. } = *report;
    let _ = writeln!(
        out,
        "executions: {} complete, {} blocked, {} erroneous",
        grouped(counts.complete),
        grouped(counts.blocked),
        grouped(counts.erroneous)
    );
    if counts.stuck_for_good > 0 {
        let are = words::by_number(counts.stuck_for_good, "is", "are");
        let _ = writeln!(out, "{} {are} stuck for good", words::count(counts.stuck_for_good, "execution"));
    }
    if algorithm.tracks_co() && algorithm.traits().counts_plain {
        let _ = writeln!(out, "plain executions, without co: {}", grouped(counts.plain));
    }
    if counts.runs > 0 {
        let _ = writeln!(out, "{}", runs_text(counts));
    }
    if counts.sections > 0 {
        let _ = writeln!(
            out,
            "{}; trace constraint systems: {}, unsatisfiable: {}; race checks: {}",
            words::count(counts.sections, "section"),
            grouped(counts.systems),
            grouped(counts.unsatisfiable),
            grouped(counts.race_checks)
        );
    }
}

/// What was cut, left out or not decided.
fn bounds_text(out: &mut String, report: &Report) {
    let Report { program, algorithm, counts, results, options, .. } = *report;
    if counts.bounded > 0 {
        let _ = writeln!(out, "bounded: {} cut", words::count(counts.bounded, "execution"));
        for Cut { bound, place, executions } in results.cuts() {
            let what = cut_text(options.limits, program.threads.len(), bound, place);
            let _ = writeln!(out, "  {what} ({})", words::count(executions, "execution"));
        }
    }
    if counts.beyond > 0 {
        let _ = writeln!(out, "bounded: {}", beyond_text(counts, options));
    }
    if algorithm.leaves_last_values_open(program) {
        let kind = if algorithm.leaves_condition_open(program) { "bounded" } else { "note" };
        let _ = writeln!(out, "{kind}: {}", last_values_text(algorithm));
    }
    let undecided = undecided_text(counts.undecided, results.unlisted());
    for what in &undecided {
        let _ = writeln!(out, "bounded: {what}");
    }
    if !undecided.is_empty() {
        let _ = writeln!(
            out,
            "  the search for one answer stops after {} units of work; --search-limit changes this, and memory grows \
             in proportion",
            grouped(options.limits.search)
        );
    }
}

fn verdict_text(report: &Report) -> &'static str {
    // Whoever asks whether something occurs does not say that it would be wrong.
    let asks = report.program.condition.as_ref().is_some_and(|condition| condition.quantifier == Quantifier::Exists);
    match report.verdict() {
        Verdict::Ok if asks => "ok: everything was explored",
        Verdict::Bounded if asks && report.unfinished.is_some() => "bounded: the rest was not explored",
        Verdict::Bounded if asks => "bounded: what lies beyond the bound was not explored",
        Verdict::Ok => "ok: everything was explored, and nothing is wrong",
        Verdict::Violated if report.results.faults().len() > 0 => "violated: there are errors",
        Verdict::Violated => "violated: the condition does not hold",
        Verdict::Bounded if report.unfinished.is_some() => {
            "bounded: nothing is wrong in the part that was explored; the rest was not explored"
        }
        Verdict::Bounded => "bounded: nothing is wrong within the bound; what lies beyond was not explored",
    }
}

/// What was left since a search reached its limit: "one graph's consistency was not decided".
pub(crate) fn undecided_text(graphs: u64, executions: u64) -> Vec<String> {
    let graphs = match graphs {
        0 => None,
        1 => Some("one graph's consistency was not decided".to_owned()),
        n => Some(format!("the consistency of {} was not decided", words::count(n, "graph"))),
    };
    let executions = match executions {
        0 => None,
        n => Some(format!("not all final states of {} were found", words::count_in_words(n, "execution"))),
    };
    graphs.into_iter().chain(executions).collect()
}

/// What an algorithm leaves open that follows what threads read ([`Algorithm::leaves_last_values_open`]).
pub(crate) fn last_values_text(algorithm: Algorithm) -> String {
    format!(
        "{} follows the values that threads read, not the final values of locations, so there may be other final \
         states",
        algorithm.title()
    )
}

/// What a bound on switches left out: "3 graphs were left out, because their executions need more than 2 preemptions".
pub(crate) fn beyond_text(counts: Counts, options: Options) -> String {
    let bound =
        |most: Option<u32>, noun: &str| most.map(|most| format!("more than {}", words::count(most.into(), noun)));
    let preemptions = bound(options.preemptions, "preemption");
    let contexts = bound(options.contexts, "context switch");
    let bounds: Vec<_> = preemptions.into_iter().chain(contexts).collect();
    let were = words::by_number(counts.beyond, "was", "were");
    let graphs = words::count(counts.beyond, "graph");
    format!("{graphs} {were} left out, because their executions need {}", bounds.join(" or "))
}

/// What random runs came to: "1,000 random runs: 20 found an execution, 980 one that was found before".
fn runs_text(counts: Counts) -> String {
    format!(
        "{}: {} found a new execution, {} found a known one",
        words::count(counts.runs, "random run"),
        grouped(counts.executions()),
        grouped(counts.repeated)
    )
}

/// Which threads were explored up to permutation: "P0, P1 and P2".
pub(crate) fn symmetry_text(program: &Program, classes: &[Vec<u16>]) -> String {
    if classes.is_empty() {
        return "symmetry: no threads can be exchanged".to_owned();
    }
    let names = |class: &Vec<u16>| words::list(class.iter().map(|thread| program.thread_name(usize::from(*thread))));
    let classes: Vec<_> = classes.iter().map(names).collect();
    format!("symmetry: explored up to permutation of {}", classes.join("; "))
}

/// Why an exploration ended early, and how much of it there is.
fn unfinished_text(unfinished: &Unfinished) -> String {
    let why = match unfinished.reason {
        Interruption::Timeout => "the time ran out before everything was explored",
        Interruption::MaxExecutions => "there are more executions than the limit allows",
        Interruption::PerhapsMore => "there may be more executions than the limit allows",
        Interruption::Runs => "random runs may miss executions",
        Interruption::Signal => "interrupted before everything was explored",
        Interruption::Memory => "the memory ran out before everything was explored",
        Interruption::PartsLeft => "not all parts were explored",
    };
    let of = unfinished.estimate.map(|estimate| format!(", of about {}", estimate_text(&estimate))).unwrap_or_default();
    format!("bounded: {why}{of}")
}

/// A number of executions that is not known exactly: "1,200,000 executions (±9 %)".
pub fn estimate_text(estimate: &Estimate) -> String {
    let text = about(estimate.executions);
    if estimate.error <= 0.0 {
        return format!("{text} executions");
    }
    format!("{text} executions (±{:.0} %)", (100.0 * estimate.error / estimate.executions).max(1.0))
}

/// The final states, a row each, the columns aligned on the right.
fn table(out: &mut String, report: &Report) {
    let outcomes = report.outcomes();
    if report.results.has_too_many_outcomes() {
        let most = grouped(report.results.most() as u64);
        let _ = writeln!(out, "more than {most} final states, which are not listed");
        out.push_str("A larger table lists more (--table), and so does a `locations` line that names fewer values.\n");
        return;
    }
    if outcomes.is_empty() {
        let filtered = if report.program.filter.is_some() { " and passes the filter" } else { "" };
        let _ = writeln!(out, "no final state: no execution runs to its end without error{filtered}");
        return;
    }
    let mut head = report.columns();
    head.push("executions".to_owned());
    // Made twice rather than kept: there may be many.
    let cells = |(state, outcome): &(&[Value], &Outcome)| -> Vec<String> {
        let values = report.program.state_texts(report.results.observables(), state);
        values.into_iter().chain([grouped(outcome.count)]).collect()
    };
    let mut widths: Vec<usize> = head.iter().map(|name| name.chars().count()).collect();
    for row in &outcomes {
        widths.iter_mut().zip(cells(row)).for_each(|(width, cell)| *width = cell.chars().count().max(*width));
    }
    let mut line = |satisfies: Option<bool>, row: &[String]| {
        out.push_str(if satisfies == Some(true) { "*" } else { " " });
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(out, "  {}{cell}", " ".repeat(width - cell.chars().count()));
        }
        out.push('\n');
    };
    line(None, &head);
    outcomes.iter().for_each(|row| line(row.1.satisfies, &cells(row)));
    if outcomes.iter().any(|(_, outcome)| outcome.satisfies == Some(true)) {
        out.push_str("* satisfies the condition\n");
    }
}
