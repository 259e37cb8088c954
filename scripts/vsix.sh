#!/usr/bin/env bash
# Packages the VS Code extension. Build the JavaScript and install the dependencies
# of extensions/vscode first: see the Makefile.
#
#     vsix.sh VERSION FILE   without mcp-editord, which the extension then looks for in PATH
#     vsix.sh VERSION        the same as dist/mcp-editord.vsix, and one with mcp-editord for each platform
#
# VERSION is the version of mcp-editord, from git describe.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

# The platforms of the daemon, by their names in vsce.
targets=(linux-x64 linux-arm64 darwin-x64 darwin-arm64)

version=$1
# The Marketplace takes three numbers and nothing after them: those of the tag before this commit.
# The whole version goes into package.json as "build", which the extension writes into its log.
[[ ${version#v} =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*) ]] && numbers=${BASH_REMATCH[0]} || numbers=0.0.0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# package FILE [TARGET]
package() {
  local file stage=$work/package repository=https://github.com/mcp-editord/mcp-editord options=()
  mkdir -p "$(dirname "$1")"
  file=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
  rm -rf "$stage"
  mkdir -p "$stage/dist"
  # The package contains nothing else.
  cp LICENSE CHANGELOG.md "$stage/"
  (cd extensions/vscode && cp -R README.md package.json package.nls*.json l10n language media "$stage/" && cp dist/extension.js dist/markdown.js dist/NOTICES.txt "$stage/dist/")
  node -e 'const [file, build] = process.argv.slice(1), fs = require("node:fs");
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, "utf8")), build }, null, 2));' "$stage/package.json" "$version"
  if [[ -n ${2:-} ]]; then
    options=(--target "$2")
    local arch=${2#*-}
    CGO_ENABLED=0 GOOS=${2%-*} GOARCH=${arch/x64/amd64} \
      go build -trimpath -ldflags "-s -w -X main.version=$version" -o "$stage/bin/mcp-editord" ./cmd/mcp-editord
  fi
  (cd "$stage" && "$root/extensions/vscode/node_modules/.bin/vsce" package "$numbers" --out "$file" \
    --no-update-package-json --no-git-tag-version --no-dependencies \
    --baseContentUrl "$repository/blob/HEAD/extensions/vscode" --baseImagesUrl "$repository/raw/HEAD/extensions/vscode" \
    "${options[@]+"${options[@]}"}") >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
}

if (($# > 1)); then
  package "$2"
else
  package dist/mcp-editord.vsix
  for target in "${targets[@]}"; do
    package "dist/mcp-editord-$target.vsix" "$target"
  done
  du -h dist/*.vsix
fi
