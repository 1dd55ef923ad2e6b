dtsim in/list_at_top.json
