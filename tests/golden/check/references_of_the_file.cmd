# Figures that hold for other values than the file's: nothing is said of them where nobody changed anything.
dtsim check byteps --format json | grep -c '"when"'
dtsim check byteps --set devices=8 --format json >$TMP/out
dtsim check byteps --set platform.nodes=40 --format json >$TMP/out
dtsim check horovod_512 --sweep stack=pytorch_ddp,horovod --format json >$TMP/out
