//! EPOR as pseudo-code.

use crate::explore::Step;
use crate::explore::pseudo_code::{PseudoCode, lines};

pub(super) static PSEUDO_CODE: PseudoCode = PseudoCode(&[lines! {
    "VERIFY(P): EXPLORE(ε, ∅)",
    "  return" => Step::Done,
    "EXPLORE(E, sleep): go on with the run E",
    "  if nothing can go on: the other threads wait (⊥)" => Step::Block { .. },
    "    report each new error" => Step::Error { .. },
    "    report an uninitialised read" => Step::UninitialisedRead { .. },
    "    output the execution" => Step::Execution { .. },
    "  if plan[E] = ∅: a section begins",
    "    if all that can go on is in sleep: drop E; return" => Step::SleepSetBlocked,
    "    of each p ∉ sleep, next events join while they may" => Step::JoinSection { .. },
    "    when no more may join: C ← its dependent pairs" => Step::EndSection { .. },
    "    for each way to put the pairs of C in order:",
    "      if it has a cycle: skip it" => Step::Unsatisfiable { .. },
    "      v ← its first solution; add v to plan[E]" => Step::Satisfiable { .. },
    "  for each p ∈ plan[E], then p ∈ todo[E] not in sleep:",
    "    perform e, the next event of p" => Step::AddEvent { .. },
    "    or cut the run to E and do so" => Step::TakeBacktrack { .. },
    "    for each d in a race with e, or with one that waits:",
    "      if p ∈ plan[E] and d is in the section of e: skip d",
    "      E' ← run before d; v ← what is not after d, then e",
    "      if v can begin with q ∈ plan[E'] ∪ todo[E']: skip d" => Step::AlreadyReversed { .. },
    "      else add the first process of v to todo[E']" => Step::Reversal { .. },
    "    EXPLORE(E·e, {q ∈ sleep | q independent of e})",
    "    add p to sleep",
}]);
