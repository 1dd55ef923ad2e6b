dtsim list formats precisions
