dtsim in/small.json --set 'model={"family":"lama","layers":2}'
