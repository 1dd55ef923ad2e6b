dtsim spatial_cosmoflow --set 'strategies=[{"kind":"mesh","mesh":{"spatial":4},"spatial":{"grid":[2,4]}}]'
