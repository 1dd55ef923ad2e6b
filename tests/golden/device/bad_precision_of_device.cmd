dtsim in/small.json --set precision=bf16
