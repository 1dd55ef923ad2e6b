#!/bin/sh
# docs/make_validation.sh [--check|--pin] PROGRAM -- what `dtsim validate` says, in the documents.
#
# Without an option it writes docs/validation-cases.csv, docs/validation-convergence.csv and the tables of
# docs/validation.md anew.
# --check compares both with what the program says now, and holds the errors of each class against
# docs/validation-limits.csv: a median or 90th percentile that is a tenth above its limit fails, with
# the cases that became worse. --pin writes the limits anew; the commit says why.
set -eu
what=write
case ${1:-} in
--check | --pin)
    what=${1#--}
    shift
    ;;
esac
program=${1:-build/src/dtsim}
root=$(cd "$(dirname "$0")/.." && pwd)
case $program in /*) ;; *) program=$PWD/$program ;; esac
cd "$root/docs"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$program" validate --cases "$work/cases.csv" -o "$work/answer"
sed '/^The worst/,$d' "$work/answer" >"$work/table"
"$program" validate convergence -o "$work/convergence"
"$program" validate convergence --format csv -o "$work/convergence.csv"

# class,devices,cases,median,p90 of the errors from the anchor, in percent, from the table.
limits() {
    echo "class,devices,cases,median_percent,p90_percent"
    awk '/^(data_parallel|parameter_server|collective|fsdp|memory|nanotron|3d|records|time_to_train|pipeline|moe) / {
        band = $2; i = 3
        if (band == "to") { band = band " " $3; i = 4 }
        printf "%s,%s,%s,%s,%s\n", $1, band, $i, $(i + 1), $(i + 2) }' "$work/table"
    # Batches that were left out: the worst stands where other classes have the 90th percentile.
    awk '/^all laws / { printf "convergence,inner,%s,%s,%s\nconvergence,edge,%s,%s,%s\n", $9, $3, $4, $15, $10, $11 }' \
        "$work/convergence"
}

# Rows of two files of cases whose predictions differ by more than rounding.
compare() {
    paste -d '\n' validation-cases.csv "$work/cases.csv" | awk -F, '
        NR % 2 { split($0, a, ","); next }
        { if (a[1] != $1 || a[2] != $2 || ($8 + 0 != 0 && ((d = $8 / a[8] - 1) > 1e-3 || d < -1e-3)))
              print a[1] "[" a[2] "], " a[5] " devices: " a[8] " in the documents, now " $8 " (" $1 "[" $2 "])" }'
}

# Intervals that hold too few of the published means, or too many: 80 % are meant to. One batch more or less
# than 75 to 90 % is chance.
over_covered() {
    awk 'function off(held, all) { return held + 1 < 0.75 * all || held - 1 > 0.9 * all }
        /^all laws / {
        if (off($7, $9)) print "convergence: 80 % intervals hold " $7 " of " $9 " inner batches"
        if (off($13, $15)) print "convergence: 80 % intervals hold " $13 " of " $15 " edge batches" }' \
        "$work/convergence"
}

# Batches left out whose prediction differs by more than rounding.
compare_convergence() {
    paste -d '\n' validation-convergence.csv "$work/convergence.csv" | awk -F, '
        NR % 2 { split($0, a, ","); next }
        { if (a[1] != $1 || a[2] != $2 || ($6 + 0 != 0 && ((d = $6 / a[6] - 1) > 1e-3 || d < -1e-3)))
              print a[1] " at " a[2] ": " a[6] " in the documents, now " $6 " (" $1 " at " $2 ")" }'
}

# Cases whose error grew most.
worse() {
    paste -d '\n' validation-cases.csv "$work/cases.csv" | awk -F, '
        function abs(x) { return x < 0 ? -x : x }
        NR % 2 { split($0, a, ","); next }
        $6 == "predicted" && abs($9) > abs(a[9]) + 0.1 {
            printf "%8.1f  %s[%s], %s devices: error %.1f %%, was %.1f %%\n", abs($9) - abs(a[9]), $1, $2, $5, $9, a[9] }' |
        sort -rn | head -n 20 | cut -c 11-
}

over_limits() {
    limits >"$work/limits.csv"
    awk -F, 'NR == FNR { median[$1 "," $2] = $4; p90[$1 "," $2] = $5; next }
        FNR > 1 && ($1 "," $2) in median {
            if ($4 > 1.1 * median[$1 "," $2] + 0.05) print $1 ", " $2 ": median " $4 " %, limit " median[$1 "," $2] " %"
            if ($5 > 1.1 * p90[$1 "," $2] + 0.05) print $1 ", " $2 ": 90th percentile " $5 " %, limit " p90[$1 "," $2] " %"
        }' validation-limits.csv "$work/limits.csv"
}

write_page() {
    cp "$work/cases.csv" validation-cases.csv
    awk -v table="$work/table" '
        /^<!-- table -->/ { print; print "```"; while ((getline line < table) > 0) if (line != "" || !last) print line; skip = 1; next }
        /^<!-- end -->/ { print "```"; skip = 0 }
        !skip { print }' validation.md |
        awk -v table="$work/convergence" '
        /^<!-- convergence -->/ { print; print "```"; while ((getline line < table) > 0) print line; skip = 1; next }
        /^<!-- end of convergence -->/ { print "```"; skip = 0 }
        !skip { print }' >"$work/page"
    cp "$work/convergence.csv" validation-convergence.csv
    cp "$work/page" validation.md
}

case $what in
write) write_page ;;
pin) limits >validation-limits.csv ;;
check)
    status=0
    { over_limits; over_covered; } >"$work/over"
    if [ -s "$work/over" ]; then
        cat "$work/over"
        echo "Cases that became worse:"
        worse
        status=1
    fi
    { compare; compare_convergence; } >"$work/differ"
    sed -n '/^<!-- table -->/,/^<!-- end -->/p' validation.md | sed '1d;$d;/^```/d' >"$work/old"
    if [ -s "$work/differ" ] || [ "$(wc -l <validation-cases.csv)" -ne "$(wc -l <"$work/cases.csv")" ] ||
        [ "$(wc -l <validation-convergence.csv)" -ne "$(wc -l <"$work/convergence.csv")" ]; then
        head -n 20 "$work/differ"
        echo "docs/validation-*.csv are not what the program says: run docs/make_validation.sh, and say why in CHANGELOG.md"
        status=1
    elif [ "$(grep -c . "$work/old")" -ne "$(grep -c . "$work/table")" ]; then
        echo "docs/validation.md has another table than the program: run docs/make_validation.sh"
        status=1
    fi
    [ $status -eq 0 ] && echo "the documents are what the program says, and no class is above its limits"
    exit $status
    ;;
esac
