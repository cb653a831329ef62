#!/bin/sh
# An equality of RustSAT whose terms have a weight of 0.
#
# Seen with: rustsat 0.7.5, solved by rustsat-batsat 0.7.5.
# Expected: 0a + 1b = 1 is b, whatever a is: two of the four assignments of a and b satisfy it. Weights of 0 come of themselves where weights are
# costs.
# Seen instead: one of them does. The clauses that are made of it say something of a as well. 1a + 1b = 1, with two solutions, and 2a + 1b = 1, with one,
# are right.
# What helps: to leave out terms whose weight is 0 before the constraint is made.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'END'
[package]
name = "example"
version = "0.1.0"
edition = "2024"

[dependencies]
rustsat = "=0.7.5"
rustsat-batsat = "=0.7.5"
END
cat >src/main.rs <<'END'
use rustsat::instances::SatInstance;
use rustsat::solvers::{Solve, SolverResult};
use rustsat::types::Lit;
use rustsat::types::constraints::PbConstraint;
use rustsat_batsat::BasicSolver;

/// How many of the four assignments of two variables the solver takes.
fn satisfying(weights: [isize; 2], equals: isize) -> usize {
    let fix = |literal: Lit, on: bool| if on { literal } else { !literal };
    let is_taken = |bits: u32| {
        let mut instance: SatInstance = SatInstance::new();
        let (a, b) = (instance.new_lit(), instance.new_lit());
        instance.add_pb_constr(PbConstraint::new_eq([(a, weights[0]), (b, weights[1])], equals));
        instance.add_unit(fix(a, bits & 1 != 0));
        instance.add_unit(fix(b, bits & 2 != 0));
        let mut solver = BasicSolver::default();
        solver.add_cnf(instance.into_cnf().0).expect("it takes clauses");
        solver.solve().expect("it answers") == SolverResult::Sat
    };
    (0..4).filter(|bits| is_taken(*bits)).count()
}

fn main() {
    for (weights, equals) in [([1, 1], 1), ([2, 1], 1), ([0, 1], 1), ([0, 2], 2)] {
        println!("{}a + {}b = {equals}: {} of 4", weights[0], weights[1], satisfying(weights, equals));
    }
}
END
cargo build --quiet
cargo tree --quiet --depth 1 | sed -n '2,3p'
found=$(./target/debug/example)
echo "$found"
[ "$found" = "1a + 1b = 1: 2 of 4
2a + 1b = 1: 1 of 4
0a + 1b = 1: 1 of 4
0a + 2b = 2: 1 of 4" ]
