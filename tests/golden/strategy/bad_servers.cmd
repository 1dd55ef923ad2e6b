dtsim in/small.json --set 'strategies=[{"kind": "ps", "servers": 9, "placement": "dedicated"}]' --set devices=2
