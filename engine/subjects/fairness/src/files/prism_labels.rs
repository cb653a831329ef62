//! Labels and states beside PRISM's transitions.

use super::draft::{Draft, Said, Stop, is_blank, lines, shortened, words};
use crate::bits::Bits;
use crate::labelled::Labelled;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

type Labels = Vec<(String, Vec<u32>)>;

const LABELS: &str = "such as `0=\"init\" 1=\"deadlock\"` and lines `3: 0 1`, or Storm's `#DECLARATION`";

/// The number of a state of the transitions.
fn state(said: &mut Said<'_>, states: usize, at: Range<usize>, word: &str) -> Result<u32, Stop> {
    match word.parse::<u32>() {
        Ok(number) if (number as usize) < states => Ok(number),
        Ok(number) => {
            let message = format!("there is no state {number}: the transitions have {states} of them");
            Err(said.error(at, message, "they are numbered from 0 on"))
        }
        Err(_) => Err(said.error(at, format!("`{}` is no number of a state", shortened(word)), LABELS)),
    }
}

/// Reads labels in PRISM's or Storm's way. Linear.
pub(super) fn read_labels(said: &mut Said<'_>, states: usize) -> Result<Labels, Stop> {
    let mut all = lines(said.text).filter(|(_, line)| !line.trim_matches(is_blank).is_empty());
    let Some((start, first)) = all.next() else {
        return Err(said.error(0..0, "there are no labels", LABELS));
    };
    let mut draft = Draft::default();
    if first.trim_matches(is_blank) == "#DECLARATION" {
        let mut declared = false;
        for (start, line) in all.by_ref() {
            if line.trim_matches(is_blank) == "#END" {
                declared = true;
                break;
            }
            words(start, line).for_each(|(_, name)| _ = draft.label(name));
        }
        if !declared {
            let end = said.text.len();
            return Err(said.error(end..end, "the declaration has no end", "`#END` stands behind the names"));
        }
        for (start, line) in all {
            if said.is_full() {
                return Err(Stop);
            }
            let mut words = words(start, line);
            let Some((at, word)) = words.next() else { continue };
            let Ok(number) = state(said, states, at, word) else { continue };
            for (at, name) in words {
                match draft.known_label(name) {
                    Some(label) => draft.labels[label].1.push(number),
                    None => {
                        let message = format!("the label `{}` was not declared", shortened(name));
                        said.error(at, message, "write it between `#DECLARATION` and `#END`");
                    }
                }
            }
        }
        return Ok(draft.labels);
    }
    let numbers = declaration(said, start, first, &mut draft)?;
    for (start, line) in all {
        if said.is_full() {
            return Err(Stop);
        }
        let Some((number, of)) = line.split_once(':') else {
            said.error(start..start + line.len(), "`:` is missing behind the number of a state", LABELS);
            continue;
        };
        let (at, word) = words(start, number).next().unwrap_or((start..start, ""));
        let Ok(number) = state(said, states, at, word) else { continue };
        for (at, word) in words(start + line.len() - of.len(), of) {
            match word.parse().ok().and_then(|label: u64| numbers.get(&label)) {
                Some(label) => draft.labels[*label].1.push(number),
                None => {
                    let message = format!("there is no label with the number `{}`", shortened(word));
                    said.error(at, message, "the first line gives labels their numbers");
                }
            }
        }
    }
    Ok(draft.labels)
}

/// The labels by their numbers: `0="init" 1="deadlock"`.
fn declaration(said: &mut Said<'_>, start: usize, line: &str, draft: &mut Draft) -> Result<HashMap<u64, usize>, Stop> {
    let (mut numbers, mut rest) = (HashMap::new(), line.trim_start_matches(is_blank));
    while !rest.is_empty() {
        let at = start + line.len() - rest.len();
        let label = rest.split_once('=').and_then(|(number, behind)| {
            let number: u64 = number.trim().parse().ok()?;
            let (name, length) = quoted(behind.trim_start())?;
            Some((number, name, behind.trim_start().get(length..)?))
        });
        let Some((number, name, behind)) = label else {
            return Err(said.error(at..start + line.len(), "this is no label with its number", LABELS));
        };
        let is_new = draft.known_label(&name).is_none() && !name.is_empty();
        let place = draft.label(&name);
        if numbers.insert(number, place).is_some() || !is_new {
            let message = format!("the label `{}` or its number is there twice, or it has no name", shortened(&name));
            return Err(said.error(at..start + line.len() - behind.len(), message, "give each its own"));
        }
        rest = behind.trim_start();
    }
    Ok(numbers)
}

/// A text in quotes, in which `\` stands before quotes, itself, and `n` for the end of a line; with its length.
pub(super) fn quoted(text: &str) -> Option<(String, usize)> {
    let (mut name, mut signs) = (String::new(), text.strip_prefix('"')?.char_indices());
    while let Some((at, sign)) = signs.next() {
        match sign {
            '"' => return Some((name, at + 2)),
            '\\' => match signs.next()?.1 {
                'n' => name.push('\n'),
                'r' => name.push('\r'),
                sign => name.push(sign),
            },
            sign => name.push(sign),
        }
    }
    None
}

/// A text in quotes, as [`quoted`] reads it.
pub(super) fn quote(text: &str) -> String {
    format!("\"{}\"", escape(text, '"'))
}

/// A text on one line, with `\` in front of itself and of another sign.
fn escape(text: &str, sign: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for next in text.chars() {
        match next {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            _ if next == sign || next == '\\' => out.extend(['\\', next]),
            _ => out.push(next),
        }
    }
    out
}

