dtsim imagenet_1h --set devices=8 --set 'strategies=[{"kind": "allreduce", "algorithm": "ring"}]' --format csv | cut -d, -f1-6
