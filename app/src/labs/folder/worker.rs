//! The role of the worker that has the files, and shares tests out among workers that run them.
//!
//! The worker gets the bytes of the files, unpacks, finds what is expected of each test and gives one test after the other to
//! workers that run them (`trial.rs`). What is a test, what stands beside it, what came of it and how that differs is said by
//! `labs/folder/` of the engine, for the command line as well. To stop ends the workers; so does a test that goes on behind its
//! limit. Why a test differs is asked when somebody opens it, since that may take longer than the test. A drop of several files,
//! a folder or an archive is this lab's; a file alone is what it was (`browser::Dropped::alone`).

use litmoscope::labs::folder::archive::Format;
use litmoscope::labs::folder::{Collection, Contents, How, Row, Test};
use serde::{Deserialize, Serialize};

use super::trial::{self, Trials};
use crate::worker::host::{Half, Out};
use crate::worker::line::{Line, Said};
use crate::worker::wire::{RequestId, Role};

/// How often it is told what came of tests, in milliseconds.
const TICK: u32 = 200;
/// How long a test may go on behind its end, in seconds, before its worker is ended.
const GRACE: f64 = 15.0;

/// Has the files.
#[derive(Debug)]
pub enum Tests {}

impl Role for Tests {
    const NAME: &'static str = "tests";
    type Request = Request;
    type Answer = Answer;
}

/// What it is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Lets go of all files.
    Clear,
    /// Takes a file.
    Add {
        /// What it is called, with its folders.
        name: String,
        /// The format, if it is an archive that is to be opened.
        format: Option<Format>,
        /// What is in it, or why that is not known.
        content: Result<Content, String>,
    },
    /// Runs all tests among the files, which are listed first. Ends the run before.
    Run {
        /// How.
        how: How,
        /// For how long each at most, in seconds.
        seconds: f64,
        /// How many workers there may be.
        walkers: usize,
    },
    /// Wants a test, by its place in the list.
    Read(u32),
}

/// What it answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// What there is to run.
    Listed {
        /// The tests, by the names of their files.
        files: Vec<String>,
        /// What was left out, and why: sentences.
        left_out: Vec<String>,
    },
    /// What came of tests since this was said last.
    Ran {
        /// With their places in the list.
        rows: Vec<(u32, Row)>,
        /// How long the run has taken, in seconds.
        seconds: f64,
        /// How many workers are at work.
        walkers: usize,
        /// Whether nothing more will come: it is done, or was stopped.
        over: bool,
    },
    /// What [`Request::Read`] asked for; `None` if there is no such test.
    Read(Option<Box<Test>>),
}

/// A file's bytes, sent as a whole and not byte by byte.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Content(#[serde(with = "as_bytes")] pub Vec<u8>);

mod as_bytes {
    use serde::de::{Deserializer, Error, Visitor};
    use serde::ser::Serializer;
    use std::fmt;

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        struct Whole;
        impl Visitor<'_> for Whole {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }
        }
        deserializer.deserialize_bytes(Whole)
    }
}

/// The half that has the files.
#[derive(Default)]
pub struct Worker {
    collection: Collection,
    refused: Vec<String>,
    /// What is among the files, since they are all there.
    contents: Option<Contents>,
    run: Option<Run>,
}

/// What it tells itself of the run with a name.
#[derive(Debug)]
pub enum News {
    /// A while has passed.
    Tick,
    /// A worker has said something.
    Walker(usize, Box<Said<trial::Answer>>),
}

impl Half for Worker {
    type Role = Tests;
    type Message = (RequestId, News);

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: Request) {
        match request {
            Request::Clear => *self = Self::default(),
            Request::Add { name, format, content } => {
                let content = content.map(|Content(bytes)| bytes);
                match (format, content) {
                    (None, content) => self.collection.add(&name, content),
                    (Some(format), Ok(bytes)) => {
                        if let Err(error) = self.collection.add_archive(&name, format, &bytes) {
                            self.refused.push(format!("{name} was not opened: {error}"));
                        }
                    }
                    (Some(_), Err(why)) => self.refused.push(format!("{name} was not opened: {why}")),
                }
            }
            Request::Run { how, seconds, walkers } => {
                self.run = None;
                let contents = match &mut self.contents {
                    Some(contents) => contents,
                    None => {
                        let mut contents = std::mem::take(&mut self.collection).contents();
                        contents.left_out.splice(0..0, self.refused.drain(..));
                        self.contents.insert(contents)
                    }
                };
                let files = contents.tests.iter().map(|test| test.file.clone()).collect();
                out.say(id, Answer::Listed { files, left_out: contents.left_out.clone() });
                let mut run = Run::new(id, how, seconds);
                run.start(out, contents, walkers);
                self.run = Some(run);
            }
            Request::Read(at) => {
                let test = self.contents.as_ref().and_then(|contents| contents.tests.get(at as usize));
                out.say(id, Answer::Read(test.cloned().map(Box::new)));
            }
        }
    }

    fn go_on(&mut self, out: &Out<Self>, (id, news): (RequestId, News)) {
        let Some(run) = self.run.as_mut().filter(|run| run.id == id && !run.over) else { return };
        let Some(contents) = &self.contents else { return };
        match news {
            News::Tick => run.tick(out, contents),
            News::Walker(walker, said) => run.hear(out, contents, walker, *said),
        }
    }

    fn stop(&mut self, out: &Out<Self>) {
        if let Some(run) = self.run.as_mut().filter(|run| !run.over) {
            run.finish(out);
        }
    }
}

