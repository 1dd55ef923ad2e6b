#!/bin/sh
# readme.sh PROGRAM -- the answer that README.md shows is the one that the program gives, line by line; "..." stands for
# lines that are left out. Where it moved, README.md is to be made anew.
program=$(readlink -f "$1") || exit 2
cd "$(dirname "$0")/.." || exit 2
said=$(mktemp) shown=$(mktemp)
trap 'rm -f "$said" "$shown"' EXIT
unset COLUMNS
"$program" imagenet_1h --set devices=8,256 >"$said" 2>&1 || exit 1
"$program" imagenet_1h --set devices=8,256 --explain >>"$said" 2>&1 || exit 1
sed -n '/^## A question and its answer/,/^## How to read it/s/^    //p' README.md | sed '/^ *\.\.\.$/d; /^$/d' >"$shown"
missing=$(grep -vxF -f "$said" "$shown")
[ "$(wc -l <"$shown")" -gt 25 ] || { echo "README.md: has no answer"; exit 1; }
[ -z "$missing" ] || { printf 'README.md: not in the answer:\n%s\n' "$missing"; exit 1; }
echo "README.md shows what the program says"
