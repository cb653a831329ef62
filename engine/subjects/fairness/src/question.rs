//! Questions as texts: `P0 at 5..7 for ever`.
//!
//! ```text
//! question = claim ("for ever" | "again and again" | "finitely often") | claim "->" claim
//! claim    = "not" claim | claim "and" claim | claim "or" claim | "(" claim ")" | "all" | "none" | label
//!          | thread ("at" place [".." place] | "can" "move" | "moves" | "has" "ended") | variable ("=" | "!=") value
//! ```
//!
//! A place is a line, or a line and a column: `4:3`. `not` binds tightest, `or` least. `a -> b` says that if a is so again and again, b is. Threads and variables are called as in the
//! program: `P0`, `count`, `q[1]`, `P0:a`; what empties buffers in quotes: `"buffer of P0"`. Labels of a graph may be in quotes. `all` is
//! always so, and `none` never.

use crate::labelled::Labelled;
use crate::program::{Claim, Question};
use litmoscope_core::program::system::{PointId, PointKind, System, Variable};

/// What is wrong with a question, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QuestionError {
    /// What, and what to write instead.
    pub message: String,
    /// The line in which it is, from 1.
    pub line: usize,
    /// The column in which it is, from 1.
    pub column: usize,
    /// How many characters are wrong: those of a word; 0 where something is missing at the end.
    pub length: usize,
}

/// How deep claims are in each other at most.
const DEPTH: u32 = 64;

