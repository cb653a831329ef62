//! Scenes: what a lecturer has arranged to be shown, one after the other. Here are the list, where it stands, and the
//! dialog in which it is made; what a scene is, and its file, is the engine's ([`litmoscope::session::script`]).
//!
//! A scene that names a lab is handed to the lab that is kept under that name (`Lab::resume`). The lab's panel takes the place
//! of the steps, with the scene's note below it. While that lab is open, the lecture's keys lead from scene to scene, and those
//! of steps move the lab.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::document::{Kind, PROGRAM};
use litmoscope::graph::RelationName;
use litmoscope::labs::comparison::Asked;
use litmoscope::session::script::{MAX_NOTE, MAX_SCENES, MAX_TITLE, Scene, SceneLab, SceneQuestion, Script};
use litmoscope::session::{Settings, link};
use litmoscope::words;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::asking::Quiz;
use crate::app::App;
use crate::app::lab::{Lab, LabId, Tab};
use crate::browser::{self, Store};
use crate::document::Whose;
use crate::document::recent::grew_from;
use crate::ui::dialog::Dialog;
use crate::ui::prose::prose;
use crate::ui::scene::around::Pointed;
use crate::worker::session::Command;

/// Links beyond this length are cut by some programs on their way.
const LONG_LINK: usize = 8000;

/// A scene in the list. The name stays with it wherever it is moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The name.
    pub id: u32,
    /// The scene.
    pub scene: Scene,
}

/// Where a script stands, as it is kept with the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The scene, counted from 1.
    at: usize,
    /// How many there are: another script may have come since.
    of: usize,
    /// The title of the script.
    title: String,
    /// Nobody has stepped on from it.
    fresh: bool,
    /// Its question waits for an answer.
    asks: bool,
}

/// Where one goes among scenes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To the next one.
    Forward,
    /// To the one before.
    Back,
}

/// The scenes and how the page stands to them.
#[derive(Clone, Copy)]
pub struct Scenes {
    title: RwSignal<String>,
    about: RwSignal<String>,
    /// All of them in their order.
    pub list: RwSignal<Vec<Item>>,
    /// The scene shown last.
    pub at: RwSignal<Option<u32>>,
    /// The same as long as nobody has stepped on from it.
    shown: RwSignal<Option<Arc<Scene>>>,
    /// The dialog is open.
    pub open: RwSignal<bool>,
    /// That of the ready-made lessons is.
    pub ready: RwSignal<bool>,
    quiz: Quiz,
    /// What was deleted last, and where it was.
    removed: RwSignal<Vec<(usize, Item)>>,
    /// The scenes that a link or a file replaced, as a file.
    kept: RwSignal<Option<String>>,
    /// What was opened last, as a file: it need not be kept.
    opened: StoredValue<String>,
    /// The relations hidden before a scene chose others.
    hidden: StoredValue<Option<BTreeSet<RelationName>>>,
    /// The scene shown has been reached.
    arrived: StoredValue<bool>,
    last_id: StoredValue<u32>,
}

impl Scenes {
    /// What the storage remembers.
    pub fn new(app: App, quiz: Quiz) -> Self {
        let scenes = Self {
            title: RwSignal::default(),
            about: RwSignal::default(),
            list: RwSignal::default(),
            at: RwSignal::new(None),
            shown: app.scene,
            open: RwSignal::new(false),
            ready: RwSignal::new(false),
            quiz,
            removed: RwSignal::default(),
            kept: RwSignal::new(browser::load("kept-scenes")),
            opened: StoredValue::new(browser::load("opened-scenes").unwrap_or_default()),
            hidden: StoredValue::new(None),
            arrived: StoredValue::new(true),
            last_id: StoredValue::new(0),
        };
        // Another tab may have opened another script since.
        let stored = Store::Tab.get("scenes").or_else(|| browser::load("scenes"));
        if let Some(Ok(script)) = stored.map(|stored| Script::read(&stored)) {
            scenes.set(script);
        }
        scenes
    }

