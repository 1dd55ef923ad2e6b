#!/bin/sh
# run.sh -- holds what the program prints against what is written down, to the last digit.
#
#     run.sh PROGRAM [--update] [NAME...]
#
# A case is FOLDER/NAME.cmd, shell commands that call `dtsim`; and FOLDER/NAME.want, all that they
# print (standard output and error together) and their exit status. FOLDER says what the case is
# about. The commands run here, beside the folders, where in/ has the files that they read; $TMP is
# an empty folder for files. A first line "# needs simgrid" skips the case in a build without it; a first
# line "# long" where DTSIM_SHORT is set: what takes seconds gains nothing from a sanitizer.
#
# Without NAMEs all cases run; a NAME may have its folder before it. With --update the .want files
# are written anew: the commit says why each of them changed.
[ $# -ge 1 ] || { echo "usage: run.sh PROGRAM [--update] [NAME...]"; exit 2; }
program=$(readlink -f "$1") || exit 2
shift
update=
[ "${1-}" = --update ] && { update=1; shift; }
cd "$(dirname "$0")" || exit 2
here=$(pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$program" "$work/bin/dtsim"
PATH=$work/bin:$PATH
export COLUMNS=104 # cases about the width say another
[ $# -gt 0 ] || set -- */*.cmd

# find_case NAME|FOLDER/NAME -- the path of the case, without .cmd.
find_case() {
    base=$(basename "$1" .cmd)
    case $1 in
    */*) echo "$(basename "$(dirname "$1")")/$base" ;;
    *) for path in */"$base.cmd"; do echo "${path%.cmd}"; done ;;
    esac
}

plain=$("$program" list engines | tr -s " \n" " " | grep "not in this build")
passed=0 failed=0 skipped=0
for case; do
    name=$(find_case "$case")
    if ! [ -e "$name.cmd" ]; then
        echo "FAIL $case: no case of that name, or several"
        failed=$((failed + 1))
        continue
    fi
    if [ -n "$plain" ] && head -n 1 "$name.cmd" | grep -qx "# needs simgrid"; then
        echo "skip $name: this build has no SimGrid"
        skipped=$((skipped + 1))
        continue
    fi
    if [ -n "${DTSIM_SHORT-}" ] && head -n 1 "$name.cmd" | grep -qx "# long"; then
        skipped=$((skipped + 1))
        continue
    fi
    TMP=$work/tmp
    rm -rf "$TMP"
    mkdir "$TMP"
    export TMP
    sh "./$name.cmd" >"$work/out" 2>&1 </dev/null
    echo "exit $?" >>"$work/out"
    # Where the case ran is nobody's business.
    sed "s|$TMP|TMP|g; s|$here/||g; s|${here%/tests/golden}|ROOT|g" "$work/out" >"$work/got"
    if [ -n "$update" ]; then
        cmp -s "$work/got" "$name.want" || { cp "$work/got" "$name.want"; echo "new  $name"; }
        passed=$((passed + 1))
    elif diff -u "$name.want" "$work/got" >"$work/diff" 2>&1; then
        passed=$((passed + 1))
    else
        echo "FAIL $name: $(cat "$name.cmd")"
        cat "$work/diff"
        failed=$((failed + 1))
    fi
done
more=
[ $skipped -eq 0 ] || more=", $skipped skipped"
echo "$passed passed, $failed failed$more"
[ "$failed" -eq 0 ]
