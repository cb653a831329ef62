//! All models compared: what each says of each outcome, and two executions of one outcome side by side.

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use litmoscope::explore::Options;
use litmoscope::labs::comparison::{AbsentRow, CellView, ComparedRow, ComparisonView, SideView};
use litmoscope::model::Model;
use litmoscope::session::Settings;
use litmoscope::words::{self, grouped};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::app::App;
use crate::app::lab::{LabId, Tab};
use crate::app::offers::BackToSteps;
use crate::ui::prose::{plain, prose};
use crate::ui::scene::Scene;
use crate::ui::scene::camera::{Stage, size};
use crate::ui::scene::legend::Relations;
use crate::ui::way::Broken;
use crate::worker::comparison::Comparison;

/// What is shown side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Choice {
    row: usize,
    allowing: Option<Model>,
    forbidding: Option<Model>,
}

/// The models that allow an outcome, and those that forbid it.
fn allowing_and_forbidding(view: &ComparisonView, row: usize) -> [Vec<Model>; 2] {
    [true, false].map(|allow| saying(view, row, allow))
}

fn saying(view: &ComparisonView, row: usize, allow: bool) -> Vec<Model> {
    let Some(row) = view.rows.get(row) else { return Vec::new() };
    let says = |cell: &CellView| match cell {
        CellView::Allowed { .. } => allow,
        CellView::Forbidden { .. } => !allow,
        CellView::Unknown => false,
    };
    view.models.iter().zip(&row.cells).filter(|(_, cell)| says(cell)).map(|(model, _)| *model).collect()
}

/// What to show of a row: the model clicked on, and against it the one shown before if it will do, or else the first one
/// that allows the outcome or the last one that forbids it. The models stand roughly from strong to weak.
fn choose(view: &ComparisonView, before: Option<Choice>, row: usize, model: Option<Model>) -> Choice {
    let [allowing, forbidding] = allowing_and_forbidding(view, row);
    let pick = |models: &[Model], before: Option<Model>, otherwise: Option<&Model>| {
        let kept = before.filter(|model| models.contains(model));
        model.filter(|model| models.contains(model)).or(kept).or(otherwise.copied())
    };
    Choice {
        row,
        allowing: pick(&allowing, before.and_then(|choice| choice.allowing), allowing.first()),
        forbidding: pick(&forbidding, before.and_then(|choice| choice.forbidding), forbidding.last()),
    }
}

/// The row worth seeing first: models disagree on it, and the condition asks for it if possible.
fn first_row(view: &ComparisonView) -> Option<usize> {
    let disagree = |row: &usize| allowing_and_forbidding(view, *row).iter().all(|models| !models.is_empty());
    let asked = |row: &usize| view.rows[*row].satisfies == Some(true);
    let mut rows: Vec<usize> = (0..view.rows.len()).collect();
    rows.sort_by_key(|row| (!disagree(row), !asked(row)));
    rows.first().copied()
}

/// Scrolls the table until a row is in sight.
fn reveal(row: usize) {
    let element = |selector: &str| {
        document().query_selector(selector).ok().flatten().and_then(|element| element.dyn_into::<HtmlElement>().ok())
    };
    let row = element(&format!("#compare-table .compared:nth-of-type({})", row + 1));
    if let (Some(row), Some(frame), Some(head)) = (row, element(".compare-table"), element("#compare-table thead")) {
        let (top, bottom) = (row.offset_top() - head.offset_height(), row.offset_top() + row.offset_height());
        if top < frame.scroll_top() {
            frame.set_scroll_top(top);
        } else if bottom > frame.scroll_top() + frame.client_height() {
            frame.set_scroll_top(bottom - frame.client_height());
        }
    }
}

