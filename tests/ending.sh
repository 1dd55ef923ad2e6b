#!/bin/sh
# ending.sh -- a prediction that a signal ends is gone at once, with its children and its files.
#
#     ending.sh DTSIM
dtsim=$(readlink -f "$1")
work=$(mktemp -d) || exit 1
trap 'cd / && rm -rf "$work"' EXIT
failed=0

# All that runs in the folder; those that have ended and wait to be collected are in none.
running() {
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/cwd")" = "$work/in" ] && printf ' %s' "${process#/proc/}"
    done
}

# name, "group" as the terminal does or "one", signal, seconds, exit status, words
ended() {
    name="$1, $3 to $2"
    foreground=
    [ "$2" = one ] && foreground=--foreground
    signal=$3 seconds=$4 wanted=$5
    shift 5
    rm -rf "$work/in"
    mkdir -p "$work/in/tmp"
    status=$(cd "$work/in" && TMPDIR=$work/in/tmp XDG_CACHE_HOME=/proc/none \
        timeout $foreground --preserve-status -s "$signal" "$seconds" "$dtsim" "$@" >/dev/null 2>&1
        echo $?)
    [ "$status" -eq "$wanted" ] || { echo "FAIL $name: exit status $status" && failed=1; }
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        left=$(running)
        [ -n "$left" ] && sleep 0.2
    done
    [ -z "$left" ] || { echo "FAIL $name: still running:$left" && failed=1; }
    files=$(find "$work/in" -mindepth 1 ! -path "$work/in/tmp")
    [ -z "$files" ] || { echo "FAIL $name: left behind: $files" && failed=1; }
}

fluid="--engine fluid --set steps=10000 --set devices=[27647,27648]"
for way in group one; do
    ended "a sweep" $way TERM 1 143 summit_27k $fluid --sweep seed=1,2,3 -o result --trace trace
    ended "a sweep" $way INT 1 130 summit_27k $fluid --sweep seed=1,2,3 -o result --trace trace
    if ! "$dtsim" list engines | tr -s ' \n' ' ' | grep -q "not in this build"; then
        ended "exact" $way TERM 2 143 summit_27k --engine exact --set devices=[384,3072] -o result
        ended "exact" $way INT 2 130 summit_27k --engine exact --set devices=[384,3072] -o result
    fi
    if [ -x "$(dirname "$dtsim")/dtsim-measure" ]; then
        ended "measuring" $way TERM 1 143 here -o result
        ended "measuring" $way INT 1 130 here -o result
    fi
done
# Where files may not grow it is one line that ends it.
rm -rf "$work/in" && mkdir "$work/in"
cd "$work/in" || exit 1
words=$(ulimit -f 0 && "$dtsim" theta_weak --set 'devices=[2]' -o result 2>&1)
status=$?
[ $status -eq 1 ] || { echo "FAIL no room: exit status $status" && failed=1; }
case $words in
*"result: "*) ;;
*) echo "FAIL no room: $words" && failed=1 ;;
esac
[ -z "$(ls)" ] || { echo "FAIL no room: left behind: $(ls)" && failed=1; }
[ $failed -eq 0 ] && echo "nothing is left"
exit $failed
