# agree_common.sh -- what agree.sh and agree_local.sh share: strategies in short, and medians of tables.

# all_reduce ALGORITHM NAME BUCKET_BYTES OVERLAP
all_reduce() {
    printf '{"kind":"allreduce","algorithm":"%s","name":"%s","bucket_bytes":%s,"first_bucket_bytes":%s,"overlap":%s}' \
        "$1" "$2" "$3" "$3" "$4"
}
# servers NUMBER BUCKET_BYTES PLACEMENT
servers() {
    printf '{"kind":"ps","servers":%s,"placement":"%s","name":"ps_%s","bucket_bytes":%s}' "$1" "$3" "$1" "$2"
}

# median COLUMN FILE -- of absolute values of a column of CSV without a header, and the worst.
median() {
    awk -F, -v c="$1" '{v = $c + 0; print v < 0 ? -v : v}' "$2" | sort -n |
        awk '{v[NR] = $1} END {printf "median %.1f %%, worst %.1f %%",
            NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2, v[NR]}'
}
