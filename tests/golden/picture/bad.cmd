# What cannot be drawn is refused before the work, where that is known.
dtsim in/small.json --plot scaling
dtsim in/small.json --plot scalin -o $TMP/x.gp
dtsim in/small.json in/minimal.json -o $TMP/x.gp
dtsim in/small.json -o $TMP/x.svg --plot
dtsim check in/small.json --plot scaling
dtsim explain in/small.json --measured 5 --format svg
dtsim list --format gp
dtsim in/allreduce.json --plot scaling -o $TMP/x.gp
PATH=$(dirname "$(command -v dtsim)") dtsim in/small.json -o $TMP/x.svg
ls $TMP
