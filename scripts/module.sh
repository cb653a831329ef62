#!/bin/sh
# Compiles the page's module: module.sh [--loud], where cargo says what it compiles.
set -eu
cd "$(dirname "$0")/.."
quiet=--quiet
[ "${1-}" != --loud ] || quiet=
# shellcheck disable=SC2086 # no word at all
exec scripts/wasm.sh cargo build --locked $quiet --profile wasm --target wasm32-unknown-unknown \
    --package litmoscope-app --bin litmoscope-app
