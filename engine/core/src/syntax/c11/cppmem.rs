//! CppMem's programs, in herd's frame: what courses paste.
//!
//! ```text
//! int main() {
//!   int x = 0; atomic_int y = 0;
//!   {{{ { x = 1; y.store(1, memory_order_release); }
//!   ||| { r1 = y.load(memory_order_acquire).readsvalue(1); r2 = x; }
//!   }}}
//!   return 0;
//! }
//! ```
//!
//! Tokens take the place of tokens, at the places of the text: what `main` declares is shared, and each thread has it as references. What
//! a thread assigns without a declaration is a variable of its own. `readsvalue` is an assumption about what was read.
//!
//! Source of the notation: the input of the tool of Batty, Owens, Sarkar, Sewell and Weber, "Mathematizing C++ Concurrency" (POPL 2011).

use super::super::Diagnostic;
use super::super::herd::{Kind, Token};
use super::{MAX_THREADS, is_type};
use crate::program::Span;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// Names of threads, and of what `readsvalue` looks at where nothing else is named.
static THREADS: LazyLock<Vec<String>> =
    LazyLock::new(|| (0..=MAX_THREADS).map(|number| format!("P{number}")).collect());
static VALUES: LazyLock<Vec<String>> = LazyLock::new(|| (1..=64).map(|number| format!("value_{number}")).collect());

/// Whether a text is such a program, by its beginning. Linear in the length of its comments.
pub(crate) fn is_one(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        rest = if rest.starts_with("//") || rest.starts_with('#') {
            rest.split_once('\n').map_or("", |(_, rest)| rest)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, rest)| rest)
        } else {
            break;
        }
        .trim_start();
    }
    rest.strip_prefix("int ").is_some_and(|rest| rest.trim_start().starts_with("main"))
}

type Wrong = Box<Diagnostic>;

fn wrong<T>(message: impl Into<String>, span: Span, help: &str) -> Result<T, Wrong> {
    Err(Box::new(Diagnostic::error(message.into(), span).with_help(help)))
}

/// The tokens of such a program as those of a text in herd's frame, from the initial values on.
///
/// # Errors
/// What is not as it has to be.
pub(super) fn in_frame<'t>(tokens: &[Token<'t>]) -> Result<Vec<Token<'t>>, Wrong> {
    const FRAME: &str = "such as `int main() { atomic_int x = 0; {{{ x.store(1); ||| r1 = x.load(); }}} return 0; }`";
    let end = tokens[tokens.len() - 1];
    let adjacent = |at: usize, text: &str, count: usize| {
        let all = tokens.get(at..at + count).unwrap_or_default();
        all.len() == count
            && all.iter().all(|token| token.is(text))
            && all.windows(2).all(|two| two[0].span.end == two[1].span.start)
    };
    let bars = |at: usize| {
        let two = tokens.get(at..at + 2).unwrap_or_default();
        matches!(two, [a, b] if a.is("||") && b.is("|") && a.span.end == b.span.start)
    };
    let main = ["int", "main", "(", ")", "{"];
    if let Some((at, expected)) =
        main.iter().enumerate().find(|(at, text)| !tokens.get(*at).is_some_and(|t| t.is(text)))
    {
        let span = tokens.get(at).unwrap_or(&end).span;
        return wrong(format!("expected `{expected}` of `int main() {{`"), span, FRAME);
    }
    let Some(open) = (main.len()..tokens.len()).find(|at| adjacent(*at, "{", 3)) else {
        return wrong("there are no threads between `{{{` and `}}}`", end.span, FRAME);
    };
    let shared = declarations(&tokens[main.len()..open])?;
    let mut out = initial_values(&shared, tokens[open]);
    let (mut at, mut depth, mut start, mut number) = (open + 3, 0_u32, open + 3, 0);
    loop {
        let token = tokens.get(at).copied().unwrap_or(end);
        if token.kind == Kind::End {
            return wrong("the threads do not end", tokens[open].span, "close them with `}}}`");
        }
        let is_last = depth == 0 && adjacent(at, "}", 3);
        if is_last || depth == 0 && bars(at) {
            if number >= MAX_THREADS {
                return wrong(format!("more than {MAX_THREADS} threads"), token.span, FRAME);
            }
            thread(&tokens[start..at], number, &shared, token, &mut out)?;
            (at, number) = (at + if is_last { 3 } else { 2 }, number + 1);
            start = at;
            if is_last {
                break;
            }
            continue;
        }
        depth += u32::from(token.is("{"));
        depth = depth.saturating_sub(u32::from(token.is("}")));
        at += 1;
    }
    let mut rest: &[Token<'_>] = &tokens[at..tokens.len() - 1];
    if let [first, value, semicolon, more @ ..] = rest
        && first.is("return")
        && value.kind == Kind::Number
        && semicolon.is(";")
    {
        rest = more;
    }
    match rest {
        [close] if close.is("}") => {}
        [close, more, ..] if close.is("}") => {
            return wrong("nothing can come behind `main`", more.span, FRAME);
        }
        rest => {
            let span = rest.first().unwrap_or(&end).span;
            return wrong("behind the threads, only `return 0; }` can come", span, FRAME);
        }
    }
    out.push(end);
    Ok(out)
}

/// Something shared.
struct Shared<'t> {
    kind: Vec<Token<'t>>,
    name: Token<'t>,
    value: Vec<Token<'t>>,
}

