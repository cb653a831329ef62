//! Reads automata.

use super::acceptance::{Condition, MOST_SETS, NoPairs};
use super::labels::{Labels, Node, Overlap, TooMuch};
use super::lexer::{Lexer, Placed, Token};
use super::{Automaton, Edge, Labelling, ReadAutomaton, State};
use crate::files::{Said, Stop, listed, shortened};
use litmoscope_core::syntax::Diagnostic;
use std::collections::HashMap;
use std::ops::Range;

/// How much is done to know that an automaton is deterministic: values of a part of a label, for 64 valuations at once.
const MOST_WORK: u64 = 1 << 29;

const STATE: &str = "a state is such as `State: 0 {0}`, an edge behind it such as `[0 & !1] 1 {0}`";

pub(super) fn read(text: &str) -> Result<ReadAutomaton, Vec<Diagnostic>> {
    let mut said = Said::new(text);
    let read = if said.errors.is_empty() { automaton(&mut said) } else { Err(Stop) };
    let (automaton, notes) = said.end(read)?;
    Ok(ReadAutomaton { automaton, notes })
}

fn automaton(said: &mut Said<'_>) -> Result<Automaton, Stop> {
    let mut lexer = Lexer::new(said.text);
    let mut aborted = false;
    loop {
        let token = lexer.next(said)?;
        if aborted && token.0 == Token::End {
            return Err(said.error(token.1, "the only automaton was aborted", "write it again"));
        }
        let mut reader = Reader {
            said: &mut *said,
            lexer,
            token,
            is_aborted: false,
            depth: 0,
            nodes: Vec::new(),
            aliases: HashMap::new(),
            head: Head::default(),
            states: Vec::new(),
            edges: Vec::new(),
            numbers: HashMap::new(),
            defined: HashMap::new(),
        };
        match reader.automaton() {
            Err(Stop) if reader.is_aborted => (lexer, aborted) = (reader.lexer, true),
            Err(Stop) => return Err(Stop),
            Ok(automaton) => {
                if reader.token.0 != Token::End {
                    let at = reader.token.1.clone();
                    said.note(at, "what is behind the first automaton is not read", "put it into a file of its own");
                }
                return Ok(automaton);
            }
        }
    }
}

/// What stands in front of the body.
#[derive(Default)]
pub(super) struct Head {
    states: Option<u32>,
    start: Option<(u32, Range<usize>)>,
    pub(super) propositions: Option<Vec<String>>,
    condition: Option<(Condition, u32, Range<usize>)>,
    acceptance_name: Option<String>,
    name: Option<String>,
}

/// An edge as written: its label, its end, its marks, and where it stands.
struct Draft {
    label: Option<u32>,
    to: usize,
    marks: Vec<u32>,
    at: Range<usize>,
}

pub(super) struct Reader<'s, 't> {
    said: &'s mut Said<'t>,
    lexer: Lexer<'t>,
    pub(super) token: Placed<'t>,
    is_aborted: bool,
    pub(super) depth: u32,
    pub(super) nodes: Vec<Node>,
    pub(super) aliases: HashMap<&'t str, u32>,
    pub(super) head: Head,
    states: Vec<State>,
    /// By state: its edges.
    edges: Vec<Vec<Draft>>,
    /// By number in the file: the state.
    numbers: HashMap<u32, usize>,
    /// By state: where it is defined.
    defined: HashMap<usize, Range<usize>>,
}

