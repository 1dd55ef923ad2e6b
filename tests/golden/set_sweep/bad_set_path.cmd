dtsim in/small.json --set 'strategies[=1'
