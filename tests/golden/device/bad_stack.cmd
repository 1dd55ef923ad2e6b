dtsim in/small.json --set stack=pytorch_dp
