//! The events as a table that can be sorted.

use leptos::prelude::*;
use litmoscope::graph::EventKey;
use litmoscope::report::{EventColumn, EventRow, EventTable};

use crate::app::App;
use crate::ui::scene::around::Pointed;

/// The table.
#[component]
pub fn TablePanel() -> impl IntoView {
    let app = App::get();
    let by = RwSignal::new((EventColumn::Event, false));
    let selected = RwSignal::new(None::<EventKey>);
    let table = Memo::new(move |_| {
        let (column, descending) = by.get();
        let mut table: EventTable = app.seen.with(|view| view.as_ref()?.aspect.table.clone())?;
        table.sort(column, descending);
        Some(table)
    });
    let head = move |column: EventColumn| {
        let sorted = move || match by.get() {
            (chosen, descending) if chosen == column => Some(if descending { "descending" } else { "ascending" }),
            _ => None,
        };
        let sign = move || match sorted() {
            Some("ascending") => "▲",
            Some(_) => "▼",
            None => "",
        };
        view! {
            <th scope="col" aria-sort=sorted data-column=column.name()>
                <button
                    type="button"
                    on:click=move |_| by.update(|by| *by = (column, by.0 == column && !by.1))
                >
                    {column.title()}
                    <span class="sort-sign" aria-hidden="true">{sign}</span>
                </button>
            </th>
        }
    };
    let about = move || table.with(|table| table.as_ref().map(|table| table.about_co.clone()).unwrap_or_default());
    let left_out = move || table.with(|table| table.as_ref()?.left_out_text());
    let none = move || table.with(|table| table.as_ref().is_some_and(|table| table.rows.is_empty()));
    view! {
        <div class="event-table" class:faded=move || !app.session.current.get()>
            <div class="event-scroll" tabindex="0" role="group" aria-label="Table of events">
                <table id="event-table">
                    <caption class="sr-only">"The events of the execution. The head of a column sorts by it"</caption>
                    <thead><tr>{EventColumn::ALL.map(head).collect_view()}</tr></thead>
                    <tbody>
                        {move || {
                            table.with(|table| {
                                let rows = table.as_ref().map(|table| &table.rows[..]).unwrap_or_default();
                                rows.iter().map(|row| paint_row(app, selected, row)).collect_view()
                            })
                        }}
                    </tbody>
                </table>
                <Show when=none><p class="empty hint">"No event has been added yet."</p></Show>
            </div>
            <p class="table-note" id="table-note">
                {about}
                {move || left_out().map(|left_out| format!(" {left_out}"))}
            </p>
        </div>
    }
}

fn paint_row(app: App, selected: RwSignal<Option<EventKey>>, row: &EventRow) -> impl IntoView + use<> {
    let (key, line) = (row.key, row.line);
    let pointed = move || match app.around.pointed.get() {
        Some(Pointed::Event(other)) => other == key,
        Some(Pointed::Line(other)) => line > 0 && other == line && app.session.current.get(),
        Some(Pointed::Edge(_)) | None => false,
    };
    let title = row.title.clone();
    // A click stays, whatever the mouse passes over on its way.
    let select = move |_| {
        selected.set(Some(key));
        app.around.pointed.set(Some(Pointed::Event(key)));
        app.name_pointed(&title);
    };
    let cells = EventColumn::ALL[1..]
        .iter()
        .map(|column| view! { <td data-column=column.name()>{column.text(row)}</td> })
        .collect_view();
    view! {
        <tr
            class:pointed=pointed
            data-event=row.name.clone()
            on:click=select
            on:pointerenter=move |_| app.around.pointed.set(Some(Pointed::Event(key)))
            on:pointerleave=move |_| app.around.pointed.set(selected.get_untracked().map(Pointed::Event))
        >
            <th scope="row">
                <button
                    type="button"
                    title=row.title.clone()
                    on:focus=move |_| app.around.pointed.set(Some(Pointed::Event(key)))
                >
                    {row.name.clone()}
                    " "
                    <code>{row.label.clone()}</code>
                </button>
            </th>
            {cells}
        </tr>
    }
}
