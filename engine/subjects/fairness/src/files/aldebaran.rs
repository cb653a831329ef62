//! Aldebaran's `.aut`: labelled transition systems, such as those of the VLTS benchmarks.
//!
//! ```text
//! des (0, 3, 3)
//! (0, request, 1)
//! (1, "GRANT !1", 2)
//! (2, i, 0)
//! ```
//!
//! The first line has the first state and the numbers of edges and states; each other line has a state, a label in quotes or not, and a
//! successor. Labels may have commas, parentheses and quotes in them: it is the first and the last comma that count.
//!
//! Edges have no labels here. They are dropped, or the label that was taken last is part of each vertex ([`Actions`]), and each label the set
//! of the vertices it leads to. Then vertices are numbered by state, and by label in the order of first mention; a state to which no label
//! leads, and the first one before any, has a vertex of its own in front of these.
//!
//! **What is written** has the label `i` everywhere: sets, pairs, names and random vertices are lost, and all places to start but the first.

use super::draft::{Draft, Said, Stop, check_count, is_blank, lines, shortened};
use super::{Actions, Read, ReadOptions};
use crate::labelled::Labelled;
use litmoscope_core::syntax::Diagnostic;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

const FIRST: &str =
    "the first line is such as `des (0, 3, 4)`: the first state, and how many edges and states there are";
const EDGE: &str = "an edge is such as `(0, \"label\", 1)`, on a line of its own";

/// Whether a text begins as such a file does.
pub(super) fn begins(text: &str) -> bool {
    let rest = text.trim_start_matches(is_blank).strip_prefix("des");
    rest.is_some_and(|rest| rest.trim_start_matches(is_blank).starts_with('('))
}

/// What stands between the parentheses of a line, and where.
fn inside(start: usize, line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_matches(is_blank).strip_prefix('(')?.strip_suffix(')')?;
    let at = start + line.find('(')? + 1;
    Some((at, rest))
}

/// The first state, the number of edges, and that of states.
fn header(said: &mut Said<'_>, start: usize, line: &str) -> Result<[u32; 3], Stop> {
    let at = start..start + line.len();
    let trimmed = line.trim_start_matches(is_blank);
    let numbers = trimmed.strip_prefix("des").and_then(|rest| Some(inside(0, rest)?.1));
    let Some(numbers) = numbers else {
        return Err(said.error(at, "this is no first line of a transition system", FIRST));
    };
    let parts: Vec<&str> = numbers.split(',').map(|part| part.trim_matches(is_blank)).collect();
    let read: Option<Vec<u32>> = parts.iter().map(|part| part.parse().ok()).collect();
    if let Some([first, edges, states]) = read.as_deref() {
        return Ok([*first, *edges, *states]);
    }
    if parts.first().is_some_and(|first| first.split_whitespace().count() > 1) {
        let help = "write it as a Markov decision process in PRISM's way, with the ending `.tra`";
        return Err(said.error(at, "the first state is one of several, by chance", help));
    }
    Err(said.error(at, "these are no three numbers", FIRST))
}

/// An edge: its ends, and what its label is.
fn edge<'t>(said: &mut Said<'t>, start: usize, line: &'t str) -> Result<(u32, u32, &'t str), Stop> {
    let at = start..start + line.len();
    let parts = inside(start, line).and_then(|(_, inside)| {
        let (from, rest) = inside.split_once(',')?;
        let (label, to) = rest.rsplit_once(',')?;
        Some([from, label, to].map(|part| part.trim_matches(is_blank)))
    });
    let Some([from, label, to]) = parts else {
        return Err(said.error(at, "this is no edge", EDGE));
    };
    let (Ok(from), Ok(to)) = (from.parse(), to.parse()) else {
        if to.contains(char::is_whitespace) {
            let help = "write it as a Markov decision process in PRISM's way, with the ending `.tra`";
            return Err(said.error(at, "the edge leads to one of several states, by chance", help));
        }
        return Err(said.error(at, "states are numbers", EDGE));
    };
    let quoted = label.strip_prefix('"').and_then(|label| label.strip_suffix('"'));
    Ok((from, to, quoted.unwrap_or(label)))
}

/// Reads a transition system. Linear, or as many edges as it is made to with the labels taken last.
pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Read, Vec<Diagnostic>> {
    let mut said = Said::new(text);
    let read = self::system(&mut said, options);
    let (labelled, notes) = said.end(read)?;
    Ok(Read::new(labelled, notes))
}

/// An edge with the number of its label.
type Edge = (u32, u32, u32);

