//! Regular expressions as finite automata, the smallest that there are.
//!
//! The notation is that of the crate `regex-syntax`, of which only what describes words is taken: symbols, `.`, classes, `|`, `*`, `+`, `?`,
//! `{2,3}`, groups. Each place of a symbol is a state of an automaton that may have several ways (V. M. Glushkov, *The Abstract Theory of
//! Automata*, 1961); sets of places are states of one that has one; those that no word tells apart are one state.
//!
//! `regex-syntax` says where something is wrong; only its syntax trees are used, without its tables of Unicode. The automaton is
//! made here: `regex-automata` makes automata over bytes, with states for what leads nowhere, and says nothing of which is the
//! smallest over the symbols that there are.

use crate::automata::Automaton;
use crate::budget::Budget;
use crate::program::Span;
use crate::stopped::Stopped;
use crate::syntax::{Wrong, wrong};
use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{self, Ast, ClassSet, ClassSetBinaryOpKind, ClassSetItem, RepetitionKind, RepetitionRange};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// How many places of symbols an expression may have, repetitions written out.
const MAX_PLACES: usize = 256;
/// How many sets of places are looked at.
const MAX_SETS: usize = 4_096;
/// How deep an expression may be nested.
const DEEPEST: u32 = 60;
/// How many bytes an expression may have: what describes so few symbols needs no more, and what is nested without end takes long to refuse.
const LONGEST: usize = 10_000;

/// An expression whose symbols are known.
pub(super) struct Parsed {
    ast: Ast,
    /// Where it stands.
    span: Span,
    /// The symbols that it names.
    pub symbols: BTreeSet<char>,
}

/// Reads an expression that stands at a place of a text.
///
/// # Errors
/// What of it is no description of words.
pub(super) fn parse(text: &str, place: Span) -> Result<Parsed, Wrong> {
    if text.len() > LONGEST {
        let message = format!("the expression has {} bytes, more than {LONGEST}", text.len());
        return Err(wrong(message, place, "write a shorter one that describes the same words"));
    }
    let ast = ParserBuilder::new().nest_limit(DEEPEST).build().parse(text).map_err(|error| {
        let help = "expressions are made of symbols, `.`, `[ab]`, `|`, `*`, `+`, `?`, `{2,3}` and parentheses";
        wrong(format!("this is not a regular expression: {}", error.kind()), within(place, error.span()), help)
    })?;
    let mut symbols = BTreeSet::new();
    name(&ast, place, &mut symbols)?;
    Ok(Parsed { ast, span: place, symbols })
}

/// A place of an expression as a place of the text: expressions have no line breaks.
fn within(place: Span, span: &ast::Span) -> Span {
    Span {
        start: place.start + span.start.offset as u32,
        end: place.start + span.end.offset as u32,
        line: place.line,
        column: place.column + span.start.column as u32 - 1,
    }
}

/// Collects the symbols that an expression names, and refuses what is no word.
fn name(ast: &Ast, place: Span, symbols: &mut BTreeSet<char>) -> Result<(), Wrong> {
    let refuse = |what: &str, span: &ast::Span| {
        let help = "an expression describes whole words of letters and digits, by `a`, `.`, `[ab]`, `[^a]`, `(a|b)*`";
        Err(wrong(format!("{what} can't stand here"), within(place, span), help))
    };
    match ast {
        Ast::Empty(_) | Ast::Dot(_) => Ok(()),
        Ast::Literal(literal) => symbol(literal, place, symbols),
        Ast::ClassBracketed(class) => name_class(&class.kind, place, symbols),
        Ast::Repetition(repetition) => name(&repetition.ast, place, symbols),
        Ast::Group(group) => match &group.kind {
            ast::GroupKind::NonCapturing(flags) if !flags.items.is_empty() => refuse("a flag", &flags.span),
            _ => name(&group.ast, place, symbols),
        },
        Ast::Alternation(several) => several.asts.iter().try_for_each(|ast| name(ast, place, symbols)),
        Ast::Concat(several) => several.asts.iter().try_for_each(|ast| name(ast, place, symbols)),
        Ast::Flags(flags) => refuse("a flag", &flags.span),
        Ast::Assertion(assertion) => refuse("an assertion", &assertion.span),
        Ast::ClassUnicode(class) => refuse("a Unicode class", &class.span),
        Ast::ClassPerl(class) => refuse("a Perl class", &class.span),
    }
}

