//! What the page shows of repairs: words, numbers and drawings. All of it is made here; who shows it adds nothing.

use crate::costs::{Costs, TABLES};
use crate::goal::{Bad, Goal, Wanted};
use crate::reasons::{Needed, RuledOut};
use crate::report::{ChangeLine, RepairReport, marked};
use crate::search::{Bounds, Judgement, Search, Start};
use crate::sites::{Aim, Choice, Kept, Setting, Site, SiteKind, Subject};
use litmoscope_core::budget::Budget;
use litmoscope_core::inspection::Inspection;
use litmoscope_core::model::{Model, Violation};
use litmoscope_core::program::{Code, Program, Span};
use litmoscope_core::syntax::{Diagnostic, parse};
use litmoscope_core::words::{count, grouped};
use litmoscope_draw::{Drawing, DrawingInput, EdgeKey, InitialWrites, Room, layout, mode_words};
use litmoscope_explore::compare::{OutcomeQuestion, question_names};
use litmoscope_explore::explore::Options;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Steps of one exploration.
const STEPS: u64 = 300_000;
/// How many repairs are listed.
const LISTED: usize = 200;
/// How many executions are gone through.
const EXECUTIONS: usize = 40;
/// How many parts of the work are done at once.
const PARTS: u32 = 24;
/// How many places a program may have.
const MOST_SITES: usize = 120;

/// What is asked of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairRequest {
    /// The program.
    pub text: String,
    /// The name of the model.
    pub model: String,
    /// What is not needed is asked; else what would forbid it.
    pub weaken: bool,
    /// No outcome may be new; else nothing may go wrong.
    pub same_outcomes: bool,
    /// The outcome; empty for what the program's text says.
    pub outcome: String,
    /// Fences are left alone.
    pub no_fences: bool,
    /// So are modes.
    pub no_modes: bool,
    /// So are writes that could be exchanges.
    pub no_exchanges: bool,
    /// Lines that are left alone.
    pub keep: Vec<u32>,
    /// The name of a table of costs; empty for the usual one.
    pub costs: String,
    /// Which of those that are listed is looked at, from 1; 0 for none.
    pub chosen: u32,
    /// Which execution is drawn, from 0.
    pub execution: u32,
    /// It is drawn as it is before the changes.
    pub before: bool,
    /// What the reader tries: by site, its level.
    pub own: Option<Choice>,
    /// Parts of the work that are wanted.
    pub grown: u32,
}

/// A line of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineView {
    /// Its number; 0 of a line that is put in.
    pub number: u32,
    /// The text.
    pub text: String,
    /// What is changed there.
    pub notes: Vec<String>,
    /// Places in front of it where a fence can be put in, by their numbers.
    pub gaps: Vec<u32>,
    /// Places on it, by their numbers.
    pub places: Vec<u32>,
    /// It is left alone.
    pub kept: bool,
}

/// One that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowView {
    /// What it costs.
    pub cost: u64,
    /// What is changed.
    pub changes: Vec<String>,
    /// What else has to be said of it.
    pub note: String,
}

/// A place that the reader can change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceView {
    /// Whose it is: `P0`.
    pub owner: String,
    /// Whose it is, and where: `P0, line 7`.
    pub place: String,
    /// What stands there.
    pub text: String,
    /// What it can be, in words.
    pub levels: Vec<String>,
    /// Which of these it is.
    pub level: u8,
    /// A fence can be put in.
    pub gap: bool,
}

/// What the reader tries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnView {
    /// What comes of it, in a sentence.
    pub sentence: String,
    /// Whether it is a repair.
    pub good: Option<bool>,
}

