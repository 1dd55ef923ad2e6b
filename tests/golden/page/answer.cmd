# The answer in a sentence: who wins, who reaches a target first, how far a list is off, what the only strategy does.
bin=$(dirname "$(command -v dtsim)")
page() { rm -f $TMP/x.html; PATH=$bin dtsim "$@" -o $TMP/x.html 2>/dev/null; grep 'class="answer"' $TMP/x.html; }
page in/small.json --engine fluid
page in/small.json --engine fluid --set 'strategies=[{"kind":"allreduce","name":"a","algorithm":"ring"},{"kind":"ps"}]'
page in/small.json --engine fluid --set devices=[4] --set 'strategies=[{"kind":"allreduce","name":"a","algorithm":"ring"},{"kind":"allreduce","name":"b","algorithm":"ring"}]'
page time_to_accuracy --set devices=8,16
page in/allreduce.json --engine fluid
page imagenet_records