fn system(said: &mut Said<'_>, options: &ReadOptions) -> Result<Labelled, Stop> {
    let mut all = lines(said.text).filter(|(_, line)| !line.trim_matches(is_blank).is_empty());
    let Some((start, line)) = all.next() else {
        return Err(said.error(0..0, "there is no transition system", FIRST));
    };
    let header_at: Range<usize> = start..start + line.len();
    let [first, promised, states] = header(said, start, line)?;
    let (mut found, mut labels, mut numbers) = (Vec::<Edge>::new(), Vec::new(), HashMap::new());
    for (start, line) in all {
        if said.is_full() {
            return Err(Stop);
        }
        let Ok((from, to, label)) = edge(said, start, line) else { continue };
        let at = start..start + line.len();
        if from >= states || to >= states {
            let message =
                format!("there is no state {}: the first line says that there are {states} of them", from.max(to));
            said.error(at, message, "they are numbered from 0 on");
            continue;
        }
        if found.len() >= options.edges {
            let message = format!("there are more than {} edges", options.edges);
            return Err(said.error(at, message, "give a smaller graph"));
        }
        let label = *numbers.entry(label).or_insert_with(|| {
            labels.push(label);
            labels.len() as u32 - 1
        });
        found.push((from, to, label));
    }
    let states = states as usize;
    check_count(states, 2 * found.len(), options, said, header_at.clone())?;
    if promised as usize != found.len() && said.errors.is_empty() {
        let message = format!("the first line promises {promised} edges, and there are {}", found.len());
        return Err(said.error(header_at, message, "the file may be cut off; else correct the number"));
    }
    if first as usize >= states.max(1) {
        return Err(said.error(header_at, format!("there is no state {first} to start in"), FIRST));
    }
    if options.actions == Actions::Last {
        return with_last(said, options, header_at, (first, states), &found, &labels);
    }
    if labels.len() > 1 {
        let message = format!("edges have no labels here, and the {} of this file are dropped", labels.len());
        said.note(header_at, message, "keep the label taken last as a part of vertices to ask about it");
    }
    let edges = found.into_iter().map(|(from, to, _)| (from, to)).collect();
    let start = if states == 0 { Vec::new() } else { vec![first] };
    Draft { edges, start, ..Draft::default() }.finish(states, said)
}

/// The graph whose vertices are states with the label taken last.
fn with_last(
    said: &mut Said<'_>,
    options: &ReadOptions,
    at: Range<usize>,
    (first, states): (u32, usize),
    found: &[Edge],
    labels: &[&str],
) -> Result<Labelled, Stop> {
    let mut draft = Draft::default();
    // A label in quotes and one without are the same, and the empty one is none.
    let names: Vec<&str> = labels.iter().map(|label| if label.is_empty() { "\"\"" } else { label }).collect();
    let sets: Vec<usize> = names.iter().map(|name| draft.label(name)).collect();
    let mut ends: Vec<(u32, u32)> = found.iter().map(|(_, to, label)| (*to, *label)).collect();
    ends.sort_unstable();
    ends.dedup();
    // By state: its first vertex, and whether that is before any label.
    let (mut of_state, mut vertices, mut next) = (Vec::with_capacity(states + 1), HashMap::new(), 0);
    for state in 0..states as u32 {
        of_state.push(draft.names.len() as u32);
        if state == first || ends.get(next).is_none_or(|(to, _)| *to != state) {
            draft.names.push(state.to_string());
        }
        while let Some((_, label)) = ends.get(next).filter(|(to, _)| *to == state) {
            let vertex = draft.names.len() as u32;
            vertices.insert((state, *label), vertex);
            draft.names.push(format!("{state} after {}", shortened(labels[*label as usize])));
            draft.labels[sets[*label as usize]].1.push(vertex);
            next += 1;
        }
        check_count(draft.names.len(), usize::MAX, options, said, at.clone())?;
    }
    of_state.push(draft.names.len() as u32);
    if states > 0 {
        draft.start.push(of_state[first as usize]);
    }
    for (from, to, label) in found {
        let to = vertices[&(*to, *label)];
        for from in of_state[*from as usize]..of_state[*from as usize + 1] {
            draft.edge(from, to, options, said, at.clone())?;
        }
    }
    let count = draft.names.len();
    draft.finish(count, said)
}

/// A transition system whose labels are all `i`. Linear.
pub(super) fn write(of: &Labelled) -> String {
    let vertices = of.graph.vertices();
    let edges: usize = (0..vertices).map(|at| of.graph.successors(at).len()).sum();
    let mut text = format!("des ({}, {edges}, {vertices})\n", of.start.iter().next().unwrap_or(0));
    for at in 0..vertices {
        for to in of.graph.successors(at) {
            let _ = writeln!(text, "({at}, i, {to})");
        }
    }
    text
}
