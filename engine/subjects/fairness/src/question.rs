//! Questions as texts: `P0 at 5..7 for ever`.
//!
//! ```text
//! question = claim ("for ever" | "again and again" | "finitely often")
//! claim    = "not" claim | claim "and" claim | claim "or" claim | "(" claim ")"
//!          | thread "at" line [".." line] | thread "can" "move" | variable ("=" | "!=") value
//! ```
//!
//! `not` binds tightest, `or` least. Threads and variables are called as in the program: `P0`, `count`, `q[1]`, `P0:a`.

use crate::program::{Claim, Question};
use litmoscope_core::program::system::{System, Variable};

/// What is wrong with a question, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QuestionError {
    /// What, and what to write instead.
    pub message: String,
    /// The column of the question in which it is, from 1.
    pub column: usize,
}

/// How deep claims are in each other at most.
const DEPTH: u32 = 64;

struct Reader<'t> {
    system: &'t System,
    /// Each word and sign, with its column.
    words: Vec<(usize, &'t str)>,
    at: usize,
    /// The column behind the text.
    end: usize,
    depth: u32,
}

fn words(text: &str) -> Vec<(usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || "_:[]$-".contains(c);
    let (mut words, mut rest, mut column) = (Vec::new(), text, 1);
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("..") || rest.starts_with("!=") {
            2
        } else {
            first.len_utf8()
        };
        let (word, behind) = rest.split_at(length);
        if !first.is_whitespace() {
            words.push((column, word));
        }
        column += word.chars().count();
        rest = behind;
    }
    words
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.words.get(self.at).map(|(_, word)| *word)
    }

    fn is_next(&self, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(at, word)| self.words.get(self.at + at).is_some_and(|(_, found)| found == word))
    }

    fn take(&mut self, words: &[&str]) -> bool {
        let is_next = self.is_next(words);
        self.at += if is_next { words.len() } else { 0 };
        is_next
    }

    fn wrong<T>(&self, at: usize, message: impl Into<String>) -> Result<T, QuestionError> {
        let column = self.words.get(at).map_or(self.end, |(column, _)| *column);
        Err(QuestionError { message: message.into(), column })
    }

    fn number<N: std::str::FromStr>(&mut self, what: &str) -> Result<N, QuestionError> {
        match self.peek().and_then(|word| word.parse().ok()) {
            Some(number) => {
                self.at += 1;
                Ok(number)
            }
            None => self.wrong(self.at, format!("{what} is missing here")),
        }
    }

    fn question(&mut self) -> Result<Question, QuestionError> {
        let claim = self.either()?;
        let question: fn(Claim) -> Question = if self.take(&["for", "ever"]) {
            Question::ForEver
        } else if self.take(&["again", "and", "again"]) {
            Question::AgainAndAgain
        } else if self.take(&["finitely", "often"]) {
            Question::FinitelyOften
        } else {
            return self.wrong(self.at, "a question ends with `for ever`, `again and again` or `finitely often`");
        };
        match self.peek() {
            Some(word) => self.wrong(self.at, format!("the question is over before `{word}`")),
            None => Ok(question(claim)),
        }
    }

    fn either(&mut self) -> Result<Claim, QuestionError> {
        let mut claims = vec![self.both()?];
        while self.take(&["or"]) {
            claims.push(self.both()?);
        }
        Ok(if claims.len() == 1 { claims.remove(0) } else { Claim::Any(claims) })
    }

    fn both(&mut self) -> Result<Claim, QuestionError> {
        let mut claims = vec![self.one()?];
        while self.take(&["and"]) {
            claims.push(self.one()?);
        }
        Ok(if claims.len() == 1 { claims.remove(0) } else { Claim::All(claims) })
    }

    fn one(&mut self) -> Result<Claim, QuestionError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return self.wrong(self.at, format!("claims are up to {DEPTH} deep in each other"));
        }
        let claim = if self.take(&["not"]) {
            Claim::Not(Box::new(self.one()?))
        } else if self.take(&["("]) {
            let claim = self.either()?;
            if !self.take(&[")"]) {
                return self.wrong(self.at, "`)` is missing here");
            }
            claim
        } else {
            self.atom()?
        };
        self.depth -= 1;
        Ok(claim)
    }

    fn atom(&mut self) -> Result<Claim, QuestionError> {
        let at = self.at;
        let Some(name) = self.peek() else {
            return self.wrong(at, "something that may be so is missing here, such as `P0 at 3` or `x = 1`");
        };
        self.at += 1;
        let threads = &self.system.threads;
        if self.is_next(&["at"]) || self.is_next(&["can"]) {
            let Some(thread) = threads.iter().position(|thread| thread.name == name) else {
                let names: Vec<String> = threads.iter().map(|thread| format!("`{}`", thread.name)).collect();
                return self.wrong(at, format!("there is no thread `{name}`: there are {}", names.join(", ")));
            };
            if self.take(&["can", "move"]) {
                return Ok(Claim::Enabled(thread as u16));
            }
            if !self.take(&["at"]) {
                return self.wrong(self.at, "a thread is `at` a line, or it `can move`");
            }
            let first: u32 = self.number("the number of a line")?;
            let last = if self.take(&[".."]) { self.number("the number of the last line")? } else { first };
            if last < first {
                return self.wrong(self.at - 1, format!("the lines end before they begin: write `{last}..{first}`"));
            }
            return Ok(Claim::At(thread as u16, first..=last));
        }
        let Some(variable) = self.system.names.iter().position(|known| known == name) else {
            let names: Vec<String> = self.system.names.iter().take(12).map(|name| format!("`{name}`")).collect();
            return self.wrong(at, format!("there is no variable `{name}`: there are {}", names.join(", ")));
        };
        let differs = self.take(&["!="]);
        if !differs && !self.take(&["="]) {
            return self.wrong(self.at, format!("`{name}` is `=` or `!=` some value"));
        }
        let claim = Claim::Has(Variable(variable as u32), self.number("a value")?);
        Ok(if differs { Claim::Not(Box::new(claim)) } else { claim })
    }
}

