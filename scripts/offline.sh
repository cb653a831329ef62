#!/bin/sh
# Completes the service worker of a built site with the names and hashes of its files: offline.sh FOLDER
set -eu
worker=$PWD/app/service-worker.js
cd "$1"
# As browsers want it to check what they fetch: base64 of the hash's bytes.
integrity() {
    # shellcheck disable=SC2059 # the bytes, written as \xHH
    env printf "$(sha256sum <"$1" | cut -d ' ' -f 1 | sed 's/../\\x&/g')" | base64
}
rm -f service-worker.js
# All files, before there are more.
files=$(find . -type f | sed 's|^\./||' | LC_ALL=C sort)
{
    echo "const FILES = {"
    echo "$files" | while read -r file; do
        name=$file
        # The page's address is that of its folder.
        [ "$name" != index.html ] || name=
        echo "  \"$name\": \"sha256-$(integrity "$file")\","
    done
    echo "};"
    cat "$worker"
} >service-worker.new
version=$(sha256sum <service-worker.new | cut -c 1-16)
{
    echo "const VERSION = \"$version\";"
    cat service-worker.new
} >service-worker.js
rm service-worker.new
