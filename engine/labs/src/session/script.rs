//! Scripts: what a lecturer has arranged to be shown, scene after scene, as a file.
//!
//! A script is JSON. What its scenes have in common stands once at the top; a scene says only what it has otherwise:
//!
//! ```json
//! {
//!   "litmoscope": "scenes",
//!   "version": 1,
//!   "title": "Store buffering",
//!   "program": ["x := 1 || y := 1", "a := y || b := x", "exists (P0:a = 0 /\\ P1:b = 0)"],
//!   "model": "sc",
//!   "scenes": [
//!     { "note": "Two threads, two locations." },
//!     { "position": 9, "note": "Both reads are there.", "show": ["po", "rf"], "highlight": ["rf"], "point": "P1.2" },
//!     { "model": "tso", "question": {}, "note": "And with store buffers?" },
//!     { "program": "history h queue\nT1: enq 1 [0,1]", "lab": "histories", "place": { "points": "middle" } }
//!   ]
//! }
//! ```
//!
//! A script holds no answers: a question is answered by exploring. Nothing in it is explored when it is
//! read either, so whether a position exists is seen when the scene is shown ([`Scene::arrival`]). So is whether there is such a lab,
//! and whether its place means anything: both are the lab's words. A text that a lab is for, such as a history, stands in the place of the
//! program.
//!
//! Reading a script checks names and sizes, so a script from a stranger costs no more than its length. A scene that can't show a
//! position or an event says so when it is shown. The file is made for people to write: what scenes share stands once, and
//! programs may be lists of lines. A link of version 2 is the same file, deflated.
//!
//! A scene may be shown in a lab instead of the steps. Its place is in the lab's own words, the same as in a link of version 4.
//! The engine bounds the place and does not look into it, since sessions know no labs.

use super::link::is_usual;
use super::{Settings, View};
use crate::explore::{Algorithm, Options, Parameters};
use crate::graph::RelationName;
use crate::model::{Model, Usual};
use crate::program::Limits;
use crate::syntax;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most scenes that a script may have.
pub const MAX_SCENES: usize = 200;
/// The longest note, in characters.
pub const MAX_NOTE: usize = 2000;
/// The longest title, and the longest outcome, event or lab named, in characters.
pub const MAX_TITLE: usize = 200;
/// The longest place in a lab, in bytes as JSON.
pub const MAX_PLACE: usize = 64 * 1024;
/// The longest file that is read, in bytes.
pub const MAX_SCRIPT: usize = 16 * 1024 * 1024;

/// What a file says that it is.
const KIND: &str = "scenes";
/// The only version yet.
const VERSION: u32 = 1;

/// Scenes in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// What they are about; may be empty.
    pub title: String,
    /// The same in a sentence or two; may be empty.
    pub about: String,
    /// The scenes.
    pub scenes: Vec<Scene>,
}

/// A moment of an exploration, and what is said of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// The program and the step. A position of [`u64::MAX`] is the end.
    pub settings: Settings,
    /// What is said instead of the explanation of the step; may be empty.
    pub note: String,
    /// The relations that are drawn; `None` for those that the reader has chosen.
    pub show: Option<Vec<RelationName>>,
    /// Those that are drawn thick.
    pub highlight: Vec<RelationName>,
    /// The name of an event that is pointed at: `P1.2`.
    pub point: Option<String>,
    /// What is asked before anything is shown.
    pub question: Option<SceneQuestion>,
    /// The lab that shows it; `None` for the steps.
    pub lab: Option<SceneLab>,
}

/// A lab that shows a scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneLab {
    /// The lab's name.
    pub name: String,
    /// What it shows, in its own words; `None` for the beginning.
    pub place: Option<Value>,
}

