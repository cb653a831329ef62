//! What of the module is loaded later: its parts, when they are first needed or the page is idle.
//!
//! `site/` cuts the module at the functions that are marked with [`wasm_split`], as [`later`] does: what only they reach is a
//! file of its own. Such a function returns another one or a table, so that whoever has it needs nothing more; so what is loaded
//! is used as if it had always been there.
//!
//! A first visit loads the page's shell, the editor, and the steps with the first algorithm. All else is in parts: labs and
//! dialogs (a `Room` each), what works in their workers (`Works`), the machines of the other algorithms (`machines!`, for each
//! folder of the engine's list). The page's parts are loaded when they are first needed or the page is idle, and all of them by
//! the service worker, which begins when the page has had its first answer.
//!
//! # How something becomes a part
//!
//! - **It is a part if only marked functions name it.** What a table, a `match` or a signal in the first file can reach is in
//!   the first file. So a marked function returns a function or a table (a view's, a half's, a machine's), and the registries
//!   hold marked functions only. A marked function has to be written where its part is named, since what the list itself could
//!   reach would be loaded with the page.
//! - **Signals of types of their own would be in the first file**, so panels make what their labs know. Until a panel is there,
//!   its lab is one that waits (`app/waiting.rs`), keeps what a link or a session has for it, and hands that over.
//! - **What reads event-driven traces, histories and memory implementations** is given to their kinds of document by the panels
//!   of their labs (`document::Late` of the engine), which are shown where such a text is. Until then the editor takes a text
//!   for a good one, without colours. Natively it is there.
//! - **What reads herd's dialects, concurrent objects, `before`, inputs and what is atomic** (`syntax::Dialects`), and writes the
//!   latter, comes with the first text that has one of them: to the page, which opens the text then, and to each worker that is
//!   asked about such a text (`Half::needs`). Words that look like one of them are enough.
//! - **What can't be loaded** is said by the room in its place, with a button to try again. What takes long says how much of it
//!   has come, by the sizes that the build knows (`app/parts.js`).
//!
//! How the module is cut is in `site/src/build.rs`.

use std::future::Future;
use std::pin::Pin;

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::explore::{Algorithm, Choosing, Given, machines};
use litmoscope::folders_of_algorithms;
use litmoscope::syntax::Dialects;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::embed::Sharing;
use super::help::Help;
use super::preferences::PreferencesDialog;
use super::recent::Recent;
use super::unfit::Unfit;
use crate::app::App;
use crate::app::definition::{Coming, Definition, Draw, Load, Place, Room, Works, later, works};
use crate::labs;
use crate::worker::host::{self, Begin, DIALECTS, Loaded, Need};
use crate::worker::lack;
use crate::worker::wire::Role;
use crate::worker::{comparing, session};

/// The dialogs that are the page's own.
pub static DIALOGS: &[Room] = &[
    dialog(
        "Recent",
        "the list of recent programs",
        |app| app.dialogs.recent.into(),
        later!(dialogs: Draw = || view! { <Recent /> }.into_any()),
    ),
    dialog(
        "Preferences",
        "the settings",
        |app| app.dialogs.preferring.into(),
        later!(dialogs: Draw = || view! { <PreferencesDialog /> }.into_any()),
    ),
    dialog(
        "Sharing",
        "the ways to share",
        |app| app.dialogs.sharing.into(),
        later!(sharing: Draw = || view! { <Sharing /> }.into_any()),
    ),
    dialog("Help", "the help", |app| app.dialogs.help.into(), later!(dialogs: Draw = || view! { <Help /> }.into_any())),
];

/// What is said in the place of a lab that makes nothing of the text.
pub static UNFIT: Room = Room {
    name: "Unfit",
    what: "what this lab is for",
    place: Place::Panels,
    when: |app| app.unfit().into(),
    load: later!(dialogs: Draw = || view! { <Unfit /> }.into_any()),
};

const fn dialog(name: &'static str, what: &'static str, when: fn(App) -> Signal<bool>, load: Load<Draw>) -> Room {
    Room { name, what, place: Place::Above, when, load }
}

/// How far a room has come.
#[derive(Clone, Copy, Debug, Default)]
enum Stage {
    /// Nobody has asked for it.
    #[default]
    Away,
    /// It is on its way.
    Coming,
    /// It is there.
    There(Draw),
    /// It could not be loaded.
    Failed,
}

