//! Random runs as pseudo-code.

use crate::explore::Step;
use crate::explore::pseudo_code::{PseudoCode, lines};

pub(super) static PSEUDO_CODE: PseudoCode = PseudoCode(&[lines! {
    "SAMPLE(P): repeat as often as wanted:",
    "  G ← {initial writes}" => Step::BeginRun { .. },
    "  while some thread can go on:",
    "    choose such a thread, at random or by priority",
    "    add its next event a to G" => Step::AddEvent { .. },
    "    if a reads: take a random write that leaves G consistent" => Step::ChooseSource { .. } | Step::TakeSpurious { .. },
    "      if none is known: skip G" => Step::Undecided | Step::Drop,
    "  for each thread that waits: add its operation" => Step::Block { .. },
    "  if G was found before: go on with the next run" => Step::Repeated { .. },
    "  report each error of G" => Step::Error { .. },
    "  report an uninitialised read, or else a data race" => Step::UninitialisedRead { .. } | Step::Race { .. },
    "  output G" => Step::Execution { .. },
    "return" => Step::Done,
}]);
