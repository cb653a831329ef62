//! Brute force as pseudo-code.

use crate::explore::Step;
use crate::explore::pseudo_code::{PseudoCode, lines};

pub(super) static PSEUDO_CODE: PseudoCode = PseudoCode(&[lines! {
    "VERIFY(P): L ← ∅; W ← {initial writes}",
    "  while W ≠ ∅: remove some G from W",
    "    for each thread that can go on:",
    "      for each source of its next event:",
    "        add G with that event to W, if it is new",
    "    if no thread can go on: append G to L",
    "    if there are too many graphs: give up" => Step::TooManyCandidates,
    "  for each G in L:" => Step::Candidate { .. },
    "    drop G if no co meets all axioms," => Step::Drop,
    "      or if a mutex or channel is used against its rules",
    "    if that is undecided: skip G" => Step::Undecided,
    "    otherwise report each error of G" => Step::Error { .. },
    "      report an uninitialised read, or else a data race" => Step::UninitialisedRead { .. } | Step::Race { .. },
    "      output G" => Step::Execution { .. } | Step::Duplicate,
    "  return" => Step::Done,
}]);
