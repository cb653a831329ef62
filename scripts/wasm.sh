#!/bin/sh
# Runs a command, usually cargo, with the compiler of the page: wasm.sh COMMAND...
set -eu
cd "$(dirname "$0")/.."
. scripts/toolchain.sh

# What the tests compile by is for native builds.
unset RUSTC_WORKSPACE_WRAPPER

# A folder of its own, because this compiler may not be the one of the native builds: they would undo each other's work.
export CARGO_TARGET_DIR=target/wasm-build
# Leptos forgets the types of views: a tenth of the module.
export RUSTFLAGS="${RUSTFLAGS-} --cfg erase_components -Clink-arg=--emit-relocs -Clink-arg=--no-merge-data-segments"
if ! has_wasm_target; then
    # Debian's compiler has no standard library for the browser and builds one, which wants permission.
    PATH=/usr/bin:$PATH
    export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_abort
fi
exec "$@"