fn symbol(literal: &ast::Literal, place: Span, symbols: &mut BTreeSet<char>) -> Result<(), Wrong> {
    if !literal.c.is_alphanumeric() {
        let message = format!("`{}` is not a symbol", literal.c.escape_default());
        return Err(wrong(message, within(place, &literal.span), "a symbol is one letter or digit"));
    }
    symbols.insert(literal.c);
    Ok(())
}

fn name_class(set: &ClassSet, place: Span, symbols: &mut BTreeSet<char>) -> Result<(), Wrong> {
    let refuse = |what: &str, span: &ast::Span| {
        Err(wrong(format!("{what} can't stand here"), within(place, span), "`[ab]`, `[a-c]` and `[^a]` are classes"))
    };
    match set {
        ClassSet::BinaryOp(operation) => {
            name_class(&operation.lhs, place, symbols)?;
            name_class(&operation.rhs, place, symbols)
        }
        ClassSet::Item(item) => match item {
            ClassSetItem::Empty(_) => Ok(()),
            ClassSetItem::Literal(literal) => symbol(literal, place, symbols),
            ClassSetItem::Range(range) => {
                const LONGEST: u32 = 100;
                let (first, last) = (range.start.c, range.end.c);
                if u32::from(last) - u32::from(first) > LONGEST {
                    return refuse("a range of that many symbols", &range.span);
                }
                symbol(&range.start, place, symbols)?;
                symbol(&range.end, place, symbols)?;
                symbols.extend((first..=last).filter(|symbol| symbol.is_alphanumeric()));
                Ok(())
            }
            ClassSetItem::Bracketed(class) => name_class(&class.kind, place, symbols),
            ClassSetItem::Union(union) => {
                let mut items = union.items.iter();
                items.try_for_each(|item| name_class(&ClassSet::Item(item.clone()), place, symbols))
            }
            ClassSetItem::Ascii(class) => refuse("a named class", &class.span),
            ClassSetItem::Unicode(class) => refuse("a Unicode class", &class.span),
            ClassSetItem::Perl(class) => refuse("a Perl class", &class.span),
        },
    }
}

/// Whether a symbol belongs to a class.
fn is_in(set: &ClassSet, symbol: char) -> bool {
    match set {
        ClassSet::BinaryOp(operation) => {
            let (left, right) = (is_in(&operation.lhs, symbol), is_in(&operation.rhs, symbol));
            match operation.kind {
                ClassSetBinaryOpKind::Intersection => left && right,
                ClassSetBinaryOpKind::Difference => left && !right,
                ClassSetBinaryOpKind::SymmetricDifference => left != right,
            }
        }
        ClassSet::Item(item) => item_has(item, symbol),
    }
}

fn item_has(item: &ClassSetItem, symbol: char) -> bool {
    match item {
        ClassSetItem::Literal(literal) => literal.c == symbol,
        ClassSetItem::Range(range) => (range.start.c..=range.end.c).contains(&symbol),
        ClassSetItem::Bracketed(class) => is_in(&class.kind, symbol) != class.negated,
        ClassSetItem::Union(union) => union.items.iter().any(|item| item_has(item, symbol)),
        // `name_class` lets none of the others through.
        _ => false,
    }
}

/// A set of places, as bits.
type Places = [u64; MAX_PLACES / 64];

fn join(into: &mut Places, other: &Places) {
    into.iter_mut().zip(other).for_each(|(into, other)| *into |= other);
}

fn places(set: &Places) -> impl Iterator<Item = usize> {
    (0..MAX_PLACES).filter(|place| set[place / 64] >> (place % 64) & 1 == 1)
}

/// What is known of a part of an expression: whether it is the empty word, too, and at which places its words begin and end.
#[derive(Clone, Copy)]
struct Part {
    is_nullable: bool,
    first: Places,
    last: Places,
}

const EMPTY: Part = Part { is_nullable: true, first: [0; MAX_PLACES / 64], last: [0; MAX_PLACES / 64] };

