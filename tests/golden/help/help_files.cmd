dtsim help platform device stack
