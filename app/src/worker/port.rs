//! The page's side of a role: one worker, what is asked of it, and what it still has to say.
//!
//! A `Port` starts the worker when it is first wanted, counts requests, drops answers to what was asked before the last subject,
//! stops, ends and buries it.

use std::marker::PhantomData;
use std::ops::Deref;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use leptos::prelude::*;

use super::lack;
use super::line::{AnyLine, Said};
use super::wire::{Payload, RequestId, Role};

/// Hears the answers to one request; whether there will be more.
type Then = Rc<dyn Fn(Payload) -> bool>;

/// A worker of any role as the page knows it: all of a [`Port`] but the types of what is said.
#[derive(Clone, Copy)]
pub struct AnyPort {
    line: StoredValue<Option<AnyLine>, LocalStorage>,
    /// Counts the workers, so that one that has died is not heard any more.
    worker: StoredValue<u32>,
    last: StoredValue<RequestId>,
    /// The request that began the subject.
    subject: StoredValue<RequestId>,
    /// The subject is worked on.
    pub working: RwSignal<bool>,
    /// The worker was only told to come.
    fresh: StoredValue<bool>,
    /// Who hears the answers to requests that not everybody hears.
    then: StoredValue<Vec<(RequestId, Then)>, LocalStorage>,
    /// When it was heard of last, or began to work.
    heard: StoredValue<f64>,
    /// Ends a worker that does not stop.
    end: StoredValue<Option<Timeout>, LocalStorage>,
}

impl AnyPort {
    fn new() -> Self {
        Self {
            line: StoredValue::new_local(None),
            worker: StoredValue::new(0),
            last: StoredValue::new(0),
            subject: StoredValue::new(0),
            working: RwSignal::new(false),
            fresh: StoredValue::new(false),
            then: StoredValue::new_local(Vec::new()),
            heard: StoredValue::new(0.0),
            end: StoredValue::new_local(None),
        }
    }

    fn open(self, role: &str, hear: Rc<dyn Fn(Said<Payload>)>) {
        if self.line.with_value(Option::is_some) {
            return;
        }
        self.worker.update_value(|worker| *worker += 1);
        let this = self.worker.get_value();
        self.heard.set_value(js_sys::Date::now());
        let line = AnyLine::start(role, Box::new(move |said| self.hear(this, said, &hear)));
        self.line.set_value(Some(line));
    }

    fn hear(self, worker: u32, said: Said<Payload>, hear: &Rc<dyn Fn(Said<Payload>)>) {
        if self.worker.get_value() != worker {
            return;
        }
        self.heard.set_value(js_sys::Date::now());
        match said {
            // It is tried again when something is asked.
            Said::Lacks(_) if self.fresh.get_value() => {}
            Said::Died(message) => {
                self.worker.update_value(|worker| *worker += 1);
                let (hear, fresh) = (hear.clone(), self.fresh.get_value());
                // Not at once: the line is in use while it calls back.
                Timeout::new(0, move || {
                    // Another one may have been started meanwhile.
                    if self.worker.get_value() == worker + 1 {
                        self.end();
                        if !fresh {
                            hear(Said::Died(message));
                        }
                    }
                })
                .forget();
            }
            Said::Answer(id, answer) => {
                let then =
                    self.then.with_value(|all| all.iter().find(|(of, _)| *of == id).map(|(_, then)| then.clone()));
                match then {
                    Some(then) => {
                        if !then(answer) {
                            self.hush(id);
                        }
                    }
                    None if id < self.subject.get_value() => {}
                    None => hear(Said::Answer(id, answer)),
                }
            }
            Said::Lacks(what) => lack::tell(what, move || self.send(AnyLine::again)),
            Said::Ready => hear(Said::Ready),
        }
    }

    fn begin(self, request: Payload) -> RequestId {
        let idle = !self.working.get_untracked();
        self.forget();
        self.working.set(true);
        if idle {
            self.heard.set_value(js_sys::Date::now());
        }
        let id = self.subject.get_value();
        self.fresh.set_value(false);
        self.send(|line| line.begin(id, request));
        id
    }

    fn ask(self, request: Payload) -> RequestId {
        self.fresh.set_value(false);
        self.last.update_value(|id| *id += 1);
        let id = self.last.get_value();
        self.send(|line| line.ask(id, request));
        id
    }