impl<'t> Reader<'_, 't> {
    pub(super) fn error(&mut self, at: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Stop {
        self.said.error(at, message, help)
    }

    pub(super) fn expected(&mut self, what: &str, help: &str) -> Stop {
        if self.token.0 == Token::Abort {
            self.is_aborted = true;
            return Stop;
        }
        let found = match self.token.0 {
            Token::End => "the end of the text".to_owned(),
            _ => format!("`{}`", shortened(&self.said.text[self.token.1.clone()])),
        };
        self.said.error(self.token.1.clone(), format!("expected {what}, found {found}"), help)
    }

    pub(super) fn pass(&mut self) -> Result<Placed<'t>, Stop> {
        let next = self.lexer.next(self.said)?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    pub(super) fn take(&mut self, sign: char) -> Result<bool, Stop> {
        let is_here = self.token.0 == Token::Sign(sign);
        if is_here {
            self.pass()?;
        }
        Ok(is_here)
    }

    pub(super) fn expect(&mut self, sign: char, help: &str) -> Result<(), Stop> {
        if self.take(sign)? { Ok(()) } else { Err(self.expected(&format!("`{sign}`"), help)) }
    }

    pub(super) fn number(&mut self, what: &str, help: &str) -> Result<(u32, Range<usize>), Stop> {
        let Token::Number(digits) = self.token.0 else {
            return Err(self.expected(what, help));
        };
        let (_, at) = self.pass()?;
        match digits.parse() {
            Ok(number) => Ok((number, at)),
            Err(_) => Err(self.error(at, format!("`{}` is too large", shortened(digits)), help)),
        }
    }

    fn text(&mut self, what: &str, help: &str) -> Result<String, Stop> {
        if !matches!(self.token.0, Token::Text(_)) {
            return Err(self.expected(what, help));
        }
        match self.pass()? {
            (Token::Text(text), _) => Ok(text.into_owned()),
            _ => Err(Stop),
        }
    }

    fn automaton(&mut self) -> Result<Automaton, Stop> {
        const FIRST: &str = "the first line is `HOA: v1`";
        if self.token.0 != Token::Header("HOA") {
            return Err(self.expected("`HOA: v1`", FIRST));
        }
        self.pass()?;
        if self.token.0 != Token::Word("v1") {
            return Err(self.expected("`v1`", "other versions can't be read"));
        }
        self.pass()?;
        self.head()?;
        self.body()?;
        if self.token.0 != Token::Finish {
            return Err(self.expected("`--END--`", STATE));
        }
        // What is behind it may be anything.
        let end = self.token.1.clone();
        self.token = self.lexer.next(&mut Said::new(self.said.text)).unwrap_or((Token::Finish, end));
        if !self.said.errors.is_empty() {
            return Err(Stop);
        }
        self.finish()
    }

    fn head(&mut self) -> Result<(), Stop> {
        while self.token.0 != Token::Body {
            let Token::Header(name) = self.token.0 else {
                return Err(self.expected("a header or `--BODY--`", "headers are such as `Start: 0`"));
            };
            let (_, at) = self.pass()?;
            let twice = match name {
                "States" => {
                    let (count, _) = self.number("how many states there are", "such as `States: 2`")?;
                    self.head.states.replace(count).is_some()
                }
                "Start" => self.start(&at)?,
                "AP" => self.propositions()?,
                "Alias" => {
                    let Token::Alias(alias) = self.token.0 else {
                        return Err(self.expected("an alias", "such as `Alias: @a 0 & 1`"));
                    };
                    self.pass()?;
                    let label = self.label()?;
                    self.aliases.insert(alias, label).is_some()
                }
                "Acceptance" => {
                    let (sets, _) =
                        self.number("how many sets of marks there are", "such as `Acceptance: 1 Inf(0)`")?;
                    if sets > MOST_SETS {
                        let help = format!("up to {MOST_SETS} can be read");
                        return Err(self.error(at, format!("{sets} sets of marks are too many"), help));
                    }
                    let condition = self.condition(sets)?;
                    self.head.condition.replace((condition, sets, at.start..self.token.1.start)).is_some()
                }
                "name" => {
                    let name = self.text("a name in quotes", "such as `name: \"a waits\"`")?;
                    self.head.name.replace(name).is_some()
                }
                "acc-name" => {
                    let start = self.token.1.start;
                    let end = self.skip_header()?;
                    let name = self.said.text[start..end.max(start)].trim().to_owned();
                    self.head.acceptance_name.replace(name).is_some()
                }
                "tool" | "properties" => {
                    self.skip_header()?;
                    false
                }
                _ if name.starts_with(|first: char| first.is_ascii_uppercase()) => {
                    let help = "headers that begin with a capital letter may change what an automaton means";
                    return Err(self.error(at, format!("the header `{name}:` is not known"), help));
                }
                _ => {
                    self.skip_header()?;
                    false
                }
            };
            if twice {
                self.error(at, format!("`{name}:` is there twice"), "give it once");
            }
        }
        self.pass()?;
        if self.head.condition.is_none() {
            let at = self.said.start();
            return Err(self.error(at, "there is no `Acceptance:`", "such as `Acceptance: 1 Inf(0)`"));
        }
        Ok(())
    }

    /// Goes to the next header, and says where the last token before it ends.
    fn skip_header(&mut self) -> Result<usize, Stop> {
        let mut end = 0;
        loop {
            match self.token.0 {
                Token::Header(_) | Token::Body => return Ok(end),
                Token::End | Token::Finish | Token::Abort => return Err(self.expected("`--BODY--`", STATE)),
                _ => end = self.pass()?.1.end,
            }
        }
    }

    fn start(&mut self, at: &Range<usize>) -> Result<bool, Stop> {
        let (start, start_at) = self.number("the state to start in", "such as `Start: 0`")?;
        if self.token.0 == Token::Sign('&') {
            let help = "automata that are in several states at once can't be read";
            return Err(self.error(at.clone(), "runs start in several states at once", help));
        }
        if self.head.start.as_ref().is_some_and(|(other, _)| *other != start) {
            let help = "make the automaton deterministic, with one state to start in";
            return Err(self.error(at.clone(), "there are several states to start in", help));
        }
        Ok(self.head.start.replace((start, start_at)).is_some())
    }

    fn propositions(&mut self) -> Result<bool, Stop> {
        const HELP: &str = "such as `AP: 2 \"requests\" \"grants\"`";
        let (count, at) = self.number("how many propositions there are", HELP)?;
        let mut names = Vec::new();
        while matches!(self.token.0, Token::Text(_)) {
            names.push(self.text("a proposition", HELP)?);
        }
        if names.len() != count as usize {
            let message = format!("{count} propositions are promised, and {} are there", names.len());
            return Err(self.error(at, message, HELP));
        }
        let mut seen = std::collections::HashSet::new();
        if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(self.error(at, format!("the proposition `{}` is there twice", shortened(name)), HELP));
        }
        Ok(self.head.propositions.replace(names).is_some())
    }

    /// The state with a number in the file.
    fn state(&mut self, number: u32, at: Range<usize>) -> Result<usize, Stop> {
        if let Some(count) = self.head.states.filter(|count| number >= *count) {
            let help = "they are numbered from 0 on";
            return Err(self.error(at, format!("there is no state {number}: there are {count} of them"), help));
        }
        Ok(*self.numbers.entry(number).or_insert_with(|| {
            self.states.push(State { number, ..State::default() });
            self.edges.push(Vec::new());
            self.states.len() - 1
        }))
    }

    fn bracketed(&mut self) -> Result<Option<u32>, Stop> {
        if !self.take('[')? {
            return Ok(None);
        }
        let label = self.label()?;
        self.expect(']', STATE)?;
        Ok(Some(label))
    }

    fn marks(&mut self) -> Result<Vec<u32>, Stop> {
        let (mut marks, sets) = (Vec::new(), self.head.condition.as_ref().map_or(0, |(_, sets, _)| *sets));
        if self.take('{')? {
            while matches!(self.token.0, Token::Number(_)) {
                let (set, at) = self.number("a set of marks", STATE)?;
                if set >= sets {
                    let message = format!("there is no set of marks {set}: `Acceptance:` has {sets} of them");
                    return Err(self.error(at, message, "they are numbered from 0 on"));
                }
                marks.push(set);
            }
            self.expect('}', STATE)?;
        }
        marks.sort_unstable();
        marks.dedup();
        Ok(marks)
    }

    fn body(&mut self) -> Result<(), Stop> {
        while self.token.0 == Token::Header("State") {
            self.pass()?;
            let of_state = self.bracketed()?;
            let (number, at) = self.number("the number of a state", STATE)?;
            let state = self.state(number, at.clone())?;
            if self.defined.insert(state, at.clone()).is_some() {
                return Err(self.error(at, format!("state {number} is there twice"), "put its edges together"));
            }
            if matches!(self.token.0, Token::Text(_)) {
                let name = self.text("a name", STATE)?;
                self.states[state].name = Some(name).filter(|name| !name.is_empty());
            }
            self.states[state].marks = self.marks()?;
            while matches!(self.token.0, Token::Sign('[') | Token::Number(_)) {
                let start = self.token.1.start;
                let own = self.bracketed()?;
                let (to, to_at) = self.number("the state that the edge leads to", STATE)?;
                if self.token.0 == Token::Sign('&') {
                    let help = "automata that are in several states at once can't be read";
                    return Err(self.error(to_at, "the edge leads to several states at once", help));
                }
                let to = self.state(to, to_at.clone())?;
                let mut all = self.marks()?;
                let at = start..to_at.end;
                if own.is_some() && of_state.is_some() {
                    let help = "leave one of them out";
                    return Err(self.error(at, format!("state {number} has a label, and this edge, too"), help));
                }
                let marks = &self.states[state].marks;
                all.retain(|set| marks.binary_search(set).is_err());
                self.edges[state].push(Draft { label: own.or(of_state), to, marks: all, at });
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Automaton, Stop> {
        let head = std::mem::take(&mut self.head);
        let propositions = head.propositions.unwrap_or_default();
        let first = self.said.start();
        for node in &self.nodes {
            if let Node::Proposition(at) = node
                && *at as usize >= propositions.len()
            {
                let message = format!("there is no proposition {at}: `AP:` has {}", propositions.len());
                return Err(self.said.error(first, message, "they are numbered from 0 on"));
            }
        }
        self.head.states = head.states;
        let Some((start, start_at)) = head.start else {
            let help = "an automaton without `Start:` accepts nothing; add one, such as `Start: 0`";
            return Err(self.said.error(first, "there is no state to start in", help));
        };
        let start = self.state(start, start_at)?;
        let (condition, sets, at) = head.condition.ok_or(Stop)?;
        if let Some(name) = &head.acceptance_name
            && super::names::differs(&condition, sets, name)
        {
            let message = format!("this condition is not what `acc-name: {}` says", shortened(name));
            self.said.note(at.clone(), message, "it is the condition that counts");
        }
        let (runs, pairs) = condition.pairs().map_err(|why| {
            let help = "Streett, Rabin, parity, Büchi, generalised Büchi and co-Büchi conditions can be read, and others that are a \
                        conjunction of `Fin(a) | Inf(b)`, or the negation of one";
            let message = match why {
                NoPairs::Neither => "this condition is no Streett condition, and no negation of one",
                NoPairs::TooLarge => "this condition is too large to be made a Streett condition",
            };
            self.said.error(at, message, help)
        })?;
        let (mut work, mut is_complete) = (MOST_WORK, true);
        for state in 0..self.states.len() {
            let edges = std::mem::take(&mut self.edges[state]);
            match self.labelling(state, &edges, &propositions, &mut work) {
                Ok((labels, all)) => {
                    is_complete &= all;
                    self.states[state].labels = labels;
                }
                Err(Stop) if self.said.is_full() || self.said.errors.is_empty() => return Err(Stop),
                Err(Stop) if work == 0 => return Err(Stop),
                Err(Stop) => {}
            }
            self.states[state].edges = edges.into_iter().map(|edge| Edge { to: edge.to, marks: edge.marks }).collect();
        }
        Ok(Automaton {
            name: head.name,
            acceptance_name: head.acceptance_name,
            propositions,
            condition,
            runs,
            pairs,
            is_complete,
            start,
            states: std::mem::take(&mut self.states),
        })
    }

    /// The labels of a state's edges, and whether there is one for each valuation.
    fn labelling(
        &mut self,
        state: usize,
        edges: &[Draft],
        propositions: &[String],
        work: &mut u64,
    ) -> Result<(Labelling, bool), Stop> {
        let number = self.states[state].number;
        let at = self.defined.get(&state).cloned().unwrap_or(0..0);
        let labels: Vec<u32> = edges.iter().filter_map(|edge| edge.label).collect();
        if labels.is_empty() && !edges.is_empty() {
            let wanted = 1_usize.checked_shl(propositions.len() as u32).filter(|_| propositions.len() < 32);
            if wanted != Some(edges.len()) {
                let message = format!(
                    "without labels, state {number} needs an edge for each of the 2^{} valuations, and has {}",
                    propositions.len(),
                    edges.len()
                );
                return Err(self.error(at, message, "add the edges that are missing, or give them labels"));
            }
            return Ok((Labelling::Implicit, true));
        }
        if labels.len() < edges.len() {
            let help = "give all edges of a state labels, or none of them";
            return Err(self.error(at, format!("some edges of state {number} have a label, and some have none"), help));
        }
        let too_much = |reader: &mut Self, work: &mut u64| {
            *work = 0;
            let help = "give the automaton fewer propositions";
            reader.error(at.clone(), format!("it takes too long to know whether state {number} is deterministic"), help)
        };
        let labels = match Labels::of(&self.nodes, &labels, work) {
            Ok(labels) => labels,
            Err(TooMuch) => return Err(too_much(self, work)),
        };
        let differ =
            |one: usize, other: usize| (edges[one].to, &edges[one].marks) != (edges[other].to, &edges[other].marks);
        match labels.overlap(differ, work) {
            Err(TooMuch) => Err(too_much(self, work)),
            Ok(Ok(is_complete)) => Ok((Labelling::Written(labels), is_complete)),
            Ok(Err(Overlap { edges: [one, other], valuation: (yes, no) })) => {
                let first = self.said.place(edges[one].at.clone()).line;
                let names = |of: &[u32]| listed(of.iter().map(|at| propositions[*at as usize].as_str()));
                let mut when = Vec::new();
                if !yes.is_empty() {
                    when.push(format!("{} true", names(&yes)));
                }
                if !no.is_empty() {
                    when.push(format!("{} false", names(&no)));
                }
                let when = if when.is_empty() { "whatever is true".to_owned() } else { when.join(" and ") };
                let to = |edge: usize| self.states[edges[edge].to].number;
                let message = format!(
                    "state {number} is not deterministic: this edge to {} and the one to {} in line {first} can both be taken",
                    to(other),
                    to(one)
                );
                let help = format!("that is so with {when}; make the automaton deterministic, as `autfilt -D` does");
                Err(self.error(edges[other].at.clone(), message, help))
            }
        }
    }
}
