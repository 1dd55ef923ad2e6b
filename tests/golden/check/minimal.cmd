# Six keys are a scenario; a data set is for who asks about epochs.
dtsim in/minimal.json --engine fluid
dtsim in/minimal.json --set training.epochs=3
dtsim check in/minimal.json
