//! Classes of the tokens of an abstract execution, for an editor.

use super::text::{Kind, MODES, Token, tokens};
use crate::syntax::{MAX_SOURCE, TokenClass};
use std::ops::Range;

/// The classes of an abstract execution's tokens as byte ranges, in order, without overlaps. Broken text has classes too; a text
/// that is too long to be read has none.
pub fn highlight_execution(text: &str) -> Vec<(Range<usize>, TokenClass)> {
    if text.len() > MAX_SOURCE {
        return Vec::new();
    }
    let tokens = tokens(text);
    let mut classes = Vec::new();
    let mut end = 0;
    // Where the line is a title, what is left of it.
    let mut title: Option<usize> = None;
    for (at, token) in tokens.iter().enumerate() {
        let range = token.span.start as usize..token.span.end as usize;
        if matches!(token.kind, Kind::Newline | Kind::End)
            && let Some(from) = title.take()
        {
            push(&mut classes, text, from..range.start, TokenClass::Label);
            end = range.start;
        }
        // Comments are no tokens: they are all that stands between two of them.
        if title.is_none() {
            push(&mut classes, text, end..range.start, TokenClass::Comment);
        }
        end = range.end;
        if title.is_some() {
            continue;
        }
        if let Some(class) = class(text, &tokens, at) {
            classes.push((range.clone(), class));
            let begins_line = at == 0 || tokens[at - 1].kind == Kind::Newline;
            title = (begins_line && &text[range.clone()] == "execution" && class == TokenClass::Keyword)
                .then_some(range.end);
        }
    }
    classes
}

/// A range without the blanks around it, if anything is left.
fn push(classes: &mut Vec<(Range<usize>, TokenClass)>, text: &str, range: Range<usize>, class: TokenClass) {
    let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let piece = &text[range.clone()];
    let start = range.end - piece.trim_start_matches(is_blank).len();
    let end = start + text[start..range.end].trim_end_matches(is_blank).len();
    if start < end {
        classes.push((start..end, class));
    }
}

fn class(text: &str, tokens: &[Token], at: usize) -> Option<TokenClass> {
    let symbol = |at: Option<usize>| match at.and_then(|at| tokens.get(at)).map(|token| token.kind) {
        Some(Kind::Symbol(symbol)) => symbol,
        _ => "",
    };
    let word = |at: usize| &text[tokens[at].span.start as usize..tokens[at].span.end as usize];
    let before = at.checked_sub(1);
    Some(match tokens[at].kind {
        Kind::Newline | Kind::End => return None,
        Kind::Unknown => TokenClass::Unknown,
        Kind::Symbol("<-" | "|") => TokenClass::Separator,
        Kind::Symbol(_) => TokenClass::Operator,
        // The number of an event in its thread.
        Kind::Number if symbol(before) == "." => TokenClass::Label,
        Kind::Number => TokenClass::Number,
        Kind::Name => {
            let is_mode = MODES.iter().any(|mode| mode.keyword() == word(at));
            let behind = before.map_or("", word);
            let begins_line = before.is_none_or(|before| tokens[before].kind == Kind::Newline);
            let begins_event = begins_line || matches!(symbol(before), ":" | ";" | "{") || behind == "buffered";
            match word(at) {
                _ if symbol(before) == "." || is_mode && matches!(behind, "fence" | "f" | "F") => TokenClass::Mode,
                _ if symbol(Some(at + 1)) == ":" && symbol(Some(at + 2)) != "=" => TokenClass::Label,
                "execution" | "init" | "root" | "order" if begins_line => TokenClass::Keyword,
                "w" | "W" | "r" | "R" | "u" | "U" | "rmw" | "fence" | "f" | "F" | "buffered" if begins_event => {
                    TokenClass::Keyword
                }
                "init" => TokenClass::Keyword,
                _ if matches!(symbol(before), "<-" | "|" | "<") || symbol(Some(at + 1)) == "." => TokenClass::Label,
                _ if matches!(behind, "root" | "order") => TokenClass::Label,
                _ => TokenClass::Shared,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_has_its_colour() {
        let text = "execution SB, // of old\ninit x = 1 # all\nroot T1\nT1: w.rel x -1; fence acq\n\
                    T2: r y 0 <- init | T1.1; { r x ?; w y 2 }; buffered u x 0 1\norder T1.1 < T2.1, $\n";
        let classes = highlight_execution(text);
        let of = |class| -> Vec<&str> {
            classes.iter().filter(|(_, other)| *other == class).map(|(range, _)| &text[range.clone()]).collect()
        };
        assert_eq!(
            of(TokenClass::Keyword),
            ["execution", "init", "root", "w", "fence", "r", "init", "r", "w", "buffered", "u", "order"]
        );
        assert_eq!(of(TokenClass::Label)[..4], ["SB, // of old", "T1", "T1", "T2"]);
        assert_eq!(of(TokenClass::Label)[4..], ["T1", "1", "T1", "1", "T2", "1"]);
        assert_eq!(of(TokenClass::Shared), ["x", "x", "y", "x", "y", "x"]);
        assert_eq!(of(TokenClass::Number), ["1", "-1", "0", "2", "0", "1"]);
        assert_eq!(of(TokenClass::Mode), ["rel", "acq"]);
        assert_eq!(of(TokenClass::Comment), ["# all"]);
        assert_eq!(of(TokenClass::Separator), ["<-", "|"]);
        assert_eq!(of(TokenClass::Unknown), ["$"]);
    }
}