/// What `main` declares in front of the threads.
fn declarations<'t>(tokens: &[Token<'t>]) -> Result<Vec<Shared<'t>>, Wrong> {
    const HELP: &str = "declare what is shared, such as `atomic_int x = 0;`";
    let mut all: Vec<Shared<'t>> = Vec::new();
    for statement in tokens.split(|token| token.is(";")).filter(|statement| !statement.is_empty()) {
        let is_kind = |token: &&Token<'_>| token.kind == Kind::Word && (is_type(token.text) || token.is("mutex"));
        let length = statement.iter().take_while(is_kind).count();
        let (kind, names) = statement.split_at(length);
        if kind.is_empty() || names.is_empty() {
            return wrong("expected a type and the name of something shared", statement[0].span, HELP);
        }
        for declared in names.split(|token| token.is(",")) {
            let (name, value) = match declared {
                [name] => (name, &[][..]),
                [name, equals, value @ ..] if equals.is("=") && !value.is_empty() => (name, value),
                _ => return wrong("expected a name, perhaps with its value", kind[kind.len() - 1].span, HELP),
            };
            if name.kind != Kind::Word {
                return wrong("expected the name of something shared", name.span, HELP);
            }
            let mutex = |token: &Token<'t>| if token.is("mutex") { Token { text: "mtx_t", ..*token } } else { *token };
            all.push(Shared { kind: kind.iter().map(mutex).collect(), name: *name, value: value.to_vec() });
        }
    }
    Ok(all)
}

fn symbol<'t>(text: &'static str, at: Token<'t>) -> Token<'t> {
    Token { kind: Kind::Symbol, text, span: at.span }
}

/// `{ x = 0; y = 1; }`
fn initial_values<'t>(shared: &[Shared<'t>], open: Token<'t>) -> Vec<Token<'t>> {
    let mut out = vec![symbol("{", open)];
    for one in shared.iter().filter(|one| !one.value.is_empty()) {
        out.extend([one.name, symbol("=", one.name)]);
        out.extend(&one.value);
        out.push(symbol(";", one.name));
    }
    out.push(symbol("}", open));
    out
}

/// `P0 (atomic_int& x) { int r1; ... }`
fn thread<'t>(
    body: &[Token<'t>],
    number: usize,
    shared: &[Shared<'t>],
    end: Token<'t>,
    out: &mut Vec<Token<'t>>,
) -> Result<(), Wrong> {
    let first = body.first().copied().unwrap_or(end);
    out.extend([Token { kind: Kind::Word, text: &THREADS[number], span: first.span }, symbol("(", first)]);
    for (at, one) in shared.iter().enumerate() {
        if at > 0 {
            out.push(symbol(",", first));
        }
        out.extend(&one.kind);
        out.extend([symbol("&", first), one.name]);
    }
    out.extend([symbol(")", first), symbol("{", first)]);
    let body = with_assumptions(body)?;
    for name in own_names(&body, shared) {
        out.extend([Token { kind: Kind::Word, text: "int", span: name.span }, name, symbol(";", name)]);
    }
    out.extend(body);
    out.push(symbol("}", end));
    Ok(())
}

/// What is assigned, is not shared, and is declared nowhere, at its first assignment.
fn own_names<'t>(body: &[Token<'t>], shared: &[Shared<'t>]) -> Vec<Token<'t>> {
    let mut known: FxHashSet<&str> = shared.iter().map(|one| one.name.text).collect();
    let mut own = Vec::new();
    for (at, token) in body.iter().enumerate().filter(|(_, token)| token.kind == Kind::Word) {
        let before = at.checked_sub(1).map(|before| body[before]);
        let is_declared = before.is_some_and(|before| is_type(before.text) || before.is("*"));
        let begins = before.is_none_or(|before| [";", "{", "}", ")"].iter().any(|text| before.is(text)));
        let is_assigned = begins && body.get(at + 1).is_some_and(|next| next.is("="));
        if is_declared {
            known.insert(token.text);
        } else if is_assigned && !is_type(token.text) && known.insert(token.text) {
            own.push(*token);
        }
    }
    own
}

/// With an assumption behind each statement that says what its read has to read.
fn with_assumptions<'t>(body: &[Token<'t>]) -> Result<Vec<Token<'t>>, Wrong> {
    const HELP: &str = "such as `r1 = x.load(memory_order_acquire).readsvalue(1);`";
    let mut out: Vec<Token<'t>> = Vec::with_capacity(body.len());
    let (mut begin, mut at, mut made) = (0, 0, 0);
    while let Some(token) = body.get(at) {
        let is_claim = token.is(".") && body.get(at + 1).is_some_and(|name| name.is("readsvalue"));
        if !is_claim {
            out.push(*token);
            at += 1;
            if [";", "{", "}"].iter().any(|text| token.is(text)) {
                begin = out.len();
            }
            continue;
        }
        let name = body[at + 1];
        let value = match body.get(at + 2..) {
            Some([open, value, close, end, ..]) if open.is("(") && close.is(")") && end.is(";") => vec![*value],
            Some([open, minus, value, close, end, ..])
                if open.is("(") && minus.is("-") && close.is(")") && end.is(";") =>
            {
                vec![*minus, *value]
            }
            _ => return wrong("`readsvalue` has one value and ends its statement", name.span, HELP),
        };
        at += 4 + value.len();
        let register = match out.get(begin..) {
            Some([register, equals, ..]) if register.kind == Kind::Word && equals.is("=") => *register,
            Some([kind, register, equals, ..]) if is_type(kind.text) && equals.is("=") => *register,
            _ => {
                let Some(text) = VALUES.get(made) else {
                    return wrong("too many reads without a variable", name.span, "assign each to a variable");
                };
                made += 1;
                let register = Token { kind: Kind::Word, text, span: name.span };
                out.splice(begin..begin, [register, symbol("=", name)]);
                register
            }
        };
        let word = |text: &'static str| Token { kind: Kind::Word, text, span: name.span };
        out.extend([symbol(";", name), word("assume"), symbol("(", name), register, symbol("==", name)]);
        out.extend(value);
        out.push(symbol(")", name));
    }
    Ok(out)
}
