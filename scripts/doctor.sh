#!/bin/sh
# Says what this machine has of what the page and its tests need, what it lacks, and what `make run` or `make test` would install of that.
# Changes nothing. Fails where something is missing that they can't install.
set -eu
cd "$(dirname "$0")/.."
. scripts/toolchain.sh

left=0

there() {
    printf 'there    %s\n' "$*"
}

# missing WHO HOW WHAT...: what installs it, and as what.
missing() {
    printf 'missing  %s: %s installs %s\n' "$3" "$1" "$2"
}

# lacking WHAT HOW
lacking() {
    printf 'missing  %s: please install %s\n' "$1" "$2"
    left=1
}

# Whether packages of the system can be installed; says so, once, where they can't.
has_apt() {
    command -v apt-get >/dev/null && { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; }
}

# packages WHO WHAT PACKAGE...
packages() {
    who=$1 what=$2
    shift 2
    if has_apt; then missing "$who" "the packages $*" "$what"; else lacking "$what" "$* as root"; fi
}

if command -v cargo >/dev/null && command -v rustc >/dev/null; then
    wanted=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
    found=$(rustc --version | cut -d ' ' -f 2)
    if printf '%s\n' "$wanted" "$found" | sort -C -V; then
        there "Rust $found ($wanted or newer is needed)"
    else
        lacking "Rust $wanted or newer (this one is $found)" "a newer one, for example with rustup"
    fi
else
    lacking "Rust" "it, for example with rustup"
fi

echo "the page"
if has_wasm_target; then
    there "the compiler's library for the browser"
elif has_debian_compiler; then
    there "Debian's compiler for the browser"
elif command -v rustup >/dev/null; then
    missing "make run" "rustup's target wasm32-unknown-unknown, or Debian's rust-web packages where rustup can't download" \
        "a compiler for the browser"
else
    packages "make run" "a compiler for the browser" rustc-web cargo-web rust-web-src rust-web-llvm
fi
if command -v node >/dev/null; then
    there "Node.js $(node --version 2>/dev/null || true), which runs Binaryen"
else
    packages "make run" "Node.js, which runs Binaryen" nodejs npm
fi
if has_binaryen; then
    there "Binaryen $binaryen_version, which makes the page smaller"
else
    missing "make run" "npm's package binaryen $binaryen_version into $tools" "Binaryen, which makes the page smaller"
fi

echo "the tests"
for component in fmt:rustfmt clippy:clippy; do
    if cargo "${component%%:*}" --version >/dev/null 2>&1; then
        there "${component##*:}"
    elif command -v rustup >/dev/null; then
        missing "make test" "rustup's component ${component##*:}" "${component##*:}"
    else
        lacking "${component##*:}" "it with what has installed Rust"
    fi
done
if command -v chromedriver >/dev/null && { command -v chromium || command -v google-chrome; } >/dev/null; then
    there "a browser and its driver, which run the page"
else
    packages "make test" "a browser and its driver, which run the page" chromium chromium-driver
fi
if [ -f "$tools/axe-core-$axe_version.min.js" ]; then
    there "axe-core $axe_version, which checks that everybody can use the page"
else
    missing "make test" "npm's package axe-core $axe_version into $tools" "axe-core, which checks that everybody can use the page"
fi

echo "the Python package"
if command -v python3 >/dev/null && python3 -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    there "$(python3 --version 2>/dev/null || true), which builds and tests it"
else
    # Nothing else needs it.
    printf 'without  %s\n' "Python 3.10 or newer with venv: make test leaves the package out, and make python needs it (python3-venv)"
fi

free=$(df -Pk . | awk 'NR == 2 { print int($4 / 1048576) }')
echo "space"
if [ "$free" -ge 5 ]; then
    there "$free GiB are free (make run needs about 2, make test about 4)"
else
    printf 'little   %s GiB are free: make run needs about 2, make test about 4\n' "$free"
fi
exit "$left"
