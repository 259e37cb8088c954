#!/usr/bin/env bash
# Checks the Go code and the Lua code. Run `make tools` first, or `make lint`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Directories with a leading dot are not ours.
unformatted=$(find . -path './.*' -prune -o -name node_modules -prune -o -name '*.go' -exec gofmt -l {} +)
if [[ -n $unformatted ]]; then
  printf 'not formatted, run gofmt -w on:\n%s\n' "$unformatted" >&2
  exit 1
fi
for os in linux darwin windows; do
  echo "go vet for $os"
  GOOS=$os go vet ./...
done
echo "staticcheck"
.tools/bin/staticcheck ./...
echo "stylua"
(cd extensions/neovim && ../../.tools/lua/node_modules/.bin/stylua --check .)
echo "luacheck"
(cd extensions/neovim && ../../scripts/luacheck.sh --quiet .)
