#!/bin/sh
# Memo::track() of reactive_graph (the signals of Leptos) on a memo that nobody has read.
#
# Seen with: reactive_graph 0.2.16.
# Expected: an effect that tracks a memo runs again when what the memo is made of changes, as one that tracks a signal does, and as
# one that reads the memo does: `track` is said to subscribe the present scope to it.
# Seen instead: a memo is computed when it is first read, and knows its sources only from then on. An effect that only tracks
# it runs once, and never again. The same memo, read somewhere before, wakes it.
# What helps: to read the memo in the effect, if only by `with(|_| ())`.
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
reactive_graph = { version = "=0.2.16", features = ["effects"] }
END
cat >src/main.rs <<'END'
use reactive_graph::computed::Memo;
use reactive_graph::effect::ImmediateEffect;
use reactive_graph::owner::Owner;
use reactive_graph::prelude::*;
use reactive_graph::signal::RwSignal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How often an effect runs if the signal behind a memo is set twice.
fn runs(look: fn(Memo<i32>), read_before: bool) -> u32 {
    let owner = Owner::new();
    owner.set();
    let signal = RwSignal::new(0);
    let memo = Memo::new(move |_| signal.get());
    if read_before {
        memo.get_untracked();
    }
    let count = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&count);
    let effect = ImmediateEffect::new(move || {
        look(memo);
        counted.fetch_add(1, Ordering::Relaxed);
    });
    signal.set(1);
    signal.set(2);
    drop(effect);
    count.load(Ordering::Relaxed)
}

fn main() {
    println!("reads it: {}", runs(|memo| { memo.get(); }, false));
    println!("tracks it: {}", runs(|memo| memo.track(), false));
    println!("tracks it, read before: {}", runs(|memo| memo.track(), true));
}
END
cargo build --quiet
cargo tree --quiet --depth 1 | sed -n 2p
found=$(./target/debug/example)
echo "$found"
[ "$found" = "reads it: 3
tracks it: 1
tracks it, read before: 3" ]
