//! Our own notation, that of the weak-memory papers.
//!
//! A text is read in this order: it is cut into tokens; declarations are read from its start; the rest is cut into
//! threads at `||`, and into what stands behind them; the names of the threads are found to be shared or registers; and
//! then only are the threads parsed.

mod lexer;
mod names;
mod parser;
mod printer;
#[cfg(test)]
mod tests;

pub(super) use lexer::{Kind, Token, tokens};
pub(super) use names::{Meaning, Names, is_of_post};
pub use parser::may_have_objects;
pub(super) use parser::{LateReader, is_mode, is_of_choice, is_read_late, is_return, thread_index};
pub(super) use printer::print;

use super::{Diagnostic, Parsed, Severity, TokenClass};
use crate::program::{
    Expression, Mailbox, Message, Notation, Program, Span, Statement, StatementKind, Thread, ThreadKind,
};
use crate::sort;
use parser::{
    AFTER, Declarations, MAX_DIAGNOSTICS, Parser, START, await_reader, check, check_use, is_part, premise, structures,
};
use rustc_hash::FxHashSet;

/// A text's sections, and what its names stand for.
pub(super) struct Outline {
    /// What stands before the threads.
    declarations: Declarations,
    /// The tokens of the threads, each list with an end.
    threads: Vec<Vec<Token>>,
    /// The tokens of what runs behind all threads, with an end.
    after: Option<Vec<Token>>,
    /// The tokens behind the threads, with an end.
    footer: Vec<Token>,
    /// What the names stand for.
    pub names: Names,
}

impl Outline {
    /// The tokens of each thread, message and method, each list with an end, and the index of the thread: of a method, that under which
    /// names are asked about it.
    pub(super) fn sections(&self) -> Vec<(usize, &[Token])> {
        let mut sections =
            names::sections(&self.threads, &self.declarations, &self.names.handlers, self.after.as_deref());
        let methods = self.names.structures.bodies().enumerate();
        sections.extend(methods.map(|(at, body)| (self.names.threads.len() + at, body)));
        sections
    }

    /// What the word at a place is, if it belongs to the declaration of a handler, a message or what is posted at the start.
    pub(super) fn class_at(&self, start: u32) -> Option<TokenClass> {
        let classes = &self.declarations.classes;
        classes.binary_search_by_key(&start, |(start, _)| *start).ok().map(|at| classes[at].1)
    }
}

/// Cuts a text into sections and finds out what its names stand for. Broken text has an outline too.
pub(super) fn outline(source: &str, diagnostics: &mut Vec<Diagnostic>) -> Outline {
    let tokens: Vec<Token> = lexer::tokens(source).into_iter().filter(|token| token.kind != Kind::Comment).collect();
    let none = Names::default();
    let mut parser = Parser::new(source, tokens.clone(), 0, &none, diagnostics);
    let mut declarations = parser.declarations();
    let body = parser.position();
    let starts_footer = |at: usize| {
        let word =
            |at: usize, words: &[&str]| tokens.get(at).is_some_and(|token| words.iter().any(|word| token.is(word)));
        word(at, &["exists", "forall", "filter", "locations"]) || (word(at, &["~", "not"]) && word(at + 1, &["exists"]))
    };
    let after = find_after(source, &tokens, body);
    let end = (body..tokens.len() - 1).find(|at| starts_footer(*at) || Some(*at) == after).unwrap_or(tokens.len() - 1);
    let nothing = tokens[body..end].iter().all(|token| token.kind == Kind::Newline);
    let threads = if nothing && !declarations.handlers.is_empty() && !has_empty_line(&tokens[..body]) {
        Vec::new()
    } else {
        threads(&tokens[body..end], tokens[end], diagnostics)
    };
    let mut behind = end;
    let after = after.filter(|at| *at == end).map(|at| {
        let (inner, next) = block_behind(&tokens, at, diagnostics);
        behind = next;
        declarations.classes.push((tokens[at].span.start, TokenClass::Keyword));
        inner
    });
    // Line ends mean nothing behind the threads.
    let footer: Vec<Token> = tokens[behind..].iter().filter(|token| token.kind != Kind::Newline).copied().collect();
    let names = names::decide(source, &mut declarations, &threads, after.as_deref(), &footer, diagnostics);
    // Many warnings about names must not keep errors from being reported.
    sort::by_key(diagnostics, |diagnostic| diagnostic.severity != Severity::Error);
    diagnostics.truncate(MAX_DIAGNOSTICS);
    Outline { declarations, threads, after, footer, names }
}

