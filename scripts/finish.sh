#!/bin/sh
# Trunk calls this after each build, before the site takes the place of the one before.
set -eu
scripts/optimise.sh
scripts/bundle.sh "$TRUNK_STAGING_DIR"
scripts/offline.sh "$TRUNK_STAGING_DIR"