/// Whether the scene's model allows an outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct Question")]
pub struct SceneQuestion {
    /// The outcome, as in a condition: `P0:a = 0 /\ P1:b = 0`. `None` for that of the program's condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

/// Why a script can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// Longer than any that is written.
    #[error("it has {0} bytes, more than {MAX_SCRIPT}")]
    TooLong(usize),
    /// No JSON, or none of this shape.
    #[error("it is no script of scenes: {0}")]
    NoScript(String),
    /// Made by a version to come.
    #[error("it has version {0}, and this page reads version {VERSION}; reload the page to get its newest version")]
    Version(u32),
    /// What it says at the top.
    #[error("{0}")]
    Top(String),
    /// What a scene says, counted from 1.
    #[error("scene {0}: {1}")]
    Scene(usize, String),
}

/// A text, or its lines.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Lines {
    Text(String),
    Lines(Vec<String>),
}

impl Lines {
    fn of(text: &str) -> Self {
        if text.contains('\n') {
            Self::Lines(text.split('\n').map(str::to_owned).collect())
        } else {
            Self::Text(text.to_owned())
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Lines(lines) => lines.join("\n"),
        }
    }
}

/// A number of steps, or the word `end`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Position {
    Steps(u64),
    Named(String),
}

fn yes(flag: &bool) -> bool {
    !*flag
}

/// How to explore, as it is written.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct OptionsFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    unroll: Option<u32>,
    #[serde(skip_serializing_if = "yes")]
    stop_at_first: bool,
    #[serde(skip_serializing_if = "yes")]
    no_races: bool,
    #[serde(skip_serializing_if = "yes")]
    spurious: bool,
    #[serde(skip_serializing_if = "yes")]
    unroll_spins: bool,
    #[serde(skip_serializing_if = "yes")]
    leave_out_waits: bool,
    #[serde(skip_serializing_if = "yes")]
    stuck_loops: bool,
    #[serde(skip_serializing_if = "yes")]
    symmetry: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    preemptions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contexts: Option<u32>,
    #[serde(skip_serializing_if = "is_usual")]
    parameters: Parameters,
}

impl OptionsFile {
    fn of(options: &Options) -> Self {
        let limits = options.limits;
        Self {
            unroll: (limits.unroll != Limits::default().unroll).then_some(limits.unroll),
            stop_at_first: options.stop_at_first,
            no_races: options.no_races,
            spurious: options.spurious,
            unroll_spins: limits.unroll_spins,
            leave_out_waits: options.leave_out_waits,
            stuck_loops: options.stuck_loops,
            symmetry: options.symmetry,
            preemptions: options.preemptions,
            contexts: options.contexts,
            parameters: options.parameters,
        }
    }

    fn options(&self) -> Options {
        let mut limits = Limits { unroll_spins: self.unroll_spins, ..Limits::default() };
        if let Some(unroll) = self.unroll {
            limits.unroll = unroll;
        }
        Options {
            limits,
            stop_at_first: self.stop_at_first,
            no_races: self.no_races,
            spurious: self.spurious,
            leave_out_waits: self.leave_out_waits,
            stuck_loops: self.stuck_loops,
            symmetry: self.symmetry,
            preemptions: self.preemptions,
            contexts: self.contexts,
            parameters: self.parameters,
        }
    }
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SceneFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<Lines>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    algorithm: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<OptionsFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Position>,
    #[serde(skip_serializing_if = "String::is_empty")]
    note: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    show: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    highlight: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    point: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<SceneQuestion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lab: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Value>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    litmoscope: String,
    version: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    about: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<Lines>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    algorithm: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    options: Option<OptionsFile>,
    scenes: Vec<SceneFile>,
}

/// What is read before the rest, so that a version to come gets its own message.
#[derive(Deserialize)]
struct Head {
    litmoscope: String,
    version: u32,
}

impl Script {
    /// Whether a text means to be a script, whatever is wrong with it.
    pub fn is_meant(content: &str) -> bool {
        content.len() <= MAX_SCRIPT && serde_json::from_str::<Head>(content).is_ok_and(|head| head.litmoscope == KIND)
    }

