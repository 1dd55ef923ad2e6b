dtsim new platform
