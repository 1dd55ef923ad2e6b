#!/bin/sh
# agree_local.sh -- predicted against measured steps of ranks on this machine, as CSV: docs/validation-live.md.
#
#     agree_local.sh BUILD [ROUNDS [FILE]] > docs/validation-live-local.csv
#
# Each round calibrates, times the kernels that are trained, and then runs every configuration: a machine
# whose speed changes within seconds is calibrated and measured in turn, and medians over rounds count.
# A minute and a half a round. FILE gets what was measured, and what it has already counts, too: rounds may
# be made in several goes; with 0 ROUNDS it is only printed.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/agree_common.sh"
program=$(readlink -f "$1")/src/dtsim
rounds=${2:-5}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
runs=${3:-$work/runs}
touch "$runs" || exit 2

ring=$(all_reduce ring ring 1e6 true)
few=$ring,$(all_reduce halving_doubling halving_doubling 2e6 true)
many=$few,$(all_reduce ring ring_one_bucket 1e8 true),$(all_reduce ring ring_no_overlap 1e6 false)
most=$many,$(all_reduce tree tree 2e6 true)
served=$(servers 1 2e6 colocated),$(servers 2 2e6 colocated)

# quietly COMMAND... -- what it says is shown when it fails.
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }; }
# start RANKS ARGUMENT...
start() {
    n=$1
    shift
    quietly "$here/../live/mpirun.sh" "$n" "$program" "$@"
}

# run RANKS COMPUTE BATCH MODEL STRATEGIES ARGUMENT... -- a line for each strategy: what names it, step
# predicted, measured, and its spread, exposed communication predicted and measured.
run() {
    ranks=$1 compute=$2 batch=$3 model=$4 strategies=$5
    shift 5
    start "$ranks" --live "$here/scenario.json" --set platform="$work/$ranks.json" \
        --set live.compute="$compute" --set batch.per_device="$batch" --set model="$model" \
        --set "strategies=[$strategies]" --set optimizer=sgd --set live.steps=40 --set live.warm_up=5 \
        --format csv -o "$work/result.csv" "$@" || return
    awk -F, -v name="$ranks|$compute|$(basename "$model" .json)|$batch" '
        $2 == "total" {step = $3 "|" $4 "|" $5}
        $2 == "exposed_comm" {print name "|" $1 "|" step "|" $3 "|" $4}' "$work/result.csv" >>"$runs"
}

# The seconds that are replayed are of a processor as fast as messages here.
sed 's/2000000000.0/2e10/; s/10000000000.0,/4e10,/' "$here/device.json" >"$work/fast.json"
wide=$here/model.json fast="--set device=$work/fast.json" measured="--set device=$work/profile.json"
# shellcheck disable=SC2086 # lists of words
round() {
    start 2 calibrate -o "$work/2.json" &&
        run 2 timed 1 "$wide" "$most" $fast && run 2 timed 16 "$wide" "$few" $fast &&
        quietly "$program" profile --model "$wide,fashion_cnn" --batch 16,64 --optimizer sgd \
            --patience 5 -o "$work/profile.json" &&
        run 2 kernels 16 "$wide" "$many" $measured && run 2 kernels 64 "$wide" "$few" $measured &&
        run 2 kernels 64 fashion_cnn "$ring" $measured &&
        start 4 calibrate -o "$work/4.json" &&
        run 4 timed 1 "$wide" "$most" $fast && run 4 timed 1 "$wide" "$served" $fast &&
        run 4 timed 16 "$wide" "$few" $fast &&
        start 3 calibrate -o "$work/3.json" && run 3 timed 1 "$wide" "$ring" $fast
}
for _ in $(seq "$rounds"); do
    round || exit 1
done
[ -s "$runs" ] || { echo "agree_local.sh: nothing was measured" >&2; exit 2; }

# One row for each configuration, medians over rounds.
awk -F'|' '
    function median(list, count,    i, j, v, sorted) {
        split(list, sorted, " ")
        for (i = 2; i <= count; i++)
            for (j = i; j > 1 && sorted[j] + 0 < sorted[j - 1] + 0; j--) {
                v = sorted[j]; sorted[j] = sorted[j - 1]; sorted[j - 1] = v
            }
        return (sorted[int((count + 1) / 2)] + sorted[int(count / 2) + 1]) / 2
    }
    {
        key = $1 "|" $2 "|" $3 "|" $4 "|" $5
        if (!(key in n)) keys[++count] = key
        n[key]++
        predicted[key] = predicted[key] " " $6; measured[key] = measured[key] " " $7
        error[key] = error[key] " " 100 * ($6 - $7) / $7
        share[key] = share[key] " " 100 * $10 / $7
        exposed[key] = exposed[key] " " 100 * ($9 - $10) / $10
    }
    END {
        for (k = 1; k <= count; k++) {
            key = keys[k]
            m = median(measured[key], n[key])
            apart = ""
            split(measured[key], each, " ")
            for (i = 1; i <= n[key]; i++)
                apart = apart " " (each[i] > m ? each[i] - m : m - each[i])
            name = key
            gsub(/\|/, ",", name)
            printf "%s,%.1f,%.1f,%.1f,%.1f,%.0f,%.1f\n", name,
                1e3 * median(predicted[key], n[key]), 1e3 * m, 100 * median(apart, n[key]) / m,
                median(error[key], n[key]), median(share[key], n[key]), median(exposed[key], n[key])
        }
    }' "$runs" >"$work/rows"
echo "ranks,compute,model,batch,strategy,predicted_ms,measured_ms,spread_percent,error_percent,exposed_share_percent,exposed_error_percent"
cat "$work/rows"

awk -F, '$10 >= 40' "$work/rows" >"$work/heavy"
within=$(awk -F, '{e = $9 < 0 ? -$9 : $9 + 0} e <= 5 || e <= 2 * $8' "$work/rows" | wc -l)
of=$(wc -l <"$work/rows")
cat >&2 <<END
$(($(wc -l <"$runs") / of)) rounds. Step: $(median 9 "$work/rows"); $within of $of rows within 5 % or twice their spread.
Exposed communication: $(median 11 "$work/rows"); where it is at least 40 % of the step ($(wc -l <"$work/heavy") of $of): $(median 11 "$work/heavy").
END
