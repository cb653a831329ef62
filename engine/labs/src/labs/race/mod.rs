//! The race: the same programs explored by several algorithms, size by size, and how many classes there are to be found.
//!
//! A [`Race`] goes through its cells, one for the classes and one for each algorithm at each size, within a budget, and can be
//! left at any moment with what is known. [`RaceJson`] is all that it found; tables ([`race_text`]) and plots ([`Plot`], laid
//! out as a [`Chart`]) are made of it.
//!
//! [`Classing`] has the executions of a small program themselves: how classes of one equivalence lie in those of another one,
//! and what tells two executions apart.

mod chart;
mod classes;
mod plot;
mod same;
mod text;
mod view;

pub use chart::{COLOURS, Chart, Frame, Point, Stroke, Tick};
pub use classes::{ClassesView, Classing, EquivalenceView, Group, KeptView, MAX_KEPT};
pub use plot::{Line, Plot};
pub use same::{SameView, SideView, VerdictView};
pub use text::{Table, race_text};
pub use view::{RaceView, Racing};

use crate::budget::Budget;
use crate::document;
use crate::explore::equivalence::{Class, Equivalence, Ordered};
use crate::explore::{Algorithm, Counts, Explorer, InvalidOption, Options, Pause, Step, Walk};
use crate::graph::ThreadId;
use crate::model::{Because, Model, Usual};
use crate::program::{Code, Program, Span};
use crate::syntax::{self, Diagnostic, Series};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// How many sizes a race has at most.
pub const MAX_SIZES: u32 = 64;

/// How many executions classes are counted of.
pub const MAX_CLASSED: u64 = 2_000_000;

/// The programs of a race.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Whether it is a series, and so whether sizes mean something.
    pub is_series: bool,
    /// Its programs, the smallest first.
    pub programs: Vec<Runner>,
    /// The model that the programs name, or that of their notation.
    pub model: Option<Model>,
}

/// A program of some size.
#[derive(Clone, Debug)]
pub struct Runner {
    /// Its size; of a program that is of no series, 1.
    pub size: u32,
    program: Arc<Program>,
    code: Arc<Code>,
}

/// How a race is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// Who takes part.
    pub algorithms: Vec<Algorithm>,
    /// The memory model.
    pub model: Model,
    /// The number of the root thread, from 1, of the equivalences and algorithms that have one.
    pub root: u16,
    /// Whether classes are counted, which they are under SC alone.
    pub classes: bool,
    /// How long one cell may take, in seconds.
    pub timeout: f64,
    /// What else algorithms are told.
    pub options: Options,
}

impl Rules {
    /// Whether classes are counted: they were asked for, and threads take turns, as they do under SC.
    pub fn counts_classes(&self) -> bool {
        self.classes && self.model.rules().takes_turns()
    }

    /// All whose machines the race needs.
    pub fn machines(&self) -> impl Iterator<Item = Algorithm> + '_ {
        let counting = Algorithm::that_orders_writes(self.model).filter(|_| self.counts_classes());
        self.algorithms.iter().copied().chain(counting)
    }
}

/// How far a cell got.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state", content = "why")]
pub enum Progress {
    /// Nothing was done yet.
    #[default]
    Waiting,
    /// It is being explored.
    Running,
    /// Everything was explored.
    Done,
    /// It took too long: counts are those until then.
    Timeout,
    /// It was not tried, since a smaller size took too long.
    Skipped,
    /// The race was stopped: counts are those until then.
    Stopped,
    /// The algorithm can't explore this, and why.
    Refused(String),
}

/// What one algorithm did at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LapJson {
    /// Which one.
    pub algorithm: Algorithm,
    /// Whole executions that it went to, or traces: complete, blocked and erroneous ones.
    pub executions: u64,
    /// Steps.
    pub steps: u64,
    /// Graphs and runs that came to nothing.
    pub dropped: u64,
    /// Traces beside these executions, which led to one of them again: DC-DPOR's.
    pub repeated: u64,
    /// EPOR: sections.
    pub sections: u64,
    /// EPOR: trace constraint systems of all sections.
    pub systems: u64,
    /// Of these, those that have no solution.
    pub unsatisfiable: u64,
    /// EPOR: pairs of events that were looked at for being in a race.
    pub race_checks: u64,
    /// What is missing: executions that a bound cut, and questions that were not decided.
    pub cut: u64,
    /// Units of work that its questions and searches took, of some nanoseconds each.
    pub work: u64,
    /// How long it took.
    pub seconds: f64,
    /// How far it got.
    pub progress: Progress,
}

