//! Terms as expressions of Rust and of C.

use super::Language;
use super::cells::{Cell, cell};
use super::names::Called;
use litmoscope_core::program::system::{System, Term, TransitionId, Variable};
use litmoscope_core::program::{Arithmetic, BinaryOperator, Integer, UnaryOperator};
use rustc_hash::FxHashMap;
use std::cell::{Cell as Cell_, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is written once in a program if it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Helper {
    At,
    Divide,
    Remainder,
    Typed,
    Alone,
    Below,
}

/// An expression, and whether it needs no parentheses wherever it stands.
pub(super) struct Text(pub(super) String, bool);

impl Text {
    fn atom(text: impl Into<String>) -> Self {
        Self(text.into(), true)
    }

    fn operation(text: String) -> Self {
        Self(text, false)
    }

    /// As an operand.
    fn inner(self) -> String {
        if self.1 { self.0 } else { format!("({})", self.0) }
    }
}

/// Writes terms.
pub(super) struct Writer<'a> {
    pub(super) language: Language,
    pub(super) system: &'a System,
    pub(super) called: &'a Called,
    /// Cells whose values have names.
    pub(super) seen: Vec<(Cell, String)>,
    /// Terms whose values have names.
    pub(super) parts: FxHashMap<*const Term, String>,
    /// The names of the inputs of each step.
    pub(super) inputs: FxHashMap<TransitionId, Vec<String>>,
    /// The step that is written.
    pub(super) step: Cell_<TransitionId>,
    pub(super) helpers: &'a RefCell<BTreeSet<Helper>>,
}

