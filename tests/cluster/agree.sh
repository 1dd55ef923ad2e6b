#!/bin/sh
# agree.sh -- predicted against measured steps on clusters in this machine: docs/validation-live.md.
#
#     agree.sh BUILD [STEPS] > docs/validation-live.md
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
        $2 == "exposed_comm" {printf "| %d | %d | %s | %.1f | %.1f | %.1f | %+.1f | %.0f | %+.1f |\n",
            hosts, rate, $1, 1e3 * p, 1e3 * m, 1e3 * s, e, 100 * $4 / m, $6}' "$work/result.csv"
}
{ at 4 200 "$most" && at 4 400 "$most" && at 2 500 "$few" && at 8 100 "$few"; } >"$work/rows" || exit 1

cat <<END
# Predicted against measured

\`tests/cluster/agree.sh build\` makes this page on a cluster of network namespaces in one machine
([live.md](live.md)), $(nproc) cores. Eight layers of 1 MB of gradients each; kernels are replayed by waiting,
messages and sums are real. The platform is calibrated on 4 hosts at 200 Mb/s; for all other rows only the
rate, and the number of nodes, are edited. Measured: the median of $steps steps; spread: their median absolute
deviation. Error: 100 (predicted - measured) / measured. Exposed: the share of the measured step in which
communication is not hidden, and the error of that part alone.

Step: $(median 8 "$work/rows"). Exposed communication: $(median 10 "$work/rows").

| hosts | Mb/s | strategy | predicted ms | measured ms | spread ms | error % | exposed share % | its error % |
|---|---|---|---|---|---|---|---|---|
END
cat "$work/rows"
cat <<END

Flows that meet on a port share it evenly here, as in the prediction (tests/cluster/cluster.sh). What is off:
trees, whose members wait for one another more often than others do, and steps whose communication is nearly
hidden, where the exposed rest is small. A program that runs beside this one during the calibration shows in
all rows.
END
