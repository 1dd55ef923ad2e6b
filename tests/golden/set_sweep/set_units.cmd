# Units are those of the key; lists of numbers need no brackets; what is neither is named.
ask() { dtsim in/small.json --engine fluid --format csv "$@" | tail -1 | cut -d, -f1-4,11; }
ask --set devices=4 --set platform.nics.bytes_per_s=2e9
ask --set devices=2,4 --set platform.nics.bytes_per_s=16Gb/s
ask --set devices=2,4 --sweep platform.nics.bytes_per_s=1GB/s,2GB/s
ask --set devices=4 --set 'strategies[0].bucket_bytes=25MB'
ask --set devices=4 --set 'strategies[0].bucket_bytes=25e6'
ask --set devices=4 --set platform.nics.bytes_per_s=16G
ask --set devices=4 --set 'strategies[0].bucket_bytes=-25MB'
ask --set devices=4, --set platform.nics.bytes_per_s=1e9
ask --set steps=5s
