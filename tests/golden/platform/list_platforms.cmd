dtsim list platforms theta dgx2
dtsim list platforms theta --format json | grep bisection
dtsim list platforms thetta
dtsim list platforms theta --format csv
dtsim list models --format json
