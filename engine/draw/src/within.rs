//! Diagrams that have to be readable in a panel.
//!
//! A diagram whose size is known from the start (a trace, a machine) is drawn with less space where its letters would else be
//! too small for a panel ([`Diagram::within`]). `labs/readable.rs` of `litmoscope-labs` measures the examples.

use super::spacing::DENSER;
use super::{Diagram, Room, layout};

impl Diagram {
    /// The width and the height that it is drawn with, but for edges and labels below the last row.
    pub fn extent(&self) -> [f32; 2] {
        let drawing = layout(Self { edges: Vec::new(), ..self.clone() });
        [drawing.width, drawing.height]
    }

    /// With less space where it would be larger than that: between columns, or between rows. What is larger then, stays so.
    pub fn within(mut self, [width, height]: [f32; 2]) -> Self {
        if self.extent()[0] > width {
            self.room = Room::Narrow;
        }
        for rows in DENSER {
            let now = self.extent()[1];
            let denser = Self { rows: self.rows.max(rows), ..self.clone() };
            // Room is kept for as many rows as that, too.
            if now > height && denser.extent()[1] < now {
                self = denser;
            }
        }
        self
    }
}
