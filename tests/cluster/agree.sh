#!/bin/sh
# agree.sh -- predicted against measured steps on clusters in this machine, as CSV: docs/validation-live.md.
#
#     agree.sh BUILD [STEPS] > docs/validation-live-cluster.csv
#
# The platform is calibrated on 4 hosts at 200 Mb/s; for all others only the rate, and the number of
# nodes, are edited. Takes some minutes; needs root.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/agree_common.sh"
program=$(readlink -f "$1")/src/dtsim
steps=${2:-7}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

few=$(all_reduce ring ring 1e6 true),$(all_reduce ring ring_one_bucket 1e8 true)
few=$few,$(all_reduce halving_doubling halving_doubling 2e6 true)
most=$few,$(all_reduce ring ring_no_overlap 1e6 false),$(all_reduce tree tree 2e6 true)
most=$most,$(servers 1 2e6 dedicated),$(servers 2 2e6 dedicated)

"$here/cluster.sh" 4 200mbit cluster-mpirun "$program" calibrate -o "$work/calibrated.json" \
    >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
rate=$(awk -F'[:,]' '/"nics"/ {seen = 1} seen && /"bytes_per_s"/ {print $2 + 0; exit}' "$work/calibrated.json")

# at HOSTS MBIT STRATEGIES
at() {
    "$here/cluster.sh" "$1" "$2mbit" cluster-mpirun "$program" --live "$here/scenario.json" \
        --set platform="$work/calibrated.json" --set platform.nodes="$1" \
        --set platform.nics.bytes_per_s="$(awk "BEGIN {print $rate * $2 / 200}")" \
        --set "strategies=[$3]" --set live.steps="$steps" --format csv \
        -o "$work/result.csv" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
    awk -F, -v hosts="$1" -v rate="$2" '$2 == "total" {p = $3; m = $4; s = $5; e = $6}
        $2 == "exposed_comm" {printf "%d,%d,%s,%.1f,%.1f,%.1f,%.1f,%.0f,%.1f\n",
            hosts, rate, $1, 1e3 * p, 1e3 * m, 1e3 * s, e, 100 * $4 / m, $6}' "$work/result.csv"
}
{ at 4 200 "$most" && at 4 400 "$most" && at 2 500 "$few" && at 8 100 "$few"; } >"$work/rows" || exit 1

echo "hosts,mbit_per_s,strategy,predicted_ms,measured_ms,spread_ms,error_percent,exposed_share_percent,exposed_error_percent"
cat "$work/rows"
echo "Step: $(median 7 "$work/rows"). Exposed communication: $(median 9 "$work/rows")." >&2
