# needs simgrid
# All-reduces within the layers of batch normalization: in the ranks' step, and what they cost.
dtsim in/small.json --set model=resnet50 --set batch_norm=synchronized --set 'strategies=[{"name":"ring","kind":"allreduce","algorithm":"ring"},{"name":"trees","kind":"allreduce","algorithm":"ring","statistics":"halving_doubling"},{"name":"servers","kind":"ps"}]' --format csv
dtsim in/small.json --set model=resnet50 --set batch_norm=local --set 'strategies=[{"name":"ring","kind":"allreduce","algorithm":"ring"},{"name":"servers","kind":"ps"}]' --format csv
