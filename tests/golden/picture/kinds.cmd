# Each kind has its data from the answer; what an answer has nothing of is refused.
run="dtsim in/small.json --engine fluid --format gp"
for kind in steps memory pareto target; do
    $run --set devices=[1,4] --plot $kind | sed '1,10d'
done
$run --set devices=[4] --plot timeline | sed -n '/^\$k/,/^EOD/p'
$run --set devices=[4] --set 'references=[{"strategy":"ring","devices":4,"metric":"step_s","value":0.03,"source":"a paper"}]' --plot published | sed '1,10d'
$run --set devices=[4] --set 'strategies=[{"kind":"ps","synchronous":false}]' --engine flow --plot staleness | sed '1,10d'
$run --plot published
$run --plot staleness
$run --set training=null --plot target
# By itself the kind that says most: scaling where devices differ, else the step.
for devices in '[1,4]' '[4]'; do
    $run --set devices=$devices | head -n 1
done
dtsim list plots
# What links carry: a small network as nodes and switches; what one node alone does, by its parts.
$run --set devices=[4] --plot links | sed '1,10d'
# A collective alone: over its bytes, where they differ; else over devices.
dtsim in/allreduce.json --engine fluid --format gp --sweep strategies[0].bytes=1e5,1e6 | sed '1,10d'
dtsim in/allreduce.json --engine fluid --format gp --set devices=[2,4] | grep -A9 '^.p0'
# Points that have the same devices: throughput alone. Trainings that differ in their epochs are not all called by one number.
$run --set devices=[2] --plot scaling | sed -n '/^set multi/,$p'
$run --sweep training.epochs=2,5 --plot target | grep 'set label 1'
$run --set devices=[4] --set training.epochs=0.512393 --plot target | grep 'set label 1'
# Times that lie minutes and days apart: tics have their own units.
$run --sweep training.epochs=50,100000 --plot target | grep 'set yl\|set yt'
# Samples read ahead were begun before the step: what lies there stands at its end.
for core_s in 1e-9 1e-7; do
    $run --set devices=[4] --set dataset.sample_bytes=1e6 --set dataset.encoding=jpeg --set platform.node.cores=4 --set stack.input.decode_core_s_per_byte=$core_s --plot timeline | sed -n '/^\$k6/,/^EOD/p; /xrange/p'
done
