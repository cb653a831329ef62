//! A memory implementation that is looked at, and what is known of it.

use std::mem;
use std::sync::Arc;

use gloo::timers::callback::Interval;
use leptos::prelude::*;
use litmoscope::graph::EventKey;
use litmoscope::memories::{
    GraphRelation, ProgramRequest, ProtocolPlace, ProtocolRequest, ProtocolSheet, ProtocolView, TableCell, TableNews,
    TableRequest, TableRow,
};
use litmoscope::report::EdgeKey;
use litmoscope::session::Settings;
use litmoscope::session::link::{self, LabPlace};
use serde_json::Value;

use super::trial::Trial;
use super::worker::{Answer, ID, MemoryRole, TableAnswer, TableRole, refusal};
use crate::app::App;
use crate::app::lab::{Lab, Link};
use crate::worker::line::Said;
use crate::worker::port::Port;
use crate::worker::session::Command;

/// How long a question may take before another one ends it, in milliseconds.
const PATIENCE: f64 = 2000.0;
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
fn replace(request: &mut ProtocolRequest, (settings, run, at): Run) -> Run {
    let ProtocolRequest { settings: old_settings, run: old_run, at: old_at, .. } = request;
    (mem::replace(old_settings, settings), mem::replace(old_run, run), mem::replace(old_at, at))
}

/// A memory implementation that is looked at.
#[derive(Clone, Copy)]
pub struct Inquiry {
    app: App,
    /// The run that was shown before a program wanted a larger machine, until somebody makes another one.
    run_before: StoredValue<Option<Run>>,
    /// Where to be in the text that comes.
    due: StoredValue<Option<ProtocolPlace>>,
    pub request: RwSignal<ProtocolRequest>,
    pub view: RwSignal<Option<Arc<ProtocolView>>>,
    pub sheet: RwSignal<ProtocolSheet>,
    /// Edges of a list that are pointed at.
    pub pointed: RwSignal<Vec<EdgeKey>>,
    /// Several steps lead to this state: one of them is to be chosen.
    pub through: RwSignal<Option<EventKey>>,
    pub running: RwSignal<bool>,
    pub trouble: RwSignal<Option<String>>,
    pub playing: RwSignal<bool>,
    port: Port<MemoryRole>,
    pub rows: RwSignal<Vec<Row>>,
    pub limit: RwSignal<u64>,
    pub filling: RwSignal<bool>,
    pub table_trouble: RwSignal<Option<String>>,
    table: Port<TableRole>,
    pub trial: Trial,
    player: StoredValue<Option<Interval>, LocalStorage>,
}

impl Inquiry {
    /// Nothing is looked at yet.
    pub fn new(app: App) -> Self {
        let (port, table) = (Port::new(), Port::new());
        let request = ProtocolRequest { hidden: vec![GraphRelation::Hb], ..ProtocolRequest::default() };
        Self {
            app,
            run_before: StoredValue::new(None),
            due: StoredValue::new(None),
            request: RwSignal::new(request),
            view: RwSignal::new(None),
            sheet: RwSignal::new(ProtocolSheet::Run),
            pointed: RwSignal::new(Vec::new()),
            through: RwSignal::new(None),
            running: port.working,
            trouble: RwSignal::new(None),
            playing: RwSignal::new(false),
            port,
            rows: RwSignal::new(Vec::new()),
            limit: RwSignal::new(LIMITS[0]),
            filling: table.working,
            table_trouble: RwSignal::new(None),
            table,
            trial: Trial::new(),
            player: StoredValue::new_local(None),
        }
    }

    /// That of this page.
    pub fn get() -> Self {
        expect_context()
    }

    /// Ends what goes on, and lets go of the answer.
    pub fn forget(self) {
        self.playing.set(false);
        self.port.interrupt();
        self.port.forget();
        self.view.set(None);
        self.trouble.set(None);
        self.pointed.set(Vec::new());
        self.through.set(None);
        self.forget_table();
        self.trial.forget();
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
        if self.sheet.get_untracked() == ProtocolSheet::Table {
            self.fill();
        }
    }

