dtsim in/small.json --set batchs=4
