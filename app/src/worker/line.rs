//! A worker that was started, and the way to it.

use std::marker::PhantomData;

use gloo::worker::{Spawnable, WorkerBridge};
use wasm_bindgen::prelude::wasm_bindgen;

use super::host::EngineWorker;
use super::wire::{Bytes, FromWorker, Payload, RequestId, Role, ToWorker};

/// What a worker says.
#[derive(Debug)]
pub enum Said<A> {
    /// It is there.
    Ready,
    /// It answers the request of this name.
    Answer(RequestId, A),
    /// It waits for something that could not be loaded, which this names, or for nothing any more.
    Lacks(Option<String>),
    /// It can't go on, and why. A panic is said twice, since it is an error of the script as well.
    Died(String),
}

impl Said<Payload> {
    /// The same, read.
    pub fn open<R: Role>(self) -> Said<R::Answer> {
        match self {
            Self::Ready => Said::Ready,
            Self::Answer(id, answer) => Said::Answer(id, answer.open()),
            Self::Lacks(what) => Said::Lacks(what),
            Self::Died(message) => Said::Died(message),
        }
    }
}

/// A worker of any role. Dropping this ends it, whatever it does; so it must not be dropped while it calls back.
pub struct AnyLine(WorkerBridge<EngineWorker>);

impl AnyLine {
    /// Starts a worker; `hear` gets everything that it says.
    pub fn start(role: &str, hear: Box<dyn Fn(Said<Payload>)>) -> Self {
        let bridge = EngineWorker::spawner()
            .callback(move |said| {
                hear(match said {
                    FromWorker::Ready => Said::Ready,
                    FromWorker::Answer(id, answer) => Said::Answer(id, answer),
                    FromWorker::Lacks(what) => Said::Lacks(what),
                    FromWorker::Died(message) => Said::Died(message),
                });
            })
            // The loader is a file: the page's content security policy forbids the blob that gloo would make otherwise.
            .with_loader(true)
            .encoding::<Bytes>()
            .spawn(&loader());
        bridge.send(ToWorker::Be(role.to_owned()));
        Self(bridge)
    }

    /// Asks for something.
    pub fn ask(&self, id: RequestId, request: Payload) {
        self.0.send(ToWorker::Asked(id, request));
    }

    /// Asks for something that takes the place of what was asked before.
    pub fn begin(&self, id: RequestId, request: Payload) {
        self.0.send(ToWorker::Begin(id, request));
    }

    /// Lets it load again what it lacks.
    pub fn again(&self) {
        self.0.send(ToWorker::Again);
    }

    /// Ends what goes on.
    pub fn stop(&self) {
        self.0.send(ToWorker::Stop);
    }
}

/// A worker with a role, for another worker.
pub struct Line<R> {
    line: AnyLine,
    role: PhantomData<fn() -> R>,
}

impl<R: Role> Line<R> {
    /// Starts a worker; `hear` gets everything that it says.
    pub fn start(hear: impl Fn(Said<R::Answer>) + 'static) -> Self {
        Self { line: AnyLine::start(R::NAME, Box::new(move |said| hear(said.open::<R>()))), role: PhantomData }
    }

    /// Asks for something.
    pub fn ask(&self, id: RequestId, request: &R::Request) {
        self.line.ask(id, Payload::pack(request));
    }

    /// Ends what goes on.
    pub fn stop(&self) {
        self.line.stop();
    }
}

#[wasm_bindgen]
extern "C" {
    type Meta;

    #[wasm_bindgen(method, getter)]
    fn url(this: &Meta) -> String;

    #[wasm_bindgen(thread_local_v2, js_namespace = import, js_name = meta)]
    static META: Meta;
}

/// The address that starts a worker, from the page as from another worker: that of `worker.js`, which is told the name
/// of the module that this is.
fn loader() -> String {
    let module = META.with(Meta::url);
    let module = module.rsplit('/').next().unwrap_or_default();
    format!("./worker.js?{}", module.strip_suffix(".js").unwrap_or(module))
}
