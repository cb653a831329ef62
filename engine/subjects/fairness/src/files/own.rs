//! Our own notation of graphs.
//!
//! ```text
//! fairness mutex              // the first line, with a name or none
//! start idle
//! idle -> wait, idle          // an edge to each
//! wait -> coin
//! coin -> held, wait
//! held -> idle
//! random coin                 // chance decides there
//! set requests: wait coin     // a set of vertices with a name
//! set grants: held
//! pair requests -> grants     // who comes to the first again and again has to come to the second again and again
//! pair all -> {idle held}     // sides: a set, `all`, `none`, or vertices
//! vertices alone              // those without edges
//! ```
//!
//! Vertices are words or numbers, or texts in quotes, with `\` in front of quotes and itself. They are numbered in the order of first mention,
//! unless they are called 0, 1, …, n − 1: these have their own numbers. Commas between them may be left out. `a, b -> c -> d` has the edges
//! a → c, b → c and c → d. Comments are `// ...` and `# ...`. A set called `all` or `none` is in quotes where a pair has it.

use super::draft::{Draft, Said, Stop, check_count, lines, listed, own_numbers, shortened};
use super::lexer::{Kind, Line, is_word, tokens};
use super::prism_labels::quote;
use super::{Read, ReadOptions};
use crate::bits::Bits;
use crate::labelled::{Labelled, Side};
use crate::universe::Universe;
use litmoscope_core::syntax::{Diagnostic, MAX_SOURCE, TokenClass, begins_with};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::Range;

const LINES: &str = "lines are edges such as `a -> b, c`, or begin with `start`, `random`, `set`, `pair` or `vertices`";
const PAIR: &str = "such as `pair requests -> grants`: sides are sets, `all`, `none` or vertices such as `{a b}`";
const KEYWORDS: [&str; 5] = ["vertices", "start", "random", "set", "pair"];

/// Whether a text is meant as a graph: its first line that says something begins with `fairness`.
pub fn begins(text: &str) -> bool {
    begins_with(text, "fairness")
}

