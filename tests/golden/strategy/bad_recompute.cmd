# What a network has not is not computed again.
dtsim in/small.json --engine fluid --set devices=2 --set 'strategies=[{"kind": "mesh", "mesh": {"data": 2}, "recompute": "selective"}]'
dtsim imagenet_1h --engine fluid --set devices=8 --set batch.per_device=8 --set 'strategies=[{"kind": "mesh", "mesh": {"pipeline": 2}, "recompute": "selective"}]'
dtsim imagenet_1h --engine fluid --set devices=8 --set model=linear_regression --set platform=dgx_h100 --set stack=pytorch_ddp --set precision=fp8
