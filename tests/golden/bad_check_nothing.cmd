dtsim check