/// The sets of a graph's labels.
pub(super) fn sets(of: &Labelled, labels: Labels, said: &mut Said<'_>) -> Result<Vec<(String, Bits)>, Stop> {
    if !super::draft::do_sets_fit(labels.len(), of.graph.vertices()) {
        return Err(said.error(0..0, "the labels take too much room", "leave out those that no pair needs"));
    }
    let set = |vertices: Vec<u32>| of.graph.set(vertices.into_iter().map(|at| at as usize));
    Ok(labels.into_iter().map(|(name, vertices)| (name, set(vertices))).collect())
}

/// Labels in PRISM's way.
pub(super) fn labels_text(vertices: usize, sets: &[(&str, &Bits)]) -> String {
    let names = sets.iter().enumerate().map(|(at, (name, _))| format!("{at}={}", quote(name)));
    let mut text = names.collect::<Vec<_>>().join(" ") + "\n";
    let mut of: Vec<Vec<usize>> = vec![Vec::new(); vertices];
    for (label, (_, set)) in sets.iter().enumerate() {
        set.iter().for_each(|at| of[at].push(label));
    }
    for (at, labels) in of.iter().enumerate().filter(|(_, labels)| !labels.is_empty()) {
        let _ = write!(text, "{at}:");
        labels.iter().for_each(|label| _ = write!(text, " {label}"));
        text.push('\n');
    }
    text
}

const STATES: &str = "such as `(s,t)` and lines `3:(0,1)`, one for each state";

/// What stands in the only parentheses of a piece of a text.
fn in_parentheses(piece: &str) -> Option<&str> {
    piece.trim_matches(is_blank).strip_prefix('(')?.strip_suffix(')')
}

/// Reads the names of all states. Linear.
pub(super) fn read_states(said: &mut Said<'_>, states: usize) -> Result<Vec<String>, Stop> {
    let mut all = lines(said.text).filter(|(_, line)| !line.trim_matches(is_blank).is_empty());
    let Some((start, first)) = all.next() else {
        return Err(said.error(0..0, "there are no states", STATES));
    };
    let Some(variables) = in_parentheses(first) else {
        return Err(said.error(start..start + first.len(), "the first line lists no variables", STATES));
    };
    let variables: Vec<&str> = variables.split(',').map(str::trim).collect();
    let mut names = vec![String::new(); states];
    let (mut given, mut room) = (0, 0);
    for (start, line) in all {
        if said.is_full() {
            return Err(Stop);
        }
        let parts = line.split_once(':').and_then(|(number, of)| Some((number, in_parentheses(of)?)));
        let Some((number, values)) = parts else {
            said.error(start..start + line.len(), "this is no state", STATES);
            continue;
        };
        let (at, word) = words(start, number).next().unwrap_or((start..start, ""));
        let Ok(number) = state(said, states, at.clone(), word) else { continue };
        let name = &mut names[number as usize];
        if !name.is_empty() {
            said.error(at, format!("state {number} is there twice"), STATES);
            continue;
        }
        if variables == ["name"] {
            let raw = quoted(&format!("\"{values}\"")).filter(|(_, length)| *length == values.len() + 2);
            *name = raw.map_or_else(|| values.to_owned(), |(name, _)| name);
        } else {
            let values: Vec<&str> = values.split(',').map(str::trim).collect();
            if values.len() != variables.len() {
                let message = format!("there are {} variables, and {} values of them", variables.len(), values.len());
                said.error(start..start + line.len(), message, STATES);
                continue;
            }
            let values = variables.iter().zip(values).map(|(variable, value)| format!("{variable}={value}"));
            *name = format!("({})", values.collect::<Vec<_>>().join(","));
        }
        room += name.len();
        super::draft::check_length([room].into_iter(), said)?;
        given += 1;
    }
    if given < states && said.errors.is_empty() {
        let message = format!("there are {states} states, and {given} of them have a line");
        return Err(said.error(said.start(), message, "the file may be cut off"));
    }
    Ok(names)
}

/// The variables of a name such as `(s=0,t=1)`, and their values.
fn variables(name: &str) -> Option<(Vec<&str>, Vec<&str>)> {
    let parts = in_parentheses(name)?.split(',').map(|part| part.split_once('='));
    let (variables, values): (Vec<&str>, Vec<&str>) = parts.collect::<Option<Vec<_>>>()?.into_iter().unzip();
    let is_word =
        |word: &&str| !word.is_empty() && word.chars().all(|sign| sign.is_alphanumeric() || "_-.".contains(sign));
    (variables.iter().chain(&values).all(is_word) && variables != ["name"]).then_some((variables, values))
}

/// The names of all vertices, as values of their variables if all are that.
pub(super) fn states_text(of: &Labelled) -> String {
    let first = of.names.first().and_then(|name| Some(variables(name)?.0));
    let shared = first.filter(|first| of.names.iter().all(|name| variables(name).is_some_and(|(of, _)| of == *first)));
    let mut text = format!("({})\n", shared.as_ref().map_or_else(|| "name".to_owned(), |names| names.join(",")));
    for (at, name) in of.names.iter().enumerate() {
        let values = match variables(name).filter(|_| shared.is_some()) {
            Some((_, values)) => values.join(","),
            None => escape(name, '"'),
        };
        let _ = writeln!(text, "{at}:({values})");
    }
    text
}
