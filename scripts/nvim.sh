#!/usr/bin/env bash
# Runs the newest Neovim that scripts/install-nvim.sh has installed, else the one in PATH.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

newest=nvim
for program in "$root"/.tools/nvim/*/bin/nvim; do
  [[ -x $program ]] && newest=$program
done
exec "$newest" "$@"
