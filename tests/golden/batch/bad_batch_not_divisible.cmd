dtsim in/small.json --set 'batch={"global": 10}' --set devices=4
