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
    said=$(mktemp -d)
    # Both at once, since the compiler does the last half of the page with a single thread.
    scripts/module.sh --loud 2>"$said/page" &
    module=$!
    nice cargo build --release --locked --package litmoscope-site 2>"$said/site" &
    site=$!
    trap 'kill "$module" "$site" 2>/dev/null || true; rm -rf "$said"' EXIT
    trap 'exit 1' HUP INT TERM
    crates() {
        cargo tree --locked --edges normal,build --prefix none "$@" 2>/dev/null | sort -u | wc -l
    }
    all=$(($(crates --package litmoscope-app --target wasm32-unknown-unknown) + $(crates --package litmoscope-site)))
    start=$(date +%s)
    next=0
    while kill -0 "$module" 2>/dev/null || kill -0 "$site" 2>/dev/null; do
        sleep 1
        took=$(($(date +%s) - start))
        begun=$(cat "$said/page" "$said/site" | grep -c '^ *Compiling ' || true)
        crate=$(tail -n 1 "$said/page" | sed -n 's/^ *Compiling \([^ ]*\).*/, now \1/p')
        line=$(printf '%d:%02d, crate %d of about %d%s' $((took / 60)) $((took % 60)) "$begun" "$all" "$crate")
        if [ -t 1 ]; then
            printf '\r\033[K%s' "$line"
        elif [ "$took" -ge "$next" ]; then
            echo "$line"
            next=$((took + 30))
        fi
    done
    [ ! -t 1 ] || echo
    # What went wrong is in what they said.
    wait "$module" || { cat "$said/page" >&2; exit 1; }
    wait "$site" || { cat "$said/site" >&2; exit 1; }
    trap - EXIT HUP INT TERM
    rm -rf "$said"
fi
# shellcheck disable=SC2086 # words
cargo build --profile "$profile" --quiet --locked $features --bin site
exec "${CARGO_TARGET_DIR:-target}/$profile/site" "$@"
