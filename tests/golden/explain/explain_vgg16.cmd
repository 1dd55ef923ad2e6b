# Measured: 546.9 images/s. 2 x 15/16 x 553 MB / (0.9415 x R) is the time of the all-reduce, of which some
# 100 ms hide behind 167 ms of kernels: R = 1.26 GB/s, as the asker saw 10 Gb/s on the NIC.
dtsim explain in/sockets_vgg16.json --measured 546.9
# With that rate the prediction is the measurement.
dtsim in/sockets_vgg16.json --set platform.nics.bytes_per_s=1.267e9 --format csv | cut -d, -f2,4,20
dtsim explain in/sockets_vgg16.json --measured '936 ms' --format json
