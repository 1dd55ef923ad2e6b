# Neighbours that cannot be, each in one line.
bad() { dtsim neighbours/beside.json --set "$1"; echo "exit $?"; }
bad neighbours=3
bad 'neighbours=[3]'
bad 'neighbours=[]'
bad 'neighbours[0].cout=2'
bad 'neighbours[0].count=0'
bad 'neighbours[0].apart_s=1'
bad 'neighbours[0].name=""'
bad 'neighbours[0].strategy=ring'
bad 'neighbours[0].strategy={"kind":"traffic"}'
bad 'neighbours[0].strategy={"kind":"traffic","pattern":"permutations"}'
bad 'neighbours[0].strategy={"kind":"traffic","pattern":"all_to_all","seed":3}'
bad 'neighbours[0].strategy={"kind":"traffic","pattern":"all_to_all","load":2}'
bad 'neighbours[0].strategy={"kind":"ps","servers":2,"placement":"shared"}'
bad 'neighbours[0].strategy={"kind":"ps","servers":2,"synchronous":false}'
bad 'neighbours[0].model=alexnet'
bad 'neighbours[0].devices=1000'
bad 'neighbours[0]={"placement":{"kind":"linear"},"count":8}'
bad 'neighbours[0].placement.nodes=[0,5]'
bad 'neighbours[0].placement.kind=ring'
bad engine=fluid
