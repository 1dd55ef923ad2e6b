dtsim spatial_cosmoflow --set devices=3 --set batch.global=3 --set 'strategies=[{"kind":"mesh","mesh":{"spatial":3}}]'
