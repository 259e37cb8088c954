#!/usr/bin/env bash
# Installs mcp-hub, as test/bench/hub pins it, into .tools/bench, unless it is there already.
# make bench goes on without it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source=test/bench/hub
target=.tools/bench

stamp=$target/.stamp
want=$(git hash-object "$source/package.json" "$source/package-lock.json")
if [[ -f $stamp && $(<"$stamp") == "$want" ]]; then
  exit 0
fi
if ! command -v npm >/dev/null; then
  echo "npm is not in PATH: mcp-hub is not measured" >&2
  exit 0
fi
mkdir -p "$target"
rm -f "$stamp"
cp "$source/package.json" "$source/package-lock.json" "$target/"
# npm does not accept a prefix that leads through a symbolic link.
if scripts/retry.sh npm ci --prefix "$(cd "$target" && pwd -P)" --ignore-scripts --no-audit --no-fund --loglevel=error; then
  echo "$want" >"$stamp"
else
  rm -rf "$target/node_modules"
  echo "mcp-hub cannot be installed: it is not measured" >&2
fi
