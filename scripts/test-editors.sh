#!/bin/bash
# test-editors.sh [NAME...]: Hocket in real editors, headless, one script of
# scripts/editors after the other; all of them without arguments.
#
# A script prints a line "pass: what" or "fail: what" for each check. It gets
#   HOCKET         the binary under test
#   EDITORS_TMP    a folder of its own, removed at the end
#   EDITORS_CACHE  where editors are kept between runs
# One that ends with an error, or checks nothing, counts as a failure. The last
# line printed here is "N passed, N failed". With HOCKET_SHOTS=1 the pictures of the
# documentation are renewed, too.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/setup.sh || exit 1

# The order is that of the time to the first surprise: cheap editors first.
order="nvim-0.7 eglot vscode nvim-newer"
limit=1800 # seconds for one editor, set-up included

[ -z "${HOCKET_SHOTS:-}" ] || export EDITORS_SHOTS=${EDITORS_SHOTS:-docs/images} # of VS Code
export EDITORS_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/hocket-editors
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$EDITORS_CACHE"
export HOCKET=$tmp/bin/hocket
go build -o "$HOCKET" ./cmd/hocket || exit 1

passed=0 failed=0
[ $# -gt 0 ] || set -- $order
for name; do
	script=scripts/editors/$name.sh
	[ -f "$script" ] || { echo "test-editors: there is no $script" >&2; exit 2; }
	start=$SECONDS log=$tmp/$name.log
	echo "== $name"
	mkdir "$tmp/$name"
	EDITORS_TMP=$tmp/$name timeout -k 10 $limit bash "$script" </dev/null 2>&1 | tee "$log"
	code=${PIPESTATUS[0]}
	p=$(grep -c '^pass: ' "$log") f=$(grep -c '^fail: ' "$log")
	if [ "$f" = 0 ] && { [ "$code" != 0 ] || [ "$p" = 0 ]; }; then
		echo "fail: $script ended with $code after $p checks"
		f=1
	fi
	passed=$((passed + p)) failed=$((failed + f))
	echo "== $name: $p of $((p + f)) in $((SECONDS - start)) s"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
