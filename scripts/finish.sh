#!/bin/sh
# Trunk calls this after each build, before the site takes the place of the one before.
set -eu
scripts/optimise.sh
scripts/offline.sh "$TRUNK_STAGING_DIR"
