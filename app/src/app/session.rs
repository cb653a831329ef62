//! The session that is stepped through, as the page knows it; and what a run found that explored everything.

use std::rc::Rc;
use std::sync::Arc;

use gloo::timers::callback::{Interval, Timeout};
use leptos::prelude::*;
use litmoscope::explore::Counts;
use litmoscope::session::{
    GraphQuestion, OutcomesView, Preview, Reply, SearchView, Settings, View, ViewRequest, VisitId,
};

use crate::worker::port::Port;
use crate::worker::session::{Answer, Progress, Request, Stepping};
use crate::worker::wire::RequestId;

/// Gets the answer to a question about a graph.
pub type Then = Box<dyn Fn(Option<Box<Reply>>)>;
/// Asks something of a graph, which its stamp names.
pub type Ask = Rc<dyn Fn(String, GraphQuestion, Then)>;

/// How many executions a program has with and without co in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contrast {
    /// What was counted, algorithm and position aside.
    pub of: Option<Settings>,
    /// Plain executions.
    pub plain: Option<u64>,
    /// Executions with co.
    pub with_co: Option<u64>,
}

/// The session.
#[derive(Clone, Copy)]
pub struct Session {
    /// What it shows.
    pub view: RwSignal<Option<Arc<View>>>,
    /// It is that of the text and settings chosen.
    pub current: RwSignal<bool>,
    /// How far a long command has come.
    pub progress: RwSignal<Option<Progress>>,
    /// What a long command has found, where that is newer than the view.
    pub found: RwSignal<Option<OutcomesView>>,
    /// The worker is there.
    pub ready: RwSignal<bool>,
    /// Something was changed and the session not yet opened anew.
    pub edited: RwSignal<bool>,
    /// A command is in progress.
    pub working: RwSignal<bool>,
    /// The name of that command.
    pub command: StoredValue<RequestId>,
    /// The request to show the same in another way that is not answered yet.
    pub looking: RwSignal<Option<RequestId>>,
    /// What the worker was last asked to show.
    pub looked: StoredValue<Option<ViewRequest>>,
    /// Nodes of the tree that are unfolded, or folded.
    pub unfolded: RwSignal<Vec<VisitId>>,
    /// Nodes of the tree that are folded.
    pub folded: RwSignal<Vec<VisitId>>,
    /// The node of the tree that was searched for.
    pub sought: RwSignal<Option<VisitId>>,
    /// Steps are made by themselves.
    pub playing: RwSignal<bool>,
    /// How many steps a second are made then.
    pub speed: RwSignal<f64>,
    /// How many executions the program has, plain and with co, as far as that was counted; of which program and options.
    pub contrast: RwSignal<Contrast>,
    /// What it was last opened with.
    pub requested: StoredValue<Option<Settings>>,
    /// Where to go when a session of these settings is opened next.
    pub destination: StoredValue<Option<Settings>>,
    /// Where it was opened at.
    pub opened_at: StoredValue<u64>,
    /// The worker.
    pub port: Port<Stepping>,
    /// The search for visits that is heard.
    searching: StoredValue<RequestId>,
    /// It is being opened.
    pub opening: StoredValue<bool>,
    /// Opens it when the typing pauses.
    pub pause: StoredValue<Option<Timeout>, LocalStorage>,
    /// Makes steps.
    pub player: StoredValue<Option<Interval>, LocalStorage>,
}

impl Session {
    /// None yet; the first goes to where these settings say.
    pub fn new(settings: &Settings) -> Self {
        let port = Port::new();
        Self {
            view: RwSignal::new(None),
            current: RwSignal::new(false),
            progress: RwSignal::new(None),
            found: RwSignal::new(None),
            ready: RwSignal::new(false),
            edited: RwSignal::new(true),
            working: port.working,
            command: StoredValue::new(0),
            looking: RwSignal::new(None),
            looked: StoredValue::new(None),
            unfolded: RwSignal::default(),
            folded: RwSignal::default(),
            sought: RwSignal::new(None),
            playing: RwSignal::new(false),
            speed: RwSignal::new(2.0),
            contrast: RwSignal::default(),
            requested: StoredValue::new(None),
            destination: StoredValue::new(Some(settings.clone())),
            opened_at: StoredValue::new(0),
            port,
            searching: StoredValue::new(0),
            opening: StoredValue::new(false),
            pause: StoredValue::new_local(None),
            player: StoredValue::new_local(None),
        }
    }

