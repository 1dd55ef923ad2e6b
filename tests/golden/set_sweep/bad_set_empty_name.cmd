dtsim in/small.json --set platform.=x
dtsim in/small.json --set platform.nics..bytes_per_s=1e9
dtsim in/small.json --set .steps=3
dtsim in/small.json --set 'strategies[0].=ring'
dtsim in/small.json --sweep platform.=1,2
