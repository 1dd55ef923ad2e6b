# No word of a user stands in a script as gnuplot would read it: quotes, backquotes, macros, formats, comments.
for name in 'a"; system("touch pwned"); #' '`touch pwned` @GPVAL_VERSION %s' '{/Bold b} \140id\140 <i> &amp;'; do
    quoted=$(printf %s "$name" | sed 's/[\\"]/\\&/g')
    dtsim in/small.json --engine fluid --set "strategies=[{\"kind\":\"allreduce\",\"name\":\"$quoted\"}]" -o $TMP/x.gp
    grep keyentry $TMP/x.gp | head -n 1
    grep -n '[`@]\|system("' $TMP/x.gp
done
