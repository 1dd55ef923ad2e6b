dtsim in/small.json --set 'model={"layers":2}'