/// How many classes there are of one equivalence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassesJson {
    /// The equivalence.
    pub equivalence: Equivalence,
    /// How many.
    pub classes: u64,
}

/// All that was found at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeJson {
    /// The size.
    pub size: u32,
    /// Classes, by equivalence; so far, if `classified` is not `done`. Empty where they are not counted.
    pub classes: Vec<ClassesJson>,
    /// How far counting them got.
    pub classified: Progress,
    /// Executions that a bound cut, among those whose classes were counted, and questions that were not decided.
    pub cut: u64,
    /// The algorithms in the order in which they were named.
    pub laps: Vec<LapJson>,
}

/// All that a race found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceJson {
    /// The program's or series' name.
    pub name: String,
    /// Whether it is a series.
    pub series: bool,
    /// The memory model.
    pub model: Model,
    /// The number of the root thread, from 1.
    pub root: u16,
    /// By size.
    pub sizes: Vec<SizeJson>,
}

impl Runner {
    /// How many threads it has.
    pub fn threads(&self) -> usize {
        self.program.threads.len()
    }
}

impl Field {
    /// The programs of a text: of a series those of the sizes asked for, or else of its usual ones; any other program alone.
    ///
    /// # Errors
    /// What is wrong with the text, or with a program of it.
    pub fn new(text: &str, sizes: Option<RangeInclusive<u32>>) -> Result<Self, Vec<Diagnostic>> {
        let start = Span { start: 0, end: 0, line: 1, column: 1 };
        if !Series::begins(text) {
            if sizes.is_some() {
                let error = Diagnostic::error("a program has no sizes", start);
                return Err(vec![error.with_help("sizes are for a series, whose first line is `series NAME`")]);
            }
            let program = syntax::parse(text)?.program;
            let name = program.name.clone();
            let model = model_of(&program)?;
            return Ok(Self { name, is_series: false, programs: vec![runner(1, program)?], model });
        }
        let series = Series::parse(text)?;
        let sizes = sizes.unwrap_or(series.sizes.clone());
        if sizes.end().saturating_sub(*sizes.start()) >= MAX_SIZES {
            return Err(vec![Diagnostic::error(format!("a race has at most {MAX_SIZES} sizes"), start)]);
        }
        let mut programs = Vec::new();
        let mut model = None;
        for size in sizes {
            let (_, parsed) = series.program(size).map_err(|error| document::errors_of_size(size, error))?;
            model = model_of(&parsed.program)?;
            programs.push(runner(size, parsed.program)?);
        }
        Ok(Self { name: series.name, is_series: true, programs, model })
    }
}

fn model_of(program: &Program) -> Result<Option<Model>, Vec<Diagnostic>> {
    let (model, because) = Usual::default().model(program).map_err(|wrong| vec![wrong])?;
    Ok((because != Because::Usual).then_some(model))
}

fn runner(size: u32, program: Program) -> Result<Runner, Vec<Diagnostic>> {
    let code = Code::compile(&program).map_err(|error| vec![Diagnostic::error(error.to_string(), error.span())])?;
    Ok(Runner { size, program: Arc::new(program), code: Arc::new(code) })
}

/// A race that goes on.
pub struct Race {
    field: Field,
    rules: Rules,
    found: RaceJson,
    /// Whether graphs may be larger than sessions have them.
    large: bool,
    /// The number of the cell that is explored: those of a size follow one another, the classes first.
    at: usize,
    cell: Option<Cell>,
}

/// A cell that is being explored.
struct Cell {
    how: How,
    seconds: f64,
    work: u64,
}

enum How {
    Walk(Box<dyn Walk>),
    Explorer(Box<dyn Explorer>),
    Classes(Box<dyn Explorer>, Vec<FxHashSet<u128>>),
}

impl Race {
    /// A race before its start.
    pub fn new(field: Field, rules: Rules) -> Self {
        let lap = |&algorithm: &Algorithm| LapJson {
            algorithm,
            executions: 0,
            steps: 0,
            dropped: 0,
            repeated: 0,
            sections: 0,
            systems: 0,
            unsatisfiable: 0,
            race_checks: 0,
            cut: 0,
            work: 0,
            seconds: 0.0,
            progress: Progress::Waiting,
        };
        let counted = rules.counts_classes();
        let size = |runner: &Runner| SizeJson {
            size: runner.size,
            classes: if counted {
                Equivalence::ALL.map(|equivalence| ClassesJson { equivalence, classes: 0 }).into()
            } else {
                Vec::new()
            },
            classified: if counted { Progress::Waiting } else { Progress::Skipped },
            cut: 0,
            laps: rules.algorithms.iter().map(lap).collect(),
        };
        let found = RaceJson {
            name: field.name.clone(),
            series: field.is_series,
            model: rules.model,
            root: rules.root,
            sizes: field.programs.iter().map(size).collect(),
        };
        Self { field, rules, found, large: false, at: 0, cell: None }
    }

