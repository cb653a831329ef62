//! A memory implementation that is looked at, and what is known of it.

use std::mem;
use std::ops::Deref;

use leptos::prelude::*;
use litmoscope::graph::EventKey;
use litmoscope::memories::{
    GraphRelation, MemoryOpen, MemoryPlace, MemoryRequest, MemorySheet, MemoryView, ProgramRequest, TableCell,
    TableNews, TableRequest, TableRow,
};
use serde_json::Value;

use super::trial::Trial;
use super::worker::{ID, TableAnswer, TableRole, refusal};
use crate::app::App;
use crate::app::inquiry::walk::{Player, Walk};
use crate::app::inquiry::{Inquires, InquiryOf};
use crate::app::lab::LabId;
use crate::worker::line::Said;
use crate::worker::port::Port;

/// How many steps by chance a click takes.
const BY_CHANCE: u32 = 10;
/// How many configurations and tuples a cell of the table may take.
pub const LIMITS: [u64; 3] = [100_000, 1_000_000, 5_000_000];

/// How many configurations the search for a program's runs may meet.
pub const CONFIGURATIONS: u64 = 300_000;

/// A row of the table, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub row: TableRow,
    /// How large its machine is, or why there is none.
    pub size: Option<Result<String, String>>,
    pub cells: [Option<TableCell>; 3],
}

/// A run: its machine's parameters, its steps, and how many of them are shown.
type Run = (Vec<(String, i64)>, String, u32);

/// Asks for another run; the one before.
fn replace(request: &mut MemoryRequest, (settings, run, at): Run) -> Run {
    let MemoryRequest { settings: old_settings, run: old_run, at: old_at, .. } = request;
    (mem::replace(old_settings, settings), mem::replace(old_run, run), mem::replace(old_at, at))
}

/// A memory implementation that is looked at.
#[derive(Clone, Copy)]
pub struct Inquiry {
    of: InquiryOf<MemoryOpen>,
    /// The run that was shown before a program wanted a larger machine, until somebody makes another one.
    run_before: StoredValue<Option<Run>>,
    /// Where to be in the text that comes.
    due: StoredValue<Option<MemoryPlace>>,
    pub sheet: RwSignal<MemorySheet>,
    /// Several steps lead to this state: one of them is to be chosen.
    pub through: RwSignal<Option<EventKey>>,
    pub rows: RwSignal<Vec<Row>>,
    pub limit: RwSignal<u64>,
    pub filling: RwSignal<bool>,
    pub table_trouble: RwSignal<Option<String>>,
    table: Port<TableRole>,
    pub trial: Trial,
}

impl Deref for Inquiry {
    type Target = InquiryOf<MemoryOpen>;

    fn deref(&self) -> &InquiryOf<MemoryOpen> {
        &self.of
    }
}

impl Inquiry {
    /// Nothing is looked at yet.
    pub fn new(app: App) -> Self {
        let table = Port::new();
        let request = MemoryRequest { hidden: vec![GraphRelation::Hb], ..MemoryRequest::default() };
        Self {
            of: InquiryOf::new(app, request, refusal),
            run_before: StoredValue::new(None),
            due: StoredValue::new(None),
            sheet: RwSignal::new(MemorySheet::Run),
            through: RwSignal::new(None),
            rows: RwSignal::new(Vec::new()),
            limit: RwSignal::new(LIMITS[0]),
            filling: table.working,
            table_trouble: RwSignal::new(None),
            table,
            trial: Trial::new(),
        }
    }

    /// That of this page.
    pub fn get() -> Self {
        expect_context()
    }

    /// Looks at another text; without one, lets go of what is known beside the answer.
    pub fn look_at(self, text: Option<String>) {
        match text {
            Some(text) => self.open_text(text),
            None => {
                self.through.set(None);
                self.forget_table();
                self.trial.forget();
                self.request.update(|request| request.text.clear());
            }
        }
    }

    /// Lets go of the table, which is of another text or of other options.
    pub fn forget_table(self) {
        if self.filling.get_untracked() {
            self.table.end();
        }
        self.rows.set(Vec::new());
        self.table_trouble.set(None);
    }

    /// What the table says is of other options: it is filled in anew when it is seen.
    pub fn renew_table(self) {
        self.forget_table();
        if self.sheet.get_untracked() == MemorySheet::Table {
            self.fill();
        }
    }

    /// What came by chance is a run as any other from then on.
    pub fn settle(self) {
        Effect::new(move |_| {
            let Some(view) = self.view.get() else { return };
            if self.request.with_untracked(|request| request.random.is_some()) {
                let (run, at) = (view.run.clone(), view.at);
                self.request.update(|request| (request.run, request.at, request.random) = (run, at, None));
            }
        });
    }

    /// Ends the filling in of the table. What is known stays.
    pub fn stop_table(self) {
        if self.filling.get_untracked() {
            self.table.end();
            self.table_trouble.set(Some("Stopped: empty cells are unknown.".to_owned()));
        }
    }

