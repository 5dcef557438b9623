#!/usr/bin/env bash
# Makes sure there is a Neovim for the editor tests: one on PATH, or Debian's by apt.
set -euo pipefail
if command -v nvim >/dev/null; then exit 0; fi
if command -v apt-get >/dev/null && [[ $(id -u) -eq 0 ]]; then
  echo "==> Neovim from apt: about 20 seconds"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends neovim >/dev/null
  command -v nvim >/dev/null && exit 0
fi
echo "neovim: none found; install it (\`sudo apt-get install neovim\`)" >&2
exit 1
