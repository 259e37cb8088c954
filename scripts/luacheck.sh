#!/usr/bin/env bash
# Runs the luacheck that scripts/install-lua-tools.sh has installed, else the one in PATH.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

own=$root/.tools/lua/luacheck
if [[ ! -x $own/bin/lua5.1 ]]; then
  exec luacheck "$@"
fi
libraries=("$own"/root/usr/lib/*-linux-gnu/lua/5.1)
export LUA_PATH="$own/root/usr/share/lua/5.1/?.lua;$own/root/usr/share/lua/5.1/?/init.lua"
export LUA_CPATH="${libraries[0]}/?.so"
exec "$own/bin/lua5.1" "$own/root/usr/bin/luacheck" "$@"
