# A figure that the answer does not have is noted, not compared.
dtsim in/small.json --set devices=4 --set 'references=[{"devices":4,"metric":"samples_to_target","value":5.8e7,"source":"x"},{"devices":4,"metric":"mfu","value":0.4,"source":"x"}]' 2>&1 | sed -n '1,2p;/Against/,/^$/p'
