# Workers whose kernels take longer: all wait for them in a ring, nobody does where servers answer as requests come.
dtsim in/small.json --set model=resnet50 --set devices=[1,4] --set 'slow_workers=[{"factor":3,"workers":[1]},{"factor":1.5,"workers":[0]}]' --set 'strategies=[{"kind":"allreduce","algorithm":"ring"},{"kind":"ps","servers":1,"synchronous":false}]'
dtsim in/small.json --set devices=[1,4] --set 'slow_workers={"factor":3,"workers":[4]}'
dtsim in/small.json --set 'slow_workers={"factor":3,"workers":[1,1]}' --set devices=[4]
dtsim in/small.json --set 'slow_workers={"factor":0.5,"workers":[1]}' --set devices=[4]
dtsim in/small.json --set 'slow_workers={"factor":2,"worker":[1]}' --set devices=[4]
dtsim in/small.json --set 'slow_workers=[]' --set devices=[4]
dtsim in/small.json --set 'slow_workers={"factor":2,"workers":3}' --set devices=[4]
dtsim in/small.json --set 'slow_workers={"factor":2,"workers":[1]}' --set devices=[4] --set 'strategies=[{"kind":"collective","bytes":1e6},{"kind":"traffic","pattern":"random_pairs"}]'
dtsim in/small.json --set 'slow_workers={"factor":2,"workers":[1]}' --set devices=[4] --set 'strategies=[{"kind":"collective","bytes":1e6},{"name":"sum","kind":"allreduce"}]' --format csv | cut -d, -f2,4,11
