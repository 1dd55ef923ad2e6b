# needs simgrid
# Where each pair has one path, and software caps each flow, the three that simulate every message are one.
for engine in exact exact_spread flow; do
    dtsim in/small.json --set model=resnet50 --set devices=4 --set 'strategies=[{"kind":"allreduce"}]' --engine $engine --format csv | cut -d, -f10-14
done
