//! What a page says, computed.
//!
//! Verdicts and outcomes are a comparison of all models with smaller bounds than usual, so that a page takes well below two
//! seconds. What a bound cuts is called bounded. A program without a condition is asked whether anything goes wrong.

use super::entry::{Entry, GalleryProgram};
use super::occurrence::{Occurrence, Question};
use super::repair::{Mending, mend};
use crate::compare::{ALGORITHM, Absence, Cell, Comparer, Comparison, ComparisonBounds, Explored, OutcomeRow, Reason};
use crate::explore::{Algorithm, Options};
use crate::generate::{Cycle, Dialect};
use crate::graph::{Edge, EventId, Execution, Label, ThreadId};
use crate::model::{Model, Violation};
use crate::program::{Code, Limits, Notation, Program};
use crate::report::{DrawingInput, Mark, Room, Speaker, absence_sentence, inline_svg, layout};
use crate::session::{AskedGraph, Settings, StepView, link};
use crate::syntax;
use crate::words;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many steps each model's exploration takes at most.
const MAX_STEPS: u64 = 200_000;
/// How many graphs are built at most in search of candidates.
const MAX_CANDIDATES: usize = 20_000;
/// How many rows the table of outcomes has at most.
const MAX_ROWS: usize = 40;

/// A page of the atlas.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// What is written down of it.
    pub entry: Entry,
    /// What readers may also look for: other names, among them the gallery's.
    pub aliases: Vec<String>,
    /// Why it matters.
    pub matters: String,
    /// The gallery's file and title, if the gallery has the test.
    pub gallery: Option<(String, String)>,
    /// The program in each notation that has words for it: the notation's name, and the text.
    pub texts: Vec<(&'static str, String)>,
    /// What the page asks.
    pub question: Question,
    /// What each model says of it, in the order of [`Model::ALL`].
    pub verdicts: Vec<Verdict>,
    /// All outcomes.
    pub table: Table,
    /// Why models forbid it; those for the same reason share one.
    pub reasons: Vec<ReasonView>,
    /// An execution that shows it, where no model forbids it.
    pub witness: Option<Figure>,
    /// Why no execution at all has the outcome, a sentence for each way to have it.
    pub absent: Vec<AbsenceView>,
    /// The repairs; models with the same ones share them.
    pub repairs: Vec<(Vec<Model>, Mending)>,
    /// Links into Litmoscope.
    pub links: Links,
}

/// What a model says of a page's question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It occurs.
    Allowed {
        /// In so many executions.
        executions: u64,
    },
    /// It does not.
    Forbidden,
    /// It was not found within the bounds.
    Unknown,
}

/// The outcomes that some model allows, and those asked for, under all models.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What an outcome consists of.
    pub columns: Vec<String>,
    /// The outcomes.
    pub rows: Vec<Row>,
    /// How many are left out at the end.
    pub left_out: usize,
    /// How many more there are that no model allows and that are not asked for.
    pub forbidden: usize,
    /// Whether outcomes may be missing.
    pub is_bounded: bool,
    /// What has to be known to read the table, a sentence each.
    pub notes: Vec<String>,
}

/// An outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its values.
    pub values: Vec<String>,
    /// Whether it is asked for.
    pub asked: bool,
    /// What each model says of it.
    pub verdicts: Vec<Verdict>,
}

/// A drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The drawing, an element of a page.
    pub svg: String,
    /// What it shows.
    pub caption: String,
}

/// Why some models forbid an outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct ReasonView {
    /// The models.
    pub models: Vec<Model>,
    /// The axiom.
    pub axiom: String,
    /// What it says.
    pub meaning: String,
    /// How the cycle breaks it.
    pub breach: String,
    /// The cycle edge by edge.
    pub steps: Vec<StepView>,
    /// What it takes for granted.
    pub remark: String,
    /// Whether no execution with the outcome has a shorter one.
    pub shortest: bool,
    /// The execution with the cycle, unless an earlier one shows the same.
    pub figure: Option<Figure>,
}

/// Why no execution has an outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct AbsenceView {
    /// Why, in a sentence.
    pub sentence: String,
    /// The cycle of po and rf that it would need.
    pub cycle: Option<(Vec<StepView>, Figure)>,
}

/// Links into Litmoscope, each what stands behind its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    /// The model that they explore.
    pub model: Model,
    /// To the first step.
    pub start: String,
    /// To the step at which an execution with the outcome is whole.
    pub witness: Option<String>,
    /// To a program that was repaired, for each of the repairs with all means, in order.
    pub repaired: Vec<Vec<String>>,
}

