//! The colours of a program's text.

use litmoscope::syntax::TokenClass;

/// The class of a token's colour.
pub fn token_class(class: TokenClass) -> &'static str {
    match class {
        TokenClass::Keyword => "tok-keyword",
        TokenClass::Shared => "tok-shared",
        TokenClass::Register => "tok-register",
        TokenClass::Number => "tok-number",
        TokenClass::Operator => "tok-operator",
        TokenClass::Comment => "tok-comment",
        TokenClass::Mode => "tok-mode",
        TokenClass::Separator => "tok-separator",
        TokenClass::Label => "tok-label",
        TokenClass::Unknown => "tok-unknown",
    }
}
