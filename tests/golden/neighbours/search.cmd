# Jobs that are alike: on ports of their own each is as fast as alone, and two do twice as much. With the second one's noise apart.
for noise in false true; do
dtsim in/small.json --engine flow --set devices=2 --set 'neighbours=[{}]' --set noise=$noise --set stack=caffe2_gloo --set training={} -f json |
    sed -n '/"beside"/,/"why"/p' | grep -v why
done
# Four jobs read at once: the storage of all nodes gives a fourth to each, in and out of the table.
dtsim in/small.json --engine flow --set devices=1 --set 'neighbours=[{"count":3}]' --set dataset.sample_bytes=1e6 --set platform.storage.shared_bytes_per_s=1e7 | sed -n '/^  *devices/,/^$/p'
# A neighbour of another kind is not counted among those alike; it repeats its rounds, and is named.
dtsim in/small.json --engine flow --set devices=2 --set 'neighbours=[{"name":"noise","devices":2,"strategy":{"kind":"traffic","pattern":"random_pairs","load":0.1,"message_bytes":1e5}}]' -f csv | cut -d, -f2,4,10,11,28-
# Traffic that is asked itself: the time of a round.
dtsim in/small.json --engine flow --set devices=4 --set training={} --set 'strategies=[{"kind":"traffic","pattern":"all_to_all","message_bytes":1e6}]' | sed -n '/^  *devices/,/^$/p'