/// A program with its text.
struct Subject {
    program: Program,
    text: String,
    texts: Vec<(&'static str, String)>,
    options: Options,
    aliases: Vec<String>,
}

fn notation_title(notation: Notation) -> &'static str {
    match notation {
        Notation::Litmoscope => "Litmoscope",
        Notation::C11 => "herd, C11",
        Notation::X86 => "herd, x86",
        Notation::X86_64 => "herd, x86-64",
    }
}

const NOTATIONS: [Notation; 3] = [Notation::Litmoscope, Notation::C11, Notation::X86];

/// The same cycle in the words of a dialect: a full fence has a name of its own in each.
pub(super) fn in_dialect(cycle: &str, notation: Notation) -> String {
    match notation {
        Notation::C11 => cycle.replace("MFence", "FenceSc"),
        Notation::X86 | Notation::X86_64 => cycle.replace("FenceSc", "MFence"),
        Notation::Litmoscope => cycle.to_owned(),
    }
}

impl Subject {
    fn of_cycle(name: &str, cycle: &str) -> Result<Self, String> {
        let made = |notation: Notation| {
            let errors = |errors: Vec<syntax::Diagnostic>| syntax::render(cycle, "cycle", &errors);
            let parsed = Cycle::parse(&in_dialect(cycle, notation)).map_err(errors)?;
            let test = parsed.generate_named(Dialect::from(notation), name).map_err(|problem| problem.to_string())?;
            Ok::<_, String>((test, parsed.name(Dialect::from(notation))))
        };
        let (test, systematic) = made(Notation::Litmoscope)?;
        let texts = NOTATIONS.into_iter().filter_map(|notation| {
            let text = made(notation).ok()?.0.text;
            Some((notation_title(notation), text))
        });
        let texts = texts.collect();
        let aliases = if systematic == name { Vec::new() } else { vec![systematic] };
        // Read again, so that everything has its place in the text.
        let program = syntax::parse(&test.text).map_err(|errors| syntax::render(&test.text, name, &errors))?.program;
        Ok(Self { program, text: test.text, texts, options: Options::default(), aliases })
    }

    fn of_text(name: &str, text: String, unroll: u32) -> Result<Self, String> {
        let program = syntax::parse(&text).map_err(|errors| syntax::render(&text, name, &errors))?.program;
        let own = program.notation;
        let other = NOTATIONS.into_iter().filter(|notation| *notation != own);
        let printed = other.filter_map(|notation| Some((notation_title(notation), print_plain(&program, notation)?)));
        let texts = [(notation_title(own), text.clone())].into_iter().chain(printed).collect();
        let options = Options::from(Limits { unroll, ..Limits::default() });
        Ok(Self { program, text, texts, options, aliases: Vec::new() })
    }
}

/// A program in another notation, if that has words for all of it.
fn print_plain(program: &Program, notation: Notation) -> Option<String> {
    const MACHINE: [&str; 6] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI"];
    let mut program = program.clone();
    if notation == Notation::X86 {
        for thread in &mut program.threads {
            if thread.registers.len() > MACHINE.len() {
                return None;
            }
            thread.registers = MACHINE.iter().take(thread.registers.len()).map(|&name| name.to_owned()).collect();
        }
    }
    syntax::print(&program, notation).ok()
}