/// The places of an expression.
struct Glushkov<'a> {
    alphabet: &'a [char],
    /// By place: the symbols that may stand there, as bits of the alphabet.
    symbols: Vec<u64>,
    /// By place: what may come behind it.
    follow: Vec<Places>,
    span: Span,
}

impl Glushkov<'_> {
    fn part(&mut self, ast: &Ast) -> Result<Part, Wrong> {
        match ast {
            Ast::Literal(literal) => self.place(|symbol| symbol == literal.c),
            Ast::Dot(_) => self.place(|_| true),
            Ast::ClassBracketed(class) => self.place(|symbol| is_in(&class.kind, symbol) != class.negated),
            Ast::Group(group) => self.part(&group.ast),
            Ast::Alternation(several) => {
                let mut whole = Part { is_nullable: false, ..EMPTY };
                for ast in &several.asts {
                    let part = self.part(ast)?;
                    whole.is_nullable |= part.is_nullable;
                    join(&mut whole.first, &part.first);
                    join(&mut whole.last, &part.last);
                }
                Ok(whole)
            }
            Ast::Concat(several) => {
                let mut whole = EMPTY;
                for ast in &several.asts {
                    let part = self.part(ast)?;
                    whole = self.behind(whole, part);
                }
                Ok(whole)
            }
            Ast::Repetition(repetition) => {
                let (least, most) = match &repetition.op.kind {
                    RepetitionKind::ZeroOrOne => (0, Some(1)),
                    RepetitionKind::ZeroOrMore => (0, None),
                    RepetitionKind::OneOrMore => (1, None),
                    RepetitionKind::Range(RepetitionRange::Exactly(count)) => (*count, Some(*count)),
                    RepetitionKind::Range(RepetitionRange::AtLeast(count)) => (*count, None),
                    RepetitionKind::Range(RepetitionRange::Bounded(least, most)) => (*least, Some(*most)),
                };
                self.repeated(&repetition.ast, least, most)
            }
            // `name` lets none of the others through.
            _ => Ok(EMPTY),
        }
    }

    /// A part so many times, written out; the last time as often as one likes if there is no most.
    fn repeated(&mut self, ast: &Ast, least: u32, most: Option<u32>) -> Result<Part, Wrong> {
        let mut whole = EMPTY;
        for round in 0..most.unwrap_or(least.max(1)) {
            let known = self.symbols.len();
            let mut part = self.part(ast)?;
            if most.is_none() && round + 1 == least.max(1) {
                places(&part.last).for_each(|last| join(&mut self.follow[last], &part.first));
            }
            part.is_nullable |= round >= least;
            whole = self.behind(whole, part);
            if self.symbols.len() == known {
                // Nothing repeated is nothing.
                break;
            }
        }
        Ok(whole)
    }

    fn place(&mut self, is_meant: impl Fn(char) -> bool) -> Result<Part, Wrong> {
        let place = self.symbols.len();
        if place == MAX_PLACES {
            let message =
                format!("with its repetitions written out, the expression has more than {MAX_PLACES} symbols");
            return Err(wrong(message, self.span, "repeat less"));
        }
        let symbols = self.alphabet.iter().enumerate().filter(|(_, symbol)| is_meant(**symbol));
        self.symbols.push(symbols.fold(0, |bits, (at, _)| bits | 1 << at));
        self.follow.push([0; MAX_PLACES / 64]);
        let mut own = [0; MAX_PLACES / 64];
        own[place / 64] |= 1 << (place % 64);
        Ok(Part { is_nullable: false, first: own, last: own })
    }

    /// One part behind the other.
    fn behind(&mut self, before: Part, behind: Part) -> Part {
        places(&before.last).for_each(|last| join(&mut self.follow[last], &behind.first));
        let mut whole = Part { is_nullable: before.is_nullable && behind.is_nullable, ..before };
        if before.is_nullable {
            join(&mut whole.first, &behind.first);
        }
        if behind.is_nullable {
            join(&mut whole.last, &behind.last);
        } else {
            whole.last = behind.last;
        }
        whole
    }
}