    /// Reads a file. Linear in its size; nothing is explored.
    ///
    /// # Errors
    /// [`ScriptError`] for whatever [`Self::write`] would not write.
    pub fn read(content: &str) -> Result<Self, ScriptError> {
        if content.len() > MAX_SCRIPT {
            return Err(ScriptError::TooLong(content.len()));
        }
        let head: Head = serde_json::from_str(content).map_err(|error| ScriptError::NoScript(error.to_string()))?;
        if head.litmoscope != KIND {
            return Err(ScriptError::NoScript(format!("it does not say \"litmoscope\": \"{KIND}\"")));
        }
        if head.version != VERSION {
            return Err(ScriptError::Version(head.version));
        }
        let file: ScriptFile =
            serde_json::from_str(content).map_err(|error| ScriptError::NoScript(error.to_string()))?;
        if file.scenes.len() > MAX_SCENES {
            let message = format!("it has {} scenes; there may be {MAX_SCENES}", file.scenes.len());
            return Err(ScriptError::Top(message));
        }
        for (name, text) in [("title", &file.title), ("text on what it is about", &file.about)] {
            let most = if name == "title" { MAX_TITLE } else { MAX_NOTE };
            bounded(name, text, most).map_err(ScriptError::Top)?;
        }
        let program = file.program.as_ref().map(Lines::text);
        let top = Top {
            program,
            model: file.model.as_deref(),
            algorithm: file.algorithm.as_deref(),
            options: file.options.as_ref(),
        };
        let scenes = file.scenes.iter().enumerate();
        let scenes = scenes.map(|(at, scene)| top.scene(scene).map_err(|message| ScriptError::Scene(at + 1, message)));
        Ok(Self { scenes: scenes.collect::<Result<_, _>>()?, title: file.title, about: file.about })
    }

    /// The file, to be read and edited by people.
    pub fn write(&self) -> String {
        serde_json::to_string_pretty(&self.file()).expect("strings and numbers serialise") + "\n"
    }

    /// The same without spaces between.
    pub(super) fn write_short(&self) -> String {
        serde_json::to_string(&self.file()).expect("strings and numbers serialise")
    }

    fn file(&self) -> ScriptFile {
        let first = self.scenes.first().map(|scene| &scene.settings);
        let explored = |options: &Options| (*options != Options::default()).then(|| OptionsFile::of(options));
        let scene = |scene: &Scene| {
            let (own, first) = (&scene.settings, first.unwrap_or(&scene.settings));
            SceneFile {
                program: (own.text != first.text).then(|| Lines::of(&own.text)),
                model: (own.model != first.model).then(|| own.model.name().to_owned()),
                algorithm: (own.algorithm != first.algorithm).then(|| own.algorithm.name().to_owned()),
                options: (own.options != first.options).then(|| OptionsFile::of(&own.options)),
                position: match own.position {
                    0 => None,
                    u64::MAX => Some(Position::Named("end".to_owned())),
                    steps => Some(Position::Steps(steps)),
                },
                note: scene.note.clone(),
                show: scene.show.as_ref().map(|shown| names(shown)),
                highlight: names(&scene.highlight),
                point: scene.point.clone(),
                question: scene.question.clone(),
                lab: scene.lab.as_ref().map(|lab| lab.name.clone()),
                place: scene.lab.as_ref().and_then(|lab| lab.place.clone()),
            }
        };
        ScriptFile {
            litmoscope: KIND.to_owned(),
            version: VERSION,
            title: self.title.clone(),
            about: self.about.clone(),
            program: first.map(|first| Lines::of(&first.text)),
            model: first.map(|first| first.model.name().to_owned()),
            algorithm: first
                .filter(|first| first.algorithm != Algorithm::default())
                .map(|first| first.algorithm.name().to_owned()),
            options: first.and_then(|first| explored(&first.options)),
            scenes: self.scenes.iter().map(scene).collect(),
        }
    }
}

/// What holds for scenes that do not say otherwise.
struct Top<'a> {
    program: Option<String>,
    model: Option<&'a str>,
    algorithm: Option<&'a str>,
    options: Option<&'a OptionsFile>,
}

