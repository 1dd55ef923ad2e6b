#!/bin/sh
# ending.sh -- a prediction that a signal ends is gone at once, with its children and its files; one
# whose child is killed says so at once, and goes on.
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
    # Answers of a sweep that are done are kept on purpose (tests/resume.sh).
    files=$(find "$work/in" -mindepth 1 ! -path "$work/in/tmp" ! -name result.points)
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
        # a quiet machine has measured itself in 0.7 s
        ended "measuring" $way TERM 0.3 143 here -o result
        ended "measuring" $way INT 0.3 130 here -o result
        ended "a profile" $way TERM 1 143 profile --model small_cnn --batch 32 -o result
        ended "a profile" $way INT 1 130 profile --model small_cnn --batch 32 -o result
    fi
done

children() { [ -n "$1" ] && cat "/proc/$1/task/$1/children" 2>/dev/null | tr -d ' '; }

# name, "child" or "grandchild", what is said of the point, words: one that begins first is killed
killed() {
    name="$1: a killed $2" whose=$2 wanted=$3
    shift 3
    rm -rf "$work/in"
    mkdir "$work/in"
    (cd "$work/in" && exec "$dtsim" "$@" --jobs 1 -o result 2>"$work/said") & started=$!
    for _ in $(seq 600); do
        victim=$(children $started)
        [ "$whose" = grandchild ] && victim=$(children $victim)
        [ -n "$victim" ] && break
        sleep 0.05
    done
    kill -KILL $victim 2>/dev/null || { echo "FAIL $name: there is none" && failed=1; }
    for _ in $(seq 400); do
        grep -qxF "dtsim: $wanted" "$work/said" && break
        sleep 0.05
    done
    kill -0 $started 2>/dev/null && grep -qxF "dtsim: $wanted" "$work/said" ||
        { echo "FAIL $name is not told at once: $(cat "$work/said")" && failed=1; }
    wait $started
    status=$?
    [ $status -eq 1 ] || { echo "FAIL $name: exit status $status" && failed=1; }
    [ "$(grep -c "Killed" "$work/said")" -eq 1 ] ||
        { echo "FAIL $name is not told once: $(cat "$work/said")" && failed=1; }
    grep -q "$(printf '%s' "$wanted" | sed 's/^[^ ]* //')" "$work/in/result" ||
        { echo "FAIL $name: its row: $(cat "$work/in/result")" && failed=1; }
}

ring='strategies=[{"kind":"allreduce","algorithm":"ring"}]'
killed fluid child "summit_27k ring, 27648 devices, seed=1: its process died: Killed" summit_27k \
    --engine fluid --set "$ring" --set steps=1500 --set devices=27648 --sweep seed=1,2
if ! "$dtsim" list engines | tr -s ' \n' ' ' | grep -q "not in this build"; then
    killed exact grandchild "theta_weak ring, 64 devices, seed=1: exact: ended by signal 9 (Killed)" \
        theta_weak --engine exact --set "$ring" --set devices=64 --sweep seed=1,2
fi

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
