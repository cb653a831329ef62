//! A test from a cycle of edges: picked one after the other, or written.

use gloo::timers::callback::Timeout;
use leptos::html;
use leptos::prelude::*;
use litmoscope::explore::Options;
use litmoscope::generate::{Annotation, Cycle, Dialect, Generated, Relation, RelaxationEdge, generate};
use litmoscope::labs::comparison::AskedView;
use litmoscope::program::Notation;
use litmoscope::syntax::{self, Diagnostic};
use litmoscope::words::grouped;

use crate::app::App;
use crate::app::lab::{LabId, Tab};
use crate::document::{Whose, place};
use crate::ui::dialog::Dialog;
use crate::ui::prose::{plain, prose};
use crate::worker::comparison::Comparison;

/// How long a cycle has to stay as it is before models are asked about it, in milliseconds.
const PAUSE: u32 = 200;

/// The notations that tests can be written in, by what the picker calls them.
const NOTATIONS: [(Notation, &str, &str); 4] = [
    (Notation::Litmoscope, "litmoscope", "Litmoscope"),
    (Notation::C11, "c11", "C11"),
    (Notation::X86, "x86", "X86"),
    (Notation::X86_64, "x86_64", "X86_64"),
];

/// What events without annotations can be.
const DEFAULTS: [(Annotation, &str); 4] = [
    (Annotation::Relaxed, "relaxed"),
    (Annotation::AcquireRelease, "acquire reads, release writes"),
    (Annotation::SequentiallyConsistent, "sequentially consistent"),
    (Annotation::Plain, "non-atomic"),
];

/// The kinds of edges, in the order in which they are offered.
const GROUPS: [&str; 5] = ["Communication", "Program order", "Fences", "Dependencies", "Read-modify-writes"];

fn group(edge: &RelaxationEdge) -> &'static str {
    GROUPS[match edge.relation {
        Relation::External(_) | Relation::Internal(_) => 0,
        Relation::Po => 1,
        Relation::Fenced(_) => 2,
        Relation::Dependency(_) => 3,
        Relation::Rmw(_) => 4,
    }]
}

/// The edges of a text; `None` as long as some word is none.
fn edges(text: &str) -> Option<Vec<RelaxationEdge>> {
    text.replace('"', " ").split_whitespace().map(|word| word.parse().ok()).collect()
}

/// An edge that can follow, and whether it closes the cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Offer {
    edge: RelaxationEdge,
    closes: bool,
}

fn offers(text: &str, ends: (Option<Annotation>, Option<Annotation>), dialect: Dialect) -> Option<Vec<Offer>> {
    let before = edges(text)?;
    let closes = |edge: RelaxationEdge| Cycle::new(before.iter().copied().chain([edge]).collect()).is_ok();
    let all = Cycle::continuations(before.last(), ends, dialect);
    Some(all.into_iter().map(|edge| Offer { edge, closes: closes(edge) }).collect())
}

/// Whether the dialog is open.
#[derive(Clone, Copy)]
pub struct Open(pub RwSignal<bool>);

impl Open {
    /// That of this page.
    pub fn get() -> Self {
        expect_context()
    }
}

/// A cycle that is written, and what is made of it.
#[derive(Clone, Copy)]
struct Draft {
    text: RwSignal<String>,
    notation: RwSignal<Notation>,
    unannotated: RwSignal<Annotation>,
    /// How the events of the next edge access memory.
    ends: RwSignal<(Option<Annotation>, Option<Annotation>)>,
    comparison: Comparison,
    dialect: Memo<Dialect>,
    made: Memo<Result<Generated, Vec<Diagnostic>>>,
    /// The edges that can follow, if all that is written are edges.
    offered: Memo<Option<Vec<Offer>>>,
    /// The edges that are written, if all are.
    words: Memo<Option<Vec<RelaxationEdge>>>,
    empty: Memo<bool>,
}

impl Draft {
    fn new() -> Self {
        let text = RwSignal::new(String::new());
        let notation = RwSignal::new(Notation::Litmoscope);
        let unannotated = RwSignal::new(Annotation::Relaxed);
        let ends = RwSignal::new((None::<Annotation>, None::<Annotation>));
        let dialect = Memo::new(move |_| {
            let dialect = Dialect::from(notation.get());
            if dialect.is_x86() { dialect } else { Dialect { unannotated: unannotated.get(), ..dialect } }
        });
        let made = Memo::new(move |_| text.with(|text| generate(text, dialect.get())));
        let offered = Memo::new(move |_| text.with(|text| offers(text, ends.get(), dialect.get())));
        let words = Memo::new(move |_| text.with(|text| edges(text)));
        let empty = Memo::new(move |_| text.with(|text| text.trim().is_empty()));
        let comparison = Comparison::new();
        Self { text, notation, unannotated, ends, comparison, dialect, made, offered, words, empty }
    }

