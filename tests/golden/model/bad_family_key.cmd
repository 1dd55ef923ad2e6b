dtsim in/small.json --set 'model={"family":"llama","layers":2,"hiden":64}'
