dtsim profile --model in/model.json --output ./in/model.json
