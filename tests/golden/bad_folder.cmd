dtsim in/
