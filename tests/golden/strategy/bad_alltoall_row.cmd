dtsim in/small.json --set 'strategies=[{"kind":"collective","collective":"alltoall","algorithm":"ring","bytes":1e6}]'