    /// The same with room for as many events as its programs may need, where a process has so much.
    #[must_use]
    pub fn with_room(self) -> Self {
        Self { large: true, ..self }
    }

    /// All that was found so far.
    pub fn found(&self) -> &RaceJson {
        &self.found
    }

    /// What is explored now, in a few words; `None` at the end.
    pub fn current(&self) -> Option<String> {
        let (size, lap) = self.place()?;
        let what = lap.map_or("classes", |lap| self.rules.algorithms[lap].title());
        Some(if self.field.is_series {
            format!("size {}: {what}", self.field.programs[size].size)
        } else {
            what.to_owned()
        })
    }

    /// Size and algorithm of the current cell; `None` for the classes.
    fn place(&self) -> Option<(usize, Option<usize>)> {
        let columns = 1 + self.rules.algorithms.len();
        let size = self.at / columns;
        (size < self.field.programs.len()).then(|| (size, (self.at % columns).checked_sub(1)))
    }

    /// Goes on as long as the budget lasts; whether the race is over. `clock` tells seconds from any moment on.
    pub fn go_on(&mut self, budget: &mut Budget, clock: &dyn Fn() -> f64) -> bool {
        while let Some((size, lap)) = self.place() {
            let cell = match self.cell.take() {
                Some(cell) => Ok(cell),
                None => self.start(size, lap),
            };
            let mut cell = match cell {
                Ok(cell) => cell,
                Err(progress) => {
                    *self.progress(size, lap) = progress;
                    self.at += 1;
                    continue;
                }
            };
            let (start, before) = (clock(), budget.spent());
            let done = cell.how.run(&self.field.programs[size], self.rules.root, budget);
            cell.seconds += clock() - start;
            cell.work += budget.spent() - before;
            self.note(size, lap, &cell);
            let late = cell.seconds >= self.rules.timeout || cell.how.is_full();
            *self.progress(size, lap) = match (done, late) {
                (true, _) => Progress::Done,
                (false, true) => Progress::Timeout,
                (false, false) => Progress::Running,
            };
            if !done && !late {
                self.cell = Some(cell);
                return false;
            }
            self.at += 1;
            if !done {
                return self.place().is_none();
            }
        }
        true
    }

    /// Ends the race here.
    pub fn stop(&mut self) {
        while let Some((size, lap)) = self.place() {
            let progress = self.progress(size, lap);
            if matches!(progress, Progress::Waiting | Progress::Running) {
                *progress = Progress::Stopped;
            }
            self.at += 1;
        }
        self.cell = None;
    }

    fn progress(&mut self, size: usize, lap: Option<usize>) -> &mut Progress {
        let size = &mut self.found.sizes[size];
        match lap {
            None => &mut size.classified,
            Some(lap) => &mut size.laps[lap].progress,
        }
    }

    /// Begins a cell; or says why it is none.
    fn start(&self, size: usize, lap: Option<usize>) -> Result<Cell, Progress> {
        let came_to_nothing = |progress: &Progress| matches!(progress, Progress::Timeout | Progress::Skipped);
        if let Some(smaller) = size.checked_sub(1).map(|smaller| &self.found.sizes[smaller]) {
            let before = lap.map_or(&smaller.classified, |lap| &smaller.laps[lap].progress);
            if came_to_nothing(before) {
                return Err(Progress::Skipped);
            }
        }
        let Runner { program, code, .. } = &self.field.programs[size];
        let Rules { model, options, .. } = self.rules;
        let limits = if self.large { options.limits.with_room_for(code) } else { options.limits };
        let options = Options { limits, ..options };
        let refuse = |why: String| Progress::Refused(why);
        let how = match lap {
            None if self.found.sizes[size].classes.is_empty() => return Err(Progress::Skipped),
            None => {
                let root = self.rules.root;
                if root == 0 || usize::from(root) > self.field.programs[size].threads() {
                    return Err(refuse(no_root(root, program.threads.len())));
                }
                let algorithm = Algorithm::that_orders_writes(model).ok_or(Progress::Skipped)?;
                let explorer = algorithm.lazy_explorer(Arc::clone(code), model, options);
                How::Classes(explorer, vec![FxHashSet::default(); Equivalence::ALL.len()])
            }
            Some(lap) => {
                let algorithm = self.rules.algorithms[lap];
                let options = with_root(algorithm, options, self.rules.root);
                options
                    .validate_for_program(algorithm, model, code)
                    .map_err(|error: InvalidOption| refuse(error.to_string()))?;
                let walk = algorithm.whole_walk(Arc::clone(code), Arc::clone(program), model, options);
                walk.map_or_else(|| How::Explorer(algorithm.lazy_explorer(Arc::clone(code), model, options)), How::Walk)
            }
        };
        Ok(Cell { how, seconds: 0.0, work: 0 })
    }

