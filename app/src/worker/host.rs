//! The worker's side: a worker is told its role and has the half of it that works, from then on.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;

use gloo::timers::callback::Timeout;
use gloo::worker::{HandlerId, Registrable, Worker, WorkerScope};

use super::wire::{Bytes, FromWorker, Payload, RequestId, Role, ToWorker};

/// The half of a role that works, in a worker of its own.
pub trait Half: Default + 'static {
    /// What it is asked, and what it answers.
    type Role: Role;
    /// What it tells itself.
    type Message: 'static;

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
        self.scope.send_message(Message(Box::new(message)));
    }

    /// The same after some milliseconds; after none, when the messages were read that are there.
    pub fn tell_after(&self, milliseconds: u32, message: H::Message) {
        let out = self.clone();
        Timeout::new(milliseconds, move || out.tell(message)).forget();
    }
}

/// What a worker tells itself: a message of its half.
pub struct Message(Box<dyn Any>);

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Message")
    }
}

/// A half of any role.
pub trait AnyHalf {
    /// The name of its role.
    fn role(&self) -> &'static str;
    /// It is asked something.
    fn hear(&mut self, to: &Connection, id: RequestId, request: &Payload);
    /// It has told itself something.
    fn go_on(&mut self, to: &Connection, message: Message);
    /// What goes on is to end.
    fn stop(&mut self, to: &Connection);
}

impl<H: Half> AnyHalf for H {
    fn role(&self) -> &'static str {
        H::Role::NAME
    }

    fn hear(&mut self, to: &Connection, id: RequestId, request: &Payload) {
        Half::hear(self, &to.out(), id, request.open());
    }

    fn go_on(&mut self, to: &Connection, message: Message) {
        if let Ok(message) = message.0.downcast() {
            Half::go_on(self, &to.out(), *message);
        }
    }

    fn stop(&mut self, to: &Connection) {
        Half::stop(self, &to.out());
    }
}

/// Begins one half.
pub type Begin = fn() -> Box<dyn AnyHalf>;

/// Begins the half of the role with a name.
pub type Halves = fn(&str) -> Option<Box<dyn AnyHalf>>;

/// Begins a half.
pub fn begin<H: Half>() -> Box<dyn AnyHalf> {
    Box::new(H::default())
}

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

    fn update(&mut self, _scope: &WorkerScope<Self>, message: Message) {
        if let (Some(half), Some(to)) = (&mut self.half, &self.connection) {
            half.go_on(to, message);
        }
    }

    fn received(&mut self, _scope: &WorkerScope<Self>, message: ToWorker, _page: HandlerId) {
        match (message, &mut self.half, &self.connection) {
            (ToWorker::Be(role), half, _) => *half = HALVES.get()(&role),
            (ToWorker::Asked(id, request), Some(half), Some(to)) => half.hear(to, id, &request),
            (ToWorker::Stop, Some(half), Some(to)) => half.stop(to),
            _ => {}
        }
    }
}

thread_local! {
    /// How to reach the page when nothing else works any more.
    static CONNECTION: RefCell<Option<Connection>> = const { RefCell::new(None) };
    /// Begins the half of the role with this name.
    static HALVES: Cell<Halves> = const { Cell::new(|_| None) };
}

/// Is a worker from now on: `halves` begins the half of the role with a name.
pub fn work(halves: Halves) {
    HALVES.set(halves);
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
