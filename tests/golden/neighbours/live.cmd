# needs simgrid
# A live run is alone.
dtsim in/small.json --live --set devices=2 --set 'neighbours=[{}]'