    /// Those of this page.
    pub fn get() -> Self {
        expect_context()
    }

    /// The questions that they may ask.
    pub fn quiz(self) -> Quiz {
        self.quiz
    }

    fn set(self, script: Script) {
        self.title.set(script.title);
        self.about.set(script.about);
        self.removed.set(Vec::new());
        self.list.set(script.scenes.into_iter().map(|scene| Item { id: self.next_id(), scene }).collect());
    }

    fn next_id(self) -> u32 {
        self.last_id.update_value(|id| *id += 1);
        self.last_id.get_value()
    }

    fn script(self) -> Script {
        let scenes = self.list.get().into_iter().map(|item| item.scene).collect();
        Script { title: self.title.get(), about: self.about.get(), scenes }
    }

    /// Which scene is shown, counted from 1, and of how many.
    pub fn place(self) -> Option<(usize, usize)> {
        let at = self.at.get()?;
        self.list.with(|list| Some((list.iter().position(|item| item.id == at)? + 1, list.len())))
    }

    /// Where the script stands, to be kept.
    pub fn kept_place(self) -> Option<Place> {
        let (at, of) = untrack(|| self.place())?;
        let title = self.title.get_untracked();
        let asks = self.quiz.asked.with_untracked(Option::is_some);
        Some(Place { at, of, title, fresh: self.shown.with_untracked(Option::is_some), asks })
    }

    /// Stands where the script stood. The session is opened, and its looks are set, by others.
    pub fn resume(self, app: App, place: &Place) {
        let list = self.list.get_untracked();
        let same = list.len() == place.of && self.title.with_untracked(|title| *title == place.title);
        let Some(Item { id, scene }) = list.get(place.at.wrapping_sub(1)).filter(|_| same) else { return };
        if self.at.get_untracked().is_none() {
            self.hidden.set_value(Some(app.looks.hidden.get_untracked()));
        }
        app.looks.arranged.set(true);
        self.at.set(Some(*id));
        self.arrived.set_value(!place.fresh);
        self.shown.set(place.fresh.then(|| Arc::new(scene.clone())));
        if place.asks {
            self.put_question(app, scene);
        }
        // What labs show is resumed later than where the script stands.
        if let Some((id, _)) = scene.lab.as_ref().filter(|_| place.fresh).and_then(|shown| lab_of(app, shown)) {
            spawn_local(async move { app.show(Tab::Lab(id)) });
        }
    }

    /// The scene that is shown, also when somebody has stepped on from it.
    fn at_hand(self) -> Option<Scene> {
        let at = self.at.get_untracked()?;
        self.list.with_untracked(|list| list.iter().find(|item| item.id == at).map(|item| item.scene.clone()))
    }

    /// Whether the scene that is shown is one of the lab that is open: then its keys lead from scene to scene there, too.
    pub fn are_there(self, app: App) -> bool {
        let lab = |scene: &Scene| match &scene.lab {
            Some(shown) => lab_of(app, shown).map(|(id, _)| id),
            None => Some(app.lab_for(Kind::of(&scene.settings.text))),
        };
        app.covered() && self.at_hand().as_ref().and_then(lab) == Some(app.active.get_untracked())
    }

    /// Shows a scene's text where the scene is to be seen: among the steps, or in a lab.
    fn enter(self, app: App, scene: &Scene) {
        let Some(shown) = &scene.lab else {
            app.show(Tab::Graph);
            return;
        };
        match lab_of(app, shown) {
            Some((id, lab)) => {
                // A lab without a place is shown from its beginning, whatever it has shown of the same text.
                lab.resume(shown.place.as_ref().unwrap_or(&Value::Object(serde_json::Map::new())));
                if shown.place.is_some() {
                    app.show(Tab::Lab(id));
                } else {
                    app.open_there(id);
                }
            }
            None => {
                app.show(Tab::Graph);
                app.complain(&format!(
                    "This scene belongs to the lab “{}”, and this page does not have it.",
                    shown.name
                ));
            }
        }
    }

