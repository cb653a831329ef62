#!/bin/sh
# Makes the site smaller; called by finish.sh. The page works without wasm-opt.
set -eu
[ "$TRUNK_PROFILE" = release ] || exit 0
command -v wasm-opt >/dev/null || exit 0
for file in "$TRUNK_STAGING_DIR"/*.wasm; do
    # Old versions refuse what they do not know: then the file stays as it is.
    if wasm-opt -O3 --enable-bulk-memory --enable-multivalue --enable-mutable-globals \
        --enable-nontrapping-float-to-int --enable-reference-types --enable-sign-ext \
        "$file" -o "$file.smaller" 2>/dev/null; then
        mv "$file.smaller" "$file"
    else
        rm -f "$file.smaller"
    fi
done
