dtsim in/small.json --set devices=[]