    /// Puts the question of a scene that has one.
    fn put_question(self, app: App, scene: &Scene) {
        let Some(SceneQuestion { outcome }) = &scene.question else { return };
        let Settings { text, model, options, .. } = &scene.settings;
        match Asked::new(text, outcome.as_deref(), *model) {
            Ok(asked) => self.quiz.ask(asked, *options),
            Err(why) => app.complain(&format!("This scene asks a question that can't be asked: {why}.")),
        }
    }

    /// Whether there is this scene.
    pub fn has(self, id: u32) -> bool {
        self.list.with_untracked(|list| list.iter().any(|item| item.id == id))
    }

    /// Ends where another program takes the place of the scene's.
    pub fn hear(self, app: App, settings: &Settings) {
        if self.at_hand().is_some_and(|scene| !grew_from(&scene.settings.text, &settings.text)) {
            self.leave(app);
            let again = browser::by_device(" Page down begins them again.", "");
            app.tell(&format!("The scenes have ended, since another program is here.{again}"));
        }
    }

    /// Shows a scene, from its start.
    pub fn show(self, app: App, id: u32) {
        let scene = self.list.with_untracked(|list| list.iter().find(|item| item.id == id).map(|i| i.scene.clone()));
        let Some(scene) = scene else { return };
        self.quiz.leave();
        app.session.playing.set(false);
        if self.at.get_untracked().is_none() {
            self.hidden.set_value(Some(app.looks.hidden.get_untracked()));
        }
        app.looks.arranged.set(true);
        self.at.set(Some(id));
        let hidden = match &scene.show {
            Some(shown) => RelationName::ALL.into_iter().filter(|relation| !shown.contains(relation)).collect(),
            None => self.hidden.get_value().unwrap_or_default(),
        };
        if app.looks.hidden.with_untracked(|now| *now != hidden) {
            app.looks.hidden.set(hidden);
        }
        self.arrived.set_value(false);
        let here = Settings { position: scene.settings.position, ..untrack(|| app.settings()) };
        let is_here = here == scene.settings;
        if is_here && untrack(|| app.steppable()) {
            app.command(Command::GoTo(scene.settings.position));
        } else if !is_here || Kind::of(&here.text).is(&PROGRAM) {
            app.load(&scene.settings, Whose::Sample);
        }
        self.enter(app, &scene);
        self.put_question(app, &scene);
        self.shown.set(Some(Arc::new(scene)));
    }

    /// Shows the next scene, or the one before; whether there are scenes at all.
    pub fn move_on(self, app: App, way: Way) -> bool {
        let list = self.list.get_untracked();
        let at = self.at.get_untracked().and_then(|at| list.iter().position(|item| item.id == at));
        let next = match (at, way) {
            (None, Way::Forward) => Some(0),
            (None, Way::Back) => return false,
            (Some(at), Way::Forward) => Some(at + 1),
            (Some(at), Way::Back) => at.checked_sub(1),
        };
        match next.and_then(|next| list.get(next)) {
            Some(item) => self.show(app, item.id),
            None if list.is_empty() => return false,
            None if way == Way::Forward => {
                let lessons = browser::by_device(" Press u for the lessons.", "");
                app.tell(&format!("This is the last scene.{lessons}"));
            }
            None => app.tell("This is the first scene."),
        }
        true
    }

    /// Plays from a scene in the lecture mode.
    fn play(self, app: App, id: u32) {
        self.open.set(false);
        app.looks.lecture.set(true);
        self.show(app, id);
    }

    /// Goes on without the scenes, wherever they have led to.
    pub fn leave(self, app: App) {
        self.quiz.leave();
        self.shown.set(None);
        self.at.set(None);
        app.looks.arranged.set(false);
        if let Some(hidden) = self.hidden.get_value() {
            self.hidden.set_value(None);
            app.looks.hidden.set(hidden);
        }
    }