impl Top<'_> {
    fn scene(&self, file: &SceneFile) -> Result<Scene, String> {
        let text = file.program.as_ref().map(Lines::text).or_else(|| self.program.clone());
        let text = text.ok_or("there is no program, neither here nor at the top")?;
        room("program", text.len(), syntax::MAX_SOURCE)?;
        let model = match file.model.as_deref().or(self.model) {
            Some(name) => name.parse::<Model>().map_err(|error| error.to_string())?,
            None => usual_model(&text),
        };
        let algorithm = match file.algorithm.as_deref().or(self.algorithm) {
            Some(name) => name.parse::<Algorithm>().map_err(|error| error.to_string())?,
            None => Algorithm::default(),
        };
        let options = file.options.as_ref().or(self.options).map(OptionsFile::options).unwrap_or_default();
        options.validate_for(algorithm, model).map_err(|error| error.to_string())?;
        let options = options.heeded_by(algorithm);
        let position = match &file.position {
            None => 0,
            Some(Position::Steps(steps)) => *steps,
            Some(Position::Named(name)) if name == "end" => u64::MAX,
            Some(Position::Named(name)) => {
                return Err(format!("there is no position \"{name}\"; it is a number of steps, or \"end\""));
            }
        };
        bounded("note", &file.note, MAX_NOTE)?;
        bounded("event pointed at", file.point.as_deref().unwrap_or_default(), MAX_TITLE)?;
        if let Some(SceneQuestion { outcome: Some(outcome) }) = &file.question {
            bounded("outcome", outcome, MAX_TITLE)?;
        }
        let lab = match (&file.lab, &file.place) {
            (Some(name), place) => Some(SceneLab { name: name.clone(), place: place.clone() }),
            (None, Some(_)) => return Err("it has a place, but no lab that shows it".to_owned()),
            (None, None) => None,
        };
        let scene = Scene {
            settings: Settings { text, model, algorithm, options, position },
            note: file.note.clone(),
            show: file.show.as_deref().map(relations).transpose()?,
            highlight: relations(&file.highlight)?,
            point: file.point.clone(),
            question: file.question.clone(),
            lab,
        };
        scene.fits()?;
        Ok(scene)
    }
}

fn bounded(what: &str, text: &str, most: usize) -> Result<(), String> {
    let length = text.chars().count();
    if length > most { Err(format!("its {what} has {length} characters; there may be {most}")) } else { Ok(()) }
}

fn room(what: &str, bytes: usize, most: usize) -> Result<(), String> {
    if bytes > most { Err(format!("its {what} has {bytes} bytes, more than {most}")) } else { Ok(()) }
}

fn names(relations: &[RelationName]) -> Vec<String> {
    relations.iter().map(|relation| relation.name().to_owned()).collect()
}

fn relations(names: &[String]) -> Result<Vec<RelationName>, String> {
    let relation = |name: &String| {
        RelationName::ALL.into_iter().find(|relation| relation.name() == name).ok_or_else(|| {
            let all: Vec<_> = RelationName::ALL.into_iter().map(RelationName::name).collect();
            format!("there is no relation `{name}`; there are {}", all.join(", "))
        })
    };
    let mut relations = names.iter().map(relation).collect::<Result<Vec<_>, _>>()?;
    let mut seen = Vec::new();
    relations.retain(|relation| {
        let new = !seen.contains(relation);
        seen.push(*relation);
        new
    });
    Ok(relations)
}

/// The model that a program's text asks for, or else that of its notation.
fn usual_model(text: &str) -> Model {
    let program = syntax::parse(text).ok().map(|parsed| parsed.program);
    program.and_then(|program| Usual::default().model(&program).ok()).map_or_else(Model::default, |(model, _)| model)
}

impl Scene {
    /// Whether a script has room for its text and for what a lab shows of it.
    ///
    /// # Errors
    /// What it has no room for.
    pub fn fits(&self) -> Result<(), String> {
        room("program", self.settings.text.len(), syntax::MAX_SOURCE)?;
        let Some(SceneLab { name, place }) = &self.lab else { return Ok(()) };
        if name.trim().is_empty() {
            return Err("its lab has no name".to_owned());
        }
        bounded("lab's name", name, MAX_TITLE)?;
        room("place in the lab", place.as_ref().map_or(0, |place| place.to_string().len()), MAX_PLACE)
    }

