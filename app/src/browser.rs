//! The browser's storage, address, clipboard and preferences. Each may be forbidden or missing; the page works without.

use leptos::ev::MouseEvent;
use leptos::html;
use leptos::prelude::*;
use litmoscope::labs::folder::archive::Format;
use litmoscope::report::Theme;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DragEvent, File, FileSystemDirectoryEntry, HtmlElement, MediaQueryList, ResizeObserver, Storage, window,
};

/// Where something is kept. A page that stands in another one keeps nothing and finds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// For all tabs, until it is deleted.
    Browser,
    /// For this tab, through reloads and crashes, until it is closed.
    Tab,
}

/// Why something is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unkept {
    /// The browser lets this page keep nothing.
    Forbidden,
    /// There is no room.
    Full,
}

impl Store {
    fn storage(self) -> Option<Storage> {
        if embedded() {
            return None;
        }
        match self {
            Self::Browser => window()?.local_storage().ok()?,
            Self::Tab => window()?.session_storage().ok()?,
        }
    }

    /// What is kept under a name.
    pub fn get(self, name: &str) -> Option<String> {
        self.storage()?.get_item(&key(name)).ok()?
    }

    /// Keeps something under a name.
    ///
    /// # Errors
    /// Why it is not kept; what was there before still is.
    pub fn put(self, name: &str, value: &str) -> Result<(), Unkept> {
        let storage = self.storage().ok_or(Unkept::Forbidden)?;
        storage.set_item(&key(name), value).map_err(|_| Unkept::Full)
    }

    /// Forgets what was kept under a name.
    pub fn remove(self, name: &str) {
        if let Some(storage) = self.storage() {
            let _ = storage.remove_item(&key(name));
        }
    }

    /// All names that begin so.
    pub fn names(self, prefix: &str) -> Vec<String> {
        let Some(storage) = self.storage() else { return Vec::new() };
        let count = storage.length().unwrap_or(0);
        let names = (0..count).filter_map(|index| storage.key(index).ok()?);
        names
            .filter_map(|name| Some(name.strip_prefix(OWN)?.to_owned()))
            .filter(|name| name.starts_with(prefix))
            .collect()
    }
}

/// In front of all names, since a site may hold other pages.
const OWN: &str = "litmoscope.";

fn key(name: &str) -> String {
    format!("{OWN}{name}")
}

/// What was stored under a name.
pub fn load(name: &str) -> Option<String> {
    Store::Browser.get(name)
}

/// Stores something under a name, if that is possible.
pub fn store(name: &str, value: &str) {
    let _ = Store::Browser.put(name, value);
}

/// Forgets what was stored.
pub fn forget(name: &str) {
    Store::Browser.remove(name);
}

/// Whether the page stands in another one and shows only a part of itself.
pub fn embedded() -> bool {
    embedding().is_some()
}

/// The value of `embed` in the address: the part that is shown in another page.
pub fn embedding() -> Option<String> {
    let query = window()?.location().search().ok()?;
    let parts = query.strip_prefix('?')?.split('&');
    let mut named = parts.map(|part| part.split_once('=').unwrap_or((part, "")));
    named.find(|(name, _)| *name == "embed").map(|(_, value)| value.to_owned())
}

/// Whether the page was loaded again in its tab, by the user or after a crash, rather than opened.
pub fn reloaded() -> bool {
    let navigation = window()
        .and_then(|window| window.performance())
        .map(|performance| performance.get_entries_by_type("navigation").get(0));
    let kind = navigation.and_then(|entry| js_sys::Reflect::get(&entry, &"type".into()).ok()?.as_string());
    kind.is_some_and(|kind| kind == "reload" || kind == "back_forward")
}

/// How many threads the machine runs at once; 2 if it does not say.
pub fn cores() -> usize {
    window().map_or(2, |window| window.navigator().hardware_concurrency() as usize).max(1)
}

/// Milliseconds since some point in time.
pub fn now() -> f64 {
    js_sys::Date::now()
}

/// The theme that the user prefers everywhere.
pub fn system_theme() -> Theme {
    let dark = window().and_then(|window| window.match_media("(prefers-color-scheme: dark)").ok()?);
    if dark.is_some_and(|query| query.matches()) { Theme::Dark } else { Theme::Light }
}

/// Whether the page is as narrow as on a telephone, as a query that says when that changes.
pub fn narrow() -> Option<MediaQueryList> {
    query("(max-width: 600px)")
}

/// Whether there is room for one panel at a time, as the style sheet has it.
pub fn one_panel() -> Option<MediaQueryList> {
    query("(max-width: 900px)")
}

/// Whether whoever writes into a field gets keys on the screen, over what is there, as telephones have them.
pub fn has_screen_keys() -> bool {
    query("(max-width: 900px), (pointer: coarse)").is_some_and(|query| query.matches())
}

/// What is said to whoever has keys, or else to whoever has a screen to touch.
pub fn by_device(keys: &'static str, touch: &'static str) -> &'static str {
    if has_screen_keys() { touch } else { keys }
}

fn query(text: &str) -> Option<MediaQueryList> {
    window().and_then(|window| window.match_media(text).ok()?)
}

fn hash() -> String {
    window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}

/// The fragment of the address, `#` included; empty without one. It ends before an `&`.
pub fn fragment() -> String {
    hash().split('&').next().unwrap_or_default().to_owned()
}

/// What stands in the address' fragment behind the link: how it is to look.
pub fn fragment_extras() -> String {
    hash().split_once('&').map_or_else(String::new, |(_, extras)| extras.to_owned())
}

/// The page's address without query and fragment.
pub fn address() -> String {
    let address = window().and_then(|window| window.location().href().ok()).unwrap_or_default();
    address.split(['?', '#']).next().unwrap_or_default().to_owned()
}

