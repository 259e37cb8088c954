#!/usr/bin/env bash
# Installs the linters into .tools/bin, unless they are there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Go's checksum database has the hash of each version, so everybody gets the same
# download for this number.
staticcheck=v0.8.2

# A linter built with another Go may not understand the code, so Go is part of the stamp.
stamp=.tools/bin/.stamp
want="staticcheck $staticcheck, $(go version)"
if [[ -f $stamp && $(<"$stamp") == "$want" ]]; then
  exit 0
fi
mkdir -p .tools/bin
rm -f "$stamp"
GOBIN="$PWD/.tools/bin" scripts/retry.sh go install "honnef.co/go/tools/cmd/staticcheck@$staticcheck"
echo "$want" >"$stamp"