    /// Asks for a view.
    pub fn ask(self, request: &ProtocolRequest) {
        // It may be in the middle of something long.
        if self.port.silence() > PATIENCE {
            self.port.interrupt();
        }
        self.port.open(move |said| self.hear(said));
        self.port.begin(request);
    }

    fn hear(self, said: Said<Answer>) {
        match said {
            Said::Answer(_, Answer::Shown(view)) => {
                self.port.done();
                self.trouble.set(None);
                let (run, at) = (view.run.clone(), view.at);
                self.view.set(Some(Arc::new(*view)));
                // What came by chance is a run as any other from now on.
                if self.request.with_untracked(|request| request.random.is_some()) {
                    self.request.update(|request| (request.run, request.at, request.random) = (run, at, None));
                }
            }
            Said::Answer(_, Answer::Refused(diagnostics)) => {
                self.port.done();
                self.view.set(None);
                self.trouble.set(Some(refusal(diagnostics)));
            }
            Said::Died(message) => self.trouble.set(Some(format!("The question failed: {message}."))),
            Said::Lacks(_) | Said::Ready => {}
        }
    }

    /// Gives up what takes long.
    pub fn stop(self) {
        self.playing.set(false);
        self.stop_table();
        self.trial.stop();
        if self.running.get_untracked() {
            self.port.end();
            self.view.set(None);
            self.trouble.set(Some("Stopped before there was an answer.".to_owned()));
        }
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
        self.sheet.get_untracked() == ProtocolSheet::Saturation
    }

    /// The step that is shown, and how many there are, of the run or of the saturation.
    fn place(self) -> (u32, u32) {
        let saturating = self.is_saturating();
        self.view.with_untracked(|view| {
            let Some(view) = view else { return (0, 0) };
            match view.saturation.as_ref().filter(|_| saturating) {
                Some(saturation) => (saturation.step, saturation.all_steps),
                None => (view.at, view.all_steps),
            }
        })
    }

    /// Shows so many steps.
    pub fn go_to(self, step: u32) {
        let (_, all) = self.place();
        self.pointed.set(Vec::new());
        self.through.set(None);
        if self.is_saturating() {
            self.request.update(|request| request.saturation = Some(step.clamp(1, all.max(1))));
        } else {
            self.request.update(|request| request.at = step.min(all));
        }
    }

    /// A step on, or back.
    pub fn step(self, forward: bool) {
        let asked = self.request.with_untracked(|request| request.saturation.unwrap_or(request.at));
        let step = asked.min(self.place().1);
        self.go_to(if forward { step + 1 } else { step.saturating_sub(1) });
    }

    /// Whether what is shown is what was asked for.
    fn is_settled(self) -> bool {
        !self.running.get_untracked()
    }

