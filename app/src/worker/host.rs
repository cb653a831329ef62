//! The worker's side: a worker is told its role and has the half of it that works, from then on.
//!
//! A half makes slices by telling itself that the next one is due. It sends itself a message for that: a timer would wait 4 ms
//! before each slice.
//!
//! A worker that is asked for what it does not have loads it. What it is told meanwhile waits in turn, but for what begins
//! something new, which takes the place of all before. What can't be loaded is said by a message (`lack.rs`), with a button to
//! try again.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use gloo::worker::{HandlerId, Registrable, Worker, WorkerScope};
use litmoscope::explore::Algorithm;
use litmoscope::session::Settings;
use litmoscope::syntax::Dialects;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{MessageChannel, MessagePort};

use super::wire::{Bytes, FromWorker, Payload, RequestId, Role, ToWorker};

/// The half of a role that works, in a worker of its own.
pub trait Half: Default + 'static {
    /// What it is asked, and what it answers.
    type Role: Role;
    /// What it tells itself.
    type Message: 'static;

    /// What has to be there before it can do this.
    fn needs(&self, _request: &<Self::Role as Role>::Request) -> Option<Need> {
        None
    }

    /// It is asked something.
    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: <Self::Role as Role>::Request);

    /// It has told itself something.
    fn go_on(&mut self, out: &Out<Self>, message: Self::Message);

    /// What goes on is to end.
    fn stop(&mut self, out: &Out<Self>);
}

/// How a half speaks: to whoever started its worker, and to itself.
pub struct Out<H: Half> {
    scope: WorkerScope<EngineWorker>,
    page: HandlerId,
    half: std::marker::PhantomData<fn() -> H>,
}

impl<H: Half> Clone for Out<H> {
    fn clone(&self) -> Self {
        Self { scope: self.scope.clone(), page: self.page, half: self.half }
    }
}

impl<H: Half> Out<H> {
    /// Answers the request of this name.
    pub fn say(&self, id: RequestId, answer: <H::Role as Role>::Answer) {
        self.scope.respond(self.page, FromWorker::Answer(id, Payload::pack(&answer)));
    }

    /// Says that it can't go on.
    pub fn die(&self, message: String) {
        self.scope.respond(self.page, FromWorker::Died(message));
    }

    /// Tells itself something when other messages were read.
    pub fn tell(&self, message: H::Message) {
        self.scope.send_message(Message::OfHalf(Box::new(message)));
    }

    /// The same after some milliseconds.
    pub fn tell_after(&self, milliseconds: u32, message: H::Message) {
        let out = self.clone();
        Timeout::new(milliseconds, move || out.tell(message)).forget();
    }

    /// The same as soon as the messages were read that are there.
    pub fn tell_next(&self, message: H::Message) {
        let out = self.clone();
        let call = Box::new(move || out.tell(message));
        NEXT.with(|next| match next {
            Some(next) => next.call(call),
            None => {
                Timeout::new(0, call).forget();
            }
        });
    }
}

/// What is called when the messages were read that are there.
type Call = Box<dyn FnOnce()>;

/// Calls that wait for their turn among the messages: the worker sends itself a message for each. A timer would do, but timers
/// that set each other wait at least 4 ms (HTML Standard, "Timers"), and a slice takes 10 to 25.
struct Next {
    port: MessagePort,
    calls: Rc<RefCell<VecDeque<Call>>>,
    /// Lives as long as the port calls it.
    _hear: Closure<dyn FnMut()>,
}

impl Next {
    fn new() -> Option<Self> {
        let channel = MessageChannel::new().ok()?;
        let calls = Rc::<RefCell<VecDeque<Call>>>::default();
        let due = calls.clone();
        let hear = Closure::new(move || {
            let call = due.borrow_mut().pop_front();
            call.into_iter().for_each(|call| call());
        });
        channel.port2().set_onmessage(Some(hear.as_ref().unchecked_ref()));
        Some(Self { port: channel.port1(), calls, _hear: hear })
    }

    fn call(&self, call: Call) {
        self.calls.borrow_mut().push_back(call);
        // Only what can't be copied is refused.
        let _ = self.port.post_message(&JsValue::NULL);
    }
}