/// The panel of the comparison. It compares as soon as it is seen, and again when the program changes.
#[component]
pub fn Models() -> impl IntoView {
    let app = App::get();
    let comparison = Comparison::new();
    let open = app.is_open(LabId("models"));
    let choice = RwSignal::new(None::<Choice>);
    let view = comparison.view;

    let subject = Memo::new(move |_| {
        let Settings { text, options, .. } = app.settings();
        (text, Options { stop_at_first: false, ..options })
    });
    let current = Memo::new(move |_| comparison.subject.with(|compared| compared.as_ref() == Some(&subject.get())));
    let start = move || {
        choice.set(None);
        subject.with_untracked(|(text, options)| comparison.start(text, *options));
    };
    Effect::new(move |_| {
        let wanted = open.get() && !app.session.edited.get() && app.document.checked.with(|checked| !checked.broken);
        if wanted && !current.get() {
            start();
        }
    });
    // Something to see at the end.
    Effect::new(move |_| {
        let first =
            view.with(|view| view.as_ref().filter(|view| view.done).map(|view| (first_row(view), view.clone())));
        if let Some((Some(row), view)) = first
            && choice.get_untracked().is_none()
        {
            choice.set(Some(choose(&view, None, row, None)));
            // After the table is there.
            request_animation_frame(move || reveal(row));
        }
    });
    Effect::new(move |_| {
        if let Some(Choice { row, allowing, forbidding }) = choice.get() {
            comparison.ask(row, allowing, forbidding);
        }
    });

    let status = move || {
        if let Some(trouble) = comparison.trouble.get() {
            return trouble;
        }
        let Some(view) = view.get() else {
            return if comparison.running.get() {
                "comparing".to_owned()
            } else {
                "Nothing is compared yet.".to_owned()
            };
        };
        if comparison.running.get() {
            view.doing.clone()
        } else if view.done {
            let rows = view.rows.len() as u64 + view.left_out;
            let bounded = if view.bounded { ", bounded" } else { "" };
            let models = words::count(view.models.len() as u64, "model");
            format!("{} under {models}{bounded}", words::count(rows, "outcome"))
        } else {
            format!("Stopped while {}: what is not shown is unknown.", view.doing)
        }
    };
    let status_class = move || {
        if comparison.trouble.with(Option::is_some) {
            "compare-status bad"
        } else if view.with(|view| view.as_ref().is_some_and(|view| view.bounded)) && !comparison.running.get() {
            "compare-status bounded"
        } else {
            "compare-status"
        }
    };
    let _ = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "Escape" && open.get_untracked() {
            comparison.stop();
        }
    });
    let over = Memo::new(move |_| !comparison.running.get());
    view! {
        <div class="compare" data-over=move || over.get().to_string() class:faded=move || !current.get()>
            <div class="compare-head">
                <h2>"All models"</h2>
                <p id="compare-status" class=status_class role="status">
                    {move || comparison.running.get().then(|| view! { <span class="bar" aria-hidden="true"></span> })}
                    {move || prose(&status())}
                </p>
                {move || {
                    let whole = view.with(|view| view.as_ref().is_some_and(|view| view.done));
                    if comparison.running.get() {
                        let stop = move |_| comparison.stop();
                        Some(view! { <button type="button" id="compare-stop" on:click=stop>"Stop"</button> }.into_any())
                    } else if !whole {
                        let again = move |_| start();
                        Some(view! { <button type="button" id="compare-again" on:click=again>"Compare again"</button> }.into_any())
                    } else {
                        None
                    }
                }}
                <BackToSteps id="compare-close" />
            </div>
            {move || view.get().map(|view| table(&view, choice))}
            <Contrast comparison choice />
        </div>
    }
}

