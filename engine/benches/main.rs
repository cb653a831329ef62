//! Benchmarks of single operations and of how searches grow, in one program: `make bench`.
//!
//! One program, since each takes seconds to compile; words behind `--` choose by name. A bench that claims a ratio measures its
//! baseline in the same run.

use criterion::criterion_main;

mod consistency;
mod executions;
mod exploration;
mod graphs;
mod histories;
mod layout;
mod operations;
mod relations;
mod session;
mod traces;
mod witnesses;

criterion_main!(
    consistency::all,
    exploration::all,
    histories::all,
    layout::all,
    operations::all,
    relations::all,
    session::all,
    traces::all,
    witnesses::all
);
