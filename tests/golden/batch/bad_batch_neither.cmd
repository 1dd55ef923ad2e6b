dtsim in/small.json --set batch={}