fn table(view: &Arc<ComparisonView>, choice: RwSignal<Option<Choice>>) -> impl IntoView + use<> {
    let judged = view.condition.is_some();
    let known = view.clone();
    let pick = move |row: usize, model: Option<Model>| {
        if known.done {
            choice.set(Some(choose(&known, choice.get_untracked(), row, model)));
        }
    };
    let first = Memo::new(move |_| choice.get().map_or(0, |choice| choice.row));
    let cell = |at: usize, outcome: &str, model: Model, cell: &CellView| {
        let (class, text, words) = match cell {
            CellView::Allowed { executions } => {
                let by = words::count(*executions, "execution");
                ("cell allowed", grouped(*executions), format!("allowed by {by}"))
            }
            CellView::Forbidden { axiom: Some(axiom) } => {
                ("cell forbidden", "✗".to_owned(), format!("forbidden: {axiom}"))
            }
            CellView::Forbidden { axiom: None } => ("cell forbidden", "✗".to_owned(), "forbidden".to_owned()),
            CellView::Unknown if view.done => ("cell unknown", "?".to_owned(), "not known".to_owned()),
            CellView::Unknown => ("cell unknown", "…".to_owned(), "not known yet".to_owned()),
        };
        let shown = move || {
            choice.get().is_some_and(|choice| {
                choice.row == at && (choice.allowing == Some(model) || choice.forbidding == Some(model))
            })
        };
        let pick = pick.clone();
        let column = view.models.iter().position(|other| *other == model).unwrap_or(0);
        view! {
            <td class="cell-place">
                <button
                    type="button"
                    class=class
                    data-row=at.to_string()
                    data-column=column.to_string()
                    data-model=model.name()
                    // Arrow keys go from cell to cell.
                    tabindex=move || if first.get() == at && column == 0 { "0" } else { "-1" }
                    aria-pressed=move || shown().to_string()
                    aria-label=format!("{outcome} under {}: {words}", model.title())
                    title=words.clone()
                    on:click=move |event| {
                        event.stop_propagation();
                        pick(at, Some(model));
                    }
                >
                    {text}
                </button>
            </td>
        }
    };
    let row = |(at, row): (usize, &ComparedRow)| {
        let cells: Vec<_> = view.models.iter().zip(&row.cells).map(|(m, c)| cell(at, &row.outcome, *m, c)).collect();
        let pick = pick.clone();
        view! {
            <tr
                class="compared"
                class:satisfying=row.satisfies == Some(true)
                class:chosen=move || choice.get().is_some_and(|choice| choice.row == at)
                on:click=move |_| pick(at, None)
            >
                {judged.then(|| asked_mark(row.satisfies == Some(true)))}
                {row.values.iter().map(|value| view! { <td class="value">{value.clone()}</td> }).collect_view()}
                {cells}
            </tr>
        }
    };
    let models = view.models.len();
    let absent = |absent: &AbsentRow| {
        let values = absent.values.iter();
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "any".to_owned());
        view! {
            <tr class="absent satisfying">
                {judged.then(|| asked_mark(true))}
                {values.map(|v| view! { <td class="value">{value(v)}</td> }).collect_view()}
                <td class="why" colspan=models.to_string()>{absent.sentence.clone()}</td>
            </tr>
        }
    };
    let heads = view
        .models
        .iter()
        .map(|model| view! { <th scope="col" class="model" title=plain(model.description())>{model.title()}</th> });
    let condition =
        view.condition.clone().map(|condition| view! { <p class="compare-condition"><code>{condition}</code></p> });
    let rows = view.rows.iter().enumerate().map(row).collect_view();
    let left_out = (view.left_out > 0).then(|| {
        let are = words::by_number(view.left_out, "is", "are");
        view! { <li>{format!("{} {are} not listed.", words::count(view.left_out, "more outcome"))}</li> }
    });
    let notes = view.notes.iter().map(|note| view! { <li>{prose(note)}</li> }).collect_view();
    let nothing = (view.done && view.rows.is_empty() && view.absent.is_empty())
        .then(|| view! { <li>"No model has an execution that ends without an error."</li> });
    view! {
        {condition}
        <div class="table compare-table">
            <table id="compare-table" on:keydown=move_focus>
                <caption class="sr-only">
                    "Outcomes, and for each model the number of executions with the outcome, or that the model \
                     forbids it. Arrow keys go from cell to cell. Enter shows executions."
                </caption>
                <thead>
                    <tr>
                        {judged.then(|| view! { <th scope="col" title="the condition asks for it"><span class="sr-only">"asked for"</span></th> })}
                        {view.columns.iter().map(|name| view! { <th scope="col" class="value">{name.clone()}</th> }).collect_view()}
                        {heads.collect_view()}
                    </tr>
                </thead>
                <tbody>
                    {rows}
                    {view.absent.iter().map(absent).collect_view()}
                </tbody>
            </table>
        </div>
        <ul class="compare-notes" id="compare-notes">
            <li class="compare-key" aria-hidden="true">
                <span><span class="cell allowed">"2"</span>"allowed, by that many executions"</span>
                <span><span class="cell forbidden">"✗"</span>"forbidden"</span>
                {judged.then(|| view! { <span><span class="asked">"★"</span>"asked for by the condition"</span> })}
            </li>
            {left_out} {nothing} {notes}
        </ul>
    }
}

fn asked_mark(asked: bool) -> impl IntoView {
    let words = if asked { "asked for by the condition" } else { "" };
    view! {
        <td class="asked">
            <span aria-hidden="true">{asked.then_some("★")}</span>
            <span class="sr-only">{words}</span>
        </td>
    }
}