    /// What is seen now, as a scene; `None` while there is nothing to see.
    fn here(self, app: App) -> Option<Scene> {
        let open = app.active.get_untracked();
        if let Some((name, _, lab)) = app.kept_labs().into_iter().find(|(_, id, _)| *id == open) {
            let settings = Settings { position: app.place(), ..untrack(|| app.settings()) };
            let lab = Some(SceneLab { name: name.to_owned(), place: lab.keep() });
            return Some(Scene { settings, lab, ..Scene::default() });
        }
        let view = app.session.view.get_untracked().filter(|_| untrack(|| app.steppable()))?;
        let hidden = app.looks.hidden.get_untracked();
        let point = app.around.pointed.get_untracked().and_then(|pointed| {
            let Pointed::Event(key) = pointed else { return None };
            view.drawing.nodes.iter().find(|node| node.key == key).map(|node| node.name.clone())
        });
        Some(Scene {
            settings: Settings { position: view.position, ..untrack(|| app.settings()) },
            show: Some(RelationName::ALL.into_iter().filter(|relation| !hidden.contains(relation)).collect()),
            point,
            ..Scene::default()
        })
    }

    /// Makes a scene of what is seen.
    pub fn add(self, app: App) {
        let count = self.list.with_untracked(Vec::len);
        if count >= MAX_SCENES {
            app.complain(&format!("There is room for only {MAX_SCENES} scenes."));
            return;
        }
        let Some(scene) = self.here(app) else {
            app.complain("There is nothing yet to make a scene of: you can't step through this program.");
            return;
        };
        if let Err(why) = scene.fits() {
            app.complain(&format!("This can't become a scene: {why}."));
            return;
        }
        let words = if scene.lab.is_some() { "What is shown" } else { "This step" };
        let id = self.next_id();
        self.list.update(|list| list.push(Item { id, scene }));
        app.tell(&format!("{words} is scene {}.", count + 1));
    }

    fn edit(self, id: u32, change: impl FnOnce(&mut Scene)) {
        self.list.update(|list| {
            if let Some(item) = list.iter_mut().find(|item| item.id == id) {
                change(&mut item.scene);
            }
        });
    }

    /// Puts what is seen in a scene's place; what is said of it stays.
    fn retake(self, app: App, id: u32) {
        if let Some(here) = self.here(app).filter(|here| here.fits().is_ok()) {
            self.edit(id, |scene| {
                *scene = Scene {
                    note: std::mem::take(&mut scene.note),
                    highlight: std::mem::take(&mut scene.highlight),
                    question: scene.question.take(),
                    ..here
                };
            });
        }
    }

    fn shift(self, id: u32, later: bool) {
        self.list.update(|list| {
            let Some(at) = list.iter().position(|item| item.id == id) else { return };
            let to = if later { at + 1 } else { at.wrapping_sub(1) };
            if to < list.len() {
                list.swap(at, to);
            }
        });
    }

    fn duplicate(self, id: u32) {
        let copy = self.next_id();
        self.list.update(|list| {
            if let Some(at) = list.iter().position(|item| item.id == id).filter(|_| list.len() < MAX_SCENES) {
                list.insert(at + 1, Item { id: copy, scene: list[at].scene.clone() });
            }
        });
    }

    fn delete(self, id: u32) {
        let at = self.list.with_untracked(|list| list.iter().position(|item| item.id == id));
        if let Some(at) = at {
            self.list.update(|list| self.removed.set(vec![(at, list.remove(at))]));
        }
    }

    fn delete_all(self, app: App) {
        self.leave(app);
        self.list.update(|list| self.removed.set(list.drain(..).enumerate().collect()));
    }

    fn undo(self) {
        let removed = self.removed.get_untracked();
        self.removed.set(Vec::new());
        self.list.update(|list| {
            for (at, item) in removed {
                list.insert(at.min(list.len()), item);
            }
        });
    }

    /// Replaces all scenes by those of a link or a file. Those that were there can be restored if they were made here.
    pub fn take(self, app: App, script: Script) {
        self.leave(app);
        let before = untrack(|| self.script());
        let written = before.write();
        if !before.scenes.is_empty() && self.opened.with_value(|opened| *opened != written) && before != script {
            browser::store("kept-scenes", &written);
            self.kept.set(Some(written));
        }
        self.opened.set_value(script.write());
        browser::store("opened-scenes", &script.write());
        self.set(script);
    }

