//! GenMC with co as pseudo-code: GenMC's lines, and those that place writes. Under WRA alone, a new read-modify-write is placed
//! before its other sources are pushed, not behind.

use crate::explore::Step;
use crate::explore::algorithms::genmc::pseudo_code::{GO_ON, REVISIT, SOURCES, VERIFY, VISIT};
use crate::explore::pseudo_code::{CONSISTENT, GROW, PseudoCode, lines};

pub(super) static PSEUDO_CODE: PseudoCode = PseudoCode(&[
    VERIFY,
    lines! {
        "      or, if w is a place: e comes after w in co" => Step::TakePlacement { .. },
    },
    GO_ON,
    VISIT,
    GROW,
    SOURCES,
    lines! {
        "REVISIT(w): if w has no place in co: put w last" => Step::PlaceWrite { .. },
        "    push each other place onto S[w]" => Step::PushPlacement { .. },
    },
    REVISIT,
    CONSISTENT,
]);
