# What one socket carries is the limit, and "Why" says so: outside of a placement group EC2 gives it
# 5 Gb/s. Measured: 1523, 1529 and 11384 images/s on 8, 16 and 128 V100, flat from 8 to 16.
dtsim in/sockets_resnet101.json --set 'platform.transports.between={"name": "nccl_socket_ec2_before_2_4_8", "flow_bytes_per_s": 0.625e9}' --format csv | cut -d, -f2,4,20
dtsim --explain in/sockets_resnet101.json --set devices=16 --set 'platform.transports.between={"name": "nccl_socket_ec2_before_2_4_8", "flow_bytes_per_s": 0.625e9}' | grep -A 3 '^Why'
# Two sockets carry twice as much.
dtsim --explain in/sockets_resnet101.json --set devices=16 --set 'platform.transports.between={"name": "nccl_socket_ec2_before_2_4_8", "flow_bytes_per_s": 0.625e9, "flows": 2}' | grep -A 3 '^Why'
# Sixteen fill the NIC, which then is the limit.
dtsim --explain in/sockets_vgg16.json | grep -A 3 '^Why'
