dtsim help convergence | grep -A 1 source
