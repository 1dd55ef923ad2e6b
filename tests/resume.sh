#!/bin/sh
# resume.sh PROGRAM -- a sweep that is killed goes on where it was, and its output is the one of an undisturbed run.
program=$(readlink -f "$1") || exit 2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$here/check.sh"
cd "$work" || exit 2
quietly() { "$@" >/dev/null 2>&1; }
# 480 points; the first kill comes when some of them are done. A file, not a function: a shell runs a function that
# is sent to the background as a child of another shell, and the kill would reach that shell alone.
cat >ask <<END
#!/bin/sh
exec "$program" "$here/golden/in/small.json" --set model=resnet50 --engine fluid --jobs 1 --set 'devices=[1,2,3,4]' \\
    --sweep batch.per_device=1,2,3,4,5,6,7,8,9,10,11,12 \\
    --sweep steps=10,11,12,13,14,15,16,17,18,19 "\$@"
END
chmod +x ask
./ask -o whole.csv 2>whole.err
check "an undisturbed run leaves its output alone" quietly test -s whole.csv -a ! -e whole.csv.points

# begin_and_end SIGNAL -- end a run when some points are done. On a busy machine the signal may come too late.
begin_and_end() {
    rm -f again.csv again.csv.points
    ./ask -o again.csv 2>first.err &
    pid=$!
    tries=0
    while [ "$({ wc -c <again.csv.points; } 2>/dev/null || echo 0)" -lt 60000 ] && [ $tries -lt 3000 ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
    kill -s "$1" $pid
    wait $pid 2>/dev/null
    ! { [ -e again.csv ] && cmp -s whole.csv again.csv; }
}
for signal in TERM KILL; do
    for _ in 1 2 3 4 5; do begin_and_end $signal && break; done
    check "$signal: what is done is kept, and no output yet" quietly test -s again.csv.points -a ! -e again.csv
    printf 'half a record' >>again.csv.points
    ./ask -o again.csv 2>second.err
    check "$signal: the next run says what it has" quietly grep -q 'points are from an earlier run' second.err
    check "$signal: the output is that of one run" quietly cmp whole.csv again.csv
    check "$signal: nothing is left behind" quietly test ! -e again.csv.points
done

head -c 4000 /dev/urandom >again.csv.points
./ask -o again.csv 2>third.err
check "a file that is none of ours is not read" quietly cmp whole.csv again.csv
checked
