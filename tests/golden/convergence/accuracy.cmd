# Accuracy after a fixed number of epochs: by batch, by rule, and where nobody knows it.
one='strategies=[{"kind": "allreduce"}]'
dtsim --explain imagenet_1h --set devices=8,256,352 --set "$one" | sed -n '/^batch/,/^$/p;/^  accuracy/,/^  overlap/p'
dtsim imagenet_1h --set devices=256 --set "$one" --sweep training.accuracy.rule=no_warm_up,constant_warm_up,unscaled_rate | sed -n '/^batch/,/^$/p'
dtsim imagenet_1h --set devices=128 --set "$one" --set training.accuracy.rule=no_warm_up --format json | grep -A 4 '"accuracy"'
dtsim imagenet_1h --set devices=256 --set "$one" --format json | sed -n '/"accuracy_/s/\(\.[0-9]\{4\}\)[0-9]*/\1/p'
dtsim imagenet_1h --set devices=256 --set "$one" --format csv | tr , '\n' | grep accuracy
dtsim --explain imagenet_1h --set devices=256 --set "$one" --set training.epochs=60 --set optimizer=momentum | sed -n '/^batch/,/^$/p;/^  unsure/,/^  overlap/p'
dtsim --explain summit_27k --set devices=27648 --set "$one" | sed -n '/batch  accuracy/,/^$/p;/^  unsure/,/^  overlap/p'
# Rules of the rate and spans of batch normalization that are not the table's.
dtsim --explain imagenet_1h --set devices=128 --set "$one" --set batch.per_device=96 --set 'live={"compute": "kernels", "scaling": {"rule": "square_root", "batch": 256}}' | sed -n '/^  unsure/,/^  overlap/p'
dtsim --explain imagenet_1h --set devices=8 --set "$one" --set batch_norm=synchronized | sed -n '/^  unsure/,/^  overlap/p'
dtsim imagenet_1h --set devices=256 --set "$one" --set 'references=[{"devices": 256, "metric": "accuracy_percent", "value": 76.3, "source": "abstract"}]' | sed -n '/^Against/,/^$/p'
