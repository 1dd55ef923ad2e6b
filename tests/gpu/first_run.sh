#!/bin/sh
# first_run.sh [RESULTS] -- all that a GPU has to say of dtsim, in eight minutes: builds for the card at hand, runs the
# GPU's tests, plain and under compute-sanitizer, profiles ResNet-50 and GPT-2, and holds their steps and memory
# against PyTorch's. A bare machine will do: nvcc, CMake, gcc, and Python with torch for the comparison; jansson and
# zlib as pack.sh packs them.
#
# Each part (parts.sh) stands alone: it has a limit and a log, and where it fails or is cut off the next ones run.
# Parts that no longer fit into the time are left out; what the last part needs is kept back for it.
#
# RESULTS (default: $OUT, or gpu-results) gets four files, written anew after each part, so that something is there
# whenever this ends: summary.txt, compare.txt, compare.csv, and results.tar.gz with all logs and profiles.
#
#   DTSIM_FIRST_RUN_S        seconds in all (480); with more, limits grow as much: for few cores
#   DTSIM_FIRST_RUN_ONLY     a list "build tests": these parts alone
#   DTSIM_FIRST_RUN_FOLDER   where it builds and writes logs (build-gpu)
#   DTSIM_FIRST_RUN_PARTS    another parts.sh, for tests
#
# Ends with 0 where all parts passed, 77 where none failed but some could not run here, else 1.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
results=${1:-${OUT:-$root/gpu-results}}
parts=${DTSIM_FIRST_RUN_PARTS:-$here/parts.sh}
work=${DTSIM_FIRST_RUN_FOLDER:-$root/build-gpu}
logs=$work/first_run
export DTSIM_FIRST_RUN_FOLDER="$work"

mkdir -p "$results" && rm -rf "$logs" && mkdir -p "$logs" || exit 1
results=$(cd "$results" && pwd)
begin=$(date +%s)
usual_s=480
all_s=${DTSIM_FIRST_RUN_S:-$usual_s}
deadline=$((begin + all_s))
passed=0 failed=0 others=0

# record PART WORD SECONDS WHY -- a line of the summary, and the files of RESULTS.
record() {
    printf '%-26s %-9s %4s s  %s\n' "$1" "$2" "$3" "$4" | tee -a "$logs/summary.txt"
    for file in summary.txt compare.txt compare.csv; do
        [ ! -e "$logs/$file" ] || cp "$logs/$file" "$results/"
    done
    tar -C "$work" -czf "$results/results.tar.gz.new" first_run &&
        mv "$results/results.tar.gz.new" "$results/results.tar.gz"
}

# The last line that says something.
last_of() {
    grep -v '^[[:space:]]*$' "$1" | tail -n 1 | cut -c 1-160
}

# run PART LIMIT -- under its limit, with its log.
run() {
    log=$logs/$1.log
    since=$(date +%s)
    timeout -k 5 "$2" sh "$parts" "$1" >"$log" 2>&1 </dev/null
    status=$?
    took=$(($(date +%s) - since))
    case $status in
    0) passed=$((passed + 1)) && record "$1" passed $took "$(last_of "$log")" ;;
    77) others=$((others + 1)) && record "$1" skipped $took "$(last_of "$log")" ;;
    124 | 137) failed=$((failed + 1)) && record "$1" FAILED $took "cut off at its limit, $2 s: first_run/$1.log" ;;
    *) failed=$((failed + 1)) && record "$1" FAILED $took "status $status: first_run/$1.log: $(last_of "$log")" ;;
    esac
}

list=$(sh "$parts" list) || exit 1
last=${list##*
}
kept_s=${last#* } # for the last part
least_s=3
for part in $(echo "$list" | cut -d ' ' -f 1); do
    case " ${DTSIM_FIRST_RUN_ONLY:-$part} " in *" $part "*) ;; *) continue ;; esac
    limit=$(echo "$list" | sed -n "s/^$part //p")
    [ "$all_s" -le $usual_s ] || limit=$((limit * all_s / usual_s))
    left=$((deadline - $(date +%s)))
    [ "$part" = "${last% *}" ] || left=$((left - kept_s))
    if [ $left -lt $least_s ]; then
        others=$((others + 1))
        record "$part" "left out" 0 "no time"
        continue
    fi
    run "$part" $((limit < left ? limit : left))
done

echo
[ ! -e "$logs/compare.txt" ] || cat "$logs/compare.txt"
echo "$passed passed, $failed failed, $others skipped or left out, in $(($(date +%s) - begin)) s."
echo "Results: $results; logs: $logs"
[ $failed -eq 0 ] || exit 1
[ $others -eq 0 ] || exit 77
