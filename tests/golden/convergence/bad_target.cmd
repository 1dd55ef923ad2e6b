dtsim check time_to_accuracy --set training.target.profile=resnet50_lar
dtsim check time_to_accuracy --set training.target.recipe=cold
dtsim check time_to_accuracy --set training.epochs=3
dtsim check time_to_accuracy --set training.target='{"recipe": "tuned"}'
dtsim check time_to_accuracy --set training.target.profil=x
dtsim check time_to_accuracy --set training.target.profile=time_to_accuracy.json