/// The smallest automaton of an expression over an alphabet of at most 64 symbols. Symbols lead nowhere where no word could come of it.
///
/// # Errors
/// The expression is too large; or somebody wants to stop.
pub(super) fn automaton(parsed: &Parsed, alphabet: &[char], budget: &mut Budget) -> Result<Automaton, Stopped> {
    let mut glushkov = Glushkov { alphabet, symbols: Vec::new(), follow: Vec::new(), span: parsed.span };
    let whole = glushkov.part(&parsed.ast)?;
    // Sets of places at which a word may stand; the first one stands for the beginning.
    let mut numbers: FxHashMap<(bool, Places), usize> = FxHashMap::default();
    let mut sets = vec![(true, EMPTY.first)];
    numbers.insert(sets[0], 0);
    let mut steps: Vec<Vec<Option<usize>>> = Vec::new();
    while let Some(&(is_first, set)) = sets.get(steps.len()) {
        let mut may_come = if is_first { whole.first } else { EMPTY.first };
        places(&set).for_each(|place| join(&mut may_come, &glushkov.follow[place]));
        let mut row = vec![None; alphabet.len()];
        for (at, to) in row.iter_mut().enumerate() {
            budget.count(MAX_PLACES as u64)?;
            let mut next = EMPTY.first;
            for place in places(&may_come).filter(|place| glushkov.symbols[*place] >> at & 1 == 1) {
                next[place / 64] |= 1 << (place % 64);
            }
            if next == EMPTY.first {
                continue;
            }
            let number = *numbers.entry((false, next)).or_insert_with(|| {
                sets.push((false, next));
                sets.len() - 1
            });
            *to = Some(number);
        }
        if sets.len() > MAX_SETS {
            let message = format!("the automaton of the expression has more than {MAX_SETS} states on the way");
            return Err(wrong(message, parsed.span, "describe fewer words, or give the automaton itself").into());
        }
        steps.push(row);
    }
    let is_accepting = |(is_first, set): &(bool, Places)| {
        *is_first && whole.is_nullable || places(set).any(|place| whole.last[place / 64] >> (place % 64) & 1 == 1)
    };
    let accepting: Vec<bool> = sets.iter().map(is_accepting).collect();
    smallest(alphabet, &steps, &accepting, budget)
}

/// An automaton whose states are told apart by words, and from each of which a word is accepted, but perhaps from the first.
fn smallest(
    alphabet: &[char],
    steps: &[Vec<Option<usize>>],
    accepting: &[bool],
    budget: &mut Budget,
) -> Result<Automaton, Stopped> {
    // What leads nowhere is a state as well, the last one, so that it is found to be like those that accept nothing any more.
    let nowhere = steps.len();
    let mut class: Vec<usize> = accepting.iter().map(|is| usize::from(*is)).chain([0]).collect();
    let mut count = 0;
    loop {
        let mut classes: FxHashMap<(usize, Vec<usize>), usize> = FxHashMap::default();
        let mut next = Vec::with_capacity(class.len());
        for state in 0..=nowhere {
            budget.count(1 + alphabet.len() as u64)?;
            let of = |to: &Option<usize>| class[to.unwrap_or(nowhere)];
            let row = steps
                .get(state)
                .map_or_else(|| vec![class[nowhere]; alphabet.len()], |row| row.iter().map(of).collect());
            let number = classes.len();
            next.push(*classes.entry((class[state], row)).or_insert(number));
        }
        class = next;
        if classes.len() == count {
            break;
        }
        count = classes.len();
    }
    // In the order in which they are met.
    let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
    let mut met = vec![0];
    numbers.insert(class[0], 0);
    let mut automaton = Automaton::default();
    while let Some(&state) = met.get(automaton.states) {
        if accepting[state] {
            automaton.accepting.push(automaton.states);
        }
        for (symbol, to) in alphabet.iter().zip(&steps[state]) {
            let Some(to) = to.filter(|to| class[*to] != class[nowhere]) else { continue };
            let number = *numbers.entry(class[to]).or_insert_with(|| {
                met.push(to);
                met.len() - 1
            });
            automaton.steps.push((automaton.states, *symbol, number));
        }
        automaton.states += 1;
    }
    Ok(automaton)
}
