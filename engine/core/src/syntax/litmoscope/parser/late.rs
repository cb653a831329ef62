//! Ways to what reads and writes what few programs have: concurrent objects, `before`, and what is chosen. Natively it is there. The page
//! loads it with the first text that has one of them.

use super::objects::{self, Structures};
use super::{ASSUMING, ATOMIC, BEFORE, Choices, Declarations, IN, INPUT, Parse, Parser, RANDOM, choices};
use crate::program::{Object, Premise, Program, RegisterId, Span, Statement, StatementKind, Structure, Value};
use crate::syntax::Diagnostic;
use crate::syntax::dialects;
use crate::syntax::litmoscope::lexer::{Token, quoted};
use crate::syntax::litmoscope::names::{Names, Summary, note_assumed_names};
use crate::syntax::litmoscope::printer::{self, Print, Printer};
use rustc_hash::FxHashMap;

type NoteAssumed = for<'t> fn(&'t str, &'t Choices, &Names, &mut FxHashMap<&'t str, usize>, &mut Vec<Summary<'t>>);
type ReadPremise = fn(&str, Choices, &[(String, Span)], &Names, &mut Vec<Diagnostic>) -> Option<Box<Premise>>;

/// What reads and writes concurrent objects, their calls, `before`, inputs, `assuming` and `atomic`.
#[derive(Clone, Copy)]
pub(crate) struct LateReader {
    declaration: for<'a> fn(&mut Parser<'a>, &mut Declarations) -> Option<Parse<()>>,
    initial: for<'a> fn(&mut Parser<'a>, &mut Declarations, &str, u32) -> Option<Parse<Value>>,
    range: for<'a> fn(&mut Parser<'a>, &mut Declarations, &str) -> Option<Parse<()>>,
    statement: for<'a> fn(&mut Parser<'a>) -> Option<Parse<Statement>>,
    value: for<'a> fn(&mut Parser<'a>, RegisterId) -> Option<Parse<StatementKind>>,
    misplaced: for<'a> fn(&Parser<'a>) -> Option<&'static str>,
    is_of_choice: fn(&[Token], usize, &str) -> bool,
    unassigned: fn(&str, Span) -> Option<Diagnostic>,
    assumed: NoteAssumed,
    premise: ReadPremise,
    declared: fn(&str, &mut Declarations, &mut Vec<Diagnostic>) -> Structures,
    registers: fn(&mut Names, &str, &mut Vec<Diagnostic>),
    structures: fn(&str, &Names, &mut Vec<Diagnostic>) -> Vec<Structure>,
    check: fn(&Program, &mut Vec<Diagnostic>),
    print_premise: fn(&Program, &mut String) -> Print<()>,
    print_declaration: fn(&Program, &Object, &str) -> Print<Option<String>>,
    print_statement: for<'a> fn(&mut Printer<'a>, &Statement, usize) -> Print<()>,
}

impl LateReader {
    /// All of it. Who names this has it.
    pub(crate) const fn load() -> Self {
        Self {
            declaration: |parser, declarations| {
                if parser.is_word("object") {
                    Some(parser.object(declarations))
                } else if parser.starts_part(BEFORE) {
                    Some(parser.before(declarations))
                } else {
                    parser.starts_assuming().then(|| parser.assuming(declarations))
                }
            },
            initial: |parser, declarations, name, offset| parser.initial_input(declarations, name, offset),
            range: |parser, declarations, name| parser.declared_range(declarations, name),
            statement: |parser| {
                if parser.returns_here() {
                    return Some(parser.return_statement());
                }
                if parser.calls_here() {
                    let start = parser.peek().span;
                    let call = parser.method_call(None);
                    return Some(call.map(|kind| Statement { kind, span: super::join(start, parser.last) }));
                }
                parser.chooses().then(|| parser.atomic())
            },
            value: |parser, register| {
                if parser.chooses() {
                    let input = parser.input();
                    return Some(input.map(|input| StatementKind::Input { register, input: Box::new(input) }));
                }
                parser.calls_here().then(|| parser.method_call(Some(register)))
            },
            misplaced: |parser| parser.misplaced_input(),
            is_of_choice: choices::is_of_choice,
            unassigned: choices::unassigned,
            assumed: note_assumed_names,
            premise: choices::premise,
            declared: Structures::new,
            registers: Structures::add_registers,
            structures: objects::structures,
            check: objects::check,
            print_premise: printer::print_premise,
            print_declaration: printer::print_declaration,
            print_statement: printer::print_statement,
        }
    }
}

