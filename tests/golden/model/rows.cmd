# Tables whole and as rows: by all-reduce, servers and both; and what is refused.
dtsim in/small.json --set model=../live/words.json --set devices=[4] --set 'strategies=[{"kind":"allreduce"},{"name":"gather","kind":"allreduce","tables":"rows"},{"name":"divided","kind":"allreduce","tables":"divided"},{"kind":"ps","servers":2},{"name":"rows","kind":"ps","servers":2,"tables":"rows"},{"kind":"hybrid","servers":2},{"name":"once","kind":"hybrid","servers":2,"aggregate_in_node":true},{"kind":"ps","servers":2,"tables":"rows","synchronous":false}]' | sed '/^Why/,$d'
dtsim check in/small.json --set model=../live/words.json --set devices=[4] --set 'strategies=[{"kind":"hybrid","density":0.01,"index_bytes":8}]' | sed -n '/strategies/,/\]/p;/^    table/p'
dtsim in/small.json --set model=resnet50 --set devices=[4] --set 'strategies=[{"kind":"hybrid"}]'
dtsim in/small.json --set model=../live/words.json --set devices=[4] --set 'strategies=[{"kind":"allreduce","density":0.1}]'
dtsim in/small.json --set model=../live/words.json --set devices=[4] --set 'strategies=[{"kind":"hybrid","index_bytes":5}]'
dtsim in/small.json --set model=../live/words.json --set devices=[4] --set 'strategies=[{"kind":"ps","beside_share":0.5}]'
dtsim in/small.json --set model=../live/words.json --set devices=[4] --set 'strategies=[{"kind":"ps","placement":"both","servers":9}]'
