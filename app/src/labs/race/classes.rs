//! The executions of a small program: how classes lie in one another, and whether two executions are of one class.
//!
//! The worker of races is asked, by a port of its own, so that a race goes on meanwhile.

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use litmoscope::explore::ExecutionKind;
use litmoscope::explore::equivalence::Equivalence;
use litmoscope::labs::race::{ClassesView, EquivalenceView, Group, KeptView, SameView, SideView, VerdictView};
use litmoscope::report::{Drawing, EdgeKey};
use litmoscope::words;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::worker::{Answer, Races, Request, Subject};
use crate::ui::prose::prose;
use crate::ui::scene::Scene;
use crate::ui::scene::camera::{Stage, size};
use crate::worker::line::Said;
use crate::worker::port::Port;

/// How long it has to stop when it is asked to, in milliseconds.
const STOP: u32 = 1500;

/// The executions of a program as the page knows them. They are in a worker of their own.
#[derive(Clone, Copy)]
pub struct Classes {
    view: RwSignal<Option<Arc<ClassesView>>>,
    same: RwSignal<Option<Arc<SameView>>>,
    trouble: RwSignal<Option<String>>,
    /// Whose executions they are.
    pub subject: RwSignal<Option<Subject>>,
    /// The equivalence whose classes are shown.
    outer: RwSignal<Equivalence>,
    /// The one whose classes are shown inside, if any is.
    inner: RwSignal<Option<Equivalence>>,
    /// The two executions next to each other.
    pair: RwSignal<[u32; 2]>,
    /// These have all the room.
    enlarged: RwSignal<bool>,
    pub port: Port<Races>,
}

impl Default for Classes {
    /// Nothing is known yet.
    fn default() -> Self {
        Self {
            view: RwSignal::new(None),
            same: RwSignal::new(None),
            trouble: RwSignal::new(None),
            subject: RwSignal::new(None),
            outer: RwSignal::new(Equivalence::ReadsFrom),
            inner: RwSignal::new(Some(Equivalence::DataCentric)),
            pair: RwSignal::new([0, 1]),
            enlarged: RwSignal::new(false),
            port: Port::new(),
        }
    }
}

impl Classes {
    /// Looks for the executions of a program.
    pub fn start(self, subject: Subject) {
        self.port.interrupt();
        self.port.open(move |said| self.hear(said));
        self.trouble.set(None);
        self.view.set(None);
        self.same.set(None);
        self.pair.set([0, 1]);
        self.subject.set(Some(subject.clone()));
        self.port.begin(&Request::Classes(subject));
    }

    /// Ends that.
    pub fn stop(self) {
        self.port.stop_within(STOP);
    }

    fn hear(self, said: Said<Answer>) {
        match said {
            Said::Answer(_, Answer::Classed { view, over }) => {
                let first = self.same.with_untracked(Option::is_none) && !view.executions.is_empty();
                let most = view.executions.len() as u32;
                self.view.set(Some(Arc::new(*view)));
                if over {
                    self.port.done();
                }
                if first && (over || most > 1) {
                    self.choose(self.pair.get_untracked().map(|one| one.min(most - 1)));
                }
            }
            Said::Answer(id, Answer::Compared(same)) => {
                if self.port.is_last(id) {
                    self.same.set(same.map(|same| Arc::new(*same)));
                }
            }
            Said::Answer(_, Answer::Refused(diagnostics)) => {
                let said = diagnostics.into_iter().next().map_or_else(String::new, |first| first.message);
                self.view.set(None);
                self.port.done();
                self.trouble.set(Some(format!("Can't look for executions: {said}.")));
            }
            Said::Died(message) => self.trouble.set(Some(format!("Looking for executions failed: {message}."))),
            Said::Answer(..) | Said::Lacks(_) | Said::Ready => {}
        }
    }

    /// Two executions to be seen next to each other.
    fn choose(self, pair: [u32; 2]) {
        self.pair.set(pair);
        self.port.ask(&Request::Compare(pair));
    }

    /// One more to be seen: it is the second, and what was the second is the first.
    fn add(self, execution: u32) {
        let [first, second] = self.pair.get_untracked();
        if execution != second {
            self.choose([second, execution]);
        } else if first != second {
            self.choose([second, first]);
        }
    }

    fn group_by(self, outer: Equivalence) {
        self.outer.set(outer);
        let finer = self.view.with_untracked(|view| view.as_ref().map(|view| view.finer(outer)).unwrap_or_default());
        self.inner.update(|inner| *inner = inner.filter(|inner| finer.contains(inner)).or(finer.last().copied()));
    }