/// Arrow keys go from cell to cell of the table.
fn move_focus(event: KeyboardEvent) {
    let (down, right) = match event.key().as_str() {
        "ArrowUp" => (-1, 0),
        "ArrowDown" => (1, 0),
        "ArrowLeft" => (0, -1),
        "ArrowRight" => (0, 1),
        _ => return,
    };
    let Some(cell) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) else { return };
    let at = |name: &str| cell.get_attribute(name)?.parse::<i64>().ok();
    if let (Some(row), Some(column)) = (at("data-row"), at("data-column")) {
        event.prevent_default();
        let wanted = format!("#compare-table [data-row='{}'][data-column='{}']", row + down, column + right);
        let next = document().query_selector(&wanted).ok().flatten();
        if let Some(next) = next.and_then(|next| next.dyn_into::<HtmlElement>().ok()) {
            let _ = next.focus();
        }
    }
}

/// Two executions of the chosen outcome.
#[component]
fn Contrast(comparison: Comparison, choice: RwSignal<Option<Choice>>) -> impl IntoView {
    let contrast = comparison.contrast;
    let allowed = Memo::new(move |_| contrast.with(|contrast| contrast.as_ref()?.allowed.clone().map(Arc::new)));
    let forbidden = Memo::new(move |_| contrast.with(|contrast| contrast.as_ref()?.forbidden.clone().map(Arc::new)));
    let any = Memo::new(move |_| contrast.with(Option::is_some));
    let title = move || contrast.with(|contrast| contrast.as_ref().map(|contrast| contrast.outcome.clone()));
    let drawings = Signal::derive(move || {
        let drawing =
            |side: Memo<Option<Arc<SideView>>>| side.with(|side| side.as_ref()?.drawing.clone().map(Arc::new));
        [allowed, forbidden].into_iter().filter_map(drawing).collect::<Vec<_>>()
    });
    view! {
        <section class="pair" id="pair" aria-label="Executions of the outcome" class:away=move || !any.get()>
            <div class="pair-head">
                <p class="pair-title" aria-live="polite">"Ends in " <code>{title}</code></p>
                <Relations drawings />
            </div>
            <div class="sides">
                <Side id="allowed" comparison choice allow=true side=allowed />
                <Side id="forbidden" comparison choice allow=false side=forbidden />
            </div>
        </section>
    }
}

