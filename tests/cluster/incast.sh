#!/bin/sh
# incast.sh -- the first test of a shaped cluster: no incast is faster than the port that it goes
# through, and none is much slower either. Skipped (77) where there can be no cluster.
#
#     incast.sh PROGRAM
here=$(cd "$(dirname "$0")" && pwd)
failed=0
export DTSIM_MPI_SECONDS=20 # a start that hangs is tried again
for shape in "4 200mbit 200e6" "8 100mbit 100e6" "4 200mbit:100mbit 200e6"; do
    # shellcheck disable=SC2086 # a list of words
    set -- "$1" $shape
    out=$("$here/cluster.sh" "$2" "$3" cluster-mpirun "$1")
    status=$?
    [ $status -eq 77 ] && { echo "$out"; exit 77; }
    # A bucket of 64 kB may be sent at once at the beginning, by every sender: 2 %.
    verdict=$(echo "$out" | awk -v port="$4" '$1 == "incast" {
        print ($2 <= 1.02 * port ? ($2 >= 0.4 * port ? "ok" : "slow") : "too fast"), $2 / port}')
    echo "$2 hosts at $3: $verdict of the port"
    case $verdict in ok*) ;; *)
        failed=$((failed + 1))
        echo "FAIL $2 hosts at $3: $out"
        ;;
    esac
done
[ "$failed" -eq 0 ]
