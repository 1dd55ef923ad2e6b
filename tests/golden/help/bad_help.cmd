dtsim help scenaro
