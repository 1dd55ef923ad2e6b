dtsim check in/small.json --set devices=[5,6] --format json -o $TMP/out; echo $?; ls $TMP
