#!/usr/bin/env bash
# Installs MCP's conformance suite, and the Node that it needs, into
# .tools/conformance, unless they are there already. test/conformance/suite pins
# both. npm takes the package of Node for this machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source=test/conformance/suite
target=.tools/conformance

stamp=$target/.stamp
want=$(git hash-object "$source/package.json" "$source/package-lock.json")
if [[ -f $stamp && $(<"$stamp") == "$want" ]]; then
  exit 0
fi
if ! command -v npm >/dev/null; then
  echo "npm is not in PATH; install Node 20 or later, whose npm installs the conformance suite" >&2
  exit 1
fi
mkdir -p "$target"
rm -f "$stamp"
cp "$source/package.json" "$source/package-lock.json" "$target/"
# npm does not accept a prefix that leads through a symbolic link.
scripts/retry.sh npm ci --prefix "$(cd "$target" && pwd -P)" --ignore-scripts --no-audit --no-fund --loglevel=error
if ! "$target/node_modules/.bin/node" --version >/dev/null; then
  echo "$source/package.json has no Node 22 for this machine; add the package for it" >&2
  exit 1
fi
echo "$want" >"$stamp"
