# Keys of ranks that do not meet in each step, where they cannot act.
one() { dtsim in/small.json --set devices=4 --set "strategies=[{\"kind\":\"allreduce\"$1}]"; }
one ',"local_steps":0'
one ',"local_after":3'
one ',"average":"pairs"'
one ',"local_steps":2,"average":"some"'
one ',"outer_rate":0.7'
one ',"local_steps":2,"outer_momentum":0.9'
one ',"local_steps":2,"outer_rate":0.7,"average":"pairs"'
one ',"local_steps":2,"delay":1'
one ',"delay":3'
one ',"local_steps":2,"overlap":true'
one ',"delay_first":3'
one ',"delay":1,"delay_first":3,"delay_last":1'
one ',"delay":1,"delay_last":300'
one ',"delay":1,"overlap":false'
dtsim in/small.json --set model=resnet50 --set devices=4 --set batch_norm=synchronized --set 'strategies=[{"kind":"allreduce","local_steps":2}]'
dtsim in/small.json --set devices=3 --set 'strategies=[{"kind":"allreduce","local_steps":1,"average":"pairs"}]'
one ',"local_steps":1,"average":"asynchronous_pairs","bucket_bytes":1e6'
dtsim in/small.json --set devices=4 --set 'strategies=[{"kind":"allreduce","local_steps":1,"average":"asynchronous_pairs"}]' --engine fluid
dtsim in/small.json --set devices=3 --set 'strategies=[{"kind":"allreduce","local_steps":1,"average":"asynchronous_pairs"}]'
dtsim converge fashion_mnist -o "$TMP/x.json" --set 'live.schedule={}' --outer-rate 1
dtsim converge fashion_mnist -o "$TMP/x.json" --set 'live.schedule={}' --local-steps 2 --delay 1
