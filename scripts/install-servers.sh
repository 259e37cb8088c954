#!/usr/bin/env bash
# Installs the MCP servers that the tests talk to, as test/e2e/servers pins
# them, into .tools/servers, unless they are there already: those from npm into
# node_modules, those written in Go and gopls, which is one too, into bin.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source=test/e2e/servers
target=.tools/servers
mkdir -p "$target"

# installed STAMP TEXT: succeeds when the file STAMP contains TEXT.
installed() {
  [[ -f $1 && $(<"$1") == "$2" ]]
}

want=$(git hash-object "$source/package.json" "$source/package-lock.json")
if ! installed "$target/.stamp" "$want"; then
  if ! command -v npm >/dev/null; then
    echo "npm is not in PATH; install Node 20 or later, which the servers for the tests need" >&2
    exit 1
  fi
  rm -f "$target/.stamp"
  cp "$source/package.json" "$source/package-lock.json" "$target/"
  scripts/retry.sh npm ci --prefix "$target" --ignore-scripts --no-audit --no-fund --loglevel=error
  echo "$want" >"$target/.stamp"
fi

want=$(git hash-object "$source/go.mod" "$source/go.sum" && go env GOVERSION GOOS GOARCH)
if ! installed "$target/.stamp-go" "$want"; then
  rm -f "$target/.stamp-go"
  scripts/retry.sh go -C "$source" mod download
  GOBIN=$PWD/$target/bin go -C "$source" install -trimpath tool
  echo "$want" >"$target/.stamp-go"
fi

gopls=golang.org/x/tools/gopls@v0.23.0
want="$gopls $(go env GOVERSION GOOS GOARCH)"
if ! installed "$target/.stamp-gopls" "$want"; then
  rm -f "$target/.stamp-gopls"
  GOBIN=$PWD/$target/bin scripts/retry.sh go install -trimpath -ldflags=-s "$gopls"
  echo "$want" >"$target/.stamp-gopls"
fi
