dtsim chek in/small.json
