#!/bin/sh
# Makes the parts of the page's module smaller: optimise.sh FOLDER SMALLER
set -eu
cd "$(dirname "$0")/.."
. scripts/toolchain.sh

die() {
    echo "$*" >&2
    exit 1
}

# A page that was built otherwise would not be the one that is tested.
has_wasm_opt || die "The page needs wasm-opt ${binaryen_version%%.*}, and $wasm_opt is not there or does not run:" \
    "install it with 'scripts/setup.sh page'."
# What several parts share is in many small pieces, of which little can be left out: to start wasm-opt takes longer.
find "$1" -name '*.wasm' -size -16 -exec cp '{}' "$2" ';'
# The compiler has inlined what is worth it: to inline more makes the file larger, and nothing faster.
find "$1" -name '*.wasm' ! -size -16 -exec basename '{}' ';' | xargs -P "$(nproc)" -I '{}' \
    node "$wasm_opt" -O3 --always-inline-max-function-size=1 --flexible-inline-max-function-size=1 \
    --one-caller-inline-max-function-size=1 --enable-bulk-memory --enable-multivalue --enable-mutable-globals \
    --enable-nontrapping-float-to-int --enable-reference-types --enable-sign-ext "$1/{}" -o "$2/{}" ||
    die "wasm-opt failed on a part of $1, for the reason above: does it know all that the compiler uses?"
