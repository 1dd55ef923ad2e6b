dtsim in/small.json --set 'references=[{"strategy": "ps", "devices": 2, "metric": "step_s", "value": 1, "source": "x"}]'