    /// What is being done, or what is missing.
    pub fn status(self) -> String {
        if self.trouble.with(Option::is_some) {
            return String::new();
        }
        self.view.with(|view| match view {
            Some(view) => {
                let found = words::count(view.executions.len() as u64, "execution");
                match &view.notes[..] {
                    _ if self.port.working.get() => format!("looking for executions: {found} so far"),
                    [] => format!("{found}: all there are"),
                    notes => notes.join("; "),
                }
            }
            None if self.port.working.get() => "looking for executions".to_owned(),
            None => String::new(),
        })
    }

    /// The size of a series that has no two executions to be compared, if all of it is known.
    pub fn size_without_pairs(self) -> Option<u32> {
        let few = self.view.with(|view| view.as_ref().is_some_and(|view| view.complete && view.executions.len() < 2));
        let size = self.subject.with(|subject| subject.as_ref().and_then(|subject| subject.size));
        size.filter(|_| few && !self.port.working.get())
    }

    fn verdict(self, of: Equivalence) -> Option<VerdictView> {
        self.same.with(|same| same.as_ref()?.verdicts.iter().find(|verdict| verdict.equivalence == of).cloned())
    }
}

/// What is known of the executions.
#[component]
pub fn Found(
    classes: Classes,
    /// It is of another program by now.
    #[prop(into)]
    faded: Signal<bool>,
) -> impl IntoView {
    let any =
        Memo::new(move |_| classes.view.with(|view| view.as_ref().is_some_and(|view| !view.executions.is_empty())));
    let hint = move || {
        let unknown = classes.view.with(Option::is_none) && classes.trouble.with(Option::is_none);
        unknown.then(|| {
            let said = if classes.port.working.get() {
                "Looking for executions …"
            } else {
                "“Find executions” looks for all executions of the program under SC. Each execution becomes a dot in \
                 its class, for each equivalence. You also see what tells two of them apart."
            };
            view! { <p class="race-hint" id="classes-hint">{said}</p> }
        })
    };
    view! {
        <p class="trouble race-trouble" id="classes-trouble" role="alert">{move || classes.trouble.get().map(|trouble| prose(&trouble))}</p>
        {hint}
        <div class="classes" class:faded=faded class:away=move || !any.get() class:enlarged=move || classes.enlarged.get()>
            <div class="classes-list">
                <p class="race-head" id="classes-head">
                    {move || classes.view.with(|view| view.as_ref().map(|view| view.head.clone()))}
                </p>
                {move || table(classes)}
                <Nest classes />
            </div>
            <Same classes />
        </div>
    }
}

