#!/usr/bin/env bash
# Packages the VS Code extension. Build the JavaScript and install the dependencies
# of extensions/vscode first: see the Makefile.
#
#     vsix.sh VERSION FILE             without mcp-editord, which the extension then looks for in PATH
#     vsix.sh VERSION TARGET PROGRAM   dist/mcp-editord-TARGET.vsix, with PROGRAM as its mcp-editord
#     vsix.sh VERSION                  dist/mcp-editord.vsix without mcp-editord, and one with it for each platform
#
# VERSION is the version of mcp-editord, from git describe. Two runs write the same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

# The platforms of the daemon, by their names in vsce.
targets=(linux-x64 linux-arm64 darwin-x64 darwin-arm64)

version=$1
# The Marketplace takes three numbers and nothing after them: those of the tag before this commit.
# The whole version goes into package.json as "build", which the extension writes into its log.
[[ ${version#v} =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*) ]] && numbers=${BASH_REMATCH[0]} || numbers=0.0.0

# vsce gives the files this time and a fixed order; a zip has local times, and modes as they are on disk.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}
export SOURCE_DATE_EPOCH TZ=UTC
umask 022

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# program TARGET FILE: builds mcp-editord
program() {
  local arch=${1#*-}
  CGO_ENABLED=0 GOOS=${1%-*} GOARCH=${arch/x64/amd64} \
    go build -trimpath -ldflags "-s -w -buildid= -X main.version=$version" -o "$2" ./cmd/mcp-editord
}

# package FILE [TARGET PROGRAM]
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
  if (($# > 1)); then
    options=(--target "$2")
    mkdir -p "$stage/bin"
    install -m 755 "$3" "$stage/bin/mcp-editord"
  fi
  chmod -R u=rwX,go=rX "$stage"
  (cd "$stage" && "$root/extensions/vscode/node_modules/.bin/vsce" package "$numbers" --out "$file" \
    --no-update-package-json --no-git-tag-version --no-dependencies \
    --baseContentUrl "$repository/blob/HEAD/extensions/vscode" --baseImagesUrl "$repository/raw/HEAD/extensions/vscode" \
    "${options[@]+"${options[@]}"}") >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
}

case $# in
  3) package "dist/mcp-editord-$2.vsix" "$2" "$3" ;;
  2) package "$2" ;;
  1)
    package dist/mcp-editord.vsix
    for target in "${targets[@]}"; do
      program "$target" "$work/mcp-editord"
      package "dist/mcp-editord-$target.vsix" "$target" "$work/mcp-editord"
    done
    du -h dist/*.vsix
    ;;
esac
