# shellcheck shell=sh
# Sourced by the other scripts, from the top of the repository: the tools that build the page, and where they are.
# shellcheck disable=SC2034 # used where this file is sourced

trunk_version=0.21.14
# The command has to match the crate exactly, so Cargo.lock decides.
wasm_bindgen_version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/^version = "\(.*\)"$/\1/p;}' Cargo.lock)
axe_version=4.10.3
axe_sha256=0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292

# One folder for all clones of a user: building these tools takes minutes.
tools=${LITMOSCOPE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/litmoscope/tools}

# Whether the compiler has a standard library for the browser.
has_wasm_target() {
    [ -d "$(rustc --print sysroot 2>/dev/null)/lib/rustlib/wasm32-unknown-unknown/lib" ]
}

# Whether Debian's compiler and linker are there with the sources to build such a library from.
has_debian_compiler() {
    states=$(dpkg-query -W -f '${db:Status-Status} ' rustc-web cargo-web rust-web-src 2>/dev/null)
    [ "$states" = "installed installed installed " ] && [ -x /usr/bin/rust-lld ]
}
