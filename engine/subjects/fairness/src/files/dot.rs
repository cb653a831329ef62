//! Directed graphs in DOT, the language of Graphviz.
//!
//! ```text
//! digraph mutex {
//!   labels = "requests grants"             // sets in their order, with those that are empty
//!   pairs = "requests->grants all->grants" // the pairs that are asked about
//!   idle [start=true]
//!   wait [class="requests"]                // the sets that it is in
//!   coin [shape=diamond, class="requests"] // chance decides there
//!   held [class="grants"]
//!   idle -> wait -> coin -> {held wait}
//!   held -> idle
//! }
//! ```
//!
//! Read are nodes, edges, chains of them, attributes, defaults of nodes, and subgraphs, whose nodes are nodes like others. `class` is what
//! Graphviz gives to style sheets: words with blanks between them. In it, in `labels` and in `pairs`, `%20` stands for a blank, and so on. A
//! diamond is a random vertex, `start=true` makes one where a run may start. So does an arrow from a node that is a point or can't be seen
//! (`shape=point`, `style=invis`) and to which nothing leads: that is no vertex, but a customary way to draw where it starts. Nodes are numbered
//! in the order of first mention, unless they are called 0, 1, …, n − 1: these have their own numbers. What an attribute `name` says is what a
//! vertex is called, else its node is. Edges have one direction: graphs without are refused, and so are nodes whose names are HTML. Of several
//! graphs the first is read.
//!
//! There are readers of DOT: one whose licence does not fit, and one that says nothing of places.

use super::dot_lexer::{Lexer, Token};
use super::dot_writer::decoded;
use super::draft::{Draft, Said, Stop, check_count, listed, shortened};
use super::{Read, ReadOptions};
use crate::labelled::{Labelled, Side};
use litmoscope_core::syntax::Diagnostic;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

const HELP: &str = "such as `digraph { a -> b; b -> a; a [start=true] }`";

/// How deep subgraphs are in each other.
const DEEPEST: usize = 100;

/// Whether a text begins as DOT does.
pub(super) fn begins(text: &str) -> bool {
    let mut said = Said::new(text);
    let mut lexer = Lexer::new(text);
    let mut next = || match lexer.next(&mut said) {
        Ok((Token::Word(word), _)) => Some(word.to_ascii_lowercase()),
        Ok((Token::Sign('{'), _)) => Some("{".to_owned()),
        Ok((Token::Quoted(_), _)) => Some(String::new()),
        _ => None,
    };
    let (first, second) = (next(), next());
    match (first.as_deref(), second.as_deref()) {
        (Some("strict"), Some("digraph" | "graph")) => true,
        // `graph` and a name may be the beginning of other texts.
        (Some("digraph" | "graph"), Some("{")) => true,
        (Some("digraph" | "graph"), Some(_)) => matches!(lexer.next(&mut said), Ok((Token::Sign('{'), _))),
        _ => false,
    }
}

/// What the attributes of a node say that matters here.
#[derive(Clone, Default)]
struct Look {
    is_random: bool,
    is_start: bool,
    is_point: bool,
    is_hidden: bool,
    class: Rc<str>,
    name: Option<String>,
}

impl Look {
    fn set(&mut self, key: &str, value: &str) {
        match key {
            "shape" => {
                self.is_random = matches!(value, "diamond" | "Mdiamond");
                self.is_point = value == "point";
            }
            "start" => self.is_start = matches!(value, "true" | "yes" | "1"),
            "style" => self.is_hidden = value.split(',').any(|style| style.trim() == "invis"),
            "class" => self.class = value.into(),
            "name" => self.name = Some(decoded(value)),
            _ => {}
        }
    }
}

struct Reader<'s, 't, 'o> {
    said: &'s mut Said<'t>,
    lexer: Lexer<'t>,
    token: (Token, Range<usize>),
    options: &'o ReadOptions,
    draft: Draft,
    nodes: HashMap<String, u32>,
    looks: Vec<Look>,
    labels: String,
    pairs: Option<(String, Range<usize>)>,
}

/// Reads a graph. Linear in the text and the edges.
pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Read, Vec<Diagnostic>> {
    let mut said = Said::new(text);
    let read = graph(&mut said, options);
    let ((labelled, name), notes) = said.end(read)?;
    Ok(Read { name, ..Read::new(labelled, notes) })
}