/// Whether a word is somewhere in a text, with what fits before and behind it.
fn has(text: &str, word: &str, fits: fn(&str, &str) -> bool) -> bool {
    text.match_indices(word).any(|(at, _)| fits(&text[..at], &text[at + word.len()..]))
}

/// Whether a text may have concurrent objects or `before`, as far as its words tell: `object` with something behind it, `before` with a
/// brace or a comment.
pub fn may_have_objects(text: &str) -> bool {
    has(text, "object", |_, rest| rest.starts_with(|c: char| c.is_whitespace() || c == '"'))
        || has(text, BEFORE, |_, rest| opens(rest))
}

/// Whether a text may have what is read late, as far as its words tell: objects, `atomic` as `before`, `input` behind what values stand
/// behind or in front of values, `random` as it, `in` in front of values, `assuming` in front of a condition.
pub(crate) fn is_read_late(text: &str) -> bool {
    may_have_objects(text)
        || has(text, ATOMIC, |_, rest| opens(rest))
        || [INPUT, RANDOM].iter().any(|word| {
            has(text, word, |before, rest| {
                before.trim_end().ends_with(['=', '≔', '←', '{', ',']) || starts_values(rest)
            })
        })
        || has(text, IN, |before, rest| before.ends_with(char::is_whitespace) && starts_values(rest))
        || has(text, ASSUMING, |_, rest| {
            let condition = rest.trim_start();
            let name = |c: char| c.is_alphanumeric() || c == '_';
            condition.len() < rest.len() && condition.starts_with(name)
                || condition.starts_with(['`', '(', '!', '¬', '-', '−', '*'])
        })
}

/// Whether values may stand here.
fn starts_values(rest: &str) -> bool {
    rest.trim_start().starts_with(|c: char| c.is_ascii_digit() || "{-−".contains(c))
}

/// Whether a block may begin here, behind comments.
fn opens(rest: &str) -> bool {
    rest.trim_start().starts_with(['{', '/', '#', '('])
}

/// Says of a text that is no program that what reads it is not there yet, if it is not.
pub(crate) fn await_reader(source: &str, diagnostics: &mut Vec<Diagnostic>) {
    if dialects::late().is_none() && is_read_late(source) {
        diagnostics.truncate(1);
        diagnostics.iter_mut().for_each(|first| *first = dialects::awaited(first.span));
    }
}

impl Parser<'_> {
    /// `object s: stack { ... }`, `before { ... }`, `assuming x = y`; `None` if there is nothing like it.
    pub(super) fn some_declaration(&mut self, declarations: &mut Declarations) -> Option<Parse<()>> {
        (dialects::late()?.declaration)(self, declarations)
    }

    /// An initial value: a number, an address, or an input, whose first value it is.
    pub(super) fn declared_value(&mut self, declarations: &mut Declarations, name: &str, at: u32) -> Parse<Value> {
        let input = dialects::late().and_then(|reader| (reader.initial)(self, declarations, name, at));
        input.unwrap_or_else(|| self.constant())
    }

    /// The range of something shared: `in 0..3`; `None` if there is nothing like it.
    pub(super) fn some_range(&mut self, declarations: &mut Declarations, name: &str) -> Option<Parse<()>> {
        (dialects::late()?.range)(self, declarations, name)
    }

    /// `s.push(1)`, `return`, `atomic { ... }`; `None` if there is nothing like it.
    pub(super) fn some_statement(&mut self) -> Option<Parse<Statement>> {
        match dialects::late() {
            Some(reader) => (reader.statement)(self),
            None => self.calls_here().then(|| self.no_object()),
        }
    }

    /// What goes to a register: `s.push(1)`, `input 0..3`; `None` if there is nothing like it.
    pub(super) fn some_value(&mut self, register: RegisterId) -> Option<Parse<StatementKind>> {
        match dialects::late() {
            Some(reader) => (reader.value)(self, register),
            None => self.calls_here().then(|| self.no_object()),
        }
    }

    /// No text that waits for what reads calls declares an object.
    fn no_object<T>(&mut self) -> Parse<T> {
        let (name, span) = self.name("the name of an object", "")?;
        let help = format!("declare it before the threads: `object {}: stack {{ ... }}`", quoted(&name));
        self.fail(Diagnostic::error(format!("there is no object `{name}`"), span).with_help(help))
    }

    /// Says more of what is there in place of a number.
    pub(super) fn explained(&self, diagnostic: Diagnostic) -> Diagnostic {
        match dialects::late().and_then(|reader| (reader.misplaced)(self)) {
            Some(help) => diagnostic.with_help(help),
            None => diagnostic,
        }
    }
}

