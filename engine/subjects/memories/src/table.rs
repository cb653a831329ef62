//! What is known of a protocol for several sizes: a row for each choice of parameters, a column for each model.
//!
//! It takes long and has a worker of its own on the page, which tells each cell when it is known; to stop ends it.

use super::report::{MemoryReport, step_text, title};
use crate::budget::Budget;
use crate::syntax::Diagnostic;
use crate::words::{count, grouped};
use crate::{
    Causality, Decided, Initial, Initialization, Machine, NotRead, Question, ReadProtocol, Reading, TransitionIndex,
    decide, follows, parameters_of, read_protocol,
};
use serde::{Deserialize, Serialize};

/// The most rows.
const MAX_ROWS: usize = 24;
/// How many expressions a row's protocol may take to be expanded: some seconds.
const WORK: u64 = 1 << 25;
/// RA and SRA are decided for no more threads.
const MAX_THREADS: usize = 8;

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRequest {
    /// The text of a protocol, a machine or automata.
    pub text: String,
    /// Parameters that are set: there is a row for these, whatever other rows there are.
    pub settings: Vec<(String, i64)>,
    /// Whether a register that was never written holds nothing, instead of the initial write.
    pub holds_nothing: bool,
    /// Whether automata begin as it is printed.
    pub as_printed: bool,
    /// How many configurations a search, and how many tuples a saturation may meet.
    pub limit: u64,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRow {
    /// All parameters, with their values.
    pub settings: Vec<(String, i64)>,
    /// In words: `2 threads, 1 variable, slots = 1`.
    pub title: String,
}

/// What is known of one model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableCell {
    /// In a word: `holds`, `violated` or `unknown`.
    pub verdict: String,
    /// By what, in short: `16 tuples`, `12 steps`.
    pub by: String,
    /// In a sentence.
    pub sentence: String,
    /// A run that violates it.
    pub run: Option<String>,
}

/// What becomes known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableNews {
    /// How large the machine of a row is: `4 states, 14 transitions`.
    Size(u32, String),
    /// There is no machine for a row, and why.
    Refused(u32, String),
    /// What is known of a row and a model, by its place in [`Causality::ALL`].
    Cell(u32, u32, TableCell),
}

/// A table that is being filled in.
#[derive(Debug)]
pub struct MemoryTable {
    request: TableRequest,
    rows: Vec<TableRow>,
    /// The row and the column that come next. Column 0 is the machine itself.
    next: (usize, usize),
    machine: Option<ReadProtocol>,
    /// What is known of it.
    known: Vec<(Causality, Option<Decided>)>,
}

impl MemoryTable {
    /// Begins one.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn new(request: &TableRequest) -> Result<Self, Vec<Diagnostic>> {
        let parameters = parameters_of(&request.text)?;
        let rows = rows(&parameters, &request.settings);
        Ok(Self { request: request.clone(), rows, next: (0, 0), machine: None, known: Vec::new() })
    }

    /// Its rows.
    pub fn rows(&self) -> &[TableRow] {
        &self.rows
    }

    /// Whether all is known.
    pub fn is_over(&self) -> bool {
        self.next.0 >= self.rows.len()
    }

    /// Finds out the next thing. `None` if all is known.
    pub fn go_on(&mut self) -> Option<TableNews> {
        let (row, column) = self.next;
        let settings = &self.rows.get(row)?.settings;
        let at = row as u32;
        let Some(machine) = self.machine.as_ref().filter(|_| column > 0) else {
            // Only protocols have parameters to set.
            let initialization =
                if self.request.as_printed { Initialization::AsPrinted } else { Initialization::Corrected };
            let reading = Reading { settings, initialization, work: WORK };
            return Some(match read_protocol(&self.request.text, &reading, &mut Budget::unlimited()) {
                Ok(read) => {
                    let size = size(&read.machine);
                    self.machine = Some(read);
                    self.known.clear();
                    self.next = (row, 1);
                    TableNews::Size(at, size)
                }
                Err(wrong) => {
                    self.next = (row + 1, 0);
                    let first = if let NotRead::Wrong(wrong) = wrong { wrong.into_iter().next() } else { None };
                    TableNews::Refused(at, first.map_or_else(String::new, |wrong| wrong.message))
                }
            });
        };
        let causality = Causality::ALL[column - 1];
        let (cell, decided) = self.cell(machine, causality);
        self.known.push((causality, decided));
        self.next = if column == Causality::ALL.len() { (row + 1, 0) } else { (row, column + 1) };
        Some(TableNews::Cell(at, column as u32 - 1, cell))
    }

    fn cell(&self, read: &ReadProtocol, causality: Causality) -> (TableCell, Option<Decided>) {
        let machine = &read.machine;
        if machine.threads.len() > MAX_THREADS && causality != Causality::Weak {
            let sentence = format!("{} is decided for at most {MAX_THREADS} threads.", title(causality));
            let (verdict, by) = ("unknown".to_owned(), "many threads".to_owned());
            return (TableCell { verdict, by, sentence, run: None }, None);
        }
        let initial = if self.request.holds_nothing { Initial::Nothing } else { Initial::Written };
        let configurations = self.request.limit;
        let question = Question { causality, initial, configurations, steps: None, symmetry: None };
        let decided = follows(machine, causality, &self.known)
            .or_else(|| decide(machine, &question, &mut Budget::unlimited()).ok());
        let report = MemoryReport {
            name: &machine.name,
            machine,
            initial,
            answers: &[],
            automata: (&read.automata, Initialization::Corrected),
            symmetry: None,
        };
        let sentence = format!("{}: {}.", title(causality), report.sentence(decided.as_ref()));
        let (verdict, by, run) = match &decided {
            Some(Decided::Holds { size, by_saturation, .. }) => {
                let by = if *by_saturation { count(*size, "tuple") } else { count(*size, "configuration") };
                ("holds", by, None)
            }
            Some(Decided::Violated { run, .. }) => {
                ("violated", count(run.len() as u64, "step"), Some(text_of(machine, run)))
            }
            Some(Decided::Unknown { .. } | Decided::Bounded { .. }) => ("unknown", "at the limit".to_owned(), None),
            None => ("unknown", String::new(), None),
        };
        (TableCell { verdict: verdict.to_owned(), by, sentence, run }, decided)
    }
}

