//! All runs at once: what is known of WRA, RA and SRA, for several sizes of a protocol.

use leptos::prelude::*;
use litmoscope::memories::{TableCell, table_columns};
use litmoscope::words::grouped;

use super::inquiry::{Inquiry, LIMITS, Row};
use crate::ui::prose::prose;

/// The table.
#[component]
pub fn Table() -> impl IntoView {
    let inquiry = Inquiry::get();
    let cell = move |settings: Vec<(String, i64)>, cell: Option<TableCell>| {
        let Some(TableCell { verdict, by, sentence, run }) = cell else {
            return view! { <td class="memory-cell">"…"</td> }.into_any();
        };
        let sign = match &verdict[..] {
            "holds" => "✓",
            "violated" => "✗",
            _ => "?",
        };
        let class = format!("memory-cell {verdict}");
        let has_run = run.is_some();
        let show = move |_| inquiry.show(settings.clone(), run.clone());
        let title = if has_run { format!("{sentence} Click to see the run.") } else { sentence };
        view! {
            <td class=class>
                <button type="button" title=title on:click=show>
                    <span aria-hidden="true">{sign}</span>" "{verdict}<small>{by}</small>
                </button>
            </td>
        }
        .into_any()
    };
    let row = move |Row { row, size, cells }: Row| {
        let settings = row.settings.clone();
        let of = settings.clone();
        let (size, cells) = match size {
            Some(Err(why)) => (None, view! { <td colspan="3" class="memory-cell refused">{why}</td> }.into_any()),
            size => {
                let all = cells.into_iter().map(|one| cell(settings.clone(), one)).collect_view().into_any();
                (Some(size.and_then(Result::ok).unwrap_or_else(|| "…".to_owned())), all)
            }
        };
        let size = size.map(|size| view! { <small>{size}</small> });
        view! {
            <tr>
                <th scope="row">
                    <button type="button" title="Open this machine" on:click=move |_| inquiry.show(of.clone(), None)>{row.title}</button>
                    {size}
                </th>
                {cells}
            </tr>
        }
    };
    let limit = move |limit: u64| {
        view! { <option value=limit.to_string() selected=move || inquiry.limit.get() == limit>{grouped(limit)}</option> }
    };
    view! {
        <p class="inquiry-note">
            "Does each run satisfy the model? Saturation decides WRA. A search for the shape of a cycle decides RA \
             and SRA. A cell with a violation leads to a shortest run that violates the model."
        </p>
        <div class="memory-limit">
            <label for="memory-limit">"Most configurations"</label>
            <select
                id="memory-limit"
                on:change:target=move |event| {
                    if let Ok(limit) = event.target().value().parse() {
                        inquiry.limit.set(limit);
                        inquiry.fill();
                    }
                }
            >
                {LIMITS.map(limit)}
            </select>
            <Show
                when=move || inquiry.filling.get()
                fallback=move || view! { <button type="button" id="memory-fill" on:click=move |_| inquiry.fill()>"Fill in again"</button> }
            >
                <button type="button" id="memory-table-stop" on:click=move |_| inquiry.stop_table()>"Stop"</button>
            </Show>
        </div>
        <p class="inquiry-trouble" role="status">{move || inquiry.table_trouble.get().map(|trouble| prose(&trouble))}</p>
        <table class="inquiry-table memory-table" id="memory-table" aria-busy=move || inquiry.filling.get().to_string()>
            <thead>
                <tr>
                    <th scope="col">"Machine"</th>
                    {table_columns().into_iter().map(|title| view! { <th scope="col">{title}</th> }).collect_view()}
                </tr>
            </thead>
            <tbody>
                // A row stays as it is until something of it becomes known.
                <For
                    each=move || inquiry.rows.get().into_iter().enumerate()
                    key=|(at, row)| (*at, format!("{row:?}"))
                    children=move |(_, one)| row(one)
                />
            </tbody>
        </table>
    }
}
