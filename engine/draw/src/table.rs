//! The events of an execution as a table.

use super::{NodeKind, event_name, event_text, event_title, label, location_name};
use crate::graph::{Coherence, Event, EventId, EventKey, Execution, Label};
use crate::program::{Program, Value};
use crate::sort;
use crate::words;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt::Write;

/// The events of an execution, a row each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventTable {
    /// The rows: initial writes that are accessed, then thread by thread.
    pub rows: Vec<EventRow>,
    /// How many events are left out at the end.
    pub left_out: usize,
    /// What the column of co tells, in a sentence.
    pub about_co: String,
}

/// An event's row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRow {
    /// The event.
    pub key: EventKey,
    /// `P0.1`
    pub name: String,
    /// `W(x,1)`
    pub label: String,
    /// `P0`, or `init`.
    pub thread: String,
    /// `read`, `write`, ...
    pub kind: String,
    /// `x`; empty without one, as are all that follow.
    pub location: String,
    /// The value read, as it is shown.
    pub value_read: String,
    /// The value written, as it is shown.
    pub value_written: String,
    /// `rel`
    pub mode: String,
    /// The write it reads from, by name.
    pub reads_from: String,
    /// The place in co among the writes of the location, from 0 for the initial one.
    pub co: Option<u32>,
    /// The line of the program, from 1; 0 for initial writes.
    pub line: u32,
    /// The event in a sentence.
    pub title: String,
    /// The values as numbers, to sort by.
    numbers: [Option<Value>; 2],
    /// The source, to sort by.
    source: Option<EventKey>,
}

/// A column of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventColumn {
    /// The name.
    #[default]
    Event,
    /// The thread.
    Thread,
    /// The kind.
    Kind,
    /// The location.
    Location,
    /// The value read.
    ValueRead,
    /// The value written.
    ValueWritten,
    /// The mode.
    Mode,
    /// The source.
    ReadsFrom,
    /// The place in co.
    Co,
    /// The line.
    Line,
}

impl EventColumn {
    /// All of them, from left to right.
    pub const ALL: [Self; 10] = [
        Self::Event,
        Self::Thread,
        Self::Kind,
        Self::Location,
        Self::ValueRead,
        Self::ValueWritten,
        Self::Mode,
        Self::ReadsFrom,
        Self::Co,
        Self::Line,
    ];

    /// What stands above it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Thread => "thread",
            Self::Kind => "kind",
            Self::Location => "location",
            Self::ValueRead => "reads",
            Self::ValueWritten => "writes",
            Self::Mode => "mode",
            Self::ReadsFrom => "reads from",
            Self::Co => "co",
            Self::Line => "line",
        }
    }

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Thread => "thread",
            Self::Kind => "kind",
            Self::Location => "location",
            Self::ValueRead => "value_read",
            Self::ValueWritten => "value_written",
            Self::Mode => "mode",
            Self::ReadsFrom => "reads_from",
            Self::Co => "co_position",
            Self::Line => "line",
        }
    }

    /// What stands in it.
    pub fn text(self, row: &EventRow) -> String {
        let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
        match self {
            Self::Event => row.name.clone(),
            Self::Thread => row.thread.clone(),
            Self::Kind => row.kind.clone(),
            Self::Location => row.location.clone(),
            Self::ValueRead => row.value_read.clone(),
            Self::ValueWritten => row.value_written.clone(),
            Self::Mode => row.mode.clone(),
            Self::ReadsFrom => row.reads_from.clone(),
            Self::Co => number(row.co),
            Self::Line => number((row.line > 0).then_some(row.line)),
        }
    }

    /// The order of two rows by this column; what is empty comes last.
    fn compare(self, a: &EventRow, b: &EventRow) -> Ordering {
        fn optional<T: Ord>(a: Option<T>, b: Option<T>) -> Ordering {
            match (a, b) {
                (Some(a), Some(b)) => a.cmp(&b),
                (a, b) => b.is_some().cmp(&a.is_some()),
            }
        }
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        match self {
            Self::Event => order(a.key).cmp(&order(b.key)),
            Self::Thread => order(a.key).0.cmp(&order(b.key).0),
            Self::Kind => a.kind.cmp(&b.kind),
            Self::Location => optional(text(&a.location), text(&b.location)),
            Self::ValueRead => optional(a.numbers[0], b.numbers[0]),
            Self::ValueWritten => optional(a.numbers[1], b.numbers[1]),
            Self::Mode => optional(text(&a.mode), text(&b.mode)),
            Self::ReadsFrom => optional(a.source.map(order), b.source.map(order)),
            Self::Co => optional(a.co, b.co),
            Self::Line => optional((a.line > 0).then_some(a.line), (b.line > 0).then_some(b.line)),
        }
    }
}

