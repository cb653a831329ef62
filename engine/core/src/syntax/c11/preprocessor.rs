//! The lines of a text in C that are for its preprocessor: standard headers, which have nothing that a test needs, and names for
//! values. Tokens take the place of tokens, at the places of the text. All other directives stay, and are said not to be supported.

use super::super::herd::{Kind, Token};
use rustc_hash::FxHashMap;

/// Headers whose names the dialect knows by itself.
const HEADERS: [&str; 19] = [
    "stdatomic.h",
    "stdint.h",
    "stdbool.h",
    "stddef.h",
    "stdlib.h",
    "stdio.h",
    "limits.h",
    "inttypes.h",
    "assert.h",
    "threads.h",
    "pthread.h",
    "atomic",
    "thread",
    "mutex",
    "cassert",
    "cstdint",
    "cstdlib",
    "cstdio",
    "iostream",
];

/// How many tokens a name may stand for, and how many names may stand for one another.
const MAX_TOKENS: usize = 64;
const MAX_DEPTH: u32 = 8;

/// The tokens without the directives that are understood, with what the defined names stand for.
pub(super) fn without_directives(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    if !tokens.iter().any(|token| token.is("#")) {
        return tokens;
    }
    let mut values: FxHashMap<&str, &[Token<'_>]> = FxHashMap::default();
    let mut out = Vec::with_capacity(tokens.len());
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        let begins = place == 0 || tokens[place - 1].span.line < token.span.line;
        if token.is("#") && begins {
            let same_line = |other: &&Token<'_>| other.span.line == token.span.line && other.kind != Kind::End;
            let line = &tokens[place + 1..];
            let line = &line[..line.iter().take_while(same_line).count()];
            if understood(line, &mut values) == Some(true) {
                place += 1 + line.len();
                continue;
            }
        }
        match expanded(*token, &values, 0) {
            Some(value) => out.extend(value.into_iter().map(|part| Token { span: token.span, ..part })),
            None => out.push(*token),
        }
        place += 1;
    }
    out
}

/// Whether a directive, without its mark, is understood. A name that it defines stands for the rest of the line from then on.
fn understood<'a, 't>(line: &'a [Token<'t>], values: &mut FxHashMap<&'t str, &'a [Token<'t>]>) -> Option<bool> {
    let (directive, rest) = line.split_first()?;
    match directive.text {
        "include" => {
            let [open, name @ .., close] = rest else { return None };
            let is_quoted = (open.is("<") && close.is(">")) || (open.is("\"") && close.is("\""));
            let name: String = name.iter().map(|part| part.text).collect();
            Some(is_quoted && HEADERS.contains(&name.as_str()))
        }
        "define" => {
            let (name, value) = rest.split_first()?;
            // With parameters, the parenthesis stands right behind the name.
            let has_parameters = value.first().is_some_and(|next| next.is("(") && next.span.start == name.span.end);
            let fits = name.kind == Kind::Word && !has_parameters && (1..=MAX_TOKENS).contains(&value.len());
            if fits {
                values.insert(name.text, value);
            }
            Some(fits)
        }
        "undef" => {
            let [name] = rest else { return None };
            values.remove(name.text);
            Some(true)
        }
        _ => None,
    }
}

/// What a defined name stands for; nothing if it is none, or stands for too much.
fn expanded<'t>(token: Token<'t>, values: &FxHashMap<&'t str, &[Token<'t>]>, depth: u32) -> Option<Vec<Token<'t>>> {
    let value = values.get(token.text).filter(|_| token.kind == Kind::Word && depth < MAX_DEPTH)?;
    let mut out = Vec::new();
    for &part in value.iter() {
        match expanded(part, values, depth + 1).filter(|_| part.text != token.text) {
            Some(inner) => out.extend(inner),
            None => out.push(part),
        }
        if out.len() > MAX_TOKENS {
            return None;
        }
    }
    Some(out)
}
