//! Lists of pairs, beside a graph in a format that has none.
//!
//! ```text
//! // Whoever requests again and again is granted again and again.
//! "requests" -> "grants"
//! all -> "moved last"
//! noise -> none
//! ```
//!
//! A line for each pair: its sides are labels, in quotes or not, `all` or `none`. A label called `all` or `none` is in quotes.

use super::draft::{Said, Stop, lines, listed, shortened};
use super::lexer::Line;
use crate::labelled::{Labelled, Side};
use litmoscope_core::syntax::Diagnostic;
use std::collections::HashMap;

const HELP: &str = "such as `\"requests\" -> \"grants\"`; sides are labels, `all` or `none`";

/// Reads pairs whose labels are those of a graph. Linear.
///
/// # Errors
/// What is wrong, with line and column.
pub fn parse_pairs(text: &str, of: &Labelled) -> Result<Vec<(Side, Side)>, Vec<Diagnostic>> {
    let mut said = Said::new(text);
    let labels: HashMap<&str, usize> =
        of.labels.iter().enumerate().map(|(at, (name, _))| (name.as_str(), at)).collect();
    let mut pairs = Vec::new();
    for (start, line) in lines(text) {
        if said.is_full() {
            break;
        }
        let mut line = Line::new(text, start, line);
        if !line.is_end()
            && let Ok(pair) = pair(&mut said, &mut line, of, &labels)
        {
            pairs.push(pair);
        }
    }
    Ok(said.end(Ok(pairs))?.0)
}

fn pair(
    said: &mut Said<'_>,
    line: &mut Line<'_>,
    of: &Labelled,
    labels: &HashMap<&str, usize>,
) -> Result<(Side, Side), Stop> {
    let asks = side(said, line, of, labels)?;
    if !line.take("->") {
        return Err(said.error(line.place(), line.expected("`->`"), HELP));
    }
    let gets = side(said, line, of, labels)?;
    if !line.is_end() {
        return Err(said.error(line.place(), line.expected("the end of the line"), "write one pair on each line"));
    }
    Ok((asks, gets))
}

fn side(said: &mut Said<'_>, line: &mut Line<'_>, of: &Labelled, labels: &HashMap<&str, usize>) -> Result<Side, Stop> {
    if line.take_word("all") {
        return Ok(Side::All);
    }
    if line.take_word("none") {
        return Ok(Side::None);
    }
    let Some((name, at)) = line.name() else {
        return Err(said.error(line.place(), line.expected("a side of a pair"), HELP));
    };
    match labels.get(&*name) {
        Some(label) => Ok(Side::Label(*label)),
        None => {
            let known = listed(of.labels.iter().map(|(name, _)| name.as_str()));
            let known = if known.is_empty() { "no labels".to_owned() } else { known };
            let message = format!("there is no label `{}`", shortened(&name));
            Err(said.error(at, message, format!("there are {known}, `all` and `none`")))
        }
    }
}

/// The pairs of a graph as a list. Linear.
pub(super) fn write(of: &Labelled) -> String {
    of.pairs
        .iter()
        .map(|(asks, gets)| format!("{} -> {}\n", super::own::side(of, asks), super::own::side(of, gets)))
        .collect()
}
