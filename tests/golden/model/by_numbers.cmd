dtsim in/small.json --set 'model={"family":"llama","layers":2,"hidden":64,"heads":4,"kv_heads":2,"ffn":96,"vocabulary":100,"sequence":32}' --format csv | cut -d, -f4-7
