dtsim profile --model mlp --precision fp61
