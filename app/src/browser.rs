//! The browser's storage, address, clipboard and preferences. Each may be forbidden or missing; the page works without.

use leptos::html;
use leptos::prelude::*;
use litmoscope::report::Theme;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ResizeObserver, Storage, window};

fn storage() -> Option<Storage> {
    window()?.local_storage().ok()?
}

fn key(name: &str) -> String {
    format!("litmoscope.{name}")
}

/// What was stored under a name.
pub fn load(name: &str) -> Option<String> {
    storage()?.get_item(&key(name)).ok()?
}

/// Stores something under a name, if that is possible.
pub fn store(name: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(&key(name), value);
    }
}

/// Forgets what was stored.
pub fn forget(name: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&key(name));
    }
}

/// How many threads the machine runs at once; 2 if it does not say.
pub fn cores() -> usize {
    window().map_or(2, |window| window.navigator().hardware_concurrency() as usize).max(1)
}

/// Milliseconds since some point in time.
pub fn now() -> f64 {
    js_sys::Date::now()
}

/// The theme that was chosen here before, or else the system's.
pub fn theme() -> Theme {
    match load("theme").as_deref() {
        Some("light") => Theme::Light,
        Some("dark") => Theme::Dark,
        _ => system_theme(),
    }
}

/// The theme that the user prefers everywhere.
pub fn system_theme() -> Theme {
    let dark = window().and_then(|window| window.match_media("(prefers-color-scheme: dark)").ok()?);
    if dark.is_some_and(|query| query.matches()) { Theme::Dark } else { Theme::Light }
}

/// The fragment of the address, `#` included; empty without one.
pub fn fragment() -> String {
    window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}

/// Puts a fragment into the address without going anywhere. Returns the whole address.
pub fn set_fragment(fragment: &str) -> String {
    let Some(window) = window() else { return fragment.to_owned() };
    let address = window.location().href().unwrap_or_default();
    let address = format!("{}{fragment}", address.split('#').next().unwrap_or_default());
    if let Ok(history) = window.history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&address));
    }
    address
}

/// Copies a text; whether it worked. Without a secure context there is no clipboard.
pub async fn copy(text: &str) -> bool {
    let Some(window) = window() else { return false };
    let clipboard = js_sys::Reflect::get(&window.navigator(), &"clipboard".into());
    if clipboard.is_ok_and(|clipboard| clipboard.is_object()) {
        JsFuture::from(window.navigator().clipboard().write_text(text)).await.is_ok()
    } else {
        false
    }
}

/// Fetches a file of the site, named relative to the page.
///
/// # Errors
/// Why it can't be had, in words.
pub async fn fetch(file: &str) -> Result<String, String> {
    let failed = |_: JsValue| format!("{file} could not be loaded");
    let window = window().ok_or_else(|| "there is no window".to_owned())?;
    let response = JsFuture::from(window.fetch_with_str(file)).await.map_err(failed)?;
    let response = web_sys::Response::from(response);
    if !response.ok() {
        return Err(format!("{file} could not be loaded ({})", response.status()));
    }
    let text = JsFuture::from(response.text().map_err(failed)?).await.map_err(failed)?;
    text.as_string().ok_or_else(|| format!("{file} is no text"))
}

/// Reads a file as text; `None` if that fails.
pub async fn read(file: &web_sys::File) -> Option<String> {
    JsFuture::from(file.text()).await.ok()?.as_string()
}

/// Follows the size of an element.
pub fn observe_size(element: NodeRef<html::Div>, size: RwSignal<(f64, f64)>) {
    Effect::new(move |_| {
        let Some(element) = element.get() else { return };
        let measured = element.clone();
        let resized = Closure::<dyn FnMut()>::new(move || {
            let now = (f64::from(measured.client_width()), f64::from(measured.client_height()));
            if size.get_untracked() != now {
                size.set(now);
            }
        });
        if let Ok(observer) = ResizeObserver::new(resized.as_ref().unchecked_ref()) {
            observer.observe(&element);
            // As long as the page.
            resized.forget();
        }
    });
}
