//! VC-DPOR as pseudo-code, and DC-DPOR.

use crate::explore::Step;
use crate::explore::pseudo_code::{Line, PseudoCode, lines};

pub(super) static BY_VALUE: PseudoCode = PseudoCode(&[
    CALL,
    lines! {
        "    output the trace; return" => Step::Execution { .. } | Step::Duplicate,
    },
    ORDER,
    lines! {
        "      for each v that new writes of one side have:",
        "        good(r) ← all of them with value v; EXTEND" => Step::ExtendRead { .. },
    },
    END,
]);

pub(super) static BY_WRITE: PseudoCode = PseudoCode(&[
    CALL,
    lines! {
        "    output the trace, if its execution is new; return" => Step::Execution { .. } | Step::Repeated { .. } | Step::Duplicate,
    },
    ORDER,
    lines! {
        "      for each new write w:",
        "        good(r) ← {w}; EXTEND" => Step::ExtendRead { .. },
    },
    END,
]);

const CALL: &[Line] = lines! {
    "VERIFY(P): CALL(∅, C), nothing offered; return" => Step::Done,
    "CALL(Q, C): σ ← a witness of Q" => Step::EnterCall { .. },
    "  append to σ what threads do before they read" => Step::AddEvent { .. },
    "    if it is an error: report it" => Step::Error { .. },
    "  if no thread waits for a read: it is maximal",
    "    threads that wait for a mutex wait for good (⊥)" => Step::Block { .. },
    "    report an uninitialised read, or else a data race" => Step::UninitialisedRead { .. } | Step::Race { .. },
};

const ORDER: &[Line] = lines! {
    "  if no new write is there for any read: return" => Step::DeadEnd,
    "  for each Q' of EXTEND(Q, what was appended):",
    "    for each read r that comes next, the root's first:",
};

const END: &[Line] = lines! {
    "        for each Q'' of EXTEND(Q', r): CALL(Q'', C)",
    "      C(r) ← all writes that are there" => Step::OfferAll { .. },
    "EXTEND(Q, e): if e, e' conflict, both outside the root:",
    "    e' before e, or e before e'" => Step::OrderPair { .. },
    "  close Q by the rules; without a closure: drop Q" => Step::NoClosure { .. },
};
