//! Reading a graph: what the mouse, a finger or the keyboard points at is asked about in the worker, and the answer is
//! shown in a card and brought out in the drawing.
//!
//! What is pinned is asked about as long as nothing else is pointed at; two events pinned ask for the path between them.
//! An answer names the graph that it is about, and is shown with no other.

mod card;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use litmoscope::graph::{EventKey, RelationName};
use litmoscope::report::{Drawing, DrawnEdge, EdgeKey, highlight};
use litmoscope::session::{Question, Reply};

use crate::state::{App, Pointed};
use crate::worker::RequestId;

pub use card::{Broken, Card, Dropped};

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
    /// A step of a list that is pointed at, and the drawing that it is shown in.
    pub step: RwSignal<Option<(&'static str, EdgeKey)>>,
    /// The graph as an abstract execution, or why it is none, once that was asked.
    pub execution: RwSignal<Option<Result<String, String>>>,
    /// The question for it.
    pub execution_id: StoredValue<RequestId>,
    /// What the pointer was pressed on.
    pub pressed: StoredValue<Option<Pointed>>,
    /// The last answer, and the graph that it is about.
    answer: RwSignal<Option<(String, Arc<Reply>)>>,
    /// The last question, and the graph that it is about.
    asked: StoredValue<(RequestId, String)>,
    pause: StoredValue<Option<Timeout>, LocalStorage>,
}

impl Reading {
    /// Nothing asked yet.
    pub fn new() -> Self {
        use RelationName::{Co, Fr, Po, Rf};
        Self {
            pinned: RwSignal::new(None),
            target: RwSignal::new(None),
            relations: RwSignal::new([Po, Rf, Co, Fr].into()),
            step: RwSignal::new(None),
            execution: RwSignal::new(None),
            execution_id: StoredValue::new(0),
            pressed: StoredValue::new(None),
            answer: RwSignal::new(None),
            asked: StoredValue::new((0, String::new())),
            pause: StoredValue::new_local(None),
        }
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
    pub fn hear(self, id: RequestId, answer: Option<Box<Reply>>) {
        if id == self.execution_id.get_value() {
            // Without an answer, the exploration has moved on: it is asked again for what is seen then.
            if let Some(Reply::Execution(text)) = answer.as_deref() {
                self.execution.set(Some(text.clone()));
            }
            return;
        }
        let (asked, stamp) = self.asked.get_value();
        if id == asked {
            self.answer.set(answer.map(|answer| (stamp, Arc::new(*answer))));
        }
    }

    fn next_question(self, stamp: String) -> RequestId {
        self.asked.update_value(|(id, of)| {
            *id += 1;
            *of = stamp;
        });
        self.asked.with_value(|(id, _)| *id)
    }
}

impl Default for Reading {
    fn default() -> Self {
        Self::new()
    }
}

/// What is asked, and of which graph.
fn question(app: App) -> Option<(String, Question)> {
    if app.models.get() {
        return None;
    }
    let stamp = app.seen.with(|view| view.as_ref().map(|view| view.stamp.clone()))?;
    let reading = app.reading;
    let pinned = reading.pinned.get();
    let path = match (pinned, reading.target.get()) {
        (Some(Pointed::Event(from)), Some(to)) => Some((from, to)),
        _ => None,
    };
    let question = match (app.pointed.get(), path) {
        (Some(Pointed::Event(key)), Some((from, to))) if key != from && key != to => Question::Event(key),
        (Some(Pointed::Edge(key)), _) => Question::Edge(key),
        (_, Some((from, to))) => Question::Path { from, to, relations: reading.relations.get().into_iter().collect() },
        (Some(Pointed::Event(key)), None) => Question::Event(key),
        (None | Some(Pointed::Line(_)), None) => match pinned? {
            Pointed::Event(key) => Question::Event(key),
            Pointed::Edge(key) => Question::Edge(key),
            Pointed::Line(_) => return None,
        },
    };
    Some((stamp, question))
}

/// Asks about what is pointed at or pinned, as soon as the pointer rests there.
pub fn listen(app: App) {
    let reading = app.reading;
    let question = Memo::new(move |_| question(app));
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
                let ask = Timeout::new(PAUSE, move || app.ask(id, stamp.clone(), question.clone()));
                reading.pause.set_value(Some(ask));
            }
        }
    });
    // Another program has other events.
    Effect::new(move |_| {
        app.text.track();
        reading.let_go();
    });
}

