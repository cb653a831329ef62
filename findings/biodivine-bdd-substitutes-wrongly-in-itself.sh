#!/bin/sh
# Bdd::substitute() of biodivine-lib-bdd with a function that mentions the variable it stands for.
#
# Seen with: biodivine-lib-bdd 0.6.3.
# Expected: `not a`, where a becomes `a and not b`, is `not a or b`. The documentation of `substitute` says that the variable may occur in
# the function, and is then a different one, as in a substitution in a text.
# Seen instead: `not a`, without a word. Of all 512 substitutions among functions of two variables, 20 are wrong, each with a function that
# mentions the variable and the other one. Where the function does not mention it, all are right.
# What helps: a relational product with a second variable, or to rename first by hand.
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
biodivine-lib-bdd = "=0.6.3"
END
cat >src/main.rs <<'END'
use biodivine_lib_bdd::{Bdd, BddValuation, BddVariableSet};

/// The function of two variables with this table of values.
fn function(set: &BddVariableSet, table: u32) -> Bdd {
    let variables = set.variables();
    (0..4).filter(|row| table >> row & 1 == 1).fold(set.mk_false(), |all, row| {
        let literal = |at: usize| set.mk_literal(variables[at], row >> at & 1 == 1);
        all.or(&literal(0).and(&literal(1)))
    })
}

fn value(f: &Bdd, row: u32) -> bool {
    f.eval_in(&BddValuation::new(vec![row & 1 == 1, row >> 1 & 1 == 1]))
}

fn main() {
    let set = BddVariableSet::new_anonymous(2);
    let variables = set.variables();
    let (mut wrong, mut without, mut all) = (0, 0, 0);
    for of in 0..16 {
        for by in 0..16 {
            for at in 0..2 {
                let (f, g) = (function(&set, of), function(&set, by));
                let found = f.substitute(variables[at], &g);
                let is_right = (0..4).all(|row| {
                    let changed = row & !(1 << at) | u32::from(value(&g, row)) << at;
                    value(&found, row) == value(&f, changed)
                });
                all += 1;
                wrong += u32::from(!is_right);
                without += u32::from(!is_right && !g.support_set().contains(&variables[at]));
            }
        }
    }
    println!("wrong: {wrong} of {all}, {without} without the variable");
    let (a, b) = (set.mk_var(variables[0]), set.mk_var(variables[1]));
    let found = a.not().substitute(variables[0], &a.and_not(&b));
    println!("not a or b: {}, not a: {}", found == a.not().or(&b), found == a.not());
}
END
cargo build --quiet
cargo tree --quiet --depth 1 | sed -n 2p
found=$(./target/debug/example)
echo "$found"
[ "$found" = "wrong: 20 of 512, 0 without the variable
not a or b: false, not a: true" ]
