dtsim in/small.json --set platform.nics.bytes_per_s=0