    /// The same, and shows one of them, counted from 1.
    pub fn start(self, app: App, script: Script, at: usize) {
        let (title, count) = (script.title.clone(), script.scenes.len());
        self.take(app, script);
        let first = self.list.with_untracked(|list| list.get(at.clamp(1, count.max(1)) - 1).map(|item| item.id));
        match first {
            Some(first) => {
                app.notices.notice.set(None);
                self.show(app, first);
                // What can't be shown of it says more.
                if app.notices.notice.with_untracked(Option::is_some) {
                    return;
                }
                let title = if title.is_empty() { String::new() } else { format!("{title}: ") };
                let on = browser::by_device("Page down goes on", "The arrows lead from scene to scene");
                app.tell(&format!("{title}{}. {on}.", scenes(count)));
            }
            None => app.tell("There are no scenes in it."),
        }
    }

    fn restore(self, app: App) {
        if let Some(Ok(script)) = self.kept.get_untracked().map(|kept| Script::read(&kept)) {
            self.take(app, script);
            self.kept.set(None);
            browser::forget("kept-scenes");
        }
    }

    /// Reads a file with scenes.
    pub fn open_file(self, app: App, content: &str) {
        match Script::read(content) {
            Ok(script) => {
                self.open.set(false);
                self.start(app, script, 1);
            }
            Err(error) => app.complain(&format!("The scenes can't be read: {error}.")),
        }
    }

    /// Opens one of the site's own scripts, which a link names: `sb`, or `sb:3` for its third scene.
    pub fn open_tour(self, app: App, named: &str) {
        let (name, at) = named.split_once(':').unwrap_or((named, "1"));
        let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || name.len() > 60 || !name.chars().all(known) {
            app.complain("There is no such tour: the name of a tour has only lower-case letters, digits and hyphens.");
            return;
        }
        let (name, at) = (name.to_owned(), at.parse().unwrap_or(1));
        spawn_local(async move {
            let read = browser::fetch(&format!("public/tours/{name}.json"))
                .await
                .and_then(|content| Script::read(&content).map_err(|error| error.to_string()));
            match read {
                Ok(script) => self.start(app, script, at),
                Err(error) => app.complain(&format!("The tour {name} can't be opened: {error}.")),
            }
        });
    }

    fn share(self, app: App) {
        match link::encode_script(&untrack(|| self.script())) {
            Ok(fragment) => app.publish(
                &fragment,
                if fragment.len() > LONG_LINK {
                    "Link copied. It is long, and some programs cut long links: a file is safer."
                } else {
                    "Link copied: it leads to the first scene."
                },
            ),
            Err(_) => app.complain("These scenes are too long for a link: save them as a file."),
        }
        self.open.set(false);
    }

    fn save(self) {
        let script = untrack(|| self.script());
        let letters = script.title.to_lowercase();
        let words: Vec<_> =
            letters.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let name = if words.is_empty() { "scenes".to_owned() } else { words.join("-") };
        browser::download(&format!("{name}.json"), &script.write());
    }
}

/// The lab of a scene, if the page has one of this name whose place can be kept.
fn lab_of(app: App, shown: &SceneLab) -> Option<(LabId, Rc<dyn Lab>)> {
    let (_, id, lab) = app.kept_labs().into_iter().find(|(name, ..)| *name == shown.name)?;
    matches!(app.panel(id), Some(Tab::Lab(_))).then_some((id, lab))
}

fn scenes(count: usize) -> String {
    words::count(count as u64, "scene")
}

