dtsim --explain here --set device=../../profiles/xeon_amx_1thread.json --set devices=[1] --set precision=bf16 \
    --engine fluid | grep -A 1 seconds