/// What a worker tells itself.
pub enum Message {
    /// A message of its half.
    OfHalf(Box<dyn Any>),
    /// What it needs is there, or could not be loaded.
    Loaded(Need, Option<Loaded>),
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Message")
    }
}

/// A half of any role.
pub trait AnyHalf {
    /// The name of its role.
    fn role(&self) -> &'static str;
    /// It is asked something, which it does if what it needs is there.
    ///
    /// # Errors
    /// What it needs.
    fn hear(&mut self, to: &Connection, id: RequestId, request: &Payload) -> Result<(), Need>;
    /// It has told itself something.
    fn go_on(&mut self, to: &Connection, message: Box<dyn Any>);
    /// What goes on is to end.
    fn stop(&mut self, to: &Connection);
}

impl<H: Half> AnyHalf for H {
    fn role(&self) -> &'static str {
        H::Role::NAME
    }

    fn hear(&mut self, to: &Connection, id: RequestId, request: &Payload) -> Result<(), Need> {
        let request = request.open();
        if let Some(needed) = self.needs(&request) {
            return Err(needed);
        }
        Half::hear(self, &to.out(), id, request);
        Ok(())
    }

    fn go_on(&mut self, to: &Connection, message: Box<dyn Any>) {
        if let Ok(message) = message.downcast() {
            Half::go_on(self, &to.out(), *message);
        }
    }

    fn stop(&mut self, to: &Connection) {
        Half::stop(self, &to.out());
    }
}

/// Begins one half.
pub type Begin = fn() -> Box<dyn AnyHalf>;

/// Begins a half.
pub fn begin<H: Half>() -> Box<dyn AnyHalf> {
    Box::new(H::default())
}

/// What a worker needs before it can do what it is asked.
#[derive(Clone, Debug)]
pub enum Need {
    /// The half of the role with this name.
    Half(String),
    /// The machine of an algorithm.
    Machine(Algorithm),
    /// What reads herd's dialects.
    Dialects,
}

impl Need {
    /// What has to be there for an algorithm and is not.
    pub fn of_algorithm(algorithm: Algorithm) -> Option<Self> {
        (!algorithm.is_there()).then_some(Self::Machine(algorithm))
    }

    /// What has to be there to read a text and is not.
    pub fn of_text(text: &str) -> Option<Self> {
        (!Dialects::can_read(text)).then_some(Self::Dialects)
    }

    /// The same of a text that is explored.
    pub fn of_settings(settings: &Settings) -> Option<Self> {
        Self::of_text(&settings.text).or_else(|| Self::of_algorithm(settings.algorithm))
    }

    /// What readers call it.
    fn what(&self) -> String {
        match self {
            Self::Half(role) => format!("a part of the engine ({role})"),
            Self::Machine(algorithm) => algorithm.title().to_owned(),
            Self::Dialects => DIALECTS.to_owned(),
        }
    }
}

/// What readers call what reads herd's dialects and objects.
pub const DIALECTS: &str = "what reads such programs";

/// Whether what is on its way is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Still,
    NoMore,
}

/// What was loaded.
pub enum Loaded {
    /// A half, to be begun.
    Half(Begin),
    /// Something that is given already to who needs it.
    Given,
}

/// Loads what is needed; `None` if it can't be loaded.
pub type Load = fn(Need) -> Pin<Box<dyn Future<Output = Option<Loaded>>>>;

/// Whom a worker answers.
#[derive(Clone)]
pub struct Connection {
    scope: WorkerScope<EngineWorker>,
    page: HandlerId,
}

impl Connection {
    fn out<H: Half>(&self) -> Out<H> {
        Out { scope: self.scope.clone(), page: self.page, half: std::marker::PhantomData }
    }
}

/// A worker, in any role.
#[derive(Default)]
pub struct EngineWorker {
    half: Option<Box<dyn AnyHalf>>,
    connection: Option<Connection>,
    /// What was said to it while it could not do the first of that.
    waiting: VecDeque<ToWorker>,
    /// What the first of that needs is on its way; or what something needed that has been given up meanwhile.
    loading: Option<Wanted>,
    /// The last thing that was loaded could not be.
    lacking: bool,
}

