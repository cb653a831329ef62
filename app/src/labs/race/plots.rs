//! The plots of a race, as the engine has laid them out.

use leptos::prelude::*;
use litmoscope::labs::race::{Chart, Frame, Stroke, Tick};

/// How large the shapes of points are, in the drawing's units.
const POINT: f64 = 4.0;

/// The plots, each with the names of its lines.
pub fn plots(charts: &[Chart]) -> impl IntoView + use<> {
    let plots = charts.iter().map(plot).collect_view();
    view! { <div class="plots">{plots}</div> }
}

fn plot(chart: &Chart) -> impl IntoView + use<> {
    let Frame { width, height, left, top, right, bottom } = chart.frame;
    let number = |Tick { at, label }: &Tick| {
        view! {
            <g>
                <path class="plot-grid" d=format!("M{left} {at:.1}H{right}")></path>
                <text class="plot-number" x=left - 6.0 y=at + 4.0>{label.clone()}</text>
            </g>
        }
    };
    let size = |Tick { at, label }: &Tick| {
        view! {
            <g>
                <path class="plot-axis" d=format!("M{at:.1} {bottom}v4")></path>
                <text class="plot-size" x=*at y=bottom + 17.0>{label.clone()}</text>
            </g>
        }
    };
    // Of lines that lie on one another the first is drawn; it has the names of all.
    let drawn = || chart.lines.iter().filter(|line| line.same_as.is_none());
    let keys = drawn().map(|line| {
        view! {
            <li class=class(line)>
                <svg class="plot-swatch" viewBox="0 0 26 14" aria-hidden="true">
                    <path class="plot-line" d="M0 7H26"></path>
                    <path class="plot-point" d=line.shape(13.0, 7.0, POINT)></path>
                </svg>
                {names(chart, line).join(" = ")}
            </li>
        }
    });
    view! {
        <figure class="plot" data-plot=chart.title.clone()>
            <figcaption>{chart.title.clone()}</figcaption>
            <svg class="plot-area" viewBox=format!("0 0 {width} {height}") role="img" aria-label=chart.summary.clone()>
                {chart.numbers.iter().map(number).collect_view()}
                {chart.sizes.iter().map(size).collect_view()}
                <path class="plot-axis" d=format!("M{left} {top}V{bottom}H{right}")></path>
                <text class="plot-number" x=right y=height - 4.0>"size"</text>
                {drawn().map(|line| stroke(line, &names(chart, line))).collect_view()}
            </svg>
            <ul class="plot-key">{keys.collect_view()}</ul>
        </figure>
    }
}

/// The names of all lines that lie where this one does.
fn names(chart: &Chart, line: &Stroke) -> Vec<String> {
    let lies_there = |other: &&Stroke| other.name == line.name || other.same_as.as_ref() == Some(&line.name);
    chart.lines.iter().filter(lies_there).map(|line| line.name.clone()).collect()
}

/// By which a style sheet knows its colour.
fn class(line: &Stroke) -> String {
    format!("plot-colour-{}{}", line.colour(), if line.is_dashed() { " plot-dashed" } else { "" })
}

fn stroke(line: &Stroke, names: &[String]) -> impl IntoView + use<> {
    let points = line.points.iter().map(|point| {
        let title = point.title.replacen(&line.name, &names.join(" = "), 1);
        view! {
            <path class="plot-point" d=line.shape(point.x, point.y, POINT)>
                <title>{title}</title>
            </path>
        }
    });
    view! {
        <g class=class(line) data-line=line.name.clone()>
            <path class="plot-line" d=line.path()></path>
            {points.collect_view()}
        </g>
    }
}
