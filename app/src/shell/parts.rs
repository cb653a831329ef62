//! What of the module is loaded later: its parts, when they are first needed or the page is idle.
//!
//! `site/` cuts the module at the functions that are marked with [`wasm_split`]: what only they reach is a file of its own. Such a
//! function returns another one or a table, so that whoever has it needs nothing more; so what is loaded is used as if it had
//! always been there. ARCHITECTURE.md says how something becomes a part.

use std::future::Future;
use std::pin::Pin;

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::explore::{Algorithm, Given, machines};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::embed::Sharing;
use super::help::Help;
use super::preferences::PreferencesDialog;
use super::recent::Recent;
use crate::app::App;
use crate::labs::lessons::quiz::Question;
use crate::labs::lessons::ready::LessonsDialog;
use crate::labs::lessons::scenes::ScenesDialog;
use crate::labs::running::{sharing, walking};
use crate::labs::stepping::views::CopyAs;
use crate::labs::{beside, comparison, consistency, gallery, generator, why_not};
use crate::worker::host::{self, Begin, Half, Loaded, Need};
use crate::worker::lack;
use crate::worker::wire::Role;
use crate::worker::{comparing, session};

/// Something on its way.
type Coming<T> = Pin<Box<dyn Future<Output = Result<T, SplitLoaderError>>>>;

/// Draws what was loaded.
type Draw = fn() -> AnyView;

macro_rules! rooms {
    ($($room:ident in $part:ident, $load:ident: $what:literal => $view:expr,)*) => {
        /// What of the page is loaded later.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Room {
            $(#[doc = $what] $room,)*
        }

        impl Room {
            /// All of them.
            pub const ALL: [Self; [$(Self::$room),*].len()] = [$(Self::$room),*];

            /// What readers call it.
            pub fn what(self) -> &'static str {
                match self {
                    $(Self::$room => $what,)*
                }
            }

            fn load(self) -> Coming<Draw> {
                match self {
                    $(Self::$room => Box::pin($load()),)*
                }
            }
        }

        $(
            #[wasm_split($part, fallible)]
            fn $load() -> Result<Draw, SplitLoaderError> {
                Ok(|| $view.into_any())
            }
        )*
    };
}

