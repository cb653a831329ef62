//! What workers know of a memory implementation: one shows it, and two do what may take long: one fills in the table, one runs a program.

use litmoscope::memories::{
    MemoryOpen, MemoryTable, NotTried, ProgramRequest, ProgramTrial, ProgramView, TableNews, TableRequest, TableRow,
};
use litmoscope::syntax::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::app::inquiry::not_yet;
use crate::app::lab::LabId;
use crate::worker::host::{Half, Out};
use crate::worker::inspecting::Inspected;
use crate::worker::wire::{RequestId, Role};

/// The lab's name.
pub const ID: LabId = LabId("memories");

impl Inspected for MemoryOpen {
    const NAME: &'static str = "memories";
}

/// What is wrong with a text, in a sentence.
pub fn refusal(diagnostics: Vec<Diagnostic>) -> String {
    not_yet("a memory implementation", diagnostics)
}

/// Fills in a table.
#[derive(Debug)]
pub enum TableRole {}

impl Role for TableRole {
    const NAME: &'static str = "memory-table";
    type Request = TableRequest;
    type Answer = TableAnswer;
}

/// What it answers, cell by cell.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum TableAnswer {
    /// There are these rows.
    Rows(Vec<TableRow>),
    /// The text can't be read.
    Refused(Vec<Diagnostic>),
    /// Something became known.
    News(TableNews),
    /// All is known.
    Over,
}

/// The half that fills it in.
#[derive(Default)]
pub struct TableWorker {
    going: Option<(RequestId, MemoryTable)>,
}

impl Half for TableWorker {
    type Role = TableRole;
    /// Which request goes on.
    type Message = RequestId;

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: TableRequest) {
        self.going = None;
        match MemoryTable::new(&request) {
            Ok(table) => {
                out.say(id, TableAnswer::Rows(table.rows().to_vec()));
                self.going = Some((id, table));
                out.tell(id);
            }
            Err(diagnostics) => out.say(id, TableAnswer::Refused(diagnostics)),
        }
    }

    fn go_on(&mut self, out: &Out<Self>, message: RequestId) {
        let Some((id, table)) = self.going.as_mut().filter(|(id, _)| *id == message) else { return };
        let id = *id;
        if let Some(news) = table.go_on() {
            out.say(id, TableAnswer::News(news));
        }
        if table.is_over() {
            self.going = None;
            out.say(id, TableAnswer::Over);
        } else {
            out.tell(id);
        }
    }

    fn stop(&mut self, _out: &Out<Self>) {
        self.going = None;
    }
}

/// Runs a program on a memory.
#[derive(Debug)]
pub enum ProgramRole {}

impl Role for ProgramRole {
    const NAME: &'static str = "memory-program";
    type Request = ProgramRequest;
    type Answer = ProgramAnswer;
}

/// What it answers, as often as something becomes known.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ProgramAnswer {
    /// What is known, and whether that is all.
    Shown(Box<ProgramView>, bool),
    /// One of the texts can't be read, or the program does not fit.
    Refused(NotTried),
}

/// The half that runs it.
#[derive(Default)]
pub struct ProgramWorker {
    going: Option<(RequestId, ProgramTrial)>,
}

impl Half for ProgramWorker {
    type Role = ProgramRole;
    /// Which request goes on.
    type Message = RequestId;

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: ProgramRequest) {
        self.going = None;
        match ProgramTrial::new(&request) {
            Ok(trial) => {
                self.going = Some((id, trial));
                out.tell(id);
            }
            Err(wrong) => out.say(id, ProgramAnswer::Refused(wrong)),
        }
    }

    fn go_on(&mut self, out: &Out<Self>, message: RequestId) {
        let Some((id, trial)) = self.going.as_mut().filter(|(id, _)| *id == message) else { return };
        let id = *id;
        trial.go_on();
        let is_over = trial.is_over();
        out.say(id, ProgramAnswer::Shown(Box::new(trial.view()), is_over));
        if is_over {
            self.going = None;
        } else {
            out.tell(id);
        }
    }

    fn stop(&mut self, _out: &Out<Self>) {
        self.going = None;
    }
}