/// Where what runs behind all threads begins: at the first `after` with a block that is no part of a statement.
fn find_after(source: &str, tokens: &[Token], from: usize) -> Option<usize> {
    let mut depth = 0u32;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        let before = at.checked_sub(1).map(|before| tokens[before]);
        let starts =
            at == from || before.is_some_and(|before| before.kind == Kind::Newline || before.is(";") || before.is("}"));
        if depth == 0 && starts && is_part(tokens, at, source, "after") {
            return Some(at);
        }
        depth = if token.is("{") { depth + 1 } else { depth.saturating_sub(u32::from(token.is("}"))) };
    }
    None
}

/// The tokens in the block behind a word, with an end, and where what follows the block begins.
fn block_behind(tokens: &[Token], word: usize, diagnostics: &mut Vec<Diagnostic>) -> (Vec<Token>, usize) {
    let last = tokens.len() - 1;
    let open = (word..last).find(|at| tokens[*at].is("{")).unwrap_or(last);
    let mut depth = 0u32;
    let close = (open..last).find(|at| {
        depth = if tokens[*at].is("{") { depth + 1 } else { depth - u32::from(tokens[*at].is("}")) };
        depth == 0
    });
    if close.is_none() {
        diagnostics.push(Diagnostic::error("this `{` is not closed", tokens[open].span).with_help("write the `}`"));
    }
    let close = close.unwrap_or(last);
    let mut inner = tokens[(open + 1).min(close)..close].to_vec();
    inner.push(Token { kind: Kind::End, span: tokens[close].span });
    (inner, (close + 1).min(last))
}

/// Whether declarations end with a line that begins with `;`. Where there are handlers, it stands for a thread that does
/// nothing: without it there is no thread.
fn has_empty_line(declarations: &[Token]) -> bool {
    let separates = |token: &Token| token.kind == Kind::Newline || token.is(";");
    let behind = declarations.iter().rposition(|token| !separates(token)).map_or(0, |at| at + 1);
    declarations[behind..].windows(2).any(|pair| pair[0].kind == Kind::Newline && pair[1].is(";"))
}

/// Cuts the tokens between declarations and footer at `||`. Where each line has the same number of `||`, they are columns
/// of a table, as on a slide; cells may be empty but in the first row.
fn threads(body: &[Token], end: Token, diagnostics: &mut Vec<Diagnostic>) -> Vec<Vec<Token>> {
    let lines: Vec<&[Token]> =
        body.split(|token| token.kind == Kind::Newline).filter(|line| !line.is_empty()).collect();
    let separators = |line: &[Token]| line.iter().filter(|token| token.is("||")).count();
    let columns = lines.first().map_or(0, |line| separators(line));
    let full = |line: &[Token]| line.split(|token| token.is("||")).all(|cell| !cell.is_empty());
    let row = |line: &&[Token]| separators(line) == columns && line.len() > columns;
    let table = columns > 0 && lines.len() > 1 && full(lines[0]) && lines.iter().all(row);
    let end_at = |token: Token| Token { kind: Kind::End, span: token.span };
    if !table {
        let mut threads = vec![Vec::new()];
        let mut last = 0;
        for token in body {
            if token.is("||") {
                threads[last].push(end_at(*token));
                threads.push(Vec::new());
                last += 1;
            } else {
                threads[last].push(*token);
            }
        }
        threads[last].push(end_at(end));
        return threads;
    }
    let first = lines[0][0].span;
    let message = format!("the lines are read as rows of a table with {} threads", columns + 1);
    let help = "each line has the same number of `||`; to separate whole threads instead, put a `||` on a line of \
                its own";
    diagnostics.push(Diagnostic::note(message, first).with_help(help));
    let mut threads = vec![Vec::new(); columns + 1];
    for line in lines {
        let mut column = 0;
        for token in line {
            if token.is("||") {
                // A cell ends like a line.
                threads[column].push(Token { kind: Kind::Newline, span: token.span });
                column += 1;
            } else {
                threads[column].push(*token);
            }
        }
        let last = line[line.len() - 1].span;
        threads[column].push(Token { kind: Kind::Newline, span: Span { start: last.end, ..last } });
    }
    for thread in &mut threads {
        thread.push(end_at(end));
    }
    threads
}