/// Follows the session to the scene that is to be shown, and stores the list.
pub fn follow(app: App, all: Scenes) {
    Effect::new(move |_| {
        let script = all.script();
        if script == Script::default() {
            browser::forget("scenes");
            Store::Tab.remove("scenes");
        } else {
            let written = script.write();
            browser::store("scenes", &written);
            let _ = Store::Tab.put("scenes", &written);
        }
    });
    Effect::new(move |_| {
        let ready = app.session.current.get() && !app.session.working.get() && !app.session.edited.get();
        let (Some(view), Some(scene)) = (app.session.view.get().filter(|_| ready), all.shown.get()) else { return };
        if all.arrived.get_value() {
            return;
        }
        all.arrived.set_value(true);
        let at =
            scene.point.as_ref().and_then(|point| view.drawing.nodes.iter().find(|node| node.name == point.trim()));
        app.around.pointed.set(at.map(|node| Pointed::Event(node.key)));
        if let Some(message) = scene.arrival(&view) {
            app.complain(&message);
        }
    });
}

/// The dialog in which scenes are made.
#[component]
pub fn ScenesDialog() -> impl IntoView {
    let (app, all) = (App::get(), Scenes::get());
    let none = move || all.list.with(Vec::is_empty);
    let file = NodeRef::<html::Input>::new();
    let picked = move |_| {
        let Some(input) = file.get_untracked() else { return };
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            spawn_local(async move {
                match browser::read(&file).await {
                    Some(content) => all.open_file(app, &content),
                    None => app.complain("The file can't be read."),
                }
            });
        }
        // The same file can be picked again.
        input.set_value("");
    };
    let play = move |_| {
        if let Some(first) = all.list.with_untracked(|list| list.first().map(|item| item.id)) {
            all.play(app, first);
        }
    };
    let removed = move || match all.removed.with(Vec::len) {
        0 => None,
        1 => Some("A scene was deleted.".to_owned()),
        more => Some(format!("{} were deleted.", scenes(more))),
    };
    let tools = view! {
        <button type="button" id="to-lessons" title="The ready-made lessons (u)" on:click=move |_| {
            all.open.set(false);
            all.ready.set(true);
        }>
            "Lessons"
        </button>
    }
    .into_any();
    view! {
        <Dialog id="scenes" class="scenes" title="Scenes" open=all.open tools>
            <div class="scenes-tools">
                <button type="button" id="scene-add" class="primary" title="Also T on the page" on:click=move |_| all.add(app)>
                    "Add scene from here"
                </button>
                <button type="button" id="scenes-play" aria-disabled=move || none().to_string() on:click=play>"Play"</button>
                <button
                    type="button"
                    id="scenes-share"
                    aria-disabled=move || none().to_string()
                    on:click=move |_| if !none() { all.share(app) }
                >
                    "Copy link"
                </button>
                <button
                    type="button"
                    id="scenes-save"
                    aria-disabled=move || none().to_string()
                    on:click=move |_| if !none() { all.save() }
                >
                    "Save file"
                </button>
                <button type="button" id="scenes-open" on:click=move |_| if let Some(input) = file.get_untracked() { input.click() }>
                    "Open file"
                </button>
                <button
                    type="button"
                    id="scenes-clear"
                    aria-disabled=move || none().to_string()
                    on:click=move |_| if !none() { all.delete_all(app) }
                >
                    "Delete all"
                </button>
                <input id="scenes-file" class="away" type="file" accept=".json,application/json" aria-hidden="true" tabindex="-1" node_ref=file on:change=picked />
            </div>
            {move || removed().map(|words| view! {
                <p class="restore" role="status">
                    {words}
                    <button type="button" id="scenes-undo" on:click=move |_| all.undo()>"Undo"</button>
                </p>
            })}
            <Show when=move || all.kept.with(Option::is_some)>
                <p class="restore">
                    "Your own scenes are kept. "
                    <button type="button" id="scenes-restore" on:click=move |_| all.restore(app)>"Restore my scenes"</button>
                </p>
            </Show>
            <label class="scenes-name">
                <span>"Title"</span>
                <input
                    id="scenes-name"
                    type="text"
                    maxlength=MAX_TITLE
                    autocomplete="off"
                    prop:value=move || all.title.get()
                    on:input:target=move |event| all.title.set(event.target().value())
                />
            </label>
            <Show when=none>
                <p class="empty">
                    "No scenes yet. A scene is a step, or what a lab shows, together with your note. Step to where \
                     your lecture begins, and add a scene. In the lecture mode, "
                    {browser::by_device("Page down leads", "the arrows lead")}
                    " from scene to scene."
                </p>
            </Show>
            <ol class="scene-list" id="scene-list">
                <For each=move || all.list.get() key=|item| item.id let:item>
                    <Row id=item.id />
                </For>
            </ol>
        </Dialog>
    }
}

