dtsim help accuracy --format json
