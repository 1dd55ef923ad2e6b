# The first screen at 80, 120 and 40 columns, and where nobody says how wide it is.
COLUMNS=80 dtsim imagenet_1h --set devices=8,256
COLUMNS=120 dtsim imagenet_1h --set devices=8,256 | sed -n '/^Fastest/,/^ *80/p'
COLUMNS=80 dtsim zero_stages --set devices=8,64 | sed -n '/^Fastest/,$p'
COLUMNS=120 dtsim zero_stages --set devices=8,64 | sed -n '/^Fastest/,$p'
COLUMNS=80 dtsim time_to_accuracy --set devices=8,1024 | sed -n '/^Shortest/,$p'
COLUMNS=50 dtsim in/small.json --engine fluid | sed -n '/^Answer/,$p'
(unset COLUMNS; dtsim zero_stages --set devices=8,64 | wc -L)
dtsim in/small.json --explain --format csv
COLUMNS=40 dtsim imagenet_1h --engine fluid --set devices=8,256 | sed -n "/^  *devices/,/^$/p"
