//! Graphs as texts: `a -> b, c`.
//!
//! ```text
//! fairness a lock
//! start free
//! free -> one, two
//! random coin
//! set waits: one two
//! pair waits -> {free}
//! ```
//!
//! A line says one thing; `//` begins a comment. Vertices are numbered in the order in which the text names them. A side of a pair is the
//! name of a set, or some vertices in braces, none included.

use crate::bits::Graph;
use crate::labelled::{Labelled, Side};
use litmoscope_core::program::Span;
use litmoscope_core::syntax::{Diagnostic, TokenClass, begins_with};
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;
use std::rc::Rc;

/// What begins lines.
const WORDS: [&str; 5] = ["fairness", "start", "random", "set", "pair"];
/// How many vertices a text may name.
const MOST: usize = 100_000;

/// Whether a text is meant as a graph: its first line that says something begins with `fairness`.
pub fn begins_fairness(text: &str) -> bool {
    begins_with(text, "fairness")
}

fn before_comment(line: &str) -> &str {
    line.find("//").map_or(line, |at| &line[..at])
}

/// A word or sign of a text, with its place.
#[derive(Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    span: Span,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_'.#[]|".contains(c)
}

/// The words of a line that begins at a byte of the text.
fn words(line: &str, start: usize, number: u32) -> Vec<Word<'_>> {
    let says = before_comment(line);
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(first) = says[at..].chars().next() {
        let rest = &says[at..];
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("->") {
            2
        } else {
            first.len_utf8()
        };
        if !first.is_whitespace() {
            let column = says[..at].chars().count() as u32 + 1;
            let (start, end) = ((start + at) as u32, (start + at + length) as u32);
            found.push(Word { text: &rest[..length], span: Span { start, end, line: number, column } });
        }
        at += length;
    }
    found
}

fn lines(text: &str) -> impl Iterator<Item = Vec<Word<'_>>> {
    let mut start = 0;
    (1..).zip(text.split_inclusive('\n')).map(move |(number, line)| {
        let begun = start;
        start += line.len();
        words(line.trim_end_matches(['\n', '\r']), begun, number)
    })
}

