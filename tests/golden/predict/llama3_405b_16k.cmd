dtsim llama3_405b_16k --set devices=16384 --format csv | cut -d, -f1-20