    /// Whether it may soon be another.
    pub fn busy(self) -> bool {
        self.edited.get() || self.working.get() || self.looking.get().is_some()
    }

    /// Whether it can be moved through.
    pub fn steppable(self) -> bool {
        self.current.get() && !self.edited.get()
    }

    /// A command begins.
    pub fn begin(self, command: RequestId) {
        self.command.set_value(command);
        self.port.work();
        self.progress.set(None);
    }

    /// Whether this is the command in progress.
    pub fn is_at(self, command: RequestId) -> bool {
        self.working.get_untracked() && self.command.get_value() == command
    }

    /// Folds a node of the tree, or unfolds it.
    pub fn set_folded(self, visit: VisitId, fold: bool) {
        let change = |list: &mut Vec<VisitId>, member: bool| {
            list.retain(|&other| other != visit);
            if member {
                list.push(visit);
            }
        };
        // Folding what leads to it is the end of a find.
        if fold {
            self.sought.set(None);
        }
        self.unfolded.update(|list| change(list, !fold));
        self.folded.update(|list| change(list, fold));
    }

    /// Asks something of the graph that is shown.
    pub fn read(self, stamp: String, question: GraphQuestion, then: Then) {
        self.port.ask_then(&Request::Read { stamp, question }, move |answer| {
            if let Answer::Replied(reply) = answer {
                then(reply);
            }
            false
        });
    }

    /// Asks for the graph of a visit.
    pub fn preview(self, visit: VisitId, then: impl Fn(Option<Preview>) + 'static) {
        let of = self.port.subject();
        self.port.ask_then(&Request::Preview(visit), move |answer| {
            // Visits of another session have other names.
            if let Answer::Previewed(preview) = answer
                && self.port.subject() == of
            {
                then(preview.map(|preview| *preview));
            }
            false
        });
    }

    /// Does not look for visits any longer.
    pub fn end_search(self) {
        self.port.hush(self.searching.get_value());
    }

    /// Looks for visits in the tree, and no longer for those before. `then` hears what was found so far, and says whether it wants to hear more.
    pub fn search(self, question: String, then: impl Fn(Result<SearchView, String>) -> bool + 'static) {
        self.end_search();
        let of = self.port.subject();
        self.searching.set_value(self.port.ask_then(&Request::Search(question), move |answer| match answer {
            Answer::Searched(found) if self.port.subject() == of => then(found),
            _ => false,
        }));
    }
}

/// What a run found that explored everything: it counts in place of what the steps found, and one of its moments can be shown in
/// place of the step.
#[derive(Clone, Copy)]
pub struct Whole {
    /// What it explores, at the start; `None` without a run.
    pub subject: RwSignal<Option<Settings>>,
    /// What it counted so far.
    pub counts: RwSignal<Option<Counts>>,
    /// What it found, perhaps so far, with one of its moments.
    pub view: RwSignal<Option<Arc<View>>>,
    /// That moment is shown in place of the step.
    pub shown: RwSignal<bool>,
    /// At which step that moment is, is known.
    pub settled: RwSignal<bool>,
    /// Asks something of that moment.
    pub ask: StoredValue<Option<Ask>, LocalStorage>,
}

impl Whole {
    /// No run.
    pub fn new() -> Self {
        Self {
            subject: RwSignal::new(None),
            counts: RwSignal::new(None),
            view: RwSignal::new(None),
            shown: RwSignal::new(false),
            settled: RwSignal::new(false),
            ask: StoredValue::new_local(None),
        }
    }

    /// Whether there is a run.
    pub fn is_there(self) -> bool {
        self.subject.with(Option::is_some)
    }
}

impl Default for Whole {
    fn default() -> Self {
        Self::new()
    }
}