/// Reads a question about a program.
///
/// # Errors
/// What is wrong with it, and in which column.
pub fn parse_question(system: &System, text: &str) -> Result<Question, QuestionError> {
    let end = text.chars().count() + 1;
    Reader { system, words: words(text), at: 0, end, depth: 0 }.question()
}

#[cfg(test)]
mod tests {
    use super::*;
    use litmoscope_core::program::Code;
    use litmoscope_core::syntax::parse;

    fn system() -> System {
        let text = "shared x, q[2]\nwhile 1 { x := 1; a := q[1]; q[0] := a }\n||\nwhile 1 { x := 0 }";
        let program = parse(text).expect("a program").program;
        System::of(&program, &Code::compile(&program).expect("code")).expect("a system")
    }

    #[test]
    fn questions_are_read() {
        let system = system();
        let read = |text| parse_question(&system, text);
        assert_eq!(read("P0 at 2..5 for ever"), Ok(Question::ForEver(Claim::At(0, 2..=5))));
        assert_eq!(read("P1 can move finitely often"), Ok(Question::FinitelyOften(Claim::Enabled(1))));
        let x = |value| Claim::Has(Variable(0), value);
        let second = Claim::Has(Variable(2), 3);
        let both = Claim::All(vec![Claim::Not(Box::new(x(1))), Claim::Not(Box::new(second))]);
        assert_eq!(
            read("x = -1 or not x = 1 and q[1] != 3 again and again"),
            Ok(Question::AgainAndAgain(Claim::Any(vec![x(-1), both])))
        );
        let inner = Claim::Any(vec![x(0), Claim::At(1, 4..=4)]);
        assert_eq!(read("not (x = 0 or P1 at 4) for ever"), Ok(Question::ForEver(Claim::Not(Box::new(inner)))));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_column() {
        let system = system();
        for (text, column, message) in [
            ("", 1, "something that may be so is missing here"),
            ("P0 at 2", 8, "a question ends with `for ever`, `again and again` or `finitely often`"),
            ("P2 at 2 for ever", 1, "there is no thread `P2`: there are `P0`, `P1`"),
            ("P0 at for ever", 7, "the number of a line is missing here"),
            ("P0 at 5..2 for ever", 10, "the lines end before they begin: write `2..5`"),
            ("y = 1 for ever", 1, "there is no variable `y`: there are `x`, `q[0]`, `q[1]`"),
            ("x for ever", 3, "`x` is `=` or `!=` some value"),
            ("x = z for ever", 5, "a value is missing here"),
            ("(x = 1 for ever", 8, "`)` is missing here"),
            ("x = 1 for ever and ever", 16, "the question is over before `and`"),
            ("P0 can wait for ever", 4, "a thread is `at` a line, or it `can move`"),
        ] {
            let wrong = parse_question(&system, text).expect_err(text);
            assert_eq!(wrong.column, column, "{text}: {}", wrong.message);
            assert!(wrong.message.starts_with(message), "{text}: {}", wrong.message);
        }
        let deep = format!("{}x = 1 for ever", "not ".repeat(1000));
        assert!(parse_question(&system, &deep).expect_err("it is deep").message.contains("up to 64 deep"));
    }
}
