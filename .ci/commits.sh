#!/usr/bin/env bash
# Checks the subjects of the newest commits: `area: verb object`, at most 72 characters. It looks at the commits since the last tag
# or the last 200, whichever are fewer, and at none older than this check.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
since=$(git log --diff-filter=A --format=%H -- .ci/commits.sh | tail -n 1)
tag=$(git describe --tags --abbrev=0 2>/dev/null || true)
[ -z "$since" ] && { echo "commits: this check is not committed yet; nothing was checked"; exit 0; }
bad=0
while IFS= read -r subject; do
  if [ "${#subject}" -gt 72 ]; then echo "commits: ${#subject} characters: $subject"; bad=1; fi
  if ! grep -qE '^[a-z][a-z0-9 ,/.-]*: [^ ]' <<<"$subject"; then echo "commits: not \`area: verb object\`: $subject"; bad=1; fi
done < <(git log --no-merges --max-count=200 --format=%s "$since..HEAD" ${tag:+"^$tag"})
[ "$bad" -eq 0 ] && echo "commits: subjects are as CONTRIBUTING.md wants them"
exit "$bad"
