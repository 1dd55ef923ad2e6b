dtsim profile --model mlp --pace 1.5
