dtsim zero_stages --set devices=8 --set batch.per_device=4 --set 'strategies=[{"name":"plain","kind":"mesh"}]' --set memory.check=warn
