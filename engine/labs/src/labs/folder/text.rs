//! Rows as a table, as herd prints them, as JSON and as JUnit's XML.

use super::{Row, Status};
use crate::report::Observation;
use crate::words::{count, grouped};
use serde::Serialize;
use std::fmt::Write;

/// The heads of the columns.
pub const HEAD: [&str; 7] = ["test", "model", "result", "observation", "states", "executions", "seconds"];

/// A row in these columns.
pub fn cells(row: &Row) -> [String; 7] {
    let (test, status) = (row.test.clone(), row.status().name().to_owned());
    match &row.result {
        Err(_) => [test, String::new(), status, String::new(), String::new(), String::new(), String::new()],
        Ok(ran) => [
            test,
            ran.model.name().to_owned(),
            status,
            ran.observation.map_or("", Observation::name).to_owned(),
            grouped(ran.states as u64),
            grouped(ran.executions),
            format!("{:.3}", ran.seconds),
        ],
    }
}

/// How many tests there were, how long they took, and what came of them; and of how many nothing is known.
pub fn summary(rows: &[&Row], left: usize, seconds: f64) -> String {
    let of = |status: Status| rows.iter().filter(|row| row.status() == status).count() as u64;
    let parts = Status::ALL.map(|status| (status.name(), of(status)));
    let parts = parts.into_iter().filter(|(_, many)| *many > 0);
    let parts: Vec<String> = parts.map(|(status, many)| format!("{} {status}", grouped(many))).collect();
    let tests = count(rows.len() as u64, "test");
    let mut out = format!("{tests} in {seconds:.3} s");
    if !parts.is_empty() {
        let _ = write!(out, ": {}", parts.join(", "));
    }
    if left > 0 {
        let _ = write!(out, "\ninterrupted: {} left", count(left as u64, "test"));
    }
    out
}

/// The lines of why a test differs.
pub fn reason_lines(reasons: &[String]) -> impl Iterator<Item = &str> {
    reasons.iter().flat_map(|reason| reason.trim_end().lines())
}

/// The table, with what there is to say of each row below it, and the summary.
pub fn table(rows: &[&Row], left: usize, seconds: f64) -> String {
    let all: Vec<[String; 7]> =
        std::iter::once(HEAD.map(str::to_owned)).chain(rows.iter().map(|row| cells(row))).collect();
    let width = |column: usize| all.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let mut out = String::new();
    for (place, cells) in all.iter().enumerate() {
        let mut line = String::new();
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            // Numbers on the right.
            let _ = if column < 4 { write!(line, "{cell:width$}  ") } else { write!(line, "{cell:>width$}  ") };
        }
        let _ = writeln!(out, "{}", line.trim_end());
        let Some(row) = place.checked_sub(1).and_then(|place| rows.get(place)) else { continue };
        for remark in row.remarks() {
            let _ = writeln!(out, "    {remark}");
        }
        let Ok(ran) = &row.result else { continue };
        for line in reason_lines(&ran.reasons) {
            let _ = writeln!(out, "    {line}");
        }
        if let Some(link) = &ran.link {
            let _ = writeln!(out, "    {link}");
        }
    }
    let _ = writeln!(out, "\n{}", summary(rows, left, seconds));
    out
}

/// As herd prints them.
pub fn herd(rows: &[&Row]) -> String {
    let mut out = String::new();
    for row in rows {
        match &row.result {
            Ok(ran) => out += &ran.herd,
            Err(message) => {
                let _ = write!(out, "Warning: File \"{}\": {message}", row.file);
            }
        }
        out += "\n";
    }
    out
}

#[derive(Serialize)]
struct RowJson<'a> {
    file: &'a str,
    test: &'a str,
    /// `agrees`, `differs`, `ok`, `violated`, `bounded` or `unreadable`.
    result: &'a str,
    #[serde(flatten)]
    ran: Option<RanJson<'a>>,
    /// What is wrong or odd about the text, errors of the program, and how it differs from what is expected.
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct RanJson<'a> {
    model: &'a str,
    algorithm: &'a str,
    observation: Option<Observation>,
    states: usize,
    executions: u64,
    seconds: f64,
    reasons: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<&'a str>,
}

/// One JSON object a line for each row.
pub fn json(rows: &[&Row]) -> String {
    let mut out = String::new();
    for row in rows {
        let ran = row.result.as_ref().ok().map(|ran| RanJson {
            model: ran.model.name(),
            algorithm: ran.algorithm.name(),
            observation: ran.observation,
            states: ran.states,
            executions: ran.executions,
            seconds: ran.seconds,
            reasons: &ran.reasons,
            link: ran.link.as_deref(),
        });
        let (result, remarks) = (row.status().name(), row.remarks());
        let object = RowJson { file: &row.file, test: &row.test, result, ran, remarks };
        out += &serde_json::to_string(&object).expect("plain data serialises");
        out.push('\n');
    }
    out
}

/// The XML that build servers read. What is bounded counts as skipped, since it is not known.
pub fn junit(rows: &[&Row], seconds: f64) -> String {
    let element = |status: Status| match status {
        Status::Differs | Status::Violated => Some("failure"),
        Status::Unreadable => Some("error"),
        Status::Bounded => Some("skipped"),
        Status::Agrees | Status::Ok | Status::Allowed | Status::Forbidden => None,
    };
    let of = |name: &str| rows.iter().filter(|row| element(row.status()) == Some(name)).count();
    let (failures, errors, skipped) = (of("failure"), of("error"), of("skipped"));
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
    let _ = writeln!(
        out,
        "  <testsuite name=\"litmoscope\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\">",
        rows.len()
    );
    for row in rows {
        let (file, test) = (escaped(&row.file), escaped(&row.test));
        let time = row.seconds();
        let _ = write!(out, "    <testcase classname=\"{file}\" name=\"{test}\" time=\"{time:.3}\"");
        let status = row.status();
        let Some(element) = element(status) else {
            out += "/>\n";
            continue;
        };
        let text = row.remarks().into_iter().chain(row.reasons().iter().cloned()).collect::<Vec<_>>().join("\n");
        let status = status.name();
        let _ = writeln!(out, "><{element} message=\"{status}\">{}</{element}></testcase>", escaped(&text));
    }
    out + "  </testsuite>\n</testsuites>\n"
}

/// A text in XML, without the characters that XML has no way to write.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' => out.push(character),
            other if other.is_control() || matches!(other, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            other => out.push(other),
        }
    }
    out
}
