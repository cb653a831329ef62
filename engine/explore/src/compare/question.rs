//! Outcomes as a user writes them: `a=0, b=0`, `P0:a=0 /\ x=1`.
//!
//! Names are those of a program in any notation. Comparisons are joined by commas, `/\`, `&&`, `and` or nothing at all,
//! which bind tighter than `\/`, `||` and `or`; `~`, `!` and `not` deny. A thread may stand in front of a register, as
//! `P0:a` or `0:a`, and has to where two threads have registers of that name.

use crate::program::{
    Address, Comparison, Condition, Integer, ObjectId, ObjectKind, Observable, Program, Proposition, Quantifier,
    RegisterId, Span, Term, Value,
};

/// How long a question may be, in bytes.
const MAX_LENGTH: usize = 4096;
/// How deeply brackets and denials may be nested.
const MAX_DEPTH: usize = 50;
/// How many names messages list.
const MAX_LISTED: usize = 12;

/// Which outcomes are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeQuestion {
    /// What is said of a final state.
    pub proposition: Proposition,
}

/// What is wrong with a question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QuestionError {
    /// What, in a sentence without its stop.
    pub message: String,
    /// Where: the offset in bytes at which what is wrong begins.
    pub at: usize,
}

/// What a final state has values for, by name: registers by thread, then memory. For completing what is typed.
pub fn question_names(program: &Program) -> Vec<String> {
    let all = Program { condition: None, observed: None, filter: None, ..program.clone() };
    all.observables().into_iter().map(|observable| program.observable_name(observable)).collect()
}

impl OutcomeQuestion {
    /// Reads a question on a program.
    ///
    /// # Errors
    /// [`QuestionError`] says what is wrong, and what the names are where one is wrong.
    pub fn parse(program: &Program, text: &str) -> Result<Self, QuestionError> {
        if text.len() > MAX_LENGTH {
            let message = format!("an outcome has at most {MAX_LENGTH} characters");
            return Err(QuestionError { message, at: MAX_LENGTH });
        }
        let mut parser = Parser { program, text, at: 0 };
        parser.skip_space();
        if parser.rest().is_empty() {
            let message = format!("write an outcome, such as `{}`", example(program));
            return Err(QuestionError { message, at: 0 });
        }
        let mut proposition = parser.any(0)?;
        if !parser.rest().is_empty() {
            return parser.fail("a comparison such as `a = 0` belongs here".to_owned());
        }
        proposition.convert(&|observable| program.integer(observable));
        Ok(Self { proposition })
    }

    /// The question that a program's condition asks: the states whose presence decides it. `None` without a condition.
    pub fn of_condition(program: &Program) -> Option<Self> {
        let condition = program.condition.as_ref()?;
        let proposition = condition.proposition.clone();
        Some(Self {
            proposition: match condition.quantifier {
                Quantifier::Exists | Quantifier::NotExists => proposition,
                Quantifier::ForAll => Proposition::Not(Box::new(proposition)),
            },
        })
    }

    /// The question as it is shown, and can be read back.
    pub fn text(&self, program: &Program) -> String {
        proposition_text(program, &self.proposition)
    }

    /// What it is about, with what the program's filter mentions: registers by thread, then memory.
    pub fn observables(&self, program: &Program) -> Vec<Observable> {
        self.ask(program).observables()
    }

    /// The program with this question as its condition, and nothing else looked at in final states.
    pub(super) fn ask(&self, program: &Program) -> Program {
        let proposition = self.proposition.clone();
        let condition = Condition { quantifier: Quantifier::Exists, proposition, span: Span::default() };
        Program { observed: Some(Vec::new()), condition: Some(condition), ..program.clone() }
    }
}

