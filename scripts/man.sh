#!/usr/bin/env bash
# Writes the man pages into a folder. They are made of the help of the commands, by a test of the
# program: what makes them is no part of it.
#
# Usage: man.sh DIR VERSION
set -euo pipefail
mkdir -p "$1"
dir=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
package=$(go list ./cmd/mcp-editord)
go test -count=1 -run '^TestMan$' -ldflags "-X $package.version=$2" "$package" -man "$dir"
