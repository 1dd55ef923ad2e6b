dtsim in/small.json --set 'strategies[7].kind=ps'