/// What is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RepairView {
    /// What was done, in a line.
    pub name: String,
    /// What comes out, in a sentence.
    pub sentence: String,
    /// Whether there is something that helps; nothing, if that is not known or nothing needs help.
    pub good: Option<bool>,
    /// What is wrong with the outcome, and at which character.
    pub wrong: Option<(String, u32)>,
    /// What else has to be said.
    pub notes: Vec<String>,
    /// What an outcome can be about.
    pub names: Vec<String>,
    /// There is more to find.
    pub running: bool,
    /// How many parts of the work were done.
    pub done: u32,
    /// What was found, the cheapest first.
    pub rows: Vec<RowView>,
    /// How many more.
    pub more: u32,
    /// Which is looked at, from 1; 0 for none.
    pub chosen: u32,
    /// The program, with what is changed.
    pub lines: Vec<LineView>,
    /// The changed program as a text.
    pub changed: Option<String>,
    /// An execution.
    pub drawing: Option<Drawing>,
    /// What it is, in a sentence or two.
    pub caption: String,
    /// Edges of its cycle that the changes made.
    pub made: Vec<EdgeKey>,
    /// Which execution that is, from 0, of how many.
    pub executions: (u32, u32),
    /// Where something can change, as the reader tries it.
    pub places: Vec<PlaceView>,
    /// What comes of what the reader tries.
    pub own: Option<OwnView>,
    /// Of what could be weaker: what is needed, each with what it sees to.
    pub needed: Vec<(String, String)>,
}

/// A program that is asked.
pub struct RepairOpen {
    request: RepairRequest,
    name: String,
    program: Program,
    search: Option<Search>,
    wrong: Option<(String, u32)>,
    notes: Vec<String>,
    done: u32,
    needed: Option<Vec<Needed>>,
}

/// The names of the tables of costs, each with its words; the usual one first.
pub fn tables() -> Vec<(&'static str, &'static str)> {
    let usual = [("", "usual: weaker modes, then fences, then exchanges")];
    usual.into_iter().chain(TABLES.iter().map(|table| (table.name, table.title))).collect()
}

fn refuse(message: &str, help: &str) -> Vec<Diagnostic> {
    vec![Diagnostic::error(message, Span { line: 1, column: 1, ..Span::default() }).with_help(help)]
}

/// What the final states of the program itself are, if that is soon known.
fn states(program: &Program, model: Model, options: Options) -> Option<Goal> {
    let all = Goal { errors: true, states: Some(BTreeSet::new()), ..Goal::default() };
    let wanted = Wanted { bad: usize::MAX, states: true, steps: STEPS };
    let explored = all.explore(program, model, options, wanted, &mut Budget::unlimited()).ok()?;
    (!explored.stopped).then(|| Goal { errors: true, states: Some(explored.states), ..Goal::default() })
}

impl Inspection for RepairOpen {
    type Request = RepairRequest;
    type View = RepairView;

    fn open(request: &RepairRequest) -> Result<Self, Vec<Diagnostic>> {
        let program = parse(&request.text)?.program;
        if program.has_handlers() {
            return Err(refuse("repairs are not asked of programs with handlers", "take a program with threads alone"));
        }
        if program.is_beyond_events() {
            return Err(refuse("repairs do without inputs, `atomic` and declared ranges", "leave them out"));
        }
        if let Err(error) = Code::compile(&program) {
            return Err(refuse(&error.to_string(), "change that"));
        }
        let model: Model = request.model.parse().map_err(|_| refuse("there is no such model", "choose one"))?;
        let name = program.name.clone();
        let mut this = Self {
            request: request.clone(),
            name,
            program,
            search: None,
            wrong: None,
            notes: Vec::new(),
            done: 0,
            needed: None,
        };
        let options = Options::default();
        let goal = match (request.weaken, request.outcome.trim()) {
            (true, _) if request.same_outcomes => match states(&this.program, model, options) {
                Some(goal) => goal,
                None => {
                    this.notes
                        .push("The program has too many executions to know all of its final states here.".to_owned());
                    return Ok(this);
                }
            },
            (true, _) => Goal::correct(&this.program),
            (false, "") => Goal::of(&this.program),
            (false, outcome) => match OutcomeQuestion::parse(&this.program, outcome) {
                Ok(question) => Goal::without(&question),
                Err(error) => {
                    let at = outcome.get(..error.at).map_or(0, |before| before.chars().count()) as u32 + 1;
                    this.wrong = Some((error.message, at));
                    return Ok(this);
                }
            },
        };
        let kept = Kept {
            lines: request.keep.iter().map(|line| (*line, *line)).collect(),
            fences: request.no_fences,
            modes: request.no_modes,
            exchanges: request.no_exchanges,
        };
        let aim = if request.weaken { Aim::Weaken } else { Aim::Strengthen { races: goal.errors } };
        let subject = Subject::new(this.program.clone(), model, aim, kept);
        if subject.sites.len() > MOST_SITES {
            let places = count(subject.sites.len() as u64, "place");
            this.notes.push(format!(
                "There are {places} where something could change, more than {MOST_SITES}. The command line takes more."
            ));
            return Ok(this);
        }
        let costs = Costs::named(&request.costs).unwrap_or_default();
        let bounds = Bounds { steps: STEPS, found: 2_000, ..Bounds::default() };
        this.search = Search::new(subject, goal, options, costs, bounds);
        Ok(this)
    }

