#!/usr/bin/env bash
# Installs the agents that the tests run with mcp-editord mcp, as
# test/e2e/agents pins them, into .tools/agents, unless they are there already.
# They take about 1.1 GB, so nothing but `make agents` asks for them: the tests
# leave out what is not there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source=test/e2e/agents
target=.tools/agents

stamp=$target/.stamp
want=$(git hash-object "$source/package.json")
if [[ -f $stamp && $(<"$stamp") == "$want" ]]; then
  exit 0
fi
if ! command -v npm >/dev/null; then
  echo "npm is not in PATH; install Node 20 or later, whose npm installs the agents" >&2
  exit 1
fi
mkdir -p "$target"
rm -f "$stamp"
cp "$source/package.json" "$target/"
rm -f "$target/package-lock.json"
# npm does not accept a prefix that leads through a symbolic link. The agents' own
# scripts choose the program for this machine. They have no other dependencies, so
# there is no lock file.
scripts/retry.sh npm install --prefix "$(cd "$target" && pwd -P)" --no-audit --no-fund --loglevel=error
for agent in claude codex opencode; do
  HOME=$PWD/$target "$target/node_modules/.bin/$agent" --version
done
echo "$want" >"$stamp"