/// Whether a token is the word `atomic`, `input` or `random`, and no variable.
pub(crate) fn is_of_choice(tokens: &[Token], at: usize, source: &str) -> bool {
    dialects::late().is_some_and(|reader| (reader.is_of_choice)(tokens, at, source))
}

/// What is wrong with a name that nothing is assigned to, if it is the word for inputs.
pub(crate) fn unassigned(name: &str, span: Span) -> Option<Diagnostic> {
    (dialects::late()?.unassigned)(name, span)
}

/// Notes that what is named in what is assumed at the start is shared.
pub(crate) fn note_assumed<'t>(
    source: &'t str,
    choices: &'t Choices,
    names: &Names,
    index: &mut FxHashMap<&'t str, usize>,
    summaries: &mut Vec<Summary<'t>>,
) {
    if let Some(reader) = dialects::late() {
        (reader.assumed)(source, choices, names, index, summaries);
    }
}

/// What is chosen at the start, and what is assumed of it.
pub(crate) fn premise(
    source: &str,
    declarations: &mut Declarations,
    names: &Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Box<Premise>> {
    let choices = declarations.choices.take()?;
    (dialects::late()?.premise)(source, *choices, &declarations.addresses, names, diagnostics)
}

/// The objects that are declared.
pub(crate) fn declared(source: &str, declarations: &mut Declarations, diagnostics: &mut Vec<Diagnostic>) -> Structures {
    match dialects::late().filter(|_| !declarations.structures.is_empty()) {
        Some(reader) => (reader.declared)(source, declarations, diagnostics),
        None => Structures::none(declarations.incomplete),
    }
}

/// Adds registers to the methods of all objects.
pub(crate) fn add_registers(names: &mut Names, source: &str, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(reader) = dialects::late().filter(|_| !names.structures.is_empty()) {
        (reader.registers)(names, source, diagnostics);
    }
}

/// Reads the methods of all objects.
pub(crate) fn structures(source: &str, names: &Names, diagnostics: &mut Vec<Diagnostic>) -> Vec<Structure> {
    match dialects::late().filter(|_| !names.structures.is_empty()) {
        Some(reader) => (reader.structures)(source, names, diagnostics),
        None => Vec::new(),
    }
}

/// Says what is wrong with methods that could be read.
pub(crate) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(reader) = dialects::late().filter(|_| !program.structures.is_empty()) {
        (reader.check)(program, diagnostics);
    }
}

/// What writes what few programs have.
fn writer() -> Print<&'static LateReader> {
    dialects::late().map_or_else(|| printer::unprintable("what writes such programs is still being loaded"), Ok)
}

/// What is assumed at the start.
pub(crate) fn late_premise(program: &Program, text: &mut String) -> Print<()> {
    (writer()?.print_premise)(program, text)
}

/// The declaration of something whose name is written so, if initial values are inputs.
pub(crate) fn late_declaration(program: &Program, object: &Object, written: &str) -> Print<Option<String>> {
    (writer()?.print_declaration)(program, object, written)
}

/// `a := input 0..3`, `atomic { ... }`
pub(crate) fn late_statement(printer: &mut Printer<'_>, statement: &Statement, indent: usize) -> Print<()> {
    (writer()?.print_statement)(printer, statement, indent)
}
