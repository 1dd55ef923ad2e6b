dtsim list formats engines
