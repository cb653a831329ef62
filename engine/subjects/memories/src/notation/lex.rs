//! The signs of texts about protocols.

use crate::syntax::{Cursor, Numbers, Signs, TokenKind, Wrong};

/// Its signs. A name may have primes.
pub(super) const SIGNS: Signs = Signs {
    symbols: &[
        ("->", "->"),
        (":=", ":="),
        ("!=", "!="),
        ("<=", "<="),
        (">=", ">="),
        ("..", ".."),
        ("(", "("),
        (")", ")"),
        ("[", "["),
        ("]", "]"),
        ("{", "{"),
        ("}", "}"),
        (",", ","),
        (";", ";"),
        (":", ":"),
        ("=", "="),
        ("<", "<"),
        (">", ">"),
        ("+", "+"),
        ("-", "-"),
        ("*", "*"),
        ("!", "!"),
        ("|", "|"),
        (".", "."),
        ("/", "/"),
    ],
    in_names: |c| c.is_alphanumeric() || matches!(c, '_' | '\''),
    numbers: Numbers::Whole,
};

/// The end of a line or of the text, or a brace that closes.
pub(super) fn end_of_line(cursor: &mut Cursor<'_>, help: &str) -> Result<(), Wrong> {
    if cursor.take(";") || cursor.is_end() || cursor.is_symbol("}") {
        return Ok(());
    }
    if cursor.token().kind != TokenKind::Newline {
        return cursor.expected("the end of the line", help);
    }
    cursor.skip_newlines();
    Ok(())
}
