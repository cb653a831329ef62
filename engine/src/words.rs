//! English for sentences: what messages, reports and the page write in the same way.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end_with_and() {
        assert_eq!(list::<&str>([]), "");
        assert_eq!(list(["a"]), "a");
        assert_eq!(list(["a", "b"]), "a and b");
        assert_eq!(list(["a".to_owned(), "b".to_owned(), "c".to_owned()]), "a, b and c");
    }
}
