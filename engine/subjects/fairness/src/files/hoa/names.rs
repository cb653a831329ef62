//! What conditions with names say, to hold `acc-name` against `Acceptance`.

use super::acceptance::{Condition, Marks};

/// Up to how many sets of marks all their combinations are looked at.
const MOST: u32 = 12;

/// Whether a condition with this name accepts a run that sees some sets of marks again and again, as bits. `None` for other names.
fn accepts(name: &str, seen: u32) -> Option<bool> {
    let sees = |set: u32| seen.checked_shr(set).is_some_and(|bits| bits & 1 == 1);
    let words: Vec<&str> = name.split_whitespace().collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u32>().ok()).filter(|count| *count <= MOST);
    Some(match words[..] {
        ["all"] => true,
        ["none"] => false,
        ["Buchi"] => sees(0),
        ["co-Buchi"] => !sees(0),
        ["generalized-Buchi", _] => (0..number(1)?).all(sees),
        ["generalized-co-Buchi", _] => (0..number(1)?).any(|set| !sees(set)),
        ["Streett", _] => (0..number(1)?).all(|pair| !sees(2 * pair) || sees(2 * pair + 1)),
        ["Rabin", _] => (0..number(1)?).any(|pair| !sees(2 * pair) && sees(2 * pair + 1)),
        ["parity", end @ ("min" | "max"), kind @ ("even" | "odd"), _] => {
            let count = number(3).filter(|count| *count > 0)?;
            let wins = |set: u32| set.is_multiple_of(2) == (kind == "even");
            let first =
                if end == "min" { (0..count).find(|set| sees(*set)) } else { (0..count).rev().find(|set| sees(*set)) };
            // Where nothing is seen, it is the last set of the formula that decides.
            let last = if end == "min" { count - 1 } else { 0 };
            first.map_or(!wins(last), wins)
        }
        _ => return None,
    })
}

/// Whether a condition is about complements.
fn has_complements(condition: &Condition) -> bool {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.iter().any(has_complements),
        Condition::Finitely(marks) | Condition::Infinitely(marks) => marks.is_negated,
    }
}

/// Whether a condition about so many sets is surely not what its name says.
pub(super) fn differs(condition: &Condition, sets: u32, name: &str) -> bool {
    if sets > MOST || has_complements(condition) {
        return false;
    }
    (0..1 << sets).any(|seen| {
        let sees = |marks: Marks| seen >> marks.set & 1 == 1;
        accepts(name, seen).is_some_and(|named| named != condition.accepts(&sees))
    })
}