fn graph(said: &mut Said<'_>, options: &ReadOptions) -> Result<(Labelled, Option<String>), Stop> {
    if !said.errors.is_empty() {
        return Err(Stop);
    }
    let mut lexer = Lexer::new(said.text);
    let token = lexer.next(said)?;
    let mut reader = Reader {
        said,
        lexer,
        token,
        options,
        draft: Draft::default(),
        nodes: HashMap::new(),
        looks: Vec::new(),
        labels: String::new(),
        pairs: None,
    };
    reader.take_keyword("strict")?;
    let at = reader.token.1.clone();
    if reader.take_keyword("graph")? {
        let help = "write `digraph`, and `->` instead of `--`, once for each direction";
        return Err(reader.said.error(at, "the edges of this graph have no direction", help));
    }
    if !reader.take_keyword("digraph")? {
        return Err(reader.expected("`digraph`"));
    }
    let name = match &reader.token.0 {
        Token::Sign(_) | Token::End => None,
        _ => Some(reader.id("the name of the graph")?.0),
    };
    if !reader.take('{')? {
        return Err(reader.expected("`{`"));
    }
    reader.statements(Look::default())?;
    if reader.token.0 != Token::End {
        let at = reader.token.1.clone();
        reader.said.note(at, "what is behind the first graph is not read", "put it into a file of its own");
    }
    Ok((reader.finish()?, name))
}

