//! TruSt as pseudo-code, without co and with it.

use crate::explore::pseudo_code::{CONSISTENT, GROW, Line, PseudoCode, lines};
use crate::explore::{Direction, Step};

pub(super) static PLAIN: PseudoCode = PseudoCode(&[
    VERIFY,
    GROW,
    WAIT,
    lines! {
        "    else rf(a) ← w, the first of its sources; VISIT(G)" => Step::ChooseSource { .. },
    },
    OTHERS,
    lines! {
        "  if a writes: VISIT(G)",
    },
    REVISIT,
    lines! {
        "      else rf(r) ← a; VISIT(G \\ D)"
            => Step::TakeRevisit { direction: Direction::Backward, .. }
                | Step::TakeSpurious { direction: Direction::Backward, .. },
    },
    ELSE,
    CONSISTENT,
    OPTIONS,
]);

pub(super) static WITH_CO: PseudoCode = PseudoCode(&[
    VERIFY,
    GROW,
    WAIT,
    lines! {
        "    else rf(a) ← w, the last in co; VISIT(G)" => Step::ChooseSource { .. },
    },
    OTHERS,
    lines! {
        "  if a writes: PLACE(G, a)",
    },
    REVISIT,
    lines! {
        "      else rf(r) ← a; PLACE(G \\ D, a)"
            => Step::TakeRevisit { direction: Direction::Backward, .. }
                | Step::TakeSpurious { direction: Direction::Backward, .. },
    },
    ELSE,
    lines! {
        "PLACE(G, a): put a last in co; VISIT(G)" => Step::PlaceWrite { .. },
        "  for each other place: put a there; VISIT(G)" => Step::TakePlacement { .. },
    },
    CONSISTENT,
    OPTIONS,
]);

const VERIFY: &[Line] = lines! {
    "VERIFY(P): VISIT(initial writes)",
    "  return" => Step::Done,
    "VISIT(G):",
};

const WAIT: &[Line] = lines! {
    "  if a reads (an RMW writes next, as an event of its own):",
    "    if a can wait: rf(a) ← ⊥; VISIT(G)" => Step::Block { .. },
};

const OTHERS: &[Line] = lines! {
    "    for each other w: rf(a) ← w; VISIT(G)"
        => Step::TakeRevisit { direction: Direction::Forward, .. }
            | Step::TakeSpurious { direction: Direction::Forward, .. },
};

const REVISIT: &[Line] = lines! {
    "    for r on loc(a), not porf-before a:",
    "      D ← all added after r but the porf prefix of a",
    "      if some e ∈ D ∪ {r} is not maximal: skip r" => Step::NotMaximal { .. },
};

const ELSE: &[Line] = lines! {
    "  otherwise: VISIT(G)",
};

const OPTIONS: &[Line] = lines! {
    "  if a thread waits in vain in G: leave G out" => Step::LeaveOut { .. },
    "  and so do symmetry and bounds, where they are chosen",
};
