//! Terms as text, and back.
//!
//! Signs and their levels are those of our notation of programs: `or`, `and`, `not`, comparisons, `|`, `^`, `&`, shifts, sums, products, signs. Names
//! are those of variables, as they are: `count`, `q[1]`, `P0:r`. What has no sign there is called: `if(c, a, b)`, `to_uint8(a)`,
//! `divide_int32(a, b)`, and `defined_divide(a, b)`, which is 1 where the division has a value.

use litmoscope_core::program::system::{System, Term, Variable};
use litmoscope_core::program::{Arithmetic, BinaryOperator, Integer, UnaryOperator, Value};
use std::fmt::Write;
use std::sync::Arc;

/// How long the text of a term may be, in bytes.
const MAX_TEXT: usize = 1 << 20;
/// How deep terms may be that are read, but for `and` and `or` of many.
const MAX_HEIGHT: usize = 400;

const OPERATORS: [(&str, BinaryOperator, u8); 18] = [
    ("or", BinaryOperator::Or, OR),
    ("and", BinaryOperator::And, AND),
    ("=", BinaryOperator::Equal, COMPARISON),
    ("!=", BinaryOperator::NotEqual, COMPARISON),
    ("<<", BinaryOperator::ShiftLeft, 8),
    (">>", BinaryOperator::ShiftRight, 8),
    ("<=", BinaryOperator::LessOrEqual, COMPARISON),
    (">=", BinaryOperator::GreaterOrEqual, COMPARISON),
    ("<", BinaryOperator::Less, COMPARISON),
    (">", BinaryOperator::Greater, COMPARISON),
    ("|", BinaryOperator::BitOr, 5),
    ("^", BinaryOperator::BitXor, 6),
    ("&", BinaryOperator::BitAnd, 7),
    ("+", BinaryOperator::Add, 9),
    ("-", BinaryOperator::Subtract, 9),
    ("*", BinaryOperator::Multiply, 10),
    ("/", BinaryOperator::Divide, 10),
    ("%", BinaryOperator::Remainder, 10),
];
/// Other signs for the same, which are read. Each comes before what it begins with.
const ALIASES: [(&str, BinaryOperator, u8); 3] =
    [("||", BinaryOperator::Or, OR), ("&&", BinaryOperator::And, AND), ("==", BinaryOperator::Equal, COMPARISON)];
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const UNARY: u8 = 11;
const ATOM: u8 = 12;

const ARITHMETIC: [(&str, Arithmetic, BinaryOperator); 11] = [
    ("add", Arithmetic::Add, BinaryOperator::Add),
    ("subtract", Arithmetic::Subtract, BinaryOperator::Subtract),
    ("multiply", Arithmetic::Multiply, BinaryOperator::Multiply),
    ("divide", Arithmetic::Divide, BinaryOperator::Divide),
    ("remainder", Arithmetic::Remainder, BinaryOperator::Remainder),
    ("shift_left", Arithmetic::ShiftLeft, BinaryOperator::ShiftLeft),
    ("shift_right", Arithmetic::ShiftRight, BinaryOperator::ShiftRight),
    ("less", Arithmetic::Less, BinaryOperator::Less),
    ("less_or_equal", Arithmetic::LessOrEqual, BinaryOperator::LessOrEqual),
    ("greater", Arithmetic::Greater, BinaryOperator::Greater),
    ("greater_or_equal", Arithmetic::GreaterOrEqual, BinaryOperator::GreaterOrEqual),
];

const INTEGERS: [(&str, Integer); 10] = [
    ("bool", Integer::Bool),
    ("int8", Integer::Int8),
    ("uint8", Integer::UInt8),
    ("int16", Integer::Int16),
    ("uint16", Integer::UInt16),
    ("int32", Integer::Int32),
    ("uint32", Integer::UInt32),
    ("int64", Integer::Int64),
    ("uint64", Integer::UInt64),
    ("address", Integer::Address),
];

fn integer_name(integer: Integer) -> &'static str {
    INTEGERS.iter().find(|(_, other)| *other == integer).map_or("int64", |(name, _)| name)
}

