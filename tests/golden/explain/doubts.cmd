# A measured step far from physics, and one that no device could make, are hard to believe.
model='{"family": "gpt", "layers": 3, "hidden": 64, "heads": 4, "vocabulary": 50, "sequence": 24, "fused": true}'
doubt() { dtsim --explain in/small.json --engine fluid --set devices=1,4 --set model="$model" --set "measurements=[{\"devices\": 1, \"metric\": \"step_s\", \"value\": $1}$2]" | sed -n '/^  doubt/,/^  overlap/p'; }
doubt 0.004
doubt 0.4
doubt 0.0001
doubt 0.004 ', {"devices": 4, "metric": "step_s", "value": 5}'
# A phase repeats no doubt of the whole.
dtsim --explain in/measured.json --engine fluid --set 'dataset={"name": "x", "samples": 1000}' --set 'training={"phases": [{"epochs": 3}, {"steps": 9, "set": {"batch.per_device": 256}}]}' --set measurements[0].value=0.03 | sed -n '/^  doubt/,/^  overlap/p'
