dtsim in/mesh8b.json
