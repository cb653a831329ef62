//! Where the rows of a timeline stand, from top to bottom.

use litmoscope::histories::report::Row;

/// How high a lane is, in pixels. The style sheet knows how high a bar is.
const LANE: f64 = 38.0;
/// The space between two rows.
pub const GAP: f64 = 6.0;

/// Where the rows begin, in pixels, and last where they end.
pub fn tops(rows: &[Row]) -> Vec<f64> {
    let mut at = 0.0;
    let mut tops: Vec<f64> = Vec::with_capacity(rows.len() + 1);
    for row in rows {
        tops.push(at);
        at += f64::from(row.lanes.max(1)) * LANE + GAP;
    }
    tops.push(at);
    tops
}

/// Where a lane of a row begins.
pub fn top(tops: &[f64], row: u32, lane: u32) -> f64 {
    tops.get(row as usize).copied().unwrap_or(0.0) + f64::from(lane) * LANE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_as_high_as_their_lanes() {
        let row = |lanes| Row { name: String::new(), lanes };
        let tops = tops(&[row(1), row(3), row(0)]);
        assert_eq!(tops, [0.0, LANE + GAP, 4.0 * LANE + 2.0 * GAP, 5.0 * LANE + 3.0 * GAP]);
        assert_eq!(top(&tops, 1, 2), LANE + GAP + 2.0 * LANE);
    }
}
