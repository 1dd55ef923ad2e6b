dtsim in/small.json --set 'strategies[0].kind=alreduce'
