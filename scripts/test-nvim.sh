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
# Each waits most of its time, so they run side by side. Those but the last show what they say once they have ended.
run() { "$1" -u NONE -i NONE -l extensions/neovim/tests/run.lua "${@:2}"; }
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT
jobs=()
last=$((${#programs[@]} - 1))
for ((i = 0; i < last; i++)); do
  run "${programs[i]}" "$@" >"$said/$i" 2>&1 &
  jobs+=("$!")
done
status=0
run "${programs[last]}" "$@" || status=1
for ((i = 0; i < last; i++)); do
  wait "${jobs[i]}" || status=1
  cat "$said/$i"
done
exit "$status"
