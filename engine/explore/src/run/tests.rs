//! What several threads find is what one finds. Their schedules are another matter: `tests/tests/pool/`.

mod judging;
