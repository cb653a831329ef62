//! Growth: symbolic steps over sizes, computed here and now.

use leptos::prelude::*;
use litmoscope::fairness::view::growth::{FRAME, Family, GrowthLine, GrowthTick, GrowthView};

use super::inquiry::Inquiry;
use crate::app::inquiry::fields::choice;

/// The sheet.
#[component]
pub fn GrowthSheet() -> impl IntoView {
    let inquiry = Inquiry::get();
    let family = Memo::new(move |_| inquiry.growing.with(|growing| growing.family));
    let names = move || {
        let at = Family::ALL.iter().position(|own| *own == family.get());
        let choose = move |at: usize| {
            let family = Family::ALL[at.min(Family::ALL.len() - 1)];
            inquiry.growing.update(|growing| growing.family = family);
        };
        choice("fairness-family", Family::ALL.map(|family| family.name().to_owned()), at, "", choose)
    };
    let is_random = move || matches!(family.get(), Family::Random | Family::Chance);
    let other = move |_| inquiry.growing.update(|growing| growing.seed = growing.seed.wrapping_add(1).max(1));
    let growth = inquiry.part(|view| view.growth.clone());
    let said = move || {
        growth.with(|view| match view {
            Some(view) if view.done[0] < view.done[1] => format!("{} of {} graphs so far", view.done[0], view.done[1]),
            Some(view) => format!("{} graphs, computed just now", view.done[1]),
            None => "computing …".to_owned(),
        })
    };
    view! {
        <div class="fair-tools">
            <label class="inquiry-field" for="fairness-family">"graphs "{names}</label>
            <button type="button" id="fairness-seed" class:away=move || !is_random() on:click=other>
                "Other graphs (seed "{move || inquiry.growing.with(|growing| growing.seed)}")"
            </button>
        </div>
        <p class="inquiry-note">{move || family.get().sentence()}</p>
        <p id="fairness-grown" role="status">{said}</p>
        {move || growth.get().map(|view| chart(&view))}
    }
}

fn chart(view: &GrowthView) -> impl IntoView + use<> {
    let [width, height, left, top, right, bottom] = FRAME;
    let [below, beside] = view.axes.clone();
    let across = |GrowthTick { at, label }: &GrowthTick| {
        view! {
            <path class="fair-axis" d=format!("M{at:.1} {bottom}v4")></path>
            <text class="fair-tick" x=*at y=bottom + 17.0 text-anchor="middle">{label.clone()}</text>
        }
    };
    let up = |GrowthTick { at, label }: &GrowthTick| {
        view! {
            <path class="fair-grid" d=format!("M{left} {at:.1}H{right}")></path>
            <text class="fair-tick" x=left - 6.0 y=at + 4.0 text-anchor="end">{label.clone()}</text>
        }
    };
    let line = |(at, line): (usize, &GrowthLine)| {
        let points = line.points.iter().map(|(x, y, title)| {
            view! { <circle cx=*x cy=*y r="3.6"><title>{title.clone()}</title></circle> }
        });
        view! {
            <g class="fair-line" data-colour=2 * at data-line=line.name.clone()>
                <path d=line.path.clone()></path>
                {points.collect_view()}
            </g>
        }
    };
    let guide = |(name, path): &(String, String)| {
        view! { <path class="fair-guide" d=path.clone()><title>{name.clone()}</title></path> }
    };
    let keys = view.lines.iter().enumerate().map(|(at, line)| {
        view! { <li><span class="fair-swatch" data-colour=2 * at aria-hidden="true"></span>" "{line.name.clone()}</li> }
    });
    let guides = view.guides.iter().map(
        |(name, _)| view! { <li><span class="fair-swatch guide" aria-hidden="true"></span>" "{name.clone()}</li> },
    );
    let row = |cells: &Vec<String>| {
        let cells = cells.iter().enumerate().map(|(at, cell)| {
            if at == 0 {
                view! { <th scope="row">{cell.clone()}</th> }.into_any()
            } else {
                view! { <td>{cell.clone()}</td> }.into_any()
            }
        });
        view! { <tr>{cells.collect_view()}</tr> }
    };
    view! {
        <figure class="fair-chart">
            <figcaption>{view.title.clone()}</figcaption>
            <svg id="fairness-chart" viewBox=format!("0 0 {width} {height}") role="img" aria-label=view.summary.clone()>
                {view.up.iter().map(up).collect_view()}
                {view.across.iter().map(across).collect_view()}
                <path class="fair-axis" d=format!("M{left} {top}V{bottom}H{right}")></path>
                <text class="fair-tick" x=(left + right) / 2.0 y=height - 8.0 text-anchor="middle">{below}</text>
                <text class="fair-tick" transform=format!("translate(14 {}) rotate(-90)", (top + bottom) / 2.0) text-anchor="middle">{beside}</text>
                {view.guides.iter().map(guide).collect_view()}
                {view.lines.iter().enumerate().map(line).collect_view()}
            </svg>
            <ul class="fair-legend">{keys.collect_view()}{guides.collect_view()}</ul>
        </figure>
        <table class="inquiry-table fair-grown" id="fairness-growth-table"><tbody>{view.table.iter().map(row).collect_view()}</tbody></table>
    }
}