impl fmt::Debug for EngineWorker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineWorker")
            .field("role", &self.half.as_ref().map(|half| half.role()))
            .finish_non_exhaustive()
    }
}

impl Worker for EngineWorker {
    type Message = Message;
    type Input = ToWorker;
    type Output = FromWorker;

    fn create(_scope: &WorkerScope<Self>) -> Self {
        Self::default()
    }

    fn connected(&mut self, scope: &WorkerScope<Self>, page: HandlerId) {
        let connection = Connection { scope: scope.clone(), page };
        CONNECTION.set(Some(connection.clone()));
        self.connection = Some(connection);
        scope.respond(page, FromWorker::Ready);
    }

    fn update(&mut self, scope: &WorkerScope<Self>, message: Message) {
        match message {
            Message::OfHalf(message) => {
                if let (Some(half), Some(to)) = (&mut self.half, &self.connection) {
                    half.go_on(to, message);
                }
            }
            Message::Loaded(need, loaded) => {
                let wanted = self.loading.take() == Some(Wanted::Still);
                let lacking = loaded.is_none() && wanted;
                if let Some(Loaded::Half(begin)) = loaded {
                    self.half = Some(begin());
                }
                if (lacking || self.lacking)
                    && let Some(to) = &self.connection
                {
                    to.scope.respond(to.page, FromWorker::Lacks(lacking.then(|| need.what())));
                }
                self.lacking = lacking;
                if !lacking {
                    self.attend(scope);
                }
            }
        }
    }

    fn received(&mut self, scope: &WorkerScope<Self>, message: ToWorker, _page: HandlerId) {
        match message {
            ToWorker::Again => {}
            ToWorker::Begin(..) => {
                self.waiting.retain(|waiting| matches!(waiting, ToWorker::Be(_)));
                if self.waiting.is_empty() && self.loading.is_some() {
                    self.loading = Some(Wanted::NoMore);
                }
                self.waiting.push_back(message);
            }
            message => self.waiting.push_back(message),
        }
        self.attend(scope);
    }
}

impl EngineWorker {
    /// Does what it was told, in turn, as far as what that needs is there.
    fn attend(&mut self, scope: &WorkerScope<Self>) {
        while self.loading.is_none() {
            let Some(message) = self.waiting.pop_front() else { return };
            let need = match (&message, &mut self.half, &self.connection) {
                (ToWorker::Be(role), None, _) => Some(Need::Half(role.clone())),
                (ToWorker::Begin(id, request) | ToWorker::Asked(id, request), Some(half), Some(to)) => {
                    half.hear(to, *id, request).err()
                }
                (ToWorker::Stop, Some(half), Some(to)) => {
                    half.stop(to);
                    None
                }
                _ => None,
            };
            if let Some(need) = need {
                self.waiting.push_front(message);
                self.loading = Some(Wanted::Still);
                let (scope, load) = (scope.clone(), LOAD.get());
                spawn_local(async move {
                    let loaded = load(need.clone()).await;
                    scope.send_message(Message::Loaded(need, loaded));
                });
            }
        }
    }
}

thread_local! {
    /// `None` where there are no channels.
    static NEXT: Option<Next> = Next::new();
    /// How to reach the page when nothing else works any more.
    static CONNECTION: RefCell<Option<Connection>> = const { RefCell::new(None) };
    /// Loads what is needed.
    static LOAD: Cell<Load> = const { Cell::new(|_| Box::pin(async { None })) };
}

/// Is a worker from now on, which loads what it needs.
pub fn work(load: Load) {
    LOAD.set(load);
    EngineWorker::registrar().encoding::<Bytes>().register();
}

/// Tells the page that the worker is at its end. Called where a panic is reported, and for errors that are none, such
/// as the end of memory.
pub fn report_death(message: &str) {
    CONNECTION.with(|connection| {
        if let Ok(connection) = connection.try_borrow()
            && let Some(Connection { scope, page }) = &*connection
        {
            scope.respond(*page, FromWorker::Died(message.to_owned()));
        }
    });
}