    fn is_of(&self, request: &RepairRequest) -> bool {
        let of = |request: &RepairRequest| {
            let RepairRequest { text, model, weaken, same_outcomes, outcome, keep, costs, .. } = request.clone();
            let lacks = (request.no_fences, request.no_modes, request.no_exchanges);
            (text, model, (weaken, same_outcomes, outcome), keep, costs, lacks)
        };
        of(&self.request) == of(request)
    }

    fn view(&mut self, request: &RepairRequest) -> RepairView {
        let mut view = RepairView {
            wrong: self.wrong.clone(),
            notes: self.notes.clone(),
            names: question_names(&self.program),
            lines: listing(request, &[], &[]),
            ..RepairView::default()
        };
        let Some(search) = &mut self.search else { return view };
        let until = request.grown.saturating_add(PARTS);
        while self.done < until && !search.is_over() {
            self.done += 1;
            if search.advance(&mut Budget::unlimited()).is_err() {
                break;
            }
        }
        (view.running, view.done) = (!search.is_over(), self.done);
        let is_bad = search.start() == Some(Start::Bad);
        if request.weaken && !view.running && is_bad && search.stays().is_none() && self.needed.is_none() {
            self.needed = search.needed(&mut Budget::unlimited()).ok();
        }
        let own = request.own.clone().filter(|own| fits(search.subject(), own));
        let tried = own.as_ref().filter(|_| is_bad).map(|own| search.judge(own, &mut Budget::unlimited()));
        let needed = self.needed.as_deref().unwrap_or(&[]);
        let report = RepairReport { name: &self.name, source: &request.text, search, stopped: false, needed };
        fill(&mut view, &report, request);
        view.places = places(&report, own.as_ref());
        if let (Some(choice), Some(judged)) = (own, tried) {
            try_out(&mut view, &report, &choice, judged.unwrap_or(Judgement::Unknown));
        }
        view
    }

    fn text(request: &RepairRequest) -> &str {
        &request.text
    }
}

fn fits(subject: &Subject, own: &[u8]) -> bool {
    own.len() == subject.sites.len()
        && subject.sites.iter().zip(own).all(|(site, level)| usize::from(*level) < site.levels.len())
}

/// The program line by line, with what is changed there and what could be. What is put in stands in front of its line.
fn listing(request: &RepairRequest, sites: &[Site], changes: &[ChangeLine]) -> Vec<LineView> {
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(request.text.lines()) {
        let here = || changes.iter().filter(|change| change.line == number);
        for fence in here().filter(|change| change.is_gap) {
            let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
            let note = format!("{}, in front of `{}`", fence.owner, fence.text);
            lines.push(LineView { text: format!("{indent}{}", fence.put), notes: vec![note], ..LineView::default() });
        }
        let notes = here().filter(|change| !change.is_gap);
        let notes = notes.map(|change| format!("{}: {} ({})", change.owner, change.what, change.text));
        let own = |gap: bool| {
            let of_line = sites.iter().zip(0..).filter(move |(site, _)| site.span.line == number);
            of_line.filter(move |(site, _)| (site.kind == SiteKind::Gap) == gap).map(|(_, at)| at).collect()
        };
        lines.push(LineView {
            number,
            text: line.to_owned(),
            notes: notes.collect(),
            gaps: own(true),
            places: own(false),
            kept: request.keep.contains(&number),
        });
    }
    lines
}