/// What questions may speak of.
#[derive(Clone, Copy, Debug)]
pub enum Vocabulary<'t> {
    /// The threads and variables of a program.
    Program(&'t System),
    /// The labels of a graph.
    Graph(&'t Labelled),
}

struct Reader<'t> {
    vocabulary: Vocabulary<'t>,
    line: usize,
    /// Each word and sign, with its column.
    words: Vec<(usize, &'t str)>,
    at: usize,
    /// The column behind the text.
    end: usize,
    depth: u32,
}

fn words(text: &str) -> Vec<(usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || "_:[]$".contains(c);
    let (mut words, mut rest, mut column) = (Vec::new(), text, 1);
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' {
            rest[1..].find('"').map_or(rest.len(), |end| end + 2)
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if ["..", "!=", "->"].iter().any(|sign| rest.starts_with(sign)) {
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
        let found = self.words.get(at).map(|(column, word)| (*column, word.chars().count()));
        let (column, length) = found.unwrap_or((self.end, 0));
        Err(QuestionError { message: message.into(), line: self.line, column, length })
    }

    fn number<N: std::str::FromStr>(&mut self, what: &str) -> Result<N, QuestionError> {
        let sign = if self.is_next(&["-"]) { 1 } else { 0 };
        let number = self.words.get(self.at + sign).map(|(_, word)| format!("{}{word}", &"-"[..sign]));
        match number.and_then(|word| word.parse().ok()) {
            Some(number) => {
                self.at += sign + 1;
                Ok(number)
            }
            None => self.wrong(self.at, format!("{what} is missing here")),
        }
    }

    /// A line, and a column of it if one is named: `4`, `4:3`.
    fn place(&mut self, what: &str) -> Result<(u32, Option<u32>), QuestionError> {
        if let Some((line, column)) = self.peek().and_then(|word| word.split_once(':'))
            && let (Ok(line), Ok(column)) = (line.parse(), column.parse())
        {
            self.at += 1;
            return Ok((line, Some(column)));
        }
        Ok((self.number(what)?, None))
    }

    fn question(&mut self) -> Result<Question, QuestionError> {
        let claim = self.either()?;
        if self.take(&["->"]) {
            let gets = self.either()?;
            return self.ended(Question::Gets(claim, gets));
        }
        let question: fn(Claim) -> Question = if self.take(&["for", "ever"]) {
            Question::ForEver
        } else if self.take(&["again", "and", "again"]) {
            Question::AgainAndAgain
        } else if self.take(&["finitely", "often"]) {
            Question::FinitelyOften
        } else {
            return self.wrong(
                self.at,
                "a question ends with `for ever`, `again and again` or `finitely often`, or it is `this -> that`",
            );
        };
        self.ended(question(claim))
    }

    fn ended(&self, question: Question) -> Result<Question, QuestionError> {
        match self.peek() {
            Some(word) => self.wrong(self.at, format!("the question is over before `{word}`")),
            None => Ok(question),
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
        let Some(word) = self.peek() else {
            let such = match self.vocabulary {
                Vocabulary::Program(_) => "`P0 at 3` or `x = 1`",
                Vocabulary::Graph(_) => "a label, `all` or `none`",
            };
            return self.wrong(at, format!("something that may be so is missing here, such as {such}"));
        };
        self.at += 1;
        let name = match word.strip_prefix('"') {
            None => word,
            Some(name) => match name.strip_suffix('"') {
                Some(name) => name,
                None => return self.wrong(at, "the name that begins here has no end: `\"` is missing"),
            },
        };
        match (word, self.vocabulary) {
            ("all", _) => Ok(Claim::All(Vec::new())),
            ("none", _) => Ok(Claim::Any(Vec::new())),
            (_, Vocabulary::Program(system)) => self.of_program(system, at, name),
            (_, Vocabulary::Graph(labelled)) => self.of_graph(labelled, at, name),
        }
    }

    fn of_graph(&self, labelled: &Labelled, at: usize, name: &str) -> Result<Claim, QuestionError> {
        if let Some(label) = labelled.labels.iter().position(|(label, _)| label == name) {
            return Ok(Claim::Label(label));
        }
        let names: Vec<String> = labelled.labels.iter().take(NAMED).map(|(label, _)| format!("`{label}`")).collect();
        let known = if names.is_empty() { "no labels".to_owned() } else { names.join(", ") };
        self.wrong(at, format!("nothing has the label `{name}`: there are {known}"))
    }

    fn of_program(&mut self, system: &System, at: usize, name: &str) -> Result<Claim, QuestionError> {
        let threads = &system.threads;
        if ["at", "can", "moves", "has"].iter().any(|verb| self.is_next(&[verb])) {
            let Some(thread) = threads.iter().position(|thread| thread.name == name) else {
                let names: Vec<String> =
                    threads.iter().take(NAMED).map(|thread| format!("`{}`", thread.name)).collect();
                return self.wrong(at, format!("there is no thread `{name}`: there are {}", names.join(", ")));
            };
            let thread = thread as u16;
            if self.take(&["can", "move"]) {
                return Ok(Claim::Enabled(thread));
            }
            if self.take(&["moves"]) {
                return Ok(Claim::Moved(thread));
            }
            if self.take(&["has", "ended"]) {
                return Ok(Claim::Ended(thread));
            }
            if !self.take(&["at"]) {
                return self.wrong(self.at, "a thread is `at` a line, it `can move`, it `moves`, or it `has ended`");
            }
            let (first, first_column) = self.place("the number of a line")?;
            let has_last = self.take(&[".."]);
            let (last, last_column) =
                if has_last { self.place("the number of the last line")? } else { (first, first_column) };
            if last < first {
                return self.wrong(self.at - 1, format!("the lines end before they begin: write `{last}..{first}`"));
            }
            if first_column.or(last_column).is_none() {
                return Ok(Claim::At(thread, first..=last));
            }
            let from = (first, first_column.unwrap_or(0));
            let to = (last, last_column.unwrap_or(u32::MAX));
            let points = (0..).map(PointId).zip(&threads[usize::from(thread)].points);
            let inside = points.filter(|(_, point)| {
                let place = (point.span.line, point.span.column);
                matches!(point.kind, PointKind::Event(_)) && from <= place && place <= to
            });
            return Ok(Claim::Standing(thread, inside.map(|(point, _)| point).collect()));
        }
        let Some(variable) = system.names.iter().position(|known| known == name) else {
            let names: Vec<String> = system.names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
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

/// How many names are listed where one is wrong.
const NAMED: usize = 12;

/// Reads a question.
///
/// # Errors
/// What is wrong with it, and in which column.
pub fn parse_question(vocabulary: Vocabulary<'_>, text: &str) -> Result<Question, QuestionError> {
    read(vocabulary, text, 1)
}

fn read(vocabulary: Vocabulary<'_>, text: &str, line: usize) -> Result<Question, QuestionError> {
    let end = text.chars().count() + 1;
    Reader { vocabulary, line, words: words(text), at: 0, end, depth: 0 }.question()
}

/// Reads pairs, one in each line: `"requests" -> "grants"`. Empty lines, and those that begin with `//`, mean nothing. Other questions may
/// be among them.
///
/// # Errors
/// What is wrong with the first line that can't be read, and where.
pub fn parse_pairs(vocabulary: Vocabulary<'_>, text: &str) -> Result<Vec<Question>, QuestionError> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.trim().starts_with("//"));
    lines.map(|(at, line)| read(vocabulary, line, at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use litmoscope_core::program::Code;
    use litmoscope_core::syntax::parse;
    use std::rc::Rc;

    fn system() -> System {
        let text = "shared x, q[2]\nwhile 1 { x := 1; a := q[1]; q[0] := a }\n||\nwhile 1 { x := 0 }";
        let program = parse(text).expect("a program").program;
        System::of(&program, &Code::compile(&program).expect("code")).expect("a system")
    }

    #[test]
    fn questions_are_read() {
        let system = system();
        let read = |text| parse_question(Vocabulary::Program(&system), text);
        assert_eq!(read("P0 at 2..5 for ever"), Ok(Question::ForEver(Claim::At(0, 2..=5))));
        let points = vec![PointId(1)];
        assert_eq!(read("P0 at 2:20..2:29 for ever"), Ok(Question::ForEver(Claim::Standing(0, points))));
        assert_eq!(read("P1 moves again and again"), Ok(Question::AgainAndAgain(Claim::Moved(1))));
        assert_eq!(read("\"P1\" has ended->none"), Ok(Question::Gets(Claim::Ended(1), Claim::Any(vec![]))));
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
    fn pairs_speak_of_labels() {
        let graph = Rc::new(crate::families::path(3, true));
        let labels = vec![("asks".to_owned(), graph.set([0])), ("gets it".to_owned(), graph.set([1, 2]))];
        let labelled = Labelled { labels, ..Labelled::bare(graph) };
        let text = "// of a path\n\n\"asks\" -> \"gets it\"\n  all -> asks or not \"gets it\"\nasks finitely often";
        let pairs = parse_pairs(Vocabulary::Graph(&labelled), text).expect("pairs");
        let sets: Vec<_> = pairs.iter().map(|question| labelled.asked(question)).collect();
        let set = |vertices: &[usize]| labelled.graph.set(vertices.iter().copied());
        assert_eq!(sets, [(set(&[0]), set(&[1, 2])), (set(&[0, 1, 2]), set(&[0])), (set(&[0]), set(&[]))]);
        let wrong = parse_pairs(Vocabulary::Graph(&labelled), "asks -> all\n asks -> gets").expect_err("no label");
        assert_eq!((wrong.line, wrong.column, wrong.length), (2, 10, 4));
        assert_eq!(wrong.message, "nothing has the label `gets`: there are `asks`, `gets it`");
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
            ("P0 can wait for ever", 4, "a thread is `at` a line, it `can move`, it `moves`, or it `has ended`"),
            ("\"P0 at 2 for ever", 1, "the name that begins here has no end: `\"` is missing"),
            ("x = 1 -> all none", 14, "the question is over before `none`"),
        ] {
            let wrong = parse_question(Vocabulary::Program(&system), text).expect_err(text);
            assert_eq!(wrong.column, column, "{text}: {}", wrong.message);
            assert!(wrong.message.starts_with(message), "{text}: {}", wrong.message);
        }
        let length = |text| parse_question(Vocabulary::Program(&system), text).expect_err(text).length;
        assert_eq!((length("P0 at 2"), length("P2 at 2 for ever"), length("x = 1 -> all none")), (0, 2, 4));
        let deep = format!("{}x = 1 for ever", "not ".repeat(1000));
        assert!(
            parse_question(Vocabulary::Program(&system), &deep)
                .expect_err("it is deep")
                .message
                .contains("up to 64 deep")
        );
    }
}
