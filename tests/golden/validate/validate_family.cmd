# One family is shown case by case.
dtsim validate in/cases.json
dtsim validate in/cases.json --format csv
dtsim validate in/cases.json -o $TMP/cases.json
cat $TMP/cases.json