fn draw(program: &Program, graph: &litmoscope_core::graph::Execution, violation: Option<&Violation>) -> Drawing {
    let mut input = DrawingInput::new(program, graph);
    input.room = Room::Narrow;
    input.initial = InitialWrites::Relevant;
    input.violation = violation;
    layout(input.diagram())
}

/// The changed program as text, with the changes marked.
fn changed(report: &RepairReport<'_>, choice: &[u8]) -> String {
    let subject = report.search.subject();
    marked(&subject.program, &subject.changed(choice))
}

/// What was found, and what is looked at.
fn fill(view: &mut RepairView, report: &RepairReport<'_>, request: &RepairRequest) {
    let search = report.search;
    let effort = search.effort();
    let (places, programs) = (search.subject().sites.len() as u64, effort.explored);
    view.name = format!("{}, {} explored", count(places, "place"), count(programs, "program"));
    view.sentence = if view.running && search.found().is_empty() {
        String::new()
    } else if view.running {
        format!("{} so far.", grouped(search.found().len() as u64))
    } else {
        report.summary()
    };
    if report.weakens() && report.asks_nothing() {
        view.notes.push(
            "Its text calls nothing wrong: it has no assertion, no condition that has to hold and no non-atomic access. Ask for the same outcomes."
                .to_owned(),
        );
    }
    if report.is_bounded() {
        view.notes.push("A bound cut something: what is beyond it was not seen.".to_owned());
    }
    let is_bad = search.start() == Some(Start::Bad);
    view.good = (is_bad && !view.running).then(|| !search.found().is_empty());
    let found = report.found();
    view.more = found.len().saturating_sub(LISTED) as u32;
    view.rows = found
        .iter()
        .take(LISTED)
        .map(|minimal| {
            let line = |change: &ChangeLine| {
                format!("{}, line {}: {} ({})", change.owner, change.line, change.what, change.text)
            };
            let mut changes: Vec<String> = report.changes(&minimal.choice).iter().map(line).collect();
            if changes.is_empty() {
                changes.push("nothing".to_owned());
            }
            let notes = [(minimal.bounded, "bounded"), (!minimal.is_minimal, "not known to be minimal")];
            let notes: Vec<&str> = notes.iter().filter(|(is, _)| *is).map(|(_, note)| *note).collect();
            RowView { cost: minimal.cost, changes, note: notes.join(", ") }
        })
        .collect();
    view.chosen = request.chosen.min(view.rows.len() as u32);
    let strongest = search.subject().strongest();
    let base = search.subject().base();
    let as_it_is = if report.weakens() { &strongest } else { &base };
    let chosen = (view.chosen as usize).checked_sub(1).map(|at| &found[at].choice);
    let changes = chosen.map_or_else(Vec::new, |choice| report.changes(choice));
    view.lines = listing(request, &search.subject().sites, &changes);
    view.changed = chosen.map(|choice| changed(report, choice));
    view.needed = report
        .needed
        .iter()
        .map(|needed| {
            let change = report.needed(needed);
            let what = format!("{}, line {}: {} ({})", change.owner, change.line, change.what, change.text);
            (what, report.reason(&search.subject().program, &needed.ruled_out))
        })
        .collect();
    if report.weakens() {
        // What would be there without something that is needed, or what rules it out.
        let Some(needed) = report.needed.get(request.execution as usize % report.needed.len().max(1)) else { return };
        view.executions = (request.execution % report.needed.len() as u32, report.needed.len() as u32);
        let change = report.needed(needed);
        let place = format!("{}, line {}", change.owner, change.line);
        if request.before {
            let program = &search.subject().program;
            show(view, program, &needed.ruled_out);
            view.caption = format!("Needed: {place}. {}", report.reason(program, &needed.ruled_out));
        } else {
            view.drawing = Some(draw(&needed.program, &needed.bad.graph, None));
            view.caption = format!("{place}: {}. Then this execution would be there.", change.what);
        }
        return;
    }
    let known = search.known();
    let Some(bad) = known.get(request.execution as usize % known.len().clamp(1, EXECUTIONS)) else { return };
    let all = known.len().min(EXECUTIONS);
    view.executions = (request.execution % all as u32, all as u32);
    match chosen.filter(|_| !request.before) {
        Some(choice) => {
            let (program, ruled) = search.ruled_out(choice, all);
            let Some(ruled) = ruled.get(view.executions.0 as usize) else { return };
            show(view, &program, ruled);
            view.caption = format!("Ruled out by {}", report.reason(&program, ruled));
        }
        None => draw_bad(view, report, bad, as_it_is, "This execution is there."),
    }
}

