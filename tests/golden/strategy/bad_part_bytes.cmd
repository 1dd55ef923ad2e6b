dtsim in/small.json --set 'strategies=[{"kind": "ps", "part_bytes": 1}]'
