//! How far apart the parts of a diagram are.

use super::{CHARACTER_WIDTH, Diagram, FONT_SIZE, Room, TITLE_FONT_SIZE};

/// Least width of a node.
const MIN_WIDTH: f32 = 56.0;
/// Space between a node's border and its text.
const PADDING: f32 = 9.0;
/// Space between two columns where no edge passes, and what each node beside it that may have edges adds, up to ten: where
/// there is plenty of room, where there is less, and where there is little.
const GAPS: [(f32, f32); 3] = [(86.0, 3.0), (62.0, 2.5), (44.0, 1.5)];
/// Free space left and right of the columns, where edges may bend out; less on a narrow screen.
const SIDE: f32 = 52.0;
const NARROW_SIDE: f32 = 26.0;
/// Space between two nodes in different frames, with the label of the lower one.
const FRAMED: f32 = 24.0;

/// The width of a node with this text.
pub fn node_width(text: &str) -> f32 {
    width_of(text.chars().count())
}

/// The width of a node with as many characters.
pub(super) fn width_of(characters: usize) -> f32 {
    (characters as f32 * CHARACTER_WIDTH * FONT_SIZE + 2.0 * PADDING).max(MIN_WIDTH).ceil()
}

/// The width of a column's title.
pub(super) fn title_width(text: &str) -> f32 {
    (text.chars().count() as f32 * CHARACTER_WIDTH * TITLE_FONT_SIZE).ceil()
}

/// From how many rows on nodes stand closer together.
pub(super) const DENSER: [usize; 2] = [6, 9];

/// How far apart things are: the more nodes a column may have, the denser they stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Density {
    /// Free space above and below.
    pub margin: f32,
    /// Height of a node.
    pub node: f32,
    /// From a node to the next of its column; one stands at least half of it below its source.
    pub row: f32,
    /// Space between the top row and the columns.
    pub band: f32,
}

impl Density {
    /// That of so many rows; `labelled` if there are frames with labels.
    fn of(rows: usize, labelled: bool) -> Self {
        let mut density = match rows {
            0..=5 => Self { margin: 16.0, node: 28.0, row: 62.0, band: 58.0 },
            6..=8 => Self { margin: 12.0, node: 26.0, row: 48.0, band: 46.0 },
            _ => Self { margin: 6.0, node: 22.0, row: 32.0, band: 30.0 },
        };
        if labelled {
            density.row = density.row.max(density.node + FRAMED);
        }
        density
    }
}

/// The spaces of a diagram.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spacing {
    /// The spaces between neighbouring columns: wider where more edges may pass.
    pub gaps: Vec<f32>,
    /// Free space left and right of the columns.
    pub side: f32,
    /// How far apart things are.
    pub density: Density,
}

impl Spacing {
    pub(crate) fn of(diagram: &Diagram) -> Self {
        let (gap, more) = match (diagram.room, diagram.columns.len()) {
            (Room::Wide, ..=4) => GAPS[0],
            (Room::Wide, _) | (Room::Narrow, ..=3) => GAPS[1],
            (Room::Narrow, _) => GAPS[2],
        };
        let pairs = diagram.columns.windows(2);
        Self {
            gaps: pairs.map(|pair| gap + more * (pair[0].traffic + pair[1].traffic).min(10) as f32).collect(),
            side: match diagram.room {
                Room::Wide => SIDE,
                Room::Narrow => NARROW_SIDE,
            },
            density: Density::of(diagram.rows, diagram.frames_have_labels),
        }
    }
}
