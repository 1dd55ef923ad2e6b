dtsim imagenet_1h --set devices=16 --format csv -o $TMP/out
dtsim check imagenet_1h --sweep devices=16,32 -o $TMP/out
