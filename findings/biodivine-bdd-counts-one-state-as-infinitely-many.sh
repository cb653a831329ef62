#!/bin/sh
# Bdd::cardinality() of biodivine-lib-bdd, of a set that has one element.
#
# Seen with: biodivine-lib-bdd 0.6.3.
# Expected: the number is an approximation in floating point, so large sets may come out as infinite; but a set with a single element has 1,
# however many variables there are.
# Seen instead: 1 with 1,024 variables, and infinity with 1,025: what is infinite on the way stays so. `exact_cardinality` says 1.
# What helps: `exact_cardinality`, or to ask whether a set is a single valuation.
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
use biodivine_lib_bdd::BddVariableSet;

fn main() {
    for count in [1024, 1025] {
        let set = BddVariableSet::new_anonymous(count);
        let single = set.variables().into_iter().fold(set.mk_true(), |all, variable| all.and(&set.mk_var(variable)));
        println!("{count} variables: {}, exactly {}", single.cardinality(), single.exact_cardinality());
    }
}
END
cargo build --quiet
cargo tree --quiet --depth 1 | sed -n 2p
found=$(./target/debug/example)
echo "$found"
[ "$found" = "1024 variables: 1, exactly 1
1025 variables: inf, exactly 1" ]
