//! The role of a worker that owns a [`Session`]: it steps through an exploration, looks for visits and answers questions.

use litmoscope::explore::Counts;
use litmoscope::session::{
    GraphQuestion, OutcomesView, PATIENCE, Preview, Reply, Search, SearchView, Session, Settings, View, ViewRequest,
    VisitId,
};
use litmoscope::syntax::Diagnostic;
use serde::{Deserialize, Serialize};

use super::host::{Half, Need, Out};
use super::wire::{RequestId, Role};
use super::{MAX_EARLY_OUTCOMES, SLICE};

/// How many steps are made between two looks at the clock.
const BUDGET: u64 = 50;
/// How often progress is told, in milliseconds.
const REPORT: f64 = 100.0;
/// How often it is told what was found so far, in milliseconds.
const REPORT_OUTCOMES: f64 = 1000.0;
/// How often it is told what a search has found, in milliseconds.
const REPORT_SEARCH: f64 = 300.0;

/// Steps through an exploration.
#[derive(Debug)]
pub enum Stepping {}

impl Role for Stepping {
    const NAME: &'static str = "stepping";
    type Request = Request;
    type Answer = Answer;
}

/// What it is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Starts a session and goes to its position. Ends the session and the command before.
    Open {
        /// What to explore.
        settings: Settings,
        /// What to show.
        look: ViewRequest,
    },
    /// Moves through the session. Ends the command before.
    Do(Command),
    /// Shows the same point in another way; a command goes on.
    Look(ViewRequest),
    /// Asks something of the graph that was shown; a command goes on.
    Read {
        /// Which graph, by [`View::stamp`].
        stamp: String,
        /// What is asked.
        question: GraphQuestion,
    },
    /// Looks for visits in the tree. Ends the search before; a command goes on.
    Search(String),
    /// Asks for the graph of a visit; the session stays where it is.
    Preview(VisitId),
}

/// A move through the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// One step forward.
    Forward,
    /// One step back.
    Back,
    /// To a position.
    GoTo(u64),
    /// To the next whole execution.
    NextExecution,
    /// To the whole execution before.
    PreviousExecution,
    /// To the next error, race, or execution that decides the condition.
    NextViolation,
    /// To the start.
    Reset,
    /// To the end of the exploration.
    Run,
    /// To the end of a visit in the tree.
    GoToVisit(VisitId),
}

/// What it answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// What is to be seen where [`Request::Open`], [`Request::Do`] or [`Request::Look`] has led.
    Shown(Box<View>),
    /// The text of [`Request::Open`] can't be explored.
    Refused(Vec<Diagnostic>),
    /// A long command goes on.
    Progress(Progress),
    /// What there is to say to [`Request::Read`]; `None` if there is nothing, or the graph is another by now.
    Replied(Option<Box<Reply>>),
    /// What [`Request::Search`] has found, or why the question is not understood; comes again and again until that is its end.
    Searched(Result<SearchView, String>),
    /// The graph of [`Request::Preview`]; `None` without such a visit.
    Previewed(Option<Box<Preview>>),
}

/// How far a long command has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// How many steps have been explored.
    pub frontier: u64,
    /// What was counted.
    pub counts: Counts,
    /// Steps a second.
    pub rate: f64,
    /// What was found so far, now and then.
    pub outcomes: Option<OutcomesView>,
}

/// A command in progress.
struct Job {
    id: RequestId,
    command: Command,
    started: f64,
    reported: f64,
    outcomes_reported: f64,
    from: u64,
}

/// A search in progress.
struct SearchJob {
    id: RequestId,
    search: Search,
    reported: f64,
}

/// The half that has the session.
#[derive(Default)]
pub struct Worker {
    session: Option<Session>,
    look: ViewRequest,
    job: Option<Job>,
    search: Option<SearchJob>,
}

/// What it tells itself.
#[derive(Clone, Copy, Debug)]
pub enum Slice {
    /// A slice of the command with this name is due.
    Command(RequestId),
    /// A slice of the search with this name is due.
    Search(RequestId),
}

impl Half for Worker {
    type Role = Stepping;
    type Message = Slice;