impl Writer<'_> {
    pub(super) fn needs(&self, helper: Helper) {
        self.helpers.borrow_mut().insert(helper);
    }

    fn is_rust(&self) -> bool {
        self.language == Language::Rust
    }

    /// One place in memory: in Rust as a place, in C as an address.
    pub(super) fn variable(&self, variable: Variable) -> String {
        let (field, offset) = self.called.field(variable);
        let place = match field.length {
            Some(_) => format!("shared.{}[{offset}]", field.name),
            None => format!("shared.{}", field.name),
        };
        if self.is_rust() { place } else { format!("&{place}") }
    }

    /// A cell: in Rust as a place or a reference, in C as an address.
    pub(super) fn cell(&self, cell: &Cell) -> String {
        match cell {
            Cell::One(variable) => self.variable(*variable),
            Cell::Element(field, index) => {
                self.needs(Helper::At);
                let field = &self.called.fields[*field];
                let index = self.value(index).0;
                match self.language {
                    Language::Rust => format!("at(&shared.{}, {index})", field.name),
                    Language::C => format!("at(shared.{}, {}, {index})", field.name, field.length.unwrap_or(1)),
                }
            }
            Cell::Choice(ways, last) => {
                let place = |variable: &Variable| match self.language {
                    Language::Rust => format!("&{}", self.variable(*variable)),
                    Language::C => self.variable(*variable),
                };
                let mut text = String::new();
                for (condition, variable) in ways {
                    let (condition, place) = (self.condition(condition), place(variable));
                    text += &match self.language {
                        Language::Rust => format!("if {} {{ {place} }} else ", condition.0),
                        Language::C => format!("{} ? {place} : ", condition.inner()),
                    };
                }
                match self.language {
                    Language::Rust => format!("({text}{{ {} }})", place(last)),
                    Language::C => format!("({text}{})", place(last)),
                }
            }
        }
    }

    pub(super) fn load(&self, cell: &Cell) -> String {
        match self.language {
            Language::Rust => format!("{}.load(SeqCst)", self.cell(cell)),
            Language::C => format!("atomic_load({})", self.cell(cell)),
        }
    }

    fn constant(&self, value: i64) -> Text {
        match (self.language, value) {
            (Language::Rust, i64::MIN) => Text::atom("i64::MIN"),
            (Language::C, i64::MIN) => Text::atom("INT64_MIN"),
            (Language::C, _) if value.unsigned_abs() > 0x7fff_ffff => Text::operation(format!("INT64_C({value})")),
            (_, 0..) => Text::atom(value.to_string()),
            _ => Text::operation(value.to_string()),
        }
    }

    /// What a method of Rust is called of.
    fn receiver(&self, term: &Arc<Term>) -> String {
        match term.known() {
            Some(i64::MIN) => "i64::MIN".to_owned(),
            Some(value @ 0..) => format!("{value}_i64"),
            Some(value) => format!("({value}_i64)"),
            None => self.value(term).inner(),
        }
    }

    /// The value of a term: an integer of 64 bits.
    pub(super) fn value(&self, term: &Arc<Term>) -> Text {
        if let Some(name) = self.parts.get(&Arc::as_ptr(term)) {
            return Text::atom(name);
        }
        if let Some(cell) = cell(self.system, self.called, term) {
            let seen = self.seen.iter().find(|(seen, _)| *seen == cell);
            return Text::atom(seen.map_or_else(|| self.load(&cell), |(_, name)| name.clone()));
        }
        match &**term {
            Term::Constant(value) => self.constant(*value),
            Term::Variable(variable) => {
                Text::atom(self.called.registers.get(variable).cloned().unwrap_or_else(|| "0".to_owned()))
            }
            Term::Input(at) => {
                let names = self.inputs.get(&self.step.get());
                Text::atom(names.and_then(|names| names.get(*at as usize)).map_or("0", String::as_str))
            }
            Term::Unary(UnaryOperator::Not, _) | Term::Defined(..) => self.truth(term),
            Term::Unary(operator, operand) => self.unary(*operator, operand),
            Term::Binary(operator, left, right) => self.binary(*operator, left, right, term),
            Term::If(condition, then, otherwise) => {
                // In Rust, two constants have no type of their own.
                let typed = || {
                    then.known().filter(|_| self.is_rust()).map(|value| match value {
                        i64::MIN => Text::atom("i64::MIN"),
                        _ => Text::atom(format!("{value}_i64")),
                    })
                };
                let (condition, otherwise) = (self.condition(condition), self.value(otherwise));
                let then = typed().unwrap_or_else(|| self.value(then));
                Text::operation(match self.language {
                    Language::Rust => format!("if {} {{ {} }} else {{ {} }}", condition.0, then.0, otherwise.0),
                    Language::C => format!("{} ? {} : {}", condition.inner(), then.inner(), otherwise.inner()),
                })
            }
        }
    }

    /// The value of what is 0 or 1.
    fn truth(&self, term: &Arc<Term>) -> Text {
        match self.language {
            Language::Rust => Text::atom(format!("i64::from({})", self.condition(term).0)),
            Language::C => self.condition(term),
        }
    }

    fn unary(&self, operator: UnaryOperator, operand: &Arc<Term>) -> Text {
        let inner = || self.value(operand).inner();
        match (operator, self.language) {
            (UnaryOperator::Negate, Language::Rust) => Text::atom(format!("{}.wrapping_neg()", self.receiver(operand))),
            (UnaryOperator::Negate, Language::C) => Text::atom(format!("negate({})", self.value(operand).0)),
            (UnaryOperator::Complement, Language::Rust) => Text::operation(format!("!{}", self.receiver(operand))),
            (UnaryOperator::Complement, Language::C) => Text::operation(format!("~{}", inner())),
            (UnaryOperator::Not, Language::Rust) => {
                Text::atom(format!("i64::from(!{})", self.condition(operand).inner()))
            }
            (UnaryOperator::Not, Language::C) => Text::operation(format!("!{}", self.condition(operand).inner())),
            (UnaryOperator::Convert(to), language) => {
                let signed = to.is_signed();
                match (to, language) {
                    (Integer::Int64 | Integer::UInt64 | Integer::Address, _) => self.value(operand),
                    (Integer::Bool, Language::Rust) => Text::atom(format!("i64::from({} != 0)", inner())),
                    (Integer::Bool, Language::C) => Text::operation(format!("{} != 0", inner())),
                    (_, Language::Rust) => {
                        let kind = if signed { 'i' } else { 'u' };
                        Text::atom(format!("i64::from({} as {kind}{})", self.receiver(operand), to.bits()))
                    }
                    (_, Language::C) => {
                        let kind = if signed { "int" } else { "uint" };
                        Text::operation(format!("(int64_t)({kind}{}_t){}", to.bits(), inner()))
                    }
                }
            }
        }
    }

    fn binary(&self, operator: BinaryOperator, left: &Arc<Term>, right: &Arc<Term>, term: &Arc<Term>) -> Text {
        use BinaryOperator as B;
        let call = |name: &str| Text::atom(format!("{name}({}, {})", self.value(left).0, self.value(right).0));
        let infix =
            |sign: &str| Text::operation(format!("{} {sign} {}", self.value(left).inner(), self.value(right).inner()));
        let method = |name: &str| Text::atom(format!("{}.{name}({})", self.receiver(left), self.value(right).0));
        let shift = |name: &str| Text::atom(format!("{}.{name}({} as u32)", self.receiver(left), self.receiver(right)));
        match (operator, self.language) {
            (B::Add, Language::Rust) => method("wrapping_add"),
            (B::Subtract, Language::Rust) => method("wrapping_sub"),
            (B::Multiply, Language::Rust) => method("wrapping_mul"),
            (B::ShiftLeft, Language::Rust) => shift("wrapping_shl"),
            (B::ShiftRight, Language::Rust) => shift("wrapping_shr"),
            (B::Add, Language::C) => call("add"),
            (B::Subtract, Language::C) => call("subtract"),
            (B::Multiply, Language::C) => call("multiply"),
            (B::ShiftLeft, Language::C) => call("shift_left"),
            (B::ShiftRight, Language::C) => call("shift_right"),
            (B::Divide, _) => {
                self.needs(Helper::Divide);
                call("divide")
            }
            (B::Remainder, _) => {
                self.needs(Helper::Remainder);
                call(if self.is_rust() { "remainder" } else { "remainder_of" })
            }
            (B::BitAnd, _) => infix("&"),
            (B::BitOr, _) => infix("|"),
            (B::BitXor, _) => infix("^"),
            (
                B::Typed(
                    Arithmetic::Less | Arithmetic::LessOrEqual | Arithmetic::Greater | Arithmetic::GreaterOrEqual,
                    _,
                ),
                _,
            ) => self.truth(term),
            (B::Typed(operator, integer), language) => {
                let typed = self.typed(operator, integer, left, right);
                match language {
                    Language::Rust => Text::atom(format!("{typed}.unwrap_or(0)")),
                    Language::C => Text::atom(format!("{typed}.value")),
                }
            }
            (
                B::Equal | B::NotEqual | B::Less | B::LessOrEqual | B::Greater | B::GreaterOrEqual | B::And | B::Or,
                _,
            ) => self.truth(term),
        }
    }

    /// An operator of C's types: a number, and whether there is one.
    fn typed(&self, operator: Arithmetic, integer: Integer, left: &Arc<Term>, right: &Arc<Term>) -> String {
        self.needs(Helper::Typed);
        let sign = match operator {
            Arithmetic::Add => '+',
            Arithmetic::Subtract => '-',
            Arithmetic::Multiply => '*',
            Arithmetic::Divide => '/',
            Arithmetic::Remainder => '%',
            Arithmetic::ShiftLeft => '<',
            _ => '>',
        };
        // A pointer counts as a number of 64 bits without a sign, and a truth as one of a bit.
        let bits = if integer == Integer::Bool { 1 } else { integer.bits() };
        let (left, right) = (self.value(left).0, self.value(right).0);
        format!("typed('{sign}', {left}, {right}, {bits}, {})", integer.is_signed())
    }

    /// Whether a term is not 0.
    pub(super) fn condition(&self, term: &Arc<Term>) -> Text {
        use BinaryOperator as B;
        if self.parts.contains_key(&Arc::as_ptr(term)) {
            return Text::operation(format!("{} != 0", self.value(term).0));
        }
        let compare = |sign: &str, left: &Arc<Term>, right: &Arc<Term>| {
            // Two constants have no type of their own in Rust.
            let left =
                if self.is_rust() && right.known().is_some() { self.receiver(left) } else { self.value(left).inner() };
            Text::operation(format!("{left} {sign} {}", self.value(right).inner()))
        };
        let both = |sign: &str, left: &Arc<Term>, right: &Arc<Term>| {
            Text::operation(format!("{} {sign} {}", self.condition(left).inner(), self.condition(right).inner()))
        };
        match &**term {
            Term::Constant(value) => Text::atom(if *value != 0 { "true" } else { "false" }),
            Term::Unary(UnaryOperator::Not, operand) => {
                Text::operation(format!("!{}", self.condition(operand).inner()))
            }
            Term::Defined(B::Typed(operator, integer), left, right) => {
                let typed = self.typed(*operator, *integer, left, right);
                Text::atom(match self.language {
                    Language::Rust => format!("{typed}.is_some()"),
                    Language::C => format!("{typed}.is_defined"),
                })
            }
            Term::Defined(_, _, right) => Text::operation(format!("{} != 0", self.receiver_of(right))),
            Term::Binary(operator, left, right) => match operator {
                B::Equal => compare("==", left, right),
                B::NotEqual => compare("!=", left, right),
                B::Less => compare("<", left, right),
                B::LessOrEqual => compare("<=", left, right),
                B::Greater => compare(">", left, right),
                B::GreaterOrEqual => compare(">=", left, right),
                B::And => both("&&", left, right),
                B::Or => both("||", left, right),
                B::Typed(operator, integer) if compares(*operator).is_some() => {
                    let sign = compares(*operator).unwrap_or_default();
                    if *integer != Integer::UInt64 {
                        return compare(sign, left, right);
                    }
                    let (left, right) = (self.receiver_of(left), self.receiver_of(right));
                    Text::operation(match self.language {
                        Language::Rust => format!("({left} as u64) {sign} ({right} as u64)"),
                        Language::C => format!("(uint64_t){left} {sign} (uint64_t){right}"),
                    })
                }
                _ => Text::operation(format!("{} != 0", self.value(term).inner())),
            },
            _ => Text::operation(format!("{} != 0", self.receiver_of(term))),
        }
    }

    fn receiver_of(&self, term: &Arc<Term>) -> String {
        if self.is_rust() { self.receiver(term) } else { self.value(term).inner() }
    }

    /// Whether all of these hold.
    pub(super) fn all(&self, terms: &[&Arc<Term>]) -> Option<String> {
        let mut parts: Vec<Text> = terms
            .iter()
            .filter(|term| term.known().is_none_or(|value| value == 0))
            .map(|term| self.condition(term))
            .collect();
        match parts.len() {
            0 => None,
            1 => parts.pop().map(|part| part.0),
            _ => Some(parts.into_iter().map(Text::inner).collect::<Vec<_>>().join(" && ")),
        }
    }
}

fn compares(operator: Arithmetic) -> Option<&'static str> {
    Some(match operator {
        Arithmetic::Less => "<",
        Arithmetic::LessOrEqual => "<=",
        Arithmetic::Greater => ">",
        Arithmetic::GreaterOrEqual => ">=",
        _ => return None,
    })
}
