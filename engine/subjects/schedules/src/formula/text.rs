//! Formulas as people read them, in the operators of the notation.

use super::Variable;
use super::store::{Exact, Formula, Node, Operator, Store, Term};
use litmoscope_core::program::Value;
use std::fmt::Write as _;

// As in the notation: the higher, the tighter.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const BIT_OR: u8 = 5;
const BIT_XOR: u8 = 6;
const BIT_AND: u8 = 7;
const SHIFT: u8 = 8;
const SUM: u8 = 9;
const UNARY: u8 = 10;

/// How deep a text nests.
const DEPTH: u32 = 48;

/// Bytes, about, after which a text ends with `…`: formulas share parts, and as texts may be exponentially larger.
const LENGTH: usize = 4000;

struct Printer<'s> {
    store: &'s Store,
    name: &'s dyn Fn(Variable) -> String,
    text: String,
    depth: u32,
}

impl Store {
    /// A formula in the notation's operators: `mutex = 0 and count < 2`. What the notation has no words for is `a ? b : c`,
    /// `unsigned(a)`, a conversion such as `uint8_t(a)`, and `a + b overflows`. A text that would be too long or too deep has `…` for the rest.
    pub fn text(&self, formula: Formula, name: &dyn Fn(Variable) -> String) -> String {
        let mut printer = Printer { store: self, name, text: String::new(), depth: 0 };
        printer.formula(formula, true, 0);
        printer.text
    }

    /// Makes numbers known that are addresses, each with the variable that is there: texts name them, as `&x`.
    pub fn name_addresses(&mut self, addresses: impl IntoIterator<Item = (Value, Variable)>) {
        self.addresses.extend(addresses);
    }

    /// A term in the notation's operators.
    pub fn text_of_term(&self, term: Term, name: &dyn Fn(Variable) -> String) -> String {
        let mut printer = Printer { store: self, name, text: String::new(), depth: 0 };
        printer.term(term, 0);
        printer.text
    }
}

