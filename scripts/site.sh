#!/bin/sh
# Builds the page, or builds and serves it: site.sh build, site.sh serve [PORT]. The program that does so is in `site/`.
set -eu
cd "$(dirname "$0")/.."
[ -x "${CARGO_TARGET_DIR:-target}/release/site" ] || echo "Compiling what builds the page (about a minute, once)"
exec cargo run --release --quiet --locked --package litmoscope-site -- "$@"
