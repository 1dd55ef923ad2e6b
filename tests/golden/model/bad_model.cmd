dtsim in/small.json --set model=resnet5O
