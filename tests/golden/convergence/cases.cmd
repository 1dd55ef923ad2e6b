# long
# A list of published cases: each predicted alone, and told beside what was published.
dtsim imagenet_records | sed -n '1,/^$/p;/^case/,/^$/p'
dtsim imagenet_records --set batch.per_device=16 --set devices=8 --sweep noise=true,false --format csv | cut -d, -f1-6 | head -4
dtsim imagenet_records --format json | grep -A 3 '"setting": "fast.ai'
dtsim imagenet_records --set noise=false --set 'strategies=[{"name":"one","kind":"allreduce"},{"name":"two","kind":"allreduce","bucket_bytes":4e6}]' | sed -n '/^case/,/^Goyal 2017, one/p'
