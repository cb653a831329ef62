//! Automata as text.

use super::expression;
use super::lex::end_of_line;
use crate::automata::{Automaton, Initialization, NoMachine, machine_of};
use crate::budget::Budget;
use crate::machine::{MAX_ENTITIES, Machine};
use crate::program::Span;
use crate::stopped::Stopped;
use crate::syntax::{Cursor, TokenKind, Wrong, wrong};
use std::collections::BTreeSet;

const LINES: &str = "lines are `expression a(a|b)*`, `automaton`, `0 -> 1: a b`, `start 0`, `accepts 1`, `symbols a b`";
const SYMBOLS: &str = "a symbol is one letter or digit";

/// How many symbols there may be.
const MAX_SYMBOLS: usize = 64;

/// An automaton as it stands in the text.
enum Given {
    Expression(expression::Parsed),
    States(States),
}

/// States and steps.
#[derive(Default)]
struct States {
    names: Vec<String>,
    steps: Vec<(usize, char, usize)>,
    accepting: Vec<usize>,
    start: Option<usize>,
}

/// Reads automata and makes a machine of them; the cursor stands behind the word `automata`, which is at `head`.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    head: Span,
    initialization: Initialization,
    budget: &mut Budget,
) -> Result<(Machine, Vec<Automaton>), Stopped> {
    let mut name = String::new();
    if !cursor.is_line_end() {
        cursor.label("a name", LINES)?.0.clone_into(&mut name);
    }
    end_of_line(cursor, LINES)?;
    cursor.skip_newlines();
    let mut given: Vec<(Given, Span)> = Vec::new();
    let mut symbols = BTreeSet::new();
    while !cursor.is_end() {
        line(cursor, &mut given, &mut symbols)?;
        cursor.skip_newlines();
    }
    if symbols.len() > MAX_SYMBOLS {
        let message = format!("there are {} symbols, more than {MAX_SYMBOLS}", symbols.len());
        return Err(wrong(message, head, "use fewer symbols: `[a-c]` are three").into());
    }
    let all: Vec<char> = symbols.iter().copied().collect();
    let mut automata = Vec::new();
    for (given, _) in given {
        automata.push(match given {
            Given::Expression(parsed) => expression::automaton(&parsed, &all, budget)?,
            Given::States(states) => states.automaton(),
        });
    }
    let mut machine = machine_of(&automata, &all, initialization).map_err(|no| {
        let help = match no {
            NoMachine::TooFew => "`expression a(a|b)*` is one",
            NoMachine::TooMany(_) => "use fewer automata, or automata with fewer states",
            NoMachine::EndSymbol => SYMBOLS,
        };
        wrong(no.to_string(), head, help)
    })?;
    // What is not meant as it should be is labelled, wherever its name goes.
    machine.name = match initialization {
        Initialization::Corrected => name,
        Initialization::AsPrinted if name.is_empty() => "as_printed".to_owned(),
        Initialization::AsPrinted => format!("{name}_as_printed"),
    };
    Ok((machine, automata))
}

fn line(cursor: &mut Cursor<'_>, given: &mut Vec<(Given, Span)>, symbols: &mut BTreeSet<char>) -> Result<(), Wrong> {
    let (word, span) = cursor.label("a line", LINES)?;
    if cursor.take("->") {
        let states = states(given, span)?;
        let from = states.state(word, span)?;
        let (to, span) = cursor.label("a state", LINES)?;
        let to = states.state(to, span)?;
        cursor.expect(":", "a step is `0 -> 1: a b`")?;
        for (symbol, span) in symbols_of(cursor)? {
            if states.steps.iter().any(|step| (step.0, step.1) == (from, symbol)) {
                let message = format!("`{}` already has a step for `{symbol}`", states.names[from]);
                return Err(wrong(
                    message,
                    span,
                    "a symbol leads from a state to one state; an `expression` allows \
                                                 several",
                ));
            }
            states.steps.push((from, symbol, to));
            symbols.insert(symbol);
        }
        return end_of_line(cursor, LINES);
    }
    match word {
        "symbols" => symbols.extend(symbols_of(cursor)?.into_iter().map(|(symbol, _)| symbol)),
        "expression" => {
            let start = cursor.span();
            let mut end = start.start;
            while !cursor.is_line_end() {
                end = cursor.pass().span.end;
            }
            let place = Span { end: end.max(start.start), ..start };
            let parsed = expression::parse(cursor.word(place), place)?;
            symbols.extend(parsed.symbols.iter().copied());
            given.push((Given::Expression(parsed), span));
        }
        "automaton" => given.push((Given::States(States::default()), span)),
        "start" => {
            let states = states(given, span)?;
            let (name, span) = cursor.label("a state", LINES)?;
            states.start = Some(states.state(name, span)?);
        }
        "accepts" => {
            let states = states(given, span)?;
            loop {
                let (name, span) = cursor.label("a state", LINES)?;
                let state = states.state(name, span)?;
                states.accepting.push(state);
                if !cursor.take(",") && !matches!(cursor.token().kind, TokenKind::Name | TokenKind::Number) {
                    break;
                }
            }
        }
        _ => return Err(wrong(format!("no line of automata begins with `{word}`"), span, LINES)),
    }
    end_of_line(cursor, LINES)
}

/// The automaton that a line belongs to.
fn states(given: &mut [(Given, Span)], span: Span) -> Result<&mut States, Wrong> {
    match given.last_mut() {
        Some((Given::States(states), _)) => Ok(states),
        _ => Err(wrong(
            "this line does not belong to an automaton",
            span,
            "write a line `automaton` before its \
                                                                           states",
        )),
    }
}

/// Symbols in a line, with commas or without.
fn symbols_of(cursor: &mut Cursor<'_>) -> Result<Vec<(char, Span)>, Wrong> {
    let mut symbols = Vec::new();
    loop {
        let (word, span) = cursor.label("a symbol", SYMBOLS)?;
        let mut characters = word.chars();
        let symbol = characters.next().filter(|symbol| symbol.is_alphanumeric() && characters.next().is_none());
        let Some(symbol) = symbol else {
            return Err(wrong(format!("`{word}` is not a symbol"), span, SYMBOLS));
        };
        symbols.push((symbol, span));
        if !cursor.take(",") && !matches!(cursor.token().kind, TokenKind::Name | TokenKind::Number) {
            return Ok(symbols);
        }
    }
}

impl States {
    fn state(&mut self, name: &str, span: Span) -> Result<usize, Wrong> {
        if let Some(state) = self.names.iter().position(|other| other == name) {
            return Ok(state);
        }
        if self.names.len() == MAX_ENTITIES {
            return Err(wrong(format!("more than {MAX_ENTITIES} states"), span, "an automaton can't have more"));
        }
        self.names.push(name.to_owned());
        Ok(self.names.len() - 1)
    }

    /// The automaton, which begins in the state that stands first unless the text says otherwise. Without lines it accepts nothing.
    fn automaton(self) -> Automaton {
        let start = self.start.unwrap_or(0);
        let place = |state: usize| match state {
            state if state == start => 0,
            0 => start,
            state => state,
        };
        let mut accepting: Vec<usize> = self.accepting.iter().map(|state| place(*state)).collect();
        accepting.sort_unstable();
        accepting.dedup();
        Automaton {
            states: self.names.len().max(1),
            steps: self.steps.iter().map(|(from, symbol, to)| (place(*from), *symbol, place(*to))).collect(),
            accepting,
        }
    }
}
