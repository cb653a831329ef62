#!/bin/sh
# Runs a program of tests, which says how long each took: timed.sh PROGRAM ARGUMENT...
# The standard harness does so for who may use what is not stable; the one of `conformance` does not.
case $1 in
*/conformance-*) exec "$@" ;;
*) RUSTC_BOOTSTRAP=1 exec "$@" -Zunstable-options --report-time ;;
esac
