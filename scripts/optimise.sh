#!/bin/sh
# Makes the site smaller; called by finish.sh. The page works without wasm-opt.
set -eu
[ "$TRUNK_PROFILE" = release ] || exit 0
command -v wasm-opt >/dev/null || exit 0
for file in "$TRUNK_STAGING_DIR"/*.wasm; do
    # The compiler has inlined what is worth it: to inline more makes the file larger, and nothing faster.
    # Old versions refuse what they do not know: then the file stays as it is.
    if wasm-opt -O3 --always-inline-max-function-size=1 --flexible-inline-max-function-size=1 \
        --one-caller-inline-max-function-size=1 --enable-bulk-memory --enable-multivalue --enable-mutable-globals \
        --enable-nontrapping-float-to-int --enable-reference-types --enable-sign-ext \
        "$file" -o "$file.smaller" 2>/dev/null; then
        mv "$file.smaller" "$file"
    else
        rm -f "$file.smaller"
    fi
done
