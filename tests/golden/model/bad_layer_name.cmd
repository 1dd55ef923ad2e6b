dtsim in/small.json --set model=in/bad_layer_name.json