/// A room, and how far it has come.
#[derive(Clone, Copy)]
struct Progress {
    room: &'static Room,
    stage: RwSignal<Stage>,
    /// It has been wanted.
    wanted: RwSignal<bool>,
    /// How much of its part has come, in per cent.
    share: RwSignal<u32>,
}

impl Progress {
    fn new(room: &'static Room) -> Self {
        Self { room, stage: RwSignal::new(Stage::Away), wanted: RwSignal::new(false), share: RwSignal::new(0) }
    }

    /// Loads it, if it is neither there nor on its way.
    async fn fetch(self) {
        if matches!(self.stage.get_untracked(), Stage::Away | Stage::Failed) {
            self.share.set(0);
            self.stage.set(Stage::Coming);
            self.stage.set((self.room.load.begin)().await.map_or(Stage::Failed, Stage::There));
        }
    }
}

/// All rooms of labs and page, as long as the page is there.
#[derive(Clone, Copy)]
pub struct Parts(&'static [Progress]);

impl Parts {
    /// Nothing is loaded yet.
    pub fn new() -> Self {
        let rooms = labs::all().flat_map(Definition::rooms).chain(DIALOGS).chain([&UNFIT]);
        Self(Vec::leak(rooms.map(Progress::new).collect()))
    }

    fn of(self, room: &'static Room) -> Progress {
        let known = self.0.iter().find(|progress| progress.room.name == room.name);
        known.copied().unwrap_or_else(|| Progress::new(room))
    }

    /// Whether something is waited for.
    pub fn awaited(self) -> bool {
        let coming = |stage: &Stage| matches!(stage, Stage::Away | Stage::Coming);
        self.0.iter().any(|progress| progress.wanted.get() && progress.stage.with(coming))
    }

    /// Hears from the script that loads parts how much of one has come.
    pub fn listen(self) {
        let told = |event: &web_sys::Event| -> Option<(String, u32)> {
            let detail = js_sys::Reflect::get(event, &JsValue::from_str("detail")).ok()?;
            let get = |name| js_sys::Reflect::get(&detail, &JsValue::from_str(name)).ok();
            Some((get("name")?.as_string()?, get("share")?.as_f64()? as u32))
        };
        let _ = window_event_listener_untyped("part", move |event| {
            let Some((part, share)) = told(&event) else { return };
            for progress in self.0.iter().filter(|progress| progress.room.load.part == part) {
                progress.share.set(share);
            }
        });
    }

    /// Loads what is not there yet, one room after the other, whenever the page is idle.
    pub fn prefetch(self, app: App) {
        Effect::new(move |begun: Option<bool>| {
            let begin = begun != Some(true) && app.session.ready.get() && !app.session.busy();
            if begin {
                spawn_local(async move {
                    for progress in self.0 {
                        idle().await;
                        progress.fetch().await;
                    }
                    idle().await;
                    bring_dialects(app).await;
                });
            }
            begun == Some(true) || begin
        });
    }
}

impl Default for Parts {
    fn default() -> Self {
        Self::new()
    }
}

/// Waits until the page has nothing else to do.
async fn idle() {
    /// How long to wait where browsers do not say when they are idle, in milliseconds.
    const WHILE: u32 = 500;
    let request = js_sys::Reflect::get(&js_sys::global(), &JsValue::from_str("requestIdleCallback"));
    let request = request.ok().and_then(|request| request.dyn_into::<js_sys::Function>().ok());
    let idle = js_sys::Promise::new(&mut |done, _| match &request {
        Some(request) => drop(request.call1(&JsValue::UNDEFINED, &done)),
        None => drop(Timeout::new(WHILE, move || drop(done.call0(&JsValue::UNDEFINED))).forget()),
    });
    let _ = JsFuture::from(idle).await;
}

/// How long something may take before it is said how much of it has come, in milliseconds.
const PATIENCE: u32 = 300;

/// A room, from the first time that it is wanted. While it is loaded, and if that fails, a line in its place says so.
#[component]
pub fn Later(
    /// Which.
    room: &'static Room,
) -> impl IntoView {
    let progress = expect_context::<Parts>().of(room);
    let Progress { stage, wanted, share, .. } = progress;
    let slow = RwSignal::new(false);
    let when = (room.when)(App::get());
    let fetch = move || {
        slow.set(false);
        Timeout::new(PATIENCE, move || slow.set(true)).forget();
        spawn_local(progress.fetch());
    };
    let come = move || slow.get().then(|| format!(" {} %", share.get()));
    Effect::new(move |_| {
        if when.get() && !wanted.get_untracked() {
            wanted.set(true);
            fetch();
        }
    });
    move || {
        wanted.get().then(|| match stage.get() {
            Stage::There(draw) => draw(),
            Stage::Failed => view! {
                <div class="part failed" class:away=move || !when.get() data-part=room.name>
                    <p role="alert">{could_not(room.what)}</p>
                    <button type="button" class="load-again" on:click=move |_| fetch()>"Try again"</button>
                </div>
            }
            .into_any(),
            Stage::Away | Stage::Coming => view! {
                <p class="part" class:away=move || !when.get() data-part=room.name role="status">
                    {format!("Loading {}…", room.what)}
                    <span class="share" aria-hidden="true">{come}</span>
                </p>
            }
            .into_any(),
        })
    }
}

macro_rules! machines {
    // The first one's are there from the start.
    ($first:ident, $($folder:ident,)*) => {
        fn load_machines(folder: &str) -> Option<Coming<Given>> {
            let load = match folder {
                $(stringify!($folder) => later!($folder: Given = machines::$folder()),)*
                _ => return None,
            };
            Some((load.begin)())
        }
    };
}

folders_of_algorithms!(machines);

/// What works for several labs; that of the steps is there from the start.
static COMMON: &[Works] = &[
    works!(comparing_half: comparing::Worker),
    Works {
        role: session::Stepping::NAME,
        load: Load { part: "", begin: || Box::pin(async { Ok(host::begin::<session::Worker> as Begin) }) },
    },
];

fn load_half(role: &str) -> Option<Coming<Begin>> {
    let works = labs::all().flat_map(|lab| lab.workers).chain(COMMON).find(|works| works.role == role)?;
    Some((works.load.begin)())
}

/// Loads what a worker needs.
pub fn load(need: Need) -> Pin<Box<dyn Future<Output = Option<Loaded>>>> {
    Box::pin(async {
        match need {
            Need::Half(role) => Some(Loaded::Half(load_half(&role)?.await.ok()?)),
            Need::Machine(algorithm) => {
                Algorithm::give(load_machines(algorithm.folder())?.await.ok()?);
                Some(Loaded::Given)
            }
            Need::Dialects => {
                give(load_dialects().await.ok()?);
                Some(Loaded::Given)
            }
        }
    })
}

/// What reads herd's dialects and what few programs have, and what explores the latter.
type Late = (Dialects, Choosing);

fn load_dialects() -> Coming<Late> {
    (later!(dialects: Late = (Dialects::load(), Choosing::load())).begin)()
}

fn give((dialects, choosing): Late) {
    choosing.give();
    dialects.give();
}

/// Loads what reads herd's dialects and opens the text that waits for it, if one does. Whether it could be loaded.
async fn bring_dialects(app: App) -> bool {
    let Ok(dialects) = load_dialects().await else { return false };
    let awaits = app.document.awaits_dialects;
    let awaited = awaits.get_untracked();
    app.document.take_reader(|| give(dialects));
    if awaited && !awaits.get_untracked() {
        app.open();
    }
    true
}

/// Loads what reads herd's dialects when a text in one of them is there.
pub fn follow_dialects(app: App) {
    fn fetch(app: App, failed: bool) {
        spawn_local(async move {
            if !bring_dialects(app).await {
                lack::tell(Some(DIALECTS.to_owned()), move || fetch(app, true));
            } else if failed {
                lack::tell(None, || {});
            }
        });
    }
    Effect::new(move |_| {
        if app.document.awaits_dialects.get() {
            fetch(app, false);
        }
    });
}

/// What a worker could not load, and another try.
#[component]
pub fn Lacking() -> impl IntoView {
    let lack = lack::lack();
    move || {
        lack.get().map(|lack| {
            let put_away = lack::lack();
            view! {
                <div class="lacking">
                    <p role="alert">{could_not(&lack.what)}</p>
                    <button type="button" class="load-again" on:click=move |_| lack.again()>"Try again"</button>
                    <button type="button" class="close" aria-label="Dismiss" on:click=move |_| put_away.set(None)>"×"</button>
                </div>
            }
        })
    }
}

fn could_not(what: &str) -> String {
    format!("Could not load {what}: the network or the page's server does not answer. Everything else still works.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_algorithm_is_there_or_can_be_loaded() {
        for algorithm in Algorithm::ALL.into_iter().filter(|&algorithm| algorithm != Algorithm::default()) {
            assert!(load_machines(algorithm.folder()).is_some(), "{}", algorithm.folder());
        }
    }
}
