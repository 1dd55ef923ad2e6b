# long
# A language model until a loss: tokens by Chinchilla's law, and what the batch adds.
dtsim --explain gpt3_3d --set devices=1024 --set 'training={"target":{"loss":2.1}}' | sed -n '/time to/,/^$/p;/^  target/,/^  overlap/p'
dtsim gpt3_3d --set devices=1024 --set 'training={"target":{"loss":1.88}}'
dtsim gpt3_3d --set devices=1024 --set 'training={"target":{"loss":2.1,"recipe":"tuned"}}'
dtsim gpt3_3d --set devices=1024 --set 'training={"target":{"loss":2.1,"profile":"gpt3_175b"}}'
dtsim gpt3_3d --set devices=1024 --set 'training={"target":{}}'
dtsim imagenet_1h --set devices=8 --set 'training={"target":{"loss":2.1}}'
