sed 's|"devices"|"live": {"epochs": 3, "data": {"folder": "x"}}, "devices"|' in/small.json >$TMP/live.json
sed -i 's#"\(model\|platform\|stack\)": "#&'"$PWD"'/in/#' $TMP/live.json
dtsim check $TMP/live.json --set devices=1 -o $TMP/out
dtsim check $TMP/live.json --set devices=1 --set 'live={"compute": "kernels", "epochs": 3}' -o $TMP/out
dtsim $TMP/live.json --set devices=1 --format csv | cut -d, -f1-3
