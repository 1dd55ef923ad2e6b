# A small scenario on each platform that ships: read, plans built, and predicted.
for platform in $(dtsim list platforms | sed -n "s/^  \([a-z_0-9]*\) .*/\1/p" | grep -v "^here$"); do
    precision=fp32
    case $platform in tpu*) precision=bf16 ;; esac
    set -- in/allreduce.json --set platform=$platform --set devices=[32] --set precision=$precision
    dtsim check "$@" --format json >$TMP/check && dtsim "$@" --engine fluid --format json >$TMP/answer || exit
    grep -q '"comm_s": [0-9.]*[1-9]' $TMP/answer && echo $platform
done
