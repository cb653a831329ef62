#!/bin/sh
# Says what builds the page and what tests it.
set -eu
cd "$(dirname "$0")/.."
. scripts/toolchain.sh

# The compiler of the page may be another one than that of the tests.
# shellcheck disable=SC2016 # wasm.sh decides what RUSTC is
page=$(scripts/wasm.sh sh -c '"${RUSTC:-rustc}" --version')
bindgen=$(sed -n '/^name = "wasm-bindgen"$/{n;s/^version = "\(.*\)"$/\1/p;}' Cargo.lock)
browser=$({ chromium --version || google-chrome --version; } 2>/dev/null || true)
driver=$(chromedriver --version 2>/dev/null | cut -d ' ' -f 1,2 || true)
echo "Page:  $page, wasm-bindgen $bindgen"
echo "       Binaryen $binaryen_version, Node.js $(node --version)"
echo "Tests: $(rustc --version), $(cargo --version)"
echo "       ${browser:-no browser}, ${driver:-no chromedriver}, axe-core $axe_version"