/// The equivalences: how many classes there are, and whether the two executions are in one.
fn table(classes: Classes) -> impl IntoView {
    let rows = classes.view.with(|view| view.as_ref().map(|view| view.equivalences.clone()).unwrap_or_default());
    let row = |EquivalenceView { equivalence, count }: EquivalenceView| {
        let verdict = move || {
            classes.verdict(equivalence).map(|VerdictView { same, sentence, .. }| {
                let (class, word) =
                    if same { ("one-class", "same class") } else { ("two-classes", "different classes") };
                view! {
                    <span class=class>{word}</span>
                    <span class="class-words">{sentence}</span>
                }
            })
        };
        let verdict_is = move || classes.verdict(equivalence).map(|verdict| verdict.same.to_string());
        view! {
            <tr class:chosen=move || classes.outer.get() == equivalence data-equivalence=equivalence.name() data-same=verdict_is>
                <th scope="row">
                    <button
                        type="button"
                        id=format!("by-{}", equivalence.name())
                        title=format!("Two executions of a class have in common: {}", equivalence.meaning())
                        aria-pressed=move || (classes.outer.get() == equivalence).to_string()
                        on:click=move |_| classes.group_by(equivalence)
                    >
                        {equivalence.title()}
                    </button>
                </th>
                <td class="class-count">{count}</td>
                <td class="class-verdict">{verdict}</td>
            </tr>
        }
    };
    view! {
        <table class="race-table classes-table" id="classes-table">
            <thead>
                <tr>
                    <th scope="col">"group by"</th>
                    <th scope="col">"classes"</th>
                    <th scope="col" class="class-verdict">"the two chosen"</th>
                </tr>
            </thead>
            <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}

/// All executions as dots, in their classes.
#[component]
fn Nest(classes: Classes) -> impl IntoView {
    let groups = Memo::new(move |_| {
        let (outer, inner) = (classes.outer.get(), classes.inner.get());
        classes.view.with(|view| view.as_ref().map(|view| view.nest(outer, inner)).unwrap_or_default())
    });
    // In the order in which they stand there: one of them takes the focus, arrow keys go on from it.
    let order = Memo::new(move |_| groups.with(|groups| groups.iter().flat_map(dots_of).collect::<Vec<u32>>()));
    let focused = RwSignal::new(0u32);
    let reachable = Memo::new(move |_| {
        let focused = focused.get();
        order.with(|order| if order.contains(&focused) { Some(focused) } else { order.first().copied() })
    });
    let finer = move || {
        let outer = classes.outer.get();
        let finer = classes.view.with(|view| view.as_ref().map(|view| view.finer(outer)).unwrap_or_default());
        (!finer.is_empty()).then(|| {
            let option = |inner: Option<Equivalence>| {
                let (value, title) = inner.map_or(("", "nothing"), |inner| (inner.name(), inner.title()));
                view! { <option value=value selected=move || classes.inner.get() == inner>{title}</option> }
            };
            let all = finer.clone();
            let set = move |name: String| {
                classes.inner.set(all.iter().copied().find(|equivalence| equivalence.name() == name));
            };
            view! {
                <div class="race-setting">
                    <label for="nest-inner">"Inside each"</label>
                    <select id="nest-inner" on:change:target=move |event| set(event.target().value())>
                        {std::iter::once(None).chain(finer.into_iter().map(Some)).map(option).collect_view()}
                    </select>
                </div>
            }
        })
    };
    let keys = move |event: KeyboardEvent| {
        let to = order.with_untracked(|order| {
            let at = order.iter().position(|one| Some(*one) == reachable.get_untracked())?;
            let to = match event.key().as_str() {
                "ArrowRight" | "ArrowDown" => at + 1,
                "ArrowLeft" | "ArrowUp" => at.checked_sub(1)?,
                "Home" => 0,
                "End" => order.len() - 1,
                _ => return None,
            };
            order.get(to).copied()
        });
        if matches!(event.key().as_str(), "ArrowRight" | "ArrowDown" | "ArrowLeft" | "ArrowUp" | "Home" | "End") {
            event.prevent_default();
            event.stop_propagation();
        }
        if let Some(to) = to {
            focused.set(to);
            let dot = document().get_element_by_id(&format!("dot-{to}"));
            if let Some(dot) = dot.and_then(|dot| dot.dyn_into::<HtmlElement>().ok()) {
                let _ = dot.focus();
            }
        }
    };
    let drawn = move || {
        classes.view.with(|view| {
            let Some(view) = view else { return ().into_any() };
            groups
                .with(|groups| {
                    groups.iter().map(|group| outer(classes, view, group, focused, reachable)).collect_view()
                })
                .into_any()
        })
    };
    view! {
        <section class="nest" aria-label="Executions in their classes">
            <div class="nest-head">
                <span>"Classes as boxes, executions as dots; the two chosen last are compared"</span>
                {finer}
            </div>
            <ul class="nest-key" aria-label="What dots look like">
                {KEY.map(|(class, name)| view! { <li><span class=class aria-hidden="true"></span>{name}</li> }).collect_view()}
            </ul>
            <div class="nest-groups" id="nest" role="group" aria-label="Executions: arrow keys go from dot to dot, Enter chooses" on:keydown=keys>
                {drawn}
            </div>
        </section>
    }
}

/// What dots look like, for a style sheet and for readers.
const KEY: [(&str, &str); 4] = [
    ("key-dot key-first", "first of the two"),
    ("key-dot key-second", "second of the two"),
    ("key-dot key-blocked", "blocked"),
    ("key-dot key-wrong", "error"),
];

/// The executions of a class in the order in which they stand in it.
fn dots_of(group: &Group) -> Vec<u32> {
    if group.parts.is_empty() {
        group.executions.clone()
    } else {
        group.parts.iter().flat_map(|part| part.executions.iter().copied()).collect()
    }
}

fn outer(
    classes: Classes,
    view: &ClassesView,
    group: &Group,
    focused: RwSignal<u32>,
    reachable: Memo<Option<u32>>,
) -> impl IntoView + use<> {
    let dots = |executions: &[u32]| {
        let dot = |execution: &u32| dot(classes, *execution, &view.executions[*execution as usize], focused, reachable);
        executions.iter().map(dot).collect_view()
    };
    let inside = if group.parts.is_empty() {
        dots(&group.executions).into_any()
    } else {
        let part = |part: &Group| {
            view! {
                <div class="nest-inner" role="group" aria-label=part.title.clone() title=part.title.clone()>
                    {dots(&part.executions)}
                </div>
            }
        };
        group.parts.iter().map(part).collect_view().into_any()
    };
    let members = group.executions.clone();
    let holds = move || classes.pair.get().iter().any(|one| members.contains(one));
    view! {
        <div class="nest-outer" role="group" aria-label=group.title.clone() title=group.title.clone() class:holds=holds>
            {inside}
        </div>
    }
}

fn dot(
    classes: Classes,
    execution: u32,
    kept: &KeptView,
    focused: RwSignal<u32>,
    reachable: Memo<Option<u32>>,
) -> impl IntoView + use<> {
    let kind = match kept.kind {
        ExecutionKind::Complete => "dot",
        ExecutionKind::Blocked => "dot dot-blocked",
        ExecutionKind::Erroneous | ExecutionKind::StuckForGood => "dot dot-wrong",
    };
    let chosen = move |place: usize| classes.pair.get()[place] == execution;
    let (name, title) = (kept.name.clone(), kept.name.clone());
    let label = move || {
        let role = match (chosen(0), chosen(1)) {
            (true, true) => ", both",
            (true, false) => ", the first",
            (false, true) => ", the second",
            (false, false) => "",
        };
        format!("execution {name}{role}")
    };
    view! {
        <button
            type="button"
            class=kind
            id=format!("dot-{execution}")
            title=title
            aria-label=label
            aria-pressed=move || (chosen(0) || chosen(1)).to_string()
            class:dot-first=move || chosen(0)
            class:dot-second=move || chosen(1)
            tabindex=move || if reachable.get() == Some(execution) { "0" } else { "-1" }
            on:focus=move |_| focused.set(execution)
            on:click=move |_| classes.add(execution)
        >
            {execution + 1}
        </button>
    }
}

/// Two executions next to each other.
#[component]
fn Same(classes: Classes) -> impl IntoView {
    let sentence = move || classes.same.with(|same| same.as_ref().map(|same| same.sentence.clone()));
    view! {
        <section class="same" id="same" aria-label="Same class?">
            <div class="same-head">
                <h3>"Same class?"</h3>
                <p id="same-sentence" aria-live="polite">{sentence}</p>
                <button
                    type="button"
                    id="same-enlarge"
                    title="Give the two graphs all the room"
                    aria-pressed=move || classes.enlarged.get().to_string()
                    on:click=move |_| classes.enlarged.update(|enlarged| *enlarged = !*enlarged)
                >
                    "Enlarge"
                </button>
            </div>
            <div class="same-sides">
                <Side classes at=0 />
                <Side classes at=1 />
            </div>
        </section>
    }
}

/// One of two drawings with the events of both: two of them that are as large are seen in one scale.
fn over_one_another(sides: &[SideView; 2], at: usize) -> Drawing {
    let (mut drawing, other) = (sides[at].drawing.clone(), &sides[1 - at].drawing);
    drawing.width = drawing.width.max(other.width);
    drawing.height = drawing.height.max(other.height);
    drawing.nodes.extend(other.nodes.iter().cloned());
    drawing
}

/// One of the two.
#[component]
fn Side(classes: Classes, at: usize) -> impl IntoView {
    let drawing = Memo::new(move |_| {
        classes.same.with(|same| same.as_ref().map(|same| Arc::new(same.sides[at].drawing.clone())))
    });
    let stage = Stage::beside(1.5, move || {
        classes.same.with(|same| same.as_ref().map(|same| size(&over_one_another(&same.sides, at))))
    });
    // Another graph is seen whole, wherever the one before was moved to.
    Effect::new(move |_| {
        drawing.track();
        stage.fit();
    });
    let lights = Memo::new(move |_| -> Vec<EdgeKey> {
        let verdict = classes.verdict(classes.outer.get());
        verdict.map_or_else(Vec::new, |verdict| verdict.lights[at].clone())
    });
    let names = Memo::new(move |_| {
        let name = |kept: &KeptView| kept.name.clone();
        classes.view.with(|view| view.as_ref().map(|view| view.executions.iter().map(name).collect::<Vec<_>>()))
    });
    let options = move || {
        let option = |(execution, name): (usize, String)| {
            let chosen = move || classes.pair.get()[at] as usize == execution;
            view! { <option value=execution.to_string() selected=chosen>{name}</option> }
        };
        names.get().unwrap_or_default().into_iter().enumerate().map(option).collect_view()
    };
    let set = move |value: String| {
        if let Ok(execution) = value.parse() {
            let mut pair = classes.pair.get_untracked();
            pair[at] = execution;
            classes.choose(pair);
        }
    };
    let (id, stage_id, graph_id, name, title) = match at {
        0 => ("same-first", "same-first-stage", "same-first-graph", "First execution", "First"),
        _ => ("same-second", "same-second-stage", "same-second-graph", "Second execution", "Second"),
    };
    let side = if at == 0 { "same-side side-first" } else { "same-side side-second" };
    view! {
        <div class=side>
            <div class="same-choice">
                <label for=id>{title}</label>
                <select id=id prop:value=move || classes.pair.get()[at].to_string() on:change:target=move |event| set(event.target().value())>
                    {options}
                </select>
            </div>
            <div class="same-graph">
                <Scene stage drawing id=stage_id graph_id name hide_po=false faded=false lights=lights />
            </div>
        </div>
    }
}
