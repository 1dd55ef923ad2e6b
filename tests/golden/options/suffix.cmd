# The suffix of a file says its format, in letters of any size; text does not go into what other programs would open.
run="dtsim in/small.json --engine fluid --set devices=[1]"
$run -o $TMP/a.JSON && head -c 12 $TMP/a.JSON
$run -o $TMP/a.GP && head -c 10 $TMP/a.GP
$run -o slide.jpg
$run -o page.HTM
$run -o $TMP/a.jpg --format csv && cut -c1-9 $TMP/a.jpg
$run -o $TMP/v1.2 && head -n 1 $TMP/v1.2
ls $TMP
