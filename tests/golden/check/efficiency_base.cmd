# A published efficiency is against a number of devices: where the answer's is against another, nothing is compared,
# though the command line chose the devices.
held() { dtsim imagenet_1h --engine fluid "$@" --format json | grep -c '"metric": "scaling_efficiency"' || true; }
held --set devices=8,256
held --set devices=64,256
held --set devices=256
one() { dtsim in/small.json --engine fluid --set "references=[{\"devices\":4,\"metric\":$1,\"value\":1,\"source\":\"x\"}]"; }
one '"scaling_efficiency"'
one '"step_s","base_devices":1'
one '"scaling_efficiency","base_devices":4'
# Figures in units that a person would choose.
refer() { dtsim in/small.json --engine fluid --set dataset.samples=9e9 --set "references=[{\"devices\":4,\"metric\":\"$1\",\"value\":$2,\"source\":\"x\"}]" | sed -n '/^Against/,$p' | sed -n 2p; }
refer time_s 4e8
refer step_s 0.02
refer throughput_samples_per_s 22609