fn now() -> f64 {
    js_sys::Date::now() / 1000.0
}

/// A run of all tests.
struct Run {
    id: RequestId,
    how: How,
    seconds: f64,
    /// Whoever is gone leaves nothing but the place.
    walkers: Vec<Option<Walker>>,
    /// The first test that nobody has.
    next: usize,
    /// How many are done.
    done: usize,
    /// What was not told yet.
    fresh: Vec<(u32, Row)>,
    started: f64,
    over: bool,
}

/// A worker, and what it does: which test, and since when.
struct Walker {
    line: Line<Trials>,
    at: Option<(u32, f64)>,
}

impl Run {
    fn new(id: RequestId, how: How, seconds: f64) -> Self {
        Self { id, how, seconds, walkers: Vec::new(), next: 0, done: 0, fresh: Vec::new(), started: now(), over: false }
    }

    fn start(&mut self, out: &Out<Worker>, contents: &Contents, walkers: usize) {
        for _ in 0..walkers.clamp(1, contents.tests.len().max(1)) {
            self.add_walker(out, contents);
        }
        self.look(out, contents);
        if !self.over {
            out.tell_after(TICK, (self.id, News::Tick));
        }
    }

    fn add_walker(&mut self, out: &Out<Worker>, contents: &Contents) {
        if self.next >= contents.tests.len() {
            return;
        }
        let (walker, id, heard) = (self.walkers.len(), self.id, out.clone());
        let line = Line::start(move |said| heard.tell((id, News::Walker(walker, Box::new(said)))));
        if !contents.logs.is_empty() {
            line.ask(0, &trial::Request::Know(contents.logs.clone()));
        }
        self.walkers.push(Some(Walker { line, at: None }));
        self.give(contents, walker);
    }

    /// Gives a worker the next test.
    fn give(&mut self, contents: &Contents, walker: usize) {
        let Some(walker) = self.walkers[walker].as_mut() else { return };
        walker.at = contents.tests.get(self.next).map(|test| {
            let at = self.next as u32;
            let (how, seconds) = (self.how.clone(), self.seconds);
            walker.line.ask(at, &trial::Request::Run { test: test.clone(), how, seconds });
            (at, now())
        });
        self.next += usize::from(walker.at.is_some());
    }

    fn hear(&mut self, out: &Out<Worker>, contents: &Contents, walker: usize, said: Said<trial::Answer>) {
        let why = match said {
            Said::Answer(at, trial::Answer::Ran(row)) => {
                let has_it = |walker: &Walker| walker.at.is_some_and(|(own, _)| own == at);
                if self.walkers[walker].as_ref().is_some_and(has_it) {
                    self.fresh.push((at, *row));
                    self.done += 1;
                    self.give(contents, walker);
                    self.look(out, contents);
                }
                return;
            }
            Said::Died(message) => format!("the engine failed: {message}"),
            Said::Lacks(Some(what)) => format!("{what} could not be loaded"),
            Said::Answer(_, trial::Answer::Explained(_)) | Said::Lacks(None) | Said::Ready => return,
        };
        self.bury(out, contents, walker, why);
    }

    /// A worker is gone, and with it the test that it ran.
    fn bury(&mut self, out: &Out<Worker>, contents: &Contents, walker: usize, why: String) {
        // A panic is said twice, since it is an error of the script as well.
        let Some(gone) = self.walkers[walker].take() else { return };
        if let Some((at, _)) = gone.at {
            let file = contents.tests[at as usize].file.clone();
            let test = file.rsplit('/').next().unwrap_or_default().to_owned();
            self.fresh.push((at, Row { file, test, result: Err(why) }));
            self.done += 1;
        }
        self.add_walker(out, contents);
        self.look(out, contents);
    }

    fn look(&mut self, out: &Out<Worker>, contents: &Contents) {
        if !self.over && self.done == contents.tests.len() {
            self.finish(out);
        }
    }

    fn tick(&mut self, out: &Out<Worker>, contents: &Contents) {
        let late = now() - self.seconds - GRACE;
        let is_late = |walker: &Walker| walker.at.is_some_and(|(_, since)| since < late);
        let overdue: Vec<usize> =
            (0..self.walkers.len()).filter(|walker| self.walkers[*walker].as_ref().is_some_and(is_late)).collect();
        for walker in overdue {
            self.bury(out, contents, walker, "it did not end in time, so its worker was stopped".to_owned());
        }
        if !self.over {
            self.tell(out);
            out.tell_after(TICK, (self.id, News::Tick));
        }
    }

    fn tell(&mut self, out: &Out<Worker>) {
        let walkers = self.walkers.iter().flatten().filter(|walker| walker.at.is_some()).count();
        let (rows, seconds) = (std::mem::take(&mut self.fresh), now() - self.started);
        out.say(self.id, Answer::Ran { rows, seconds, walkers, over: self.over });
    }

    /// Nothing more will come.
    fn finish(&mut self, out: &Out<Worker>) {
        self.over = true;
        self.walkers.clear();
        self.tell(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_sent_as_they_are() {
        let content = Content(vec![0, 255, 7]);
        let sent = Request::Add { name: "a.zip".to_owned(), format: Some(Format::Zip), content: Ok(content) };
        let bytes = postcard::to_allocvec(&sent).expect("plain data");
        let Ok(Request::Add { name, format: Some(Format::Zip), content: Ok(Content(content)) }) =
            postcard::from_bytes(&bytes)
        else {
            panic!("it is another request")
        };
        assert_eq!((name.as_str(), &content[..]), ("a.zip", &[0, 255, 7][..]));
    }
}
