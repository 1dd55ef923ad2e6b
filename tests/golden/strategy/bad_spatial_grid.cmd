grid() { dtsim imagenet_1h --engine fluid --set devices=8 --set batch.per_device=8 --set references=null --set "strategies=[{\"kind\":\"mesh\",\"mesh\":{\"spatial\":8},\"spatial\":{\"grid\":$1}}]"; }
dtsim spatial_cosmoflow --set 'strategies=[{"kind":"mesh","mesh":{"spatial":4},"spatial":{"grid":[2,4]}}]'
grid '[4]'
grid '[]'
grid 8
grid '"2x2x2"'
grid '[0,2,4]'
grid '[2,2,2,1]'
grid '[2,2,2]'
dtsim gpt3_3d --engine fluid --set devices=64 --set 'strategies=[{"kind":"mesh","mesh":{"spatial":8},"spatial":{"grid":[8]}}]'
