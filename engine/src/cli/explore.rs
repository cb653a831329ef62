//! `litmoscope explore`

use super::input::{Input, Messages};
use super::progress::Progress;
use super::{Failure, complain, print};
use crate::Explore;
use litmoscope::explore::{ExecutionKind, Options, Results, Step, Verdict};
use litmoscope::graph::{Coherence, Edge, EventKey, Execution, RelationName};
use litmoscope::model::{Model, Witness};
use litmoscope::program::{Program, Quantifier};
use litmoscope::report::{DrawingInput, Mark, Report, ResultsJson, dot, graph_text, results_text};
use litmoscope::session::{Settings, link, spin_notes};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// How many files `--dot` writes at most: what the names have digits for.
const MAX_DOT_FILES: u64 = 9999;

/// A point of the exploration that is worth showing.
struct Moment {
    /// How many steps lead there.
    position: u64,
    /// The step that led there.
    step: Step,
    graph: Execution,
    /// The co chosen, by algorithms that choose one.
    co: Option<Coherence>,
}

pub fn explore(task: &Explore) -> Result<u8, Failure> {
    let input = Input::read(&task.file)?;
    let wanted = if task.quiet { Messages::Errors } else { Messages::ShortNotes };
    let Some(parsed) = input.parse(wanted) else { return Ok(2) };
    let program = parsed.program;
    let model = match task.model {
        Some(model) => model,
        None => match input.model(&program) {
            Ok(model) => model.unwrap_or_default(),
            Err(diagnostic) => {
                input.show(&[diagnostic]);
                return Ok(2);
            }
        },
    };
    let Some(code) = input.compile(&program) else { return Ok(2) };
    let options = Options { stop_at_first: task.stop_at_first, ..task.how.options() };
    input.show_wanted(&spin_notes(&code, options.limits), wanted);
    if let Some(folder) = &task.dot {
        let refuse = |error| Failure(format!("cannot create the directory {}: {error}", folder.display()));
        std::fs::create_dir_all(folder).map_err(refuse)?;
    }

    let mut progress = Progress::new(!task.quiet);
    let mut explorer = task
        .algorithm
        .explorer(Arc::clone(&code), model, options)
        .map_err(|error| Failure(format!("{} can't explore this program: {error}", task.algorithm.title())))?;
    let mut results = Results::new(&program);
    // A witness that `exists` asks for is worth showing, unless something is wrong.
    let asks_for_witness = program.condition.as_ref().is_some_and(|c| c.quantifier == Quantifier::Exists);
    let (mut first, mut witness, mut violation) = (None, None, None);
    loop {
        let step = explorer.advance();
        if step == Step::Done {
            break;
        }
        let observation = results.observe(&program, &code, model, &*explorer, step);
        let moment = || Moment {
            position: explorer.counts().steps,
            step,
            graph: explorer.execution().clone(),
            co: explorer.coherence().cloned(),
        };
        let is_final = observation.execution && !matches!(step, Step::Execution { kind: ExecutionKind::Blocked, .. });
        let decisive = if is_final && asks_for_witness { &mut witness } else { &mut violation };
        if observation.violation && decisive.is_none() {
            *decisive = Some(moment());
        }
        if observation.execution && first.is_none() {
            first = Some(moment());
        }
        if let (Step::Execution { number, kind }, Some(folder)) = (step, &task.dot)
            && number <= MAX_DOT_FILES
        {
            let drawing = drawing(&program, model, explorer.execution(), explorer.coherence());
            write_dot(folder, number, kind, input.name(&program), model, &drawing)?;
        }
        progress.update(explorer.counts());
    }
    let seconds = progress.finish().as_secs_f64();
    let shown = violation.or(witness);

    let counts = explorer.counts();
    let report = Report {
        name: input.name(&program),
        program: &program,
        source: &input.text,
        model,
        algorithm: task.algorithm,
        options,
        counts,
        results: &results,
        seconds,
    };
    if task.dot.is_some() && counts.executions() > MAX_DOT_FILES {
        complain(&format!("of {} executions, only the first {MAX_DOT_FILES} were written", counts.executions()));
    }
    let link = task.link.as_ref().map(|base| {
        let position = shown.as_ref().or(first.as_ref()).map_or(0, |moment| moment.position);
        let text = input.text.clone();
        let settings = Settings { text, model, algorithm: task.algorithm, options, position };
        let fragment = link::encode(&settings);
        if let Err(error) = link::decode(&fragment) {
            complain(&format!("the page will not open the link: {error}"));
        }
        format!("{}{fragment}", base.split('#').next().unwrap_or_default())
    });
    if task.json {
        let object = serde_json::to_string(&ResultsJson::from(&report));
        print(&format!("{}\n", object.map_err(|error| Failure(format!("cannot write JSON: {error}")))?))?;
        if let Some(link) = link {
            complain(&link);
        }
    } else {
        let mut out = results_text(&report);
        if let Some(shown) = &shown {
            let _ = write!(out, "\n{}", moment_text(shown, &report));
        }
        if let Some(link) = link {
            let _ = write!(out, "\n{link}\n");
        }
        print(&out)?;
    }
    Ok(match report.verdict() {
        Verdict::Ok => 0,
        Verdict::Violated => 1,
        Verdict::Bounded => 3,
    })
}

