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