/// One of the two.
#[component]
fn Side(
    id: &'static str,
    comparison: Comparison,
    choice: RwSignal<Option<Choice>>,
    /// Whether the model allows it.
    allow: bool,
    side: Memo<Option<Arc<SideView>>>,
) -> impl IntoView {
    let app = App::get();
    let drawing = Memo::new(move |_| side.with(|side| side.as_ref()?.drawing.clone().map(Arc::new)));
    let stage = Stage::beside(1.9, move || drawing.with(|drawing| drawing.as_ref().map(|drawing| size(drawing))));
    let violation = Memo::new(move |_| side.with(|side| side.as_ref()?.violation.clone().map(Arc::new)));
    // Another graph is seen whole, wherever the one before was moved to.
    Effect::new(move |_| {
        drawing.track();
        stage.fit();
    });
    let models = Memo::new(move |_| {
        let row = choice.get().map(|choice| choice.row);
        comparison.view.with(|view| match (view, row) {
            (Some(view), Some(row)) => saying(view, row, allow),
            _ => Vec::new(),
        })
    });
    let chosen = move || choice.get().and_then(|choice| if allow { choice.allowing } else { choice.forbidding });
    let set = move |name: String| {
        if let Ok(model) = name.parse::<Model>() {
            choice.update(|choice| {
                if let Some(choice) = choice {
                    *(if allow { &mut choice.allowing } else { &mut choice.forbidding }) = Some(model);
                }
            });
        }
    };
    let open = move |_| {
        let side = side.get_untracked();
        let subject = comparison.subject.get_untracked();
        if let (Some((text, options)), Some((model, Some(position)))) =
            (subject, side.map(|side| (side.model, side.position)))
        {
            app.explore(&Settings { text, model, algorithm: litmoscope::compare::ALGORITHM, options, position });
            app.show(Tab::Graph);
        }
    };
    let title = if allow { "Allowed by" } else { "Forbidden by" };
    let none = if allow { "No model allows this outcome." } else { "No model forbids this outcome." };
    let (stage_id, graph_id, name) = if allow {
        ("allowed-stage", "allowed-graph", "Execution that is allowed")
    } else {
        ("forbidden-stage", "forbidden-graph", "Candidate execution that is forbidden")
    };
    let picker = format!("{id}-model");
    let class = if allow { "pair-side allows" } else { "pair-side forbids" };
    view! {
        <section class=class id=id aria-label=title>
            <div class="side-head">
                {move || (!models.with(Vec::is_empty)).then(|| {
                    let options = models.get().into_iter().map(|model| {
                        view! { <option value=model.name() selected=move || chosen() == Some(model)>{model.title()}</option> }
                    });
                    view! {
                        <label>
                            <span>{title}" "</span>
                            <select
                                id=picker.clone()
                                prop:value=move || chosen().map(Model::name)
                                on:change:target=move |event| set(event.target().value())
                            >
                                {options.collect_view()}
                            </select>
                        </label>
                    }
                })}
                {move || side.with(|side| side.as_ref().and_then(|side| side.position)).map(|position| view! {
                    <button
                        type="button"
                        id="open-in-genmc"
                        title=format!("Go to step {position} of GenMC, where this execution is complete")
                        on:click=open
                    >
                        "Open in GenMC under " {move || chosen().map(Model::title)}
                    </button>
                })}
            </div>
            <p class="side-text">{move || side.get().map_or_else(|| none.to_owned(), |side| side.sentence.clone())}</p>
            <div class="side-graph" class:away=move || drawing.with(Option::is_none)>
                <Scene stage drawing id=stage_id graph_id name hide_po=false faded=false />
            </div>
            <Show when=move || violation.with(Option::is_some)>
                <div class="side-cycle" id="cycle-in-words" title=move || violation.get().map(|violation| violation.remark.clone())>
                    <Broken violation scene=graph_id />
                </div>
            </Show>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row for each line, a letter for each model: allowed, forbidden or unknown; `*` where the condition asks for it.
    fn view(rows: &[&str]) -> ComparisonView {
        let cell = |letter: char| match letter {
            'a' => Some(CellView::Allowed { executions: 1 }),
            'f' => Some(CellView::Forbidden { axiom: None }),
            '?' => Some(CellView::Unknown),
            _ => None,
        };
        let row = |row: &&str| ComparedRow {
            values: Vec::new(),
            outcome: String::new(),
            satisfies: Some(row.starts_with('*')),
            cells: row.chars().filter_map(cell).collect(),
        };
        ComparisonView {
            columns: Vec::new(),
            models: vec![Model::SC, Model::TSO, Model::RA],
            condition: None,
            rows: rows.iter().map(row).collect(),
            left_out: 0,
            absent: Vec::new(),
            asked: None,
            notes: Vec::new(),
            bounded: false,
            done: true,
            doing: String::new(),
        }
    }

    #[test]
    fn a_row_on_which_models_disagree_comes_first() {
        assert_eq!(first_row(&view(&["aaa", "*aaa", "faa", "*ffa", "fff"])), Some(3));
        assert_eq!(first_row(&view(&["*aaa", "faa"])), Some(1));
        assert_eq!(first_row(&view(&["aaa", "*?aa"])), Some(1));
        assert_eq!(first_row(&view(&[])), None);
    }

    #[test]
    fn what_is_clicked_on_is_shown_against_what_was_shown_before() {
        let view = view(&["ffa", "faa", "aaa"]);
        let choice = choose(&view, None, 0, None);
        assert_eq!(choice, Choice { row: 0, allowing: Some(Model::RA), forbidding: Some(Model::TSO) });
        let choice = choose(&view, Some(choice), 0, Some(Model::SC));
        assert_eq!((choice.allowing, choice.forbidding), (Some(Model::RA), Some(Model::SC)));
        let choice = choose(&view, Some(choice), 1, None);
        assert_eq!((choice.allowing, choice.forbidding), (Some(Model::RA), Some(Model::SC)));
        let choice = choose(&view, Some(choice), 2, Some(Model::TSO));
        assert_eq!((choice.allowing, choice.forbidding), (Some(Model::TSO), None));
    }
}