impl Printer<'_> {
    fn enter(&mut self) -> bool {
        let enters = self.depth < DEPTH && self.text.len() < LENGTH;
        if enters {
            self.depth += 1;
        } else if !self.text.ends_with('…') {
            self.text += "…";
        }
        enters
    }

    fn parenthesised(&mut self, level: u8, tightness: u8, print: impl FnOnce(&mut Self)) {
        if level < tightness {
            self.text += "(";
            print(self);
            self.text += ")";
        } else {
            print(self);
        }
    }

    fn formula(&mut self, formula: Formula, positive: bool, tightness: u8) {
        if !self.enter() {
            return;
        }
        match self.store.of(formula) {
            Node::True => self.text += if positive { "true" } else { "false" },
            Node::Not(inner) => self.formula(*inner, !positive, tightness),
            Node::And(parts) => {
                let mut parts = parts.to_vec();
                parts.sort_by_key(|part| {
                    (self.first(*part), self.store.bound(*part).map(|bound| bound.constant), *part)
                });
                let (level, word) = if positive { (AND, " and ") } else { (OR, " or ") };
                self.parenthesised(level, tightness, |printer| {
                    for (at, part) in parts.into_iter().enumerate() {
                        if at > 0 {
                            printer.text += word;
                        }
                        if printer.text.len() >= LENGTH {
                            printer.text += "…";
                            break;
                        }
                        printer.formula(part, positive, level + 1);
                    }
                });
            }
            Node::Equal(left, right) => {
                self.comparison(*left, if positive { "=" } else { "!=" }, *right, tightness);
            }
            Node::Less(left, right) => match self.store.constant_of(*right) {
                // `x > 0` rather than `x >= 1`.
                Some(1) => self.comparison_with(*left, if positive { "<=" } else { ">" }, 0, tightness),
                _ => self.comparison(*left, if positive { "<" } else { ">=" }, *right, tightness),
            },
            Node::LessUnsigned(left, right) => {
                let symbol = if positive { "<" } else { ">=" };
                self.parenthesised(COMPARISON, tightness, |printer| {
                    printer.call("unsigned", *left);
                    let _ = write!(printer.text, " {symbol} ");
                    printer.call("unsigned", *right);
                });
            }
            Node::Overflows(exact, left, right) => {
                let (symbol, level) = match exact {
                    Exact::Add => ("+", SUM),
                    Exact::Subtract => ("-", SUM),
                    Exact::Multiply => ("*", UNARY),
                };
                self.parenthesised(if positive { COMPARISON } else { NOT }, tightness, |printer| {
                    printer.text += if positive { "" } else { "not " };
                    printer.operation(*left, symbol, *right, level);
                    printer.text += " overflows";
                });
            }
            _ => self.text += "…",
        }
        self.depth -= 1;
    }

    /// The least variable of a formula, as far as a mask tells.
    fn first(&self, formula: Formula) -> u32 {
        self.store.mask(formula.0).trailing_zeros()
    }

    fn comparison(&mut self, left: Term, symbol: &str, right: Term, tightness: u8) {
        self.parenthesised(COMPARISON, tightness, |printer| {
            printer.term(left, COMPARISON + 1);
            let _ = write!(printer.text, " {symbol} ");
            printer.term(right, COMPARISON + 1);
        });
    }

    fn comparison_with(&mut self, left: Term, symbol: &str, right: Value, tightness: u8) {
        self.parenthesised(COMPARISON, tightness, |printer| {
            printer.term(left, COMPARISON + 1);
            let _ = write!(printer.text, " {symbol} {right}");
        });
    }

    fn operation(&mut self, left: Term, symbol: &str, right: Term, level: u8) {
        self.term(left, level);
        let _ = write!(self.text, " {symbol} ");
        self.term(right, level + 1);
    }

    fn call(&mut self, function: &str, operand: Term) {
        let _ = write!(self.text, "{function}(");
        self.term(operand, 0);
        self.text += ")";
    }

    fn term(&mut self, term: Term, tightness: u8) {
        if !self.enter() {
            return;
        }
        match self.store.node(term.0) {
            Node::Constant(value) => {
                let _ = match self.store.addresses.get(value) {
                    Some(variable) => write!(self.text, "&{}", (self.name)(*variable)),
                    None => write!(self.text, "{value}"),
                };
            }
            Node::Variable(variable) => self.text += &(self.name)(*variable),
            Node::Negate(part) => {
                self.text += "-";
                self.term(*part, UNARY + 1);
            }
            Node::Complement(part) => {
                self.text += "~";
                self.term(*part, UNARY + 1);
            }
            Node::Convert(to, part) => self.call(to.name(), *part),
            Node::Binary(operator, left, right) => self.binary(*operator, *left, *right, tightness),
            Node::Choose(condition, then, otherwise) => {
                let value = |term| self.store.constant_of(term);
                if (value(*then), value(*otherwise)) == (Some(1), Some(0)) {
                    self.formula(*condition, true, COMPARISON + 1);
                } else {
                    self.text += "(";
                    self.formula(*condition, true, OR);
                    self.text += " ? ";
                    self.term(*then, OR);
                    self.text += " : ";
                    self.term(*otherwise, OR);
                    self.text += ")";
                }
            }
            _ => self.text += "…",
        }
        self.depth -= 1;
    }

    fn binary(&mut self, operator: Operator, left: Term, right: Term, tightness: u8) {
        let (symbol, level) = match operator {
            Operator::Add => ("+", SUM),
            Operator::Subtract => ("-", SUM),
            Operator::Multiply => ("*", UNARY),
            Operator::Divide => ("/", UNARY),
            Operator::Remainder => ("%", UNARY),
            Operator::BitAnd => ("&", BIT_AND),
            Operator::BitOr => ("|", BIT_OR),
            Operator::BitXor => ("^", BIT_XOR),
            Operator::ShiftLeft => ("<<", SHIFT),
            Operator::ShiftRight => (">>", SHIFT),
            Operator::DivideUnsigned | Operator::RemainderUnsigned | Operator::ShiftRightUnsigned => {
                let (symbol, level) = match operator {
                    Operator::DivideUnsigned => ("/", UNARY),
                    Operator::RemainderUnsigned => ("%", UNARY),
                    _ => (">>", SHIFT),
                };
                return self.parenthesised(level, tightness, |printer| {
                    printer.call("unsigned", left);
                    let _ = write!(printer.text, " {symbol} ");
                    match operator {
                        Operator::ShiftRightUnsigned => printer.term(right, level + 1),
                        _ => printer.call("unsigned", right),
                    }
                });
            }
        };
        self.parenthesised(level, tightness, |printer| match negative(printer.store, operator, right) {
            Some(magnitude) => {
                printer.term(left, level);
                let _ = write!(printer.text, " - {magnitude}");
            }
            None => printer.operation(left, symbol, right, level),
        });
    }
}

/// Of a sum with a negative constant, how much is taken away.
fn negative(store: &Store, operator: Operator, right: Term) -> Option<Value> {
    let value = store.constant_of(right).filter(|value| *value < 0 && operator == Operator::Add)?;
    value.checked_neg()
}
