dtsim in/small.json --engine fluid
