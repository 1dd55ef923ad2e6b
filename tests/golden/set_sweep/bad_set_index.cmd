dtsim in/small.json --set 'strategies[7].kind=ps'
dtsim in/small.json --set 'strategies[99999999999999999999].kind=ps'
