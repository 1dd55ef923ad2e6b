dtsim --explain in/small.json --engine fluid