    /// Fills in the table, if nobody has begun to.
    pub fn fill_first(self) {
        if self.rows.with_untracked(Vec::is_empty) && !self.filling.get_untracked() {
            self.fill();
        }
    }

    /// Fills in the table, from its beginning.
    pub fn fill(self) {
        let limit = self.limit.get_untracked();
        let request = self.request.with_untracked(|request| TableRequest {
            text: request.text.clone(),
            settings: request.settings.clone(),
            holds_nothing: request.holds_nothing,
            as_printed: request.as_printed,
            limit,
        });
        self.forget_table();
        self.table.open(move |said| self.hear_table(said));
        self.table.begin(&request);
    }

    fn hear_table(self, said: Said<TableAnswer>) {
        match said {
            Said::Answer(_, TableAnswer::Rows(rows)) => {
                let row = |row| Row { row, size: None, cells: [None, None, None] };
                self.rows.set(rows.into_iter().map(row).collect());
            }
            Said::Answer(_, TableAnswer::News(news)) => self.rows.update(|rows| {
                let (TableNews::Size(row, _) | TableNews::Refused(row, _) | TableNews::Cell(row, ..)) = &news;
                let Some(row) = rows.get_mut(*row as usize) else { return };
                match news {
                    TableNews::Size(_, size) => row.size = Some(Ok(size)),
                    TableNews::Refused(_, why) => row.size = Some(Err(why)),
                    TableNews::Cell(_, column, cell) => {
                        if let Some(place) = row.cells.get_mut(column as usize) {
                            *place = Some(cell);
                        }
                    }
                }
            }),
            Said::Answer(_, TableAnswer::Refused(diagnostics)) => {
                self.table.done();
                self.table_trouble.set(Some(refusal(diagnostics)));
            }
            Said::Answer(_, TableAnswer::Over) => self.table.done(),
            Said::Died(message) => {
                // Memory may be used up: what was found so far stays.
                self.table_trouble
                    .set(Some(format!("The search ended: {message}. A smaller limit needs less memory.")));
            }
            Said::Lacks(_) | Said::Ready => {}
        }
    }

    /// Whether steps lead through the saturation, instead of the run.
    fn is_saturating(self) -> bool {
        self.sheet.get_untracked() == MemorySheet::Saturation
    }

    /// The step that is shown of a run, or of the saturation, and how many there are.
    pub fn shown_place(view: &MemoryView, saturating: bool) -> (u32, u32) {
        match view.saturation.as_ref().filter(|_| saturating) {
            Some(saturation) => (saturation.step, saturation.all_steps),
            None => (view.at, view.all_steps),
        }
    }

    /// The run up to what is shown, as text.
    fn shown(view: &MemoryView) -> Vec<String> {
        view.steps.iter().take(view.at as usize).map(|step| step.text.clone()).collect()
    }

    /// Takes a step from the present state. It takes the place of what came behind.
    pub fn take(self, step: &str) {
        if !self.is_settled() {
            return;
        }
        let Some(mut run) = self.view.with_untracked(|view| view.as_ref().map(|view| Self::shown(view))) else {
            return;
        };
        run.push(step.to_owned());
        self.run_before.set_value(None);
        self.pointed.set(Vec::new());
        self.through.set(None);
        self.request.update(|request| (request.at, request.run) = (run.len() as u32, run.join("; ")));
    }

    /// Takes some steps by chance.
    pub fn by_chance(self) {
        if !self.is_settled() {
            return;
        }
        let at = self.view.with_untracked(|view| view.as_ref().map_or(0, |view| view.at));
        let seed = js_sys::Math::random().to_bits();
        self.run_before.set_value(None);
        self.through.set(None);
        self.request.update(|request| (request.at, request.random) = (at, Some((BY_CHANCE, seed))));
    }

    /// Follows an arrow to a state: takes the step, or if there are several has them offered.
    pub fn follow(self, to: EventKey) {
        let steps: Vec<String> = self.view.with_untracked(|view| {
            let next = view.iter().flat_map(|view| &view.next).filter(|next| next.key == to);
            next.map(|next| next.step.clone()).collect()
        });
        match &steps[..] {
            [] => self.through.set(None),
            [step] => self.take(step),
            _ => self.through.set(Some(to)),
        }
    }

    /// Shows a run of a machine with these parameters.
    pub fn show(self, settings: Vec<(String, i64)>, run: Option<String>) {
        let sheet = if run.is_some() { MemorySheet::Verdict } else { MemorySheet::Run };
        self.run_before.set_value(None);
        self.open_sheet(sheet);
        self.request.update(|request| {
            (request.settings, request.run, request.at) = (settings, run.unwrap_or_default(), u32::MAX);
        });
    }

    /// Shows a run to its end beside what is told.
    pub fn show_run(self, run: String) {
        self.run_before.set_value(None);
        self.pointed.set(Vec::new());
        self.through.set(None);
        self.request.update(|request| (request.run, request.at) = (run, u32::MAX));
    }

