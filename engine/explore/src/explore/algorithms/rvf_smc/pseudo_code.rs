//! RVF-SMC as pseudo-code.

use crate::explore::Step;
use crate::explore::pseudo_code::{PseudoCode, lines};

pub(super) static PSEUDO_CODE: PseudoCode = PseudoCode(&[lines! {
    "VERIFY(P): CALL(initial writes, ∅, ∅)",
    "  return" => Step::Done,
    "CALL(run, GoodW, C):",
    "  perform what is no read, left-most thread first" => Step::AddEvent { .. },
    "    if it is an error: report it" => Step::Error { .. },
    "    signal to reads of outer calls that could read it" => Step::Signal { .. },
    "  if no read can go on: the other threads wait (⊥)" => Step::Block { .. },
    "    report an uninitialised read" => Step::UninitialisedRead { .. } | Step::Race { .. },
    "    output the execution" => Step::Execution { .. } | Step::Duplicate,
    "  for each next read r, those not in C first:" => Step::Turn { .. },
    "    group by value: writes that r sees, not in C(r)" => Step::Groups { .. },
    "    for each group W: VERIFYSC(X ∪ {r}, GoodW + (r ↦ W))",
    "      if there is no such run: skip W" => Step::NoWitness { .. },
    "      if that is undecided: skip W" => Step::WitnessUndecided { .. },
    "      else run' ← what it found" => Step::Witness { .. },
    "        CALL(run', GoodW + (r ↦ W), C)" => Step::Call { .. },
    "        remove what it added" => Step::Return { .. },
    "    C(r) ← all that is there" => Step::Offer { .. },
    "    if r was not in C, and no signal: return" => Step::Prune { .. },
}]);
