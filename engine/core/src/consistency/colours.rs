//! Classes of the tokens of an abstract execution, for an editor.

use super::text::{MODES, SIGNS};
use crate::syntax::{Token, TokenClass, TokenKind};
use std::ops::Range;

/// The classes of an abstract execution's tokens as byte ranges, in order, without overlaps. Broken text has classes too; a text
/// that is too long to be read has none.
pub fn highlight_execution(text: &str) -> Vec<(Range<usize>, TokenClass)> {
    SIGNS.colours(text, "execution", |tokens, at| class(text, tokens, at))
}

fn class(text: &str, tokens: &[Token], at: usize) -> Option<TokenClass> {
    let symbol = |at: Option<usize>| match at.and_then(|at| tokens.get(at)).map(|token| token.kind) {
        Some(TokenKind::Symbol(symbol)) => symbol,
        _ => "",
    };
    let word = |at: usize| &text[tokens[at].range()];
    let before = at.checked_sub(1);
    Some(match tokens[at].kind {
        TokenKind::Newline | TokenKind::End => return None,
        TokenKind::Unknown => TokenClass::Unknown,
        TokenKind::Symbol("<-" | "|") => TokenClass::Separator,
        TokenKind::Symbol(_) => TokenClass::Operator,
        // The number of an event in its thread.
        TokenKind::Number if symbol(before) == "." => TokenClass::Label,
        TokenKind::Number => TokenClass::Number,
        TokenKind::Name => {
            let is_mode = MODES.iter().any(|mode| mode.keyword() == word(at));
            let behind = before.map_or("", word);
            let begins_line = before.is_none_or(|before| tokens[before].kind == TokenKind::Newline);
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
