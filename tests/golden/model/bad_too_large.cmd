dtsim in/small.json --set 'model={"family":"gpt","layers":1000,"hidden":65536,"heads":1,"vocabulary":2,"sequence":1000000}'
