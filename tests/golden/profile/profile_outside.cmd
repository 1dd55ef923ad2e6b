# One of three points is within what was measured; two are not; and all are not.
with="here --set device=../../profiles/xeon_amx_1thread.json --engine fluid"
dtsim --explain $with --set devices=[2,4,8] --set batch.per_device=null --set batch.global=32 | sed -n '/^  seconds/,/^  assumed/p'
dtsim --explain $with --set devices=[1,2,4] --set batch.per_device=4 | grep '^  outside'
dtsim --explain $with --set devices=[1] --set batch.per_device=4 --set 'strategies=[{"kind":"allreduce","algorithm":"ring"}]' | grep '^  outside'
dtsim $with --set devices=[1] --set batch.per_device=4 --format json | grep outside
dtsim check $with --set devices=[1] --set batch.per_device=4 | grep outside
