#!/usr/bin/env bash
# Installs the plain editors of test/editors into .tools/editors, unless they are there already:
# two versions of Helix, Emacs with eglot and lsp-mode, Vim with ALE, and tmux, which the tests
# run them in. They come from Debian, unpacked beside the system; .tools/editors/bin has a command
# for each. On other systems the tests use the editors in PATH, and leave out those that are missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

prefix=.tools/editors
want="$(realpath -m "$prefix"), $(cat "${BASH_SOURCE[0]}" scripts/install-debian.mjs | cksum)"
if [[ -f $prefix/.stamp && $(<"$prefix/.stamp") == "$want" ]]; then
  exit 0
fi
if ! grep -qsx ID=debian /etc/os-release; then
  echo "this is not Debian: testing only the editors in PATH"
  exit 0
fi
rm -f "$prefix/.stamp"

scripts/install-debian.mjs "$prefix/trixie" trixie hx \
  usr/lib/hx/hx,usr/bin/vim.basic,usr/bin/emacs-nox,usr/bin/tmux \
  vim vim-ale emacs-nox elpa-lsp-mode elpa-yaml-mode tmux
scripts/install-debian.mjs "$prefix/forky" forky hx usr/lib/hx/hx
rm -rf "$prefix"/{trixie,forky}/packages # never needed again
mkdir -p "$prefix/bin"
home=$(realpath "$prefix")

# Writes a command that finds what its program looks for in /usr.
wrapper() { # NAME, lines of sh…
  local name=$1
  shift
  printf '%s\n' '#!/bin/sh' "$@" >"$prefix/bin/$name"
  chmod +x "$prefix/bin/$name"
}

for entry in "25.01 trixie" "25.07 forky"; do
  read -r version suite <<<"$entry"
  wrapper "hx-$version" "export HELIX_RUNTIME='$home/$suite/root/usr/lib/hx/runtime'" "exec '$home/$suite/bin/hx' \"\$@\""
done

usr=$home/trixie/root/usr
wrapper tmux "exec '$home/trixie/bin/tmux' \"\$@\""
wrapper vim "export VIM='$usr/share/vim' VIMRUNTIME='$(echo "$usr"/share/vim/vim[0-9]*)'" "exec '$home/trixie/bin/vim.basic' \"\$@\""

# The dump has the preloaded Lisp; the rest is found by these variables.
version=$(basename "$(echo "$usr"/share/emacs/[0-9]*)")
lisp=$usr/share/emacs/$version/lisp
libexec=$(echo "$usr/libexec/emacs/$version"/*-linux-gnu*)
packages=$usr/share/emacs/site-lisp/elpa-src
mkdir -p "$prefix/lisp"
# Emacs compiles to native code with the gcc of its Debian, which cannot be used from here.
echo '(setq native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil)' >"$prefix/lisp/site-start.el"
path=$home/lisp:$(find "$lisp" -type d | sort | tr '\n' ':')$(find "$packages" -mindepth 1 -maxdepth 1 -type d | sort | tr '\n' ':')
wrapper emacs \
  "export EMACSDATA='$usr/share/emacs/$version/etc' EMACSDOC='$usr/share/emacs/$version/etc' EMACSPATH='$libexec'" \
  "export EMACSLOADPATH='${path%:}'" \
  "exec '$home/trixie/bin/emacs-nox' --dump-file='$(echo "$libexec"/*.pdmp)' \"\$@\""

# Debian does this when it installs packages for Emacs.
lsp=$(echo "$packages"/lsp-mode-*)
"$prefix/bin/emacs" --batch -f loaddefs-generate-batch "$lsp/lsp-mode-autoloads.el" "$lsp" 2>"$prefix/compile.log"
find "$packages" -name '*.el' -not -name '*-pkg.el' -not -name '*-autoloads.el' \
  \( -not -path "$lsp/*" -o -name lsp-mode.el -o -name lsp-protocol.el -o -name lsp-lens.el -o -name lsp-completion.el \) -print0 |
  xargs -0 "$prefix/bin/emacs" --batch --eval '(setq byte-compile-warnings nil)' -f batch-byte-compile 2>>"$prefix/compile.log"

echo "$want" >"$prefix/.stamp"
