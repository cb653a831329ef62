//! Drawings as SVG files.

use super::{
    Band, CHARACTER_WIDTH, Column, Drawing, DrawnEdge, EdgeLabel, FONT_SIZE, FRAME_FONT_SIZE, HEAD_PATH, Head,
    LABEL_FONT_SIZE, Mark, Node, NodeKind, TITLE_FONT_SIZE,
};
use crate::graph::RelationName;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Colours for light or dark surroundings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
    Dark,
    /// Black on white, and every colour with a contrast of 7 to white: for projectors in bright rooms and for tired eyes.
    Contrast,
}

/// A set of colours for relations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Colours {
    /// Hues that are far from each other for most eyes.
    #[default]
    Standard,
    /// Colours that also red-blind, green-blind and blue-blind eyes tell apart: near those of Okabe and Ito and of Tol, moved
    /// until both the contrast to the ground and the distance between any two are large enough (the tests measure them).
    Safe,
}

impl Colours {
    /// All sets.
    pub const ALL: [Self; 2] = [Self::Standard, Self::Safe];

    /// The name in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Safe => "safe",
        }
    }

    /// How a relation's edges look in this set.
    pub fn style(self, relation: RelationName) -> Style {
        match self {
            Self::Standard => style(relation),
            Self::Safe => {
                let (color_light, color_dark) = match relation {
                    RelationName::Po => ("#57606a", "#9aa4b2"),
                    RelationName::Rf => ("#005334", "#0dffb1"),
                    RelationName::Co => ("#bf4007", "#d88906"),
                    RelationName::Fr => ("#ae42b1", "#ffbeed"),
                    RelationName::Wb => ("#1b1200", "#ffdc0a"),
                    RelationName::Sw => ("#0554ff", "#a0b7ff"),
                    RelationName::Hb => ("#6a00a7", "#358df5"),
                    RelationName::Eco => ("#720363", "#d780d0"),
                    RelationName::Psc => ("#870000", "#e7594d"),
                    RelationName::Ppo => ("#147a49", "#9ded90"),
                    RelationName::ScFence => ("#517b16", "#c7ee60"),
                    RelationName::Pb => ("#0500c9", "#4fc178"),
                    RelationName::Mo => ("#0d016e", "#99877c"),
                };
                Style { color_light, color_dark, ..style(relation) }
            }
        }
    }
}

/// How a picture looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// What surrounds it.
    pub theme: Theme,
    /// The relations' colours.
    pub colours: Colours,
}

impl From<Theme> for Look {
    fn from(theme: Theme) -> Self {
        Self { theme, colours: Colours::default() }
    }
}

impl Look {
    /// The colour of a relation's edges.
    pub fn color(self, relation: RelationName) -> &'static str {
        self.colours.style(relation).color(self.theme)
    }
}

/// How a relation's edges look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The colour on light.
    pub color_light: &'static str,
    /// The colour on dark.
    pub color_dark: &'static str,
    /// The colour where contrast is high.
    pub color_contrast: &'static str,
    /// SVG's `stroke-dasharray`; empty for a solid line.
    pub dash: &'static str,
}

impl Style {
    /// The colour of a theme.
    pub fn color(self, theme: Theme) -> &'static str {
        match theme {
            Theme::Light => self.color_light,
            Theme::Dark => self.color_dark,
            Theme::Contrast => self.color_contrast,
        }
    }
}

/// How a relation's edges look in the standard colours: each has a colour and a dash pattern of its own, since colour alone
/// is lost on a projector and on colour-blind eyes.
pub fn style(relation: RelationName) -> Style {
    let (color_light, color_dark, color_contrast, dash) = match relation {
        RelationName::Po => ("#57606a", "#9aa4b2", "#444444", ""),
        RelationName::Rf => ("#1a7f37", "#4ade80", "#0b4a00", ""),
        RelationName::Co => ("#ad5600", "#fbac4d", "#b40024", "9 4"),
        RelationName::Fr => ("#c11574", "#ff7ab8", "#5e005d", "4 4"),
        RelationName::Wb => ("#4d3b00", "#f4f1a0", "#2d1209", "2 4"),
        RelationName::Sw => ("#0b62c4", "#6cb2ff", "#092eff", "14 4"),
        RelationName::Hb => ("#3a41c9", "#a2a8ff", "#3900a3", "10 3 2 3"),
        RelationName::Eco => ("#7a2bbf", "#cf9bff", "#702a98", "6 3 2 3 2 3"),
        RelationName::Psc => ("#b42318", "#ff8a80", "#73002b", "12 3 4 3"),
        RelationName::Ppo => ("#046b72", "#3fd0d9", "#1a6142", "1 3"),
        RelationName::ScFence => ("#46670b", "#b5d55a", "#183300", "16 3 2 3 2 3"),
        RelationName::Pb => ("#00728f", "#4fd3f2", "#6f2ad6", "20 4"),
        RelationName::Mo => ("#8a4a2b", "#e8a987", "#94307a", "6 3"),
    };
    Style { color_light, color_dark, color_contrast, dash }
}

