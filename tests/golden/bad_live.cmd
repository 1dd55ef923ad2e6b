dtsim in/small.json --live
