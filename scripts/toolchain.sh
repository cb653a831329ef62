# shellcheck shell=sh
# Sourced by the other scripts, from the top of the repository: the tools that build the page, and where they are.
# shellcheck disable=SC2034 # used where this file is sourced

# npm's package of Binaryen: the same WebAssembly on every machine, which Node.js runs.
binaryen_version=132.0.0
binaryen_sha256=6543555fb29bb92548f325c7dc18e9ab7dbb1215edda25993d1e3f71d85b8618
axe_version=4.10.3
axe_sha256=0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292

# One folder for all clones of a user.
tools=${LITMOSCOPE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/litmoscope/tools}
case $tools in
/*) ;;
*) tools=$PWD/$tools ;;
esac
# Never a wasm-opt that lies on the PATH: another version makes another page.
binaryen=$tools/binaryen-$binaryen_version.mjs

# Whether this very Binaryen is there, and Node.js can load it.
has_binaryen() {
    [ -f "$binaryen" ] && node "$PWD/scripts/optimise.mjs" "$binaryen" >/dev/null 2>&1
}

# Whether the compiler has a standard library for the browser.
has_wasm_target() {
    [ -d "$(rustc --print sysroot 2>/dev/null)/lib/rustlib/wasm32-unknown-unknown/lib" ]
}

# Whether Debian's compiler and linker are there with the sources to build such a library from.
has_debian_compiler() {
    states=$(dpkg-query -W -f '${db:Status-Status} ' rustc-web cargo-web rust-web-src 2>/dev/null)
    [ "$states" = "installed installed installed " ] && [ -x /usr/bin/rust-lld ]
}
