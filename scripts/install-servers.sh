#!/usr/bin/env bash
# Installs the MCP servers that the tests talk to, as internal/e2e/servers pins
# them, into .tools/servers, unless they are there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source=internal/e2e/servers
target=.tools/servers

stamp=$target/.stamp
want=$(git hash-object "$source/package.json" "$source/package-lock.json")
if [[ -f $stamp && $(<"$stamp") == "$want" ]]; then
  exit 0
fi
if ! command -v npm >/dev/null; then
  echo "npm is not in PATH: install Node 20 or later, the tests talk to servers written for it" >&2
  exit 1
fi
mkdir -p "$target"
rm -f "$stamp"
cp "$source/package.json" "$source/package-lock.json" "$target/"
scripts/retry.sh npm ci --prefix "$target" --ignore-scripts --no-audit --no-fund --loglevel=error
echo "$want" >"$stamp"
