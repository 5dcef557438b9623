#!/usr/bin/env bash
# Makes sure there is a Chromium for the browser tests: the one $CHROMIUM names, one on PATH, or Debian's by apt. The shell without
# windows is what tests need: a page took 1.6 s in it and 2.1 to 2.8 s in the whole browser, beside the same load.
set -euo pipefail
if [[ -n ${CHROMIUM:-} ]]; then
  [[ -x $CHROMIUM ]] && exit 0
  echo "chromium: CHROMIUM names $CHROMIUM, which cannot be run" >&2
  exit 1
fi
for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
  if command -v "$name" >/dev/null; then exit 0; fi
done
if command -v apt-get >/dev/null && [[ $(id -u) -eq 0 ]]; then
  echo "==> Chromium from apt: about 1 minute"
  apt-get update -qq
  # Not every system has the shell in a package of its own.
  for package in chromium-headless-shell chromium; do
    if DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null; then exit 0; fi
  done
fi
echo "chromium: none found; install it (\`sudo apt-get install chromium\`) or set CHROMIUM to its program" >&2
exit 1
