#!/usr/bin/env bash
# Installs the conformance suite of MCP, and the Node that it needs, as
# test/conformance/suite pins them, into .tools/conformance, unless they are there
# already. Of the packages with Node, npm takes the one for this machine.
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
  echo "npm is not in PATH: install Node 20 or later, npm brings the conformance suite" >&2
  exit 1
fi
mkdir -p "$target"
rm -f "$stamp"
cp "$source/package.json" "$source/package-lock.json" "$target/"
# npm does not take a prefix that leads through a symbolic link.
scripts/retry.sh npm ci --prefix "$(cd "$target" && pwd -P)" --ignore-scripts --no-audit --no-fund --loglevel=error
if ! "$target/node_modules/.bin/node" --version >/dev/null; then
  echo "no Node 22 for this machine among the packages of $source/package.json: add the one for it there" >&2
  exit 1
fi
echo "$want" >"$stamp"
