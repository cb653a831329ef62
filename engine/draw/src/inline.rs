//! Drawings as SVG inside a page: colours are classes of a style sheet, which follows the reader's theme. There are no
//! style attributes and no scripts, so a page with a strict security policy may hold them.

use super::svg::{escape, palette};
use super::{
    Band, CHARACTER_WIDTH, Drawing, DrawnEdge, EdgeKind, EdgeLabel, FONT_SIZE, FRAME_FONT_SIZE, HEAD_PATH, Head,
    LABEL_FONT_SIZE, Look, Mark, Node, NodeKind, TITLE_FONT_SIZE, Theme,
};
use crate::graph::RelationName;
use std::fmt::Write;

/// Height of a line of the legend.
const LEGEND_LINE: f32 = 22.0;
/// Space around the legend.
const MARGIN: f32 = 16.0;

/// A drawing as an element of a page, with a legend below it. `label` says what it is to those who don't see it. Its
/// colours are those of [`inline_style`].
pub fn inline_svg(drawing: &Drawing, label: &str) -> String {
    let (legend, legend_width, legend_height) = legend(drawing);
    let (width, height) = (drawing.width.max(legend_width), drawing.height + legend_height);
    let mut out = String::new();
    let (size, label) = (format!(r#"width="{width}" height="{height}""#), escape(label));
    let _ =
        writeln!(out, r#"<svg class="graph" {size} viewBox="0 0 {width} {height}" role="img" aria-label="{label}">"#);
    for column in &drawing.columns {
        // A little wider than its nodes, so that it reads as a lane.
        let (x, y, wide, high) = (column.x - 8.0, column.y, column.width + 16.0, column.height + 8.0);
        let _ = writeln!(out, r#"<rect class="lane" x="{x}" y="{y}" width="{wide}" height="{high}" rx="8"/>"#);
        let (x, y, title) = (column.x + column.width / 2.0, column.y + 17.0, escape(&column.title));
        let _ =
            writeln!(out, r#"<text class="lane-title" x="{x}" y="{y}" font-size="{TITLE_FONT_SIZE}">{title}</text>"#);
    }
    if let Some(band) = drawing.initial {
        let _ = writeln!(out, r#"<rect class="initial" {} rx="8"/>"#, rectangle(band));
    }
    for frame in &drawing.frames {
        let title = escape(&frame.title);
        let _ = writeln!(out, r#"<rect class="frame" {} rx="7"><title>{title}</title></rect>"#, rectangle(frame.band));
    }
    for edge in &drawing.edges {
        write_edge(&mut out, drawing, edge);
    }
    for node in &drawing.nodes {
        write_node(&mut out, node);
    }
    for frame in drawing.frames.iter().filter(|frame| !frame.label.is_empty()) {
        let (x, y, label) = (frame.band.x + 2.0, frame.band.y - 3.0, escape(&frame.label));
        let _ =
            writeln!(out, r#"<text class="frame-label" x="{x}" y="{y}" font-size="{FRAME_FONT_SIZE}">{label}</text>"#);
    }
    // Labels last: no edge may strike them through.
    for edge in &drawing.edges {
        let Some(EdgeLabel { text, x, y, .. }) = &edge.label else { continue };
        let (class, y) = (relation_class(edge.kind), y + LABEL_FONT_SIZE * 0.33);
        let on_cycle = if edge.in_cycle { " on-cycle" } else { "" };
        let text = escape(text);
        let _ = writeln!(
            out,
            r#"<text class="edge-label{on_cycle} {class}" x="{x}" y="{y}" font-size="{LABEL_FONT_SIZE}">{text}</text>"#
        );
    }
    if !legend.is_empty() {
        let _ = writeln!(out, "<g transform=\"translate(0 {})\">\n{legend}</g>", drawing.height);
    }
    out.push_str("</svg>\n");
    out
}

/// The rules for [`inline_svg`], in light colours, or in dark ones where the reader prefers them.
pub fn inline_style() -> String {
    let mut out = String::from(
        ".graph { font-family: ui-monospace, \"DejaVu Sans Mono\", \"Liberation Mono\", Menlo, Consolas, monospace; }\n\
         .graph text { text-anchor: middle; }\n\
         .graph .lane-title { font-weight: bold; }\n\
         .graph .frame-label, .graph .legend { text-anchor: start; }\n\
         .graph .frame-label { stroke-width: 3; paint-order: stroke; }\n\
         .graph .edge { fill: none; stroke-width: 1.7; }\n\
         .graph .edge.on-cycle { stroke-width: 2.6; }\n\
         .graph .halo { fill: none; stroke-width: 9; stroke-linecap: round; stroke-opacity: 0.3; }\n\
         .graph .edge-label { stroke-width: 4; stroke-linejoin: round; paint-order: stroke; }\n\
         .graph .edge-label.on-cycle { font-weight: bold; }\n\
         .graph .node.wrong { stroke-width: 2; }\n\
         .graph .ghost { opacity: 0.4; }\n",
    );
    colours(&mut out, Theme::Light);
    out.push_str("@media (prefers-color-scheme: dark) {\n");
    colours(&mut out, Theme::Dark);
    out.push_str("}\n");
    out
}

fn colours(out: &mut String, theme: Theme) {
    let palette = palette(theme);
    for (class, property, colour) in [
        (".lane", "fill", palette.column),
        (".lane-title", "fill", palette.muted),
        (".initial", "fill", palette.band),
        (".frame", "fill", palette.background),
        (".frame", "stroke", palette.muted),
        (".frame-label", "fill", palette.muted),
        (".frame-label", "stroke", palette.column),
        (".node", "fill", palette.node),
        (".node", "stroke", palette.border),
        (".node.wrong", "fill", palette.alarm_fill),
        (".node.wrong", "stroke", palette.alarm),
        (".node-label", "fill", palette.text),
        (".node-label.muted", "fill", palette.muted),
        (".node-label.error", "fill", palette.alarm),
        (".halo", "stroke", palette.alarm),
        (".edge-label", "stroke", palette.background),
        (".legend", "fill", palette.text),
    ] {
        let _ = writeln!(out, ".graph {class} {{ {property}: {colour}; }}");
    }
    for relation in RelationName::ALL {
        let (name, colour) = (relation.name(), Look::from(theme).color(relation));
        let class = class_of(name);
        let _ = writeln!(out, ".graph .edge.{class} {{ stroke: {colour}; }}");
        let _ = writeln!(out, ".graph .head.{class}, .graph .edge-label.{class} {{ fill: {colour}; }}");
    }
}

/// `of-rf`; letters and hyphens alone.
fn class_of(name: &str) -> String {
    let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    format!("of-{}", letters.collect::<String>())
}

/// A kind of edges that a diagram declares has no class of its own: it looks as po does.
fn relation_class(kind: EdgeKind) -> String {
    class_of(kind.relation().unwrap_or(RelationName::Po).name())
}

fn rectangle(Band { x, y, width, height }: Band) -> String {
    format!(r#"x="{x}" y="{y}" width="{width}" height="{height}""#)
}

fn dashes(dash: &str) -> String {
    if dash.is_empty() { String::new() } else { format!(r#" stroke-dasharray="{dash}""#) }
}

fn write_edge(out: &mut String, drawing: &Drawing, edge: &DrawnEdge) {
    let class = relation_class(edge.kind);
    let (dash, path) = (dashes(drawing.dash(edge.kind)), &edge.path);
    let (on_cycle, scale) = if edge.in_cycle { (" on-cycle", " scale(1.25)") } else { ("", "") };
    let ghost = if edge.ghost { r#" class="ghost""# } else { "" };
    let _ = writeln!(out, "<g{ghost}><title>{}</title>", escape(&edge.title));
    if edge.in_cycle {
        let _ = writeln!(out, r#"<path class="halo" d="{path}"/>"#);
    }
    let _ = writeln!(out, r#"<path class="edge{on_cycle} {class}" d="{path}"{dash}/>"#);
    let Head { x, y, angle } = edge.head;
    let _ = writeln!(
        out,
        r#"<path class="head {class}" d="{HEAD_PATH}" transform="translate({x} {y}) rotate({angle:.1}){scale}"/></g>"#
    );
}

fn write_node(out: &mut String, node: &Node) {
    let has = |mark| node.marks.contains(&mark);
    let wrong = has(Mark::InCycle) || has(Mark::RaceParty) || has(Mark::Refusing) || node.kind == NodeKind::Error;
    // Reads are round, writes square, so that they differ at a glance without a colour.
    let radius = match node.kind {
        NodeKind::Read => 11.0,
        NodeKind::Update => 7.0,
        _ => 2.0,
    };
    let label = match node.kind {
        NodeKind::Error => " error",
        NodeKind::Init | NodeKind::Stuck | NodeKind::Bound => " muted",
        _ => "",
    };
    let Node { x, y, width, height, .. } = *node;
    let ghost = if node.ghost { r#" class="ghost""# } else { "" };
    let wrong = if wrong { " wrong" } else { "" };
    let _ = writeln!(out, "<g{ghost}><title>{}</title>", escape(&node.title));
    let place = rectangle(Band { x, y, width, height });
    let _ = writeln!(out, r#"<rect class="node{wrong}" {place} rx="{radius}"/>"#);
    let (x, y, text) = (x + width / 2.0, y + height / 2.0 + FONT_SIZE * 0.34, escape(&node.label));
    let _ =
        writeln!(out, r#"<text class="node-label{label}" x="{x}" y="{y}" font-size="{FONT_SIZE}">{text}</text></g>"#);
}

/// One sample line a relation; how wide and high it is.
fn legend(drawing: &Drawing) -> (String, f32, f32) {
    const SAMPLE: f32 = 38.0;
    const SPACE: f32 = 18.0;
    let mut out = String::new();
    let (mut x, mut y, mut right) = (MARGIN, 0.0, 0.0);
    for &relation in &drawing.relations {
        let text = relation.name();
        let width = SAMPLE + 6.0 + text.chars().count() as f32 * CHARACTER_WIDTH * LABEL_FONT_SIZE;
        if x > MARGIN && x + width + MARGIN > drawing.width {
            x = MARGIN;
            y += LEGEND_LINE;
        }
        let (class, middle) = (class_of(text), y + LEGEND_LINE / 2.0 - 4.0);
        let dash = dashes(drawing.dash(relation));
        let _ = writeln!(out, r#"<path class="edge {class}" d="M{x} {middle}h{}"{dash}/>"#, SAMPLE - 7.0);
        let tip = x + SAMPLE;
        let _ = writeln!(out, r#"<path class="head {class}" d="{HEAD_PATH}" transform="translate({tip} {middle})"/>"#);
        let (at, base, text) = (tip + 6.0, middle + 4.0, escape(text));
        let _ =
            writeln!(out, r#"<text class="legend" x="{at}" y="{base}" font-size="{LABEL_FONT_SIZE}">{text}</text>"#);
        x += width + SPACE;
        right = f32::max(right, x - SPACE + MARGIN);
    }
    if drawing.relations.is_empty() { (out, 0.0, 0.0) } else { (out, right, y + LEGEND_LINE + MARGIN / 2.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Execution;
    use crate::program::Code;
    use crate::{DrawingInput, InitialWrites, layout, style};
    use litmoscope_core::syntax::parse;

    fn drawing() -> Drawing {
        let program = parse("shared x\nx := 1 || a := x").expect("a program").program;
        let execution = Execution::initial(&Code::compile(&program).expect("it compiles"));
        layout(DrawingInput { initial: InitialWrites::All, ..DrawingInput::new(&program, &execution) }.diagram())
    }

    /// Nothing that a strict security policy refuses, and nothing that changes the page around it.
    #[test]
    fn a_page_may_hold_it() {
        let svg = inline_svg(&drawing(), "a \"graph\" <of> two & more");
        assert!(svg.starts_with("<svg class=\"graph\"") && svg.ends_with("</svg>\n"), "{svg}");
        for refused in ["style=", "<script", "<style", "fill=\"#", "stroke=\"#", "onclick", "<of>"] {
            assert!(!svg.contains(refused), "{refused} in {svg}");
        }
        assert!(svg.contains("a &quot;graph&quot; &lt;of&gt; two &amp; more"), "{svg}");
    }

    /// Each relation has its colours in both themes.
    #[test]
    fn the_style_sheet_has_all_relations_twice() {
        let sheet = inline_style();
        for relation in RelationName::ALL {
            let own = style(relation);
            let class = format!(".edge.{} {{", class_of(relation.name()));
            assert_eq!(sheet.matches(&class).count(), 2, "{class}");
            assert!(sheet.contains(own.color_light) && sheet.contains(own.color_dark), "{class}");
        }
        assert_eq!(sheet.matches('{').count(), sheet.matches('}').count());
    }
}
