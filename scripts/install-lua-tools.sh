#!/usr/bin/env bash
# Installs StyLua, as scripts/stylua pins it, and luacheck into .tools/lua, unless they
# are there already. The package of StyLua for this machine contains the program.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source=scripts/stylua
target=.tools/lua

stamp=$target/.stamp
want="$(git hash-object "$source/package.json" "$source/package-lock.json"), luacheck of bookworm"
if [[ -f $stamp && $(<"$stamp") == "$want" ]]; then
  exit 0
fi
if ! command -v npm >/dev/null; then
  echo "npm is not in PATH; install Node 20 or later, whose npm installs StyLua" >&2
  exit 1
fi
mkdir -p "$target"
rm -f "$stamp"
cp "$source/package.json" "$source/package-lock.json" "$target/"
# npm does not accept a prefix that leads through a symbolic link.
scripts/retry.sh npm ci --prefix "$(cd "$target" && pwd -P)" --ignore-scripts --no-audit --no-fund --loglevel=error
# The program is optional for npm: without one, or with a wrong hash, npm still succeeds.
if ! "$target/node_modules/.bin/stylua" --version >/dev/null; then
  echo "there is no StyLua for this machine with the hash in $source/package-lock.json; compare it with the output of npm view" >&2
  exit 1
fi
if grep -qsx ID=debian /etc/os-release; then
  scripts/install-debian.mjs "$target/luacheck" bookworm lua-check usr/bin/lua5.1
elif ! command -v luacheck >/dev/null; then
  echo "luacheck is not in PATH; install it to check the plugin" >&2
  exit 1
fi
echo "$want" >"$stamp"
