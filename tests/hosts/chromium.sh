#!/usr/bin/env bash
# Makes sure there is a Chromium for the browser tests: the one $CHROMIUM names, one on PATH, or Debian's by apt.
set -euo pipefail
if [[ -n ${CHROMIUM:-} ]]; then
  [[ -x $CHROMIUM ]] && exit 0
  echo "chromium: CHROMIUM names $CHROMIUM, which cannot be run" >&2
  exit 1
fi
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  if command -v "$name" >/dev/null; then exit 0; fi
done
if command -v apt-get >/dev/null && [[ $(id -u) -eq 0 ]]; then
  echo "==> Chromium from apt: about 1 minute"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
  command -v chromium >/dev/null && exit 0
fi
echo "chromium: none found; install it (\`sudo apt-get install chromium\`) or set CHROMIUM to its program" >&2
exit 1