impl Page {
    /// Computes a page. `file` is the gallery's program of the entry, with its text.
    ///
    /// # Errors
    /// What is wrong with the entry's program.
    pub(super) fn new(
        entry: &Entry,
        file: Option<(&GalleryProgram, String)>,
        same: Option<&GalleryProgram>,
    ) -> Result<Self, String> {
        let gallery = file.as_ref().map(|(program, _)| *program).or(same);
        let subject = match (&entry.cycle, &file) {
            (Some(cycle), _) => Subject::of_cycle(&entry.name, cycle)?,
            (None, Some((program, text))) => Subject::of_text(&program.file, text.clone(), program.unroll)?,
            (None, None) => return Err("there is neither a cycle nor a program".to_owned()),
        };
        let Subject { program, text, texts, options, .. } = &subject;
        let question = Question::of(program);
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        let bounds = ComparisonBounds { candidates: MAX_CANDIDATES, steps: MAX_STEPS, ..ComparisonBounds::default() };
        let shared = Arc::new(program.clone());
        let comparison = Comparer::new(shared, code, &Model::ALL, *options, bounds).compare();
        let verdicts: Vec<Verdict> = comparison
            .models
            .iter()
            .enumerate()
            .map(|(at, explored)| verdict(program, &comparison, at, explored))
            .collect();
        let allowing = |verdict: &Verdict| matches!(verdict, Verdict::Allowed { .. });
        let first = verdicts.iter().position(allowing);
        let shown = Shown { program, question: &question, options: *options, comparison: &comparison };
        let example = first.and_then(|at| shown.example(at));
        let reasons = shown.reasons(&verdicts, example.as_ref());
        let witness = example.as_ref().filter(|_| reasons.is_empty());
        let witness = witness.map(|(model, graph, _)| shown.witness(*model, graph));
        let mut repairs: Vec<(Vec<Model>, Mending)> = Vec::new();
        for (explored, _) in comparison.models.iter().zip(&verdicts).filter(|(_, verdict)| allowing(verdict)) {
            let mending = mend(program, &question, explored.model, *options);
            match repairs.iter_mut().find(|(_, other)| *other == mending) {
                Some((models, _)) => models.push(explored.model),
                None => repairs.push((vec![explored.model], mending)),
            }
        }
        let model = Model::ALL[first.unwrap_or(0)];
        let settings = |text: &str, position: Option<u64>| Settings {
            text: text.to_owned(),
            model,
            algorithm: if position.is_some() { ALGORITHM } else { Algorithm::default() },
            options: *options,
            position: position.unwrap_or(0),
        };
        let repaired = repairs.iter().map(|(models, mending)| {
            let of = |text: &String| link::encode(&Settings { model: models[0], ..settings(text, None) });
            mending.any.shown().iter().map(|repair| of(&repair.text)).collect()
        });
        let links = Links {
            model,
            start: link::encode(&settings(text, None)),
            witness: example.as_ref().and_then(|(_, _, at)| *at).map(|at| link::encode(&settings(text, Some(at)))),
            repaired: repaired.collect(),
        };
        let mut aliases = entry.aliases.clone();
        let own = gallery.map(|gallery| gallery.name.clone());
        aliases.extend(subject.aliases.iter().cloned().chain(own).filter(|alias| *alias != entry.name));
        let mut seen = BTreeSet::new();
        aliases.retain(|alias| seen.insert(alias.clone()));
        Ok(Self {
            aliases,
            matters: entry.matters.clone().or(gallery.map(|g| g.teaches.clone())).unwrap_or_default(),
            gallery: gallery.map(|gallery| (gallery.file.clone(), gallery.title.clone())),
            texts: texts.clone(),
            table: shown.table(),
            absent: shown.absent(),
            entry: entry.clone(),
            question,
            verdicts,
            reasons,
            witness,
            repairs,
            links,
        })
    }

    /// Whether some verdict is open, or some outcome may be missing.
    pub fn is_bounded(&self) -> bool {
        self.verdicts.contains(&Verdict::Unknown) || self.table.is_bounded
    }
}

/// What a model says of the page's question.
fn verdict(program: &Program, comparison: &Comparison, at: usize, explored: &Explored) -> Verdict {
    let executions: u64 = match Question::of(program) {
        Question::Error => explored.counts.erroneous + explored.counts.stuck_for_good,
        Question::Outcome { .. } => {
            let asked = comparison.outcomes.iter().filter(|row| Question::asks_for(program, row.satisfies));
            asked.map(|row| if let Cell::Allowed { executions, .. } = row.cells[at] { executions } else { 0 }).sum()
        }
    };
    match executions {
        0 if explored.stopped || explored.undecided || explored.counts.bounded > 0 => Verdict::Unknown,
        0 => Verdict::Forbidden,
        executions => Verdict::Allowed { executions },
    }
}

fn draw(input: &DrawingInput, label: &str) -> String {
    let mut diagram = DrawingInput { room: Room::Narrow, ..input.clone() }.diagram();
    // Nothing comes after: no room is kept for events that other executions have.
    let thread = |thread: usize| input.execution.thread(ThreadId(thread as u16)).len();
    diagram.rows = (0..input.execution.threads()).map(thread).max().unwrap_or(0);
    inline_svg(&layout(diagram), label)
}

/// An execution, the model that has it, and the step at which it is whole.
type Example = (Model, Box<Execution>, Option<u64>);

