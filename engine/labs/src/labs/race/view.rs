//! What the page shows of a race, and a race that goes on in slices.

use super::text::{Table, head, notes, tables};
use super::{Chart, Field, Frame, Plot, Race, Rules};
use crate::budget::{Budget, PATIENCE};
use crate::syntax::Diagnostic;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Of a plot in the page. Letters of 12 pixels have room in it, which a telephone shows in this size.
const FRAME: Frame = Frame { width: 360.0, height: 250.0, left: 58.0, top: 10.0, right: 352.0, bottom: 212.0 };

/// What the page shows of a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceView {
    /// What is raced, and under which model.
    pub head: Vec<String>,
    /// Classes, executions, steps, what was dropped, work and time.
    pub tables: Vec<Table>,
    /// The same over sizes; none where there is only one size.
    pub charts: Vec<Chart>,
    /// Why numbers are missing.
    pub notes: Vec<String>,
    /// What is explored now; `None` when the race is over.
    pub doing: Option<String>,
    /// Everything was explored to its end.
    pub complete: bool,
}

/// A race in slices of some milliseconds.
pub struct Racing {
    race: Race,
    clock: fn() -> f64,
    over: bool,
}

impl Racing {
    /// A race before its start; `clock` tells seconds from any moment on.
    ///
    /// # Errors
    /// As [`Field::new`].
    pub fn open(
        text: &str,
        sizes: Option<RangeInclusive<u32>>,
        rules: Rules,
        clock: fn() -> f64,
    ) -> Result<Self, Vec<Diagnostic>> {
        Ok(Self { race: Race::new(Field::new(text, sizes)?, rules), clock, over: false })
    }

    /// Does a little; whether there is more to be done.
    pub fn advance(&mut self) -> bool {
        self.over = self.over || self.race.go_on(&mut Budget::unlimited().capped(PATIENCE), &self.clock);
        !self.over
    }

    /// What is known; once it is stopped, nothing more will come.
    pub fn view(&self, stopped: bool) -> RaceView {
        let found = self.race.found();
        let mut notes = notes(found);
        if stopped && !self.over {
            notes.push("bounded: the race was stopped".to_owned());
        }
        RaceView {
            head: head(found),
            tables: tables(found),
            charts: Plot::all(found).iter().filter_map(|plot| Chart::new(plot, FRAME)).collect(),
            notes,
            doing: self.race.current().filter(|_| !stopped),
            complete: self.over && found.is_complete(),
        }
    }
}
