dtsim in/small.json --set 'model={"base":"gpt2","family":"gpt"}'