/// Reads a program.
pub(super) fn parse(source: &str) -> Result<Parsed, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    if let Some(diagnostic) = foreign_header(source) {
        return Err(vec![diagnostic]);
    }
    let outline = outline(source, &mut diagnostics);
    let mut program = Program { notation: Notation::Litmoscope, ..Program::default() };
    let names = &outline.names;
    // Names that were too many have been reported, and the threads that use them too.
    let complete = names.plain == outline.threads.len() && !has_errors(&diagnostics);
    let with_registers = |at: usize| {
        let registers = &names.threads[at];
        Thread { registers: registers.names.clone(), initial: registers.initial.clone(), ..Thread::default() }
    };
    for (at, tokens) in outline.threads.into_iter().enumerate().take(names.plain) {
        let body = Parser::new(source, tokens, at, names, &mut diagnostics).thread();
        program.threads.push(Thread { body, ..with_registers(at) });
    }
    let mut declarations = outline.declarations;
    for (at, handler) in names.handlers.list.iter().enumerate() {
        let thread = names.plain + at;
        let mut messages = Vec::new();
        for message in &handler.messages {
            let tokens = std::mem::take(&mut declarations.messages[message.declaration].body);
            messages.push(Message {
                name: message.name.clone(),
                parameter: message.parameter.as_ref().and_then(|name| names.threads[thread].get(name)),
                body: Parser::new(source, tokens, thread, names, &mut diagnostics).thread(),
                span: message.span,
            });
        }
        let kind = ThreadKind::Handler { mailbox: handler.mailbox, messages, span: handler.span };
        program.threads.push(Thread { kind, name: Some(handler.name.clone()), ..with_registers(thread) });
    }
    program.structures = structures(source, names, &mut diagnostics);
    if !names.handlers.initial.is_empty() {
        let post = |post: &parser::Initial| {
            let value = post.value.map(Expression::Constant);
            let kind = StatementKind::Post { handler: post.handler, message: post.message, value };
            Statement { kind, span: post.span }
        };
        let body = names.handlers.initial.iter().map(post).collect();
        let name = Some(START.to_owned());
        program.threads.push(Thread { kind: ThreadKind::Start, name, body, ..Thread::default() });
    }
    if let Some((thread, tokens)) = names.after.zip(outline.after) {
        let body = Parser::new(source, tokens, thread, names, &mut diagnostics).thread();
        let name = Some(AFTER.to_owned());
        program.threads.push(Thread { kind: ThreadKind::After, name, body, ..with_registers(thread) });
    }
    if let Some((thread, before)) = names.before.zip(declarations.before.take()) {
        let body = Parser::new(source, before.body, thread, names, &mut diagnostics).thread();
        program.before = Some(Thread { body, ..with_registers(thread) });
    }
    program.premise = premise(source, &mut declarations, names, &mut diagnostics);
    let empty = lexer::tokens(source).iter().all(|t| matches!(t.kind, Kind::Newline | Kind::Comment | Kind::End));
    if empty {
        let start = Span { start: 0, end: 0, line: 1, column: 1 };
        let help = "write threads separated by `||`: `x := 1; a := y || y := 1; b := x`";
        return Err(vec![Diagnostic::error("there is no program", start).with_help(help)]);
    }
    // Without all threads' statements, names might be missing that the footer speaks of.
    let footer = Parser::new(source, outline.footer, 0, names, &mut diagnostics).footer();
    program.name = declarations.name;
    program.model = declarations.model;
    program.objects.clone_from(&names.objects);
    program.observed = footer.observed;
    program.filter = footer.filter;
    program.condition = footer.condition;
    if complete && !has_errors(&diagnostics) {
        check(&program, &mut diagnostics);
    }
    if complete && !has_errors(&diagnostics) {
        let mut posted = FxHashSet::default();
        program.threads.iter().flat_map(Thread::bodies).for_each(|body| posts(body, &mut posted));
        check_use(&names.handlers, |handler, message| posted.contains(&(handler, message)), &mut diagnostics);
        sort::by_key(&mut diagnostics, |diagnostic| diagnostic.span.start);
        diagnostics.truncate(MAX_DIAGNOSTICS);
        return Ok(Parsed { program, notes: diagnostics });
    }
    // What was inferred from broken text, and what follows from an error at the same place, is of no help.
    diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
    sort::by_key(&mut diagnostics, |diagnostic| diagnostic.span.start);
    diagnostics.dedup_by_key(|diagnostic| diagnostic.span.start);
    diagnostics.truncate(MAX_DIAGNOSTICS);
    await_reader(source, &mut diagnostics);
    if let Some(language) = foreign(source)
        && let Some(first) = diagnostics.first_mut()
    {
        first.help = Some(language.to_owned());
        diagnostics.truncate(1);
    }
    Err(diagnostics)
}

