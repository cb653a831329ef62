//! Drawings as SVG files.

use super::Drawing;
use crate::graph::RelationName;

/// Colours for light or dark surroundings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}

/// How a relation's edges look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The colour on light.
    pub color_light: &'static str,
    /// The colour on dark.
    pub color_dark: &'static str,
    /// SVG's `stroke-dasharray`; empty for a solid line.
    pub dash: &'static str,
}

impl Style {
    /// The colour of a theme.
    pub fn color(self, theme: Theme) -> &'static str {
        match theme {
            Theme::Light => self.color_light,
            Theme::Dark => self.color_dark,
        }
    }
}

/// How a relation's edges look: each has a colour and a dash pattern of its own, since colour alone is lost on a
/// projector and on colour-blind eyes.
pub fn style(relation: RelationName) -> Style {
    let (color_light, color_dark, dash) = match relation {
        RelationName::Po => ("#57606a", "#9aa4b2", ""),
        RelationName::Rf => ("#1a7f37", "#4ade80", ""),
        RelationName::Co => ("#b35900", "#fbac4d", "9 4"),
        RelationName::Fr => ("#c11574", "#ff7ab8", "4 4"),
        RelationName::Wb => ("#8f5e00", "#e3c04b", "2 4"),
        RelationName::Sw => ("#0b62c4", "#6cb2ff", "14 4"),
        RelationName::Hb => ("#3a41c9", "#a2a8ff", "10 3 2 3"),
        RelationName::Eco => ("#7a2bbf", "#cf9bff", "6 3 2 3 2 3"),
        RelationName::Psc => ("#b42318", "#ff8a80", "12 3 4 3"),
        RelationName::Ppo => ("#046b72", "#3fd0d9", "1 3"),
        RelationName::ScFence => ("#46670b", "#b5d55a", "16 3 2 3 2 3"),
    };
    Style { color_light, color_dark, dash }
}

/// A drawing as a file of its own.
pub fn svg(drawing: &Drawing, theme: Theme) -> String {
    let _ = theme;
    format!(r#"<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}"/>"#, drawing.width, drawing.height)
}