/// A proposition in the notation that [`OutcomeQuestion::parse`] reads: `P0:a=0, x=1`.
pub fn proposition_text(program: &Program, proposition: &Proposition) -> String {
    fn write(program: &Program, proposition: &Proposition, level: u8, out: &mut String) {
        let term = |term: &Term, other: &Term| match (term, other) {
            (Term::Observable(observable), _) => program.observable_name(*observable),
            (Term::Constant(value), Term::Observable(of)) => program.observable_text(*of, *value),
            (Term::Constant(value), Term::Constant(_)) => program.value_text(*value),
        };
        let bracket = |own: u8| own < level;
        let join = |p: &Proposition, q: &Proposition, sign: &str, own: u8, out: &mut String| {
            if bracket(own) {
                out.push('(');
            }
            write(program, p, own, out);
            out.push_str(sign);
            write(program, q, own + 1, out);
            if bracket(own) {
                out.push(')');
            }
        };
        match proposition {
            Proposition::True => out.push_str("true"),
            Proposition::False => out.push_str("false"),
            Proposition::Compare(left, comparison, right) => {
                let sign = match comparison {
                    Comparison::Equal => "=",
                    Comparison::NotEqual => "!=",
                    Comparison::Less => "<",
                    Comparison::LessOrEqual => "<=",
                    Comparison::Greater => ">",
                    Comparison::GreaterOrEqual => ">=",
                };
                out.push_str(&format!("{}{sign}{}", term(left, right), term(right, left)));
            }
            Proposition::Not(p) => {
                out.push_str("~(");
                write(program, p, 0, out);
                out.push(')');
            }
            Proposition::And(p, q) => join(p, q, ", ", 1, out),
            Proposition::Or(p, q) => join(p, q, " \\/ ", 0, out),
        }
    }
    let mut out = String::new();
    write(program, proposition, 0, &mut out);
    out
}

/// An outcome that can be asked for.
fn example(program: &Program) -> String {
    let names = question_names(program);
    let names = if names.is_empty() { vec!["x".to_owned()] } else { names };
    names.iter().take(2).map(|name| format!("{name}=0")).collect::<Vec<_>>().join(", ")
}

struct Parser<'a> {
    program: &'a Program,
    text: &'a str,
    at: usize,
}

