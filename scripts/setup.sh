#!/bin/sh
# Installs what this machine lacks:
#     setup.sh page     to build the page
#     setup.sh tests    to run the tests as well
# Says what it installs and why, and nothing if everything is there.
set -eu
cd "$(dirname "$0")/.."
. scripts/toolchain.sh

say() {
    echo "setup: $*"
}

die() {
    echo "setup: $*" >&2
    exit 1
}

# Runs a command without its chatter, which is kept for whoever has to find out why it failed.
quietly() {
    # Whatever it leaves running does not keep the lock.
    "$@" >"$tools/setup.log" 2>&1 </dev/null 9>&-
}

# apt_install WHY PACKAGE...
apt_install() {
    why=$1
    shift
    command -v apt-get >/dev/null || die "please install $* ($why), because this machine has no apt-get to do it with."
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "please install $* ($why) as root, because there is no sudo to do it with."
        sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; } ||
            die "please install $* ($why) as root, because sudo does not let this user do it."
        as_root=sudo
    fi
    say "installing $* ($why)"
    # shellcheck disable=SC2086 # no word at all when root
    quietly $as_root apt-get update || true # a stale list may do; if not, the next line fails
    # Never at the cost of another package, such as the rustup that Debian has.
    # shellcheck disable=SC2086
    quietly $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-remove --no-install-recommends \
        -o DPkg::Lock::Timeout=600 "$@" ||
        die "apt-get cannot install $* ($why), see $tools/setup.log."
}

# npm_file WHY PACKAGE VERSION SHA256 MEMBER FILE
# Puts a member of an npm package into the tools folder. Nothing of the package runs before its hash is known to be right.
npm_file() {
    say "installing $2 $3 into $tools ($1)"
    command -v npm >/dev/null || apt_install "fetches $2" nodejs npm
    # A folder that nobody else knows: the file is there as a whole or not at all, whoever interrupts this.
    scratch=$(mktemp -d "$tools/scratch.XXXXXX")
    archive=$scratch/$2-$3.tgz
    (cd "$scratch" && quietly npm pack --ignore-scripts "$2@$3") && [ -f "$archive" ] ||
        die "npm cannot fetch $2 $3 ($1), see $tools/setup.log."
    found=$(sha256sum <"$archive" | cut -d ' ' -f 1)
    [ "$found" = "$4" ] || die "npm fetched another $2 $3 than expected, and it is deleted again: its SHA-256 is $found" \
        "instead of $4. Does 'npm config get registry' name a registry that you trust?"
    tar -xzOf "$archive" "package/$5" >"$scratch/file" || die "there is no $5 in $2 $3."
    mv "$scratch/file" "$tools/$6"
    rm -r "$scratch"
    scratch=
}

# Nothing to download where the compiler has the library already or Debian's can build it.
wasm_compiler() {
    if has_wasm_target || has_debian_compiler; then return; fi
    why="compiles for the browser"
    if command -v rustup >/dev/null; then
        say "installing rustup's target wasm32-unknown-unknown ($why)"
        quietly rustup target add wasm32-unknown-unknown && return
        say "rustup cannot download it, trying Debian's compiler and library sources instead"
    fi
    apt_install "$why" rustc-web cargo-web rust-web-src rust-web-llvm
    # The linker is a link to that of another package, which is only recommended and has the same name.
    [ -x /usr/bin/rust-lld ] || apt_install "links for the browser" "$(readlink /usr/bin/rust-lld)"
}

# cargo_component SUBCOMMAND COMPONENT WHY
cargo_component() {
    if cargo "$1" --version >/dev/null 2>&1; then return; fi
    shift
    say "installing $1 ($2)"
    quietly rustup component add "$1" || die "please install $1 ($2), because rustup cannot do it."
}

browser() {
    if command -v chromedriver >/dev/null && { command -v chromium || command -v google-chrome; } >/dev/null; then return; fi
    apt_install "runs the page in the tests" chromium chromium-driver
}

# The rules by which the tests judge whether everybody can use the page.
axe() {
    file=axe-core-$axe_version.min.js
    [ -f "$tools/$file" ] || npm_file "checks that everybody can use the page" axe-core "$axe_version" "$axe_sha256" \
        axe.min.js "$file"
    mkdir -p target
    cp "$tools/$file" target/axe.min.js
}

optimiser() {
    if has_binaryen; then return; fi
    why="makes the page smaller"
    command -v node >/dev/null || apt_install "runs Binaryen, which $why" nodejs npm
    npm_file "$why" binaryen "$binaryen_version" "$binaryen_sha256" index.js "${binaryen##*/}"
    has_binaryen || die "Binaryen $binaryen_version does not run with this Node.js, $(node --version 2>&1): please install a" \
        "newer one."
}

page() {
    command -v cargo >/dev/null || die "please install Rust first, for example with rustup."
    wanted=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
    found=$(rustc --version | cut -d ' ' -f 2)
    printf '%s\n' "$wanted" "$found" | sort -C -V || die "please install Rust $wanted or newer, this one is $found."
    wasm_compiler
    optimiser
}

mkdir -p "$tools"
scratch=
trap '[ -z "$scratch" ] || rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
# All clones of a user have one folder of tools: what one of them is installing, another waits for.
exec 9>"$tools/setup.lock"
if command -v flock >/dev/null; then
    flock --nonblock 9 || {
        say "waiting for another setup to end"
        flock 9
    }
    rm -rf "$tools"/scratch.* # of one that was killed
fi

case "${1-}" in
page) page ;;
tests)
    page
    cargo_component fmt rustfmt "checks the formatting"
    cargo_component clippy clippy "checks the code"
    browser
    axe
    ;;
*) die "say what for: setup.sh page, or setup.sh tests." ;;
esac
