dtsim check in/mesh8b.json --set memory.check=wrn
