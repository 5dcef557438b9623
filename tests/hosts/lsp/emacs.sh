#!/usr/bin/env bash
# Makes sure there is an Emacs with eglot for the editor tests: one on PATH, or Debian's by apt.
set -euo pipefail
has_eglot() { command -v emacs >/dev/null && emacs --batch --eval "(progn (require 'eglot) (require 'yaml-mode))" >/dev/null 2>&1; }
if has_eglot; then exit 0; fi
if command -v apt-get >/dev/null && [[ $(id -u) -eq 0 ]]; then
  echo "==> Emacs with eglot from apt: about 1 minute"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends emacs-nox elpa-eglot elpa-yaml-mode >/dev/null
  has_eglot && exit 0
fi
echo "emacs: none with eglot and yaml-mode found; install them (\`sudo apt-get install emacs-nox elpa-eglot elpa-yaml-mode\`)" >&2
exit 1
