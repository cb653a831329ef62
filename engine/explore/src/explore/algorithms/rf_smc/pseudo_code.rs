//! RF-SMC as pseudo-code.

use crate::explore::Step;
use crate::explore::pseudo_code::{PseudoCode, lines};

pub(super) static PSEUDO_CODE: PseudoCode = PseudoCode(&[lines! {
    "VERIFY(P): EXTEND(initial writes, ∅)",
    "  return" => Step::Done,
    "EXTEND(X, marked): go on with a run of X",
    "  while some thread can go on:",
    "    perform a, the next event of the left-most one" => Step::AddEvent { .. },
    "    if a reads: rf(a) ← what memory holds" => Step::ChooseSource { .. },
    "  the other threads wait (⊥)" => Step::Block { .. },
    "  report each new error" => Step::Error { .. },
    "  report an uninitialised read, or else a data race" => Step::UninitialisedRead { .. } | Step::Race { .. },
    "  output the execution" => Step::Execution { .. } | Step::Duplicate,
    "  for each read r that is not marked:",
    "    for each w that r could read, or that could go first:",
    "      X' ← all before r, r, and the causal past of w",
    "      rf(r) ← w, or w goes first and takes rf(r)",
    "      if X' was asked for with r: skip w" => Step::AlreadyScheduled { .. },
    "      if X' has no run: skip w" => Step::NoWitness { .. },
    "      if that is undecided: skip w" => Step::WitnessUndecided { .. },
    "      else add X' to schedules[r]; mark its reads after r" => Step::Schedule { .. },
    "  for each new read r, the last one first:",
    "    while schedules[r] ≠ ∅: pop ⟨X', marked⟩; EXTEND" => Step::TakeSchedule { .. },
}]);