/// The graph of a violation or witness, under a line that says which it is.
fn moment_text(moment: &Moment, report: &Report) -> String {
    let program = report.program;
    let title = match (moment.step, program.condition.as_ref().map(|condition| condition.quantifier)) {
        (Step::Error { .. }, _) => "the graph of the first error".to_owned(),
        (Step::Race { .. }, _) => "the execution of the first data race".to_owned(),
        (Step::UninitialisedRead { .. }, _) => "the execution of the first read of what nobody wrote".to_owned(),
        (Step::Execution { number, kind: ExecutionKind::Blocked }, _) => {
            format!("execution {number}, the first that ends in a deadlock")
        }
        (Step::Execution { number, .. }, Some(Quantifier::ForAll | Quantifier::NotExists)) => {
            format!("execution {number}, the first that refutes the condition")
        }
        (Step::Execution { number, .. }, _) => format!("execution {number}, the first that satisfies the condition"),
        _ => "the graph".to_owned(),
    };
    let mut input = drawing(program, report.model, &moment.graph, moment.co.as_ref());
    let mut mark = |key: EventKey, mark| input.marks.extend(moment.graph.find(key).map(|e| (e, mark)));
    match moment.step {
        Step::Error { event } | Step::UninitialisedRead { read: event } => mark(event, Mark::Newest),
        Step::Race { first, second } => {
            mark(first, Mark::RaceParty);
            mark(second, Mark::RaceParty);
        }
        _ => {}
    }
    format!("{title}:\n{}", graph_text(&input))
}

/// A graph with the relations that a reader wants first.
fn drawing<'a>(program: &'a Program, model: Model, graph: &'a Execution, co: Option<&Coherence>) -> DrawingInput<'a> {
    let shown =
        |relation| matches!(relation, RelationName::Rf | RelationName::Co | RelationName::Fr | RelationName::Sw);
    let mut input = DrawingInput::new(program, graph);
    input.chosen_co = co.is_some();
    let witness = match co {
        Some(co) => Some(Witness { co: co.clone() }),
        None => model.check(graph).ok(),
    };
    if let Some(witness) = witness {
        let relations = model.relations(graph, &witness);
        let edges: Vec<Edge> =
            relations.into_iter().filter(|(relation, _)| shown(*relation)).flat_map(|(_, edges)| edges).collect();
        input.edges.extend(edges);
    }
    input
}

fn write_dot(
    folder: &Path,
    number: u64,
    kind: ExecutionKind,
    name: &str,
    model: Model,
    drawing: &DrawingInput,
) -> Result<(), Failure> {
    let kind = match kind {
        ExecutionKind::Complete => "complete",
        ExecutionKind::Blocked => "blocked",
        ExecutionKind::Erroneous => "erroneous",
    };
    // A name in herd's comment style could hold anything, but no line ends.
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    let title = model.title();
    let text = format!("// {name}: {kind} execution {number} under {title}\n{}", dot(drawing));
    let path = folder.join(format!("execution-{number:04}.dot"));
    std::fs::write(&path, text).map_err(|error| Failure(format!("cannot write {}: {error}", path.display())))
}
