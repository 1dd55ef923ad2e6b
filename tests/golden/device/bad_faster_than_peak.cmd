# 32 samples of ResNet-50 are 785 GFLOP: no P100 does them in 6 ms; what its fp16 could do is doubted, not refused.
dtsim imagenet_1h --engine fluid --set 'devices=[8]' --set stack=in/stack_fast.json
dtsim check imagenet_1h --set 'devices=[8]' --set stack=in/stack_fast.json --format json
