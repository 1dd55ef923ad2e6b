#!/bin/sh
# agree_async.sh -- servers that answer as requests come, predicted against measured on clusters in this machine,
# as CSV: docs/validation-live.md.
#
#     agree_async.sh BUILD [STEPS] > docs/validation-live-async.csv
#
# Each host has one rank: workers, then servers. The platform is calibrated on 4 hosts at 200 Mb/s; for all others
# only the rate, and the number of nodes, are edited. Takes some minutes; needs root.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/agree_common.sh"
program=$(readlink -f "$1")/src/dtsim
steps=${2:-24}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

"$here/cluster.sh" 4 200mbit cluster-mpirun "$program" calibrate -o "$work/calibrated.json" \
    >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
rate=$(awk -F'[:,]' '/"nics"/ {seen = 1} seen && /"bytes_per_s"/ {print $2 + 0; exit}' "$work/calibrated.json")

# at WORKERS SERVERS MBIT RULE KEYS FACTOR -- the first worker is so many times as slow
at() {
    hosts=$(($1 + $2))
    "$here/cluster.sh" "$hosts" "$3mbit" cluster-mpirun "$program" --live "$here/scenario.json" \
        --set platform="$work/calibrated.json" --set platform.nodes="$hosts" --set "devices=[$1]" \
        --set platform.nics.bytes_per_s="$(awk "BEGIN {print $rate * $3 / 200}")" \
        --set "strategies=[{\"kind\":\"ps\",\"servers\":$2,\"placement\":\"dedicated\",\"bucket_bytes\":4e6,\"synchronous\":false$5}]" \
        --set "slow_workers={\"factor\":$6,\"workers\":[0]}" --set live.steps="$steps" --format json \
        -o "$work/result.json" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
    python3 "$here/agree_async.py" "$work/result.json" "$1" "$2" "$3" "$4" "$6"
}
{
    at 4 1 200 asynchronous '' 1 && at 4 1 200 asynchronous '' 2 &&
        at 4 1 200 bound_2 ',"staleness_bound":2' 1 && at 4 1 200 bound_2 ',"staleness_bound":2' 2 &&
        at 4 2 200 asynchronous '' 1 && at 4 2 200 asynchronous '' 3 &&
        at 4 2 200 bound_1 ',"staleness_bound":1' 2 && at 4 2 200 bound_4 ',"staleness_bound":4' 2 &&
        at 3 1 400 asynchronous '' 1 && at 3 1 400 bound_2 ',"staleness_bound":2' 3 &&
        at 6 2 100 asynchronous '' 1.5 && at 2 1 100 bound_1 ',"staleness_bound":1' 1
} >"$work/rows" || exit 1

echo "workers,servers,mbit_per_s,rule,slow_factor,predicted_ms,measured_ms,error_percent,predicted_updates,measured_updates,updates_error_percent,histogram_distance"
cat "$work/rows"
echo "Step: $(median 8 "$work/rows"). Mean staleness: $(median 11 "$work/rows")." >&2
