dtsim zero_stages --set memory.check=wrn
