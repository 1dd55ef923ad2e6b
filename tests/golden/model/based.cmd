dtsim in/small.json --set model=llama2_7b --set model.layers=1 --set model.vocabulary=100 --set model.hidden=64 --set model.ffn=96 --format csv | cut -d, -f4-7
