#!/usr/bin/env bash
# Installs StyLua and luacheck into .tools/lua, unless they are there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stylua=2.5.2
target=.tools/lua

stamp=$target/.stamp
want="stylua $stylua, luacheck of bookworm"
if [[ -f $stamp && $(<"$stamp") == "$want" ]]; then
  exit 0
fi
mkdir -p "$target"
rm -f "$stamp"
scripts/retry.sh npm install --prefix "$target" --no-save --no-audit --no-fund --loglevel=error "@johnnymorganz/stylua-bin@$stylua"
if grep -qsx ID=debian /etc/os-release; then
  scripts/install-debian.mjs "$target/luacheck" bookworm lua-check usr/bin/lua5.1
elif ! command -v luacheck >/dev/null; then
  echo "install luacheck: the plugin is checked by it" >&2
  exit 1
fi
echo "$want" >"$stamp"