/// The name of what has no sign.
fn operator_name(operator: BinaryOperator) -> Option<String> {
    ARITHMETIC.iter().find_map(|(name, typed, untyped)| match operator {
        BinaryOperator::Typed(arithmetic, integer) if arithmetic == *typed => {
            Some(format!("{name}_{}", integer_name(integer)))
        }
        _ => (operator == *untyped).then(|| (*name).to_owned()),
    })
}

fn operator_named(name: &str) -> Option<BinaryOperator> {
    ARITHMETIC.iter().find_map(|(own, typed, untyped)| match name.strip_prefix(own)?.strip_prefix('_') {
        None => (name == *own).then_some(*untyped),
        Some(integer) => {
            let (_, integer) = INTEGERS.iter().find(|(other, _)| *other == integer)?;
            Some(BinaryOperator::Typed(*typed, *integer))
        }
    })
}

/// Why a term is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unwritten {
    Input,
    TooLong,
}

/// The text of a term.
pub(super) fn print(system: &System, term: &Term) -> Result<String, Unwritten> {
    let mut text = String::new();
    write_term(system, term, 0, &mut text)?;
    Ok(text)
}

fn write_term(system: &System, term: &Term, tightness: u8, text: &mut String) -> Result<(), Unwritten> {
    if text.len() > MAX_TEXT {
        return Err(Unwritten::TooLong);
    }
    let sign = |operator: &BinaryOperator| {
        OPERATORS.iter().find(|(_, other, _)| other == operator).map(|(sign, _, level)| (*sign, *level))
    };
    let call = |name: &str, parts: &[&Arc<Term>], text: &mut String| {
        text.push_str(name);
        for (at, part) in parts.iter().enumerate() {
            text.push_str(if at == 0 { "(" } else { ", " });
            write_term(system, part, 0, text)?;
        }
        text.push(')');
        Ok(())
    };
    let level = match term {
        Term::Unary(UnaryOperator::Not, _) => NOT,
        Term::Unary(UnaryOperator::Negate | UnaryOperator::Complement, _) => UNARY,
        Term::Binary(operator, ..) => sign(operator).map_or(ATOM, |(_, level)| level),
        _ => ATOM,
    };
    if level < tightness {
        text.push('(');
        write_term(system, term, 0, text)?;
        text.push(')');
        return Ok(());
    }
    match term {
        Term::Constant(value) => {
            let _ = write!(text, "{value}");
        }
        Term::Variable(variable) => match system.names.get(variable.0 as usize) {
            Some(name) => text.push_str(name),
            None => text.push('0'),
        },
        Term::Input(_) => return Err(Unwritten::Input),
        Term::Unary(UnaryOperator::Not, operand) => {
            text.push_str("not ");
            write_term(system, operand, NOT, text)?;
        }
        Term::Unary(UnaryOperator::Convert(integer), operand) => {
            call(&format!("to_{}", integer_name(*integer)), &[operand], text)?;
        }
        Term::Unary(operator, operand) => {
            text.push(if *operator == UnaryOperator::Negate { '-' } else { '~' });
            // A number behind a sign would be another number.
            let is_number = matches!(**operand, Term::Constant(_));
            write_term(system, operand, if is_number { ATOM + 1 } else { UNARY }, text)?;
        }
        Term::Binary(operator @ (BinaryOperator::And | BinaryOperator::Or), ..) => {
            // Those of many are long lists, however they are nested.
            let sign = if *operator == BinaryOperator::And { " and " } else { " or " };
            let mut work = vec![term];
            let mut is_first = true;
            while let Some(part) = work.pop() {
                match part {
                    Term::Binary(other, left, right) if other == operator => work.extend([&**right, &**left]),
                    part => {
                        if !std::mem::replace(&mut is_first, false) {
                            text.push_str(sign);
                        }
                        write_term(system, part, level + 1, text)?;
                    }
                }
            }
        }
        Term::Binary(operator, left, right) => match sign(operator) {
            Some((sign, level)) => {
                // Comparisons do not chain.
                write_term(system, left, level + u8::from(level == COMPARISON), text)?;
                let _ = write!(text, " {sign} ");
                write_term(system, right, level + 1, text)?;
            }
            None => call(&operator_name(*operator).unwrap_or_default(), &[left, right], text)?,
        },
        Term::Defined(operator, left, right) => match operator_name(*operator) {
            Some(name) => call(&format!("defined_{name}"), &[left, right], text)?,
            None => text.push('1'),
        },
        Term::If(condition, then, otherwise) => call("if", &[condition, then, otherwise], text)?,
    }
    if text.len() > MAX_TEXT { Err(Unwritten::TooLong) } else { Ok(()) }
}