fn show(view: &mut RepairView, program: &Program, ruled: &RuledOut) {
    view.drawing = Some(draw(program, &ruled.graph, ruled.violation.as_ref()));
    let key = |edge: &litmoscope_core::graph::Edge| {
        let key = |e| ruled.graph.event(e).key;
        EdgeKey { from: key(edge.from), to: key(edge.to), kind: edge.relation.into() }
    };
    view.made = ruled.made().iter().map(key).collect();
}

/// Draws a bad execution as the program with a choice has it.
fn draw_bad(view: &mut RepairView, report: &RepairReport<'_>, bad: &Bad, choice: &[u8], caption: &str) {
    if let Some((program, bad)) = report.search.bad_with(bad, choice) {
        let cycle = report.search.cycle_under_strongest(&bad);
        view.drawing = Some(draw(&program, &bad.graph, cycle.as_ref()));
        view.caption = match &cycle {
            Some(cycle) => {
                format!(
                    "{caption} SC forbids it, by {}: {}",
                    cycle.axiom,
                    report.cycle(&program, &bad.graph, cycle, &[])
                )
            }
            None => caption.to_owned(),
        };
    }
}

/// What a level of a site is called.
fn level(kind: SiteKind, setting: Setting, buffers: bool) -> String {
    match (kind, setting) {
        (SiteKind::Gap, Setting::NoFence) => "no fence".to_owned(),
        (_, Setting::NoFence) => "dropped".to_owned(),
        (_, Setting::Fence(mode)) => format!("fence {}", mode.keyword()),
        // Modes mean nothing where a write can be an exchange.
        (SiteKind::Write, Setting::Access(_)) if buffers => "write".to_owned(),
        (_, Setting::Access(mode)) => mode_words(mode).to_owned(),
        (_, Setting::Exchange) => "exchange".to_owned(),
    }
}

fn places(report: &RepairReport<'_>, own: Option<&Choice>) -> Vec<PlaceView> {
    let subject = report.search.subject();
    let start = if report.weakens() { subject.strongest() } else { subject.base() };
    let own = own.unwrap_or(&start);
    let place = |(site, now): (&Site, &u8)| {
        let text = site.span.event_text(report.source, 40);
        let owner = report.owner(site.owner);
        let buffers = site.levels.contains(&Setting::Exchange);
        PlaceView {
            place: format!("{owner}, line {}", site.span.line),
            owner,
            text: if site.kind == SiteKind::Gap { format!("in front of {text}") } else { text },
            levels: site.levels.iter().map(|setting| level(site.kind, *setting, buffers)).collect(),
            level: *now,
            gap: site.kind == SiteKind::Gap,
        }
    };
    subject.sites.iter().zip(own).map(place).collect()
}

