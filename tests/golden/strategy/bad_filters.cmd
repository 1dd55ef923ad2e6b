dtsim spatial_cosmoflow --set devices=5 --set batch.global=5 --set 'strategies=[{"kind":"mesh","mesh":{"tensor":5},"convolutions":"filter"}]'
