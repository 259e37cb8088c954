#!/usr/bin/env bash
# Runs a command that downloads, up to three times.
# Usage: retry.sh command argument...
set -euo pipefail

for attempt in 1 2 3; do
  if "$@"; then
    exit 0
  fi
  echo "attempt $attempt of 3 failed: $*" >&2
  if ((attempt < 3)); then
    sleep "$((attempt * 2))"
  fi
done
exit 1
