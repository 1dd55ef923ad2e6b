dtsim --explain time_to_accuracy --set devices=8,64,1024 | sed '/^Why/,$d'
dtsim time_to_accuracy --set devices=8,64 --set platform.node.price_per_hour=25 --format csv
dtsim time_to_accuracy --set devices=8,64 --format json | grep -A 14 '"to_target"\|"training"'
dtsim time_to_accuracy --set devices=64 --sweep training.target.recipe=tuned,long_warmup | sed -n '/time to/,/^$/p'
dtsim --explain time_to_accuracy --set devices=64 --set optimizer=momentum --set training.target.profile=rgat | sed -n '/^  target/,/^  overlap/p'
dtsim --explain time_to_accuracy --set devices=8,64 --set training.target.profile=qwen35_397b_grpo --set batch='{"global": 512}' | sed -n '/time to/,/^$/p;/^  target/,/^  overlap/p'
dtsim --explain time_to_accuracy --set devices=64 --set training.target.profile=qwen35_397b_grpo | sed -n '/time to/,/^$/p;/^  unsure/,/^  overlap/p'
