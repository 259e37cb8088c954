#!/usr/bin/env bash
# Installs the versions of Neovim for the tests of the plugin, from the oldest to the
# newest, into .tools/nvim, unless they are there already. They come from Debian and,
# where no release of Debian has the version, from Ubuntu if $UBUNTU_MIRROR names one of
# its mirrors, unpacked beside the system. On other systems the tests use the nvim in PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A version, and the release that has it.
versions=("0.10 trixie" "0.11 ubuntu/resolute" "0.12 forky")

for entry in "${versions[@]}"; do
  read -r version suite <<<"$entry"
  prefix=.tools/nvim/$version
  if [[ -f $prefix/.stamp && $(<"$prefix/.stamp") == "$entry" ]]; then
    continue
  fi
  if ! grep -qsx ID=debian /etc/os-release; then
    if ! command -v nvim >/dev/null; then
      echo "nvim is not in PATH; install Neovim 0.10 or later to test the plugin" >&2
      exit 1
    fi
    echo "this is not Debian: testing the plugin only in the nvim in PATH"
    exit 0
  fi
  if [[ $suite == ubuntu/* && -z ${UBUNTU_MIRROR:-} ]]; then
    echo "not testing in Neovim $version, which Debian lacks; set UBUNTU_MIRROR to a mirror of Ubuntu" >&2
    continue
  fi
  scripts/install-debian.mjs "$prefix" "$suite" neovim usr/bin/nvim
  echo "$entry" >"$prefix/.stamp"
done
