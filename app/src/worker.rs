//! What the page and its web worker say to each other, and the worker's side of it.

use gloo::worker::{Codec, HandlerId, Spawnable, Worker, WorkerBridge, WorkerScope};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

/// From the page to the worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// Asks for a sign of life.
    Greet(String),
}

/// From the worker to the page.
#[derive(Debug, Serialize, Deserialize)]
pub enum Response {
    /// The answer to [`Request::Greet`].
    Greeting(String),
}

/// Runs the engine away from the page, which stays responsive however long an exploration takes.
#[derive(Debug)]
pub struct EngineWorker;

impl Worker for EngineWorker {
    type Message = ();
    type Input = Request;
    type Output = Response;

    fn create(_scope: &WorkerScope<Self>) -> Self {
        Self
    }

    fn update(&mut self, _scope: &WorkerScope<Self>, (): Self::Message) {}

    fn received(&mut self, scope: &WorkerScope<Self>, request: Request, page: HandlerId) {
        match request {
            Request::Greet(text) => scope.respond(page, Response::Greeting(format!("The worker heard: {text}"))),
        }
    }
}

/// Starts the worker; `on_response` gets everything it says, and dropping the bridge ends it.
pub fn spawn(on_response: impl Fn(Response) + 'static) -> WorkerBridge<EngineWorker> {
    EngineWorker::spawner()
        .callback(on_response)
        // The loader is a file: the page's content security policy forbids the blob that gloo would make otherwise.
        .with_loader(true)
        .encoding::<Json>()
        .spawn("./worker_loader.js")
}

/// Messages as JSON text: unlike gloo's default (bincode 1) it carries every type that serde can describe.
#[derive(Debug)]
pub struct Json;

impl Codec for Json {
    fn encode<I: Serialize>(message: I) -> JsValue {
        serde_json::to_string(&message).expect("messages are plain data").into()
    }

    fn decode<O: for<'de> Deserialize<'de>>(text: JsValue) -> O {
        let text = text.as_string().expect("messages are sent as text");
        serde_json::from_str(&text).expect("page and worker are of the same version")
    }
}
