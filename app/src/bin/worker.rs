//! Starts the web worker.

use gloo::events::EventListener;
use gloo::worker::Registrable;
use litmoscope_app::worker::{EngineWorker, Json, report_death};
use wasm_bindgen::JsCast;

fn main() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        report_death(&panic.to_string());
    }));
    // The end of memory is no panic: it only shows as an error of the script.
    if let Ok(scope) = js_sys::global().dyn_into::<web_sys::EventTarget>() {
        for event in ["error", "unhandledrejection"] {
            EventListener::new(&scope, event, |_| report_death("it ran out of memory or failed")).forget();
        }
    }
    EngineWorker::registrar().encoding::<Json>().register();
}