    /// Shows a machine with these parameters beside what is told, before its first step. The run of the one before is kept.
    pub fn show_machine(self, settings: Vec<(String, i64)>) {
        self.through.set(None);
        self.request.update(|request| {
            let before = (settings, String::new(), 0);
            let before = replace(request, before);
            self.run_before.update_value(|kept| *kept = kept.take().or(Some(before)));
        });
    }

    /// Opens a sheet.
    pub fn open_sheet(self, sheet: MemorySheet) {
        self.pointed.set(Vec::new());
        self.through.set(None);
        if sheet != self.sheet.get_untracked()
            && let Some((settings, run, at)) = self.run_before.try_update_value(Option::take).flatten()
        {
            self.request.update(|request| drop(replace(request, (settings, run, at))));
        }
        self.sheet.set(sheet);
        let saturates = sheet == MemorySheet::Saturation;
        self.request.update(|request| match (saturates, request.saturation) {
            (true, None) => request.saturation = Some(1),
            (false, _) => request.saturation = None,
            (true, Some(_)) => {}
        });
    }

    /// Sets a parameter. The run is of another machine, so it begins anew.
    pub fn set(self, name: &str, value: i64) {
        self.run_before.set_value(None);
        self.request.update(|request| {
            request.settings.retain(|(other, _)| other != name);
            request.settings.push((name.to_owned(), value));
            (request.run, request.at) = (String::new(), 0);
        });
    }

    /// Runs the program whenever it is seen and it, the memory or the parameters are others than before.
    pub fn follow_program(self) {
        let is_seen = Memo::new(move |_| self.sheet.get() == MemorySheet::Program && self.view.with(Option::is_some));
        Effect::new(move |_| {
            let program = self.trial.taken.get();
            let request = self.request.with(|request| ProgramRequest {
                text: request.text.clone(),
                settings: request.settings.clone(),
                as_printed: request.as_printed,
                program,
                limit: CONFIGURATIONS,
            });
            if is_seen.get() && !request.program.is_empty() {
                self.trial.ask(request, move |settings| self.show_machine(settings));
            }
        });
    }

    /// Shows another text, from its beginning or from where it is to be. What is told of no run is told of this text then.
    fn open_text(self, text: String) {
        self.through.set(None);
        self.run_before.set_value(None);
        self.forget_table();
        let sheet = match self.sheet.get_untracked() {
            MemorySheet::Verdict | MemorySheet::Saturation => MemorySheet::Run,
            sheet => sheet,
        };
        let place = self.due.get_value().unwrap_or_else(|| MemoryPlace { sheet, ..MemoryPlace::default() });
        self.due.set_value(None);
        let narrow = self.app.looks.narrow.get_untracked();
        self.request.update(|request| {
            let hidden = std::mem::take(&mut request.hidden);
            *request = MemoryRequest { text, narrow, hidden, ..MemoryRequest::default() };
        });
        self.arrive(place);
    }

    fn arrive(self, place: MemoryPlace) {
        self.sheet.set(place.sheet);
        if !place.program.is_empty() {
            self.trial.take(place.program.clone());
        }
        self.request.update(|request| place.ask(request));
    }

    fn here(self) -> MemoryPlace {
        let sheet = self.sheet.get_untracked();
        let all = self.view.with_untracked(|view| view.as_ref().map(|view| view.all_steps));
        let program = self.trial.text.get_untracked();
        let place = self.request.with_untracked(|request| MemoryPlace::of(request, sheet, all));
        MemoryPlace { program, ..place }
    }
}

impl Walk for Inquiry {
    fn player(self) -> Player {
        self.player
    }

    /// Of the run, or of the saturation.
    fn place(self) -> (u32, u32) {
        let saturating = self.is_saturating();
        let shown = |view: &MemoryView| Self::shown_place(view, saturating).1;
        let all = self.view.with_untracked(|view| view.as_ref().map_or(0, |view| shown(view)));
        (self.request.with_untracked(|request| request.saturation.unwrap_or(request.at)), all)
    }

    fn go_to(self, step: u32) {
        let (_, all) = self.place();
        self.pointed.set(Vec::new());
        self.through.set(None);
        if self.is_saturating() {
            self.request.update(|request| request.saturation = Some(step.clamp(1, all.max(1))));
        } else {
            self.request.update(|request| request.at = step.min(all));
        }
    }
}

impl Inquires for Inquiry {
    const ID: LabId = ID;
    const LINKED: &'static str = "Link copied: it leads to exactly this run. The address bar has it too.";

    fn give_up(self) {
        self.stop_table();
        self.trial.stop();
        self.stop();
    }

    fn kept(self) -> Option<Value> {
        let place = if self.is_of_nothing() { self.due.get_value()? } else { self.here() };
        place.keep()
    }

    fn show_kept(self, kept: &Value) {
        let Some(place) = MemoryPlace::resume(kept) else { return };
        if self.is_of_page() {
            self.arrive(place);
        } else {
            self.due.set_value(Some(place));
        }
    }

    fn track_kept(self) {
        self.request.track();
        self.sheet.track();
        self.trial.text.track();
    }
}
