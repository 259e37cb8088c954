#!/usr/bin/env bash
# Checks the Go, Lua and TypeScript code. Run it with `make lint`, which installs what it needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Directories with a leading dot are not ours.
unformatted=$(find . -path './.*' -prune -o -name node_modules -prune -o -name '*.go' -exec gofmt -l {} +)
if [[ -n $unformatted ]]; then
  printf 'these files are not formatted; run gofmt -w on them:\n%s\n' "$unformatted" >&2
  exit 1
fi
for os in linux darwin windows; do
  echo "go vet for $os"
  GOOS=$os go vet ./...
done
echo "flake.nix"
scripts/vendor-hash.mjs --check
echo "staticcheck"
.tools/bin/staticcheck ./...
echo "stylua"
(cd extensions/neovim && ../../.tools/lua/node_modules/.bin/stylua --check .)
echo "luacheck"
(cd extensions/neovim && ../../scripts/luacheck.sh --quiet .)
echo "tsc and biome"
(cd extensions/vscode && npm --loglevel=error run -s check)
echo "npm audit"
status=0
report=$(cd extensions/vscode && npm audit --omit=dev --json 2>/dev/null) || status=$?
if [[ $report != *auditReportVersion* ]]; then
  # Only this check needs a network, and a registry with advisories.
  echo "npm audit: NOT CHECKED, the npm registry did not answer" >&2
elif ((status != 0)); then
  printf '%s\n' "$report" >&2
  exit 1
fi
