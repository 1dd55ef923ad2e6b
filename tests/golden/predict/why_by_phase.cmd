# 1 GB by halving and doubling on 16 nodes: distances 1 and 2 stay under a leaf, 2 x (1/2 + 1/4) s by ports of 1 GB/s;
# distances 4 and 8 share the leaf's one cable, 4 of them at once, 2 x (1/8 + 1/16) x 4 s.
dtsim --explain in/broadcast.json --engine fluid --set platform=in/tapered.json --set 'devices=[16]' --set 'strategies=[{"kind":"collective","algorithm":"halving_doubling","bytes":1e9}]' | sed -n '/Why/,/Rests/p'
# Kernels that hide what is sent, and communication that nothing hides.
dtsim --explain in/small.json --engine fluid --set 'devices=[4]' | sed -n '/Why/,/Growth/p'
dtsim --explain in/small.json --engine fluid --set 'devices=[4]' --set platform.nics.bytes_per_s=1e12 --set model=resnet50 --set batch.per_device=8 | sed -n '/Why/,/Growth/p'