    fn needs(&self, request: &Request) -> Option<Need> {
        match request {
            Request::Open { settings, .. } => Need::of_settings(settings),
            _ => None,
        }
    }

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: Request) {
        match request {
            Request::Open { settings, look } => {
                self.job = None;
                self.search = None;
                self.session = None;
                self.look = look;
                let position = settings.position;
                match Session::open(settings) {
                    Ok(mut session) => {
                        session.be_patient(PATIENCE);
                        self.session = Some(session);
                        self.start(out, id, Command::GoTo(position));
                    }
                    Err(diagnostics) => out.say(id, Answer::Refused(diagnostics)),
                }
            }
            Request::Do(command) => self.start(out, id, command),
            Request::Look(look) => {
                self.look = look;
                self.show(out, id);
            }
            Request::Read { stamp, question } => {
                let subject = self.session.as_ref().map(Session::subject).filter(|subject| subject.stamp() == stamp);
                let answer = subject.and_then(|subject| subject.answer(&question));
                out.say(id, Answer::Replied(answer.map(Box::new)));
            }
            Request::Search(question) => {
                self.search = None;
                let Some(session) = &self.session else { return };
                match Search::open(session, &question) {
                    Ok(search) => {
                        self.search = Some(SearchJob { id, search, reported: js_sys::Date::now() });
                        self.search_slice(out);
                    }
                    Err(why) => out.say(id, Answer::Searched(Err(why))),
                }
            }
            Request::Preview(visit) => {
                let preview = self.session.as_ref().and_then(|session| session.preview(visit));
                out.say(id, Answer::Previewed(preview.map(Box::new)));
            }
        }
    }

    fn go_on(&mut self, out: &Out<Self>, slice: Slice) {
        match slice {
            // A slice of what was stopped meanwhile is not due any more.
            Slice::Command(id) if self.job.as_ref().is_some_and(|job| job.id == id) => self.slice(out),
            Slice::Search(id) if self.search.as_ref().is_some_and(|job| job.id == id) => self.search_slice(out),
            _ => {}
        }
    }

    fn stop(&mut self, out: &Out<Self>) {
        if let Some(job) = self.job.take() {
            self.show(out, job.id);
        }
    }
}

impl Worker {
    fn start(&mut self, out: &Out<Self>, id: RequestId, command: Command) {
        let Some(session) = &self.session else { return };
        let now = js_sys::Date::now();
        self.job =
            Some(Job { id, command, started: now, reported: now, outcomes_reported: now, from: session.frontier() });
        self.slice(out);
    }

    /// Goes on with the command for a while; at its end, shows where it led to.
    fn slice(&mut self, out: &Out<Self>) {
        let (Some(session), Some(job)) = (&mut self.session, &mut self.job) else { return };
        let id = job.id;
        let end = js_sys::Date::now() + SLICE;
        let mut now;
        loop {
            if advance(session, job.command) {
                self.job = None;
                self.show(out, id);
                return;
            }
            now = js_sys::Date::now();
            if now >= end {
                break;
            }
        }
        if now - job.reported >= REPORT {
            job.reported = now;
            let seconds = (now - job.started) / 1000.0;
            let rate = (session.frontier() - job.from) as f64 / seconds.max(0.001);
            let due = now - job.outcomes_reported >= REPORT_OUTCOMES;
            let outcomes =
                (due && session.results().outcomes().len() <= MAX_EARLY_OUTCOMES).then(|| session.outcomes());
            if due {
                job.outcomes_reported = now;
            }
            let progress = Progress { frontier: session.frontier(), counts: session.counts(), rate, outcomes };
            out.say(id, Answer::Progress(progress));
        }
        out.tell_next(Slice::Command(id));
    }

    /// Goes on with the search for a while.
    fn search_slice(&mut self, out: &Out<Self>) {
        let (Some(session), Some(job)) = (&self.session, &mut self.search) else { return };
        let id = job.id;
        let start = js_sys::Date::now();
        while !job.search.advance(session, BUDGET) {
            let now = js_sys::Date::now();
            if now - start < SLICE {
                continue;
            }
            if now - job.reported >= REPORT_SEARCH {
                job.reported = now;
                out.say(id, Answer::Searched(Ok(job.search.view())));
            }
            out.tell_next(Slice::Search(id));
            return;
        }
        out.say(id, Answer::Searched(Ok(job.search.view())));
        self.search = None;
    }

    fn show(&self, out: &Out<Self>, id: RequestId) {
        if let Some(session) = &self.session {
            out.say(id, Answer::Shown(Box::new(session.view(&self.look))));
        }
    }
}

/// A small part of a command; whether the command is over.
fn advance(session: &mut Session, command: Command) -> bool {
    match command {
        Command::Forward => {
            session.forward();
        }
        Command::Back => {
            session.back();
        }
        Command::PreviousExecution => {
            session.previous_execution();
        }
        Command::Reset => session.reset(),
        Command::GoToVisit(visit) => {
            session.go_to_visit(visit);
        }
        Command::GoTo(position) => return session.go_to(position, BUDGET),
        Command::NextExecution => return session.next_execution(BUDGET),
        Command::NextViolation => return session.next_violation(BUDGET),
        Command::Run => return session.run(BUDGET),
    }
    // One that came back within a step goes on where it was.
    !session.is_paused()
}