// Each with the part that it is in, and the function that is marked.
rooms! {
    Gallery in gallery, load_gallery: "the gallery" => gallery::view(),
    Models in models, load_models: "the comparison of models" => comparison::view(),
    WhyNot in why_not, load_why_not: "“why not?”" => why_not::view(),
    Consistency in consistency, load_consistency: "the check for consistency" => consistency::view(),
    Beside in beside, load_beside: "two explorations side by side" => beside::view(),
    Lessons in lessons, load_lessons: "the lessons" => view! { <LessonsDialog /> },
    Scenes in lessons, load_scenes: "the scenes" => view! { <ScenesDialog /> },
    Question in lessons, load_question: "the quiz" => view! { <Question /> },
    Generator in generator, load_generator: "the generator of tests" => generator::view(),
    Copies in sharing, load_copies: "the list of copies" => view! { <CopyAs /> },
    Sharing in sharing, load_sharing: "the ways to share" => view! { <Sharing /> },
    Recent in dialogs, load_recent: "the list of recent programs" => view! { <Recent /> },
    Preferences in dialogs, load_preferences: "the settings" => view! { <PreferencesDialog /> },
    Help in dialogs, load_help: "the help" => view! { <Help /> },
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

/// All rooms of the page: how far each has come, and whether it has been wanted yet.
#[derive(Clone, Copy)]
pub struct Parts([(RwSignal<Stage>, RwSignal<bool>); Room::ALL.len()]);

impl Parts {
    /// Nothing is loaded yet.
    pub fn new() -> Self {
        Self(Room::ALL.map(|_| (RwSignal::new(Stage::Away), RwSignal::new(false))))
    }

    fn stage(self, room: Room) -> RwSignal<Stage> {
        self.0[room as usize].0
    }

    fn wanted(self, room: Room) -> RwSignal<bool> {
        self.0[room as usize].1
    }

    /// Whether something is waited for.
    pub fn awaited(self) -> bool {
        let coming = |stage: RwSignal<Stage>| stage.with(|stage| matches!(stage, Stage::Away | Stage::Coming));
        self.0.iter().any(|&(stage, wanted)| wanted.get() && coming(stage))
    }

    /// Loads a room, if it is neither there nor on its way.
    async fn fetch(self, room: Room) {
        let stage = self.stage(room);
        if matches!(stage.get_untracked(), Stage::Away | Stage::Failed) {
            stage.set(Stage::Coming);
            stage.set(room.load().await.map_or(Stage::Failed, Stage::There));
        }
    }

    /// Loads what is not there yet, one room after the other, whenever the page is idle.
    pub fn prefetch(self, app: App) {
        Effect::new(move |begun: Option<bool>| {
            let begin = begun != Some(true) && app.session.ready.get() && !app.session.busy();
            if begin {
                spawn_local(async move {
                    for room in Room::ALL {
                        idle().await;
                        self.fetch(room).await;
                    }
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

/// A room, from the first time that it is wanted. While it is loaded, and if that fails, a line in its place says so.
#[component]
pub fn Later(
    /// Which.
    room: Room,
    /// Whether it is wanted now.
    #[prop(into)]
    when: Signal<bool>,
) -> impl IntoView {
    let parts = expect_context::<Parts>();
    let (stage, wanted) = (parts.stage(room), parts.wanted(room));
    let fetch = move || spawn_local(parts.fetch(room));
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
                <div class="part failed" class:away=move || !when.get() data-part=format!("{room:?}")>
                    <p role="alert">{could_not(room.what())}</p>
                    <button type="button" class="load-again" on:click=move |_| fetch()>"Try again"</button>
                </div>
            }
            .into_any(),
            Stage::Away | Stage::Coming => view! {
                <p class="part" class:away=move || !when.get() data-part=format!("{room:?}") role="status">
                    {format!("Loading {}…", room.what())}
                </p>
            }
            .into_any(),
        })
    }
}

macro_rules! machines {
    ($($folder:ident in $load:ident,)*) => {
        $(
            #[wasm_split($folder, fallible)]
            fn $load() -> Result<Given, SplitLoaderError> {
                Ok(machines::$folder())
            }
        )*

        fn load_machines(folder: &str) -> Option<Coming<Given>> {
            match folder {
                $(stringify!($folder) => Some(Box::pin($load())),)*
                _ => None,
            }
        }
    };
}

// The folders of the algorithms but the first.
machines! {
    genmc_co in load_genmc_co,
    trust in load_trust,
    rf_smc in load_rf_smc,
    brute_force in load_brute_force,
    sample in load_sample,
}

macro_rules! halves {
    ($($half:ty => $part:ident, $load:ident;)*) => {
        $(
            #[wasm_split($part, fallible)]
            fn $load() -> Result<Begin, SplitLoaderError> {
                Ok(host::begin::<$half>)
            }
        )*

        fn load_half(role: &str) -> Option<Coming<Begin>> {
            $(
                if role == name_of::<$half>() {
                    return Some(Box::pin($load()));
                }
            )*
            // That of the steps is there from the start.
            (role == name_of::<session::Worker>())
                .then(|| -> Coming<Begin> { Box::pin(async { Ok(host::begin::<session::Worker> as Begin) }) })
        }
    };
}

fn name_of<H: Half>() -> &'static str {
    H::Role::NAME
}

// The halves of roles that work in workers.
halves! {
    comparing::Worker => comparing_half, load_comparing_half;
    why_not::worker::Worker => why_not_half, load_why_not_half;
    consistency::worker::Worker => consistency_half, load_consistency_half;
    sharing::Worker => running_half, load_sharing_half;
    walking::Worker => running_half, load_walking_half;
}

/// Loads what a worker needs.
pub fn load(need: Need) -> Pin<Box<dyn Future<Output = Option<Loaded>>>> {
    Box::pin(async {
        match need {
            Need::Half(role) => Some(Loaded::Half(load_half(&role)?.await.ok()?)),
            Need::Machine(algorithm) => {
                Algorithm::give(load_machines(algorithm.folder())?.await.ok()?);
                Some(Loaded::Machine)
            }
        }
    })
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
                    <button type="button" class="close" aria-label="Put away" on:click=move |_| put_away.set(None)>"×"</button>
                </div>
            }
        })
    }
}

fn could_not(what: &str) -> String {
    format!("Could not load {what}: the network or the page's server does not answer. All else is as it was.")
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
