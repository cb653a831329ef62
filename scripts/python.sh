#!/bin/sh
# The package for Python:
#     python.sh build   its wheel, in target/wheels
#     python.sh test    builds it, installs it into a fresh environment and runs its tests, types included
# Where there is no Python 3.10 with pip, or nothing can be fetched, `test` says so and leaves it out.
set -eu
cd "$(dirname "$0")/.."

skip() {
    echo "the Python package: skipped, $*"
    exit 0
}

needs=skip
[ "$1" = test ] || needs="die"
die() {
    echo "python.sh: $*" >&2
    exit 1
}

command -v python3 >/dev/null || $needs "there is no python3"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || $needs "python3 is older than 3.10"
folder=$PWD/target/python
wheels=$PWD/target/wheels
mkdir -p "$folder"
# Nothing of an environment before: what is tested is what was just built.
rm -rf "$folder/environment"
python3 -m venv "$folder/environment" >"$folder/log" 2>&1 || $needs "python3 -m venv fails, see $folder/log"
"$folder/environment/bin/pip" install --quiet --disable-pip-version-check --requirement python/requirements.txt >"$folder/log" 2>&1 ||
    $needs "pip can't fetch what python/requirements.txt names, see $folder/log"
profile=release
[ "$1" = build ] || profile=tests
rm -rf "$wheels"
# As clippy sees it, too. Nothing of what compiles the workspace holds here: it is another one.
env -u RUSTC_WORKSPACE_WRAPPER CARGO_TARGET_DIR="$folder" \
    "$folder/environment/bin/maturin" build --quiet --locked --profile "$profile" --manifest-path python/Cargo.toml --out "$wheels"
[ "$1" = test ] || exit 0
env -u RUSTC_WORKSPACE_WRAPPER CARGO_TARGET_DIR="$folder" \
    cargo clippy --quiet --locked --profile "$profile" --manifest-path python/Cargo.toml -- -D warnings
"$folder/environment/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps "$wheels"/*.whl
# Not from the folder of the sources, which has no engine.
cd "$folder"
"$folder/environment/bin/mypy" --config-file "$OLDPWD/python/pyproject.toml" --cache-dir "$folder/types" \
    "$OLDPWD/python/litmoscope" "$OLDPWD/python/tests"
"$folder/environment/bin/pytest" --quiet -p no:cacheprovider --doctest-modules --pyargs litmoscope
# What hangs is not waited for.
timeout 900 "$folder/environment/bin/pytest" --quiet -p no:cacheprovider --durations 3 "$OLDPWD/python/tests"