    /// The run up to what is shown, as text.
    fn shown(view: &ProtocolView) -> Vec<String> {
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
        let sheet = if run.is_some() { ProtocolSheet::Verdict } else { ProtocolSheet::Run };
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
    pub fn open_sheet(self, sheet: ProtocolSheet) {
        self.pointed.set(Vec::new());
        self.through.set(None);
        if sheet != self.sheet.get_untracked()
            && let Some((settings, run, at)) = self.run_before.try_update_value(Option::take).flatten()
        {
            self.request.update(|request| drop(replace(request, (settings, run, at))));
        }
        self.sheet.set(sheet);
        let saturates = sheet == ProtocolSheet::Saturation;
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
        let is_seen = Memo::new(move |_| self.sheet.get() == ProtocolSheet::Program && self.view.with(Option::is_some));
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

    /// Plays the steps to the end, or stops.
    pub fn toggle_play(self) {
        let playing = !self.playing.get_untracked();
        let (step, all) = self.place();
        if playing && step >= all {
            self.go_to(0);
        }
        self.playing.set(playing);
    }

    /// Makes steps while they play, each seen for so many milliseconds.
    pub fn play(self, period: u32) {
        Effect::new(move |_| {
            let player = self.playing.get().then(|| {
                Interval::new(period, move || {
                    // What is not seen yet is waited for.
                    if !self.is_settled() {
                        return;
                    }
                    let (step, all) = self.place();
                    if step + 1 >= all {
                        self.playing.set(false);
                    }
                    self.step(true);
                })
            });
            self.player.set_value(player);
        });
    }

    /// A part of what is shown, which changes when that does.
    pub fn part<T: Clone + Default + PartialEq + Send + Sync + 'static>(self, of: fn(&ProtocolView) -> T) -> Memo<T> {
        Memo::new(move |_| self.view.with(|view| view.as_ref().map(|view| of(view)).unwrap_or_default()))
    }

    /// Shows another text, from its beginning or from where it is to be. What is told of no run is told of this text then.
    pub fn open_text(self, text: String) {
        self.pointed.set(Vec::new());
        self.through.set(None);
        self.run_before.set_value(None);
        self.forget_table();
        let sheet = match self.sheet.get_untracked() {
            ProtocolSheet::Verdict | ProtocolSheet::Saturation => ProtocolSheet::Run,
            sheet => sheet,
        };
        let place = self.due.get_value().unwrap_or_else(|| ProtocolPlace { sheet, ..ProtocolPlace::default() });
        self.due.set_value(None);
        let narrow = self.app.looks.narrow.get_untracked();
        self.request.update(|request| {
            let hidden = std::mem::take(&mut request.hidden);
            *request = ProtocolRequest { text, narrow, hidden, ..ProtocolRequest::default() };
        });
        self.arrive(place);
    }

    fn arrive(self, place: ProtocolPlace) {
        self.sheet.set(place.sheet);
        if !place.program.is_empty() {
            self.trial.take(place.program.clone());
        }
        self.request.update(|request| place.ask(request));
    }

    fn here(self) -> ProtocolPlace {
        let sheet = self.sheet.get_untracked();
        let all = self.view.with_untracked(|view| view.as_ref().map(|view| view.all_steps));
        let program = self.trial.text.get_untracked();
        let place = self.request.with_untracked(|request| ProtocolPlace::of(request, sheet, all));
        ProtocolPlace { program, ..place }
    }
}

impl Lab for Inquiry {
    fn enter(&self) {
        self.app.session.playing.set(false);
    }

    fn plays(&self) -> bool {
        true
    }

    /// Through the run, or the saturation.
    fn moves(&self, command: Command, _repeated: bool) -> bool {
        match command {
            Command::Forward => self.step(true),
            Command::Back => self.step(false),
            Command::Reset => self.go_to(0),
            Command::Run => self.go_to(u32::MAX),
            _ => return false,
        }
        true
    }

    fn play(&self) {
        self.toggle_play();
    }

    fn stop(&self) {
        Self::stop(*self);
    }

    fn link(&self) -> Option<Link> {
        let place = LabPlace { settings: untrack(|| self.app.settings()), lab: ID.0.to_owned(), place: self.keep()? };
        let fragment = link::encode_lab(&place).ok()?;
        Some(Link { fragment, said: "Link copied: it leads to exactly this run. The address bar has it too." })
    }

    fn keep(&self) -> Option<Value> {
        let is_empty = self.request.with_untracked(|request| request.text.is_empty());
        let place = if is_empty { self.due.get_value()? } else { self.here() };
        place.keep()
    }

    fn resume(&self, kept: &Value) {
        let Some(place) = ProtocolPlace::resume(kept) else { return };
        let text = self.app.document.text.get_untracked();
        if self.request.with_untracked(|request| request.text == text) {
            self.arrive(place);
        } else {
            self.due.set_value(Some(place));
        }
    }

    fn track(&self) {
        self.request.track();
        self.sheet.track();
        self.trial.text.track();
    }
}

/// Takes a text in the place of the page's.
pub fn take_text(app: App, text: String) {
    app.load(&Settings { text, ..untrack(|| app.settings()) }, true);
}