/// What statements post, by handler and message.
fn posts(statements: &[Statement], into: &mut FxHashSet<(u16, u16)>) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Post { handler, message, .. } => {
                into.insert((*handler, *message));
            }
            StatementKind::If { then, otherwise, .. } => {
                posts(then, into);
                posts(otherwise, into);
            }
            StatementKind::While { body, .. } | StatementKind::Repeat { body, .. } | StatementKind::Atomic(body) => {
                posts(body, into)
            }
            _ => {}
        }
    }
}

/// The text of a program with this mailbox for every handler, and nothing else changed; `None` if it is no program with handlers.
pub(super) fn with_mailboxes(source: &str, mailbox: Mailbox) -> Option<String> {
    let program = parse(source).ok()?.program;
    let tokens = lexer::tokens(source);
    let mut text = String::with_capacity(source.len());
    let mut copied = 0;
    for thread in &program.threads {
        let ThreadKind::Handler { span, .. } = &thread.kind else { continue };
        let is_behind = |token: &&Token| token.span.start >= span.end && token.kind == Kind::Name;
        let keyword = tokens.iter().find(is_behind)?.span;
        text += source.get(copied..keyword.start as usize)?;
        text += mailbox.keyword();
        copied = keyword.end as usize;
    }
    text += source.get(copied..)?;
    program.has_handlers().then_some(text)
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// A first line of herd's that names an architecture that is not read.
fn foreign_header(source: &str) -> Option<Diagnostic> {
    const OTHERS: &[&str] =
        &["AArch64", "ARM", "PPC", "RISCV", "MIPS", "LISA", "JAVA", "ASL", "BPF", "Bell", "CPP", "C++", "LK"];
    let token = lexer::tokens(source).into_iter().find(|token| token.kind != Kind::Newline)?;
    let (architecture, _) = super::header(source)?;
    let known = OTHERS.iter().any(|other| other.eq_ignore_ascii_case(architecture));
    known.then(|| {
        Diagnostic::error(format!("programs for {architecture} are not supported"), token.span)
            .with_help("the notations are C, X86, X86_64 and Litmoscope's own")
    })
}

/// What a text that is no program seems to be instead.
fn foreign(source: &str) -> Option<&'static str> {
    let has = |words: &[&str]| words.iter().any(|word| source.contains(word));
    if has(&["atomic_", "memory_order", "atomic<", "int *", "int* ", "void ", "#include"]) {
        return Some("this looks like C: a program in herd's C starts with a line `C name`");
    }
    if has(&["MOV ", "mov ", "movl ", "movq ", "MFENCE", "XCHG "]) {
        return Some("this looks like assembly: herd's programs start with a line `X86 name` or `X86_64 name`");
    }
    None
}
