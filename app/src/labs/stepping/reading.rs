//! Reading a graph: what the mouse, a finger or the keyboard points at is asked about in the worker, and the answer is
//! shown in a card and brought out in the drawing.
//!
//! What is pinned is asked about as long as nothing else is pointed at; two events pinned ask for the path between them.
//! An answer names the graph that it is about, and is shown with no other.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use litmoscope::graph::{EventKey, RelationName};
use litmoscope::report::{Drawing, highlight};
use litmoscope::session::{GraphQuestion, Reply};

use crate::app::App;
use crate::app::lab::LabId;
use crate::ui::scene::around::{Lighting, Pointed, Role};

/// How long one has to point at something to ask about it, in milliseconds.
const PAUSE: u32 = 30;

/// What is asked of the graph and what is known of it.
#[derive(Clone, Copy)]
pub struct Reading {
    /// What was clicked: asked about while nothing else is pointed at.
    pub pinned: RwSignal<Option<Pointed>>,
    /// The second event: paths lead there from the pinned one.
    pub target: RwSignal<Option<EventKey>>,
    /// What paths may consist of.
    pub relations: RwSignal<BTreeSet<RelationName>>,
    /// The last answer, and the graph that it is about.
    answer: RwSignal<Option<(String, Arc<Reply>)>>,
    /// The last question, and the graph that it is about.
    asked: StoredValue<(u32, String)>,
    pause: StoredValue<Option<Timeout>, LocalStorage>,
}

impl Reading {
    /// Nothing asked yet.
    pub fn new(app: App) -> Self {
        use RelationName::{Co, Fr, Po, Rf};
        Self {
            pinned: app.around.pinned,
            target: RwSignal::new(None),
            relations: RwSignal::new([Po, Rf, Co, Fr].into()),
            answer: RwSignal::new(None),
            asked: StoredValue::new((0, String::new())),
            pause: StoredValue::new_local(None),
        }
    }

    /// That of this page.
    pub fn get() -> Self {
        expect_context()
    }

    /// Whether anything is pinned.
    pub fn is_pinned(self) -> bool {
        self.pinned.with_untracked(Option::is_some)
    }

    /// Pins what was clicked; a second event is where a path leads. What is pinned is let go by a second click.
    pub fn pin(self, what: Pointed) {
        let pinned = self.pinned.get_untracked();
        match (pinned, what) {
            (_, Pointed::Line(_)) => {}
            (Some(before), _) if before == what => self.let_go(),
            (Some(Pointed::Event(_)), Pointed::Event(key)) => {
                let again = self.target.get_untracked() == Some(key);
                self.target.set((!again).then_some(key));
            }
            _ => {
                self.target.set(None);
                self.pinned.set(Some(what));
            }
        }
    }

    /// Lets go of what is pinned.
    pub fn let_go(self) {
        self.pinned.set(None);
        self.target.set(None);
    }

    /// An answer to the question of this name.
    fn hear(self, id: u32, answer: Option<Box<Reply>>) {
        let (asked, stamp) = self.asked.get_value();
        if id == asked {
            self.answer.set(answer.map(|answer| (stamp, Arc::new(*answer))));
        }
    }

    fn next_question(self, stamp: String) -> u32 {
        self.asked.update_value(|(id, of)| {
            *id += 1;
            *of = stamp;
        });
        self.asked.with_value(|(id, _)| *id)
    }
}

