dtsim help
