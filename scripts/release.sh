#!/usr/bin/env bash
# Builds a release into dist/: of the tag on this commit if nothing has changed since, else of a
# version between tags. Run it with `make release`.
#
#     PUBLISH=1           publishes it on GitHub, with GITHUB_TOKEN; needs a tag
#     HOMEBREW_TAP        OWNER/REPOSITORY that then gets the formula, with HOMEBREW_TAP_TOKEN
#     AUR_KEY             SSH key of the account that then pushes the package to the AUR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# GoReleaser ignores the commit and its time in a repository without a remote.
if ! git ls-remote --get-url >/dev/null 2>&1; then
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url GIT_CONFIG_VALUE_0=https://github.com/mcp-editord/mcp-editord
fi

tag=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null || true)
if [[ -n $(git status --porcelain) ]]; then
  tag=
fi
skip=()
if [[ -z ${PUBLISH:-} ]]; then
  skip+=(publish)
elif [[ -z $tag ]]; then
  echo "only a commit with a tag vX.Y.Z and no changes since can be published; tag it" >&2
  exit 1
else
  [[ -n ${HOMEBREW_TAP:-} ]] || skip+=(homebrew)
  [[ -n ${AUR_KEY:-} ]] || skip+=(aur)
fi

options=(--clean)
if [[ -z $tag ]]; then
  options+=(--snapshot)
else
  # What CHANGELOG.md says under "## X.Y.Z" or "## [X.Y.Z] - DATE".
  mkdir -p bin
  awk -v version="${tag#v}" '$1 == "##" { on = $2 == version || $2 == "[" version "]"; next } on' CHANGELOG.md >bin/release-notes.md
  if ! grep -q . bin/release-notes.md; then
    echo "CHANGELOG.md has no section \"## ${tag#v}\"; rename the one of what is unreleased" >&2
    exit 1
  fi
  options+=(--release-notes bin/release-notes.md)
fi
if ((${#skip[@]})); then
  options+=(--skip "$(IFS=, && echo "${skip[*]}")")
fi
.tools/bin/goreleaser release "${options[@]}"
cp bin/release/vscode/mcp-editord.vsix dist/
