#!/bin/sh
# docs/make_validation.sh PROGRAM -- the table of docs/validation.md: every published case, what
# dtsim predicts for it, and the signed error. With --check it compares the table that stands in
# docs/validation.md with what the program says now. Needs no network and no GPU.
set -eu
check=
if [ "${1:-}" = --check ]; then
    check=1
    shift
fi
program=${1:-build/src/dtsim}
root=$(cd "$(dirname "$0")/.." && pwd)
case $program in /*) ;; *) program=$PWD/$program ;; esac
cd "$root"

# What a stack's slowdown, noise or anchor was taken from is no prediction.
kind_of() {
    case $1 in
    imagenet_1h) echo "calibrated" ;; # its anchor is derived from the hour and the 0.9
    dlperf_pytorch) echo calibrated ;;
    *) echo predicted ;;
    esac
}

table() {
    echo "| case | strategy | devices | metric | published | predicted | error | |"
    echo "|---|---|---:|---|---:|---:|---:|---|"
    for file in scenarios/imagenet_1h.json scenarios/published/*.json; do
        name=$(basename "$file" .json)
        "$program" "$file" --engine fluid --format json |
            awk -v name="$name" -v kind="$(kind_of "$name")" '
                function value(line) { sub(/^[^:]*: */, "", line); sub(/,$/, "", line); gsub(/"/, "", line); return line }
                function row() { printf "| %s | %s | %s | %s | %.4g | %.4g | %+.1f %% | %s |\n", name, strategy, devices, metric, published, predicted, error, kind }
                /^      "strategy":/ { strategy = value($0) }
                /^      "devices":/ { devices = value($0) }
                /^        "metric":/ { metric = value($0) }
                /^        "value":/ { published = value($0) }
                /^        "predicted":/ { predicted = value($0) }
                /^        "error_percent":/ { error = value($0); row() }
                /^        [{]"metric":/ {
                    line = $0
                    match(line, /"metric": "[^"]*"/); metric = substr(line, RSTART + 11, RLENGTH - 12)
                    match(line, /"value": [^,]*/); published = substr(line, RSTART + 9, RLENGTH - 9)
                    match(line, /"predicted": [^,]*/); predicted = substr(line, RSTART + 13, RLENGTH - 13)
                    match(line, /"error_percent": [^,]*/); error = substr(line, RSTART + 17, RLENGTH - 17)
                    row()
                }'
    done
}

summary() {
    grep '| predicted |$' "$1" | awk -F'|' '{ e = $8; sub(/ %/, "", e); e += 0; print e < 0 ? -e : e }' |
        sort -n | awk '{ v[NR] = $1 } END {
            median = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
            printf "\n%d predicted cases: median of the absolute error %.1f %%, 9 of 10 below %.1f %%, worst %.1f %%.\n", NR, median, v[int(0.9 * NR + 0.999)], v[NR] }'
}

made=$(mktemp)
trap 'rm -f "$made" "$made.old"' EXIT
table > "$made"
summary "$made" >> "$made"
if [ -z "$check" ]; then
    cat "$made"
    exit 0
fi
sed -n '/^| case |/,/^[0-9]* predicted cases/p' docs/validation.md > "$made.old"
if diff "$made.old" "$made"; then
    echo "docs/validation.md is what the program says"
else
    echo "docs/validation.md is not what the program says: run docs/make_validation.sh and say why in CHANGELOG.md"
    exit 1
fi
