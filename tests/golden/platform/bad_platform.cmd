dtsim in/small.json --set platform=sumit