/// A scene of the list.
#[derive(Clone, Copy)]
struct Listed {
    id: u32,
    app: App,
    all: Scenes,
    scene: Memo<Scene>,
    /// Where it is in the list, from 1.
    number: Memo<usize>,
    row: NodeRef<html::Li>,
}

impl Listed {
    fn new(id: u32) -> Self {
        let (app, all) = (App::get(), Scenes::get());
        let scene = Memo::new(move |_| {
            all.list.with(|list| list.iter().find(|item| item.id == id).map(|i| i.scene.clone())).unwrap_or_default()
        });
        let number =
            Memo::new(move |_| all.list.with(|list| list.iter().position(|item| item.id == id)).map_or(0, |at| at + 1));
        Self { id, app, all, scene, number, row: NodeRef::new() }
    }

    /// Moves it in the list. An element that is moved loses the focus.
    fn shift(self, later: bool, selector: &'static str) {
        let row = self.row;
        self.all.shift(self.id, later);
        request_animation_frame(move || {
            let element = row.get_untracked().and_then(|row| row.query_selector(selector).ok().flatten());
            if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
                let _ = element.focus();
            }
        });
    }

    /// Its title, and what can be done with all of it.
    fn head(self) -> impl IntoView {
        let Self { id, app, all, scene, number, .. } = self;
        let title = Memo::new(move |_| scene.with(Scene::title));
        let last = move || number.get() == all.list.with(Vec::len);
        view! {
            <div class="scene-head">
                <span class="scene-number">{number}</span>
                <span class="scene-title">{title}</span>
                <div class="scene-buttons">
                    <button type="button" class="scene-show" title="Show it on the page" on:click=move |_| {
                        all.open.set(false);
                        all.show(app, id);
                    }>
                        "Show"
                    </button>
                    <button type="button" class="scene-play" title="Play from here, in the lecture mode" on:click=move |_| all.play(app, id)>"Play"</button>
                    <button
                        type="button"
                        class="scene-up"
                        title="Earlier (Alt+↑)"
                        aria-label=move || format!("Scene {} earlier", number.get())
                        aria-disabled=move || (number.get() == 1).to_string()
                        on:click=move |_| self.shift(false, ".scene-up")
                    >
                        "↑"
                    </button>
                    <button
                        type="button"
                        class="scene-down"
                        title="Later (Alt+↓)"
                        aria-label=move || format!("Scene {} later", number.get())
                        aria-disabled=move || last().to_string()
                        on:click=move |_| self.shift(true, ".scene-down")
                    >
                        "↓"
                    </button>
                    <button type="button" class="scene-copy" on:click=move |_| all.duplicate(id)>"Duplicate"</button>
                    <button type="button" class="scene-retake" title="Replace it by the step that is shown now" on:click=move |_| all.retake(app, id)>
                        "Retake"
                    </button>
                    <button type="button" class="scene-delete" on:click=move |_| all.delete(id)>"Delete"</button>
                </div>
            </div>
        }
    }

    /// The relations that it can draw thick.
    fn relations(self) -> impl IntoView {
        let Self { id, all, scene, .. } = self;
        let relation = move |relation: RelationName| {
            let thick = move || scene.with(|scene| scene.highlight.contains(&relation));
            view! {
                <button
                    type="button"
                    class="thick"
                    data-relation=relation.name()
                    aria-pressed=move || thick().to_string()
                    on:click=move |_| all.edit(id, |scene| {
                        if scene.highlight.contains(&relation) {
                            scene.highlight.retain(|other| *other != relation);
                        } else {
                            scene.highlight.push(relation);
                        }
                    })
                >
                    {relation.name()}
                </button>
            }
        };
        let shown = scene.with(|scene| scene.show.clone()).unwrap_or_else(|| RelationName::ALL.to_vec());
        shown.into_iter().map(relation).collect_view()
    }

    /// What is asked, pointed at and drawn thick.
    fn more(self) -> impl IntoView {
        let Self { id, all, scene, .. } = self;
        let asks = Memo::new(move |_| scene.with(|scene| scene.question.is_some()));
        let shown = Memo::new(move |_| scene.with(|scene| scene.show.clone()));
        view! {
            <div class="scene-more">
                <label class="switch">
                    <input
                        type="checkbox"
                        class="scene-asks"
                        prop:checked=asks
                        on:change:target=move |event| {
                            let asks = event.target().checked();
                            all.edit(id, |scene| scene.question = asks.then(SceneQuestion::default));
                        }
                    />
                    <span>"first ask whether this outcome is possible"</span>
                </label>
                <Show when=move || asks.get()>
                    <input
                        type="text"
                        class="scene-outcome"
                        maxlength=MAX_TITLE
                        autocomplete="off"
                        placeholder="the program's condition"
                        aria-label="Outcome asked for"
                        prop:value=move || {
                            scene.with(|scene| scene.question.clone().and_then(|question| question.outcome)).unwrap_or_default()
                        }
                        on:input:target=move |event| {
                            let outcome = Some(event.target().value()).filter(|outcome| !outcome.trim().is_empty());
                            all.edit(id, |scene| scene.question = Some(SceneQuestion { outcome }));
                        }
                    />
                </Show>
                <label class="scene-points">
                    <span>"point at"</span>
                    <input
                        type="text"
                        class="scene-point"
                        maxlength="40"
                        autocomplete="off"
                        placeholder="P1.2"
                        prop:value=move || scene.with(|scene| scene.point.clone()).unwrap_or_default()
                        on:input:target=move |event| {
                            let point = Some(event.target().value()).filter(|point| !point.trim().is_empty());
                            all.edit(id, |scene| scene.point = point);
                        }
                    />
                </label>
                <div class="scene-thick" role="group" aria-label="Drawn thick">
                    <span>"thick"</span>
                    {move || {
                        shown.track();
                        untrack(|| self.relations())
                    }}
                </div>
            </div>
        }
    }
}