pub(super) fn dash(relation: RelationName, chosen_co: bool) -> &'static str {
    if relation == RelationName::Co && chosen_co { "" } else { style(relation).dash }
}

/// Colours of everything but edges.
pub(super) struct Palette {
    pub(super) background: &'static str,
    pub(super) column: &'static str,
    pub(super) band: &'static str,
    pub(super) node: &'static str,
    pub(super) border: &'static str,
    pub(super) text: &'static str,
    pub(super) muted: &'static str,
    /// The violating cycle, errors, races.
    pub(super) alarm: &'static str,
    pub(super) alarm_fill: &'static str,
    /// What is new or chosen.
    pub(super) accent: &'static str,
    pub(super) accent_fill: &'static str,
    pub(super) prefix_fill: &'static str,
}

const LIGHT: Palette = Palette {
    background: "#ffffff",
    column: "#f4f6f8",
    band: "#e4e8ec",
    node: "#ffffff",
    border: "#8c959f",
    text: "#1f2328",
    muted: "#57606a",
    alarm: "#cf222e",
    alarm_fill: "#ffebe9",
    accent: "#0969da",
    accent_fill: "#ddf4ff",
    prefix_fill: "#fff8c5",
};

const DARK: Palette = Palette {
    background: "#0d1117",
    column: "#161b22",
    band: "#21262d",
    node: "#0d1117",
    border: "#6e7681",
    text: "#e6edf3",
    muted: "#9aa4b2",
    alarm: "#ff6b62",
    alarm_fill: "#3d1518",
    accent: "#58a6ff",
    accent_fill: "#0c2d56",
    prefix_fill: "#3a2f0b",
};

const CONTRAST: Palette = Palette {
    background: "#ffffff",
    column: "#ffffff",
    band: "#ffffff",
    node: "#ffffff",
    border: "#000000",
    text: "#000000",
    muted: "#333333",
    alarm: "#a40000",
    alarm_fill: "#ffffff",
    accent: "#0b1a8c",
    accent_fill: "#ffffff",
    prefix_fill: "#ffffff",
};

/// The colours of a theme.
pub(super) fn palette(theme: Theme) -> &'static Palette {
    match theme {
        Theme::Light => &LIGHT,
        Theme::Dark => &DARK,
        Theme::Contrast => &CONTRAST,
    }
}

/// Height of a line of the legend.
const LEGEND_LINE: f32 = 22.0;
/// Space around the legend.
const MARGIN: f32 = 16.0;
/// The monospaced fonts that labels are laid out for.
pub(super) const FONTS: &str = "ui-monospace, 'DejaVu Sans Mono', 'Liberation Mono', Menlo, Consolas, monospace";

