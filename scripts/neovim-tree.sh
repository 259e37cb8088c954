#!/usr/bin/env bash
# Writes the plugin for Neovim as a tree of its own, whose root is what plugin managers and Neovim
# expect there. What is in DIR is replaced.
#
# Usage: neovim-tree.sh DIR
set -euo pipefail

rm -rf "$1"
mkdir -p "$1"
target=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cp LICENSE "$target/"
cd extensions/neovim
# The folders that the program has for `mcp-editord install neovim`.
read -ra folders < <(sed -n 's/all://g; s|^//go:embed ||p' embed.go)
cp -R README.md "${folders[@]}" "$target/"
