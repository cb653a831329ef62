#!/bin/sh
# Builds the page, or builds and serves it: site.sh build, site.sh serve [PORT]. The program that does so is in `site/`.
set -eu
cd "$(dirname "$0")/.."
# The tests have a profile of their own, and want what they have compiled already.
profile=${LITMOSCOPE_PROFILE:-release}
features="--package litmoscope-site"
[ "$profile" = release ] || features="--workspace --all-features"
if [ ! -x "${CARGO_TARGET_DIR:-target}/$profile/site" ] && [ "$profile" = release ]; then
    echo "Compiling the page, and the program that builds it (once; usually 4 minutes on two cores)"
    # Both at once, since the compiler does the last half of the page with a single thread.
    scripts/module.sh &
    module=$!
    trap 'kill "$module" 2>/dev/null || true' EXIT
    trap 'exit 1' HUP INT TERM
    nice cargo build --release --quiet --locked --package litmoscope-site
    wait "$module"
    trap - EXIT HUP INT TERM
fi
# shellcheck disable=SC2086 # words
cargo build --profile "$profile" --quiet --locked $features --bin site
exec "${CARGO_TARGET_DIR:-target}/$profile/site" "$@"