/// A drawing as a file of its own: no style sheet, no script, a legend below the graph.
pub fn svg(drawing: &Drawing, look: impl Into<Look>) -> String {
    let look = look.into();
    let palette = palette(look.theme);
    let (legend, legend_width, legend_height) = legend(drawing);
    let (width, height) = (drawing.width.max(legend_width), drawing.height + legend_height);
    let mut out = String::new();
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" font-family="{FONTS}">"#
    );
    out.push_str("<title>Execution graph</title>\n");
    let _ = writeln!(out, r#"<rect width="{width}" height="{height}" fill="{}"/>"#, palette.background);
    for column in &drawing.columns {
        let Column { x, y, width, height, title } = column;
        // A little wider than its nodes, so that it reads as a lane.
        let _ = writeln!(
            out,
            r#"<rect x="{}" y="{y}" width="{}" height="{}" rx="8" fill="{}"/>"#,
            x - 8.0,
            width + 16.0,
            height + 8.0,
            palette.column
        );
        let _ = writeln!(
            out,
            r#"<text x="{}" y="{}" text-anchor="middle" font-size="{TITLE_FONT_SIZE}" font-weight="bold" fill="{}">{}</text>"#,
            x + width / 2.0,
            y + 17.0,
            palette.muted,
            escape(title)
        );
    }
    if let Some(Band { x, y, width, height }) = drawing.initial {
        let _ = writeln!(
            out,
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{}"/>"#,
            palette.band
        );
    }
    for frame in &drawing.frames {
        let Band { x, y, width, height } = frame.band;
        let _ = writeln!(
            out,
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="7" fill="{}" stroke="{}"><title>{}</title></rect>"#,
            palette.background,
            palette.muted,
            escape(&frame.title)
        );
    }
    for edge in &drawing.edges {
        write_edge(&mut out, drawing, edge, look, palette);
    }
    for node in &drawing.nodes {
        write_node(&mut out, node, palette);
    }
    for frame in drawing.frames.iter().filter(|frame| !frame.label.is_empty()) {
        let _ = writeln!(
            out,
            r#"<text x="{}" y="{}" font-size="{FRAME_FONT_SIZE}" fill="{}" stroke="{}" stroke-width="3" paint-order="stroke">{}</text>"#,
            frame.band.x + 2.0,
            frame.band.y - 3.0,
            palette.muted,
            palette.column,
            escape(&frame.label)
        );
    }
    // Labels last: no edge may strike them through.
    for edge in &drawing.edges {
        write_label(&mut out, drawing, edge, look, palette);
    }
    if !legend.is_empty() {
        let _ = writeln!(out, "<g transform=\"translate(0 {})\">", drawing.height);
        write_legend(&mut out, drawing, &legend, look, palette);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

fn write_edge(out: &mut String, drawing: &Drawing, edge: &DrawnEdge, look: Look, palette: &Palette) {
    let (color, dash) = (drawing.color(edge.kind, look), dashes(drawing.dash(edge.kind)));
    let opacity = if edge.ghost { r#" opacity="0.4""# } else { "" };
    let _ = writeln!(out, "<g{opacity}><title>{}</title>", escape(&edge.title));
    let halo = if edge.in_cycle {
        Some((palette.alarm, 0.3))
    } else if edge.new {
        Some((palette.accent, 0.25))
    } else {
        None
    };
    if let Some((halo, opacity)) = halo {
        let _ = writeln!(
            out,
            r#"<path d="{}" fill="none" stroke="{halo}" stroke-opacity="{opacity}" stroke-width="9" stroke-linecap="round"/>"#,
            edge.path
        );
    }
    let width = if edge.in_cycle { 2.6 } else { 1.7 };
    let _ = writeln!(out, r#"<path d="{}" fill="none" stroke="{color}" stroke-width="{width}"{dash}/>"#, edge.path);
    let Head { x, y, angle } = edge.head;
    let scale = if edge.in_cycle { " scale(1.25)" } else { "" };
    let _ = writeln!(
        out,
        r#"<path d="{HEAD_PATH}" fill="{color}" transform="translate({x} {y}) rotate({angle:.1}){scale}"/></g>"#
    );
}

fn write_label(out: &mut String, drawing: &Drawing, edge: &DrawnEdge, look: Look, palette: &Palette) {
    let Some(EdgeLabel { text, x, y, .. }) = &edge.label else { return };
    let _ = writeln!(
        out,
        r#"<text x="{x}" y="{}" text-anchor="middle" font-size="{LABEL_FONT_SIZE}"{} fill="{}" stroke="{}" stroke-width="4" stroke-linejoin="round" paint-order="stroke">{}</text>"#,
        y + LABEL_FONT_SIZE * 0.33,
        if edge.in_cycle { r#" font-weight="bold""# } else { "" },
        drawing.color(edge.kind, look),
        palette.background,
        escape(text)
    );
}

fn write_node(out: &mut String, node: &Node, palette: &Palette) {
    let has = |mark| node.marks.contains(&mark);
    let wrong = is_wrong(node);
    let chosen = has(Mark::Read) || has(Mark::Placed) || has(Mark::Present);
    let possible = has(Mark::Option) || has(Mark::Front);
    let fill = if wrong {
        palette.alarm_fill
    } else if chosen || has(Mark::Newest) || has(Mark::Revisiting) || has(Mark::Selected) {
        palette.accent_fill
    } else if has(Mark::Prefix) {
        palette.prefix_fill
    } else {
        palette.node
    };
    let (stroke, stroke_width) = if wrong {
        (palette.alarm, 2.0)
    } else if has(Mark::Newest) || has(Mark::Revisiting) {
        (palette.accent, 2.5)
    } else if chosen || possible || has(Mark::Selected) {
        (palette.accent, 1.5)
    } else {
        (palette.border, 1.0)
    };
    let dash = if node.ghost || has(Mark::Cut) { r#" stroke-dasharray="4 3""# } else { "" };
    let opacity = if node.ghost {
        r#" opacity="0.4""#
    } else if has(Mark::Cut) {
        r#" opacity="0.65""#
    } else {
        ""
    };
    let radius = radius(node.kind);
    let Node { x, y, width, height, .. } = node;
    let _ = writeln!(out, "<g{opacity}><title>{}</title>", escape(&node.title));
    let _ = writeln!(
        out,
        r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{fill}" stroke="{stroke}" stroke-width="{stroke_width}"{dash}/>"#
    );
    let color = match node.kind {
        NodeKind::Error => palette.alarm,
        NodeKind::Init | NodeKind::Stuck | NodeKind::Bound => palette.muted,
        _ => palette.text,
    };
    let _ = writeln!(
        out,
        r#"<text x="{}" y="{}" text-anchor="middle" font-size="{FONT_SIZE}" fill="{color}">{}</text></g>"#,
        x + width / 2.0,
        y + height / 2.0 + FONT_SIZE * 0.34,
        escape(&node.label)
    );
}

/// A relation's line in the legend, relative to it: an arrow from `x` to `tip` at height `middle`, and its name behind.
pub(super) struct Sample {
    pub(super) relation: RelationName,
    pub(super) x: f32,
    pub(super) middle: f32,
    pub(super) tip: f32,
    /// Where the name begins, and its base line.
    pub(super) text: (f32, f32),
    /// How long the arrow is without its head.
    pub(super) length: f32,
}

/// One sample line a relation; how wide and high they are together.
pub(super) fn legend(drawing: &Drawing) -> (Vec<Sample>, f32, f32) {
    const SAMPLE: f32 = 38.0;
    const SPACE: f32 = 18.0;
    let mut samples = Vec::new();
    let (mut x, mut y, mut right) = (MARGIN, 0.0, 0.0);
    for &relation in &drawing.relations {
        let width = SAMPLE + 6.0 + relation.name().chars().count() as f32 * CHARACTER_WIDTH * LABEL_FONT_SIZE;
        if x > MARGIN && x + width + MARGIN > drawing.width {
            x = MARGIN;
            y += LEGEND_LINE;
        }
        let (middle, tip) = (y + LEGEND_LINE / 2.0 - 4.0, x + SAMPLE);
        let text = (tip + 6.0, middle + 4.0);
        samples.push(Sample { relation, x, middle, tip, text, length: SAMPLE - 7.0 });
        x += width + SPACE;
        right = f32::max(right, x - SPACE + MARGIN);
    }
    if samples.is_empty() { (samples, 0.0, 0.0) } else { (samples, right, y + LEGEND_LINE + MARGIN / 2.0) }
}

fn write_legend(out: &mut String, drawing: &Drawing, samples: &[Sample], look: Look, palette: &Palette) {
    for &Sample { relation, x, middle, tip, text: (at, base), length } in samples {
        let (color, dash, name) = (look.color(relation), dashes(drawing.dash(relation)), relation.name());
        let _ = writeln!(out, r#"<path d="M{x} {middle}h{length}" stroke="{color}" stroke-width="1.7"{dash}/>"#);
        let _ = writeln!(out, r#"<path d="{HEAD_PATH}" fill="{color}" transform="translate({tip} {middle})"/>"#);
        let fill = palette.text;
        let _ = writeln!(out, r#"<text x="{at}" y="{base}" font-size="{LABEL_FONT_SIZE}" fill="{fill}">{name}</text>"#);
    }
}

/// The attribute of a dashed line; nothing for a solid one.
pub(super) fn dashes(dash: &str) -> String {
    if dash.is_empty() { String::new() } else { format!(r#" stroke-dasharray="{dash}""#) }
}

/// Whether a node is drawn as part of what is wrong.
pub(super) fn is_wrong(node: &Node) -> bool {
    const WRONG: [Mark; 4] = [Mark::InCycle, Mark::RaceParty, Mark::Refusing, Mark::Stuck];
    node.kind == NodeKind::Error || WRONG.iter().any(|mark| node.marks.contains(mark))
}

/// How round a node's corners are. Reads are round, writes square, so that they differ at a glance without a colour.
pub(super) fn radius(kind: NodeKind) -> f32 {
    match kind {
        NodeKind::Read => 11.0,
        NodeKind::Update => 7.0,
        _ => 2.0,
    }
}

/// A text inside an element or an attribute. What XML has no way to write becomes a space.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
