//! TruSt with messages as pseudo-code, without co and with it.

use crate::explore::pseudo_code::{CONSISTENT, GROW, Line, PseudoCode, lines};
use crate::explore::{Direction, Step};

pub(super) static PLAIN: PseudoCode = PseudoCode(&[
    VERIFY,
    GROW,
    LAST,
    READ,
    lines! {
        "    else src(a) ← the first by name; VISIT(G)" => Step::ChooseSource { .. },
    },
    OTHERS,
    lines! {
        "  if a writes or posts: VISIT(G)",
    },
    REVISIT,
    lines! {
        "      else src(r) ← a; VISIT(G \\ D)"
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
        "    else src(a) ← the co-last w, or first post; VISIT(G)" => Step::ChooseSource { .. },
    },
    OTHERS,
    lines! {
        "  if a writes: PLACE(G, a); if a posts: VISIT(G)",
    },
    REVISIT,
    lines! {
        "      else src(r) ← a; the same with G \\ D"
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
    "  (a get last, and only where a message waits)",
};

const READ: &[Line] = lines! {
    "  if a reads or gets (src is rf of a read, pb of a get):",
    "    if a can wait: src(a) ← ⊥; VISIT(G)" => Step::Block { .. },
};

const OTHERS: &[Line] = lines! {
    "    for each other w or post: src(a) ← it; VISIT(G)"
        => Step::TakeRevisit { direction: Direction::Forward, .. }
            | Step::TakeSpurious { direction: Direction::Forward, .. },
};

const REVISIT: &[Line] = lines! {
    "    for r on loc(a), or get r of the handler of a,",
    "    that is not porf-before a:",
    "      D ← all added after r but the porf prefix of a",
    "      if some e ∈ D ∪ {r} is not maximal: skip r" => Step::NotMaximal { .. },
};

const ELSE: &[Line] = lines! {
    "  otherwise: VISIT(G)",
};
