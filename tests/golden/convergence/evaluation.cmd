# Evaluations as a part of the time, and curves of weak and strong scaling on one page.
dtsim time_to_accuracy --set devices=8,64 --set 'training.target.evaluation={"samples":50000,"every":4}' | sed -n '/time to/,/^$/p'
dtsim time_to_accuracy --set devices=64 --sweep 'training.target.evaluation={"seconds":1},{"seconds":1,"every":4}' | sed -n '/time to/,/^$/p'
dtsim time_to_accuracy --set devices=64 --set 'training.target.evaluation={"seconds":1}' --format json | sed -n '/"evaluation/s/\(\.[0-9]\{4\}\)[0-9]*/\1/p'
dtsim --explain time_to_accuracy --set devices=64 --set training.target='{"profile":"cosmoflow","evaluation":{"seconds":1}}' | sed -n '/^  unsure/,/^  overlap/p'
dtsim time_to_accuracy --set devices=8,256 --sweep 'batch={"per_device":204},{"global":13056}' --format csv | awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; print "setting devices batch time_s"; next} {gsub(/"/, ""); printf "%s %s %s %.3g\n", $at["setting"], $at["devices"], $at["global_batch"], $at["training_time_s"]}'
