dtsim in/small.json --engine exat
