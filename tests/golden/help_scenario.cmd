dtsim help scenario
