#!/bin/sh
# demo.sh HOCKET FOLDER: find, replay and explain the bug of the example.
# The budget is for slow machines, where the first build takes minutes; the search
# ends with the finding.
set -eu
hocket=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$2"

step() { printf '\n$ hocket %s\n' "$*"; }

step find -budget 20m .
echo '(the first search builds the standard library under control, which takes a minute or more)'
code=0
"$hocket" find -budget 20m . || code=$?
[ "$code" = 1 ] || { echo "demo: expected a finding, hocket find ended with $code" >&2; exit 1; }

id=$("$hocket" list | sed -n '1s/ .*//p')
step replay -n 100 "$id"
"$hocket" replay -n 100 "$id" || [ $? = 1 ]
step explain "$id"
"$hocket" explain "$id"
printf '\nThe same test, run 10,000 times the ordinary way: make demo-plain\n'
