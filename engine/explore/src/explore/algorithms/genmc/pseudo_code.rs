//! GenMC as pseudo-code. GenMC with co has the same lines, and some more.

use crate::explore::pseudo_code::{CONSISTENT, GROW, Line, PseudoCode, lines};
use crate::explore::{Direction, Step};

pub(super) static PSEUDO_CODE: PseudoCode = PseudoCode(&[
    VERIFY,
    GO_ON,
    VISIT,
    GROW,
    SOURCES,
    lines! {
        "REVISIT(w):",
    },
    REVISIT,
    CONSISTENT,
]);

/// VERIFY up to where an option of a read is taken.
pub(in super::super) const VERIFY: &[Line] = lines! {
    "VERIFY(P): G ← initial writes; T, S, U ← ∅; VISIT()",
    "  while some S[e] ≠ ∅; of these, e was added last:",
    "    drop T and U of all that was added after e",
    "    pop ⟨w, K⟩ from S[e]; G ← all before e, e, K; rf(e) ← w"
        => Step::TakeRevisit { .. } | Step::TakeSpurious { .. } | Step::TakeBlock { .. },
};

/// VERIFY from there on.
pub(in super::super) const GO_ON: &[Line] = lines! {
    "    if e writes: REVISIT(e); in any case VISIT()",
    "  return" => Step::Done,
};

/// The head of VISIT's loop.
pub(in super::super) const VISIT: &[Line] = lines! {
    "VISIT(): repeat",
};

/// What a new event chooses, and what it leaves for later.
pub(in super::super) const SOURCES: &[Line] = lines! {
    "  if a reads: add a to T",
    "    rf(a) ← the first w with cons(G), or else ⊥" => Step::ChooseSource { .. } | Step::Block { .. },
    "    push each other w, and ⊥, onto S[a]"
        => Step::PushForward { .. }
            | Step::PushSpurious { direction: Direction::Forward, .. }
            | Step::PushBlock { .. },
    "  if a writes: REVISIT(a)",
};

/// CALCREVISITS.
pub(in super::super) const REVISIT: &[Line] = lines! {
    "  for r ∈ T on loc(w), not porf-before w:",
    "    K ← what was added after r of the porf prefix of w",
    "    if ⟨w, K⟩ ∈ U[r]: skip r" => Step::AlreadyExplored { .. } | Step::SpuriousAlreadyExplored { .. },
    "    else push ⟨w, K⟩ onto S[r]; add it to U[r]"
        => Step::PushBackward { .. } | Step::PushSpurious { direction: Direction::Backward, .. },
};
