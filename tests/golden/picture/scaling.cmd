# The script of a picture has the numbers of the answer; what was published stands beside them.
dtsim in/small.json --engine fluid --set 'references=[{"strategy":"ring","devices":4,"metric":"throughput_samples_per_s","value":1000,"source":"a paper"},{"strategy":"ring","devices":4,"metric":"scaling_efficiency","base_devices":1,"value":0.5,"source":"a paper"}]' --plot scaling --format gp
dtsim in/small.json --engine fluid --format csv | cut -d, -f2,4,20,21
