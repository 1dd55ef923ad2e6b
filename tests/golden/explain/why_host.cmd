# What all flows of a host share is the limit.
dtsim --explain in/sockets_vgg16.json --set 'platform.transports.between={"name": "nccl_socket_ec2", "host_bytes_per_s": 1.25e9}' | grep -A 3 '^Why'