/// How large a machine is.
pub(crate) fn size(machine: &Machine) -> String {
    let (states, transitions) = (machine.states.len() as u64, machine.transitions().len() as u64);
    format!("{}, {}", count(states, "state"), count(transitions, "transition"))
}

/// A run as text.
pub(crate) fn text_of(machine: &Machine, run: &[TransitionIndex]) -> String {
    run.iter().map(|index| step_text(machine, *index)).collect::<Vec<_>>().join("; ")
}

/// All choices of parameters: 2 to 4 threads, 1 or 2 variables, of all others what the text says and one more; and what is set.
fn rows(parameters: &[(String, i64)], set: &[(String, i64)]) -> Vec<TableRow> {
    let of =
        |name: &str, otherwise: i64| set.iter().find(|(other, _)| other == name).map_or(otherwise, |(_, value)| *value);
    let own: Vec<(String, i64)> = parameters.iter().map(|(name, value)| (name.clone(), of(name, *value))).collect();
    let mut all: Vec<Vec<(String, i64)>> = vec![Vec::new()];
    for (name, value) in parameters {
        let choices: Vec<i64> = match &name[..] {
            "threads" => vec![2, 3, 4],
            "variables" => vec![1, 2],
            _ => vec![*value, value.saturating_add(1)],
        };
        let with = |row: &Vec<(String, i64)>| {
            let with = |choice: i64| [row.clone(), vec![(name.clone(), choice)]].concat();
            choices.iter().map(|choice| with(*choice)).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    if !all.contains(&own) {
        all.insert(0, own.clone());
    }
    // The small ones first, which are answered soon.
    all.sort_by_key(|row| {
        row.iter().fold(1_i64, |size, (_, value)| size.saturating_mul(value.saturating_abs().max(1)))
    });
    if all.len() > MAX_ROWS {
        let is_own = |row: &Vec<(String, i64)>| *row == own;
        let last = all.iter().position(is_own).filter(|at| *at >= MAX_ROWS);
        all.truncate(if last.is_some() { MAX_ROWS - 1 } else { MAX_ROWS });
        all.extend(last.map(|_| own.clone()));
    }
    all.into_iter().map(|settings| TableRow { title: in_words(&settings), settings }).collect()
}

/// Parameters in words: `2 threads, 1 variable, slots = 2`.
pub(crate) fn in_words(settings: &[(String, i64)]) -> String {
    let one = |(name, value): &(String, i64)| match (&name[..], u64::try_from(*value)) {
        ("threads", Ok(many)) => count(many, "thread"),
        ("variables", Ok(many)) => count(many, "variable"),
        (name, Ok(many)) => format!("{name} = {}", grouped(many)),
        (name, Err(_)) => format!("{name} = {value}"),
    };
    let all: Vec<String> = settings.iter().map(one).collect();
    if all.is_empty() { "as it is".to_owned() } else { all.join(", ") }
}

/// Of the models, the titles: `WRA`, `RA`, `SRA`.
pub fn table_columns() -> Vec<String> {
    Causality::ALL.into_iter().map(title).collect()
}
