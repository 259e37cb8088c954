#!/usr/bin/env bash
# Puts what goes along with the program in a release into bin/release: man pages, completions, both
# plugins. GoReleaser runs it (.goreleaser.yaml). VERSION is that of the release.
#
# Usage: release-files.sh VERSION
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=$1
target=bin/release
if ! command -v npm >/dev/null; then
  echo "npm is not in PATH: install Node 20 or later, a release has the extension for VS Code" >&2
  exit 1
fi
# Files that others may not read would be so in the packages.
umask 022
rm -rf "$target"
mkdir -p "$target"/{man,completions,neovim,vscode}

program=bin/release-host/mcp-editord
go build -trimpath -ldflags "-X main.version=$version" -o "$program" ./cmd/mcp-editord
scripts/man.sh "$target/man" "$version"
gzip -9n "$target"/man/*.1
"$program" completion bash >"$target/completions/mcp-editord.bash"
"$program" completion zsh >"$target/completions/_mcp-editord"
"$program" completion fish >"$target/completions/mcp-editord.fish"

scripts/neovim-tree.sh "$target/neovim/mcp-editord.nvim"
make --no-print-directory VERSION="$version" extensions/vscode/dist/mcp-editord.vsix
cp extensions/vscode/dist/mcp-editord.vsix "$target/vscode/"
cp LICENSE README.md CHANGELOG.md "$target/"
