#!/usr/bin/env bash
# Runs the tests of the plugin in every Neovim that scripts/install-nvim.sh has
# installed, else in the one in PATH. Arguments go to extensions/neovim/tests/run.lua.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export MCP_EDITORD=$PWD/bin/race/mcp-editord
export FAKESERVER_BIN=$PWD/bin/race/fakeserver
export AUTHSERVER_BIN=$PWD/bin/race/authserver
export MCP_EDITORD_TEST_SERVERS=${MCP_EDITORD_TEST_SERVERS:-$PWD/.tools/servers/node_modules}

programs=()
for program in .tools/nvim/*/bin/nvim; do
  [[ -x $program ]] && programs+=("$PWD/$program")
done
if ((${#programs[@]} == 0)); then
  programs=("$(command -v nvim)")
fi
status=0
for program in "${programs[@]}"; do
  "$program" -u NONE -i NONE -l extensions/neovim/tests/run.lua "$@" || status=1
done
exit "$status"
