dtsim check in/small.json --engine fluid --set devices=[5,2]
