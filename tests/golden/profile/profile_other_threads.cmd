for live in '{"compute":"kernels","threads":2}' '{"compute":"kernels"}' '{}'; do
dtsim --explain here --set device=../../profiles/xeon_amx_1thread.json --set devices=[1] --set "live=$live" --engine fluid |
    sed -n '/^  seconds/,/^  assumed/p' | grep -v assumed
done
dtsim --explain here --set device=../../profiles/xeon_amx_1thread.json --set devices=[1] --set precision=bf16 \
    --set 'live={"compute":"kernels","threads":2}' --engine fluid | sed -n '/^  seconds/,/^  assumed/p' | grep -v assumed