    fn note(&mut self, size: usize, lap: Option<usize>, cell: &Cell) {
        let size = &mut self.found.sizes[size];
        let counts = cell.how.counts();
        let cut = counts.bounded + counts.undecided;
        match (lap, &cell.how) {
            (None, How::Classes(_, classes)) => {
                size.cut = cut;
                for (row, classes) in size.classes.iter_mut().zip(classes) {
                    row.classes = classes.len() as u64;
                }
            }
            (Some(lap), _) => {
                let lap = &mut size.laps[lap];
                (lap.executions, lap.steps, lap.dropped) = (counts.executions(), counts.steps, counts.dropped);
                (lap.repeated, lap.sections, lap.race_checks) = (counts.repeated, counts.sections, counts.race_checks);
                (lap.systems, lap.unsatisfiable, lap.cut) = (counts.systems, counts.unsatisfiable, cut);
                (lap.work, lap.seconds) = (cell.work, cell.seconds);
            }
            (None, _) => {}
        }
    }
}

/// Options with the root thread, for an algorithm that has one.
fn with_root(algorithm: Algorithm, mut options: Options, root: u16) -> Options {
    let parameters = algorithm.definition().parameters;
    if let Some(place) = parameters.iter().position(|parameter| parameter.name == "root") {
        options.parameters.choose(place, Some(root.into()));
    }
    options
}

/// Why there is no such root thread.
pub fn no_root(root: u16, threads: usize) -> String {
    format!("there is no thread {root} to be the root: threads count from 1 to {threads}")
}

impl How {
    /// Goes on as long as the budget lasts; whether everything was explored.
    fn run(&mut self, runner: &Runner, root: u16, budget: &mut Budget) -> bool {
        match self {
            Self::Walk(walk) => walk.run_within(u64::MAX, u64::MAX, budget) != Pause::Steps,
            Self::Explorer(explorer) => loop {
                match explorer.advance_within(budget) {
                    Ok(Step::Done) => return true,
                    Ok(_) => {}
                    Err(_) => return false,
                }
            },
            Self::Classes(explorer, classes) => loop {
                match explorer.advance_within(budget) {
                    Ok(Step::Execution { number, .. }) => {
                        let Some(co) = explorer.coherence() else { return false };
                        let graph = explorer.execution();
                        for (equivalence, classes) in Equivalence::ALL.into_iter().zip(&mut *classes) {
                            let class = equivalence.class(ThreadId(root - 1), Ordered { graph, co });
                            classes.insert(fingerprint(&class));
                        }
                        // About what comparing each two events costs.
                        let events = (graph.len() * graph.len()) as u64;
                        if number >= MAX_CLASSED
                            || budget.count(8 * events + runner.program.threads.len() as u64).is_err()
                        {
                            return false;
                        }
                    }
                    Ok(Step::Done) => return true,
                    Ok(_) => {}
                    Err(_) => return false,
                }
            },
        }
    }

    /// Whether no more classes are kept.
    fn is_full(&self) -> bool {
        matches!(self, Self::Classes(explorer, _) if explorer.counts().executions() >= MAX_CLASSED)
    }

    fn counts(&self) -> Counts {
        match self {
            Self::Walk(walk) => walk.counts(),
            Self::Explorer(explorer) | Self::Classes(explorer, _) => explorer.counts(),
        }
    }
}

/// 128 bits for a class, so that millions are kept in little room.
fn fingerprint(class: &Class) -> u128 {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        (salt, class).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

impl RaceJson {
    /// Whether all cells were explored to their end, and nothing in them was cut.
    pub fn is_complete(&self) -> bool {
        let done = |progress: &Progress| matches!(progress, Progress::Done | Progress::Refused(_));
        self.sizes.iter().all(|size| {
            (size.classes.is_empty() || done(&size.classified) && size.cut == 0)
                && size.laps.iter().all(|lap| done(&lap.progress) && lap.cut == 0)
        })
    }

    /// Whether no algorithm can explore any of the programs.
    pub fn is_refused(&self) -> bool {
        let mut laps = self.sizes.iter().flat_map(|size| &size.laps);
        laps.all(|lap| matches!(lap.progress, Progress::Refused(_)))
    }
}