/// What is asked, and of which graph.
fn question(app: App, reading: Reading) -> Option<(String, GraphQuestion)> {
    if app.active.get() == LabId("models") {
        return None;
    }
    let stamp = app.seen.with(|view| view.as_ref().map(|view| view.stamp.clone()))?;
    let pinned = reading.pinned.get();
    let path = match (pinned, reading.target.get()) {
        (Some(Pointed::Event(from)), Some(to)) => Some((from, to)),
        _ => None,
    };
    let question = match (app.around.pointed.get(), path) {
        (Some(Pointed::Event(key)), Some((from, to))) if key != from && key != to => GraphQuestion::Event(key),
        (Some(Pointed::Edge(key)), _) => GraphQuestion::Edge(key),
        (_, Some((from, to))) => {
            GraphQuestion::Path { from, to, relations: reading.relations.get().into_iter().collect() }
        }
        (Some(Pointed::Event(key)), None) => GraphQuestion::Event(key),
        (None | Some(Pointed::Line(_)), None) => match pinned? {
            Pointed::Event(key) => GraphQuestion::Event(key),
            Pointed::Edge(key) => GraphQuestion::Edge(key),
            Pointed::Line(_) => return None,
        },
    };
    Some((stamp, question))
}

/// Asks about what is pointed at or pinned, as soon as the pointer rests there.
pub fn listen(app: App, reading: Reading) {
    let question = Memo::new(move |_| question(app, reading));
    Effect::new(move |_| {
        let question = question.get();
        // What is on its way is not heard any more.
        let id = reading.next_question(question.as_ref().map_or_else(String::new, |(stamp, _)| stamp.clone()));
        match question {
            None => {
                reading.pause.set_value(None);
                reading.answer.set(None);
            }
            Some((stamp, question)) => {
                let hear = Box::new(move |answer| reading.hear(id, answer));
                let ask = Timeout::new(PAUSE, move || app.read(stamp, question, hear));
                reading.pause.set_value(Some(ask));
            }
        }
    });
    // Another program has other events.
    Effect::new(move |_| {
        app.document.text.track();
        reading.let_go();
    });
}

/// The answer to what is asked, of the graph in sight.
pub fn answer(app: App, reading: Reading) -> Memo<Option<Arc<Reply>>> {
    Memo::new(move |_| {
        let (stamp, answer) = reading.answer.get()?;
        app.seen.with(|view| view.as_ref().is_some_and(|view| view.stamp == stamp)).then_some(answer)
    })
}

/// The drawing that is read.
pub const GRAPH: &str = "graph";

/// What is brought out in the drawing that is read: the answer, or else a step of a list.
pub fn lighting(app: App, reading: Reading, drawing: Memo<Option<Arc<Drawing>>>) -> Memo<Arc<Lighting>> {
    let answer = answer(app, reading);
    Memo::new(move |_| {
        let Some(drawing) = drawing.get() else { return Arc::default() };
        let mut roles = HashMap::new();
        let mut edges = Vec::new();
        let answer = answer.get();
        if let Some(answer) = &answer {
            edges = answer.edges();
            if let Reply::Event(event) = &**answer {
                roles.extend(event.porf_prefix.iter().map(|key| (*key, Role::Porf)));
                roles.extend(event.po_prefix.iter().map(|key| (*key, Role::Po)));
                roles.extend(event.readers.iter().map(|key| (*key, Role::Reader)));
                roles.extend(event.source.map(|key| (key, Role::Source)));
            }
        }
        if let Some((_, step)) = app.around.step.get().filter(|(of, _)| *of == GRAPH) {
            edges = vec![step];
        }
        let asked = answer.and_then(|answer| match &*answer {
            Reply::Event(event) => Some(event.key),
            _ => None,
        });
        for edge in edges.iter().filter(|edge| Some(edge.from) != asked && Some(edge.to) != asked) {
            roles.entry(edge.from).or_insert(Role::OnWay);
            roles.entry(edge.to).or_insert(Role::OnWay);
        }
        if let Some(Pointed::Event(key)) = reading.pinned.get() {
            roles.insert(key, Role::Pinned);
        }
        roles.extend(reading.target.get().map(|key| (key, Role::Target)));
        let lit = highlight(&drawing, &edges);
        Arc::new(Lighting { edges: lit.drawn.into_iter().collect(), added: lit.added, roles })
    })
}
