#!/bin/sh
# agree_table.sh -- how well the two engines agree, case by case, as CSV, and a summary of it.
#
#     tests/sim/agree_table.sh BUILD > docs/validation-engines.csv
#     tests/sim/agree_table.sh --summary < docs/validation-engines.csv
#     tests/sim/agree_table.sh --check BUILD TEST...
#
# The rows are what the tests unit.agree_* of this build compare; the tests write them, header and
# all, and hold their limits. --summary prints a line for each table. --check fails where the rows of
# the tests named (alone, mixed, paths, step, race) are not those of docs/validation-engines.csv.
root=$(cd "$(dirname "$0")/../.." && pwd)

usage() {
    echo "usage: agree_table.sh BUILD | --summary | --check BUILD TEST..."
    exit 2
}

# A folder of the build and names of tests: their rows, behind the header.
rows_of() {
    build=$1
    shift
    for test in "$@"; do
        DTSIM_AGREE_ROWS=$rows "$build/tests/test_agree_$test" >&2 || exit 1
    done
}

# Titles of tables and the last four columns have no commas of their own.
summary() {
    awk -F, '
        function worst_of(t) { return worst[t] < 1e-4 ? "below 0.0001" : sprintf("%.2g", worst[t]) }
        NR > 1 {
            if (!($1 in cases)) title[++titles] = $1
            cases[$1]++
            error = $(NF - 1) < 0 ? -$(NF - 1) : $(NF - 1)
            if (error > worst[$1]) worst[$1] = error
            if (error > 1) beyond[$1]++
        }
        END {
            print "| table | cases | beyond 1 % | worst, % |"
            print "|---|---:|---:|---:|"
            for (i = 1; i <= titles; i++)
                printf "| %s | %d | %d | %s |\n", title[i], cases[title[i]], beyond[title[i]], worst_of(title[i])
        }'
}

# Rows of the CSV and new ones, which are alike but for the last digits of another compiler. Those are
# promised as well where who is first hangs on rounding (races: 3 or 6 %).
compare() {
    awk -F, '
        function apart(of) { return $NF == 3 || $NF == 6 ? $NF / 100 * of : 1e-5 * of }
        function near(a, b, most) { return a - b <= most && b - a <= most }
        function key(row) { row = $1; for (i = 2; i <= NF - 4; i++) row = row "," $i; return row "," $NF }
        NR == FNR && FNR == 1 { header = $0; next }
        NR == FNR { exact[key()] = $(NF - 3); fluid[key()] = $(NF - 2); error[key()] = $(NF - 1); of[key()] = $1; next }
        FNR == 1 && $0 != header { print "another header: " $0; wrong++ }
        FNR == 1 { next }
        { made[key()]; tables[$1] }
        !(key() in exact) { print "not in the table: " $0; wrong++; next }
        !near($(NF - 3), exact[key()], apart(exact[key()])) || !near($(NF - 2), fluid[key()], apart(fluid[key()])) ||
            !near($(NF - 1), error[key()], apart(100)) { print "not as in the table: " $0; wrong++ }
        END {
            for (row in of)
                if (of[row] in tables && !(row in made)) { print "no longer written: " row; wrong++ }
            if (FNR < 2) { print "no rows"; wrong++ }
            exit wrong > 0
        }' "$1" "$2"
}

check() {
    csv=$root/docs/validation-engines.csv
    [ $# -ge 2 ] || usage
    rows_of "$@"
    if ! compare "$csv" "$rows"; then
        echo "docs/validation-engines.csv is not what the tests write: run tests/sim/agree_table.sh and say why in CHANGELOG.md"
        exit 1
    fi
    echo "docs/validation-engines.csv is what the tests write"
}

rows=$(mktemp) || exit 2
trap 'rm -f "$rows"' EXIT
case ${1:-} in
--summary) summary ;;
--check)
    shift
    check "$@"
    ;;
'' | -*) usage ;;
*)
    [ $# -eq 1 ] || usage
    rows_of "$1" alone mixed paths step race unlike mesh
    cat "$rows"
    ;;
esac
