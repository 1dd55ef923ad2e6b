dtsim in/small.json --set platform.transports.between=rdma
