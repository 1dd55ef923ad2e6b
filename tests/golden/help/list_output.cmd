dtsim list formats -o $TMP/list && dtsim help list -o $TMP/help && echo nothing so far && cat $TMP/list $TMP/help
dtsim list formats --output $TMP/no/such
