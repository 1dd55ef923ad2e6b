# A stage without parameters has nothing on the host; gradients of strips are messages of all of them.
dtsim in/small.json --set model=cosmoflow --set platform=dgx_h100 --set stack=pytorch_ddp --set devices=16 --set batch.per_device=1 --set 'strategies=[{"kind":"mesh","mesh":{"pipeline":4},"offload":"optimizer"}]' | sed -n '11,12p'
dtsim spatial_cosmoflow --set devices=512 --set 'strategies[1].compression=top_k' | sed -n '10,13p'
