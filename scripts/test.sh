#!/bin/sh
# Every check and every test, or what one runs while working:
#     test.sh           all of them (`make test`)
#     test.sh quick     formatting, clippy, layers, and the unit tests of what differs from the last commit (`make check`)
# Says how long each part took and which tests were the slowest. Nothing fails for being slow.
#
# The page is linked by a single thread for minutes, so all else goes on beside it. The tests come last, so that their results end
# the output.
set -eu
cd "$(dirname "$0")/.."

began=$(date +%s)
logs=$PWD/target/test-logs
rm -rf "$logs"
mkdir -p "$logs"
# What is compiled here is optimised for being there soon (Cargo.toml).
export LITMOSCOPE_PROFILE=tests
# All packages and all features everywhere, so that what one part has compiled is what the next one wants.
whole="--profile tests --locked --workspace --all-features"

# phase WHAT COMMAND...: runs it and notes how long it took.
phase() {
    what=$1
    shift
    start=$(date +%s)
    failed=0
    "$@" || failed=$?
    echo "$(($(date +%s) - start)) s  $what" >>"$logs/phases"
    return "$failed"
}

format() {
    # Not cargo fmt, which does not see the modules that a macro declares.
    git ls-files -z '*.rs' | xargs -0 -n 150 -P 2 rustfmt --check --edition 2024
}

documents() {
    floors="litmoscope litmoscope-core litmoscope-explore litmoscope-draw litmoscope-labs litmoscope-recorder"
    # shellcheck disable=SC2046,SC2086 # words
    RUSTDOCFLAGS="-D warnings" cargo doc --profile tests --quiet --locked --no-deps --lib --all-features \
        $(printf ' --package %s' $floors)
}

lint() {
    # shellcheck disable=SC2086 # words
    cargo clippy --quiet $whole --all-targets -- -D warnings
}

# Runs tests by a command that asks each program for the time of each of its tests.
timed() {
    host=$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')
    env "CARGO_TARGET_${host}_RUNNER=$PWD/scripts/timed.sh" "$@"
}

in_browser() {
    # shellcheck disable=SC2086 # words
    LITMOSCOPE_SITE="$PWD/dist" timed cargo test $whole --no-fail-fast --test browser >"$logs/browser" 2>&1
}

elsewhere() {
    # shellcheck disable=SC2086 # words
    timed cargo test $whole --no-fail-fast --lib --bins --examples --test suite --test pool --test recorder \
        --test conformance 2>&1 && cargo test $whole --no-fail-fast --doc 2>&1
}

summary() {
    echo
    echo "The ten slowest tests, in seconds of wall time:"
    sed -n 's/^test \(.*\) \.\.\. ok <\([0-9.]*\)s>$/\2 \1/p' "$logs"/* | sort -rn | head -n 10 | sed 's/^/    /'
    echo "How long each part took, some of them beside others:"
    sed 's/^/    /' "$logs/phases"
    echo "    $(($(date +%s) - began)) s  all; the budget on two idle cores is 1200 s"
}

# The packages with files that differ from the last commit.
changed() {
    { git diff --name-only HEAD && git ls-files --others --exclude-standard; } | while read -r file; do
        folder=$file
        while [ "$folder" != . ] && [ ! -f "$folder/Cargo.toml" ]; do folder=$(dirname "$folder"); done
        # Neither the workspace, nor what is apart from it.
        case $folder in . | fuzz) ;; *) sed -n '0,/^name = /s/^name = "\(.*\)"$/\1/p' "$folder/Cargo.toml" ;; esac
    done | sort -u
}

if [ "${1-}" = quick ]; then
    phase "formatting" format
    phase "clippy" lint
    libraries=$(changed | sed 's/^/--package /')
    # shellcheck disable=SC2086 # words
    [ -z "$libraries" ] || phase "unit tests" cargo test --profile tests --quiet --locked --all-features --lib $libraries
    # shellcheck disable=SC2086 # words
    phase "layers" cargo test --quiet $whole --test suite layers
    sed 's/^/    /' "$logs/phases"
    exit
fi

page=
# Whoever stops this stops all that it began.
trap 'trap - TERM; kill 0' INT HUP TERM
phase "installing what is missing" scripts/setup.sh tests
scripts/versions.sh
phase "the page's module, beside what follows" scripts/module.sh >"$logs/module" 2>&1 &
page=$!
phase "formatting" format
phase "clippy" lint
phase "documentation" documents
# shellcheck disable=SC2086 # words
phase "compiling the tests" cargo test --quiet $whole --no-run
wait "$page" || {
    cat "$logs/module" >&2
    exit 1
}
phase "the site" scripts/site.sh build
failed=0
# The browser has the machine for itself: what it shows is waited for.
phase "tests in a browser" in_browser || failed=1
cat "$logs/browser"
phase "the other tests" elsewhere >"$logs/others" || failed=1
sed '/^$/d' "$logs/others"
summary
exit "$failed"
