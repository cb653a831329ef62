//! Integers as C has them: each type a number of bits, with a sign or without.
//!
//! A value of a type is kept as the [`Value`] that equals it, and of `unsigned long`, whose values need not fit, as the
//! one with the same 64 bits. So what adds, compares and stores values needs no type but where the type changes the
//! result: C's conversions, and the operators of [`Arithmetic`].
//!
//! Sizes are those of LP64, as on 64-bit Unix: `int` has 32 bits, `long` 64, and `char` a sign. Source: ISO C11, 6.3.1
//! (promotions and conversions), 6.5 (operators), 7.17.7.5 (atomics wrap).
//!
//! Types are in the program alone: an expression says where it converts and in which type it computes, a read-modify-write in
//! which type it wraps, and objects and registers how they are shown. `syntax/c11/sweep.rs` holds all of it against a compiler.

use super::{EvaluationError, Value};
use serde::{Deserialize, Serialize};

/// An integer type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Integer {
    /// `_Bool`: 0 or 1. What is not 0 becomes 1.
    Bool,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    /// What notations without types compute with.
    #[default]
    Int64,
    UInt64,
    /// A pointer, whose values are addresses of 64 bits that nothing converts.
    Address,
}

/// The operators whose result depends on the type that they compute in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Integer {
    /// All that are numbers.
    pub const ALL: [Self; 9] = [
        Self::Bool,
        Self::Int8,
        Self::UInt8,
        Self::Int16,
        Self::UInt16,
        Self::Int32,
        Self::UInt32,
        Self::Int64,
        Self::UInt64,
    ];

    /// How many bits of memory it takes.
    pub fn bits(self) -> u32 {
        match self {
            Self::Bool | Self::Int8 | Self::UInt8 => 8,
            Self::Int16 | Self::UInt16 => 16,
            Self::Int32 | Self::UInt32 => 32,
            Self::Int64 | Self::UInt64 | Self::Address => 64,
        }
    }

    /// Whether it has negative values.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::Int8 | Self::Int16 | Self::Int32 | Self::Int64)
    }

    /// A number converted to the type: modulo a power of two, with a sign if the type has one.
    pub fn convert(self, value: Value) -> Value {
        match self {
            Self::Bool => Value::from(value != 0),
            Self::Int8 => Value::from(value as i8),
            Self::UInt8 => Value::from(value as u8),
            Self::Int16 => Value::from(value as i16),
            Self::UInt16 => Value::from(value as u16),
            Self::Int32 => Value::from(value as i32),
            Self::UInt32 => Value::from(value as u32),
            Self::Int64 | Self::UInt64 | Self::Address => value,
        }
    }

    /// Whether converting a value of `from` to this type leaves the [`Value`] as it is, whichever it is.
    pub fn keeps(self, from: Self) -> bool {
        match self {
            Self::Int64 | Self::UInt64 | Self::Address => true,
            Self::Bool => from == Self::Bool,
            _ if from == Self::Bool => true,
            _ if self.is_signed() == from.is_signed() => self.bits() >= from.bits(),
            _ => self.is_signed() && self.bits() > from.bits(),
        }
    }

    /// The type after C's integer promotions: `int` for what is narrower. Addresses compute as distances do.
    #[must_use]
    pub fn promoted(self) -> Self {
        match self {
            Self::Address => Self::Int64,
            _ if self.bits() < 32 => Self::Int32,
            _ => self,
        }
    }

    /// The type that C computes in with operands of two types (the usual arithmetic conversions).
    #[must_use]
    pub fn common(self, other: Self) -> Self {
        let (left, right) = (self.promoted(), other.promoted());
        match left.bits().cmp(&right.bits()) {
            std::cmp::Ordering::Greater => left,
            std::cmp::Ordering::Less => right,
            std::cmp::Ordering::Equal if left.is_signed() => right,
            std::cmp::Ordering::Equal => left,
        }
    }

    /// An operator as C computes it in this type. Both operands are of the type, but the distance of a shift, whose type
    /// does not matter. Comparisons give 0 or 1.
    ///
    /// Unsigned types wrap. What C leaves to implementations is as GCC and Clang have it: a shift to the right keeps the
    /// sign.
    ///
    /// # Errors
    /// What C leaves undefined: [`EvaluationError`].
    pub fn apply(self, operator: Arithmetic, left: Value, right: Value) -> Result<Value, EvaluationError> {
        if matches!(operator, Arithmetic::ShiftLeft | Arithmetic::ShiftRight) {
            let distance = u32::try_from(right).ok().filter(|distance| *distance < self.bits());
            return self.shift(operator, left, distance.ok_or(EvaluationError::ShiftOutOfRange)?);
        }
        if right == 0 && matches!(operator, Arithmetic::Divide | Arithmetic::Remainder) {
            return Err(EvaluationError::DivisionByZero);
        }
        if self == Self::UInt64 {
            let (left, right) = (left as u64, right as u64);
            return Ok(match operator {
                Arithmetic::Add => left.wrapping_add(right) as Value,
                Arithmetic::Subtract => left.wrapping_sub(right) as Value,
                Arithmetic::Multiply => left.wrapping_mul(right) as Value,
                Arithmetic::Divide => (left / right) as Value,
                Arithmetic::Remainder => (left % right) as Value,
                Arithmetic::Less => Value::from(left < right),
                Arithmetic::LessOrEqual => Value::from(left <= right),
                Arithmetic::Greater => Value::from(left > right),
                Arithmetic::GreaterOrEqual => Value::from(left >= right),
                Arithmetic::ShiftLeft | Arithmetic::ShiftRight => unreachable!("shifts are above"),
            });
        }
        let exact = match operator {
            Arithmetic::Add => left.checked_add(right),
            Arithmetic::Subtract => left.checked_sub(right),
            Arithmetic::Multiply => left.checked_mul(right),
            Arithmetic::Divide => left.checked_div(right),
            // Undefined where the quotient is.
            Arithmetic::Remainder if self.is_signed() => self.fit(left.checked_div(right)).map(|_| left % right),
            Arithmetic::Remainder => left.checked_rem(right),
            Arithmetic::Less => return Ok(Value::from(left < right)),
            Arithmetic::LessOrEqual => return Ok(Value::from(left <= right)),
            Arithmetic::Greater => return Ok(Value::from(left > right)),
            Arithmetic::GreaterOrEqual => return Ok(Value::from(left >= right)),
            Arithmetic::ShiftLeft | Arithmetic::ShiftRight => unreachable!("shifts are above"),
        };
        if self.is_signed() {
            return self.fit(exact).ok_or(EvaluationError::SignedOverflow);
        }
        // Of two numbers of 32 bits without a sign, the product may be beyond 63 bits; what counts of it is below.
        let wrapped = if operator == Arithmetic::Multiply { Some(left.wrapping_mul(right)) } else { exact };
        Ok(self.convert(wrapped.unwrap_or_default()))
    }

    fn shift(self, operator: Arithmetic, left: Value, distance: u32) -> Result<Value, EvaluationError> {
        Ok(match operator {
            Arithmetic::ShiftRight if self == Self::UInt64 => (left as u64 >> distance) as Value,
            Arithmetic::ShiftRight => left >> distance,
            _ if self.is_signed() => {
                let exact = i128::from(left) << distance;
                let fits = left >= 0 && exact == i128::from(self.convert(exact as Value));
                return if fits { Ok(exact as Value) } else { Err(EvaluationError::SignedOverflow) };
            }
            _ => self.convert(left.wrapping_shl(distance)),
        })
    }

    fn fit(self, exact: Option<Value>) -> Option<Value> {
        exact.filter(|exact| self.convert(*exact) == *exact)
    }

    /// A value of the type as it is printed.
    pub fn text(self, value: Value) -> String {
        if self == Self::UInt64 { (value as u64).to_string() } else { value.to_string() }
    }

    /// Its shortest name in C.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "_Bool",
            Self::Int8 => "int8_t",
            Self::UInt8 => "uint8_t",
            Self::Int16 => "int16_t",
            Self::UInt16 => "uint16_t",
            Self::Int32 => "int",
            Self::UInt32 => "unsigned",
            Self::Int64 => "long",
            Self::UInt64 => "uint64_t",
            Self::Address => "int*",
        }
    }

    /// The name of its atomic type in C.
    pub fn atomic_name(self) -> &'static str {
        match self {
            Self::Bool => "atomic_bool",
            Self::Int8 => "atomic_schar",
            Self::UInt8 => "atomic_uchar",
            Self::Int16 => "atomic_short",
            Self::UInt16 => "atomic_ushort",
            Self::Int32 => "atomic_int",
            Self::UInt32 => "atomic_uint",
            Self::Int64 => "atomic_long",
            Self::UInt64 => "atomic_ulong",
            Self::Address => "_Atomic(int*)",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Arithmetic::{Add, Divide, GreaterOrEqual, Less, Multiply, Remainder, ShiftLeft, ShiftRight, Subtract};
    use EvaluationError::{DivisionByZero, ShiftOutOfRange, SignedOverflow};

    #[test]
    fn what_keeps_a_type_changes_none_of_its_values() {
        for to in Integer::ALL {
            for from in Integer::ALL {
                let values = (-300..300).chain([1 << 15, 1 << 16, 1 << 31, 1 << 32, -(1 << 31), i64::MAX, i64::MIN]);
                let changed = values.map(|v| from.convert(v)).any(|value| to.convert(value) != value);
                assert_eq!(to.keeps(from), !changed, "{from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn conversions_are_those_of_c() {
        assert_eq!(Integer::UInt8.convert(256), 0);
        assert_eq!(Integer::Int8.convert(255), -1);
        assert_eq!(Integer::UInt32.convert(-1), 4_294_967_295);
        assert_eq!(Integer::Int32.convert(4_294_967_295), -1);
        assert_eq!(Integer::Bool.convert(256), 1);
        assert_eq!(Integer::UInt64.text(-1), "18446744073709551615");
    }

    #[test]
    fn operands_get_a_common_type() {
        use Integer::{Bool, Int8, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
        for (left, right, common) in [
            (Bool, UInt8, Int32),
            (Int8, UInt16, Int32),
            (Int32, UInt32, UInt32),
            (UInt32, Int64, Int64),
            (Int64, UInt64, UInt64),
            (Int8, UInt64, UInt64),
        ] {
            assert_eq!((left.common(right), right.common(left)), (common, common));
        }
    }

    #[test]
    fn what_c_leaves_undefined_has_no_value() {
        let (min, max) = (i64::from(i32::MIN), i64::from(i32::MAX));
        let int = |operator, left, right| Integer::Int32.apply(operator, left, right);
        assert_eq!(int(Add, max, 1), Err(SignedOverflow));
        assert_eq!(int(Subtract, min, 1), Err(SignedOverflow));
        assert_eq!(int(Subtract, 0, min), Err(SignedOverflow));
        assert_eq!(int(Multiply, 65_536, 32_768), Err(SignedOverflow));
        assert_eq!(int(Divide, min, -1), Err(SignedOverflow));
        assert_eq!(int(Remainder, min, -1), Err(SignedOverflow));
        assert_eq!(int(Divide, 1, 0), Err(DivisionByZero));
        assert_eq!(int(ShiftLeft, 1, 31), Err(SignedOverflow));
        assert_eq!(int(ShiftLeft, -1, 0), Err(SignedOverflow));
        assert_eq!(int(ShiftLeft, 1, 32), Err(ShiftOutOfRange));
        assert_eq!(int(ShiftRight, 1, -1), Err(ShiftOutOfRange));
        assert_eq!(int(ShiftRight, -8, 1), Ok(-4));
        assert_eq!(int(ShiftLeft, 1, 30), Ok(1 << 30));
        let long = |operator, left, right| Integer::Int64.apply(operator, left, right);
        assert_eq!(long(Add, i64::MAX, 1), Err(SignedOverflow));
        assert_eq!(long(Remainder, i64::MIN, -1), Err(SignedOverflow));
        assert_eq!(long(ShiftLeft, 1, 63), Err(SignedOverflow));
        assert_eq!(long(ShiftLeft, 1, 62), Ok(1 << 62));
    }

    #[test]
    fn unsigned_types_wrap() {
        let unsigned = |operator, left, right| Integer::UInt32.apply(operator, left, right);
        let most = i64::from(u32::MAX);
        assert_eq!(unsigned(Subtract, 0, 1), Ok(most));
        assert_eq!(unsigned(Multiply, most, most), Ok(1));
        assert_eq!(unsigned(ShiftLeft, most, 1), Ok(most - 1));
        let long = |operator, left, right| Integer::UInt64.apply(operator, left, right);
        assert_eq!(long(ShiftRight, -1, 63), Ok(1));
        assert_eq!(long(Divide, -1, 2), Ok(i64::MAX));
        assert_eq!(long(Remainder, -1, 10), Ok(5));
        assert_eq!((long(Less, 1, -1), long(GreaterOrEqual, 1, -1)), (Ok(1), Ok(0)));
        assert_eq!(long(Multiply, -1, -1), Ok(1));
    }
}
