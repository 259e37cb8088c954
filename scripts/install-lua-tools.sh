#!/usr/bin/env bash
# Installs StyLua, as scripts/stylua pins it, and luacheck into .tools/lua, unless they
# are there already. The package of StyLua for this machine has the program in it.
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
  echo "npm is not in PATH: install Node 20 or later, npm brings StyLua" >&2
  exit 1
fi
mkdir -p "$target"
rm -f "$stamp"
cp "$source/package.json" "$source/package-lock.json" "$target/"
# npm does not take a prefix that leads through a symbolic link.
scripts/retry.sh npm ci --prefix "$(cd "$target" && pwd -P)" --ignore-scripts --no-audit --no-fund --loglevel=error
# The program is optional for npm: where there is none, or one with another hash, npm succeeds.
if ! "$target/node_modules/.bin/stylua" --version >/dev/null; then
  echo "no StyLua for this machine with the hash that $source/package-lock.json has: compare it with what npm view tells" >&2
  exit 1
fi
if grep -qsx ID=debian /etc/os-release; then
  scripts/install-debian.mjs "$target/luacheck" bookworm lua-check usr/bin/lua5.1
elif ! command -v luacheck >/dev/null; then
  echo "install luacheck: the plugin is checked by it" >&2
  exit 1
fi
echo "$want" >"$stamp"
