dtsim in/small.json --set optimizer=adma