/// Initial writes come first.
fn order(key: EventKey) -> (i32, u32) {
    (if key.thread.is_init() { -1 } else { i32::from(key.thread.0) }, key.serial)
}

/// How many rows a table has at most.
const MAX_ROWS: usize = 2000;

/// The coherence order in which a table says the places of writes.
#[derive(Clone, Copy, Debug)]
pub enum TableCo<'a> {
    /// An algorithm chose it.
    Chosen(&'a Coherence),
    /// One that fits.
    Fitting(&'a Coherence),
    /// None fits.
    None,
}

impl EventTable {
    /// The table of an execution.
    pub fn new(program: &Program, graph: &Execution, co: TableCo<'_>) -> Self {
        let (orders, about_co) = match co {
            TableCo::Chosen(co) => (
                Some(co),
                "co: the place of the write in the coherence order that the algorithm chose. The initial \
                            write has place 0.",
            ),
            TableCo::Fitting(co) => (
                Some(co),
                "co: the place of the write in one coherence order that fits. The initial write has place \
                            0.",
            ),
            TableCo::None => (
                None,
                "The graph is inconsistent: no coherence order fits, so the table gives no \
                                     places in co.",
            ),
        };
        let mut places = vec![None; graph.len()];
        for order in orders.into_iter().flatten() {
            for (at, write) in order.iter().enumerate() {
                places[write.index()] = Some(at as u32);
            }
        }
        let used: std::collections::BTreeSet<_> =
            graph.events().filter(|(_, event)| !event.is_init()).filter_map(|(_, event)| event.location()).collect();
        let is_shown = |event: &Event| !event.is_init() || event.location().is_some_and(|at| used.contains(&at));
        let mut all: Vec<EventId> = graph.events().filter(|(_, event)| is_shown(event)).map(|(e, _)| e).collect();
        sort::by_key(&mut all, |&e| order(graph.event(e).key));
        let left_out = all.len().saturating_sub(MAX_ROWS);
        all.truncate(MAX_ROWS);
        let rows = all.into_iter().map(|e| row(program, graph, e, places[e.index()])).collect();
        Self { rows, left_out, about_co: about_co.to_owned() }
    }

    /// What is said of events that have no row.
    pub fn left_out_text(&self) -> Option<String> {
        let more = self.left_out as u64;
        let are = words::by_number(more, "is", "are");
        (more > 0).then(|| format!("{} {are} left out.", words::count(more, "more event")))
    }

    /// Sorts the rows by a column; those that are equal there, by name. What is empty comes last either way.
    pub fn sort(&mut self, column: EventColumn, descending: bool) {
        sort::by(&mut self.rows, |a, b| {
            let order = column.compare(a, b);
            let empty = column.text(a).is_empty() || column.text(b).is_empty();
            let order = if descending && !empty { order.reverse() } else { order };
            order.then_with(|| EventColumn::Event.compare(a, b))
        });
    }
}

fn row(program: &Program, graph: &Execution, e: EventId, co: Option<u32>) -> EventRow {
    let event = graph.event(e);
    let source = graph.source(e).map(|source| graph.event(source));
    let uninitialised =
        |event: &Event| event.is_init() && event.location().is_some_and(|location| program.is_uninitialised(location));
    let text = |value| program.location_text(event.location(), value);
    let value = |value: Option<Value>| value.map_or_else(String::new, text);
    let written = if uninitialised(event) { "?".to_owned() } else { value(event.value_written) };
    let has_mode = event.is_fence() || event.location().is_some() && !event.is_init();
    EventRow {
        key: event.key,
        name: event_name(program, event.key),
        label: event_text(program, event),
        thread: if event.is_init() { "init".to_owned() } else { program.thread_name(event.thread().index()) },
        kind: kind(event).to_owned(),
        location: event.location().map_or_else(String::new, |location| location_name(program, location)),
        value_read: value(event.value_read),
        value_written: written,
        mode: if has_mode { event.mode().keyword().to_owned() } else { String::new() },
        reads_from: source.map_or_else(String::new, |source| event_name(program, source.key)),
        co: co.filter(|_| event.is_write()),
        line: event.span.line,
        title: event_title(program, event, source),
        numbers: [event.value_read, event.value_written],
        source: source.map(|source| source.key),
    }
}

/// What an event is, in a word or two.
pub(super) fn kind(event: &Event) -> &'static str {
    match (event.label, label::kind(event)) {
        (Label::Library { operation, .. }, NodeKind::Stuck) => match operation {
            crate::program::Operation::Lock => "waits to lock",
            crate::program::Operation::Send(_) => "waits to send",
            crate::program::Operation::Join => "waits for a thread",
            _ => "waits to receive",
        },
        (Label::Library { operation, .. }, _) => operation.name(),
        (Label::Spin, _) => "waits in a loop",
        (_, NodeKind::Init) => "initial write",
        (_, NodeKind::Read) => "read",
        (_, NodeKind::Write) => "write",
        (_, NodeKind::Update) => "read-modify-write",
        (_, NodeKind::Fence) => "fence",
        (_, NodeKind::Error) => "error",
        (_, NodeKind::Stuck) => "failed assumption",
        (_, NodeKind::Bound) => "cut by a bound",
    }
}

