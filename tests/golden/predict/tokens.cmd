# 72 s l h^2 (1 + s / (6 h) + V / (12 l h)) of 4 samples a device by the step and the peak, 1e12, over mfu; hfu adds the scores
model='{"family": "gpt", "layers": 3, "hidden": 64, "heads": 4, "vocabulary": 50, "sequence": 24, "fused": true}'
dtsim in/small.json --set "model=$model" --set devices=[1,4] -o $TMP/out.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { s = 24; l = 3; h = 64; v = 50
      flops = 72 * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h)); step = $at["step_total_s"]; n = $at["devices"]
      printf "%d %.6f %.6f %.6f %.6f %.6f\n", n, $at["mfu"] / (4 * flops / step / 1e12),
          $at["hfu"] / (4 * (flops + l * 2 * s * s * h) / step / 1e12), $at["throughput_tokens_per_s"] / (4 * n * s / step),
          $at["tokens_per_s_device"] / (4 * s / step), $at["model_flops_per_s_device"] / (4 * flops / step) }' $TMP/out.csv
dtsim in/small.json --set "model=$model" --set devices=4 | head -10
dtsim in/small.json --set devices=4 --format csv | head -1 | awk '{ print gsub(/tokens/, "") }'
