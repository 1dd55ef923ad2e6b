#!/bin/sh
# course.sh -- each command of docs/course.md gives an answer.
#
#     course.sh PROGRAM
program=$(readlink -f "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
sed -n 's/^    \.\/dtsim \(.*\)/\1/p' "$root/docs/course.md" | sed 's/   *(.*)$//' >commands
[ "$(wc -l <commands)" -ge 10 ] || { echo "FAIL docs/course.md has no ten commands"; exit 1; }
failed=0 passed=0
while read -r words; do
    # What does not fit into memory is shown on purpose.
    if eval "\"$program\" $words" >out 2>err </dev/null && { [ -s out ] || [ -s timeline.svg ]; } &&
        { ! grep -q '^Not predicted' out || grep -q 'would fit' out; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL dtsim $words"
        cat err out
    fi
done <commands
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
