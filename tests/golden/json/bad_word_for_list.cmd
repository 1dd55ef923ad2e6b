dtsim in/small.json --set strategies=ring