    fn send(self, send: impl FnOnce(&AnyLine)) {
        self.line.with_value(|line| {
            if let Some(line) = line {
                send(line);
            }
        });
    }

    /// Does not hear the answers to a request any more.
    pub fn hush(self, id: RequestId) {
        self.then.update_value(|then| then.retain(|(of, _)| *of != id));
    }

    /// The request that began the subject.
    pub fn subject(self) -> RequestId {
        self.subject.get_value()
    }

    /// Whether this is the request made last.
    pub fn is_last(self, id: RequestId) -> bool {
        self.last.get_value() == id
    }

    /// Something is worked on from now on.
    pub fn work(self) {
        self.working.set(true);
        self.heard.set_value(js_sys::Date::now());
    }

    /// What the subject was asked for is there.
    pub fn done(self) {
        self.end.set_value(None);
        self.working.set(false);
    }

    /// Lets go of the subject: what is on its way is not heard any more.
    pub fn forget(self) {
        self.done();
        self.last.update_value(|id| *id += 1);
        self.subject.set_value(self.last.get_value());
    }

    /// Ends what goes on.
    pub fn stop(self) {
        self.send(AnyLine::stop);
    }

    /// The same, and ends the worker if it does not stop within some milliseconds.
    pub fn stop_within(self, milliseconds: u32) {
        if self.working.get_untracked() {
            self.stop();
            self.end.set_value(Some(Timeout::new(milliseconds, move || self.end())));
        }
    }

    /// Ends the worker, whatever it does.
    pub fn end(self) {
        self.end.set_value(None);
        self.fresh.set_value(false);
        self.line.set_value(None);
        self.then.set_value(Vec::new());
        self.worker.update_value(|worker| *worker += 1);
        self.working.set(false);
    }

    /// Ends the worker, unless it was only told to come.
    pub fn clear(self) {
        if !self.fresh.get_value() {
            self.end();
        }
    }

    /// Ends the worker if it is at work: cheaper than to wait until it looks at its messages.
    pub fn interrupt(self) {
        if self.working.get_untracked() {
            self.end();
        }
    }

    /// How long it has worked without a word, in milliseconds.
    pub fn silence(self) -> f64 {
        js_sys::Date::now() - self.heard.get_value()
    }
}

/// A worker as the page knows it. It is started when it is first wanted, and when it has died or was ended, again.
///
/// Requests belong to a subject: the first of them begins it, and what was asked before that is not heard any more.
pub struct Port<R> {
    any: AnyPort,
    role: PhantomData<fn() -> R>,
}

impl<R> Clone for Port<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Port<R> {}

impl<R> Deref for Port<R> {
    type Target = AnyPort;

    fn deref(&self) -> &AnyPort {
        &self.any
    }
}

impl<R: Role> Port<R> {
    /// No worker yet.
    pub fn new() -> Self {
        Self { any: AnyPort::new(), role: PhantomData }
    }

    /// Starts a worker if there is none. `hear` gets its answers to what was asked of the subject, and once that it died: then
    /// it is gone already, and works on nothing.
    pub fn open(self, hear: impl Fn(Said<R::Answer>) + 'static) {
        self.any.open(R::NAME, Rc::new(move |said| hear(said.open::<R>())));
    }

    /// Somebody is about to ask for something: if there is no worker, one comes and loads what this needs, which it does not
    /// answer. If it can't come, nobody hears of it.
    pub fn prepare(self, request: &R::Request, hear: impl Fn(Said<R::Answer>) + 'static) {
        if self.any.line.with_value(Option::is_none) {
            self.open(hear);
            self.ask(request);
            self.any.fresh.set_value(true);
        }
    }

    /// Asks for something new: what was asked before is not heard any more.
    pub fn begin(self, request: &R::Request) -> RequestId {
        self.any.begin(Payload::pack(request))
    }

    /// Asks for something more.
    pub fn ask(self, request: &R::Request) -> RequestId {
        self.any.ask(Payload::pack(request))
    }

    /// The same; `then` alone hears the answers, also if there is another subject by then, until it says that there are no more.
    pub fn ask_then(self, request: &R::Request, then: impl Fn(R::Answer) -> bool + 'static) -> RequestId {
        let id = self.ask(request);
        let then: Then = Rc::new(move |answer| then(answer.open()));
        self.any.then.update_value(|all| all.push((id, then)));
        id
    }
}

impl<R: Role> Default for Port<R> {
    fn default() -> Self {
        Self::new()
    }
}
