//! Tables, numbers, and the place of the report in the book.

use std::fmt::Write as _;

const BEGIN: &str = "<!-- measured: begin (written by make table) -->\n";
const END: &str = "<!-- measured: end -->";

/// The text with something else between the markers; `None` where there are none.
pub fn put_between_markers(text: &str, report: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{report}\n{END}{after}"))
}

/// A table whose columns are as wide as they have to be; the first `left` of them flush left, the others right.
pub fn table<const N: usize>(head: [&str; N], left: usize, rows: &[[String; N]]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].chars().count(), 3]).max().unwrap_or(3)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let mut out = String::new();
    let mut line = |cells: [&str; N]| {
        for (column, (cell, width)) in cells.into_iter().zip(widths).enumerate() {
            let _ = if column < left { write!(out, "| {cell:<width$} ") } else { write!(out, "| {cell:>width$} ") };
        }
        out.push_str("|\n");
    };
    line(head);
    let rulers: [String; N] = std::array::from_fn(|column| {
        let dashes = "-".repeat(widths[column] - 1);
        if column < left { format!("-{dashes}") } else { format!("{dashes}:") }
    });
    line(rulers.each_ref().map(String::as_str));
    for row in rows {
        line(row.each_ref().map(String::as_str));
    }
    out
}

/// Three significant digits.
pub fn short(number: f64) -> String {
    let digits = if number >= 100.0 {
        0
    } else if number >= 10.0 {
        1
    } else if number >= 1.0 {
        2
    } else {
        3
    };
    format!("{number:.digits$}")
}

/// The geometric mean; `None` of nothing.
pub fn geometric_mean(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    for number in numbers {
        sum += number.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let text = format!("a\n{BEGIN}old{END}\nb");
        let new = put_between_markers(&text, "new").unwrap();
        assert_eq!(new, format!("a\n{BEGIN}\nnew\n{END}\nb"));
        assert_eq!(put_between_markers(&new, "new").unwrap(), new);
        assert_eq!(put_between_markers("a", "new"), None);
        let chapter = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../book/src/speed.md")).unwrap();
        assert!(put_between_markers(&chapter, "new").is_some());
    }

    #[test]
    fn numbers_are_short_and_tables_straight() {
        assert_eq!([0.0123, 1.234, 12.34, 1234.5].map(short), ["0.012", "1.23", "12.3", "1234"]);
        assert_eq!(
            table(["a", "number"], 1, &[["long".into(), "1".into()]]),
            "| a    | number |\n| ---- | -----: |\n| long |      1 |\n"
        );
        assert!((geometric_mean([2.0, 8.0]).unwrap() - 4.0).abs() < 1e-9);
        assert_eq!(geometric_mean([]), None);
    }
}
