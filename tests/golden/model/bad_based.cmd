dtsim in/small.json --set model=llama2_7b --set model.heads=7
