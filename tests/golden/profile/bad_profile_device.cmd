dtsim profile --model mlp --device cude:1
dtsim profile --model mlp --device cuda:x
dtsim profile --model mlp --device tpu
