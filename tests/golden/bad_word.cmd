dtsim something
