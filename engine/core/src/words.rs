//! English for sentences: what messages, reports and the page write in the same way.

use std::borrow::Cow;

/// How much a text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The answer, and its reasons in a line each.
    Brief,
    /// What they rest on, too: graphs, or the steps of a closure.
    Full,
}

/// Names as a list in a sentence: `a, b and c`; the empty text if there are none.
pub fn list<T: Into<String>>(names: impl IntoIterator<Item = T>) -> String {
    joined(&names.into_iter().map(Into::into).collect::<Vec<String>>())
}

fn joined(names: &[String]) -> String {
    match names {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        _ => names.concat(),
    }
}

/// A number with commas between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number that is not known exactly, with two digits that mean something: `40,000`, `3.6 million`.
pub fn about(number: f64) -> String {
    let (scaled, unit) = match number.max(0.0) {
        n if n < 1000.0 => return format!("{}", n.round()),
        n if n < 999_500.0 => return grouped(two_digits(n)),
        n if n < 999.5e6 => (n / 1e6, " million"),
        n if n < 999.5e9 => (n / 1e9, " billion"),
        n if n < 999.5e12 => (n / 1e12, " trillion"),
        n => return format!("{n:.0e}"),
    };
    if scaled < 9.95 { format!("{scaled:.1}{unit}") } else { format!("{scaled:.0}{unit}") }
}

fn two_digits(number: f64) -> u64 {
    let mut unit = 1.0;
    while number / unit >= 100.0 {
        unit *= 10.0;
    }
    ((number / unit).round() * unit).round() as u64
}

/// A number of things: `1 execution`, `1,200 executions`.
pub fn count(number: u64, noun: &str) -> String {
    format!("{} {}", grouped(number), plural(number, noun))
}

/// The same with a word for one: `one execution`, `1,200 executions`.
pub fn count_in_words(number: u64, noun: &str) -> String {
    if number == 1 { format!("one {noun}") } else { count(number, noun) }
}

/// A noun as it stands behind a number.
pub fn plural(number: u64, noun: &str) -> String {
    by_number(number, noun.to_owned(), format!("{noun}{}", if noun.ends_with("ch") { "es" } else { "s" }))
}

/// What is right for one thing, or for another number of them: `was`, `were`.
pub fn by_number<T>(number: u64, one: T, many: T) -> T {
    if number == 1 { one } else { many }
}

/// A text as a sentence begins, with a capital letter.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether a character could make a terminal, or a line of text, show something else than what is there: control characters but for the
/// ends of lines and tabulators, and those that turn the direction of writing.
pub fn is_harmful(sign: char) -> bool {
    sign.is_control() && !matches!(sign, '\n' | '\t')
        || matches!(sign, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text as a terminal may have it: with a replacement character for each that is harmful, and ends of lines of one kind.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").replace(is_harmful, "\u{fffd}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_drives_a_terminal() {
        assert!(matches!(harmless("é → 3\t4\n"), Cow::Borrowed(_)));
        let text = "a\u{1b}[2J\r\nb\rc\u{9b}1m\u{202e}d\u{7f}\u{0}";
        assert_eq!(harmless(text), "a\u{fffd}[2J\nb\u{fffd}c\u{fffd}1m\u{fffd}d\u{fffd}\u{fffd}");
    }

    #[test]
    fn lists_end_with_and() {
        assert_eq!(list::<&str>([]), "");
        assert_eq!(list(["a"]), "a");
        assert_eq!(list(["a", "b"]), "a and b");
        assert_eq!(list(["a".to_owned(), "b".to_owned(), "c".to_owned()]), "a, b and c");
    }

    #[test]
    fn sentences_begin_with_a_capital() {
        assert_eq!(["", "a", "x is", "état"].map(capitalised), ["", "A", "X is", "État"]);
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn numbers_say_no_more_than_is_known() {
        assert_eq!(about(-1.0), "0");
        assert_eq!(about(12.3), "12");
        assert_eq!(about(40_320.0), "40,000");
        assert_eq!(about(3_628_800.0), "3.6 million");
        assert_eq!(about(99_900_000.0), "100 million");
        assert_eq!(about(9.99e9), "10 billion");
        assert_eq!(about(1.3e12), "1.3 trillion");
        assert_eq!(about(2.1e16), "2e16");
    }

    #[test]
    fn nouns_agree_with_their_numbers() {
        assert_eq!([0, 1, 1200].map(|n| count(n, "execution")), ["0 executions", "1 execution", "1,200 executions"]);
        assert_eq!([1, 2].map(|n| count_in_words(n, "context switch")), ["one context switch", "2 context switches"]);
        assert_eq!([1, 2].map(|n| by_number(n, "is", "are")), ["is", "are"]);
    }
}
