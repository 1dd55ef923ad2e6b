dtsim help man --format json; dtsim help scenario --format csv; dtsim help --format json; dtsim help scenario model -f json
