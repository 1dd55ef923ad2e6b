dtsim in/small.json --set 'strategies=[{"kind":"collective","collective":"alltoall","algorithm":"hierarchical","shards":2,"bytes":1e6}]'
