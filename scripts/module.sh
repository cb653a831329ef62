#!/bin/sh
# Compiles the page's module: module.sh
set -eu
cd "$(dirname "$0")/.."
exec scripts/wasm.sh cargo build --locked --quiet --profile wasm --target wasm32-unknown-unknown \
    --package litmoscope-app --bin litmoscope-app