/// What the figures and tables are made of.
struct Shown<'a> {
    program: &'a Program,
    question: &'a Question,
    options: Options,
    comparison: &'a Comparison,
}

impl Shown<'_> {
    /// An execution that answers the question under a model.
    fn example(&self, at: usize) -> Option<Example> {
        let model = self.comparison.models[at].model;
        if *self.question == Question::Error {
            return match self.question.occurs(self.program, model, self.options, MAX_STEPS) {
                Occurrence::Yes(graph) => Some((model, graph, None)),
                Occurrence::No | Occurrence::Unknown => None,
            };
        }
        let mut rows = self.asked();
        rows.find_map(|row| match &row.cells[at] {
            Cell::Allowed { position, witness, .. } => Some((model, witness.clone(), Some(*position))),
            _ => None,
        })
    }

    /// The accesses that race, where that is all that is wrong with an execution.
    fn racing(&self, model: Model, graph: &Execution) -> Vec<(EventId, EventId)> {
        let has_error = graph.events().any(|(_, event)| matches!(event.label, Label::Error(_)));
        if *self.question == Question::Error && !has_error { model.races(graph) } else { Vec::new() }
    }

    /// An execution that a model allows.
    fn witness(&self, model: Model, graph: &Execution) -> Figure {
        let mut input = DrawingInput::with_relations(self.program, model, graph, None);
        let racing = self.racing(model, graph);
        input.marks = racing.iter().flat_map(|&(a, b)| [a, b]).map(|event| (event, Mark::RaceParty)).collect();
        let mut caption = format!("An execution that {} allows.", model.title());
        if !racing.is_empty() {
            caption += " The marked accesses race. Models that heed no orders of access know no data races.";
        }
        Figure { svg: draw(&input, "The execution"), caption }
    }

    fn asked(&self) -> impl Iterator<Item = &OutcomeRow> {
        self.comparison.outcomes.iter().filter(|row| Question::asks_for(self.program, row.satisfies))
    }

    /// Why each model forbids it that does.
    fn reasons(&self, verdicts: &[Verdict], example: Option<&Example>) -> Vec<ReasonView> {
        let mut reasons: Vec<ReasonView> = Vec::new();
        let mut drawn: Vec<(Execution, Vec<(EventId, EventId)>)> = Vec::new();
        for (at, explored) in self.comparison.models.iter().enumerate() {
            if verdicts[at] != Verdict::Forbidden {
                continue;
            }
            let model = explored.model;
            let found: Option<(Execution, Violation, bool)> = match self.question {
                // That a model knows no races is no cycle.
                Question::Error => example.and_then(|(allowing, graph, _)| {
                    if !self.racing(*allowing, graph).is_empty() {
                        return None;
                    }
                    let violation = model.consistency_within(graph, self.options.limits.search).violation()?;
                    Some((Execution::clone(graph), violation, true))
                }),
                Question::Outcome { .. } => self.asked().find_map(|row| match &row.cells[at] {
                    Cell::Forbidden { reason: Some(reason), shortest, .. } => {
                        let Reason { candidate, violation, .. } = &**reason;
                        Some((candidate.clone(), violation.clone(), *shortest))
                    }
                    _ => None,
                }),
            };
            let Some((graph, mut violation, shortest)) = found else { continue };
            // A cycle has no beginning: it is told from the first thread on.
            let first = |edge: &Edge| (graph.event(edge.from).is_init(), graph.event(edge.from).key);
            if let Some((at, _)) = violation.cycle.iter().enumerate().min_by_key(|(_, edge)| first(edge)) {
                violation.cycle.rotate_left(at);
            }
            let view = AskedGraph::new(self.program, model, &graph, None).violation(&violation);
            let same = |reason: &&mut ReasonView| {
                (&reason.axiom, &reason.steps, &reason.meaning) == (&view.axiom, &view.steps, &view.meaning)
            };
            if let Some(reason) = reasons.iter_mut().find(same) {
                reason.models.push(model);
                continue;
            }
            let mut ends: Vec<_> = violation.cycle.iter().map(|edge| (edge.from, edge.to)).collect();
            ends.sort_unstable();
            let key = (graph, ends);
            let is_new = !drawn.contains(&key);
            let mut input = DrawingInput::new(self.program, &key.0);
            input.violation = Some(&violation);
            let figure = is_new.then(|| Figure {
                svg: draw(&input, &format!("The execution, with the cycle by which {} forbids it", model.title())),
                caption: format!("The thick edges are the cycle by which {} forbids this execution.", model.title()),
            });
            drawn.push(key);
            reasons.push(ReasonView {
                models: vec![model],
                axiom: view.axiom,
                meaning: view.meaning,
                breach: view.breach,
                steps: view.steps,
                remark: view.remark,
                shortest,
                figure,
            });
        }
        reasons
    }

    /// Why no execution at all has the outcome.
    fn absent(&self) -> Vec<AbsenceView> {
        let absent = self.comparison.absent.iter().map(|absent| {
            let sentence = words::capitalised(&absence_sentence(self.program, &absent.why)) + ".";
            let Absence::Cyclic { graph, violation } = &absent.why else {
                return AbsenceView { sentence, cycle: None };
            };
            let model = Model::ALL[0];
            let steps = AskedGraph::new(self.program, model, graph, None).violation(violation).steps;
            let mut input = DrawingInput::new(self.program, graph);
            input.violation = Some(violation);
            let caption = "The thick edges are the cycle of po and rf that the outcome needs.".to_owned();
            let svg = draw(&input, "What the outcome would need: a cycle of po and rf");
            let meaning = Speaker { program: self.program, graph, model }.meaning(violation);
            let sentence = format!("No execution has this outcome, since it needs a cycle of po and rf. {meaning}");
            AbsenceView { sentence, cycle: Some((steps, Figure { svg, caption })) }
        });
        absent.collect()
    }

    fn table(&self) -> Table {
        let Comparison { models, observables, all_outcomes, outcomes, .. } = self.comparison;
        let row = |outcome: &OutcomeRow| Row {
            values: self.program.state_texts(observables, &outcome.state),
            asked: Question::asks_for(self.program, outcome.satisfies),
            verdicts: outcome
                .cells
                .iter()
                .zip(models)
                .map(|(cell, explored)| match cell {
                    Cell::Allowed { executions, .. } => Verdict::Allowed { executions: *executions },
                    Cell::Forbidden { .. } if explored.counts.bounded > 0 => Verdict::Unknown,
                    Cell::Forbidden { .. } => Verdict::Forbidden,
                    Cell::Unknown => Verdict::Unknown,
                })
                .collect(),
        };
        let names = |wanted: &dyn Fn(&&Explored) -> bool| -> Option<String> {
            let names: Vec<&str> = models.iter().filter(wanted).map(|explored| explored.model.title()).collect();
            (!names.is_empty()).then(|| words::list(names))
        };
        let mut notes = Vec::new();
        if let Some(names) = names(&|m| m.counts.bounded > 0 || m.stopped || m.undecided) {
            notes.push(format!("Bounded: not all executions were explored under {names}."));
        }
        if !all_outcomes {
            notes.push("Bounded: only outcomes that some model allows are listed.".to_owned());
        }
        let is_bounded = !notes.is_empty();
        if let Some(names) = names(&|m| m.counts.blocked > 0) {
            notes
                .push(format!("Under {names}, some executions are blocked: a thread waits, and they have no outcome."));
        }
        if let Some(names) = names(&|m| m.counts.erroneous > 0 && !m.racy) {
            notes.push(format!("Under {names}, some executions end in an error, and have no outcome."));
        }
        if let Some(names) = names(&|m| m.racy) {
            notes.push(format!("Under {names}, there is a data race: in C the program has no meaning."));
        }
        // What no candidate has is asked for in vain.
        let absent = self.comparison.absent.iter().map(|absent| Row {
            values: observables
                .iter()
                .zip(&absent.state)
                .map(|(o, value)| value.map_or(String::new(), |value| self.program.observable_text(*o, value)))
                .collect(),
            asked: true,
            verdicts: vec![Verdict::Forbidden; models.len()],
        });
        let mut rows: Vec<Row> = outcomes.iter().map(row).chain(absent).collect();
        let count = rows.len();
        rows.retain(|row| row.asked || row.verdicts.iter().any(|verdict| *verdict != Verdict::Forbidden));
        let (forbidden, listed) = (count - rows.len(), rows.len());
        rows.truncate(MAX_ROWS);
        Table {
            columns: observables.iter().map(|&observable| self.program.observable_name(observable)).collect(),
            left_out: listed - rows.len(),
            rows,
            forbidden,
            is_bounded,
            notes,
        }
    }
}