/// What comes of what the reader tries.
fn try_out(view: &mut RepairView, report: &RepairReport<'_>, choice: &Choice, judged: Judgement) {
    let search = report.search;
    let within = |other: &Choice| search.subject().is_within(other, choice);
    let least = search.found().iter().find(|minimal| minimal.choice == *choice);
    let smaller = search.found().iter().any(|minimal| minimal.choice != *choice && within(&minimal.choice));
    let (sentence, good) = match &judged {
        Judgement::Bad(_) => ("An execution still gets through: it is drawn.".to_owned(), Some(false)),
        Judgement::Unknown => ("That is not known: exploring it takes too long here.".to_owned(), None),
        Judgement::Good { .. } if least.is_some() => {
            ("Nothing gets through, and nothing of this could be left out.".to_owned(), Some(true))
        }
        Judgement::Good { .. } if smaller => ("Nothing gets through. Less would do, too.".to_owned(), Some(true)),
        Judgement::Good { .. } => ("Nothing gets through.".to_owned(), Some(true)),
    };
    view.own = Some(OwnView { sentence, good });
    view.changed = Some(changed(report, choice));
    view.drawing = None;
    view.made.clear();
    match judged {
        Judgement::Bad(at) => {
            let bad = search.known()[at].clone();
            draw_bad(view, report, &bad, choice, "This execution still gets through.");
            view.executions = (0, 1);
        }
        _ => (view.caption, view.executions) = (String::new(), (0, 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{RepairPlace, RepairSheet};

    const SB: &str = "x := 1\na := y\n||\ny := 1\nb := x\nexists (a = 0 /\\ b = 0)";

    fn asked(text: &str, model: &str) -> RepairRequest {
        RepairRequest { text: text.to_owned(), model: model.to_owned(), ..RepairRequest::default() }
    }

    /// The view when all is found.
    fn whole(request: &RepairRequest) -> RepairView {
        let mut open = RepairOpen::open(request).expect("a program");
        let mut request = request.clone();
        loop {
            let view = open.view(&request);
            if !view.running {
                return view;
            }
            request.grown = view.done;
        }
    }

    #[test]
    fn repairs_are_listed_and_looked_at() {
        let view = whole(&asked(SB, "tso"));
        assert_eq!((view.rows.len(), view.good, view.executions), (4, Some(true), (0, 1)));
        assert!(
            view.drawing.is_some()
                && view.caption.starts_with("This execution is there. SC forbids it, by ")
                && view.made.is_empty()
        );
        let chosen = whole(&RepairRequest { chosen: 1, ..asked(SB, "tso") });
        assert!(chosen.caption.starts_with("Ruled out by store-order: "), "{}", chosen.caption);
        assert_eq!(chosen.made.len(), 4);
        assert_eq!((chosen.lines[1].number, &chosen.lines[1].text[..]), (0, "fence sc"));
        assert_eq!(chosen.lines.iter().filter(|line| line.number == 0).count(), 2);
        let marked = chosen.changed.expect("a program");
        assert_eq!(marked.matches("fence sc  // put in\n").count(), 2, "{marked}");
        let opened = whole(&asked(&marked, "tso"));
        assert!(opened.sentence.ends_with("Nothing needs to change."), "{}", opened.sentence);
        let before = whole(&RepairRequest { chosen: 1, before: true, ..asked(SB, "tso") });
        assert!(before.made.is_empty() && before.drawing.is_some());
        let fences = whole(&RepairRequest { no_exchanges: true, costs: "x86".to_owned(), ..asked(SB, "tso") });
        assert_eq!((fences.rows.len(), fences.rows[0].cost), (1, 50));
        assert!(whole(&RepairRequest { keep: vec![1, 2, 4, 5], ..asked(SB, "tso") }).rows.is_empty());
        let sc = whole(&asked(SB, "sc"));
        assert_eq!((sc.good, sc.rows.len()), (None, 0));
        assert!(sc.sentence.ends_with("Nothing needs to change."), "{}", sc.sentence);
    }

    #[test]
    fn what_readers_try_is_judged() {
        let view = whole(&asked(SB, "tso"));
        let places = view.places;
        assert_eq!((places.len(), view.own), (4, None));
        let lines: Vec<_> = view.lines.iter().map(|line| (&line.gaps[..], &line.places[..])).collect();
        assert_eq!(lines[..3], [(&[][..], &[0][..]), (&[1], &[]), (&[], &[])]);
        assert_eq!(places[1].levels, ["no fence", "fence sc"]);
        let tried = |own: &[u8]| whole(&RepairRequest { own: Some(own.to_vec()), ..asked(SB, "tso") });
        let one = tried(&[0, 1, 0, 0]);
        assert_eq!(one.own.as_ref().and_then(|own| own.good), Some(false));
        assert!(one.caption.starts_with("This execution still gets through."), "{}", one.caption);
        let both = tried(&[0, 1, 0, 1]).own.expect("it was tried");
        assert_eq!(
            (both.good, &both.sentence[..]),
            (Some(true), "Nothing gets through, and nothing of this could be left out.")
        );
        let more = tried(&[1, 1, 0, 1]).own.expect("it was tried");
        assert!(more.sentence.ends_with("Less would do, too."), "{}", more.sentence);
        // Another program's places.
        assert_eq!(tried(&[1]).own, None);
        // Lines that are left alone have no places.
        let kept = whole(&RepairRequest { keep: vec![2], ..asked(SB, "tso") });
        assert!(kept.lines[1].kept && kept.lines[1].gaps.is_empty() && kept.places.len() == 3, "{:?}", kept.lines);
    }

    #[test]
    fn what_is_not_needed_is_shown() {
        let text = "x := 1\nfence sc\na := y\n||\ny := 1\nfence sc\nb := x\nfence sc\n~exists (a = 0 /\\ b = 0)";
        let view = whole(&RepairRequest { weaken: true, chosen: 1, ..asked(text, "tso") });
        assert_eq!((view.rows.len(), view.needed.len()), (1, 2));
        assert!(view.lines[7].notes[0].contains("drop it"), "{:?}", view.lines);
        assert!(view.caption.ends_with("Then this execution would be there."), "{}", view.caption);
        let ruled = whole(&RepairRequest { weaken: true, before: true, ..asked(text, "tso") });
        assert!(ruled.caption.starts_with("Needed: P0, line 2. store-order"), "{}", ruled.caption);
        let same = whole(&RepairRequest { weaken: true, same_outcomes: true, ..asked(text, "tso") });
        assert_eq!(same.rows.len(), 1);
    }

    #[test]
    fn changes_are_marked_in_the_text() {
        let text = "x := 1\ny := 1\n||\na := y\nb := x\nexists (a = 1 /\\ b = 0)";
        let mp = whole(&RepairRequest { chosen: 1, ..asked(text, "rc11") }).changed.expect("a program");
        assert!(mp.contains("y :=rel 1  // was: y := 1\n") && mp.contains("a :=acq y  // was: a := y\n"), "{mp}");
        let fenced = "x := 1\nfence sc\na := y\n||\ny := 1\nfence sc\nb := x\nfence sc\n~exists (a = 0 /\\ b = 0)";
        let weak =
            whole(&RepairRequest { weaken: true, chosen: 1, ..asked(fenced, "tso") }).changed.expect("a program");
        assert!(weak.contains("// dropped: fence sc\n") && weak.matches("fence sc\n").count() == 3, "{weak}");
        // Comments are as others read them there.
        let x86 = "X86 SB\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n \
                   MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)";
        let x86 = whole(&RepairRequest { chosen: 1, ..asked(x86, "tso") }).changed.expect("a program");
        assert!(x86.contains(" MFENCE      | MFENCE      ;  (* put in *)\n"), "{x86}");
    }

    #[test]
    fn places_are_kept() {
        let request = RepairRequest { chosen: 2, keep: vec![3], no_modes: true, ..asked(SB, "tso") };
        let place = RepairPlace::of(&request, RepairSheet::Program);
        let kept = place.keep().expect("there is something");
        assert_eq!(RepairPlace::resume(&kept), Some(place.clone()));
        let mut other = asked(SB, "tso");
        place.clone().ask(&mut other);
        assert_eq!(other, request);
        assert_eq!((place.clone().elsewhere().chosen, place.elsewhere().lacks), (0, (false, true, false)));
        assert_eq!(RepairPlace::default().keep(), None);
        assert_eq!(RepairPlace::resume(&serde_json::json!({ "chosen": "all" })), None);
    }

    #[test]
    fn what_can_not_be_asked_is_refused() {
        for (text, message) in [("x :=", "expected"), ("atomic { x := 1 }", "repairs do without")] {
            let wrong = RepairOpen::open(&asked(text, "tso")).err().expect("it is refused");
            assert!(wrong[0].message.contains(message), "{wrong:?}");
        }
        assert!(RepairOpen::open(&asked(SB, "vax")).is_err());
        let view = whole(&RepairRequest { outcome: "c = 1".to_owned(), ..asked(SB, "tso") });
        assert!(view.wrong.is_some_and(|(message, at)| message.contains('c') && at == 1) && view.rows.is_empty());
        assert_eq!(whole(&RepairRequest { outcome: "P0:a=0, P1:b=0".to_owned(), ..asked(SB, "tso") }).rows.len(), 4);
    }
}
