dtsim in/small.json --set 'references=[{"devices": 2, "metric": "speed", "value": 1, "source": "x"}]'
