cp -r in $TMP/in && cd $TMP/in && mv small.json "$(printf 'red\033[31m\nforged: line.json')" && dtsim red* --set devices=[2] | head -n 2
dtsim red* --set devices=[2] --format csv | tail -n 1 | cut -d , -f 1
