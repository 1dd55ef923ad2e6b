for value in 0 -3 nan 0x10 '5 GB/s' '' 1e300; do
    dtsim explain in/sockets_vgg16.json --measured "$value"
done
dtsim explain in/sockets_vgg16.json --measured '5 ms' --metric throughput_samples_per_s
dtsim explain in/sockets_vgg16.json --measured '5 images/s' --metric step_s
dtsim explain in/sockets_vgg16.json --measured 5 --metric step
dtsim explain
dtsim explain in/sockets_vgg16.json
dtsim explain in/sockets_resnet101.json --measured 5
dtsim explain ring_vs_ps --measured 5
dtsim explain in/sockets_vgg16.json --measured 5 --strategy rong
dtsim explain in/sockets_vgg16.json --measured 5 --devices 0
dtsim explain in/sockets_vgg16.json --measured 5 --sweep steps=3,4
dtsim explain in/sockets_vgg16.json --measured 5 --trace t.json
dtsim explain in/sockets_vgg16.json --measured 5 --devices 1000
dtsim in/small.json --set 'platform.transports.between={"name": "verbs", "flows": 2}'
dtsim in/small.json --set 'platform.transports.between={"name": "tcp", "flows": 0}'
