dtsim in/truncated.json
