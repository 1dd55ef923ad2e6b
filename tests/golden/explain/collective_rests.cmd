# A collective alone runs no kernel of the model: nothing that kernels rest on is named.
dtsim in/small.json --set platform=dgx1_v100 --set stack=pytorch_ddp --set devices=8 --set model=resnet50 --set 'strategies=[{"kind":"collective","collective":"allreduce","bytes":65536}]' --explain | sed -n '/^Rests/,$p'
dtsim in/small.json --set 'strategies=[{"kind":"collective","collective":"allreduce","bytes":65536}]' | sed -n '/^Rests/,$p'
