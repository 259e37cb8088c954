#!/usr/bin/env bash
# Installs the Neovims that the plugin is tested in into .tools/nvim, the oldest and
# the newest, unless they are there already. They are Debian's, unpacked beside the
# system; where there is no Debian the tests use the nvim in the PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Version, and the release of Debian that has it.
versions=("0.10 trixie" "0.12 forky")

for entry in "${versions[@]}"; do
  read -r version suite <<<"$entry"
  prefix=.tools/nvim/$version
  if [[ -f $prefix/.stamp && $(<"$prefix/.stamp") == "$entry" ]]; then
    continue
  fi
  if ! grep -qsx ID=debian /etc/os-release; then
    if ! command -v nvim >/dev/null; then
      echo "install Neovim 0.10 or later: the plugin is tested in it" >&2
      exit 1
    fi
    echo "this is no Debian: the plugin is tested only in the nvim of the PATH"
    exit 0
  fi
  scripts/install-debian.mjs "$prefix" "$suite" neovim usr/bin/nvim
  echo "$entry" >"$prefix/.stamp"
done