type Parse<T> = Result<T, QuestionError>;

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn fail<T>(&self, message: String) -> Parse<T> {
        Err(QuestionError { message, at: self.at })
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Takes a sign, and the space behind it, if it is there.
    fn sign(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
            self.skip_space();
        }
        found
    }

    /// The name that comes next, perhaps empty.
    fn peek_word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '%' | '$' | '\'' | '.')));
        &rest[..end.unwrap_or(rest.len())]
    }

    fn keyword(&mut self, word: &str) -> bool {
        // A program may have things of that name.
        let found = self.peek_word() == word && self.observables(word).is_empty();
        found && self.sign(word)
    }

    fn any(&mut self, depth: usize) -> Parse<Proposition> {
        let mut left = self.all(depth)?;
        while self.sign("\\/") || self.sign("||") || self.sign("∨") || self.keyword("or") {
            left = Proposition::Or(Box::new(left), Box::new(self.all(depth)?));
        }
        Ok(left)
    }

    fn all(&mut self, depth: usize) -> Parse<Proposition> {
        let mut left = self.one(depth)?;
        loop {
            let joined = self.sign("/\\")
                || self.sign("&&")
                || self.sign("∧")
                || self.sign(",")
                || self.sign(";")
                || self.keyword("and");
            // Nothing joins too: `a=0 b=0`.
            let more = || {
                let word = self.peek_word();
                !word.is_empty() && (word != "or" || !self.observables("or").is_empty())
            };
            if !joined && !more() {
                return Ok(left);
            }
            left = Proposition::And(Box::new(left), Box::new(self.one(depth)?));
        }
    }

    fn one(&mut self, depth: usize) -> Parse<Proposition> {
        if depth > MAX_DEPTH {
            return self.fail("brackets are nested too deeply here".to_owned());
        }
        if self.sign("(") {
            let inner = self.any(depth + 1)?;
            return if self.sign(")") { Ok(inner) } else { self.fail("`)` is missing here".to_owned()) };
        }
        let denied = !self.rest().starts_with("!=") && (self.sign("~") || self.sign("!") || self.sign("¬"));
        if denied || self.keyword("not") {
            return Ok(Proposition::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.keyword("true") {
            return Ok(Proposition::True);
        }
        if self.keyword("false") {
            return Ok(Proposition::False);
        }
        let left = self.term()?;
        let signs = [
            ("==", Comparison::Equal),
            ("=", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<>", Comparison::NotEqual),
            ("≠", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            ("<", Comparison::Less),
            (">=", Comparison::GreaterOrEqual),
            (">", Comparison::Greater),
        ];
        let Some((_, comparison)) = signs.into_iter().find(|(sign, _)| self.sign(sign)) else {
            return self.fail("`=` and a value are missing here".to_owned());
        };
        let right = self.term()?;
        let is_unsigned = |term: &Term| match term {
            Term::Observable(observable) => self.program.integer(*observable) == Integer::UInt64,
            Term::Constant(_) => false,
        };
        let orders = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        if orders && (is_unsigned(&left) || is_unsigned(&right)) {
            return self.fail("an `unsigned long` is compared with `=` and `!=` only".to_owned());
        }
        Ok(Proposition::Compare(left, comparison, right))
    }

    fn term(&mut self) -> Parse<Term> {
        let start = self.at;
        if self.sign("&") {
            let (object, offset) = self.place(start)?;
            return Ok(Term::Constant(Address { object, offset: offset as i32 }.value()));
        }
        let negative = self.sign("-");
        let word = self.peek_word();
        let colon = self.text[start..].strip_prefix(word).is_some_and(|behind| behind.trim_start().starts_with(':'));
        if word.starts_with(|c: char| c.is_ascii_digit()) && (negative || !colon) {
            let (digits, base) = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
                Some(digits) => (digits, 16),
                None => (word, 10),
            };
            let number = i128::from_str_radix(digits, base).map(|n| if negative { -n } else { n });
            let fits = |number: i128| {
                let unsigned = || u64::try_from(number).ok().filter(|_| self.program.has_unsigned());
                Value::try_from(number).ok().or_else(|| unsigned().map(|number| number as Value))
            };
            let Some(value) = number.ok().and_then(fits) else {
                return self.fail(format!("`{word}` is no number of 64 bits"));
            };
            self.sign(word);
            return Ok(Term::Constant(value));
        }
        if negative || word.is_empty() {
            return self.fail("a name or a number is missing here".to_owned());
        }
        self.sign(word);
        if self.sign(":") {
            return self.register(word, start);
        }
        let mut found = self.observables(word);
        if self.rest().starts_with('[') {
            self.at = start;
            let (object, offset) = self.place(start)?;
            return Ok(Term::Observable(Observable::Location { object, offset }));
        }
        if let Some(&Observable::Location { object, .. }) =
            found.iter().find(|o| matches!(o, Observable::Location { .. }))
        {
            if self.program.objects[usize::from(object.0)].array {
                return Err(QuestionError { message: format!("`{word}` is an array: write `{word}[0]`"), at: start });
            }
            self.refuse_objects(object, start)?;
            found.retain(|observable| matches!(observable, Observable::Location { .. }));
        }
        match found[..] {
            [observable] => Ok(Term::Observable(observable)),
            [] => Err(self.unknown(word, start)),
            _ => {
                let names: Vec<_> = found.iter().map(|&o| format!("`{}`", self.program.observable_name(o))).collect();
                let message = format!("`{word}` is a register of several threads: write {}", names.join(" or "));
                Err(QuestionError { message, at: start })
            }
        }
    }

    /// The register of a thread: what stands behind the colon.
    fn register(&mut self, thread: &str, start: usize) -> Parse<Term> {
        let count = self.program.threads.len();
        let number = thread.strip_prefix(['P', 'p', 'T', 't']).unwrap_or(thread);
        let named = self.program.threads.iter().position(|other| other.name.as_deref() == Some(thread));
        let Some(index) = number.parse::<usize>().ok().filter(|&index| index < count).or(named) else {
            let last = count.saturating_sub(1 + usize::from(self.program.after().is_some()));
            let after = if self.program.after().is_some() { ", and `after`" } else { "" };
            let message = format!("there is no thread `{thread}`: the threads are P0 to P{last}{after}");
            return Err(QuestionError { message, at: start });
        };
        let name = self.peek_word();
        let registers = &self.program.threads[index].registers;
        let Some(register) = registers.iter().position(|register| register == name) else {
            let mut message = format!("P{index} has no register `{name}`");
            if registers.is_empty() {
                message += ": it has none";
            } else {
                let names: Vec<_> = registers.iter().take(MAX_LISTED).map(|r| format!("P{index}:{r}")).collect();
                message += &format!(": its registers are {}", names.join(", "));
            }
            return Err(QuestionError { message, at: start });
        };
        self.sign(name);
        Ok(Term::Observable(Observable::Register { thread: index as u16, register: RegisterId(register as u16) }))
    }

    /// `x` or `q[1]`.
    fn place(&mut self, start: usize) -> Parse<(ObjectId, u32)> {
        let word = self.peek_word();
        let Some(object) = self.program.objects.iter().position(|object| object.name == word) else {
            return Err(self.unknown(word, start));
        };
        self.sign(word);
        let cells = self.program.objects[object].initial.len();
        let object = ObjectId(object as u16);
        let mut offset = 0;
        if self.sign("[") {
            let index = self.peek_word();
            let Some(inside) = index.parse::<u32>().ok().filter(|&index| (index as usize) < cells) else {
                let last = cells.saturating_sub(1);
                let message =
                    format!("`{word}[{index}]` does not exist: the elements are `{word}[0]` to `{word}[{last}]`");
                return Err(QuestionError { message, at: start });
            };
            self.sign(index);
            if !self.sign("]") {
                return self.fail("`]` is missing here".to_owned());
            }
            offset = inside;
        }
        Ok((object, offset))
    }

    /// Mutexes and channels have no final value.
    fn refuse_objects(&self, object: ObjectId, start: usize) -> Parse<()> {
        let kinds = self.program.object_kinds().unwrap_or_default();
        match kinds.get(usize::from(object.0)) {
            Some(kind) if *kind != ObjectKind::Memory => {
                let name = &self.program.objects[usize::from(object.0)].name;
                Err(QuestionError { message: format!("`{name}` is no memory: it has no final value"), at: start })
            }
            _ => Ok(()),
        }
    }

    /// Everything of a name: an object, or registers of threads.
    fn observables(&self, name: &str) -> Vec<Observable> {
        let objects = self.program.objects.iter().enumerate().filter(|(_, object)| object.name == name);
        let mut found: Vec<_> =
            objects.map(|(at, _)| Observable::Location { object: ObjectId(at as u16), offset: 0 }).collect();
        for (thread, t) in self.program.threads.iter().enumerate() {
            let registers = t.registers.iter().enumerate().filter(|(_, register)| *register == name);
            found.extend(
                registers
                    .map(|(at, _)| Observable::Register { thread: thread as u16, register: RegisterId(at as u16) }),
            );
        }
        found
    }

    fn unknown(&self, name: &str, at: usize) -> QuestionError {
        let names = question_names(self.program);
        let mut message = format!("there is no `{name}`");
        if !names.is_empty() {
            let more = if names.len() > MAX_LISTED { ", ..." } else { "" };
            message += &format!(": there are {}{more}", names[..names.len().min(MAX_LISTED)].join(", "));
        }
        QuestionError { message, at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;
    use crate::testing::for_all;

    fn program(text: &str) -> Program {
        parse(text).expect("a program").program
    }

    const SB: &str = "shared x, y, q[2]\nx := 1; q[0] := 1; a := y || y := 1; b := x; c := q[1]";

    #[test]
    fn outcomes_are_read_as_people_write_them() {
        let program = program(SB);
        for (text, read) in [
            ("a=0, b=0", "P0:a=0, P1:b=0"),
            ("P0:a = 0 /\\ x = 1", "P0:a=0, x=1"),
            ("P0:a=0 P1:b=0", "P0:a=0, P1:b=0"),
            ("0:a==0 && 1:b!=2", "P0:a=0, P1:b!=2"),
            ("a=0 or b=1 and x<2", "P0:a=0 \\/ P1:b=1, x<2"),
            ("(a=0 \\/ b=1) , x>=2", "(P0:a=0 \\/ P1:b=1), x>=2"),
            ("~(a=0) not b=1", "~(P0:a=0), ~(P1:b=1)"),
            ("q[1]=-1, a=&x, b=&q[1], 0x10 = c", "q[1]=-1, P0:a=&x, P1:b=&q[1], 16=P1:c"),
            ("true", "true"),
        ] {
            let question = OutcomeQuestion::parse(&program, text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(question.text(&program), read, "{text}");
            assert_eq!(OutcomeQuestion::parse(&program, read), Ok(question), "{read}");
        }
    }

    #[test]
    fn what_is_behind_all_threads_is_called_as_in_the_text() {
        let program = program("shared x\nx := 1 || x := 2\nafter { a := x }");
        let question = OutcomeQuestion::parse(&program, "after:a=1").expect("there is one");
        assert_eq!(question.text(&program), "after:a=1");
        let error = OutcomeQuestion::parse(&program, "P7:a=1").expect_err("there is none");
        assert_eq!(error.message, "there is no thread `P7`: the threads are P0 to P1, and `after`");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let program = program(&SB.replace("b := x", "a := x"));
        for (text, message, at) in [
            ("", "write an outcome, such as `P0:a=0, P1:a=0`", 0),
            ("a=0", "`a` is a register of several threads: write `P0:a` or `P1:a`", 0),
            ("x=0, k=1", "there is no `k`: there are P0:a, P1:a, P1:c, x, y, q[0], q[1]", 5),
            ("P2:a=0", "there is no thread `P2`: the threads are P0 to P1", 0),
            ("P0:c=0", "P0 has no register `c`: its registers are P0:a", 0),
            ("x", "`=` and a value are missing here", 1),
            ("x=", "a name or a number is missing here", 2),
            ("x=1)", "a comparison such as `a = 0` belongs here", 3),
            ("(x=1", "`)` is missing here", 4),
            ("q=1", "`q` is an array: write `q[0]`", 0),
            ("q[2]=1", "`q[2]` does not exist: the elements are `q[0]` to `q[1]`", 0),
            ("x=99999999999999999999", "`99999999999999999999` is no number of 64 bits", 2),
        ] {
            let error = OutcomeQuestion::parse(&program, text).expect_err(text);
            assert_eq!((error.message.as_str(), error.at), (message, at), "{text}");
        }
        assert!(OutcomeQuestion::parse(&program, &"(".repeat(4000)).is_err());
        assert!(OutcomeQuestion::parse(&program, &"~".repeat(4000)).is_err());
        assert!(OutcomeQuestion::parse(&program, &"x=1,".repeat(4000)).is_err());
        for text in ["é=1", "x=1 é", "P:é", "P0:", "&", "&x[", "q[", "-", "0x", "1:", "x=&é"] {
            assert!(OutcomeQuestion::parse(&program, text).is_err(), "{text}");
        }
    }

    #[test]
    fn conditions_are_questions() {
        let text = |condition: &str| {
            let program = program(&format!("{SB}\n{condition}"));
            OutcomeQuestion::of_condition(&program).map(|question| question.text(&program))
        };
        assert_eq!(text(""), None);
        assert_eq!(text("~exists (P0:a = 0 /\\ P1:b = 0)").as_deref(), Some("P0:a=0, P1:b=0"));
        assert_eq!(text("forall (P0:a = 0 \\/ x = 1)").as_deref(), Some("~(P0:a=0 \\/ x=1)"));
    }

    /// Names and conditions of any program can be read back.
    #[test]
    fn questions_read_back() {
        for_all(0..200, |program| {
            for name in question_names(program) {
                OutcomeQuestion::parse(program, &format!("{name}=1")).map_err(|error| format!("{name}: {error}"))?;
            }
            let Some(question) = OutcomeQuestion::of_condition(program) else { return Ok(()) };
            let text = question.text(program);
            let again = OutcomeQuestion::parse(program, &text).map_err(|error| format!("{text}: {error}"))?;
            if again.text(program) == text { Ok(()) } else { Err(format!("{text} was read as another question")) }
        });
    }
}
