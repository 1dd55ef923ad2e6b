dtsim in/small.json --set model=in/bad_layer.json
