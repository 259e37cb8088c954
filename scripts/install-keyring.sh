#!/usr/bin/env bash
# Installs a keyring for the tests into .tools/keyring, unless it is there already:
# gnome-keyring-daemon, the dbus-daemon that it is reached over, secret-tool to look into it from outside,
# and a configuration for a session bus that knows no other programs. They come from
# Debian, unpacked beside the system. Only Linux has such a keyring; on other systems,
# and where there is no Debian, the tests that need it are left out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

suite=bookworm
prefix=.tools/keyring
want="$suite, $PWD, $(cat "${BASH_SOURCE[0]}" scripts/install-debian.mjs | cksum)"
if [[ -f $prefix/.stamp && $(<"$prefix/.stamp") == "$want" ]]; then
  exit 0
fi
if ! grep -qsx ID=debian /etc/os-release; then
  echo "this is not Debian: not testing with a real keyring"
  exit 0
fi
rm -f "$prefix/.stamp"
scripts/install-debian.mjs "$prefix" "$suite" gnome-keyring \
  usr/bin/gnome-keyring-daemon,usr/bin/dbus-daemon,usr/bin/secret-tool dbus-daemon libsecret-tools
rm -rf "$prefix/packages" # never needed again

# A bus that only its user can reach. It starts no programs: there is no <servicedir>.
cat >"$prefix/session.conf" <<'XML'
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
XML
echo "$want" >"$prefix/.stamp"
