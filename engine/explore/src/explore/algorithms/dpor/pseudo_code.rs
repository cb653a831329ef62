//! Source-DPOR and Optimal-DPOR as pseudo-code.

use crate::explore::Step;
use crate::explore::pseudo_code::{PseudoCode, lines};

pub(super) static SOURCE: PseudoCode = PseudoCode(&[lines! {
    "VERIFY(P): EXPLORE(ε, ∅)",
    "  return" => Step::Done,
    "EXPLORE(E, sleep): go on with the run E",
    "  if all that can go on is in sleep: drop E; return" => Step::SleepSetBlocked,
    "  if nothing can go on: the other threads wait (⊥)" => Step::Block { .. },
    "    report each new error" => Step::Error { .. },
    "    report an uninitialised read" => Step::UninitialisedRead { .. },
    "    output the execution" => Step::Execution { .. },
    "  todo[E] ← {a process that can go on, not in sleep}",
    "  while some p ∈ todo[E] is not in sleep:",
    "    perform e, the next event of p" => Step::AddEvent { .. },
    "    or put the next store of buffer p into memory" => Step::Commit { .. },
    "    or cut the run to E and do so" => Step::TakeBacktrack { .. },
    "    for each d in a race with e (or with one that waits):",
    "      E' ← the run before d",
    "      v ← what is not after d, then e",
    "      if v can begin with some q ∈ todo[E']: skip d" => Step::AlreadyReversed { .. },
    "      else add the first process of v to todo[E']" => Step::Reversal { .. },
    "    at the end: d's success, asleep, behind a read" => Step::OtherOutcome { .. },
    "    EXPLORE(E·e, {q ∈ sleep | q independent of e})",
    "    add p to sleep",
}]);

pub(super) static OPTIMAL: PseudoCode = PseudoCode(&[lines! {
    "VERIFY(P): EXPLORE(ε, ∅, ∅)",
    "  return" => Step::Done,
    "EXPLORE(E, sleep, tree): go on with the run E",
    "  if nothing can go on: the other threads wait (⊥)" => Step::Block { .. },
    "    report each new error" => Step::Error { .. },
    "    report an uninitialised read" => Step::UninitialisedRead { .. },
    "    output the execution" => Step::Execution { .. },
    "    for d, e in a race, e new or waiting:",
    "      E' ← the run before d",
    "      v ← all of E that is not after d, then e",
    "      if v can begin with a sleeper of E'," => Step::AlreadyReversed { .. },
    "      or with what a branch of tree[E'] does: skip d",
    "      else add v to tree[E']" => Step::Reversal { .. },
    "    the same for v ← all not after d, then d's other way" => Step::OtherOutcome { .. },
    "  tree[E] ← tree; if empty: a process that can go on",
    "  while tree[E] ≠ ∅: take its first branch, p",
    "    perform e, the next event of p" => Step::AddEvent { .. },
    "    or put the next store of buffer p into memory" => Step::Commit { .. },
    "    or cut the run to E and do so" => Step::TakeBacktrack { .. },
    "    EXPLORE(E·e, {q ∈ sleep | q independent of e}, rest)",
    "    add p to sleep",
}]);
