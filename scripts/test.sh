#!/bin/sh
# Every check and every test, or what one runs while working:
#     test.sh           all of them (`make test`)
#     test.sh quick     formatting, clippy, layers, and the unit tests of what differs from the last commit (`make check`)
# Says how long each part took and which tests were the slowest. Nothing fails for being slow.
#
# The page is linked by a single thread for minutes, so all else goes on beside it, browser tests beside other tests too. What the tests say
# comes last. All is compiled once: the profile `tests` (`Cargo.toml`) optimises only what most of the time is spent in (what explores, what
# draws, what counts allocations); all packages and features are compiled together, so that the site's program, the command line and the
# tests want the same; and clippy and rustdoc look at each package when it is compiled (`compile.sh`). Leptos forgets the types of views
# natively as well as in the page (`.cargo/config.toml`). `quick` compiles the unit tests of what was changed, and of nothing that depends
# on it. Layers are a package of their own (`tests/layers/`) that needs no other. `timed.sh` has each program say how long each test took.
set -eu
cd "$(dirname "$0")/.."

began=$(date +%s)
logs=$PWD/target/test-logs
rm -rf "$logs"
mkdir -p "$logs"
# What proptest makes up begins at a number of the sources', so that over time more of it is seen, and a run can be repeated.
seed=$(git rev-parse --verify --quiet --short=7 'HEAD^{tree}' || echo 0)
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED-$((0x$seed))}"
# All packages and all features everywhere, so that what one part has compiled is what the next one wants.
whole="--locked --workspace --all-features"

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

# compiled COMMAND...: a command of cargo that lints and documents the workspace's packages as it compiles them.
compiled() {
    # As `cargo clippy -- -D warnings` tells it. Cargo has to know: it compiles anew what was linted otherwise.
    CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__ \
        RUSTC_WORKSPACE_WRAPPER="$PWD/scripts/compile.sh" LITMOSCOPE_PROFILE=tests "$@"
}

compile() {
    # Not --all-targets: what has no tests would be compiled once more to run none.
    # shellcheck disable=SC2086 # words
    compiled cargo test --quiet --profile tests $whole --tests --no-run &&
        compiled cargo build --quiet --profile tests $whole --bins --examples --benches
}

# The page, the book and the atlas, of the module that was compiled beside all else.
site() {
    wait "$page" || {
        cat "$logs/module" >&2
        return 1
    }
    compiled scripts/site.sh build
}

# tests NAME ARGUMENT...: runs tests, and asks each program for the time of each of its tests.
tests() {
    name=$1
    shift
    host=$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')
    # shellcheck disable=SC2086 # words
    compiled env "CARGO_TARGET_${host}_RUNNER=$PWD/scripts/timed.sh" LITMOSCOPE_SITE="$PWD/dist" \
        cargo test --profile tests $whole --no-fail-fast "$@" >"$logs/$name" 2>&1
}

others() {
    failed=0
    tests others --lib --bin bench --test suite --test pool --test recorder --test conformance || failed=1
    tests examples --doc || failed=1
    return "$failed"
}

summary() {
    echo
    echo "The ten slowest tests, in seconds of wall time:"
    sed -n 's/^test \(.*\) \.\.\. ok <\([0-9.]*\)s>$/\2 \1/p' "$logs"/* | sort -rn | head -n 10 | sed 's/^/    /'
    echo "How long each part took, some of them beside others:"
    sed 's/^/    /' "$logs/phases"
    echo "    $(($(date +%s) - began)) s  all; the budget on two idle cores is 1200 s"
    echo "Random values began at PROPTEST_RNG_SEED=$PROPTEST_RNG_SEED, random programs at LITMOSCOPE_SEED=${LITMOSCOPE_SEED-0}."
}

# The packages with files that differ from the last commit.
changed() {
    { git diff --name-only HEAD && git ls-files --others --exclude-standard; } | while read -r file; do
        folder=$file
        while [ "$folder" != . ] && [ ! -f "$folder/Cargo.toml" ]; do folder=$(dirname "$folder"); done
        # Neither the workspace, nor what is apart from it.
        case $folder in . | fuzz | python) ;; *) sed -n '0,/^name = /s/^name = "\(.*\)"$/\1/p' "$folder/Cargo.toml" ;; esac
    done | sort -u
}

if [ "${1-}" = quick ]; then
    phase "formatting" format
    # shellcheck disable=SC2086 # words
    phase "clippy" cargo clippy --quiet --profile tests $whole --all-targets -- -D warnings
    libraries=$(changed | sed 's/^/--package /')
    # shellcheck disable=SC2086 # words
    phase "layers and unit tests" cargo test --quiet --profile tests --locked --all-features --lib \
        --package litmoscope-layers $libraries
    sed 's/^/    /' "$logs/phases"
    exit
fi

# Whoever stops this stops all that it began.
trap 'trap - TERM; kill 0' INT HUP TERM
phase "installing what is missing" scripts/setup.sh tests
scripts/versions.sh
phase "the page's module, beside what follows" scripts/module.sh >"$logs/module" 2>&1 &
page=$!
phase "formatting" format
phase "compiling, clippy and documentation" compile
phase "the other tests, beside what follows" others &
others=$!
phase "the Python package, beside what follows" scripts/python.sh test >"$logs/python" 2>&1 &
python=$!
wrong=0
{ phase "the site" site && phase "tests in a browser" tests browser --test browser; } || wrong=1
wait "$others" || wrong=1
wait "$python" || wrong=1
for log in browser others examples python; do
    [ ! -f "$logs/$log" ] || sed '/^$/d' "$logs/$log"
done
summary
exit "$wrong"
