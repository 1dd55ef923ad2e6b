# long
# One rate of a flow explains both points: EC2 gives 5 Gb/s outside of a placement group.
dtsim explain in/sockets_resnet101.json --devices 16 --measured '1529 images/s' --format csv \
    --set platform.transports.between=nccl_socket_ec2_before_2_4_8
dtsim explain in/sockets_resnet101.json --devices 128 --measured 11384 --format csv \
    --set platform.transports.between=nccl_socket_ec2_before_2_4_8
# On one server no network explains anything.
dtsim explain in/sockets_resnet101.json --devices 8 --measured 1523
# A stack's transport goes first.
dtsim explain in/sockets_resnet101.json --devices 16 --measured 1529 --set stack.transport.between=nccl_net_tcp
