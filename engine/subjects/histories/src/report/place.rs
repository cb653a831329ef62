//! What is shown of a recording, as links and sessions keep it.

use super::view::{CodeRequest, HistoryRequest, Part, Points};
use crate::{Monitor, Object};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The names in JSON, once published, are read for ever.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    #[serde(skip_serializing_if = "is_usual")]
    choice: u32,
    #[serde(skip_serializing_if = "is_usual")]
    object: Option<Object>,
    #[serde(skip_serializing_if = "is_usual")]
    monitor: Monitor,
    #[serde(skip_serializing_if = "is_usual")]
    part: Part,
    #[serde(skip_serializing_if = "is_usual")]
    window: Option<(f64, f64)>,
    #[serde(skip_serializing_if = "is_usual")]
    points: Points,
    #[serde(skip_serializing_if = "is_usual")]
    turn: u32,
    #[serde(skip_serializing_if = "is_usual")]
    step: u32,
    #[serde(skip_serializing_if = "is_usual")]
    steps_of: u32,
    #[serde(skip_serializing_if = "is_usual")]
    code: CodeRequest,
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl HistoryRequest {
    /// What is shown, without how large it is shown.
    pub fn keep(&self) -> Value {
        let HistoryRequest {
            choice, object, monitor, part, window, ref points, turn, step, steps_of, ref code, ..
        } = *self;
        let window = window.filter(|(from, to)| from.is_finite() && to.is_finite());
        let mut points = points.clone();
        if let Points::Own(own) = &mut points {
            own.retain(|point| point.at.is_finite());
        }
        let code = code.clone();
        let kept = Kept { choice, object, monitor, part, window, points, turn, step, steps_of, code };
        serde_json::to_value(kept).unwrap_or_default()
    }

    /// Asks for what was kept; `None` if that can't be read.
    pub fn resume(kept: &Value) -> Option<Self> {
        let Kept { choice, object, monitor, part, window, points, turn, step, steps_of, code } =
            Kept::deserialize(kept).ok()?;
        Some(Self { choice, object, monitor, part, window, points, turn, step, steps_of, code, ..Self::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::view::{CodeChoice, OwnPoint};
    use super::*;
    use crate::executions::Sight;
    use serde_json::json;

    #[test]
    fn what_is_kept_is_shown_again() {
        let points =
            Points::Own(vec![OwnPoint { operation: 3, at: 2.5 }, OwnPoint { operation: 4, at: f64::INFINITY }]);
        let asked = HistoryRequest {
            choice: 1,
            object: Some(Object::PriorityQueue),
            monitor: Monitor::Search,
            part: Part::Contradiction,
            window: Some((0.5, 7.0)),
            points,
            turn: 2,
            step: 9,
            steps_of: 1,
            code: CodeRequest { structure: 1, order: Sight::Time, shown: CodeChoice::Step(7) },
            width: 900,
            rows: (2, 7),
        };
        let again = HistoryRequest::resume(&asked.keep()).expect("it was kept");
        let points = Points::Own(vec![OwnPoint { operation: 3, at: 2.5 }]);
        assert_eq!(again, HistoryRequest { points, width: 0, rows: (0, 0), ..asked });
        assert_eq!(HistoryRequest::default().keep(), json!({}));
    }

    /// In a link that is published.
    #[test]
    fn a_kept_place_is_read_for_ever() {
        let kept = json!({
            "choice": 2, "object": "queue", "monitor": "published", "part": "contradiction", "window": [1.0, 4.5],
            "points": { "own": [{ "operation": 1, "at": 3.25 }] }, "turn": 1, "step": 6, "steps_of": 3,
            "code": { "structure": 1, "order": "time", "shown": { "found": 4 } }
        });
        let asked = HistoryRequest::resume(&kept).expect("it is one");
        assert_eq!(asked.keep(), kept);
        assert_eq!((asked.choice, asked.object, asked.monitor), (2, Some(Object::Queue), Monitor::Published));
        assert_eq!((asked.part, asked.window, asked.step), (Part::Contradiction, Some((1.0, 4.5)), 6));
        let solved = HistoryRequest::resume(&json!({ "points": "solved" })).expect("it is one");
        assert_eq!(solved.points, Points::Solved);
        let shown = HistoryRequest::resume(&json!({ "code": { "order": "happens_before", "shown": { "step": 12 } } }));
        let code = CodeRequest { order: Sight::HappensBefore, shown: CodeChoice::Step(12), ..CodeRequest::default() };
        assert_eq!(shown.expect("it is one").code, code);
    }

    #[test]
    fn what_is_no_place_is_none() {
        for kept in
            [json!(null), json!(7), json!({ "object": "tree" }), json!({ "window": [null, 1] }), json!([1, [2]])]
        {
            assert!(HistoryRequest::resume(&kept).is_none(), "{kept}");
        }
        // Of a page to come.
        assert!(HistoryRequest::resume(&json!({ "colour": 3 })).is_some());
    }
}
