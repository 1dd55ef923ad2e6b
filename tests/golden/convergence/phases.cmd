# The time of phases is the sum over them, each as it is predicted alone.
# column NAME ARGUMENT... -- of the only row
column() { of=$1; shift; dtsim in/small.json --set devices=4 --format csv "$@" | awk -F, -v of="$of" 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next} {print $at[of]}'; }
phases='training={"phases": [{"epochs": 3}, {"steps": 100, "set": {"batch.per_device": 8}}]}'
dtsim in/small.json --set devices=4 --set "$phases" | sed -n '1,11p'
first=$(column step_total_s) second=$(column step_total_s --set batch.per_device=8)
awk -v a="$first" -v b="$second" -v t="$(column training_time_s --set "$phases")" 'BEGIN {s = 3 * 64 * a + 100 * b; print (s / t - 1 < 1e-6 && t / s - 1 < 1e-6) ? "the sum" : "NOT the sum " s " " t}'
column training_steps --set "$phases"
column training_epochs --set "$phases"
for bad in '[]' '[{"epochs": 1, "steps": 1}]' '[{"steps": 0}]' '[{"epochs": 1, "set": 5}]' '[{"epochs": 1, "set": {"batch.per_devise": 1}}]' '[{"epochs": 1, "set": {"strategies": [{"kind": "allreduce"}, {"kind": "ps"}]}}]' '[{"epochs": 1, "set": {"training.epochs": 1}}]'; do
    dtsim in/small.json --set "training={\"phases\": $bad}"
done
dtsim in/small.json --set "training={\"epochs\": 1, \"phases\": [{\"epochs\": 1}]}"
dtsim in/small.json --set dataset=null --set "$phases"