    /// Asks what the models say of it, as soon as it is a test.
    fn ask(self, dialog: RwSignal<bool>) {
        let Self { comparison, made, .. } = self;
        let pause = StoredValue::new_local(None::<Timeout>);
        Effect::new(move |_| {
            let test = made.with(|made| made.as_ref().ok().map(|test| test.text.clone()));
            comparison.forget();
            let test = test.filter(|_| dialog.get());
            pause.set_value(test.map(|test| Timeout::new(PAUSE, move || comparison.start(&test, Options::default()))));
            if !dialog.get() {
                comparison.leave();
            }
        });
    }

    fn add(self, edge: RelaxationEdge) {
        self.text.update(|text| *text = format!("{} {edge}", text.trim()).trim_start().to_owned());
    }

    fn undo(self) {
        self.text.update(|text| {
            let before = text.trim_end().trim_end_matches(|c: char| !c.is_whitespace());
            *text = before.trim_end().to_owned();
        });
    }

    /// Its class, and what it is.
    fn state(self) -> (&'static str, String) {
        if self.empty.get() {
            return ("cycle-state", "Pick a first edge, or write a cycle, such as PodWW Rfe PodRR Fre.".to_owned());
        }
        self.made.with(|made| match made {
            Ok(test) => ("cycle-state closed", format!("A closed cycle: {}", test.program.name)),
            Err(_) if self.words.with(Option::is_some) => ("cycle-state open", "Not a test yet".to_owned()),
            Err(_) => ("cycle-state bad", "Not all words are edges".to_owned()),
        })
    }

    fn problems(self) -> impl IntoView {
        let problems = self.made.with(|made| made.as_ref().err().cloned().unwrap_or_default());
        let problems = if self.empty.get() { Vec::new() } else { problems };
        problems.into_iter().map(problem).collect_view()
    }

    fn chips(self) -> impl IntoView {
        self.words
            .get()
            .unwrap_or_default()
            .into_iter()
            .map(|edge| {
                view! { <li class="chip" title=plain(&edge.description())>{edge.to_string()}</li> }
            })
            .collect_view()
    }

    /// The field in which it is written.
    fn line(self) -> impl IntoView {
        let Self { text, words, empty, .. } = self;
        let field = NodeRef::<html::Input>::new();
        // The field keeps its own text while it is written into.
        Effect::new(move |_| {
            let text = text.get();
            if let Some(field) = field.get()
                && field.value() != text
            {
                field.set_value(&text);
            }
        });
        view! {
            <div class="cycle-line">
                <input
                    id="cycle-text"
                    type="text"
                    aria-label="The cycle's edges"
                    aria-describedby="cycle-state"
                    aria-invalid=move || (!empty.get() && words.with(Option::is_none)).to_string()
                    placeholder="PodWW Rfe PodRR Fre"
                    spellcheck="false"
                    autocomplete="off"
                    autocapitalize="off"
                    node_ref=field
                    on:input:target=move |event| text.set(event.target().value())
                />
                <button type="button" id="cycle-undo" aria-disabled=move || empty.get().to_string() title="Remove the last edge" on:click=move |_| self.undo()>"Undo"</button>
                <button type="button" id="cycle-clear" aria-disabled=move || empty.get().to_string() on:click=move |_| text.set(String::new())>"Clear"</button>
            </div>
        }
    }

    /// How the next edge's events access memory.
    fn end_picker(self, id: &'static str, label: &'static str, first: bool) -> impl IntoView {
        let Self { ends, dialect, .. } = self;
        let get = move || {
            let ends = ends.get();
            if first { ends.0 } else { ends.1 }
        };
        view! {
            <label class="picker">
                <span>{label}</span>
                <select
                    id=id
                    prop:value=move || get().map_or("", Annotation::name)
                    on:change:target=move |event| {
                        let annotation = event.target().value().parse().ok();
                        ends.update(|ends| *(if first { &mut ends.0 } else { &mut ends.1 }) = annotation);
                    }
                >
                    <option value="">"default"</option>
                    {move || dialect.get().annotations().iter().map(|annotation| view! {
                        <option value=annotation.name() selected=move || get() == Some(*annotation)>{annotation.name()}</option>
                    }).collect_view()}
                </select>
            </label>
        }
    }

