dtsim in/small.json --jobs many