#[derive(Default)]
struct Reader<'t> {
    numbers: HashMap<&'t str, u32>,
    names: Vec<&'t str>,
    edges: Vec<(u32, u32)>,
    random: Vec<u32>,
    start: Vec<u32>,
    sets: Vec<(String, Vec<u32>)>,
    pairs: Vec<(Word<'t>, [Vec<Word<'t>>; 2])>,
    wrong: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    fn vertex(&mut self, word: Word<'t>) -> Option<u32> {
        if !word.text.chars().all(is_word) {
            self.say(format!("expected a vertex, found `{}`", word.text), word.span, "vertices are words or numbers");
            return None;
        }
        let next = self.names.len() as u32;
        let number = *self.numbers.entry(word.text).or_insert(next);
        if number == next {
            self.names.push(word.text);
        }
        Some(number)
    }

    fn say(&mut self, message: impl Into<String>, span: Span, help: &str) {
        self.wrong.push(Diagnostic::error(message.into(), span).with_help(help));
    }

    fn vertices(&mut self, words: &[Word<'t>]) -> Vec<u32> {
        words.iter().filter(|word| word.text != ",").filter_map(|word| self.vertex(*word)).collect()
    }

    fn line(&mut self, words: &[Word<'t>]) {
        let Some((first, rest)) = words.split_first() else { return };
        if first.text == "pair" && rest.first().is_some_and(|second| second.text == "->") {
            return self.say("a pair has two sides", first.span, "write `pair requests -> grants`");
        }
        if rest.first().is_some_and(|second| second.text == "->") {
            let Some(from) = self.vertex(*first) else { return };
            let to = self.vertices(&rest[1..]);
            if to.is_empty() {
                self.say("an edge leads somewhere", rest[0].span, "write `a -> b, c`");
            }
            self.edges.extend(to.into_iter().map(|to| (from, to)));
            return;
        }
        match first.text {
            "fairness" => {}
            "start" => {
                let some = self.vertices(rest);
                self.start.extend(some);
            }
            "random" => {
                let some = self.vertices(rest);
                self.random.extend(some);
            }
            "set" => match rest {
                [name, colon, members @ ..] if colon.text == ":" => {
                    if self.sets.iter().any(|(known, _)| known == name.text) {
                        self.say(format!("there is a set `{}` already", name.text), name.span, "give it another name");
                    }
                    let members = self.vertices(members);
                    self.sets.push((name.text.to_owned(), members));
                }
                _ => self.say("a set has a name and vertices", first.span, "write `set waits: a b`"),
            },
            "pair" => match rest.iter().position(|word| word.text == "->") {
                Some(at) => self.pairs.push((*first, [rest[..at].to_vec(), rest[at + 1..].to_vec()])),
                None => self.say("a pair has two sides", first.span, "write `pair requests -> grants`"),
            },
            other => {
                let help = "lines are `a -> b, c`, `start a`, `random a`, `set name: a b` and `pair name -> {a b}`";
                self.say(format!("`{other}` begins no line"), first.span, help);
            }
        }
    }

    fn side(&mut self, pair: Span, words: &[Word<'t>]) -> Side {
        match words {
            [open, members @ .., close] if open.text == "{" && close.text == "}" => {
                let members = self.vertices(members);
                if members.is_empty() {
                    return Side::None;
                }
                let names: Vec<&str> = members.iter().map(|at| self.names[*at as usize]).collect();
                let name = format!("{{{}}}", names.join(" "));
                let known = self.sets.iter().position(|(known, _)| *known == name);
                Side::Label(known.unwrap_or_else(|| {
                    self.sets.push((name, members));
                    self.sets.len() - 1
                }))
            }
            [name] => match self.sets.iter().position(|(known, _)| known == name.text) {
                Some(at) => Side::Label(at),
                None => {
                    let help = "define it as `set name: a b`, or write vertices in braces";
                    self.say(format!("there is no set `{}`", name.text), name.span, help);
                    Side::None
                }
            },
            _ => {
                let span = words.first().map_or(pair, |word| word.span);
                self.say("this is no side of a pair", span, "a side is the name of a set, or `{a b}`");
                Side::None
            }
        }
    }
}

/// Reads a graph.
///
/// # Errors
/// Everything that is wrong with the text, in its order.
pub fn read_graph(text: &str) -> Result<Labelled, Vec<Diagnostic>> {
    let mut reader = Reader::default();
    lines(text).for_each(|line| reader.line(&line));
    let pairs: Vec<(Side, Side)> = std::mem::take(&mut reader.pairs)
        .into_iter()
        .map(|(pair, [asks, gets])| (reader.side(pair.span, &asks), reader.side(pair.span, &gets)))
        .collect();
    let at_start = Span { start: 0, end: 0, line: 1, column: 1 };
    if reader.names.is_empty() && reader.wrong.is_empty() {
        reader.say("there are no vertices", at_start, "write edges, such as `a -> b, c`");
    }
    if reader.names.len() > MOST {
        reader.say(format!("there are more than {MOST} vertices"), at_start, "the command line reads larger graphs");
    }
    if !reader.wrong.is_empty() {
        reader.wrong.sort_by_key(|wrong| wrong.span.start);
        return Err(reader.wrong);
    }
    let Reader { names, edges, random, start, sets, .. } = reader;
    let graph =
        Graph::new(names.len(), edges, random).map_err(|error| vec![Diagnostic::error(error.to_string(), at_start)])?;
    let set = |members: Vec<u32>| graph.set(members.into_iter().map(|at| at as usize));
    let labels = sets.into_iter().map(|(name, members)| (name, set(members))).collect();
    let start = set(start);
    Ok(Labelled { graph: Rc::new(graph), names: names.into_iter().map(str::to_owned).collect(), start, labels, pairs })
}

/// A graph as a text, which is read as the same.
pub fn print_graph(text: &str, labelled: &Labelled) -> String {
    let list = |set: &crate::Bits| set.iter().map(|at| labelled.name(at)).collect::<Vec<_>>().join(" ");
    let title = text.lines().map(|line| before_comment(line).trim()).find(|line| !line.is_empty());
    let mut printed = title.unwrap_or("fairness").split_whitespace().collect::<Vec<_>>().join(" ") + "\n";
    // In the order of their numbers, whoever is named first.
    let all = crate::Universe::all(&*labelled.graph);
    let known = labelled.labels.iter().find(|(name, set)| *set == all && !name.starts_with('{'));
    let every = known.map_or("every_vertex", |(name, _)| name);
    let _ = writeln!(printed, "set {every}: {}", list(&all));
    if labelled.start.iter().next().is_some() {
        let _ = writeln!(printed, "start {}", list(&labelled.start));
    }
    for from in 0..labelled.graph.vertices() {
        let to: Vec<String> = labelled.graph.successors(from).iter().map(|to| labelled.name(*to as usize)).collect();
        if !to.is_empty() {
            let _ = writeln!(printed, "{} -> {}", labelled.name(from), to.join(", "));
        }
    }
    let random = crate::Universe::random(&*labelled.graph);
    if random.iter().next().is_some() {
        let _ = writeln!(printed, "random {}", list(random));
    }
    for (name, set) in labelled.labels.iter().filter(|(name, _)| !name.starts_with('{') && name != every) {
        let _ = writeln!(printed, "set {name}: {}", list(set));
    }
    for (asks, gets) in &labelled.pairs {
        let side = |side: &Side| match side {
            Side::Label(at) => labelled.labels[*at].0.clone(),
            Side::None => "{}".to_owned(),
            Side::All => every.to_owned(),
        };
        let _ = writeln!(printed, "pair {} -> {}", side(asks), side(gets));
    }
    printed
}

/// The classes of a text's words as byte ranges, in order, without overlaps, whatever the text.
pub fn highlight_graph(text: &str) -> Vec<(Range<usize>, TokenClass)> {
    let mut colours = Vec::new();
    let mut start = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let says = before_comment(line);
        for (at, word) in words(line, start, number).into_iter().enumerate() {
            let class = match word.text {
                "->" | "," | ":" | "{" | "}" => TokenClass::Operator,
                own if at == 0 && WORDS.contains(&own) => TokenClass::Keyword,
                own if own.chars().all(is_word) => TokenClass::Shared,
                _ => TokenClass::Unknown,
            };
            colours.push((word.span.start as usize..word.span.end as usize, class));
        }
        if says.len() < line.len() {
            let end = line.trim_end_matches(['\n', '\r']).len();
            colours.push((start + says.len()..start + end, TokenClass::Comment));
        }
        start += line.len();
    }
    colours
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "fairness a lock // of two\nstart free\nfree -> one, two\none -> free\ntwo -> free\n\
                        set waits: one two\npair waits -> {two}\npair {free} -> {}\nrandom two\n";

    #[test]
    fn a_graph_is_read_and_written() {
        let graph = read_graph(LOCK).expect("a graph");
        assert_eq!(graph.names, ["free", "one", "two"]);
        assert_eq!(graph.graph.successors(0), [1, 2]);
        let objective = graph.objective();
        let sets: Vec<Vec<usize>> =
            objective.iter().flat_map(|(a, b)| [a, b]).map(|set| set.iter().collect()).collect();
        assert_eq!(sets, [vec![1, 2], vec![2], vec![0], vec![]]);
        let printed = print_graph(LOCK, &graph);
        let again = read_graph(&printed).expect("what is written");
        assert_eq!((print_graph(&printed, &again), again.names), (printed, graph.names));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, line, column, message) in [
            ("fairness", 1, 1, "there are no vertices"),
            ("fairness\na -> b\nset s a", 3, 1, "a set has a name and vertices"),
            ("fairness\na ->", 2, 3, "an edge leads somewhere"),
            ("fairness\na -> b\npair s -> {a}", 3, 6, "there is no set `s`"),
            ("fairness\na -> b\npair -> {a}", 3, 1, "a pair has two sides"),
            ("fairness\na b", 2, 1, "`a` begins no line"),
            ("fairness\na -> ü, ?", 2, 9, "expected a vertex, found `?`"),
        ] {
            let wrong = read_graph(text).expect_err(text);
            assert_eq!((wrong[0].span.line, wrong[0].span.column), (line, column), "{text}: {wrong:?}");
            assert_eq!(wrong[0].message, message, "{text}");
        }
    }

    #[test]
    fn the_first_line_tells() {
        assert!(begins_fairness("// a\n\nfairness\na -> b") && begins_fairness("fairness lock"));
        assert!(!begins_fairness("fairness := 1") && !begins_fairness("fairnesses") && !begins_fairness(""));
    }
}
