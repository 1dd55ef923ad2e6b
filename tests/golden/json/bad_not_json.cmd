dtsim in/not_json.json
