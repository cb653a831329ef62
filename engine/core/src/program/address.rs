//! Addresses as values.

use super::{EMPTY, Integer, Location, Object, ObjectId, Observable, Program, Value};

/// The address of an offset of an object.
///
/// As a [`Value`] it has a mark in its upper bits that no number met in practice has. Adding to it and subtracting from
/// it moves the offset, which may leave the object: only accesses are checked. Addresses of an object compare as their
/// offsets do. What other arithmetic makes of an address is a number without meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    /// The object.
    pub object: ObjectId,
    /// The offset, outside the object too.
    pub offset: i32,
}

/// The upper 16 bits of addresses.
const MARK: Value = 0x6AD0;

impl Address {
    /// The address as a value.
    pub fn value(self) -> Value {
        let offset = Value::from(self.offset) - Value::from(i32::MIN);
        (MARK << 48) | (Value::from(self.object.0) << 32) | offset
    }

    /// The address that a value is; `None` for a number.
    pub fn of(value: Value) -> Option<Self> {
        let offset = (value & 0xFFFF_FFFF) + Value::from(i32::MIN);
        (value >> 48 == MARK).then_some(Self { object: ObjectId((value >> 32) as u16), offset: offset as i32 })
    }
}

impl Program {
    /// The address of one of the program's objects that a value is.
    pub fn address(&self, value: Value) -> Option<Address> {
        Address::of(value).filter(|address| usize::from(address.object.0) < self.objects.len())
    }

    /// A value as everything shows it: a number, `empty` where there are concurrent objects, or an address as `&x` or `&q[1]`.
    pub fn value_text(&self, value: Value) -> String {
        if value == EMPTY && !self.structures.is_empty() {
            return "empty".to_owned();
        }
        let Some(address) = self.address(value) else { return value.to_string() };
        let object = &self.objects[usize::from(address.object.0)];
        if object.array || address.offset != 0 {
            format!("&{}[{}]", object.name, address.offset)
        } else {
            format!("&{}", object.name)
        }
    }

    /// A value of a type, shown as such.
    fn typed_text(&self, value: Value, integer: Integer) -> String {
        if value < 0 && integer == Integer::UInt64 { integer.text(value) } else { self.value_text(value) }
    }

    /// The value of an observable, shown as its type has it.
    pub fn observable_text(&self, observable: Observable, value: Value) -> String {
        self.typed_text(value, self.integer(observable))
    }

    /// The values of a final state, shown as their types have them.
    pub fn state_texts(&self, observables: &[Observable], state: &[Value]) -> Vec<String> {
        observables.iter().zip(state).map(|(observable, value)| self.observable_text(*observable, *value)).collect()
    }

    /// The value of a location, shown as its type has it; of what is no location, as of a number.
    pub fn location_text(&self, location: Option<Location>, value: Value) -> String {
        let object = location.and_then(|location| self.object_at(location));
        self.typed_text(value, object.map_or(Integer::Int64, |object| object.integer))
    }

    /// The object that a location is of.
    pub(super) fn object_at(&self, location: Location) -> Option<&Object> {
        let mut behind = location.0 as usize;
        self.objects.iter().find(|object| {
            let is_in = behind < object.initial.len();
            behind = behind.saturating_sub(object.initial.len());
            is_in
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_values_and_numbers_are_not() {
        for object in [0, 1, u16::MAX] {
            for offset in [0, 1, -1, i32::MAX, i32::MIN] {
                let address = Address { object: ObjectId(object), offset };
                assert_eq!(Address::of(address.value()), Some(address));
            }
        }
        for number in [0, 1, -1, 1 << 32, 1 << 62, Value::MAX, Value::MIN, i64::from(u32::MAX)] {
            assert_eq!(Address::of(number), None);
        }
    }

    #[test]
    fn arithmetic_moves_the_offset() {
        let at = |offset| Address { object: ObjectId(3), offset }.value();
        assert_eq!((at(2) + 5, at(2) - 5, at(2) - at(5)), (at(7), at(-3), -3));
        assert!(at(-1) < at(0) && at(0) < at(1));
    }

    #[test]
    fn they_are_shown_by_name() {
        let program = crate::syntax::parse("shared x, q[2]\nx := 1").expect("a program").program;
        let text = |object, offset| program.value_text(Address { object: ObjectId(object), offset }.value());
        assert_eq!(
            (text(0, 0), text(0, 1), text(1, 0), text(1, -2)),
            ("&x".into(), "&x[1]".into(), "&q[0]".into(), "&q[-2]".into())
        );
        assert_eq!(program.value_text(-7), "-7");
        let other = Address { object: ObjectId(2), offset: 0 }.value();
        assert_eq!(program.value_text(other), other.to_string());
    }
}
