# What was changed in the model of a profile is said; a value that is the same changes nothing.
unsure() { dtsim --explain time_to_accuracy --engine fluid --set devices=64 --set references=null "$@" | sed -n '/^  unsure/,/^  overlap/p'; }
unsure --set model.input=[3,160,160]
unsure --set model.input=[3,224,224]
unsure --set model=resnet101
unsure --set training.target.profile=gpt3_175b --set model=gpt3_175b --set 'batch={"global":1536}' --set model.layers=1 --set model.hidden=64 --set model.heads=2 --set model.vocabulary=100 --set model.sequence=32