    /// What is chosen of notation and annotations.
    fn pickers(self) -> impl IntoView {
        let Self { notation, unannotated, ends, dialect, .. } = self;
        view! {
            <div class="cycle-pickers">
                <label class="picker">
                    <span>"Notation"</span>
                    <select id="cycle-notation" on:change:target=move |event| {
                        let value = event.target().value();
                        if let Some((chosen, ..)) = NOTATIONS.iter().find(|(_, name, _)| *name == value) {
                            notation.set(*chosen);
                            ends.set((None, None));
                        }
                    }>
                        {NOTATIONS.into_iter().map(|(each, name, title)| view! {
                            <option value=name selected=move || notation.get() == each>{title}</option>
                        }).collect_view()}
                    </select>
                </label>
                <label class="picker" class:away=move || dialect.get().is_x86()>
                    <span>"Unannotated accesses"</span>
                    <select id="cycle-default" on:change:target=move |event| {
                        if let Ok(annotation) = event.target().value().parse() {
                            unannotated.set(annotation);
                        }
                    }>
                        {DEFAULTS.into_iter().map(|(annotation, title)| view! {
                            <option value=annotation.name() selected=move || unannotated.get() == annotation>{title}</option>
                        }).collect_view()}
                    </select>
                </label>
                {self.end_picker("cycle-from", "Next, first event", true)}
                {self.end_picker("cycle-to", "Next, second event", false)}
            </div>
        }
    }

    /// The edges that can follow.
    fn palette(self) -> AnyView {
        let Some(offers) = self.offered.get() else {
            return view! { <p class="empty">"Correct the text to see here which edges can follow."</p> }.into_any();
        };
        if offers.is_empty() {
            return view! { <p class="empty">"No edge can follow with these annotations: choose others, or undo."</p> }
                .into_any();
        }
        GROUPS
            .into_iter()
            .filter_map(|name| {
                let members: Vec<_> = offers.iter().filter(|offer| group(&offer.edge) == name).cloned().collect();
                if members.is_empty() {
                    return None;
                }
                let buttons = members.into_iter().map(|Offer { edge, closes }| {
                view! {
                    <li>
                        <button type="button" class="edge-offer" data-edge=edge.to_string() on:click=move |_| self.add(edge)>
                            <code>{edge.to_string()}</code>
                            <span class="edge-words">{prose(&edge.description())}</span>
                            {closes.then(|| view! { <span class="closes">"closes"</span> })}
                        </button>
                    </li>
                }
            }).collect_view();
                Some(view! {
                    <section class="edge-group" aria-label=name>
                        <h3>{name}</h3>
                        <ul>{buttons}</ul>
                    </section>
                })
            })
            .collect_view()
            .into_any()
    }

    /// What the models say of its outcome.
    fn verdicts(self) -> impl IntoView {
        let test = self.made.with(|made| made.is_ok());
        if !test {
            return None;
        }
        let view = self.comparison.view.get();
        let asked = view.as_ref().and_then(|view| view.asked.clone());
        let known = view.as_ref().is_some_and(|view| view.done);
        let cells = litmoscope::model::Model::ALL
            .into_iter()
            .enumerate()
            .map(|(at, model)| {
                let asked = asked.as_ref().and_then(|asked| asked.get(at).copied());
                let (class, words) = match asked {
                    Some(AskedView::Allowed { executions }) => (
                        "verdict-cell allowed",
                        if executions == 1 {
                            "allowed".to_owned()
                        } else {
                            format!("allowed ({})", grouped(executions))
                        },
                    ),
                    Some(AskedView::Forbidden) => ("verdict-cell forbidden", "forbidden".to_owned()),
                    Some(AskedView::Unknown) if known => ("verdict-cell unknown", "not known".to_owned()),
                    _ => ("verdict-cell unknown", "…".to_owned()),
                };
                view! { <li class=class data-model=model.name()><b>{model.title()}</b>" "<span>{words}</span></li> }
            })
            .collect_view();
        Some(view! {
            <h3>"The cycle's outcome"</h3>
            <ul class="verdicts" id="cycle-verdicts" data-done=known.to_string() aria-label="Which models allow the cycle's outcome">{cells}</ul>
        })
    }

    /// The test that it makes.
    fn test(self) -> impl IntoView {
        self.made.with(|made| made.as_ref().ok().map(|test| test.text.clone())).map(|text| {
            let notation = self.notation.get();
            view! {
                <h3>"The test"</h3>
                <pre class="test-text" id="cycle-test" tabindex="0" aria-label="The test">{highlighted(&text, notation)}</pre>
            }
        })
    }

