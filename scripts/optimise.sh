#!/bin/sh
# Makes the parts of the page's module smaller: optimise.sh FOLDER SMALLER
# `scripts/setup.sh` installs Binaryen from npm, where it is WebAssembly itself. So one version, held against its hash, makes the same module
# on every machine.
set -eu
cd "$(dirname "$0")/.."
. scripts/toolchain.sh

die() {
    echo "$*" >&2
    exit 1
}

# A page that was built otherwise would not be the one that is tested.
has_binaryen || die "The page needs Binaryen $binaryen_version, and $binaryen is not there or does not run:" \
    "install it with 'scripts/setup.sh page'."
node scripts/optimise.mjs "$binaryen" "$1" "$2" ||
    die "Binaryen failed on a part of $1, for the reason above: does it know all that the compiler uses?"