    /// What has to be said where a scene can't be shown as it was made, since its program or the engine has changed.
    pub fn arrival(&self, view: &View) -> Option<String> {
        let wanted = self.settings.position;
        if wanted != u64::MAX && view.position < wanted {
            return Some(format!(
                "This scene is step {wanted}, but the exploration ends at step {}, which is shown.",
                view.position
            ));
        }
        let point = self.point.as_ref()?.trim();
        let there = view.drawing.nodes.iter().any(|node| node.name == point);
        (!there).then(|| format!("This scene points at {point}, which is not in the graph."))
    }

    /// What a list of scenes calls it: the program's name, the model, and the algorithm and the step or else the lab. A text that is no
    /// program has its first line for a name, and only a lab.
    pub fn title(&self) -> String {
        let Settings { text, model, algorithm, position, .. } = &self.settings;
        let program = syntax::parse(text).map(|parsed| parsed.program.name);
        let mut words = match &program {
            Ok(name) => vec![name.as_str()],
            Err(_) => vec![headline(text)],
        };
        if program.is_ok() || self.lab.is_none() {
            words.push(model.title());
        }
        let at = match *position {
            0 => "start".to_owned(),
            u64::MAX => "end".to_owned(),
            position => format!("step {position}"),
        };
        match &self.lab {
            Some(lab) => words.push(&lab.name),
            None => words.extend([algorithm.title(), &at]),
        }
        words.retain(|word| !word.is_empty());
        words.join(", ")
    }
}

