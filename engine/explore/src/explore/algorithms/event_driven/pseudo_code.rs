//! TruSt with messages as pseudo-code, without co and with it.

use crate::explore::pseudo_code::{CONSISTENT, GROW, Line, PseudoCode, lines};
use crate::explore::{Direction, Step};

pub(super) static PLAIN: PseudoCode = PseudoCode(&[
    VERIFY,
    GROW,
    LAST,
    READ,
    lines! {
        "    else rf(a) ← w of the greatest name, or pb(a) ← the first post; VISIT(G)" => Step::ChooseSource { .. },
    },
    OTHERS,
    lines! {
        "  if a writes or posts: VISIT(G)",
    },
    REVISIT,
    lines! {
        "      else rf(r) ← a, or pb(r) ← a; VISIT(G \\ D)"
            => Step::TakeRevisit { direction: Direction::Backward, .. }
                | Step::TakeSpurious { direction: Direction::Backward, .. },
    },
    ELSE,
    CONSISTENT,
]);

pub(super) static WITH_CO: PseudoCode = PseudoCode(&[
    VERIFY,
    GROW,
    LAST,
    READ,
    lines! {
        "    else rf(a) ← w, the last in co, or pb(a) ← the first post; VISIT(G)" => Step::ChooseSource { .. },
    },
    OTHERS,
    lines! {
        "  if a writes: PLACE(G, a); if it posts: VISIT(G)",
    },
    REVISIT,
    lines! {
        "      else rf(r) ← a: PLACE(G \\ D, a); or pb(r) ← a: VISIT(G \\ D)"
            => Step::TakeRevisit { direction: Direction::Backward, .. }
                | Step::TakeSpurious { direction: Direction::Backward, .. },
    },
    ELSE,
    lines! {
        "PLACE(G, a): put a last in co; VISIT(G)" => Step::PlaceWrite { .. },
        "  for each other place: put a there; VISIT(G)" => Step::TakePlacement { .. },
    },
    CONSISTENT,
]);

const VERIFY: &[Line] = lines! {
    "VERIFY(P): VISIT(initial writes)",
    "  return" => Step::Done,
    "VISIT(G):",
};

const LAST: &[Line] = lines! {
    "  (a get only where a message waits and nothing else is left)",
};

const READ: &[Line] = lines! {
    "  if a reads or gets:",
    "    if a can wait: rf(a) ← ⊥; VISIT(G)" => Step::Block { .. },
};

const OTHERS: &[Line] = lines! {
    "    for each other w or waiting post: take it; VISIT(G)"
        => Step::TakeRevisit { direction: Direction::Forward, .. }
            | Step::TakeSpurious { direction: Direction::Forward, .. },
};

const REVISIT: &[Line] = lines! {
    "    for r on loc(a), or get r of a's handler, not porf-before a:",
    "      D ← all behind r but the porf prefix of a",
    "      if some e ∈ D ∪ {r} is not maximal: skip r" => Step::NotMaximal { .. },
};

const ELSE: &[Line] = lines! {
    "  otherwise: VISIT(G)",
};
