# Where fluid does not know the job, flow answers; it is not blamed for what nobody chose.
explain() { dtsim explain in/small.json --set model=resnet50 --set devices=4 --set noise=false "$@"; }
explain --measured '800 ms' --set 'strategies=[{"kind":"allreduce","local_steps":1,"average":"asynchronous_pairs"}]'
explain --measured '800 ms' --set 'strategies=[{"kind":"ps","servers":1,"synchronous":false}]' | sed -n 1p
explain --measured '800 ms' --set 'strategies=[{"kind":"ps","servers":1,"synchronous":false}]' --engine fluid
# A measurement levels them, too, and strategies that the file does not name.
level() { dtsim in/small.json --set devices=2,4 --set noise=false --set 'measurements=[{"devices":2,"metric":"step_s","value":0.5}]' --format csv "$@" | cut -d, -f2,4,10,11; }
level --set 'strategies=[{"name":"other","kind":"allreduce"},{"kind":"ps","servers":1,"synchronous":false}]'