/// The beginning of the first line that is no comment.
fn headline(text: &str) -> &str {
    const MOST: usize = 40;
    let mut lines = text.lines().map(str::trim);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with(['#', '/', ';'])).unwrap_or_default();
    line.char_indices().nth(MOST).map_or(line, |(end, _)| &line[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Session, ViewRequest};

    const FILE: &str = r#"{
        "litmoscope": "scenes", "version": 1, "title": "SB", "about": "Two threads.",
        "program": ["x := 1 || y := 1", "a := y || b := x", "exists (P0:a = 0 /\\ P1:b = 0)"],
        "model": "sc",
        "scenes": [
            { "note": "Two threads." },
            { "position": 9, "show": ["po", "rf", "rf"], "highlight": ["rf"], "point": "P1.2" },
            { "model": "tso", "algorithm": "trust_co", "position": "end", "question": { "outcome": "P0:a = 1" } },
            { "program": "model ra\nx := 1 || a := x", "options": { "unroll": 3 }, "question": {} }
        ]
    }"#;

    #[test]
    fn a_script_is_read() {
        let script = Script::read(FILE).expect("a script");
        assert_eq!((script.title.as_str(), script.about.as_str(), script.scenes.len()), ("SB", "Two threads.", 4));
        let [first, second, third, fourth] = &script.scenes[..] else { panic!("four scenes") };
        assert_eq!(first.settings.text.lines().count(), 3);
        assert_eq!((first.settings.model, first.settings.position), (Model::SC, 0));
        assert_eq!(second.settings.text, first.settings.text);
        assert_eq!(second.show.as_deref(), Some(&[RelationName::Po, RelationName::Rf][..]));
        assert_eq!((second.highlight.as_slice(), second.point.as_deref()), (&[RelationName::Rf][..], Some("P1.2")));
        assert_eq!((third.settings.model, third.settings.algorithm), (Model::TSO, Algorithm::TrustCo));
        assert_eq!(third.settings.position, u64::MAX);
        assert_eq!(third.question.as_ref().and_then(|question| question.outcome.as_deref()), Some("P0:a = 1"));
        assert_eq!(fourth.settings.options.limits.unroll, 3);
        assert_eq!(fourth.question, Some(SceneQuestion::default()));
        assert_eq!(Script::read(&script.write()), Ok(script.clone()));
        assert_eq!(Script::read(&script.write_short()), Ok(script));
    }

    #[test]
    fn without_a_model_that_of_the_text_is_taken() {
        let file = r#"{"litmoscope":"scenes","version":1,"scenes":[{"program":"model ra\nx := 1 || a := x"}]}"#;
        assert_eq!(Script::read(file).expect("a script").scenes[0].settings.model, Model::RA);
    }

    const SHOWN: &str = r##"{
        "litmoscope": "scenes", "version": 1,
        "program": ["# a comment", "history points queue", "T1: enq 1 [0,10]", "T2: deq 1 [5,11]"],
        "scenes": [
            { "lab": "histories", "place": { "points": "middle", "window": [0.5, 7] }, "note": "Drag them." },
            { "lab": "histories" },
            { "program": "name SB\nx := 1 || a := x", "model": "tso", "lab": "traces", "place": [1, 2], "position": 3 },
            {}
        ]
    }"##;

    #[test]
    fn a_scene_may_be_shown_in_a_lab() {
        let script = Script::read(SHOWN).expect("a script");
        let [first, second, third, fourth] = &script.scenes[..] else { panic!("four scenes") };
        let place = Some(serde_json::json!({ "points": "middle", "window": [0.5, 7] }));
        assert_eq!(first.lab, Some(SceneLab { name: "histories".to_owned(), place }));
        assert!(first.settings.text.starts_with("# a comment\nhistory points queue\n"));
        assert_eq!(second.lab, Some(SceneLab { name: "histories".to_owned(), place: None }));
        assert_eq!((third.settings.model, third.settings.position), (Model::TSO, 3));
        assert_eq!(third.lab.as_ref().map(|lab| lab.place.clone()), Some(Some(serde_json::json!([1, 2]))));
        assert_eq!((&fourth.lab, &fourth.settings.text), (&None, &first.settings.text));
        let titles: Vec<String> = script.scenes.iter().map(Scene::title).collect();
        assert_eq!(
            titles,
            [
                "history points queue, histories",
                "history points queue, histories",
                "SB, TSO, traces",
                "history points queue, SC, GenMC, start"
            ]
        );
        assert_eq!(Script::read(&script.write()), Ok(script.clone()));
        assert_eq!(Script::read(&script.write_short()), Ok(script));
    }

    /// What no script has room for is known before it is written.
    #[test]
    fn what_is_written_can_be_read() {
        let with = |name: &str, bytes: usize| {
            let place = Some(Value::String("p".repeat(bytes - 2)));
            let mut scene = Script::read(FILE).expect("a script").scenes.remove(0);
            scene.lab = Some(SceneLab { name: name.to_owned(), place });
            let fits = scene.fits();
            let written = Script { scenes: vec![scene], ..Script::default() }.write();
            assert_eq!(Script::read(&written).is_ok(), fits.is_ok(), "{fits:?}");
            fits
        };
        assert_eq!(with("histories", MAX_PLACE), Ok(()));
        let long = with("histories", MAX_PLACE + 1).expect_err("it is too long");
        assert_eq!(long, "its place in the lab has 65537 bytes, more than 65536");
        assert_eq!(with(" ", 2), Err("its lab has no name".to_owned()));
        assert!(with(&"l".repeat(MAX_TITLE + 1), 2).is_err());
    }

    #[test]
    fn an_empty_script_is_one() {
        let script = Script::default();
        assert_eq!(Script::read(&script.write()), Ok(script));
    }

    #[test]
    fn what_is_wrong_is_said_with_the_scene() {
        let with = |scene: &str| {
            let file = format!(
                r#"{{"litmoscope":"scenes","version":1,"program":"x := 1","scenes":[{{"note":"first"}},{scene}]}}"#
            );
            Script::read(&file).expect_err(scene).to_string()
        };
        let long = "n".repeat(MAX_NOTE + 1);
        let large = "[".repeat(60) + &"7,".repeat(MAX_PLACE / 2) + "7" + &"]".repeat(60);
        let deep = "[".repeat(1000) + &"]".repeat(1000);
        for (scene, message) in [
            (r#"{"show":["rf","magic"]}"#.to_owned(), "scene 2: there is no relation `magic`; there are po, rf,"),
            (r#"{"highlight":["<b>"]}"#.to_owned(), "scene 2: there is no relation `<b>`"),
            (r#"{"model":"arm"}"#.to_owned(), "scene 2: there is no memory model `arm`"),
            (r#"{"algorithm":"magic"}"#.to_owned(), "scene 2: unknown algorithm `magic`"),
            (r#"{"options":{"unroll":0}}"#.to_owned(), "scene 2: the unroll bound is 0"),
            (r#"{"position":"middle"}"#.to_owned(), "scene 2: there is no position \"middle\""),
            (format!(r#"{{"note":"{long}"}}"#), "scene 2: its note has 2001 characters"),
            (r#"{"place":{}}"#.to_owned(), "scene 2: it has a place, but no lab that shows it"),
            (r#"{"lab":" "}"#.to_owned(), "scene 2: its lab has no name"),
            (format!(r#"{{"lab":"{}"}}"#, &long[..=MAX_TITLE]), "scene 2: its lab's name has 201 characters"),
            (format!(r#"{{"lab":"a","place":{large}}}"#), "scene 2: its place in the lab has 65657 bytes"),
            (format!(r#"{{"lab":"a","place":{deep}}}"#), "it is no script of scenes: recursion limit exceeded"),
            (r#"{"lab":["histories"]}"#.to_owned(), "it is no script of scenes"),
            (r#"{"position":-1}"#.to_owned(), "it is no script of scenes"),
            (r#"{"magic":1}"#.to_owned(), "it is no script of scenes: unknown field `magic`"),
        ] {
            let said = with(&scene);
            assert!(said.starts_with(message), "{scene}: {said}");
        }
        let none = r#"{"litmoscope":"scenes","version":1,"scenes":[{}]}"#;
        assert!(Script::read(none).expect_err("no program").to_string().contains("there is no program"));
        let newer = r#"{"litmoscope":"scenes","version":2,"acts":[]}"#;
        assert_eq!(Script::read(newer), Err(ScriptError::Version(2)));
        assert!(Script::is_meant(newer) && !Script::is_meant("{}") && !Script::is_meant("no"));
        let many = format!(
            r#"{{"litmoscope":"scenes","version":1,"program":"x := 1","scenes":[{}]}}"#,
            vec!["{}"; MAX_SCENES + 1].join(",")
        );
        assert!(Script::read(&many).expect_err("too many").to_string().contains("201 scenes"));
        assert!(Script::read("[]").is_err() && Script::read("").is_err());
        assert_eq!(Script::read(&" ".repeat(MAX_SCRIPT + 1)), Err(ScriptError::TooLong(MAX_SCRIPT + 1)));
    }

    #[test]
    fn a_scene_that_is_no_more_is_said() {
        let mut scene = Script::read(FILE).expect("a script").scenes.remove(1);
        let mut session = Session::open(scene.settings.clone()).expect("a program");
        session.go_to(scene.settings.position, u64::MAX);
        assert_eq!(scene.arrival(&session.view(&ViewRequest::default())), None);
        scene.point = Some("P7.1".to_owned());
        let said = scene.arrival(&session.view(&ViewRequest::default())).expect("it is not there");
        assert!(said.contains("P7.1"), "{said}");
        scene.settings.position = 10_000;
        session.go_to(scene.settings.position, u64::MAX);
        let said = scene.arrival(&session.view(&ViewRequest::default())).expect("it is no more");
        assert!(said.contains("step 10000") && said.contains(&format!("step {}", session.position())), "{said}");
    }

    #[test]
    fn scenes_have_titles() {
        let script = Script::read(FILE).expect("a script");
        assert_eq!(script.scenes[1].title(), "SC, GenMC, step 9");
        assert_eq!(script.scenes[2].title(), "TSO, TruSt (co), end");
    }
}