    /// What is made of it, and what can be done with that.
    fn result(self, open: impl Fn(bool) + Copy + Send + Sync + 'static) -> impl IntoView {
        let off = move || self.made.with(Result::is_err);
        view! {
            <div class="cycle-result">
                {move || self.verdicts()}
                <p class="trouble" role="alert">{move || self.comparison.trouble.get().map(|trouble| prose(&trouble))}</p>
                {move || self.test()}
                <Show when=off>
                    <p class="empty cycle-nothing">
                        "In a cycle, Rfe, Fre and Coe lead from thread to thread, and the last edge leads back to \
                         the first event. When the cycle is closed, you see here its test and which models allow its \
                         outcome."
                    </p>
                </Show>
                <div class="cycle-actions">
                    <button type="button" id="cycle-open" class="primary" aria-disabled=move || off().to_string() on:click=move |_| open(false)>
                        "Open in the editor"
                    </button>
                    <button type="button" id="cycle-compare" aria-disabled=move || off().to_string() on:click=move |_| open(true)>
                        "Compare models"
                    </button>
                </div>
            </div>
        }
    }
}

/// The dialog in which a test is made from a cycle.
#[component]
pub fn CycleBuilder() -> impl IntoView {
    let app = App::get();
    let Open(dialog) = Open::get();
    let cycle = Draft::new();
    cycle.ask(dialog);
    let open = move |compare: bool| {
        let Some(test) = cycle.made.with_untracked(|made| made.as_ref().ok().map(|test| test.text.clone())) else {
            return;
        };
        app.load(&app.document.settings_for(test), Whose::Sample);
        place::leave();
        dialog.set(false);
        app.show(if compare || app.active.get_untracked() == LabId("models") {
            Tab::Lab(LabId("models"))
        } else {
            Tab::Graph
        });
    };
    view! {
        <Dialog id="cycle" class="cycle" title="Generate a test from a cycle" open=dialog calm=true>
            <div class="cycle-columns">
                <div class="cycle-make">
                    {cycle.line()}
                    <ol class="chips" aria-label="Edges" class:away=move || cycle.empty.get() || cycle.words.with(Option::is_none)>{move || cycle.chips()}</ol>
                    <p id="cycle-state" class=move || cycle.state().0 role="status">{move || cycle.state().1}</p>
                    <ul class="cycle-problems" id="cycle-problems">{move || cycle.problems()}</ul>
                    {cycle.pickers()}
                    <h3 class="palette-title">{move || if cycle.empty.get() { "It can begin with" } else { "Next can be" }}</h3>
                    <div class="palette" id="palette" tabindex="0" role="group" aria-label="Edges that can follow">{move || cycle.palette()}</div>
                </div>
                {cycle.result(open)}
            </div>
        </Dialog>
    }
}

fn problem(diagnostic: Diagnostic) -> impl IntoView {
    let place = (diagnostic.span.column > 0).then(|| format!("at {}: ", diagnostic.span.column));
    view! {
        <li>
            <span class="place">{place}</span>
            {prose(&diagnostic.message)}
            {diagnostic.help.map(|help| view! { <span class="problem-help">{prose(&help)}</span> })}
        </li>
    }
}

/// A text in the editor's colours.
fn highlighted(text: &str, notation: Notation) -> impl IntoView + use<> {
    let mut pieces = Vec::new();
    let mut end = 0;
    for (range, class) in syntax::highlight(text, notation) {
        if range.start >= end {
            pieces.push(("", text[end..range.start].to_owned()));
            pieces.push((class.style_class(), text[range.clone()].to_owned()));
            end = range.end;
        }
    }
    pieces.push(("", text[end..].to_owned()));
    pieces.into_iter().map(|(class, text)| view! { <span class=class>{text}</span> }).collect_view()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_can_follow() {
        let dialect = Dialect::from(Notation::Litmoscope);
        let offers = offers("PodWW Rfe PodRR", (None, None), dialect).expect("all are edges");
        assert!(
            offers
                .iter()
                .all(|offer| generate(&format!("PodWW Rfe PodRR {}", offer.edge), dialect).is_ok() == offer.closes)
        );
        assert!(offers.iter().any(|offer| offer.edge.to_string() == "Fre" && offer.closes));
        assert!(!offers.iter().any(|offer| offer.edge.to_string() == "Rfe"));
        assert_eq!(super::offers("PodWW Rf", (None, None), dialect), None);
    }

    #[test]
    fn every_edge_has_a_group() {
        for (notation, ..) in NOTATIONS {
            assert!(RelaxationEdge::vocabulary(notation).iter().all(|edge| GROUPS.contains(&group(edge))));
        }
    }
}
