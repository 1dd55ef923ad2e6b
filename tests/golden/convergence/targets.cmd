# Points of unlike targets are not compared: a line and an object for each target.
ask() { dtsim time_to_accuracy --engine fluid --set devices=8,64 --set references=null --sweep training.target.profile=resnet50_lars,rgat "$@"; }
ask | sed -n '/^Shortest/,/^$/p'
ask --format json | sed -n '/"to_targets"/,/"points"/p'
