# A scenario to begin with, which can be asked at once; devices and precision follow the platform.
dtsim new scenario ours --model bert_base --platform dgx_a100
dtsim new scenario ours --model resnet50 --platform tpu_v3_pod --stack none --devices 4,16 --batch 8 -o $TMP/ours.json
dtsim $TMP/ours.json --engine fluid --format csv | cut -d, -f1-6
dtsim new scenario ours --model resnet50 --platform tpu_v3_pod -o $TMP/ours.json
dtsim new scenario ours --platform dgx_a100
dtsim new scenario ours --model resnt50 --platform dgx_a100
dtsim new scenario ours --model resnet50 --platform dgx_a100 --nodes 4
dtsim new scenario ours --model resnet50 --platform dgx_a100 --devices 8,,16
dtsim new scenaro ours
dtsim new scenario 'o"urs' --model resnet50 --platform dgx_a100
