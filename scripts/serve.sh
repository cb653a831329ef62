#!/usr/bin/env bash
# Builds the page, serves it until interrupted, and builds it again when a file changes.
set -eu
cd "$(dirname "$0")/.."
port=${PORT:-8080}

answers() {
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null
}

if answers; then
    echo "Port $port is taken: end the program that has it, or choose another with 'make run PORT=8081'." >&2
    exit 1
fi
echo "Building the page (takes some minutes the first time)"
{
    until answers; do sleep 0.2; done
    echo "Litmoscope is at http://127.0.0.1:$port/"
} &
waiting=$!
trap 'kill "$waiting" 2>/dev/null || true' EXIT
scripts/wasm.sh trunk serve --release --quiet --port "$port"
