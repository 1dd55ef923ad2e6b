dtsim in/small.json --set steps=many
