dtsim in/small.json --set model=vgg16 --set batch_norm=synchronized
dtsim in/small.json --set batch_norm=synchronised
