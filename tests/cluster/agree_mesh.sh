#!/bin/sh
# agree_mesh.sh -- predicted against measured steps of networks in parts, on a cluster in this machine, as CSV:
# docs/validation-live.md.
#
#     agree_mesh.sh BUILD [STEPS] > docs/validation-live-mesh.csv
#
# The platform is calibrated on 4 hosts at 200 Mb/s; kernels are replayed by waiting, messages and sums are
# real. Takes some minutes; needs root.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/agree_common.sh"
program=$(readlink -f "$1")/src/dtsim
steps=${2:-5}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# mesh NAME AXES [KEYS]
mesh() { printf '{"kind":"mesh","name":"%s","mesh":{%s}%s}' "$1" "$2" "$3"; }
schedule() { printf ',"pipeline":{"schedule":"%s"}' "$1"; }

rows=$(mesh gpipe '"pipeline":4' "$(schedule gpipe)"),$(mesh 1f1b '"pipeline":4')
rows=$rows,$(mesh interleaved '"pipeline":4' "$(schedule interleaved)"),$(mesh zb_h1 '"pipeline":4' "$(schedule zb_h1)")
rows=$rows,$(mesh tensor '"tensor":4'),$(mesh tensor_sequence '"tensor":4' ',"sequence_parallel":true')
rows=$rows,$(mesh zero_1 '"shard":4' ',"sharded":"optimizer"'),$(mesh zero_2 '"shard":4' ',"sharded":"gradients"')
rows=$rows,$(mesh zero_3 '"shard":4'),$(mesh pipeline_data '"pipeline":2,"data":2')
rows=$rows,$(mesh tensor_pipeline '"tensor":2,"pipeline":2'),$(mesh pipeline_zero '"pipeline":2,"shard":2' ',"sharded":"optimizer"')

run() { "$here/cluster.sh" 4 200mbit cluster-mpirun "$program" "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }; }
platform=$work/calibrated.json
run calibrate -o "$platform" || exit 1
run --live "$here/mesh_scenario.json" --set platform="$platform" --set "strategies=[$rows]" \
    --set live.steps="$steps" --format csv -o "$work/result.csv" || exit 1
echo "strategy,predicted_ms,measured_ms,spread_ms,error_percent,exposed_share_percent"
awk -F, '$2 == "total" {p = $3; m = $4; s = $5; e = $6}
    $2 == "exposed_comm" {printf "%s,%.1f,%.1f,%.1f,%.1f,%.0f\n",
        $1, 1e3 * p, 1e3 * m, 1e3 * s, e, 100 * $4 / m}' "$work/result.csv" | tee "$work/rows"
echo "Step: $(median 5 "$work/rows")." >&2
