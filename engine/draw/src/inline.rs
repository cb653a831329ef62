//! Drawings as SVG inside a page: colours are classes of a style sheet, which follows the reader's theme. There are no
//! style attributes and no scripts, so a page with a strict security policy may hold them.

use super::svg::{Sample, dashes, escape, is_wrong, legend, palette, radius};
use super::{
    Band, Drawing, DrawnEdge, EdgeKind, EdgeLabel, FONT_SIZE, FRAME_FONT_SIZE, HEAD_PATH, Head, LABEL_FONT_SIZE, Look,
    Node, NodeKind, TITLE_FONT_SIZE, Theme,
};
use crate::graph::RelationName;
use std::fmt::Write;

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
        let _ = writeln!(out, "<g transform=\"translate(0 {})\">", drawing.height);
        write_legend(&mut out, drawing, &legend);
        out.push_str("</g>\n");
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
    let label = match node.kind {
        NodeKind::Error => " error",
        NodeKind::Init | NodeKind::Stuck | NodeKind::Bound => " muted",
        _ => "",
    };
    let Node { x, y, width, height, .. } = *node;
    let ghost = if node.ghost { r#" class="ghost""# } else { "" };
    let (wrong, radius) = (if is_wrong(node) { " wrong" } else { "" }, radius(node.kind));
    let _ = writeln!(out, "<g{ghost}><title>{}</title>", escape(&node.title));
    let place = rectangle(Band { x, y, width, height });
    let _ = writeln!(out, r#"<rect class="node{wrong}" {place} rx="{radius}"/>"#);
    let (x, y, text) = (x + width / 2.0, y + height / 2.0 + FONT_SIZE * 0.34, escape(&node.label));
    let _ =
        writeln!(out, r#"<text class="node-label{label}" x="{x}" y="{y}" font-size="{FONT_SIZE}">{text}</text></g>"#);
}

fn write_legend(out: &mut String, drawing: &Drawing, samples: &[Sample]) {
    for &Sample { relation, x, middle, tip, text: (at, base), length } in samples {
        let (class, dash) = (class_of(relation.name()), dashes(drawing.dash(relation)));
        let _ = writeln!(out, r#"<path class="edge {class}" d="M{x} {middle}h{length}"{dash}/>"#);
        let _ = writeln!(out, r#"<path class="head {class}" d="{HEAD_PATH}" transform="translate({tip} {middle})"/>"#);
        let name = escape(relation.name());
        let _ =
            writeln!(out, r#"<text class="legend" x="{at}" y="{base}" font-size="{LABEL_FONT_SIZE}">{name}</text>"#);
    }
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