/// Puts a fragment into the address without going anywhere. Returns the whole address.
pub fn set_fragment(fragment: &str) -> String {
    let Some(window) = window() else { return fragment.to_owned() };
    let address = window.location().href().unwrap_or_default();
    let address = format!("{}{fragment}", address.split('#').next().unwrap_or_default());
    if let Ok(history) = window.history() {
        let state = history.state().unwrap_or_default();
        let _ = history.replace_state_with_url(&state, "", Some(&address));
    }
    address
}

/// Puts another link into the address' fragment, or none; how the page is to look stays there.
pub fn set_link(link: &str) {
    let extras = fragment_extras();
    if fragment() != link {
        set_fragment(&match (link, extras.is_empty()) {
            (_, true) => link.to_owned(),
            ("", false) => format!("#&{extras}"),
            (_, false) => format!("{link}&{extras}"),
        });
    }
}

/// The state of the history's entry, if it is a text.
pub fn state() -> Option<String> {
    window()?.history().ok()?.state().ok()?.as_string()
}

/// Puts a state into the history's entry.
pub fn keep_state(state: &str) {
    if let Some(Ok(history)) = window().map(|window| window.history()) {
        let _ = history.replace_state(&state.into(), "");
    }
}

/// Adds an entry with this state to the history, for the same address.
pub fn add_state(state: &str) {
    if let Some(Ok(history)) = window().map(|window| window.history()) {
        let _ = history.push_state(&state.into(), "");
    }
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
    text.as_string().ok_or_else(|| format!("{file} is not a text"))
}

/// Reads a file as text; `None` if that fails.
pub async fn read(file: &web_sys::File) -> Option<String> {
    JsFuture::from(file.text()).await.ok()?.as_string()
}

/// Reads a file's bytes; `None` if that fails.
pub async fn read_bytes(file: &web_sys::File) -> Option<Vec<u8>> {
    let buffer = JsFuture::from(file.array_buffer()).await.ok()?;
    Some(js_sys::Uint8Array::new(&buffer).to_vec())
}

/// Whether files are dragged.
pub fn drags_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|data| data.types().includes(&"Files".into(), 0))
}

/// What is dropped: folders, as the browser names their contents, and files.
#[derive(Clone, Debug, Default)]
pub struct Dropped {
    /// The folders.
    pub folders: Vec<FileSystemDirectoryEntry>,
    /// Files that are in none of them.
    pub files: Vec<File>,
}

impl Dropped {
    /// That of an event, which knows it only while it happens.
    pub fn of(event: &DragEvent) -> Self {
        let Some(data) = event.data_transfer() else { return Self::default() };
        let items = data.items();
        let mut dropped = Self::default();
        for item in (0..items.length()).filter_map(|at| items.get(at)).filter(|item| item.kind() == "file") {
            let entry = item.webkit_get_as_entry().ok().flatten().filter(|entry| entry.is_directory());
            match entry {
                Some(folder) => dropped.folders.push(folder.unchecked_into()),
                None => dropped.files.extend(item.get_as_file().ok().flatten()),
            }
        }
        dropped
    }

    /// The file, if it is one alone and no archive of others.
    pub fn alone(&self) -> Option<&File> {
        match (&self.folders[..], &self.files[..]) {
            ([], [file]) => Some(file).filter(|file| Format::of(&file.name()).is_none()),
            _ => None,
        }
    }
}

/// Has the browser save JSON as a file.
pub fn download(name: &str, content: &str) {
    download_as("application/json", name, content);
}

/// Has the browser save a text of some kind as a file.
pub fn download_as(kind: &str, name: &str, content: &str) {
    let address = format!("data:{kind};charset=utf-8,{}", String::from(js_sys::encode_uri_component(content)));
    let Ok(anchor) = document().create_element("a") else { return };
    let _ = anchor.set_attribute("href", &address);
    let _ = anchor.set_attribute("download", name);
    if let Ok(anchor) = anchor.dyn_into::<web_sys::HtmlElement>() {
        anchor.click();
    }
}

/// Opens a page of the site in a new tab, which knows nothing of this one.
pub fn open_beside(name: &str) {
    let Some(window) = window() else { return };
    let _ = window.open_with_url_and_target_and_features(name, "_blank", "noopener");
}

/// A number below another one, any of them as likely; 0 if there is none.
pub fn random(below: usize) -> usize {
    ((js_sys::Math::random() * below as f64) as usize).min(below.saturating_sub(1))
}

/// Follows the size of an element.
pub fn observe_size(element: NodeRef<html::Div>, size: RwSignal<(f64, f64)>) {
    Effect::new(move |_| {
        let Some(element) = element.get() else { return };
        let measured = element.clone();
        let resized = Closure::<dyn FnMut(JsValue, ResizeObserver)>::new(move |_, observer: ResizeObserver| {
            let now = (f64::from(measured.client_width()), f64::from(measured.client_height()));
            match size.try_get_untracked() {
                Some(before) if before != now => size.set(now),
                Some(_) => {}
                // It is gone from the page, and what knew its size too.
                None => observer.disconnect(),
            }
        });
        if let Ok(observer) = ResizeObserver::new(resized.as_ref().unchecked_ref()) {
            observer.observe(&element);
            // As long as the page: the last call comes after the element has gone.
            resized.forget();
        }
    });
}

/// Takes the focus from whatever has it.
pub fn release_focus() {
    if let Some(element) = document().active_element().and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.blur();
    }
}

/// Takes the focus from a button that was clicked on: it would take the presenter's space.
pub fn release_button(event: &MouseEvent) {
    if event.detail() > 0 {
        release_focus();
    }
}