/// What is wrong with a text, and at which of its characters, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) column: usize,
    pub(super) message: String,
}

/// The term of a text.
pub(super) fn read(system: &System, text: &str) -> Result<Arc<Term>, Wrong> {
    let mut reader = Reader { system, text, at: 0, depth: 0 };
    if text.len() > MAX_TEXT {
        return reader.wrong(format!("the condition has more than {MAX_TEXT} bytes"));
    }
    let (term, _) = reader.expression(0)?;
    if reader.rest().is_empty() { Ok(term) } else { reader.wrong("here, an operator was expected, or the end") }
}

struct Reader<'a> {
    system: &'a System,
    text: &'a str,
    at: usize,
    depth: usize,
}

/// A term with its height.
type Measured = (Arc<Term>, usize);

fn is_in_names(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl Reader<'_> {
    fn wrong<T>(&self, message: impl Into<String>) -> Result<T, Wrong> {
        Err(Wrong { column: self.text[..self.at].chars().count() + 1, message: message.into() })
    }

    /// The rest of the text, without blanks.
    fn rest(&mut self) -> &str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    /// Passes a sign or word, if it comes next.
    fn take(&mut self, sign: &str) -> bool {
        let rest = self.rest();
        let is_word = sign.starts_with(is_in_names);
        let found = rest.strip_prefix(sign).is_some_and(|behind| !is_word || !behind.starts_with(is_in_names));
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Wrong> {
        if self.take(sign) { Ok(()) } else { self.wrong(format!("`{sign}` was expected here")) }
    }

    fn high(&self, height: usize) -> Result<usize, Wrong> {
        if height > MAX_HEIGHT {
            return self.wrong(format!("more than {MAX_HEIGHT} operations are in each other here"));
        }
        Ok(height)
    }

    fn expression(&mut self, tightness: u8) -> Result<Measured, Wrong> {
        self.depth += 1;
        self.high(self.depth)?;
        let mut left = self.operand()?;
        let mut is_compared = false;
        loop {
            let before = self.at;
            let found = ALIASES.iter().chain(&OPERATORS).find(|(sign, ..)| self.take(sign));
            let Some(&(_, operator, level)) = found else { break };
            if level < tightness {
                self.at = before;
                break;
            }
            if std::mem::replace(&mut is_compared, level == COMPARISON) && level == COMPARISON {
                self.at = before;
                return self.wrong("comparisons do not chain: write `a < b and b < c`");
            }
            let mut parts = vec![left.clone()];
            loop {
                parts.push(self.expression(level + 1)?);
                let is_list = matches!(operator, BinaryOperator::And | BinaryOperator::Or);
                let mut signs = ALIASES.iter().chain(&OPERATORS).filter(|(_, other, _)| is_list && *other == operator);
                if !signs.any(|(sign, ..)| self.take(sign)) {
                    break;
                }
            }
            // Long lists become flat trees.
            while parts.len() > 1 {
                let mut halves = Vec::new();
                let mut rest = parts.into_iter();
                while let Some((first, height)) = rest.next() {
                    halves.push(match rest.next() {
                        Some((second, other)) => {
                            let height = self.high(height.max(other) + 1)?;
                            (Term::binary(operator, &first, &second), height)
                        }
                        None => (first, height),
                    });
                }
                parts = halves;
            }
            let Some(all) = parts.pop() else { break };
            left = all;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn unary(&mut self, operator: UnaryOperator, tightness: u8) -> Result<Measured, Wrong> {
        let (operand, height) = self.expression(tightness)?;
        Ok((Term::unary(operator, &operand), self.high(height + 1)?))
    }

    fn operand(&mut self) -> Result<Measured, Wrong> {
        if let Some((variable, length)) = self.variable() {
            self.at += length;
            return Ok((Arc::new(Term::Variable(variable)), 1));
        }
        if self.take("(") {
            let inner = self.expression(0)?;
            self.expect(")")?;
            return Ok(inner);
        }
        let rest = self.rest();
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        if length > 0 {
            let length = rest.len() - digits.len() + length;
            let (number, behind) = rest.split_at(length);
            let value: Result<Value, _> = number.parse();
            if behind.starts_with(is_in_names) {
                return self.wrong("this is neither a number nor the name of a variable");
            }
            let Ok(value) = value else { return self.wrong("this number does not fit into 64 bits") };
            self.at += length;
            return Ok((Term::constant(value), 1));
        }
        if self.take("-") {
            return self.unary(UnaryOperator::Negate, UNARY);
        }
        if self.take("~") {
            return self.unary(UnaryOperator::Complement, UNARY);
        }
        if self.take("!") {
            return self.unary(UnaryOperator::Not, UNARY);
        }
        if self.take("not") {
            return self.unary(UnaryOperator::Not, NOT);
        }
        self.call()
    }

    /// The variable whose name comes next: the longest one.
    fn variable(&mut self) -> Option<(Variable, usize)> {
        let rest = self.rest().to_owned();
        let names = self.system.names.iter().enumerate().filter(|(_, name)| {
            let behind = rest.strip_prefix(name.as_str());
            behind.is_some_and(|behind| !name.is_empty() && !behind.starts_with(is_in_names))
        });
        let (at, name) = names.max_by_key(|(at, name)| (name.len(), usize::MAX - at))?;
        Some((Variable(at as u32), name.len()))
    }

    fn call(&mut self) -> Result<Measured, Wrong> {
        let start = self.at;
        let rest = self.rest();
        let length = rest.find(|c: char| !is_in_names(c)).unwrap_or(rest.len());
        let name = rest[..length].to_owned();
        if name.is_empty() {
            return self.wrong("a number, the name of a variable or `(` was expected here");
        }
        let place = self.at;
        self.at += length;
        let count = match name.as_str() {
            "if" => 3,
            _ if name.starts_with("to_") => 1,
            _ => 2,
        };
        if !self.take("(") {
            self.at = start;
            let names = self.system.names.iter().take(8).cloned().collect::<Vec<_>>().join("`, `");
            let more = if self.system.names.len() > 8 { " and others" } else { "" };
            return self.wrong(format!("there is no variable `{name}`; there are `{names}`{more}"));
        }
        let mut parts = Vec::new();
        let mut height = 0;
        for at in 0..count {
            if at > 0 {
                self.expect(",")?;
            }
            let (part, own) = self.expression(0)?;
            height = height.max(own);
            parts.push(part);
        }
        self.expect(")")?;
        let height = self.high(height + 1)?;
        let term = match &parts[..] {
            [condition, then, otherwise] => Some(Term::choose(condition, then, otherwise)),
            [one] => name.strip_prefix("to_").and_then(|name| {
                let (_, integer) = INTEGERS.iter().find(|(other, _)| *other == name)?;
                Some(Term::unary(UnaryOperator::Convert(*integer), one))
            }),
            [left, right] => match name.strip_prefix("defined_") {
                Some(name) => operator_named(name).map(|operator| Term::defined(operator, left, right)),
                None => operator_named(&name).map(|operator| Term::binary(operator, left, right)),
            },
            _ => None,
        };
        match term {
            Some(term) => Ok((term, height)),
            None => {
                self.at = place;
                self.wrong(format!("`{name}` is nothing that can be called"))
            }
        }
    }
}
