//! Recordings as texts.

use super::log::{Action, Entry, Object, Recording};
use std::fmt::{self, Display, Write as _};

impl<V: Display> Display for Recording<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gap = if self.name.is_empty() { "" } else { " " };
        writeln!(f, "history{gap}{} {}", self.name, self.object.name())?;
        if let Some(initial) = &self.initial {
            f.write_str("init ")?;
            word(f, initial)?;
            f.write_char('\n')?;
        }
        let mut lines = Vec::with_capacity(self.len());
        for (thread, entries) in self.logs.iter().enumerate() {
            // A thread does nothing behind what has not returned: who goes on has another name.
            let mut life = 1;
            for entry in entries {
                let is_pending = entry.ret.is_none();
                if !is_pending || !entry.action.is_query() {
                    lines.push((thread + 1, life, entry));
                    life += usize::from(is_pending);
                }
            }
        }
        // Stable: times of a clock may be equal.
        lines.sort_by_key(|(.., entry)| entry.call);
        for (thread, life, entry) in lines {
            write!(f, "T{thread}")?;
            if life > 1 {
                write!(f, ".{life}")?;
            }
            f.write_str(": ")?;
            operation(f, self.object, entry)?;
            write!(f, " [{},", entry.call)?;
            match entry.ret {
                Some(ret) => writeln!(f, "{ret}]")?,
                None => f.write_str("?]\n")?,
            }
        }
        Ok(())
    }
}

/// An operation without its thread and its times: `push 1`, `pop empty`, `add 3 false`.
fn operation<V: Display>(f: &mut fmt::Formatter<'_>, object: Object, entry: &Entry<V>) -> fmt::Result {
    let (insert, remove) = match object {
        Object::Stack => ("push", "pop"),
        Object::Queue => ("enq", "deq"),
        Object::PriorityQueue => ("insert", "delete-min"),
        Object::Set | Object::Multiset | Object::Register | Object::Counter => ("add", "remove"),
    };
    let has_returned = entry.ret.is_some();
    let values: [Option<&V>; 2];
    let name = match &entry.action {
        Action::Insert(value) | Action::Add(value, _) => {
            values = [Some(value), None];
            insert
        }
        Action::Remove(value) => {
            values = [value.as_ref(), None];
            remove
        }
        Action::RemoveValue(value, _) => {
            values = [Some(value), None];
            "remove"
        }
        Action::Contains(value, _) => {
            values = [Some(value), None];
            "contains"
        }
        Action::Read(value) => {
            values = [value.as_ref(), None];
            "read"
        }
        Action::Write(value) => {
            values = [Some(value), None];
            "write"
        }
        Action::CompareAndSet(expected, new, _) => {
            values = [Some(expected), Some(new)];
            "cas"
        }
        Action::Increase(by) => return write!(f, "inc {by}"),
        Action::Total(total) => return write!(f, "read {total}"),
    };
    f.write_str(name)?;
    for value in values.into_iter().flatten() {
        f.write_char(' ')?;
        word(f, value)?;
    }
    match entry.action {
        _ if !has_returned => Ok(()),
        Action::Remove(None) => f.write_str(" empty"),
        // What had an effect needs no word for it.
        Action::Add(_, true) | Action::RemoveValue(_, true) => Ok(()),
        Action::Add(_, answer)
        | Action::RemoveValue(_, answer)
        | Action::Contains(_, answer)
        | Action::CompareAndSet(.., answer) => write!(f, " {answer}"),
        _ => Ok(()),
    }
}

/// A value as one word: in quotes, unless it is sure to be read as this value without them.
fn word(f: &mut fmt::Formatter<'_>, value: &impl Display) -> fmt::Result {
    let name = value.to_string();
    if is_plain(&name) || is_numbered(&name) {
        return f.write_str(&name);
    }
    f.write_char('"')?;
    for letter in name.chars() {
        match letter {
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            '"' | '\\' => write!(f, "\\{letter}")?,
            _ => f.write_char(letter)?,
        }
    }
    f.write_char('"')
}

/// Whether a name is letters, digits and what stands in numbers, and no word that says something else than a value.
fn is_plain(name: &str) -> bool {
    const WORDS: [&str; 9] = ["empty", "nil", "null", "none", "true", "false", "ok", "void", "unit"];
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_');
    let goes_on = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
    begins && goes_on && !name.ends_with('-') && !WORDS.iter().any(|word| name.eq_ignore_ascii_case(word))
}

/// Whether it is a pair of a plain name and a number: `(a,1)`.
fn is_numbered(name: &str) -> bool {
    let inner = name.strip_prefix('(').and_then(|name| name.strip_suffix(')'));
    inner.and_then(|inner| inner.split_once(',')).is_some_and(|(value, number)| {
        is_plain(value) && !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}
