#!/usr/bin/env bash
# Makes the plugin for Neovim the next commit of its own repository on GitHub, with the tag TAG.
# $GH_TOKEN may write there; without one nothing happens.
#
# Usage: push-neovim-tree.sh OWNER/REPOSITORY TAG
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ -z ${GH_TOKEN:-} ]]; then
  echo "not pushing the plugin to $1: there is no GH_TOKEN" >&2
  exit 0
fi
gh auth setup-git
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet "https://github.com/$1" "$work/repository"
scripts/neovim-tree.sh "$work/tree"
mv "$work/repository/.git" "$work/tree/"
cd "$work/tree"
git add --all
# A tag on a commit that leaves the plugin as it was is a version too.
git -c user.name=mcp-editord -c user.email=mcp-editord@users.noreply.github.com commit --quiet --allow-empty --message "${2#v}"
git tag "$2"
git push --quiet --atomic origin HEAD "$2"
