#!/usr/bin/env bash
# The step of action.yml: annotations on standard output, SARIF into a file, and the exit code of `claimkit validate`. Every line of an
# input is one argument, whatever it holds.
set -euo pipefail

lines() { # text
  local line
  while IFS= read -r line; do
    [[ -z ${line//[[:space:]]/} ]] || printf '%s\n' "$line"
  done <<<"$1"
}

mapfile -t files < <(lines "${INPUT_FILES:-.}")
mapfile -t options < <(lines "${INPUT_OPTIONS:-}")
if [[ -n ${INPUT_COMMAND:-} ]]; then
  claimkit=("$INPUT_COMMAND")
else
  claimkit=(npx --yes --package "claimkit@${INPUT_VERSION:?}" claimkit)
fi
# A file of this name is not an option.
for at in "${!files[@]}"; do
  [[ ${files[at]} != -* ]] || files[at]="./${files[at]}"
done
if [[ -n ${INPUT_SARIF:-} ]]; then
  # The findings decide below; here only that there is a document.
  "${claimkit[@]}" validate --allow-unchecked "${options[@]}" --output sarif "${files[@]}" >"$INPUT_SARIF" || { status=$?; [[ $status -eq 1 ]] || exit "$status"; }
fi
exec "${claimkit[@]}" validate --allow-unchecked "${options[@]}" --output github "${files[@]}"