impl Reader<'_, '_, '_> {
    fn expected(&mut self, what: &str) -> Stop {
        let found = match &self.token.0 {
            Token::End => "the end of the text".to_owned(),
            _ => format!("`{}`", shortened(&self.said.text[self.token.1.clone()])),
        };
        self.said.error(self.token.1.clone(), format!("expected {what}, found {found}"), HELP)
    }

    fn pass(&mut self) -> Result<(Token, Range<usize>), Stop> {
        let next = self.lexer.next(self.said)?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn take(&mut self, sign: char) -> Result<bool, Stop> {
        let is_here = self.token.0 == Token::Sign(sign);
        if is_here {
            self.pass()?;
        }
        Ok(is_here)
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        matches!(&self.token.0, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    fn take_keyword(&mut self, keyword: &str) -> Result<bool, Stop> {
        let is_here = self.is_keyword(keyword);
        if is_here {
            self.pass()?;
        }
        Ok(is_here)
    }

    /// Goes past a name or a value; pieces in quotes with `+` between them are one.
    fn id(&mut self, what: &str) -> Result<(String, Range<usize>), Stop> {
        match &self.token.0 {
            Token::Word(_) => {}
            Token::Quoted(_) => {
                let (Token::Quoted(mut text), mut at) = self.pass()? else { return Err(Stop) };
                while self.take('+')? {
                    let Token::Quoted(more) = &self.token.0 else {
                        return Err(self.expected("one more text in quotes"));
                    };
                    text += more;
                    at.end = self.pass()?.1.end;
                }
                return Ok((text, at));
            }
            Token::Html => {
                let at = self.token.1.clone();
                return Err(self.said.error(
                    at,
                    format!("{what} is HTML"),
                    "give it in quotes, and HTML as its `label`",
                ));
            }
            _ => return Err(self.expected(what)),
        }
        match self.pass()? {
            (Token::Word(word), at) => Ok((word, at)),
            _ => Err(Stop),
        }
    }

    /// The statements up to the brace that closes them, with these defaults of nodes; the nodes that are in them. Those in an inner
    /// subgraph are read without recursion.
    fn statements(&mut self, defaults: Look) -> Result<(), Stop> {
        /// A subgraph that is being read: its defaults and nodes, and the chain that it is a part of outside.
        struct Level {
            defaults: Look,
            nodes: Vec<u32>,
            chain: Chain,
        }
        let mut levels = vec![Level { defaults, nodes: Vec::new(), chain: Chain::default() }];
        loop {
            let deep = levels.len();
            let Some(level) = levels.last_mut() else { return Ok(()) };
            if self.token.0 == Token::End {
                return Err(self.expected("`}`"));
            }
            if level.chain.is_waiting && self.token.0 == Token::Sign('}') {
                return Err(self.expected("a node that the edge leads to"));
            }
            if !level.chain.is_waiting && self.take(';')? {
                continue;
            }
            if self.take('}')? {
                let Some(Level { nodes, .. }) = levels.pop() else { return Ok(()) };
                let Some(outer) = levels.last_mut() else { return Ok(()) };
                outer.nodes.extend(&nodes);
                self.chain_end(&mut outer.chain, nodes)?;
                continue;
            }
            if level.chain.is_waiting || !matches!(self.token.0, Token::Sign(_)) || self.token.0 == Token::Sign('{') {
                // A node, a subgraph, or something else where no chain is begun.
                let at_start = !level.chain.is_waiting;
                if at_start && self.settings(&mut level.defaults, deep == 1)? {
                    continue;
                }
                if self.take_keyword("subgraph")? {
                    if !matches!(self.token.0, Token::Sign('{')) {
                        self.id("the name of a subgraph")?;
                    }
                    if self.token.0 != Token::Sign('{') {
                        return Err(self.expected("`{`"));
                    }
                }
                if self.take('{')? {
                    if deep >= DEEPEST {
                        let at = self.token.1.clone();
                        let message = format!("subgraphs are more than {DEEPEST} deep in each other");
                        return Err(self.said.error(at, message, "nodes need no subgraphs"));
                    }
                    let defaults = level.defaults.clone();
                    levels.push(Level { defaults, nodes: Vec::new(), chain: Chain::default() });
                    continue;
                }
                let (id, at) = self.id("the name of a node")?;
                if at_start && self.take('=')? {
                    let (value, at) = self.value()?;
                    if deep == 1 {
                        self.graph_attribute(&id, value, at);
                    }
                    continue;
                }
                while self.take(':')? {
                    self.id("a port")?;
                }
                let node = self.node(&id, at, &level.defaults)?;
                level.nodes.push(node);
                self.chain_end(&mut level.chain, vec![node])?;
                continue;
            }
            return Err(self.expected("a node, an edge or an attribute"));
        }
    }

    /// An end of a chain of edges was read: goes on with it, or ends it with its attributes.
    fn chain_end(&mut self, chain: &mut Chain, nodes: Vec<u32>) -> Result<(), Stop> {
        let at = self.token.1.clone();
        if chain.is_waiting {
            for from in &chain.from {
                for to in &nodes {
                    self.draft.edge(*from, *to, self.options, self.said, at.clone())?;
                }
            }
        }
        let is_edge = std::mem::take(&mut chain.is_waiting) || chain.is_edge;
        if self.token.0 == Token::Undirected {
            let help = "write `->`, once for each direction";
            return Err(self.said.error(at, "this edge has no direction", help));
        }
        if self.token.0 == Token::Arrow {
            self.pass()?;
            *chain = Chain { from: nodes, is_waiting: true, is_edge: true };
            return Ok(());
        }
        *chain = Chain::default();
        while self.token.0 == Token::Sign('[') {
            for (key, value) in self.attributes()? {
                if let ([node], false) = (&nodes[..], is_edge) {
                    self.looks[*node as usize].set(&key, &value);
                }
            }
        }
        Ok(())
    }

    /// `node [...]`, `edge [...]` or `graph [...]`.
    fn settings(&mut self, defaults: &mut Look, is_outermost: bool) -> Result<bool, Stop> {
        let Some(kind) = ["node", "edge", "graph"].into_iter().find(|kind| self.is_keyword(kind)) else {
            return Ok(false);
        };
        self.pass()?;
        if self.token.0 != Token::Sign('[') {
            return Err(self.expected("`[` and attributes"));
        }
        while self.token.0 == Token::Sign('[') {
            let at = self.token.1.clone();
            for (key, value) in self.attributes()? {
                match kind {
                    "node" if key != "name" => defaults.set(&key, &value),
                    "graph" if is_outermost => self.graph_attribute(&key, value, at.clone()),
                    _ => {}
                }
            }
        }
        Ok(true)
    }

    fn graph_attribute(&mut self, key: &str, value: String, at: Range<usize>) {
        match key {
            "labels" => self.labels = value,
            "pairs" => self.pairs = Some((value, at)),
            _ => {}
        }
    }

    /// The value of an attribute, which may be HTML.
    fn value(&mut self) -> Result<(String, Range<usize>), Stop> {
        if self.token.0 == Token::Html {
            return Ok((String::new(), self.pass()?.1));
        }
        self.id("a value")
    }

    fn attributes(&mut self) -> Result<Vec<(String, String)>, Stop> {
        let mut attributes = Vec::new();
        self.pass()?;
        while !self.take(']')? {
            let (key, _) = self.id("the name of an attribute")?;
            let value = if self.take('=')? { self.value()?.0 } else { "true".to_owned() };
            attributes.push((key, value));
            if !self.take(',')? {
                self.take(';')?;
            }
        }
        Ok(attributes)
    }

    fn node(&mut self, id: &str, at: Range<usize>, defaults: &Look) -> Result<u32, Stop> {
        if let Some(node) = self.nodes.get(id) {
            return Ok(*node);
        }
        let node = self.draft.names.len() as u32;
        check_count(node as usize + 1, usize::MAX, self.options, self.said, at)?;
        self.nodes.insert(id.to_owned(), node);
        self.draft.names.push(id.to_owned());
        self.looks.push(defaults.clone());
        Ok(node)
    }

    fn finish(mut self) -> Result<Labelled, Stop> {
        self.leave_out_arrows();
        let Self { said, options, mut draft, looks, labels, pairs, .. } = self;
        for name in labels.split_whitespace() {
            draft.label(&decoded(name));
        }
        let mut members = 0;
        for (look, at) in looks.iter().zip(0..) {
            if look.is_random {
                draft.random.push(at);
            }
            if look.is_start {
                draft.start.push(at);
            }
            for name in look.class.split_whitespace() {
                let label = draft.label(&decoded(name));
                draft.labels[label].1.push(at);
                members += 1;
                if members > options.edges {
                    let message = format!("nodes have more than {members} words in `class` together");
                    return Err(said.error(said.start(), message, "give a smaller graph"));
                }
            }
        }
        if let Some((text, at)) = pairs {
            for pair in text.split_whitespace() {
                let sides = pair.split_once("->").map(|(asks, gets)| [asks, gets]);
                let sides = sides.map(|sides| sides.map(|name| side(said, &draft, name, at.clone())));
                match sides {
                    Some([Ok(asks), Ok(gets)]) => draft.pairs.push((asks, gets)),
                    Some(_) => {}
                    None => {
                        let message = format!("`{}` is no pair", shortened(pair));
                        said.error(at.clone(), message, "such as `pairs=\"requests->grants all->moves\"`");
                    }
                }
                if said.is_full() {
                    return Err(Stop);
                }
            }
        }
        draft.renumber();
        for (name, look) in draft.names.iter_mut().zip(&looks) {
            if let Some(called) = &look.name {
                name.clone_from(called);
            }
        }
        if draft.names.is_empty() && looks.iter().any(|look| look.name.is_some()) {
            draft.names = vec![String::new(); looks.len()];
            for (name, (look, id)) in draft.names.iter_mut().zip(named_by_number(&looks, &self.nodes)) {
                *name = look.name.clone().unwrap_or_else(|| id.to_string());
            }
        }
        draft.finish(looks.len(), said)
    }

    /// Leaves out nodes that only show where it starts.
    fn leave_out_arrows(&mut self) {
        let is_arrow = |look: &Look| (look.is_point || look.is_hidden) && look.class.is_empty() && !look.is_random;
        if !self.looks.iter().any(is_arrow) {
            return;
        }
        let mut is_reached = vec![false; self.looks.len()];
        self.draft.edges.iter().for_each(|(_, to)| is_reached[*to as usize] = true);
        let gone: Vec<bool> =
            self.looks.iter().zip(&is_reached).map(|(look, is_reached)| is_arrow(look) && !is_reached).collect();
        let mut next = 0;
        let numbers: Vec<u32> = gone
            .iter()
            .map(|gone| {
                next += u32::from(!gone);
                next.wrapping_sub(1)
            })
            .collect();
        for (from, to) in std::mem::take(&mut self.draft.edges) {
            if gone[from as usize] {
                self.looks[to as usize].is_start = true;
            } else {
                self.draft.edges.push((numbers[from as usize], numbers[to as usize]));
            }
        }
        let mut kept = gone.iter();
        self.looks.retain(|_| !*kept.next().unwrap_or(&false));
        let mut kept = gone.iter();
        self.draft.names.retain(|_| !*kept.next().unwrap_or(&false));
        self.nodes.retain(|_, node| !gone[*node as usize]);
        self.nodes.values_mut().for_each(|node| *node = numbers[*node as usize]);
    }
}

/// The looks of nodes that are called by their numbers, in the order of these.
fn named_by_number<'l>(looks: &'l [Look], nodes: &HashMap<String, u32>) -> Vec<(&'l Look, usize)> {
    (0..looks.len()).filter_map(|id| Some((&looks[*nodes.get(&id.to_string())? as usize], id))).collect()
}

/// A chain of edges: the nodes at its end, and whether an arrow stands behind them.
#[derive(Default)]
struct Chain {
    from: Vec<u32>,
    is_waiting: bool,
    is_edge: bool,
}

fn side(said: &mut Said<'_>, draft: &Draft, name: &str, at: Range<usize>) -> Result<Side, Stop> {
    match name {
        "all" => Ok(Side::All),
        "none" => Ok(Side::None),
        _ => draft.known_label(&decoded(name)).map(Side::Label).ok_or_else(|| {
            let known = listed(draft.labels.iter().map(|(name, _)| name.as_str()));
            let help = if known.is_empty() { "no node has a `class`".to_owned() } else { format!("there are {known}") };
            said.error(at, format!("no node has the class `{}`", shortened(&decoded(name))), help)
        }),
    }
}
