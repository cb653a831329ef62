//! Which moments are in sight: zooming, moving, and what is asked for around them.

/// How many moments are in sight at least.
const LEAST: f64 = 1.5;
/// How far a click on a zoom button goes.
pub const ZOOM: f64 = 1.5;
/// How far a key moves, as a share of what is in sight.
pub const PAN: f64 = 0.15;
/// How much more than what is in sight is asked for, on each side, as a share of it.
const MARGIN: f64 = 0.5;
/// How much wider what is drawn may be than what is in sight.
const WIDEST: f64 = 4.0;

/// The first and the last moment in sight.
pub type Window = (f64, f64);

/// All of a timeline with so many moments.
pub fn whole(moments: u32) -> Window {
    (-1.0, f64::from(moments.max(1)))
}

/// A window that is within the timeline, and neither too small nor too large.
pub fn kept((from, to): Window, moments: u32) -> Window {
    let (start, end) = whole(moments);
    let width = if (to - from).is_finite() { to - from } else { end - start };
    let width = width.clamp(LEAST.min(end - start), end - start);
    let from = if from.is_finite() { from.clamp(start, end - width) } else { start };
    (from, from + width)
}

/// Zooms by a factor around a moment, which stays where it is.
pub fn zoomed((from, to): Window, factor: f64, around: f64, moments: u32) -> Window {
    let (start, end) = whole(moments);
    let width = ((to - from) / factor).clamp(LEAST.min(end - start), end - start);
    let share = (around - from) / (to - from).max(f64::MIN_POSITIVE);
    let from = around - share * width;
    kept((from, from + width), moments)
}

/// Moves by so many moments.
pub fn moved((from, to): Window, by: f64, moments: u32) -> Window {
    kept((from + by, to + by), moments)
}

/// Brings a stretch of time in sight: nothing changes if it is, else it is in the middle, with all of it in sight.
pub fn showing(window: Window, (first, last): (f64, f64), moments: u32) -> Window {
    let (from, to) = window;
    if first >= from && last <= to {
        return window;
    }
    let width = (to - from).max((last - first) * 1.2 + 1.0);
    let middle = (first + last) / 2.0;
    kept((middle - width / 2.0, middle + width / 2.0), moments)
}

/// What is asked for so that small moves find it drawn.
pub fn around((from, to): Window) -> Window {
    let margin = (to - from) * MARGIN;
    (from - margin, to + margin)
}

/// Whether what was drawn will do for what is in sight: all of it is there, and about as large.
pub fn serves(drawn: Window, seen: Window, moments: u32) -> bool {
    let (start, end) = whole(moments);
    let (from, to) = (seen.0.max(start), seen.1.min(end));
    drawn.0 <= from && drawn.1 >= to && drawn.1 - drawn.0 <= WIDEST * (to - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_zoomed_around_stays_where_it_is() {
        let window = zoomed((0.0, 100.0), 2.0, 25.0, 1000);
        assert_eq!(window, (12.5, 62.5));
        assert_eq!(zoomed(window, 0.5, 25.0, 1000), (0.0, 100.0));
        // Not beyond all.
        assert_eq!(zoomed((0.0, 100.0), 0.01, 50.0, 120), whole(120));
        let (from, to) = zoomed((0.0, 100.0), 1e9, 50.0, 1000);
        assert!((to - from - LEAST).abs() < 1e-9 && from < 50.0 && to > 50.0);
    }

    #[test]
    fn a_window_stays_within_the_timeline() {
        assert_eq!(moved((0.0, 10.0), -50.0, 100), (-1.0, 9.0));
        assert_eq!(moved((0.0, 10.0), 500.0, 100), (90.0, 100.0));
        assert_eq!(kept((f64::NAN, 3.0), 8), (-1.0, 8.0));
        assert_eq!(kept((2.0, 1.0), 0).1 - kept((2.0, 1.0), 0).0, 1.5);
    }

    #[test]
    fn a_stretch_is_brought_in_sight() {
        assert_eq!(showing((0.0, 10.0), (2.0, 5.0), 100), (0.0, 10.0));
        assert_eq!(showing((0.0, 10.0), (50.0, 52.0), 100), (46.0, 56.0));
        let (from, to) = showing((0.0, 10.0), (20.0, 60.0), 100);
        assert!(from < 20.0 && to > 60.0);
    }

    #[test]
    fn what_is_drawn_serves_small_moves_alone() {
        let drawn = around((10.0, 20.0));
        assert_eq!(drawn, (5.0, 25.0));
        assert!(serves(drawn, (14.0, 24.0), 1000));
        assert!(!serves(drawn, (16.0, 26.0), 1000));
        assert!(!serves(drawn, (10.0, 14.0), 1000));
        assert!(serves((-1.0, 8.0), (-1.0, 8.0), 8));
    }
}