/// A table as comma-separated values, with a header, after RFC 4180.
pub fn table_csv(table: &EventTable) -> String {
    let mut out = EventColumn::ALL.map(EventColumn::name).join(",") + "\r\n";
    for row in &table.rows {
        let cells = EventColumn::ALL.map(|column| {
            let text = column.text(row);
            // A spreadsheet takes what begins so for a formula; no cell of ours is one, but a negative number.
            let formula = text.starts_with(['=', '+', '@', '\t', '\r']);
            let text = if formula { format!("'{text}") } else { text };
            if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
        });
        out += &(cells.join(",") + "\r\n");
    }
    out
}

/// A table in Markdown.
pub fn table_markdown(table: &EventTable) -> String {
    let line = |cells: [String; EventColumn::ALL.len()]| format!("| {} |\n", cells.join(" | "));
    let mut out = line(EventColumn::ALL.map(|column| column.title().to_owned()));
    out += &line(EventColumn::ALL.map(|_| "---".to_owned()));
    for row in &table.rows {
        out += &line(EventColumn::ALL.map(|column| markdown(&column.text(row))));
    }
    if let Some(left_out) = table.left_out_text() {
        let _ = writeln!(out, "\n{left_out}");
    }
    out
}

/// A text in a cell of Markdown.
fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '~' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{Algorithm, Options, Step};
    use crate::model::Model;
    use crate::program::Code;
    use crate::syntax;
    use std::sync::Arc;

    /// The table of the first execution.
    fn table(text: &str, model: Model) -> EventTable {
        let program = syntax::parse(text).expect("it is a program").program;
        let code = Arc::new(Code::compile(&program).expect("it can be explored"));
        let mut explorer = Algorithm::Genmc.explorer(code, model, Options::default()).expect("it takes every program");
        while !matches!(explorer.advance(), Step::Execution { .. }) {}
        let graph = explorer.execution();
        let co = model.consistency(graph).expect("it is consistent").co;
        EventTable::new(&program, graph, TableCo::Fitting(&co))
    }

    fn column(table: &EventTable, column: EventColumn) -> Vec<String> {
        table.rows.iter().map(|row| column.text(row)).collect()
    }

    #[test]
    fn all_that_is_known_of_an_event() {
        let table = table("x :=rel 12\nx := -3 || a := x\nfence sc\nb := fai(y)", Model::RC11);
        assert_eq!(column(&table, EventColumn::Event), ["init x", "init y", "P0.1", "P0.2", "P1.1", "P1.2", "P1.3"]);
        assert_eq!(
            column(&table, EventColumn::Kind),
            ["initial write", "initial write", "write", "write", "read", "fence", "read-modify-write"]
        );
        assert_eq!(column(&table, EventColumn::Mode)[2], "rel");
        assert_eq!(column(&table, EventColumn::Mode)[..2], ["", ""]);
        assert_eq!(column(&table, EventColumn::Co), ["0", "0", "1", "2", "", "", "1"]);
        assert_eq!(column(&table, EventColumn::ValueWritten), ["0", "0", "12", "-3", "", "", "1"]);
        assert_eq!(column(&table, EventColumn::ReadsFrom)[6], "init y");
    }

    #[test]
    fn columns_sort_by_what_they_mean() {
        let text = "x := 10; x := 9; x := -1; x := 100 || a := x; b := y";
        for column in EventColumn::ALL {
            for descending in [false, true] {
                let mut table = table(text, Model::SC);
                let before = table.rows.len();
                table.sort(column, descending);
                let texts: Vec<_> = table.rows.iter().map(|row| column.text(row)).collect();
                assert_eq!(texts.len(), before);
                let filled = texts.iter().take_while(|text| !text.is_empty()).count();
                assert!(texts[filled..].iter().all(String::is_empty), "{column:?}: {texts:?}");
                let in_order = |a: &EventRow, b: &EventRow| {
                    let order = column.compare(a, b);
                    if descending { order != Ordering::Less } else { order != Ordering::Greater }
                };
                assert!(table.rows[..filled].windows(2).all(|pair| in_order(&pair[0], &pair[1])), "{column:?}");
            }
        }
        let mut table = table(text, Model::SC);
        table.sort(EventColumn::ValueWritten, false);
        assert_eq!(column(&table, EventColumn::ValueWritten), ["-1", "0", "0", "9", "10", "100", "", ""]);
        table.sort(EventColumn::ValueWritten, true);
        assert_eq!(column(&table, EventColumn::ValueWritten), ["100", "10", "9", "0", "0", "-1", "", ""]);
    }

    #[test]
    fn files_hold_the_same() {
        let mut table = table("x := 1 || a := x", Model::SC);
        table.rows[0].name = "a,\"b\" |*".to_owned();
        table.rows[1].name = "=1+1".to_owned();
        let csv = table_csv(&table);
        assert!(
            csv.starts_with("event,thread,kind,location,value_read,value_written,mode,reads_from,co_position,line\r\n")
        );
        assert!(csv.contains("\r\n\"a,\"\"b\"\" |*\",init,initial write,x,,0,,,0,\r\n"), "{csv}");
        assert!(csv.contains("\r\n'=1+1,"), "{csv}");
        assert_eq!(csv.lines().count(), table.rows.len() + 1);
        let text = table_markdown(&table);
        assert!(text.contains("| a,\"b\" \\|\\* | init |"), "{text}");
        assert!(text.lines().all(|line| line.replace("\\|", "").matches('|').count() == EventColumn::ALL.len() + 1));
    }
}
