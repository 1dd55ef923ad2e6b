dtsim in/small.json --set 'strategies=[{"kind": "ps", "servers": 65536}]'