/// A scene of the list and all that can be done to it.
#[component]
fn Row(id: u32) -> impl IntoView {
    let listed = Listed::new(id);
    let Listed { all, scene, number, row, .. } = listed;
    let trouble = Memo::new(move |_| {
        scene.with(|scene| {
            let question = scene.question.as_ref()?;
            Asked::new(&scene.settings.text, question.outcome.as_deref(), scene.settings.model).err()
        })
    });
    let keys = move |event: KeyboardEvent| {
        if event.alt_key() && matches!(event.key().as_str(), "ArrowUp" | "ArrowDown") {
            event.prevent_default();
            listed.shift(event.key() == "ArrowDown", "textarea");
        }
    };
    view! {
        <li class="scene" class:at=move || all.at.get() == Some(id) node_ref=row on:keydown=keys>
            {listed.head()}
            <textarea
                class="scene-note"
                rows="2"
                maxlength=MAX_NOTE
                placeholder="Your note. Without one, the scene shows the explanation of the step"
                aria-label=move || format!("Note of scene {}", number.get())
                prop:value=move || scene.with(|scene| scene.note.clone())
                on:input:target=move |event| {
                    let note = event.target().value();
                    all.edit(id, |scene| scene.note = note);
                }
            ></textarea>
            {listed.more()}
            {move || trouble.get().map(|trouble| view! { <p class="trouble" role="alert">{prose(&format!("This can't be asked: {trouble}."))}</p> })}
        </li>
    }
}
