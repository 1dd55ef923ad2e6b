dtsim in/small.json --set 'strategies=[{"kind":"ps","servers":1,"statistics":"pairwise"}]'
