//! Starts the page, or in a web worker the engine: one module, so that it is loaded once.
//!
//! A worker is started by `worker.js`, which is told the module's name, with its hash, in its address.

use gloo::events::EventListener;
use litmoscope_app::shell::page::Page;
use litmoscope_app::shell::{parts, recent};
use litmoscope_app::worker::host::{report_death, work};
use wasm_bindgen::JsCast;

fn main() {
    if web_sys::window().is_some() { start_page() } else { start_worker() }
}

fn start_page() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        recent::page_failed(&panic.to_string());
    }));
    leptos::mount::mount_to_body(Page);
}

/// The engine runs in workers, so that the page never freezes.
fn start_worker() {
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
    work(parts::load);
}
