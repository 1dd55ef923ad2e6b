# The page without its style, script and pictures (gnuplot is out of reach): tables, notes, sources, command, data.
PATH=$(dirname "$(command -v dtsim)") dtsim in/small.json in/minimal.json --engine fluid --set 'devices=[2,4]' -o $TMP/x.html
sed '/^<style>/,/^<\/style>/d; /^<script>/,/^<\/script>/d' $TMP/x.html