/// The answer to what is asked, of the graph in sight.
pub fn answer(app: App) -> Memo<Option<Arc<Reply>>> {
    Memo::new(move |_| {
        let (stamp, answer) = app.reading.answer.get()?;
        app.seen.with(|view| view.as_ref().is_some_and(|view| view.stamp == stamp)).then_some(answer)
    })
}

/// What an event has to do with the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Pinned.
    Pinned,
    /// Where the path leads.
    Target,
    /// The write that it reads from.
    Source,
    /// Reads from it.
    Reader,
    /// Before it in po.
    Po,
    /// Before it in porf.
    Porf,
    /// An end of an edge of the answer.
    OnWay,
}

impl Role {
    /// The class of its node.
    pub fn class(self) -> &'static str {
        match self {
            Self::Pinned => "lit-pinned",
            Self::Target => "lit-target",
            Self::Source => "lit-source",
            Self::Reader => "lit-reader",
            Self::Po => "lit-po",
            Self::Porf => "lit-porf",
            Self::OnWay => "lit-way",
        }
    }

    /// A word at its node, so that roles are told apart without colours.
    pub fn tag(self) -> Option<&'static str> {
        match self {
            Self::Pinned => Some("pinned"),
            Self::Target => Some("to"),
            Self::Source => Some("source"),
            Self::Reader => Some("reads it"),
            Self::Po => Some("po"),
            Self::Porf => Some("porf"),
            Self::OnWay => None,
        }
    }
}

/// What is brought out in a drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lighting {
    /// Edges that are drawn.
    pub edges: HashSet<EdgeKey>,
    /// Edges that are not drawn otherwise.
    pub added: Vec<DrawnEdge>,
    /// Events, by what they have to do with the answer.
    pub roles: HashMap<EventKey, Role>,
}

/// What is brought out in the drawing of this name: the answer, in that of the session or run, or else a step of a list.
pub fn lighting(
    app: App,
    scene: &'static str,
    drawing: Signal<Option<Arc<Drawing>>>,
    readable: bool,
    lights: Signal<Vec<EdgeKey>>,
) -> Memo<Arc<Lighting>> {
    let answer = answer(app);
    Memo::new(move |_| {
        let Some(drawing) = drawing.get() else { return Arc::default() };
        let mut roles = HashMap::new();
        let mut edges = lights.get();
        if let Some(answer) = answer.get().filter(|_| readable) {
            edges = answer.edges();
            if let Reply::Event(event) = &*answer {
                roles.extend(event.porf_prefix.iter().map(|key| (*key, Role::Porf)));
                roles.extend(event.po_prefix.iter().map(|key| (*key, Role::Po)));
                roles.extend(event.readers.iter().map(|key| (*key, Role::Reader)));
                roles.extend(event.source.map(|key| (key, Role::Source)));
            }
        }
        if let Some((_, step)) = app.reading.step.get().filter(|(of, _)| *of == scene) {
            edges = vec![step];
        }
        let asked = answer.get().and_then(|answer| match &*answer {
            Reply::Event(event) => Some(event.key),
            _ => None,
        });
        for edge in edges.iter().filter(|edge| Some(edge.from) != asked && Some(edge.to) != asked) {
            roles.entry(edge.from).or_insert(Role::OnWay);
            roles.entry(edge.to).or_insert(Role::OnWay);
        }
        if readable {
            if let Some(Pointed::Event(key)) = app.reading.pinned.get() {
                roles.insert(key, Role::Pinned);
            }
            roles.extend(app.reading.target.get().map(|key| (key, Role::Target)));
        }
        let lit = highlight(&drawing, &edges);
        Arc::new(Lighting { edges: lit.drawn.into_iter().collect(), added: lit.added, roles })
    })
}
