dtsim in/small.json --engine fluid --set devices=[2,5]
