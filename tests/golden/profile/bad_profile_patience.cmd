dtsim profile --model mlp --patience soon
