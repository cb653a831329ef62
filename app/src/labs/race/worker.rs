//! The role of a worker that runs a race, or knows the executions of a program and their classes.

use litmoscope::explore::Options;
use litmoscope::labs::race::{ClassesView, Classing, RaceView, Racing, Rules, SameView};
use litmoscope::syntax::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::worker::host::{Half, Need, Out};
use crate::worker::seconds;
use crate::worker::slices::{Sliced, Slices};
use crate::worker::wire::{RequestId, Role};

/// Runs a race, or looks for executions.
#[derive(Debug)]
pub enum Races {}

impl Role for Races {
    const NAME: &'static str = "race";
    type Request = Request;
    type Answer = Answer;
}

/// What it is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// A race.
    Race {
        /// The series, or one program.
        text: String,
        /// The sizes of a series, from and to.
        sizes: Option<(u32, u32)>,
        /// How it is run.
        rules: Box<Rules>,
    },
    /// The executions of a program, and their classes.
    Classes(Subject),
    /// Two of these executions, by their numbers.
    Compare([u32; 2]),
}

/// What executions are looked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// The series, or one program.
    pub text: String,
    /// The size of a series.
    pub size: Option<u32>,
    /// The number of the root thread, from 1.
    pub root: u16,
    /// How programs are explored.
    pub options: Options,
}

/// What it answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// Where the race has come to; comes again and again until that is its end.
    Raced {
        /// What is known.
        view: Box<RaceView>,
        /// Whether nothing more will come: it is done, or was stopped.
        over: bool,
    },
    /// The executions that were found; comes again and again until that is the end.
    Classed {
        /// What is known.
        view: Box<ClassesView>,
        /// Whether nothing more will come: it is done, or was stopped.
        over: bool,
    },
    /// What there is to say of two executions; nothing if there are none of these numbers.
    Compared(Option<Box<SameView>>),
    /// This can't be explored.
    Refused(Vec<Diagnostic>),
}

/// The half that runs.
#[derive(Default)]
pub struct Worker {
    racing: Slices<Racing>,
    classing: Slices<Classing>,
}

impl Sliced for Racing {
    type Half = Worker;

    fn advance(&mut self) -> bool {
        Racing::advance(self)
    }

    fn answer(&self, over: bool) -> Answer {
        Answer::Raced { view: Box::new(self.view(over)), over }
    }
}

impl Sliced for Classing {
    type Half = Worker;

    fn advance(&mut self) -> bool {
        Classing::advance(self)
    }

    fn answer(&self, over: bool) -> Answer {
        Answer::Classed { view: Box::new(self.view(over)), over }
    }
}

impl Half for Worker {
    type Role = Races;
    /// A slice for this request is due.
    type Message = RequestId;

    /// The first that is not there yet.
    fn needs(&self, request: &Request) -> Option<Need> {
        match request {
            Request::Race { text, rules, .. } => {
                Need::of_text(text).or_else(|| rules.machines().find_map(Need::of_algorithm))
            }
            Request::Classes(subject) => {
                Need::of_text(&subject.text).or_else(|| Classing::machine().and_then(Need::of_algorithm))
            }
            Request::Compare(_) => None,
        }
    }

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: Request) {
        let refuse = |diagnostics| out.say(id, Answer::Refused(diagnostics));
        match request {
            Request::Race { text, sizes, rules } => {
                self.racing.forget();
                match Racing::open(&text, sizes.map(|(from, to)| from..=to), *rules, seconds) {
                    Ok(racing) => self.racing.begin(out, id, racing),
                    Err(diagnostics) => refuse(diagnostics),
                }
            }
            Request::Classes(Subject { text, size, root, options }) => {
                self.classing.forget();
                match Classing::open(&text, size, root, options) {
                    Ok(classing) => self.classing.begin(out, id, classing),
                    Err(diagnostics) => refuse(diagnostics),
                }
            }
            Request::Compare([first, second]) => {
                let compared = self.classing.work().and_then(|classing| classing.compare(first, second));
                out.say(id, Answer::Compared(compared.map(Box::new)));
            }
        }
    }

    fn go_on(&mut self, out: &Out<Self>, due: RequestId) {
        self.racing.go_on(out, due);
        self.classing.go_on(out, due);
    }

    fn stop(&mut self, out: &Out<Self>) {
        self.racing.stop(out);
        self.classing.stop(out);
    }
}