/// A text that is read.
struct Reader<'t, 'o> {
    draft: Draft,
    vertices: HashMap<String, u32>,
    /// By vertex: whether it has an edge, or is listed; else the place where it is first mentioned.
    is_placed: Vec<Option<Range<usize>>>,
    sets: HashSet<usize>,
    /// Pairs, with the places of their sides: sets may come later.
    pairs: Vec<[(Ask<'t>, Range<usize>); 2]>,
    options: &'o ReadOptions,
}

/// A side of a pair, as written.
enum Ask<'t> {
    Is(Side),
    Named(std::borrow::Cow<'t, str>),
}

/// Reads a graph. Linear in the text and the edges.
pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Read, Vec<Diagnostic>> {
    let mut said = Said::new(text);
    let mut name = None;
    let read = graph(&mut said, options, &mut name);
    let (labelled, notes) = said.end(read)?;
    Ok(Read { name, ..Read::new(labelled, notes) })
}

fn graph(said: &mut Said<'_>, options: &ReadOptions, title: &mut Option<String>) -> Result<Labelled, Stop> {
    let mut reader = Reader {
        draft: Draft::default(),
        vertices: HashMap::new(),
        is_placed: Vec::new(),
        sets: HashSet::new(),
        pairs: Vec::new(),
        options,
    };
    let mut begun = false;
    for (start, text) in lines(said.text) {
        if said.is_full() {
            return Err(Stop);
        }
        let mut line = Line::new(said.text, start, text);
        if line.is_end() {
            continue;
        }
        if !std::mem::replace(&mut begun, true) {
            if !line.take_word("fairness") {
                let message = line.expected("`fairness`");
                return Err(said.error(line.place(), message, "the first line is `fairness` and a name"));
            }
            let rest = &said.text[line.place().start.min(start + text.len())..start + text.len()];
            let end = ["//", "#"].into_iter().filter_map(|mark| rest.find(mark)).min().unwrap_or(rest.len());
            *title = Some(rest[..end].trim().to_owned()).filter(|name| !name.is_empty());
            continue;
        }
        if reader.line(said, &mut line).is_ok() && !line.is_end() {
            let message = line.expected("the end of the line");
            said.error(line.place(), message, LINES);
        }
    }
    if !begun {
        return Err(said.error(said.start(), "there is no graph", "the first line is `fairness` and a name"));
    }
    reader.finish(said)
}

impl<'t> Reader<'t, '_> {
    fn line(&mut self, said: &mut Said<'_>, line: &mut Line<'t>) -> Result<(), Stop> {
        let keyword =
            line.word().filter(|word| KEYWORDS.contains(word) && !line.is_sign(1, "->") && !line.is_sign(1, ","));
        let Some(keyword) = keyword else {
            return self.edges(said, line);
        };
        line.take_word(keyword);
        match keyword {
            "vertices" => {
                self.vertices(said, line, true)?;
            }
            "start" => {
                let mut start = self.vertices(said, line, false)?;
                self.draft.start.append(&mut start);
            }
            "random" => {
                let mut random = self.vertices(said, line, false)?;
                self.draft.random.append(&mut random);
            }
            "set" => {
                let Some((name, at)) = line.name() else {
                    let message = line.expected("the name of a set");
                    return Err(said.error(line.place(), message, "such as `set requests: a b`"));
                };
                if name.is_empty() {
                    return Err(said.error(at, "the set has no name", "such as `set requests: a b`"));
                }
                let set = self.draft.label(&name);
                if !self.sets.insert(set) {
                    let message = format!("there are two sets called `{}`", shortened(&name));
                    return Err(said.error(at, message, "put all their vertices into one of them"));
                }
                if !line.take(":") {
                    let message = line.expected("`:` and vertices");
                    return Err(said.error(line.place(), message, "such as `set requests: a b`"));
                }
                self.draft.labels[set].1 = if line.is_end() { Vec::new() } else { self.vertices(said, line, false)? };
            }
            _ => {
                let asks = self.side(said, line)?;
                if !line.take("->") {
                    let message = line.expected("`->` and what has to come again and again");
                    return Err(said.error(line.place(), message, PAIR));
                }
                let gets = self.side(said, line)?;
                self.pairs.push([asks, gets]);
            }
        }
        Ok(())
    }

    fn side(&mut self, said: &mut Said<'_>, line: &mut Line<'t>) -> Result<(Ask<'t>, Range<usize>), Stop> {
        let at = line.place();
        if line.take_word("all") {
            return Ok((Ask::Is(Side::All), at));
        }
        if line.take_word("none") {
            return Ok((Ask::Is(Side::None), at));
        }
        if line.take("{") {
            let vertices = if line.is_sign(0, "}") { Vec::new() } else { self.vertices(said, line, false)? };
            if !line.take("}") {
                let message = line.expected("`}`");
                return Err(said.error(line.place(), message, PAIR));
            }
            // A set without a name is called by what is in it.
            let names: Vec<&str> = vertices.iter().map(|at| self.draft.names[*at as usize].as_str()).collect();
            let mut name = match names.get(..8) {
                Some(first) if names.len() > 8 => format!("{{{}, … {}}}", first.join(", "), self.draft.labels.len()),
                _ => format!("{{{}}}", names.join(", ")),
            };
            while self.draft.known_label(&name).is_some_and(|set| self.draft.labels[set].1 != vertices) {
                name.push('\'');
            }
            let set = self.draft.label(&name);
            self.draft.labels[set].1 = vertices;
            self.sets.insert(set);
            return Ok((Ask::Is(Side::Label(set)), line.since(at.start)));
        }
        match line.name() {
            Some((name, at)) => Ok((Ask::Named(name), at)),
            None => Err(said.error(line.place(), line.expected("a side of a pair"), PAIR)),
        }
    }

    /// Vertices, one at least.
    fn vertices(&mut self, said: &mut Said<'_>, line: &mut Line<'t>, is_place: bool) -> Result<Vec<u32>, Stop> {
        let mut found = Vec::new();
        loop {
            let Some((name, at)) = line.name() else {
                return Err(said.error(line.place(), line.expected("a vertex"), LINES));
            };
            found.push(self.vertex(said, &name, at, is_place)?);
            let more = line.take(",");
            if !more && (line.is_end() || line.is_sign(0, "->") || line.is_sign(0, "}") || line.is_sign(0, ":")) {
                return Ok(found);
            }
        }
    }

    fn vertex(&mut self, said: &mut Said<'_>, name: &str, at: Range<usize>, is_place: bool) -> Result<u32, Stop> {
        if let Some(vertex) = self.vertices.get(name) {
            if is_place {
                self.is_placed[*vertex as usize] = None;
            }
            return Ok(*vertex);
        }
        let vertex = self.draft.names.len() as u32;
        check_count(vertex as usize + 1, usize::MAX, self.options, said, at.clone())?;
        self.vertices.insert(name.to_owned(), vertex);
        self.draft.names.push(name.to_owned());
        self.is_placed.push((!is_place).then_some(at));
        Ok(vertex)
    }

    fn edges(&mut self, said: &mut Said<'_>, line: &mut Line<'t>) -> Result<(), Stop> {
        let start = line.place();
        let mut from = self.vertices(said, line, true)?;
        if !line.is_sign(0, "->") {
            return Err(said.error(line.place(), line.expected("`->` and a vertex"), LINES));
        }
        while line.take("->") {
            let to = if line.is_end() { Vec::new() } else { self.vertices(said, line, true)? };
            for from in &from {
                for to in &to {
                    self.draft.edge(*from, *to, self.options, said, start.clone())?;
                }
            }
            from = to;
        }
        Ok(())
    }

    fn finish(mut self, said: &mut Said<'_>) -> Result<Labelled, Stop> {
        for (name, at) in self.draft.names.iter().zip(&self.is_placed) {
            if let Some(at) = at {
                let name = shortened(name);
                let help = format!("write `vertices {name}` if it is one without edges");
                said.error(at.clone(), format!("no edge has the vertex `{name}`"), help);
            }
        }
        for pair in std::mem::take(&mut self.pairs) {
            let mut sides = Vec::with_capacity(2);
            for (side, at) in pair {
                match side {
                    Ask::Is(side) => sides.push(side),
                    Ask::Named(name) => match self.draft.known_label(&name) {
                        Some(set) => sides.push(Side::Label(set)),
                        None if self.vertices.contains_key(&*name) => {
                            let name = shortened(&name);
                            let help = format!("write `{{{name}}}` for the set that has this vertex alone");
                            said.error(at, format!("`{name}` is a vertex, and no set"), help);
                        }
                        None => {
                            let known = listed(self.draft.labels.iter().map(|(name, _)| name.as_str()));
                            let known = if known.is_empty() { "no sets".to_owned() } else { known };
                            let help = format!("there are {known}, `all` and `none`; or write vertices as `{{a b}}`");
                            said.error(at, format!("there is no set `{}`", shortened(&name)), help);
                        }
                    },
                }
            }
            if let [asks, gets] = &sides[..] {
                self.draft.pairs.push((asks.clone(), gets.clone()));
            }
        }
        let count = self.draft.names.len();
        if said.errors.is_empty() {
            self.draft.renumber();
        }
        self.draft.finish(count, said)
    }
}

/// A name as it is written.
fn written(name: &str) -> String {
    if is_word(name) { name.to_owned() } else { quote(name) }
}

/// The names of vertices, if a text can call them so: none is there twice, and they are not each other's numbers.
pub(super) fn usable_names(of: &Labelled) -> Option<&[String]> {
    let is_usable = of.names.len() == of.graph.vertices()
        && own_numbers(&of.names).is_none()
        && of.names.iter().collect::<HashSet<_>>().len() == of.names.len();
    is_usable.then_some(&of.names[..])
}

/// Whether vertices are numbered in the order in which lines of edges mention them.
fn is_in_order(of: &Labelled, has_names: bool) -> bool {
    let (mut seen, mut next) = (vec![false; of.graph.vertices()], 0);
    for at in (0..of.graph.vertices()).filter(|at| !of.graph.successors(*at).is_empty()) {
        for mentioned in std::iter::once(at).chain(of.graph.successors(at).iter().map(|to| *to as usize)) {
            if !std::mem::replace(&mut seen[mentioned], true) {
                if has_names && mentioned != next {
                    return false;
                }
                next += 1;
            }
        }
    }
    next == of.graph.vertices()
}

/// A graph in our own notation, with a name if it is not empty. It reads back as it was, but for names of vertices of which some are the same
/// or numbers of others. Linear.
pub fn print(name: &str, of: &Labelled) -> String {
    // The name is on one line, and no comment.
    let name: String = name.split(['\n', '\r', '#']).next().unwrap_or_default().replace("//", "/");
    let mut text = format!("fairness {}", name.trim()).trim_end().to_owned() + "\n";
    let names = usable_names(of);
    let vertex = |at: usize| names.map_or_else(|| at.to_string(), |names| written(&names[at]));
    let list = |keyword: &str, vertices: &mut dyn Iterator<Item = usize>, text: &mut String| {
        let vertices: Vec<String> = vertices.map(vertex).collect();
        for some in vertices.chunks(16) {
            let _ = writeln!(text, "{keyword} {}", some.join(", "));
        }
    };
    if !is_in_order(of, names.is_some()) {
        list("vertices", &mut (0..of.graph.vertices()), &mut text);
    }
    let set = |set: &Bits| set.iter().map(vertex).collect::<Vec<_>>().join(", ");
    for at in 0..of.graph.vertices() {
        let to = of.graph.successors(at);
        if !to.is_empty() {
            let to: Vec<String> = to.iter().map(|to| vertex(*to as usize)).collect();
            let _ = writeln!(text, "{} -> {}", vertex(at), to.join(", "));
        }
    }
    list("start", &mut of.start.iter(), &mut text);
    list("random", &mut of.graph.random().iter(), &mut text);
    for (name, vertices) in &of.labels {
        let _ = writeln!(text, "{}", format!("set {}: {}", written(name), set(vertices)).trim_end());
    }
    for (asks, gets) in &of.pairs {
        let _ = writeln!(text, "pair {} -> {}", side(of, asks), side(of, gets));
    }
    text
}

/// A side of a pair, as our own texts and lists of pairs have it.
pub(super) fn side(of: &Labelled, side: &Side) -> String {
    match side {
        Side::All => "all".to_owned(),
        Side::None => "none".to_owned(),
        Side::Label(at) => match of.labels.get(*at).map(|(name, _)| name.as_str()) {
            Some(name @ ("all" | "none")) => quote(name),
            Some(name) => written(name),
            None => "none".to_owned(),
        },
    }
}

/// The classes of a text's words as byte ranges, in order, without overlaps. Broken text has classes too; a text that is too long for an editor
/// has none.
pub fn highlight(text: &str) -> Vec<(Range<usize>, TokenClass)> {
    let mut classes = Vec::new();
    if text.len() > MAX_SOURCE {
        return classes;
    }
    let mut begun = false;
    for (start, line) in lines(text) {
        let tokens: Vec<_> = tokens(start, line).collect();
        let word = |at: usize| tokens.get(at).map(|token| &text[token.range.clone()]);
        let begins_edges = matches!(word(1), Some("->" | ","));
        let keyword = word(0).filter(|word| KEYWORDS.contains(word) && !begins_edges);
        if !begun && tokens.first().is_some_and(|token| token.kind != Kind::Comment) {
            begun = true;
            if word(0) == Some("fairness") {
                let rest = tokens.iter().skip(1);
                classes.push((tokens[0].range.clone(), TokenClass::Keyword));
                classes.extend(rest.map(|token| {
                    let is_comment = token.kind == Kind::Comment;
                    (token.range.clone(), if is_comment { TokenClass::Comment } else { TokenClass::Label })
                }));
                continue;
            }
        }
        let mut in_braces = false;
        for (at, token) in tokens.iter().enumerate() {
            in_braces = token.kind == Kind::Sign("{") || in_braces && token.kind != Kind::Sign("}");
            let is_set = keyword == Some("set") && at == 1 || keyword == Some("pair") && !in_braces;
            let class = match token.kind {
                Kind::Comment => TokenClass::Comment,
                Kind::Unknown => TokenClass::Unknown,
                Kind::Sign("->") => TokenClass::Separator,
                Kind::Sign(_) => TokenClass::Operator,
                Kind::Word if at == 0 && keyword.is_some() => TokenClass::Keyword,
                Kind::Word if keyword == Some("pair") && is_set && matches!(word(at), Some("all" | "none")) => {
                    TokenClass::Keyword
                }
                Kind::Word | Kind::Quoted if is_set => TokenClass::Label,
                Kind::Word | Kind::Quoted => TokenClass::Shared,
            };
            classes.push((token.range.clone(), class));
        }
    }
    classes
}
