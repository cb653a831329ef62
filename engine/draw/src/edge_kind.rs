//! What an edge of a diagram says, and how it looks.

use super::{Colours, Look, Theme};
use crate::graph::RelationName;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What an edge of a diagram says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EdgeKind {
    /// A relation of execution graphs.
    Relation(RelationName),
    /// What the maker of the diagram declares: the index of an [`OwnKind`] of [`Diagram::kinds`](super::Diagram::kinds).
    Own(u8),
}

impl EdgeKind {
    /// The relation of execution graphs, if it is one.
    pub fn relation(self) -> Option<RelationName> {
        match self {
            Self::Relation(relation) => Some(relation),
            Self::Own(_) => None,
        }
    }
}

impl From<RelationName> for EdgeKind {
    fn from(relation: RelationName) -> Self {
        Self::Relation(relation)
    }
}

impl PartialEq<RelationName> for EdgeKind {
    fn eq(&self, other: &RelationName) -> bool {
        self.relation() == Some(*other)
    }
}

/// A kind of edges that no execution graph has, as the maker of a diagram declares it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnKind {
    /// What stands beside its edges where they have no label of their own.
    pub name: Cow<'static, str>,
    /// Its colours among the standard ones.
    pub standard: Shades,
    /// Its colours among those that colour-blind eyes tell apart.
    pub safe: Shades,
    /// SVG's `stroke-dasharray`; empty for a solid line.
    pub dash: Cow<'static, str>,
}

impl OwnKind {
    /// The colour of its edges.
    pub fn color(&self, look: Look) -> &str {
        let shades = match look.colours {
            Colours::Standard => &self.standard,
            Colours::Safe => &self.safe,
        };
        match look.theme {
            Theme::Light => &shades.light,
            Theme::Dark => &shades.dark,
            Theme::Contrast => &shades.contrast,
        }
    }
}

/// A colour for each theme.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shades {
    /// On light.
    pub light: Cow<'static, str>,
    /// On dark.
    pub dark: Cow<'static, str>,
    /// Where contrast is high.
    pub contrast: Cow<'static, str>,
}

impl Shades {
    /// Colours that are known when the program is compiled.
    pub const fn new(light: &'static str, dark: &'static str, contrast: &'static str) -> Self {
        Self { light: Cow::Borrowed(light), dark: Cow::Borrowed(dark), contrast: Cow::Borrowed(contrast) }
    }
}
