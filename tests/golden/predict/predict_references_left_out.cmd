# long
# A published figure is for the question of its file: another model has none, the same model said again has, and
# figures that the command line brings itself are compared.
held() { dtsim imagenet_1h --engine fluid --set 'devices=[8,256]' "$@" --format csv | grep paper,,256 | grep -o '[a-z_]*,[0-9.]*,[0-9.]*,[-0-9.]*,$'; }
held --set model=alexnet
held --set model=resnet50
held --set platform.nics.bytes_per_s=1e9
held --set batch.per_device=64 --set 'references=[{"strategy":"paper","devices":256,"metric":"step_s","value":0.4,"source":"x"}]'
held --set batch.per_device=64 --set 'references=[{"strategy":"paper","devices":256,"metric":"step_s","value":0.4,"source":"x","when":{"batch.per_device":32}}]'
held --set 'references=[{"strategy":"paper","devices":256,"metric":"step_s","value":0.4,"source":"x","when":7}]'
held --set 'strategies[0].overlap=false' --set 'references=[{"strategy":"paper","devices":256,"metric":"step_s","value":0.4,"source":"x","when":{"strategies[0].overlap":false}}]' 
held --set 'strategies[0].overlap=false' --set 'references=[{"strategy":"paper","devices":256,"metric":"step_s","value":0.4,"source":"x","when":{"strategies[0].overlap":true}}]'
