#!/usr/bin/env bash
# Installs GoReleaser into .tools/bin, unless it is there already. Go's checksum database has the
# hash of the version.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=v2.13.3
module=github.com/goreleaser/goreleaser/v2
if go version -m .tools/bin/goreleaser 2>/dev/null | grep -q "$module.$version"; then
  exit 0
fi
mkdir -p .tools/bin
GOBIN="$PWD/.tools/bin" scripts/retry.sh go install "$module@$version"
