//! C's integer types by their names.

use crate::program::Integer;

/// Names of types that are one word.
const NAMES: [(&str, Integer); 45] = [
    ("int8_t", Integer::Int8),
    ("int16_t", Integer::Int16),
    ("int32_t", Integer::Int32),
    ("int64_t", Integer::Int64),
    ("uint8_t", Integer::UInt8),
    ("uint16_t", Integer::UInt16),
    ("uint32_t", Integer::UInt32),
    ("uint64_t", Integer::UInt64),
    ("int_least8_t", Integer::Int8),
    ("int_least16_t", Integer::Int16),
    ("int_least32_t", Integer::Int32),
    ("int_least64_t", Integer::Int64),
    ("uint_least8_t", Integer::UInt8),
    ("uint_least16_t", Integer::UInt16),
    ("uint_least32_t", Integer::UInt32),
    ("uint_least64_t", Integer::UInt64),
    ("int_fast8_t", Integer::Int8),
    ("int_fast16_t", Integer::Int64),
    ("int_fast32_t", Integer::Int64),
    ("int_fast64_t", Integer::Int64),
    ("uint_fast8_t", Integer::UInt8),
    ("uint_fast16_t", Integer::UInt64),
    ("uint_fast32_t", Integer::UInt64),
    ("uint_fast64_t", Integer::UInt64),
    ("intptr_t", Integer::Int64),
    ("uintptr_t", Integer::UInt64),
    ("ptrdiff_t", Integer::Int64),
    ("size_t", Integer::UInt64),
    ("ssize_t", Integer::Int64),
    ("intmax_t", Integer::Int64),
    ("uintmax_t", Integer::UInt64),
    ("char8_t", Integer::UInt8),
    ("char16_t", Integer::UInt16),
    ("char32_t", Integer::UInt32),
    ("wchar_t", Integer::Int32),
    ("bool", Integer::Bool),
    ("_Bool", Integer::Bool),
    // Of atomics, what stands behind `atomic_`.
    ("flag", Integer::Bool),
    ("schar", Integer::Int8),
    ("uchar", Integer::UInt8),
    ("ushort", Integer::UInt16),
    ("uint", Integer::UInt32),
    ("ulong", Integer::UInt64),
    ("llong", Integer::Int64),
    ("ullong", Integer::UInt64),
];

/// Words that make up a type together.
const PARTS: [&str; 6] = ["unsigned", "signed", "char", "short", "int", "long"];

/// The type that some words name together, in any order, or whose atomic they name; words that name no integer type, such
/// as `volatile`, do not matter. `None` if all are such.
pub(super) fn named<'w>(words: impl IntoIterator<Item = &'w str>) -> Option<Integer> {
    let mut whole = None;
    let mut parts: Vec<&str> = Vec::new();
    for word in words {
        let own = word.strip_prefix("atomic_").unwrap_or(word);
        if PARTS.contains(&own) {
            parts.push(own);
        } else if own == "t" && word == "atomic_t" {
            parts.push("int");
        } else if let Some((_, integer)) = NAMES.iter().find(|(name, _)| *name == own) {
            whole = Some(*integer);
        }
    }
    if whole.is_some() || parts.is_empty() {
        return whole;
    }
    let has = |part: &str| parts.contains(&part);
    let is_signed = !has("unsigned");
    Some(match (has("char"), has("short"), has("long")) {
        (true, ..) if is_signed => Integer::Int8,
        (true, ..) => Integer::UInt8,
        (_, true, _) if is_signed => Integer::Int16,
        (_, true, _) => Integer::UInt16,
        (_, _, true) if is_signed => Integer::Int64,
        (_, _, true) => Integer::UInt64,
        _ if is_signed => Integer::Int32,
        _ => Integer::UInt32,
    })
}

/// Whether a word names an integer type alone.
pub(super) fn is_name(word: &str) -> bool {
    PARTS.contains(&word) || NAMES[..37].iter().any(|(name, _)| *name == word)
}

/// Whether a word names an atomic integer type alone.
pub(super) fn is_atomic_name(word: &str) -> bool {
    word.strip_prefix("atomic_")
        .is_some_and(|own| own == "t" || PARTS[2..].contains(&own) || NAMES.iter().any(|(name, _)| *name == own))
}

/// The type of a number, by its spelling: the first that it fits into of those that its base and suffix allow.
pub(super) fn of_literal(text: &str, value: i64) -> Integer {
    if text.starts_with('\'') {
        return Integer::Int32;
    }
    let lower = text.to_ascii_lowercase();
    let is_hexadecimal = lower.starts_with("0x");
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let is_decimal = !(is_hexadecimal || digits.len() > 1 && digits.starts_with('0'));
    let (unsigned, long) = (suffix.contains('u'), suffix.contains('l'));
    let fits = |integer: Integer| match integer {
        Integer::UInt64 => true,
        Integer::Int64 => value >= 0,
        _ => value >= 0 && integer.convert(value) == value,
    };
    let candidates = [Integer::Int32, Integer::UInt32, Integer::Int64, Integer::UInt64];
    let allowed = |integer: &Integer| {
        let wide_enough = !long || integer.bits() == 64;
        let signed_enough = if integer.is_signed() { !unsigned } else { unsigned || !is_decimal };
        wide_enough && signed_enough
    };
    // A decimal number beyond `long` has no type in C; compilers warn, and take this one.
    candidates.into_iter().filter(allowed).find(|integer| fits(*integer)).unwrap_or(Integer::UInt64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_types() {
        let of = |text: &str| named(text.split(' '));
        for (text, integer) in [
            ("int", Integer::Int32),
            ("unsigned", Integer::UInt32),
            ("long unsigned int", Integer::UInt64),
            ("long long", Integer::Int64),
            ("unsigned char", Integer::UInt8),
            ("char", Integer::Int8),
            ("short", Integer::Int16),
            ("volatile uint16_t", Integer::UInt16),
            ("atomic_uint_fast16_t", Integer::UInt64),
            ("atomic_uchar", Integer::UInt8),
            ("atomic_bool", Integer::Bool),
            ("atomic_flag", Integer::Bool),
            ("atomic_long", Integer::Int64),
            ("_Atomic _Bool", Integer::Bool),
        ] {
            assert_eq!(of(text), Some(integer), "{text}");
        }
        assert_eq!((of("volatile const"), of("void")), (None, None));
    }

    #[test]
    fn literals_have_the_first_type_that_they_fit_into() {
        for (text, value, integer) in [
            ("1", 1, Integer::Int32),
            ("2147483648", 1 << 31, Integer::Int64),
            ("0x80000000", 1 << 31, Integer::UInt32),
            ("0x7fffffff", i64::from(i32::MAX), Integer::Int32),
            ("0xffffffffffffffff", -1, Integer::UInt64),
            ("1u", 1, Integer::UInt32),
            ("4294967296u", 1 << 32, Integer::UInt64),
            ("1l", 1, Integer::Int64),
            ("1ull", 1, Integer::UInt64),
            ("020000000000", 1 << 31, Integer::UInt32),
            ("'a'", 97, Integer::Int32),
            ("0", 0, Integer::Int32),
        ] {
            assert_eq!(of_literal(text, value), integer, "{text}");
        }
    }
}
